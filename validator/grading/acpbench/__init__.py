"""Questions about actions, change and plans, as ACPBench asks them (Kokel et al. 2025): graded, and made of any model.

Questions in ACPBench's layout and answers come in, grades with their reasons go out. Open ``judge`` first: one answer
decided on the model. ``prover`` says what can be reached and what every plan needs, with proofs, over the states of
``space`` (made of ``operators``) and the search of ``greedy``; ``grades`` counts. ``benchmark`` makes questions whose
keys are proven (``drafts``), about fresh problems (``fresh``) or given ones.
"""

"""Questions about actions, change and plans, as ACPBench asks them (Kokel et al. 2025): graded, and made of any model.

Questions in ACPBench's layout and answers come in, grades with their reasons go out. Open ``judge`` first: one answer
decided on the model. ``space`` and ``prover`` say what can be reached and what every plan needs, with proofs; ``said``
reads answers, ``grades`` counts them, ``made`` makes questions whose keys are proven, of fresh problems or given ones.
"""

"""A flow as a planning model: ``compile`` writes one PDDL action for each way to do a visible step.

A ``Flow`` comes in; a model, and the way from its steps back to the flow's, go out. Open ``compile`` first.
``analysis`` says what may stand for what, ``basic`` and ``calls`` make the actions (``instances`` says which are told
apart); ``language``, ``terms`` and ``names`` are its vocabulary, ``wording`` says its literals.
"""

"""A flow as a planning model: ``compile`` writes one PDDL action for each way to do a visible step.

A ``Flow`` comes in; a model, and the way from its steps back to the flow's, go out. Open ``compile`` first.
``analysis`` says what may stand for what and which calls are distinguished, ``actions`` makes the actions;
``language`` and ``terms`` are its vocabulary, ``pddl`` prints it.
"""

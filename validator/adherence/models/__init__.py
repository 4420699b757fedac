"""What a model says of planned steps and executed calls: PDDL, unified-planning problems, flows.

A model and rows of steps and calls come in; steps of the model, and what could be executed, go out. Open
``interpreted`` first: what every kind of model says. ``choose`` finds the kind; ``pddl`` is one, ``flows`` the other,
with ``binding`` for arguments and ``followed`` for one execution and the values in it.
"""

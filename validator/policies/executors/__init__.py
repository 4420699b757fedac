"""Models on which calls are executed one by one: PDDL and flows. ``executor`` says what is asked of one.

A model comes in, then a call at a time; whether it can be executed, and the state behind it, go out. Open ``executor``
first: what every kind of model says. ``choose`` finds the kind, ``pddl``, ``numeric`` and ``flows`` are those.
"""

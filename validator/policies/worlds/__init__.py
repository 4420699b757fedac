"""Models on which calls are executed one by one: PDDL and flows. ``world`` says what is asked of one.

A model comes in, then a call at a time; whether it can be executed, and the state behind it, go out. Open ``world``
first: the protocol. ``choose`` finds the kind of a model, ``pddl`` and ``flows`` are the two, ``planned`` says what is
to be called from a state.
"""

"""What a planning model is: values that never change, and what can be asked of them without executing anything.

PDDL texts come in (``pddl``), a ``Model`` goes out: types, actions, a problem, and the ``formulas`` in them. Open
``values`` first, the classical part; ``temporal`` has time, preferences and trajectories. ``conditions``, ``derived``
and ``numeric`` say what holds in a state, ``bundled`` lists the models that come with the package.
"""

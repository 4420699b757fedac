"""Running a plan: every fault with its causes, every state, the cost. No planner takes part.

A ``Model`` and steps come in, a ``Trace`` goes out. Open ``simulator`` first: it prepares a classical model once and
runs any number of plans on it (``run``). ``trace`` has the values, ``faults`` says them in words, and ``time``
executes what is beyond classical planning: numbers, durations, processes, constraints on the trajectory.
"""

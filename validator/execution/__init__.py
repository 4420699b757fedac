"""Running a plan: every fault with its causes, every state, the cost. No planner takes part.

A ``Model`` and steps come in, a ``Trace`` goes out. Open ``simulator`` first: it runs any number of plans (``run``) on
a classical model that was prepared once (``rules``). ``trace`` has the values, ``faults`` says them in words, and
``time`` executes what is beyond classical planning: numbers, durations, processes, constraints on the trajectory.
"""

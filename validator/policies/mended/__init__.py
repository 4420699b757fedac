"""The nearest run that keeps a policy: calls that may be added, lower bounds, the search, and its edits.

A policy and a run come in, a ``Repair`` with its proof goes out. Open ``repair`` first. ``groups`` parts the rules that
have nothing in common, ``calls`` says which calls could be added, ``relaxed`` bounds from below what a run needs,
``search`` finds the fewest edits by A*.
"""

"""The nearest run that keeps a policy: calls that may be added, lower bounds, the search, and its edits.

A policy and a run come in, a ``Repair`` with its proof goes out. Open ``repair`` first, which parts the rules that have
nothing in common. ``calls`` says which calls could be added, ``search`` finds the fewest edits by A*. A move is one
edit, which no edge of the modified problem of a plan is: hence a search of its own.
"""

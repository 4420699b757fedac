"""Nondeterminism: sets of states, from uncertain initial states and effects with several outcomes, and policies.

A ``Transitions`` (a model with its outcomes) and a ``Strategy`` (a sequence, a state-action table, a tree) come in; an
``Explored`` with every reachable state, and the shortest run to where it goes wrong, comes out. Open ``transitions``
first. ``explore`` follows a strategy and judges what it finds, ``policy`` has the strategies, ``listing`` reads tables
and trees as planners print them, ``signs`` tells them from other plans, ``edits`` finds the fewest edits of a table.
"""

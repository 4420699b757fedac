"""Execution in large scenes: indexed states, conditions as joins, and proofs that a condition stays false.

A domain and a scene come in, states and false conditions go out. Open ``world`` first: it executes actions. ``state``
is what it executes on, ``query`` finds the bindings of a condition, ``formulas`` takes conditions apart,
``unreachable`` proves that one stays false.
"""

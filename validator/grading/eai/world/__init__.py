"""Execution in large scenes: indexed states, and conditions as joins.

A domain and a scene come in, states and false conditions go out. Open ``executor`` first: it executes actions, each
once. ``state`` is what it executes on, ``query`` takes conditions apart and finds their bindings.
"""

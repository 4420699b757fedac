"""The ground model as sets of bits: facts, steps, states, and what can be reached of them.

A model comes in; states, plans and what is out of reach go out, without a planner and without a clock. Open ``space``
first. ``explored`` goes through states in order of breadth, ``greedy`` looks for one plan where they are too many, and
``relaxed`` tells what no sequence of steps can reach.
"""

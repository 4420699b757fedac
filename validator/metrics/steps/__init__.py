"""How alike plans are by their steps alone: two plans, and the plans of a set. No model takes part.

Plans as sequences of steps come in, a number goes out. Open ``distances`` first: common subsequences, edits, sets;
``diversity`` takes any distance over all pairs of a set.
"""

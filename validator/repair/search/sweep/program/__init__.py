"""Bounds of all variables at once by a linear program, and which variables its answers tell to join.

Open ``equation`` first: it writes the program and makes bounds of its answer. ``linear`` is the process that solves it,
``merging`` chooses variables to join.
"""

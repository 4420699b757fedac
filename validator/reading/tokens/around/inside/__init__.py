"""Steps inside of something else: a text in, a text of the same length out, in which the steps stand by themselves.

``wrapped`` takes them out of calls of calls and of names that are joined, ``renamed`` out of records and of the names
that programs make of the model's; ``times`` are when they happen; ``drawn`` puts the nodes of drawings in the order of
their edges; ``triples`` are statements without any order. Open ``wrapped`` first.
"""

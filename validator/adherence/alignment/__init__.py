"""The heaviest alignment of a plan with the calls of a trace that keeps their order, and the weights of its pairs.

Planned steps and calls, in sequences and batches, come in; pairs go out. Open ``align`` first. ``ends`` takes away what
both have in common, ``pairwise`` and ``weights`` say what a pair weighs, ``chain``, ``assigned`` and ``agreeing`` find
the heaviest chain, ``dependencies`` the orders that a plan allows.
"""

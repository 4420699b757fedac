"""The heaviest alignment of a plan with the calls of a trace that keeps their order, and the weights of its pairs.

Planned steps and calls, in sequences and batches, come in; pairs go out. Open ``align`` first. ``weights`` says what a
pair weighs, ``chain`` finds the heaviest chain.
"""

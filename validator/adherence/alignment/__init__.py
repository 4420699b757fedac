"""The heaviest alignment of a plan with the calls of a trace that keeps their order, and the weights of its pairs."""

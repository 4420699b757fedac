"""The ways in which a plan is written, each in a file that can be read alone: a text and the names in, tokens out.

``lines`` goes line by line, through what ``shape`` says of each, and puts what it finds into ``parts``: ``formal`` are
lines of parentheses and calls, whose ``steps`` are read one by one; ``spoken`` are words as the lexicon hears them,
``words`` words by the names alone. ``records`` are JSON and its like, as ``values`` finds them; ``structured`` the
forms of two benchmarks. Open ``lines`` first. Which of them explains a text is decided in
``validator.reading.tokens.candidates``.
"""

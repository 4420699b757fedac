"""The ways in which a plan is written, each in a file that can be read alone: a text and the names in, tokens out.

``lines`` goes line by line, as ``shape`` cuts and judges them; ``steps`` reads what stands in parentheses and calls,
``sentences`` names alone and what the clauses of a text tell. ``records`` are JSON and its like, ``tables`` rows of
tables as such records. Open ``lines`` first. Which of them explains a text is decided in
``validator.reading.tokens.text``.
"""

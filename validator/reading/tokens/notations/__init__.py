"""The ways in which a plan is written, each in a file that can be read alone: a text and the names in, tokens out.

``lines`` goes line by line, as ``shape`` cuts and judges them: ``formal`` are lines of parentheses and calls, whose
``steps`` are read one by one; ``spoken`` are words as the lexicon hears them, ``words`` words by the names alone, and
sentences with a step in parentheses behind them. ``records`` are JSON and its like, ``tables`` rows of any
kind as such records, ``eai`` the forms of one benchmark. Open ``lines`` first. Which of them explains a text is
decided in ``validator.reading.tokens.text``.
"""

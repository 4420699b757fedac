"""Questions in English: a text and what it is asked of come in, a ``Question`` goes out, or what was not understood.

Open ``meanings`` first: it makes a question of what is asked and of the clauses. ``frames`` has the tables of words
that say what is asked; ``clauses`` reads what stands between them as plans told in words are read.
"""

"""How questions are written: a text, and what it is asked of, come in; a ``Question`` goes out.

Open ``read`` first. ``forms`` has the kinds of questions, ``frames`` the words that say what is asked, ``english``
makes questions of both; ``clauses`` reads what stands between as plans in words are read. ``context`` is what
they are asked about.
"""

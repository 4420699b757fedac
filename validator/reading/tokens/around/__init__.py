"""What stands around a plan in its text, and is none of it: a text in, the places of that out.

Open ``asides`` first: it leaves out what the others find, and tells it.
``marks`` are thoughts, tags, quoted models and markup, ``headings`` say what the lines below them are; ``denials`` say
that there is no plan, or nothing to do; ``planners`` print, agents and their worlds talk (``transcripts``),
``programs`` do steps under conditions. What is left is read by ``validator.reading.tokens.notations``.
"""

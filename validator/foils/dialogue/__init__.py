"""A dialogue about a plan: questions that add up, the answers so far, and a table of the plans that came of them.

``dialogue`` is the way in: a value that ``ask`` turns into the next one. ``table`` compares the plans, ``present``
makes text, JSON and a page of both.
"""

"""Operators that a model wrote: found in its text, read, compared with the gold ones part by part, counted.

An answer's text and gold operators come in, counts of right, wrong and missed literals go out. Open ``matching`` first:
it compares two operators, as the trees of ``trees``, under the best naming of ``renaming``. ``operators`` finds and
reads them, ``undeclared`` reads what the planner once took, ``changes`` names what would mend one.
"""

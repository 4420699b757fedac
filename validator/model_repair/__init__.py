"""The plan is right and the model is wrong: the fewest edits of a domain that make plans what they must be.

A domain's text and problems with plans come in, a ``ModelRepair`` goes out. Open ``repair`` first: ``repair_model``
reads, asks and verifies. ``space`` says what can be edited, ``encoding`` makes one formula of it, whose cheapest
assignment, by ``maxsat``, is the smallest repair; ``rewrite`` writes edits into the text. ``mending`` comes first, for
texts that cannot be read.
"""

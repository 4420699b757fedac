"""The plan is right and the model is wrong: the fewest edits of a domain that make plans what they must be.

A domain's text and problems with plans come in, a ``ModelRepair`` goes out. Open ``repair`` first: ``repair_model``
reads, asks and verifies. ``actions`` and ``candidates`` say what can be edited, ``encoding`` makes one formula of it
whose cheapest assignment is the smallest repair, ``source`` writes edits into the text, ``ranking`` orders those of the
same size. ``mending`` comes first, for texts that cannot be read.
"""

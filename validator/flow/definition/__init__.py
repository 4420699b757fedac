"""Reading flows: the project's own format and NL2Flow's; what a flow must be before it means anything.

A file, a text or JSON values come in, a ``Flow`` goes out. Open ``reader`` first: it knows which format it has.
``nl2flow`` reads NL2Flow's from parts in ``entries``; ``integrity`` refuses what cannot be meant.
"""

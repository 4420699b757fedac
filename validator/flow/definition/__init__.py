"""Reading flows: the project's own format, NL2Flow's, and sketches; what a flow must be before it means anything.

A file, a text or JSON values come in, a ``Flow`` goes out. Open ``reader`` first: it knows which format it has.
``nl2flow`` and ``nl2flow_options`` read NL2Flow's, ``sketch`` reads sketches over a catalog, ``integrity`` refuses what
cannot be meant.
"""

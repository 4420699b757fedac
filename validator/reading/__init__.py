"""What others wrote, as values: plan texts, lists of steps, tool calls, traces of agents.

A text, JSON or a log comes in; a ``Reading`` goes out: the plans that it may mean, what in it was not understood, each
with its span. Nothing is dropped and nothing is guessed. Open ``plan`` first, then ``reading``: the values. ``tokens``
reads plan texts, by what ``lexicon`` knows of how a model's names are said; ``calls`` reads calls and lists of them,
``traces`` the records of agents, ``statements`` plans that are given as lists or stated in a trace. ``understood`` says
whether a verdict may stand on a reading.
"""

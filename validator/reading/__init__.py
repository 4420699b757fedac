"""What others wrote, as values: plan texts, lists of steps, tool calls, traces of agents.

A text, JSON or a log comes in; steps, constraints and what could not be read go out, each with its span. Nothing is
dropped and nothing is guessed. Open ``plan`` first: the values. ``tokens`` reads plan texts (``tokenize``),
``traces`` the records of agents (``read.read_trace``), ``stated`` plans that are given as lists or stated in a
trace.
"""

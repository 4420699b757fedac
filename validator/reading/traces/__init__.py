"""Traces of agents in the formats of their makers, each told by its structure; ``read.read_trace`` takes any of them.

What comes out is a ``Recording``: the calls in order, and the texts among which the plan is looked for. Open
``formats.toml`` first, the table of all formats: conditions on objects and paths into them, which ``paths`` explains.
``read`` tries each reader, and the one that accounts for most of a trace reads it; ``messages`` tells a message of a
chat, ``rows`` a log or a step, ``attributes`` what a span says; ``conversation`` joins answers to calls.
"""

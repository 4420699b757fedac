"""Traces of agents in the formats of their makers, each told by its structure; ``read.read_trace`` takes any of them.

What comes out is a ``Recording``: the calls in order, and the texts among which the plan is looked for. Open ``read``
first: each format is tried, and the one that accounts for most of a trace reads it. ``formats`` is the table of them,
``spans`` has that of those with spans; ``messages`` tells a message of a chat in any provider's wrapping,
``conversation`` joins answers to calls.
"""

"""Traces of agents in the formats of their makers, each told by its structure; ``read.read_trace`` takes any of
them.

What comes out is a ``Recording``: the calls in order, and the texts among which the plan is looked for.
"""

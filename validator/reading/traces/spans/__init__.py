"""Spans: what observability tools record of a run, one object for each thing that took time.

In: the spans of one format as ``Span`` values. Out: the calls of tools among them, in the order of their start, with
results, errors and parents. Open ``span`` first; ``attributes`` looks up what a span says of itself, ``kinds`` tells
tools from models, agents and nodes, ``runs`` makes the calls.
"""

"""What observability tools record: spans, runs and observations, of which only those of tools are calls.

In: the value of a trace. Out: calls in the order of their start. One file for each way to write a span;
``validator.reading.traces.spans`` holds what they share.
"""

"""Processes that work for others, each within limits: for batches, trainers' texts, the service and agents' calls.

Open ``lanes`` first: a server's requests go through a ``queue`` to processes that are replaced where they die or are
ended. ``pool`` has the same processes as executors, for runs that wait themselves. ``process`` is how each begins and
ends, with the one that started it and with its planners; ``limits`` bounds the time and memory of one answer.
"""

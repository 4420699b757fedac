"""Greedy search for plans over time in which steps must overlap (required concurrency, Cushing et al. 2007).

A model, its ground steps and what is observed come in; plans with times go out, each executed by the caller before it
counts. Open ``plans`` first; ``search`` guides, ``states`` say what one more start or end makes of what runs, ``clock``
when it may be, and ``snap_actions`` are starts and ends as actions without time.
"""

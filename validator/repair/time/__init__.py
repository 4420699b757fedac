"""Repairs of plans over time: other times for the same steps, steps dropped, steps inserted.

``nearest`` is the way in: ``search`` looks for an order of starts and ends, ``schedule`` finds times for it on the
``grid``, ``single`` moves one step where no order tells the course, and ``matching`` takes plans of the ``greedy``
search.
"""

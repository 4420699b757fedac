"""Repairs of plans over time: other times for the same steps, steps dropped, steps inserted; and cheapest plans.

``nearest`` and ``cheapest`` are the ways in. For both ``driver`` lets ``search`` look for an order of starts and ends,
``schedule`` finds times for it on the ``grid``.
"""

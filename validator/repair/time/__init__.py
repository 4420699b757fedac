"""Repairs of plans over time: other times for the same steps, steps dropped, steps inserted; and cheapest plans.

``nearest`` and ``cheapest`` are the ways in. For both ``driver`` lets ``orders`` look for an order of starts and ends
under which a plan executes, and ``greedy`` for a first one; ``observed`` finds times for it. ``nodes`` says how one
place in an order follows from another, ``bounds`` what is needed at least, and ``network`` is the temporal network that
every order is.
"""

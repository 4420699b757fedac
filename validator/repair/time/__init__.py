"""Repairs of plans over time: other times for the same steps, steps dropped, steps inserted.

network    simple temporal networks in whole numbers
parts      starts and ends of steps, what they need and do, and how they must be ordered
bounds     how many steps must be dropped or inserted at least
ties       parts that break an invariant together which each keeps only with the other
node       places in an order, and orders
nodes      how one place follows from another
search     orders of starts and ends under which a plan executes, with as few steps dropped and inserted as possible
schedule   times for an order, as near as possible to those of the observed plan
single     one step moved at a time, by execution, for models whose course no order tells
matching   plans of engines, put at times near the observed ones
nearest    all of these, and installed engines beside them
"""

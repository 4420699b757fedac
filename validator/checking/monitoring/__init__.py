"""Plans under way: what was seen of the world, and whether the rest still works.

Open ``monitor`` first: it judges and repairs the rest of a plan from one state. ``state`` reads what was seen, and says
to which state the executed steps should have led.
"""

"""Plans under way: what was seen of the world, and a verdict at each step.

``monitor`` of the wing above judges and repairs the rest of a plan from one state; here is what it needs, and what
listens to a stream. Open ``follow`` first: steps and changes go in one by one, a verdict comes out at each. ``seen``
reads states, ``moment`` says in which state the executed steps should have led.
"""

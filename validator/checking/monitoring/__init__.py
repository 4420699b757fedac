"""Plans under way: what was seen of the world, and a verdict at each step.

Open ``monitor`` first: it judges and repairs the rest of a plan from one state. ``follow`` listens to a stream: steps
and changes go in one by one, a verdict comes out at each. ``observed_state`` reads states, ``expected_state`` says to
which state the executed steps should have led.
"""

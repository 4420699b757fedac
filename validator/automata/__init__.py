"""What is asked of plans beside the goal: constraints as automata that read a plan's steps or its states.

Open ``compile`` first: it puts the automata beside a model's grounded task, whose plans are then those that keep to
them. ``constraints`` speak of steps, which patterns stand for, and ``properties`` of states: those that a question asks
for, and those that a model has. ``facts`` says what conditions are on the task, and whether a plan keeps to both.
"""

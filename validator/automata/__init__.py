"""What is asked of plans beside the goal: constraints as automata that read a plan's steps or its states.

Open ``compile`` first: it puts the automata beside a model's grounded task, whose plans are then those that keep to
them. ``constraints`` speak of steps and ``properties`` of states, ``pattern`` says which steps are meant, ``facts``
what conditions are on the task, and ``trajectories`` which constraints a model has of its own.
"""

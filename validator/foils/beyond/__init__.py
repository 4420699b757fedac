"""Questions about plans with numbers and over time: the question becomes part of the model, which is checked.

``answer`` is the way in. ``model`` writes constraints into a model: marks that steps leave, conditions that ask for
them, windows of time as timed facts, trajectory constraints as they are.
"""

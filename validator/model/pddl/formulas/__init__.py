"""What stands in the sections of a PDDL file: conditions, effects, and what later versions of PDDL added.

Each reads a group of words (``syntax``) in a ``Scope`` and returns values of the model.
"""

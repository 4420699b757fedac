"""Goals of the Embodied Agent Interface: the goal language, goals read from instructions, subgoals.

Answers and annotated goals come in, grades go out. Open ``goals`` first: the language, and how far an execution
satisfies a goal. ``interpretation`` grades goals that were read, ``subgoals`` and ``behavior_subgoals`` sequences.
"""

"""Goals of the Embodied Agent Interface: the goal language, goals read from instructions, subgoals.

Answers and annotated goals come in, grades go out. Open ``goals`` and ``satisfaction`` first: the language, and how far
an execution satisfies a goal. ``interpretation`` grades goals that were read (``virtualhome_goals``,
``behavior_goals``), ``subgoals`` and ``behavior_subgoals`` (read by ``behavior_reading``) grade sequences, over the
lists of actions of ``paths``.
"""

"""Grading what language models answer as planners: actions, subgoals, goals, operators, beside their peers' grades.

The Embodied Agent Interface (Li et al. 2024): ``tasks`` are its problems, ``execution`` executes them, and
``sequencing``, ``interpretation``, ``subgoals`` and ``transition_modeling`` grade its modules' answers. Each has the
benchmark's own way of counting beside one without its defects.
"""

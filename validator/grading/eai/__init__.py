"""Grading what language models answer as planners: actions, subgoals, goals, operators, beside their peers' grades.

The Embodied Agent Interface (Li et al. 2024): ``tasks`` are its problems, ``world`` executes them, and
``sequencing``, ``goals`` and ``transition_modeling`` are its modules. Each has the benchmark's own way of counting
beside one without its defects.
"""

from __future__ import annotations

__all__: list[str] = []

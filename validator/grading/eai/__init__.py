"""Grading what language models answer as planners: actions, subgoals, goals, operators, beside their peers' grades."""

from __future__ import annotations

__all__: list[str] = []

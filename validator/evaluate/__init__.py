"""Grading what language models answer as planners: actions, subgoals, goals, operators, beside the peers' own grades."""

from __future__ import annotations

__all__: list[str] = []

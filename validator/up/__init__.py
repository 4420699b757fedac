"""unified-planning both ways: its problems and plans come in, models and plans go out, and back.

Open ``problems`` first: it reads a ``Problem`` as a model of ours. ``pddl`` reads files with unified-planning's own
reader, ``edit_problem`` writes the modified problem as a ``Problem``, and ``planner`` asks installed engines.
Nothing of unified-planning is imported before one of its values is given, or an engine is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from validator.up.problems import model_from_up, plan_from_up, plan_to_up

__all__ = ["is_up", "model_from_up", "plan_from_up", "plan_to_up"]


def is_up(value: object) -> bool:
    """Return whether a value comes from unified-planning, without importing it."""
    return type(value).__module__.partition(".")[0] == "unified_planning"


def __getattr__(name: str) -> object:
    """Import the functions that read problems and plans when one of them is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'validator.up' has no attribute {name!r}")
    from validator.up import problems

    return getattr(problems, name)

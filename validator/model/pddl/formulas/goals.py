"""Goals and preconditions of PDDL: what must hold, and what would be nice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validator.model.pddl.formulas.conditions import formula
from validator.model.pddl.scope import Scope, Variables
from validator.model.pddl.syntax import Node
from validator.model.values import Formula

if TYPE_CHECKING:
    from validator.model.temporal import Preference

__all__ = ["hard_and_soft"]


def hard_and_soft(scope: Scope, node: Node, variables: Variables) -> tuple[Formula, tuple[Preference, ...]]:
    """Read a goal or precondition as its hard part and its preferences (PDDL 3)."""
    if not scope.has_preferences:
        return formula(scope, node, variables), ()
    from validator.model.pddl.formulas.soft import soft_formula

    return soft_formula(scope, node, variables)

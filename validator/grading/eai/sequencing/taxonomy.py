"""What is wrong with a step that does not run: the classes, and the benchmark's way to tell them apart.

The benchmark looks at the first check of the action that fails. A check has a kind: it is about what things are
(affordance), about what the step is for (satisfied already: an additional step), or about the state of the scene. In
the last case the earlier states of the execution decide: if what is missing held in one of them, the step is in the
wrong order, otherwise a step is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import TypeAlias

from validator.grading.eai.world.formulas import conjuncts, literals, static_test
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World, bind
from validator.model.values import Action, Atom, Domain, Formula, Not
from validator.records import dataclass

__all__ = ["Check", "Checks", "Connective", "Error", "Kind", "by_form", "classify"]


class Error(StrEnum):
    """How a step fails."""

    WRONG_ORDER = "wrong_order"
    MISSING_STEP = "missing_step"
    AFFORDANCE = "affordance"
    ADDITIONAL_STEP = "additional_step"


class Kind(StrEnum):
    """What a check is about."""

    AFFORDANCE = "affordance"
    SATISFIED = "satisfied"
    MISSING = "missing"


class Connective(StrEnum):
    """How many of the things that a check misses must have held before."""

    FIRST = "first"
    ALL = "and"
    ANY = "or"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A check of an action; ``wanted`` is what the benchmark looks for in earlier states when it fails."""

    kind: Kind
    wanted: tuple[Formula, ...] = ()
    connective: Connective = Connective.FIRST


Checks: TypeAlias = Callable[[Action, int], Check]
"""The check that a conjunct of an action's precondition stands for."""


def classify(world: World, action: Action, args: Sequence[str], check: Check, history: Sequence[State]) -> Error:
    """Return how a step fails whose check fails, given all states of the execution so far, the first one first."""
    if check.kind is Kind.AFFORDANCE:
        return Error.AFFORDANCE
    if check.kind is Kind.SATISFIED:
        return Error.ADDITIONAL_STEP
    binding = bind(action, args)
    held = [any(world.holds(wanted, state, binding) for state in history) for wanted in check.wanted]
    found = {
        Connective.ALL: all(held),
        Connective.ANY: any(held),
        Connective.FIRST: bool(held and held[0]),
    }
    return Error.WRONG_ORDER if found[check.connective] else Error.MISSING_STEP


def by_form(domain: Domain) -> Checks:
    """Return the checks of any domain, told from their form.

    A conjunct is about what things are when it is static, and satisfied already when the action itself makes it
    false and it is what the action is for. Anything else is the state of the scene.
    """
    is_static = static_test(domain)

    def check(action: Action, index: int) -> Check:
        part = conjuncts(action.precondition)[index]
        if is_static(part):
            return Check(kind=Kind.AFFORDANCE)
        undone = {(Not(atom) if positive else atom) for atom, positive in literals(action)}
        if part in undone and _is_aim(action, part):
            return Check(kind=Kind.SATISFIED)
        return Check(kind=Kind.MISSING, wanted=(part,))

    return check


def _is_aim(action: Action, part: Formula) -> bool:
    """Return whether what a step makes false is what it is for: nothing else that it adds is about fewer things.

    ``pick-up`` deletes ``(handempty)`` in order to hold something, ``switch-on`` deletes ``(off ?x)`` to switch it on:
    an aim mentions every parameter of the action.
    """
    inner = part.part if isinstance(part, Not) else part
    names = {parameter.name for parameter in action.parameters}
    return isinstance(inner, Atom) and names <= set(inner.terms)

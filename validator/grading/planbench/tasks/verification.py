"""Is a plan valid, and if not, why: answers to PlanBench's verification task, compared with an execution.

The truth is the first step that cannot be executed with all its unmet preconditions, or else the unmet goals. A reason
is right where it says exactly that; one that names a fact that is not unmet, or a step that can be executed, is false.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from validator.checking.prepared import Prepared
from validator.execution.trace import Failure
from validator.grading.planbench.tasks.told import Claim, Told
from validator.model.conditions import conjuncts
from validator.model.pddl.write import atom_text
from validator.model.values import Atom, GroundAtom
from validator.reading.plan import Plan, Step
from validator.records import dataclass

__all__ = ["Reason", "Truth", "compare", "truth"]


class Reason(StrEnum):
    """What the reason of an answer is worth, where the plan is invalid and the answer says so."""

    RIGHT = "right"
    """the first step at fault, or the goal, with exactly what is unmet; of a valid plan: none is needed"""
    PART = "part"
    """nothing of it is false, and something is missing"""
    FALSE = "false"
    NONE = "none"
    OPEN = "not understood"


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """``step`` counts from 1; None for a plan that executes, whose unmet goals are ``unmet``, none if it is valid."""

    step: int | None
    steps: tuple[Step, ...]
    unmet: frozenset[GroundAtom]

    @property
    def is_valid(self) -> bool:
        return self.step is None and not self.unmet


def truth(model: Prepared, plan: Plan) -> Truth:
    """Execute a plan, and say what is wrong with it first. Raises ValueError for a fault that is no unmet fact."""
    trace = model.simulator.run(plan)
    steps = tuple(step for step in plan.steps)
    first = next(iter(trace.failures), None)
    if first is None:
        return Truth(step=None, steps=steps, unmet=frozenset())
    return Truth(step=None if first.step is None else first.step + 1, steps=steps, unmet=frozenset(_atoms(first)))


def _atoms(failure: Failure) -> Iterator[GroundAtom]:
    if not failure.unmet:
        raise ValueError(f"step {failure.step} fits no action: {failure.detail}")
    for text in failure.unmet:
        if text.startswith(("(not ", "(and ", "(or ", "(forall ", "(exists ", "(imply ", "(= ")):
            raise ValueError(f"an unmet condition that is no fact: {text}")
        yield tuple(text.strip("()").split())


# --- the comparison ------------------------------------------------------------------------------


def compare(told: Told, known: Truth, model: Prepared) -> tuple[bool | None, Reason, str]:
    """Return whether the verdict is right, what the reason is worth, and in words what is wrong with it.

    The verdict is None where none was found. Only the first reason counts: what is said of later steps is not judged.
    """
    if told.valid is None:
        return None, Reason.OPEN, "no verdict was found in the answer"
    if told.valid:
        return known.is_valid, Reason.RIGHT if known.is_valid else Reason.NONE, "" if known.is_valid else _says(known)
    if known.is_valid:
        return False, Reason.FALSE if told.claims else Reason.NONE, "the plan is valid"
    reason, why = _reason(told, known, model)
    return True, reason, why


def _reason(told: Told, known: Truth, model: Prepared) -> tuple[Reason, str]:
    if not told.claims:
        return (Reason.OPEN, told.unread[0]) if told.unread else (Reason.NONE, _says(known))
    claim = told.claims[0]
    wrong = _wrong_place(claim, known) or _wrong_facts(claim, known, model)
    if wrong:
        return Reason.FALSE, f"{wrong}; {_says(known)}"
    if told.unread:
        return Reason.OPEN, f"not understood: {told.unread[0]}"
    is_whole = known.unmet == set(claim.facts)
    return (Reason.RIGHT, "") if is_whole else (Reason.PART, f"not all of it; {_says(known)}")


def _wrong_place(claim: Claim, known: Truth) -> str:
    """Say what is wrong with the step that a claim names."""
    if claim.is_goal:
        return "" if known.step is None else "a step before the goal cannot be executed"
    if claim.number is None and claim.step is None:
        return ""
    if known.step is None:
        return "every step can be executed"
    if claim.step is not None and _names(claim.step) != _names(known.steps[known.step - 1]):
        return f"({' '.join(_names(claim.step))}) is not the first step that cannot be executed"
    if claim.number not in (None, known.step):
        return f"step {claim.number} is not the first that cannot be executed"
    return ""


def _names(step: Step) -> tuple[str, ...]:
    return (step.name, *step.args)


def _wrong_facts(claim: Claim, known: Truth, model: Prepared) -> str:
    """Say which facts of a claim are not unmet, each with the reason."""
    wrong = [atom for atom in dict.fromkeys(claim.facts) if atom not in known.unmet]
    if not wrong:
        return ""
    asked = _conditions(known, model)
    told = ("it holds there" if atom in asked else _NO_CONDITION[known.step is None] for atom in wrong)
    return "; ".join(f"{atom_text(atom)}: {why}" for atom, why in zip(wrong, told, strict=True))


_NO_CONDITION = {True: "it is no goal", False: "it is no precondition of the step"}


def _conditions(known: Truth, model: Prepared) -> frozenset[GroundAtom]:
    """Return what the goal, or the step at fault, asks for."""
    if known.step is None:
        return frozenset((p.predicate, *p.terms) for p in conjuncts(model.model.problem.goal) if isinstance(p, Atom))
    step = known.steps[known.step - 1]
    schema = model.simulator.schema(model.simulator.ways[step.name][0])
    binding = schema.binding(step.args)
    parts = [part for part in conjuncts(schema.action.precondition) if isinstance(part, Atom)]
    return frozenset((part.predicate, *(binding.get(term, term) for term in part.terms)) for part in parts)


def _says(known: Truth) -> str:
    unmet = ", ".join(map(atom_text, sorted(known.unmet)))
    return f"unmet in the goal: {unmet}" if known.step is None else f"unmet at step {known.step}: {unmet}"

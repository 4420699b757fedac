"""Grading action sequences: grammar, execution with the class of the first fault, and the goals that are reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from validator.grading.eai.defects import Defect
from validator.grading.eai.reading import Call, Reading
from validator.grading.eai.sequencing.taxonomy import Checks, Error, classify
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World
from validator.model.values import Action, GroundAtom
from validator.records import dataclass, field

__all__ = [
    "Classifier",
    "Counts",
    "Execution",
    "Grade",
    "Step",
    "Verdict",
    "by_checks",
    "execute",
    "grammar_fault",
    "matched_actions",
    "ordered",
    "reached",
]


class Verdict(StrEnum):
    """The one outcome of an answer: the first stage that it does not pass."""

    SUCCESS = "success"
    GOAL_NOT_SATISFIED = "goal_not_satisfied"
    PARSING = "parsing"
    HALLUCINATION = "hallucination"
    ARGUMENT_NUMBER = "argument_number"
    WRONG_ORDER = "wrong_order"
    MISSING_STEP = "missing_step"
    AFFORDANCE = "affordance"
    UNKNOWN = "unknown"
    """the class of the fault could not be proven within the limits"""
    EXCLUDED = "excluded_gold_test_failed"
    IDENTICAL = "identical_to_gold_plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Goals by kind: how many there are, or how many are reached."""

    state: float = 0
    relation: float = 0
    action: int = 0

    @property
    def total(self) -> float:
        return self.state + self.relation + self.action


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One executed or failed step; ``error`` None means that it ran. ``reason`` says what is unmet."""

    call: Call
    label: str
    error: Error | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The steps up to the one that ends the execution, and the states that the executed ones left."""

    steps: tuple[Step, ...]
    states: tuple[State, ...]
    error: Error | None = None
    unknown: str | None = None

    @property
    def is_executable(self) -> bool:
        return self.error is None and self.unknown is None

    @property
    def failed(self) -> Step | None:
        return None if self.is_executable else self.steps[-1]

    @property
    def done(self) -> tuple[Step, ...]:
        return tuple(step for step in self.steps if step.error is None and step is not self.failed)

    def verdict(self, satisfied: bool) -> Verdict:
        """Return the outcome, given whether the goals are reached in the end."""
        if self.is_executable:
            return Verdict.SUCCESS if satisfied else Verdict.GOAL_NOT_SATISFIED
        return Verdict.UNKNOWN if self.error is None else Verdict(self.error.value)

    @property
    def counts(self) -> Mapping[str, int]:
        return Counter(step.error.value for step in self.steps if step.error is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """What one answer got."""

    identifier: str
    verdict: Verdict
    totals: Counts = field(default_factory=Counts)
    matched: Counts = field(default_factory=Counts)
    all_satisfied: bool = False
    execution: Execution | None = None
    calls: tuple[Call, ...] = ()
    detail: str = ""
    counted: int = 1
    partial: float | None = None

    @property
    def is_evaluated(self) -> bool:
        return self.verdict is not Verdict.EXCLUDED

    @property
    def is_executable(self) -> bool:
        return self.verdict is Verdict.IDENTICAL or bool(self.execution and self.execution.is_executable)


def grammar_fault(
    reading: Reading, arities: Mapping[str, int], is_object: Callable[[str], bool]
) -> tuple[Verdict, str] | None:
    """Return the first fault of the grammar, with what is wrong; ``arities`` has the actions in lower case."""
    if reading.fault is not None:
        return Verdict.PARSING, reading.fault
    for call in reading.calls:
        if call.name.lower() not in arities:
            return Verdict.HALLUCINATION, f"there is no action {call.name}"
    for call in reading.calls:
        for arg in call.args:
            if not is_object(arg):
                return Verdict.HALLUCINATION, f"there is no object {arg}"
    for call in reading.calls:
        wanted = arities[call.name.lower()]
        if len(call.args) != wanted:
            return Verdict.ARGUMENT_NUMBER, f"{call.name} takes {wanted} arguments, got {len(call.args)}"
    return None


class Classifier(Protocol):
    """Says how a step fails, by the state before it and all the earlier ones; a text is why that is not known."""

    def __call__(self, action: Action, args: Sequence[str], index: int, states: Sequence[State]) -> Error | str: ...


def by_checks(world: World, checks: Checks) -> Classifier:
    """Return the benchmark's classifier."""

    def run(action: Action, args: Sequence[str], index: int, states: Sequence[State]) -> Error | str:
        return classify(world, action, args, checks(action, index), states)

    return run


def execute(
    world: World,
    state: State,
    calls: Sequence[tuple[Call, Action, tuple[str, ...]]],
    classifier: Classifier,
    label: Callable[[Call, tuple[str, ...]], str],
    explain: Callable[[Action, tuple[str, ...], int], str] = lambda action, args, index: "",
) -> Execution:
    """Execute calls from a state; an additional step is passed over, any other fault ends the execution."""
    states = [state]
    steps: list[Step] = []
    for call, action, args in calls:
        text = label(call, args)
        index = world.failing(action, args, states[-1])
        if index is None:
            states.append(world.result(action, args, states[-1]))
            steps.append(Step(call=call, label=text))
            continue
        error = classifier(action, args, index, states)
        reason = explain(action, args, index)
        if not isinstance(error, Error):
            steps.append(Step(call=call, label=text, reason=reason))
            return Execution(steps=tuple(steps), states=tuple(states), unknown=error)
        steps.append(Step(call=call, label=text, error=error, reason=reason))
        if error is not Error.ADDITIONAL_STEP:
            return Execution(steps=tuple(steps), states=tuple(states), error=error)
    return Execution(steps=tuple(steps), states=tuple(states))


def reached(goals: Sequence[GroundAtom], state: State, *, at_most_one: bool = False) -> int:
    """Return how many atoms hold; with ``at_most_one`` the benchmark's count, which stops at the first."""
    found = sum(goal in state for goal in goals)
    return min(found, 1) if at_most_one else found


def matched_actions(goals: Sequence[Sequence[str]], names: Sequence[str]) -> int:
    """Return how many action goals the executed actions reach, each behind the one before it.

    A goal is its alternatives, of which the first that occurs later is taken. ``LOOKAT`` is also reached by
    ``LOOKAT_SHORT``.
    """
    place = count = 0
    for goal in goals:
        found = [_find(choice, names, place) for choice in goal]
        first = next((index for index in found if index is not None), None)
        if first is None:
            break
        place, count = first + 1, count + 1
    return count


def _find(choice: str, names: Sequence[str], place: int) -> int | None:
    for index in range(place, len(names)):
        if names[index] == choice or names[index].startswith(f"{choice}_"):
            return index
    return None


def ordered(goals: Sequence[tuple[str, ...]], defects: frozenset[Defect]) -> Sequence[tuple[str, ...]]:
    """Return action goals in the order of the annotation, or in the one that the defect stands for."""
    return sorted(goals, key="|".join) if Defect.ORDER in defects else goals

"""Grading action sequences: grammar, execution with the class of the first fault, and the goals that are reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol, TypeAlias

from validator.grading.eai.defects import Defect
from validator.grading.eai.edits.nearest import Nearest
from validator.grading.eai.reading import Call, Reading
from validator.grading.eai.world.query import conjuncts, static_test
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import Transitions, World, bind
from validator.model.formulas import literals_of
from validator.model.values import Action, Atom, Domain, Formula, GroundAtom, Not
from validator.records import dataclass, field

# --- what is wrong with a step that does not run --------------------------------------------------
# The classes, and the benchmark's way to tell them apart. The benchmark looks at the first check of the action that
# fails. A check has a kind: it is about what things are (affordance), about what the step is for (satisfied already:
# an additional step), or about the state of the scene. In the last case the earlier states of the execution decide:
# if what is missing held in one of them, the step is in the wrong order, otherwise a step is missing.


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
        undone = {(Not(each.atom) if each.positive else each.atom) for each in literals_of(action.effects)}
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


# --- execution ------------------------------------------------------------------------------------


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
    ADDITIONAL_STEP = "additional_step"
    """a later step fails because of one that is not needed; one that only does not run is passed over"""
    UNKNOWN = "unknown"
    """the class of the fault could not be proven within the limits"""
    EXCLUDED = "excluded_gold_test_failed"
    IDENTICAL = "identical_to_gold_plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """Goals by kind: how many there are, or how many are reached.

    A goal that is about both, of which there are ``mixed``, is half a state and half a relation.
    """

    state: float = 0
    relation: float = 0
    action: int = 0
    mixed: int = 0

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

    steps: tuple[Step, ...] = ()
    states: tuple[State, ...] = ()
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
    nearest: Nearest | None = None
    """the nearest successful plan, when classes are proven"""

    @property
    def is_evaluated(self) -> bool:
        return self.verdict is not Verdict.EXCLUDED

    @property
    def is_executable(self) -> bool:
        return self.verdict is Verdict.IDENTICAL or bool(self.execution and self.execution.is_executable)


def grammar_fault(
    reading: Reading, arities: Mapping[str, int], no_object: Callable[[str], str | None]
) -> tuple[Verdict, str] | None:
    """Return the first fault of the grammar, with what is wrong.

    ``arities`` has the actions in lower case; ``no_object`` says of a name why it means no object, if it means none.
    """
    if reading.fault is not None:
        return Verdict.PARSING, reading.fault
    for call in reading.calls:
        if call.name.lower() not in arities:
            return Verdict.HALLUCINATION, f"there is no action {call.name}"
    for call in reading.calls:
        for arg in call.args:
            reason = no_object(arg)
            if reason is not None:
                return Verdict.HALLUCINATION, reason
    for call in reading.calls:
        wanted = arities[call.name.lower()]
        if len(call.args) != wanted:
            return Verdict.ARGUMENT_NUMBER, f"{call.name} takes {wanted} arguments, got {len(call.args)}"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The class of a fault, and whether the execution ends with it."""

    error: Error
    ends: bool = True


class Classifier(Protocol):
    """Says how the step at a place fails, by all states up to it; a text is why that is not known."""

    def __call__(
        self, action: Action, args: Sequence[str], place: int, index: int, states: Sequence[State]
    ) -> Found | str: ...


def by_checks(world: World, checks: Checks) -> Classifier:
    """Return the benchmark's classifier."""

    def run(action: Action, args: Sequence[str], place: int, index: int, states: Sequence[State]) -> Found | str:
        error = classify(world, action, args, checks(action, index), states)
        return Found(error=error, ends=error is not Error.ADDITIONAL_STEP)

    return run


def execute(
    world: World,
    state: State,
    calls: Sequence[tuple[Call, Action, tuple[str, ...]]],
    classifier: Classifier,
    label: Callable[[Call, tuple[str, ...]], str],
    explain: Callable[[Action, tuple[str, ...], int], str] = lambda action, args, index: "",
) -> Execution:
    """Execute calls from a state; a fault that does not end the execution is passed over.

    What was executed in a state once is known there: answers that go round in thousands of steps cost no more.
    """
    transitions = Transitions(world=world, initial=state)
    states, number = [state], 0
    steps: list[Step] = []
    for place, (call, action, args) in enumerate(calls):
        text = label(call, args)
        after = transitions.next(number, (action.name, *args))
        if isinstance(after, int):
            number = after
            states.append(transitions.states[number])
            steps.append(Step(call=call, label=text))
            continue
        index = world.failing(action, args, states[-1])
        assert index is not None
        found = classifier(action, args, place, index, states)
        reason = explain(action, args, index)
        if isinstance(found, str):
            steps.append(Step(call=call, label=text, reason=reason))
            return Execution(steps=tuple(steps), states=tuple(states), unknown=found)
        steps.append(Step(call=call, label=text, error=found.error, reason=reason))
        if found.ends:
            return Execution(steps=tuple(steps), states=tuple(states), error=found.error)
    return Execution(steps=tuple(steps), states=tuple(states))


def reached(goals: Sequence[GroundAtom], state: State, *, at_most_one: bool = False) -> int:
    """Return how many atoms hold; with ``at_most_one`` the benchmark's count, which stops at the first."""
    found = sum(goal in state for goal in goals)
    return min(found, 1) if at_most_one else found


def ordered(goals: Sequence[tuple[str, ...]], defects: frozenset[Defect]) -> Sequence[tuple[str, ...]]:
    """Return action goals in the order of the annotation, or in the one that a defect stands for."""
    if not defects & {Defect.ORDER, Defect.REVERSED}:
        return goals
    return sorted(goals, key=lambda goal: (Defect.REVERSED in defects and goal == ("GRAB",), "|".join(goal)))

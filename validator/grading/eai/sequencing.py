"""Grading sequences of actions: grammar, execution with the class of the first fault, and the goals that are reached.

A ``Task`` and an answer's text come in, a ``Grade`` goes out. Where the benchmark looks at the first false check of an
action, the check says the class of the fault; if what it misses held in an earlier state, the step is in the wrong
order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeAlias

from validator.grading.eai.answers import Call, Reading
from validator.grading.eai.execution import State, World
from validator.model.conditions import bound, conjuncts, predicates
from validator.model.formulas import changed_predicates, literals_of
from validator.model.pddl.write import formula_text
from validator.model.values import Action, Atom, Domain, Formula, Not, walk
from validator.records import dataclass, field, replace

# --- what is wrong with a step that does not run --------------------------------------------------


class Verdict(StrEnum):
    """The one outcome of an answer, the first stage that it does not pass; the middle four are faults of a step."""

    SUCCESS = "success"
    GOAL_NOT_SATISFIED = "goal_not_satisfied"
    PARSING = "parsing"
    HALLUCINATION = "hallucination"
    ARGUMENT_NUMBER = "argument_number"
    WRONG_ORDER = "wrong_order"
    MISSING_STEP = "missing_step"
    AFFORDANCE = "affordance"
    ADDITIONAL_STEP = "additional_step"
    """the one fault that does not end an execution: the step is passed over"""
    EXCLUDED = "excluded_gold_test_failed"
    IDENTICAL = "identical_to_gold_plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What a false condition of an action shows: a ``fault``, or a wrong order if each of ``wanted`` held before."""

    fault: Verdict = Verdict.MISSING_STEP
    wanted: tuple[Formula, ...] = ()


Checks: TypeAlias = Callable[[Action, int], Check]
"""The check that a conjunct of an action's precondition stands for."""


def by_form(domain: Domain) -> Checks:
    """Return the checks of any domain, told from their form.

    A conjunct is about what things are when it is static, and satisfied already when the action itself makes it
    false and it is what the action is for. Anything else is the state of the scene.
    """
    changed = _changed(domain)

    def check(action: Action, index: int) -> Check:
        part = tuple(conjuncts(action.precondition))[index]
        if changed.isdisjoint(predicates(part)):
            return Check(fault=Verdict.AFFORDANCE)
        undone = {(Not(each.atom) if each.positive else each.atom) for each in literals_of(action.effects)}
        if part in undone and _is_aim(action, part):
            return Check(fault=Verdict.ADDITIONAL_STEP)
        return Check(wanted=(part,))

    return check


def _changed(domain: Domain) -> frozenset[str]:
    """Return the predicates that actions change, also those that are derived from such."""
    found = set(changed_predicates(*(action.effects for action in domain.actions.values())))
    for _ in domain.axioms:
        found |= {axiom.predicate for axiom in domain.axioms if not found.isdisjoint(predicates(axiom.condition))}
    return frozenset(found)


def _is_aim(action: Action, part: Formula) -> bool:
    """Return whether what a step makes false is what it is for: nothing else that it adds is about fewer things.

    ``pick-up`` deletes ``(handempty)`` in order to hold something, ``switch-on`` deletes ``(off ?x)`` to switch it on:
    an aim mentions every parameter of the action.
    """
    inner = part.part if isinstance(part, Not) else part
    names = {parameter.name for parameter in action.parameters}
    return isinstance(inner, Atom) and names <= set(inner.terms)


# --- execution ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A step over objects; ``error`` None means that it ran, ``reason`` says what is unmet."""

    call: Call
    args: tuple[str, ...]
    label: str
    error: Verdict | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """The steps up to the one that ends the execution, and the states that the executed ones left.

    A grade is without the states: each takes half a megabyte.
    """

    steps: tuple[Step, ...] = ()
    states: tuple[State, ...] = ()

    @property
    def state(self) -> State:
        return self.states[-1]

    @property
    def failed(self) -> Step | None:
        """Return the step that ended the execution."""
        last = self.steps[-1] if self.steps else None
        return last if last is not None and last.error not in (None, Verdict.ADDITIONAL_STEP) else None

    @property
    def is_executable(self) -> bool:
        return self.failed is None

    @property
    def done(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Return the steps that ran, each as its action in the answer's spelling and its objects."""
        return tuple((step.call.name, step.args) for step in self.steps if step.error is None)

    @property
    def counts(self) -> Mapping[str, int]:
        return Counter(step.error.value for step in self.steps if step.error is not None)

    def verdict(self, satisfied: bool) -> Verdict:
        """Return the outcome, given whether the goals are reached in the end."""
        if self.failed is not None and self.failed.error is not None:
            return self.failed.error
        return Verdict.SUCCESS if satisfied else Verdict.GOAL_NOT_SATISFIED


def execute(task: Task, execution: Execution, calls: Iterable[tuple[Call, tuple[str, ...]]]) -> Execution:
    """Go on with an execution until a fault ends it."""
    steps, states = list(execution.steps), list(execution.states)
    for call, args in calls:
        action, label = task.world.actions[call.name.lower()], task.label(call.name, args)
        found = task.world.step(action, args, states[-1])
        if not isinstance(found, int):
            states.append(found)
            steps.append(Step(call=call, args=args, label=label))
            continue
        error = _classify(task, action, args, found, states)
        part = tuple(conjuncts(action.precondition))[found]
        reason = f"{formula_text(part, bound(action.parameters, args))} is false"
        steps.append(Step(call=call, args=args, label=label, error=error, reason=reason))
        if error is not Verdict.ADDITIONAL_STEP:
            break
    return Execution(steps=tuple(steps), states=tuple(states))


def _classify(task: Task, action: Action, args: Sequence[str], index: int, states: Sequence[State]) -> Verdict:
    """Return how a step fails, given all states of the execution so far, the first one first."""
    check, binding = task.checks(action, index), bound(action.parameters, args)
    if check.wanted and all(any(task.world.holds(each, state, binding) for state in states) for each in check.wanted):
        return Verdict.WRONG_ORDER
    return check.fault


# --- tasks and grades -----------------------------------------------------------------------------


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


def count_goals(goals: Iterable[Formula], action: int = 0) -> Counts:
    """Count goals about one object as states, about several as relations; one about both is half of each."""
    sizes = [{len(part.terms) > 1 for part in walk(goal) if isinstance(part, Atom)} for goal in goals]
    mixed = sum(len(each) != 1 for each in sizes)
    state, relation = (sizes.count({kind}) + (mixed / 2 if mixed else 0) for kind in (False, True))
    return Counts(state=state, relation=relation, action=action, mixed=mixed)


@dataclass(frozen=True, kw_only=True)
class Task:
    """What an answer is executed in and graded by.

    ``goals`` are conditions at the end. ``object`` returns the object that an answer's name means, ``read`` the calls
    of an answer, ``label`` what a step is called in results. ``missing`` are actions that count as unknown.
    """

    identifier: str
    world: World
    state: State
    goals: tuple[Formula, ...]
    checks: Checks
    object: Callable[[str], str | None]
    read: Callable[[str], Reading]
    label: Callable[[str, Sequence[str]], str]
    missing: frozenset[str] = frozenset()

    @property
    def start(self) -> Execution:
        return Execution(states=(self.state,))

    def called(self, reading: Reading) -> list[tuple[Call, tuple[str, ...]]]:
        """Return the calls of an answer without a fault of grammar, each with its objects."""
        return [(call, tuple(self.object(arg) or arg for arg in call.args)) for call in reading.calls]


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


def unexecuted(task: Task, reading: Reading, totals: Counts) -> Grade | None:
    """Return the grade of an answer with a fault of grammar; None where it can be executed."""
    fault = _grammar_fault(task, reading)
    if fault is None:
        return None
    return Grade(
        identifier=task.identifier,
        verdict=fault[0],
        totals=totals,
        calls=reading.calls,
        detail=fault[1],
        counted=reading.counted,
    )


def _grammar_fault(task: Task, reading: Reading) -> tuple[Verdict, str] | None:
    """Return the first fault of the grammar, with what is wrong: actions, then objects, their number, their types."""
    if reading.fault is not None:
        return Verdict.PARSING, reading.fault
    actions = {name: action for name, action in task.world.actions.items() if name not in task.missing}
    for call in reading.calls:
        if call.name.lower() not in actions:
            return Verdict.HALLUCINATION, f"there is no action {call.name}"
    for call in reading.calls:
        for arg in call.args:
            if task.object(arg) is None:
                return Verdict.HALLUCINATION, _no_object(task, arg)
    for call in reading.calls:
        wanted = len(actions[call.name.lower()].parameters)
        if len(call.args) != wanted:
            return Verdict.ARGUMENT_NUMBER, f"{call.name} takes {wanted} arguments, got {len(call.args)}"
    wrong = (_wrong_type(task, call, args) for call, args in task.called(reading))
    return next(((Verdict.HALLUCINATION, reason) for reason in wrong if reason is not None), None)


def _no_object(task: Task, name: str) -> str:
    """Return why a name means nothing to act on."""
    kinds = {each.rpartition("_")[0] for each in task.world.objects}
    is_there = name in task.world.objects or name in kinds
    return f"{name} is not among the objects shown" if is_there else f"there is no object {name}"


def _wrong_type(task: Task, call: Call, args: Sequence[str]) -> str | None:
    for name, arg, parameter in zip(call.args, args, task.world.actions[call.name.lower()].parameters, strict=True):
        types = task.world.objects.get(arg)
        if types is not None and task.world.domain.types.ancestors(types).isdisjoint(parameter.types):
            return f"{name} is not a {' or '.join(sorted(parameter.types))}, which {call.name} needs"
    return None


def grade_task(task: Task, text: str) -> Grade:
    """Grade an answer by the goals that hold in the last state of its execution."""
    reading = task.read(text)
    fault = unexecuted(task, reading, count_goals(task.goals))
    return fault or graded(task, execute(task, task.start, task.called(reading)), reading.calls)


def graded(task: Task, execution: Execution, calls: tuple[Call, ...] = ()) -> Grade:
    """Return the grade of an execution, by the goals that hold in its last state."""
    reached = [goal for goal in task.goals if task.world.holds(goal, execution.state)]
    return grade_of(
        task,
        execution,
        totals=count_goals(task.goals),
        matched=count_goals(reached),
        satisfied=len(reached) == len(task.goals),
        partial=len(reached) / len(task.goals) if task.goals else 1.0,
        calls=calls,
    )


def grade_of(task: Task, execution: Execution, *, satisfied: bool, **found: Any) -> Grade:
    """Return the grade of an execution, given what was found of its goals."""
    return Grade(
        identifier=task.identifier,
        verdict=execution.verdict(satisfied),
        all_satisfied=satisfied,
        execution=replace(execution, states=()),
        **found,
    )


def matched_actions(goals: Sequence[Sequence[str]], names: Sequence[str]) -> int:
    """Return how many action goals the executed actions reach, each after the one before it.

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

"""Grading an answer: by definitions without the original's defects, or as the original evaluator does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import TypeAlias

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.grading.eai.transition_modeling.matching import Count, Match, Part, compare, counted, missed
from validator.grading.eai.transition_modeling.operators import (
    Fault,
    Predicted,
    action_of,
    find_operators,
    tolerated_action_of,
)
from validator.grading.eai.transition_modeling.original import Definition, compare_texts, definitions
from validator.grading.eai.transition_modeling.planning import (
    Allowance,
    Planning,
    execute_in_gold,
    plan_with,
    unreadable,
)
from validator.model.values import Action, Domain, Model, Problem
from validator.reading.arguments import folded
from validator.reading.plan import Plan
from validator.records import dataclass, field, replace

# --- what a graded answer is ----------------------------------------------------------------------


class State(StrEnum):
    """What became of an operator that was asked for."""

    READ = "read"
    ILL_FORMED = "ill-formed"
    """it is compared, but names what is not declared"""
    UNREADABLE = "unreadable"
    MISSING = "missing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One operator; ``fault`` says why it is not READ, ``parameters`` maps its parameters to gold ones.

    ``is_same`` says that it is the gold operator, whatever its variables are called.
    """

    name: str
    state: State
    fault: Fault | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)
    is_same: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGrade:
    """One answer.

    ``counts`` are the literals of all operators that were asked for. ``additional`` are operators that nobody asked
    for; of those in ``repeated``, defined more than once, the last definition counts. ``trials`` are what came of
    planning with each operator alone, all others gold, by its name. ``is_format_error`` says that the original counts
    the answer nowhere.
    """

    identifier: str
    grades: tuple[Grade, ...] = ()
    additional: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    planning: Planning | None = None
    trials: Mapping[str, Planning] = field(default_factory=dict)
    is_format_error: bool = False


_Readable: TypeAlias = Callable[[Collection[str], Problem], Domain | Planning]
"""The gold domain with the predicted operators of some names in their place, or why one cannot be read."""

_Read: TypeAlias = tuple[TaskGrade, Collection[str], _Readable]
"""The grade of an answer without planning, the names of its operators, and what makes actions of them."""


def grade_answer(
    benchmark: Benchmark,
    answer: Answer,
    *,
    compat: bool = False,
    allowance: Allowance | None = None,
    sensitivity: bool = False,
) -> TaskGrade:
    """Grade one answer, by the repaired definitions or with ``compat`` as the original evaluator does.

    With an ``allowance`` plan as well, with ``sensitivity`` also with each operator that was asked for alone. Raises
    ModelError for a problem that is needed and cannot be read.
    """
    task = benchmark.tasks[answer.identifier]
    is_needed = allowance is not None or (not compat and task.problem is not None)
    problem = benchmark.problem(task) if is_needed else None
    read = _read_as_original if compat else _read_repaired
    grade, names, actions = read(benchmark, task, answer.text, problem)
    if allowance is None or problem is None or grade.is_format_error:
        return grade
    planning = _planned(benchmark, problem, actions(names, problem), allowance)
    tried = [name for name in task.asked if name in names] if sensitivity else []
    gold = _planned(benchmark, problem, benchmark.domain, allowance) if tried else None
    trials = {name: _planned(benchmark, problem, actions((name,), problem), allowance, gold) for name in tried}
    return replace(grade, planning=planning, trials=trials)


def _planned(
    benchmark: Benchmark,
    problem: Problem,
    domain: Domain | Planning,
    allowance: Allowance,
    likely: Planning | None = None,
) -> Planning:
    """Look for a plan with predicted actions and execute it under the gold ones; a ``likely`` one is tried first."""
    if isinstance(domain, Planning):
        return domain
    model = Model(domain=domain, problem=problem)
    if likely is not None and likely.is_found and Simulator(model).run(Plan(parts=likely.plan)).is_valid:
        return likely
    gold = Simulator(Model(domain=benchmark.domain, problem=problem))
    return execute_in_gold(plan_with(model, allowance.begin()), gold)


# --- as the original evaluator does ---------------------------------------------------------------


def _read_as_original(benchmark: Benchmark, task: Task, text: str, problem: Problem | None) -> _Read:
    """Grade one answer; who declared the names in its operators does not matter."""
    found = definitions(text)
    counts = tuple(_original_counts(benchmark, task, found or {}))
    differing = {count.action for count in counts if count.wrong or count.missed}
    grade = TaskGrade(identifier=task.identifier, is_format_error=True)
    if found is not None:
        states = {name: State.READ if name in found else State.MISSING for name in task.asked}
        grade = TaskGrade(
            identifier=task.identifier,
            grades=tuple(
                Grade(name=name, state=state, is_same=name in found and name not in differing)
                for name, state in states.items()
            ),
            additional=tuple(name for name in found if name not in task.asked),
            counts=counts,
        )
    return grade, found or {}, partial(_original_actions, benchmark, found or {})


def _original_counts(benchmark: Benchmark, task: Task, operators: Mapping[str, Definition]) -> Iterator[Count]:
    """Yield what the original counts: each predicate once; missing operators and made-up predicates never."""
    for name, definition in operators.items():
        if name not in task.asked:
            continue
        gold = benchmark.gold[name]
        for part in Part:
            found = compare_texts(getattr(definition, part.value), getattr(gold, part.value))
            yield from (each for each in counted(name, part, *found) if each.predicate in benchmark.kinds)


def _original_actions(
    benchmark: Benchmark, found: Mapping[str, Definition], names: Collection[str], problem: Problem
) -> Domain | Planning:
    """Return the domain with actions as the original puts them into it."""
    actions, predicates = dict(benchmark.domain.actions), dict(benchmark.header.predicates)
    for name in names:
        try:
            action, added = tolerated_action_of(found[name].text(name), benchmark.header, problem.objects)
        except ModelError as error:
            return unreadable(error, name)
        actions[action.name] = action
        predicates |= added
    return replace(benchmark.header, actions=actions, predicates=predicates)


# --- without the original's defects ---------------------------------------------------------------
# Every literal counts, under the best naming of parameters; what is missing or cannot be read has all gold literals
# missed; predicates that were made up count as wrong.


def _read_repaired(benchmark: Benchmark, task: Task, text: str, problem: Problem | None) -> _Read:
    predicted: dict[str, Predicted] = {}
    repeated: dict[str, None] = {}
    for found in find_operators(text):
        name = benchmark.spellings.get(folded(found.name), found.name)
        if name in predicted:
            repeated[name] = None
        predicted[name] = found
    matches = {name: _match_of(benchmark, name, predicted.get(name)) for name in task.asked}
    objects = benchmark.header.constants if problem is None else problem.objects
    grade = TaskGrade(
        identifier=task.identifier,
        grades=tuple(_grade(benchmark, objects, name, predicted.get(name), match) for name, match in matches.items()),
        additional=tuple(name for name in predicted if name not in task.asked),
        repeated=tuple(repeated),
        counts=tuple(count for match in matches.values() for count in match.counts),
    )
    return grade, predicted, partial(_predicted_actions, benchmark, task, predicted)


def _match_of(benchmark: Benchmark, name: str, found: Predicted | None) -> Match:
    """Compare an operator with its gold one; all is missed where there is none to compare."""
    gold = benchmark.operators[name]
    return missed(gold) if found is None or found.operator is None else compare(found.operator, gold)


def _grade(
    benchmark: Benchmark, objects: Mapping[str, frozenset[str]], name: str, found: Predicted | None, match: Match
) -> Grade:
    if found is None:
        return Grade(name=name, state=State.MISSING)
    if found.fault is not None:
        return Grade(name=name, state=State.UNREADABLE, fault=found.fault)
    try:
        action_of(found.text, benchmark.header, objects)
    except ModelError as error:
        return Grade(name=name, state=State.ILL_FORMED, fault=Fault.of(error), parameters=match.parameters)
    return Grade(name=name, state=State.READ, parameters=match.parameters, is_same=match.is_same)


def _predicted_actions(
    benchmark: Benchmark, task: Task, predicted: Mapping[str, Predicted], names: Collection[str], problem: Problem
) -> Domain | Planning:
    """Return the domain with predicted actions, without those that nobody asked for and that cannot be read."""
    actions = dict(benchmark.domain.actions)
    for name in names:
        found = predicted[name]
        try:
            action = replace(action_of(found.text, benchmark.header, problem.objects), name=name)
        except ModelError as error:
            if name in task.asked:
                return unreadable(error, name)
            continue
        actions[name] = action if name not in actions else _in_gold_order(benchmark, action, found)
    return replace(benchmark.header, actions=actions)


def _in_gold_order(benchmark: Benchmark, action: Action, found: Predicted) -> Action:
    """Return an action with its parameters in the gold order, where each stands for one: their order is no fault."""
    match, gold = _match_of(benchmark, action.name, found), benchmark.domain.actions[action.name].parameters
    stands_for = {match.parameters.get(parameter.name, ""): parameter for parameter in action.parameters}
    if len(action.parameters) != len(gold) or any(parameter.name not in stands_for for parameter in gold):
        return action
    return replace(action, parameters=tuple(stands_for[parameter.name] for parameter in gold))

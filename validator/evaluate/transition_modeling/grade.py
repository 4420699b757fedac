"""Grading answers: each task by itself, so that tasks can be spread over processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from validator.errors import ModelError
from validator.evaluate.transition_modeling.benchmark import Answer, Benchmark, Task, read_benchmark
from validator.evaluate.transition_modeling.counts import Count, Part
from validator.evaluate.transition_modeling.matching import Match, PartMatch, compare, missed
from validator.evaluate.transition_modeling.operators import (
    Fault,
    Predicted,
    action_of,
    find_operators,
    fold,
    operator_of,
    tolerated_action_of,
)
from validator.evaluate.transition_modeling.original import Definition, SetMatch, compare_texts, definitions
from validator.evaluate.transition_modeling.planning import (
    Actions,
    Allowance,
    Planning,
    execute_in_gold,
    plan_with,
    unreadable,
)
from validator.execute import Simulator
from validator.model import Action, Model, Parameter, Problem

__all__ = ["Grade", "TaskGrade", "grade_all", "grade_task"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grade:
    """One operator that was asked for.

    ``state`` is ``read``, ``ill-formed`` (compared, but a name in it is not declared), ``unreadable`` or
    ``missing``; ``fault`` says why it is not ``read``. ``parameters`` maps its parameters to gold ones.
    """

    name: str
    state: str
    fault: Fault | None = None
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskGrade:
    """One answer.

    ``counts`` are the literals of all operators that were asked for; ``repaired`` with the original's convention the
    same without its index bug. ``additional`` are operators that nobody asked for; of those in ``repeated``, defined
    more than once, the last definition counts. ``is_format_error`` says that the original counts the answer nowhere.
    """

    identifier: str
    grades: tuple[Grade, ...] = ()
    additional: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    counts: tuple[Count, ...] = ()
    repaired: tuple[Count, ...] = ()
    planning: Planning | None = None
    is_format_error: bool = False


def grade_all(
    folder: Path,
    answers: Iterable[Answer],
    *,
    compat: bool = False,
    allowance: Allowance | None = None,
    executor: Executor | None = None,
) -> Iterator[TaskGrade]:
    """Grade answers to the data set in a folder, in their order; with an ``allowance``, plan as well.

    Without an executor the work is done here.
    """
    call = partial(_graded, folder, compat, allowance)
    yield from map(call, answers) if executor is None else executor.map(call, answers)


@cache
def _benchmark(folder: Path) -> Benchmark:
    """Return a data set, read once in each process."""
    return read_benchmark(folder)


def _graded(folder: Path, compat: bool, allowance: Allowance | None, answer: Answer) -> TaskGrade:
    return grade_task(_benchmark(folder), answer, compat=compat, allowance=allowance)


def grade_task(
    benchmark: Benchmark, answer: Answer, *, compat: bool = False, allowance: Allowance | None = None
) -> TaskGrade:
    """Grade one answer, by the repaired definitions or with ``compat`` by the original's."""
    task = benchmark.tasks[answer.identifier]
    return _original(benchmark, task, answer, allowance) if compat else _repaired(benchmark, task, answer, allowance)


# --- repaired ------------------------------------------------------------------------------------


def _repaired(benchmark: Benchmark, task: Task, answer: Answer, allowance: Allowance | None) -> TaskGrade:
    operators = find_operators(answer.text)
    predicted = {found.name: found for found in operators}
    problem = _problem(benchmark, task)
    grades: list[Grade] = []
    counts: list[Count] = []
    for name in task.asked:
        found = predicted.get(name)
        gold = benchmark.operators[name]
        match = missed(gold) if found is None or found.operator is None else compare(found.operator, gold)
        counts += _counts(name, match)
        grades.append(_grade(benchmark, problem, name, found, match))
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(grades),
        additional=tuple(name for name in predicted if name not in task.asked),
        repeated=tuple(name for name in predicted if sum(found.name == name for found in operators) > 1),
        counts=tuple(counts),
    )
    if allowance is None:
        return done
    if isinstance(problem, ModelError):
        return replace(done, planning=unreadable(problem, "the problem"))
    try:
        actions = _actions(benchmark, problem, task, predicted)
    except _OperatorError as error:
        return replace(done, planning=unreadable(error.error, error.name))
    return replace(done, planning=_planned(benchmark, problem, actions, done, allowance))


def _problem(benchmark: Benchmark, task: Task) -> Problem | ModelError:
    try:
        return benchmark.problem(task)
    except ModelError as error:
        return error


def _grade(
    benchmark: Benchmark, problem: Problem | ModelError, name: str, found: Predicted | None, match: Match
) -> Grade:
    if found is None:
        return Grade(name=name, state="missing", parameters={})
    if found.fault is not None:
        return Grade(name=name, state="unreadable", fault=found.fault, parameters={})
    objects = benchmark.header.constants if isinstance(problem, ModelError) else problem.objects
    try:
        action_of(found.text, benchmark.header, objects)
    except ModelError as error:
        return Grade(name=name, state="ill-formed", fault=Fault.of(error), parameters=match.parameters)
    return Grade(name=name, state="read", parameters=match.parameters)


def _counts(name: str, match: Match) -> Iterator[Count]:
    for part, found in ((Part.PRECONDITION, match.precondition), (Part.EFFECT, match.effect)):
        yield from _part_counts(name, part, found)


def _part_counts(name: str, part: Part, found: PartMatch) -> Iterator[Count]:
    for predicate in sorted({*found.right, *found.wrong, *found.missed}):
        yield Count(
            action=name,
            part=part,
            predicate=predicate,
            right=found.right[predicate],
            wrong=found.wrong[predicate],
            missed=found.missed[predicate],
        )


class _OperatorError(Exception):
    """A predicted operator that cannot be planned with."""

    def __init__(self, name: str, error: ModelError) -> None:
        super().__init__(name)
        self.name = name
        self.error = error


def _actions(benchmark: Benchmark, problem: Problem, task: Task, predicted: Mapping[str, Predicted]) -> Actions:
    """Return the gold actions with the predicted ones in their place.

    An operator that nobody asked for and that cannot be read is left out. Raises _OperatorError for the others.
    """
    actions = dict(benchmark.domain.actions)
    for name, found in predicted.items():
        try:
            operator_of(found.text)
            actions[name] = replace(action_of(found.text, benchmark.header, problem.objects), name=name)
        except ModelError as error:
            if name in task.asked:
                raise _OperatorError(name, error) from None
    return Actions(actions=actions)


def _tolerated(benchmark: Benchmark, problem: Problem, predicted: Mapping[str, Definition]) -> Actions:
    """Return the gold actions with the predicted ones in their place, as the original puts them into a domain."""
    actions = dict(benchmark.domain.actions)
    predicates: dict[str, tuple[Parameter, ...]] = {}
    for name, definition in predicted.items():
        try:
            action, added = tolerated_action_of(definition.text(name), benchmark.header, problem.objects)
        except ModelError as error:
            raise _OperatorError(name, error) from None
        actions[fold(name)] = replace(action, name=fold(name))
        predicates |= added
    return Actions(actions=actions, predicates=predicates)


def _planned(
    benchmark: Benchmark, problem: Problem, actions: Actions, done: TaskGrade, allowance: Allowance
) -> Planning:
    planning = plan_with(benchmark.header, problem, actions, allowance.begin())
    gold = Simulator(Model(domain=benchmark.domain, problem=problem))
    orders = {grade.name: _positions(benchmark, grade, actions.actions[grade.name]) for grade in done.grades}
    return execute_in_gold(planning, gold, {name: order for name, order in orders.items() if order is not None})


def _positions(benchmark: Benchmark, grade: Grade, action: Action) -> tuple[int, ...] | None:
    """Return which predicted parameter stands for each gold one; None unless each has one."""
    ours = [parameter.name for parameter in action.parameters]
    theirs = [parameter.name for parameter in benchmark.domain.actions[grade.name].parameters]
    stands_for = {image: name for name, image in grade.parameters.items()}
    if len(ours) != len(theirs) or set(stands_for) != set(theirs):
        return None
    return tuple(ours.index(stands_for[name]) for name in theirs)


# --- the original --------------------------------------------------------------------------------


def _original(benchmark: Benchmark, task: Task, answer: Answer, allowance: Allowance | None) -> TaskGrade:
    found = definitions(answer.text)
    if found is None:
        return TaskGrade(identifier=task.identifier, is_format_error=True)
    gold = {fold(name): definition for name, definition in benchmark.gold.items()}
    asked = {name: definition for name, definition in found.items() if name.lower() in task.asked}
    counts: dict[bool, list[Count]] = {True: [], False: []}
    for name, definition in asked.items():
        for part in Part:
            texts = getattr(definition, part.value), getattr(gold[name.lower()], part.value)
            for index_bug, into in counts.items():
                into += _set_counts(name, part, compare_texts(*texts, index_bug=index_bug), benchmark.kinds)
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(
            Grade(name=name, state="read" if name in asked else "missing", parameters={}) for name in task.asked
        ),
        additional=tuple(name for name in found if name not in asked),
        counts=tuple(counts[True]),
        repaired=tuple(counts[False]),
    )
    if allowance is None:
        return done
    problem = _problem(benchmark, task)
    if isinstance(problem, ModelError):
        return replace(done, planning=unreadable(problem, "the problem"))
    try:
        actions = _tolerated(benchmark, problem, found)
    except _OperatorError as error:
        return replace(done, planning=unreadable(error.error, error.name))
    return replace(done, planning=_planned(benchmark, problem, actions, done, allowance))


def _set_counts(name: str, part: Part, found: SetMatch, kinds: Mapping[str, str]) -> Iterator[Count]:
    """Yield what the original counts: each predicate once, predicates without a category never."""
    for predicate in sorted(found.right | found.wrong | found.missed):
        if predicate in kinds:
            yield Count(
                action=name,
                part=part,
                predicate=predicate,
                right=predicate in found.right,
                wrong=predicate in found.wrong,
                missed=predicate in found.missed,
            )

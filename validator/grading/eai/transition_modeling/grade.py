"""Grading an answer: by definitions without the original's defects, or as the original evaluator does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache, partial
from pathlib import Path

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task, read_benchmark
from validator.grading.eai.transition_modeling.matching import Count, Match, Part, PartMatch, compare, missed
from validator.grading.eai.transition_modeling.operators import (
    Fault,
    Predicted,
    action_of,
    find_operators,
    fold,
    tolerated_action_of,
)
from validator.grading.eai.transition_modeling.original import Definition, compare_texts, definitions
from validator.grading.eai.transition_modeling.planning import (
    Actions,
    Allowance,
    Planning,
    execute_in_gold,
    plan_with,
    unreadable,
)
from validator.model.values import Action, Model, Parameter, Problem
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
    """One operator; ``fault`` says why it is not READ, ``parameters`` maps its parameters to gold ones."""

    name: str
    state: State
    fault: Fault | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


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


class OperatorError(Exception):
    """A predicted operator that cannot be planned with."""

    def __init__(self, name: str, error: ModelError) -> None:
        super().__init__(name)
        self.name = name
        self.error = error


def problem_of(benchmark: Benchmark, task: Task) -> Problem | ModelError:
    """Return the problem of a task, or why it cannot be read."""
    try:
        return benchmark.problem(task)
    except ModelError as error:
        return error


def planned(
    benchmark: Benchmark,
    problem: Problem | ModelError,
    actions_for: Callable[[Problem], Actions | OperatorError],
    grades: tuple[Grade, ...],
    allowance: Allowance,
) -> Planning:
    """Look for a plan with the predicted actions and execute it under the gold ones."""
    if isinstance(problem, ModelError):
        return unreadable(problem, "the problem")
    actions = actions_for(problem)
    if isinstance(actions, OperatorError):
        return unreadable(actions.error, actions.name)
    planning = plan_with(benchmark.header, problem, actions, allowance.begin())
    gold = Simulator(Model(domain=benchmark.domain, problem=problem))
    orders = {grade.name: _positions(benchmark, grade, actions.actions[grade.name]) for grade in grades}
    return execute_in_gold(planning, gold, {name: order for name, order in orders.items() if order is not None})


def _positions(benchmark: Benchmark, grade: Grade, action: Action) -> tuple[int, ...] | None:
    """Return which predicted parameter stands for each gold one; None unless each has one."""
    ours = [parameter.name for parameter in action.parameters]
    theirs = [parameter.name for parameter in benchmark.domain.actions[grade.name].parameters]
    stands_for = {image: name for name, image in grade.parameters.items()}
    if len(ours) != len(theirs) or set(stands_for) != set(theirs):
        return None
    return tuple(ours.index(stands_for[name]) for name in theirs)


# --- as the original evaluator does ---------------------------------------------------------------


def grade_as_original(benchmark: Benchmark, task: Task, text: str, allowance: Allowance | None) -> TaskGrade:
    """Grade one answer; with an ``allowance``, plan as well, whoever declared the names in the operators."""
    found = definitions(text)
    if found is None:
        return TaskGrade(identifier=task.identifier, is_format_error=True)
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(Grade(name=name, state=State.READ if name in found else State.MISSING) for name in task.asked),
        additional=tuple(name for name in found if name not in task.asked),
        counts=tuple(_original_counts(benchmark, task, found, index_bug=True)),
        repaired=tuple(_original_counts(benchmark, task, found, index_bug=False)),
    )
    if allowance is None:
        return done
    problem = problem_of(benchmark, task)
    actions = partial(original_actions, benchmark, found)
    return replace(done, planning=planned(benchmark, problem, actions, done.grades, allowance))


def _original_counts(
    benchmark: Benchmark, task: Task, found: Mapping[str, Definition], *, index_bug: bool
) -> Iterator[Count]:
    """Yield what the original counts: each predicate once; missing operators and made-up predicates never."""
    for name, definition in found.items():
        if name not in task.asked:
            continue
        gold = benchmark.gold[name]
        for part in Part:
            match = compare_texts(getattr(definition, part.value), getattr(gold, part.value), index_bug=index_bug)
            for predicate in sorted(match.right | match.wrong | match.missed):
                if predicate in benchmark.kinds:
                    yield Count(
                        action=name,
                        part=part,
                        predicate=predicate,
                        right=predicate in match.right,
                        wrong=predicate in match.wrong,
                        missed=predicate in match.missed,
                    )


def original_actions(
    benchmark: Benchmark, found: Mapping[str, Definition], problem: Problem
) -> Actions | OperatorError:
    """Return the gold actions with the predicted ones in their place, as the original puts them into a domain."""
    actions = dict(benchmark.domain.actions)
    predicates: dict[str, tuple[Parameter, ...]] = {}
    for name, definition in found.items():
        try:
            action, added = tolerated_action_of(definition.text(name), benchmark.header, problem.objects)
        except ModelError as error:
            return OperatorError(name, error)
        actions[action.name] = action
        predicates |= added
    return Actions(actions=actions, predicates=predicates)


# --- without the original's defects ---------------------------------------------------------------
# Every literal counts, under the best naming of parameters; what is missing or cannot be read has all gold literals
# missed; predicates that were made up count as wrong.


def grade_repaired(benchmark: Benchmark, task: Task, text: str, allowance: Allowance | None) -> TaskGrade:
    """Grade one answer; with an ``allowance``, plan as well."""
    predicted, repeated = predicted_operators(benchmark, text)
    problem = problem_of(benchmark, task)
    matches = {name: match_of(benchmark, name, predicted.get(name)) for name in task.asked}
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(_grade(benchmark, problem, name, predicted.get(name), match) for name, match in matches.items()),
        additional=tuple(name for name in predicted if name not in task.asked),
        repeated=repeated,
        counts=tuple(count for name, match in matches.items() for count in _counts(name, match)),
    )
    if allowance is None:
        return done
    actions = partial(predicted_actions, benchmark, task, predicted)
    return replace(done, planning=planned(benchmark, problem, actions, done.grades, allowance))


def predicted_operators(benchmark: Benchmark, text: str) -> tuple[Mapping[str, Predicted], tuple[str, ...]]:
    """Return the operators of an answer under their gold names, the last of each, and which are there repeatedly."""
    predicted: dict[str, Predicted] = {}
    repeated: dict[str, None] = {}
    for found in find_operators(text):
        name = benchmark.spellings.get(fold(found.name), found.name)
        if name in predicted:
            repeated[name] = None
        predicted[name] = found
    return predicted, tuple(repeated)


def match_of(benchmark: Benchmark, name: str, found: Predicted | None) -> Match:
    """Compare an operator with its gold one; all is missed where there is none to compare."""
    gold = benchmark.operators[name]
    return missed(gold) if found is None or found.operator is None else compare(found.operator, gold)


def _grade(
    benchmark: Benchmark, problem: Problem | ModelError, name: str, found: Predicted | None, match: Match
) -> Grade:
    if found is None:
        return Grade(name=name, state=State.MISSING)
    if found.fault is not None:
        return Grade(name=name, state=State.UNREADABLE, fault=found.fault)
    objects = benchmark.header.constants if isinstance(problem, ModelError) else problem.objects
    try:
        action_of(found.text, benchmark.header, objects)
    except ModelError as error:
        return Grade(name=name, state=State.ILL_FORMED, fault=Fault.of(error), parameters=match.parameters)
    return Grade(name=name, state=State.READ, parameters=match.parameters)


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


def predicted_actions(
    benchmark: Benchmark, task: Task, predicted: Mapping[str, Predicted], problem: Problem
) -> Actions | OperatorError:
    """Return the gold actions with the predicted ones in their place, or which of these cannot be read.

    An operator that nobody asked for and that cannot be read is left out.
    """
    actions = dict(benchmark.domain.actions)
    for name, found in predicted.items():
        try:
            actions[name] = replace(action_of(found.text, benchmark.header, problem.objects), name=name)
        except ModelError as error:
            if name in task.asked:
                return OperatorError(name, error)
    return Actions(actions=actions)


# --- many answers ---------------------------------------------------------------------------------


@cache
def benchmark_in(folder: Path, name: str | None = None) -> Benchmark:
    """Return a data set, as ``read_benchmark``; it is read once in each process."""
    return read_benchmark(folder, name)


def grade_answer(
    benchmark: Benchmark, answer: Answer, *, compat: bool = False, allowance: Allowance | None = None
) -> TaskGrade:
    """Grade one answer, by the repaired definitions or with ``compat`` by the original's."""
    grade = grade_as_original if compat else grade_repaired
    return grade(benchmark, benchmark.tasks[answer.identifier], answer.text, allowance)

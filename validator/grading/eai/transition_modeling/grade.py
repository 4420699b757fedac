"""Grading an answer: by definitions without the original's defects, or as the original evaluator does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import cache, cached_property, partial
from pathlib import Path

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task, read_benchmark
from validator.grading.eai.transition_modeling.matching import Count, Match, Part, compare, missed
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
    model_of,
    plan_with,
    unreadable,
)
from validator.model.values import Action, Model, Parameter, Problem
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


@dataclass(frozen=True, kw_only=True)
class Bench:
    """A task to plan with predicted operators; ``problem`` may be why there is none."""

    benchmark: Benchmark
    problem: Problem | ModelError
    allowance: Allowance

    @cached_property
    def gold(self) -> Simulator:
        assert not isinstance(self.problem, ModelError)
        return Simulator(Model(domain=self.benchmark.domain, problem=self.problem))

    @cached_property
    def baseline(self) -> Planning:
        """Return a plan of the gold operators."""
        return self._planned(Actions(actions=self.benchmark.domain.actions))

    def planned(self, found: Callable[[Problem], Actions | OperatorError], *, like_gold: bool = False) -> Planning:
        """Look for a plan with predicted actions and execute it under the gold ones.

        ``like_gold`` are actions of which a plan of the gold ones is likely to be one: that is tried first.
        """
        if isinstance(self.problem, ModelError):
            return unreadable(self.problem, "the problem")
        actions = found(self.problem)
        if isinstance(actions, OperatorError):
            return unreadable(actions.error, actions.name)
        if like_gold and self.baseline.is_found:
            model = model_of(self.benchmark.header, self.problem, actions)
            if Simulator(model).run(Plan(parts=self.baseline.plan)).is_valid:
                return self.baseline
        return self._planned(actions)

    def _planned(self, actions: Actions) -> Planning:
        assert not isinstance(self.problem, ModelError)
        planning = plan_with(self.benchmark.header, self.problem, actions, self.allowance.begin())
        return execute_in_gold(planning, self.gold)


# --- as the original evaluator does ---------------------------------------------------------------


def grade_as_original(benchmark: Benchmark, task: Task, text: str, allowance: Allowance | None) -> TaskGrade:
    """Grade one answer; with an ``allowance``, plan as well, whoever declared the names in the operators."""
    found = definitions(text)
    if found is None:
        return TaskGrade(identifier=task.identifier, is_format_error=True)
    counts = tuple(_original_counts(benchmark, task, found, index_bug=True))
    differing = {count.action for count in counts if count.wrong or count.missed}
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(
            Grade(name=name, state=State.READ, is_same=name not in differing)
            if name in found
            else Grade(name=name, state=State.MISSING)
            for name in task.asked
        ),
        additional=tuple(name for name in found if name not in task.asked),
        counts=counts,
        repaired=tuple(_original_counts(benchmark, task, found, index_bug=False)),
    )
    if allowance is None:
        return done
    bench = Bench(benchmark=benchmark, problem=problem_of(benchmark, task), allowance=allowance)
    return replace(done, planning=bench.planned(partial(original_actions, benchmark, found)))


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
            yield from (each for each in match.counts(name, part) if each.predicate in benchmark.kinds)


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
        counts=tuple(
            count
            for name, match in matches.items()
            for part in Part
            for count in getattr(match, part.value).counts(name, part)
        ),
    )
    if allowance is None:
        return done
    bench = Bench(benchmark=benchmark, problem=problem, allowance=allowance)
    return replace(done, planning=bench.planned(partial(predicted_actions, benchmark, task, predicted)))


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
    return Grade(name=name, state=State.READ, parameters=match.parameters, is_same=match.is_same)


def predicted_actions(
    benchmark: Benchmark, task: Task, predicted: Mapping[str, Predicted], problem: Problem
) -> Actions | OperatorError:
    """Return the gold actions with the predicted ones in their place, or which of these cannot be read.

    An operator that nobody asked for and that cannot be read is left out.
    """
    actions = dict(benchmark.domain.actions)
    for name, found in predicted.items():
        try:
            action = replace(action_of(found.text, benchmark.header, problem.objects), name=name)
        except ModelError as error:
            if name in task.asked:
                return OperatorError(name, error)
            continue
        actions[name] = action if name not in actions else _in_gold_order(benchmark, action, found)
    return Actions(actions=actions)


def _in_gold_order(benchmark: Benchmark, action: Action, found: Predicted) -> Action:
    """Return an action with its parameters in the gold order, where each stands for one: their order is no fault."""
    match, gold = match_of(benchmark, action.name, found), benchmark.domain.actions[action.name].parameters
    stands_for = {match.parameters.get(parameter.name, ""): parameter for parameter in action.parameters}
    if len(action.parameters) != len(gold) or any(parameter.name not in stands_for for parameter in gold):
        return action
    return replace(action, parameters=tuple(stands_for[parameter.name] for parameter in gold))


# --- each operator alone --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of planning with one predicted operator, all others gold."""

    identifier: str
    action: str
    planning: Planning


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """One answer's grade, and the trials of its operators where these are asked for."""

    grade: TaskGrade
    trials: tuple[Trial, ...] = ()


def try_answer(
    benchmark: Benchmark, answer: Answer, *, compat: bool = False, allowance: Allowance
) -> tuple[Trial, ...]:
    """Try every operator of an answer that was asked for; none where the problem cannot be read.

    A plan of the gold operators that is one with the predicted one too shows that there is one.
    """
    task = benchmark.tasks[answer.identifier]
    problem = problem_of(benchmark, task)
    if isinstance(problem, ModelError):
        return ()
    bench = Bench(benchmark=benchmark, problem=problem, allowance=allowance)
    found: dict[str, Callable[[Problem], Actions | OperatorError]]
    if compat:
        texts = definitions(answer.text) or {}
        found = {name: partial(original_actions, benchmark, {name: text}) for name, text in texts.items()}
    else:
        read, _ = predicted_operators(benchmark, answer.text)
        found = {name: partial(predicted_actions, benchmark, task, {name: each}) for name, each in read.items()}
    return tuple(
        Trial(identifier=task.identifier, action=name, planning=bench.planned(found[name], like_gold=True))
        for name in task.asked
        if name in found
    )


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


def grade_and_try(
    benchmark: Benchmark, answer: Answer, *, compat: bool, allowance: Allowance | None, sensitivity: bool
) -> Graded:
    """Grade an answer, and with ``sensitivity`` try its operators one by one."""
    grade = grade_answer(benchmark, answer, compat=compat, allowance=allowance)
    if not sensitivity or allowance is None:
        return Graded(grade=grade)
    return Graded(grade=grade, trials=try_answer(benchmark, answer, compat=compat, allowance=allowance))

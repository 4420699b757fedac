"""Grading an answer by definitions without the original's defects.

Every literal counts, under the best naming of parameters; what is missing or cannot be read has all gold literals
missed; predicates that were made up count as wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from validator.errors import ModelError
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.grading.eai.transition_modeling.grades import Grade, OperatorError, State, TaskGrade, planned, problem_of
from validator.grading.eai.transition_modeling.operators.counts import Count, Part
from validator.grading.eai.transition_modeling.operators.matching import Match, PartMatch, compare, missed
from validator.grading.eai.transition_modeling.operators.operators import (
    Fault,
    Predicted,
    action_of,
    find_operators,
    fold,
)
from validator.grading.eai.transition_modeling.planning import Actions, Allowance
from validator.model.values import Problem
from validator.records import replace

__all__ = ["grade_repaired", "match_of", "predicted_actions", "predicted_operators"]


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

"""Grading an answer as the original evaluator does, so that its published figures come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from validator.errors import ModelError
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.grading.eai.transition_modeling.grades import Grade, OperatorError, State, TaskGrade, planned, problem_of
from validator.grading.eai.transition_modeling.operators.counts import Count, Part
from validator.grading.eai.transition_modeling.operators.operators import tolerated_action_of
from validator.grading.eai.transition_modeling.original import Definition, compare_texts, definitions
from validator.grading.eai.transition_modeling.planning import Actions, Allowance
from validator.model.values import Parameter, Problem
from validator.records import replace

__all__ = ["grade_as_original", "original_actions"]


def grade_as_original(benchmark: Benchmark, task: Task, text: str, allowance: Allowance | None) -> TaskGrade:
    """Grade one answer; with an ``allowance``, plan as well, whoever declared the names in the operators."""
    found = definitions(text)
    if found is None:
        return TaskGrade(identifier=task.identifier, is_format_error=True)
    done = TaskGrade(
        identifier=task.identifier,
        grades=tuple(Grade(name=name, state=State.READ if name in found else State.MISSING) for name in task.asked),
        additional=tuple(name for name in found if name not in task.asked),
        counts=tuple(_counts(benchmark, task, found, index_bug=True)),
        repaired=tuple(_counts(benchmark, task, found, index_bug=False)),
    )
    if allowance is None:
        return done
    problem = problem_of(benchmark, task)
    actions = partial(original_actions, benchmark, found)
    return replace(done, planning=planned(benchmark, problem, actions, done.grades, allowance))


def _counts(benchmark: Benchmark, task: Task, found: Mapping[str, Definition], *, index_bug: bool) -> Iterator[Count]:
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

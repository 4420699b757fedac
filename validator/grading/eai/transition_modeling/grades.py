"""What a graded answer is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.grading.eai.transition_modeling.benchmark import Benchmark, Task
from validator.grading.eai.transition_modeling.operators.counts import Count
from validator.grading.eai.transition_modeling.operators.operators import Fault
from validator.grading.eai.transition_modeling.planning import (
    Actions,
    Allowance,
    Planning,
    execute_in_gold,
    plan_with,
    unreadable,
)
from validator.model.values import Action, Model, Problem
from validator.records import dataclass, field

__all__ = ["Grade", "OperatorError", "State", "TaskGrade", "planned", "problem_of"]


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

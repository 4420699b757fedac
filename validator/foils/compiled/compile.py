"""A task that allows only the plans that a question asks for: the constraints' automata beside the model's variables.

Each constraint is one variable more, and each operator that it speaks of becomes one operator for each transition; the
names stay, so that a plan reads as a plan of the model. The task is a task like any other: its cheapest plans, and the
nearest plan to an observed one, are found as for the model itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from validator.checking.prepared import Prepared
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure, Kind, Trace
from validator.foils.compiled.constraints import Constraint, Show, Transition, violations
from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token
from validator.records import replace

__all__ = ["ConstrainedSimulator", "constrain", "constrained"]

_MOST_OPERATORS = 1_000_000


def constrained(prepared: Prepared, task: Task, constraints: Sequence[Constraint], show: Show) -> Prepared:
    """Return a model whose valid plans are those that keep to the constraints as well.

    Raises InputError for constraints that make the task too large.
    """
    if not constraints:
        return prepared
    return Prepared(
        model=prepared.model,
        simulator=ConstrainedSimulator(prepared.simulator, constraints, show),
        vocabulary=prepared.vocabulary,
        _task=constrain(task, constraints, show),
        _costless=constrain(task, constraints, show),
    )


class ConstrainedSimulator(Simulator):
    """Executes plans and looks whether they keep to constraints."""

    def __init__(self, simulator: Simulator, constraints: Sequence[Constraint], show: Show) -> None:
        super().__init__(simulator.model)
        self._constraints = constraints
        self._show = show

    def run(self, plan: Plan | Sequence[Token]) -> Trace:
        """Execute a plan; a step that a constraint forbids is a failure, and so is one that is missing at the end."""
        plan = plan if isinstance(plan, Plan) else Plan(parts=tuple(plan))
        trace = super().run(plan)
        return replace(trace, failures=tuple(sorted((*trace.failures, *self._violations(plan)), key=_place)))

    def _violations(self, plan: Plan) -> Iterator[Failure]:
        resolved = map(self.resolve, plan.tokens)
        placed = [(place, token) for place, token in zip(plan.places, resolved, strict=True) if isinstance(token, Step)]
        steps = [self._show(Step(name=token.name, args=token.args)) for _, token in placed]
        for constraint in self._constraints:
            for index in violations(constraint, steps):
                step = None if index is None else placed[index][0]
                yield Failure(step=step, kind=Kind.CONSTRAINT, detail=str(constraint))


def _place(failure: Failure) -> float:
    return float("inf") if failure.step is None else failure.step


def constrain(task: Task, constraints: Sequence[Constraint], show: Show) -> Task:
    """Return a task whose plans are those of ``task`` that keep to the constraints.

    Raises InputError when it would have more than a million operators.
    """
    if not constraints:
        return task
    counted = [constraint for constraint in constraints if constraint.states > 1]
    numbers = {id(constraint): len(task.variables) + place for place, constraint in enumerate(counted)}
    operators: list[Operator] = []
    for operator in task.operators:
        step = show(task.encoding.step(operator.name))
        choices = [
            [(numbers.get(id(constraint)), transition) for transition in constraint.transitions(step)]
            for constraint in constraints
        ]
        operators += [_copy(operator, chosen) for chosen in product(*choices)]
        if len(operators) > _MOST_OPERATORS:
            raise InputError(f"the question needs more than {_MOST_OPERATORS} operators; ask for less at once")
    wanted = tuple((numbers[id(each)], each.accepting) for each in counted if each.accepting is not None)
    return replace(
        task,
        variables=(*task.variables, *(_variable(numbers[id(each)], each.states) for each in counted)),
        init=(*task.init, *(0 for _ in counted)),
        operators=tuple(operators),
        goal=None if task.goal is None else (*task.goal, *wanted),
        goal_operators=tuple(_waiting(operator, wanted) for operator in task.goal_operators),
    )


def _copy(operator: Operator, chosen: Iterable[tuple[int | None, Transition]]) -> Operator:
    """Return an operator that takes one transition of each constraint."""
    prevails, effects = [], []
    for variable, (before, after) in chosen:
        if variable is None or (before is None and after is None):
            continue
        if after is None:
            prevails.append(f"{variable} {before}\n")
        else:
            effects.append(f"0 {variable} {-1 if before is None else before} {after}\n")
    if not prevails and not effects:
        return operator
    return replace(
        operator,
        prevails=operator.prevails + len(prevails),
        prevail="".join((operator.prevail, *prevails)),
        effect_count=operator.effect_count + len(effects),
        effects="".join((operator.effects, *effects)),
    )


def _waiting(operator: Operator, wanted: Sequence[Value]) -> Operator:
    """Return a goal operator that also waits for the constraints."""
    lines = "".join(f"{variable} {value}\n" for variable, value in wanted)
    return replace(operator, prevails=operator.prevails + len(wanted), prevail=operator.prevail + lines)


def _variable(number: int, values: int) -> str:
    atoms = "".join(f"Atom state{number}({value})\n" for value in range(values))
    return f"begin_variable\nvar{number}\n-1\n{values}\n{atoms}end_variable\n"

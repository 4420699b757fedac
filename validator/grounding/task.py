"""The grounded task of a model: what Fast Downward's translator makes of it, ready to be modified.

The text is in the translator's output format (version 3): variables, mutex groups, initial values, goal,
operators, axioms (Helmert 2009, "Concise finite-domain representations for PDDL planning tasks").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from validator.errors import PlannerError
from validator.grounding.encode import Encoding
from validator.grounding.operators import Operator, Value
from validator.reading.plan import Step
from validator.records import dataclass


@dataclass(frozen=True, kw_only=True)
class Task:
    """A grounded task.

    ``goal`` are the values that the goal asks for, when it is a conjunction; otherwise it is None and
    ``goal_operators`` are the ways to reach it, each making ``reached`` true: none of them means that the goal
    is unreachable even when nothing is ever deleted. Costs are scaled by ``scale``.
    """

    variables: tuple[str, ...]
    mutexes: str
    init: tuple[int, ...]
    operators: tuple[Operator, ...]
    axioms: str
    goal: tuple[Value, ...] | None
    goal_operators: tuple[Operator, ...]
    reached: Value
    encoding: Encoding

    @cached_property
    def texts(self) -> dict[tuple[int, ...], tuple[int, str]]:
        """Return the operators as others have written them, number and text, by what they were written for."""
        return {}

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """Return how many values each variable has."""
        return tuple(int(variable.split("\n", 4)[3]) for variable in self.variables)

    @cached_property
    def groups(self) -> tuple[tuple[Value, ...], ...]:
        """Return the values of which at most one of a group ever holds."""
        texts = self.mutexes.split("begin_mutex_group\n")[1:]
        return tuple(tuple(_pairs(text.split("\n", 1)[1].partition("end_mutex_group")[0])) for text in texts)

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[int]]:
        found: dict[str, list[int]] = {}
        for number, operator in enumerate(self.operators):
            found.setdefault(operator.name, []).append(number)
        return found

    @property
    def steps(self) -> Sequence[Step]:
        """Return the steps that have operators, in the order of these; reading them all takes long."""
        return list(dict.fromkeys(map(self.encoding.step, self._by_name)))

    def numbers(self, step: Step) -> Sequence[int]:
        """Return the numbers of a step's operators, whatever its times: several where a condition was split."""
        return sorted(number for name in self.encoding.names(step) for number in self._by_name.get(name, ()))

    def way(self, step: Step, state: Sequence[int]) -> Operator | None:
        """Return the cheapest operator of a step that a state allows; for tasks without axioms."""
        ways = (self.operators[number] for number in self.numbers(step))
        return min((way for way in ways if way.applies(state)), key=lambda way: way.cost, default=None)

    @cached_property
    def has_dearer_ways(self) -> bool:
        """Return whether the operators of some step cost differently, so that only the state tells what it costs."""
        costs: dict[tuple[str, str], int] = {}
        for operator in self.operators:
            action, _, args = operator.name.partition(" ")
            if costs.setdefault((self.encoding.actions[action], args), operator.cost) != operator.cost:
                return True
        return False

    @cached_property
    def dearest(self) -> int:
        """Return what the dearest operator costs."""
        return max((operator.cost for operator in self.operators), default=0)

    @property
    def has_axioms(self) -> bool:
        return not self.axioms.startswith("0\n")

    @cached_property
    def has_conditional_effects(self) -> bool:
        return any(operator.is_conditional for operator in self.operators)

    @property
    def goal_ways(self) -> tuple[tuple[Value, ...], ...]:
        """Return the ways to reach the goal: values that hold together."""
        if self.goal is not None:
            return (self.goal,)
        return tuple(tuple(operator.needed.items()) for operator in self.goal_operators)

    @property
    def wanted(self) -> tuple[tuple[Value, ...], tuple[Operator, ...]]:
        """Return the values that the goal asks for, and the operators that make the last of them true, if any do."""
        return ((self.reached,), self.goal_operators) if self.goal is None else (self.goal, ())

    @property
    def is_relaxed_unsolvable(self) -> bool:
        """Return whether the goal is out of reach even when nothing is ever deleted."""
        return self.goal is None and not self.goal_operators


def step_costs(task: Task, steps: Iterable[Step]) -> list[int]:
    """Return what each step of a sound plan costs, in the task's scaled integers.

    A step has several operators where a condition was split, or where an action is one of several ways to do it; only
    then can their costs differ, and only the state tells which one is meant.

    Only for tasks in which the ways of a step cost differently is the plan executed; such tasks have no axioms.
    """
    if not task.has_dearer_ways:
        return [task.operators[task.numbers(step)[0]].cost for step in steps]
    state: Sequence[int] = task.init
    costs = []
    for step in steps:
        way = task.way(step, state) or task.operators[task.numbers(step)[0]]
        state = way.after(state)
        costs.append(way.cost)
    return costs


def parse(text: str, encoding: Encoding, *, unit: bool) -> Task:
    """Read the translator's output; ``unit`` makes every operator cost 1. Raises PlannerError for another format."""
    lines = text.split("\n")
    if lines[:3] != ["begin_version", "3", "end_version"]:
        raise PlannerError("the translator's output is not of version 3")
    at = 6  # after version and metric
    number, at = int(lines[at]), at + 1
    variables = []
    for _ in range(number):
        end = lines.index("end_variable", at) + 1
        variables.append("\n".join(lines[at:end]) + "\n")
        at = end
    first_mutex, number, at = at, int(lines[at]), at + 1
    for _ in range(number):
        at = lines.index("end_mutex_group", at) + 1
    mutexes = "\n".join(lines[first_mutex:at]) + "\n"
    end = lines.index("end_state", at)
    init = tuple(map(int, lines[at + 1 : end]))
    at = lines.index("end_goal", end) + 1
    number, at = int(lines[at]), at + 1
    operators, goals = [], []
    started = ""
    for _ in range(number):
        operator, at = _operator(lines, at, unit)
        if operator.name == "goal":
            goals.append(operator)
        elif operator.name == "start":
            started = operator.effects
        else:
            operators.append(operator)
    if not started:
        raise PlannerError("the translator dropped the operator that keeps the task whole")
    reached = _effect(goals[0]) if goals else (0, 0)
    simple = len(goals) == 1
    return Task(
        variables=tuple(variables),
        mutexes=mutexes,
        init=init,
        operators=tuple(operators),
        axioms="\n".join(lines[at:]),
        goal=tuple(_pairs(goals[0].prevail)) if simple else None,
        goal_operators=() if simple else tuple(goals),
        reached=reached,
        encoding=encoding,
    )


def _operator(lines: list[str], at: int, unit: bool) -> tuple[Operator, int]:
    """Read the operator that begins at a line and return the line after it."""
    name, prevails = lines[at + 1], int(lines[at + 2])
    effects_at = at + 3 + prevails
    effect_count = int(lines[effects_at])
    cost_at = effects_at + 1 + effect_count
    operator = Operator(
        name=name.rstrip(),
        prevails=prevails,
        prevail="".join([f"{line}\n" for line in lines[at + 3 : effects_at]]),
        effect_count=effect_count,
        effects="".join([f"{line}\n" for line in lines[effects_at + 1 : cost_at]]),
        cost=1 if unit else int(lines[cost_at]),
    )
    return operator, cost_at + 2


def _pairs(prevail: str) -> list[Value]:
    pairs = []
    for line in prevail.splitlines():
        variable, value = line.split()
        pairs.append((int(variable), int(value)))
    return pairs


def _effect(operator: Operator) -> Value:
    """Return the variable and value that the last effect of an operator sets."""
    *_, variable, _, value = operator.effects.split()
    return int(variable), int(value)

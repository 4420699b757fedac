"""Hierarchical plans: whether the decomposition that a plan states is one of its problem.

Each task must be given to a method that achieves it, or to its action, with the same arguments; the order of the steps
must be that of the networks; constraints must be true, and so must the conditions of methods before their first step.
Whether the steps can be executed is a question of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.execution.simulator import Simulator
from validator.execution.time.execution import execute
from validator.model.numeric import truth
from validator.model.values import And, Formula, Model
from validator.reading.plan import Plan
from validator.records import dataclass, field
from validator.up.expressions import ExpressionReader

if TYPE_CHECKING:
    from unified_planning.model import FNode
    from unified_planning.model.htn import HierarchicalProblem
    from unified_planning.plans import HierarchicalPlan

__all__ = ["Decomposed", "decomposed"]


@dataclass(slots=True)
class Decomposed:
    """What is wrong with a decomposition, and what of it is not decided; one sentence each."""

    faults: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)


def decomposed(problem: HierarchicalProblem, plan: HierarchicalPlan, model: Model, flat: Plan) -> Decomposed:
    """Judge the decomposition of a plan; ``flat`` are its steps, which can be executed in ``model``."""
    return _Walk(problem, plan, model, flat).run()


_Span = tuple[Fraction, Fraction]
_Values = dict[Any, Any]
"""parameters, and what they stand for"""


@dataclass(slots=True, kw_only=True)
class _Condition:
    """What a method asks for before its first step; one without steps has none, and stands anywhere in its window.

    The window begins with what comes before the method, at ``low``, and ends before what comes after it.
    """

    method: str
    text: str
    formula: Formula
    first: Fraction | None
    low: Fraction = Fraction(0)
    high: Fraction | None = None


class _Walk:
    def __init__(self, problem: HierarchicalProblem, plan: HierarchicalPlan, model: Model, flat: Plan) -> None:
        self.problem = problem
        self.plan = plan
        self.model = model
        self.flat = flat
        self.found = Decomposed()
        self.read = ExpressionReader()
        self.conditions: list[_Condition] = []
        self.variables = set(problem.task_network.variables)
        self.times, self.instances = _times(plan.action_plan)
        self.taken: set[int] = set()

    def run(self) -> Decomposed:
        self._network(self.problem.task_network, self.plan.decomposition.subtasks, {}, "the plan")
        for number, instance in enumerate(self.instances):
            if number not in self.taken:
                self.found.faults.append(f"the action {instance} belongs to no task")
        if self.read.features.keys() - self.model.features.keys():
            names = ", ".join(sorted(self.read.features.keys() - self.model.features.keys()))
            self.found.open.append(f"conditions of methods use {names}")
        self._test()
        return self.found

    # --- tasks ---------------------------------------------------------------------------------

    def _network(self, network: Any, subtasks: Mapping[str, Any], values: _Values, place: str) -> _Span | None:
        """Judge the subtasks of a network; return when its first step begins and its last one ends."""
        spans: dict[str, _Span | None] = {}
        asked: dict[str, list[_Condition]] = {}
        known = {subtask.identifier for subtask in network.subtasks}
        for name in subtasks.keys() - known:
            self.found.faults.append(f"{place} decomposes '{name}', which is no subtask of it")
        for subtask in network.subtasks:
            instance, before = subtasks.get(subtask.identifier), len(self.conditions)
            if instance is None:
                self.found.faults.append(f"{place} does not decompose its subtask {_named(subtask)}")
                continue
            spans[subtask.identifier] = self._subtask(subtask, instance, values, place)
            asked[subtask.identifier] = self.conditions[before:]
        told = [span for span in spans.values() if span is not None]
        whole = (min(first for first, _ in told), max(last for _, last in told)) if told else None
        if len(spans) == len(known):
            self._constraints(network, spans, asked, values, place)
        return whole

    def _subtask(self, subtask: Any, instance: Any, values: _Values, place: str) -> _Span | None:
        is_method = hasattr(instance, "method")
        name = instance.method.name if is_method else instance.action.name
        if not is_method:
            if not hasattr(subtask.task, "duration") and not hasattr(subtask.task, "preconditions"):
                self.found.faults.append(f"{place}: {_named(subtask)} is a task, not the action '{name}'")
            elif subtask.task.name != name:
                self.found.faults.append(f"{place}: {_named(subtask)} is not the action '{name}'")
            else:
                self._same(subtask, instance.actual_parameters, values, place)
            return self._time(instance)
        method = instance.method
        own = dict(zip(method.parameters, instance.parameters, strict=False))
        if not any(method is one or method == one for one in self.problem.methods):
            self.found.faults.append(f"{place}: '{name}' is no method of the problem")
        elif subtask.task.name != method.achieved_task.task.name:
            self.found.faults.append(f"{place}: the method '{name}' does not achieve {_named(subtask)}")
        elif len(instance.parameters) != len(method.parameters):
            self.found.faults.append(f"the method '{name}' takes {len(method.parameters)} arguments")
        else:
            for parameter, value in own.items():
                if not parameter.type.is_compatible(value.type):
                    self.found.faults.append(f"the method '{name}': {value} is no {parameter.type}")
            self._same(subtask, [own[parameter] for parameter in method.achieved_task.parameters], values, place)
        span = self._network(method, instance.decomposition.subtasks, own, f"the method '{name}'")
        if method.preconditions:
            grounded = [condition.substitute(own) for condition in method.preconditions]
            formula, text = And(tuple(map(self.read.formula, grounded))), " and ".join(map(str, grounded))
            first = None if span is None else span[0]
            self.conditions.append(_Condition(method=name, text=text, formula=formula, first=first))
        return span

    def _same(self, subtask: Any, given: Sequence[FNode], values: _Values, place: str) -> None:
        """Judge whether a subtask has these arguments; a variable of the whole plan takes what it is first given."""
        for wanted, value in zip(subtask.parameters, given, strict=True):
            if wanted.is_parameter_exp() and wanted.parameter() in self.variables:
                parameter = wanted.parameter()
                if not parameter.type.is_compatible(value.type):
                    self.found.faults.append(f"{place}: {value} is no {parameter.type}")
                told = values.setdefault(parameter, value)
            else:
                told = wanted.substitute(values).simplify()
            if told != value:
                self.found.faults.append(f"{place}: {_named(subtask)} is given {value} where {told} is asked for")

    def _time(self, instance: Any) -> _Span | None:
        """Return when an action of the decomposition takes place."""
        same = [number for number, one in enumerate(self.instances) if one is instance]
        alike = same or [
            number
            for number, one in enumerate(self.instances)
            if number not in self.taken and one.is_semantically_equivalent(instance)
        ]
        if len(alike) > 1:
            self.found.open.append(f"which of several actions {instance} is meant by a task is not said")
        if not alike or alike[0] in self.taken:
            self.found.faults.append(f"the action {instance} of a task is not in the plan")
            return None
        self.taken.add(alike[0])
        return self.times[alike[0]]

    # --- constraints ---------------------------------------------------------------------------

    def _constraints(
        self,
        network: Any,
        spans: Mapping[str, _Span | None],
        asked: Mapping[str, list[_Condition]],
        values: _Values,
        place: str,
    ) -> None:
        for constraint in network.non_temporal_constraints():
            simple = constraint.substitute(values).simplify()
            if simple.is_false():
                self.found.faults.append(f"{place}: {constraint} is false")
            elif not simple.is_true():
                self.found.open.append(f"{place}: {constraint} is not decided")
        told = network.temporal_constraints()
        order = [(constraint, _order(constraint)) for constraint in told]
        following: dict[str, set[str]] = {name: set() for name in spans}
        for _, pair in order:
            if pair is not None:
                following[pair[0]].add(pair[1])
        windows = {name: _Window() for name in spans}
        for name in spans:
            for later in _reached(following, name):
                if later == name:
                    self.found.faults.append(f"{place}: its subtasks are ordered in a circle")
                    continue
                self._ordered(spans[name], spans[later], f"{place}: '{name}' is not before '{later}'")
                windows[name].end_before(spans[later])
                windows[later].begin_after(spans[name])
        for name, conditions in asked.items():
            for condition in conditions:
                windows[name].narrow(condition)
        for constraint, pair in order:
            if pair is None:
                self._timed(constraint, spans, windows, place)

    def _timed(
        self, constraint: Any, spans: Mapping[str, _Span | None], windows: Mapping[str, _Window], place: str
    ) -> None:
        """Judge a constraint on times, where these leave no choice about it."""
        is_strict = constraint.is_lt()
        if not (is_strict or constraint.is_le()) or not hasattr(self.plan.action_plan, "timed_actions"):
            self.found.open.append(f"{place}: {constraint} is not decided")
            return
        left, right = (self._range(side, spans, windows) for side in constraint.args)
        if left is None or right is None:
            self.found.open.append(f"{place}: {constraint} is not decided")
        elif left[0] > right[1] or (is_strict and left[0] == right[1]):
            self.found.faults.append(f"{place}: {constraint} is false")
        elif left[1] > right[0] or (is_strict and left[1] == right[0]):
            self.found.open.append(f"{place}: {constraint} is not decided")

    def _range(
        self, side: Any, spans: Mapping[str, _Span | None], windows: Mapping[str, _Window]
    ) -> tuple[Fraction, Fraction] | None:
        """Return between which times a side of a constraint is; None where that is not known."""
        if side.is_int_constant() or side.is_real_constant():
            return Fraction(side.constant_value()), Fraction(side.constant_value())
        if not side.is_timing_exp():
            return None
        timing = side.timing()
        name, is_start = timing.timepoint.container, timing.is_from_start()
        if name is None:  # the network itself begins with its first step, or before it
            told = [span for span in spans.values() if span is not None]
            if not is_start or not told:
                return None
            found = (Fraction(0), min(first for first, _ in told))
        elif spans.get(name) is not None:
            span = spans[name]
            assert span is not None
            found = (span[0], span[0]) if is_start else (span[1], span[1])
        elif name in windows:
            found = windows[name].low, windows[name].high or max((last for _, last in self.times), default=Fraction(0))
        else:
            return None
        return found[0] + timing.delay, found[1] + timing.delay

    def _ordered(self, earlier: _Span | None, later: _Span | None, said: str) -> None:
        if earlier is None or later is None:
            return
        if earlier[1] > later[0]:
            self.found.faults.append(said)
        elif earlier[1] == later[0]:
            self.found.open.append(f"{said}, but ends as it begins")

    # --- conditions of methods -----------------------------------------------------------------

    def _test(self) -> None:
        """Test the conditions of methods in the states that the steps pass through."""
        if not self.conditions:
            return
        held: list[list[bool]] = [[] for _ in self.conditions]
        for moment, situation in execute(Simulator(self.model), self.flat).state.replay():
            for condition, told in zip(self.conditions, held, strict=True):
                high = condition.first if condition.first is not None else condition.high
                if high is not None and moment.time >= high and told:
                    continue
                if moment.time <= condition.low:  # the state when the window begins
                    told.clear()
                told.append(truth(condition.formula, {}, situation) is True)
        for number, (condition, told) in enumerate(zip(self.conditions, held, strict=True)):
            if not any(told):
                self.found.faults.append(f"the method '{condition.method}' needs {condition.text}, which is false")
            elif not (told[-1] if condition.first is not None else all(told) or self._stands_alone(number)):
                self.found.open.append(
                    f"whether {condition.text} holds where the method '{condition.method}' stands is not decided"
                )

    def _stands_alone(self, number: int) -> bool:
        """Return whether a method without steps may stand anywhere in its window, whatever others need."""
        own = self.conditions[number]
        others = (one for place, one in enumerate(self.conditions) if place != number and one.first is None)
        return not any(_overlap(own, other) for other in others)


def _overlap(one: _Condition, other: _Condition) -> bool:
    return (other.high is None or one.low < other.high) and (one.high is None or other.low < one.high)


@dataclass(slots=True)
class _Window:
    """Where a subtask may stand, as those before and after it tell."""

    low: Fraction = Fraction(0)
    high: Fraction | None = None

    def begin_after(self, span: _Span | None) -> None:
        if span is not None:
            self.low = max(self.low, span[1])

    def end_before(self, span: _Span | None) -> None:
        if span is not None:
            self.high = span[0] if self.high is None else min(self.high, span[0])

    def narrow(self, condition: _Condition) -> None:
        condition.low = max(condition.low, self.low)
        if self.high is not None:
            condition.high = self.high if condition.high is None else min(condition.high, self.high)


def _order(constraint: Any) -> tuple[str, str] | None:
    """Return the names of two subtasks of which a constraint says that one ends before the other begins."""
    if not constraint.is_lt() or not all(side.is_timing_exp() for side in constraint.args):
        return None
    first, second = (side.timing() for side in constraint.args)
    names = first.timepoint.container, second.timepoint.container
    if None in names or first.delay or second.delay or first.is_from_start() or second.is_from_end():
        return None
    return str(names[0]), str(names[1])


def _reached(following: Mapping[str, set[str]], name: str) -> set[str]:
    waiting, seen = list(following[name]), set[str]()
    while waiting:
        later = waiting.pop()
        if later not in seen:
            seen.add(later)
            waiting += following[later]
    return seen


def _times(plan: Any) -> tuple[list[_Span], list[Any]]:
    """Return when the actions of a plan take place, without times by their numbers from 1, and the actions."""
    if hasattr(plan, "timed_actions"):
        timed = plan.timed_actions
        return [(Fraction(start), Fraction(start) + Fraction(last or 0)) for start, _, last in timed], [
            instance for _, instance, _ in timed
        ]
    return [(Fraction(n), Fraction(n)) for n in range(1, len(plan.actions) + 1)], list(plan.actions)


def _named(subtask: Any) -> str:
    return f"{subtask.task.name}({', '.join(map(str, subtask.parameters))})"

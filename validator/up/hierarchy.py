"""Hierarchical problems and plans of unified-planning, as hierarchies and decompositions of this package."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.execution.simulator import Simulator
from validator.execution.time.execution import execute
from validator.execution.trace import Change
from validator.hierarchy.state_history import StateHistory
from validator.hierarchy.values import ROOT, Decomposition, Hierarchy, Method, Node, Subtask
from validator.hierarchy.verify import Fault, Timeline, Verified, verify
from validator.model.conditions import compares_numbers, predicates
from validator.model.values import And, Formula, Model, Parameter
from validator.reading.plan import Plan
from validator.up.expressions import ExpressionReader, object_name

if TYPE_CHECKING:
    from unified_planning.model.htn import HierarchicalProblem
    from unified_planning.plans import HierarchicalPlan


_Span: TypeAlias = tuple[Fraction, Fraction]
"""when something begins and ends"""


def decomposed(problem: HierarchicalProblem, plan: HierarchicalPlan, model: Model, flat: Plan) -> Verified:
    """Judge the decomposition of a plan; ``flat`` are its steps, which can be executed in ``model``."""
    hierarchy, opened = hierarchy_from_up(problem, model)
    stated = _Stated(problem, plan)
    if stated.faults or opened or stated.open:
        return Verified(faults=stated.faults, open=[*opened, *stated.open])
    atoms = set(model.problem.init)
    times, changes = [Fraction(0)], []
    for moment, _ in execute(Simulator(model), flat).state.replay():
        if moment.after >= 0 or moment.time:
            now = (atoms - moment.deleted) | moment.added
            changes.append(Change(frozenset(now - atoms), frozenset(atoms - now)))
            times.append(moment.time)
            atoms = now
    timeline = Timeline(moments=times, spans=stated.times, is_timed=stated.is_timed)
    return verify(hierarchy, stated.decomposition, StateHistory(model, model.problem.init, changes), timeline)


# --- problems ----------------------------------------------------------------------------------------------


def hierarchy_from_up(problem: HierarchicalProblem, model: Model) -> tuple[Hierarchy, list[str]]:
    """Return the tasks and methods of a problem over the model of its actions, and what of them is not followed."""
    reader = _Reader(model)
    tasks = {task.name: reader.read.parameters(task.parameters) for task in problem.tasks}
    methods: dict[str, list[Method]] = {}
    for method in problem.methods:
        task = method.achieved_task
        achieved = Subtask(name="", task=task.task.name, args=tuple(f"?{one.name}" for one in task.parameters))
        parameters = reader.read.parameters(method.parameters)
        found = reader.method(method, method.name, achieved, parameters, method.preconditions)
        methods.setdefault(found.task, []).append(found)
    network = problem.task_network
    parameters = reader.read.parameters(network.variables)
    root = reader.method(network, "the plan", Subtask(name="", task=ROOT, args=()), parameters, ())
    every = {name: tuple(found) for name, found in methods.items()}
    hierarchy = Hierarchy(model=model, tasks={ROOT: (), **tasks}, methods={ROOT: (root,), **every})
    return hierarchy, [*reader.open, *reader.unknown()]


class _Reader:
    """Reads networks; ``open`` is what of them is not followed."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.read = ExpressionReader()
        self.open: list[str] = []

    def unknown(self) -> list[str]:
        names = sorted(self.read.features.keys() - self.model.features.keys())
        return [f"conditions of methods use {', '.join(names)}"] if names else []

    def method(
        self, network: Any, name: str, task: Subtask, parameters: tuple[Parameter, ...], conditions: Sequence[Any]
    ) -> Method:
        place = name if task.task == ROOT else f"the method '{name}'"
        formulas: list[Formula] = [self.read.formula(condition) for condition in conditions]
        for constraint in network.non_temporal_constraints():
            formulas.append(self.read.formula(constraint))
            if next(predicates(formulas[-1]), None) is not None:
                self.open.append(f"{place}: {constraint} is not decided")
        if any(map(compares_numbers, formulas)):
            self.open.append(f"{place}: conditions that compare numbers are not evaluated")
        subtasks = tuple(
            Subtask(name=one.identifier, task=one.task.name, args=tuple(map(self.read.term, one.parameters)))
            for one in network.subtasks
        )
        places = {subtask.name: number for number, subtask in enumerate(subtasks)}
        order = set()
        for constraint in network.temporal_constraints():
            pair = _order(constraint)
            if pair is not None:  # the others are judged by the times of a plan
                order.add((places[pair[0]], places[pair[1]]))
        return Method(
            name=name,
            task=task.task,
            args=task.args,
            parameters=parameters,
            condition=And(tuple(formulas)),
            subtasks=subtasks,
            order=frozenset(order),
        )


def _order(constraint: Any) -> tuple[str, str] | None:
    """Return the names of two subtasks of which a constraint says that one ends before the other begins."""
    if not constraint.is_lt() or not all(side.is_timing_exp() for side in constraint.args):
        return None
    first, second = (side.timing() for side in constraint.args)
    names = first.timepoint.container, second.timepoint.container
    if None in names or first.delay or second.delay or first.is_from_start() or second.is_from_end():
        return None
    return str(names[0]), str(names[1])


# --- plans -------------------------------------------------------------------------------------------------


class _Stated:
    """The decomposition that a plan states; ``faults`` and ``open`` are what cannot be said in its labels."""

    def __init__(self, problem: HierarchicalProblem, plan: HierarchicalPlan) -> None:
        self.methods = problem.methods
        self.is_timed = hasattr(plan.action_plan, "timed_actions")
        self.times, self.instances = _times(plan.action_plan)
        self.faults: list[Fault] = []
        self.open: list[str] = []
        self.taken: set[int] = set()
        self.nodes = {number: _step(one) for number, one in enumerate(self.instances)}
        root = self._labels(problem.task_network, plan.decomposition.subtasks, "the plan")
        steps = tuple(range(len(self.times)))
        self.decomposition = Decomposition(nodes=self.nodes, steps=steps, root=root, is_placed=True)

    def _labels(self, network: Any, given: Mapping[str, Any], place: str) -> tuple[int, ...]:
        """Return the labels of the subtasks of a network, in its order, and of what else is given."""
        names = [subtask.identifier for subtask in network.subtasks]
        in_order = [*(name for name in names if name in given), *(name for name in given if name not in names)]
        labels = {name: self._label(given[name]) for name in in_order}
        if labels.keys() == set(names):
            self._timed(network, {name: self._span(label) for name, label in labels.items()}, place)
        return tuple(labels.values())

    def _label(self, instance: Any) -> int:
        if not hasattr(instance, "method"):
            return self._number(instance)
        method = instance.method
        here = f"the method '{method.name}'"
        if not any(method is one or method == one for one in self.methods):
            self.faults.append(Fault(text=f"'{method.name}' is not a method of the problem"))
        if len(instance.parameters) != len(method.parameters):
            self.faults.append(Fault(text=f"{here} takes {len(method.parameters)} arguments"))
        given = zip(method.parameters, instance.parameters, strict=False)
        values = {f"?{one.name}": object_name(value) for one, value in given}
        inner = self._labels(method, instance.decomposition.subtasks, here)
        task = method.achieved_task
        args = tuple(values.get(f"?{one.name}", "") for one in task.parameters)
        node = Node(task=task.task.name, args=args, method=method.name, subtasks=inner, values=values)
        return self._add(node)

    def _number(self, instance: Any) -> int:
        """Return which action of the plan an action of the decomposition is."""
        same = [number for number, one in enumerate(self.instances) if one is instance]
        alike = same or [
            number
            for number, one in enumerate(self.instances)
            if number not in self.taken and one.is_semantically_equivalent(instance)
        ]
        if len(alike) > 1:
            self.open.append(f"which of several actions {instance} is meant by a task is not said")
        if not alike or alike[0] in self.taken:
            self.faults.append(Fault(text=f"the action {instance} of a task is not in the plan"))
            return self._add(_step(instance))
        self.taken.add(alike[0])
        return alike[0]

    def _add(self, node: Node) -> int:
        label = len(self.nodes)
        self.nodes[label] = node
        return label

    def _span(self, label: int) -> _Span | None:
        """Return when the first step of a task begins and its last one ends; None for one without steps."""
        if label < len(self.times):
            return self.times[label]
        inner = [span for each in self.nodes[label].subtasks if (span := self._span(each)) is not None]
        return (min(first for first, _ in inner), max(last for _, last in inner)) if inner else None

    def _timed(self, network: Any, spans: Mapping[str, _Span | None], place: str) -> None:
        """Judge the constraints on times that are no order, where the steps leave no choice about them."""
        for constraint in network.temporal_constraints():
            if _order(constraint) is not None:
                continue
            sides = [_range(side, spans) for side in constraint.args]
            left, right = sides[0], sides[-1]
            is_known = self.is_timed and (constraint.is_lt() or constraint.is_le())
            if left is None or right is None or not is_known:
                self.open.append(f"{place}: {constraint} is not decided")
            elif left[0] > right[1] or (constraint.is_lt() and left[0] == right[1]):
                self.faults.append(Fault(text=f"{place}: {constraint} is false"))
            elif left[1] > right[0] or (constraint.is_lt() and left[1] == right[0]):
                self.open.append(f"{place}: {constraint} is not decided")


def _range(side: Any, spans: Mapping[str, _Span | None]) -> _Span | None:
    """Return between which times a side of a constraint is; None where that is not known."""
    if side.is_int_constant() or side.is_real_constant():
        return Fraction(side.constant_value()), Fraction(side.constant_value())
    if not side.is_timing_exp():
        return None
    timing = side.timing()
    name, is_start = timing.timepoint.container, timing.is_from_start()
    known = [span for span in spans.values() if span is not None]
    span = spans.get(name)
    if name is None and is_start and known:  # the network itself begins with its first step, or before it
        return Fraction(timing.delay), min(first for first, _ in known) + timing.delay
    if span is None:
        return None
    when = (span[0] if is_start else span[1]) + timing.delay
    return when, when


def _step(instance: Any) -> Node:
    return Node(task=instance.action.name, args=tuple(map(object_name, instance.actual_parameters)))


def _times(plan: Any) -> tuple[list[_Span], list[Any]]:
    """Return when the actions of a plan take place, without times by their numbers from 1, and the actions."""
    if hasattr(plan, "timed_actions"):
        timed = plan.timed_actions
        return [(Fraction(start), Fraction(start) + Fraction(last or 0)) for start, _, last in timed], [
            instance for _, instance, _ in timed
        ]
    return [(Fraction(n), Fraction(n)) for n in range(1, len(plan.actions) + 1)], list(plan.actions)

"""unified-planning problems and plans as models and plans of this package, and back.

Not imported unless a unified-planning value is given. The conversion walks the problem itself: the detour
through PDDL text would rename, and cannot express actions without effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from validator.errors import ModelError
from validator.model.temporal import TimeModel
from validator.model.values import (
    TOTAL_COST,
    TRUE,
    Action,
    And,
    Domain,
    Expression,
    Fluent,
    GroundAtom,
    Metric,
    Model,
    Number,
    NumericEffect,
    Parameter,
    Problem,
    Types,
    Uncertain,
)
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.up.expressions import ExpressionReader, names_of, object_name, predicate_of, trajectories
from validator.up.numeric import narrowed, note_bounds, watched_bounds, within_bounds
from validator.up.temporal import durative_action, event, process, timed_facts, timed_goals

if TYPE_CHECKING:
    from unified_planning.model import FNode
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import SequentialPlan, TimeTriggeredPlan


_OVER_TIME = ("timed_goals", "timed_effects", "processes", "events")


def plan_from_up(plan: SequentialPlan | TimeTriggeredPlan) -> Plan:
    """Return a sequential or time-triggered plan of unified-planning as a plan, in order of time.

    Raises ModelError for any other kind of plan.
    """
    kind = getattr(getattr(plan, "kind", None), "name", None)
    if kind == "TIME_TRIGGERED_PLAN":
        timed = sorted(plan.timed_actions, key=lambda entry: entry[0])
        return Plan(
            parts=tuple(
                replace(step_of(instance), time=Fraction(start), duration=None if length is None else Fraction(length))
                for start, instance, length in timed
            )
        )
    if kind != "SEQUENTIAL_PLAN":
        known = "a text, a path, a list of texts or Steps, a SequentialPlan or a TimeTriggeredPlan"
        kinds = dict.fromkeys(type(each).__name__ for each in plan) if isinstance(plan, list) else ()
        raise ModelError(f"a plan is {known}, not {type(plan).__name__}{' of ' if kinds else ''}{', '.join(kinds)}")
    return Plan(parts=tuple(map(step_of, plan.actions)))


def step_of(instance: Any) -> Step:
    """Return an action of a plan with its arguments."""
    return Step(name=instance.action.name, args=tuple(map(object_name, instance.actual_parameters)))


def plan_to_up(
    steps: Iterable[Step], problem: UpProblem, *, is_timed: bool = False
) -> SequentialPlan | TimeTriggeredPlan:
    """Return steps of a problem as a plan of it: a TimeTriggeredPlan where they have times.

    With ``is_timed`` it is one in any case: steps without times, of a model in which time means nothing, stand at 1, 2,
    3, so that the last time is what they cost where that counts.
    """
    from unified_planning.plans import ActionInstance, SequentialPlan, TimeTriggeredPlan

    manager, found = problem.environment.expression_manager, list(steps)

    def argument(parameter: Any, name: str) -> FNode:
        if parameter.type.is_int_type():
            return manager.Int(int(name))
        return (
            manager.Bool(name == "true") if parameter.type.is_bool_type() else manager.ObjectExp(problem.object(name))
        )

    instances = [
        ActionInstance(action, tuple(map(argument, action.parameters, step.args)))
        for step in found
        for action in (problem.action(step.name),)
    ]
    if is_timed or any(step.time is not None for step in found):
        times = (Fraction(place) if step.time is None else step.time for place, step in enumerate(found, 1))
        timed = [(time, each, step.duration) for time, each, step in zip(times, instances, found, strict=True)]
        return TimeTriggeredPlan(timed, problem.environment)
    return SequentialPlan(instances, problem.environment)


def model_from_up(problem: UpProblem) -> Model:
    """Return a unified-planning problem as a model; what is not executed is among its features.

    Names stay as they are, case and all.
    """
    return _Reader(problem).model()


class _Reader:
    def __init__(self, problem: UpProblem) -> None:
        self.problem = problem
        self.is_temporal = any(getattr(problem, name, None) for name in _OVER_TIME) or any(
            hasattr(action, "duration") for action in getattr(problem, "actions", ())
        )
        self.read = ExpressionReader(is_over_time=self.is_temporal)
        self.undefined: list[GroundAtom] = []

    def model(self) -> Model:
        problem = self.problem
        kind = type(problem).__name__
        if not hasattr(problem, "actions"):
            known = "a domain and a problem, or a unified-planning Problem with actions"
            raise ModelError(f"a model is {known}, not {kind}")
        if kind not in ("Problem", "EditProblem", "ContingentProblem"):
            self.read.feature("other-problem-classes", kind)
        parents = {
            kind.name: frozenset((kind.father.name if kind.father is not None else "object",))
            for kind in problem.user_types
            if kind.name != "object"
        }
        boolean = [fluent for fluent in problem.fluents if fluent.type.is_bool_type()]
        other = [fluent for fluent in problem.fluents if not fluent.type.is_bool_type()]
        of_objects = [fluent for fluent in other if fluent.type.is_user_type()]
        other = [fluent for fluent in other if not fluent.type.is_user_type()]
        costs = self._costs()
        actions = {action.name: self._action(action, costs) for action in problem.actions}
        durative = {
            action.name: durative_action(self.read, action, costs.get(action.name))
            for action in problem.actions
            if not hasattr(action, "preconditions")
        }
        processes = tuple(process(self.read, found) for found in problem.processes)
        events = tuple(event(self.read, found) for found in problem.events)
        timed, goals_over_time = tuple(timed_facts(self.read, problem)), tuple(timed_goals(self.read, problem))
        bounds = watched_bounds(self.read)
        predicates = {fluent.name: self.read.parameters(fluent.signature) for fluent in boolean}
        predicates |= {
            predicate_of(fluent.name): (
                *self.read.parameters(fluent.signature),
                Parameter("?value", frozenset((fluent.type.name,))),
            )
            for fluent in of_objects
        }
        functions = {fluent.name: self.read.parameters(fluent.signature) for fluent in other}
        goal = And(tuple(self.read.formula(goal) for goal in problem.goals))
        given = getattr(problem, "trajectory_constraints", ())
        constraints = tuple(each for found in given for each in trajectories(self.read, found))
        uncertain = tuple(self._uncertain())
        hidden = {atom for each in uncertain for option in each.options for atom, _ in option}
        init = frozenset((*self._init(boolean), *self._init_of_objects(of_objects))) - hidden
        values, metric = dict(self._values(other)), self._metric()
        objects = self._objects()
        for types in objects.values():
            parents |= {name: frozenset(("object",)) for name in types - parents.keys() - {"object"}}
        domain = Domain(
            name=str(problem.name or "problem"),
            types=Types(parents),
            constants={},
            predicates=predicates,
            functions={**functions, **({TOTAL_COST.function: ()} if costs else {})},
            actions=actions,
            features=self.read.features,
            features_of={name: frozenset(found) for name, found in self.read.features_of.items()},
            durative=durative,
            processes=processes,
            events=events,
            is_whole=True,
        )
        return Model(
            domain=domain,
            problem=Problem(
                name=str(problem.name or "problem"),
                objects=objects,
                init=init,
                values=values,
                goal=goal,
                metric=metric,
                timed=timed,
                timed_goals=goals_over_time,
                bounds=bounds,
                undefined=tuple(self.undefined),
                uncertain=uncertain,
                constraints=constraints,
                is_from_up=True,
                time=self._time() if self.is_temporal else None,
            ),
        )

    def _time(self) -> TimeModel:
        epsilon = self.problem.epsilon
        return TimeModel(
            epsilon=None if epsilon is None else Fraction(epsilon),
            is_discrete=self.problem.discrete_time,
            may_overlap=self.problem.self_overlapping,
        )

    def _objects(self) -> dict[str, frozenset[str]]:
        """Return the objects with their types, and the numbers and truths that stand where objects do."""
        objects = {item.name: frozenset((item.type.name,)) for item in self.problem.all_objects}
        for name in objects.keys() & self.read.values.keys():
            self.read.feature("objects-named-as-values", name)
        return objects | {name: frozenset(types) for name, types in self.read.values.items()}

    # --- initial state -------------------------------------------------------------------------

    def _init(self, fluents: Iterable[Any]) -> Iterator[GroundAtom]:
        explicit = self.problem.explicit_initial_values
        for fluent in fluents:
            default = self.problem.fluents_defaults.get(fluent)
            unsaid = [atom for atom, value in self._ground_values(fluent) if value is None] if default is None else []
            if unsaid:
                self.read.feature("undefined-initial-values", fluent.name)
                self.undefined += unsaid
            if default is not None and default.is_true():
                yield from (
                    atom for atom, value in self._ground_values(fluent) if value is not None and value.is_true()
                )
        for expression, value in explicit.items():
            if value.is_bool_constant() and value.is_true():
                yield (expression.fluent().name, *map(object_name, expression.args))

    def _uncertain(self) -> Iterator[Uncertain]:
        """Yield what the constraints of a contingent problem say of hidden fluents."""
        groups = [(group, False) for group in getattr(self.problem, "or_constraints", ())]
        groups += [(group, True) for group in getattr(self.problem, "oneof_constraints", ())]
        for group, is_one in groups:
            self.read.feature("uncertain-initial-state", str(group[0]))
            options = []
            for literal in group:
                fluent = literal.arg(0) if literal.is_not() else literal
                if not (fluent.is_fluent_exp() and fluent.type.is_bool_type()):
                    self.read.feature("hidden-fluents-that-are-no-literals", str(literal))
                    return
                atom = (fluent.fluent().name, *map(object_name, fluent.args))
                options.append(((atom, not literal.is_not()),))
            yield Uncertain(options=tuple(options), is_one=is_one)

    def _init_of_objects(self, fluents: Iterable[Any]) -> Iterator[GroundAtom]:
        """Yield the atom of each value that an object fluent has; without one it is equal to nothing."""
        for fluent in fluents:
            self.read.feature("fluents-of-objects", fluent.name)
            for (name, *args), value in self._ground_values(fluent):
                if value is not None:
                    yield (predicate_of(name), *args, object_name(value))

    def _values(self, fluents: Iterable[Any]) -> Iterator[tuple[GroundAtom, Fraction]]:
        for fluent in fluents:
            for atom, value in self._ground_values(fluent):
                if value is not None and (value.is_int_constant() or value.is_real_constant()):
                    yield atom, Fraction(value.constant_value())

    def _ground_values(self, fluent: Any) -> Iterator[tuple[GroundAtom, FNode | None]]:
        explicit = self.problem.explicit_initial_values
        default = self.problem.fluents_defaults.get(fluent)
        domains = []
        for parameter in fluent.signature:
            domain = self._domain(parameter.type)
            if domain is None:
                self.read.feature("unbounded-parameters", fluent.name)
                return
            domains.append(domain)
        for arguments in product(*domains):
            expression = fluent(*arguments)
            value = explicit.get(expression, default)
            yield (fluent.name, *map(object_name, expression.args)), value

    def _domain(self, kind: Any) -> list[Any] | None:
        """Return the values of a type; None where they are too many."""
        if kind.is_user_type():
            return list(self.problem.objects(kind))
        names = names_of(kind)
        if names is None:
            return None
        return [name == "true" for name in names] if kind.is_bool_type() else list(map(int, names))

    # --- actions -------------------------------------------------------------------------------

    def _action(self, action: Any, costs: dict[str, Expression]) -> Action:
        self.read.within = action.name
        try:
            return self._action_within(action, costs)
        finally:
            self.read.within = ""

    def _action_within(self, action: Any, costs: dict[str, Expression]) -> Action:
        parameters = self.read.parameters(action.parameters, narrowed(action))
        if not hasattr(action, "preconditions"):
            return Action(name=action.name, parameters=parameters, precondition=TRUE, effects=())
        effects = list(self.read.effects(action.effects, action.name))
        observed = tuple(map(self.read.formula, getattr(action, "observed_fluents", ())))
        if hasattr(action, "observed_fluents"):
            self.read.feature("sensing-actions", action.name)
        if getattr(action, "simulated_effect", None) is not None:
            self.read.feature("simulated-effects", action.name)
        if action.name in costs:
            effects.append(NumericEffect("increase", TOTAL_COST, costs[action.name]))
        if self.is_temporal:  # another step of the same time may take a number further
            note_bounds(self.read, action.effects, action.name)
        inside = within_bounds(self.read, action.effects, action.name)
        precondition = And((*map(self.read.formula, action.preconditions), *inside))
        return Action(
            name=action.name,
            parameters=parameters,
            precondition=precondition,
            effects=tuple(effects),
            observed=observed,
        )

    def _costs(self) -> dict[str, Expression]:
        """Return the cost of each action, where the metric is the sum of action costs."""
        costs: dict[str, Expression] = {}
        for metric in self.problem.quality_metrics:
            if metric.is_minimize_action_costs():
                if self._changes_total_cost():
                    self.read.feature("total-cost-as-a-fluent", "beside the costs of actions")
                for action in self.problem.actions:
                    cost = metric.get_action_cost(action)
                    costs[action.name] = Number(Fraction(0)) if cost is None else self.read.expression(cost)
        return costs

    def _changes_total_cost(self) -> bool:
        """Return whether effects change a fluent of the name under which the costs of actions are summed."""
        effects = (effect for action in self.problem.actions for effect in getattr(action, "effects", ()))
        plain = (effect for effect in effects if hasattr(effect, "fluent"))  # those of durative actions are by time
        return any(effect.fluent.fluent().name == TOTAL_COST.function for effect in plain)

    def _metric(self) -> Metric | None:
        metrics = list(self.problem.quality_metrics)
        if len(metrics) > 1:  # a plan that is best by one of them may not be by another
            return Metric(optimization="minimize", expression=Fluent("several metrics at once", ()))
        if not metrics or metrics[0].is_minimize_sequential_plan_length():
            return None
        if metrics[0].is_minimize_action_costs():
            return Metric(optimization="minimize", expression=TOTAL_COST)
        if metrics[0].is_minimize_expression_on_final_state():
            return Metric(optimization="minimize", expression=self.read.expression(metrics[0].expression))
        if metrics[0].is_maximize_expression_on_final_state():
            return Metric(optimization="maximize", expression=self.read.expression(metrics[0].expression))
        if metrics[0].is_minimize_makespan():
            return Metric(optimization="minimize", expression=Fluent("total-time", ()))
        return Metric(optimization="minimize", expression=Fluent(type(metrics[0]).__name__, ()))

"""unified-planning problems and plans as models and plans of this package, and back.

Nothing here is imported unless a unified-planning value is given. The conversion walks the problem itself: the detour
through PDDL text would rename, and cannot express actions without effects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any

from validator.errors import ModelError
from validator.model import (
    TRUE,
    Action,
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Domain,
    Effect,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Metric,
    Model,
    Not,
    Number,
    NumericEffect,
    Or,
    Parameter,
    Problem,
    Types,
)
from validator.plan import Plan, Step

if TYPE_CHECKING:
    from unified_planning.model import FNode
    from unified_planning.model import Problem as UpProblem
    from unified_planning.plans import SequentialPlan

__all__ = ["is_up", "model_from_up", "plan_from_up", "plan_to_up"]

_TOTAL_COST = Fluent("total-cost", ())
_TRUE_OR_FALSE = (TRUE, Or(()))


def is_up(value: object) -> bool:
    """Return whether a value comes from unified-planning, without importing it."""
    return type(value).__module__.partition(".")[0] == "unified_planning"


def plan_from_up(plan: SequentialPlan) -> Plan:
    """Return a sequential plan of unified-planning as a plan. Raises ModelError for any other kind of plan."""
    if getattr(getattr(plan, "kind", None), "name", None) != "SEQUENTIAL_PLAN":
        raise ModelError(f"a SequentialPlan was expected, not a {type(plan).__name__}")
    return Plan(
        parts=tuple(
            Step(name=instance.action.name, args=tuple(_object_name(value) for value in instance.actual_parameters))
            for instance in plan.actions
        )
    )


def plan_to_up(steps: Iterable[Step], problem: UpProblem) -> SequentialPlan:
    """Return steps of a problem as a SequentialPlan of it."""
    from unified_planning.plans import ActionInstance, SequentialPlan

    manager = problem.environment.expression_manager
    instances = [
        ActionInstance(problem.action(step.name), tuple(manager.ObjectExp(problem.object(arg)) for arg in step.args))
        for step in steps
    ]
    return SequentialPlan(instances, problem.environment)


def model_from_up(problem: UpProblem) -> Model:
    """Return a unified-planning problem as a model; what is not executed is among its features.

    Names stay as they are, case and all.
    """
    return _Reader(problem).model()


def _object_name(value: FNode) -> str:
    return str(value.object().name) if value.is_object_exp() else str(value)


class _Reader:
    def __init__(self, problem: UpProblem) -> None:
        self.problem = problem
        self.features: dict[str, str] = {}

    def model(self) -> Model:
        problem = self.problem
        kind = type(problem).__name__
        if not hasattr(problem, "actions"):
            raise ModelError(f"a {kind} is not a planning problem with actions")
        if kind not in ("Problem", "EditProblem"):
            self._feature("other-problem-classes", kind)
        parents = {
            kind.name: frozenset((kind.father.name if kind.father is not None else "object",))
            for kind in problem.user_types
            if kind.name != "object"
        }
        boolean = [fluent for fluent in problem.fluents if fluent.type.is_bool_type()]
        other = [fluent for fluent in problem.fluents if not fluent.type.is_bool_type()]
        for fluent in other:
            if fluent.type.is_user_type():
                self._feature("object-fluents", fluent.name)
        costs = self._costs()
        actions = {action.name: self._action(action, costs) for action in problem.actions}
        for name in ("timed_goals", "timed_effects", "trajectory_constraints"):
            if getattr(problem, name, None):
                self._feature(name.replace("_", "-"), name)
        for name in ("processes", "events"):
            if list(getattr(problem, name, ())):
                self._feature(name, name)
        domain = Domain(
            name=str(problem.name or "problem"),
            types=Types(parents),
            constants={},
            predicates={fluent.name: self._parameters(fluent.signature) for fluent in boolean},
            functions={
                **{fluent.name: self._parameters(fluent.signature) for fluent in other},
                **({_TOTAL_COST.function: ()} if costs else {}),
            },
            actions=actions,
            features=self.features,
        )
        return Model(
            domain=domain,
            problem=Problem(
                name=str(problem.name or "problem"),
                objects={item.name: frozenset((item.type.name,)) for item in problem.all_objects},
                init=frozenset(self._init(boolean)),
                values=dict(self._values(other)),
                goal=And(tuple(self._formula(goal) for goal in problem.goals)),
                metric=self._metric(),
                features=self.features,
            ),
        )

    def _feature(self, name: str, place: str) -> None:
        self.features.setdefault(name, place)

    # --- initial state -------------------------------------------------------------------------

    def _init(self, fluents: Iterable[Any]) -> Iterator[GroundAtom]:
        explicit = self.problem.explicit_initial_values
        for fluent in fluents:
            default = self.problem.fluents_defaults.get(fluent)
            if default is None and any(value is None for _, value in self._ground_values(fluent)):
                self._feature("undefined-initial-values", fluent.name)
            if default is not None and default.is_true():
                yield from (
                    atom for atom, value in self._ground_values(fluent) if value is not None and value.is_true()
                )
        for expression, value in explicit.items():
            if value.is_bool_constant() and value.is_true():
                yield (expression.fluent().name, *map(_object_name, expression.args))

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
            if not parameter.type.is_user_type():
                self._feature("parameters-that-are-numbers", fluent.name)
                return
            domains.append(list(self.problem.objects(parameter.type)))
        for objects in product(*domains):
            value = explicit.get(fluent(*objects), default)
            yield (fluent.name, *(item.name for item in objects)), value

    # --- actions -------------------------------------------------------------------------------

    def _parameters(self, signature: Iterable[Any]) -> tuple[Parameter, ...]:
        return tuple(Parameter(f"?{item.name}", self._types(item)) for item in signature)

    def _types(self, item: Any) -> frozenset[str]:
        if not item.type.is_user_type():
            self._feature("parameters-that-are-numbers", item.name)
            return frozenset(("object",))
        return frozenset((item.type.name,))

    def _action(self, action: Any, costs: dict[str, Expression]) -> Action:
        parameters = self._parameters(action.parameters)
        if not hasattr(action, "preconditions"):
            self._feature("durative-actions", action.name)
            return Action(name=action.name, parameters=parameters, precondition=TRUE, effects=())
        effects = [part for effect in action.effects for part in self._effect(effect)]
        if hasattr(action, "observed_fluents"):
            self._feature("sensing-actions", action.name)
        if getattr(action, "simulated_effect", None) is not None:
            self._feature("simulated-effects", action.name)
        if action.name in costs:
            effects.append(NumericEffect("increase", _TOTAL_COST, costs[action.name]))
        precondition = And(tuple(self._formula(condition) for condition in action.preconditions))
        return Action(name=action.name, parameters=parameters, precondition=precondition, effects=tuple(effects))

    def _effect(self, effect: Any) -> Iterator[Effect]:
        fluent = effect.fluent
        variables = tuple(Parameter(f"?{item.name}", self._types(item)) for item in effect.forall)
        condition = self._formula(effect.condition)
        if fluent.fluent().type.is_int_type() or fluent.fluent().type.is_real_type():
            change = self._change(effect)
            yield change if condition == TRUE and not variables else Conditional(variables, condition, (change,))
            return
        if not effect.is_assignment() or not fluent.fluent().type.is_bool_type():
            self._feature("object-fluents", str(fluent))
            return
        atom = Atom(fluent.fluent().name, tuple(map(self._term, fluent.args)))
        value = self._formula(effect.value)
        for wanted, positive in ((value, True), (Not(value), False)):
            if value in _TRUE_OR_FALSE:
                if (value == TRUE) is not positive:
                    continue
                when = condition
            else:
                when = And((condition, wanted))
            literal = Literal(atom, positive)
            yield literal if when == TRUE and not variables else Conditional(variables, when, (literal,))

    def _change(self, effect: Any) -> NumericEffect:
        """Return what an effect does to a number; one with bounds cannot be told, since a step may not leave them."""
        fluent = effect.fluent.fluent()
        self._feature("numeric-fluents", fluent.name)
        if fluent.type.lower_bound is not None or fluent.type.upper_bound is not None:
            self._feature("bounded-numbers", fluent.name)
        operator = "increase" if effect.is_increase() else "decrease" if effect.is_decrease() else "assign"
        terms = tuple(map(self._term, effect.fluent.args))
        return NumericEffect(operator, Fluent(fluent.name, terms), self._expression(effect.value))

    def _costs(self) -> dict[str, Expression]:
        """Return the cost of each action, where the metric is the sum of action costs."""
        costs: dict[str, Expression] = {}
        for metric in self.problem.quality_metrics:
            if metric.is_minimize_action_costs():
                for action in self.problem.actions:
                    cost = metric.get_action_cost(action)
                    costs[action.name] = Number(Fraction(0)) if cost is None else self._expression(cost)
        return costs

    def _metric(self) -> Metric | None:
        metrics = list(self.problem.quality_metrics)
        if not metrics or metrics[0].is_minimize_sequential_plan_length():
            return None
        if metrics[0].is_minimize_action_costs():
            return Metric(optimization="minimize", expression=_TOTAL_COST)
        if metrics[0].is_minimize_expression_on_final_state():
            return Metric(optimization="minimize", expression=self._expression(metrics[0].expression))
        if metrics[0].is_maximize_expression_on_final_state():
            return Metric(optimization="maximize", expression=self._expression(metrics[0].expression))
        return Metric(optimization="minimize", expression=Fluent(type(metrics[0]).__name__, ()))

    # --- expressions ---------------------------------------------------------------------------

    def _formula(self, node: FNode) -> Formula:
        if node.is_bool_constant():
            return _TRUE_OR_FALSE[0 if node.is_true() else 1]
        if node.is_fluent_exp():
            if not node.fluent().type.is_bool_type():
                self._feature("numeric-fluents", str(node))
            return Atom(node.fluent().name, tuple(map(self._term, node.args)))
        if node.is_not():
            return Not(self._formula(node.arg(0)))
        if node.is_and():
            return And(tuple(map(self._formula, node.args)))
        if node.is_or():
            return Or(tuple(map(self._formula, node.args)))
        if node.is_implies():
            return Imply(self._formula(node.arg(0)), self._formula(node.arg(1)))
        if node.is_iff():
            left, right = map(self._formula, node.args)
            return And((Imply(left, right), Imply(right, left)))
        if node.is_forall() or node.is_exists():
            variables = tuple(Parameter(f"?{item.name}", self._types(item)) for item in node.variables())
            part = self._formula(node.arg(0))
            return Forall(variables, part) if node.is_forall() else Exists(variables, part)
        if node.is_equals() and all(map(_is_term, node.args)):
            return Equal(self._term(node.arg(0)), self._term(node.arg(1)))
        if node.is_equals() and any(part.type.is_user_type() for part in node.args):
            self._feature("object-fluents", str(node))
            return TRUE
        if node.is_le() or node.is_lt() or node.is_equals():
            self._feature("numeric-fluents", str(node))
            comparator = "<=" if node.is_le() else "<" if node.is_lt() else "="
            return Compare(comparator, *map(self._expression, node.args))
        self._feature("constraints", str(node))
        return TRUE

    def _term(self, node: FNode) -> str:
        if node.is_object_exp():
            return str(node.object().name)
        if node.is_parameter_exp():
            return f"?{node.parameter().name}"
        if node.is_variable_exp():
            return f"?{node.variable().name}"
        self._feature("object-fluents", str(node))
        return str(node)

    def _expression(self, node: FNode) -> Expression:
        if node.is_int_constant() or node.is_real_constant():
            return Number(Fraction(node.constant_value()))
        if node.is_fluent_exp():
            return Fluent(node.fluent().name, tuple(map(self._term, node.args)))
        for operator, is_it in (("+", node.is_plus), ("-", node.is_minus), ("*", node.is_times), ("/", node.is_div)):
            if is_it():
                return Arithmetic(operator, tuple(map(self._expression, node.args)))
        self._feature("numeric-fluents", str(node))
        return Number(Fraction(0))


def _is_term(node: FNode) -> bool:
    return bool(node.is_object_exp() or node.is_parameter_exp() or node.is_variable_exp())

"""The modified planning problem as an ordinary unified-planning problem, to look at or to give to any planner.

The same modification as in ``validator.repair.edit``, before grounding: an action ``insert_NAME`` for each action NAME,
and for each line *i* of the plan, from 1, ``skip_i`` and, where the line is a step of the model, ``keep_i``, the step's
action with its arguments put in. Fluents ``at_0 .. at_n`` tell how much of the plan is consumed. The costs are those of
``validator.repair.edit.Weighting``, so that a cheapest plan costs the same in both forms; a test holds them to it.

Importing this module imports unified-planning.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from unified_planning.environment import Environment
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter
from unified_planning.model import Fluent as UpFluent
from unified_planning.model import InstantaneousAction, MinimizeActionCosts
from unified_planning.model import Problem as UpProblem
from unified_planning.plans import SequentialPlan

from validator.errors import ModelError, UnsupportedError
from validator.execution.simulator import Simulator
from validator.grounding.encode import encode
from validator.model.conditions import bindings
from validator.model.values import Measure, Model, fluents_of
from validator.reading.plan import Plan, Step, Token
from validator.repair import Policy
from validator.repair.cheapest import Optimum
from validator.repair.edit import LARGEST, Edit, Move, Weighting
from validator.up import is_up
from validator.up.pddl import names_of_two_things
from validator.up.problems import model_from_up, plan_from_up


class EditProblem(UpProblem):  # type: ignore[misc]
    """A modified problem that knows what its actions stand for.

    ``lines`` has the edit of each keep and skip action by name, ``insertions`` the model's action of each insert
    action. ``scale`` is what the model's costs are multiplied by.
    """

    def __init__(self, name: str, environment: Environment, weighting: Weighting, scale: int) -> None:
        super().__init__(name, environment)
        self.weighting = weighting
        self.scale = scale
        self.lines: dict[str, Edit] = {}
        self.insertions: dict[str, str] = {}

    @property
    def forced_cost(self) -> int:
        """Return what the lines cost that can only be skipped."""
        lines, kept = (sum(edit.move is move for edit in self.lines.values()) for move in (Move.SKIP, Move.KEEP))
        return (lines - kept) * self.weighting.skip

    def edits(self, steps: Iterable[Step]) -> tuple[Edit, ...]:
        """Read a plan of this problem; every line of the observed plan appears once, in order."""
        return tuple(
            self.lines.get(step.name)
            or Edit(move=Move.INSERT, token=Step(name=self.insertions[step.name], args=step.args))
            for step in steps
        )


def edit_problem(
    problem: UpProblem,
    plan: SequentialPlan | Plan,
    *,
    with_goal: bool = True,
    policy: Policy | str = Policy.EDITS,
    model: Model | None = None,
) -> EditProblem:
    """Return the modified problem of a problem and an observed plan; ``with_goal`` asks for the model's goal as well.

    ``model`` is the same problem as a model, of which the costs are taken; None: as ``model_from_up`` has it. Raises
    UnsupportedError for a problem that is not classical, and for the policy ``move``, ValueError for costs that cannot
    be integers of 32 bits.
    """
    if Policy(policy) is Policy.MOVE:
        raise UnsupportedError("the modified problem with moves is not written for other planners")
    tokens = _tokens(plan)
    weighting = Weighting.keeping(len(tokens)) if Policy(policy) is Policy.KEEP else Weighting.edits()
    return _Builder(problem, model, tokens, weighting).build(with_goal)


def cost_problem(problem: UpProblem, model: Model | None = None) -> EditProblem:
    """Return a problem whose cheapest plan costs what the cheapest plan of the given one does, times ``scale``.

    It is the modified problem without any line. Errors as in ``edit_problem``.
    """
    return _Builder(problem, model, (), Weighting.own_costs()).build(with_goal=True)


def cheapest_edit_problem(
    problem: UpProblem, plan: SequentialPlan | Plan, optimum: Optimum, model: Model | None = None
) -> EditProblem:
    """Return the modified problem whose cheapest plan is, of the model's cheapest plans, the nearest to the observed.

    ``optimum`` is proven and has a plan. Raises ValueError when the costs could pass the 30 bits of a search.
    """
    tokens = _tokens(plan)
    most_edits = len(tokens) + len(optimum.plan or ())
    weighting = Weighting.cheapest(most_edits)
    if weighting.insertion(optimum.upper or 0) + most_edits > LARGEST:
        raise ValueError("the costs of the modified problem do not fit 30 bits")
    return _Builder(problem, model, tokens, weighting).build(with_goal=True)


def dump(problem: UpProblem, directory: str | Path) -> Any:
    """Write ``domain.pddl`` and ``problem.pddl`` into a directory, and return the writer, which knows the names.

    Raises ModelError for what unified-planning cannot write.
    """
    writer = PDDLWriter(problem)
    try:
        writer.write_domain(str(Path(directory) / "domain.pddl"))
        writer.write_problem(str(Path(directory) / "problem.pddl"))
    except UPException as error:
        raise ModelError(f"unified-planning cannot write the modified problem: {error}") from None
    return writer


def _tokens(plan: SequentialPlan | Plan) -> tuple[Token, ...]:
    observed = plan_from_up(plan) if is_up(plan) else plan
    return tuple(observed.tokens or observed.unread)


# --- building --------------------------------------------------------------------------------------


class _Builder:
    """Builds the modified problem of a problem and the lines of an observed plan.

    Raises UnsupportedError for a problem that is not classical, ValueError for costs that cannot be integers of 32
    bits.
    """

    def __init__(self, problem: UpProblem, model: Model | None, tokens: Iterable[Token], weighting: Weighting) -> None:
        model = model or model_from_up(problem)
        if model.features:
            named = ", ".join(sorted(model.features))
            raise UnsupportedError(f"the modified problem is written for classical models, not with {named}")
        self.problem = problem
        self.manager = problem.environment.expression_manager
        self.model = model
        self.simulator = Simulator(model)
        self.tokens = tuple(map(self.simulator.resolve, tokens))
        self.weighting = weighting
        name = f"edit-{problem.name or 'problem'}"
        self.modified = EditProblem(name, problem.environment, weighting, encode(self.simulator).scale)
        self.costs: dict[Any, Any] = {}

    def build(self, with_goal: bool) -> EditProblem:
        with names_of_two_things(self.problem.environment):
            return self._build(with_goal)

    def _build(self, with_goal: bool) -> EditProblem:
        self._copy_state()
        places = self._places()
        for action in self.problem.actions:
            if action.effects:  # one that changes nothing is worth keeping, never inserting
                self._insertion(action)
        for place, token in enumerate(self.tokens):
            self._line(place + 1, token, places[place : place + 2])
        goals = self.problem.goals if with_goal else ()
        if self.manager.And(goals).simplify().is_false():  # which cannot be written, and nothing makes true
            goals = (self.modified.add_fluent(self._fresh("never"), default_initial_value=False)(),)
        for goal in goals:
            self.modified.add_goal(goal)
        self.modified.add_goal(places[-1])
        self.modified.add_quality_metric(MinimizeActionCosts(self.costs, environment=self.problem.environment))
        return self.modified

    def _copy_state(self) -> None:
        """Copy types, objects, and boolean fluents with their values; numbers come back as prices."""
        modified = self.modified
        for kind in self.problem.user_types:
            modified._add_user_type(kind)  # PDDLReader does so, too: a type may have nothing but a quantifier
        modified.add_objects(self.problem.all_objects)
        for fluent in self.problem.fluents:
            if fluent.type.is_bool_type():
                modified.add_fluent(fluent, default_initial_value=self.problem.fluents_defaults.get(fluent))
        for expression, value in self.problem.explicit_initial_values.items():
            if expression.type.is_bool_type():
                modified.set_initial_value(expression, value)

    def _fresh(self, name: str) -> str:
        while self.modified.has_name(name):
            name += "_"
        return name

    def _places(self) -> list[Any]:
        names = [self._fresh(f"at_{place}") for place in range(len(self.tokens) + 1)]
        fluents = [self.modified.add_fluent(name, default_initial_value=False) for name in names]
        self.modified.set_initial_value(fluents[0], True)
        return fluents

    # --- insertions ----------------------------------------------------------------------------

    def _insertion(self, action: Any) -> None:
        insert = self._copy(action, self._fresh(f"insert_{action.name}"), action.parameters, {})
        names, prices = self._prices(action.name)
        read = [insert.parameter(name[1:]) for name in names]
        values = {key: value for key, value in prices.items() if value is not None}
        if len(values) < len(prices):
            priced = self._table(f"priced_{action.name}", read, dict.fromkeys(values, True), False)
            insert.add_precondition(priced(*read))
        different = set(values.values())
        if len(different) == 1:
            cost: Any = different.pop()
        else:
            cost = self._table(f"price_{action.name}", read, values, 0)(*read)
        self._add(insert, cost)
        self.modified.insertions[insert.name] = action.name

    def _table(self, name: str, parameters: list[Any], values: dict[tuple[str, ...], Any], default: bool | int) -> Any:
        """Add a static fluent with a value, a truth or a number, for some tuples of objects."""
        types = self.problem.environment.type_manager
        kind = types.BoolType() if isinstance(default, bool) else types.IntType()
        signature = OrderedDict((parameter.name, parameter.type) for parameter in parameters)
        fluent = UpFluent(self._fresh(name), kind, signature, self.problem.environment)
        self.modified.add_fluent(fluent, default_initial_value=default)
        for names, value in values.items():
            self.modified.set_initial_value(fluent(*map(self.problem.object, names)), value)
        return fluent

    # --- lines of the plan ---------------------------------------------------------------------

    def _line(self, number: int, token: Token, places: list[Any]) -> None:
        if isinstance(token, Step) and self._is_step(token):
            keep = self._ground(token, self._fresh(f"keep_{number}"))
            self.modified.lines[keep.name] = Edit(move=Move.KEEP, token=token)
            self._consume(keep, places, self.weighting.keeping_cost(self._cost(token) or 0))
        skip = InstantaneousAction(self._fresh(f"skip_{number}"), _env=self.problem.environment)
        self.modified.lines[skip.name] = Edit(move=Move.SKIP, token=token)
        self._consume(skip, places, self.weighting.skip)

    def _is_step(self, token: Step) -> bool:
        return not self.simulator.malformed(0, token) and self._cost(token) is not None

    def _ground(self, step: Step, name: str) -> Any:
        """Return the action of a step with its arguments in the place of its parameters."""
        action = self.problem.action(step.name)
        objects = [self.manager.ObjectExp(self.problem.object(arg)) for arg in step.args]
        return self._copy(action, name, (), dict(zip(action.parameters, objects, strict=True)))

    def _consume(self, action: Any, places: list[Any], cost: int) -> None:
        before, after = places
        action.add_precondition(before)
        action.add_effect(before, False)
        action.add_effect(after, True)
        self._add(action, cost)

    # --- actions -------------------------------------------------------------------------------

    def _copy(self, action: Any, name: str, parameters: Iterable[Any], values: dict[Any, Any]) -> Any:
        """Return an action with ``values`` in the place of parameters.

        An assignment of a formula becomes two conditional effects, as PDDL has it.
        """
        signature = OrderedDict((parameter.name, parameter.type) for parameter in parameters)
        copy = InstantaneousAction(name, signature, self.problem.environment)
        for condition in action.preconditions:
            copy.add_precondition(condition.substitute(values))
        for effect in action.effects:
            parts = (effect.fluent, effect.value.simplify(), effect.condition)
            fluent, value, condition = (part.substitute(values) for part in parts)
            if not fluent.type.is_bool_type():
                continue
            if value.is_bool_constant():
                copy.add_effect(fluent, value, condition, effect.forall)
            else:
                copy.add_effect(fluent, True, self.manager.And(condition, value).simplify(), effect.forall)
                negation = self.manager.And(condition, self.manager.Not(value)).simplify()
                copy.add_effect(fluent, False, negation, effect.forall)
        return copy

    def _add(self, action: Any, cost: Any) -> None:
        self.modified.add_action(action)
        self.costs[action] = cost

    # --- costs ---------------------------------------------------------------------------------

    def _cost(self, step: Step) -> int | None:
        """Return what a step costs as a whole number; None where the model leaves it undefined."""
        cost = self.simulator.cost_of(step)
        if cost is None:
            return None
        return int(cost * self.modified.scale) if self.simulator.measure is Measure.TOTAL_COST else 1

    def _prices(self, name: str) -> tuple[list[str], dict[tuple[str, ...], int | None]]:
        """Return the parameters that the cost of an action depends on, and what inserting it costs by their objects."""
        action = self.model.domain.actions[name]
        read = {term for cost in self.simulator.schema(name).costs for part in fluents_of(cost) for term in part.terms}
        parameters = tuple(parameter for parameter in action.parameters if parameter.name in read)
        values = dict[tuple[str, ...], int | None]()
        for binding in bindings(self.model, parameters, {}):  # what else the step has may be anything
            args = tuple(binding.get(parameter.name, "") for parameter in action.parameters)
            cost = self._cost(Step(name=name, args=args))
            key = tuple(binding[parameter.name] for parameter in parameters)
            values[key] = None if cost is None else self.weighting.insertion(cost)
        return [parameter.name for parameter in parameters], values

"""The actions, fluents and costs of a modified problem of unified-planning; see ``validator.up.edit.problem``.

Importing this module imports unified-planning.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

from unified_planning.environment import Environment
from unified_planning.model import Fluent as UpFluent
from unified_planning.model import InstantaneousAction, MinimizeActionCosts, MinimizeSequentialPlanLength
from unified_planning.model import Problem as UpProblem

from validator.errors import ModelError
from validator.execution.simulator import Simulator
from validator.reading.plan import Step, Token
from validator.repair.edit import Edit, Move, Weighting
from validator.up.edit.costs import StepCosts
from validator.up.pddl import names_of_two_things
from validator.up.problems import model_from_up

__all__ = ["EditBuilder", "EditProblem"]


class EditProblem(UpProblem):  # type: ignore[misc]
    """A modified problem that knows what its actions stand for.

    ``lines`` has the edit of each keep and skip action by name, ``insertions`` the model's action of each insert
    action, ``passing`` the actions that only end a skip. ``scale`` is what the model's costs are multiplied by.
    """

    def __init__(self, name: str, environment: Environment, weighting: Weighting, scale: int, by_length: bool) -> None:
        super().__init__(name, environment)
        self.weighting = weighting
        self.scale = scale
        self.by_length = by_length
        self.lines: dict[str, Edit] = {}
        self.insertions: dict[str, str] = {}
        self.passing: set[str] = set()

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
            if step.name not in self.passing
        )

    def cost(self, steps: Sequence[Step], total: int) -> int:
        """Return the cost of a plan of this problem, given the value of its metric."""
        if not self.quality_metrics:
            return sum(edit.move is not Move.KEEP for edit in self.edits(steps))
        lines = sum(edit.move is Move.SKIP for edit in self.lines.values())
        return len(steps) - lines if self.by_length else total


class EditBuilder:
    """Builds the modified problem of a problem and the lines of an observed plan.

    Raises ModelError for a problem with features that are not executed, ValueError for costs that cannot be integers
    of 32 bits, or that the plan's length is to tell and cannot.
    """

    def __init__(self, problem: UpProblem, tokens: Iterable[Token], weighting: Weighting, by_length: bool) -> None:
        model = model_from_up(problem)
        if model.features:
            raise ModelError(f"the modified problem cannot express: {', '.join(sorted(model.features))}")
        if by_length and weighting not in (Weighting.own_costs(), Weighting.edits()):
            raise ValueError("only the policy 'edits' can be told by the length of a plan")
        self.problem = problem
        self.manager = problem.environment.expression_manager
        self.model = model
        self.simulator = Simulator(model)
        self.own_costs = StepCosts(self.simulator, weighting)
        self.tokens = tuple(map(self.simulator.resolve, tokens))
        self.weighting = weighting
        self.by_length = by_length
        name = f"edit-{problem.name or 'problem'}"
        self.modified = EditProblem(name, problem.environment, weighting, self.own_costs.scale, by_length)
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
        for goal in self.problem.goals if with_goal else ():
            self.modified.add_goal(goal)
        self.modified.add_goal(places[-1])
        self.modified.add_quality_metric(self._metric())
        return self.modified

    def _metric(self) -> Any:
        environment = self.problem.environment
        if not self.by_length:
            return MinimizeActionCosts(self.costs, environment=environment)
        return MinimizeSequentialPlanLength(environment=environment)

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
        price = self.own_costs.price(action.name)
        read = [insert.parameter(parameter.name[1:]) for parameter in price.parameters]
        values = {key: value for key, value in price.values.items() if value is not None}
        if len(values) < len(price.values):
            priced = self._table(f"priced_{action.name}", read, dict.fromkeys(values, True), False)
            insert.add_precondition(priced(*read))
        different = set(values.values())
        if self.by_length and different != {1}:
            raise ValueError(f"a step '{action.name}' does not cost 1: its cost cannot be told by the length of a plan")
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
            self._consume(keep, places, self.weighting.keeping_cost(self.own_costs.of(token) or 0))
        skip = self._empty(f"skip_{number}")
        self.modified.lines[skip.name] = Edit(move=Move.SKIP, token=token)
        if not self.by_length:
            self._consume(skip, places, self.weighting.skip)
            return
        before, after = places
        half = self.modified.add_fluent(self._fresh(f"half_{number}"), default_initial_value=False)
        self._consume(skip, [before, half], 1)
        skipped = self._empty(f"skipped_{number}")
        self.modified.passing.add(skipped.name)
        self._consume(skipped, [half, after], 1)

    def _empty(self, name: str) -> Any:
        return InstantaneousAction(self._fresh(name), _env=self.problem.environment)

    def _is_step(self, token: Step) -> bool:
        return not self.simulator.malformed(0, token) and self.own_costs.of(token) is not None

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

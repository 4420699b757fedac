"""The modified planning problem as an ordinary unified-planning problem, to look at or to give to any planner.

The same modification as in ``validator.repair.edit``, before grounding: an action ``insert_NAME`` for each action NAME,
and for each line *i* of the plan, from 1, ``skip_i`` and, where the line is a step of the model, ``keep_i``, the step's
action with its arguments put in. Fluents ``at_0 .. at_n`` tell how much of the plan is consumed. The costs are those of
``validator.repair.edit.Weighting``, so that a cheapest plan costs the same in both forms; a test holds them to it.

For engines without costs there is a form ``by_length``: a skipped line takes two actions, ``skip_i`` and ``skipped_i``,
so that a plan has as many actions as the observed one has lines, and one more for each changed line.

Importing this module imports unified-planning.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter
from unified_planning.model import Problem as UpProblem
from unified_planning.plans import SequentialPlan

from validator.errors import ModelError, UnsupportedError
from validator.reading.plan import Plan, Token
from validator.repair.cheapest import Optimum
from validator.repair.edit import LARGEST, Weighting
from validator.repair.policy import Policy
from validator.up import is_up
from validator.up.edit.builder import EditBuilder, EditProblem
from validator.up.problems import plan_from_up

__all__ = ["EditProblem", "cheapest_edit_problem", "cost_problem", "dump", "edit_problem"]


def edit_problem(
    problem: UpProblem,
    plan: SequentialPlan | Plan,
    *,
    with_goal: bool = True,
    policy: Policy | str = Policy.EDITS,
    by_length: bool = False,
) -> EditProblem:
    """Return the modified problem of a problem and an observed plan; ``with_goal`` asks for the model's goal as well.

    ``by_length`` is for engines without costs: a shortest plan is a nearest one.

    Raises ModelError for a problem with features that are not executed, UnsupportedError for the policy ``move``,
    ValueError for costs that cannot be integers of 32 bits, or by length for another policy than ``edits``.
    """
    if Policy(policy) is Policy.MOVE:
        raise UnsupportedError("the modified problem with moves is not written for other planners")
    tokens = _tokens(plan)
    weighting = Weighting.keeping(len(tokens)) if Policy(policy) is Policy.KEEP else Weighting.edits()
    return EditBuilder(problem, tokens, weighting, by_length).build(with_goal)


def cost_problem(problem: UpProblem, *, by_length: bool = False) -> EditProblem:
    """Return a problem whose cheapest plan costs what the cheapest plan of the given one does, times ``scale``.

    It is the modified problem without any line. Errors as in ``edit_problem``; by length every step must cost one.
    """
    return EditBuilder(problem, (), Weighting.own_costs(), by_length).build(with_goal=True)


def cheapest_edit_problem(problem: UpProblem, plan: SequentialPlan | Plan, optimum: Optimum) -> EditProblem:
    """Return the modified problem whose cheapest plan is, of the model's cheapest plans, the nearest to the observed.

    ``optimum`` is proven and has a plan. Raises ValueError when the costs could pass the 30 bits of a search.
    """
    tokens = _tokens(plan)
    most_edits = len(tokens) + len(optimum.plan or ())
    weighting = Weighting.cheapest(most_edits)
    if weighting.insertion(optimum.upper or 0) + most_edits > LARGEST:
        raise ValueError("the costs of the modified problem do not fit 30 bits")
    return EditBuilder(problem, tokens, weighting, by_length=False).build(with_goal=True)


def dump(problem: UpProblem, directory: str | Path) -> Any:
    """Write ``domain.pddl`` and ``problem.pddl`` into a directory, and return the writer, which knows the names.

    Raises ModelError for what unified-planning cannot write.
    """
    writer = PDDLWriter(_with_goal_in_words(problem))
    try:
        writer.write_domain(str(Path(directory) / "domain.pddl"))
        writer.write_problem(str(Path(directory) / "problem.pddl"))
    except UPException as error:
        raise ModelError(f"unified-planning cannot write the modified problem: {error}") from None
    return writer


def _with_goal_in_words(problem: UpProblem) -> UpProblem:
    """Return a problem whose goal can be written: one that contradicts itself is an atom that nothing makes true."""
    manager = problem.environment.expression_manager
    if not manager.And(problem.goals).simplify().is_false():
        return problem
    own = problem.clone()
    name = next(each for number in count() if not own.has_name(each := f"never{number or ''}"))
    own.clear_goals()
    own.add_goal(own.add_fluent(name, default_initial_value=False)())
    return own


def _tokens(plan: SequentialPlan | Plan) -> tuple[Token, ...]:
    observed = plan_from_up(plan) if is_up(plan) else plan
    return tuple(observed.tokens or observed.unread)

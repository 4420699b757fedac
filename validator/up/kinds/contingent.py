"""Contingent plans: trees, of which each world takes one way.

A world is an initial state that the problem allows: the values of its hidden fluents, as the constraints on them have
it. A plan has a quality where it has it in each world, by the branches whose observations are true there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from validator.execution.simulator import Simulator
from validator.execution.time.execution import execute
from validator.model.numeric import Situation, truth
from validator.model.values import Formula, Model
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace
from validator.up.expressions import ExpressionReader, object_name
from validator.up.problems import step_of

if TYPE_CHECKING:
    from unified_planning.model import ContingentProblem
    from unified_planning.plans import ContingentPlan
    from unified_planning.plans.contingent_plan import ContingentPlanNode

__all__ = ["Way", "not_plain", "told", "way", "worlds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The steps that a plan takes in a world.

    ``lost`` says why it does not go on, empty where it comes to an end. Nothing follows where ``is_over``: no branch is
    for what is seen; else it is not told which of its branches the plan takes.
    """

    model: Model
    plan: Plan
    lost: str = ""
    is_over: bool = True


def not_plain(problem: ContingentProblem) -> str:
    """Return what is said of hidden fluents and is no literal of a fact, empty where all of it is."""
    plain = (_plain(said) for said in sorted(problem.hidden_fluents, key=str))
    return next((str(said) for said in plain if not (said.is_fluent_exp() and said.type.is_bool_type())), "")


def worlds(problem: ContingentProblem) -> Iterator[dict[Any, bool]]:
    """Yield the values of the hidden fluents in each initial state that the problem allows."""
    hidden = sorted({_plain(fluent) for fluent in problem.hidden_fluents}, key=str)
    constraints = [(group, False) for group in problem.or_constraints]
    constraints += [(group, True) for group in problem.oneof_constraints]
    yield from _extended(hidden, constraints, {})


def _extended(
    hidden: list[Any], constraints: list[tuple[Any, bool]], known: dict[Any, bool]
) -> Iterator[dict[Any, bool]]:
    if any(_is_broken(group, known, is_one=is_one) for group, is_one in constraints):
        return
    if len(known) == len(hidden):
        yield dict(known)
        return
    fluent = hidden[len(known)]
    for value in (True, False):
        yield from _extended(hidden, constraints, {**known, fluent: value})


def _is_broken(group: Any, known: dict[Any, bool], *, is_one: bool) -> bool:
    """Return whether no values of the other fluents make a constraint true."""
    told = [known[_plain(one)] is not one.is_not() for one in group if _plain(one) in known]
    return (is_one and sum(told) > 1) or (len(told) == len(group) and not any(told))


def _plain(fluent: Any) -> Any:
    return fluent.arg(0) if fluent.is_not() else fluent


def way(model: Model, plan: ContingentPlan, world: dict[Any, bool]) -> Way:
    """Return the way of a plan through a world."""
    atoms = {(fluent.fluent().name, *map(object_name, fluent.args)): value for fluent, value in world.items()}
    init = (model.problem.init - atoms.keys()) | {atom for atom, value in atoms.items() if value}
    own = replace(model, problem=replace(model.problem, init=frozenset(init)))
    simulator, steps, node = Simulator(own), list[Step](), plan.root_node
    now = _situation(simulator, steps)
    while node is not None:
        before = now
        steps.append(step_of(node.action_instance))
        if not node.children:
            break
        now = _situation(simulator, steps)
        found = [child for seen, child in node.children if _is_seen(seen, now)]
        lost = _not_told(node, before, now)
        if not lost and len(found) > 1:
            lost = f"several branches are for what {steps[-1]} observes"
        if lost or not found:
            why = lost or f"no branch is for what {steps[-1]} observes"
            return Way(model=own, plan=Plan(parts=tuple(steps)), lost=why, is_over=not lost)
        [node] = found
    return Way(model=own, plan=Plan(parts=tuple(steps)))


def _situation(simulator: Simulator, steps: list[Step]) -> Situation:
    return execute(simulator, Plan(parts=tuple(steps))).state.situation()


def _not_told(node: ContingentPlanNode, before: Situation, now: Situation) -> str:
    """Return why a step does not tell its branches apart, empty where it does.

    It distinguishes what it observes. Whether that is the world before its effects or after them, nothing says.
    """
    instance = node.action_instance
    given = dict(zip(instance.action.parameters, instance.actual_parameters, strict=True))
    observed = {fluent.substitute(given) for fluent in getattr(instance.action, "observed_fluents", ())}
    for seen, _ in node.children:
        for fluent, value in seen.items():
            if fluent not in observed:
                return f"a branch is for {fluent}, which {instance} does not observe"
            if _is_seen({fluent: value}, before) is not _is_seen({fluent: value}, now):
                return f"{instance} changes {fluent}, which it observes"
    return ""


def _is_seen(observation: dict[Any, Any], situation: Situation) -> bool:
    """Return whether what a branch is for is true."""
    read = ExpressionReader()
    return all(truth(_formula(read, fluent, value), {}, situation) is True for fluent, value in observation.items())


def _formula(read: ExpressionReader, fluent: Any, value: Any) -> Formula:
    if value.is_bool_constant():
        return read.formula(fluent if value.is_true() else fluent.environment.expression_manager.Not(fluent))
    return read.formula(fluent.environment.expression_manager.Equals(fluent, value))


def told(world: dict[Any, bool]) -> str:
    """Return a world as text."""
    return ", ".join(f"{fluent} is {'true' if value else 'false'}" for fluent, value in world.items())

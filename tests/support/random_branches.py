"""Small random problems in which some is hidden, with plans that branch, and what is right of them, by all worlds.

A world is a way in which the hidden facts may be at first. In each a plan takes the way of what its steps observe; it
has a quality where it has it in all. ``None`` is what a plan does not say: where several branches fit, where one is for
what its step does not observe, where a step changes what it observes, or where it ends for want of a branch though its
goal holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unified_planning.model import ContingentProblem
    from unified_planning.plans import ContingentPlan

__all__ = ["Case", "expected", "in_unified_planning", "random_case"]

Atom: TypeAlias = tuple[str, ...]
Literal: TypeAlias = tuple[Atom, bool]
State: TypeAlias = frozenset[Atom]

OBJECTS = ("a", "b", "c")
_ATOMS: tuple[Atom, ...] = (*(("at", each) for each in OBJECTS), ("p",), ("q",))
_STEPS = 4
"""on a way"""


@dataclass(frozen=True, kw_only=True)
class Act:
    """A parameter stands as ``x`` in the atoms; an effect may have a condition; what is observed are atoms."""

    has_parameter: bool
    needs: tuple[Literal, ...]
    effects: tuple[tuple[Literal, Literal | None], ...]
    observed: tuple[Atom, ...] = ()


@dataclass(eq=False)
class Node:
    name: str
    argument: str
    branches: list[tuple[dict[Atom, bool], Node]] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Case:
    """``constraints`` are kinds with their literals: ``oneof``, ``or``, ``unknown``."""

    acts: Mapping[str, Act]
    init: State
    constraints: tuple[tuple[str, tuple[Literal, ...]], ...]
    goals: tuple[Literal, ...]
    plan: Node | None


# --- what is random ----------------------------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Return a problem and a plan: one that is right, as far as one is soon found, or one with a fault or more."""
    draw = Random(f"branches {seed}")
    acts = {f"do{number}": _act(draw, senses=False) for number in range(draw.randint(2, 3))}
    acts |= {f"see{number}": _act(draw, senses=True) for number in range(draw.randint(1, 2))}
    found = Case(
        acts=acts,
        init=frozenset(atom for atom in _ATOMS if draw.random() < 0.3),
        constraints=tuple(_constraint(draw) for _ in range(draw.choice((1, 1, 2)))),
        goals=tuple((draw.choice(_ATOMS), draw.random() < 0.7) for _ in range(draw.choice((1, 1, 2)))),
        plan=None,
    )
    plan, is_to_branch = None, draw.random() < 0.7
    for _ in range(200):
        tried = _plan(draw, found, worlds(found), _STEPS)
        if expected(_with(found, tried), "valid"):
            plan = tried
            if not is_to_branch or any(len(node.branches) > 1 for node in _nodes(plan)):
                break
        plan = plan or tried
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        plan = _broken(draw, found, plan)
    return _with(found, plan)


def _with(case: Case, plan: Node | None) -> Case:
    return Case(acts=case.acts, init=case.init, constraints=case.constraints, goals=case.goals, plan=plan)


def _act(draw: Random, *, senses: bool) -> Act:
    has_parameter = draw.random() < 0.6
    atoms: list[Atom] = [("at", "x" if has_parameter else draw.choice(OBJECTS)), ("p",), ("q",)]

    def literal() -> Literal:
        return draw.choice(atoms), draw.random() < 0.65

    effects = [(literal(), literal() if draw.random() < 0.3 else None) for _ in range(draw.randint(1, 2))]
    needs = tuple(dict([literal() for _ in range(draw.choice((0, 0, 1)))]).items())
    observed = tuple(dict.fromkeys(draw.choice(atoms) for _ in range(draw.choice((1, 1, 2))))) if senses else ()
    if senses and draw.random() < 0.85:
        effects = []
    return Act(has_parameter=has_parameter, needs=needs, effects=tuple(effects), observed=observed)


def _constraint(draw: Random) -> tuple[str, tuple[Literal, ...]]:
    kind = draw.choice(("oneof", "oneof", "or", "unknown"))
    chosen = draw.sample(_ATOMS, 1 if kind == "unknown" else draw.randint(1, 3))
    return kind, tuple((atom, kind == "unknown" or draw.random() < 0.8) for atom in chosen)


def _plan(draw: Random, case: Case, belief: Sequence[State], most: int) -> Node | None:
    """Return a plan for states that nothing has told apart, which often reaches the goal."""
    if not most or (draw.random() < 0.9 and all(_holds(goal, "", state) for state in belief for goal in case.goals)):
        return None
    able = [
        (name, argument)
        for name, act in case.acts.items()
        for argument in (OBJECTS if act.has_parameter else ("",))
        if all(_holds(need, argument, state) for state in belief for need in act.needs)
    ]
    if not able:
        return None
    sensing = [each for each in able if case.acts[each[0]].observed]
    name, argument = draw.choice(sensing if sensing and draw.random() < 0.4 else able)
    act, node = case.acts[name], Node(name, argument)
    after = [_after(act, argument, state) for state in belief]
    seen = [_bound(atom, argument) for atom in act.observed]
    groups: dict[tuple[bool, ...], list[State]] = {}
    for state in after:
        groups.setdefault(tuple(atom in state for atom in seen), []).append(state)
    for values, states in groups.items():
        rest = _plan(draw, case, states, most - 1)
        if rest is not None:
            node.branches.append((dict(zip(seen, values, strict=True)), rest))
    return node


def _broken(draw: Random, case: Case, plan: Node | None) -> Node | None:
    """Return a plan with something else in it."""
    nodes = list(_nodes(plan))
    if not nodes:
        name = draw.choice(list(case.acts))
        return Node(name, draw.choice(OBJECTS) if case.acts[name].has_parameter else "")
    node = draw.choice(nodes)
    match draw.choice(("lose", "twice", "turn", "unsaid", "other", "argument", "name", "drop")):
        case "lose" if node.branches:
            del node.branches[draw.randrange(len(node.branches))]
        case "twice" if node.branches:
            seen, rest = draw.choice(node.branches)
            node.branches.append((dict(list(seen.items())[: draw.randint(0, len(seen))]), rest))
        case "turn" if node.branches:
            seen, _ = draw.choice(node.branches)
            for atom in seen:
                seen[atom] = seen[atom] is not (draw.random() < 0.6)
        case "unsaid" if node.branches:
            seen, _ = draw.choice(node.branches)
            if seen:
                del seen[draw.choice(list(seen))]
        case "other" if node.branches:
            for seen, _ in node.branches:
                seen[draw.choice(_ATOMS)] = draw.random() < 0.5
        case "argument" if case.acts[node.name].has_parameter:
            node.argument = draw.choice(OBJECTS)
        case "name":
            same = [name for name, act in case.acts.items() if act.has_parameter is case.acts[node.name].has_parameter]
            node.name = draw.choice(same)
        case "drop" if len(node.branches) == 1:
            _, rest = node.branches[0]
            node.name, node.argument, node.branches = rest.name, rest.argument, rest.branches
    return plan


def _nodes(plan: Node | None) -> Iterator[Node]:
    if plan is not None:
        yield plan
        for _, rest in plan.branches:
            yield from _nodes(rest)


# --- what is right -----------------------------------------------------------------------------------


def worlds(case: Case) -> list[State]:
    """Return all initial states that the constraints allow."""
    hidden = sorted({atom for _, literals in case.constraints for atom, _ in literals})
    found = []
    for values in product((False, True), repeat=len(hidden)):
        told = dict(zip(hidden, values, strict=True))
        state = frozenset(case.init - told.keys()) | {atom for atom, value in told.items() if value}
        if all(_is_met(kind, [_holds(each, "", state) for each in literals]) for kind, literals in case.constraints):
            found.append(state)
    return found


def _is_met(kind: str, held: Sequence[bool]) -> bool:
    return {"oneof": sum(held) == 1, "or": any(held), "unknown": True}[kind]


def expected(case: Case, quality: str) -> bool | None:
    """Return whether a plan has a quality, ``sound`` or ``valid``: in all worlds, in not all, or not told."""
    found = {_in_a_world(case, quality, state) for state in worlds(case)}
    return False if False in found else None if None in found or not found else True


def _in_a_world(case: Case, quality: str, state: State) -> bool | None:
    node = case.plan
    while node is not None:
        act = case.acts.get(node.name)
        if act is None or not all(_holds(need, node.argument, state) for need in act.needs):
            return False
        before, state = state, _after(act, node.argument, state)
        if not node.branches:
            break
        observed = {_bound(atom, node.argument) for atom in act.observed}
        told = {atom for seen, _ in node.branches for atom in seen}
        if not told <= observed or any((atom in before) is not (atom in state) for atom in told):
            return None
        fitting = [rest for seen, rest in node.branches if all((atom in state) is seen[atom] for atom in seen)]
        if len(fitting) > 1:
            return None
        if not fitting:
            is_reached = all(_holds(goal, "", state) for goal in case.goals)
            return False if quality == "valid" and not is_reached else None
        [node] = fitting
    return quality == "sound" or all(_holds(goal, "", state) for goal in case.goals)


def _bound(atom: Atom, argument: str) -> Atom:
    return tuple(argument if each == "x" else each for each in atom)


def _holds(literal: Literal, argument: str, state: State) -> bool:
    return (_bound(literal[0], argument) in state) is literal[1]


def _after(act: Act, argument: str, state: State) -> State:
    made = [literal for literal, only_if in act.effects if only_if is None or _holds(only_if, argument, state)]
    deleted = {_bound(atom, argument) for atom, value in made if not value}
    return (state - deleted) | {_bound(atom, argument) for atom, value in made if value}  # adding wins


# --- in unified-planning -----------------------------------------------------------------------------


def in_unified_planning(case: Case) -> tuple[ContingentProblem, ContingentPlan]:
    """Return a case as unified-planning has it."""
    from unified_planning.model import ContingentProblem, InstantaneousAction, SensingAction
    from unified_planning.plans import ActionInstance, ContingentPlan
    from unified_planning.plans.contingent_plan import ContingentPlanNode
    from unified_planning.shortcuts import Not, UserType

    problem, thing = ContingentProblem("random"), UserType("thing")
    fluents = {"at": problem.add_fluent("at", default_initial_value=False, thing=thing)}
    fluents |= {name: problem.add_fluent(name, default_initial_value=False) for name in "pq"}
    objects = {name: problem.add_object(name, thing) for name in OBJECTS}
    manager = problem.environment.expression_manager

    def said(atom: Atom, own: Mapping[str, Any] = objects) -> Any:
        name, *given = atom
        return fluents[name](*(own[each] for each in given))

    def formula(literal: Literal, own: Mapping[str, Any] = objects) -> Any:
        return said(literal[0], own) if literal[1] else Not(said(literal[0], own))

    for name, act in case.acts.items():
        kind = SensingAction if act.observed else InstantaneousAction
        action = kind(name, x=thing) if act.has_parameter else kind(name)
        own = {**objects, **({"x": action.parameter("x")} if act.has_parameter else {})}
        for need in act.needs:
            action.add_precondition(formula(need, own))
        for (atom, value), only_if in act.effects:
            action.add_effect(said(atom, own), value, True if only_if is None else formula(only_if, own))
        for atom in act.observed:
            action.add_observed_fluent(said(atom, own))
        problem.add_action(action)
    for atom in case.init:
        problem.set_initial_value(said(atom), True)
    for kind_of, literals in case.constraints:
        if kind_of == "unknown":
            problem.add_unknown_initial_constraint(said(literals[0][0]))
        elif kind_of == "or":
            problem.add_or_initial_constraint([formula(each) for each in literals])
        else:
            problem.add_oneof_initial_constraint([formula(each) for each in literals])
    for goal in case.goals:
        problem.add_goal(formula(goal))

    def node(given: Node) -> Any:
        arguments = (manager.ObjectExp(objects[given.argument]),) if given.argument else ()
        found = ContingentPlanNode(ActionInstance(problem.action(given.name), arguments))
        for seen, rest in given.branches:
            found.add_child({said(atom): manager.Bool(value) for atom, value in seen.items()}, node(rest))
        return found

    return problem, ContingentPlan(None if case.plan is None else node(case.plan), problem.environment)

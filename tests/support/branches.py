"""Random problems in which some is hidden, with plans that branch, and what is right of them, by all worlds.

A world is a way in which the hidden facts may be at first. In each a plan takes the way of what its steps observe; it
has a quality where it has it in all. ``None`` is what a plan does not say: where several branches fit, where one is for
what its step does not observe, where a step changes what it observes, or where it ends for want of a branch though its
goal holds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any

from tests.support.outcome_oracle import FACTS, OBJECTS, Act, Atom, Case, State, holds

if TYPE_CHECKING:
    from unified_planning.model import ContingentProblem
    from unified_planning.plans import ContingentPlan


_STEPS = 4
"""on a way"""


@dataclass(eq=False)
class Node:
    step: str
    branches: list[tuple[dict[Atom, bool], Node]] = field(default_factory=list)


def branching(seed: int) -> tuple[Case, Node | None]:
    """Return a problem and a plan: one that is right, as far as one is soon found, or one with a fault or more."""
    draw = Random(f"branches {seed}")
    acts = {f"do{number}": _act(draw, senses=False) for number in range(draw.randint(2, 3))}
    acts |= {f"see{number}": _act(draw, senses=True) for number in range(draw.randint(1, 2))}
    uncertain = []
    for _ in range(draw.choice((1, 1, 2))):
        kind = draw.choice(("oneof", "oneof", "or", "unknown"))
        chosen = draw.sample(FACTS, 1 if kind == "unknown" else draw.randint(1, 3))
        uncertain.append((kind, [[(atom, kind == "unknown" or draw.random() < 0.8)] for atom in chosen]))
    goal = [(draw.choice(FACTS), draw.random() < 0.7) for _ in range(draw.choice((1, 1, 2)))]
    case = Case(acts, {atom for atom in FACTS if draw.random() < 0.3}, uncertain, goal)
    plan, is_to_branch = None, draw.random() < 0.7
    for _ in range(200):
        tried = _plan(draw, case, worlds(case), _STEPS)
        if expected(case, tried, "valid"):
            plan = tried
            if not is_to_branch or any(len(node.branches) > 1 for node in _nodes(plan)):
                break
        plan = plan or tried
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        plan = _broken(draw, case, plan)
    return case, plan


def _act(draw: Random, *, senses: bool) -> Act:
    has_parameter = draw.random() < 0.6
    atoms: list[Atom] = [("s", "?x" if has_parameter else draw.choice(OBJECTS)), ("p",), ("q",)]

    def literal() -> tuple[Atom, bool]:
        return draw.choice(atoms), draw.random() < 0.65

    def effect() -> tuple[Any, ...]:
        made = ("lit", *literal())
        return ("when", [literal()], made) if draw.random() < 0.3 else made

    needs = list(dict([literal() for _ in range(draw.choice((0, 0, 1)))]).items())
    effects = [effect() for _ in range(draw.randint(1, 2))] if not senses or draw.random() < 0.15 else []
    observed = tuple(dict.fromkeys(draw.choice(atoms) for _ in range(draw.choice((1, 1, 2))))) if senses else ()
    return Act(needs, ("and", effects), observed, has_parameter)


def _steps(case: Case) -> list[str]:
    pairs = product(case.acts.items(), OBJECTS)
    return list(dict.fromkeys(f"{name} {argument}" if act.has_parameter else name for (name, act), argument in pairs))


def _plan(draw: Random, case: Case, belief: Sequence[State], most: int) -> Node | None:
    """Return a plan for states that nothing has told apart, which often reaches the goal."""
    if not most or (draw.random() < 0.9 and all(map(case.is_goal, belief))):
        return None
    able = [step for step in _steps(case) if all(holds(case.act(step).condition, state) for state in belief)]
    if not able:
        return None
    sensing = [step for step in able if case.act(step).observed]
    node = Node(draw.choice(sensing if sensing and draw.random() < 0.4 else able))
    groups: dict[tuple[bool, ...], list[State]] = {}
    seen = case.act(node.step).observed
    for state in belief:
        (after,) = case.after(node.step, state)
        groups.setdefault(tuple(atom in after for atom in seen), []).append(after)
    for values, states in groups.items():
        rest = _plan(draw, case, states, most - 1)
        if rest is not None:
            node.branches.append((dict(zip(seen, values, strict=True)), rest))
    return node


def _broken(draw: Random, case: Case, plan: Node | None) -> Node | None:
    """Return a plan with something else in it."""
    nodes = list(_nodes(plan))
    if not nodes:
        return Node(draw.choice(_steps(case)))
    node = draw.choice(nodes)
    match draw.choice(("lose", "twice", "turn", "unsaid", "other", "step", "drop")):
        case "lose" if node.branches:
            del node.branches[draw.randrange(len(node.branches))]
        case "twice" if node.branches:
            seen, rest = draw.choice(node.branches)
            node.branches.append((dict(list(seen.items())[: draw.randint(0, len(seen))]), rest))
        case "turn" if node.branches:
            seen, _ = draw.choice(node.branches)
            for atom in seen:
                seen[atom] = seen[atom] is not (draw.random() < 0.6)
        case "unsaid" if node.branches and node.branches[0][0]:
            seen, _ = node.branches[0]
            del seen[draw.choice(list(seen))]
        case "other":
            for seen, _ in node.branches:
                seen[draw.choice(FACTS)] = draw.random() < 0.5
        case "step":
            node.step = draw.choice(_steps(case))
        case "drop" if len(node.branches) == 1:
            _, rest = node.branches[0]
            node.step, node.branches = rest.step, rest.branches
    return plan


def _nodes(plan: Node | None) -> Iterator[Node]:
    if plan is not None:
        yield plan
        for _, rest in plan.branches:
            yield from _nodes(rest)


# --- what is right -----------------------------------------------------------------------------------


def worlds(case: Case) -> list[State]:
    """Return all initial states that the constraints allow; what the facts say of a hidden one does not count."""
    hidden = {atom for _, options in case.uncertain for option in options for atom, _ in option}
    known = Case(case.acts, case.init - hidden, case.uncertain, case.goal)
    return sorted(known.starts(), key=sorted)


def expected(case: Case, plan: Node | None, quality: str) -> bool | None:
    """Return whether a plan has a quality, ``sound`` or ``valid``: in all worlds, in not all, or not told."""
    found = {_in_a_world(case, plan, quality, state) for state in worlds(case)}
    return False if False in found else None if None in found or not found else True


def _in_a_world(case: Case, node: Node | None, quality: str, state: State) -> bool | None:
    while node is not None:
        following = case.after(node.step, state)
        if not following:
            return False
        before, (state,) = state, following
        if not node.branches:
            break
        told = {atom for seen, _ in node.branches for atom in seen}
        if not told <= {*case.act(node.step).observed} or any((atom in before) is not (atom in state) for atom in told):
            return None
        fitting = [rest for seen, rest in node.branches if all((atom in state) is seen[atom] for atom in seen)]
        if len(fitting) > 1:
            return None
        if not fitting:
            return False if quality == "valid" and not case.is_goal(state) else None
        [node] = fitting
    return quality == "sound" or case.is_goal(state)


def in_unified_planning(case: Case, plan: Node | None) -> tuple[ContingentProblem, ContingentPlan]:
    """Return a case as unified-planning has it."""
    from unified_planning.io import PDDLReader
    from unified_planning.plans import ActionInstance, ContingentPlan
    from unified_planning.plans.contingent_plan import ContingentPlanNode

    problem = PDDLReader().parse_problem_string(case.domain(":adl :contingent"), case.problem())
    manager = problem.environment.expression_manager

    def fluent(atom: Atom) -> Any:
        return problem.fluent(atom[0])(*map(problem.object, atom[1:]))

    def node(given: Node) -> Any:
        name, *arguments = given.step.split()
        values = tuple(manager.ObjectExp(problem.object(each)) for each in arguments)
        found = ContingentPlanNode(ActionInstance(problem.action(name), values))
        for seen, rest in given.branches:
            found.add_child({fluent(atom): manager.Bool(value) for atom, value in seen.items()}, node(rest))
        return found

    return problem, ContingentPlan(None if plan is None else node(plan), problem.environment)

"""Random hierarchical problems with plans of them, and whether a decomposition is right: by its definition.

A method stands at one moment before all that it consists of, where its condition holds; what comes before what is said
by the networks. All moments of all methods are tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from unified_planning.model.htn import HierarchicalProblem
    from unified_planning.plans import HierarchicalPlan

__all__ = ["Case", "expected", "in_unified_planning", "random_case"]

Atom: TypeAlias = tuple[str, ...]
Literal: TypeAlias = tuple[Atom, bool]
"""an atom, whose arguments may be parameters, and whether it is true"""

OBJECTS = ("a", "b")
_FLUENTS = {"p": 1, "q": 1, "r": 0}


@dataclass(frozen=True, kw_only=True)
class Action:
    name: str
    parameters: tuple[str, ...]
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]


@dataclass(frozen=True, kw_only=True)
class Network:
    """Subtasks, each the name of an action or a task with its arguments, and which comes before which."""

    subtasks: tuple[tuple[str, tuple[str, ...]], ...]
    order: frozenset[tuple[int, int]]
    differ: tuple[str, str] | None = None
    """two that must not be the same"""


@dataclass(frozen=True, kw_only=True)
class Method:
    name: str
    task: str
    parameters: tuple[str, ...]
    """the first is the task's"""
    needs: tuple[Literal, ...]
    network: Network


@dataclass(eq=False)
class Node:
    """What a subtask is given to: an action, or a method with what its own subtasks are given to."""

    name: str
    arguments: tuple[str, ...]
    method: Method | None = None
    inside: dict[int, Node] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Case:
    actions: Mapping[str, Action]
    methods: tuple[Method, ...]
    network: Network
    init: frozenset[Atom]
    goal: Literal
    roots: dict[int, Node]
    flat: tuple[Node, ...]


# --- what is random ----------------------------------------------------------------------------------


def random_case(seed: int) -> Case:
    """Return a problem and a plan: one that is right, as far as one is soon found, or one with a fault or more."""
    draw = Random(f"hierarchies {seed}")
    actions = {name: _action(draw, name) for name in ("do", "go", "set")[: draw.randint(2, 3)]}
    methods = [
        *(_method(draw, f"m{number}", "low", actions, ()) for number in range(draw.randint(1, 3))),
        *(_method(draw, f"n{number}", "high", actions, ("low",)) for number in range(draw.randint(1, 2))),
    ]
    free = ("v",) if draw.random() < 0.3 else ()
    network = _network(draw, draw.randint(1, 3), actions, ("low", "high"), (*OBJECTS, *free))
    init = frozenset(atom for atom in _atoms() if draw.random() < 0.5)
    goal = (draw.choice(_atoms()), draw.random() < 0.7)
    wants_right, case = draw.random() < 0.65, None
    for _ in range(40):
        roots = {place: _given(draw, methods, *subtask) for place, subtask in enumerate(network.subtasks)}
        leaves = [leaf for node in roots.values() for leaf in _leaves(node)]
        flat = leaves if draw.random() < 0.6 else draw.sample(leaves, len(leaves))
        case = Case(
            actions=actions,
            methods=tuple(methods),
            network=network,
            init=init,
            goal=goal,
            roots=roots,
            flat=tuple(flat),
        )
        states = _states(case)
        if states is None:
            continue
        if draw.random() < 0.8:
            atom = draw.choice(_atoms())
            case = replace(case, goal=(atom, atom in states[-1]))
        if not wants_right or expected(case):
            break
    assert case is not None
    for _ in range(draw.choice((0, 0, 1))):
        case = _broken(draw, case)
    return case


def _atoms() -> list[Atom]:
    return [(name, *given) for name, size in _FLUENTS.items() for given in product(OBJECTS, repeat=size)]


def _literal(draw: Random, terms: Sequence[str]) -> Literal:
    name = draw.choice(sorted(_FLUENTS))
    return (name, *(draw.choice(terms) for _ in range(_FLUENTS[name]))), draw.random() < 0.6


def _literals(draw: Random, terms: Sequence[str], most: int) -> tuple[Literal, ...]:
    return tuple(dict([_literal(draw, terms) for _ in range(draw.randint(0, most))]).items())


def _action(draw: Random, name: str) -> Action:
    parameters = ("x",) if draw.random() < 0.7 else ()
    terms = parameters or OBJECTS
    effects = _literals(draw, terms, 2) or (_literal(draw, terms),)
    return Action(name=name, parameters=parameters, needs=_literals(draw, terms, 1), effects=effects)


def _network(
    draw: Random, size: int, actions: Mapping[str, Action], tasks: Sequence[str], terms: Sequence[str]
) -> Network:
    subtasks = []
    for _ in range(size):
        name = draw.choice((*actions, *tasks))
        number = len(actions[name].parameters) if name in actions else 1
        subtasks.append((name, tuple(draw.choice(terms) for _ in range(number))))
    pairs = [(one, other) for other in range(size) for one in range(other)]
    return Network(subtasks=tuple(subtasks), order=frozenset(pair for pair in pairs if draw.random() < 0.5))


def _method(draw: Random, name: str, task: str, actions: Mapping[str, Action], tasks: Sequence[str]) -> Method:
    parameters = ("x", "y")[: draw.randint(1, 2)]
    network = _network(draw, draw.randint(0, 2), actions, tasks, (*parameters, *parameters, "a"))
    if len(parameters) == 2 and draw.random() < 0.4:
        network = replace(network, differ=("x", "y"))
    return Method(name=name, task=task, parameters=parameters, needs=_literals(draw, parameters, 1), network=network)


def _given(draw: Random, methods: Sequence[Method], name: str, arguments: Sequence[str]) -> Node:
    values = tuple(draw.choice(OBJECTS) if each == "v" else each for each in arguments)
    able = [method for method in methods if method.task == name]
    if not able:
        return Node(name, values)
    method = draw.choice(able)
    own = dict(zip(method.parameters, (*values, draw.choice(OBJECTS)), strict=False))
    inside = {
        place: _given(draw, methods, inner, [own.get(each, each) for each in given])
        for place, (inner, given) in enumerate(method.network.subtasks)
    }
    return Node(method.name, tuple(own.values()), method, inside)


def _leaves(node: Node) -> list[Node]:
    return [node] if node.method is None else [leaf for each in node.inside.values() for leaf in _leaves(each)]


def _nodes(inside: Mapping[int, Node]) -> list[Node]:
    return [each for node in inside.values() for each in (node, *_nodes(node.inside))]


def _broken(draw: Random, case: Case) -> Case:
    """Return a case with something else in its plan."""
    every = _nodes(case.roots)
    match draw.choice(("drop", "give", "exchange", "lose", "more", "swap", "another")):
        case "drop" if case.roots:
            held = draw.choice([case.roots, *(node.inside for node in every if node.inside)])
            del held[draw.choice(sorted(held))]
        case "give" if any(node.arguments for node in every):
            node = draw.choice([node for node in every if node.arguments])
            place = draw.randrange(len(node.arguments))
            other = "b" if node.arguments[place] == "a" else "a"
            node.arguments = (*node.arguments[:place], other, *node.arguments[place + 1 :])
        case "exchange" if len(case.flat) > 1:
            return replace(case, flat=tuple(draw.sample(case.flat, len(case.flat))))
        case "lose" if case.flat:
            place = draw.randrange(len(case.flat))
            return replace(case, flat=(*case.flat[:place], *case.flat[place + 1 :]))
        case "more":
            action = draw.choice(sorted(case.actions.values(), key=lambda each: each.name))
            extra = Node(action.name, tuple(draw.choice(OBJECTS) for _ in action.parameters))
            place = draw.randint(0, len(case.flat))
            return replace(case, flat=(*case.flat[:place], extra, *case.flat[place:]))
        case "swap" if len(case.roots) > 1:
            one, other = draw.sample(sorted(case.roots), 2)
            case.roots[one], case.roots[other] = case.roots[other], case.roots[one]
        case "another":
            for node in every:
                same = [
                    each
                    for each in case.methods
                    if node.method is not None and each.parameters == node.method.parameters
                ]
                if len(same) > 1:
                    node.method = draw.choice(same)
                    node.name = node.method.name
                    break
    return case


# --- what is right -----------------------------------------------------------------------------------


def expected(case: Case) -> bool:
    """Return whether the steps can be executed, reach the goal, and are a decomposition of the problem."""
    states = _states(case)
    if states is None or not _holds(case.goal, {}, states[-1]):
        return False
    looked = _Looked(case, states)
    return looked.is_right(case.network, case.roots, {}) and looked.is_whole() and looked.has_moments()


def _states(case: Case) -> list[frozenset[Atom]] | None:
    """Return the states before each step and behind the last one; None where a step cannot be executed."""
    states = [case.init]
    for node in case.flat:
        action = case.actions[node.name]
        own = dict(zip(action.parameters, node.arguments, strict=True))
        if not all(_holds(each, own, states[-1]) for each in action.needs):
            return None
        after = {_bound(atom, own): value for atom, value in action.effects if not value}
        after |= {_bound(atom, own): value for atom, value in action.effects if value}  # adding wins
        states.append(
            states[-1] - {atom for atom, value in after.items() if not value}
            | {atom for atom, value in after.items() if value}
        )
    return states


def _bound(atom: Atom, own: Mapping[str, str]) -> Atom:
    return (atom[0], *(own.get(each, each) for each in atom[1:]))


def _holds(literal: Literal, own: Mapping[str, str], state: frozenset[Atom]) -> bool:
    return (_bound(literal[0], own) in state) is literal[1]


class _Looked:
    """What of a decomposition takes place when: steps at their places, methods at moments that are to be found."""

    def __init__(self, case: Case, states: Sequence[frozenset[Atom]]) -> None:
        self.case, self.states = case, states
        self.places = {id(node): place for place, node in enumerate(case.flat)}
        self.taken: list[int] = []
        self.methods: list[Node] = []
        self.before: list[tuple[Node, Node]] = []

    def is_right(self, network: Network, inside: Mapping[int, Node], own: dict[str, str]) -> bool:
        """Return whether subtasks are given to what achieves them; note what must come before what."""
        if inside.keys() != set(range(len(network.subtasks))):
            return False
        events: dict[int, list[Node]] = {}
        for place, (name, wanted) in enumerate(network.subtasks):
            node = inside[place]
            given = node.arguments if node.method is None else node.arguments[:1]
            if (node.name if node.method is None else node.method.task) != name or len(given) != len(wanted):
                return False
            for each, value in zip(wanted, given, strict=True):
                if (own.setdefault(each, value) if each == "v" else own.get(each, each)) != value:
                    return False
            if node.method is None:
                if id(node) not in self.places or id(node) in self.taken:
                    return False
                self.taken.append(id(node))
            else:
                self.methods.append(node)
                values = dict(zip(node.method.parameters, node.arguments, strict=True))
                if (pair := node.method.network.differ) and values[pair[0]] == values[pair[1]]:
                    return False
                if not self.is_right(node.method.network, node.inside, values):
                    return False
                self.before += ((node, each) for each in _nodes(node.inside))
            events[place] = [node, *_nodes(node.inside)]
        self.before += (pair for one, other in network.order for pair in product(events[one], events[other]))
        return True

    def is_whole(self) -> bool:
        return set(self.taken) == self.places.keys()

    def has_moments(self) -> bool:
        """Return whether each method can stand at a moment where its condition holds, in the order that is asked."""
        numbers = {id(node): number for number, node in enumerate(self.methods)}
        able = [list(self._moments(node)) for node in self.methods]
        return any(
            all(self._follow(one, other, numbers, moments) for one, other in self.before) for moments in product(*able)
        )

    def _moments(self, node: Node) -> Iterator[int]:
        assert node.method is not None
        own = dict(zip(node.method.parameters, node.arguments, strict=True))
        for moment, state in enumerate(self.states):
            if all(_holds(each, own, state) for each in node.method.needs):
                yield moment

    def _follow(self, one: Node, other: Node, numbers: Mapping[int, int], moments: Sequence[int]) -> bool:
        """Return whether one comes before another: a step takes the time from its moment to the next one."""
        ends = moments[numbers[id(one)]] if id(one) in numbers else self.places[id(one)] + 1
        begins = moments[numbers[id(other)]] if id(other) in numbers else self.places[id(other)]
        return ends <= begins


# --- in unified-planning -----------------------------------------------------------------------------


def in_unified_planning(case: Case) -> tuple[HierarchicalProblem, HierarchicalPlan]:
    """Return a case as unified-planning has it."""
    from unified_planning.model import InstantaneousAction
    from unified_planning.model.htn import HierarchicalProblem
    from unified_planning.model.htn import Method as UpMethod
    from unified_planning.plans import ActionInstance, HierarchicalPlan, SequentialPlan
    from unified_planning.plans.hierarchical_plan import Decomposition, MethodInstance
    from unified_planning.shortcuts import Equals, Not, UserType

    problem, thing = HierarchicalProblem("random"), UserType("thing")
    fluents = {
        name: problem.add_fluent(name, default_initial_value=False, **({"x": thing} if size else {}))
        for name, size in _FLUENTS.items()
    }
    objects = {name: problem.add_object(name, thing) for name in OBJECTS}
    manager = problem.environment.expression_manager

    def said(atom: Atom, own: Mapping[str, Any]) -> Any:
        return fluents[atom[0]](*(own.get(each, objects.get(each)) for each in atom[1:]))

    def literal(each: Literal, own: Mapping[str, Any]) -> Any:
        return said(each[0], own) if each[1] else Not(said(each[0], own))

    known: dict[str, Any] = {}
    for action in case.actions.values():
        made = known[action.name] = InstantaneousAction(action.name, **dict.fromkeys(action.parameters, thing))
        own = {name: made.parameter(name) for name in action.parameters}
        for each in action.needs:
            made.add_precondition(literal(each, own))
        for atom, value in action.effects:
            made.add_effect(said(atom, own), value)
        problem.add_action(made)
    for task in ("low", "high"):
        known[task] = problem.add_task(task, x=thing)
    identifiers: dict[int, list[str]] = {}

    def fill(network: Network, made: Any, own: Mapping[str, Any]) -> None:
        subtasks = [
            made.add_subtask(known[name], *(own.get(each, objects.get(each)) for each in given))
            for name, given in network.subtasks
        ]
        for one, other in sorted(network.order):
            made.set_ordered(subtasks[one], subtasks[other])
        if network.differ:
            made.add_constraint(Not(Equals(*(own[each] for each in network.differ))))
        identifiers[id(network)] = [each.identifier for each in subtasks]

    methods: dict[str, Any] = {}
    for method in case.methods:
        made = methods[method.name] = UpMethod(method.name, **dict.fromkeys(method.parameters, thing))
        own = {name: made.parameter(name) for name in method.parameters}
        made.set_task(known[method.task], own["x"])
        for each in method.needs:
            made.add_precondition(literal(each, own))
        fill(method.network, made, own)
        problem.add_method(made)
    free = any("v" in given for _, given in case.network.subtasks)
    fill(case.network, problem.task_network, {"v": problem.task_network.add_variable("v", thing)} if free else {})
    for atom in case.init:
        problem.set_initial_value(said(atom, {}), True)
    problem.add_goal(literal(case.goal, {}))

    steps: dict[int, Any] = {}

    def step(node: Node) -> Any:
        if id(node) not in steps:
            steps[id(node)] = ActionInstance(
                known[node.name], tuple(manager.ObjectExp(objects[a]) for a in node.arguments)
            )
        return steps[id(node)]

    def decomposition(network: Network, inside: Mapping[int, Node]) -> Decomposition:
        names = identifiers[id(network)]
        return Decomposition(
            {names[place] if place < len(names) else f"other{place}": given(node) for place, node in inside.items()}
        )

    def given(node: Node) -> Any:
        if node.method is None:
            return step(node)
        values = tuple(manager.ObjectExp(objects[each]) for each in node.arguments)
        return MethodInstance(methods[node.method.name], values, decomposition(node.method.network, node.inside))

    plan = SequentialPlan([step(node) for node in case.flat])
    return problem, HierarchicalPlan(plan, decomposition(case.network, case.roots))

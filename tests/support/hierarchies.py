"""Random hierarchical problems: as HDDL, all their plans, and whether a decomposition is right by its definition.

``plans`` are found by plain recursion over what may happen next: a task that nothing comes before is replaced by the
subtasks of a method whose condition holds then, with any arguments, or an action that nothing comes before is executed.
A method of a stated decomposition stands at one moment before all that it consists of, where its condition holds; what
comes before what is said by the networks, and all moments of all methods are tried.
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


Atom: TypeAlias = tuple[str, ...]
State: TypeAlias = frozenset[Atom]
Literal: TypeAlias = tuple[Atom, bool]
"""an atom, whose arguments may be parameters, and whether it is true"""
Plan: TypeAlias = tuple[tuple[str, ...], ...]

OBJECTS = ("a", "b")
_PREDICATES = {"p": 1, "q": 1, "r": 0}
_MOST = 300_000
"""calls, after which a problem is too large"""


class TooLargeError(Exception):
    """A problem has more decompositions than are looked at."""


@dataclass(frozen=True, kw_only=True)
class Action:
    name: str
    parameters: tuple[str, ...]
    needs: tuple[Literal, ...]
    effects: tuple[Literal, ...]

    def after(self, state: State, given: Sequence[str]) -> State | None:
        """Return the state behind a step, None where it cannot be executed."""
        own = dict(zip(self.parameters, given, strict=True))
        if not _hold(self.needs, own, state):
            return None
        added, deleted = (
            {_bound(atom, own) for atom, value in self.effects if value is sign} for sign in (True, False)
        )
        return (state - deleted) | added  # adding wins


@dataclass(frozen=True, kw_only=True)
class Network:
    """Subtasks, each the name of an action or a task with its arguments, and which comes before which."""

    subtasks: tuple[tuple[str, tuple[str, ...]], ...]
    order: frozenset[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Method:
    """The first parameter, ``x``, is the task's; with ``differ`` it must not be the second, ``y``."""

    name: str
    task: str
    parameters: tuple[str, ...]
    needs: tuple[Literal, ...]
    network: Network
    differ: bool = False


@dataclass(frozen=True, kw_only=True)
class Problem:
    actions: Mapping[str, Action]
    methods: tuple[Method, ...]
    network: Network
    init: State
    goal: Literal | None

    def domain(self) -> str:
        lines = ["(define (domain d) (:requirements :typing :hierarchy :negative-preconditions :equality)"]
        lines.append("(:types thing - object) (:constants a b - thing)")
        lines.append("(:predicates (p ?x - thing) (q ?x - thing) (r))")
        lines += [f"(:task {name} :parameters (?x - thing))" for name in ("low", "high")]
        for method in self.methods:
            lines.append(f"(:method {method.name} :parameters ({_typed(method.parameters)}) :task ({method.task} ?x)")
            lines.append(f" :precondition (and {_literals(method.needs)}) {_network(method.network)}")
            lines.append(f" :constraints (and {'(not (= ?x ?y))' if method.differ else ''}))")
        for action in self.actions.values():
            lines.append(f"(:action {action.name} :parameters ({_typed(action.parameters)})")
            lines.append(f" :precondition (and {_literals(action.needs)}) :effect (and {_literals(action.effects)}))")
        return "\n".join(lines) + ")\n"

    def problem(self) -> str:
        free = "?v - thing" if any("v" in given for _, given in self.network.subtasks) else ""
        goal = f"(:goal (and {_literals([self.goal])}))" if self.goal else ""
        facts = " ".join(f"({' '.join(atom)})" for atom in sorted(self.init))
        tasks = f"(:htn :parameters ({free}) {_network(self.network)})"
        return f"(define (problem x) (:domain d)\n{tasks}\n(:init {facts}) {goal})\n"

    def is_goal(self, state: State) -> bool:
        return self.goal is None or _hold([self.goal], {}, state)

    def plans(self, most: int) -> set[Plan]:
        """Return all plans of at most some steps. Raises TooLargeError."""
        return _Plans(self, most).all()


def _typed(names: Sequence[str]) -> str:
    return " ".join(f"?{name} - thing" for name in names)


def _term(name: str) -> str:
    return name if name in OBJECTS else f"?{name}"


def _literals(literals: Sequence[Literal]) -> str:
    shown = [(f"({' '.join((atom[0], *map(_term, atom[1:])))})", holds) for atom, holds in literals]
    return " ".join(text if holds else f"(not {text})" for text, holds in shown)


def _network(network: Network) -> str:
    tasks = [
        f"(t{place} ({' '.join((name, *map(_term, given)))}))" for place, (name, given) in enumerate(network.subtasks)
    ]
    order = [f"(< t{one} t{other})" for one, other in sorted(network.order)]
    return f":subtasks (and {' '.join(tasks)}) :ordering (and {' '.join(order)})"


def _bound(atom: Atom, own: Mapping[str, str]) -> Atom:
    return (atom[0], *(own.get(each, each) for each in atom[1:]))


def _hold(literals: Sequence[Literal], own: Mapping[str, str], state: State) -> bool:
    return all((_bound(atom, own) in state) is holds for atom, holds in literals)


# --- all plans ---------------------------------------------------------------------------------------


class _Plans:
    def __init__(self, problem: Problem, most: int) -> None:
        self.problem, self.most, self.left = problem, most, _MOST
        self.found: set[Plan] = set()

    def all(self) -> set[Plan]:
        network = self.problem.network
        names = sorted({each for _, given in network.subtasks for each in given} - set(OBJECTS))
        for values in product(OBJECTS, repeat=len(names)):
            self._go(self.problem.init, (), _opened(network, dict(zip(names, values, strict=True)), 0), 100)
        return self.found

    def _go(self, state: State, plan: Plan, tasks: tuple[tuple, ...], fresh: int) -> None:  # type: ignore[type-arg]
        """Go on in every way; a task is (number, name, arguments, numbers of those before it)."""
        self.left -= 1
        if not self.left:
            raise TooLargeError
        actions = self.problem.actions
        if len(plan) + sum(name in actions for _, name, _, _ in tasks) > self.most:
            return
        if not tasks and self.problem.is_goal(state):
            self.found.add(plan)
        for number, name, given, before in tasks:
            if before:
                continue
            rest = [task for task in tasks if task[0] != number]
            if name in actions:
                after = actions[name].after(state, given)
                if after is not None:
                    left = tuple((a, b, c, d - {number}) for a, b, c, d in rest)
                    self._go(after, (*plan, (name, *given)), left, fresh)
                continue
            for method, own in self._able(state, name, given):
                inner = _opened(method.network, own, fresh)
                labels = {task[0] for task in inner}
                left = tuple((a, b, c, (d - {number}) | labels if number in d else d) for a, b, c, d in rest)
                self._go(state, plan, (*left, *inner), fresh + len(inner))

    def _able(self, state: State, name: str, given: tuple[str, ...]) -> Iterator[tuple[Method, dict[str, str]]]:
        for method in self.problem.methods:
            if method.task == name:
                for values in product(OBJECTS, repeat=len(method.parameters) - 1):
                    own = dict(zip(method.parameters, (*given, *values), strict=True))
                    if _hold(method.needs, own, state) and not (method.differ and own["x"] == own["y"]):
                        yield method, own


def _opened(network: Network, own: dict[str, str], first: int) -> tuple[tuple, ...]:  # type: ignore[type-arg]
    return tuple(
        (
            first + place,
            name,
            tuple(own.get(each, each) for each in given),
            frozenset(first + one for one, other in network.order if other == place),
        )
        for place, (name, given) in enumerate(network.subtasks)
    )


# --- random problems, with plans ---------------------------------------------------------------------


def with_plan(seed: int, *, is_total: bool) -> tuple[Problem, Plan]:
    """Return a problem with a plan of it that has some changes, or with some steps where it has none."""
    draw = Random(f"hddl {seed} {is_total}")
    wants_plans, known = draw.random() < 0.85, list[Plan]()
    for _ in range(20):
        problem = _problem(draw, is_total=is_total, has_loops=True)
        try:
            known = sorted(problem.plans(5))
        except TooLargeError:
            continue
        if known or not wants_plans:
            break
    steps = [
        (one.name, *given) for one in problem.actions.values() for given in product(OBJECTS, repeat=len(one.parameters))
    ]
    plan = list(draw.choice(known)) if known else [draw.choice(steps) for _ in range(draw.randint(0, 3))]
    for _ in range(draw.choice((0, 0, 1, 1, 2))):
        match draw.choice(("drop", "add", "swap")):
            case "drop" if plan:
                del plan[draw.randrange(len(plan))]
            case "add":
                plan.insert(draw.randint(0, len(plan)), draw.choice(steps))
            case "swap" if len(plan) > 1:
                one, other = draw.sample(range(len(plan)), 2)
                plan[one], plan[other] = plan[other], plan[one]
    return problem, tuple(plan)


def _atoms() -> list[Atom]:
    return [(name, *given) for name, size in _PREDICATES.items() for given in product(OBJECTS, repeat=size)]


def _problem(draw: Random, *, is_total: bool, has_loops: bool) -> Problem:
    """Return a problem whose networks are ordered in part or as a whole, and whose tasks may be below themselves."""
    actions = {name: _action(draw, name) for name in ("do", "go", "set")[: draw.randint(2, 3)]}
    below = [("low",) if has_loops and draw.random() < 0.25 else () for _ in range(draw.randint(1, 3))]
    methods = [
        *(_method(draw, f"m{n}", "low", actions, inner, is_total) for n, inner in enumerate(below)),
        *(_method(draw, f"n{n}", "high", actions, ("low",), is_total) for n in range(draw.randint(1, 2))),
    ]
    free = ("v",) if draw.random() < 0.3 else ()
    return Problem(
        actions=actions,
        methods=tuple(methods),
        network=_random_network(draw, draw.randint(1, 3), actions, ("low", "high"), (*OBJECTS, *free), is_total),
        init=frozenset(atom for atom in _atoms() if draw.random() < 0.5),
        goal=(draw.choice(_atoms()), draw.random() < 0.7) if draw.random() < 0.5 else None,
    )


def _literal(draw: Random, terms: Sequence[str]) -> Literal:
    name = draw.choice(sorted(_PREDICATES))
    return (name, *(draw.choice(terms) for _ in range(_PREDICATES[name]))), draw.random() < 0.6


def _some(draw: Random, terms: Sequence[str], most: int) -> tuple[Literal, ...]:
    return tuple(dict([_literal(draw, terms) for _ in range(draw.randint(0, most))]).items())


def _action(draw: Random, name: str) -> Action:
    parameters = ("x",) if draw.random() < 0.7 else ()
    terms = parameters or OBJECTS
    effects = _some(draw, terms, 2) or (_literal(draw, terms),)
    return Action(name=name, parameters=parameters, needs=_some(draw, terms, 1), effects=effects)


def _random_network(
    draw: Random, size: int, actions: Mapping[str, Action], tasks: Sequence[str], terms: Sequence[str], is_total: bool
) -> Network:
    sizes = {**{name: len(action.parameters) for name, action in actions.items()}, **dict.fromkeys(tasks, 1)}
    names = [draw.choice(sorted(sizes)) for _ in range(size)]
    subtasks = tuple((name, tuple(draw.choice(terms) for _ in range(sizes[name]))) for name in names)
    pairs = [(one, other) for other in range(size) for one in range(other)]
    return Network(subtasks=subtasks, order=frozenset(pair for pair in pairs if is_total or draw.random() < 0.5))


def _method(
    draw: Random, name: str, task: str, actions: Mapping[str, Action], tasks: Sequence[str], is_total: bool
) -> Method:
    parameters = ("x", "y") if draw.random() < 0.4 else ("x",)
    terms = (*parameters, *parameters, "a")
    network = _random_network(draw, draw.randint(0, 2), actions, tasks, terms, is_total)
    if task in tasks:  # below itself only beside a step, or there is no end
        loop = (task, (draw.choice(parameters),))
        step = draw.choice(sorted(actions))
        given = tuple(draw.choice(terms) for _ in actions[step].parameters)
        order = frozenset(((0, 1),)) if is_total or draw.random() < 0.5 else frozenset[tuple[int, int]]()
        network = Network(subtasks=tuple(draw.sample(((step, given), loop), 2)), order=order)
    needs, differ = _some(draw, parameters, 1), len(parameters) == 2 and draw.random() < 0.4
    return Method(name=name, task=task, parameters=parameters, needs=needs, network=network, differ=differ)


# --- stated decompositions ---------------------------------------------------------------------------


@dataclass(eq=False)
class Node:
    """What a subtask is given to: an action, or a method with what its own subtasks are given to."""

    name: str
    arguments: tuple[str, ...]
    method: Method | None = None
    inside: dict[int, Node] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Decomposed:
    problem: Problem
    roots: dict[int, Node]
    flat: tuple[Node, ...]

    def states(self) -> list[State] | None:
        """Return the states before each step and behind the last one; None where a step cannot be executed."""
        states = [self.problem.init]
        for node in self.flat:
            after = self.problem.actions[node.name].after(states[-1], node.arguments)
            if after is None:
                return None
            states.append(after)
        return states


def decomposed(seed: int) -> Decomposed:
    """Return a problem and a plan: one that is right, as far as one is soon found, or one with a fault or more."""
    draw = Random(f"hierarchies {seed}")
    problem, wants_right, case = _problem(draw, is_total=False, has_loops=False), draw.random() < 0.65, None
    for _ in range(40):
        roots = {
            place: _given(draw, problem.methods, *subtask) for place, subtask in enumerate(problem.network.subtasks)
        }
        leaves = [node for node in _nodes(roots) if node.method is None]
        flat = leaves if draw.random() < 0.6 else draw.sample(leaves, len(leaves))
        case = Decomposed(problem=problem, roots=roots, flat=tuple(flat))
        states = case.states()
        if states is None:
            continue
        if draw.random() < 0.8:
            atom = draw.choice(_atoms())
            case = replace(case, problem=replace(problem, goal=(atom, atom in states[-1])))
        if not wants_right or expected(case):
            break
    assert case is not None
    return _broken(draw, case) if draw.random() < 0.35 else case


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


def _nodes(inside: Mapping[int, Node]) -> list[Node]:
    return [each for node in inside.values() for each in (node, *_nodes(node.inside))]


def _broken(draw: Random, case: Decomposed) -> Decomposed:
    """Return a case with something else in its plan."""
    every, place = _nodes(case.roots), draw.randint(0, len(case.flat))
    match draw.choice(("drop", "give", "exchange", "lose", "more", "swap", "another")):
        case "drop" if case.roots:
            held = draw.choice([case.roots, *(node.inside for node in every if node.inside)])
            del held[draw.choice(sorted(held))]
        case "give" if any(node.arguments for node in every):
            node = draw.choice([node for node in every if node.arguments])
            node.arguments = tuple(draw.choice(OBJECTS) for _ in node.arguments)
        case "exchange":
            return replace(case, flat=tuple(draw.sample(case.flat, len(case.flat))))
        case "lose":
            return replace(case, flat=(*case.flat[:place], *case.flat[place + 1 :]))
        case "more":
            action = case.problem.actions[draw.choice(sorted(case.problem.actions))]
            extra = Node(action.name, tuple(draw.choice(OBJECTS) for _ in action.parameters))
            return replace(case, flat=(*case.flat[:place], extra, *case.flat[place:]))
        case "swap" if len(case.roots) > 1:
            one, other = draw.sample(sorted(case.roots), 2)
            case.roots[one], case.roots[other] = case.roots[other], case.roots[one]
        case "another" if any(node.method for node in every):
            node = draw.choice([node for node in every if node.method is not None])
            same = [each for each in case.problem.methods if len(each.parameters) == len(node.arguments)]
            node.method = draw.choice(same)
            node.name = node.method.name
    return case


def expected(case: Decomposed) -> bool:
    """Return whether the steps can be executed, reach the goal, and are a decomposition of the problem."""
    states = case.states()
    if states is None or not case.problem.is_goal(states[-1]):
        return False
    looked = _Looked(case, states)
    return looked.is_right(case.problem.network, case.roots, {}) and looked.is_whole() and looked.has_moments()


class _Looked:
    """What of a decomposition takes place when: steps at their places, methods at moments that are to be found."""

    def __init__(self, case: Decomposed, states: Sequence[State]) -> None:
        self.states = states
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
                if node.method.differ and values["x"] == values["y"]:
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
        return (moment for moment, state in enumerate(self.states) if _hold(node.method.needs, own, state))

    def _follow(self, one: Node, other: Node, numbers: Mapping[int, int], moments: Sequence[int]) -> bool:
        """Return whether one comes before another: a step takes the time from its moment to the next one."""
        ends = moments[numbers[id(one)]] if id(one) in numbers else self.places[id(one)] + 1
        begins = moments[numbers[id(other)]] if id(other) in numbers else self.places[id(other)]
        return ends <= begins


def in_unified_planning(case: Decomposed) -> tuple[HierarchicalProblem, HierarchicalPlan]:
    """Return a case as unified-planning has it."""
    from unified_planning.io import PDDLReader
    from unified_planning.plans import ActionInstance, HierarchicalPlan, SequentialPlan
    from unified_planning.plans.hierarchical_plan import Decomposition, MethodInstance
    from unified_planning.shortcuts import Equals, Not

    problem = PDDLReader().parse_problem_string(case.problem.domain(), case.problem.problem())
    for method in case.problem.methods:
        if method.differ:  # constraints of methods are not read
            made = problem.method(method.name)
            made.add_constraint(Not(Equals(made.parameter("x"), made.parameter("y"))))
    manager, steps = problem.environment.expression_manager, dict[int, Any]()

    def given(node: Node) -> Any:
        values = tuple(manager.ObjectExp(problem.object(each)) for each in node.arguments)
        if node.method is not None:
            return MethodInstance(problem.method(node.name), values, decomposition(node.inside))
        return steps.setdefault(id(node), ActionInstance(problem.action(node.name), values))

    def decomposition(inside: Mapping[int, Node]) -> Decomposition:
        return Decomposition({f"t{place}": given(node) for place, node in inside.items()})

    return problem, HierarchicalPlan(SequentialPlan([given(node) for node in case.flat]), decomposition(case.roots))

"""Random hierarchical problems as HDDL texts, and all their plans: by plain recursion over what may happen next.

At each moment a task that nothing comes before is replaced by the subtasks of a method whose condition holds then, with
any arguments, or an action that nothing comes before is executed. What takes more steps than are asked for is dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from random import Random
from typing import TypeAlias

from tests.support.random_hierarchies import OBJECTS, Action, Atom, Literal, Method, Network

__all__ = ["HierarchyCase", "TooLargeError", "random_case"]

Plan: TypeAlias = tuple[tuple[str, ...], ...]
_PREDICATES = {"p": 1, "q": 1, "r": 0}
_MOST = 300_000
"""calls, after which a case is too large"""


class TooLargeError(Exception):
    """A case has more decompositions than are looked at."""


@dataclass(frozen=True, kw_only=True)
class HierarchyCase:
    actions: tuple[Action, ...]
    methods: tuple[Method, ...]
    network: Network
    init: frozenset[Atom]
    goal: Literal | None
    plan: Plan = ()

    def domain(self) -> str:
        lines = ["(define (domain d) (:requirements :typing :hierarchy :negative-preconditions :equality)"]
        lines.append("(:types thing - object) (:predicates (p ?x - thing) (q ?x - thing) (r))")
        lines += [f"(:task {name} :parameters (?x - thing))" for name in ("low", "high")]
        for method in self.methods:
            network = method.network
            lines.append(f"(:method {method.name} :parameters ({_typed(method.parameters)}) :task ({method.task} ?x)")
            lines.append(f" :precondition (and {_literals(method.needs)}) {_network(network)}")
            lines.append(f" :constraints (and {'(not (= ?x ?y))' if network.differ else ''}))")
        for action in self.actions:
            lines.append(f"(:action {action.name} :parameters ({_typed(action.parameters)})")
            lines.append(f" :precondition (and {_literals(action.needs)}) :effect (and {_literals(action.effects)}))")
        return "\n".join(lines) + ")\n"

    def problem(self) -> str:
        free = "?v - thing" if any("v" in given for _, given in self.network.subtasks) else ""
        goal = f"(:goal (and {_literals([self.goal])}))" if self.goal else ""
        facts = " ".join(f"({' '.join(atom)})" for atom in sorted(self.init))
        return (
            f"(define (problem x) (:domain d) (:objects {' '.join(OBJECTS)} - thing)\n"
            f"(:htn :parameters ({free}) {_network(self.network)})\n(:init {facts}) {goal})\n"
        )

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


class _Plans:
    def __init__(self, case: HierarchyCase, most: int) -> None:
        self.case, self.most, self.left = case, most, _MOST
        self.actions = {action.name: action for action in case.actions}
        self.found: set[Plan] = set()

    def all(self) -> set[Plan]:
        network = self.case.network
        names = sorted({each for _, given in network.subtasks for each in given} - set(OBJECTS))
        for values in product(OBJECTS, repeat=len(names)):
            self._go(self.case.init, (), _opened(network, dict(zip(names, values, strict=True)), 0), 100)
        return self.found

    def _go(self, state: frozenset[Atom], plan: Plan, tasks: tuple[tuple, ...], fresh: int) -> None:  # type: ignore[type-arg]
        """Go on in every way; a task is (number, name, arguments, numbers of those before it)."""
        self.left -= 1
        if not self.left:
            raise TooLargeError
        if len(plan) + sum(name in self.actions for _, name, _, _ in tasks) > self.most:
            return
        goal = self.case.goal
        if not tasks and (goal is None or (goal[0] in state) is goal[1]):
            self.found.add(plan)
        for number, name, given, before in tasks:
            if before:
                continue
            rest = [task for task in tasks if task[0] != number]
            if name in self.actions:
                after = self._done(state, self.actions[name], given)
                if after is not None:
                    left = tuple((a, b, c, d - {number}) for a, b, c, d in rest)
                    self._go(after, (*plan, (name, *given)), left, fresh)
                continue
            for method, own in self._able(state, name, given):
                inner = _opened(method.network, own, fresh)
                labels = {task[0] for task in inner}
                left = tuple((a, b, c, (d - {number}) | labels if number in d else d) for a, b, c, d in rest)
                self._go(state, plan, (*left, *inner), fresh + len(inner))

    def _done(self, state: frozenset[Atom], action: Action, given: tuple[str, ...]) -> frozenset[Atom] | None:
        own = dict(zip(action.parameters, given, strict=True))
        if not _hold(action.needs, own, state):
            return None
        added = {_bound(atom, own) for atom, holds in action.effects if holds}
        return (state - {_bound(atom, own) for atom, holds in action.effects if not holds}) | added

    def _able(self, state: frozenset[Atom], name: str, given: tuple[str, ...]) -> Iterator[tuple[Method, dict]]:  # type: ignore[type-arg]
        for method in self.case.methods:
            if method.task == name:
                for values in product(OBJECTS, repeat=len(method.parameters) - 1):
                    own = dict(zip(method.parameters, (*given, *values), strict=True))
                    if _hold(method.needs, own, state) and not (method.network.differ and own["x"] == own["y"]):
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


def _bound(atom: Atom, own: dict[str, str]) -> Atom:
    return (atom[0], *(own.get(each, each) for each in atom[1:]))


def _hold(literals: Sequence[Literal], own: dict[str, str], state: frozenset[Atom]) -> bool:
    return all((_bound(atom, own) in state) is holds for atom, holds in literals)


# --- random cases --------------------------------------------------------------------------------------


def random_case(seed: int, *, is_total: bool) -> HierarchyCase:
    """Return a problem with a plan of it that has some changes, or with some steps where it has none."""
    draw = Random(f"hddl {seed} {is_total}")
    wants_plans = draw.random() < 0.85
    for _ in range(20):
        case = _problem(draw, is_total)
        try:
            known = sorted(case.plans(5))
        except TooLargeError:
            continue
        if known or not wants_plans:
            break
    steps = [(one.name, *given) for one in case.actions for given in product(OBJECTS, repeat=len(one.parameters))]
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
    return replace(case, plan=tuple(plan))


def _problem(draw: Random, is_total: bool) -> HierarchyCase:
    actions = tuple(_action(draw, name) for name in ("do", "go", "set")[: draw.randint(2, 3)])
    below = [("low",) if draw.random() < 0.25 else () for _ in range(draw.randint(1, 3))]
    methods = [
        *(_method(draw, f"m{n}", "low", actions, inner, is_total) for n, inner in enumerate(below)),
        *(_method(draw, f"n{n}", "high", actions, ("low",), is_total) for n in range(draw.randint(1, 2))),
    ]
    free = ("v",) if draw.random() < 0.3 else ()
    network = _random_network(draw, draw.randint(1, 3), actions, ("low", "high"), (*OBJECTS, *free), is_total)
    atoms = [(name, *given) for name, size in _PREDICATES.items() for given in product(OBJECTS, repeat=size)]
    return HierarchyCase(
        actions=actions,
        methods=tuple(methods),
        network=network,
        init=frozenset(atom for atom in atoms if draw.random() < 0.5),
        goal=(draw.choice(atoms), draw.random() < 0.7) if draw.random() < 0.4 else None,
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
    draw: Random, size: int, actions: Sequence[Action], tasks: Sequence[str], terms: Sequence[str], is_total: bool
) -> Network:
    sizes = {**{action.name: len(action.parameters) for action in actions}, **dict.fromkeys(tasks, 1)}
    names = [draw.choice(sorted(sizes)) for _ in range(size)]
    subtasks = tuple((name, tuple(draw.choice(terms) for _ in range(sizes[name]))) for name in names)
    pairs = [(one, other) for other in range(size) for one in range(other)]
    return Network(subtasks=subtasks, order=frozenset(pair for pair in pairs if is_total or draw.random() < 0.5))


def _method(
    draw: Random, name: str, task: str, actions: Sequence[Action], tasks: Sequence[str], is_total: bool
) -> Method:
    parameters = ("x", "y") if draw.random() < 0.4 else ("x",)
    terms = (*parameters, *parameters, "a")
    network = _random_network(draw, draw.randint(0, 2), actions, tasks, terms, is_total)
    if task == "low" and tasks:  # below itself only beside a step, or there is no end
        loop = ("low", (draw.choice(parameters),))
        step = draw.choice(actions)
        given = tuple(draw.choice(terms) for _ in step.parameters)
        order = frozenset(((0, 1),)) if is_total or draw.random() < 0.5 else frozenset[tuple[int, int]]()
        both = ((step.name, given), loop) if draw.random() < 0.5 else (loop, (step.name, given))
        network = Network(subtasks=both, order=order)
    if len(parameters) == 2 and draw.random() < 0.4:
        network = Network(subtasks=network.subtasks, order=network.order, differ=("x", "y"))
    return Method(name=name, task=task, parameters=parameters, needs=_some(draw, parameters, 1), network=network)

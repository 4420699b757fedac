"""A small oracle for nearest plans: Dijkstra over states and places of the observed plan, in plain Python.

It knows nothing of Fast Downward and of the encoding, and shares no code with the validator: it reads the text of the
model and executes it by the second executor of ``naive_reference``.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Any

from tests.support.dijkstra import cheapest
from tests.support.naive_reference import Reference, World
from validator import Quality, Report
from validator.reading.plan import Step
from validator.repair.diff import DiffAction

State = frozenset[tuple[str, ...]]
Cost = tuple[Fraction, Fraction]

TOTAL_COST = ("total-cost",)
_WAITING, _LATE, _EARLY, _DONE = range(4)
"""what becomes of a line that may move"""

KINDS = ("strips", "adl", "conditional", "axioms")

CHEAP = ("0", "1", "2", "0.5", "3")
DEAR = ("0", "1", "123.4567", "1000", "0.0001")
DEARER = ("0", "1", "10000000", "9999999", "3")
"""prices of actions: in the latter two, an insertion outweighs any skip that has a fixed price"""


def _texts(
    names: Iterable[str],
    bodies: Iterable[tuple[Sequence[str], Sequence[str], str]],
    init: Iterable[str],
    goal: str,
    rules: Iterable[str] = (),
) -> tuple[str, str]:
    """Return a model of predicates and actions without parameters: conditions, effects and a price of each."""
    actions = " ".join(
        f"(:action a{number} :parameters () :precondition (and {' '.join(conditions)})"
        f" :effect (and {' '.join(effects)} (increase (total-cost) {price})))"
        for number, (conditions, effects, price) in enumerate(bodies)
    )
    domain = (
        "(define (domain d) (:requirements :adl :derived-predicates :action-costs)"
        f" (:predicates {' '.join(f'({name})' for name in names)}) (:functions (total-cost))"
        f" {' '.join(rules)} {actions})"
    )
    facts = " ".join(f"({name})" for name in init)
    head = f"(define (problem q) (:domain d) (:init {facts}) (:goal {goal})"
    return domain, f"{head} (:metric minimize (total-cost)))"


def random_case(kind: str, seed: int, prices: Sequence[str] = CHEAP) -> tuple[str, str, list[str]]:
    """Return a random domain, problem and plan; actions have no parameters, some steps do not exist."""
    rng = random.Random(f"{kind} {seed}")
    names = [f"p{number}" for number in range(rng.randint(3, 5))]

    def literal(name: str) -> str:
        return f"({name})" if rng.random() < 0.7 else f"(not ({name}))"

    def some(most: int) -> list[str]:
        return [literal(name) for name in rng.sample(names, rng.randint(0, most))]

    bodies = []
    for _ in range(rng.randint(3, 5)):
        conditions, effects = some(2), some(2)
        if kind == "adl" and rng.random() < 0.5:
            conditions.append(f"(or {literal(rng.choice(names))} {literal(rng.choice(names))})")
        if kind == "axioms" and rng.random() < 0.6:
            conditions.append(literal("d"))
        if kind == "conditional" and rng.random() < 0.7:
            effects.append(f"(when {literal(rng.choice(names))} {literal(rng.choice(names))})")
        bodies.append((conditions, effects, rng.choice(prices)))
    derived = ["d"] if kind == "axioms" else []
    goal = f"(and {' '.join(some(2) or ['(p0)'])} {' '.join(map(literal, derived))})"
    if kind == "adl":
        goal = f"(or {goal} (and {literal('p0')} {literal('p1')}))"
    init = [name for name in names if rng.random() < 0.3]
    texts = _texts(
        [*names, *derived], bodies, init, goal, ["(:derived (d) (or (and (p0) (not (p1))) (p2)))"] * bool(derived)
    )
    return *texts, [f"(a{rng.randint(0, len(bodies))})" for _ in range(rng.randint(0, 5))]


def random_turns(seed: int, prices: Sequence[str] = CHEAP) -> tuple[str, str, list[str]]:
    """Return the same with things that turn: each action moves what is at some places in a circle, or shifts a row."""
    rng = random.Random(f"turns {seed}")
    places = [[f"p{thing}x{place}" for place in range(rng.randint(2, 4))] for thing in range(rng.randint(1, 3))]
    locks = [f"l{number}" for number in range(rng.randint(0, 2))]
    bodies = []
    for _ in range(rng.randint(2, 4)):
        conditions = [f"({lock})" if rng.random() < 0.7 else f"(not ({lock}))" for lock in locks if rng.random() < 0.3]
        effects = []
        for row in rng.sample(places, rng.randint(1, len(places))):
            order = rng.sample(row, len(row))
            arcs = list(pairwise([*order, order[0]] if rng.random() < 0.7 else order))
            for old, new in arcs:
                guard = f"(and ({old}) ({rng.choice(locks)}))" if locks and rng.random() < 0.15 else f"({old})"
                effects += [f"(when {guard} ({new}))", f"(when (not ({old})) (not ({new})))"]
            if rng.random() < 0.3:
                conditions.append(f"({rng.choice(row)})" if rng.random() < 0.5 else f"(not ({rng.choice(row)}))")
        if locks and rng.random() < 0.2:
            effects.append(f"(not ({rng.choice(locks)}))")
        bodies.append((conditions, effects))
    bodies += [([], [f"({lock})"]) for lock in locks if rng.random() < 0.8]
    priced = [(conditions, effects, rng.choice(prices)) for conditions, effects in bodies]
    init = [name for row in places for name in rng.sample(row, rng.randint(1, 2))]
    init += [lock for lock in locks if rng.random() < 0.5]
    goal = [f"({rng.choice(row)})" for row in places if rng.random() < 0.8] or [f"({places[0][0]})"]
    if rng.random() < 0.3:
        goal = [f"(or {' '.join(goal)} (not ({rng.choice(places[0])})))"]
    plan = [f"(a{rng.randrange(len(bodies))})" for _ in range(rng.randint(0, 8))]
    names = [*(place for row in places for place in row), *locks]
    return *_texts(names, priced, init, f"(and {' '.join(goal)})"), plan


def random_places(seed: int, prices: Sequence[str] = CHEAP) -> tuple[str, str, list[str]]:
    """Return the same with variables of several values, rules that say which they have not, and goals of such rules."""
    rng = random.Random(f"places {seed}")
    things = [[f"t{thing}x{value}" for value in range(rng.randint(2, 5))] for thing in range(3)]
    rules = [f"d{number}" for number in range(rng.randint(2, 4))]

    def literal(name: str) -> str:
        return f"({name})" if rng.random() < 0.6 else f"(not ({name}))"

    def place() -> str:
        return literal(rng.choice(rng.choice(things)))

    def moved(thing: Sequence[str]) -> tuple[str, str]:
        old, new = rng.sample(thing, 2)
        return f"({old})", f"(not ({old})) ({new})"

    derived, bodies = [], []
    for number, rule in enumerate(rules):
        parts = [f"(and {place()} {place()})" if rng.random() < 0.4 else place() for _ in range(rng.randint(1, 3))]
        parts += [literal(other) for other in rules[:number] if rng.random() < 0.3]
        if rng.random() < 0.5:
            parts = [f"({rng.choice(thing)})" for thing in things]
        derived.append(f"(:derived ({rule}) (or {' '.join(parts)}))")
    number = rng.randint(8, 12)
    for _ in range(number):
        condition, effect = moved(rng.choice(things))
        conditions = [condition, *(f"(not ({rule}))" for rule in rules if rng.random() < 0.25)]
        effects = [effect]
        for thing in things:
            if rng.random() < 0.4 and condition.strip("()") not in thing:
                when, then = moved(thing)
                more = f" {place()}" if rng.random() < 0.5 else ""
                effects.append(f"(when (and {when}{more}) (and {then}))")
        bodies.append((conditions, effects, rng.choice(prices)))
    init = [rng.choice(thing) for thing in things]
    goal = [f"({rule})" if rng.random() < 0.85 else f"(not ({rule}))" for rule in rules]
    goal += [place()] if rng.random() < 0.3 else []
    names = (name for thing in (*things, rules) for name in thing)
    texts = _texts(names, bodies, init, f"(and {' '.join(goal)})", derived)
    return *texts, [f"(a{rng.randint(0, number)})" for _ in range(rng.randint(0, 8))]


class Oracle:
    """The cost of the nearest plan of one model, which may begin in another state than its text says."""

    def __init__(self, domain: str, problem: str, init: State | None = None) -> None:
        self.reference = Reference(domain, problem)
        first = self.reference.initial()
        self.init = frozenset(first.atoms) if init is None else init
        self._values, self._acts = first.values, self.reference.ground()
        self._is_counted = not any(part[0] == ":metric" for part in self.reference.problem)
        self.begun = Fraction(0) if self._is_counted else first.values[TOTAL_COST]
        """what the cost begins with, which belongs to no step; without a metric steps are counted"""
        self.steps = [Step(name=name, args=tuple(args)) for name, *args in self._acts]
        self._next: dict[State, list[tuple[Step, State, Fraction]]] = {}
        self._goal: dict[State, bool] = {}

    def successors(self, state: State) -> list[tuple[Step, State, Fraction]]:
        if state not in self._next:
            world, found = World(state, self._values), []
            for step in self.steps:
                after = self.reference.after(self._acts[step.name, *step.args], world)
                if after is not None:
                    price = after.values[TOTAL_COST] - self._values[TOTAL_COST]
                    found.append((step, frozenset(after.atoms), Fraction(1) if self._is_counted else price))
            self._next[state] = found
        return self._next[state]

    def ways(self, start: State, most: float = inf, avoiding: tuple[str, ...] = ()) -> dict[State, list[Step]]:
        """Return the states that can be reached, each with a shortest way; no more than one above a number.

        None of them has an atom that is to be avoided.
        """
        found, waiting = {start: list[Step]()}, [start]
        for state in waiting:
            for step, after, _ in self.successors(state):
                if after not in found and avoiding not in after and len(found) <= most:
                    found[after] = [*found[state], step]
                    waiting.append(after)
        return found

    def is_goal(self, state: State) -> bool:
        if state not in self._goal:
            self._goal[state] = self.has(self.reference.goal(), state)
        return self._goal[state]

    def view(self, state: State) -> Set[tuple[str, ...]]:
        """Return the atoms of a state, the derived ones too."""
        return self.reference.closed(World(state, self._values))

    def has(self, condition: Any, state: State) -> bool:
        """Return whether a condition, as lists of words, holds in a state."""
        return self.reference.truth(condition, World(state, self._values)) is True

    def run(self, steps: Iterable[str]) -> tuple[State, list[Fraction]] | None:
        """Return the state behind all steps and what each costs, None where one of them cannot be executed."""
        state, prices = self.init, []
        for step in steps:
            way = next(((after, price) for one, after, price in self.successors(state) if str(one) == step), None)
            if way is None:
                return None
            state = way[0]
            prices.append(way[1])
        return state, prices

    def nearest(self, plan: Sequence[str], quality: str, policy: str, scale: int) -> Cost | None:
        """Return the least cost, most important part first; None when no plan has the quality.

        OPTIMAL: (cost of the plan, changed lines). ``edits``: (changed lines, 0). ``keep``: (skipped lines,
        scaled cost of what is inserted, at least 1 for each).
        """

        def insertion(cost: Fraction) -> Cost:
            if quality == "optimal":
                return cost, Fraction(1)
            return (Fraction(1), Fraction(0)) if policy == "edits" else (Fraction(0), max(cost * scale, Fraction(1)))

        nothing = (Fraction(0), Fraction(0))
        found = self.least(
            plan,
            insertion,
            skipped=(Fraction(0), Fraction(1)) if quality == "optimal" else (Fraction(1), Fraction(0)),
            kept=lambda price: (price, Fraction(0)) if quality == "optimal" else nothing,
            with_goal=quality != "sound",
        )
        return found if found is None or quality != "optimal" else (found[0] + self.begun, found[1])

    def least(
        self,
        plan: Sequence[str],
        insertion: Callable[[Fraction], Cost],
        skipped: Cost,
        kept: Callable[[Fraction], Cost],
        *,
        with_goal: bool,
    ) -> Cost | None:
        """Return the least sum of what edits cost, most important part first; None when no plan will do."""

        def moves(node: tuple[State, int]) -> Iterator[tuple[tuple[State, int], Cost]]:
            state, place = node
            if place < len(plan):
                yield (state, place + 1), skipped
            for step, after, price in self.successors(state):
                yield (after, place), insertion(price)
                if place < len(plan) and str(step) == plan[place]:
                    yield (after, place + 1), kept(price)

        def is_end(node: tuple[State, int]) -> bool:
            return node[1] == len(plan) and (not with_goal or self.is_goal(node[0]))

        return cheapest((self.init, 0), moves, is_end)  # type: ignore[no-any-return]

    def moved(self, plan: Sequence[str], quality: str, scale: int) -> tuple[int, Fraction] | None:
        """Return how few lines are lost where lines may move, and what moves and insertions cost then."""

        def moves(node: Any) -> Iterator[tuple[Any, tuple[int, Fraction]]]:
            state, place, lines = node
            for kind, more in _passing(lines, place):
                yield (state, place + 1, _with(lines, place, kind)), more
            for step, after, price in self.successors(state):
                yield (after, place, lines), (0, max(price * scale, Fraction(1)))
                for at in (at for at, line in enumerate(plan) if line == str(step)):
                    for onward, kind, more in _doing(lines, place, at):
                        yield (after, place + onward, _with(lines, at, kind)), (0, Fraction(more))

        def is_end(node: Any) -> bool:
            return set(node[2]) <= {_DONE} and (quality == "sound" or self.is_goal(node[0]))

        return cheapest((self.init, 0, (_WAITING,) * len(plan)), moves, is_end)  # type: ignore[no-any-return]


def _with(lines: tuple[int, ...], at: int, kind: int) -> tuple[int, ...]:
    return (*lines[:at], kind, *lines[at + 1 :])


def _passing(lines: tuple[int, ...], place: int) -> list[tuple[int, tuple[int, Fraction]]]:
    """Return what may become of the line at a place without doing it: lost, done later, done before."""
    kind = lines[place] if place < len(lines) else None
    if kind == _WAITING:
        return [(_DONE, (1, Fraction(0))), (_LATE, (0, Fraction(1)))]
    return [(_DONE, (0, Fraction(0)))] if kind == _EARLY else []


def _doing(lines: tuple[int, ...], place: int, at: int) -> list[tuple[int, int, int]]:
    """Return how a line may be done: whether that passes its place, what it is then, and what it costs."""
    if lines[at] == _WAITING and at >= place:
        return [(0, _EARLY, 1), *([(1, _DONE, 0)] if at == place else [])]
    return [(0, _DONE, 0)] if lines[at] == _LATE else []


def cost_of(
    report: Report, policy: str, oracle: Oracle, scale: int, executed: int = 0
) -> tuple[Fraction, Fraction] | None:
    """Return what a report's repair costs, in the oracle's terms; its first steps may have been executed before.

    Asserts that the repair has the quality, that its diff leads from the plan to it, and that it costs what it says.
    """
    zero = Fraction(0)
    if report.determination:
        return (report.cost or zero, zero) if report.report_type is Quality.OPTIMAL else (zero, zero)
    if report.repaired_plan is None:
        return None
    left = [diff for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.DELETE]
    steps, skipped = [str(diff.step) for diff in left], len(report.plan_diff_obj) - len(left)
    assert steps == list(map(str, report.repaired_plan)), (steps, report.repaired_plan)
    left, steps = left[executed:], steps[executed:]
    end = oracle.run(steps)
    assert end is not None, steps
    state, prices = end
    cost = oracle.begun + sum(prices)
    assert report.report_type is Quality.SOUND or oracle.is_goal(state), steps
    assert report.repaired_cost in (None, cost), (report.repaired_cost, cost)
    added = [price for diff, price in zip(left, prices, strict=True) if diff.diff_type is DiffAction.ADD]
    if report.report_type is Quality.OPTIMAL:
        return cost, Fraction(len(added) + skipped)
    if policy == "edits":
        return Fraction(len(added) + skipped), zero
    return Fraction(skipped), sum((max(price * scale, Fraction(1)) for price in added), zero)

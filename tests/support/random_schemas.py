"""Small random models with parameters, and an oracle for them: all that classical models may have, in one.

Types, constants, static facts, quantifiers, equality, conditional effects for all objects, derived predicates with
parameters, prices that are read from functions, a total cost that does not begin at 0, goals that are a choice.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from fractions import Fraction
from itertools import count, product
from random import Random
from typing import Literal

from tests.support.edit_oracle import CHEAP, Oracle

__all__ = ["SchemaOracle", "Style", "Texts", "random_moves", "random_plan", "random_schema", "with_goal_in_reach"]

Style = Literal["all", "plain", "conditional"]

Texts = tuple[str, str]
"""of a domain and of a problem"""

_DERIVED = (
    "(or (p ?v) (exists (?w) (and (link ?w ?v) (d ?w))))",
    "(and (fixed ?v) (not (p ?v)))",
    "(exists (?w) (and (link ?v ?w) (p ?w)))",
)
_FIXED = (("fixed", 1), ("link", 2))
_WAITING, _LATE, _EARLY, _DONE = range(4)


class _Writer:
    """The random parts of one model."""

    def __init__(self, seed: int, prices: Sequence[str], style: Style = "all") -> None:
        self.random, self.prices, self.is_plain = Random(f"schema {seed}"), prices, style != "all"
        self.objects = {f"o{number}": self.random.choice("st") for number in range(self.random.randint(2, 3))}
        self.changing = [("p", 1), *[("q", 1), ("r", 2)][: self.random.randint(0, 2)], ("e", 0)]
        self.is_derived, self.is_conditional = self.random.random() < 0.35, self.random.random() < 0.4
        if self.is_plain:
            self.is_derived, self.is_conditional = False, style == "conditional"

    def atom(self, terms: Sequence[str], known: Sequence[tuple[str, int]]) -> str:
        name, arity = self.random.choice(known)
        return f"({' '.join((name, *(self.random.choice(terms) for _ in range(arity))))})"

    def literal(self, terms: Sequence[str], share: float = 0.7, known: Sequence[tuple[str, int]] = ()) -> str:
        atom = self.atom(terms, known or self.changing)
        return atom if self.random.random() < share else f"(not {atom})"

    def condition(self, terms: Sequence[str]) -> str:
        kind = self.random.random()
        if kind < 0.1:
            return self.atom(terms, _FIXED)
        if kind < 0.17:
            equality = f"(= {self.random.choice(terms)} {self.random.choice(terms)})"
            return f"(not {equality})" if kind < 0.15 else equality
        if self.is_plain:
            return self.literal(terms)
        if kind < 0.25:
            return f"(or {self.literal(terms)} {self.literal(terms)})"
        if kind < 0.32:
            return f"(exists (?z - s) {self.literal([*terms, '?z'])})"
        if kind < 0.37:
            return f"(forall (?z - t) {self.literal([*terms, '?z'])})"
        return self.literal(terms, 0.6, [("d", 1)]) if kind < 0.45 and self.is_derived else self.literal(terms)

    def effects(self, terms: Sequence[str], parameter: str) -> list[str]:
        draw, inner = self.random.random, [*terms, "?z"]
        found = [self.literal(terms, 0.6) for _ in range(self.random.randint(1, 3))]
        if draw() < 0.2 and not self.is_plain:
            found.append(f"(forall (?z - s) {self.literal(inner)})")
        if self.is_conditional and draw() < 0.6:
            found.append(f"(when {self.condition(terms)} {self.literal(terms)})")
        while self.is_plain and self.is_conditional and draw() < 0.5:
            found.append(f"(when {self.literal(terms)} {self.literal(terms)})")
        if self.is_conditional and draw() < 0.2:
            found.append(f"(forall (?z) (when {self.condition(inner)} {self.literal(inner)}))")
        price = f"(price {parameter})" if parameter and draw() < 0.3 else self.random.choice(self.prices)
        return [*found, f"(increase (total-cost) {price})"] if draw() < 0.85 else found

    def action(self, number: int) -> str:
        named = [
            f"?x{place} - {self.random.choice(('s', 't', 'object'))}" for place in range(self.random.randint(0, 2))
        ]
        terms = [*(one.split()[0] for one in named), "c"]
        conditions = " ".join(self.condition(terms) for _ in range(self.random.randint(0, 3)))
        effects = " ".join(self.effects(terms, terms[0] if named else ""))
        return (
            f"(:action a{number} :parameters ({' '.join(named)}) :precondition (and {conditions})"
            f" :effect (and {effects}))"
        )

    def goal(self) -> str:
        names = [*self.objects, "c"]
        parts = [self.literal(names, 0.75) for _ in range(self.random.randint(1, 3))]
        if self.is_derived and self.random.random() < 0.5:
            parts.append(self.literal(names, 0.6, [("d", 1)]))
        goal = f"(and {' '.join(parts)})"
        has_choice = self.random.random() < 0.35 and not self.is_plain
        return f"(or {goal} {self.literal(names)})" if has_choice else goal

    def texts(self) -> tuple[str, str]:
        declared = " ".join(f"({name}{''.join(f' ?y{at}' for at in range(arity))})" for name, arity in self.changing)
        derived = f"(:derived (d ?v) {self.random.choice(_DERIVED)})" if self.is_derived else ""
        actions = " ".join(map(self.action, range(self.random.randint(2, 4))))
        domain = (
            "(define (domain d) (:requirements :adl :derived-predicates :action-costs) (:types s t) (:constants c - t)"
            f" (:predicates {declared} (fixed ?a) (link ?a ?b){' (d ?v)' if derived else ''})"
            f" (:functions (total-cost) (price ?a)) {derived} {actions})"
        )
        names = [*self.objects, "c"]
        every = (
            f"({' '.join((name, *args))})" for name, n in (*self.changing, *_FIXED) for args in product(names, repeat=n)
        )
        facts = " ".join(fact for fact in every if self.random.random() < 0.3)
        values = " ".join(f"(= (price {name}) {self.random.choice(self.prices)})" for name in names)
        objects = " ".join(f"{name} - {kind}" for name, kind in self.objects.items())
        return domain, (
            f"(define (problem q) (:domain d) (:objects {objects}) (:init {facts} {values}"
            f" (= (total-cost) {self.random.choice(('0', '0', '2.5'))})) (:goal {self.goal()})"
            " (:metric minimize (total-cost)))"
        )


def random_schema(seed: int, prices: Sequence[str] = CHEAP, style: Style = "all") -> Texts:
    """Return a model; a plain one has literals as conditions and effects, and a conditional one many of these."""
    return _Writer(seed, prices, style).texts()


def random_moves(seed: int) -> Texts:
    """Return a model whose actions mostly add as much as they take away: of many atoms one holds at a time."""
    random = Random(f"moves {seed}")
    known = random.sample((("free", 0), ("p", 1), ("q", 1), ("r", 2), ("w", 2)), random.randint(2, 4))
    objects = [f"o{number}" for number in range(random.randint(2, 3))]

    def atom(terms: Sequence[str]) -> str:
        name, arity = random.choice(known)
        return f"({' '.join((name, *(random.choice(terms) for _ in range(arity))))})"

    actions = []
    for number in range(random.randint(2, 4)):
        named = [f"?x{place}" for place in range(random.randint(1, 2))]
        terms = [*named, "c"] if random.random() < 0.2 else named
        needs = [atom(terms) for _ in range(random.randint(1, 3))]
        deletes = [need for need in needs if random.random() < 0.85]
        if random.random() < 0.1:
            deletes.append(atom(terms))
        adds = [atom(terms) for _ in range(max(0, len(deletes) + random.choice((-1, 0, 0, 0, 0, 1))))]
        if len(named) > 1 and random.random() < 0.2:
            needs.append("(not (= ?x0 ?x1))")
        if random.random() < 0.1:
            needs.append(f"(not {atom(terms)})")
        types = " ".join(f"{name} - {random.choice(('s', 'object', 'object'))}" for name in named)
        effects = " ".join((*adds, *(f"(not {gone})" for gone in deletes)))
        actions.append(
            f"(:action a{number} :parameters ({types}) :precondition (and {' '.join(needs)}) :effect (and {effects}))"
        )
    declared = " ".join(f"({name}{''.join(f' ?y{at}' for at in range(arity))})" for name, arity in known)
    domain = (
        "(define (domain d) (:requirements :adl) (:types s) (:constants c - s)"
        f" (:predicates {declared}) {' '.join(actions)})"
    )
    kinds = " ".join(f"{name} - {random.choice(('s', 'object'))}" for name in objects)
    init = " ".join(sorted({atom([*objects, "c"]) for _ in range(random.randint(1, 5))}))
    goal = atom([*objects, "c"])
    return domain, f"(define (problem q) (:domain d) (:objects {kinds}) (:init {init}) (:goal {goal}))"


def with_goal_in_reach(texts: Texts, random: Random) -> Texts:
    """Return a model whose goal is part of what a random walk leads to."""
    domain, problem = texts
    oracle = Oracle(*texts)
    state = oracle.init
    for _ in range(random.randint(1, 5)):
        if ways := oracle.successors(state):
            _, state, _ = random.choice(ways)
    changing = sorted(state ^ oracle.init) or sorted(state)
    chosen = random.sample(changing, min(len(changing), random.randint(1, 3)))
    atoms = [(f"({' '.join(atom)})", atom in state) for atom in chosen]
    goal = " ".join(atom if holds else f"(not {atom})" for atom, holds in atoms)
    return domain, f"{problem[: problem.index('(:goal')]}(:goal (and {goal})){_behind_goal(problem)}"


def _behind_goal(problem: str) -> str:
    """Return what stands behind the goal, which is the last section but the metric."""
    return f" {problem[problem.index('(:metric') :]}" if "(:metric" in problem else ")"


class SchemaOracle(Oracle):
    """The oracle for plans whose lines may move."""

    def moved(self, plan: Sequence[str], quality: str, scale: int) -> tuple[int, Fraction] | None:
        """Return how few lines are lost where lines may move, and what moves and insertions cost then."""
        start = (self.init, 0, (_WAITING,) * len(plan))
        best, number = {start: (0, Fraction(0))}, count()
        heap = [((0, Fraction(0)), next(number), start)]
        while heap:
            cost, _, node = heapq.heappop(heap)
            state, place, lines = node
            if cost > best[node]:
                continue
            if set(lines) <= {_DONE} and (quality == "sound" or self.is_goal(state)):
                return cost
            moves = [((state, place + 1, _with(lines, place, kind)), more) for kind, more in _passing(lines, place)]
            for step, after, price in self.successors(state):
                moves.append(((after, place, lines), (0, max(price * scale, Fraction(1)))))
                for at in (at for at, line in enumerate(plan) if line == str(step)):
                    moves += [
                        ((after, place + onward, _with(lines, at, kind)), (0, Fraction(more)))
                        for onward, kind, more in _doing(lines, place, at)
                    ]
            for target, more in moves:
                total = (cost[0] + more[0], cost[1] + more[1])
                if target not in best or total < best[target]:
                    best[target] = total
                    heapq.heappush(heap, (total, next(number), target))
        return None


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


def random_plan(oracle: Oracle, random: Random, most: int = 6) -> list[str]:
    """Return a walk with some faults; some steps do not exist."""
    state, walk = oracle.init, list[str]()
    while len(walk) < most and random.random() < 0.85 and (ways := oracle.successors(state)):
        step, state, _ = random.choice(ways)
        walk.append(str(step))
    for _ in range(random.randint(0, 3)):
        place = random.randint(0, len(walk))
        match random.randrange(4):
            case 0:
                del walk[place : place + 1]
            case 1:
                random.shuffle(walk)
            case 2:
                walk.insert(place, str(random.choice(oracle.steps)) if oracle.steps else "(a9)")
            case _:
                walk.insert(place, random.choice(("(a9 o0)", *walk)))
    return walk[:most]

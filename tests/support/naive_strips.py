"""A planner's view of small models without any of the package: sets of facts, all states, nothing clever."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

from tests.support.naive_reference import Reference, typed

Fact = tuple[str, ...]
State = frozenset[Fact]


@dataclass(frozen=True)
class Naive:
    """A STRIPS model with negative preconditions, as the second executor reads it."""

    reference: Reference

    @classmethod
    def of(cls, domain: str, problem: str) -> Naive:
        return cls(Reference(domain, problem))

    @cached_property
    def init(self) -> State:
        return frozenset(self.reference.initial().atoms)

    @cached_property
    def goal(self) -> State:
        return _literals(self.reference.goal())[0]

    @cached_property
    def actions(self) -> dict[Fact, tuple[State, State, State, State]]:
        """Return for each ground step what it needs, lacks, adds and deletes."""
        found: dict[Fact, tuple[State, State, State, State]] = {}
        for step, act in self.reference.ground().items():
            adds, deletes = _literals(act.effects[0])
            found[step] = *_literals(act.condition), adds, deletes - adds
        return found

    @cached_property
    def changing(self) -> list[Fact]:
        """Return every fact of a predicate that some action changes."""
        names = {fact[0] for _, _, adds, deletes in self.actions.values() for fact in adds | deletes}
        (declared,) = (part[1:] for part in self.reference.domain if part[0] == ":predicates")
        sizes = {name: len(typed(words)) for name, *words in declared}
        return [(name, *args) for name in sorted(names) for args in product(self.reference.objects, repeat=sizes[name])]

    def applicable(self, step: Fact, state: State) -> bool:
        needs, lacks, _, _ = self.actions[step]
        return needs <= state and not lacks & state

    def after(self, step: Fact, state: State) -> State:
        _, _, adds, deletes = self.actions[step]
        return (state - deletes) | adds

    @cached_property
    def _known(self) -> dict[tuple[State, Fact | None], dict[State, list[Fact]]]:
        return {}

    def ways(self, start: State, avoiding: Fact | None = None) -> dict[State, list[Fact]]:
        """Return all states that can be reached, each by a shortest way; none of them has a fact to be avoided."""
        if (start, avoiding) not in self._known:
            found: dict[State, list[Fact]] = {start: []}
            waiting = [start]
            for state in waiting:
                for step in self.actions:
                    if self.applicable(step, state):
                        then = self.after(step, state)
                        if then not in found and avoiding not in then:
                            found[then] = [*found[state], step]
                            waiting.append(then)
            self._known[start, avoiding] = found
        return self._known[start, avoiding]

    def shortest(self, start: State, goal: State | None = None, avoiding: Fact | None = None) -> list[Fact] | None:
        """Return a shortest plan for a goal, by default the model's own."""
        ways = self.ways(start, avoiding).items()
        return next((way for state, way in ways if (self.goal if goal is None else goal) <= state), None)

    def run(self, steps: Iterable[Fact]) -> tuple[int, State]:
        """Return the place of the first step that cannot be executed, -1 for none, and the state then."""
        state = self.init
        for place, step in enumerate(steps):
            if not self.applicable(step, state):
                return place, state
            state = self.after(step, state)
        return -1, state

    def is_plan(self, steps: Iterable[Fact], goal: State | None = None) -> bool:
        place, state = self.run(steps)
        return place == -1 and (self.goal if goal is None else goal) <= state


def _literals(condition: Any) -> tuple[State, State]:
    """Return the facts that a conjunction says to be true, and those that it says to be false."""
    sides: tuple[set[Fact], set[Fact]] = (set(), set())
    for part in condition[1:] if condition[:1] == ["and"] else [condition] if condition else []:
        denied = part[0] == "not"
        sides[denied].add(tuple(part[1] if denied else part))
    return frozenset(sides[0]), frozenset(sides[1])


# --- random models -------------------------------------------------------------------------------

_PREDICATES = {"calm": 0, "warm": 1, "near": 2}


def random_strips(seed: int) -> tuple[str, str]:
    """Return a random domain and problem, its goal mostly in reach; two objects, every fourth has three."""
    chance = Random(seed)
    objects = "ab" if seed % 4 else "abc"
    actions = "\n".join(_action(chance, number) for number in range(chance.randint(2, 4)))
    declared = "(calm) (warm ?x) (near ?x ?y)"
    domain = (
        f"(define (domain small) (:requirements :strips :negative-preconditions)\n(:predicates {declared})\n{actions})"
    )
    facts = [(name, *args) for name, size in _PREDICATES.items() for args in product(objects, repeat=size)]
    init = chance.sample(facts, chance.randint(2, 5))
    head = f"(define (problem one) (:domain small) (:objects {' '.join(objects)})"
    start = f"{head} (:init {_text(init)}) (:goal (and (calm))))"
    known = Naive.of(domain, start).ways(frozenset(init))
    most = max(map(len, known.values()))
    far = [state for state, way in known.items() if len(way) == most]
    goal = sorted(min(far, key=sorted) - set(init)) or [chance.choice(facts)]
    return domain, f"{head} (:init {_text(init)}) (:goal (and {_text(chance.sample(goal, min(2, len(goal))))})))"


def _text(facts: Iterable[Fact]) -> str:
    return " ".join(f"({' '.join(fact)})" for fact in facts)


def _action(chance: Random, number: int) -> str:
    names = ["?x", "?y"][: chance.randint(1, 2)]
    needs = list(_lifted(chance, names, chance.randint(0, 2), 0.7))
    changes = list(_lifted(chance, names, chance.randint(1, 3), 0.6))
    return (
        f"(:action {('turn', 'push', 'pull', 'drop')[number]} :parameters ({' '.join(names)})"
        f" :precondition (and {' '.join(needs)}) :effect (and {' '.join(changes)}))"
    )


def _lifted(chance: Random, names: list[str], number: int, positive: float) -> Iterator[str]:
    seen: set[str] = set()
    for _ in range(number):
        name = chance.choice(list(_PREDICATES))
        atom = f"({' '.join((name, *chance.choices(names, k=_PREDICATES[name])))})"
        if atom not in seen:
            seen.add(atom)
            yield atom if chance.random() < positive else f"(not {atom})"

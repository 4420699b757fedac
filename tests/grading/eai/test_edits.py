"""The nearest successful plan, against an enumeration of all scripts of edits that knows nothing of the search."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from tests.support.depth import deep
from validator.grading.eai.edits.nearest import Aims, Nearest, Search
from validator.grading.eai.edits.possible import Possible
from validator.grading.eai.edits.relevance import Relevance
from validator.grading.eai.edits.script import Fault, Line
from validator.grading.eai.world.query import conjuncts
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import Transitions, World
from validator.model.pddl import read_domain, read_problem

OBJECTS = ("x", "y")
PREDICATES = ("p", "q", "fixed")
Lit = tuple[str, bool]
Facts = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Schema:
    """An action of one parameter: what it needs and changes, and one conditional effect on the other object."""

    needs: tuple[Lit, ...]
    does: tuple[Lit, ...]
    when: tuple[Lit, Lit] | None


@dataclass(frozen=True)
class Small:
    schemas: tuple[Schema, ...]
    start: Facts
    goal: tuple[tuple[str, str, bool], ...]
    lines: tuple[Line, ...]

    def run(self, line: Line, facts: Facts) -> Facts | None:
        if line not in self.steps:
            return None
        schema, thing = self.schemas[int(line[0][1:])], line[1]
        if any(((name, thing) in facts) != value for name, value in schema.needs):
            return None
        changes = [((name, thing), value) for name, value in schema.does]
        if schema.when is not None:
            (asked, wanted), (name, value) = schema.when
            changes += [((name, each), value) for each in OBJECTS if ((asked, each) in facts) == wanted]
        gone = {atom for atom, value in changes if not value}
        return (facts - gone) | {atom for atom, value in changes if value}

    def succeeds(self, lines: tuple[Line, ...]) -> bool:
        facts: Facts | None = self.start
        for line in lines:
            facts = None if facts is None else self.run(line, facts)
        return facts is not None and all(((name, thing) in facts) == value for name, thing, value in self.goal)

    @property
    def steps(self) -> list[Line]:
        return [(f"a{n}", thing) for n in range(len(self.schemas)) for thing in OBJECTS]


def small(seed: int) -> Small:
    rng = random.Random(seed)

    def lits(most: int, names: tuple[str, ...]) -> tuple[Lit, ...]:
        return tuple((name, rng.random() < 0.6) for name in rng.sample(names, rng.randint(0, most)))

    schemas = tuple(
        Schema(
            needs=lits(2, PREDICATES),
            does=lits(2, ("p", "q")) or (("p", True),),
            when=((rng.choice(PREDICATES), rng.random() < 0.5), (rng.choice("pq"), rng.random() < 0.5))
            if rng.random() < 0.3
            else None,
        )
        for _ in range(3)
    )
    start = frozenset(atom for atom in product(PREDICATES, OBJECTS) if rng.random() < 0.4)
    goal = tuple((name, thing, rng.random() < 0.6) for name, thing in rng.sample(list(product("pq", OBJECTS)), 2))
    known = [(f"a{n}", thing) for n in range(3) for thing in OBJECTS]
    strange: list[Line] = [("fly", "x"), ("a0", "z")]
    lines = tuple(rng.choice(known + (strange if rng.random() < 0.2 else [])) for _ in range(rng.randint(1, 4)))
    return Small(schemas=schemas, start=start, goal=goal, lines=lines)


# --- the oracle: every set of at most two edits --------------------------------------------------------


def never(case: Small) -> dict[Line, Fault]:
    """Return the lines that no reachable state allows."""
    seen, waiting = {case.start}, [case.start]
    ran = set()
    while waiting:
        facts = waiting.pop()
        for step in case.steps:
            after = case.run(step, facts)
            if after is not None:
                ran.add(step)
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
    lines = set(case.lines) - ran
    return {line: Fault.AFFORDANCE if line in case.steps else Fault.HALLUCINATION for line in lines}


Tagged = tuple[tuple[bool, Line], ...]
"""Lines, and whether each may still be edited."""


def edited(case: Small, items: Tagged, wrong: dict[Line, Fault]) -> Iterator[tuple[Tagged, Fault]]:
    """Yield every result of one edit, with its class."""
    for place in range(len(items) + 1):
        for step in case.steps:
            yield (*items[:place], (False, step), *items[place:]), Fault.MISSING_STEP
    for place, (is_free, line) in enumerate(items):
        if not is_free:
            continue
        rest = (*items[:place], *items[place + 1 :])
        yield rest, wrong.get(line, Fault.ADDITIONAL_STEP)
        for gap in range(len(rest) + 1):
            yield (*rest[:gap], (False, line), *rest[gap:]), Fault.WRONG_ORDER
        for step in case.steps:
            if line in wrong and (step[0] == line[0] or step[1:] == line[1:]):
                yield (*items[:place], (False, step), *items[place + 1 :]), wrong[line]


def by_brute_force(case: Small, most: int) -> tuple[int | None, set[tuple[Fault, ...]]]:
    """Return the fewest edits to success up to a number, and the classes of all scripts of so many edits."""
    wrong = never(case)
    level: set[tuple[Tagged, tuple[Fault, ...]]] = {(tuple((True, line) for line in case.lines), ())}
    for count in range(most + 1):
        found = {faults for items, faults in level if case.succeeds(tuple(line for _, line in items))}
        if found:
            return count, found
        if count < most:
            level = {
                (after, tuple(sorted((*faults, fault))))
                for items, faults in level
                for after, fault in edited(case, items, wrong)
            }
    return None, set()


# --- ours ---------------------------------------------------------------------------------------------


def pddl(case: Small) -> tuple[str, str]:
    def lit(name: str, value: bool, thing: str) -> str:
        return f"({name} {thing})" if value else f"(not ({name} {thing}))"

    actions = []
    for number, schema in enumerate(case.schemas):
        needs = " ".join(lit(*each, "?o") for each in schema.needs)
        does = " ".join(lit(*each, "?o") for each in schema.does)
        if schema.when is not None:
            does += f" (forall (?e) (when {lit(*schema.when[0], '?e')} {lit(*schema.when[1], '?e')}))"
        actions.append(f"(:action a{number} :parameters (?o) :precondition (and {needs}) :effect (and {does}))")
    domain = f"(define (domain d) (:requirements :adl) (:predicates (p ?o) (q ?o) (fixed ?o)) {' '.join(actions)})"
    facts = " ".join(f"({' '.join(atom)})" for atom in sorted(case.start))
    goal = " ".join(lit(name, value, thing) for name, thing, value in case.goal)
    return domain, f"(define (problem i) (:domain d) (:objects x y) (:init {facts}) (:goal (and {goal})))"


def ours(case: Small) -> Nearest:
    domain_text, problem_text = pddl(case)
    domain = read_domain(domain_text)
    problem = read_problem(problem_text, domain)
    world, state = World(domain, dict(problem.objects)), State.of(problem.init)
    transitions = Transitions(world=world, initial=state)
    relevance = Relevance(world, state, OBJECTS, frozenset(line[0] for line in case.lines))
    possible = Possible(transitions=transitions, relevance=relevance)
    return Search(
        transitions=transitions,
        relevance=relevance,
        lines=case.lines,
        aims=Aims(formulas=conjuncts(problem.goal)),
        never=lambda place: possible.never(case.lines[place]),
        proof=20_000,
    ).nearest()


@pytest.mark.parametrize("seeds", [range(12), deep(range(12, 130))])
def test_distance_and_classes_are_those_of_all_scripts(seeds: range) -> None:
    compared: Counter[int | None] = Counter()
    for seed in seeds:
        case = small(seed)
        distance, classes = by_brute_force(case, 2)
        found = ours(case)
        compared[distance] += 1
        if distance is None:
            assert found.at_least > 2, seed
        else:
            assert (found.at_least, found.at_most, found.is_every) == (distance, distance, True), seed
            assert set(found.readings) == classes, (seed, case)
            assert case.succeeds(tuple(line for _, line in found.script))
    assert compared[1] and compared[2]

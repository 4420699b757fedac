"""Conditions that stay false: what is said to is never true in any state that can be reached."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.grading.eai.edits.possible import stays_false
from validator.grading.eai.world.query import static_test
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World
from validator.model.pddl import read_domain
from validator.model.values import Atom, Exists, Formula, Parameter

DOMAIN = read_domain("""(define (domain d) (:requirements :adl :derived-predicates)
  (:predicates (on ?x) (off ?x) (at ?x) (road ?x ?y) (key ?x) (near ?x ?y) (reach ?x) (warm))
  (:derived (reach ?x) (or (at ?x) (exists (?y) (and (road ?y ?x) (reach ?y)))))
  (:action switch-on :parameters (?x) :precondition (off ?x) :effect (and (on ?x) (not (off ?x))))
  (:action switch-off :parameters (?x) :precondition (on ?x) :effect (and (off ?x) (not (on ?x))))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action put :parameters (?x ?y) :precondition (and (key ?x) (at ?y)) :effect (near ?x ?y))
  (:action heat :parameters () :precondition (exists (?x) (near ?x ?x)) :effect (warm)))""")
NAMES = ("a", "b", "c")


def proven(formula: Formula, *init: tuple[str, ...]) -> bool:
    world = World(DOMAIN, dict.fromkeys(NAMES, frozenset(("object",))))
    return stays_false(world, formula, State.of(init), static_test(DOMAIN))


@pytest.mark.parametrize(
    ("formula", "init", "answer"),
    [
        (Atom("on", ("a",)), [], True),
        (Atom("on", ("a",)), [("off", "a")], False),
        (Atom("on", ("a",)), [("off", "b")], True),
        (Atom("road", ("a", "b")), [], True),
        (Atom("at", ("c",)), [("at", "a"), ("road", "b", "c")], False),
        (Atom("at", ("c",)), [("at", "a"), ("road", "a", "b")], True),
        (Atom("reach", ("c",)), [("at", "a"), ("road", "a", "b")], True),
        (Atom("warm", ()), [("at", "a")], True),
        (Exists((Parameter("?z"),), Atom("near", ("?z", "b"))), [("at", "a"), ("key", "a")], True),
        (Exists((Parameter("?z"),), Atom("near", ("?z", "a"))), [("at", "a"), ("key", "b")], False),
    ],
)
def test_what_is_proven(formula: Formula, init: list[tuple[str, ...]], answer: bool) -> None:
    assert proven(formula, *init) is answer


_ATOMS = [("on", x) for x in NAMES] + [("off", x) for x in NAMES] + [("at", x) for x in NAMES]
_ATOMS += [("key", x) for x in NAMES] + [("road", x, y) for x in NAMES for y in NAMES] + [("warm",)]
_ASKED = [*_ATOMS, *(("near", x, y) for x in NAMES for y in NAMES), *(("reach", x) for x in NAMES)]


@given(st.sets(st.sampled_from(_ATOMS), max_size=6))
def test_what_is_proven_to_stay_false_is_false_in_every_state_that_can_be_reached(init: set[tuple[str, ...]]) -> None:
    world = World(DOMAIN, dict.fromkeys(NAMES, frozenset(("object",))))
    start = State.of(init)
    seen = {frozenset(start): start}
    waiting = [start]
    while waiting and len(seen) < 100:
        state = waiting.pop()
        for action in DOMAIN.actions.values():
            for args in _tuples(len(action.parameters)):
                if world.failing(action, args, state) is None:
                    after = world.result(action, args, state)
                    if frozenset(after) not in seen:
                        seen[frozenset(after)] = after
                        waiting.append(after)
    is_static = static_test(DOMAIN)
    for atom in _ASKED:
        asked = Atom(atom[0], atom[1:])
        if stays_false(world, asked, start, is_static):
            assert not any(world.holds(asked, state) for state in seen.values()), atom


def _tuples(size: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for _ in range(size):
        found = [(*each, name) for each in found for name in NAMES]
    return found

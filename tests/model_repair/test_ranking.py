"""Which of several smallest repairs stands first: what speaks for a literal and against it."""

from __future__ import annotations

import pytest

from validator.model.pddl import read_domain
from validator.model.values import Atom
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.repair import _ranked as ranked

DOMAIN = read_domain("""
(define (domain walk) (:predicates (at ?r ?p) (road ?p ?q) (seen ?p))
  (:action go :parameters (?r ?p ?q) :precondition (and (at ?r ?p) (road ?p ?q) (road ?q ?p)) :effect (not (at ?r ?p)))
  (:action look :parameters (?r ?p) :precondition (at ?r ?p) :effect (seen ?p)))
""")
ARRIVES = Edit(Kind.ADD_ADD, "go", Atom("at", ("?r", "?q")))


@pytest.mark.parametrize(
    "other",
    [
        Edit(Kind.ADD_ADD, "go", Atom("at", ("?r", "?p"))),  # which it deletes
        Edit(Kind.REMOVE_PRECONDITION, "go", Atom("at", ("?r", "?p")), places=((0,),)),
        Edit(Kind.ADD_ADD, "look", Atom("road", ("?p", "?r"))),  # which nothing changes
    ],
)
def test_the_effect_that_is_meant_stands_first(other: Edit) -> None:
    [(first, _), (second, _)] = ranked([frozenset((other,)), frozenset((ARRIVES,))], DOMAIN)
    assert (first, second) == (frozenset((ARRIVES,)), frozenset((other,)))

"""What is wrong with a model: every error of a text, and none that another error only makes look like one."""

from __future__ import annotations

import random
import re

import pytest

from validator.model.bundled import Bundle, bundles
from validator.model.pddl.domain import read_domain
from validator.render.tools.findings import Finding, Level, Source
from validator.render.tools.models import model_findings

DOMAIN = """(define (domain d)
 (:requirements :strips :typing)
 (:types block)
 (:predicates (p) (r ?x - block))
 (:action a :parameters (?x - block) :precondition (and (q) (r ?y) (p)) :effect (and (p) (z ?x)))
 ; (a comment
 (:action b :parameters (?x - blok) :precondition (p) :effect (r ?x))
 (:action c :parameters () :precondition (r) :effect (not (p)))
 (:action e :parameters () :precondition (forall (?v - nothing) (r ?v)) :effect (p)))
"""
PROBLEM = """(define (problem x) (:domain d) (:objects b1 - block)
 (:init (p) (r b2) (r b1) (r b1 b1))
 (:goal (and (r b1) (t) (r b3))))"""


def places(found: tuple[Finding, ...]) -> list[tuple[str, int | None, int | None]]:
    return [(one.place.source, one.place.line, one.place.column) for one in found if one.level is Level.ERROR]


def test_every_error_of_a_domain_and_of_its_problem_is_told() -> None:
    found = model_findings(Source(name="D", text=DOMAIN), [Source(name="P", text=PROBLEM)])
    said = [f"{one.place.source}{one.place.line} {one.message}" for one in found]
    assert [text.partition(" (did")[0] for text in said] == [
        "D5 undeclared predicate 'q'",
        "D5 unbound variable '?y'",
        "D5 undeclared predicate 'z'",
        "D7 undeclared type 'blok'",
        "D8 predicate 'r' takes 1 arguments, got 0",
        "D9 undeclared type 'nothing'",
        "P2 undeclared object 'b2'",
        "P2 predicate 'r' takes 1 arguments, got 2",
        "P3 undeclared predicate 't'",
        "P3 undeclared object 'b3'",
    ]


@pytest.mark.parametrize(
    "declared",
    [
        "(:types block - ) (:predicates (p))",
        "(:predicates (p) (q ?x",
        "(:predicates (p) (:foo))",
    ],
)
def test_what_follows_of_a_faulty_declaration_is_not_told(declared: str) -> None:
    text = f"(define (domain d) {declared} (:action a :parameters () :precondition (p) :effect (q)))"
    assert len(places(model_findings(Source(name="D", text=text)))) == 1


@pytest.mark.parametrize("model", bundles(), ids=lambda model: model.name)
def test_as_many_errors_are_told_as_were_made(model: Bundle) -> None:
    """Predicates of conditions and effects are misspelt, several at once; each is an error of its line."""
    text = model.domain.read_text(encoding="utf-8")
    assert model_findings(Source(name="D", text=text)) == ()
    predicates = "|".join(map(re.escape, read_domain(text).predicates))
    bare = re.sub(r";[^\n]*", lambda comment: " " * len(comment[0]), text)
    bodies = [(at.start(), at.end()) for at in re.finditer(r":(?:precondition|effect)[^:]*", bare)]
    atoms = [
        at.start(1)
        for at in re.finditer(rf"\(({predicates})[\s)]", bare)
        if any(start < at.start() < end for start, end in bodies)
    ]
    chosen = random.Random(model.name).sample(atoms, min(4, len(atoms)))
    wrong = text
    for offset in chosen:
        wrong = f"{wrong[:offset]}~{wrong[offset + 1 :]}"
    expected = {text.count("\n", 0, offset) + 1 for offset in chosen}
    found = places(model_findings(Source(name="D", text=wrong)))
    assert len(found) == len(chosen) and {line for _, line, _ in found} == expected

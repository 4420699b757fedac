"""Projections of a model that is never grounded: what is proven there holds in the whole, whatever is forgotten."""

from __future__ import annotations

import pytest

from benchmarks.models import towers
from tests.support.models import limits
from validator.checking.prepared import Prepared, prepare
from validator.grounding.limits import Status
from validator.model.bundled import bundle
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.projection.invariants import groups
from validator.repair.projection.refine import Projecting, repair_by_projection
from validator.repair.projection.task import Projection
from validator.repair.proved import Proved

BLOCKS = bundle("blocks").domain.read_text(encoding="utf-8")


def tower(blocks: int) -> tuple[Prepared, list[str]]:
    built = towers(blocks)
    return prepare(read_model(BLOCKS, built.problem)), list(built.steps)


def test_a_block_is_at_one_place_and_the_hand_holds_one() -> None:
    prepared, _ = tower(3)
    found = {tuple(sorted(group.parts)) for group in groups(prepared.model)}
    assert found == {
        (("hand-empty", ()), ("held", (None,))),
        (("held", (0,)), ("on", (0, None)), ("on-table", (0,))),
        (("clear", (0,)), ("held", (0,)), ("on", (None, 0))),
    }


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (":parameters (?a ?b) :precondition (p ?a) :effect (and (p ?b) (not (p ?a)))", 1),
        (":parameters (?a ?b) :precondition (p ?a) :effect (p ?b)", 0),
        (":parameters (?a ?b) :precondition (and) :effect (and (p ?b) (not (p ?a)))", 0),
        (":parameters (?a ?b ?c) :precondition (p ?a) :effect (and (p ?b) (p ?c) (not (p ?a)))", 0),
        (":parameters (?a ?b) :precondition (p ?a) :effect (and (p ?b) (p ?a) (not (p ?a)))", 0),
        (":parameters (?a ?b) :precondition (p ?a) :effect (when (p ?b) (not (p ?a)))", 0),
    ],
)
def test_one_holds_at_a_time_only_where_every_action_takes_as_much_as_it_adds(action: str, expected: int) -> None:
    domain = f"(define (domain d) (:requirements :adl) (:predicates (p ?x)) (:action go {action}))"
    prepared = prepare(
        read_model(domain, "(define (problem q) (:domain d) (:objects a b c) (:init (p a)) (:goal (p b)))")
    )
    assert sum(group.parts == {("p", (None,))} for group in groups(prepared.model)) == expected


def test_a_projection_has_few_steps_however_many_objects_there_are() -> None:
    sizes = set()
    for blocks in (10, 40):
        prepared, steps = tower(blocks)
        tokens = tokenize("\n".join(steps), prepared.vocabulary).tokens
        projected = Projection(prepared.simulator).onto({"b1", "b2"}, tokens, 1000)
        assert projected is not None
        task, images = projected
        sizes.add(len(task.operators))
        assert len(images) == len(tokens)
        assert all(task.numbers(image) for image in images)
    assert len(sizes) == 1


def test_too_many_steps_are_no_projection() -> None:
    prepared, _ = tower(10)
    assert Projection(prepared.simulator).onto({"b1", "b2"}, (), 3) is None


def test_a_repair_that_is_about_forgotten_objects_is_a_bound() -> None:
    prepared, steps = tower(6)
    del steps[10]
    tokens = tokenize("\n".join(steps), prepared.vocabulary).tokens
    found = Projecting(prepared.simulator, tokens, with_goal=True).look(0, Proved(status=Status.STOPPED), limits())
    assert found.lower == 1
    assert found.upper in (None, 1)


def test_what_is_not_proven_in_time_is_a_bound() -> None:
    prepared, steps = tower(40)
    tokens = tokenize("\n".join(steps[:70] + steps[71:]), prepared.vocabulary).tokens
    found = repair_by_projection(
        prepared.simulator, tokens, limits(0.0), with_goal=True, progress=lambda lower, best: None
    )
    assert not found.proven
    assert found.lower <= 1

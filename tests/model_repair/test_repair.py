"""Repairs of domains: of published flawed ones, with plans that must fail, with costs, limits, and their ranks."""

from __future__ import annotations

import builtins
import json
from typing import Any

import pytest

from tests.support.places import ROOT, SHARED
from validator import check, repair_model
from validator.errors import InputError, PlanError, PlannerError
from validator.model_repair.edits import Kind
from validator.model_repair.maxsat import Cheapest, MaxSatResult
from validator.model_repair.patch import patched_text
from validator.model_repair.result import Status

pytest.importorskip("pysat")
from validator.model.pddl import read_domain
from validator.model.values import Atom
from validator.model_repair.edits import Edit
from validator.model_repair.repair import _ranked as ranked

DATA = SHARED / "data" / "model_repair"
INDEX = json.loads((DATA / "index.json").read_text()) if DATA.is_dir() else []
BLOCKS = ROOT / "domains" / "blocks"
DOMAIN = (BLOCKS / "domain.pddl").read_text()
PROBLEM = BLOCKS / "problem.pddl"
GOOD = BLOCKS / "good.plan"
FLAWED = DOMAIN.replace("(held ?top) (clear ?below)\n", "(held ?top)\n")


# --- published flawed domains ----------------------------------------------------------------------


def is_smallest(entry: dict[str, Any]) -> None:
    found = repair_model(DATA / entry["domain"], DATA / entry["problem"], DATA / entry["plan"], alternatives=1)
    if entry["minimal_edits"] is None:
        assert found.status is Status.IMPOSSIBLE
        return
    assert found.proven and len(found.edits) == entry["minimal_edits"]
    assert check(found.domain_text, DATA / entry["problem"], DATA / entry["plan"], repair=False).determination is True
    if found.edits:
        assert patched_text(found.domain_diff, (DATA / entry["domain"]).read_text()) == found.domain_text
    if entry["repairs_complete"] and found.edits:
        assert found.count == entry["repairs"]


QUICK = [e for e in INDEX if e["steps"] < 30][::8]


@pytest.mark.parametrize("entry", QUICK, ids=lambda entry: entry["id"])
def test_published_flawed_domains_are_repaired_by_the_fewest_edits(entry: dict[str, Any]) -> None:
    is_smallest(entry)


@pytest.mark.deep
@pytest.mark.parametrize("entry", [e for e in INDEX if e not in QUICK][::2], ids=lambda entry: entry["id"])
def test_many_published_flawed_domains_are_repaired_by_the_fewest_edits(entry: dict[str, Any]) -> None:
    is_smallest(entry)


# --- what is asked ---------------------------------------------------------------------------------


def test_a_protected_action_stays_as_it_is() -> None:
    found = repair_model(FLAWED, PROBLEM, GOOD, protect=["take"])
    assert found.proven and "take" not in {edit.action for edit in found.edits}
    none = repair_model(FLAWED, PROBLEM, GOOD, protect=["clear"])
    assert (none.status, none.proven) == (Status.IMPOSSIBLE, True)
    with pytest.raises(InputError, match=r"no action or predicate 'tke'.*did you mean 'take'"):
        repair_model(FLAWED, PROBLEM, GOOD, protect=["tke"])


def test_costs_decide_between_repairs() -> None:
    dear = repair_model(FLAWED, PROBLEM, GOOD, costs={"add effect": 5, "remove_precondition": 0.5})
    assert {edit.kind for edit in dear.edits} == {Kind.REMOVE_PRECONDITION}
    assert dear.cost == len(dear.edits) * dear.cost / len(dear.edits) and dear.proven
    assert dear.cost is not None and dear.cost < 5
    with pytest.raises(InputError, match="'add efect' is not a kind of edit"):
        repair_model(FLAWED, PROBLEM, GOOD, costs={"add efect": 2})
    with pytest.raises(InputError, match="a number above 0"):
        repair_model(FLAWED, PROBLEM, GOOD, costs={"add effect": 0})


def test_a_plan_that_must_fail_does() -> None:
    holding = "(take b d)\n(take c a)\n(place c d)\n(lower b)\n(lift b)\n(place b c)\n(lift a)\n(place a b)\n"
    loose = DOMAIN.replace("(and (hand-empty) (on ?top ?below) (clear ?top))", "(and (on ?top ?below) (clear ?top))")
    assert check(loose, PROBLEM, holding, repair=False).determination is True
    found = repair_model(loose, PROBLEM, GOOD, must_fail=[holding])
    assert found.proven and len(found.edits) == 1
    told = {tuple(map(str, one.edits)) for one in (found, *found.alternatives)}
    assert ("take: add precondition (hand-empty)",) in told
    assert check(found.domain_text, PROBLEM, holding, repair=False).determination is False
    assert check(found.domain_text, PROBLEM, GOOD, repair=False).determination is True


def test_what_no_edit_mends_is_told() -> None:
    found = repair_model(DOMAIN, PROBLEM, "(take b d)\n(lower z)\n")
    assert found.status is Status.IMPOSSIBLE and "unknown object 'z'" in found.reason
    with pytest.raises(PlanError, match="was not understood"):
        repair_model(DOMAIN, PROBLEM, "I would first take the big thing away.\n")
    with pytest.raises(PlanError, match="a plan is needed"):
        repair_model(DOMAIN, PROBLEM)


@pytest.mark.parametrize(
    ("feature", "action"),
    [
        ("durative-actions", "(:durative-action go :parameters () :duration (= ?duration 1) :effect (at end (p)))"),
        ("numeric-fluents", "(:action go :parameters () :effect (increase (n) 1))"),
    ],
)
def test_what_is_not_repaired_is_named(feature: str, action: str) -> None:
    domain = f"(define (domain f) (:predicates (p)) (:functions (n)) {action})"
    problem = "(define (problem q) (:domain f) (:init (= (n) 0)) (:goal (not (p))))"
    found = repair_model(domain, problem, "0: (go) [1]" if "durative" in feature else "(go)")
    assert found.status is Status.UNSUPPORTED and feature in found.reason


def test_what_is_not_solved_in_time_has_a_lower_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cheapest, "next", lambda _: MaxSatResult(None, 1, is_open=True))
    found = repair_model(FLAWED, PROBLEM, GOOD)
    assert (found.status, found.proven, found.lower_bound) == (Status.TIME_LIMIT, False, 1)


def test_without_the_solver_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    there = builtins.__import__

    def missing(name: str, *rest: Any) -> Any:
        if name.startswith("pysat"):
            raise ModuleNotFoundError(name)
        return there(name, *rest)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(PlannerError, match=r"pip install 'plan-validator\[model-repair\]'"):
        repair_model(FLAWED, PROBLEM, GOOD)


# --- derived predicates ----------------------------------------------------------------------------


def test_predicates_that_stand_for_themselves_are_not_repaired() -> None:
    domain = """(define (domain d) (:predicates (e ?x ?y) (r ?x ?y))
      (:derived (r ?x ?y) (or (e ?x ?y) (exists (?z) (and (e ?x ?z) (r ?z ?y)))))
      (:action go :parameters (?x ?y) :precondition (r ?x ?y) :effect (and)))"""
    problem = "(define (problem q) (:domain d) (:objects a b c) (:init (e a b)) (:goal (and)))"
    found = repair_model(domain, problem, "(go a c)\n")
    assert (found.status, found.proven) == (Status.UNSUPPORTED, False)
    assert found.reason == "the model uses what is not repaired: 'r' is derived from itself"


# --- which of several smallest repairs stands first ----------------------------------------------


WALK = read_domain("""
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
    [(first, _), (second, _)] = ranked([frozenset((other,)), frozenset((ARRIVES,))], WALK)
    assert (first, second) == (frozenset((ARRIVES,)), frozenset((other,)))

"""The report names the search that proved the nearest plan."""

from __future__ import annotations

import sys

import pytest

from tests.support.models import carry, gripper
from tests.support.pages import report_body
from validator import check, prepare
from validator.model.pddl import read_model

pytestmark = pytest.mark.planner

_TWO_MISSING = carry(16).replace("(drop b7 y l)\n", "").replace("(drop b3 y l)\n", "")
_ADL = """(define (domain d) (:requirements :adl) (:predicates (p) (q ?x) (r ?x))
  (:action a :parameters (?x) :effect (and (not (p)) (forall (?y) (when (and (p) (r ?y)) (q ?y)))))
  (:action b :parameters () :effect (p)))"""
_TWO_DROPS_MISSING = carry(60).replace("(drop b7 y l)\n", "").replace("(drop b30 y l)\n", "")
_TO_ADL = "(define (problem n) (:domain d) (:objects o1 o2) (:init (r o1) (r o2)) (:goal (and (q o1) (q o2))))"


@pytest.mark.parametrize(
    ("models", "plan", "switched_off", "by"),
    [
        (gripper(2), "(move y x)\n" + carry(2), "", "A* in this process"),
        (gripper(16), "(move y x)\n" + carry(16), "small long", "execution"),
        (gripper(16), _TWO_MISSING, "small long", "A* with LM-cut (Fast Downward)"),
        (gripper(16), _TWO_MISSING, "small long A*", "cost partitioning"),
        (gripper(60), carry(60).replace("(drop b7 y l)\n", ""), "small", "execution"),
        (gripper(60), _TWO_DROPS_MISSING, "small", "cost partitioning of a projection"),
        ((_ADL, _TO_ADL), "", "small", "A* with hmax (Fast Downward)"),
        ((_ADL, _TO_ADL.replace("(r o1)", "")), "(b)", "small", "delete relaxation"),
    ],
)
def test_the_prover_is_named(
    models: tuple[str, str], plan: str, switched_off: str, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.grounding.axioms._MOST_COPIES", 0)
    if "small" in switched_off:
        monkeypatch.setattr("validator.checking.prepared._SMALL", 0)
    if "long" in switched_off:
        monkeypatch.setattr("validator.repair.nearest._LONG", sys.maxsize)
    monkeypatch.setattr("validator.repair.nearest._A_STAR", 0.0 if "A*" in switched_off else 20.0)
    report = check(prepare(read_model(*models)), None, plan, time_limit=60)
    assert report.proven
    assert report.planner_response.engine == by
    assert report.to_json()["planner_response"]["engine"] == by


def test_the_prover_of_a_cheapest_cost_is_named() -> None:
    report = check(*gripper(2), carry(2), quality="optimal")
    assert (report.proven, report.planner_response.engine) == (True, "A* with LM-cut (Fast Downward)")


def test_the_page_names_the_prover() -> None:
    report = check(*gripper(2), "(move y x)\n" + carry(2))
    assert "<dt>Proven by</dt><dd>A* in this process</dd>" in report_body(report)

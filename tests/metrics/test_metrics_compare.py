"""The comparison of plans by name, and the command that shows it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator import cli, prepare
from validator.metrics import METRICS, compare
from validator.model.pddl import read_model

PUZZLE = ROOT / "domains" / "puzzle"
MODEL = [str(PUZZLE / "domain.pddl"), str(PUZZLE / "problem.pddl")]
GOOD, DETOUR, SWAPPED = (str(PUZZLE / f"{name}.plan") for name in ("good", "detour", "broken-swapped-steps"))


def test_several_plans_have_every_pair() -> None:
    found = compare(["a, b", "a", "c"], metrics=["lcs", "edit", "stability"])
    assert [(pair.generated, pair.reference) for pair in found.pairs] == [(0, 1), (0, 2), (1, 2)]
    assert [pair.scores["stability"].value for pair in found.pairs] == [1, 3, 2]


def test_with_a_model_every_metric_is_computed() -> None:
    model = prepare(PUZZLE / "domain.pddl", PUZZLE / "problem.pddl")
    found = compare([Path(GOOD).read_text(), Path(DETOUR).read_text()], model)
    assert set(found.pairs[0].scores) == set(METRICS)
    assert found.pairs[0].scores["same-effect"].value is True
    assert found.pairs[0].scores["cost"].value == 0.8
    assert [(plan.cost, plan.is_valid, plan.valid_prefix) for plan in found.plans] == [(8, True, 8), (10, True, 10)]


def test_a_model_that_is_not_executed_leaves_what_is_of_the_steps() -> None:
    model = read_model(
        "(define (domain d) (:action a :parameters ()))", "(define (problem q) (:domain d) (:init) (:goal (and)))"
    )
    model = replace(model, domain=replace(model.domain, features={"clairvoyance": "domain.pddl:1:1"}))
    found = compare(["(a)", "(a)\n(a)"], model)
    assert found.pairs[0].scores["lcs"].value == 0.5
    assert found.pairs[0].scores["states"].value is found.pairs[0].scores["cost"].value is None
    assert "the model uses what is not executed: clairvoyance (domain.pddl:1:1)" in found.pairs[0].scores["cost"].reason
    assert found.plans[0].cost is found.plans[0].is_sound is None


@pytest.mark.parametrize("metric", ["lcs", "edit", "cost"])
def test_a_score_of_a_plan_that_was_not_understood_says_so(metric: str) -> None:
    whole, cut = "(pick a)\n(stack a b)\n", "(pick a)\n(stack a b"
    for plans, which in (([whole, cut], "reference"), ([cut, whole], "generated")):
        score = compare(plans, metrics=[metric]).pairs[0].scores[metric]
        assert score.value is not None
        assert score.reason.startswith(f"the {which} plan was not understood: a piece looks like a step")
    assert compare([whole, whole], metrics=[metric]).pairs[0].scores[metric].reason == ""


@pytest.mark.parametrize(
    ("plans", "metrics", "message"),
    [
        (["a"], None, "a comparison takes two plans or more, not 1"),
        (["a", "b"], ["lsc"], r"unknown metric 'lsc' \(did you mean 'lcs'\?\); there are lcs, jaccard"),
        (["a", "b"], ["links"], "the metric 'links' needs a model"),
    ],
)
def test_what_cannot_be_compared_is_an_error(plans: list[str], metrics: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compare(plans, metrics=metrics)


# --- the command ---------------------------------------------------------------------------------


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = cli.main(["compare", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *MODEL, GOOD, DETOUR, "--metrics", "lcs,cost,same-effect")
    assert code == 0
    lines = [re.split(r"  +", line) for line in out.splitlines()]
    assert lines[0] == ["plan", "steps", "cost", "sound", "valid", "steps before the first fault"]
    assert [line[1:] for line in lines[1:3]] == [["8", "8", "yes", "yes", "8"], ["10", "10", "yes", "yes", "10"]]
    assert [line[:2] for line in lines[4:]] == [
        ["metric", "1-2"],
        ["lcs", "0.3"],
        ["cost", "0.8"],
        ["same-effect", "yes"],
    ]


def test_a_value_that_is_not_known_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *MODEL, GOOD, SWAPPED, DETOUR, "--metrics", "states,links")
    assert code == 0
    assert "1-2 states, links: the reference plan does not execute: step 4, precondition: (empty b1)" in out
    assert re.search(r"^pair +states +links$\n^1-2 +- +-$\n^1-3 +0.3638 +0.8148$", out, re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([GOOD], "a comparison takes two plans or more, not 1"),
        ([GOOD, DETOUR, "--metrics", "states"], "the metric 'states' needs a model"),
        ([GOOD, DETOUR, "--metrics", ","], "--metrics names no metric"),
        ([GOOD, DETOUR, "--domain", "d.pddl"], "a model is a domain and a problem; one of them is given"),
        ([GOOD, "no-such.plan"], "no-such.plan: No such file"),
        (["-", "-"], "standard input ('-') can be one file only"),
    ],
)
def test_usage(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err

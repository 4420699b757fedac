"""GAICO itself: our classes run in its experiments, and ``compat="gaico"`` gives what its code gives."""

from __future__ import annotations

import contextlib
import io
import math
import random
from typing import Any

import pytest

pytest.importorskip("gaico")

import numpy as np
import pandas as pd
from gaico import BaseMetric, Experiment
from gaico.metrics.structured import PlanningJaccard as TheirJaccard
from gaico.metrics.structured import PlanningLCS as TheirLCS

from validator import prepare
from validator.integrations.gaico import metric_class, validity_class
from validator.metrics import PlanningJaccard, PlanningLCS

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

DOMAIN = """(define (domain d) (:predicates (p) (q))
  (:action a :parameters () :effect (p))
  (:action b :parameters () :precondition (p) :effect (q)))"""
PROBLEM = "(define (problem x) (:domain d) (:init) (:goal (q)))"


def outcome(call: Any) -> tuple[object, ...]:
    """Return the type and value of a result, or of an error, and what was printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            result = call()
        except Exception as error:
            return type(error).__name__, str(error), printed.getvalue()
    value = result.tolist() if hasattr(result, "tolist") else result
    index = list(result.index) if isinstance(result, pd.Series) else None
    return type(result).__name__, str(getattr(result, "dtype", "")), value, index, printed.getvalue()


def texts(dice: random.Random) -> str | None:
    if dice.random() < 0.03:
        return None
    return "".join(
        dice.choice(["a", "b", "stack(a,b)", ",", ", ", ",", "{", "}", " ", "\n", "é"])
        for _ in range(dice.randrange(14))
    )


def values(dice: random.Random) -> Any:
    kind, size = dice.randrange(9), dice.choice([0, 1, 1, 2, 3])
    items = [texts(dice) for _ in range(size)]
    index = dice.choice([range(size), range(5, 5 + size), [f"r{i}" for i in range(size)]])
    made = {
        0: lambda: items,
        1: lambda: tuple(items),
        2: lambda: np.array(items, dtype=object),
        3: lambda: pd.Series(items, index=list(index), dtype=object),
        4: lambda: pd.DataFrame({"p": items}),
        5: lambda: {str(number): item for number, item in enumerate(items)},
        6: lambda: dice.choice([12, 1.5, math.nan, b"ab", [["a", "b"]], {"a"}]),
    }
    return made[kind]() if kind in made else texts(dice)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize(("ours", "theirs"), [(PlanningLCS, TheirLCS), (PlanningJaccard, TheirJaccard)])
def test_compat_gives_what_gaico_gives_for_any_arguments(ours: Any, theirs: Any, seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(50):
        generated, reference = values(dice), values(dice)
        expected = outcome(lambda g=generated, r=reference: theirs().calculate(g, r))
        assert outcome(lambda g=generated, r=reference: ours(compat="gaico").calculate(g, r)) == expected, (
            generated,
            reference,
        )


def experiment(answers: Any, reference: Any) -> Experiment:
    return Experiment(llm_responses=answers, reference_answer=reference)


def rows(frame: pd.DataFrame) -> dict[tuple[str, str], object]:
    return {(row.model_name, row.metric_name): row.score for row in frame.itertuples()}


def test_a_metric_class_is_a_class_of_gaicos() -> None:
    made = metric_class("f1")
    assert issubclass(made, BaseMetric)
    assert made().calculate("a, b", "a, c") == 0.5
    assert made().calculate(["a, b", "a"], ["a, c", "a"]) == [0.5, 1.0]


def test_one_name_is_one_metric_of_an_experiment() -> None:
    run = experiment({"A": "pick(a), stack(a,b)", "B": "pick(a)"}, "pick(a), stack(a,b)")
    run.register_metric("PlanLCS", metric_class("lcs"))
    assert rows(run.compare(metrics=["PlanLCS"], plot=False)) == {("A", "PlanLCS"): 1.0, ("B", "PlanLCS"): 0.5}


def test_several_names_are_a_column_each_and_the_model_is_bound() -> None:
    run = experiment({"A": ["(a)\n(b)", "(b)"]}, ["(a)\n(b)", "(a)\n(b)"])
    run.register_metric("Plan", metric_class("stability", "same-effect", model=prepare(DOMAIN, PROBLEM)))
    frame = run.to_dataframe(metrics=["Plan"])
    assert list(frame.metric_name) == ["Plan_stability", "Plan_same-effect"] * 2
    assert list(frame.score) == [0, True, 1, False]


def test_validity_executes_each_answer() -> None:
    run = experiment({"good": "(a)\n(b)", "late": "(b)\n(a)", "short": "(a)"}, "(a)\n(b)")
    run.register_metric("Validity", validity_class(prepare(DOMAIN, PROBLEM)))
    found = rows(run.to_dataframe(metrics=["Validity"]))
    assert [found[name, "Validity_valid"] for name in ("good", "late", "short")] == [True, False, False]
    assert [found[name, "Validity_sound"] for name in ("good", "late", "short")] == [True, False, True]
    assert found["late", "Validity_prefix"] == 0


def test_a_missing_answer_is_not_a_number() -> None:
    with pytest.warns(UserWarning, match="no score: a plan is a text"):
        assert math.isnan(metric_class("lcs")()._single_calculate(None, "a"))


def test_an_undefined_value_is_not_a_number() -> None:
    made = metric_class("states", model=prepare(DOMAIN, PROBLEM))
    with pytest.warns(UserWarning, match="does not execute"):
        assert math.isnan(made().calculate("(b)", "(a)"))


def test_a_summary_applies_thresholds_by_name() -> None:
    run = experiment({"A": ["a", "b"]}, ["a", "a"])
    run.register_metric("PlanLCS", metric_class("lcs"))
    frame = run.summarize(metrics=["PlanLCS"], custom_thresholds={"PlanLCS": 0.5})
    assert frame["PlanLCS_pass_rate"].tolist() == [50.0]

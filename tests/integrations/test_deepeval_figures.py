"""DeepEval itself: the figures as metrics, alone and in ``evaluate``."""

from __future__ import annotations

import os
from typing import Any

import pytest

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["DEEPEVAL_DISABLE_DOTENV"] = "1"
pytest.importorskip("deepeval", reason="DeepEval is not installed")

from deepeval import evaluate
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig
from deepeval.metrics import ToolPermissionMetric
from deepeval.test_case import LLMTestCase, ToolCall

from validator import prepare
from validator.integrations.deepeval_figures import (
    CostRatio,
    GoalReached,
    NoDeadEnd,
    NoHarm,
    NoLoop,
    Permission,
    PlanSound,
)

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

MODEL = prepare(
    "(define (domain d) (:predicates (p) (q)) (:action a :effect (p)) (:action b :precondition (p) :effect (q)))",
    "(define (problem x) (:domain d) (:init) (:goal (q)))",
)


def case(names: str) -> LLMTestCase:
    called = [ToolCall(name=name, input_parameters={}, output="ok") for name in names.split()]
    return LLMTestCase(input="do it", actual_output="done", tools_called=called)


@pytest.mark.parametrize(
    ("metric", "names", "score"),
    [
        (GoalReached(MODEL), "a b", 1),
        (GoalReached(MODEL), "b", 0),
        (PlanSound(MODEL, plan="b()"), "a b", 0),
        (PlanSound(MODEL), "a b", None),
        (CostRatio(MODEL), "a b", 1),
        (CostRatio(MODEL), "a a b", 2 / 3),
        (NoDeadEnd(MODEL), "a", 1),
        (NoHarm(MODEL, plan="a()\nb()"), "b", 0),
        (Permission(policy="never b"), "a b", 0.5),
        (NoLoop(MODEL), "a b", 1),
    ],
)
def test_a_metric(metric: Any, names: str, score: float | None) -> None:
    assert metric.measure(case(names)) == (None if score is None else pytest.approx(score))
    assert metric.is_successful() is (None if score is None else score >= 1)


def test_permission_is_the_peer_s_where_names_decide(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    theirs = ToolPermissionMetric(allowed_tools=["a", "b"], denied_tools=["b"])
    theirs.measure(case("a b c a"), _show_indicator=False)
    assert theirs.score == Permission(policy="allow a, b\nnever b").measure(case("a b c a")) == 0.5


def test_in_evaluate(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = evaluate(
        [case("b")],
        [GoalReached(MODEL), Permission(policy="never c")],
        async_config=AsyncConfig(run_async=True),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    scores = {data.name: (data.score, data.success) for data in found.test_results[0].metrics_data or ()}
    assert scores == {"Symbolic goal reached": (0, False), "Symbolic permission": (1, True)}

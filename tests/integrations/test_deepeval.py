"""DeepEval itself: our metric runs wherever DeepEval runs one, and asks no language model."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import pytest

os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "YES"
os.environ["DEEPEVAL_DISABLE_DOTENV"] = "1"
pytest.importorskip("deepeval")

from deepeval import assert_test, evaluate
from deepeval.dataset import EvaluationDataset, Golden
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig, ErrorConfig
from deepeval.test_case import LLMTestCase, ToolCall
from deepeval.tracing import observe

from validator import ValidatorError, prepare
from validator.flow.definition.reader import flow_from_document
from validator.integrations.deepeval import SymbolicPlanAdherence
from validator.metrics import tool_correctness

pytestmark = [pytest.mark.peer, pytest.mark.filterwarnings("default")]

PLAN = "1. search(Rome)\n2. book(h1)\n3. pay()"


@pytest.fixture(autouse=True)
def in_a_directory_of_its_own(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def case(*calls: ToolCall, output: str = PLAN) -> LLMTestCase:
    return LLMTestCase(input="Book a hotel in Rome", actual_output=output, tools_called=list(calls))


SEARCH = ToolCall(name="search", input_parameters={"city": "Rome"})
BOOK = ToolCall(name="book", input_parameters={"hotel": "h1"})
PAY = ToolCall(name="pay", input_parameters={})


def metric(**options: Any) -> SymbolicPlanAdherence:
    return SymbolicPlanAdherence(**{"plan": PLAN, **options})


def run(test_case: LLMTestCase, run_async: bool = True, **options: Any) -> Any:
    found = evaluate(
        [test_case],
        [metric(**options)],
        async_config=AsyncConfig(run_async=run_async),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
        error_config=ErrorConfig(ignore_errors=True),
    )
    [data] = found.test_results[0].metrics_data
    return data


@pytest.mark.parametrize("run_async", [True, False])
def test_evaluate(run_async: bool) -> None:
    good = run(case(SEARCH, BOOK, PAY), run_async)
    assert (good.score, good.success, good.error) == (1.0, True, None)
    bad = run(case(SEARCH), run_async)
    assert bad.score == pytest.approx(1 / 3)
    assert bad.success is False
    assert "book" in bad.reason


def test_assert_test() -> None:
    assert_test(case(SEARCH, BOOK, PAY), [metric()])
    with pytest.raises(AssertionError, match="Symbolic Plan Adherence"):
        assert_test(case(PAY), [metric()])
    with pytest.raises(AssertionError, match="Symbolic Plan Adherence"):
        assert_test(case(SEARCH, BOOK), [metric(strict_mode=True)], run_async=False)


@observe(type="tool")
def search(city: str) -> str:
    return "h1"


@observe(type="tool")
def book(hotel: str) -> bool:
    return True


@observe(type="llm", model="none")
def think(question: str) -> str:
    return "Plan:\n1. search\n2. book"


@observe(type="agent", available_tools=["search", "book"])
def agent(question: str) -> str:
    think(question)
    if "backwards" in question:
        book("h1")
        search("Rome")
    else:
        book(search("Rome"))
    return "done"


def test_evals_iterator_reads_the_trace_and_the_plan_in_it() -> None:
    used = metric(plan=None)
    scores = []
    dataset = EvaluationDataset(goldens=[Golden(input="forwards"), Golden(input="backwards")])
    for golden in dataset.evals_iterator(metrics=[used], async_config=AsyncConfig(run_async=False)):
        agent(golden.input)
        scores.append(used.score)
    assert used.score == 0.5
    assert used.score_breakdown["applicable"] is True
    assert "Step 2 (book)" in used.reason


def test_measure_and_a_measure_agree() -> None:
    used = metric(async_mode=False)
    assert used.measure(case(SEARCH, BOOK)) == asyncio.run(metric().a_measure(case(SEARCH, BOOK))) == used.score
    assert used.success is True
    assert used.is_successful() is True


def test_strict_mode_is_all_or_nothing() -> None:
    used = metric(strict_mode=True, threshold=0.1)
    assert used.threshold == 1
    assert used.measure(case(SEARCH, BOOK)) == 0
    assert used.success is False
    assert used.measure(case(SEARCH, BOOK, PAY)) == 1
    assert used.success is True


def test_verbose_mode_prints_how_the_score_came_about(capsys: pytest.CaptureFixture[str]) -> None:
    used = metric(verbose_mode=True)
    used.measure(case(SEARCH))
    assert "Symbolic Plan Adherence" in capsys.readouterr().out
    assert "book" in used.verbose_logs


def test_no_plan_is_not_applicable_and_never_one() -> None:
    data = run(case(SEARCH, output="done"), plan=None)
    assert data.score is None
    assert data.success is None
    assert data.error is None
    assert data.reason
    strict = run(case(SEARCH, output="done"), plan=None, strict_mode=True)
    assert (strict.score, strict.success) == (None, False)


def test_a_test_can_require_that_a_plan_is_stated() -> None:
    data = run(case(SEARCH, output="done"), plan=None, require=["plan"])
    assert (data.score, data.success) == (None, False)
    assert data.reason.endswith("required but not met: a plan is stated")
    with pytest.raises(AssertionError):
        assert_test(case(SEARCH, output="done"), [metric(plan=None, require=["plan"])])
    with pytest.raises(ValueError, match="to require goal, give a model"):
        metric(require=["goal"])


def test_an_unsound_execution_that_misses_the_goal_is_no_success() -> None:
    domain = """(define (domain d) (:predicates (p) (q))
      (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (p) :effect (q)))"""
    model = prepare(domain, "(define (problem x) (:domain d) (:init) (:goal (q)))")
    used = metric(plan="(b)", planning_model=model)
    used.measure(case(ToolCall(name="b", input_parameters={})))
    assert (used.score, used.success) == (1, False)
    assert used.reason.endswith("required but not met: the execution is sound, the goal is reached")
    used = metric(plan="(b)", planning_model=model, require=[])
    used.measure(case(ToolCall(name="b", input_parameters={})))
    assert used.success is True


def test_an_error_is_deepevals_to_ignore_or_raise() -> None:
    untraceable = case()
    untraceable._trace_dict = {"nothing": "known"}
    assert "no trace is recognised" in run(untraceable).error
    used = metric()
    with pytest.raises(ValidatorError, match="no trace is recognised"):
        used.measure(untraceable)
    assert used.error
    assert used.is_successful() is False


def test_with_a_model_the_execution_is_judged() -> None:
    domain = """(define (domain d) (:predicates (p) (q))
      (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (p) :effect (q)))"""
    model = prepare(domain, "(define (problem x) (:domain d) (:init) (:goal (q)))")
    used = metric(plan="(a)\n(b)", planning_model=model)
    used.measure(case(ToolCall(name="a", input_parameters={}), ToolCall(name="b", input_parameters={})))
    assert used.score == 1
    assert used.score_breakdown["execution"]["reaches_goal"] is True


def test_a_flow_is_refused_as_the_model() -> None:
    operators = [{"name": "find", "inputs": ["city"], "outputs": ["hotel"]}]
    trip = {"flow": "trip", "operators": operators, "goals": [{"known": "hotel"}]}
    with pytest.raises(ValidatorError, match="a flow is none"):
        metric(plan="find(city)", planning_model=flow_from_document(trip)).measure(case(ToolCall(name="find")))


def test_tool_correctness_reads_deepevals_calls() -> None:
    other = ToolCall(name="search", input_parameters={"city": "Paris"})
    assert tool_correctness([SEARCH, BOOK], [SEARCH, PAY]).score == 0.5
    assert tool_correctness([other], [SEARCH], with_arguments=True).score == 0

"""Python manners: results that notebooks show, models that pickle, a reference that is complete."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from html.parser import HTMLParser
from inspect import get_annotations, isfunction

import pytest

import validator
from tests.docs.test_docs import reference
from validator import (
    PlanGuard,
    adhere,
    check,
    compare,
    conform,
    prepare,
    recognize,
    repair_model,
    solve,
    why_not,
)
from validator.grading.batch.batch import Totals
from validator.model.bundled import bundle
from validator.recognize.given.dataset import read_texts
from validator.render.printed import Printed

WINGS = ("", ".adherence", ".foils", ".guard", ".metrics", ".policies", ".recognize", ".scaffold", ".flow")
TRIP = bundle("trip")
CALLS = [{"name": "ask_dates", "arguments": {}}]


def _shown(result: object) -> str:
    if isinstance(result, Printed):
        assert str(result) == result.text.rstrip("\n") and "<" not in repr(result)[1:].split(" ")[0]
        assert "\n" not in repr(result) and len(repr(result)) < 400
    html = str(result._repr_html_())  # type: ignore[attr-defined]
    parser = HTMLParser()
    parser.feed(html)
    parser.close()
    assert "<script" not in html
    return html


def test_what_is_decided_is_shown_in_a_notebook() -> None:
    plan = "(ask-dates)"
    assert "adherence 1:" in _shown(adhere("ask_dates()", CALLS))
    assert "ask_dates" in _shown(conform("never ask_dates", CALLS))
    assert "1-2" in _shown(compare([plan, plan]))
    assert "(ask-dates)" in _shown(check(TRIP.domain, TRIP.problem, plan, repair=False))


def test_what_agents_and_batches_give_is_shown_in_a_notebook() -> None:
    denied = PlanGuard("verify before pay", repair=False).before("pay", {"user": "<ann>"})
    assert "(pay user=&lt;ann&gt;): pay needs verify before it" in _shown(denied)
    assert "<td>valid</td><td>1,500</td>" in _shown(Totals(done=1500, verdicts=Counter(valid=1500)))


@pytest.mark.planner
def test_what_planners_find_is_shown_in_a_notebook() -> None:
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :effect (p)) (:action b :effect (q)))"
    problem = "(define (problem x) (:domain d) (:init) (:goal (p)))"
    assert "cost 1, proven cheapest" in _shown(solve(domain, problem))
    model = prepare(domain, problem)
    assert "(b)" in _shown(why_not(model, "(b)\n(a)"))


@pytest.mark.planner
def test_recognition_is_shown_in_a_notebook() -> None:
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :effect (p)) (:action b :effect (q)))"
    problem = "(define (problem x) (:domain d) (:init) (:goal (and)))"
    goals = read_texts(domain, problem, "(p)\n(q)\n", "(a)\n")
    assert "(p)" in _shown(recognize.recognize(goals))
    assert "(p)" in _shown(recognize.complete(goals))


@pytest.mark.parametrize("name", [name for name in validator.__all__ if isfunction(getattr(validator, name))])
def test_every_public_result_prints_as_its_command_does(name: str) -> None:
    kind = get_annotations(getattr(validator, name))["return"]
    home = sys.modules[getattr(validator, name).__module__]
    if name not in ("prepare", "read_flow", "read_policy", "tokenize"):  # which return what the others take
        assert issubclass(getattr(home, kind), Printed)


def _is_valid(model: object) -> bool | None:
    return check(model, None, "(ask-dates)", repair=False).determination  # type: ignore[arg-type]


def test_a_prepared_model_pickles_with_its_words_and_what_was_proven() -> None:
    model = prepare(TRIP.domain, TRIP.problem)
    assert model.lexicon is not None  # which is made when it is asked for, and does not pickle by itself
    again = pickle.loads(pickle.dumps(model))
    assert again.model == model.model and _is_valid(again) is False
    with again._lock:
        assert again.simulator.run(()).is_sound


@pytest.mark.deep
def test_a_prepared_model_goes_to_other_processes() -> None:
    with ProcessPoolExecutor(1) as pool:
        assert list(pool.map(_is_valid, [prepare(TRIP.domain, TRIP.problem)])) == [False]


@pytest.mark.parametrize("wing", WINGS)
def test_the_reference_has_every_public_name(wing: str) -> None:
    module = importlib.import_module(f"validator{wing}")
    told = {name.rpartition(".")[2] for name in reference()}
    errors = {"InputError", "ModelError", "PlanError", "PlannerError", "ValidatorError", "__version__"}
    assert set(module.__all__) - told - (errors if not wing else set()) == set()


def test_the_right_repair_of_a_model_is_shown() -> None:
    pytest.importorskip("pysat", reason="needs the extra model-repair")
    domain = "(define (domain d) (:predicates (p) (q)) (:action a :precondition (q) :effect (p)))"
    problem = "(define (problem x) (:domain d) (:init) (:goal (p)))"
    assert "proven" in _shown(repair_model(domain, problem, "(a)"))

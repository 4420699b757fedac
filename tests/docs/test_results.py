"""Python manners: results that notebooks show, models that pickle, a reference that is complete."""

from __future__ import annotations

import importlib
import pickle
import sys
from html.parser import HTMLParser
from inspect import get_annotations, isfunction

import pytest

import validator
from tests.docs.test_docs import reference
from validator import (
    adhere,
    check,
    compare,
    conform,
    prepare,
    recognize,
    solve,
    why_not,
)
from validator.model.bundled import bundle
from validator.recognize.dataset import read_texts
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


def test_a_prepared_model_pickles_with_its_words_and_what_was_proven() -> None:
    model = prepare(TRIP.domain, TRIP.problem)
    assert model.lexicon is not None  # which is made when it is asked for, and does not pickle by itself
    again = pickle.loads(pickle.dumps(model))
    assert again.model == model.model
    assert check(again, None, "(ask-dates)", repair=False).determination is False
    with again._lock:
        assert again.simulator.run(()).is_sound


@pytest.mark.parametrize("wing", WINGS)
def test_the_reference_has_every_public_name(wing: str) -> None:
    module = importlib.import_module(f"validator{wing}")
    told = {name.rpartition(".")[2] for name in reference()}
    errors = {"InputError", "ModelError", "PlanError", "PlannerError", "ValidatorError", "__version__"}
    assert set(module.__all__) - told - (errors if not wing else set()) == set()

"""The language of questions: every kind as a phrase and as PDDL; what the answer says is a question again."""

from __future__ import annotations

import re

import pytest

from tests.support.places import ROOT
from validator import prepare, tokenize
from validator.errors import InputError
from validator.foils import Wish
from validator.foils.language.context import Context
from validator.foils.language.forms import FORMS
from validator.foils.language.read import read_question
from validator.service.http.examples import over_time_example

DELIVERY = ROOT / "domains" / "delivery"
_OVEN = over_time_example()
_ARGUMENTS = {
    "STEP": "(drive van1 _ market)",
    "CONDITION": "(or (at van1 _) (not (in box1 van1)))",
    "FACT": "(lane depot pier)",
    "OBJECT": "bike1",
    "N": "2",
    "COST": "30.5",
    "TIME": "5",
    "VALUE": "(= (road-length depot market) 2.5)",
}


def _asked(*, over_time: bool = False) -> Context:
    if over_time:
        prepared = prepare(_OVEN["domain"], _OVEN["problem"])
        plan = tokenize(_OVEN["plan"], prepared.vocabulary)
    else:
        prepared = prepare(DELIVERY / "domain.pddl", DELIVERY / "problem.pddl")
        plan = tokenize((DELIVERY / "good.plan").read_text(encoding="utf-8"), prepared.vocabulary)
    return Context(simulator=prepared.simulator, plan=plan)


def _read(text: object, asked: Context) -> tuple[Wish, ...]:
    return read_question(text, asked).constraints  # type: ignore[arg-type]


def _of_time(kind: str) -> bool:
    return "TIME" in FORMS[kind].takes


def _arguments(kind: str) -> list[str]:
    if kind in ("instead", "not-at"):
        return ["(drive van1 depot market)", "2"]
    if kind == "without-fact":
        return ["(lane school pier)"]
    found = [_ARGUMENTS[what] for what in FORMS[kind].takes]
    if not _of_time(kind):
        return found
    over_time = {"STEP": "(bake rye)", "CONDITION": "(baked _)"}
    times = iter(("5", "7.5"))
    return [next(times) if what == "TIME" else over_time[what] for what in FORMS[kind].takes]


@pytest.mark.parametrize("kind", FORMS)
def test_a_question_means_the_same_in_every_form(kind: str) -> None:
    asked, args = _asked(over_time=_of_time(kind)), _arguments(kind)
    words = " ".join((kind, *args))
    wanted = _read(words, asked)
    forms = [words.replace("-", " ", kind.count("-")), f"({words})"]
    phrases = re.sub(r"\?|\|\w+", "", FORMS[kind].says).split(" / ")  # the first of several words, and every word
    forms += [phrase.format(*args) for phrase in phrases]
    assert [_read(form, asked) for form in forms] == [wanted] * len(forms)


@pytest.mark.parametrize("kind", sorted(set(FORMS) - {"instead", "not-at"}))
def test_what_an_answer_says_was_asked_is_the_question_again(kind: str) -> None:
    asked = _asked(over_time=_of_time(kind))
    for wish in _read(" ".join((kind, *_arguments(kind))), asked):
        assert _read(str(wish), asked) == (wish,)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("nevr (at van1 depot)", "'nevr (at van1 depot)' is not a question (did you mean 'never'?)"),
        ("must (drve van1 depot market)", "unknown step 'drve' (did you mean 'drive'?)"),
        ("never (att van1 depot)", "undeclared predicate 'att' (did you mean 'at'?)"),
        ("with fact (at school van1)", "'school' is not of type movable, which predicate 'at' declares"),
        ("never (at letter1 bike1)", "'bike1' is not of type place, which predicate 'at' declares"),
        ("always (at van1 dpot)", "undeclared object 'dpot' (did you mean 'depot'?)"),
        ("always (at van1 depot", "the parentheses do not match"),
        ("at least 2000 (drive _ _ _)", "a number from 0 to 1000 was expected"),
        ("without object vn1", "unknown object 'vn1' (did you mean 'van1'?)"),
        ("within 5 (at van1 depot)", "this asks about times, and the model has none"),
        ("with fact (or (at van1 pier) (at van1 depot))", "a fact such as"),
        ("why does van1 dance", "You can ask: Why (load-van box1 van1 depot)?"),
    ],
)
def test_what_is_no_question(text: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        _read(text, _asked())
    assert said in str(caught.value)


def test_a_question_about_the_plan_needs_one() -> None:
    asked = _asked()
    alone = Context(simulator=asked.simulator)
    with pytest.raises(InputError, match="give one"):
        _read("why (drive _ _ _)", alone)

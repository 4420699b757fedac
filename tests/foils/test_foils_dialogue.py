"""Dialogues: questions that add up and are dropped, what is kept of them, the table, the page, the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator import prepare, tokenize
from validator.checking.prepared import Prepared
from validator.cli import main
from validator.errors import InputError
from validator.flow import read_flow
from validator.foils.dialogue import Dialogue, ask, begin, from_value, to_value
from validator.foils.dialogue_table import dialogue_page, rows
from validator.foils.flows import flow_subject

pytestmark = pytest.mark.planner

DELIVERY = ROOT / "domains" / "delivery"
FILES = [str(DELIVERY / name) for name in ("domain.pddl", "problem.pddl")]
DETOUR, BUDGET = "must not (drive _ depot market)", "within cost 20"


def _model() -> Prepared:
    return prepare(DELIVERY / "domain.pddl", DELIVERY / "problem.pddl")


def _begun() -> Dialogue:
    plan = tokenize((DELIVERY / "good.plan").read_text(encoding="utf-8"), _model().vocabulary)
    return begin(_model(), plan)


def test_questions_add_up_and_are_dropped() -> None:
    first, answer = ask(_begun(), _model(), [DETOUR])
    assert answer.best is not None and answer.best.plan.cost == 23
    second, answer = ask(first, _model(), [BUDGET])
    assert (second.active, answer.possible) == ((1, 2), False)
    third, answer = ask(second, _model(), drop=[1])
    assert (third.active, answer.possible) == ((2,), True)
    again, _ = ask(third, _model(), [DETOUR], drop=[2])
    assert (again.questions, again.active) == ((DETOUR, BUDGET), (1,))
    table = rows(again, _model())
    assert [row.met for row in table] == [(False, True), (True, False), (None, None), (False, True), (True, False)]
    assert [row.turn.cost for row in table] == [15, 23, None, 15, 23]
    page = dialogue_page(again, answer, _model())
    assert "<li>within cost 20 (dropped)</li>" in page and page.count("<th scope") > 9
    assert from_value(json.loads(json.dumps(to_value(again)))) == again


def test_a_question_that_changes_the_model_is_kept_where_the_plan_is_valid_there() -> None:
    found, _ = ask(_begun(), _model(), ["without fact (road market school)", "without goal (at letter1 pier)"])
    assert [row.met for row in rows(found, _model())] == [(False, True), (True, True)]


def test_a_step_that_alone_is_dearer_than_the_budget_says_so() -> None:
    _, answer = ask(_begun(), _model(), ["within cost 1", "must drive"])
    assert "This alone costs more, whatever the goal is." in answer.sentences


def test_without_a_plan_the_first_answer_brings_one() -> None:
    found, _ = ask(begin(_model(), None), _model(), [BUDGET])
    assert found.plan is not None and len(found.plan) == 9


def test_a_dialogue_is_about_one_model_and_some_question() -> None:
    other = prepare(DELIVERY / "domain.pddl", (DELIVERY / "problem.pddl").read_text().replace("(at bike1 school)", ""))
    with pytest.raises(InputError, match="about another model"):
        ask(_begun(), other, [DETOUR])
    with pytest.raises(InputError, match="no question is left"):
        ask(_begun(), _model())


@pytest.mark.parametrize(
    ("written", "instead", "is_other"),
    [("(not (at ?v ?from))", "", True), ("(:action", "; the same\n  (:action", False)],
)
def test_a_model_is_another_one_where_an_effect_was_edited_but_not_a_comment(
    written: str, instead: str, is_other: bool
) -> None:
    domain = (DELIVERY / "domain.pddl").read_text()
    assert written in domain
    edited = prepare(domain.replace(written, instead), DELIVERY / "problem.pddl")
    assert (begin(edited, None).model != begin(_model(), None).model) is is_other
    with pytest.raises(InputError, match="question 1 cannot be dropped; those that hold are: none"):
        ask(_begun(), _model(), [DETOUR], [1])


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"version": 2},
        {"questions": "must (a)"},
        {"active": [3]},
        {"turns": [{"active": [1]}]},
        {"plan": [1]},
        {"active": ["1"]},
    ],
)
def test_what_is_no_dialogue(wrong: dict[str, Any]) -> None:
    value = {**to_value(_begun()), **wrong} if wrong else wrong
    with pytest.raises(InputError, match="dialogue"):
        from_value(value)


def test_the_command_keeps_a_dialogue_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "talk.json")
    plan = str(DELIVERY / "good.plan")
    step = "(drive _ depot market)"
    assert main(["why-not", *FILES, "--plan", plan, "--dialogue", kept, "--must-not", step]) == 0
    assert main(["why-not", *FILES, "--dialogue", kept, "--ask", BUDGET]) == 1
    assert "2      1 2    impossible  -        -    -\n" in capsys.readouterr().out
    assert main(["why-not", *FILES, "--dialogue", kept, "--drop", "1", "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert [row["met"] for row in value["table"]] == [[False, True], [True, False], [None, None], [False, True]]
    assert value["dialogue"] == json.loads((tmp_path / "talk.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--drop", "1"], "--drop goes with --dialogue"),
        (["--dialogue", "talk.json", "--drop", "1"], "question 1 cannot be dropped"),
        (["PLAN", "--dialogue", "talk.json"], "--dialogue takes DOMAIN PROBLEM or FLOW, without a FOIL"),
    ],
)
def test_what_a_dialogue_cannot_be_asked(
    options: list[str], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "PLAN").write_text("(ride bike1 school pier)", encoding="utf-8")
    assert main(["why-not", *FILES, *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "talk.json").exists()


# --- flows ---------------------------------------------------------------------------------------

_STAY = """flow: stay
operators:
  - {name: find, inputs: [city], outputs: [hotel], cost: 20}
  - {name: lookup, inputs: [city], outputs: [hotel], cost: 40}
  - {name: book, inputs: [hotel, {item: voucher, required: false}], outputs: [booking]}
goals: [{known: booking}]
slots: [{item: hotel, desirability: 0}, {item: booking, desirability: 0}]
"""


def test_a_dialogue_about_a_flow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "stay.yaml").write_text(_STAY)
    (tmp_path / "stay.plan").write_text("ask(city)\nhotel = find(city)\nbooking = book(hotel)\n")
    asked = ["why-not", str(tmp_path / "stay.yaml"), "--dialogue", str(tmp_path / "talk.json")]
    assert main([*asked, "--plan", str(tmp_path / "stay.plan"), "--must-not", "find(_)"]) == 0
    capsys.readouterr()
    assert main([*asked, "--drop", "1", "--ask", "why not use lookup(city)?"]) == 0
    told = capsys.readouterr().out
    assert "(lookup city) must happen" in told
    lines = [line.split() for line in told.splitlines()[-3:]]
    assert [(line[0], line[-2:]) for line in lines] == [
        ("given", ["no", "no"]),
        ("1", ["yes", "yes"]),
        ("2", ["yes", "yes"]),
    ]


def test_without_a_plan_of_a_flow_the_first_answer_brings_one(tmp_path: Path) -> None:
    (tmp_path / "stay.yaml").write_text(_STAY)
    (tmp_path / "other.yaml").write_text(_STAY.replace("cost: 40", "cost: 50"))
    flow, other = read_flow(tmp_path / "stay.yaml"), read_flow(tmp_path / "other.yaml")
    talk, _ = ask(begin(flow_subject(flow), None), flow_subject(flow), ["at most 0 find(_)"])
    again, answer = ask(talk, flow_subject(flow, talk), ["must ask(voucher)"])
    assert answer.possible
    assert [row.met for row in rows(again, flow_subject(flow, again))] == [(False, False), (True, False), (True, True)]
    with pytest.raises(InputError, match="another model"):
        ask(talk, flow_subject(other, talk), ["must ask(voucher)"])
    with pytest.raises(InputError, match="read it with the dialogue as it is now"):
        rows(again, flow_subject(flow))


@pytest.mark.parametrize(
    ("question", "cost"),
    [
        ("must book(hotel)", 160030),
        ("must not book(hotel)", 310030),  # with a voucher, for which the user is asked
        ("must book(hotel, voucher)", 310030),
    ],
)
def test_a_call_is_given_the_optional_inputs_that_it_says(question: str, cost: int, tmp_path: Path) -> None:
    (tmp_path / "stay.yaml").write_text(_STAY)
    subject = flow_subject(read_flow(tmp_path / "stay.yaml"))
    _, answer = ask(begin(subject, None), subject, [question])
    assert answer.cheapest is not None and answer.cheapest.is_exact
    assert answer.cheapest.lower == cost

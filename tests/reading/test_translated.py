"""A translator's steps: believed where they stand for a piece of the text; what looks like a step is never lost."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.reading.test_candidates import MODEL, RIGHT, YARD
from tests.support.scripted_endpoint import scripted_server
from validator import check
from validator.cli import main
from validator.errors import InputError
from validator.reading.plan import Completeness
from validator.reading.tokens import read
from validator.reading.translated import Translator, question_of, translated

TEXT = "Grab the first box off the quay, won't you.\nThen drop it by the slope.\n"
STEPS = [
    {"step": RIGHT[0], "text": "Grab the first box off the quay"},
    {"step": RIGHT[1], "span": [TEXT.index("drop"), TEXT.index("\n", 50)]},
]


def saying(answer: object) -> Translator:
    def translate(question: Mapping[str, Any]) -> object:
        assert question == question_of(question["text"], MODEL)
        return answer

    return translate


def told(steps: object, text: str = TEXT) -> Any:
    return translated(read(text, YARD), YARD, saying({"steps": steps}))


def test_steps_stand_where_the_translator_found_them() -> None:
    assert read(TEXT, YARD).completeness is Completeness.NONE
    reading = told(STEPS)
    assert (reading.completeness, reading.translated_by) == (Completeness.COMPLETE, "a translator")
    assert [str(step) for step in reading.plan.tokens] == RIGHT
    assert [TEXT[slice(*step.span)] for step in reading.plan.tokens] == [STEPS[0]["text"], "drop it by the slope."]
    assert "".join(TEXT[slice(*part.span)] for part in reading.plan.parts) == TEXT


def test_what_is_clear_is_never_translated() -> None:
    def refuse(_: object) -> object:
        raise AssertionError

    for text in ("\n".join(RIGHT), "Sorry, I cannot help with that."):
        assert translated(read(text, YARD), YARD, refuse) == read(text, YARD)
    assert translated(read(TEXT, YARD, strict=True), YARD, refuse).is_literal


@pytest.mark.parametrize(
    "step",
    [
        {"step": RIGHT[0], "text": "Lift the first box"},
        {"step": RIGHT[0], "span": [0, 4000]},
        {"step": RIGHT[0], "span": [3, 3]},
        {"step": RIGHT[0], "span": [4, 5]},
        {"step": RIGHT[0]},
    ],
)
def test_a_step_that_stands_for_nothing_in_the_text_is_refused(step: object) -> None:
    with pytest.raises(InputError, match="not in the text"):
        told([step])


@pytest.mark.parametrize("answer", [None, [], {"steps": None}, {"steps": ["(a)"]}, "no"])
def test_an_answer_of_another_form_is_refused(answer: object) -> None:
    with pytest.raises(InputError, match="not of the form"):
        translated(read(TEXT, YARD), YARD, saying(answer))


def test_a_step_that_the_model_does_not_have_is_not_understood() -> None:
    reading = told([{**STEPS[0], "step": "(lift c1)"}, STEPS[1]])
    assert [missed.text for missed in reading.missed] == [STEPS[0]["text"]]
    assert (
        check(MODEL, plan=TEXT, translator=saying({"steps": [{**STEPS[0], "step": "(lift c1)"}]})).determination is None
    )


def test_what_looks_like_a_step_and_is_not_translated_stays_not_understood() -> None:
    text = "1. Grab the first box off the quay\n2. Have a rest\n3. Set down the red box on the ramp\n"
    rest, last = told([STEPS[0]], text).missed
    assert (rest.line, rest.text) == (2, "2. Have a rest")
    assert (last.line, last.text) == (3, "Set down the red box on the ramp")
    both = told([STEPS[0], {"step": RIGHT[1], "text": "Set down the red box on the ramp"}], text)
    assert [missed.text for missed in both.missed] == ["2. Have a rest"]


OPEN = "Put the thing over there"


@pytest.mark.parametrize(
    ("steps", "missed"),
    [
        ([(RIGHT[0], RIGHT[0]), (RIGHT[1], OPEN)], []),
        ([(RIGHT[1], RIGHT[0]), (RIGHT[1], OPEN)], [RIGHT[0]]),  # it reads as another step
        ([(RIGHT[0], RIGHT[0]), (RIGHT[1], RIGHT[0]), (RIGHT[1], OPEN)], [RIGHT[0]]),  # and as no second one
        ([(RIGHT[0], RIGHT[0]), (RIGHT[0], RIGHT[0]), (RIGHT[1], OPEN)], [RIGHT[0]]),
        ([(RIGHT[1], OPEN)], [RIGHT[0]]),
        ([(RIGHT[0], RIGHT[0])], [OPEN]),
    ],
)
def test_what_the_rules_read_is_what_it_is_whatever_the_translator_says(steps: list[Any], missed: list[str]) -> None:
    text = f"1. {RIGHT[0]}\n2. {OPEN}\n"
    reading = told([{"step": step, "text": said} for step, said in steps], text)
    assert [piece.text.removeprefix("2. ") for piece in reading.missed] == missed


def test_the_order_of_what_the_rules_read_is_that_of_the_text() -> None:
    text = f"1. {RIGHT[0]}\n2. {OPEN}\n3. {RIGHT[1]}\n"
    swapped = [{"step": RIGHT[1], "text": RIGHT[1]}, {"step": RIGHT[0], "text": RIGHT[0]}]
    reading = told([*swapped, {"step": RIGHT[1], "text": OPEN}], text)
    assert [piece.text for piece in reading.missed] == [RIGHT[0]]


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        ("Grab the first box off the quay. Then drop it by the slope.", ["Then drop it by the slope."]),
        ("Grab the first box off the quay\nThen drop it by the slope", ["Then drop it by the slope"]),
        ("1. Grab the first box off the quay\n\n2. Drop it by the slope", ["2. Drop it by the slope"]),
        ("Grab the first box off the quay.\nThis gives us the box.\n\nI wish you a nice day.", []),
    ],
)
def test_what_stands_among_what_is_translated_may_be_a_step(text: str, missed: list[str]) -> None:
    assert [piece.text for piece in told([STEPS[0]], text).missed] == missed


def test_a_verdict_on_a_translation_says_so() -> None:
    report = check(MODEL, plan=TEXT, translator=saying({"steps": STEPS}))
    assert report.determination is True
    assert any("as a translator translates the text" in warning for warning in report.warnings)


# --- as a program and as an endpoint ---------------------------------------------------------------


def files(folder: Path) -> list[str]:
    domains = Path(__file__).parents[2] / "domains" / "blocks"
    (folder / "plan.txt").write_text("Take the top one away, please.\n", encoding="utf-8")
    return [str(domains / "domain.pddl"), str(domains / "problem.pddl"), str(folder / "plan.txt")]


ANSWER = {"steps": [{"step": "(take c a)", "text": "Take the top one away"}]}


def test_a_program_translates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "translate.py"
    program.write_text(f"import sys\nassert 'top one' in sys.stdin.read()\nprint('''{json.dumps(ANSWER)}''')\n")
    assert main(["check", *files(tmp_path)]) == 3
    capsys.readouterr()
    line = f"{sys.executable} {program}"
    main(["check", *files(tmp_path), "--translator", line, "--format", "json"])
    value = json.loads(capsys.readouterr().out)
    assert value["reading"]["translated_by"] == "a translator"
    assert value["reading"]["candidates"][0]["steps"] == ["(take c a)"]
    assert main(["read", *files(tmp_path), "--translator", line]) == 0
    assert "(take c a)" in capsys.readouterr().out
    assert main(["check", *files(tmp_path), "--translator", f"{sys.executable} -c pass"]) == 2
    assert "the translator's answer is not JSON" in capsys.readouterr().err


def test_an_endpoint_translates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with scripted_server() as server:
        server.say(ANSWER)
        options = ["--translator", server.url, "--translator-model", "small"]
        assert main(["read", *files(tmp_path), *options]) == 0
    assert "(take c a)" in capsys.readouterr().out
    assert main(["read", *files(tmp_path), *options[:2]]) == 2
    assert "go together" in capsys.readouterr().err

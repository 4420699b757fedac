"""What a plan is given as, in Python: a text, a list of steps, a file; one that is not there is no text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.places import ROOT
from validator import check, prepare, tokenize
from validator.errors import ModelError, PlanError
from validator.integrations.nl2flow import hinted

MODEL = [ROOT / "domains" / "blocks" / name for name in ("domain.pddl", "problem.pddl")]
GOOD = (ROOT / "domains" / "blocks" / "good.plan").read_text(encoding="utf-8")


def test_a_list_of_steps_is_a_plan() -> None:
    steps = [line for line in GOOD.splitlines() if line.startswith("(")]
    assert check(*MODEL, steps).determination is True
    broken = check(*MODEL, tuple(steps[:-1]))
    assert broken.determination is False
    assert check(*MODEL, broken.repaired_plan).determination is True


@pytest.mark.parametrize("plan", [3, {"plan": GOOD}, [("take", "b", "d")], GOOD.encode()])
def test_what_is_no_plan_is_refused(plan: Any) -> None:
    with pytest.raises(ModelError, match="a plan is a text, a path, a list of texts or Steps"):
        check(*MODEL, plan)


def test_a_binary_file_is_no_plan(tmp_path: Path) -> None:
    (tmp_path / "steps.plan").write_bytes(b"(take b d)\n\xff\0")
    with pytest.raises(PlanError, match="a text was expected, and byte 12 is zero"):
        check(*MODEL, tmp_path / "steps.plan")


@pytest.mark.parametrize("given", [{"quality": "vaild"}, {"dialect": "vaild"}])
def test_a_word_that_is_no_choice_is_refused_with_those_that_are(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="'vaild' is not one of "):
        check(*MODEL, GOOD, **given)
    with pytest.raises(ValueError, match="'vaild' is not one of "):
        tokenize(GOOD, dialect="vaild")  # type: ignore[arg-type]


def test_a_problem_beside_a_model_is_refused() -> None:
    with pytest.raises(ModelError, match="the problem beside it must be None"):
        check(prepare(*MODEL), MODEL[1], GOOD)
    with pytest.raises(ModelError, match="a model is a domain and a problem, or"):
        check(None, None, GOOD)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["good.plam", "plans/good.plan", "./nofile", "/nowhere/x.txt"])
def test_a_file_that_is_not_there_is_told(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.plan").write_text(GOOD, encoding="utf-8")
    with pytest.raises(FileNotFoundError) as caught:
        check(*MODEL, name)
    assert caught.value.filename == name
    assert name != "good.plam" or "did you mean 'good.plan'?" in str(caught.value)


@pytest.mark.parametrize("text", ["", "nothing to do.", "good.plam\n", "3.5", "I give up..."])
def test_a_text_that_is_no_name_is_read(text: str) -> None:
    assert check(*MODEL, text, repair=False).determination is not True


def test_what_changes_in_a_line_of_a_flow_is_marked() -> None:
    assert hinted(["  ask(city)", "- hotel = fnd(city)", "+ hotel = find(city)"]) == [
        "  ask(city)",
        "- hotel = fnd(city)",
        "+ hotel = find(city)",
        "?          +",
    ]
    assert hinted(moved := ["- a()", "+ b()", "+ a()"]) == moved

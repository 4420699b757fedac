"""The command ``read``: a text beside its steps."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main

BLOCKS = ROOT / "domains" / "blocks"
MODEL = [str(BLOCKS / "domain.pddl"), str(BLOCKS / "problem.pddl")]


@pytest.fixture
def answer(tmp_path: Path) -> str:
    path = tmp_path / "answer.txt"
    path.write_text("Plan:\n1. take b from d\n2. (lower b\n", encoding="utf-8")
    return str(path)


def test_a_text_stands_beside_its_steps(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", *MODEL, answer]) == 3
    shown = capsys.readouterr().out
    assert "2  1. take b from d      1 (take b d)\n" in shown and "? not understood: ')' was expected" in shown
    assert main(["read", *MODEL, str(BLOCKS / "good.plan")]) == 0
    assert "complete: 8 steps read\n" in capsys.readouterr().out


def test_without_a_model_a_text_is_read_by_its_form(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", str(BLOCKS / "good.plan")]) == 0
    assert "1 (take b d)" in capsys.readouterr().out


def test_the_text_may_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"(take b d)")))
    assert main(["read", *MODEL, "-"]) == 0
    assert capsys.readouterr().out.startswith("1  (take b d)            1 (take b d)\n")


def test_other_formats(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", *MODEL, answer, "--format", "json"]) == 3
    assert json.loads(capsys.readouterr().out)["completeness"] == "partial"
    assert main(["read", *MODEL, answer, "--format", "html"]) == 3
    shown = capsys.readouterr().out
    assert "answer.txt was read</h1>" in shown and "<script" not in shown


def test_a_dialect_and_strict_take_it_literally(answer: str, capsys: pytest.CaptureFixture[str]) -> None:
    for option in (["--strict"], ["--dialect", "words"]):
        assert main(["read", *MODEL, answer, *option]) == 0
        assert "\ncomplete: " in capsys.readouterr().out


def test_what_is_no_text_with_or_without_a_model_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", *MODEL]) == 2
    assert "read takes DOMAIN PROBLEM TEXT, or TEXT; got 2 of them" in capsys.readouterr().err
    assert main(["read", *MODEL, "missing.txt"]) == 2

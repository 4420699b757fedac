"""The examples of docs/metrics.md are run, and print what the page shows."""

from __future__ import annotations

import re
import shlex

import pytest

from tests.support.places import ROOT
from validator import cli
from validator.metrics import METRICS

PAGE = (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    return [text for kind, text in fenced if kind == language]


@pytest.fixture(autouse=True)
def in_the_checkout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_the_command_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    program, *arguments = shlex.split(blocks("sh")[0])
    assert program == "plan-validator"
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out == blocks("")[0]


@pytest.mark.parametrize("code", blocks("python"))
def test_each_python_block_prints_its_comments(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "docs/metrics.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def test_every_metric_is_on_the_page() -> None:
    for name in METRICS:
        assert f"`{name}`" in PAGE

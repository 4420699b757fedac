"""README's blocks are run, and print what README says."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from validator import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.planner


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", README, flags=re.DOTALL | re.MULTILINE)
    return [text for kind, text in fenced if kind == language]


def test_the_first_command_prints_what_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command = blocks("sh")[0].split("&&")[1]
    program, *arguments = shlex.split(command)
    assert program == "plan-validator"
    assert cli.main(arguments) == 1
    assert capsys.readouterr().out == blocks("")[0]


def test_the_second_command_runs_the_checks_that_ci_runs() -> None:
    assert blocks("sh")[1].strip() == "pip install -e '.[test]' && ruff check && mypy && pytest"


def test_the_python_block_prints_its_comment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = blocks("python")[0]
    exec(compile(code, "README.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def test_every_link_leads_to_a_file() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).is_file(), target

"""The examples of the pages on foils and monitoring: what they show is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.support.places import ROOT
from validator.cli import main

pytestmark = pytest.mark.planner

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
STATE = "(at van1 depot) (at bike1 pier) (in box1 van1)   ; the van did not leave\n(at letter1 market)\n"


def _examples() -> list[object]:
    found = []
    for page in ("foils", "monitoring"):
        text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
        for block in _BLOCK.findall(text):
            for part in re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                if command.startswith("plan-validator"):
                    found.append(pytest.param(command, output, id=f"{page}: {command[15:60]}"))
    assert found
    return found


@pytest.mark.parametrize(("command", "output"), _examples())
def test_an_example_prints_what_it_shows(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "domains" / "delivery", tmp_path, dirs_exist_ok=True)
    (tmp_path / "state").write_text(STATE)
    monkeypatch.chdir(tmp_path)
    main(shlex.split(command)[1:])
    printed = capsys.readouterr().out
    for piece in output.split("...\n"):
        assert piece in printed


def test_the_python_of_the_page_prints_its_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(ROOT / "domains" / "delivery", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / "foils.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(code, "foils.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown

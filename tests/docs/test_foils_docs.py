"""The examples of the pages on foils and monitoring: what they show is what is printed."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.docs.test_docs import prints_its_comments
from tests.support.places import ROOT
from validator.cli import main
from validator.foils.language.forms import FORMS
from validator.service.http.examples import over_time_example

pytestmark = pytest.mark.planner

_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
STATE = "(at van1 depot) (at bike1 pier) (in box1 van1)   ; the van did not leave\n(at letter1 market)\n"


def _commands(block: str) -> list[tuple[str, str]]:
    """Return the commands of a block, each with what it is said to print."""
    parts = re.split(r"^\$ ", block.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    found = [part.partition("\n") for part in parts]
    return [(command, output) for command, _, output in found if command.startswith("plan-validator")]


def _examples() -> list[object]:
    pages = {page: (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in ("foils", "monitoring")}
    blocks = [(page, _commands(block)) for page, text in pages.items() for block in _BLOCK.findall(text)]
    return [pytest.param(block, id=f"{page}: {block[0][0][15:60]}") for page, block in blocks if block]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which the commands of the pages run: one for all, so that the model is read once."""
    made = tmp_path_factory.mktemp("pages")
    shutil.copytree(ROOT / "domains" / "delivery", made, dirs_exist_ok=True)
    (made / "state").write_text(STATE)
    oven = over_time_example()
    for name, part in (("oven.pddl", "domain"), ("morning.pddl", "problem"), ("baked.plan", "plan")):
        (made / name).write_text(oven[part])
    return made


@pytest.mark.deep
@pytest.mark.parametrize("commands", _examples())
def test_an_example_prints_what_it_shows(
    commands: list[tuple[str, str]], folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for command, output in commands:
        limit = ["--time-limit", "300"] if "why-not" in command else []
        main([*shlex.split(command)[1:], *limit])
        printed = capsys.readouterr().out
        for piece in output.split("...\n"):
            assert piece in printed, command


def test_every_kind_of_question_is_on_the_page() -> None:
    text = (ROOT / "docs" / "foils.md").read_text(encoding="utf-8")
    words = {"directly": "directly after", "solvable": "why unsolvable", "begin": "from", "only-from": "only from"}
    for kind in FORMS:
        said = words.get(kind, kind.replace("-", " "))
        assert said in text or kind in text, kind


def test_the_python_of_the_page_prints_its_comments(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    text = (ROOT / "docs" / "foils.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    prints_its_comments(code, "foils.md", capsys)

"""The blocks of README and of the page on unified-planning are run, and print what is said there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from benchmarks.terminal import COMMAND, PICTURE, drawn, printed
from tests.support.places import ROOT
from validator import cli

README = (ROOT / "README.md").read_text(encoding="utf-8")
UNIFIED_PLANNING = (ROOT / "docs" / "unified-planning.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.planner


def fenced(page: str) -> list[tuple[str, str]]:
    """Return the language and the text of each block of a page; ``diff`` is what is printed, in colours."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", page, flags=re.DOTALL | re.MULTILINE)
    return [("" if language == "diff" else language, text) for language, text in found]


def blocks(language: str) -> list[str]:
    return [text for kind, text in fenced(README) if kind == language]


def test_the_first_command_prints_what_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command = blocks("sh")[0].split("&&")[1]
    program, *arguments = shlex.split(command)
    assert program == "plan-validator"
    assert cli.main(arguments) == 1
    assert capsys.readouterr().out == blocks("")[0]


def test_the_picture_shows_what_the_command_prints() -> None:
    assert PICTURE.read_text(encoding="utf-8") == drawn(COMMAND, printed(COMMAND))


def test_contributors_run_the_checks_that_ci_runs() -> None:
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert fenced(text)[0] == ("sh", "pip install -e '.[test]' && ruff check && mypy && pytest\n")


def test_the_python_block_prints_its_comment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    code = blocks("python")[0]
    exec(compile(code, "README.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


def test_every_link_leads_to_a_file() -> None:
    for folder, page in ((ROOT, README), (ROOT / "docs", UNIFIED_PLANNING)):
        for target in re.findall(r"\]\(([^)#:]+)\)", page):
            assert (folder / target).is_file(), target


# --- the page on unified-planning ----------------------------------------------------------------


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that has the bundled models, and in which the page's files may be written."""
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.up
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", [text for kind, text in fenced(UNIFIED_PLANNING) if kind == "python"])
def test_the_page_prints_its_comments(code: str, workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "unified-planning.md", "exec"), {})
    shown = [line.removeprefix("# ") for line in code.splitlines() if line.startswith("# ")]
    assert capsys.readouterr().out.splitlines() == shown


@pytest.mark.up
@pytest.mark.deep
def test_the_commands_of_the_page_print_what_it_shows(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = fenced(UNIFIED_PLANNING)
    commands = [(text, found[place + 1]) for place, (kind, text) in enumerate(found) if kind == "sh"]
    assert commands
    for command, (kind, expected) in commands:
        program, *arguments = shlex.split(command.replace("\\\n", ""))
        assert program == "plan-validator"
        cli.main([*arguments, "--time-limit", "300"])
        shown = capsys.readouterr()
        if kind == "pddl":
            assert expected in (workplace / "modified" / "domain.pddl").read_text(encoding="utf-8")
        else:
            # What else is installed is not for this page to say.
            assert shown.out + shown.err.partition("; there are")[0] == expected.partition("; there are")[0]

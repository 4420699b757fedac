"""The blocks of README and of the page on unified-planning are run, and print what is said there."""

from __future__ import annotations

import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import terminal
from tests.docs.test_docs import blocks, prints_its_comments
from tests.support.places import ROOT
from validator import cli

pytestmark = pytest.mark.planner


def of(page: str, language: str) -> list[str]:
    return [block.text for block in blocks(page) if block.language == language]


def test_the_first_command_prints_what_readme_shows(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    command = of("README.md", "sh")[0].split("&&")[1]
    program, *arguments = shlex.split(command)
    assert program == "plan-validator"
    assert cli.main(arguments) == 1
    assert capsys.readouterr().out == of("README.md", "")[0]


def test_the_picture_shows_what_the_command_prints() -> None:
    shown = terminal.drawn(terminal.COMMAND, terminal.printed(terminal.COMMAND))
    assert terminal.PICTURE.read_text(encoding="utf-8") == shown


def test_contributors_run_the_checks_that_ci_runs() -> None:
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert "```sh\npip install -e '.[test]' && ruff check && mypy && pytest\n```\n" in text


def test_the_python_block_prints_its_comment(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    prints_its_comments(of("README.md", "python")[0], "README.md", capsys)


# --- the page on unified-planning ----------------------------------------------------------------


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory that has the bundled models, and in which the page's files may be written."""
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.up
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("code", of("unified-planning.md", "python"))
def test_the_page_prints_its_comments(code: str, workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prints_its_comments(code, "unified-planning.md", capsys)


@pytest.mark.up
@pytest.mark.deep
def test_the_commands_of_the_page_print_what_it_shows(workplace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = [(one.text, other) for one, other in pairwise(blocks("unified-planning.md")) if one.language == "sh"]
    assert commands
    for command, shown in commands:
        program, *arguments = shlex.split(command.replace("\\\n", ""))
        assert program == "plan-validator"
        cli.main([*arguments, "--time-limit", "300"])
        printed = capsys.readouterr()
        if shown.language == "pddl":
            assert shown.text in (workplace / "modified" / "domain.pddl").read_text(encoding="utf-8")
        else:
            # What else is installed is not for this page to say.
            assert printed.out + printed.err.partition("; there are")[0] == shown.text.partition("; there are")[0]

"""The pages of ``docs/`` are run, and print what they show.

A block ``LANGUAGE title="NAME"`` is a file. A block of ``sh`` holds one command a line, and ``< NAME`` is its input;
what they print is the next block without a language. A block of ``python`` prints its comments that begin a line.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name

import pytest

from validator import cli

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.name for path in (ROOT / "docs").glob("*.md"))
OTHERS = frozenset(("cluster.md", "foils.md", "mcp.md", "service.md", "unified-planning.md"))
"""pages with a test of their own, or that need a cluster"""

pytestmark = pytest.mark.planner


_BLOCK = re.compile(r'^```(\w*)(?: title="([^"]+)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    language: str
    file: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    for language, file, body in _BLOCK.findall(text):
        yield Block(language, file, body)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in OTHERS])
def test_a_page_prints_what_it_shows(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("domains", "tests"):
        (tmp_path / name).symlink_to(ROOT / name)
    monkeypatch.chdir(tmp_path)
    printed = ""
    for block in blocks(page):
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "sh":
            for line in block.text.splitlines():
                if line.startswith("plan-validator "):
                    command, _, file = line.partition(" < ")
                    with monkeypatch.context() as patch, open(file or os.devnull, encoding="utf-8") as stdin:
                        patch.setattr("sys.stdin", stdin)
                        cli.main(shlex.split(command)[1:])
            printed = capsys.readouterr().out
        elif block.language == "python":
            exec(compile(block.text, page, "exec"), {})
            shown = [line.removeprefix("# ") for line in block.text.splitlines() if line.startswith("# ")]
            assert capsys.readouterr().out.splitlines() == shown
        elif not block.language and printed:
            assert printed == block.text
            printed = ""


def test_every_link_leads_to_a_file() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / "docs" / page).read_text(encoding="utf-8")):
            assert (ROOT / "docs" / target).exists(), f"{page}: {target}"


@pytest.mark.parametrize("page", PAGES)
def test_every_block_begins_as_the_site_can_show_it(page: str) -> None:
    """A fence with anything else behind its language is shown as running text, without a word from mkdocs."""
    lines = (ROOT / "docs" / page).read_text(encoding="utf-8").splitlines()
    fences = [line for line in lines if line.startswith("```")]
    assert all(re.fullmatch(r'```(\w+( title="[^"]+")?)?', line) for line in fences)
    assert len(fences) % 2 == 0


def test_every_page_is_in_the_navigation() -> None:
    """What else is wrong with the site is found by ``mkdocs build --strict -f docs/mkdocs.yml``."""
    navigation = (ROOT / "docs" / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    assert sorted(re.findall(r"[\w-]+\.md", navigation)) == PAGES


def test_the_reference_names_what_is_there() -> None:
    names = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert names
    for name in names:
        assert resolve_name(name) is not None

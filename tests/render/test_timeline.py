"""The course of a plan: rows and bars, the table, the pictures."""

from __future__ import annotations

from pathlib import Path
from xml.dom import minidom

import pytest

from tests.support.places import CONFORMANCE
from validator import check
from validator.cli import main
from validator.render.text import report_text


def page_of(model: str, plan: str, capsys: pytest.CaptureFixture[str]) -> str:
    folder = CONFORMANCE / model
    main(["check", *(str(folder / name) for name in ("domain.pddl", "problem.pddl", plan)), "--format", "html"])
    return capsys.readouterr().out


def test_a_page_has_the_chart_the_plots_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    page = page_of("pddlplus_process_event", "bad_flood.plan", capsys)
    svg = page[page.index("<svg") : page.index("</svg>") + 6]
    titles = [title.firstChild.data for title in minidom.parseString(svg).getElementsByTagName("title")]
    assert titles == ["1 (turn-on), 0", "2 (turn-off), 6", "(level): 0 to 12"]
    assert "<td>5</td><td>the event (flood)</td><td>+(flooded)</td>" in page


def test_the_text_shows_the_table_only_when_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    folder = CONFORMANCE / "preferences"
    files = [str(folder / name) for name in ("domain.pddl", "problem.pddl", "good_violating.plan")]
    assert main(["check", *files, "--timeline"]) == 0
    shown = capsys.readouterr().out
    assert "violated preferences: tidy 1" in shown
    assert "+(cooked)" in shown
    assert "+(cooked)" not in report_text(check(*map(Path, files), repair=False))

"""What is made of the measurements: charts, tables in pages, and the processes that are measured."""

from __future__ import annotations

import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import QUICK, SLOW
from benchmarks.options import Options
from benchmarks.pages import PAGES, rewritten, written
from benchmarks.process import answer, in_turn, measured
from benchmarks.results import RESULTS, keep, kept
from benchmarks.table import as_text

_BLOCKS = re.DOTALL | re.MULTILINE

MACHINE: dict[str, Any] = {
    "month": "May 2030",
    "cpu": "Chip",
    "cores": 2,
    "load": 0.1,
    "python": "CPython 3.11.7",
    "packages": {"lark": "1.3.1", "plan-validator": "0.1.0"},
}
TABLES: dict[str, dict[str, Any]] = {"execute": {"title": "execute", "columns": ["steps"], "rows": [{"steps": 10}]}}


@pytest.mark.parametrize(
    "mark", ["cold: cpu s", "execute: hours", "notes: cold", "machine: execute, cold", "words: readme"]
)
def test_what_was_not_measured_stays_and_is_named(mark: str) -> None:
    missing: list[str] = []
    page = f"<!-- benchmarks: {mark} -->\n| old |\n<!-- end -->\n"
    assert rewritten(page, TABLES, missing) == page
    assert missing == [mark]


# --- what is kept ----------------------------------------------------------------------------------


def test_pages_and_plots_are_what_is_made_of_the_kept_results() -> None:
    """``python -m benchmarks.pages`` writes them."""
    missing: list[str] = []
    for path, text in written(kept(), missing).items():
        assert path.read_text(encoding="utf-8") == text, path.name
    assert missing == []


def test_every_suite_has_kept_results() -> None:
    assert sorted(path.stem for path in RESULTS.glob("*.json")) == sorted((*QUICK, *SLOW))
    assert all(path.stat().st_size < 100_000 for path in RESULTS.glob("*.json"))


_OWN_MODELS = ("service", "peers", "free_texts", "large", "limits", "long", "playground", "scores")


@pytest.mark.parametrize("suite", [name for name in SLOW if name not in _OWN_MODELS])
def test_a_suite_without_its_data_says_so_and_what_is_kept_stays(
    suite: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.results.RESULTS", tmp_path / "results")
    tables = import_module(f"benchmarks.{suite}").run(Options(data=tmp_path))
    (note,) = [note for table in tables for note in table.notes]
    assert re.search(r"\(see --(data|models)\)$", note)
    assert as_text(tables[0]).endswith(f": skipped\n  {note}\n")
    assert keep(suite, MACHINE, tables) is None
    assert not (tmp_path / "results").exists()


def test_no_measured_time_is_typed_by_hand() -> None:
    """A limit is no measured time."""
    measured = r"(?<!at most )(?<![\d.,])\d[\d.,]* (?:ms|CPU s|s of CPU|CPU seconds?|CPU hours?)\b"
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"<!-- benchmarks: .*?<!-- end -->|^```.*?^```", "", text, flags=_BLOCKS)
        assert re.findall(measured, text) == [], page


def test_a_process_is_measured_without_the_one_that_starts_it(tmp_path: Path) -> None:
    """The parent holds 80 MiB more than the child, and as much as the other child."""
    kept = bytearray(80 * 2**20)
    commands = {
        "small": [sys.executable, "-c", "print('small')"],
        "large": [sys.executable, "-c", "x = b'x' * (80 * 2**20); print('large'); raise SystemExit(3)"],
    }
    runs = in_turn(commands, tmp_path, runs=1, seconds=30)
    assert len(kept) > 0
    assert (runs["small"].output, runs["small"].code) == ("small\n", 0)
    assert (runs["large"].output, runs["large"].code) == ("large\n", 3)
    assert runs["large"].memory > runs["small"].memory + 70
    assert 0 < runs["small"].cpu < 30


def test_a_process_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    done = measured(["sh", "-c", "sleep 100 & sleep 100"], tmp_path, seconds=1)
    assert done.is_killed


@pytest.mark.parametrize(
    ("code", "said"),
    [("pass", "valid"), ("exit(1)", "not valid"), ("raise ValueError", "crashed"), ("exit(2)", "exit code 2")],
)
def test_a_peer_that_crashes_does_not_say_that_the_plan_is_not_valid(code: str, said: str, tmp_path: Path) -> None:
    assert answer(measured([sys.executable, "-c", code], tmp_path, seconds=30)) == said

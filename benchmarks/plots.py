"""``python -m benchmarks.plots FILE.json... DIR``: draw what was measured, and write the tables that the pages show.

A page says which table it shows, and after a colon which columns in which order:

    <!-- benchmarks: execute: steps, tokenize s -->
    <!-- end -->

What stands between is replaced. A table that is in none of the files stays as it is, and is named.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.chart import Chart, svg
from benchmarks.options import ROOT
from benchmarks.table import number

__all__ = ["charts", "main", "markdown", "rewritten"]

PAGES = (ROOT / "README.md", ROOT / "docs" / "performance.md")

_MARKED = re.compile(r"^(<!-- benchmarks: ([^\n]+?) -->\n).*?^(<!-- end -->)$", re.DOTALL | re.MULTILINE)

Found = Mapping[str, Mapping[str, Any]]
"""title -> a table as ``benchmarks.table.as_data`` gives it"""


def main() -> int:
    """Draw the plots into the directory, and rewrite the tables of the pages in place."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plots", description="Draw what was measured.")
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="results of python -m benchmarks --json")
    parser.add_argument("folder", type=Path, metavar="DIR", help="where the plots go")
    given = parser.parse_args()
    tables = read(given.files)
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, chart in charts(tables).items():
        (given.folder / f"{name}.svg").write_text(svg(chart), encoding="utf-8")
        print(given.folder / f"{name}.svg")
    missing: list[str] = []
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = rewritten(before, tables, missing)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page)
    for name in missing:
        print(f"not measured: {name}", file=sys.stderr)
    return 0


def read(files: Iterable[Path]) -> dict[str, Mapping[str, Any]]:
    """Return the tables of the files by title; a later one counts."""
    documents = (json.loads(path.read_text(encoding="utf-8")) for path in files)
    return {table["title"]: table for document in documents for table in document["tables"]}


# --- plots ---------------------------------------------------------------------------------------


def charts(tables: Found) -> dict[str, Chart]:
    """Return the charts that can be drawn from these tables, by the name of their file."""
    return {name: chart for name, draw in _CHARTS.items() if (chart := draw(tables)) is not None}


def _length(tables: Found) -> Chart | None:
    rows = _rows(tables, "peers: long plans")
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        if row["answer"] == "valid":
            lines.setdefault(row["program"], []).append((row["steps"], row["cpu s"]))
    title = "Deciding whether a plan is valid, whole processes"
    return Chart(title=title, x="steps of the plan", y="CPU seconds", lines=lines) if rows else None


def _phases(tables: Found) -> Chart | None:
    rows = _rows(tables, "execute")
    columns = {
        "read": "tokenize s",
        "execute": "run s",
        "unified-planning: read": "up parse s",
        "unified-planning: validate": "up validate s",
    }
    lines = {
        name: [(row["steps"], row[column]) for row in rows if row[column] is not None]
        for name, column in columns.items()
    }
    title = "Reading and executing a plan, model read before"
    return Chart(title=title, x="steps of the plan", y="CPU seconds", lines=lines) if rows else None


def _operators(tables: Found) -> Chart | None:
    rows = _rows(tables, "warm")
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        lines.setdefault(row["fault"], []).append((row["operators"], row["check s"]))
        lines.setdefault(f"{row['fault']}: search", []).append((row["operators"], row["search s"]))
    title = "A proven repair, plans of 30 steps, model warm"
    return Chart(title=title, x="operators of the model", y="CPU seconds", lines=lines) if rows else None


def _workers(tables: Found) -> Chart | None:
    """Return the rate of batches by workers; the machine has to be idle for that to be a speed-up."""
    rows = {row["workers"]: row for row in _rows(tables, "records")}
    if not {"one process", "two processes"} <= rows.keys():
        return None
    rates = [
        (count, rows[name]["records"] / rows[name]["wall s"])
        for count, name in ((1, "one process"), (2, "two processes"))
    ]
    ideal = [(count, rates[0][1] * count) for count, _ in rates]
    lines = {"measured": rates, "twice as fast": ideal}
    return Chart(title="Batches", x="workers", y="records a second (wall clock)", lines=lines)


_CHARTS: Mapping[str, Callable[[Found], Chart | None]] = {
    "length": _length,
    "phases": _phases,
    "operators": _operators,
    "workers": _workers,
}


def _rows(tables: Found, title: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = tables.get(title, {}).get("rows", ())
    return found


# --- tables --------------------------------------------------------------------------------------


def rewritten(page: str, tables: Found, missing: list[str]) -> str:
    """Return a page with its marked tables as measured; ``missing`` gets the titles of those that are not there."""

    def fill(found: re.Match[str]) -> str:
        title, columns = _asked(found[2], tables)
        if title not in tables:
            missing.append(found[2])
            return found[0]
        body = "".join(f"{line}\n" for line in markdown(tables[title], columns))
        return f"{found[1]}{body}{found[3]}"

    return _MARKED.sub(fill, page)


def _asked(text: str, tables: Found) -> tuple[str, tuple[str, ...]]:
    """Return the title and the columns of a marker; a title may have colons itself."""
    title, colon, columns = text.rpartition(": ")
    if text in tables or not colon:
        return text, ()
    return title, tuple(name.strip() for name in columns.split(","))


def markdown(table: Mapping[str, Any], columns: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a table, all columns or the given ones. Raises ValueError for a column that it has not."""
    chosen = columns or table["columns"]
    unknown = [name for name in chosen if name not in table["columns"]]
    if unknown:
        raise ValueError(f"{table['title']} has no column {unknown[0]!r}, only {', '.join(table['columns'])}")
    yield f"| {' | '.join(chosen)} |"
    yield f"|{'---|' * len(chosen)}"
    for row in table["rows"]:
        yield f"| {' | '.join(_cell(row[name]) for name in chosen)} |"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return number(value)
    return f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.exit(main())

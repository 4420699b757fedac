"""``python -m benchmarks.pages``: write the figures and the plots that the pages show, from ``benchmarks/results``.

A page says what is to stand between a mark and the next end, in one of these ways:

    <!-- benchmarks: execute: steps, tokenize s -->   a table, all its columns or those after the colon
    <!-- benchmarks: notes: repair -->                the remarks of a table as a list
    <!-- benchmarks: machine: cold, execute -->       when and on what these tables were measured
    <!-- benchmarks: words: readme -->                a text of ``benchmarks.words``
    <!-- benchmarks: goals -->                        what ``benchmarks.goals`` wants, and whether it is reached
    <!-- benchmarks: tools -->                        the tools for agents, as they are declared
    <!-- benchmarks: options: check -->               the options of a command, as they are declared
    <!-- end -->

What was not measured stays as it is, and is named.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

from benchmarks.goals import aims
from benchmarks.options import ROOT
from benchmarks.plots import charts, svg
from benchmarks.results import Found, kept
from benchmarks.table import cell
from benchmarks.words import WORDS, machines

__all__ = ["PAGES", "PLOTS", "main", "markdown", "rewritten", "written"]

PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
PLOTS = ROOT / "docs" / "images"

_MARKED = re.compile(r"^(<!-- benchmarks: ([^\n]+?) -->\n).*?^(<!-- end -->)$", re.DOTALL | re.MULTILINE)


def main() -> int:
    """Write what differs from what was measured, and name each file that is written."""
    tables = kept()
    missing: list[str] = []
    for path, text in written(tables, missing).items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.relative_to(ROOT)}")
    for name in missing:
        print(f"not measured: {name}", file=sys.stderr)
    return 0


def written(tables: Found, missing: list[str]) -> dict[Path, str]:
    """Return the text of every page and plot; ``missing`` gets the marks for which nothing was measured."""
    pages = {page: rewritten(page.read_text(encoding="utf-8"), tables, missing) for page in PAGES}
    return pages | {PLOTS / f"{name}.svg": svg(chart) for name, chart in charts(tables).items()}


def rewritten(page: str, tables: Found, missing: list[str]) -> str:
    """Return a page with its marked parts as measured; ``missing`` gets the marks of those that are not there."""

    def fill(found: re.Match[str]) -> str:
        try:
            lines = list(_filled(found[2], tables))
        except KeyError:
            missing.append(found[2])
            return found[0]
        return "\n".join((found[1].rstrip(), *lines, found[3]))

    return _MARKED.sub(fill, page)


def _filled(mark: str, tables: Found) -> Iterator[str]:
    """Yield the lines of a mark. Raises KeyError where something was not measured."""
    if mark == "tools":
        return _tools()
    if mark == "goals":
        return aims(tables)
    way, _, rest = mark.partition(": ")
    if way in _WAYS and mark not in tables:
        return _WAYS[way](rest, tables)
    title, columns = _asked(mark, tables)
    if not set(columns) <= set(tables[title]["columns"]):
        raise KeyError(mark)  # perhaps the title of a table that was not measured
    return markdown(tables[title], columns)


def _tools() -> Iterator[str]:
    from validator.mcp.tools import TOOLS

    yield from ("| tool | arguments (optional ones in brackets) | what it does |", "|---|---|---|")
    for name, tool in TOOLS.items():
        taken = ", ".join(each if tool.is_needed(each, one) else f"[{each}]" for each, one in tool.fields)
        yield f"| `{name}` | {taken} | {tool.about} |"


def _notes(title: str, tables: Found) -> Iterator[str]:
    yield from (f"- {note}" for note in tables[title]["notes"])


def _machine(titles: str, tables: Found) -> Iterator[str]:
    yield from _wrapped(machines([tables[title.strip()]["machine"] for title in titles.split(",")]))


def _words(name: str, tables: Found) -> Iterator[str]:
    if name not in WORDS:
        raise ValueError(f"there are no words '{name}', only {', '.join(WORDS)}")
    yield from _wrapped(WORDS[name](tables))


def _wrapped(text: str) -> list[str]:
    return wrap(text, 120, break_long_words=False, break_on_hyphens=False)


def _options(command: str, tables: Found) -> Iterator[str]:
    from validator.questions.arguments import shown_options
    from validator.questions.check import LocalCheck
    from validator.questions.model_repair import ModelRepair
    from validator.questions.recognition import Recognition

    kinds = {"check": LocalCheck, "recognize": Recognition, "repair-model": ModelRepair}
    yield from ("| option | |", "|---|---|")
    for flag, words in shown_options(kinds[command]):
        yield f"| `{flag}` | {words} |"


_WAYS: Mapping[str, Callable[[str, Found], Iterator[str]]] = {
    "notes": _notes,
    "machine": _machine,
    "words": _words,
    "options": _options,
}


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
        shown = (cell(row[name], absent="") for name in chosen)
        yield f"| {' | '.join(shown)} |"


if __name__ == "__main__":
    sys.exit(main())

"""Results, one per line: written by whatever grades, read as a stream, counted by tag in one pass, shown as tables."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from math import sqrt
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from validator.errors import InputError
from validator.records import dataclass
from validator.render.json import SCHEMA, versioned
from validator.texts import columns, parse_json

# --- writing --------------------------------------------------------------------------------------


def result_line(
    name: str, line: int, task: str, verdict: str, tags: Mapping[str, str], report: Mapping[str, object]
) -> str:
    """Return what is known of an answer to a task; ``report`` has its determination, ``tags`` the data set."""
    record = {
        "id": name,
        "line": line,
        "schema": SCHEMA,
        "verdict": verdict,
        "task": task,
        "domain": tags["dataset"],
        "tags": tags,
        "report": report,
    }
    return json.dumps(record)


# --- reading --------------------------------------------------------------------------------------


NONE = "(none)"
"""the value of a tag that a result has not"""

_OF_ALL = ("domain", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One result.

    ``has`` is whether the plan has the quality, None where there is no answer; ``is_error`` tells a record that could
    not be checked, ``agrees`` whether it came out as was expected, where something was.
    """

    verdict: str
    has: bool | None
    is_error: bool
    agrees: bool | None
    tags: Mapping[str, Any]
    domain: str

    def value(self, tag: str) -> str:
        """Return a tag as text; ``domain`` and ``verdict`` are tags of every result that has none of that name."""
        if tag in self.tags:
            found = self.tags[tag]
            return found if isinstance(found, str) else json.dumps(found)
        return str(getattr(self, tag) or NONE) if tag in _OF_ALL else NONE

    @property
    def names(self) -> set[str]:
        """Return the tags that the result has a value of."""
        return {*self.tags, *_OF_ALL}


def read_rows(paths: Iterable[Path]) -> Iterator[Row]:
    """Yield the results of files. Raises InputError with the place of a line that is no result, OSError."""
    for path in paths:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _row(line, path, number)


def _row(line: bytes, path: Path, number: int) -> Row:
    try:
        value = parse_json(line.decode("utf-8"))
        report = value.get("report") or {}
        return Row(
            verdict=value["verdict"],
            has=report.get("determination"),
            is_error="error" in value,
            agrees=value.get("agrees"),
            tags=value["tags"],
            domain=str(value.get("domain", "")),
        )
    except (InputError, ValueError, TypeError, KeyError, AttributeError) as error:
        is_cut = line.startswith(b'{"id": ') and not line.endswith(b"\n")
        cut = ", it is cut off: the batch that wrote it can be continued" if is_cut else ""
        raise InputError(f"line {number} is not a batch result{_why(error)}{cut}", source=str(path)) from None


def _why(error: Exception) -> str:
    if isinstance(error, InputError):
        return f" ({error.message})"
    return f" (it has no {error})" if isinstance(error, KeyError) else ""


# --- counting -------------------------------------------------------------------------------------


Cell: TypeAlias = str | int | float
_R = TypeVar("_R")

_Z = 1.959964  # of the 95 % interval

SHARES = ("share", "95% from", "to")
"""columns of ``share_of``"""

_OTHERS = ("failures", "not understood", "no plan", "no answer", "errors")
"""what a record without the quality counts as; ``no plan`` are texts without one, neither right nor wrong"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """``columns`` names the cells of ``rows``; the first ``keys`` of them are the group."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int


def tallied(
    rows: Iterable[_R], by: Sequence[str], tag: Callable[[_R, str], str], labels: Callable[[_R], Iterable[str]]
) -> list[tuple[tuple[Cell, ...], Counter[str]]]:
    """Count the labels of rows by their tags, with the sum of all where there are several groups."""
    groups: dict[tuple[str, ...], Counter[str]] = {}
    for row in rows:
        groups.setdefault(tuple(tag(row, name) for name in by), Counter()).update(labels(row))
    found: list[tuple[tuple[Cell, ...], Counter[str]]] = [*sorted(groups.items())]
    if by and len(found) > 1:
        found.append((("total", *[""] * (len(by) - 1)), sum(groups.values(), Counter[str]())))
    return found


def summarize(rows: Iterable[Row], by: Sequence[str]) -> Table:
    """Count results by tags. Without tags, all are one group."""
    groups = tallied(rows, by, Row.value, _labels)
    total = groups[-1][1] if groups else Counter[str]()
    others = [name for name in _OTHERS if name != "no plan" or total[name]]
    others += ["expected", "as expected"] if total["expected"] else []
    found = [
        (*group, has[0], has[1], *share_of(has[1], has[0]), *(counts[name] for name in others))
        for group, counts in groups
        for has in [(counts["records"], counts["successes"])]
    ]
    columns = (*by, "records", "successes", *SHARES, *others)
    return Table(title="Success", columns=columns, rows=tuple(found), keys=len(by))


def _labels(row: Row) -> Iterator[str]:
    yield "records"
    if row.has is not None:
        yield "successes" if row.has else "failures"
    elif row.is_error:
        yield "errors"
    else:
        yield {"not_understood": "not understood", "no_plan": "no plan"}.get(row.verdict, "no answer")
    if row.agrees is not None:
        yield "expected"
        yield from ["as expected"] * row.agrees


def share_of(successes: int, trials: int) -> tuple[float, float, float]:
    """Return a share of some trials and its 95 % interval."""
    return successes / trials, *wilson(successes, trials)


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    share, square = successes / trials, _Z * _Z
    middle = share + square / (2 * trials)
    spread = _Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    whole = 1 + square / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """What was predicted and is right, what is wrong, and what was missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(
            right=self.right + other.right, wrong=self.wrong + other.wrong, missed=self.missed + other.missed
        )

    @property
    def precision(self) -> float:
        return _share(self.right, self.right + self.wrong)

    @property
    def recall(self) -> float:
        return _share(self.right, self.right + self.missed)

    @property
    def f1(self) -> float:
        return _share(2 * self.right, 2 * self.right + self.wrong + self.missed)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


# --- text, CSV, a page ----------------------------------------------------------------------------


def tables_text(tables: Iterable[Table]) -> str:
    """Return tables for people, each under its title."""
    return "\n".join(_text(table) for table in tables)


def shown(column: str, cell: Cell) -> str:
    """Return a cell for people."""
    if isinstance(cell, str):
        return "".join(character if character.isprintable() else " " for character in cell)
    if column in SHARES:
        return f"{cell:.1%}"
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.3g}" if abs(cell) < 1000 else f"{cell:,.0f}"


def _text(table: Table) -> str:
    cells = [list(table.columns)]
    cells += [[shown(column, cell) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]
    lines = (f"  {line}" for line in columns(cells, "l" * table.keys + "r"))
    return "".join(f"{line}\n" for line in (table.title, *lines))


def rows_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV under the names of their columns; what is None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()


def records_as(form: str, records: Sequence[Any], kind: type[Any]) -> str:
    """Return dataclasses of a kind as CSV, a row for each, or as a JSON list."""
    if form == "csv":
        return rows_csv([each.name for each in fields(kind)], (asdict(each).values() for each in records))
    return json.dumps([versioned(asdict(each)) for each in records], indent=1) + "\n"

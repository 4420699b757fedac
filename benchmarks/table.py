"""What a suite found: rows, goals with what was measured, remarks; printed as text or written as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import floor, log10
from pathlib import Path
from typing import TypeAlias

__all__ = ["Cell", "Goal", "Table", "absent", "as_data", "as_text", "cell", "number", "ratio", "skipped"]

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A figure and the most (``at_least``: the least) that it may be."""

    what: str
    measured: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit

    def __str__(self) -> str:
        bound = "at least" if self.at_least else "at most"
        met = "met" if self.is_met else "MISSED"
        return f"{self.what}: {number(self.measured)} {self.unit} ({bound} {number(self.limit)}): {met}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The result of a suite; ``wrong`` are wrong answers, of which there must be none."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    goals: tuple[Goal, ...] = ()
    notes: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def skipped(title: str, *why: str) -> Table:
    """Return the table of a suite that could not run: it has no rows, and says why."""
    return Table(title=title, about="skipped", columns=(), rows=(), notes=why)


def absent(title: str, *files: Path) -> list[Table]:
    """Return the table of a suite whose public data are not there, which names the first that is missing; else none."""
    missing = [file for file in files if not file.exists()]
    return [skipped(title, f"{missing[0]} does not exist (see --data)")] if missing else []


def as_text(table: Table) -> str:
    """Return a table for people."""
    if not table.columns:
        return "\n".join((f"{table.title}: {table.about}", *(f"  {note}" for note in table.notes))) + "\n"
    cells = [list(table.columns), *(list(map(cell, row)) for row in table.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    numeric = [not any(isinstance(row[index], str) for row in table.rows) for index in range(len(table.columns))]
    lines = [f"{table.title}: {table.about}"]
    lines += [f"  {_line(row, widths, numeric)}".rstrip() for row in cells]
    lines += [f"  goal: {goal}" for goal in table.goals]
    lines += [f"  {note}" for note in table.notes]
    lines += [f"  WRONG: {answer}" for answer in table.wrong]
    return "\n".join(lines) + "\n"


def as_data(table: Table) -> dict[str, object]:
    """Return a table as values that JSON can hold; a row is an object by column."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    goals = [asdict(goal) | {"met": goal.is_met} for goal in table.goals]
    return asdict(table) | {"rows": rows, "goals": goals}


def ratio(one: float, other: float) -> float | None:
    """Return how many times ``other`` goes into ``one``; None for what is too short to be measured."""
    return round(one / other, 4) if other > 0 else None


def number(value: float) -> str:
    """Return a number with three digits that count."""
    if value == 0 or abs(value) >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.{max(0, min(9, 2 - floor(log10(abs(value)))))}f}"


def cell(value: Cell, absent: str = "-") -> str:
    """Return a value of a table for people."""
    if value is None:
        return absent
    if isinstance(value, str):
        return value
    return number(value) if isinstance(value, float) else f"{value:,}"


def _line(row: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    columns = zip(row, widths, numeric, strict=True)
    return "  ".join(text.rjust(width) if right else text.ljust(width) for text, width, right in columns)

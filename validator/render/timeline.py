"""The course of a plan as text: a table of the time, what takes place, and what changes."""

from __future__ import annotations

from fractions import Fraction

from validator.execution.timeline import Row, Timeline
from validator.texts import decimal, rounded

__all__ = ["cells", "short", "trace_text"]


def trace_text(timeline: Timeline) -> str:
    """Return what happens as a table: the time, what takes place, what becomes true (+) and false (-), values."""
    rows = [cells(row) for row in timeline.rows]
    head = ("time" if timeline.has_time else "step", "happening", "change")
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(2)]
    lines = [f"{row[0]:>{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]}".rstrip() for row in (head, *rows)]
    return "\n".join(lines) + "\n"


def cells(row: Row) -> tuple[str, str, str]:
    """Return one row of the table: the time, what takes place, what changes."""
    changes = [*(f"+{atom}" for atom in row.added), *(f"-{atom}" for atom in row.deleted)]
    changes += [f"{fluent} = {short(value)}" for fluent, value in row.values]
    return short(row.time), "; ".join(row.acts) or "(time passes)", "  ".join(changes)


def short(value: Fraction) -> str:
    """Return a value for people: exact where it is short, else rounded to six digits."""
    exact = decimal(value)
    return exact if len(exact) <= 12 and "/" not in exact else rounded(value, ".6g")

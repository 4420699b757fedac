"""Tables and comparisons as text and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from validator.grading.summary.compare import Comparison
from validator.grading.summary.tables import Cell, Table
from validator.texts import columns

__all__ = ["comparison_table", "comparison_text", "paired_table", "shown", "tables_csv", "tables_text"]

_PERCENT = frozenset(("share", "95% from", "to"))


def tables_text(tables: Iterable[Table]) -> str:
    """Return tables for people, each under its title."""
    return "\n".join(_text(table) for table in tables)


def tables_csv(tables: Iterable[Table]) -> str:
    """Return tables as CSV in long form: table, group, column, value; shares are fractions."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("table", "group", "column", "value"))
    for table in tables:
        for row in table.rows:
            group = " / ".join(str(cell) for cell in row[: table.keys] if cell != "")
            for column, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True):
                writer.writerow((table.title, group, column, "" if cell is None else cell))
    return out.getvalue()


def comparison_table(found: Comparison) -> Table:
    """Return a comparison as a table of one row."""
    return Table(
        title=f"Comparison by {found.tag}",
        columns=(
            "first",
            "second",
            "tasks",
            "unpaired",
            "first share",
            "second share",
            "difference",
            "95% from",
            "to",
            "both",
            "only first",
            "only second",
            "neither",
            "p (McNemar)",
            "first not understood",
            "second not understood",
        ),
        rows=(
            (
                found.first,
                found.second,
                found.tasks,
                found.unpaired,
                found.success_first,
                found.success_second,
                found.difference,
                found.low,
                found.high,
                found.both,
                found.only_first,
                found.only_second,
                found.neither,
                found.p_value,
                found.not_understood_first,
                found.not_understood_second,
            ),
        ),
        keys=2,
    )


def paired_table(found: Comparison) -> Table:
    """Return a comparison as a table for people: a line for each of the two, for what they share, and for the test."""
    unpaired = f" ({found.unpaired:,} more with results of one only)" if found.unpaired else ""
    difference, low, high = (f"{100 * share:+.1f}" for share in (found.difference, found.low, found.high))
    missed = found.not_understood_first, found.not_understood_second
    rows: list[tuple[Cell, ...]] = [
        ("tasks of both", f"{found.tasks:,}{unpaired}"),
        (f"success of {found.first}", f"{found.success_first:.1%}"),
        (f"success of {found.second}", f"{found.success_second:.1%}"),
        ("difference, 95% bootstrap", f"{difference} points ({low} to {high})"),
        ("both succeed", found.both),
        (f"only {found.first}", found.only_first),
        (f"only {found.second}", found.only_second),
        ("neither", found.neither),
        ("McNemar's exact p", f"{found.p_value:.3g}"),
    ]
    if any(missed):
        rows.append(("not understood, and no success", f"{missed[0]:,} and {missed[1]:,}"))
    return Table(title=f"{found.first} and {found.second}", columns=("on the same tasks", ""), rows=tuple(rows), keys=1)


def comparison_text(found: Comparison) -> str:
    """Return a comparison in sentences."""
    unpaired = f" ({found.unpaired:,} more with results of one only)" if found.unpaired else ""
    tasks = "task" if found.tasks == 1 else "tasks"
    missed = found.not_understood_first, found.not_understood_second
    not_understood = f"  not understood, and no success: {missed[0]:,} and {missed[1]:,}\n" if any(missed) else ""
    return (
        f"{found.first} and {found.second} on {found.tasks:,} {tasks}{unpaired}\n"
        f"  success: {found.success_first:.1%} and {found.success_second:.1%}, difference "
        f"{100 * found.difference:+.1f} points (95% bootstrap {100 * found.low:+.1f} to {100 * found.high:+.1f})\n"
        f"  both {found.both:,}, only {found.first} {found.only_first:,}, only {found.second} {found.only_second:,}, "
        f"neither {found.neither:,}; McNemar's exact p = {found.p_value:.3g}\n"
        f"{not_understood}"
    )


def shown(column: str, cell: Cell) -> str:
    """Return a cell for people."""
    if cell is None:
        return "-"
    if isinstance(cell, str):
        return "".join(character if character.isprintable() else " " for character in cell)
    if column in _PERCENT:
        return f"{cell:.1%}"
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.3g}" if abs(cell) < 1000 else f"{cell:,.0f}"


def _text(table: Table) -> str:
    cells = [list(table.columns)]
    cells += [[shown(column, cell) for column, cell in zip(table.columns, row, strict=True)] for row in table.rows]
    lines = (f"  {line}" for line in columns(cells, "l" * table.keys + "r"))
    return "".join(f"{line}\n" for line in (table.title, *lines))

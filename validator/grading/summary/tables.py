"""Results counted by tag in one pass, one tally a group, and these tables and comparisons as text and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from math import sqrt
from typing import Any, TypeAlias

from validator.grading.summary.compare import Comparison
from validator.grading.summary.rows import Row
from validator.records import dataclass, field
from validator.texts import columns

# --- counting -------------------------------------------------------------------------------------


Cell: TypeAlias = str | int | float | None
Group: TypeAlias = tuple[str, ...]

BINS = ("1", "2", "3", "4", "5", "6-10", "11-20", "21-50", "51+", "goal")
"""where the first fault of a plan is; ``goal`` are plans whose steps all execute"""
_EDGES = ((10, "6-10"), (20, "11-20"), (50, "21-50"))
_Z = 1.959964  # of the 95 % interval


@dataclass(slots=True)
class Tally:
    """The counts of one group; ``ratios`` are costs by the cheapest cost, to three digits behind the point.

    Each record counts as one of ``OUTCOMES``.
    """

    records: int = 0
    has: int = 0
    has_not: int = 0
    not_understood: int = 0
    no_plan: int = 0
    unknown: int = 0
    errors: int = 0
    expected: int = 0
    agrees: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)
    ratios: Counter[float] = field(default_factory=Counter)
    compared: int = 0
    optimal: int = 0
    gap: float = 0.0
    edits: Counter[float] = field(default_factory=Counter)
    edits_unknown: int = 0
    edits_proven: int = 0
    cpu: float = 0.0
    planner_cpu: float = 0.0

    def add(self, row: Row) -> None:
        self.records += 1
        outcome = _outcome(row)
        setattr(self, outcome, getattr(self, outcome) + 1)
        self.expected += row.agrees is not None
        self.agrees += row.agrees is True
        self.verdicts[f"{row.verdict} {row.claim}".rstrip()] += 1
        if row.has is False and (row.step is not None or row.verdict == "goal"):
            self.steps[step_bin(row.step)] += 1
        if row.cost is not None and row.optimum is not None:
            self.compared += 1
            self.gap += row.cost - row.optimum
            self.optimal += row.cost == row.optimum
            if row.optimum > 0 or row.cost == row.optimum:
                self.ratios[round(row.cost / row.optimum, 3) if row.optimum > 0 else 1.0] += 1
        if row.edits is not None:
            least, most = row.edits
            self.edits_unknown += most is None
            self.edits_proven += least == most
            if most is not None:
                self.edits[most] += 1
        self.cpu += row.cpu
        self.planner_cpu += row.planner_cpu


OUTCOMES = {
    "has": "has it",
    "has_not": "has it not",
    "not_understood": "not understood",
    "no_plan": "no plan",
    "unknown": "no answer",
    "errors": "errors",
}
"""Field of a tally -> how it is called. ``no_plan`` are texts without one that are neither right nor wrong so."""


def _outcome(row: Row) -> str:
    if row.has is not None:
        return "has" if row.has else "has_not"
    if row.is_error:
        return "errors"
    return row.verdict if row.verdict in ("not_understood", "no_plan") else "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """``columns`` names the cells of ``rows``; the first ``keys`` of them are the group."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Tallies by group and by group and domain, all in order of name; ``by`` are the tags of a group."""

    by: tuple[str, ...]
    groups: dict[Group, Tally]
    domains: dict[tuple[Group, str], Tally]
    total: Tally

    def tables(self) -> list[Table]:
        """Return the tables that have something to say."""
        made = [_success(self), _counts(self, "verdicts", "verdict"), _counts(self, "steps", "first fault at step")]
        return [table for table in [*made, _edits(self), _costs(self), _time(self)] if table.rows]


def step_bin(step: int | None) -> str:
    """Return the name of the bin of a step, from 1; None is the goal."""
    if step is None:
        return "goal"
    return str(step) if step <= 5 else next((name for edge, name in _EDGES if step <= edge), BINS[-2])


def summarize(rows: Iterable[Row], by: Sequence[str]) -> Summary:
    """Count results by tags. Without any, all results are one group."""
    groups: dict[Group, Tally] = {}
    domains: dict[tuple[Group, str], Tally] = {}
    total = Tally()
    for row in rows:
        group = tuple(row.value(tag) for tag in by)
        total.add(row)
        groups.setdefault(group, Tally()).add(row)
        domains.setdefault((group, row.value("domain")), Tally()).add(row)
    return Summary(
        by=tuple(by), groups=dict(sorted(groups.items())), domains=dict(sorted(domains.items())), total=total
    )


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927)."""
    if not trials:
        return 0.0, 1.0
    share, square = successes / trials, _Z * _Z
    middle = share + square / (2 * trials)
    spread = _Z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    whole = 1 + square / trials
    return max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole)


# --- tables --------------------------------------------------------------------------------------


def _success(summary: Summary) -> Table:
    with_expected = summary.total.expected > 0
    others = [
        name for name in OUTCOMES if name not in ("has", "no_plan") or (name == "no_plan" and summary.total.no_plan)
    ]
    columns = ("records", "has it", "share", "95% from", "to", *(OUTCOMES[name] for name in others))
    rows: list[tuple[Cell, ...]] = []
    for group, tally in _with_total(summary):
        low, high = wilson(tally.has, tally.records)
        share = tally.has / tally.records if tally.records else None
        counts = (getattr(tally, name) for name in others)
        cells: tuple[Cell, ...] = (tally.records, tally.has, share, low, high, *counts)
        rows.append((*group, *cells, *((tally.expected, tally.agrees) if with_expected else ())))
    more = ("expected", "as expected") if with_expected else ()
    return Table(
        title="Success",
        columns=(*summary.by, *columns, *more),
        rows=tuple(rows) if summary.total.records else (),
        keys=len(summary.by),
    )


def _counts(summary: Summary, name: str, title: str) -> Table:
    total: Counter[str] = getattr(summary.total, name)
    rows: list[tuple[Cell, ...]]
    kinds = [key for key in BINS if key in total] if name == "steps" else [key for key, _ in total.most_common()]
    rows = [(*group, *(getattr(tally, name)[kind] for kind in kinds)) for group, tally in _with_total(summary)]
    columns = (*summary.by, *kinds)
    return Table(title=title.capitalize(), columns=columns, rows=tuple(rows) if kinds else (), keys=len(summary.by))


EDIT_BINS = ("0", "1", "2", "3", "4", "5+")


def edit_bins(tally: Tally) -> dict[str, int]:
    """Return how many plans are how many edits from success."""
    counts = dict.fromkeys(EDIT_BINS, 0)
    for number, plans in tally.edits.items():
        counts[str(int(number)) if number < 5 else "5+"] += plans
    return counts


def _edits(summary: Summary) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            *group,
            tally.edits.total() + tally.edits_unknown,
            *edit_bins(tally).values(),
            tally.edits_unknown,
            quantile(tally.edits, 0.5),
            tally.edits_proven,
        )
        for group, tally in _with_total(summary)
        if tally.edits or tally.edits_unknown
    ]
    columns = (*summary.by, "plans", *EDIT_BINS, "none found", "median", "proven")
    return Table(title="Edits to success", columns=columns, rows=tuple(rows), keys=len(summary.by))


def _costs(summary: Summary) -> Table:
    columns = ("compared", "optimal", "share", "mean gap", "median ratio", "worst ratio")
    rows = [
        (
            *group,
            tally.compared,
            tally.optimal,
            tally.optimal / tally.compared,
            tally.gap / tally.compared,
            quantile(tally.ratios, 0.5),
            max(tally.ratios, default=None),
        )
        for group, tally in _with_total(summary)
        if tally.compared
    ]
    return Table(
        title="Cost by the cheapest cost", columns=(*summary.by, *columns), rows=tuple(rows), keys=len(summary.by)
    )


def _time(summary: Summary) -> Table:
    columns = ("records", "cpu s", "planner cpu s", "ms a record")
    rows: list[tuple[Cell, ...]] = [
        (*group, tally.records, tally.cpu, tally.planner_cpu, 1000 * (tally.cpu + tally.planner_cpu) / tally.records)
        for group, tally in _with_total(summary)
        if tally.cpu or tally.planner_cpu
    ]
    return Table(title="Time", columns=(*summary.by, *columns), rows=tuple(rows), keys=len(summary.by))


def _with_total(summary: Summary) -> list[tuple[Group, Tally]]:
    groups = list(summary.groups.items())
    if not summary.by:
        return groups
    return [*groups, (("total", *("" for _ in summary.by[1:])), summary.total)] if len(groups) > 1 else groups


def quantile(values: Counter[float], share: float) -> float | None:
    """Return the least value that a share of all values does not pass; None without any."""
    wanted, seen = share * values.total(), 0
    for value in sorted(values):
        seen += values[value]
        if seen >= wanted:
            return value
    return None


# --- text and CSV ---------------------------------------------------------------------------------


_PERCENT = frozenset(("share", "95% from", "to"))


def tables_text(tables: Iterable[Table]) -> str:
    """Return tables for people, each under its title."""
    return "\n".join(_text(table) for table in tables)


def tables_csv(tables: Iterable[Table]) -> str:
    """Return tables as CSV in long form: table, group, column, value; shares are fractions."""
    rows = (
        (table.title, " / ".join(str(cell) for cell in row[: table.keys] if cell != ""), column, cell)
        for table in tables
        for row in table.rows
        for column, cell in zip(table.columns[table.keys :], row[table.keys :], strict=True)
    )
    return rows_csv(("table", "group", "column", "value"), rows)


_COMPARED = {
    "first": "first",
    "second": "second",
    "tasks": "tasks",
    "unpaired": "unpaired",
    "success_first": "first share",
    "success_second": "second share",
    "difference": "difference",
    "low": "95% from",
    "high": "to",
    "both": "both",
    "only_first": "only first",
    "only_second": "only second",
    "neither": "neither",
    "p_value": "p (McNemar)",
    "not_understood_first": "first not understood",
    "not_understood_second": "second not understood",
}
"""Field of a comparison -> the column that has it."""


def comparison_table(found: Comparison) -> Table:
    """Return a comparison as a table of one row."""
    row = tuple(getattr(found, name) for name in _COMPARED)
    return Table(title=f"Comparison by {found.tag}", columns=tuple(_COMPARED.values()), rows=(row,), keys=2)


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


def rows_csv(columns: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return rows as CSV under the names of their columns; what is None is empty."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if cell is None else cell for cell in row] for row in rows)
    return out.getvalue()


def records_csv(records: Sequence[Any], kind: type[Any]) -> str:
    """Return dataclasses of a kind as CSV, a row for each."""
    return rows_csv([each.name for each in fields(kind)], (asdict(each).values() for each in records))


def records_json(records: Sequence[Any]) -> str:
    """Return dataclasses as a JSON list."""
    return json.dumps([asdict(each) for each in records], indent=1) + "\n"

"""The plots that the pages show, drawn from what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.chart import Chart
from benchmarks.results import Found

__all__ = ["charts"]


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


def _large(tables: Found) -> Chart | None:
    rows = _rows(tables, "large")
    lines: dict[str, list[tuple[float, float]]] = {}
    for row in rows:
        lines.setdefault(f"{row['model']}: CPU s", []).append((row["operators"], row["cpu s"]))
        lines.setdefault(f"{row['model']}: MiB", []).append((row["operators"], row["MiB"]))
        if row["grounding cpu s"] is not None and row["model"] == "blocks":
            lines.setdefault("whole: CPU s", []).append((row["operators"], row["grounding cpu s"]))
            lines.setdefault("whole: MiB", []).append((row["operators"], row["grounding MiB"]))
    title = "A repair of a large model"
    return Chart(title=title, x="operators of the model", y="CPU seconds, MiB", lines=lines) if rows else None


_CHARTS: Mapping[str, Callable[[Found], Chart | None]] = {
    "length": _length,
    "phases": _phases,
    "operators": _operators,
    "workers": _workers,
    "large": _large,
}


def _rows(tables: Found, title: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = tables.get(title, {}).get("rows", ())
    return found

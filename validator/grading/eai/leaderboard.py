"""All models in one table, in the layout of the benchmark's paper: text, CSV, LaTeX, a page with plots, JSON.

A rate never stands alone: beside it are how many tasks it is of, how many have no answer, how many were left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any

from validator.grading.summary import Table
from validator.grading.summary.html import STYLE, Bar, bars, table_html
from validator.grading.summary.tables import Cell, rows_csv, tables_text, wilson
from validator.render.html.page import page

_COUNTS = ("all", "evaluated", "missing", "excluded")
_SUCCESS = ("task success rate", "all f1", "overall f1")


def leaderboard(title: str, summaries: Mapping[str, Mapping[str, Any]]) -> Table:
    """Return a row for each model: how many tasks, then every rate of its summary, in the order there."""
    flat = {model: dict(_flat(summary)) for model, summary in summaries.items()}
    rates = list(dict.fromkeys(name for found in flat.values() for name in found))
    rows: list[tuple[Cell, ...]] = [
        (model, *(summary.get("tasks", {}).get(name) for name in _COUNTS), *(flat[model].get(name) for name in rates))
        for model, summary in summaries.items()
    ]
    columns = ("model", "tasks", *_COUNTS[1:], *rates)
    return Table(title=title, columns=columns, rows=tuple(rows), keys=1)


def _flat(summary: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Cell]]:
    """Yield the figures of a summary under the last of their names, with the one above where that is not telling."""
    for name, value in summary.items():
        if name in ("tasks", "distribution"):
            continue
        label = name.replace("_", " ")
        if isinstance(value, Mapping):
            yield from _flat(value, label)
        elif value is None or isinstance(value, int | float):
            yield (f"{above} {label}" if name in _VAGUE else label), _rounded(value)


_VAGUE = frozenset(
    (
        "precision",
        "recall",
        "f1",
        "true_positive",
        "false_positive",
        "false_negative",
        "answers",
        "proven",
        "ambiguous",
        "none_found",
    )
)


def _rounded(value: float | None) -> Cell:
    return round(value, 2) if isinstance(value, float) and value > 1 else value


def _latex(table: Table, summaries: Mapping[str, Any]) -> str:
    def line(cells: tuple[Cell, ...]) -> str:
        texts = ("--" if cell is None else str(cell) for cell in cells)
        return " & ".join(text.replace("_", "\\_").replace("%", "\\%") for text in texts) + " \\\\\n"

    head = line(table.columns)
    body = "".join(map(line, table.rows))
    rules = f"\\toprule\n{head}\\midrule\n{body}\\bottomrule\n"
    return f"% {table.title}\n\\begin{{tabular}}{{l{'r' * (len(table.columns) - 1)}}}\n{rules}\\end{{tabular}}\n"


def _html(table: Table, summaries: Mapping[str, Any]) -> str:
    plotted = next((name for name in _SUCCESS if name in table.columns), None)
    plot = "" if plotted is None else f"<h2>{escape(plotted)}</h2>{_bars(table, plotted)}\n"
    return page(escape(table.title), STYLE, f"<h1>{escape(table.title)}</h1>\n{plot}{table_html(table)}\n")


def _bars(table: Table, name: str) -> str:
    """Return a rate as bars, for wide screens and narrow ones; whiskers are Wilson's interval of a share of tasks."""
    place, evaluated = table.columns.index(name), table.columns.index("evaluated")
    most = max((value for row in table.rows if isinstance(value := row[place], int | float)), default=0)
    found = []
    for row in table.rows:
        value, tasks = row[place], row[evaluated]
        if isinstance(value, int | float):
            share = value / 100 if most > 1 else float(value)
            low, high, note = share, share, f"{share:.1%}"
            if isinstance(tasks, int) and not name.endswith("f1"):
                low, high = wilson(round(share * tasks), tasks)
                note = f"{note} of {tasks}"
            found.append(Bar(label=str(row[0]), share=share, low=low, high=high, note=note))
    return bars(found)


RENDER: Mapping[str, Callable[[Table, Mapping[str, Any]], str]] = {
    "json": lambda table, summaries: json.dumps(summaries, indent=2) + "\n",
    "text": lambda table, summaries: tables_text([table]),
    "csv": lambda table, summaries: rows_csv(table.columns, table.rows),
    "latex": _latex,
    "html": _html,
}
"""Format -> what writes a table and the summaries that it was made of."""

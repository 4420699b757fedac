"""The plots that the pages show, drawn from what was measured: line charts with logarithmic axes, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10
from typing import Any

from benchmarks.results import Found

__all__ = ["Chart", "charts", "svg"]


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
    "large": _large,
}


def _rows(tables: Found, title: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = tables.get(title, {}).get("rows", ())
    return found


_WIDTH, _HEIGHT = 640, 380
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 190, 40, 50
_COLORS = ("#1f6fb4", "#c8511b", "#2d8a4e", "#8a4fb0", "#8a6d1f", "#5f6b76")


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Lines by name, each a sequence of points (x, y); what is not above zero is left out."""

    title: str
    x: str
    y: str
    lines: Mapping[str, Sequence[tuple[float, float]]]


def svg(chart: Chart) -> str:
    """Return a chart as SVG text. Raises ValueError when it has no point."""
    shown = {name: [(x, y) for x, y in line if x > 0 and y > 0] for name, line in chart.lines.items()}
    points = [point for line in shown.values() for point in line]
    if not points:
        raise ValueError(f"nothing to draw: {chart.title}")
    across = _Axis.over([x for x, _ in points], _LEFT, _WIDTH - _RIGHT)
    up = _Axis.over([y for _, y in points], _HEIGHT - _BOTTOM, _TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" '
        'font-family="sans-serif" font-size="12">',
        f"<title>{escape(chart.title)}</title>",
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        _text(_LEFT, 22, chart.title, "start", size=15),
        *_grid(across, up),
        _text((_LEFT + _WIDTH - _RIGHT) / 2, _HEIGHT - 12, chart.x, "middle"),
        f'<g transform="rotate(-90 16 {_HEIGHT / 2})">{_text(16, _HEIGHT / 2, chart.y, "middle")}</g>',
        *(part for number, line in enumerate(shown.items()) for part in _line(number, *line, across, up)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axis:
    """A logarithmic axis of whole powers of ten, from one place on the page to another."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, values: Sequence[float], start: float, end: float) -> _Axis:
        low, high = floor(log10(min(values))), ceil(log10(max(values)))
        return cls(low=low, high=max(high, low + 1), start=start, end=end)

    def place(self, value: float) -> float:
        share = (log10(value) - self.low) / (self.high - self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def marks(self) -> Iterator[tuple[float, str]]:
        for power in range(self.low, self.high + 1):
            yield self.place(10.0**power), f"{10**power:,}" if power >= 0 else f"{10.0**power:.{-power}f}"


def _grid(across: _Axis, up: _Axis) -> Iterator[str]:
    for x, label in across.marks():
        yield f'<path d="M{x} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="#dddddd"/>'
        yield _text(x, _HEIGHT - _BOTTOM + 16, label, "middle")
    for y, label in up.marks():
        yield f'<path d="M{_LEFT} {y}H{_WIDTH - _RIGHT}" stroke="#dddddd"/>'
        yield _text(_LEFT - 6, y + 4, label, "end")


def _line(number: int, name: str, line: Sequence[tuple[float, float]], across: _Axis, up: _Axis) -> Iterator[str]:
    color = _COLORS[number % len(_COLORS)]
    places = [(across.place(x), up.place(y)) for x, y in line]
    if places:
        path = " ".join(f"{x},{y}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
    yield from (f'<circle cx="{x}" cy="{y}" r="3" fill="{color}"/>' for x, y in places)
    y = _TOP + 12 + 20 * number
    yield f'<path d="M{_WIDTH - _RIGHT + 12} {y - 4}h18" stroke="{color}" stroke-width="3"/>'
    yield _text(_WIDTH - _RIGHT + 36, y, name, "start")


def _text(x: float, y: float, words: str, anchor: str, size: int = 12) -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-size="{size}" fill="#333333">{escape(words)}</text>'

"""The course of a plan: a table over time as text, a Gantt chart and plots of the fluents as SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from html import escape
from itertools import count
from math import floor, log10

from validator.execution.timeline import Bar, Row, Series, Timeline
from validator.texts import decimal, rounded

__all__ = ["cells", "timeline_svg", "trace_text"]

_LABEL, _PLOT, _RIGHT, _ROW, _TOP, _AXIS, _HEIGHT = 220, 560, 60, 22, 8, 34, 90
_LONGEST = 30
_MOST_PLOTS = 40
_WIDTH = 8
"""of the line at a moment"""
_MOST_MOMENTS = 200
"""rows up to which each has a line of its own"""
# Okabe and Ito, Color Universal Design, 2008.
_COLOURS = ("#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#6B4E9B")
_FAULTY = "#D55E00"


# --- text --------------------------------------------------------------------------------------


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
    changes += [f"{fluent} = {_short(value)}" for fluent, value in row.values]
    return _short(row.time), "; ".join(row.acts) or "(time passes)", "  ".join(changes)


def _short(value: Fraction) -> str:
    """Return a value for people: exact where it is short, else rounded to six digits."""
    exact = decimal(value)
    return exact if len(exact) <= 12 and "/" not in exact else rounded(value, ".6g")


# --- pictures ----------------------------------------------------------------------------------


def timeline_svg(timeline: Timeline) -> str:
    """Return the Gantt chart of the steps and below it one plot for each fluent that changes, as one SVG element.

    At most forty fluents are drawn. Every shape has a title for a tool tip, so that nothing is said by colour alone.
    A bar is a link to ``#step-N``, and the moment of each row one to ``#when-N``, both from 1, for the page around it.
    """
    gantt, height = _gantt(timeline)
    body = [gantt]
    for number, series in enumerate(timeline.series[:_MOST_PLOTS]):
        body.append(_plot(series, timeline.end, height, _COLOURS[number % len(_COLOURS)]))
        height += _HEIGHT + _AXIS
    left = len(timeline.series) - _MOST_PLOTS
    if left > 0:
        body.append(f'<text x="0" y="{height + 14}">{left} more fluents change; --timeline lists them</text>')
        height += _ROW
    if len(timeline.rows) <= _MOST_MOMENTS:
        body += _moments(timeline, height)
    return _image(height, body)


def _moments(timeline: Timeline, height: float) -> Iterator[str]:
    """Yield a line through all the plots at each time, seen under the pointer alone, that says what happens then.

    Times that are too near to be pointed at one by one share a line.
    """
    near: list[list[tuple[int, Row]]] = []
    for number, row in enumerate(timeline.rows, 1):
        if near and _x(row.time, timeline.end) - _x(near[-1][0][1].time, timeline.end) < _WIDTH:
            near[-1].append((number, row))
        else:
            near.append([(number, row)])
    for rows in near:
        number, first = rows[0]
        left = _x(first.time, timeline.end) - _WIDTH / 2
        said = escape("\n".join(_happens(row) for _, row in rows))
        line = f'<rect class="when" opacity="0" x="{left:.1f}" y="0" width="{_WIDTH}" height="{height:.0f}"/>'
        yield f'<a href="#when-{number}" tabindex="-1"><title>{said}</title>{line}</a>'


def _happens(row: Row) -> str:
    time, happening, change = cells(row)
    return f"at {time}: {happening}{f'; {change}' if change else ''}"


def _image(height: float, body: Sequence[str]) -> str:
    width = _LABEL + _PLOT + _RIGHT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:.0f}" class="timeline"'
        f' font-family="system-ui, sans-serif" font-size="12" fill="currentColor">{"".join(body)}</svg>'
    )


def _x(time: Fraction, end: Fraction) -> float:
    return _LABEL + _PLOT * (float(time / end) if end else 0.0)


def _gantt(timeline: Timeline) -> tuple[str, float]:
    """Return the chart and its height; a step has a row of its own, in order of the plan."""
    bars = sorted(timeline.bars, key=lambda bar: (bar.start, bar.step))
    height = _TOP + _ROW * len(bars)
    body = [*_grid(timeline.end, 0, height), *(_bar(bar, place, timeline.end) for place, bar in enumerate(bars))]
    return f"<g>{''.join(body)}</g>", height + _AXIS


def _bar(bar: Bar, place: int, end: Fraction) -> str:
    top = _TOP + _ROW * place
    left, right = _x(bar.start, end), _x(bar.end, end)
    name = f"{bar.step + 1} {bar.label}"
    when = _short(bar.start) if bar.start == bar.end else f"from {_short(bar.start)} to {_short(bar.end)}"
    title = f"<title>{escape(name)}, {when}{', at fault' if bar.is_faulty else ''}</title>"
    colour = _FAULTY if bar.is_faulty else _COLOURS[0]
    mark = f' stroke="{_FAULTY}" stroke-width="2" stroke-dasharray="4 2"' if bar.is_faulty else ""
    if bar.start == bar.end:
        middle = top + _ROW / 2
        shape = f'<path d="M{left:.1f} {middle - 7}l7 7l-7 7l-7 -7z" fill="{colour}">{title}</path>'
    else:
        shape = (
            f'<rect x="{left:.1f}" y="{top + 3}" width="{max(1.0, right - left):.1f}" height="{_ROW - 6}"'
            f' rx="3" fill="{colour}" fill-opacity="0.75"{mark}>{title}</rect>'
        )
    sign = "! " if bar.is_faulty else ""
    label = f'<text x="0" y="{top + _ROW / 2 + 4}">{sign}{escape(_cut(name))}</text>'
    return f'<a class="bar-of" href="#step-{bar.step + 1}">{label}{shape}</a>'


def _plot(series: Series, end: Fraction, top: float, colour: str) -> str:
    values = [value for _, value, _ in series.points]
    low, high = min(values), max(values)
    spread = high - low or Fraction(1)

    def y(value: Fraction) -> float:
        return top + _TOP + (_HEIGHT - 2 * _TOP) * (1 - float((value - low) / spread))

    path: list[str] = []
    for time, value, is_even in series.points:
        x = _x(time, end)
        path.append(f"M{x:.1f} {y(value):.1f}" if not path else f"L{x:.1f} {y(value):.1f}" if is_even else f"H{x:.1f}")
        if path and not is_even:
            path.append(f"V{y(value):.1f}")
    path.append(f"H{_x(end, end):.1f}")
    body = [
        *_grid(end, top, top + _HEIGHT),
        f'<text x="0" y="{top + _HEIGHT / 2 + 4}">{escape(_cut(series.fluent))}</text>',
        f'<path d="{"".join(path)}" fill="none" stroke="{colour}" stroke-width="2"><title>{escape(series.fluent)}:'
        f" {_short(values[0])} to {_short(values[-1])}</title></path>",
    ]
    body += [
        f'<text x="{_LABEL - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{_short(value)}</text>'
        for value in sorted({low, high})
    ]
    return f"<g>{''.join(body)}</g>"


def _grid(end: Fraction, top: float, bottom: float) -> Iterator[str]:
    """Yield the axis of time with its marks."""
    yield (f'<path d="M{_LABEL} {bottom}H{_LABEL + _PLOT}" stroke="currentColor" stroke-opacity="0.6" fill="none"/>')
    for mark in _marks(end):
        x = _x(mark, end)
        yield f'<path d="M{x:.1f} {top + _TOP}V{bottom + 4}" stroke="currentColor" stroke-opacity="0.15"/>'
        yield f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle" fill-opacity="0.75">{_short(mark)}</text>'


def _marks(end: Fraction) -> Iterator[Fraction]:
    """Yield round times from 0 to the end, about six."""
    if not end:
        yield Fraction(0)
        return
    steps = (Fraction(10) ** power * digit for power in count(floor(log10(end)) - 1) for digit in (1, 2, 5))
    step = next(step for step in steps if end / step <= 8)
    time = Fraction(0)
    while time <= end:
        yield time
        time += step


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"

"""The picture of a report as elements of SVG: the course of a plan over time.

Every shape has a title for a tool tip and for those who do not see it, so that nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count
from math import floor, log10

from validator.execution.trace import Bar, Series, Timeline
from validator.render.html.elements import Element, element
from validator.render.text import short
from validator.texts import shortened

_PLOT, _RIGHT, _ROW, _TOP, _AXIS, _HEIGHT = 440, 24, 22, 8, 34, 90
_GAP = 10
"""between a label and the plot, which begins at 0"""
_LETTER = 7
"""about the width of a letter"""
_LONGEST = 30
_MOST_PLOTS = 40
_COLOURS = ("#0072B2", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#6B4E9B")
"""Okabe and Ito, Color Universal Design, 2008"""
_FAULTY = "#D55E00"


# --- a plan over time ------------------------------------------------------------------------------


def timeline_picture(timeline: Timeline) -> Element:
    """Return the Gantt chart of the steps and below it one plot for each fluent that changes, as one picture.

    At most forty fluents are drawn. A bar is a link to ``#step-N``, from 1, for the page around it.
    """
    bars = sorted(timeline.bars, key=lambda bar: (bar.start, bar.step))
    height = _TOP + _ROW * len(bars)
    shown = timeline.series[:_MOST_PLOTS]
    body = [*_grid(timeline.end, 0, height), *(_bar(bar, place, timeline.end) for place, bar in enumerate(bars))]
    height += _AXIS
    for number, series in enumerate(shown):
        body += _plot(series, timeline.end, height, _COLOURS[number % len(_COLOURS)])
        height += _HEIGHT + _AXIS
    left = len(timeline.series) - _MOST_PLOTS
    if left > 0:
        body.append(element("text", f"{left} more fluents change; --timeline lists them", x=0, y=height + 14))
        height += _ROW
    labels = [*map(_name, bars), *(shortened(series.fluent, _LONGEST) for series in shown)]
    width = 2 * _GAP + _LETTER * max(map(len, labels), default=0)
    box = f"{-width} 0 {width + _PLOT + _RIGHT} {height}"
    return element("svg", body, viewBox=box, kind="timeline", font_size=12, fill="currentColor")


def _x(time: Fraction, end: Fraction) -> float:
    return _PLOT * (float(time / end) if end else 0.0)


def _name(bar: Bar) -> str:
    return f"{'! ' if bar.is_faulty else ''}{shortened(f'{bar.step + 1} {bar.label}', _LONGEST)}"


def _bar(bar: Bar, place: int, end: Fraction) -> Element:
    top, left, right = _TOP + _ROW * place, _x(bar.start, end), _x(bar.end, end)
    name = f"{bar.step + 1} {bar.label}"
    when = short(bar.start) if bar.start == bar.end else f"from {short(bar.start)} to {short(bar.end)}"
    title = element("title", f"{name}, {when}{', at fault' if bar.is_faulty else ''}")
    colour = _FAULTY if bar.is_faulty else _COLOURS[0]
    mark = {"stroke": _FAULTY, "stroke_width": 2, "stroke_dasharray": "4 2"} if bar.is_faulty else {}
    if bar.start == bar.end:
        shape = element("path", title, d=f"M{left:.1f} {top + _ROW / 2 - 7}l7 7l-7 7l-7 -7z", fill=colour)
    else:
        size = {"x": left, "y": top + 3, "width": max(1.0, right - left), "height": _ROW - 6, "rx": 3}
        shape = element("rect", title, **size, fill=colour, fill_opacity=0.75, **mark)
    label = element("text", _name(bar), x=-_GAP, y=top + _ROW / 2 + 4, text_anchor="end")
    return element("a", label, shape, kind="bar", href=f"#step-{bar.step + 1}")


def _plot(series: Series, end: Fraction, top: float, colour: str) -> Iterator[Element]:
    values = [value for _, value, _ in series.points]
    low, high = min(values), max(values)
    spread = high - low or Fraction(1)

    def y(value: Fraction) -> float:
        return top + _TOP + (_HEIGHT - 2 * _TOP) * (1 - float((value - low) / spread))

    path = ""
    for time, value, is_even in series.points:
        x, height = f"{_x(time, end):.1f}", f"{y(value):.1f}"
        path += f"M{x} {height}" if not path else f"L{x} {height}" if is_even else f"H{x}V{height}"
    title = element("title", f"{series.fluent}: {short(values[0])} to {short(values[-1])}")
    yield from _grid(end, top, top + _HEIGHT)
    yield element("text", shortened(series.fluent, _LONGEST), x=-_GAP, y=top + _HEIGHT / 2 + 4, text_anchor="end")
    yield element("path", title, d=f"{path}H{_x(end, end):.1f}", fill="none", stroke=colour, stroke_width=2)
    for value in sorted({low, high}):
        yield element("text", short(value), x=-_GAP, y=y(value) + 4, text_anchor="end")


def _grid(end: Fraction, top: float, bottom: float) -> Iterator[Element]:
    """Yield the axis of time with its marks."""
    yield element("path", d=f"M0 {bottom}H{_PLOT}", stroke="currentColor", stroke_opacity=0.6)
    for mark in _marks(end):
        x = _x(mark, end)
        yield element("path", d=f"M{x:.1f} {top + _TOP}V{bottom + 4}", stroke="currentColor", stroke_opacity=0.2)
        yield element("text", short(mark), x=x, y=bottom + 17, text_anchor="middle")


def _marks(end: Fraction) -> Iterator[Fraction]:
    """Yield round times from 0 to the end, about six."""
    if not end:
        yield Fraction(0)
        return
    steps = (Fraction(10) ** power * digit for power in count(floor(log10(end)) - 1) for digit in (1, 2, 5))
    step = next(step for step in steps if end / step <= 8)
    yield from (step * number for number in range(int(end / step) + 1))

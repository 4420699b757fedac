"""Plots as SVG text: horizontal bars, stacked bars, columns. Colours are told apart by colour-blind readers too."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from validator.records import dataclass

__all__ = ["NARROW", "WIDE", "Bar", "Layout", "bars", "columns", "stacked"]

# Okabe and Ito, Color Universal Design, 2008; grey last.
COLOURS = ("#009E73", "#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#6B4E9B", "#8C564B", "#7F7F7F")
_ROW, _GAP = 20, 6
_WIDEST = 7  # about what a letter takes, in the units of a plot
_LONGEST = 42  # wider letters than most still fit


@dataclass(frozen=True, slots=True)
class Layout:
    """Where bars begin and how wide they may be; ``above`` is the room for labels that stand above their bars."""

    label: int
    plot: int
    note: int = 130
    above: int = 0

    @property
    def width(self) -> int:
        return self.label + self.plot + self.note

    def top(self, place: int) -> int:
        return 22 + place * (_ROW + _GAP + self.above)

    def bar(self, place: int) -> int:
        return self.top(place) + self.above

    def named(self, text: str, place: int) -> str:
        """Return the label of a bar."""
        short = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
        shown = f"{escape(short)}<title>{escape(text)}</title>"
        if self.above:
            return f'<text x="{self.label}" y="{self.top(place) + self.above - 1}">{shown}</text>'
        return f'<text x="{self.label - 8}" y="{self.bar(place) + _ROW / 2 + 4}" text-anchor="end">{shown}</text>'


WIDE = Layout(320, 420)
NARROW = Layout(14, 210, 120, 14)
"""for screens of telephones"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A share from 0 to 1 with its interval; ``note`` stands at its end."""

    label: str
    share: float
    low: float
    high: float
    note: str


def bars(found: Sequence[Bar], layout: Layout = WIDE) -> str:
    """Return shares as horizontal bars with whiskers, under a scale from 0 to 100 %."""
    body = [_scale(len(found), layout)]
    for place, bar in enumerate(found):
        top, middle = layout.bar(place), layout.bar(place) + _ROW / 2
        low, high = layout.label + layout.plot * bar.low, layout.label + layout.plot * bar.high
        body += [
            layout.named(bar.label, place),
            _box(layout.label, top + 3, layout.plot * bar.share, _ROW - 6, COLOURS[0], f"{bar.label}: {bar.note}"),
            f'<path d="M{low:.1f} {middle}H{high:.1f}m0 -4v8M{low:.1f} {middle - 4}v8" class="line"/>',
            f'<text x="{layout.label + layout.plot + 8}" y="{middle + 4}">{escape(bar.note)}</text>',
        ]
    return _image(layout.width, layout.top(len(found)) + 4, body)


def stacked(rows: Sequence[tuple[str, Sequence[int]]], names: Sequence[str], layout: Layout = WIDE) -> str:
    """Return counts as bars of full width, one part for each name, under a legend."""
    names = list(names)
    if len(names) > len(COLOURS):
        kept = len(COLOURS) - 1
        rows = [(label, [*counts[:kept], sum(counts[kept:])]) for label, counts in rows]
        names = [*names[:kept], "other"]
    legend, height = _legend(names, layout)
    body = [legend, f'<g transform="translate(0 {height})">']
    for place, (label, counts) in enumerate(rows):
        top, left, total = layout.bar(place), float(layout.label), sum(counts)
        body.append(layout.named(label, place))
        for name, count, colour in zip(names, counts, COLOURS, strict=False):
            if count:
                width = layout.plot * count / total
                body.append(_box(left, top + 2, width, _ROW - 4, colour, f"{label}, {name}: {count:,} of {total:,}"))
                left += width
        body.append(f'<text x="{layout.label + layout.plot + 8}" y="{top + _ROW / 2 + 4}">{total:,}</text>')
    return _image(layout.width, layout.top(len(rows)) + height, [*body, "</g>"])


def columns(found: Sequence[tuple[str, int]], axis: str) -> str:
    """Return counts as columns, each with its number above and its name below."""
    most = max((count for _, count in found), default=0) or 1
    height, width = 160, max(36, min(70, 620 // max(1, len(found))))
    body = []
    for place, (name, count) in enumerate(found):
        left, size = 20 + place * width, height * count / most
        middle = left + width / 2
        body += [
            _box(left + 3, 20 + height - size, width - 6, size, COLOURS[1], f"{name}: {count:,}"),
            f'<text x="{middle}" y="{14 + height - size:.1f}" text-anchor="middle">{count:,}</text>',
            f'<text x="{middle}" y="{height + 36}" text-anchor="middle">{escape(name)}</text>',
        ]
    end = 20 + len(found) * width
    body.append(f'<path d="M20 {20 + height}H{end}" class="line"/>')
    body.append(f'<text x="20" y="{height + 56}" class="faint">{escape(axis)}</text>')
    return _image(max(end + 40, 20 + _WIDEST * len(axis)), height + 66, body)


def _image(width: float, height: float, body: Sequence[str]) -> str:
    return f'<svg viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">{"".join(body)}</svg>'


def _box(left: float, top: float, width: float, height: float, colour: str, title: str) -> str:
    place = f'x="{left:.1f}" y="{top:.1f}" width="{max(width, 0):.1f}" height="{max(height, 0):.1f}"'
    return f'<rect {place} fill="{colour}"><title>{escape(title)}</title></rect>'


def _scale(rows: int, layout: Layout) -> str:
    lines = []
    for percent in range(0, 101, 25):
        x = layout.label + layout.plot * percent / 100
        lines.append(f'<path d="M{x} 18V{layout.top(rows)}" class="grid"/>')
        lines.append(f'<text x="{x}" y="12" text-anchor="middle" class="faint">{percent}%</text>')
    return "".join(lines)


def _legend(names: Sequence[str], layout: Layout) -> tuple[str, int]:
    """Return the names with their colours, and how high that is."""
    parts, left, top = [], 10, 0
    for name, colour in zip(names, COLOURS, strict=False):
        width = 30 + _WIDEST * len(name)
        if left + width > layout.width - 30:
            left, top = 10, top + 20
        parts.append(f'<rect x="{left}" y="{top + 4}" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text x="{left + 17}" y="{top + 14}">{escape(name)}</text>')
        left += width
    return "".join(parts), top + 10

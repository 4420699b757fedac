"""A summary as one HTML page that needs nothing else: plots, then the tables behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import inf

from validator.checking.report import Quality
from validator.grading.summary.compare import Comparison
from validator.grading.summary.tables import (
    BINS,
    OUTCOMES,
    Group,
    Summary,
    Table,
    Tally,
    edit_bins,
    paired_table,
    shown,
    wilson,
)
from validator.records import dataclass
from validator.render.html.page import page as document
from validator.render.html.page import scrolled

__all__ = ["STYLE", "Bar", "bars", "columns", "page", "stacked", "table_html", "twice"]


# --- Plots as SVG text ----------------------------------------------------------------------------
# Plots as SVG text: horizontal bars, stacked bars, columns. Colours are told apart by colour-blind readers too.


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


# --- the page -------------------------------------------------------------------------------------


STYLE = """
:root { color-scheme: light dark; --faint: #5b636b; --line: #d1d5db; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3acb5; --line: #363d45; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
svg { max-width: 100%; height: auto; font: 12px system-ui, sans-serif; } svg text { fill: currentColor; }
svg .faint { fill: var(--faint); } svg .grid { stroke: var(--line); fill: none; }
svg .line { stroke: currentColor; fill: none; }
.wide { overflow-x: auto; } .narrow { display: none; }
@media (max-width: 600px) { .wide svg { max-width: none; } .broad { display: none; } .narrow { display: block; } }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { vertical-align: bottom; } th.key, td.key { text-align: left; } p { color: var(--faint); }
@media (max-width: 600px) {
  th, td { padding: .2rem .4rem; } th { white-space: normal; } table { font-size: .8rem; }
  th.key, td.key { position: sticky; left: 0; background: Canvas; white-space: normal; overflow-wrap: anywhere; }
  th.key:first-child, td.key:first-child { min-width: 6.5rem; max-width: 8rem; }
}
"""


def page(summary: Summary, comparison: Comparison | None = None, title: str = "Plans") -> str:
    """Return the page."""
    total = summary.total
    others = (f"{name} {count:,}" for key, name in OUTCOMES.items() if key != "has" and (count := getattr(total, key)))
    head = f"{total.records:,} results, {total.has:,} have the quality asked for; {', '.join(others) or 'all of them'}."
    parts = [f"<h1>{escape(title)}</h1><p>{head}</p>"]
    if comparison is not None:
        parts.append(table_html(paired_table(comparison)))
    parts += [f"<h2>{escape(name)}</h2>{plot}" for name, plot in _plots(summary)]
    parts += [table_html(table) for table in summary.tables()]
    return document(escape(title), STYLE, _joined(parts))


def _joined(parts: Sequence[str]) -> str:
    return "".join(f"{part}\n" for part in parts)


def _plots(summary: Summary) -> Iterator[tuple[str, str]]:
    groups = [(_name(group), tally) for group, tally in summary.groups.items()]
    shares = [_bar(name, tally) for name, tally in groups]
    yield "Success", twice(lambda layout: bars(shares, layout))
    seen = [key for key in OUTCOMES if getattr(summary.total, key)]
    outcomes = [(name, [getattr(tally, key) for key in seen]) for name, tally in groups]
    yield "What was found", twice(lambda layout: stacked(outcomes, [OUTCOMES[key] for key in seen], layout))
    if len({domain for _, domain in summary.domains}) > 1 and summary.by != ("domain",):
        pairs = [(_name((*group, domain)), tally) for (group, domain), tally in summary.domains.items()]
        both = [_bar(name, tally) for name, tally in pairs]
        yield "Success by domain", twice(lambda layout: bars(both, layout))
    kinds = sorted(
        (kind for kind, _ in summary.total.verdicts.most_common()), key=lambda kind: kind not in tuple(Quality)
    )
    counted = [(name, [tally.verdicts[kind] for kind in kinds]) for name, tally in groups]
    yield "Verdicts", twice(lambda layout: stacked(counted, kinds, layout))
    if summary.total.steps:
        steps = [(name, summary.total.steps[name]) for name in BINS if name in summary.total.steps]
        yield "First fault", _scrolled(columns(steps, "step at which the first fault is; goal: every step executes"))
    if summary.total.edits:
        nearest = [*edit_bins(summary.total).items(), ("none found", summary.total.edits_unknown)]
        yield "Edits to success", _scrolled(columns(nearest, "edits between an answer and the nearest successful plan"))
    if summary.total.ratios:
        yield (
            "Cost by the cheapest cost",
            _scrolled(columns(_ratios(summary.total), "cost of a valid plan / cheapest cost")),
        )


def twice(draw: Callable[[Layout], str]) -> str:
    """Return a plot for wide screens and one for narrow ones, of which the style sheet shows one."""
    return f'<div class="wide broad">{draw(WIDE)}</div><div class="narrow">{draw(NARROW)}</div>'


def _scrolled(plot: str) -> str:
    return f'<div class="wide">{plot}</div>'


def _bar(name: str, tally: Tally) -> Bar:
    low, high = wilson(tally.has, tally.records)
    share = tally.has / tally.records
    return Bar(label=name, share=share, low=low, high=high, note=f"{share:.1%} of {tally.records:,}")


def _ratios(tally: Tally) -> list[tuple[str, int]]:
    edges = (
        (1.0, "1"),
        (1.1, "to 1.1"),
        (1.25, "to 1.25"),
        (1.5, "to 1.5"),
        (2.0, "to 2"),
        (3.0, "to 3"),
        (inf, "more"),
    )
    counts = dict.fromkeys((name for _, name in edges), 0)
    for ratio, number in tally.ratios.items():
        counts[next(name for edge, name in edges if ratio <= edge)] += number
    return list(counts.items())


def _name(group: Group) -> str:
    return " / ".join(group) or "all"


def table_html(table: Table) -> str:
    """Return a table under its title."""

    def cell(tag: str, place: int, text: str) -> str:
        kind = ' class="key"' if place < table.keys else ""
        breakable = escape(text).replace("_", "_<wbr>") if tag == "th" else escape(text)
        return f"<{tag}{kind}>{breakable}</{tag}>"

    head = "".join(cell("th", place, name) for place, name in enumerate(table.columns))
    lines = (
        "".join(cell("td", place, shown(table.columns[place], found)) for place, found in enumerate(row))
        for row in table.rows
    )
    rows = "".join(f"<tr>{line}</tr>\n" for line in lines)
    return f"<h2>{escape(table.title)}</h2>" + scrolled(f"<table><tr>{head}</tr>\n{rows}</table>", "wide")

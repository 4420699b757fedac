"""A summary as one HTML page that needs nothing else: plots, then the tables behind them.

Plots are rows of bars that the browser lays out, so that one serves wide screens and narrow ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
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

# Okabe and Ito, Color Universal Design, 2008, which colour-blind readers tell apart too; grey last.
COLOURS = ("#009E73", "#0072B2", "#E69F00", "#D55E00", "#CC79A7", "#56B4E9", "#F0E442", "#6B4E9B", "#8C564B", "#7F7F7F")
STYLE = """
:root { color-scheme: light dark; --faint: #5b636b; --line: #d1d5db; }
@media (prefers-color-scheme: dark) { :root { --faint: #a3acb5; --line: #363d45; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.plot { display: grid; grid-template-columns: fit-content(20rem) 1fr max-content; gap: .25rem .7rem; }
.plot { align-items: center; font-size: .85rem; } .plot .key { text-align: right; overflow-wrap: anywhere; }
.track { position: relative; display: flex; height: 1rem; border-left: 1px solid; }
.track { background: repeating-linear-gradient(90deg, transparent 0 calc(25% - 1px), var(--line) 0 25%); }
.track b { position: absolute; top: .3rem; height: .4rem; border: solid; border-width: 0 1px;
  background: linear-gradient(currentColor, currentColor) center / 100% 1px no-repeat; }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin: 0 .4rem 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { vertical-align: bottom; } th.key, td.key { text-align: left; } p { color: var(--faint); }
@media (max-width: 600px) {
  .plot { grid-template-columns: 1fr max-content; } .plot .key { grid-column: 1 / -1; text-align: left; }
  th, td { padding: .2rem .4rem; } th { white-space: normal; } table { font-size: .8rem; }
  th.key, td.key { position: sticky; left: 0; background: Canvas; white-space: normal; overflow-wrap: anywhere; }
  th.key:first-child, td.key:first-child { min-width: 6.5rem; max-width: 8rem; }
}
"""


# --- plots ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A share from 0 to 1 with its interval; ``note`` stands at its end."""

    label: str
    share: float
    low: float
    high: float
    note: str


def bars(found: Iterable[Bar]) -> str:
    """Return shares as bars with whiskers; the grid has a line at each quarter."""
    return _plot(
        _row(each.label, [(each.share, COLOURS[0], each.note)], each.note, (each.low, each.high)) for each in found
    )


def stacked(rows: Iterable[tuple[str, Sequence[int]]], names: Sequence[str]) -> str:
    """Return counts as bars of full width, one part for each name, under a legend."""
    kept = list(names) if len(names) <= len(COLOURS) else [*names[: len(COLOURS) - 1], "other"]
    last = len(kept) - 1
    coloured = list(zip(kept, COLOURS, strict=False))
    legend = "".join(f'<i style="background:{colour}"></i>{escape(name)}' for name, colour in coloured)
    lines = []
    for label, numbers in rows:
        total = sum(numbers)
        merged = [*numbers[:last], sum(numbers[last:])]
        parts = [
            (count / total, colour, f"{name}: {count:,} of {total:,}")
            for (name, colour), count in zip(coloured, merged, strict=True)
            if count
        ]
        lines.append(_row(label, parts, f"{total:,}"))
    return f'<p class="legend">{legend}</p>{_plot(lines)}'


def counts(found: Sequence[tuple[str, int]], axis: str) -> str:
    """Return counts as bars, the longest of full width, under what they are counts of."""
    most = max((count for _, count in found), default=0) or 1
    rows = (_row(name, [(count / most, COLOURS[1], f"{count:,}")], f"{count:,}") for name, count in found)
    return f"<p>{escape(axis)}</p>{_plot(rows)}"


def _plot(rows: Iterable[str]) -> str:
    return f'<div class="plot">{"".join(rows)}</div>'


def _row(
    label: str, parts: Iterable[tuple[float, str, str]], note: str, interval: tuple[float, float] | None = None
) -> str:
    """Return a bar of parts, each a share with its colour and what it says, between its label and a note."""
    filled = "".join(
        f'<i style="width:{share:.2%};background:{colour}" title="{escape(f"{label}, {text}")}"></i>'
        for share, colour, text in parts
    )
    if interval is not None:
        low, high = interval
        filled += f'<b style="left:{low:.2%};width:{high - low:.2%}"></b>'
    return f'<span class="key">{escape(label)}</span><span class="track">{filled}</span><span>{escape(note)}</span>'


# --- the page -------------------------------------------------------------------------------------


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
    yield "Success", bars(shares)
    seen = [key for key in OUTCOMES if getattr(summary.total, key)]
    outcomes = [(name, [getattr(tally, key) for key in seen]) for name, tally in groups]
    yield "What was found", stacked(outcomes, [OUTCOMES[key] for key in seen])
    if len({domain for _, domain in summary.domains}) > 1 and summary.by != ("domain",):
        pairs = [(_name((*group, domain)), tally) for (group, domain), tally in summary.domains.items()]
        both = [_bar(name, tally) for name, tally in pairs]
        yield "Success by domain", bars(both)
    kinds = sorted(
        (kind for kind, _ in summary.total.verdicts.most_common()), key=lambda kind: kind not in tuple(Quality)
    )
    counted = [(name, [tally.verdicts[kind] for kind in kinds]) for name, tally in groups]
    yield "Verdicts", stacked(counted, kinds)
    if summary.total.steps:
        steps = [(name, summary.total.steps[name]) for name in BINS if name in summary.total.steps]
        yield "First fault", counts(steps, "step at which the first fault is; goal: every step executes")
    if summary.total.edits:
        nearest = [*edit_bins(summary.total).items(), ("none found", summary.total.edits_unknown)]
        yield "Edits to success", counts(nearest, "edits between an answer and the nearest successful plan")
    if summary.total.ratios:
        yield (
            "Cost by the cheapest cost",
            counts(_ratios(summary.total), "cost of a valid plan / cheapest cost"),
        )


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

"""A summary as one HTML page that needs nothing else: plots, then the tables behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape
from math import inf

from validator.checking.report import Quality
from validator.grading.summary.compare import Comparison
from validator.grading.summary.svg import NARROW, WIDE, Bar, Layout, bars, columns, stacked
from validator.grading.summary.tables import BINS, OUTCOMES, Group, Summary, Table, Tally, edit_bins, wilson
from validator.grading.summary.text import paired_table, shown
from validator.render.html.page import page as document
from validator.render.html.page import scrolled

__all__ = ["STYLE", "page", "table_html", "twice"]

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

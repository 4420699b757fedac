"""An adherence as one page: plan and execution as two lanes, the measures, what each deviation did. No script, no net.

The page follows the reader's preference of light or dark, and is narrow enough for a phone. Kinds are told by signs and
words; colour only repeats them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Protocol

from validator.adherence.values import MEASURES, Execution, Opinion, Row
from validator.metrics.compare import METRICS, Kind
from validator.metrics.score import Score
from validator.render.html.page import changes, listed, page, section
from validator.render.html.style import REPORT_STYLE
from validator.texts import decimal

__all__ = ["Shown", "adherence_html"]


class Shown(Protocol):
    """What is shown of an adherence, beside its measures; the result itself shows its page, so it is not named here."""

    @property
    def plan(self) -> Sequence[object] | None: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def layout(self) -> Sequence[tuple[int, bool, bool]]: ...
    @property
    def deviations(self) -> Sequence[Row]: ...
    @property
    def score(self) -> float | None: ...
    @property
    def summary(self) -> str: ...
    @property
    def task(self) -> str | None: ...
    @property
    def source(self) -> str: ...
    @property
    def format(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Score]: ...
    @property
    def execution(self) -> Execution | None: ...
    @property
    def opinion(self) -> Opinion | None: ...
    @property
    def diff_text(self) -> str: ...
    @property
    def warnings(self) -> Sequence[str]: ...


_SIGNS = {
    "matched": ("=", "matched"),
    "changed": ("~", "other arguments"),
    "moved": ("↕", "moved"),
    "missing": ("−", "missing"),
    "extra": ("+", "extra"),
    "retried": ("↻", "failed, made again"),
    "failed": ("×", "failed, not counted"),
}

_STYLE = """
:root { --row: 3.6rem;
  --matched: #2e7d4f; --changed: #a15c00; --moved: #1d5fbf; --missing: #c0262d; --extra: #7a3fb0; --aside: #6b7280; }
@media (prefers-color-scheme: dark) { :root {
  --matched: #6cc48f; --changed: #e6a64d; --moved: #79aef5; --missing: #f2888d; --extra: #c79bf0; --aside: #9aa3ad; } }
section > ul > li { padding: .25rem 0; } meter { width: 6rem; height: .9rem; vertical-align: middle; }
td:nth-child(2), .score { font-variant-numeric: tabular-nums; } .about { color: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; font-size: .9rem; }
.lanes { display: grid; grid-template-columns: minmax(0, 1fr) 4rem minmax(0, 1fr);
  grid-template-rows: auto; grid-auto-rows: var(--row); }
.lanes .head { grid-row: 1; align-self: end; color: var(--soft); padding-bottom: .3rem; }
.lanes .plan { grid-column: 1; } .lanes .execution { grid-column: 3; }
.lanes svg { grid-column: 2; width: 100%; height: 100%; }
.lanes line { stroke: var(--soft); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
.lanes line.moved { stroke: var(--moved); stroke-dasharray: 5 3; stroke-width: 2; }
.lanes line.changed { stroke: var(--changed); stroke-width: 2; }
.cell { margin: .2rem 0; padding: .2rem .5rem; border: 1px solid var(--line);
  border-left: 4px solid var(--tint, var(--line)); border-radius: .4rem; background: var(--card); overflow: hidden;
  display: grid; align-content: center; align-items: center; grid-template-columns: auto minmax(0, 1fr) auto;
  column-gap: .5rem; font-size: .9rem; line-height: 1.2; }
.cell.gap { border: 1px dashed var(--line); background: none; opacity: .6; }
.cell .number { color: var(--soft); font-variant-numeric: tabular-nums; }
.cell .text { overflow-wrap: anywhere; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2;
  overflow: hidden; }
.cell small, li b { color: var(--tint); white-space: nowrap; } li b { display: inline-block; min-width: 1em; }
.matched { --tint: var(--matched); } .changed { --tint: var(--changed); } .moved { --tint: var(--moved); }
.missing { --tint: var(--missing); } .extra { --tint: var(--extra); }
.retried, .failed { --tint: var(--aside); }
.effect { border: 1px solid; border-radius: 1em; padding: 0 .6em; font-size: .85rem; color: var(--aside); }
.harmless { color: var(--matched); } .forced { color: var(--changed); } .harmful { color: var(--missing); }
@media (max-width: 40rem) { :root { --row: 5rem; } .about { display: none; }
  .lanes { grid-template-columns: minmax(0, 1fr) 1.6rem minmax(0, 1fr); }
  .cell { font-size: .78rem; padding: .15rem .35rem; column-gap: .3rem; grid-template-columns: auto minmax(0, 1fr); }
  .cell .text { -webkit-line-clamp: 3; } .cell small { grid-column: 2; } }
"""
"""what is shown of lanes and deviations, beside the style of all reports"""


def adherence_html(adherence: Shown) -> str:
    """Return a page that stands alone."""
    score = "not applicable" if adherence.score is None else f"{adherence.score:.3g}"
    body = "\n".join(_sections(adherence, score))
    return page(f"Adherence {score}", REPORT_STYLE + _STYLE, body)


def _sections(adherence: Shown, score: str) -> Iterator[str]:
    yield f"<header><h1>Adherence <span class=score>{score}</span></h1><p>{escape(adherence.summary)}</p>"
    about = [("Task", adherence.task or ""), ("Plan", adherence.source), ("Trace", adherence.format)]
    yield f"<dl>{''.join(f'<dt>{name}</dt><dd>{escape(text)}</dd>' for name, text in about if text)}</dl></header>"
    if adherence.plan is not None:
        yield section("Plan and execution", _legend(adherence), _lanes(adherence))
        yield section("Measures", _measures(adherence))
        yield section("Metrics of whole steps, execution against plan", _metrics(adherence))
        if adherence.deviations:
            yield section("Deviations", listed(map(_deviation, adherence.deviations)))
    if adherence.execution is not None:
        yield section("By the model", *_execution(adherence.execution))
    if adherence.opinion is not None:
        yield section("By the judge", _lines_of(adherence.opinion))
    if adherence.plan is not None and adherence.diff_text:
        yield section("Diff", changes(adherence.diff_text))
    if adherence.warnings:
        yield section("Warnings", listed(f"<li>{escape(warning)}</li>" for warning in adherence.warnings))


# --- lanes ---------------------------------------------------------------------------------------


def _legend(adherence: Shown) -> str:
    kinds = [kind for kind in _SIGNS if any(row.kind.value == kind for row in adherence.rows)]
    return listed(f'<li class="{kind}"><b>{_SIGNS[kind][0]}</b> {_SIGNS[kind][1]}</li>' for kind in kinds).replace(
        "<ul>", "<ul class=legend>"
    )


def _lanes(adherence: Shown) -> str:
    """Return both lanes; each place of the layout is a row, and a moved step has a line across rows."""
    if not adherence.layout:
        return "<p>The plan is empty, and nothing was executed.</p>"
    cells = "".join(
        _cell(adherence.rows[index], line + 2, "plan" if side == 0 else "execution", (is_planned, is_executed)[side])
        for line, (index, is_planned, is_executed) in enumerate(adherence.layout)
        for side in (0, 1)
    )
    heads = "<div class='head plan'>Plan</div><div class='head execution'>Execution</div>"
    return f"<div class=lanes>{heads}{_lines(adherence)}{cells}</div>"


def _cell(row: Row, line: int, lane: str, is_shown: bool) -> str:
    style = f'style="grid-row:{line}"'
    side = row.planned if lane == "plan" else row.executed
    if not is_shown or side is None:
        return f'<div class="cell gap {lane}" {style}></div>'
    kind = row.kind.value
    sign, name = _SIGNS[kind]
    if kind == "moved" and row.planned is not None and row.executed is not None:
        name = f"call {row.executed.index + 1}" if lane == "plan" else f"step {row.planned.index + 1}"
        name = f"moved: {name}"
    text = escape(str(side))
    note = "" if kind == "matched" else f"<small>{sign} {escape(name)}</small>"
    return (
        f'<div class="cell {kind} {lane}" {style} title="{text}">'
        f"<span class=number>{side.index + 1}</span><span class=text>{text}</span>{note}</div>"
    )


def _lines(adherence: Shown) -> str:
    """Return the connections between the lanes, in units of a hundredth of a row."""
    planned: dict[int, int] = {}
    executed: dict[int, int] = {}
    for line, (index, is_planned, is_executed) in enumerate(adherence.layout):
        if is_planned:
            planned[index] = line
        if is_executed:
            executed[index] = line
    paths = "".join(
        f'<line class="{adherence.rows[index].kind.value}" x1="0" y1="{line * 100 + 50}" '
        f'x2="100" y2="{executed[index] * 100 + 50}"/>'
        for index, line in planned.items()
        if index in executed
    )
    count = len(adherence.layout)
    return (
        f'<svg aria-hidden="true" style="grid-row:2 / span {count}" viewBox="0 0 100 {count * 100}" '
        f'preserveAspectRatio="none">{paths}</svg>'
    )


# --- tables and lists ----------------------------------------------------------------------------


def _measures(adherence: Shown) -> str:
    values = ((name, getattr(adherence, field), about) for name, field, about in MEASURES)
    return _table((name, value, "" if value is None else _bar(value), about) for name, value, about in values)


def _metrics(adherence: Shown) -> str:
    """Return the metrics of whole steps; a bar where the value is a share."""
    rows = ((name, METRICS[name], score.value) for name, score in adherence.metrics.items())
    return _table(
        (
            name,
            value,
            _bar(value) if metric.kind is Kind.SIMILARITY and value is not None else metric.kind.value,
            metric.about,
        )
        for name, metric, value in rows
    )


def _bar(share: float) -> str:
    return f'<meter min="0" max="1" value="{share:.4f}"></meter>'


def _table(rows: Iterable[tuple[str, float | None, str, str]]) -> str:
    """Return a table of figures: a name, a value, what shows it, and what it is about."""
    cells = []
    for name, value, shown, about in rows:
        number = "–" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)
        cells.append(f"<tr><th scope=row>{name}</th><td>{number}</td><td>{shown}</td><td class=about>{about}</td></tr>")
    return f"<table>{''.join(cells)}</table>"


def _deviation(row: Row) -> str:
    sign, _ = _SIGNS[row.kind.value]
    effect = ""
    if row.effect is not None:
        effect = f'<br><span class="effect {row.effect.value}">{row.effect.value}</span> {escape(row.proof)}'
    return f'<li class="{row.kind.value}"><b>{sign}</b> {escape(row.reason)}{effect}</li>'


def _execution(execution: Execution) -> Iterator[str]:
    said = {True: "yes", False: "no", None: "unknown"}
    facts = [("Sound", said[execution.sound]), ("Goal reached", said[execution.reaches_goal])]
    if execution.cost is not None:
        facts.append(("Cost", decimal(execution.cost)))
    if execution.plan_cost is not None:
        facts.append(("Cost of the plan", decimal(execution.plan_cost)))
    yield f"<dl>{''.join(f'<dt>{name}</dt><dd>{text}</dd>' for name, text in facts)}</dl>"
    yield _lines_of(execution)


def _lines_of(told: Execution | Opinion) -> str:
    return listed(f"<li>{escape(line)}</li>" for line in told.lines())

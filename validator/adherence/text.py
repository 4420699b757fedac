"""An adherence as text for a terminal: the scores, plan and execution side by side, what each deviation did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any
from unicodedata import east_asian_width

from validator.adherence.result import Adherence
from validator.adherence.values import MEASURES, Execution, RowKind
from validator.reading.calls import Call, Planned
from validator.reading.traces.recording import Sureness
from validator.render.terminal import BOLD, CYAN, GREEN, RED, painted, safe
from validator.texts import decimal, shortened

_SIGNS = {
    RowKind.MATCHED: " ",
    RowKind.CHANGED: "~",
    RowKind.MOVED: "^",
    RowKind.MISSING: "-",
    RowKind.EXTRA: "+",
    RowKind.RETRIED: "r",
    RowKind.FAILED: "x",
}
_TINTS = {RowKind.MISSING: RED, RowKind.EXTRA: GREEN, RowKind.CHANGED: CYAN, RowKind.MOVED: CYAN}


def _verdict(value: bool | None) -> str:
    return {True: "yes", False: "no", None: "unknown"}[value]


def adherence_text(adherence: Adherence, *, color: bool = False) -> str:
    """Return an adherence as text; signs carry all meaning, colours none of their own."""
    return _text(((BOLD, adherence.summary), *_columns(adherence), *_remarks(adherence)), color=color)


def _text(lines: Iterable[tuple[str, str]], *, color: bool = False) -> str:
    return "".join(f"{painted(safe(line), tint if color else '')}\n" for tint, line in lines)


def adherence_html(adherence: Adherence) -> str:
    """Return an adherence as a page that stands alone: its text, and the diff in colours."""
    from validator.render.html.elements import element, page

    return page(adherence.summary, element("h1", "Adherence"), adherence_tree(adherence))


def adherence_tree(adherence: Adherence) -> Iterator[Any]:
    """Yield what stands below the heading of its page."""
    from validator.render.html.elements import changes, element, section

    columns, lines = (_text(part) for part in (_columns(adherence), _remarks(adherence)))
    yield element("p", element("strong", safe(adherence.summary)))
    if columns:
        yield element("pre", columns, kind="columns", tabindex=0)
    if lines:
        yield element("pre", lines.lstrip("\n"))
    if adherence.plan is not None and adherence.diff_text:
        yield section("Diff", changes(adherence.diff_text))


def _columns(adherence: Adherence) -> Iterator[tuple[str, str]]:
    """Yield the lines that stand in columns, each with its colour."""
    if adherence.plan is not None:
        yield from _plain(_measures(adherence))
        sure = "" if adherence.sureness is Sureness.CERTAIN else f" ({adherence.sureness.value})"
        yield "", f"  plan: {adherence.source}; trace: {adherence.format}{sure}"
        yield "", ""
        yield from _rows(adherence)


def _remarks(adherence: Adherence) -> Iterator[tuple[str, str]]:
    if adherence.plan is not None:
        yield from _plain(("",) if adherence.deviations else ())
        yield from _plain(_deviations(adherence))
    if adherence.execution is not None:
        yield from _plain(("", *_execution(adherence.execution)))
    yield from _plain(f"warning: {warning}" for warning in adherence.warnings)


def _plain(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    return (("", line) for line in lines)


def _deviations(adherence: Adherence) -> Iterator[str]:
    for row in adherence.deviations:
        yield f"  {shortened(row.reason, _LONGEST)}"
        if row.effect is not None:
            yield f"    {row.effect.value}: {shortened(row.proof, _LONGEST)}"


def _measures(adherence: Adherence) -> Iterator[str]:
    for name, field, about in MEASURES:
        value = getattr(adherence, field)
        yield f"  {name:12} {'-' if value is None else f'{value:.3f}':>6}  {about}"


def _rows(adherence: Adherence) -> Iterator[tuple[str, str]]:
    """Yield plan and execution as two columns; a moved step stands in both, each time with its other place."""
    cells = []
    for index, is_planned, is_executed in adherence.layout:
        row = adherence.rows[index]
        planned, call = row.planned, row.executed
        left = _cell(planned) if planned is not None and is_planned else ""
        right = _cell(call) if call is not None and is_executed else ""
        if row.kind is RowKind.MOVED and planned is not None and call is not None:
            left = left or f"(step {planned.index + 1})"
            right = right or f"(call {call.index + 1})"
        cells.append((row.kind, left, right))
    width = max((_width(left) for _, left, _ in cells), default=4)
    yield "", f"  {'plan':{width}}  execution"
    for kind, left, right in cells:
        yield _TINTS.get(kind, ""), f"{_SIGNS[kind]} {left}{' ' * (width - _width(left))}  {right}".rstrip()


_LONGEST = 400
"""characters of a step in its column, and of a sentence; the JSON has all of them"""


def _cell(side: Planned | Call) -> str:
    return shortened(f"{side.index + 1} {side}")


def _width(text: str) -> int:
    """Return the columns that a text takes on a terminal; some letters take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _execution(execution: Execution) -> Iterator[str]:
    yield f"sound: {_verdict(execution.sound)}; goal reached: {_verdict(execution.reaches_goal)}{_costs(execution)}"
    yield from (f"  {shortened(line, _LONGEST)}" for line in execution.lines())


def _costs(execution: Execution) -> str:
    if execution.cost is None:
        return ""
    planned = "" if execution.plan_cost is None else f" (plan: {decimal(execution.plan_cost)})"
    return f"; cost {decimal(execution.cost)}{planned}"

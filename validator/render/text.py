"""Reports as text for a terminal: the verdict, the faults, the diff."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.execution.faults import sentences
from validator.render.verdict import details, verdict
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.checking.report import Interval, Report

__all__ = ["figures", "headline", "nearness", "painted_diff", "report_text"]

_GREEN, _RED, _CYAN, _BOLD, _PLAIN = "\033[32m", "\033[31m", "\033[36m", "\033[1m", "\033[0m"


def report_text(report: Report, *, color: bool = False) -> str:
    """Return a report as text; ``color`` uses terminal colours, and only signs carry meaning without them."""
    return "\n".join(_lines(report, color)) + "\n"


def headline(report: Report) -> str:
    """Return a report in one line: the verdict, why, and how near a repair is."""
    reason = f": {report.reason}" if report.reason else ""
    near = f"; {nearness(report).partition('. ')[0].rstrip('.')}" if report.plan_diff_str else ""
    return _safe(f"{verdict(report)}{reason}{near}")


def _lines(report: Report, color: bool) -> Iterator[str]:
    tint = {True: _GREEN, False: _RED, None: _CYAN}[report.determination]
    head = verdict(report)
    reason = f": {report.reason}" if report.reason else ""
    yield f"{_painted(head, _BOLD + tint, color)}{_safe(reason)}"
    for sentence in sentences(report.failures, report.reference):
        yield f"  {_safe(sentence)}"
    for heading, lines in details(report):
        yield from map(_safe, [heading] if heading else [])
        yield from (f"  {_safe(line)}" for line in lines)
    for line in figures(report):
        yield f"  {_safe(line)}"
    if report.timeline is not None:
        from validator.render.timeline import trace_text

        yield ""
        yield from map(_safe, trace_text(report.timeline).splitlines())
    if report.plan_diff_str:
        yield ""
        yield from painted_diff(report.plan_diff_str, color)
        yield ""
        yield nearness(report)
    for explanation in report.explanations:
        yield f"  {_safe(explanation)}"
    for warning in report.warnings:
        yield f"warning: {_safe(warning)}"


def painted_diff(diff: str, color: bool) -> Iterator[str]:
    """Yield the lines of a diff, in terminal colours where these are asked for."""
    for line in diff.splitlines():
        yield _painted(_safe(line), _tint(line), color)


def figures(report: Report) -> Iterator[str]:
    """Yield when unmet goals last held, what the plan and a cheapest one cost, and which preferences are violated."""
    for goal in report.unmet_goals:
        if goal.last_held is not None:
            when = "in the initial state" if goal.last_held < 0 else f"after step {goal.last_held + 1}"
            yield f"{goal.literal} last held {when}"
    if report.cost is not None:
        yield f"cost: {decimal(report.cost)}"
    if report.optimal_cost is not None:
        yield f"cheapest cost: {_interval(report.optimal_cost)}"
    if report.violations:
        counts = ", ".join(f"{name or '(no name)'} {count}" for name, count in sorted(report.violations.items()))
        yield f"violated preferences: {counts}"


def _interval(interval: Interval) -> str:
    if interval.is_exact:
        return decimal(interval.lower)
    upper = "unknown" if interval.upper is None else decimal(interval.upper)
    return f"at least {decimal(interval.lower)}, best known {upper}"


def nearness(report: Report) -> str:
    """Return a sentence on how near the repaired plan is, and whether that is proven."""
    quality, note = report.report_type.value, report.planner_response.note
    note = f" {note[0].upper()}{note[1:]}." if note else ""
    if report.repaired_calls is not None:
        return f"{_of_calls(report)}{note}"
    changes = sum(diff.diff_type is not None for diff in report.plan_diff_obj)
    lines = f"{changes} changed line{'s' if changes != 1 else ''}"
    if report.proven:
        return f"The nearest {quality} plan (proven): {lines}{_cost(report.repaired_cost)}.{note}"
    bound = report.planner_response.lower_bound
    least = f", at least {bound} needed" if bound is not None and report.planner_response.cost == changes else ""
    return f"{_a(quality)} plan near it (not proven nearest{least}): {lines}{_cost(report.repaired_cost)}.{note}"


def _a(word: str) -> str:
    return f"An {word}" if word[0] in "aeiou" else f"A {word}"


def _of_calls(report: Report) -> str:
    """Return the same for a list of tool calls, in which a call that is moved or changed is one change."""
    changes = report.planner_response.cost
    number = f"{changes} change{'s' if changes != 1 else ''}"
    quality = report.report_type.value
    if report.proven:
        return f"The nearest {quality} list of calls (proven): {number}."
    return f"{_a(quality)} list of calls near it (not proven nearest): {number}."


def _cost(cost: Fraction | None) -> str:
    return "" if cost is None else f", cost {decimal(cost)}"


def _tint(line: str) -> str:
    if line.startswith(("---", "+++")):
        return _BOLD
    return {"+": _GREEN, "-": _RED, "@": _CYAN}.get(line[:1], "")


def _painted(text: str, tint: str, color: bool) -> str:
    return f"{tint}{text}{_PLAIN}" if color and tint else text


def _safe(text: str) -> str:
    """Return a text without characters that could drive a terminal."""
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)

"""Reports as text for a terminal and as Markdown: the verdict, the faults, the diff, the course as a table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.render.terminal import BOLD, CYAN, GREEN, RED, painted, safe
from validator.render.verdict import details, verdict
from validator.texts import columns, counted, decimal, rounded

if TYPE_CHECKING:
    from validator.checking.report import Interval, Report
    from validator.execution.trace import Row, Timeline


def report_text(report: Report, *, color: bool = False) -> str:
    """Return a report as text; ``color`` uses terminal colours, and only signs carry meaning without them."""
    return "\n".join(_lines(report, color)) + "\n"


def headline(report: Report) -> str:
    """Return a report in one line: the verdict, why, and how near a repair is."""
    reason = f": {report.reason}" if report.reason else ""
    told = nearness(report) if report.plan_diff_str else ""
    near = f"; {told[0].lower()}{told[1:]}" if told else ""
    return safe(f"{verdict(report)}{reason}{near}")


def _lines(report: Report, color: bool) -> Iterator[str]:
    tint = BOLD + {True: GREEN, False: RED, None: CYAN}[report.determination] if color else ""
    reason = f": {report.reason}" if report.reason else ""
    yield f"{painted(verdict(report), tint)}{safe(reason)}"
    for sentence in report.faults:
        yield f"  {safe(sentence)}"
    for heading, lines in details(report):
        yield from map(safe, [heading] if heading else [])
        yield from (f"  {safe(line)}" for line in lines)
    for line in _figures(report):
        yield f"  {safe(line)}"
    if report.timeline is not None:
        yield ""
        yield from map(safe, trace_text(report.timeline).splitlines())
    if report.plan_diff_str:
        yield ""
        yield from painted_diff(report.plan_diff_str, color)
        yield ""
        yield f"{nearness(report)}.{_repair_note(report)}"
    for explanation in report.explanations:
        yield f"  {safe(explanation)}"
    for warning in report.warnings:
        yield f"warning: {safe(warning)}"


def painted_diff(diff: str, color: bool) -> Iterator[str]:
    """Yield the lines of a diff, in terminal colours where these are asked for."""
    for line in diff.splitlines():
        yield painted(safe(line), _tint(line) if color else "")


def _figures(report: Report) -> Iterator[str]:
    """Yield when unmet goals last held, what the plan and a cheapest one cost, and which preferences are violated."""
    for goal in report.unmet_goals:
        if goal.last_held is not None:
            when = "in the initial state" if goal.last_held < 0 else f"after step {goal.last_held + 1}"
            yield f"{goal.literal} last held {when}"
    if report.cost is not None:
        yield f"cost: {decimal(report.cost)}"
    if report.optimal_cost is not None:
        yield f"cheapest cost: {interval_text(report.optimal_cost)}"
    if report.violations:
        counts = ", ".join(f"{name or '(no name)'} {count}" for name, count in sorted(report.violations.items()))
        yield f"violated preferences: {counts}"


def interval_text(interval: Interval) -> str:
    """Return a cost, or its bounds."""
    if interval.is_exact:
        return decimal(interval.lower)
    upper = "unknown" if interval.upper is None else decimal(interval.upper)
    return f"at least {decimal(interval.lower)}, best known {upper}"


def nearness(report: Report) -> str:
    """Return in words how near the repaired plan is, and whether that is proven; a call that moves is one change."""
    response, of_calls = report.planner_response, report.repaired_calls is not None
    changes = response.cost if of_calls else sum(diff.diff_type is not None for diff in report.plan_diff_obj)
    what = "list of calls" if of_calls else "plan"
    quality = report.report_type.value
    cost = "" if report.repaired_cost is None or of_calls else f", cost {decimal(report.repaired_cost)}"
    told = f"{counted(changes or 0, 'change' if of_calls else 'changed line')}{cost}"
    if report.proven:
        return f"The nearest {quality} {what} (proven): {told}"
    article = "An" if quality[0] in "aeiou" else "A"
    is_bounded = response.lower_bound is not None and response.cost == changes and not of_calls
    least = f", at least {response.lower_bound} needed" if is_bounded else ""
    return f"{article} {quality} {what} near it (not proven nearest{least}): {told}"


def _repair_note(report: Report) -> str:
    """Return what is said of the repair besides, as a sentence behind another one; or nothing."""
    note = report.planner_response.note
    return f" {note[0].upper()}{note[1:]}." if note else ""


def _tint(line: str) -> str:
    if line.startswith(("---", "+++")):
        return BOLD
    return {"+": GREEN, "-": RED, "@": CYAN}.get(line[:1], "")


# --- as Markdown ----------------------------------------------------------------------------------


def report_markdown(report: Report) -> str:
    """Return a report for comments and notebooks: verdict, lists of faults and figures, the diff in a fence."""
    lines = [f"**{verdict(report)}**{f': {_escaped(report.reason)}' if report.reason else ''}", ""]
    lines += [f"- {_escaped(sentence)}" for sentence in report.faults]
    for heading, said in details(report):
        lines += [*(["", _escaped(heading), ""] if heading else []), *(f"- {_escaped(line)}" for line in said)]
    if told := [f"- {_escaped(line)}" for line in _figures(report)]:
        lines += [*([""] if lines[-1] else []), *told]
    if report.plan_diff_str:
        lines += ["", "```diff", report.plan_diff_str.replace("```", "'''").rstrip("\n"), "```", ""]
        lines.append(f"{nearness(report)}.{_repair_note(report)}")
    if report.explanations:
        lines += ["", *(f"- {_escaped(explanation)}" for explanation in report.explanations)]
    lines += [f"\n> {_escaped(warning)}" for warning in report.warnings]
    return "\n".join(lines).rstrip("\n") + "\n"


def _escaped(text: str) -> str:
    """Return a text in which nothing is markup."""
    return "".join(f"\\{character}" if character in "\\`*_{}[]<>#|" else character for character in text)


# --- the course of a plan --------------------------------------------------------------------------


def trace_text(timeline: Timeline) -> str:
    """Return what happens as a table: the time, what takes place, what becomes true (+) and false (-), values."""
    head = ("time" if timeline.has_time else "step", "happening", "change")
    return "".join(f"{line}\n" for line in columns([head, *map(cells, timeline.rows)], "rl"))


def cells(row: Row) -> tuple[str, str, str]:
    """Return one row of the table: the time, what takes place, what changes."""
    changes = [*(f"+{atom}" for atom in row.added), *(f"-{atom}" for atom in row.deleted)]
    changes += [f"{fluent} = {short(value)}" for fluent, value in row.values]
    return short(row.time), "; ".join(row.acts) or "(time passes)", "  ".join(changes)


def short(value: Fraction) -> str:
    """Return a value for people: exact where it is short, else rounded to six digits."""
    exact = decimal(value)
    return exact if len(exact) <= 12 and "/" not in exact else rounded(value, ".6g")

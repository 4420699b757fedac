"""A report as elements: verdict, faults, diff, reading, course, states. Colour repeats what signs and words say."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby, starmap
from typing import TYPE_CHECKING, Any

from validator.execution.trace import Failure, Kind, Origin, Timeline
from validator.reading.plan import Completeness, Missed
from validator.render.html.elements import (
    MOST_SHOWN,
    Element,
    Node,
    begun,
    code,
    element,
    folded,
    listed,
    scrolled,
    section,
    table,
)
from validator.render.html.pictures import timeline_picture
from validator.render.html.reading import candidates, reading_tree
from validator.render.json import stamped
from validator.render.states import MOST_STEPS
from validator.render.text import cells, interval_text, nearness
from validator.render.verdict import verdict
from validator.repair.diff import CONTEXT, StepDiff
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.checking.report import Report


_MOST_ATOMS = 5_000
"""atoms of all states together up to which whole states are shown, and not only their changes"""
_OPEN = 60
"""rows up to which the table of the course is shown at once"""
_SIGNS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("unknown", "?")}
_NOTHING: Mapping[str, Any] = {}


def report_tree(report: Report, shown: Mapping[str, Any] = _NOTHING) -> Iterator[Node]:
    """Yield what stands in a report's page, below its heading.

    ``shown`` is what ``execution_value`` returns where the states are shown, under ``read`` the annotated text where
    that is, and under ``animation`` the pictures of the states.
    """
    told = report.faults
    yield from _banner(report)
    if report.failures:
        faults, more = begun(list(zip(report.failures, told, strict=True)), "faults")
        yield section("What is wrong", listed(starmap(_fault, faults)), more)
    if report.plan_diff_obj:
        yield section(nearness(report), *_diff(report))
    if report.outcomes is not None:
        for title, lines in report.outcomes.details(report.report_type.value):
            yield section(f"{title[0].upper()}{title[1:]}", listed(element("li", code(line)) for line in lines))
    if shown.get("animation"):
        yield section("Step by step in pictures", shown["animation"])
    yield from _reading(report, shown)
    if report.timeline is not None:
        yield section("Timeline", *_course(report.timeline))
    if shown.get("states"):
        yield section("Steps and states", *_states(report, told, shown))
    elif report.reference and _has_plan(report):
        shown_steps, more = begun(report.reference, "steps")
        numbered = enumerate(map(stamped, shown_steps), 1)
        steps = (element("li", code(step), id=f"step-{number}") for number, step in numbered)
        why = f"The states of a plan of more than {MOST_STEPS:,} steps are not shown."
        is_long = len(report.reference) > MOST_STEPS
        yield section("Steps", why if is_long else None, element("ol", steps, kind="steps"), more)
    if shown.get("goals"):
        held = sum(goal["holds"] for goal in shown["goals"])
        yield folded(f"Goals: {held} of {len(shown['goals'])} hold at the end", listed(map(_goal, shown["goals"])))
    if shown.get("links"):
        yield folded("Which step makes what true for which", _links(shown))
    if report.warnings:
        yield section("Warnings", listed(element("li", text) for text in report.warnings))


def _has_plan(report: Report) -> bool:
    """Return whether the steps of a report are those of the text's plan."""
    return report.is_understood and report.no_plan is None


# --- verdict and faults ----------------------------------------------------------------------------


def _banner(report: Report) -> Iterator[Node]:
    kind, sign = _SIGNS[report.determination]
    strong = element("strong", element("span", sign, aria_hidden="true"), f" {verdict(report)}")
    reasons = (element("p", text) for text in (report.reason, report.question) if text)
    yield element("div", strong, reasons, kind=f"verdict {kind}", role="status")
    if facts := [(element("dt", name), element("dd", str(text))) for name, text in _facts(report)]:
        yield element("dl", facts)


def _facts(report: Report) -> Iterator[tuple[str, object]]:
    response = report.planner_response
    if _has_plan(report) and (report.reference or report.outcomes is None):
        yield "Steps", len(report.reference)
    if report.cost is not None:
        yield "Cost", decimal(report.cost)
    if report.optimal_cost is not None:
        yield "Cheapest cost", interval_text(report.optimal_cost)
    if response.engine:
        yield "Proven by" if report.proven else "Searched by", response.engine
    if response.note:
        yield "Repair", response.note
    if report.claims_no_plan:
        yield "The text says", "that there is no plan"


def _signed(kind: str, sign: str, *nodes: Any) -> Element:
    return element("li", element("b", sign, aria_hidden="true"), " ", nodes, kind=kind)


def _fault(failure: Failure, message: str) -> Element:
    step = failure.step
    is_linked = step is not None and step < MOST_SHOWN
    return _signed("no", "✗", element("a", message, href=f"#step-{(step or 0) + 1}") if is_linked else message)


def _goal(goal: Mapping[str, Any]) -> Element:
    last = goal["last_held"]
    when = "" if last is None else " (last held initially)" if last < 0 else f" (last held after step {last + 1})"
    holds = " holds" if goal["holds"] else " does not hold"
    return _signed(*_SIGNS[goal["holds"]], code(goal["goal"]), holds, when)


def _reading(report: Report, shown: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the text beside what was read of it, or what was not understood where that is not known."""
    if (read := shown.get("read")) is not None:
        yield folded("How the text was read", *reading_tree(read), is_open=not read.is_clear)
    elif (reading := report.reading) is not None:
        if reading.missed and reading.completeness is not Completeness.COMPLETE:
            yield section("What was not understood", listed(map(_missed, reading.missed)))
        if not report.is_understood and len(reading.candidates) > 1:
            plans = [(one.said, list(map(str, one.plan.steps))) for one in reading.candidates]
            yield section("Which plan is meant?", candidates(plans))


def _missed(missed: Missed) -> Element:
    near = (" (did you mean ", code(missed.nearest), "?)") if missed.nearest else ()
    place = f"line {missed.line}, column {missed.column}: "
    return _signed("unknown", "?", place, code(missed.text), f": {missed.reason}", near)


# --- diff ----------------------------------------------------------------------------------------


def _diff(report: Report) -> Iterator[Node]:
    """Yield the lines of the diff, each with what it is for; long runs of equal lines are folded."""
    reasons, others = _reasons(report)
    changed = [place for place, diff in enumerate(report.plan_diff_obj, 1) if diff.diff_type is not None]
    _, more = begun(changed, "changed lines")
    end = changed[MOST_SHOWN - 1] if more else len(reasons)
    rows = list(_rows(report.plan_diff_obj[:end], reasons[:end]))
    runs = [list(run) for _, run in groupby(rows, key=lambda row: row[1]["class"])]
    shown: list[Element] = []
    for number, run in enumerate(runs):
        begin, end = CONTEXT * (number > 0), len(run) - CONTEXT * (number < len(runs) - 1)
        if run[0][1]["class"] != "same" or end - begin <= CONTEXT:  # too few to be folded
            shown += run
            continue
        yield from _table(shown + run[:begin])
        rest = _table(run[begin:end]) if end - begin <= MOST_STEPS else ("They stand below.",)
        yield folded(f"{end - begin} unchanged steps", *rest)
        shown = run[end:]
    yield from _table(shown)
    yield from [more] if more else []
    if others:
        yield listed(element("li", text) for text in others)


def _table(rows: Sequence[Element]) -> Iterator[Element]:
    if rows:
        names = (element("th", name, scope="col") for name in ("old", "new", "sign", "step"))
        yield element(
            "table", element("thead", element("tr", names), kind="hidden"), element("tbody", rows), kind="diff"
        )


def _reasons(report: Report) -> tuple[list[str], list[str]]:
    """Return what each line of the diff is for, "" where nothing is said, and what is said of no single line."""
    left = list(report.explanations)
    reasons = []
    for diff in report.plan_diff_obj:
        begins = re.compile(rf"[{diff.diff_type}]\d+ {re.escape(str(diff.step))} ") if diff.diff_type else None
        own = begins.match(left[0]) if begins and left else None
        reasons.append(left.pop(0)[own.end() :] if own else "")
    return reasons, left


def _rows(diffs: Iterable[StepDiff], reasons: Iterable[str]) -> Iterator[Element]:
    old = new = 0
    for diff, why in zip(diffs, reasons, strict=True):
        sign = diff.diff_type or ""
        kind, tag = {"+": ("add", "ins"), "-": ("del", "del"), "": ("same", "span")}[sign]
        old, new = old + (sign != "+"), new + (sign != "-")
        step = element("code", element(tag, str(diff.step)))
        reason = (" ", element("span", why, kind="why")) if why else ()
        numbers = (element("td", old if sign != "+" else ""), element("td", new if sign != "-" else ""))
        yield element("tr", numbers, element("td", sign), element("td", step, reason), kind=kind)


# --- course --------------------------------------------------------------------------------------


def _course(timeline: Timeline) -> Iterator[Node]:
    if timeline.has_time or timeline.series:
        yield scrolled(timeline_picture(timeline))
    kept, more = begun(timeline.rows, "rows")
    rows = (element("tr", (element("td", text) for text in cells(row))) for row in kept)
    shown = table(("Time" if timeline.has_time else "Step", "Happening", "Change"), rows, "lines")
    title = f"What changes when: {len(timeline.rows)} rows"
    yield folded(title, shown, more, is_open=len(timeline.rows) <= _OPEN)


# --- states --------------------------------------------------------------------------------------


def _states(report: Report, told: Sequence[str], shown: Mapping[str, Any]) -> Iterator[Node]:
    state = set(shown["init"])
    is_small = len(shown["states"]) * max(1, len(state)) <= _MOST_ATOMS
    yield folded(f"Initially: {len(state)} atoms", _atoms(state))
    faults: dict[tuple[int, bool], list[tuple[Failure, str]]] = {}
    for failure, message in zip(report.failures, told, strict=True):
        if failure.step is not None:
            faults.setdefault((failure.step, failure.kind is Kind.SYNTAX), []).append((failure, message))
    anchored: set[int] = set()
    for step in shown["states"]:
        own = faults.get((step["place"], step["unread"]), ())
        state = (state - set(step["deleted"])) | set(step["added"])
        anchor = None if step["place"] in anchored else f"step-{step['place'] + 1}"
        anchored.add(step["place"])
        whole = folded(f"After: {len(state)} atoms", _atoms(state)) if is_small else None
        inner = (_causes(own), _changes(step), whole)
        yield folded(_head(step, bool(own)), inner, is_open=bool(own), id=anchor, kind="no" if own else "plain")


def _head(step: Mapping[str, Any], is_faulty: bool) -> Iterator[Node]:
    yield element("b", "✗" if is_faulty else "?" if step["unread"] else "✓", aria_hidden="true")
    yield " " if step["unread"] else f" {step['place'] + 1} "
    yield code(step["step"])
    yield " cannot be read" if step["unread"] else " cannot be executed" if is_faulty else ""


def _causes(faults: Sequence[tuple[Failure, str]]) -> Iterator[Node]:
    items = [element("li", message, kind="no") for _, message in faults]
    for cause in (cause for failure, _ in faults for cause in failure.causes):
        if cause.step is not None:
            link = element("a", f"step {cause.step + 1}", href=f"#step-{cause.step + 1}")
            did = " deleted it" if cause.origin is Origin.DELETED else " made the atom true"
            items.append(element("li", code(cause.literal), ": ", link, did))
    if items:
        yield listed(items)


def _changes(step: Mapping[str, Any]) -> Element:
    marks = (("add", "+ ", "ins", step["added"]), ("del", "− ", "del", step["deleted"]))
    items = [
        element("li", sign, element("code", element(tag, atom)), kind=kind)
        for kind, sign, tag, atoms in marks
        for atom in atoms
    ]
    return listed(items, "atoms") if items else element("p", "It changes nothing.")


def _atoms(atoms: Iterable[str]) -> Element:
    return listed((element("li", code(atom)) for atom in sorted(atoms)), "atoms")


# --- causal links ----------------------------------------------------------------------------------


def _links(shown: Mapping[str, Any]) -> Element:
    executed = (state for state in shown["states"] if not state["unread"])
    steps = {state["place"]: f"{state['place'] + 1} {state['step']}" for state in executed}
    told: dict[tuple[int, int], list[str]] = {}
    for link in shown["links"]:
        producer, consumer = link["producer"], link["consumer"]
        ends = (-1 if producer is None else producer, len(steps) if consumer is None else consumer)
        told.setdefault(ends, []).append(link["condition"])
    names = {-1: "the initial state", **steps, len(steps): "the goal"}
    links, more = begun(sorted(told.items()), "pairs of steps")
    rows = (
        element("tr", (element("td", cell) for cell in (names[one], ", ".join(conditions), names[other])))
        for (one, other), conditions in links
    )
    return element("div", table(("Made true by", "Condition", "For"), rows, "lines"), more)

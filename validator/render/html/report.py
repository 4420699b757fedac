"""A report as elements: verdict, faults, diff, how the text was read, course, states. Colour repeats signs and words.

The values are those of ``Report.to_json``, of ``execution_value`` where the states are shown, under ``read`` of
``annotated_value`` where the text is, and under ``animation`` the pictures of the states.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from validator.execution.timeline import Timeline
from validator.render.html.elements import (
    Element,
    Node,
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
from validator.render.timeline import cells

__all__ = ["report_tree"]

_CONTEXT = 3
_FOLD = 10
"""unchanged lines from which on a run is folded"""
_MOST_ATOMS = 50_000
"""atoms of all states together up to which whole states are shown, and not only their changes"""
_OPEN = 60
"""rows up to which the table of the course is shown at once"""
_SIGNS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("unknown", "?")}


def report_tree(value: Mapping[str, Any], timeline: Timeline | None = None) -> Iterator[Node]:
    """Yield what stands in a report's page, below its heading."""
    yield from _banner(value)
    if value["failures"]:
        yield section("What is wrong", listed(map(_fault, value["failures"])))
    if value["plan_diff_obj"]:
        yield section(_diff_title(value), *_diff(value))
    if value.get("outcomes"):
        yield from _outcomes(value["outcomes"])
    if value.get("animation"):
        yield section("Step by step in pictures", value["animation"])
    yield from _reading(value)
    if timeline is not None:
        yield section("Course", *_course(timeline))
    if value.get("states"):
        yield section("Steps and states", *_states(value))
    elif value["reference"] and _has_plan(value):
        steps = (element("li", code(step), id=f"step-{number}") for number, step in enumerate(value["reference"], 1))
        yield section("Steps", element("ol", steps, kind="steps"))
    if value.get("goals"):
        held = sum(goal["holds"] for goal in value["goals"])
        yield folded(f"Goals: {held} of {len(value['goals'])} hold at the end", listed(map(_goal, value["goals"])))
    if value.get("links"):
        yield folded("Which step makes what true for which", _links(value))
    if value["warnings"]:
        yield section("Warnings", listed(element("li", text) for text in value["warnings"]))


def _no_plan(value: Mapping[str, Any]) -> str | None:
    """Return what a text says that has no plan; None for one that has, or was not understood."""
    reading = value.get("reading")
    return reading["no_plan"] if reading and value["is_understood"] else None


def _has_plan(value: Mapping[str, Any]) -> bool:
    """Return whether the steps of a report are those of the text's plan."""
    return bool(value["is_understood"]) and _no_plan(value) is None


# --- verdict and faults ----------------------------------------------------------------------------


def _banner(value: Mapping[str, Any]) -> Iterator[Node]:
    kind, sign = _SIGNS[value["determination"]]
    quality = value["report_type"].upper()
    words = ("RIGHT", "WRONG") if _no_plan(value) == "claim" else (quality, f"NOT {quality}")
    word = {True: words[0], False: words[1], None: "UNKNOWN"}[value["determination"]]
    strong = element("strong", element("span", sign, aria_hidden="true"), f" {word}")
    reasons = (element("p", text) for text in (value["reason"], value["question"]) if text)
    yield element("div", strong, reasons, kind=f"verdict {kind}", role="status")
    if facts := [(element("dt", name), element("dd", str(text))) for name, text in _facts(value)]:
        yield element("dl", facts)


def _facts(value: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    response, interval = value["planner_response"], value["optimal_cost"]
    if outcomes := value.get("outcomes"):
        yield "Right in outcomes", f"{outcomes['right']} ({outcomes['nodes']:,} states)"
    if _has_plan(value) and (value["reference"] or not outcomes):
        yield "Steps", len(value["reference"])
    if value["cost"] is not None:
        yield "Cost", value["cost"]
    if interval is not None:
        lower, upper = interval["lower"], interval["upper"]
        best = "unknown" if upper is None else upper
        yield "Cheapest cost", lower if lower == upper else f"at least {lower}, best known {best}"
    if response["engine"]:
        yield "Proven by" if value["proven"] else "Searched by", response["engine"]
    if response["note"]:
        yield "Repair", response["note"]
    if value["claims_no_plan"]:
        yield "The text says", "that there is no plan"


def _outcomes(value: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the runs that show in which outcomes a plan is right, and the edits of a table."""
    for title, run in (("A run that goes wrong", value["failing"]), ("A run that is right", value["reaching"])):
        if run is not None:
            initial = element("p", "At first: ", code(" ".join(run["initial"]))) if run["initial"] else ""
            yield section(
                title, initial, element("ol", map(_happened, run["steps"]), kind="steps"), element("p", run["end"])
            )
    edits = value["edits"]
    if edits is not None:
        proven = " (proven)" if edits["proven"] else ""
        lines = listed(element("li", code(line)) for line in edits["lines"] or ())
        title = f"The fewest edits{proven}: {edits['least']}" if edits["lines"] else f"No policy is right{proven}"
        yield section(title if edits["proven"] else f"At least {edits['least']} edits are needed", lines)


def _happened(step: Mapping[str, Any]) -> Element:
    changes = " ".join((*(f"+{atom}" for atom in step["added"]), *(f"-{atom}" for atom in step["deleted"])))
    if step["outcomes"] == 1:
        return element("li", code(step["step"]))
    return element("li", code(step["step"]), f", outcome {step['outcome']} of {step['outcomes']}: ", code(changes))


def _signed(kind: str, sign: str, *nodes: Any) -> Element:
    return element("li", element("b", sign, aria_hidden="true"), " ", nodes, kind=kind)


def _fault(failure: Mapping[str, Any]) -> Element:
    step = failure["step"]
    message = failure["message"]
    return _signed("no", "✗", message if step is None else element("a", message, href=f"#step-{step + 1}"))


def _goal(goal: Mapping[str, Any]) -> Element:
    last = goal["last_held"]
    when = "" if last is None else " (last held initially)" if last < 0 else f" (last held after step {last + 1})"
    holds = " holds" if goal["holds"] else " does not hold"
    return _signed(*_SIGNS[goal["holds"]], code(goal["goal"]), holds, when)


def _reading(value: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the text beside what was read of it, or what was not understood where that is not known."""
    if read := value.get("read"):
        is_one = len(read["candidates"]) == 1 or any(one["is_marked"] for one in read["candidates"])
        is_clear = is_one and read["completeness"] == "complete"
        yield folded("How the text was read", *reading_tree(read), is_open=not is_clear)
    elif reading := value.get("reading"):
        if reading["missed"] and reading["completeness"] != "complete":
            yield section("What was not understood", listed(map(_missed, reading["missed"])))
        if not value["is_understood"] and len(reading["candidates"]) > 1:
            yield section("Which plan is meant?", candidates(reading))


def _missed(missed: Mapping[str, Any]) -> Element:
    near = (" (did you mean ", code(missed["nearest"]), "?)") if missed["nearest"] else ()
    place = f"line {missed['line']}, column {missed['column']}: "
    return _signed("unknown", "?", place, code(missed["text"]), f": {missed['reason']}", near)


# --- diff ----------------------------------------------------------------------------------------


def _diff_title(value: Mapping[str, Any]) -> str:
    changes = sum(diff["diff_type"] is not None for diff in value["plan_diff_obj"])
    how, proof = ("The nearest", "proven") if value["proven"] else ("A", "near it, not proven nearest")
    cost = "" if value["repaired_cost"] is None else f", cost {value['repaired_cost']}"
    return f"{how} {value['report_type']} plan ({proof}): {changes} changed line{'s' * (changes != 1)}{cost}"


def _diff(value: Mapping[str, Any]) -> Iterator[Node]:
    """Yield the lines of the diff, each with what it is for; long runs of equal lines are folded."""
    reasons, others = _reasons(value)
    rows = list(_rows(value["plan_diff_obj"], reasons))
    runs = [list(run) for _, run in groupby(rows, key=lambda row: row[1]["class"])]
    shown: list[Element] = []
    for number, run in enumerate(runs):
        before, after = _CONTEXT * (number > 0), _CONTEXT * (number < len(runs) - 1)
        if run[0][1]["class"] != "same" or len(run) < _FOLD:
            shown += run
            continue
        yield from _table(shown + run[:before])
        yield folded(f"{len(run) - before - after} unchanged steps", *_table(run[before : len(run) - after]))
        shown = run[len(run) - after :]
    yield from _table(shown)
    if others:
        yield listed(element("li", text) for text in others)


def _table(rows: Sequence[Element]) -> Iterator[Element]:
    if rows:
        names = (element("th", name, scope="col") for name in ("old", "new", "sign", "step"))
        yield element(
            "table", element("thead", element("tr", names), kind="hidden"), element("tbody", rows), kind="diff"
        )


def _reasons(value: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return what each line of the diff is for, "" where nothing is said, and what is said of no single line."""
    left = list(value["explanations"])
    reasons = []
    for diff in value["plan_diff_obj"]:
        begins = re.compile(rf"[{diff['diff_type']}]\d+ {re.escape(diff['step'])} ") if diff["diff_type"] else None
        own = begins.match(left[0]) if begins and left else None
        reasons.append(left.pop(0)[own.end() :] if own else "")
    return reasons, left


def _rows(diffs: Iterable[Mapping[str, Any]], reasons: Iterable[str]) -> Iterator[Element]:
    old = new = 0
    for diff, why in zip(diffs, reasons, strict=True):
        sign = diff["diff_type"] or ""
        kind, tag = {"+": ("add", "ins"), "-": ("del", "del"), "": ("same", "span")}[sign]
        old, new = old + (sign != "+"), new + (sign != "-")
        step = element("code", element(tag, diff["step"]))
        reason = (" ", element("span", why, kind="why")) if why else ()
        numbers = (element("td", old if sign != "+" else ""), element("td", new if sign != "-" else ""))
        yield element("tr", numbers, element("td", sign), element("td", step, reason), kind=kind)


# --- course --------------------------------------------------------------------------------------


def _course(timeline: Timeline) -> Iterator[Node]:
    if timeline.has_time or timeline.series:
        yield scrolled(timeline_picture(timeline))
    rows = (element("tr", (element("td", text) for text in cells(row))) for row in timeline.rows)
    shown = table(("Time" if timeline.has_time else "Step", "Happening", "Change"), rows, "lines")
    title = f"What changes when: {len(timeline.rows)} rows"
    yield folded(title, shown, is_open=len(timeline.rows) <= _OPEN)


# --- states --------------------------------------------------------------------------------------


def _states(value: Mapping[str, Any]) -> Iterator[Node]:
    state = set(value["init"])
    is_small = len(value["states"]) * max(1, len(state)) <= _MOST_ATOMS
    yield folded(f"Initially: {len(state)} atoms", _atoms(state))
    faults: dict[int, list[Mapping[str, Any]]] = {}
    for failure in value["failures"]:
        if failure["step"] is not None:
            faults.setdefault(failure["step"], []).append(failure)
    anchored: set[int] = set()
    for step in value["states"]:
        own = [one for one in faults.get(step["place"], ()) if (one["kind"] == "syntax") == step["unread"]]
        before = set(state)
        state = (state - set(step["deleted"])) | set(step["added"])
        anchor = None if step["place"] in anchored else f"step-{step['place'] + 1}"
        anchored.add(step["place"])
        whole = (_state("Before", before), _state("After", state)) if is_small else ()
        inner = (_causes(own), _changes(step), whole)
        yield folded(_head(step, own), inner, is_open=bool(own), id=anchor, kind="no" if own else "plain")


def _head(step: Mapping[str, Any], faults: Sequence[Mapping[str, Any]]) -> Iterator[Node]:
    yield element("b", "✗" if faults else "?" if step["unread"] else "✓", aria_hidden="true")
    yield " " if step["unread"] else f" {step['place'] + 1} "
    yield code(step["step"])
    yield " cannot be read" if step["unread"] else " cannot be executed" if faults else ""


def _causes(faults: Sequence[Mapping[str, Any]]) -> Iterator[Node]:
    items = [element("li", fault["message"], kind="no") for fault in faults]
    for cause in (cause for fault in faults for cause in fault["causes"] if cause["step"] is not None):
        link = element("a", f"step {cause['step'] + 1}", href=f"#step-{cause['step'] + 1}")
        did = " deleted it" if cause["origin"] == "deleted" else " made the atom true"
        items.append(element("li", code(cause["literal"]), ": ", link, did))
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


def _state(name: str, atoms: Iterable[str]) -> Element:
    held = sorted(atoms)
    return folded(f"{name}: {len(held)} atoms", _atoms(held))


def _atoms(atoms: Iterable[str]) -> Element:
    return listed((element("li", code(atom)) for atom in sorted(atoms)), "atoms")


# --- causal links ----------------------------------------------------------------------------------


def _links(value: Mapping[str, Any]) -> Element:
    executed = (state for state in value["states"] if not state["unread"])
    steps = {state["place"]: f"{state['place'] + 1} {state['step']}" for state in executed}
    told: dict[tuple[int, int], list[str]] = {}
    for link in value["links"]:
        producer, consumer = link["producer"], link["consumer"]
        ends = (-1 if producer is None else producer, len(steps) if consumer is None else consumer)
        told.setdefault(ends, []).append(link["condition"])
    names = {-1: "the initial state", **steps, len(steps): "the goal"}
    rows = (
        element("tr", (element("td", cell) for cell in (names[one], ", ".join(conditions), names[other])))
        for (one, other), conditions in sorted(told.items())
    )
    return table(("Made true by", "Condition", "For"), rows, "lines")

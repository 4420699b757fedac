"""A report as HTML: verdict, faults, diff, states, goals. No script, no net; colour only repeats signs and words.

The values are those of ``Report.to_json``, and of ``execution_value`` where the states are to be shown: the service
keeps reports as JSON. Every text of a user's is escaped here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from typing import Any

from validator.render.html.beside import beside_body, is_clear
from validator.render.html.course import course_html
from validator.render.html.links import links_html
from validator.render.html.page import changes, folded, listed, page, said, section
from validator.render.html.reading import has_plan, no_plan, reading_sections
from validator.render.html.style import REPORT_STYLE

__all__ = ["report_body", "report_fragment", "report_page"]

_CONTEXT = 3
_FOLD = 10
"""Unchanged lines from which on a run is folded."""
_MOST_ATOMS = 50_000
"""Atoms of all states together up to which whole states are shown, and not only their changes."""


def report_page(value: Mapping[str, Any], title: str = "Plan") -> str:
    """Return a page that stands alone."""
    return page(escape(title), REPORT_STYLE, f"<h1>{escape(title)}</h1>\n{report_body(value)}")


_SCOPE = ":scope { color: var(--text); background: var(--back); }"


def report_fragment(value: Mapping[str, Any]) -> str:
    """Return a report for a place in another page; its style stays inside."""
    style = REPORT_STYLE.replace(":root", ":scope")
    return f"<div class=plan-report><style>@scope {{{style}{_SCOPE}}}</style>{report_body(value)}</div>"


def report_body(value: Mapping[str, Any]) -> str:
    """Return what stands in the body of a page."""
    return "\n".join(_sections(value))


def _sections(value: Mapping[str, Any]) -> Iterator[str]:
    yield _banner(value)
    if value.get("read"):
        yield folded("How the text was read", beside_body(value["read"]), is_open=not is_clear(value["read"]))
    if value["failures"]:
        yield section("What is wrong", listed(map(_fault, value["failures"])))
    yield from reading_sections(value)
    if value["plan_diff_obj"]:
        yield section(_diff_title(value), *_diff(value))
    if value.get("goals"):
        yield section("Goals", listed(map(_goal, value["goals"])))
    if value.get("timeline"):
        yield section("Course", *course_html(value["timeline"]))
    if value.get("states"):
        yield section("Steps and states", *_states(value))
    elif value["reference"] and has_plan(value):
        yield section("Steps", _numbered(value["reference"]))
    if value.get("links"):
        yield section("Who made what true for whom", *links_html(value))
    if value["warnings"]:
        yield section("Warnings", listed(f"<li>{said(text)}</li>" for text in value["warnings"]))


def _numbered(steps: Sequence[str]) -> str:
    items = (f"<li id=step-{number}><code>{said(step)}</code></li>" for number, step in enumerate(steps, 1))
    return f"<ol class=steps>{''.join(items)}</ol>"


# --- verdict -------------------------------------------------------------------------------------

_SIGNS = {True: ("yes", "✓"), False: ("no", "✗"), None: ("unknown", "?")}


def _banner(value: Mapping[str, Any]) -> str:
    determination = value["determination"]
    kind, sign = _SIGNS[determination]
    quality = value["report_type"].upper()
    words = ("RIGHT", "WRONG") if no_plan(value) == "claim" else (quality, f"NOT {quality}")
    word = {True: words[0], False: words[1], None: "UNKNOWN"}[determination]
    reason = "".join(f"<p>{said(text)}</p>" for text in (value["reason"], value.get("question")) if text)
    facts = "".join(f"<dt>{name}</dt><dd>{said(text)}</dd>" for name, text in _facts(value))
    return (
        f'<div class="verdict {kind}" role=status><strong><span aria-hidden=true>{sign}</span> {word}</strong>'
        f"{reason}</div><dl>{facts}</dl>"
    )


def _facts(value: Mapping[str, Any]) -> Iterator[tuple[str, object]]:
    if has_plan(value):
        yield "Steps", len(value["reference"])
    if value["cost"] is not None:
        yield "Cost", value["cost"]
    if (interval := value["optimal_cost"]) is not None:
        lower, upper = interval["lower"], interval["upper"]
        best = "unknown" if upper is None else upper
        yield "Cheapest cost", lower if lower == upper else f"at least {lower}, best known {best}"
    if value["planner_response"]["engine"]:
        yield "Planner", f"{value['planner_response']['engine']}: {value['planner_response']['status']}"
    if value["planner_response"].get("note"):
        yield "Repair", value["planner_response"]["note"]
    if value["claims_no_plan"]:
        yield "The text says", "that there is no plan"


def _fault(failure: Mapping[str, Any]) -> str:
    message = said(failure["message"])
    if failure["step"] is None:
        return f"<li class=no><b aria-hidden=true>✗</b> {message}</li>"
    return f'<li class=no><b aria-hidden=true>✗</b> <a href="#step-{failure["step"] + 1}">{message}</a></li>'


def _goal(goal: Mapping[str, Any]) -> str:
    kind, sign = _SIGNS[goal["holds"]]
    last = goal["last_held"]
    when = "" if last is None else " (last held initially)" if last < 0 else f" (last held after step {last + 1})"
    word = "holds" if goal["holds"] else "does not hold"
    return f"<li class={kind}><b aria-hidden=true>{sign}</b> <code>{said(goal['goal'])}</code> {word}{when}</li>"


# --- diff ----------------------------------------------------------------------------------------

_Line = tuple[int | None, int | None, str, str, str]  # old number, new number, sign, step, why it changes


def _diff_title(value: Mapping[str, Any]) -> str:
    changes = sum(diff["diff_type"] is not None for diff in value["plan_diff_obj"])
    how = "The nearest" if value["proven"] else "A"
    proof = "proven" if value["proven"] else "near it, not proven nearest"
    cost = "" if value["repaired_cost"] is None else f", cost {value['repaired_cost']}"
    lines = f"{changes} changed line{'s' if changes != 1 else ''}"
    return f"{how} {value['report_type']} plan ({proof}): {lines}{cost}"


def _lines(diffs: Iterable[Mapping[str, Any]], reasons: Iterable[str]) -> Iterator[_Line]:
    old = new = 0
    for diff, why in zip(diffs, reasons, strict=True):
        sign = diff["diff_type"] or " "
        old, new = old + (sign != "+"), new + (sign != "-")
        yield (old if sign != "+" else None, new if sign != "-" else None, sign, diff["step"], why)


def _reasons(value: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Return what each line of the diff is for, "" where nothing is said, and what is said of no single line."""
    left = list(value["explanations"])
    reasons = []
    for diff in value["plan_diff_obj"]:
        begins = f"{diff['diff_type']}{diff['step']} "
        is_own = diff["diff_type"] is not None and bool(left) and left[0].startswith(begins)
        reasons.append(left.pop(0).removeprefix(begins) if is_own else "")
    return reasons, left


def _diff(value: Mapping[str, Any]) -> Iterator[str]:
    reasons, others = _reasons(value)
    lines = list(_lines(value["plan_diff_obj"], reasons))
    for shown, part in _folded(lines):
        table = f"<table class=diff>{_HEAD}{''.join(map(_row, part))}</table>"
        yield table if shown else f"<details><summary>{len(part)} unchanged steps</summary>{table}</details>"
    pairs = "".join(_pair(*pair) for pair in _paired(lines))
    heads = "<tr><th scope=col colspan=2>Plan</th><th scope=col colspan=2>Repaired</th></tr>"
    yield f"<details><summary>Side by side</summary><table class='diff wide'>{heads}{pairs}</table></details>"
    yield f"<details><summary>As text</summary>{changes(value['plan_diff_str'])}</details>"
    if others:
        yield listed(f"<li>{said(text)}</li>" for text in others)


_HEAD = (
    "<thead class=hidden><tr><th scope=col>old</th><th scope=col>new</th><th scope=col>sign</th>"
    "<th scope=col>step</th></tr></thead>"
)


def _folded(lines: Sequence[_Line]) -> Iterator[tuple[bool, list[_Line]]]:
    """Yield the lines in parts, each with whether it is shown: long runs of equal lines are not."""
    shown: list[_Line] = []
    runs = [(same, list(run)) for same, run in groupby(lines, key=lambda line: line[2] == " ")]
    for number, (same, run) in enumerate(runs):
        before, after = _CONTEXT * (number > 0), _CONTEXT * (number < len(runs) - 1)
        if not same or len(run) < _FOLD:
            shown += run
            continue
        yield True, shown + run[:before]
        yield False, run[before : len(run) - after]
        shown = run[len(run) - after :]
    yield True, shown


def _row(line: _Line) -> str:
    old, new, sign, step, why = line
    kind = {"+": "add", "-": "del"}.get(sign, "same")
    reason = f" <span class=why>{said(why)}</span>" if why else ""
    return (
        f"<tr class={kind}><td>{old or ''}</td><td>{new or ''}</td><td>{sign}</td>"
        f"<td>{_marked(sign, step)}{reason}</td></tr>"
    )


def _marked(sign: str, step: str) -> str:
    tag = {"+": "ins", "-": "del"}.get(sign, "span")
    return f"<code><{tag}>{said(step)}</{tag}></code>"


def _paired(lines: Sequence[_Line]) -> Iterator[tuple[_Line | None, _Line | None]]:
    """Yield both sides of each line; deleted lines stand beside added ones."""
    for same, run in groupby(lines, key=lambda line: line[2] == " "):
        part = list(run)
        if same:
            yield from ((line, line) for line in part)
            continue
        left = [line for line in part if line[2] == "-"]
        right = [line for line in part if line[2] == "+"]
        for number in range(max(len(left), len(right))):
            yield (left[number] if number < len(left) else None, right[number] if number < len(right) else None)


def _pair(left: _Line | None, right: _Line | None) -> str:
    cells = []
    for side, number in ((left, 0), (right, 1)):
        if side is None:
            cells.append("<td></td><td></td>")
        else:
            sign = side[2]
            shown = sign if sign != " " else ""
            kind = {"+": "add", "-": "del"}.get(sign, "same")
            cells.append(f"<td>{side[number]}</td><td class={kind}>{shown} {_marked(sign, side[3])}</td>")
    return f"<tr>{''.join(cells)}</tr>"


# --- states --------------------------------------------------------------------------------------


def _states(value: Mapping[str, Any]) -> Iterator[str]:
    state = set(value["init"])
    is_small = len(value["states"]) * max(1, len(state)) <= _MOST_ATOMS
    yield f"<details><summary>Initially: {len(state)} atoms</summary>{_atoms(sorted(state))}</details>"
    faults: dict[int, list[Mapping[str, Any]]] = {}
    for failure in value["failures"]:
        if failure["step"] is not None:
            faults.setdefault(failure["step"], []).append(failure)
    anchored: set[int] = set()
    for step in value["states"]:
        own = [one for one in faults.get(step["place"], ()) if (one["kind"] == "syntax") == step["unread"]]
        before = sorted(state)
        state -= set(step["deleted"])
        state |= set(step["added"])
        anchor = "" if step["place"] in anchored else f' id="step-{step["place"] + 1}"'
        anchored.add(step["place"])
        whole = f"{_state('Before', before)}{_state('After', sorted(state))}" if is_small else ""
        yield (
            f"<details{anchor} class={'no' if own else 'plain'}{' open' if own else ''}><summary>{_head(step, own)}"
            f"</summary>{_causes(own)}{_changes(step)}{whole}</details>"
        )


def _head(step: Mapping[str, Any], faults: Sequence[Mapping[str, Any]]) -> str:
    sign = "✗" if faults else "?" if step["unread"] else "✓"
    number = "" if step["unread"] else f"{step['place'] + 1} "
    word = "cannot be read" if step["unread"] else "cannot be executed" if faults else ""
    return f"<b aria-hidden=true>{sign}</b> {number}<code>{said(step['step'])}</code> {word}"


def _causes(faults: Sequence[Mapping[str, Any]]) -> str:
    items = [f"<li class=no>{said(fault['message'])}</li>" for fault in faults]
    items += [
        f'<li><code>{said(cause["literal"])}</code>: <a href="#step-{cause["step"] + 1}">step {cause["step"] + 1}</a> '
        f"{'deleted it' if cause['origin'] == 'deleted' else 'made the atom true'}</li>"
        for fault in faults
        for cause in fault["causes"]
        if cause["step"] is not None
    ]
    return listed(items) if items else ""


def _changes(step: Mapping[str, Any]) -> str:
    added = (f"<li class=add>+ <code><ins>{said(atom)}</ins></code></li>" for atom in step["added"])
    deleted = (f"<li class=del>− <code><del>{said(atom)}</del></code></li>" for atom in step["deleted"])
    return listed((*added, *deleted), "atoms") if step["added"] or step["deleted"] else "<p>It changes nothing.</p>"


def _state(name: str, atoms: Sequence[str]) -> str:
    return f"<details><summary>{name}: {len(atoms)} atoms</summary>{_atoms(atoms)}</details>"


def _atoms(atoms: Iterable[str]) -> str:
    return listed((f"<li><code>{said(atom)}</code></li>" for atom in atoms), "atoms")

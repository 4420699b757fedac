"""A dialogue as text, as JSON, and as a page with the plans side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from validator.automata.constraints import WithinCost
from validator.automata.world import keeps
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.foils.answer import Answer, answer_text, answer_value
from validator.foils.changes import Change, Wish, changed, changes_of, constraints_of
from validator.foils.constrained import constrained_model
from validator.foils.dialogue import Dialogue, Subject, subject_of, to_value
from validator.foils.language.asked import Asked
from validator.foils.language.patterns import PDDL, View, names_of
from validator.foils.language.read import read_question
from validator.reading.plan import Plan, Step
from validator.records import dataclass
from validator.render.html.page import page, said, scrolled, section
from validator.render.html.style import REPORT_STYLE
from validator.render.json import plain
from validator.repair.sequences import common_pairs
from validator.texts import decimal

__all__ = ["Row", "answer_page", "dialogue_page", "dialogue_text", "dialogue_value", "rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One plan: the number of its answer, 0 for the plan that is asked about; ``met`` says of each question whether
    the plan keeps to it, None where that cannot be said."""

    number: int
    active: tuple[int, ...]
    possible: bool | None
    steps: tuple[str, ...] | None
    cost: Fraction | None
    edits: int | None
    proven: bool
    met: tuple[bool | None, ...]


def rows(dialogue: Dialogue, about: Prepared | Subject) -> list[Row]:
    """Return the plan and what came of each answer."""
    if dialogue.plan is None:
        return []
    subject = subject_of(about)
    wishes = _wishes(dialogue, subject)
    own = _row(subject, wishes, 0, (), dialogue.plan)
    found = [own]
    for number, turn in enumerate(dialogue.turns, start=1):
        row = _row(subject, wishes, number, turn.active, turn.steps)
        found.append(
            Row(
                number=number,
                active=turn.active,
                possible=turn.possible,
                steps=turn.steps,
                cost=None if turn.cost is None else Fraction(turn.cost),
                edits=turn.edits,
                proven=turn.proven,
                met=row.met,
            )
        )
    return found


def _wishes(dialogue: Dialogue, subject: Subject) -> list[tuple[Wish, ...]]:
    """Return what each question asks for."""
    assert dialogue.plan is not None
    simulator = subject.prepared.simulator
    asked = Asked(
        simulator=simulator,
        names=subject.names or names_of(simulator),
        view=subject.view,
        plan=subject.plan(dialogue.plan),
        has_facts=subject.view is PDDL,
    )
    return [read_question(text, asked).constraints for text in dialogue.questions]


def _row(
    subject: Subject,
    wishes: Sequence[tuple[Wish, ...]],
    number: int,
    active: Sequence[int],
    steps: tuple[str, ...] | None,
) -> Row:
    changes = [wish for place in active for wish in changes_of(wishes[place - 1])]
    prepared = subject.prepared
    there = _changed(prepared, changes)
    plan = None if steps is None or there is None else subject.plan(steps, there)
    is_valid, cost = (None, None) if plan is None or there is None else _executed(there, plan)
    return Row(
        number=number,
        active=tuple(active),
        possible=None if number else is_valid is True,
        steps=steps,
        cost=cost,
        edits=0,
        proven=False,
        met=tuple(
            _met(there, _changed(prepared, [*changes, *changes_of(each)]), each, plan, cost, subject.view)
            for each in wishes
        ),
    )


def _met(
    there: Prepared | None,
    other: Prepared | None,
    asked: Sequence[Wish],
    plan: Plan | None,
    cost: Fraction | None,
    view: View,
) -> bool | None:
    """Return whether a plan keeps to a question; to one that changes the model, if it is valid in the ``other``."""
    if plan is None or there is None:
        return None
    if other is None or (changes_of(asked) and not _executed(other, plan)[0]):
        return False
    constraints = constraints_of(asked)
    budgets = [each.cost for each in constraints if isinstance(each, WithinCost)]
    if budgets and (cost is None or cost > min(budgets)):
        return False
    if there.model.features:
        # What is asked of such a model is written into it: a plan that is valid there keeps to it.
        return _executed(prepare(constrained_model(there.model, constraints)), plan)[0] if cost is not None else None
    steps = [step for step in map(there.simulator.resolve, plan.tokens) if isinstance(step, Step)]
    return keeps(there.simulator, constraints, steps, view.show)


def _executed(model: Prepared, plan: Plan) -> tuple[bool | None, Fraction | None]:
    """Return whether a plan is valid, and what it costs if it is."""
    if not model.model.features:
        trace = model.simulator.run(plan)
        return trace.is_valid, trace.cost if trace.is_valid else None
    report = check(model, None, plan, repair=False, strict=True)
    return report.determination, report.cost if report.determination else None


def _changed(prepared: Prepared, changes: Sequence[Change]) -> Prepared | None:
    try:
        return prepare(changed(prepared.model, dict.fromkeys(changes))) if changes else prepared
    except InputError:  # changes that exclude each other
        return None


_MARKS = {True: "yes", False: "no", None: "-"}
_STYLE = REPORT_STYLE + " td.new { font-weight: bold } pre.plan { margin: 0 } .scroll td { overflow-wrap: normal }"


def dialogue_text(dialogue: Dialogue, answer: Answer, about: Prepared | Subject, *, color: bool = False) -> str:
    """Return the last answer, the questions and the table of the plans so far."""
    return "".join((answer_text(answer, color=color), "\n", *(f"{line}\n" for line in _table(dialogue, about))))


def _table(dialogue: Dialogue, about: Prepared | Subject) -> Iterator[str]:
    for number, text in enumerate(dialogue.questions, start=1):
        yield f"{number}. {text}{'' if number in dialogue.active else ' (dropped)'}"
    lines = [_head(dialogue), *(_cells(row) for row in rows(dialogue, about))]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        yield "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _head(dialogue: Dialogue) -> list[str]:
    return ["plan", "asked", "cost", "changes", *(f"{number}." for number in range(1, len(dialogue.questions) + 1))]


def _cells(row: Row) -> list[str]:
    name = "given" if row.number == 0 else str(row.number)
    asked = "-" if row.number == 0 else " ".join(map(str, row.active))
    if row.steps is None:
        cost = "impossible" if row.possible is False else "unknown"
    else:
        cost = "invalid" if row.cost is None else decimal(row.cost) + ("" if row.proven or not row.number else " ?")
    changes = "-" if row.steps is None or row.edits is None else str(row.edits)
    return [name, asked, cost, changes, *(_MARKS[met] for met in row.met)]


def dialogue_value(dialogue: Dialogue, answer: Answer, about: Prepared | Subject) -> dict[str, Any]:
    """Return the last answer, the dialogue, which is to be given back with the next question, and the table."""
    table = [
        {
            "plan": row.number,
            "asked": list(row.active),
            "possible": row.possible,
            "cost": plain(row.cost),
            "edits": row.edits,
            "proven": row.proven,
            "steps": None if row.steps is None else list(row.steps),
            "met": list(row.met),
        }
        for row in rows(dialogue, about)
    ]
    return {"answer": answer_value(answer), "dialogue": to_value(dialogue), "table": table}


def dialogue_page(dialogue: Dialogue, answer: Answer, about: Prepared | Subject) -> str:
    """Return a page: the last answer, the questions, the table, and the plans side by side."""
    compared = rows(dialogue, about)
    asked = "".join(
        f"<li>{said(text)}{'' if number in dialogue.active else ' (dropped)'}</li>"
        for number, text in enumerate(dialogue.questions, start=1)
    )
    told = "".join(f"<p>{said(sentence)}</p>" for sentence in answer.sentences)
    body = "".join(
        (
            "<h1>Why not another plan?</h1>",
            section("Answer", told),
            section("Questions", f"<ol>{asked}</ol>"),
            section("Plans so far", _html(_head(dialogue), map(_cells, compared))),
            section("Side by side", _side_by_side(compared)),
        )
    )
    return page("Why not another plan?", _STYLE, body)


def answer_page(text: str) -> str:
    """Return the page of an answer that is no turn of a dialogue, of its text."""
    title, told = "Why not another plan?", f'<pre class="plan">{said(text)}</pre>'
    return page(title, _STYLE, f"<h1>{title}</h1>{section('Answer', told)}")


def _html(head: Sequence[str], lines: Iterator[list[str]]) -> str:
    titles = "".join(f'<th scope="col">{said(cell)}</th>' for cell in head)
    body = "".join(f"<tr>{''.join(f'<td>{said(cell)}</td>' for cell in line)}</tr>" for line in lines)
    return scrolled(f"<table><thead><tr>{titles}</tr></thead><tbody>{body}</tbody></table>", "scroll")


def _side_by_side(compared: Sequence[Row]) -> str:
    """Return the plans as columns, what they have in common with the given one beside it; what is new stands out."""
    shown = [row for row in compared if row.steps is not None]
    if not shown:
        return ""
    titles = "".join(f'<th scope="col">{"given" if not row.number else row.number}</th>' for row in shown)
    own, lines = shown[0].steps or (), []
    for number, cells in _aligned(own, [row.steps or () for row in shown]):
        told = "".join(f"<td{'' if number or not cell else _NEW}>{said(cell)}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{number or ""}</th>{told}</tr>')
    table = f'<table><thead><tr><th scope="col">step</th>{titles}</tr></thead><tbody>{"".join(lines)}</tbody></table>'
    return scrolled(table, "scroll")


_NEW = ' class="new"'


def _aligned(own: Sequence[str], plans: Sequence[Sequence[str]]) -> Iterator[tuple[int, list[str]]]:
    """Yield lines of plans side by side: the number of a step of the first plan, 0 for what stands between its steps.

    A plan has an empty cell where it does not have the step, or fewer between two of them.
    """
    places = [dict(common_pairs(own, plan)) for plan in plans]
    done = [0] * len(plans)
    for number in range(len(own) + 1):
        ends = [
            there.get(number, at if number < len(own) else len(plan))
            for there, at, plan in zip(places, done, plans, strict=True)
        ]
        between = [plan[at:end] for plan, at, end in zip(plans, done, ends, strict=True)]
        for line in range(max(map(len, between))):
            yield 0, [part[line] if line < len(part) else "" for part in between]
        if number < len(own):
            yield number + 1, [own[number] if number in there else "" for there in places]
        done = [end + (number in there) for end, there in zip(ends, places, strict=True)]

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
from validator.foils.dialogue import Dialogue, Subject, Turn, subject_of, to_value
from validator.foils.language.context import Context
from validator.foils.language.patterns import View
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
    turn: Turn
    met: tuple[bool | None, ...]


def rows(dialogue: Dialogue, about: Prepared | Subject) -> list[Row]:
    """Return the plan and what came of each answer."""
    if dialogue.plan is None:
        return []
    subject = subject_of(about)
    is_valid, cost = _executed(subject.prepared, subject.plan(dialogue.plan))
    given = Turn(active=(), possible=is_valid is True, sentences=(), steps=dialogue.plan, cost=cost, edits=0)
    wishes = _wishes(dialogue, subject)
    return [
        Row(number=number, turn=turn, met=_all_met(subject, wishes, turn))
        for number, turn in enumerate((given, *dialogue.turns))
    ]


def _wishes(dialogue: Dialogue, subject: Subject) -> list[tuple[Wish, ...]]:
    """Return what each question asks for."""
    assert dialogue.plan is not None
    plan = subject.plan(dialogue.plan)
    asked = Context(simulator=subject.prepared.simulator, view=subject.view, plan=plan)
    return [read_question(text, asked).constraints for text in dialogue.questions]


def _all_met(subject: Subject, wishes: Sequence[tuple[Wish, ...]], turn: Turn) -> tuple[bool | None, ...]:
    """Return whether the plan of an answer keeps to each question, in the model that its questions ask about."""
    changes = [wish for place in turn.active for wish in changes_of(wishes[place - 1])]
    there = _changed(subject.prepared, changes)
    plan = None if turn.steps is None or there is None else subject.plan(turn.steps, there)
    if plan is None or there is None:
        return (None,) * len(wishes)
    cost = _executed(there, plan)[1]
    others = (_changed(subject.prepared, [*changes, *changes_of(each)]) for each in wishes)
    return tuple(_met(there, other, each, plan, cost, subject.view) for each, other in zip(wishes, others, strict=True))


def _met(
    there: Prepared,
    other: Prepared | None,
    asked: Sequence[Wish],
    plan: Plan,
    cost: Fraction | None,
    view: View,
) -> bool | None:
    """Return whether a plan keeps to a question; to one that changes the model, if it is valid in the ``other``."""
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
    turn, name = row.turn, str(row.number) if row.number else "given"
    asked = " ".join(map(str, turn.active)) if row.number else "-"
    if turn.steps is None:
        cost = "impossible" if turn.possible is False else "unknown"
    else:
        cost = "invalid" if turn.cost is None else decimal(turn.cost) + ("" if turn.proven or not row.number else " ?")
    changes = "-" if turn.steps is None or turn.edits is None else str(turn.edits)
    return [name, asked, cost, changes, *(_MARKS[met] for met in row.met)]


def dialogue_value(dialogue: Dialogue, answer: Answer, about: Prepared | Subject) -> dict[str, Any]:
    """Return the last answer, the dialogue, which is to be given back with the next question, and the table."""
    names = ("possible", "cost", "edits", "proven", "steps")
    table = [
        {
            "plan": row.number,
            "asked": list(row.turn.active),
            **{name: plain(getattr(row.turn, name)) for name in names},
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
    shown = [row for row in compared if row.turn.steps is not None]
    if not shown:
        return ""
    titles = "".join(f'<th scope="col">{"given" if not row.number else row.number}</th>' for row in shown)
    own, lines = shown[0].turn.steps or (), []
    for number, cells in _aligned(own, [row.turn.steps or () for row in shown]):
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

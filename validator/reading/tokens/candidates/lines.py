"""The plans that a text may mean which goes line by line: its zones, its runs of steps, and sentences behind them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.reading.lexicon import Said
from validator.reading.plan import Dialect, Ignored, Plan, Span, Step, Unparsed
from validator.reading.reading import Candidate
from validator.reading.tokens.around.marks import blanked, line_ended, tagged
from validator.reading.tokens.around.transcripts import transcript
from validator.reading.tokens.candidates.candidate import WHOLE, candidate_of, restored, warned, with_missed
from validator.reading.tokens.mentions import mentions
from validator.reading.tokens.notations.lines.lines import read_lines
from validator.reading.tokens.rows import Row, failed, rows_of, told_again, zone
from validator.reading.tokens.segments import Selection, has_totals, selections
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace

__all__ = ["by_lines"]

_QUOTED_CALLS = re.compile(r"[\"'{]{1,9}+(?=([^\W\d][\w.-]*+)\()")
_JOINED_CALLS = re.compile(r"\),(?=([^\W\d][\w.-]*+)\()")
_OPENING_QUOTE = re.compile(r"^([^\S\n]*+)\"(?=\w)", re.MULTILINE)
_BETWEEN_TEXTS = re.compile(r"\",[^\S\n]*+\"(?=\w)")
_BARE = frozenset(("space", "comment"))
_FIRST = re.compile(r"\(([^\s();]++)")
_SEMICOLONS = re.compile(r"\s*+(?:\([^\s();][^();\n]*+\)[^\S\n]*+;[^\S\n]*+)++\([^\s();][^();\n]*+\)[\s;]*+")


def _has_semicolons(text: str, known: Vocabulary) -> bool:
    """Return whether a text is one line of the model's steps with semicolons between them."""
    is_line = _SEMICOLONS.fullmatch(text) is not None
    return is_line and known.actions.keys() >= {name.lower() for name in _FIRST.findall(text)}


def _text_ended(visible: str) -> str:
    """Return what is visible of a list of texts with an end of line for the quotes and the comma between two."""
    return _BETWEEN_TEXTS.sub(lambda match: " " * (len(match[0]) - 1) + "\n", visible)


def by_lines(text: str, visible: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that the lines of what is visible of a text may mean."""
    written, visible = visible, line_ended(visible)
    is_quoted = dialect is None and visible != written
    talk = transcript(_text_ended(_OPENING_QUOTE.sub(r"\1 ", visible))) if is_quoted else None
    if talk is not None and not talk.is_wire:
        visible = blanked(visible, list(talk.hidden))  # it stands in a text of JSON
    if dialect is None and known.actions and ('"' in visible or "{" in visible or "'" in visible):
        visible = _QUOTED_CALLS.sub(lambda match: " " * len(match[0]) if known.written(match[1]) else match[0], visible)
    if dialect is None and known.actions and ")," in visible:
        visible = _JOINED_CALLS.sub(lambda match: ") " if known.written(match[1]) else match[0], visible)
    if dialect is None and _has_semicolons(visible, known):
        visible = visible.replace(";", " ")  # a comment would hide the rest of the plan
    found = _in_lines(text, visible, known, dialect)
    if dialect is None and known.lexicon is not None and not found[0].plan.steps and found[0].plan.parts:
        in_words = _in_lines(text, visible, known, None, Dialect.WORDS)  # its calls may only say the sentences again
        return in_words if in_words[0].plan.steps else found
    return found


def _in_lines(
    text: str, visible: str, known: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None
) -> list[Candidate]:
    plan = read_lines(visible, known, dialect, hint)
    is_bare = visible is text and _BARE.issuperset([part.kind for part in plan.parts if isinstance(part, Ignored)])
    if is_bare and not has_totals(text):
        return [candidate_of(plan)]  # steps and nothing else
    rows = rows_of(visible, plan)
    warnings: list[str] = []
    counted, said, is_marked = _zone(visible, rows)
    if said:
        inside = {row.start for row in counted}
        outside = [(row.start, row.end) for row in rows if row.start not in inside]
        count = sum(bool(row.tokens) for row in rows if row.start not in inside)
        if count:
            warnings.append(f"{count} lines with steps outside of the {said} are not part of the plan")
            visible = blanked(visible, outside)
            plan = read_lines(visible, known, dialect, hint)
            rows = rows_of(visible, plan)
    if dialect is None and (again := [(row.start, row.end) for row in told_again(rows)]):
        visible = blanked(visible, again)
        plan = read_lines(visible, known, dialect, hint)
        rows = rows_of(visible, plan)
        warnings.append(f"{len(again)} lines that offer steps, or say that they are done, are not part of the plan")
    if dialect is None and (undone := [(row.start, row.end) for row in failed(rows)]):
        visible = blanked(visible, undone)
        plan = read_lines(visible, known, dialect, hint)
        rows = rows_of(visible, plan)
        several = "s" * (len(undone) > 1)
        warnings.append(f"{len(undone)} step{several} that failed: no change comes of that")
    found = selections(rows, lambda row: f"line {text.count(chr(10), 0, row.start) + 1}")
    if not found:
        candidate = candidate_of(warned(restored(plan, text), warnings), said or WHOLE, is_marked, rows)
        candidate = replace(candidate, mentions=mentions(plan, known))
        return [candidate if said or dialect is not None else with_missed(candidate, _ordered(rows, plan, known))]
    return [_selected(text, visible, plan, one, warnings, known, dialect, rows) for one in found]


_NEXT = re.compile(r"\W*(?:and\s+)?(?:then|next|finally|lastly|afterwards?|after\s+that|now)\b", re.IGNORECASE)


def _ordered(rows: Sequence[Row], plan: Plan, known: Vocabulary) -> Iterator[Unparsed]:
    """Yield what sentences behind the steps of a formal plan order besides: "Then lift b."."""
    if known.lexicon is None or plan.dialect is Dialect.WORDS or not plan.steps:
        return
    steps = {(step.name, step.args) for step in plan.steps}
    last = max(place for place, row in enumerate(rows) if row.tokens)
    for row in rows[last + 1 :]:
        goes_on = _NEXT.match(row.text) is not None
        for told in known.lexicon.sentences(row.text, row.start):
            is_said = isinstance(told, Said) and told.begins and told.exact
            is_new = isinstance(told, Said) and (told.step.name, told.step.args) not in steps
            if (is_said and is_new) or (goes_on and not isinstance(told, Said)):
                yield Unparsed(text=row.text.strip(), reason="it may be a step, or only speak of one", span=told.span)


def _zone(visible: str, rows: list[Row]) -> tuple[list[Row], str, bool]:
    """Return the rows that count alone, and how their place is called; an empty name where all count."""
    counted, said, is_marked = zone(rows)
    if said:
        return counted, said, is_marked
    answers = [span for span in tagged(visible) if any(row.tokens and _within(row, span) for row in rows)]
    if answers:
        return [row for row in rows if _within(row, answers[-1])], "tags", True
    return counted, "", False


def _within(row: Row, span: Span) -> bool:
    return row.start < span[1] and row.end > span[0]


def _selected(
    text: str,
    visible: str,
    whole: Plan,
    selection: Selection,
    warnings: list[str],
    known: Vocabulary,
    dialect: Dialect | None,
    rows: Sequence[Row],
) -> Candidate:
    plan = whole
    if selection.left_out:
        plan = read_lines(blanked(visible, list(selection.left_out)), known, dialect, whole.dialect)
    told = warned(restored(plan, text), [*warnings, *selection.warnings])
    kept = [row for row in rows if not any(_within(row, span) for span in selection.left_out)]
    candidate = candidate_of(told, selection.said, selection.is_marked, kept)
    candidate = replace(candidate, is_joined=selection.is_joined)
    inside = {row.start for row in kept}
    left_out = [step for row in rows if row.start not in inside for step in row.tokens if isinstance(step, Step)]
    named = [*mentions(plan, known), *(() if selection.is_marked or selection.is_block else left_out)]
    return replace(candidate, mentions=tuple(sorted(named, key=lambda step: step.span)))

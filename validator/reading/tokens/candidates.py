"""The plans that the lines of a text may mean, each with what was not understood of it, or is doubtful.

The lines are read once. Those with steps fall into runs, and a candidate has the tokens of some of them; what others
tell is prose. What stands there is mostly a remark, and what stands in parentheses like a step is mostly one: where
the plan has its quality only if one of them is the other, nothing can be said of it. The same holds for arguments with
names of their own, ``{"target": "d", "block": "b"}``, which tell no place, and for plans whose author has other names
than the model.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from validator.reading.lexicon import Said
from validator.reading.lexicon.english import THEN
from validator.reading.plan import Candidate, Constraint, Dialect, Ignored, Part, Plan, Span, Step, Unparsed
from validator.reading.tokens.blocks.asides import blanked, line_ended, printed_alone, tagged
from validator.reading.tokens.blocks.rows import (
    Row,
    abridged,
    backwards,
    gaps,
    rows_of,
    taken_back,
    told_again,
    zone,
)
from validator.reading.tokens.blocks.segments import Selection, has_totals, selections
from validator.reading.tokens.blocks.transcripts import transcript
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import places_of
from validator.records import replace

__all__ = [
    "WHOLE",
    "as_written",
    "by_lines",
    "candidate_of",
    "remarks",
    "strange",
    "with_missed",
    "without_foreign_names",
]

WHOLE = "the whole text"
_GAP = "no step could be read from this item of the list"


def candidate_of(plan: Plan, said: str = WHOLE, is_marked: bool = False, rows: Sequence[Row] = ()) -> Candidate:
    """Return a plan with what was not understood of it: tokens, items of its list without any, steps taken back."""
    pieces = [part for part in plan.parts if isinstance(part, Unparsed)]
    pieces += (replace(_unread(row, _GAP), is_of_structure=False) for row in gaps(rows))
    reasons = {row.start: (row, "it stands for steps that are not written out") for row in abridged(rows)}
    reasons |= {row.start: (row, "the items are counted backwards") for row in backwards(rows)}
    pieces += (_unread(row, reason) for row, reason in reasons.values())
    for row, step in taken_back(rows):
        reason = f"the author may take it back: {row.text.strip()!r:.120}"
        pieces.append(Unparsed.at(plan.text, step.span, reason, is_of_structure=True))
    return Candidate(plan=plan, said=said, is_marked=is_marked, missed=tuple(places_of(plan.text, pieces)))


def _unread(row: Row, reason: str) -> Unparsed:
    return Unparsed(text=row.text.strip(), reason=reason, is_of_structure=True, span=(row.start, row.end))


def with_missed(candidate: Candidate, pieces: Iterable[Unparsed]) -> Candidate:
    """Return a candidate of which some more pieces were not understood."""
    missed = [*candidate.missed, *places_of(candidate.plan.text, pieces)]
    return replace(candidate, missed=tuple(sorted(missed, key=lambda piece: piece.span)))


def as_written(candidate: Candidate, text: str) -> Candidate:
    """Return a candidate of a text that was read in other signs of the same length, in those that it has.

    What was blanked before the reading is put back: text that was left out is prose, signs alone are markup.
    """
    plan = candidate.plan
    if plan.text == text:
        return candidate
    missed = (
        piece if (own := text[slice(*piece.span)]) == plan.text[slice(*piece.span)] else replace(piece, text=own)
        for piece in candidate.missed
    )
    parts: list[Part] = []
    for part in plan.parts:
        if isinstance(part, Ignored | Unparsed) and part.text != (own := text[slice(*part.span)]):
            is_hidden = isinstance(part, Ignored) and part.kind == "space" and bool(printed_alone(own).strip())
            kind = "prose" if any(map(str.isalnum, own)) else "markup"
            part = Ignored(kind=kind, text=own, span=part.span) if is_hidden else replace(part, text=own)
        parts.append(part)
    return replace(candidate, plan=replace(plan, parts=tuple(parts), text=text), missed=tuple(places_of(text, missed)))


def warned(plan: Plan, warnings: list[str]) -> Plan:
    """Return a plan with further warnings."""
    return replace(plan, warnings=(*plan.warnings, *warnings)) if warnings else plan


_GROUPS = re.compile(r"\(\s*+(?P<name>[^\s();,]++)(?P<given>(?:\s++[^\s();,]++)*+)\s*+\)")
_CALLS = re.compile(r"(?<![\w-])\d*+(?P<name>[^\W\d][\w-]*+)[\"'`]?[^\S\n]?\((?P<given>[^()\n]{0,1000})\)")
_WORDS = re.compile(r"(?<![\w-])\d*+(?P<name>[^\W\d_][\w-]*+)(?=(?P<given>(?:[^\S\n]++[\w-]++){1,20}+))")
_LINE_END = re.compile("\n")
_MOST = 200
"""steps that are looked at"""


def mentions(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the model's steps that prose around a plan names, in the order of the text.

    Those of a comment that begins its line are none; behind other words, its semicolon may be one of a sentence.
    """
    if not known.actions:
        return ()
    found: list[Step] = []
    for part in plan.parts:
        if not isinstance(part, Ignored) or part.kind == "space":
            continue
        before = plan.text[plan.text.rfind("\n", 0, part.span[0]) + 1 : part.span[0]]
        if part.kind != "comment" or before.strip():
            found += _steps(part, known)
            if len(found) > _MOST:
                return ()
    return tuple(found)


def _steps(part: Ignored, known: Vocabulary) -> list[Step]:
    found: dict[int, Step] = {}
    for pattern in (_WORDS, _CALLS, _GROUPS):
        for match in pattern.finditer(part.text):
            name, given = known.written(match["name"]) or "", match["given"].lower().replace(",", " ").split()
            wanted = known.actions.get(name, -1)
            given = given if pattern is _WORDS else [one.strip("\"'`") for one in given]
            args = given[:wanted] if pattern is _WORDS and wanted > 0 else given
            if len(args) == wanted and known.objects.issuperset(args):
                span = (part.span[0] + match.start(), part.span[0] + match.end())
                found[match.start("name")] = Step(name=name, args=tuple(args), span=span)
    return [found[place] for place in sorted(found)]


def remarks(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the steps of a plan that name no action and may be none.

    They stand on the line of one that does, ``(lift b) (done)``, where on a line of several that do all are meant as
    steps; or they are calls in a program that have nothing of the model: ``robot = Robot()``, ``sleep(1)``.
    """
    steps = plan.steps
    names = {step.name for step in steps}
    foreign = {name for name in names - known.actions.keys() if known.action_of(name) is None}
    if not foreign or foreign == names:
        return ()
    ends = [match.start() for match in _LINE_END.finditer(plan.text)]
    lines = [bisect_left(ends, step.span[0]) for step in steps]
    own = Counter(line for line, step in zip(lines, steps, strict=True) if step.name not in foreign)
    is_program = plan.dialect in (Dialect.FUNCTIONAL, Dialect.CODE)
    return tuple(
        step
        for line, step in zip(lines, steps, strict=True)
        if step.name in foreign and (own[line] == 1 or (is_program and known.objects.isdisjoint(step.args)))
    )


_SIGNS = re.compile(r"[\W_]+")
_COUNTED = re.compile(r"[a-z]*\d+")


def strange(plan: Plan, known: Vocabulary) -> tuple[Step, ...]:
    """Return the steps whose arguments have several names that are no parameters', which tell no places."""
    return tuple(step for step in plan.steps if step.written and _is_strange(step, known))


def _is_strange(step: Step, known: Vocabulary) -> bool:
    names = {_SIGNS.sub("", each.name).lower() for each in step.written or () if each.name is not None}
    wanted = {_SIGNS.sub("", name).lower() for name in known.parameters.get(step.name, ())}
    is_whole = len(names) == len(wanted) == len(step.written or ())
    return is_whole and len(names - wanted) > 1 and not all(map(_COUNTED.fullmatch, names))


def without_foreign_names(candidate: Candidate, known: Vocabulary) -> Candidate:
    """Return a candidate whose steps are missed where all of them call things otherwise than the model does.

    One unknown object, or one step of no action, is a fault of a plan, and so are actions that are not there in a text
    of nothing but steps as PDDL writes them, which is what it says. Else, where no object that a plan names is known,
    or no action of its steps, its author has other names for them, and what they mean is not understood. Nor is it
    where prose has parentheses of which none is a step, and nothing in them is of the model, ``KCL:
    (/rosplan_dispatcher) Dispatching plan.``, or nothing but names of actions that take arguments: ``Barn (unpile):
    received.`` Nor are records of which none has as many arguments as its action takes.
    """
    steps = candidate.plan.steps
    if candidate.plan.dialect is Dialect.JSON and len(steps) > 1 and not any(_fits(step, known) for step in steps):
        reason = "no record here has as many arguments as its action takes"
        text = candidate.plan.text
        of_others = (Unparsed.at(text, step.span, reason) for step in steps)
        return with_missed(candidate, of_others)
    names = {arg.lower() for step in steps for arg in step.args}
    objects = names - known.objects
    actions = {step.name.lower() for step in steps} - known.actions.keys()
    is_elsewhere = known.objects.isdisjoint(names)
    are_all = len(actions) == len({step.name.lower() for step in steps})
    are_of_prose = (
        bool(actions or not names)
        and any(isinstance(part, Ignored) and part.kind == "prose" for part in candidate.plan.parts)
        and not any(_fits(step, known) for step in steps)
    )
    reason = "the model has no {} '{}', nor any other that is named here"
    if len(objects) > 1 and objects == names:
        odd, what = objects, "object"
    elif are_all and (
        (len(steps) > 1 and not _is_formal(candidate))
        or (is_elsewhere and (candidate.mentions or (names and known.objects)))
    ):
        odd, what = actions, "action"
    elif known.objects and is_elsewhere and are_of_prose:
        odd, what = (actions, "action") if names else ({step.name.lower() for step in steps}, "step")
        reason = "the model has no {} '{}', and nothing in parentheses here is a step of it"
    else:
        return candidate
    foreign: list[Unparsed] = []
    for step in steps:
        said, word = what, next((word for word in (step.name, *step.args) if word.lower() in odd), None)
        if word is None and step.name.lower() in actions:
            said, word = "action", step.name
        if word is not None:
            text = candidate.plan.text[slice(*step.span)] or str(step)
            foreign.append(Unparsed(text=text, reason=reason.format(said, word), span=step.span))
    if len(foreign) == len(steps):  # what holds between such steps is no more of the model than they are
        foreign += (
            Unparsed(text=token.text, reason="no step beside it is of the model", span=token.span)
            for token in candidate.plan.tokens
            if isinstance(token, Constraint)
        )
    return with_missed(candidate, foreign)


def _fits(step: Step, known: Vocabulary) -> bool:
    return known.actions.get(step.name.lower()) == len(step.args)


def _is_formal(candidate: Candidate) -> bool:
    """Return whether a text is nothing but steps in parentheses, with numbers and comments."""
    text = candidate.plan.text
    return not candidate.missed and all(
        text.startswith("(", part.span[0])
        if isinstance(part, Step)
        else isinstance(part, Ignored) and part.kind != "prose"
        for part in candidate.plan.parts
    )


# --- line by line ---------------------------------------------------------------------------------


_QUOTED_CALLS = re.compile(r"[\"'{]{1,9}+(?=([^\W\d][\w.-]*+)\()")
_OPENING_QUOTE = re.compile(r"^([^\S\n]*+)\"(?=\w)", re.MULTILINE)
_BETWEEN_TEXTS = re.compile(r"\",[^\S\n]*+\"(?=\w)")
_BARE = frozenset(("space", "comment"))


_FIRST = re.compile(r"\(([^\s();]++)")
_SEMICOLONS = re.compile(r"\s*+(?:\([^\s();][^();\n]*+\)[^\S\n]*+;[^\S\n]*+)++\([^\s();][^();\n]*+\)[\s;]*+")


def _has_semicolons(text: str, known: Vocabulary) -> bool:
    """Return whether a text is one line of the model's steps with semicolons between them."""
    is_line = _SEMICOLONS.fullmatch(text) is not None
    return is_line and known.actions.keys() >= {name.lower() for name in _FIRST.findall(text)}


def _text_ended(text: str) -> str:
    """Return a list of texts with an end of line for the quotes and the comma between two."""
    return _BETWEEN_TEXTS.sub(lambda match: " " * (len(match[0]) - 1) + "\n", text)


def by_lines(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that the lines of a text may mean."""
    written, text = text, line_ended(text)
    is_quoted = dialect is None and text != written
    talk = transcript(_text_ended(_OPENING_QUOTE.sub(r"\1 ", text))) if is_quoted else None
    if talk is not None and not talk.is_wire:
        text = blanked(text, list(talk.hidden))  # it stands in a text of JSON
    if dialect is None and known.actions and ('"' in text or "{" in text or "'" in text):
        text = _QUOTED_CALLS.sub(lambda match: " " * len(match[0]) if known.written(match[1]) else match[0], text)
    if dialect is None and _has_semicolons(text, known):
        text = text.replace(";", " ")  # a comment would hide the rest of the plan
    found = _in_lines(text, known, dialect)
    if dialect is None and known.lexicon is not None and not found[0].plan.steps and found[0].plan.parts:
        in_words = _in_lines(text, known, None, Dialect.WORDS)  # its calls may only say the sentences again
        return in_words if in_words[0].plan.steps else found
    return found


def _in_lines(text: str, known: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> list[Candidate]:
    plan = read_lines(text, known, dialect, hint)
    is_bare = _BARE.issuperset([part.kind for part in plan.parts if isinstance(part, Ignored)])
    if is_bare and not has_totals(text):
        return [candidate_of(plan)]  # steps and nothing else
    rows = rows_of(text, plan)
    warnings: list[str] = []
    counted, said, is_marked = _zone(text, rows)
    again = told_again(counted) if dialect is None else []
    inside = {row.start for row in counted} - {row.start for row in again}
    outside = sum(bool(row.tokens) for row in rows) - sum(bool(row.tokens) for row in counted)
    if outside:
        warnings.append(f"{outside} lines with steps outside of the {said} are not part of the plan")
    if again:
        warnings.append(f"{len(again)} lines that offer steps, or say that they are done, are not part of the plan")
    if warnings:
        rows = [row for row in rows if row.start in inside]
        plan = _of_rows(plan, rows)
    found = selections(rows, lambda row: f"line {text.count(chr(10), 0, row.start) + 1}")
    if not found:
        candidate = candidate_of(warned(plan, warnings), said or WHOLE, is_marked, rows)
        candidate = replace(candidate, mentions=_mentioned(plan, rows, known))
        return [candidate if said or dialect is not None else with_missed(candidate, _ordered(rows, plan, known))]
    return [_selected(plan, one, warnings, known, rows) for one in found]


def _of_rows(plan: Plan, rows: Sequence[Row]) -> Plan:
    """Return a plan with the tokens and the claim of some rows; those of others are prose."""
    kept = {token.span for row in rows for token in row.tokens}
    parts = (
        part
        if isinstance(part, Ignored) or part.span in kept
        else Ignored(kind="prose", text=plan.text[slice(*part.span)], span=part.span)
        for part in plan.parts
    )
    claim = plan.claims_no_plan
    is_claimed = claim is not None and any(_within(row, claim) for row in rows)
    return replace(plan, parts=tuple(parts), claims_no_plan=claim if is_claimed else None)


def _mentioned(plan: Plan, rows: Sequence[Row], known: Vocabulary) -> tuple[Step, ...]:
    """Return the steps that prose in some rows names."""
    starts = {row.start for row in rows}
    return tuple(step for step in mentions(plan, known) if plan.text.rfind("\n", 0, step.span[0]) + 1 in starts)


_NEXT = re.compile(rf"\W*(?:and\s+)?(?:{'|'.join(sorted(THEN))}|after\s+that)\b", re.IGNORECASE)


def _ordered(rows: Sequence[Row], plan: Plan, known: Vocabulary) -> Iterator[Unparsed]:
    """Yield what sentences behind the steps of a formal plan order besides: "Then lift b."."""
    if known.lexicon is None or plan.dialect is Dialect.WORDS or not plan.steps:
        return
    steps = {(step.name, step.args) for step in plan.steps}
    last = max(place for place, row in enumerate(rows) if row.tokens)
    for row in rows[last + 1 :]:
        goes_on = _NEXT.match(row.text) is not None
        for told in known.lexicon.sentences(row.text, row.start):
            is_said = isinstance(told, Said) and told.exact
            is_new = isinstance(told, Said) and (told.step.name, told.step.args) not in steps
            if (is_said and is_new) or (goes_on and not isinstance(told, Said)):
                yield Unparsed(text=row.text.strip(), reason="it may be a step, or only speak of one", span=told.span)


def _zone(text: str, rows: list[Row]) -> tuple[list[Row], str, bool]:
    """Return the rows that count alone, and how their place is called; an empty name where all count."""
    counted, said, is_marked = zone(rows)
    if said:
        return counted, said, is_marked
    answers = [span for span in tagged(text) if any(row.tokens and _within(row, span) for row in rows)]
    if answers:
        return [row for row in rows if _within(row, answers[-1])], "tags", True
    return counted, "", False


def _within(row: Row, span: Span) -> bool:
    return row.start < span[1] and row.end > span[0]


def _selected(
    whole: Plan, selection: Selection, warnings: list[str], known: Vocabulary, rows: Sequence[Row]
) -> Candidate:
    plan = warned(_of_rows(whole, selection.rows), [*warnings, *selection.warnings])
    candidate = candidate_of(plan, selection.said, selection.is_marked, selection.rows)
    named = [*_mentioned(plan, selection.rows, known)]
    if not (selection.is_marked or selection.is_block):
        inside = {row.start for row in selection.rows}
        named += (step for row in rows if row.start not in inside for step in row.tokens if isinstance(step, Step))
    mentioned = tuple(sorted(named, key=lambda step: step.span))
    return replace(candidate, is_joined=selection.is_joined, mentions=mentioned)

"""The plans that the lines of a text may mean, each with what was not understood of it, or is doubtful.

The lines are read once. Those with steps fall into runs, and a candidate has the tokens of some of them; what others
tell is prose. What may make a plan another one than it seems is a doubt: where the plan has not its quality, and there
is one, nothing can be said of it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from validator.reading.plan import Candidate, Constraint, Dialect, Ignored, Missed, Part, Plan, Span, Step, Unparsed
from validator.reading.tokens.asides import blanked, line_ended, printed_alone, tagged
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.phrases import has_failed
from validator.reading.tokens.rows import Row, doubts, rows_of, zones
from validator.reading.tokens.segments import Selection, has_totals, selections
from validator.reading.tokens.transcripts import transcript
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import places_of
from validator.records import replace
from validator.texts import letters, line_around

WHOLE = "the whole text"


def candidate_of(plan: Plan, said: str = WHOLE, is_marked: bool = False, rows: Sequence[Row] = ()) -> Candidate:
    """Return a plan with what was not understood of it: tokens, and what its lines leave open."""
    pieces = [*(part for part in plan.parts if isinstance(part, Unparsed)), *doubts(rows, plan.text)]
    missed = tuple(places_of(plan.text, pieces))
    place = (rows[0].start, rows[-1].end) if is_marked and rows else None
    return Candidate(plan=plan, said=said, is_marked=is_marked, place=place, missed=missed)


def with_missed(candidate: Candidate, pieces: Iterable[Unparsed | Missed]) -> Candidate:
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


# --- doubts ---------------------------------------------------------------------------------------

_ENDS = frozenset(("reachgoal", "goalreached", "goal", "end", "done", "finish", "finished", "stop"))
"""words that say that a plan ends there"""
_COUNTED = re.compile(r"[a-z]*\d+")


def with_doubts(candidate: Candidate, known: Vocabulary) -> Candidate:
    """Return a candidate with what may make it another plan: steps of no action, and arguments of other names.

    Steps that name no action may be remarks on the line of one that does, ``(lift b) (done)``, calls in a program
    that have nothing of the model, ``sleep(1)``, or the end, ``(reach-goal)``. Arguments by several names that are no
    parameters' tell no places.
    """
    plan = candidate.plan
    foreign = [step for step in plan.steps if known.action_of(step.name) is None]
    found = [
        f"the arguments of {step} have names that are not the model's, and may be meant in another order"
        for step in plan.steps
        if step.written and _is_strange(step, known)
    ]
    if 0 < len(foreign) < len(plan.steps):
        lines = Counter(_line(plan, step) for step in plan.steps if step not in foreign)
        is_program = plan.dialect in (Dialect.FUNCTIONAL, Dialect.CODE)
        found += (
            f"{step} may be a remark, and no step"
            for step in foreign
            if lines[_line(plan, step)] == 1
            or (is_program and known.objects.isdisjoint(step.args))
            or (step is plan.steps[-1] and not step.args and letters(step.name) in _ENDS)
        )
    cut_off = next(_cut_off(plan, known), "")
    found += [cut_off] if cut_off else []
    return replace(candidate, doubts=(*candidate.doubts, *found), cut_off=cut_off) if found else candidate


_LAST_WORDS = re.compile(r"(?:(?<![\w-])[^\W\d][\w-]*+\s*){1,3}\Z")
_BEGUN = re.compile(r"\s*+(?:,|-|[-=]>|→|⇒|(?:,\s*+)?(?:and|then))", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_LONGEST_NAME = 200
"""characters at the end of a text that may be the beginning of a name"""
_MOST_GAPS = 50
"""steps before the last one, before which the text is looked at"""


def _cut_off(plan: Plan, known: Vocabulary) -> Iterator[str]:
    """Yield that a text may end within a name of the model, or within what stands before a further step."""
    text, spans = plan.text, sorted(token.span for token in plan.tokens)
    ends = (part for part in reversed(plan.parts) if not (isinstance(part, Ignored) and part.kind == "space"))
    last = next(ends, None)
    is_comment = isinstance(last, Ignored) and last.kind == "comment"
    if (
        last is not None
        and is_comment
        and (plan.dialect is Dialect.PDDL or not line_around(text, last.span)[0].strip())
    ):
        return  # among calls a semicolon may stand between two of them
    said = _LAST_WORDS.search(text, max(0, len(text) - _LONGEST_NAME))
    words = said[0].lower().split() if said is not None else []
    if words and words[-1] not in known.objects and known.written(words[-1]) is None:
        whole = {letters("".join(words[place:])) for place in range(len(words))}  # "shelf b" is shelf-b
        names = {letters(name): name for name in (*known.actions, *known.objects)}
        begun = [name for whole_name, name in names.items() if whole_name.startswith(letters(words[-1]))]
        if begun and names.keys().isdisjoint(whole):
            yield f"the text may end within '{begun[0]}'"
    tail = text[spans[-1][1] :].rstrip() if spans else ""
    if not tail:
        return
    before = spans[-_MOST_GAPS - 1 :]
    gaps = ["\n" + line_around(text, spans[0])[0]]
    gaps += (text[one[1] : other[0]] for one, other in pairwise(before))
    said_so = _DIGIT.sub("0", tail)
    is_begun = tail[-1].isalnum() and any(
        gap.startswith(said_so) and gap[len(tail) :][:1].isalnum() for gap in (_DIGIT.sub("0", gap) for gap in gaps)
    )
    if is_begun or _BEGUN.fullmatch(tail):
        yield f"the text may end before a step that {tail.strip()!r:.60} begins"


def _line(plan: Plan, step: Step) -> int:
    return plan.text.rfind("\n", 0, step.span[0])


def _is_strange(step: Step, known: Vocabulary) -> bool:
    names = {letters(each.name) for each in step.written or () if each.name is not None}
    wanted = {letters(name) for name in known.parameters.get(step.name, ())}
    is_whole = len(names) == len(wanted) == len(step.written or ())
    return is_whole and len(names - wanted) > 1 and not all(map(_COUNTED.fullmatch, names))


def _with_others(candidate: Candidate, steps: Iterable[Step]) -> Candidate:
    """Return a candidate with the steps that stand elsewhere and are none of it as a doubt."""
    own = {(step.name, step.args) for step in candidate.plan.steps}
    new = next((step for step in steps if (step.name, step.args) not in own), None)
    doubt = f"{new} may be a step, which the text names beside its steps"
    return candidate if new is None else replace(candidate, doubts=(*candidate.doubts, doubt))


def without_foreign_names(candidate: Candidate, known: Vocabulary) -> Candidate:
    """Return a candidate whose steps are missed where all of them call things otherwise than the model does.

    One unknown object, or one step of no action, is a fault of a plan, and so are actions that are not there in a text
    of nothing but steps as PDDL writes them, which is what it says. Else, where no object that a plan names is known,
    or no action of its steps, its author has other names for them, and what they mean is not understood. Nor is it
    where no step beside prose, and no record, has as many arguments as its action takes: ``Barn (unpile): received.``
    """
    steps = candidate.plan.steps
    objects = {arg.lower() for step in steps for arg in step.args}
    is_elsewhere = bool(known.objects) and known.objects.isdisjoint(objects)
    is_foreign = known.actions.keys().isdisjoint(step.name.lower() for step in steps)
    is_misfit = not any(known.actions.get(step.name.lower()) == len(step.args) for step in steps)
    is_json = candidate.plan.dialect is Dialect.JSON and len(steps) > 1
    is_prose = is_elsewhere and "prose" in candidate.plan.ignored and (is_foreign or not objects)
    is_open = (
        (known.objects.isdisjoint(objects) and len(objects) > 1)
        or (is_foreign and ((len(steps) > 1 and not _is_formal(candidate)) or (is_elsewhere and bool(objects))))
        or (is_misfit and (is_json or is_prose))
    )
    if not steps or not is_open:
        return candidate
    named = known.objects | known.actions.keys()
    found: list[Unparsed] = []
    for token in candidate.plan.tokens:
        if isinstance(token, Step):
            word = next((word for word in (token.name, *token.args) if word.lower() not in named), "")
            reason = f"the model has no '{word}'" if word else "the action takes another number of arguments"
            found.append(Unparsed.at(candidate.plan.text, token.span, reason))
        elif isinstance(token, Constraint):
            found.append(Unparsed(text=token.text, reason="no step beside it is of the model", span=token.span))
    return with_missed(candidate, found)


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


_CONTENT = re.compile(
    r"^[^\S\n]*+(?=[\[{\"])(?:[^\n\"]|\"[^\n\"]*+\")*?\"(?:content|text|output|response|answer)\"\s*+:\s*+\"(?=[^\n\"])",
    re.MULTILINE,
)
"""what stands before the text of a message of a model"""
_OPENING_QUOTE = re.compile(r"^([^\S\n]*+)\"(?=\w)", re.MULTILINE)
_BETWEEN_TEXTS = re.compile(r"\",[^\S\n]*+\"(?=\w)")
_BARE = frozenset(("space", "comment"))
_COMMENTS = re.compile(r"(?:\s*+;[^\r\n]*+)++\s*+")
_BEHIND = re.compile(r"(?<=[)\]])[^\S\n]*+;[^\r\n]++")
"""a comment behind a step"""


_FIRST = re.compile(r"\(([^\s();]++)")
_SEMICOLONS = re.compile(
    r"\s*+(?:</?\w{1,20}>\s*+)?+(?:\([^\s();][^();\n]*+\)[^\S\n]*+;[^\S\n]*+)++\([^\s();][^();\n]*+\)[\s;]*+(?:</?\w{1,20}>\s*+)?+"
)


def _text_ended(text: str) -> str:
    """Return a list of texts with an end of line for the quotes and the comma between two."""
    return _BETWEEN_TEXTS.sub(lambda match: " " * (len(match[0]) - 1) + "\n", text)


def bare_steps(text: str, known: Vocabulary) -> str:
    """Return a text of the same length without the semicolons between steps of the model that are all on one line."""
    is_line = _SEMICOLONS.fullmatch(text) is not None
    are_known = is_line and known.actions.keys() >= {name.lower() for name in _FIRST.findall(text)}
    return text.replace(";", " ") if are_known else text  # a comment would hide the rest


def by_lines(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that the lines of a text may mean."""
    written, text = text, line_ended(text)
    is_quoted = dialect is None and text != written
    talk = transcript(_text_ended(_OPENING_QUOTE.sub(r"\1 ", text))) if is_quoted else None
    if talk is not None and not talk.is_wire:
        text = blanked(text, list(talk.hidden))  # it stands in a text of JSON
    if dialect is None and '"' in text:
        text = _CONTENT.sub(lambda match: " " * len(match[0]), text, count=1)
    text = bare_steps(text, known) if dialect is None else text
    found = _in_lines(text, known, dialect)
    plan = found[0].plan
    if dialect is None and plan.steps and _COMMENTS.fullmatch(text):  # what has nothing else is the empty plan
        return [*_in_lines(text, known, None, Dialect.PDDL), *found]
    is_cut = any(token.text.count("(") > token.text.count(")") for token in plan.tokens if isinstance(token, Unparsed))
    if dialect is None and known.lexicon is not None and not plan.steps and plan.parts and not is_cut:
        in_words = _in_lines(text, known, None, Dialect.WORDS)  # its calls may only say the sentences again
        return in_words if in_words[0].plan.steps else found
    return found


def _in_lines(text: str, known: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> list[Candidate]:
    plan = read_lines(text, known, dialect, hint)
    if plan.ignored <= _BARE and not has_totals(text) and not any(map(has_failed, _BEHIND.findall(text))):
        return [candidate_of(plan)]  # steps and nothing else
    rows = rows_of(text, plan)
    return [
        candidate
        for counted, said, is_marked in _zones(text, rows)
        for candidate in _in_zone(plan, rows, counted, said, known, is_marked=is_marked)
    ]


def _in_zone(
    plan: Plan,
    rows: Sequence[Row],
    counted: Sequence[Row],
    said: str,
    known: Vocabulary,
    *,
    is_marked: bool,
) -> list[Candidate]:
    """Return the plans that the rows of a place may mean which counts alone."""
    text = plan.text
    warnings: list[str] = []
    places = {row.start for row in counted}
    outside = [row for row in rows if row.tokens and row.start not in places]
    left: list[Unparsed] = []
    if outside:
        warnings.append(f"{len(outside)} lines with steps outside of the {said} are not part of the plan")
        left = _left_out(outside, counted, text) if said == "code block" else []
        rows = counted
        plan = _of_rows(plan, rows)
    found = selections(rows, lambda row: f"line {text.count(chr(10), 0, row.start) + 1}", known.words)
    if not found:
        return [with_missed(candidate_of(warned(plan, warnings), said or WHOLE, is_marked, rows), left)]
    told = {row.start for one in found for row in one.rows}
    rest = [token for row in rows if row.start not in told for token in row.tokens if isinstance(token, Step)]
    return [with_missed(_selected(plan, one, warnings, rest), left) for one in found]


def _left_out(outside: Sequence[Row], counted: Sequence[Row], text: str) -> list[Unparsed]:
    """Return the lines of steps and nothing else beside a code block; none where they say its steps once more."""
    bare = [row for row in outside if not any(map(str.isalpha, "".join(row.words)))]
    told, own = ([token for row in rows for token in row.tokens] for rows in (bare, counted))
    if told == own:
        return []
    return [
        Unparsed.at(text, token.span, "it may be a step, before or after those of the code block") for token in told
    ]


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


def _zones(text: str, rows: list[Row]) -> list[tuple[list[Row], str, bool]]:
    """Return the places of which one counts alone, as ``zones`` does; an empty name where all of a text counts."""
    found = zones(rows)
    if found[0][1]:
        return found
    answers = [span for span in tagged(text) if any(row.tokens and _within(row, span) for row in rows)]
    return [([row for row in rows if _within(row, answers[-1])], "tags", True)] if answers else found


def _within(row: Row, span: Span) -> bool:
    return row.start < span[1] and row.end > span[0]


def _selected(whole: Plan, selection: Selection, warnings: list[str], others: Sequence[Step]) -> Candidate:
    """Return the plan of a selection; ``others`` are steps that stand in none."""
    plan = warned(_of_rows(whole, selection.rows), [*warnings, *selection.warnings])
    candidate = candidate_of(plan, selection.said, selection.is_marked, selection.rows)
    if candidate.place is not None:  # it begins with its heading
        first = next(row.start for row in selection.rows if row.tokens)
        start = max(plan.text.rfind(selection.said, 0, first), candidate.place[0])
        candidate = replace(candidate, place=(start, candidate.place[1]))
    candidate = candidate if selection.is_marked else _with_others(candidate, others)
    return replace(candidate, is_joined=selection.is_joined)

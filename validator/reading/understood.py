"""How far a text was understood: which of its plans is checked, and whether anything can be said of it.

Not understood is not wrong: "not valid" is a statement about the plan that its author meant. Where a piece of the
text looks like a step and was not understood, or where the text may mean several plans of which some have the quality
and some have not, there is no such statement. Of a plan that is told in prose the clauses are followed.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from validator.reading.plan import (
    Candidate,
    Completeness,
    Dialect,
    Ignored,
    Missed,
    NoPlan,
    Part,
    Plan,
    Reading,
    Span,
    Step,
    Unparsed,
    is_reading_note,
)
from validator.records import dataclass, replace
from validator.texts import letters, line_around

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon
    from validator.reading.lexicon.clauses.clause import Clause
    from validator.reading.tokens.vocabulary import Vocabulary


Decide = Callable[[Plan], bool | None]
"""Says whether a plan has the quality, by execution alone."""
FailsBefore = Callable[[Plan, int], bool]
"""Says whether a plan fails at a step that begins before an offset of its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Understood:
    """The plan to check; ``why_not`` says why nothing can be said of it, and is empty where something can.

    ``is_partial`` says that the plan lacks the quality whatever the pieces mean that were not understood: what is
    nearest to it cannot be said then. The first of them is at the offset ``until`` of the text.
    """

    plan: Plan
    why_not: str = ""
    is_partial: bool = False
    until: int = 0


def understood(
    reading: Reading,
    decide: Decide,
    fails_before: FailsBefore,
    cost: Callable[[Plan], object] = lambda plan: None,
) -> Understood:
    """Return the plan of a reading that is to be checked.

    Plans that the text may mean are alike where they all have the quality at one ``cost``, or all lack it.
    """
    if reading.completeness is Completeness.NONE:
        return Understood(plan=reading.plan, why_not=_nothing(reading))
    marked = next((candidate for candidate in reading.candidates if candidate.is_marked), reading.candidates[0])
    if marked.is_marked or len(reading.candidates) == 1:
        return _unless_twice(_otherwise(marked, _single(marked, fails_before), decide), decide)
    singles = [_single(candidate, fails_before) for candidate in reading.candidates]
    answers = [_answer(single, decide) for single in singles]
    if marked.is_joined and answers[0] is True:
        return singles[0]  # its parts follow each other
    if marked.is_joined and set(answers[1:]) == {True}:
        singles, answers = singles[1:], answers[1:]  # plans of which each is right are no parts of one that is not
    costs = {cost(single.plan) for single in singles} if set(answers) == {True} else set()
    if len({*answers}) > 1 or len(costs) > 1 or (answers[0] is False and decide(_in_a_row(reading)) is True):
        return Understood(plan=reading.plan, why_not=_ambiguous(reading, answers))
    if answers[0] is not False:
        return singles[0]
    pairs = zip(reading.candidates, singles, strict=False)
    otherwise = (_otherwise(candidate, single, decide) for candidate, single in pairs)
    return next((found for found in otherwise if found.why_not), singles[0])


def unclear(plan: Plan) -> str:
    """Return why nothing can be said of a plan by its text itself, before any execution; empty where it can."""
    reading = plan.reading
    if reading is None or reading.is_literal:
        return ""
    if reading.completeness is Completeness.NONE:
        return _nothing(reading)
    if reading.missed:
        return _missed(reading.candidates[0])
    return "" if reading.is_clear else f"not understood: {_several(reading)}"


def _in_a_row(reading: Reading) -> Plan:
    """Return the plan whose parts the candidates may be: their tokens, each once, in the order of the text."""
    tokens = {token.span: token for candidate in reading.candidates for token in candidate.plan.tokens}
    return Plan(parts=tuple(tokens[span] for span in sorted(tokens)), text=reading.plan.text)


def _several(reading: Reading) -> str:
    return f"the text may mean {len(reading.candidates)} plans, and none is marked as the answer"


def _answer(single: Understood, decide: Decide) -> bool | None:
    if single.why_not:
        return None
    return False if single.is_partial else decide(single.plan)


def _single(candidate: Candidate, fails_before: FailsBefore) -> Understood:
    plan = candidate.plan
    if not candidate.missed:
        return Understood(plan=plan)
    until = candidate.missed[0].span[0]
    is_sure = not any(map(is_reading_note, plan.warnings))  # else a step may be another one than it was read as
    if is_sure and fails_before(plan, until):
        return Understood(plan=plan, is_partial=True, until=until)
    return Understood(plan=plan, why_not=_missed(candidate))


def _otherwise(candidate: Candidate, found: Understood, decide: Decide) -> Understood:
    """Return what is to be checked: nothing of a plan that lacks the quality and may be another one than it seems."""
    if not candidate.doubts or found.why_not or _answer(found, decide) is not False:
        return found
    more = f", and {len(candidate.doubts) - 1} more" if len(candidate.doubts) > 1 else ""
    return Understood(plan=found.plan, why_not=f"not understood: {candidate.doubts[0]}{more}")


def _unless_twice(found: Understood, decide: Decide) -> Understood:
    """Return what is to be checked: nothing of a wrong plan that is a right one, and that one again below a break."""
    half = len(found.plan.steps) // 2
    first, again = found.plan.steps[:half], found.plan.steps[half:]
    is_twice = half > 1 and [(one.name, one.args) for one in first] == [(one.name, one.args) for one in again]
    gap = found.plan.text[first[-1].span[1] : again[0].span[0]] if is_twice else ""
    if gap.count("\n") < 2 or found.why_not or _answer(found, decide) is not False:
        return found
    end = again[0].span[0]
    once = replace(found.plan, parts=tuple(part for part in found.plan.parts if part.span[0] < end))
    if decide(once) is not True:
        return found
    return Understood(
        plan=found.plan,
        why_not="not understood: the text gives its steps twice; once, they have the quality",
    )


def _missed(candidate: Candidate) -> str:
    missed, steps = candidate.missed, len(candidate.plan.steps)
    if steps and {step.span for step in candidate.plan.steps} == {each.span for each in missed}:
        which = "the step does not fit" if steps == 1 else f"none of the {steps} steps fits"
        return f"not understood: {which} the model"
    what = "a piece looks like a step" if len(missed) == 1 else f"{len(missed)} pieces look like steps"
    read = "no step was read" if not steps else f"{steps} step{'s were' if steps > 1 else ' was'} read"
    where = f"{'' if len(missed) == 1 else 'the first '}on line {missed[0].line}"
    return f"not understood: {what} and could not be read, {where}; {read}"


def _nothing(reading: Reading) -> str:
    if reading.no_plan is NoPlan.CLAIM:
        return "the text says that there is no plan, which is not a question of soundness"
    if reading.no_plan is NoPlan.GIVEN_UP:
        return "the text has no plan: its author has none to give"
    if reading.missed:
        return _missed(reading.candidates[0])
    return "not understood: no step could be read from the text"


def _ambiguous(reading: Reading, answers: list[bool | None]) -> str:
    words = {True: "has the quality", False: "lacks it", None: "is not known"}
    told = reading.candidates[-len(answers) :]
    said = "; ".join(
        f"{candidate.said} ({len([s for s in candidate.plan.tokens if isinstance(s, Step)])} steps): {words[answer]}"
        for candidate, answer in zip(told, answers, strict=True)
    )
    costs = "; they cost more or less" if set(answers) == {True} else ""
    return f"not understood: {_several(reading)}: {said}{costs}"


# --- what is missed -------------------------------------------------------------------------------


def literal(candidate: Candidate) -> Candidate:
    """Return a candidate in which each piece that looks like a step, and that nothing was read of, is in the plan.

    There it is a fault: a literal reading takes all that was not understood for the plan.
    """
    owned = [part.span for part in candidate.plan.parts if not isinstance(part, Ignored)]
    unread = [piece for piece in candidate.missed if not overlaps(piece.span, owned)]
    if not unread:
        return candidate
    parts = tuple(part for whole in candidate.plan.parts for part in _cut(whole, unread))
    return replace(candidate, plan=replace(candidate.plan, parts=parts))


def overlaps(span: Span, owned: Sequence[Span]) -> bool:
    """Return whether a place shares a character with one of some others, which are in the order of the text."""
    start, end = span
    place = bisect_left(owned, (end, 0))
    return place > 0 and owned[place - 1][1] > start


def _cut(part: Part, unread: Sequence[Missed]) -> Iterator[Part]:
    """Yield a part without what the pieces take of it, and each piece that begins in it."""
    if not isinstance(part, Ignored):
        yield part
        return
    place, end = part.span
    first = bisect_left(unread, place, key=lambda piece: piece.span[1])
    for piece in unread[first:]:
        if piece.span[0] >= end:
            break
        if place < piece.span[0]:
            yield _between(part, place, piece.span[0])
        if piece.span[0] >= part.span[0]:
            yield Unparsed(text=piece.text, reason=piece.reason, nearest=piece.nearest, span=piece.span)
        place = max(place, min(piece.span[1], end))
    if place < end:
        yield _between(part, place, end)


def _between(part: Ignored, start: int, end: int) -> Ignored:
    before = part.span[0]
    return replace(part, text=part.text[start - before : end - before], span=(start, end))


def places_of(text: str, pieces: Iterable[Unparsed | Missed]) -> list[Missed]:
    """Return pieces of a text in its order, each with its line and column, in one pass over it."""
    found: list[Missed] = []
    line, counted = 1, 0
    for piece in sorted(pieces, key=lambda piece: piece.span):
        start = piece.span[0]
        line += text.count("\n", counted, start)
        counted = start
        column = start - text.rfind("\n", 0, start)
        found.append(
            Missed(
                text=" ".join(piece.text.split()),
                reason=piece.reason,
                span=piece.span,
                line=line,
                column=column,
                nearest=piece.nearest,
                is_of_structure=piece.is_of_structure,
            )
        )
    return found


# --- plans that are told in prose -------------------------------------------------------------------

_FORMAL = re.compile(r"\([\w\s?-]*\)|\S*|.*(?:\w[(\[{<]|[={}]|\w\|\w).*", re.DOTALL)
_DIALECTS = (Dialect.WORDS, Dialect.JSON)
_BRACKETED = (Dialect.PDDL, Dialect.FUNCTIONAL)
_COUNT = re.compile(r"\A\d{1,4}[\s|]+")
_CALL = re.compile(r"\w[({\[=]|^[^\S\n]*+\(|;[^\S\n]*+$", re.MULTILINE)
_LIST = re.compile(r"^[^\S\n]*+[\[{|]", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LABEL = re.compile(r"\W*([a-z][\w ]{0,20}?)\W*:\s", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]")
_SIGNS = frozenset("\"'[]{}:|")
_PARTS = re.compile(
    r"\s*(?:```|\\(?:begin|end)\{|(?:</?\w[^<>]*>\s*)+$|%|//|/\*|\(\*|<!--|(?:import|from|return|def|class)\s)"
)
"""a code fence, an environment of LaTeX, tags and nothing else, a comment, what a program says around its calls"""
_Style: TypeAlias = tuple[int, bool, bool, str]


def in_prose(reading: Reading, known: Vocabulary) -> bool:
    """Return whether a text tells its plan in prose: some step was read from words, or none from a notation."""
    if known.model is None or not reading.is_whole or reading.no_plan not in (None, NoPlan.OTHER):
        return False
    plan = reading.plan
    if len(reading.candidates) > 1 or any(piece.is_of_structure for piece in reading.missed):
        return False
    if plan.steps and any(piece.text.startswith("(") for piece in reading.missed):
        return False
    if any(step.time is not None or step.concurrent is not None for step in plan.steps):
        return False
    if not plan.steps:
        is_formal_piece = any(piece.text.startswith(("(", "[")) for piece in reading.missed)
        is_open = reading.no_plan is NoPlan.OTHER or bool(reading.missed)
        return is_open and not is_formal_piece and _CALL.search(plan.text) is None
    if plan.dialect in _BRACKETED:
        is_broken = any("(" in piece.text for piece in reading.missed)
        bare = [step for step in plan.steps if "(" not in plan.text[slice(*step.span)]]
        if is_broken or any(told_in_words(plan.text, bare)):
            return not is_broken
        return any(clause.is_open for clause in _clauses_beside(plan, known))
    if plan.dialect not in _DIALECTS or (plan.dialect is Dialect.JSON and _LIST.search(plan.text) is None):
        return False
    behind = (line_around(plan.text, step.span)[1] for step in plan.steps)  # "slice rye and both others"
    is_told = any(told_in_words(plan.text, plan.steps))
    if is_told or (plan.dialect is Dialect.WORDS and not reading.missed and any(map(_WORD.search, behind))):
        return True
    if known.lexicon is None or _CALL.search(plan.text) is not None:
        return False
    is_mostly_unread = plan.dialect is Dialect.JSON or len(reading.missed) > len(plan.steps)
    clauses = clauses_in(replace(plan, reading=reading), known.lexicon)
    return any(_says_more(clause, plan, is_mostly_unread) for clause in clauses)


def open_lines(plan: Plan, known: Vocabulary) -> list[Clause]:
    """Return the clauses among the steps of a plan that may tell further ones.

    They are of lines in words that stand as lines of steps do; where steps are written in a notation, of all that
    stands between two of them, but for what explains one. Before the first step, and behind the last one, a text says
    all kinds of things: there a line tells one that begins with an action, or is names without any sign.
    """
    found = [clause for clause in _clauses_beside(plan, known) if clause.is_open or clause.may_be_step]
    if not found:
        return []
    from validator.reading.tokens.phrases import mark_of  # which few plans need

    text, steps = plan.text, sorted(token.span for token in plan.tokens)
    first, last = steps[0], steps[-1]

    def may_be_step(clause: Clause) -> bool:
        start, end = clause.span
        head, rest = line_around(text, clause.span)
        line, place = start - len(head), bisect_left(steps, clause.span)
        before = [step for step in steps[max(0, place - 2) : place] if step[1] > line]
        behind = [step for step in steps[place : place + 2] if step[0] < end + len(rest)]
        if before or behind:  # it explains the step beside it, if it does not stand in a row with several
            row = [*before[-2:], clause.span] if not behind else [clause.span, *behind]
            gaps = {text[one[1] : other[0]] for one, other in pairwise(row)}
            return bool(before and behind) or (len(row) > 2 and len(gaps) == 1)
        is_alone = mark_of(head).end >= len(head) and _WORD.search(rest) is None
        is_bare = is_alone and (clause.text.islower() or clause.text.isupper())
        is_named = is_bare and bool(clause.mentions or clause.span > last or rest.strip())
        return first < clause.span < last or is_named or (is_alone and bool(clause.actions) and clause.is_order)

    return [clause for clause in found if may_be_step(clause)]


def _clauses_beside(plan: Plan, known: Vocabulary) -> list[Clause]:
    """Return the clauses that stand among the steps of a plan, and are none of them."""
    listed, between = _lines_beside(plan)
    is_told = plan.dialect is Dialect.WORDS and any(told_in_words(plan.text, plan.steps))
    beside = listed if is_told else between
    if not beside or known.lexicon is None:  # the lexicon takes long to load, and few plans need it
        return []
    tokens = sorted(plan.tokens, key=lambda token: token.span)
    spans = [token.span for token in tokens]

    found: list[Clause] = []
    explained = -1
    """where the line begins whose words explain a step"""
    for clause in clauses_in(_in_brackets(plan) if plan.dialect is Dialect.JSON else plan, known.lexicon):
        line, place = plan.text.rfind("\n", 0, clause.span[0]) + 1, bisect_left(spans, clause.span)
        around = [token for token in tokens[max(0, place - 1) : place + 1] if isinstance(token, Step)]
        is_token = overlaps(clause.span, spans) or (clause.exact and "(" in clause.text)  # of this plan or another
        if is_token or not overlaps(clause.span, beside):
            continue
        if not overlaps(clause.span, listed) and any(_explains(clause, step, plan.text) for step in around):
            explained = line
        if line != explained:
            found.append(clause)
    return found


def _in_brackets(plan: Plan) -> Plan:
    """Return a plan of values with its steps in parentheses at their places, among which sentences are looked at."""
    shown = list(plan.text)
    for step in plan.steps:
        start, end = step.span
        if len(said := str(step)) <= end - start:
            shown[start:end] = said.ljust(end - start)
    return replace(plan, text="".join(shown), dialect=Dialect.PDDL)


def _indent(text: str, place: int) -> int:
    """Return how far the line of a place is indented."""
    line = line_around(text, (place, place))[0] + text[place : place + 1]
    return len(line) - len(line.lstrip())


def _explains(clause: Clause, step: Step, text: str) -> bool:
    """Return whether a clause tells in words the step beside it, or stands below it and is about its objects."""
    is_below = clause.span > step.span and _indent(text, clause.span[0]) > _indent(text, step.span[0])
    is_same = step.name in clause.step_names or (is_below and not clause.step_names)
    is_same = is_same and not clause.is_cut_off
    return is_same and bool(clause.mentions) and all({*step.args} & {*one.objects} for one in clause.mentions)


def _lines_beside(plan: Plan) -> tuple[list[Span], list[Span]]:
    """Return the lines with words in one list, or in unbroken lines, with lines of steps; and those between steps, too.

    A heading or a code fence parts lines.
    """
    if "prose" not in plan.ignored or not plan.tokens:
        return [], []
    words = [part.span for part in plan.parts if isinstance(part, Ignored) and part.kind == "prose"]
    from validator.reading.tokens.phrases import heading  # which few plans need

    steps = sorted(token.span for token in plan.tokens)
    lines = [match.span() for match in _LINE.finditer(plan.text)]
    texts = [plan.text[slice(*span)].rstrip("\n") for span in lines]
    rows = [
        (number, _style(text), overlaps(span, steps))
        for number, (span, text) in enumerate(zip(lines, texts, strict=True))
    ]
    parted = {number for number, text in enumerate(texts) if heading(text) or _PARTS.match(text)}
    if plan.dialect is Dialect.JSON:  # the rest of its lines is of the values
        parted |= {number for number, text in enumerate(texts) if not _SIGNS.isdisjoint(text)}
    said = {number for number, line in enumerate(lines) if overlaps(line, words)} - parted
    listed = said & (_with_step_before(rows) | _with_step_before(rows[::-1]))
    between = said & _behind_step(rows, parted) & _behind_step(rows[::-1], parted)
    return [lines[number] for number in sorted(listed)], [lines[number] for number in sorted(listed | between)]


def _behind_step(rows: Iterable[tuple[int, _Style | None, bool]], parted: set[int]) -> set[int]:
    """Return the lines that have a step, or follow one that has, where nothing parts them."""
    found: set[int] = set()
    is_behind = False
    for number, _, has_step in rows:
        is_behind = has_step or (is_behind and number not in parted)
        if is_behind:
            found.add(number)
    return found


def _with_step_before(rows: Iterable[tuple[int, _Style | None, bool]]) -> set[int]:
    """Return the lines that follow one with a step, in one list or in unbroken lines, and have none."""
    found: set[int] = set()
    lists: set[_Style] = set()
    for number, style, has_step in rows:
        if style is None:
            lists = {one for one in lists if one[1] or one[2]}
            continue
        lists = {one for one in lists if one == style or one[0] < style[0]}
        if has_step:
            lists.add(style)
        elif style in lists:
            found.add(number)
    return found


def _style(line: str) -> _Style | None:
    """Return how far a line is indented, whether it is numbered, has a bullet, and its label; None of a blank one."""
    from validator.reading.tokens.phrases import mark_of  # which few plans need

    if not line.strip():
        return None
    mark = mark_of(line)
    label = _LABEL.match(line, mark.end)
    return mark.indent, mark.order is not None, mark.is_bullet, "" if label is None else label[1].lower()


def _says_more(clause: Clause, plan: Plan, with_unread: bool) -> bool:
    """Return whether a clause names objects, and no token of the plan, or none with as many arguments, stands there.

    ``with_unread``: pieces that were not understood are no such tokens, as where the clause was understood.
    """
    from validator.reading.lexicon.clauses.clause import Kind

    if not clause.is_open or not clause.mentions:
        return False
    here = [token for token in plan.tokens if overlap(clause.span, token.span)]
    steps = [token for token in here if isinstance(token, Step)]
    is_read = len(steps) == len(here) or with_unread or clause.kind is Kind.STEP
    return is_read and not any(len(step.args) >= len(clause.mentions) for step in steps)


def told_in_words(text: str, steps: Sequence[Step]) -> Iterator[str]:
    """Yield the places that tell steps and do not write them in a notation."""
    told_at = {step.span: step for step in steps}  # a place that tells several is looked at once
    return (place for span, step in told_at.items() if not _is_formal(place := text[slice(*span)], step))


def _is_formal(text: str, step: Step) -> bool:
    """Return whether a step is written in a notation: ``(name args)``, ``name(args)``, or its names alone."""
    text = _COUNT.sub("", text.strip(" \t\r\n`*|"))
    names = {step.name.lower(), *(arg.lower() for arg in step.args)}
    is_names = names.issuperset(text.lower().split()) or letters(text) == letters("".join((step.name, *step.args)))
    return is_names or _FORMAL.fullmatch(text) is not None


def clauses_in(plan: Plan, lexicon: Lexicon, *, is_open: bool = False) -> tuple[Clause, ...]:
    """Return the clauses of a plan's text, or of the place in it that is marked as the plan.

    What was missed as a step is no remark, but for what says that it needs to be done; a step in brackets is itself.
    ``is_open`` takes the lines of a transcript without a label, and what stands outside of that place, for lines of the
    plan.
    """
    from validator.reading.lexicon.clauses.clause import Clause, Kind, Reason

    exact = [
        Clause(text=str(step), span=step.span, kind=Kind.STEP, exact=(step,))
        for step in plan.steps
        if plan.dialect in _BRACKETED and "(" in plan.text[slice(*step.span)]
    ]
    place = None if plan.reading is None or is_open else plan.reading.candidates[0].place
    visible = "" if plan.reading is None else (is_open and plan.reading.open) or plan.reading.visible
    clauses = (one for one in lexicon.clauses(visible or plan.text) if place is None or overlap(one.span, place))
    spans = sorted(step.span for step in exact)
    told = (clause for clause in clauses if not overlaps(clause.span, spans))
    found = sorted((*told, *exact), key=lambda clause: clause.span)
    missed = [piece.span for piece in plan.reading.missed] if plan.reading is not None else []
    read = [clause.span for clause in found if clause.kind is not Kind.REMARK]
    unread = [span for span in missed if not overlaps(span, read)]
    return tuple(
        replace(clause, kind=Kind.HOLE, reason="no step could be read from it")
        if clause.kind is Kind.REMARK
        and clause.reason not in (Reason.NEEDED, Reason.TWICE)
        and overlaps(clause.span, unread)
        else clause
        for clause in found
    )


def overlap(one: Span, other: Span) -> bool:
    """Return whether two places of a text share a character."""
    return one[0] < other[1] and other[0] < one[1]

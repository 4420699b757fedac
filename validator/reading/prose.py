"""Plans that are told in prose: whether a text is one, and the clauses that tell it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeAlias

from validator.reading.plan import Dialect, Ignored, NoPlan, Plan, Reading, Span, Step
from validator.records import replace

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon
    from validator.reading.lexicon.clauses import Clause
    from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["clauses_in", "in_prose", "is_formal", "overlap"]

_FORMAL = re.compile(r"\([\w\s?-]*\)|\S*|.*(?:\w[(\[{<]|[={}]|\w\|\w).*", re.DOTALL)
_DIALECTS = (Dialect.WORDS, Dialect.JSON)
_BRACKETED = (Dialect.PDDL, Dialect.FUNCTIONAL)
_COUNT = re.compile(r"\A\d{1,4}\s+")
_CALL = re.compile(r"\w[({\[=]|^\s*\(|;\s*$", re.MULTILINE)
_LIST = re.compile(r"^\s*[\[{|]", re.MULTILINE)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_LABEL = re.compile(r"\W*([a-z][\w ]{0,20}?)\W*:\s", re.IGNORECASE)
_IN_WORDS = ("prose", "other steps")
_Style: TypeAlias = tuple[int, bool, bool, str]


def in_prose(reading: Reading, known: Vocabulary) -> bool:
    """Return whether a text tells its plan in prose: some step was read from words, or none from a notation."""
    if known.model is None or reading.passed_over or reading.no_plan not in (None, NoPlan.OTHER):
        return False
    plan = reading.plan
    if len(reading.candidates) > 1 or any(piece.is_of_structure for piece in reading.missed):
        return False
    if any(step.time is not None or step.concurrent is not None for step in plan.steps):
        return False
    if not plan.steps:
        is_formal_piece = any(piece.text.startswith(("(", "[")) for piece in reading.missed)
        is_open = reading.no_plan is NoPlan.OTHER or bool(reading.missed)
        return is_open and not is_formal_piece and _CALL.search(plan.text) is None
    told = [step for step in plan.steps if not is_formal(plan.text[slice(*step.span)], step)]
    if plan.dialect in _BRACKETED:
        is_broken = any("(" in piece.text for piece in reading.missed)
        if is_broken or any("(" not in plan.text[slice(*step.span)] for step in told):
            return not is_broken
        return _has_steps_beside(plan, known)
    if plan.dialect not in _DIALECTS or (plan.dialect is Dialect.JSON and _LIST.search(plan.text) is None):
        return False
    if told:
        return True
    if known.lexicon is None or _CALL.search(plan.text) is not None:
        return False
    is_mostly_unread = plan.dialect is Dialect.JSON or len(reading.missed) > len(plan.steps)
    return any(_says_more(clause, plan, is_mostly_unread) for clause in clauses_in(plan, known.lexicon))


def _has_steps_beside(plan: Plan, known: Vocabulary) -> bool:
    """Return whether a line in words stands among lines of steps as one of them, and says more than a remark."""
    beside = _lines_beside(plan)
    if not beside or known.lexicon is None:  # the lexicon takes long to load, and few plans need it
        return False
    clauses = clauses_in(plan, known.lexicon)
    return any(clause.is_open and overlap(clause.span, span) for clause in clauses for span in beside)


def _lines_beside(plan: Plan) -> list[Span]:
    """Return the lines in words that stand in one list, or in unbroken lines, with lines of steps."""
    words = [part.span for part in plan.parts if isinstance(part, Ignored) and part.kind in _IN_WORDS]
    if not words:
        return []
    from validator.reading.tokens.blocks.phrases import heading

    steps = [token.span for token in plan.tokens]
    lines = [match.span() for match in _LINE.finditer(plan.text)]
    texts = [plan.text[slice(*span)].rstrip("\n") for span in lines]
    rows = [
        (number, _style(text), any(overlap(span, own) for own in steps))
        for number, (span, text) in enumerate(zip(lines, texts, strict=True))
    ]
    return [
        lines[number]
        for number in sorted(_with_step_before(rows) | _with_step_before(rows[::-1]))
        if "(" not in texts[number] and not heading(texts[number]) and any(overlap(lines[number], own) for own in words)
    ]


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
    from validator.reading.tokens.blocks.phrases import mark_of

    if not line.strip():
        return None
    mark = mark_of(line)
    label = _LABEL.match(line, mark.end)
    return mark.indent, mark.order is not None, mark.is_bullet, "" if label is None else label[1].lower()


def _says_more(clause: Clause, plan: Plan, with_unread: bool) -> bool:
    """Return whether a clause names objects, and no token of the plan, or none with as many arguments, stands there.

    ``with_unread``: pieces that were not understood are no such tokens.
    """
    if not clause.is_open or not clause.mentions:
        return False
    here = [token for token in plan.tokens if overlap(clause.span, token.span)]
    steps = [token for token in here if isinstance(token, Step)]
    is_read = len(steps) == len(here) or with_unread
    return is_read and not any(len(step.args) >= len(clause.mentions) for step in steps)


def is_formal(text: str, step: Step) -> bool:
    """Return whether a step is written in a notation: ``(name args)``, ``name(args)``, or its names alone."""
    text = _COUNT.sub("", text.strip().strip("`*"))
    names = {step.name.lower(), *(arg.lower() for arg in step.args)}
    is_names = names.issuperset(text.lower().split()) or _letters(text) == _letters("".join((step.name, *step.args)))
    return is_names or _FORMAL.fullmatch(text) is not None


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def clauses_in(plan: Plan, lexicon: Lexicon) -> tuple[Clause, ...]:
    """Return the clauses of a plan's text; what was missed as a step is no remark, and a step in brackets is itself."""
    from validator.reading.lexicon.clauses import Clause, Kind

    exact = [
        Clause(text=str(step), span=step.span, kind=Kind.STEP, exact=(step,))
        for step in plan.steps
        if plan.dialect in _BRACKETED and "(" in plan.text[slice(*step.span)]
    ]
    clauses = lexicon.clauses(plan.text)
    told = (clause for clause in clauses if not any(overlap(clause.span, step.span) for step in exact))
    found = sorted((*told, *exact), key=lambda clause: clause.span)
    missed = [piece.span for piece in plan.reading.missed] if plan.reading is not None else []
    read = [clause.span for clause in found if clause.kind is not Kind.REMARK]
    unread = [span for span in missed if not any(overlap(span, other) for other in read)]
    return tuple(
        replace(clause, kind=Kind.HOLE, reason="no step could be read from it")
        if clause.kind is Kind.REMARK and any(overlap(clause.span, span) for span in unread)
        else clause
        for clause in found
    )


def overlap(one: Span, other: Span) -> bool:
    """Return whether two places of a text share a character."""
    return one[0] < other[1] and other[0] < one[1]

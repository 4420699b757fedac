"""The plans that a text may mean, by its notation: values (JSON and its like, records), commas or lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise

from validator.reading.calls.written import read_commas, read_sets
from validator.reading.lexicon import Said
from validator.reading.lexicon.english import SAYING_WORDS, THEN
from validator.reading.plan import Candidate, Dialect, Ignored, Part, Plan, Span, Step, Unparsed
from validator.reading.tokens.blocks.asides import blanked, line_ended, tagged
from validator.reading.tokens.blocks.denials import claims_no_plan
from validator.reading.tokens.blocks.rows import Row, rows_of, told_again, zone
from validator.reading.tokens.blocks.segments import Selection, has_totals, selections
from validator.reading.tokens.blocks.transcripts import transcript
from validator.reading.tokens.candidates.candidate import WHOLE, candidate_of, mentions, warned, with_missed
from validator.reading.tokens.layout import MAX_STEPS
from validator.reading.tokens.notations.eai import looks_like_json, read_json
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.notations.records import Found, found_steps, joined
from validator.reading.tokens.unread import computed, program
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace

__all__ = ["by_notation", "of_values"]


def by_notation(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that a text may mean, in the first notation that explains it."""
    found = _by_notation(text, known, dialect)
    lists = computed(text, known.written) if dialect is None and known.actions else []
    return [with_missed(candidate, lists) for candidate in found] if lists else found


def _by_notation(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    if dialect is None and may_be_values(text):
        found = by_values(text, known)
        if found:
            return [_governed(candidate, text) for candidate in found]
    if dialect is None:
        dialect = looks_like_json(text)
        if dialect is not None and known.actions and not _is_known(read_json(text, dialect), known):
            dialect = None
    if dialect is None and (commas := commas_of(text, known)) is not None:
        return [candidate_of(commas)]
    if dialect is Dialect.JSON:
        return by_values(text, known, dialect) or [candidate_of(no_values(text))]
    if dialect in (Dialect.EAI_OBJECT, Dialect.EAI_LIST, Dialect.SETS):
        return [candidate_of(read_sets(text) if dialect is Dialect.SETS else read_json(text, dialect))]
    found = by_lines(text, known, dialect)
    if found[0].plan.dialect not in (Dialect.FUNCTIONAL, Dialect.CODE) or dialect is not None:
        return found
    lines = program(text)
    return [with_missed(candidate, lines) for candidate in found] if lines else found


def _governed(candidate: Candidate, text: str) -> Candidate:
    """Return a plan of values that is not understood where lines of a program stand before steps of it."""
    last = max((step.span[0] for step in candidate.plan.steps), default=0)
    lines = [line for line in program(text) if line.span[0] < last]
    return with_missed(candidate, lines) if lines else candidate


def _is_known(plan: Plan, known: Vocabulary) -> bool:
    return any(isinstance(token, Step) and known.action_of(token.name) for token in plan.tokens)


_MAY_BE_VALUES = re.compile(
    r"""[\[{(]\s*+[\[{("']|^[^\S\n]*+\|?[^\S\n]*+:?--|^[^\S\n]*+-[^\S\n]++\w++[^\S\n]*+:|=["']|[\[{]\s*+\w++\s*+:|</\w|"""
    r"""(?:^[^\S\n]*+(?:[-*+][^\S\n]++)?+|[,;|][^\S\n]*+)[*_`]*+(?:param|arg|object)[a-z]*+(?:[ _]\w++)?[*_`]*+"""
    r"""[^\S\n]*+:""",
    re.MULTILINE | re.IGNORECASE,
)


def may_be_values(text: str) -> bool:
    """Return whether a text has signs of values, for which it takes longer to look."""
    return _MAY_BE_VALUES.search(text) is not None


def by_values(text: str, known: Vocabulary, dialect: Dialect | None = None) -> list[Candidate]:
    """Return the plans that stand in JSON and its like, and what the rest of the text says besides."""
    if dialect is None and looks_like_json(text) is Dialect.EAI_LIST:
        return []
    lists = [found for found in found_steps(text, known) if found.steps]
    if not lists:
        return []
    if dialect is Dialect.JSON:
        return [candidate_of(of_values(found, text)) for found in lists]
    rest = by_lines(blanked(text, sorted(found.span for found in lists)), known, None)
    if _are_one(lists, text):
        lists = [joined(lists)]
    if len(lists) > _MOST_LISTS:
        reason = f"it is one of {len(lists)} lists of steps, and which of them are the plan is not said"
        first = Unparsed.at(text, lists[0].span, reason)
        return [with_missed(candidate_of(of_values(joined(lists), text)), [first])]
    plans = [of_values(found, text) for found in lists]
    answers = [found for found in lists if _ANSWER.search(found.key)]
    candidates = [
        candidate_of(plan, f"the values of {found.key or 'a list'}", is_marked=answers == [found])
        for plan, found in zip(plans, lists, strict=True)
    ]
    candidates = [one for each in candidates for one in (each, *_in_a_row(each))]
    known_steps = {(step.name, step.args) for plan in plans for step in plan.steps}
    candidates += (one for one in rest if not _says_again(one.plan, known_steps))
    return _distinct(candidates)


_ANSWER = re.compile(r"(?:^|_)(?:final|corrected|revised|answer)(?:_|$)", re.IGNORECASE)
"""what a key calls the plan that its author means in the end"""
_NODE = re.compile(r"\w{0,6}")
_MOST_LISTS = 100
"""lists of steps of which each may be the plan"""


def _are_one(lists: Sequence[Found], text: str) -> bool:
    """Return whether lists follow each other like the nodes of a graph or the lines of a log.

    Nodes and lines are lists of one step each.
    """
    gaps = [text[one.span[1] : other.span[0]] for one, other in pairwise(lists)]
    if len(lists) < 2 or not all(found.steps == len(found.tokens) == 1 for found in lists):
        return False
    steps = {str(found.tokens[0]) for found in lists}
    are_near = all(_NODE.fullmatch(label := gap.strip(" \t\n,;")) and ("\n" in gap or not label) for gap in gaps)
    return len(steps) == len(lists) and are_near


def _in_a_row(candidate: Candidate) -> Iterator[Candidate]:
    """Yield the plan whose lists in lists are stretches of one sequence, and no sets of steps that happen at once."""
    sizes = Counter(step.concurrent for step in candidate.plan.steps if step.concurrent is not None)
    if max(sizes.values(), default=0) > 1:
        parts = (replace(part, concurrent=None) if isinstance(part, Step) else part for part in candidate.plan.parts)
        plan = replace(candidate.plan, parts=tuple(parts))
        yield replace(candidate, plan=plan, said=f"{candidate.said}, one after the other")


def _says_again(plan: Plan, steps: Container[tuple[str, tuple[str, ...]]]) -> bool:
    """Return whether what stands beside values is no plan: one step, or sentences that tell their steps again."""
    is_told = plan.dialect is Dialect.WORDS and all((step.name, step.args) in steps for step in plan.steps)
    return len(plan.steps) <= 1 or is_told


_SEPARATED = re.compile(r"[,{;→]|->|=>")


def commas_of(text: str, known: Vocabulary) -> Plan | None:
    """Return a plan that is a line of commas; a text of one element is left to the lines."""
    if _SEPARATED.search(text) is None or text.count(",") > MAX_STEPS:
        return None
    plan = read_commas(text, known)
    least = 1 if "{" in text else 2
    if plan is None or len(plan.tokens) < least or any(_is_said(step, text, known) for step in plan.steps):
        return None
    return plan


def _is_said(step: Step, text: str, known: Vocabulary) -> bool:
    """Return whether a step of bare words has other words than names, or not as many as its action takes."""
    wanted = known.actions.get(step.name.lower())
    said = text[slice(*step.span)].strip("\"'` \t")
    if wanted is None or step.concurrent is not None or said[:1] == "(" or said[-1:] == ")":
        return False
    return len(step.args) != wanted or any(arg in SAYING_WORDS and arg not in known.objects for arg in step.args)


def no_values(text: str) -> Plan:
    """Return what a text without a list of steps is when values are asked for: the empty list, or not readable."""
    parts: tuple[Part, ...] = ()
    if text:
        is_empty = text.strip() in ("[]", "{}")
        reason = 'a list of steps as values was expected, such as [{"action": "NAME", "args": [...]}]'
        span = (0, len(text))
        nothing = Ignored(kind="markup" if is_empty else "space", text=text, span=span)
        parts = (nothing if is_empty or text.isspace() else Unparsed(text=text, reason=reason, span=span),)
    return Plan(parts=parts, dialect=Dialect.JSON, text=text)


def of_values(found: Found, text: str) -> Plan:
    """Return the plan that a list of steps in a text is."""
    parts: list[Part] = []
    place = 0
    for token in (*found.tokens, None):
        start = len(text) if token is None else token.span[0]
        if place < start:
            parts.append(Ignored(kind="prose", text=text[place:start], span=(place, start)))
        if token is not None:
            parts.append(token)
            place = token.span[1]
    return Plan(parts=tuple(parts), dialect=Dialect.JSON, text=text, claims_no_plan=claims_no_plan(text))


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without those that say the steps of another one."""
    kept: list[Candidate] = []
    for candidate in candidates:
        if all(one.plan.tokens != candidate.plan.tokens for one in kept):
            kept.append(candidate)
    return kept


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
        text = blanked(text, [(row.start, row.end) for row in rows if row.start not in inside])
        plan = read_lines(text, known, dialect, hint)
        rows = rows_of(text, plan)
    found = selections(rows, lambda row: f"line {text.count(chr(10), 0, row.start) + 1}")
    if not found:
        candidate = candidate_of(warned(plan, warnings), said or WHOLE, is_marked, rows)
        candidate = replace(candidate, mentions=mentions(plan, known))
        return [candidate if said or dialect is not None else with_missed(candidate, _ordered(rows, plan, known))]
    return [_selected(plan, one, warnings, known, dialect, rows) for one in found]


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
    whole: Plan,
    selection: Selection,
    warnings: list[str],
    known: Vocabulary,
    dialect: Dialect | None,
    rows: Sequence[Row],
) -> Candidate:
    plan = whole
    if selection.left_out:
        plan = read_lines(blanked(whole.text, list(selection.left_out)), known, dialect, whole.dialect)
    told = warned(plan, [*warnings, *selection.warnings])
    kept = [row for row in rows if not any(_within(row, span) for span in selection.left_out)]
    candidate = candidate_of(told, selection.said, selection.is_marked, kept)
    candidate = replace(candidate, is_joined=selection.is_joined)
    inside = {row.start for row in kept}
    left_out = [step for row in rows if row.start not in inside for step in row.tokens if isinstance(step, Step)]
    named = [*mentions(plan, known), *(() if selection.is_marked or selection.is_block else left_out)]
    return replace(candidate, mentions=tuple(sorted(named, key=lambda step: step.span)))

"""The one way from any text to its reading.

    text --asides--> what is visible --notations--> tokens --segments--> candidates

What stands around the plan, such as thoughts, is left out first. What is left is read in the first notation that
explains it: values (JSON and its like, records), commas or lines.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from unicodedata import normalize

from validator.errors import PlanError
from validator.reading.calls.objects import CallRequest
from validator.reading.calls.written import read_commas
from validator.reading.plan import (
    MAX_STEPS,
    Candidate,
    Dialect,
    Ignored,
    NoPlan,
    Part,
    Plan,
    Reading,
    Span,
    Step,
    Token,
    Unparsed,
    tiled,
)
from validator.reading.tokens.asides import Asides, blanked, printed_alone, unwrapped, without_asides
from validator.reading.tokens.candidates import (
    WHOLE,
    as_written,
    by_lines,
    candidate_of,
    with_doubts,
    with_missed,
    without_foreign_names,
)
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.notations.records import CUT_OFF, Found, failed_records, found_steps, joined, step_of_call
from validator.reading.tokens.phrases import claims_empty_plan, claims_no_plan
from validator.reading.tokens.transcripts import Command, Transcript
from validator.reading.tokens.unread import computed, disordered, not_read, program, repeated
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import literal, open_lines, places_of
from validator.reading.values import Value, is_argument, json_values, span_of
from validator.records import replace


def read_any(text: str, known: Vocabulary, dialect: Dialect | None, is_literal: bool) -> Reading:
    """Read a text of any notation; arguments and errors as in ``validator.reading.tokens.read``."""
    if is_literal and known.lexicon is not None:
        known = replace(known, model=None)
    shown = printed_alone(text)  # what is not seen becomes blanks, so that no offset moves
    unread = not_read(shown, known) if dialect is None else []
    shown = blanked(shown, [piece.span for piece in unread])
    shown = shown if is_literal or not known.actions else unwrapped(shown, known)
    found, asides = _read(shown, known, dialect)
    found = [as_written(candidate, text) for candidate in found]
    unread += _disguised(text, known) if not text.isascii() else []
    found = [with_missed(candidate, unread) for candidate in found] if unread else found
    if is_literal:
        return Reading(candidates=(literal(found[0]),), is_literal=True)
    found = [with_doubts(candidate, known) for candidate in found] if known.actions else found
    why = "its steps are thoughts, and no answer follows them" if asides.is_thought else ""
    if why or asides.is_commented:
        why = why or "steps stand in comments beside it"
        found = [replace(candidate, doubts=(*candidate.doubts, why)) for candidate in found]
    if known.lexicon is not None:
        found = [without_foreign_names(candidate, known) for candidate in found]
    no_plan = _no_plan(found[0].plan)
    if no_plan is NoPlan.OTHER and not found[0].missed and claims_empty_plan(text):
        return Reading(candidates=(_empty(found[0]),))
    failed = failed_records(asides.visible, known) if found[0].plan.dialect is Dialect.JSON else []
    said = (
        *asides.said,
        *([f"{len(failed)} record{'s' * (len(failed) > 1)} of steps that were not done"] if failed else []),
    )
    visible = blanked(asides.visible, failed) if asides.said or failed else ""
    open_ = ""
    if (talk := asides.talk) is not None:
        is_told = bool(talk.commands) and not (talk.is_wire or any(command.given for command in talk.commands))
        visible = _shown(asides.visible, talk.no_steps) if is_told else ""
        open_ = _shown(asides.visible, talk.first_lines(text)) if is_told else ""
    return Reading(candidates=tuple(found), no_plan=no_plan, passed_over=said, visible=visible, open=open_)


_UNSEEN = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_WORD = re.compile(rf"[\w{_UNSEEN}-]+")


def _disguised(text: str, known: Vocabulary) -> Iterator[Unparsed]:
    """Yield the lines on which a name is that of the model but for signs that nobody sees, or for wide letters."""
    for match in _WORD.finditer(text):
        word = match[0].strip(_UNSEEN)
        name = normalize("NFKC", word).translate(dict.fromkeys(map(ord, _UNSEEN)))
        if name != word and name.isascii() and (name.lower() in known.objects or known.written(name)):
            start = text.rfind("\n", 0, match.start()) + 1
            yield Unparsed.at(text, (start, match.end()), f"it has signs inside of '{name}' that are not of the name")


def _with_open_lines(candidate: Candidate, known: Vocabulary) -> Candidate:
    """Return a candidate that is not understood where lines among its steps may tell further ones."""
    text, known_lines = candidate.plan.text, {piece.line for piece in candidate.missed}
    pieces = [
        Unparsed.at(text, line.span, "it may be a step beside the others") for line in open_lines(candidate.plan, known)
    ]
    new = [piece for piece in places_of(text, pieces) if piece.line not in known_lines]
    return with_missed(candidate, new) if new else candidate


def _empty(candidate: Candidate) -> Candidate:
    """Return the empty plan that a text says in words."""
    text = candidate.plan.text
    warning = "the text says that nothing has to be done: the empty plan"
    said = (Ignored(kind="comment", text=text, span=(0, len(text))),)
    return replace(candidate, plan=replace(candidate.plan, parts=said, warnings=(*candidate.plan.warnings, warning)))


def _read(text: str, known: Vocabulary, dialect: Dialect | None) -> tuple[list[Candidate], Asides]:
    """Return the plans that a text may mean, and what stands around them and was passed over."""
    if dialect is Dialect.PDDL:
        return [Candidate(plan=read_lines(text, known, dialect))], Asides(visible=text, said=(), talk=None)
    asides = without_asides(text, known, with_talk=dialect is None)
    if asides.talk is not None:
        return _by_turns(asides.visible, asides.talk, known), asides
    return by_notation(asides.visible, known, dialect), asides


_GIVEN_UP = re.compile(
    r"\b(?:no\s+solution|unsolvable\s+problem|search\s+stopped\s+without\s+finding|sorry|"
    r"(?:can\s?not|can't|unable\s+to|won't|not\s+able\s+to)\s+(?:help|assist|comply|provide|answer|do\s+that)|"
    r"(?:can\s?not|can't|could\s+not|couldn't|unable\s+to|not\s+able\s+to|failed\s+to)\s+"
    r"(?:find|generate|produce|construct|create)\s+(?:a|any)\s+(?:\w+\s+)?(?:plan|solution)|"
    r"no\s+(?:\w+\s+)?(?:plan|solution)\s+(?:\w+\s+){0,2}found|"
    r"as\s+an\s+ai|more\s+information)\b",
    re.IGNORECASE,
)


def _no_plan(plan: Plan) -> NoPlan | None:
    """Return what a text without a step says; None for one with steps, and for the empty text."""
    if any(isinstance(token, Step) for token in plan.tokens) or not plan.is_unreadable:
        return None
    if plan.claims_no_plan is not None:
        return NoPlan.CLAIM
    return NoPlan.GIVEN_UP if _GIVEN_UP.search(plan.text) else NoPlan.OTHER


# --- transcripts ---------------------------------------------------------------------------------


def _by_turns(text: str, talk: Transcript, known: Vocabulary) -> list[Candidate]:
    """Return the plans that the commands of a transcript are; a command of which no step was read is missed."""
    if talk.is_wire or any(command.given for command in talk.commands):
        done = (command for command in talk.commands if not command.is_refused and not command.ends)
        calls = tuple(_called(text, command, talk, known) for command in done)
        return [candidate_of(of_values(Found(tokens=calls, span=(0, len(text))), text))]
    found = by_notation(_shown(text, talk.hidden), known, None)
    return [_with_commands(candidate, talk) for candidate in found]


def _shown(text: str, hidden: Sequence[Span]) -> str:
    """Return a text without what is hidden; tags part commands that stand on one line."""
    shown = list(blanked(text, hidden))
    for start, _ in hidden:
        if text.startswith("<", start):
            shown[start] = "\n"
    return "".join(shown)


def _called(text: str, command: Command, talk: Transcript, known: Vocabulary) -> Token:
    """Return the step that a command is which is a call, or a name with or without arguments on a line of their own."""
    said = text[slice(*command.span)]
    if command.call is not None:
        return step_of_call(command.call, known, command.span)
    name = said.strip(" \t\r\n`*\"'")
    if command.given is not None:
        given = text[slice(*command.given)].strip(" \t\r\n`*")
        return step_of_call(CallRequest(name=name, given=given), known, command.span)
    if known.action_of(name) is not None and not talk.is_wire:
        return step_of_call(CallRequest(name=name), known, command.span)
    return Unparsed(text=said, reason="no step could be read from this command", span=command.span)


def _with_commands(candidate: Candidate, talk: Transcript) -> Candidate:
    if candidate.said != WHOLE:
        return candidate
    text = candidate.plan.text
    starts = sorted(token.span[0] for token in candidate.plan.tokens)
    pieces = [
        Unparsed.at(text, command.span, "no step could be read from this command")
        for command in talk.commands
        if not (command.is_refused or command.ends)
        and bisect_left(starts, command.span[0]) == bisect_left(starts, command.span[1])
    ]
    return with_missed(candidate, pieces)


# --- in which notation ---------------------------------------------------------------------------


def by_notation(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    """Return the plans that a text may mean, in the first notation that explains it."""
    found = _by_notation(text, known, dialect)
    found = [_with_open_lines(candidate, known) for candidate in found] if dialect is None else found
    if dialect is not None or not known.actions:
        return found
    pieces = [*computed(text, known.written), *repeated(text, known.written)]
    pieces += [] if known.has_time else disordered(text, known.written)
    return [with_missed(candidate, pieces) for candidate in found] if pieces else found


def _by_notation(text: str, known: Vocabulary, dialect: Dialect | None) -> list[Candidate]:
    if dialect is None and may_be_values(text):
        found = by_values(text, known)
        if found:
            return [_governed(candidate, text) for candidate in found]
    if dialect is None:
        dialect = looks_like_json(text)
        if dialect is not None and known.model is not None and not _is_known(read_json(text, dialect), known):
            dialect = None
    if dialect is None and (sets := sets_of(text, known)) is not None:
        return [candidate_of(sets)]
    if dialect is Dialect.JSON:
        return by_values(text, known, dialect) or [candidate_of(no_values(text))]
    if dialect in (Dialect.EAI_OBJECT, Dialect.EAI_LIST, Dialect.SETS):
        return [candidate_of(_literal_sets(text) if dialect is Dialect.SETS else read_json(text, dialect))]
    found = by_lines(text, known, dialect)
    if dialect is None and (within := list(_sets_within(text, known))):
        found = [with_missed(candidate, within) for candidate in found]
    if dialect is None and _BEGINS_VALUES.match(text):
        cut = (value.span[0] for value in json_values(text, may_be_cut=True) if value.is_cut)
        ends = [Unparsed.at(text, (start, start + 1), CUT_OFF, is_of_structure=True) for start in cut]
        found = [with_missed(candidate, ends) for candidate in found] if ends else found
    if found[0].plan.dialect not in (Dialect.FUNCTIONAL, Dialect.CODE) or dialect is not None:
        return found
    lines = program(text)
    return [with_missed(candidate, lines) for candidate in found] if lines else found


_SET = re.compile(r"\{([^{}\n\"'=:]+)\}")


def _sets_within(text: str, known: Vocabulary) -> Iterator[Unparsed]:
    """Yield the sets in braces of a text that is no list of sets, whose steps would lose that they happen at once."""
    for match in _SET.finditer(text) if known.actions else ():
        members = [member.split(maxsplit=1)[0] for member in re.split(r"[,()]", match[1]) if member.strip()]
        if len(members) > 1 and all(map(known.action_of, members)):
            yield Unparsed.at(text, match.span(), "it is a set of steps, in a text that is not a list of sets")


def _governed(candidate: Candidate, text: str) -> Candidate:
    """Return a plan of values that is not understood where lines of a program stand before steps of it."""
    last = max((step.span[0] for step in candidate.plan.steps), default=0)
    lines = [line for line in program(text) if line.span[0] < last]
    return with_missed(candidate, lines) if lines else candidate


def _is_known(plan: Plan, known: Vocabulary) -> bool:
    return any(isinstance(token, Step) and known.action_of(token.name) for token in plan.tokens)


_MAY_BE_VALUES = re.compile(
    r"""[\[{(]\s*+[\[{("']|^[^\S\n]*+\|?[^\S\n]*+:?--|[\[{]\s*+\w++\s*+:""", re.MULTILINE | re.IGNORECASE
)


def may_be_values(text: str) -> bool:
    """Return whether a text has signs of values, for which it takes longer to look."""
    return _MAY_BE_VALUES.search(text) is not None


def by_values(text: str, known: Vocabulary, dialect: Dialect | None = None) -> list[Candidate]:
    """Return the plans that stand in JSON and its like, and what the rest of the text says besides."""
    if dialect is None and looks_like_json(text) is Dialect.EAI_LIST:
        return []
    lists = found_steps(text, known)
    if not lists:
        return []
    if dialect is Dialect.JSON:
        return [candidate_of(of_values(found, text)) for found in lists]
    rest = by_lines(blanked(text, sorted(found.span for found in lists)), known, None)
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
    beside = [step for one in rest for step in one.plan.steps if (step.name, step.args) not in known_steps]
    if len(beside) == 1 and rest[0].plan.dialect in (Dialect.PDDL, Dialect.FUNCTIONAL):
        piece = Unparsed.at(text, beside[0].span, "it may be a step beside the others")
        candidates = [with_missed(candidate, [piece]) for candidate in candidates]
    candidates += (one for one in rest if not _says_again(one.plan, known_steps))
    return _distinct(candidates)


_BEGINS_VALUES = re.compile(r"""\s*+[\[{]\s*+["'{\[]""")
_ANSWER = re.compile(r"(?:^|_)(?:final|corrected|revised|answer)(?:_|$)", re.IGNORECASE)
"""what a key calls the plan that its author means in the end"""
_MOST_LISTS = 100
"""lists of steps of which each may be the plan"""


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


def sets_of(text: str, known: Vocabulary) -> Plan | None:
    """Return the plan that a line of commas is: with sets of steps; where no model is known, of two steps at least."""
    if (known.actions and "{" not in text) or text.count(",") > MAX_STEPS:
        return None
    plan = read_commas(text, known)
    return None if plan is None or len(plan.tokens) < (1 if "{" in text else 2) else plan


def _literal_sets(text: str) -> Plan:
    """Read a line of commas; a text that is none is one piece that was not understood."""
    if text.count(",") > MAX_STEPS:
        raise PlanError(f"the plan text has more than {MAX_STEPS} steps")
    reason = "names and sets of names were expected, with commas between"
    unread = Unparsed(text=text, reason=reason, span=(0, len(text)))
    plan = read_commas(text)
    return replace(Plan(parts=(unread,), text=text) if plan is None else plan, dialect=Dialect.SETS)


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
    parts = tiled(text, found.tokens, "prose")
    return Plan(parts=parts, dialect=Dialect.JSON, text=text, claims_no_plan=claims_no_plan(text))


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without those that say the steps of another one."""
    kept: list[Candidate] = []
    for candidate in candidates:
        if all(one.plan.tokens != candidate.plan.tokens for one in kept):
            kept.append(candidate)
    return kept


# --- the two forms of the Embodied Agent Interface: actions as keys, which may be there again, and as objects --------

_JSON_OBJECT = re.compile(r"""\{\s*["'][^"'\s]+["']\s*:\s*\[(?!\s*(?:["'][^"'\n]*\(|[\[{]))""")
_JSON_LIST = re.compile(r"""\[\s*\{\s*["']action["']\s*:\s*["'][^"'\n]*["']\s*,\s*["']object["']""")
_REST = re.compile(r"[^\s,\[\](){}]")
_FENCE = re.compile(r"```[^\n`]*+")
_EXPECTED = '"ACTION": ["OBJECT", ...] was expected, or {"action": "NAME", "object": "NAME"}'


def looks_like_json(text: str) -> Dialect | None:
    """Return which of the two JSON forms a text holds, or None."""
    if _JSON_LIST.search(text):
        return Dialect.EAI_LIST
    objects = (found.start() for found in _JSON_OBJECT.finditer(text))
    return Dialect.EAI_OBJECT if any(not is_argument(text, start) for start in objects) else None


def read_json(text: str, dialect: Dialect) -> Plan:
    """Read either JSON form. Prose may stand around it; what is inside and no step, or cut off, is Unparsed."""
    if text.count("{" if dialect is Dialect.EAI_LIST else "[") > MAX_STEPS:
        raise PlanError(f"the plan text has more than {MAX_STEPS} steps")
    found: list[Token] = []
    for value in json_values(text, may_be_cut=True):
        tokens = list(_eai_steps(value, text))
        found += tokens
        rest = _REST.search(text, tokens[-1].span[1] if tokens else value.span[0]) if value.is_cut else None
        if rest is not None:
            found.append(Unparsed.at(text, (rest.start(), len(text.rstrip())), "the text ends inside of it"))
    parts = (
        replace(part, kind="prose") if isinstance(part, Ignored) and _REST.search(_FENCE.sub("", part.text)) else part
        for part in tiled(text, found)
    )
    return Plan(parts=tuple(parts), dialect=dialect, text=text, claims_no_plan=claims_no_plan(text))


def _is_name(value: Value) -> bool:
    return value.kind == "text" and (not value.is_bare or value.text.isdigit())


def _numbered(names: Sequence[str]) -> tuple[str, ...]:
    """Return arguments; a name followed by its number is one object, ``couch_352``."""
    found: list[str] = []
    for name in names:
        if name.isdigit() and found and not found[-1].rpartition("_")[2].isdigit():
            found[-1] = f"{found[-1]}_{name}"
        else:
            found.append(name.strip())
    return tuple(found)


def _eai_steps(value: Value, text: str) -> Iterator[Token]:
    """Read ``{"WALK": ["couch", "352"]}`` and ``[{"action": "LEFT_GRASP", "object": "candle_0"}]``."""
    for item in value.items():
        yield from _eai_steps(item, text)
    own = {key: inner.text for key, inner in value.pairs() if _is_name(inner)}
    if own.keys() == {"action", "object"} and not value.is_cut and len(value.pairs()) == len(own):
        objects = tuple(part.strip() for part in own["object"].split(",") if part.strip())
        yield Step(name=own["action"].strip().lower(), args=objects, span=value.span)
        return
    for key, inner in value.pairs():
        span = (span_of(key)[0], inner.span[1])
        if inner.kind == "list" and not inner.is_cut and all(_is_name(each) for each in inner.items()):
            yield Step(name=key.lower(), args=_numbered([each.text for each in inner.items()]), span=span)
        else:
            yield Unparsed.at(text, span, _EXPECTED)
    if value.kind == "text":
        yield Unparsed.at(text, value.span, _EXPECTED)

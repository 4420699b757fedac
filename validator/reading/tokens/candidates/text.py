"""The one way from any text to its reading.

    text --asides--> what is visible --notations--> tokens --segments--> selections --> candidates

What stands around the plan, such as thoughts, is left out first. What is left is read once; the lines with steps fall
into runs, and where some of them are no part of the plan, what remains is read again without them.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.errors import InputError
from validator.reading.calls.objects import Asked
from validator.reading.calls.values import step_of
from validator.reading.plan import Candidate, Dialect, Ignored, NoPlan, Plan, Reading, Step, Token, Unparsed
from validator.reading.tokens.blocks.asides import blanked, printed_alone, without_asides
from validator.reading.tokens.blocks.denials import claims_empty_plan, refuses
from validator.reading.tokens.blocks.transcripts import Command, Transcript
from validator.reading.tokens.candidates.candidate import (
    WHOLE,
    as_written,
    candidate_of,
    remarks,
    strange,
    with_missed,
    without_foreign_names,
)
from validator.reading.tokens.candidates.notation import by_notation, of_values
from validator.reading.tokens.notations.lines import read_lines
from validator.reading.tokens.notations.records import Found, step_of_call
from validator.reading.tokens.unread import not_read
from validator.reading.tokens.vocabulary import Vocabulary
from validator.reading.understood import literal
from validator.records import dataclass, field, replace

if TYPE_CHECKING:
    from validator.reading.traces.recording import Recording

__all__ = ["read_any"]


def read_any(text: str, known: Vocabulary, dialect: Dialect | None, is_literal: bool) -> Reading:
    """Read a text of any notation; arguments and errors as in ``validator.reading.tokens.read``."""
    if is_literal and known.lexicon is not None:
        known = replace(known, model=None)
    shown = printed_alone(text)  # what is not seen becomes blanks, so that no offset moves
    unread = not_read(shown, known) if dialect is None else []
    shown = blanked(shown, [piece.span for piece in unread])
    steps = _Shown(text=shown) if is_literal or not known.actions else _unwrapped(shown, known)
    shown = steps.text
    found, passed_over = _read(shown, known, dialect)
    found = [as_written(steps.of(candidate), text) for candidate in found]
    found = [with_missed(candidate, unread) for candidate in found] if unread else found
    if is_literal:
        return Reading(candidates=(literal(found[0]),), is_literal=True)
    found = [
        replace(candidate, remarks=remarks(candidate.plan, known), strange=strange(candidate.plan, known))
        for candidate in found
    ]
    if known.lexicon is not None:
        found = [without_foreign_names(candidate, known) for candidate in found]
    no_plan = _no_plan(found[0].plan)
    if no_plan is NoPlan.OTHER and not found[0].missed and claims_empty_plan(text):
        return Reading(candidates=(_empty(found[0]),))
    return Reading(candidates=tuple(found), no_plan=no_plan, passed_over=passed_over)


def _empty(candidate: Candidate) -> Candidate:
    """Return the empty plan that a text says in words."""
    text = candidate.plan.text
    warning = "the text says that nothing has to be done: the empty plan"
    said = (Ignored(kind="comment", text=text, span=(0, len(text))),)
    return replace(candidate, plan=replace(candidate.plan, parts=said, warnings=(*candidate.plan.warnings, warning)))


def _read(text: str, known: Vocabulary, dialect: Dialect | None) -> tuple[list[Candidate], tuple[str, ...]]:
    """Return the plans that a text may mean, and what stands around them and was passed over, in words."""
    if dialect is Dialect.PDDL:
        return [Candidate(plan=read_lines(text, known, dialect))], ()
    if dialect is None and (chat := _by_chat(text, known)) is not None:
        return chat
    asides = without_asides(text, with_talk=dialect is None)
    if asides.talk is not None:
        return _by_turns(asides.visible, asides.talk, known), asides.said
    return by_notation(asides.visible, known, dialect), asides.said


_GIVEN_UP = re.compile(
    r"\b(?:no\s+solution|unsolvable\s+problem|search\s+stopped\s+without\s+finding|sorry|"
    r"(?:can\s?not|can't|unable\s+to|won't|not\s+able\s+to)\s+(?:help|assist|comply|provide|answer|do\s+that)|"
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


# --- chats and transcripts ------------------------------------------------------------------------


_MAY_BE = re.compile(
    r"[\"']role[\"']\s*+:|[\"']type[\"']\s*+:\s*+[\"'](?:human|ai|system|tool)[\"']|[\"']kwargs[\"']\s*+:"
)
_CHAT = re.compile(r"\b(?:chat|messages)\b", re.IGNORECASE)


def _by_chat(text: str, known: Vocabulary) -> tuple[list[Candidate], tuple[str, ...]] | None:
    """Return the plans that a chat may mean, and what was passed over; None for a text that is none."""
    if not known.actions or _MAY_BE.search(text) is None:
        return None
    from validator.reading.traces.read import read_trace  # which plans that are no chats do not need

    try:
        chat = read_trace(text)
    except InputError:
        return None
    if _CHAT.search(chat.format) is None:
        return None
    if not chat.calls:
        return _as_said(text, chat, known)
    done = [call for call in chat.calls if call.error is None and not refuses(str(call.result))]
    tokens: list[Token] = []
    place = 0
    for call in done:
        start = max(text.find(call.name, place), place)
        place = min(start + len(call.name), len(text))
        is_action = known.action_of(call.name) is not None  # or it may as well look at the world
        reason = f"the model has no action '{call.name}'"
        unread = Unparsed(text=str(call), reason=reason, span=(start, place))
        tokens.append(step_of(call.name, call.arguments, known, unread.span) if is_action else unread)
    candidate = candidate_of(of_values(Found(tokens=tuple(tokens), span=(0, len(text))), text))
    missed = (Unparsed(text=what, reason="not understood in the chat", span=(place, len(text))) for what in chat.missed)
    said = ["what is said in the chat beside its calls"]
    if refused := len(chat.calls) - len(done):
        said.append(f"{refused} call{'s' * (refused > 1)} answered by an error: no change comes of that")
    return [with_missed(candidate, missed)], tuple(said)


def _as_said(text: str, chat: Recording, known: Vocabulary) -> tuple[list[Candidate], tuple[str, ...]] | None:
    """Return the plans of what a model says that calls nothing, the last first: each answer may have one."""
    found: list[Candidate] = []
    end = len(text)
    for said in reversed([each.text for each in chat.said if each.text.strip()]):
        forms = (json.dumps(said)[1:-1], json.dumps(said, ensure_ascii=False)[1:-1], repr(said)[1:-1], said)
        written = next((form for form in forms if form in text), None)
        if written is None:
            return None
        start = text.rfind(written, 0, end) if written in text[:end] else text.rfind(written)
        visible = blanked(text, [(0, start), (start + len(written), len(text))])
        end = start
        read = by_notation(visible, known, None)
        found += (one for one in read if one.plan.steps and one.plan.tokens not in [each.plan.tokens for each in found])
    return (found, ("what others say in the chat",)) if found else None


def _by_turns(text: str, talk: Transcript, known: Vocabulary) -> list[Candidate]:
    """Return the plans that the commands of a transcript are; a command of which no step was read is missed."""
    if talk.is_wire or any(command.given for command in talk.commands):
        done = (command for command in talk.commands if not command.is_refused and not command.ends)
        calls = tuple(_called(text, command, talk, known) for command in done)
        return [candidate_of(of_values(Found(tokens=calls, span=(0, len(text))), text))]
    shown = list(blanked(text, list(talk.hidden)))
    for start, _ in talk.hidden:
        if text.startswith("<", start):  # tags part commands that stand on one line
            shown[start] = "\n"
    found = by_notation("".join(shown), known, None)
    return [_with_commands(candidate, talk) for candidate in found]


def _called(text: str, command: Command, talk: Transcript, known: Vocabulary) -> Token:
    """Return the step that a command is which is a call, or a name with or without arguments on a line of their own."""
    said = text[slice(*command.span)]
    if command.call is not None:
        return step_of_call(command.call, known, command.span)
    name = said.strip(" \t\r\n`*\"'")
    if command.given is not None:
        given = text[slice(*command.given)].strip(" \t\r\n`*")
        return step_of_call(Asked(name=name, given=given), known, command.span)
    if known.action_of(name) is not None and not talk.is_wire:
        return step_of_call(Asked(name=name), known, command.span)
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


# --- steps inside of something else ---------------------------------------------------------------

_RUN = re.compile(
    r"(?<![\w.])(?:await[^\S\n]++|print\((?=[\w.-]++\([^()\n]*+\)(?P<end>\))))(?=(?:[\w-]++\.)*+(?P<name>[\w-]++)\()"
)
"""``await stack(a, b)`` and ``print(stack(a, b))``, as programs for tools are written"""
_REACHED = re.compile(r"\(\s*+reach-goal\s*+\)|(?<![\w(-])reach-goal(?![\w-])", re.IGNORECASE)
"""the last step of planners that compile the goal away, FF and its offspring"""
_ENDED = re.compile(
    r"(?<![\w.(-])(?:(?P<call>done|finish(?:ed)?|stop|end|terminate|completed?)\(\s*+\)"
    r"|\(\s*+(?P<group>done|finish(?:ed)?|stop|end|terminate|completed?)\s*+\))(?=[\s.;,`'\"\])}]*+\Z)",
    re.IGNORECASE,
)
"""``done()``, what agents call behind the last step to say that it was"""
_LONGEST_END = 40
"""characters at the end of a text in which its end may be said"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A text of the same length in which the steps stand by themselves, and when they happen, by their places."""

    text: str
    times: Mapping[int, Fraction] = field(default_factory=dict)
    durations: Mapping[int, Fraction] = field(default_factory=dict)

    def of(self, candidate: Candidate) -> Candidate:
        """Return what was read of the text, with the times of its steps."""
        if not self.times:
            return candidate
        parts = (
            replace(part, time=self.times.get(part.span[0]), duration=self.durations.get(part.span[0], part.duration))
            if isinstance(part, Step) and part.time is None
            else part
            for part in candidate.plan.parts
        )
        return replace(candidate, plan=replace(candidate.plan, parts=tuple(parts)))


def _unwrapped(text: str, vocabulary: Vocabulary) -> _Shown:
    """Take the steps of a text out of what stands around them, as far as the names of the model tell them."""
    if vocabulary.has_time and (timed := _timed_steps(text)) is not None:
        return timed
    if "await" in text or "print(" in text:
        runs = (match for match in _RUN.finditer(text) if vocabulary.action_of(match["name"]) is not None)
        around = ((match.span(), match.span("end")) for match in runs)
        text = blanked(text, [span for spans in around for span in spans if span[0] >= 0])
    if "(:" in text:
        text = _KEYWORD.sub(
            lambda name: name[0] if vocabulary.written(name[1]) is None else name[0].replace(":", " "), text
        )
    if vocabulary.parted is not None:
        text = vocabulary.parted.sub(lambda match: _in_one(match, vocabulary), text)
    if "reach-goal" in text.lower() and "reach-goal" not in vocabulary.actions:
        text = _REACHED.sub(lambda match: " " * len(match[0]), text)
    ended = _ENDED.search(text, max(0, len(text) - _LONGEST_END))
    if ended is not None and vocabulary.written(ended["call"] or ended["group"]) is None:
        text = blanked(text, [ended.span()])
    return _Shown(text=text)


def _in_one(match: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return the name of an action for its words; those of a parenthesis that says more than objects stay."""
    said = (match["given"] or "").lower().split()
    return vocabulary.spoken[tuple(match[0].lower().split(" "))] if vocabulary.objects.issuperset(said) else match[0]


_KEYWORD = re.compile(r"\(:([^\W\d][\w-]*+)")
"""``(:LOAD-TRUCK p t)``: an action that is written as the keywords of PDDL are"""
_TIME = r"\d{1,30}+(?:\.\d{1,30}+)?"
_COLUMNS = re.compile(
    rf"^[^\S\n]*+(?P<time>{_TIME})[^\S\n]++(?P<step>\([^()\n]++\))[^\S\n]++(?P<duration>{_TIME})[^\S\n]*+$",
    re.MULTILINE,
)
_BRACKETS = re.compile(
    rf"^[^\S\n]*+(?P<step>\([^()\n]++\))[^\S\n]*+"
    rf"\[[^\S\n]*+(?P<time>{_TIME})[^\S\n]*+,[^\S\n]*+(?P<duration>{_TIME})[^\S\n]*+\][^\S\n]*+$",
    re.MULTILINE,
)
"""``5.001 (move a b) 5`` and ``(move a b) [5.001, 5]``, as PlanSys2 prints steps"""
_STAMPED = re.compile(rf"^[^\S\n]*+{_TIME}[^\S\n]*+:[^\S\n]*+\(", re.MULTILINE)
_SECONDS = r"(?:[^\S\n]?s(?:ec(?:onds?)?)?\b)?"
_SAID = re.compile(
    r"^[^\S\n]*+(?:[-+*•][^\S\n]++|\d{1,6}+[.)][^\S\n]++)?+(?P<bold>\*\*|__)?"
    r"(?P<said>(?:at[^\S\n]++)?(?:time\b|t(?=[^\S\n]*+=))?[^\S\n]*+=?)[^\S\n]*+"
    rf"(?P<time>{_TIME}|\d{{1,30}}+,\d{{1,30}}+){_SECONDS}"
    rf"(?:[^\S\n]*+[-–][^\S\n]*+(?P<end>{_TIME}){_SECONDS})?[^\S\n]*+:?(?(bold)(?P=bold))[^\S\n]*+[:,]?\s*+"
    r"`?(?P<step>\([^()\n]++\))`?[^\S\n]*+"
    r"(?(end)|(?:\[|\((?=[^)\n]*[a-z])|for\b|(?=dur))[^\S\n]*+(?:dur(?:ation)?\b)?[^\S\n]*+[=:]?[^\S\n]*+"
    rf"(?P<duration>{_TIME}|\d{{1,30}}+,\d{{1,30}}+){_SECONDS}[^\S\n]*+[\])]?)[^\S\n]*+\.?[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
)
"""``- **0.5**: `(move a b)` [2]``, ``At time 0.5: (move a b) for 2 seconds``, ``t=0,5: (move a b) [duration: 2]``,
``0.5 - 2.5: (move a b)``; VAL puts the time on a line of its own"""
_INTERVALS = re.compile(
    r"^[^\S\n]*+(?:[-+*•][^\S\n]++|\d{1,6}+[.)][^\S\n]++)?+(?:(?P<opens>\[)|from\b)[^\S\n]*+"
    rf"(?P<time>{_TIME}){_SECONDS}[^\S\n]*+(?:,|-|–|to\b|until\b)[^\S\n]*+(?P<end>{_TIME}){_SECONDS}[^\S\n]*+"
    r"(?(opens)[\])])[^\S\n]*+[:,]?[^\S\n]*+(?P<step>(?:[\w-]++)?\([^()\n]++\))[^\S\n]*+[.,;]?[^\S\n]*+$",
    re.MULTILINE | re.IGNORECASE,
)
"""``[0, 5] (move a b)``, ``from 0 to 5: (move a b)``: when a step begins, and when it ends"""
_GROUPS = re.compile(
    rf"\((?!(?:dur(?:ation)?\b)?[^\S\n]*+[=:]?[^\S\n]*+\d{{1,30}}+(?:[.,]\d{{1,30}}+)?{_SECONDS}\))", re.IGNORECASE
)
"""the parentheses that are no duration"""


def _timed_steps(text: str) -> _Shown | None:
    """Return the times of steps that have them in columns, in brackets behind them or in words; else None."""
    said = [*_SAID.finditer(text)] if _STAMPED.search(text) is None else []
    are_times = any(match["said"] or match["end"] or not match["time"].isdigit() for match in said)  # or they count
    if are_times and len(said) == len(_GROUPS.findall(text)):
        return _timed(text, said)
    between = [*_INTERVALS.finditer(text)]
    if between and len(between) == len(_GROUPS.findall(text)):
        are_ends = all(Fraction(match["time"]) < Fraction(match["end"]) for match in between)
        return _timed(text, between) if are_ends else None  # or the second number may be how long it takes
    found = [*_COLUMNS.finditer(text)] or [*_BRACKETS.finditer(text)]
    is_told = any(Fraction(match["duration"]) < Fraction(match["time"]) for match in found)
    if not found or (len(found) > 1 and not is_told):  # or the second number may be the end
        return None
    return _timed(text, found)


def _timed(text: str, found: Sequence[re.Match[str]]) -> _Shown:
    times, durations, hidden = {}, {}, []
    for match in found:
        start, end = match.span("step")
        hidden += [(match.start(), start), (end, match.end())]
        given = match.groupdict()
        times[start] = _number(match["time"])
        durations[start] = _number(given["end"]) - times[start] if given.get("end") else _number(match["duration"])
    return _Shown(text=blanked(text, hidden), times=times, durations=durations)


def _number(text: str) -> Fraction:
    return Fraction(text.replace(",", "."))

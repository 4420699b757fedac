"""The one way from any text to its reading.

    text --asides--> what is visible --notations--> tokens --segments--> selections --> candidates

What stands around the plan, such as thoughts, is left out first. What is left is read once; the lines with steps fall
into runs, and where some of them are no part of the plan, what remains is read again without them.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from validator.reading.calls.objects import Asked
from validator.reading.plan import Candidate, Dialect, Ignored, NoPlan, Plan, Reading, Step, Token, Unparsed
from validator.reading.tokens.blocks.asides import blanked, printed_alone, without_asides
from validator.reading.tokens.blocks.denials import claims_empty_plan
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
from validator.records import replace

__all__ = ["read_any"]


def read_any(text: str, known: Vocabulary, dialect: Dialect | None, is_literal: bool) -> Reading:
    """Read a text of any notation; arguments and errors as in ``validator.reading.tokens.read``."""
    if is_literal and known.lexicon is not None:
        known = replace(known, model=None)
    shown = printed_alone(text)  # what is not seen becomes blanks, so that no offset moves
    unread = not_read(shown, known) if dialect is None else []
    shown = blanked(shown, [piece.span for piece in unread])
    shown = shown if is_literal or not known.actions else _unwrapped(shown, known)
    found, passed_over = _read(shown, known, dialect)
    found = [as_written(candidate, text) for candidate in found]
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


# --- transcripts ---------------------------------------------------------------------------------


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


def _unwrapped(text: str, vocabulary: Vocabulary) -> str:
    """Take the steps of a text out of what stands around them, as far as the names of the model tell them."""
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
    return text


def _in_one(match: re.Match[str], vocabulary: Vocabulary) -> str:
    """Return the name of an action for its words; those of a parenthesis that says more than objects stay."""
    said = (match["given"] or "").lower().split()
    return vocabulary.spoken[tuple(match[0].lower().split(" "))] if vocabulary.objects.issuperset(said) else match[0]


_KEYWORD = re.compile(r"\(:([^\W\d][\w-]*+)")
"""``(:LOAD-TRUCK p t)``: an action that is written as the keywords of PDDL are"""

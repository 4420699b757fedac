"""Plan texts that are JSON, alone, in a code fence or behind some words: calls, texts that are steps, lists of both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from validator.reading.calls.located import located, span_of
from validator.reading.calls.model_names import ModelNames, step_of
from validator.reading.calls.plans import INSIDE, Piece, pieces
from validator.reading.plan import Constraint, Dialect, Ignored, Part, Plan, Span, Step, Token, Unparsed

__all__ = ["json_plan_value", "read_json_plan"]

_BEGINS = re.compile(r"[\[{]")
_FENCE = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_MOST = 4
"""places at which JSON is looked for in a text"""
_PLAIN = frozenset((Dialect.WORDS, Dialect.SETS))


def json_plan_value(text: str) -> Any:
    """Return the JSON value that a text holds as its plan, with its places; None for a text without one.

    What else stands in the text has to be words. The two forms of the Embodied Agent Interface are no such value: they
    are dialects of their own.
    """
    for start in _starts(text):
        try:
            value, end = located(text, start)
        except (ValueError, RecursionError):
            continue
        if _may_be_plan(value) and not _BEGINS.search(text, end):
            return value
        return None
    return None


def _starts(text: str) -> Iterator[int]:
    first = _BEGINS.search(text)
    if first is None:
        return
    fence = _FENCE.search(text)
    if fence is not None and (inside := _BEGINS.search(text, *fence.span(1))) is not None:
        first = inside
    place = first.start()
    for _ in range(_MOST):
        yield place
        following = _BEGINS.search(text, place + 1)
        if following is None or text[place + 1 : following.start()].strip():
            return
        place = following.start()


def _may_be_plan(value: object) -> bool:
    if isinstance(value, Mapping):
        return not _is_eai_object(value)
    if not isinstance(value, list) or not value:
        return False
    if all(isinstance(each, Mapping) and set(each) == {"action", "object"} for each in value):
        return False
    return all(isinstance(each, str | list | Mapping) for each in value)


def _is_eai_object(value: Mapping[str, object]) -> bool:
    """Return whether an object maps actions to their objects: ``{"WALK": ["couch", "352"]}``."""
    if not value or not INSIDE_KEYS.isdisjoint(value):
        return not value
    return all(
        isinstance(each, list) and all(isinstance(inner, str | int) for inner in each) for each in value.values()
    )


INSIDE_KEYS = frozenset(INSIDE)


def read_json_plan(text: str, names: ModelNames, read_text: Callable[[str], Plan]) -> Plan | None:
    """Return the plan that a text has as JSON; None where it has none. ``read_text`` reads the texts in it."""
    value = json_plan_value(text)
    if value is None:
        return None
    found = [token for piece in pieces(value) for token in _tokens(piece, names, read_text)]
    if not any(isinstance(token, Step | Constraint) for token in found):
        return None
    return Plan(parts=tuple(_tiled(text, found, span_of(value))), dialect=Dialect.JSON, text=text)


def _tokens(piece: Piece, names: ModelNames, read_text: Callable[[str], Plan]) -> Iterator[Token]:
    if piece.call is not None:
        yield replace(step_of(piece.call.name, piece.call.arguments, names), span=piece.span, concurrent=piece.batch)
        return
    if piece.text is not None and not piece.unread:
        plan = read_text(piece.text)
        if plan.tokens and not plan.is_unreadable:
            for token in plan.tokens:
                yield _of_text(token, piece, plan)
            return
    if piece.text is None or piece.text.strip():
        yield Unparsed(text=piece.text or "", reason=piece.unread or "no step could be read", span=piece.span)


def _of_text(token: Token, piece: Piece, plan: Plan) -> Token:
    """Return a token of a text in the JSON, at the place of that text."""
    if not isinstance(token, Step):
        return replace(token, span=piece.span)
    written = () if token.written is None and not token.args and plan.dialect not in _PLAIN else token.written
    together = token.concurrent if piece.batch is None else piece.batch
    return replace(token, span=piece.span, concurrent=together, written=written)


def _tiled(text: str, found: Sequence[Token], inside: Span) -> Iterator[Part]:
    """Yield the tokens with what stands around them; tokens of one text share its place, the first has it."""
    place = 0
    for token in (*found, None):
        start = len(text) if token is None else token.span[0]
        for first, last, kind in ((place, inside[0], "prose"), (inside[0], inside[1], ""), (inside[1], start, "prose")):
            begin, end = max(place, first), min(start, last)
            if begin < end:
                blank = text[begin:end].isspace()
                yield Ignored(kind="space" if blank else kind or "markup", text=text[begin:end], span=(begin, end))
        if token is not None:
            yield token if token.span[0] >= place else replace(token, span=(place, place))
            place = max(place, token.span[1])

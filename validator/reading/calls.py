"""What was planned and what was executed, as values that can be compared: steps, calls and their arguments.

An argument keeps what its source said of its type. JSON tells the text ``"1"`` from the number ``1``; a plan text does
not, and there ``f(1)`` is equal to both. What a source does not say is unknown, which is never wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from validator.reading.plan import Step, Token

__all__ = ["Argument", "Arguments", "Call", "CallKind", "Planned", "read_arguments", "same", "shown"]


@dataclass(frozen=True, slots=True)
class Argument:
    """A value with its name, or None for one that is given by its position.

    ``text`` is the value as text, canonical for JSON values. ``is_string`` is None where the source does not tell
    strings from other values.
    """

    name: str | None
    text: str
    is_string: bool | None = None

    @property
    def is_open(self) -> bool:
        """Return whether this is a placeholder, such as ``<flight id>``, ``$flight`` or ``{{flight}}``."""
        text = self.text
        return text[:1] in _OPENING and self.is_string is not False and bool(_OPEN.fullmatch(text))


Arguments: TypeAlias = tuple[Argument, ...]

_OPENING = frozenset("<${?.…")
_OPEN = re.compile(r"<[^<>]+>|\$[A-Za-z_][\w.]*|\$?\{+[^{}]*\}+|\?\w*|\.\.\.|…")


class CallKind(StrEnum):
    """What a record of a trace stands for."""

    TOOL = "tool"
    NESTED = "nested"
    """a tool that another tool called: part of that one, unless the plan names it"""
    RETRIEVER = "retriever"
    """a retrieval: counts as a step when the plan names it"""
    PLAN = "plan"
    """the call that states the plan: no step of it"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One executed call as a trace records it.

    ``index`` counts all calls of the trace from 0. ``arguments`` None means that the trace does not say; so does
    ``result`` None when ``has_result`` is false. ``error`` is what the trace says went wrong, None when nothing did.
    Calls with the same ``batch`` were asked for at once and have no order among them. ``parent`` is the name of the
    agent or tool in which the call was made.
    """

    index: int
    name: str
    arguments: Arguments | None = None
    result: object = None
    has_result: bool = False
    error: str | None = None
    call_id: str | None = None
    parent: str | None = None
    batch: int | None = None
    kind: CallKind = CallKind.TOOL

    def __str__(self) -> str:
        return shown(self.name, self.arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """One step of a plan, to be compared with calls.

    ``arguments`` None means that the plan names the tool only. ``token`` is the piece of a plan text that it was read
    from; ``is_readable`` is false for a piece that stands where a step should and cannot be read as one. ``is_own`` is
    true for one that is written as the model's own plans are, and shown so.
    """

    index: int
    name: str
    arguments: Arguments | None = None
    batch: int | None = None
    token: Token | None = None
    is_readable: bool = True
    is_own: bool = False

    def __str__(self) -> str:
        return shown(self.name, self.arguments) if self.is_readable and not self.is_own else str(self.token)


def read_arguments(value: object) -> Arguments | None:
    """Return the arguments that a JSON value holds: an object's by name, a list's by position.

    A text is read as JSON first, as chat formats write it; another text is one argument. None and the empty text
    are unknown.
    """
    if isinstance(value, str):
        if not value.strip():
            return None
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return (_argument(None, value),)
    if value is None:
        return None
    if isinstance(value, Mapping):
        return tuple(_argument(str(name), each) for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(_argument(None, each) for each in value)
    return (_argument(None, value),)


def _argument(name: str | None, value: object) -> Argument:
    if isinstance(value, str):
        return Argument(name, value, True)
    if type(value) is int:  # as JSON writes it, told faster
        return Argument(name, str(value), False)
    return Argument(name, json.dumps(_canonical(value), sort_keys=True, ensure_ascii=False, default=str), False)


def _canonical(value: object) -> object:
    """Return a JSON value in which equal numbers are written alike."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _canonical(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_canonical(each) for each in value]
    return value


def same(one: Argument, other: Argument) -> bool:
    """Return whether two arguments have equal values, as far as both sources tell: plan texts tell no case either."""
    if one.is_string is None or other.is_string is None:
        return one.text == other.text or one.text.casefold() == other.text.casefold()
    return one.text == other.text and one.is_string == other.is_string


_PLAIN = re.compile(r"[^\s()\[\]{}\"',;]+")


def shown(name: str, arguments: Arguments | None) -> str:
    """Return a step or call as a step of a plan is shown, ``(name argument key=value)``."""
    return str(as_step(name, arguments))


def as_step(name: str, arguments: Arguments | None) -> Step:
    """Return a step or call as a plan's step; its arguments are texts, with their names where they have any."""
    return Step(name=name, args=tuple(map(_text, arguments or ())))


def _text(argument: Argument) -> str:
    text = argument.text
    if argument.is_string is not False and not _PLAIN.fullmatch(text):
        text = json.dumps(text, ensure_ascii=False)
    return text if argument.name is None else f"{argument.name}={text}"

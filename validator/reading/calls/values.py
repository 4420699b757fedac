"""What was planned and what was executed, as values that can be compared: steps and calls.

A call as a step is as it is written, or as a model spells its names and orders its parameters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from validator.reading.arguments import Arguments, argument_texts, folded
from validator.reading.plan import Span, Step, Token, Unparsed
from validator.records import dataclass, replace

__all__ = [
    "Call",
    "CallKind",
    "ModelNames",
    "Names",
    "Planned",
    "as_step",
    "is_written_for",
    "shown",
    "step_of",
]


class CallKind(StrEnum):
    """What a record of a trace stands for."""

    TOOL = "tool"
    NESTED = "nested"
    """a tool that another tool called: part of that one, unless the plan names it"""
    RETRIEVER = "retriever"
    """a retrieval: counts as a step when the plan names it"""
    PLAN = "plan"
    """the call that states the plan: no step of it"""
    PROGRAM = "program"
    """a program that calls tools, handed to an interpreter: the calls that it makes are steps, and it is none"""


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
    from; ``is_readable`` is false for a piece that stands where a step should and cannot be read as one. ``after``
    are the indices of the steps that come before this one in a plan with dependencies; None where the order is that of
    the list.
    """

    index: int
    name: str
    arguments: Arguments | None = None
    batch: int | None = None
    token: Token | None = None
    is_readable: bool = True
    after: tuple[int, ...] | None = None

    def __str__(self) -> str:
        return shown(self.name, self.arguments) if self.is_readable else str(self.token)


class Names:
    """Names as they may be meant: as they are written, else without case, else without their joints."""

    def __init__(self, names: Iterable[str]) -> None:
        self._own = frozenset(names)
        self._folded: dict[str, list[str]] = {}
        for name in sorted(self._own):
            self._folded.setdefault(folded(name), []).append(name)

    def meant(self, name: str) -> tuple[str, ...]:
        """Return the names that may be meant: none, one, or several, of which it is not known which one is."""
        if name in self._own:
            return (name,)
        found = self._folded.get(folded(name), ())
        alike = tuple(each for each in found if each.lower() == name.strip().lower())
        return alike or tuple(found)

    @property
    def one_name(self) -> tuple[str, ...]:
        """Return the first names that nothing but case and joints tells apart, none where there are none."""
        return next((tuple(names) for names in self._folded.values() if len(names) > 1), ())


def shown(name: str, arguments: Arguments | None) -> str:
    """Return a step or call as a step of a plan is shown, ``(name argument key=value)``."""
    return str(as_step(name, arguments))


def as_step(name: str, arguments: Arguments | None) -> Step:
    """Return a step or call as a plan's step; its arguments are texts, with their names where they have any."""
    return Step(name=name, args=tuple(argument_texts(arguments or ())), written=arguments)


class ModelNames(Protocol):
    """The names of a model: a plan text's vocabulary."""

    @property
    def actions(self) -> Mapping[str, int]: ...

    def step(self, name: str, args: Sequence[str] | Mapping[str, str], span: Span) -> Step | Unparsed: ...


def step_of(name: str, arguments: Arguments | None, names: ModelNames | None, span: Span = (0, 0)) -> Step | Unparsed:
    """Return a call as a step; where a model is known, with its names, in the order of its parameters."""
    if names is None or not names.actions:
        return replace(as_step(name, arguments), span=span)
    given = arguments or ()
    named = {each.name: each.text for each in given if each.name is not None}
    whole = bool(given) and len(named) == len(given)
    step = names.step(name, named if whole else [each.text for each in given], span)
    return replace(step, written=arguments) if isinstance(step, Step) else step


def is_written_for(arguments: Arguments | None, names: ModelNames | None) -> bool:
    """Return whether a written call may be a step of the model: there, values by position are names of objects."""
    return (
        names is None
        or not names.actions
        or all(
            each.name is not None or (each.is_string is not False and not any(sign in each.text for sign in " ()"))
            for each in arguments or ()
        )
    )

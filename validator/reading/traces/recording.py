"""What a trace says: calls, in order, and the texts, statements and tools among which the plan is looked for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from validator.reading.calls import Call, folded
from validator.records import dataclass, field

__all__ = ["PLAN_FIELDS", "Recording", "Said", "Statement", "Sureness", "folded"]

PLAN_FIELDS = frozenset(("plan", "planned_steps", "plan_steps"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A text of the agent (its answers and its reasoning); ``before`` is the number of calls made before it."""

    text: str
    before: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A value that states a plan by its place: the ``source`` is a plan tool call or a plan field."""

    source: str
    value: object
    before: int


class Sureness(StrEnum):
    """How sure the reading of a trace is."""

    CERTAIN = "certain"
    """the format is known by its own marks, and accounts for nearly all of the trace"""
    LIKELY = "likely"
    """the format is known, and part of the trace is something else"""
    GUESSED = "guessed"
    """calls were told by their shape alone, or something that looks like one was not understood"""


_MOST = 0.8


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A trace as it was read.

    ``tools`` are the declared tools with the parameters that their schemas name, ``descriptions`` what is said of them;
    ``read_only`` whether they change nothing, as far as that is declared (MCP's ``readOnlyHint``).
    ``explained`` is the share of the trace, from 0 to 1, that its format accounts for; ``missed`` says what in it looks
    like calls and was not understood. ``says_none`` is true where the trace itself is an empty list of calls.
    """

    format: str
    calls: tuple[Call, ...] = ()
    said: tuple[Said, ...] = ()
    statements: tuple[Statement, ...] = ()
    task: str | None = None
    tools: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    descriptions: Mapping[str, str] = field(default_factory=dict)
    read_only: Mapping[str, bool] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    explained: float = 1.0
    missed: tuple[str, ...] = ()
    is_guessed: bool = False
    says_none: bool = False

    @property
    def sureness(self) -> Sureness:
        if self.missed or self.is_guessed:
            return Sureness.GUESSED
        return Sureness.CERTAIN if self.explained >= _MOST else Sureness.LIKELY

"""A span as a value, and when it began."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from validator.records import dataclass

__all__ = ["Kind", "Span", "moment"]


class Kind(StrEnum):
    """What a span records the run of."""

    TOOL = "tool"
    RETRIEVER = "retriever"
    MODEL = "model"
    AGENT = "agent"
    OTHER = "other"
    """a chain, a node, a guardrail: no tool, and said so"""
    UNKNOWN = "unknown"
    """the span does not say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, whatever its format.

    ``name`` is how it is recorded, ``tool`` the tool's name where the span has it apart. ``arguments`` and ``result``
    are as they stand; None where ``has_arguments`` or ``has_result`` is false. ``start`` is in units of the format.
    """

    raw: Mapping[str, object]
    identity: str = ""
    parent: str = ""
    trace: str = ""
    start: Fraction = Fraction(0)
    name: str = ""
    kind: Kind = Kind.UNKNOWN
    tool: str = ""
    arguments: object = None
    result: object = None
    has_result: bool = False
    error: object = None
    call_id: str = ""


def moment(value: object) -> Fraction:
    """Return a point in time as a number: nanoseconds, seconds, a pair of both, a date; 0 for anything else."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return Fraction(value[0]) + Fraction(value[1], 10**9)
    if isinstance(value, bool) or value is None:
        return Fraction(0)
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        pass
    try:
        return Fraction(datetime.fromisoformat(str(value)).timestamp())
    except (ValueError, OverflowError, OSError):
        return Fraction(0)

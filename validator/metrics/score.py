"""What a metric answers."""

from __future__ import annotations

from typing import TypeAlias

from validator.records import dataclass

__all__ = ["Score", "Value"]

Value: TypeAlias = float | int | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """A value, or None where the metric is not defined or not known; ``reason`` says why, or what decided."""

    value: Value
    reason: str = ""

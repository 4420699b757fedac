"""The course of a plan as values for tables and pictures: bars of actions, moments, values over time."""

from __future__ import annotations

from fractions import Fraction

from validator.records import dataclass

__all__ = ["Bar", "Row", "Series", "Timeline"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One step: ``start`` and ``end`` are equal for an instantaneous one; ``is_faulty`` when a fault names it."""

    step: int
    label: str
    start: Fraction
    end: Fraction
    is_faulty: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one moment changed: ``acts`` took place, literals became true or false, values were reached."""

    time: Fraction
    acts: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    values: tuple[tuple[str, Fraction], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The values of one fluent in order of time, from the first time that it has one.

    Each point is ``(time, value, is_even)``: the value was reached evenly since the point before, or at once.
    """

    fluent: str
    points: tuple[tuple[Fraction, Fraction, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeline:
    """The course of a plan. ``end`` is its makespan; without time stamps, times are numbers of steps."""

    end: Fraction
    bars: tuple[Bar, ...]
    rows: tuple[Row, ...]
    series: tuple[Series, ...]
    has_time: bool = True

"""Trajectory constraints over the states of a plan (Gerevini, Haslum, Long, Saetti and Dimopoulos 2009, section 3).

The states are the initial one at time 0 and the one after each happening. Without time stamps the time of a state is
the number of happenings before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.model.temporal import Trajectory
from validator.records import dataclass
from validator.texts import decimal


@dataclass(frozen=True, slots=True)
class Point:
    """One state: its time, the last step that has begun (-1 for none), and whether each condition holds in it."""

    time: Fraction
    after: int
    holds: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """Where a constraint is broken: after which step, None for the whole plan, and why.

    ``is_open`` says that the published semantics does not settle the case.
    """

    step: int | None
    why: str
    is_open: bool = False


def violation(trajectory: Trajectory, points: Sequence[Point]) -> Violation | None:
    """Return where the states of a plan break a constraint, the first place; None where they keep it."""
    return next(_CHECKS[trajectory.operator](points, trajectory.times), None)


_Times = tuple[Fraction, ...]


def _step(point: Point) -> int | None:
    return point.after if point.after >= 0 else None


def _at_end(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    if not points[-1].holds[0]:
        yield Violation(None, "it is false at the end")


def _always(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    for point in points:
        if not point.holds[0]:
            yield Violation(_step(point), f"it is false at {decimal(point.time)}")


def _sometime(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    if not any(point.holds[0] for point in points):
        yield Violation(None, "it never holds")


def _within(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    if not any(point.holds[0] and point.time <= times[0] for point in points):
        yield Violation(None, f"it does not hold by {decimal(times[0])}")


def _at_most_once(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    began, before = False, False
    for point in points:
        now = point.holds[0]
        if now and not before:
            if began:
                yield Violation(_step(point), f"it becomes true again at {decimal(point.time)}")
            began = True
        before = now


def _sometime_after(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    last = max((number for number, point in enumerate(points) if point.holds[1]), default=-1)
    for number, point in enumerate(points):
        if point.holds[0] and number > last:
            yield Violation(_step(point), f"the first holds at {decimal(point.time)}, and the second never after")


def _sometime_before(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    seen = False
    for point in points:
        if point.holds[0] and not seen:
            yield Violation(_step(point), f"the first holds at {decimal(point.time)}, and the second never before")
        seen = seen or point.holds[1]


def _always_within(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    following: Fraction | None = None
    broken: list[Violation] = []
    for point in reversed(points):
        following = point.time if point.holds[1] else following
        if point.holds[0] and (following is None or following - point.time > times[0]):
            said = f"the first holds at {decimal(point.time)}, and the second not by {decimal(point.time + times[0])}"
            broken.append(Violation(_step(point), said))
    yield from reversed(broken)


def _hold_during(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    yield from _hold(points, times[0], times[1])


def _hold_after(points: Sequence[Point], times: _Times) -> Iterator[Violation]:
    yield from _hold(points, times[0], None)


def _hold(points: Sequence[Point], start: Fraction, end: Fraction | None) -> Iterator[Violation]:
    """A state lasts from its time until that of the next one; the last one lasts for ever."""
    for number, point in enumerate(points):
        is_last = number == len(points) - 1
        begins = point.time
        if (end is not None and begins >= end) or (not is_last and points[number + 1].time <= start):
            continue
        if not point.holds[0]:
            # The definition looks at the times of happenings only, and says nothing when the plan ends before.
            yield Violation(
                _step(point), f"it is false from {decimal(max(begins, start))} on", begins < start and is_last
            )


_CHECKS: Mapping[str, Callable[[Sequence[Point], _Times], Iterator[Violation]]] = {
    "at end": _at_end,
    "always": _always,
    "sometime": _sometime,
    "within": _within,
    "at-most-once": _at_most_once,
    "sometime-after": _sometime_after,
    "sometime-before": _sometime_before,
    "always-within": _always_within,
    "hold-during": _hold_during,
    "hold-after": _hold_after,
}

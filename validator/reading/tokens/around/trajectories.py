"""Recorded trajectories: states and steps in turn, as learners of action models and their simulators write them.

``(:trajectory (:state ...) (:action (go a b)) (:state ...))`` and ``((:init ...) (operator: (go a b)) (:state ...))``;
``(operators: (go a b) (nop))`` are what several agents do at once. The steps are the plan; states are told apart by
their keyword, and a step whose ``(:transition_status ...)`` is no success changed nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.reading.plan import Span
from validator.records import dataclass

__all__ = ["Trajectory", "trajectory"]

_KEY = re.compile(r"\(\s*:?([a-z][a-z_-]*):?(?=[\s(])", re.IGNORECASE)
_OPENS = re.compile(r"\s*\(\s*(?::trajectory\b\s*)?(?=\(\s*:)", re.IGNORECASE)
_BRACKET = re.compile(r"[()]")
_STEPS = ("action", "actions", "operator", "operators")
_STATES = ("init", "state", "objects", "transition_status", "goal")
_NO_STEP = re.compile(r"\(\s*(?:nop|noop|no-op)\s*\)", re.IGNORECASE)
_SUCCESS = re.compile(r"\(\s*(?:success|true)\s*\)\s*\)?\s*$|\bsuccess\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """``hidden`` is all but the steps; ``states`` and steps that ``failed`` are counted."""

    hidden: tuple[Span, ...]
    states: int
    failed: int


def trajectory(text: str) -> Trajectory | None:
    """Return what a recorded trajectory has besides its steps; None for a text that is none."""
    opening = _OPENS.match(text)
    if opening is None:
        return None
    parts = list(_parts(text, opening.end()))
    kinds = [kind for kind, _, _ in parts]
    if "state" not in kinds or not any(kind in _STEPS for kind in kinds):
        return None
    failed = {at for at, kind in enumerate(kinds) if kind in _STEPS and _is_failed(text, *parts[at + 1 : at + 2])}
    hidden: list[Span] = []
    behind = 0
    for at, (kind, start, end) in enumerate(parts):
        hidden.append((behind, start))
        behind = end
        if kind not in _STEPS or at in failed:
            hidden.append((start, end))
        else:
            hidden += _around_steps(text, start, end)
    hidden.append((behind, len(text)))
    states = sum(kind in ("init", "state") for kind in kinds)
    return Trajectory(hidden=tuple(span for span in hidden if span[0] < span[1]), states=states, failed=len(failed))


def _parts(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the keyword and the place of each group of a trajectory, as long as all have one that is known."""
    while (key := _KEY.search(text, start)) is not None and not text[start : key.start()].strip():
        kind, end = key[1].lower(), _closed(text, key.start())
        if kind not in (*_STEPS, *_STATES):
            return
        yield kind, key.start(), end
        start = end


def _closed(text: str, start: int) -> int:
    """Return where the group that opens at a place ends."""
    depth = 0
    for match in _BRACKET.finditer(text, start):
        depth += 1 if match[0] == "(" else -1
        if depth == 0:
            return match.end()
    return len(text)


def _is_failed(text: str, behind: tuple[str, int, int] = ("", 0, 0)) -> bool:
    """Return whether the group behind a step says that it failed."""
    kind, start, end = behind
    return kind == "transition_status" and _SUCCESS.search(text, start, end) is None


def _around_steps(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield what a group of steps has besides them: its keyword, its parentheses, agents that do nothing."""
    key = _KEY.match(text, start)
    assert key is not None
    if "(" not in text[key.end() : end]:  # (:action go a b)
        yield key.start() + 1, key.end()
        return
    yield start, key.end()
    yield from (match.span() for match in _NO_STEP.finditer(text, key.end(), end))
    yield end - 1, end

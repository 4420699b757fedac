"""Rules about four tools, and the fewest edits of a run until it keeps them, by trying all runs, nearest first."""

from __future__ import annotations

from collections.abc import Iterator

from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.language import read_policy

__all__ = ["RULES", "TOOLS", "fewest_edits", "keeps"]

TOOLS = "abcd"
RULES = (
    "a before b",
    "b before c",
    "a then d",
    "c then a",
    "never d",
    "at most 1 a",
    "at most 2 b",
    "at least 1 c",
    "at least 2 a",
    "order a < {b, c} < d",
    "order c < b",
    "exactly a < b, a < c",
    "either order a < b or order c < d",
    "either never a or at least 1 d",
    "allow a, b, c",
    "budget 3",
    "b only if (f)\na gives (f)\nb ends (f)",
    "c only if not (g)\nd gives (g)\na ends (g)",
)


def keeps(policy: str, run: tuple[str, ...]) -> bool:
    return all(finding.kept for finding in follow(read_policy(policy), [Event(name) for name in run]))


def fewest_edits(policy: str, run: tuple[str, ...], most: int) -> int | None:
    """Return the fewest edits by trying all runs, nearest first."""
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(keeps(policy, each) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen
        seen |= layer
    return None


def _near(run: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in TOOLS)

"""Rules about four tools, and the fewest edits of a run until it keeps them, by trying all runs, nearest first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import TypeVar

from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.language import read_policy

__all__ = [
    "CALLS",
    "RULES",
    "RULES_OF_VALUES",
    "TOOLS",
    "fewest_edits",
    "fewest_edits_of_values",
    "keeps",
    "keeps_values",
]

T = TypeVar("T")

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
    "at least 1 b",
    "at least 1 d",
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


VALUES: dict[str, tuple[object, ...]] = {"order": ("o1", "o2", "o3", "other"), "amount": (1, 2, 3, 4)}
CALLS = tuple(
    Event(name, dict(zip(names, values, strict=True)))
    for name, names in {"confirm": ("order",), "pay": ("order", "amount"), "ship": ("order",)}.items()
    for values in product(*(VALUES[each] for each in names))
)
RULES_OF_VALUES = (
    "pay(order=o1) before ship(order=o1)",
    "confirm before pay",
    "confirm(order=o1) before pay(order=o1)",
    "pay then ship",
    "pay(order=o2) then ship(order=o2)",
    "at most 1 pay(amount > 2)",
    "at least 1 pay(amount >= 3)",
    "at least 2 ship",
    "at least 1 ship(order != o1)",
    "never pay(amount > 3)",
    "pay only if amount <= 2",
    "pay only if (ok ?order)\nconfirm gives (ok ?order)",
    "ship only if (paid ?order)\npay gives (paid ?order)\nship ends (paid ?order)",
    "ship only if not (held)\nconfirm(order = o1) gives (held)\npay ends (held)",
    "ship only if not (shipped ?order)\nship gives (shipped ?order)",
    "budget 3\ncost pay 2",
    "order confirm < pay < ship",
    "order a: pay(amount = 1) < b: pay(amount = 3)",
    "exactly confirm < pay",
    "either never ship or at least 2 pay",
    "either at least 1 confirm(order=o2) or at least 1 ship(order = o1)",
    "allow confirm, pay",
    "at least 1 pay(order = o1, amount = 2)",
    "at least 1 p*",
)


def keeps(policy: str, run: tuple[str, ...]) -> bool:
    return all(finding.kept for finding in follow(read_policy(policy), [Event(name) for name in run]))


def keeps_values(policy: str, run: tuple[int, ...]) -> bool:
    """Return whether calls with arguments, by their numbers, keep a policy."""
    return all(finding.kept for finding in follow(read_policy(policy), [CALLS[number] for number in run]))


def fewest_edits(policy: str, run: tuple[str, ...], most: int) -> int | None:
    """Return the fewest edits by trying all runs, nearest first."""
    return _fewest(lambda each: keeps(policy, each), run, TOOLS, most)


def fewest_edits_of_values(policy: str, run: tuple[int, ...], most: int) -> int | None:
    """Return the same for calls with arguments, by their numbers."""
    return _fewest(lambda each: keeps_values(policy, each), run, range(len(CALLS)), most)


def _fewest(is_kept: Callable[[tuple[T, ...]], bool], run: tuple[T, ...], tools: Iterable[T], most: int) -> int | None:
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(map(is_kept, layer)):
            return edits
        layer = {near for each in layer for near in _near(each, tools)} - seen if edits < most else set()
        seen |= layer
    return None


def _near(run: tuple[T, ...], tools: Iterable[T]) -> Iterator[tuple[T, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], tool, *run[place:]) for tool in tools)

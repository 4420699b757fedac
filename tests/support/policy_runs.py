"""Rules about arguments of calls, and the fewest edits of a run until it keeps them, by trying all runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from validator.policies.conform import follow
from validator.policies.events import Event
from validator.policies.language import read_policy

__all__ = ["CALLS", "RULES_OF_VALUES", "fewest_edits_of_values", "keeps_values"]

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


def keeps_values(policy: str, run: tuple[int, ...]) -> bool:
    """Return whether calls with arguments, by their numbers, keep a policy."""
    return all(finding.kept for finding in follow(read_policy(policy), [CALLS[number] for number in run]))


def fewest_edits_of_values(policy: str, run: tuple[int, ...], most: int) -> int | None:
    """Return the fewest edits by trying all runs, nearest first."""
    layer, seen = {run}, {run}
    for edits in range(most + 1):
        if any(keeps_values(policy, each) for each in layer):
            return edits
        layer = {near for each in layer for near in _near(each)} - seen if edits < most else set()
        seen |= layer
    return None


def _near(run: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    for place in range(len(run)):
        rest = (*run[:place], *run[place + 1 :])
        yield rest
        yield from ((*rest[:to], run[place], *rest[to:]) for to in range(len(run)))
    for place in range(len(run) + 1):
        yield from ((*run[:place], call, *run[place:]) for call in range(len(CALLS)))

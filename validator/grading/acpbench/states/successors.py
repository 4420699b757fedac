"""What can be executed in a state, found by a fact that each step needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeAlias

from validator.grading.acpbench.states.operators import Operator, bits_in
from validator.records import dataclass

__all__ = ["Successors"]

_Watched: TypeAlias = tuple[int, int, int, int, int, Operator | None]
"""The place of an operator, what it needs and lacks, what it keeps and adds; itself where there is more to it."""


@dataclass
class Successors:
    """Called with a state, yields the place of each operator that can be executed there, and the state behind it."""

    operators: Sequence[Operator]

    def __call__(self, state: int) -> Iterator[tuple[int, int]]:
        rest = state
        waiting = self._watched[0]
        while True:
            for number, needs, lacks, keeps, adds, operator in waiting:
                if state & needs == needs and not state & lacks:
                    if operator is None:
                        yield number, (state & keeps) | adds
                    elif operator.is_applicable(state):
                        yield number, operator.apply(state)
            if not rest:
                return
            lowest = rest & -rest
            rest ^= lowest
            waiting = self._watched.get(lowest, ())

    @cached_property
    def _watched(self) -> dict[int, tuple[_Watched, ...]]:
        """Return the operators by one fact that they need, that few others need; those that need none by 0."""
        number = Counter(bit for operator in self.operators for bit in bits_in(operator.condition.needs))
        found: dict[int, list[_Watched]] = {0: []}
        for place, each in enumerate(self.operators):
            needs, lacks = each.condition.needs, each.condition.lacks
            bit = min(bits_in(needs), key=lambda bit: (number[bit], bit), default=0)
            whole = None if each.is_plain else each
            found.setdefault(bit, []).append((place, needs, lacks, ~each.deletes, each.adds, whole))
        return {bit: tuple(operators) for bit, operators in found.items()}

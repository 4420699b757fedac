"""What a plan and an execution have in common at both ends: it is aligned before anything else, and rightly so.

Where the first sets of both sides can be paired one for one with equal members, no alignment is heavier than one that
does so: whatever is paired with either of them otherwise weighs no more, and keeps nothing else from being paired.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from validator.adherence.alignment.weights import Schemas, share
from validator.reading.calls import Call, Planned

__all__ = ["Ends"]

_ONE = Fraction(1)


class Ends:
    """The pairs at the front (``head``) and at the back (``tail``), and the batches that are left between them."""

    def __init__(
        self,
        plan: Sequence[Planned],
        calls: Sequence[Call],
        plan_batches: Sequence[Sequence[int]],
        call_batches: Sequence[Sequence[int]],
        schemas: Schemas,
    ) -> None:
        self._steps, self._calls, self._schemas = plan, calls, schemas
        self.plan, self.calls = [list(batch) for batch in plan_batches], [list(batch) for batch in call_batches]
        self.head = self._trimmed()
        self.plan.reverse()
        self.calls.reverse()
        self.tail = [pair for pairs in reversed(self._chunks()) for pair in pairs]
        self.plan.reverse()
        self.calls.reverse()

    def _trimmed(self) -> list[tuple[int, int]]:
        return [pair for pairs in self._chunks() for pair in pairs]

    def _chunks(self) -> list[list[tuple[int, int]]]:
        """Take batches from the front while they can be paired; one side's set may be several batches of the other."""
        found: list[list[tuple[int, int]]] = []
        ours = theirs = 0
        while ours < len(self.plan) and theirs < len(self.calls):
            step_end, call_end = self._equal_sizes(ours, theirs)
            steps = [index for batch in self.plan[ours:step_end] for index in batch]
            made = [index for batch in self.calls[theirs:call_end] for index in batch]
            pairs = self._paired(steps, made) if len(steps) == len(made) else None
            if pairs is None:
                break
            found.append(pairs)
            ours, theirs = step_end, call_end
        del self.plan[:ours], self.calls[:theirs]
        return found

    def _equal_sizes(self, ours: int, theirs: int) -> tuple[int, int]:
        """Return the ends of as many batches of one side as there are members in the first one of the other."""
        one, other = len(self.plan[ours]), len(self.calls[theirs])
        ours, theirs = ours + 1, theirs + 1
        if one < other:
            while one < other and ours < len(self.plan):
                one += len(self.plan[ours])
                ours += 1
        else:
            while other < one and theirs < len(self.calls):
                other += len(self.calls[theirs])
                theirs += 1
        return ours, theirs

    def _paired(self, steps: Sequence[int], made: Sequence[int]) -> list[tuple[int, int]] | None:
        """Return equal pairs of all members, in an order that both sides allow; None where some have no equal."""
        if len(steps) == 1:
            return [(steps[0], made[0])] if self._is_equal(steps[0], made[0]) else None
        is_set = len({self._calls[call].batch for call in made}) == 1 and self._calls[made[0]].batch is not None
        free = list(made)
        found: list[tuple[int, int]] = []
        for step in steps:
            call = next((call for call in free if self._is_equal(step, call)), None)
            if call is None:
                return None
            free.remove(call)
            found.append((step, call))
        return found if is_set else sorted(found, key=lambda pair: made.index(pair[1]))

    def _is_equal(self, step: int, call: int) -> bool:
        planned, executed = self._steps[step], self._calls[call]
        if not planned.is_readable or planned.name != executed.name:
            return False
        if planned.arguments is not None and planned.arguments == executed.arguments:
            return True
        return share(planned.arguments, executed.arguments, self._schemas.get(planned.name, ())) == _ONE

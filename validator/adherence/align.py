"""The heaviest alignment of a plan with executed calls that keeps their order, exactly.

An alignment is a sequence of synchronous moves, model moves and log moves (van der Aalst 2016, "Process Mining"): a
step with its call, a step alone, a call alone. Steps and calls that happen at once have no order among themselves, and
steps of a plan with dependencies only that of these. Best-first search (A*) moves through what is done of both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from heapq import heappop, heappush
from itertools import count, takewhile
from math import lcm
from typing import NamedTuple

from validator.adherence.shares import Schemas, share
from validator.reading.calls import Arguments, Call, Planned
from validator.records import dataclass

_ONE = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which step was executed by which call.

    ``pairs`` are the synchronous moves: (index in the plan, index in the calls, weight). ``planned`` and ``executed``
    are all indices in an order that both sides allow and in which the pairs do not cross.
    """

    pairs: tuple[tuple[int, int, Fraction], ...]
    planned: tuple[int, ...]
    executed: tuple[int, ...]

    @property
    def weight(self) -> Fraction:
        # To add fractions takes long, and most are 1.
        parts = [weight for _, _, weight in self.pairs if weight is not _ONE]
        return sum(parts, Fraction(len(self.pairs) - len(parts)))


class _Node(NamedTuple):
    """What is done of both sides, as sets of bits, by the last move of a path: a step, a call, or both."""

    steps: int
    calls: int
    step: int | None
    call: int | None
    before: _Node | None


def align(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas | None = None) -> Alignment:
    """Return a heaviest alignment; among equally heavy ones, one with most equal pairs, then with most pairs."""
    schemas = schemas or {}
    front, back = _equal_ends(plan, calls, schemas)
    search = _Search(plan[front : len(plan) - back], calls[front : len(calls) - back], schemas)
    node: _Node | None = search.best()
    moves: list[tuple[int | None, int | None]] = []
    while node is not None and node.before is not None:
        moves.append((node.step, node.call))
        node = node.before
    moves.reverse()
    found = [(step, call, search.share(step, call)) for step, call in moves if step is not None is not call]
    behind = zip(range(len(plan) - back, len(plan)), range(len(calls) - back, len(calls)), strict=True)
    return Alignment(
        pairs=(
            *((place, place, _ONE) for place in range(front)),
            *((front + step, front + call, weight) for step, call, weight in found),
            *((step, call, _ONE) for step, call in behind),
        ),
        planned=_whole([step for step, _ in moves if step is not None], front, len(plan), back),
        executed=_whole([call for _, call in moves if call is not None], front, len(calls), back),
    )


def _whole(middle: Sequence[int], front: int, size: int, back: int) -> tuple[int, ...]:
    """Return all indices of a side, of whose middle the order is given."""
    return (*range(front), *(front + place for place in middle), *range(size - back, size))


def _equal_ends(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> tuple[int, int]:
    """Return how many equal pairs both sides begin and end with, each alone: a heaviest alignment has them."""
    if any(step.after is not None for step in plan):
        return 0, 0

    def is_equal(steps: Sequence[int], made: Sequence[int]) -> bool:
        if len(steps) > 1 or len(made) > 1:
            return False
        step, call = plan[steps[0]], calls[made[0]]
        is_pair = step.name == call.name and step.is_readable
        return is_pair and share(step.arguments, call.arguments, schemas.get(step.name, ())) == 1

    steps, made = batches(plan), batches(calls)
    front = len(list(takewhile(bool, map(is_equal, steps, made))))
    back = takewhile(bool, map(is_equal, reversed(steps[front:]), reversed(made[front:])))
    return front, len(list(back))


class _Side:
    """The members of one side: what has to be done before each, and what they weigh at most.

    ``is_row`` says that what has to be done before one has to be done before all that follow it, too.
    """

    def __init__(self, members: Sequence[Planned | Call], needs: Sequence[int], *, is_row: bool) -> None:
        self.names = [member.name for member in members]
        self.needs = needs
        self.all = (1 << len(members)) - 1
        self.most = [0] * len(members)
        self._among = takewhile if is_row else filter
        self._ready: dict[int, list[int]] = {}
        self._members = Counter[str]()
        for member, name in enumerate(self.names):
            self._members[name] |= 1 << member
        self._left: dict[tuple[str, int], int] = {}

    def ready(self, done: int) -> list[int]:
        """Return what can be done next; in a row of sets, nothing behind the first that cannot."""
        found = self._ready.get(done)
        if found is None:
            first = (~done & -~done).bit_length() - 1
            left = (member for member in range(first, len(self.needs)) if not done >> member & 1)
            found = self._ready[done] = list(self._among(lambda member: not self.needs[member] & ~done, left))
        return found

    def begin(self) -> Counter[str]:
        """Return what all members weigh at most together, by their names."""
        found = Counter[str]()
        for name, most in zip(self.names, self.most, strict=True):
            found[name] += most
        self._left.update(((name, 0), most) for name, most in found.items())
        return found

    def after(self, done: int, member: int | None) -> int:
        """Return what is done behind a member, and note what those that are left of its name weigh at most."""
        if member is None:
            return done
        name = self.names[member]
        before = done & self._members[name]
        self._left[name, before | 1 << member] = self._left[name, before] - self.most[member]
        return done | 1 << member

    def left(self, name: str, done: int) -> int:
        """Return what the members of a name that are left weigh at most together."""
        return self._left.get((name, done & self._members[name]), 0)


class _Search:
    """Weights are integers: the share, then one for an equal pair, then one for a pair, each above all that follow."""

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> None:
        self._plan, self._calls, self._schemas = plan, calls, schemas
        self._has_dependencies = any(step.after is not None for step in plan)
        needs = _dependencies(plan) if self._has_dependencies else _order(plan)
        self._steps = _Side(plan, needs, is_row=not self._has_dependencies)
        self._made = _Side(calls, _order(calls), is_row=True)
        self._scale = lcm(*range(1, _longest(plan) + _longest(calls) + 1))
        self._pairs = min(len(plan), len(calls)) + 1
        self._weights: dict[tuple[str, Arguments | None, Arguments | None], int] = {}
        self._whole = self._integer(_ONE)
        self._bound()

    def share(self, step: int, call: int) -> Fraction:
        planned = self._plan[step]
        return share(planned.arguments, self._calls[call].arguments, self._schemas.get(planned.name, ()))

    def _weigh(self, step: int, call: int) -> int:
        """Return what a pair of one name weighs."""
        planned = self._plan[step]
        pair = planned.name, planned.arguments, self._calls[call].arguments
        found = self._weights.get(pair)
        if found is None:
            found = self._weights[pair] = self._integer(self.share(step, call))
        return found

    def _integer(self, weight: Fraction) -> int:
        whole = weight.numerator * (self._scale // weight.denominator)
        return (whole * self._pairs + (weight == 1)) * self._pairs + 1

    def _bound(self) -> None:
        """Note what each step and each call weighs at most: one beside its equal, else the best of its pairs."""
        whole = self._whole
        steps = _by_name(step if step.is_readable else None for step in self._plan)
        made = _by_name(self._calls)
        for name in steps.keys() & made.keys():
            planned, executed = steps[name], made[name]
            for arguments, members in planned.items():
                for member in members:
                    self._steps.most[member] = whole if arguments in executed else 0
            for arguments, members in executed.items():
                for member in members:
                    self._made.most[member] = whole if arguments in planned else 0
            for own in planned.values():
                for others in executed.values():
                    most, least = self._steps.most[own[0]], self._made.most[others[0]]
                    weight = whole if most == least == whole else self._weigh(own[0], others[0])
                    for member in own if weight > most else ():
                        self._steps.most[member] = weight
                    for member in others if weight > least else ():
                        self._made.most[member] = weight

    def best(self) -> _Node:
        """Return the end of a heaviest path: of those with the same bound, what weighs most is looked at first."""
        left, right = self._steps.begin(), self._made.begin()
        bound = sum(min(weight, right[name]) for name, weight in left.items())
        waiting = [(-bound, 0, 0, _Node(0, 0, None, None, None))]
        number, seen = count(1), set[tuple[int, int]]()
        while True:
            above, below, _, node = heappop(waiting)
            if node.steps == self._steps.all and node.calls == self._made.all:
                return node
            if (node.steps, node.calls) in seen:
                continue
            seen.add((node.steps, node.calls))
            for step, call, weight in self._moves(node):
                steps, calls = self._steps.after(node.steps, step), self._made.after(node.calls, call)
                name = self._made.names[call or 0] if step is None else self._steps.names[step]
                lost = self._least(name, node.steps, node.calls) - self._least(name, steps, calls) - weight
                after = _Node(steps, calls, step, call, node)
                heappush(waiting, (above + lost, below - weight, -next(number), after))

    def _least(self, name: str, steps: int, calls: int) -> int:
        return min(self._steps.left(name, steps), self._made.left(name, calls))

    def _moves(self, node: _Node) -> Iterator[tuple[int | None, int | None, int]]:
        """Yield steps and calls that come next, with their weights, what is to be looked at first last.

        In a sequence of sets, the first step or the first call that is left has its partner, if any, among what comes
        next on the other side: else their pairs would cross. A pair that is equal, and whose members nothing else that
        comes next could be paired with, is in one of the heaviest alignments.
        """
        steps, calls = self._steps.ready(node.steps), self._made.ready(node.calls)
        pairs = [
            (step, call)
            for step in reversed(steps)
            for call in reversed(calls)
            if self._steps.names[step] == self._made.names[call] and self._plan[step].is_readable
        ]
        if not self._has_dependencies:
            own = Counter(self._steps.names[step] for step, _ in pairs)  # one for each pair of the name
            for step, call in pairs:
                if own[self._steps.names[step]] == 1 and self._weigh(step, call) == self._whole:
                    yield step, call, self._whole
                    return
            steps, calls = steps[:1], calls[:1]
            pairs = [(step, call) for step, call in pairs if step in steps or call in calls]
        yield from ((step, None, 0) for step in steps)
        yield from ((None, call, 0) for call in calls)
        yield from ((step, call, self._weigh(step, call)) for step, call in pairs)


def _order(members: Sequence[Planned | Call]) -> list[int]:
    """Return what has to be done before each member of a sequence of sets."""
    needs, done = [], 0
    for batch in batches(members):
        needs += [done] * len(batch)
        done = (1 << batch[-1] + 1) - 1
    return needs


def _dependencies(plan: Sequence[Planned]) -> list[int]:
    """Return what has to be done before each step of a plan with dependencies; those in a circle need nothing."""
    place = {step.index: index for index, step in enumerate(plan)}

    @cache
    def above(index: int) -> int:
        return sum(1 << place[each] for each in plan[index].after or () if each in place)

    done, waiting = 0, set(range(len(plan)))
    while ready := {index for index in waiting if not above(index) & ~done}:
        done, waiting = done | sum(1 << index for index in ready), waiting - ready
    return [0 if index in waiting else above(index) for index in range(len(plan))]


def batches(members: Sequence[Planned | Call]) -> list[list[int]]:
    """Return the indices of what has no order among itself together, the others alone."""
    found: list[list[int]] = []
    last: int | None = None
    for index, member in enumerate(members):
        if member.batch is None or member.batch != last:
            found.append([])
        found[-1].append(index)
        last = member.batch
    return found


def _by_name(members: Iterable[Planned | Call | None]) -> dict[str, dict[Arguments | None, list[int]]]:
    """Return the indices of members by their names and by their arguments."""
    found: dict[str, dict[Arguments | None, list[int]]] = {}
    for index, member in enumerate(members):
        if member is not None:
            found.setdefault(member.name, {}).setdefault(member.arguments, []).append(index)
    return found


def _longest(members: Sequence[Planned | Call]) -> int:
    return max((len(member.arguments or ()) for member in members), default=0)

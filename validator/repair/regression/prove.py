"""A proof for long plans: windows of growing size, whose bounds add up, and then the whole plan.

The search goes from the end of the observed plan to its beginning. Far from the faults every change breaks some need,
so that hardly anything is looked at there, however long the plan is. The lower bounds that guide it come from each
variable by itself (``projection``), and from what is proven of smaller windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from itertools import pairwise
from math import inf

from validator.records import replace
from validator.repair.cost_partitioning.layers import Swept as Found
from validator.repair.cost_partitioning.prove import prove
from validator.repair.edit import EditTask
from validator.repair.regression.estimate import Alone, Estimate, Matrices, priced
from validator.repair.regression.order import Order
from validator.repair.regression.problem import Regression
from validator.repair.regression.profiles import Profile
from validator.repair.regression.search import Search
from validator.repair.regression.windows import Bounds, Window, windows

__all__ = ["Proof", "prove_long"]

_MOST_LOOKS = 20_000
"""Nodes and insertions that a search of one window may look at; all together, where another search is to come soon."""

_FEW_LOOKS, _LOOKS_STEP = 2_000, 20
"""The same, and for each step, of a first search of the whole plan, before all windows are searched."""


def prove_long(
    edit_task: EditTask,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None],
    *,
    with_goal: bool,
) -> None:
    """Prove a repair of a long plan: by windows as long as they are quick, then by cost partitioning.

    ``go_on`` is told each lower bound and says whether there is need and time; ``better`` is given edits.
    """
    with suppress(TimeoutError):
        regression = Regression(edit_task, with_goal=with_goal, is_over=lambda: not go_on(0))
        if len(regression.stages) == 1:  # of a goal in stages the ways are too many to begin from
            proof, most = Proof(regression), _MOST_LOOKS + _LOOKS_STEP * regression.length
            if go_on(0) and _is_done(proof.add_up(bound, go_on, memory, _MOST_LOOKS), go_on, better):
                return
            if go_on(0) and _is_done(proof.whole(bound, go_on, memory, most), go_on, better):
                return
        if go_on(0):
            _is_done(prove(regression, bound, go_on, memory, better), go_on, better)


def _is_done(found: Found, go_on: Callable[[int], bool], better: Callable[[tuple[str, ...]], None]) -> bool:
    """Take what a search found, and return whether that is enough."""
    if found.names is not None:
        better(found.names)
    return not go_on(found.lower)


class Proof:
    """Raises the lower bound of a modified problem."""

    def __init__(self, regression: Regression) -> None:
        self.regression = regression
        self.bounds = Bounds()
        self._profiles: dict[Window, Profile] = {}

    @cached_property
    def _matrices(self) -> Matrices:
        return Matrices(self.regression.facts, self.regression.changes)

    @cached_property
    def _order(self) -> Order:
        return Order(self.regression.changes)

    def windows(self) -> Sequence[Window]:
        return windows(self.regression)

    @cached_property
    def _left(self) -> Iterator[Window]:
        """Return the windows that are not searched yet."""
        return iter(self.windows())

    def run(
        self,
        bound: Callable[[], float],
        go_on: Callable[[int], bool],
        memory: int,
    ) -> Found:
        """Raise the lower bound until it meets ``bound()``, the cost of the best plan so far, or find a cheapest plan.

        ``go_on`` is told each lower bound and says whether there is time left; ``memory`` is in bytes. Costs are
        without those of the tokens that can only be skipped. Raises TimeoutError as soon as it is over, if that comes
        before the search.
        """
        found = self.add_up(bound, go_on, memory)
        return found if found.lower >= bound() or not go_on(found.lower) else self.whole(bound, go_on, memory)

    def add_up(
        self,
        bound: Callable[[], float],
        go_on: Callable[[int], bool],
        memory: int,
        most_looks: float = inf,
    ) -> Found:
        """Raise the lower bound by windows, without a search of the whole plan; what is left goes on where it ended."""
        length, most_nodes, nodes = self.regression.length, self._most_nodes(memory), 0
        lower = alone = self._alone
        for window in self._left:
            if window == (0, length):
                few = min(_MOST_LOOKS, _FEW_LOOKS + _LOOKS_STEP * length)
                found = self._deepen(window, bound, go_on, most_nodes, few)
                if found.names is not None:
                    return replace(found, states=nodes + found.states)
                lower = max(lower, found.lower)
            else:
                found = self._deepen(window, lambda: inf, lambda _: go_on(0), most_nodes, _MOST_LOOKS)
                self.bounds.prove(window, found.lower)
                lower = max(lower, alone + self.bounds.up_to(0, length)[length])
            nodes += found.states
            if not go_on(lower) or lower >= bound() or nodes > most_looks:
                return Found(lower=lower, states=nodes)
        return Found(lower=lower, states=nodes)

    def whole(
        self, bound: Callable[[], float], go_on: Callable[[int], bool], memory: int, most_looks: float = inf
    ) -> Found:
        """Raise it by a search of the whole plan, with the bounds of the windows known by now."""
        return self._deepen((0, self.regression.length), bound, go_on, self._most_nodes(memory), most_looks)

    def _most_nodes(self, memory: int) -> int:
        """Return how many nodes a quarter of the memory holds, at a bit a fact and some for the rest."""
        return memory // 4 // (sum(self.regression.sizes) // 8 + 700)

    def _deepen(
        self,
        window: Window,
        bound: Callable[[], float],
        go_on: Callable[[int], bool],
        most_nodes: int,
        most_looks: float,
    ) -> Found:
        """Search for dearer and dearer edits, so that what is too dear is not even looked at (Korf 1985)."""
        (start, end), regression = window, self.regression
        facts, is_whole = regression.facts, window == (0, regression.length)
        forgotten = 0 if is_whole else facts.every(regression.apart.variables)
        targets = list(map(facts.of, regression.targets)) if end == regression.length else [0]
        estimate = self._estimate(window, self._apart if is_whole else ())
        search = Search(
            regression,
            self._order,
            estimate,
            start,
            most_nodes=most_nodes,
            most_looks=most_looks,
            forgotten=forgotten,
        )
        least = min(estimate(end, target) for target in targets)
        if least == inf:  # no repair at all, which others prove
            return Found(lower=0)
        lower, step, nodes = int(least), 1, 0
        while lower < bound() and go_on(lower):
            limit = min(lower + step, bound())
            found = search.run(end, targets, limit, partial(_asked, lower, bound, go_on))
            lower, nodes = max(lower, found.lower), nodes + found.states
            if found.lower < limit:
                return replace(found, lower=lower, states=nodes)
            step = 1 if regression.is_unit else 2 * step
        return Found(lower=lower, states=nodes)

    @cached_property
    def _apart(self) -> Sequence[Alone]:
        """Return the facts that cost something by themselves, for ``Estimate``."""
        facts = self.regression.facts
        return [(facts.of((value,)), price, last) for value, price, last in self.regression.apart.costs()]

    @cached_property
    def _alone(self) -> int:
        """Return what the goals cost by themselves, which comes to what the windows say: there they are forgotten."""
        targets = map(self.regression.facts.of, self.regression.targets)
        end = self.regression.length
        return min(sum(price for _, price in priced(self._apart, end, target)) for target in targets)

    def _estimate(self, window: Window, apart: Sequence[Alone]) -> Estimate:
        """Return the bounds for a window: of each part of it behind what is proven before, and of the whole."""
        start, end = window
        before = self.bounds.up_to(start, end)
        parts = list(pairwise(before)) if len(before) > 2 else []
        whole = [(window, 0)] if not parts or start == 0 else []
        profiles = [(self._profile(*part), offset) for part, offset in (*((p, before[p[0]]) for p in parts), *whole)]
        found, offsets = zip(*profiles, strict=True)
        return Estimate(self._matrices, start, found, offsets, apart)

    def _profile(self, *window: int) -> Profile:
        start, end = window
        if (start, end) not in self._profiles:
            self._profiles[start, end] = self.regression.projections.profile(start, end)
        return self._profiles[start, end]


def _asked(lower: int, bound: Callable[[], float], go_on: Callable[[int], bool]) -> bool:
    """Return whether a search with this lower bound has a reason to go on."""
    return lower < bound() and go_on(lower)

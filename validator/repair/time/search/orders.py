"""Orders of starts and ends under which a plan executes, with as few steps dropped and inserted as possible.

The search goes forward over parts, as temporal planners do (Coles et al. 2010): a node is what has started and ended so
far, the situation after it, and a simple temporal network of what must be before what
(``validator.repair.time.search.nodes``). The observed times do not bind here; they only say which order is tried first.
Nodes are kept by the number of steps dropped and inserted, and each such level is searched on its own: one that has
nothing left is proven to hold no plan. A node of which a bound says that more steps are needed belongs to that later
level.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count

from validator.execution.time.acts.happening import Part
from validator.grounding.limits import checked
from validator.model.numeric import truth
from validator.model.values import And, Formula, GroundAtom, Model
from validator.reading.plan import Step
from validator.repair.time.grid import Grid
from validator.repair.time.price import Budget
from validator.repair.time.search.bounds import Relaxed, fewest_changes
from validator.repair.time.search.node import Node, Order, Timed
from validator.repair.time.search.nodes import Nodes
from validator.repair.time.search.parts import Subject, needs

__all__ = ["Orders"]

_DISPLACED, _UNNATURAL, _UNWANTED = 4, 1, 2
"""What makes an order less likely: a step taken out of the observed order, a part out of the order of the observed
times, a step inserted that makes nothing true that is asked for or dropped that is not at fault."""


@dataclass(order=True, slots=True)
class _Entry:
    likely: int
    depth: int
    number: int
    make: Callable[[], Node | None] = field(compare=False)
    is_known: bool = field(compare=False)
    """whether the node was looked at before, and belongs to another level"""


class Orders:
    """The search; ``run`` yields orders of a level until a budget of nodes is used up, and may be called again."""

    def __init__(
        self,
        model: Model,
        grid: Grid,
        observed: Sequence[Timed],
        insertable: Sequence[Step],
        faulty: Set[int] = frozenset(),
        *,
        with_goal: bool,
        is_over: Callable[[], bool],
        budget: Budget | None = None,
    ) -> None:
        """Prepare the search; ``faulty`` are the numbers of observed steps that are dropped rather than others.

        With a budget only plans that cost no more are looked for.
        Raises TimeoutError as soon as it is over.
        """
        self.goal: Formula = model.problem.goal if with_goal else And(())
        self.nodes = Nodes(model, grid, observed, self.goal, budget)
        self.parts = self.nodes.parts
        self.grid = grid
        self.observed = self.nodes.observed
        self.insertable = insertable
        self.faulty = faulty
        self.is_over = is_over
        self.size = 0
        """how many nodes were made"""
        self._number = count()
        self._levels: dict[int, list[_Entry]] = defaultdict(list)
        self._wanted_atoms = frozenset(needs(self.goal, {}))
        self._relaxed = {number: Relaxed.of(self.parts, timed.subject) for number, timed in self.observed.items()}
        self._inserts = [Relaxed.of(self.parts, Subject(number=0, step=step)) for step in checked(insertable, is_over)]
        self._first_fresh = max(self.observed, default=0) + 1
        self._seen: set[Hashable] = set()
        self._push(0, 0, 0, self.nodes.root)

    @property
    def lowest(self) -> int | None:
        """Return the lowest level that has something left; None when none has."""
        return min((level for level, entries in self._levels.items() if entries), default=None)

    def run(
        self, level: int, nodes: int, stop: Callable[[], bool], is_needless: Callable[[Node], bool]
    ) -> Iterator[list[Order]]:
        """Yield the orders of a level that take at most so many nodes to find, those of one node together.

        A node is given up with all beyond it where ``is_needless`` says so.
        """
        entries = self._levels[level]
        while entries and nodes and not stop():
            entry = heapq.heappop(entries)
            nodes -= 1
            node = entry.make()
            if node is None or not (entry.is_known or self._is_new(node)) or is_needless(node):
                continue
            if node.least <= node.level:
                try:
                    least = self._least(node)
                except TimeoutError:
                    self._push(level, node.likely, node.depth, partial(_itself, node), is_known=True)
                    return
                if least is None:
                    continue
                if least > level:
                    self._defer(replace(node, least=least))
                    continue
            self._expand(node)
            if not (node.pending or node.running or node.tied) and self._is_goal(node):
                yield list(self.nodes.orders(node))

    # --- nodes ---------------------------------------------------------------------------------

    def _push(
        self, level: int, likely: int, depth: int, make: Callable[[], Node | None], is_known: bool = False
    ) -> None:
        # Of those that are as likely, the ones that have come furthest are looked at first.
        heapq.heappush(self._levels[level], _Entry(likely, -depth, next(self._number), make, is_known))

    def _defer(self, node: Node) -> None:
        self._push(node.least, node.likely, node.depth, lambda: node, is_known=True)

    def _is_new(self, node: Node) -> bool:
        """Return whether no likelier node has the same parts in the same order."""
        key = (
            node.constraints,
            node.at,
            node.pending,
            node.postponed,
            node.dropped,
            node.facts,
            frozenset(node.running),
            frozenset(subject.number for subject in node.inserted),
            node.tied,
        )
        if key in self._seen:
            return False
        self._seen.add(key)
        self.size += 1
        return True

    def _least(self, node: Node) -> int | None:
        """Return the level that plans beyond a node have at least; None where there are none."""
        if self.parts.has_axioms:
            return node.level
        pending = (self._relaxed[number] for number in node.pending)
        more = fewest_changes(self.nodes.to_come(node), pending, self._inserts, self._wanted_atoms, self.is_over)
        return None if more is None else node.level + more

    def _is_goal(self, node: Node) -> bool:
        return truth(self.goal, {}, self.parts.situation(node.at)) is True

    # --- what may come next --------------------------------------------------------------------

    def _expand(self, node: Node) -> None:
        natural = self._natural(node)
        for number, running in node.running.items():
            self._child(node, running.subject, Part.END, 0 if natural == (number, Part.END) else _UNNATURAL)
        if node.facts < len(self.nodes.facts):
            facts = self.nodes.facts[node.facts]
            self._child(node, facts, Part.FACT, 0 if natural == (facts.number, Part.FACT) else _UNNATURAL)
        waiting = [number for number in node.pending if number not in node.postponed]
        for number in node.pending:
            subject = self.observed[number].subject
            part = self.parts.first(subject)
            odd = 0 if natural == (number, part) or number in node.postponed else _UNNATURAL
            is_displaced = number not in node.postponed and waiting[0] != number
            self._child(node, subject, part, odd + _DISPLACED * is_displaced)
        if self.insertable:
            level = max(node.level + 1, node.least)
            self._push(level, node.likely, node.depth, lambda: self._insert(node))
        if node.tied is None:
            self._pass_over(node, waiting)

    def _pass_over(self, node: Node, waiting: Sequence[int]) -> None:
        """Drop the first step that is to come, or let others come before it."""
        if node.pending:
            self._drop(node, node.pending[0])
        if waiting:
            likely, postponed = node.likely + _DISPLACED, node.postponed | {waiting[0]}
            level = max(node.level, node.least)
            self._push(level, likely, node.depth, lambda: replace(node, likely=likely, postponed=postponed))

    def _natural(self, node: Node) -> tuple[int, Part] | None:
        """Return the part that comes next by the observed times: ends first, then timed facts, then starts."""
        found: list[tuple[int, int, int, Part]] = []
        for number in node.running:
            timed, end = self.observed.get(number), node.times[number, Part.END]
            if timed is not None and timed.duration is not None and number not in node.postponed:
                end = max(node.times[number, Part.START], timed.rank) + timed.duration
            found.append((end, 0, number, Part.END))
        if node.facts < len(self.nodes.facts):
            facts = self.nodes.facts[node.facts]
            found.append((self.grid.units(facts.facts[0].time), 1, facts.number, Part.FACT))
        for number in node.pending:
            if number not in node.postponed:
                timed = self.observed[number]
                found.append((timed.rank, 2, number, self.parts.first(timed.subject)))
                break
        return min(found)[2:] if found else None

    def _child(self, node: Node, subject: Subject, part: Part, odd: int, dearer: int = 0) -> None:
        level, likely, depth = node.level + dearer, node.likely + odd, node.depth + 1

        def make() -> Node | None:
            after = self.nodes.after(node, subject, part)
            return None if after is None else replace(after, level=level, likely=likely, depth=depth)

        self._push(max(level, node.least), likely, depth, make)

    def _drop(self, node: Node, number: int) -> None:
        level, depth = node.level + 1, node.depth + 1
        likely = node.likely + (0 if number in self.faulty else _UNWANTED)
        pending = tuple(other for other in node.pending if other != number)

        def make() -> Node:
            dropped = node.dropped | {number}
            return replace(node, level=level, likely=likely, depth=depth, pending=pending, dropped=dropped)

        self._push(max(level, node.least), likely, depth, make)

    def _insert(self, node: Node) -> None:
        """Put every insertion behind a node in the queue."""
        for subject, odd in self._insertions(node):
            self._child(node, subject, self.parts.first(subject), odd, dearer=1)

    def _insertions(self, node: Node) -> Iterator[tuple[Subject, int]]:
        """Yield the steps that may be inserted; less odd are those that make true what is asked for."""
        wanted = self._wanted(node)
        for place, step in enumerate(self.insertable):
            again = sum(subject.step == step for subject in node.inserted)
            subject = Subject(number=self._first_fresh + again * len(self.insertable) + place, step=step)
            yield subject, 0 if wanted & self._inserts[place].adds else _UNWANTED

    def _wanted(self, node: Node) -> set[GroundAtom]:
        """Return the atoms that are false and that the goal or a step that is to come asks for."""
        atoms = self.parts.situation(node.at).atoms
        asked = set(self._wanted_atoms)
        for number in node.pending:
            asked |= self.parts.needs(self.observed[number].subject)
        return {atom for atom in asked if atom not in atoms}


def _itself(node: Node) -> Node:
    return node

"""Best-first search over orders of starts and ends under which a plan executes: the nodes of the lowest bound first.

The search goes forward over parts, as temporal planners do (Coles et al. 2010): a node is what has started and ended so
far, the situation after it, and a simple temporal network of what must be before what
(``validator.repair.time.nodes``). A node is made, and bounded, when it is taken out of the queue; what its bound
says to be dearer goes back. So what the queue holds bounds all orders that were not looked at, and of the orders the
cheapest comes first.

Here an order costs its level: how many steps are dropped and inserted. The observed times do not bind; they only say
which order is tried first, that with the fewest oddities: steps taken out of the observed order, parts out of the order
of the observed times, steps inserted that make nothing true that is asked for or dropped that are not at fault.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import TypeAlias

from validator.execution.time.happening import Part
from validator.grounding.limits import checked
from validator.model.numeric import truth
from validator.reading.plan import Step
from validator.records import cached_property, replace
from validator.repair.time.bounds import fewest_changes
from validator.repair.time.nodes import Cost, Node, Nodes, Order
from validator.repair.time.parts import Relaxed, Subject, needs

_BYTES = 30_000
"""What a node takes, roughly."""

_Make: TypeAlias = Callable[[], Node | Order | None]


@dataclass(order=True, slots=True)
class _Entry:
    """Of nodes that cost the same, likely ones come first, and of these the ones that have come furthest."""

    cost: Cost
    likely: int
    depth: int
    number: int
    make: _Make = field(compare=False)
    is_known: bool = field(compare=False)
    """whether the node was looked at before, and bounded"""


class Orders:
    """The search for the orders nearest to an observed plan; ``run`` yields them, and may be called again.

    Raises TimeoutError as soon as ``is_over`` says so.
    """

    insertion = 1
    """what inserting a step adds to the level"""

    def __init__(
        self, nodes: Nodes, steps: Sequence[Step], is_over: Callable[[], bool], faulty: Set[int] = frozenset()
    ) -> None:
        """Take the ``steps`` that may be inserted, and the ``faulty`` observed ones, dropped rather than others."""
        self.nodes, self.parts, self.grid, self.observed = nodes, nodes.parts, nodes.grid, nodes.observed
        self.steps, self.is_over, self._faulty = tuple(steps), is_over, faulty
        self.wanted = self.parts.bound_atoms(needs(nodes.goal, {}))
        self._first_fresh = max(self.observed, default=0) + 1
        self._queue: list[_Entry] = []
        self._number = count()
        self._seen: set[Hashable] = set()

    def begin(self) -> None:
        """Let the search begin with the empty order."""
        root = self.bound(self.nodes.root())
        if root is not None:
            self._push(root, lambda: root, is_known=True)

    @cached_property
    def relaxed(self) -> list[Relaxed]:
        return [self.parts.relaxed(step) for step in checked(self.steps, self.is_over)]

    @property
    def lower(self) -> Cost | None:
        """Return what the orders that were not looked at cost at least; None when all were."""
        return self._queue[0].cost if self._queue else None

    @property
    def size(self) -> int:
        """Return how many bytes the search takes, about."""
        return _BYTES * len(self._seen)

    # --- what kinds of orders differ in ----------------------------------------------------------

    def bound(self, node: Node) -> Node | None:
        """Return a node with what plans beyond it cost at least; None where there are none."""
        if node.least > node.level:
            return node
        pending = (self.parts.relaxed_of(self.observed[number]) for number in node.pending)
        more = fewest_changes(self.nodes.to_come(node), pending, self.relaxed, self.wanted, self.is_over)
        return None if more is None else replace(node, least=node.level + more)

    def price(self, node: Node, order: Order) -> Cost:
        """Return what an order costs in which a node ends."""
        return node.level

    def key(self, node: Node) -> Hashable:
        """Return what nodes of the same parts in the same order have in common."""
        inserted = frozenset(subject.number for subject in node.inserted)
        fixed = (node.constraints, node.at, node.pending, node.dropped, node.facts, node.tied)
        return *fixed, frozenset(node.running), inserted

    def after(self, node: Node, subject: Subject, part: Part) -> Node | None:
        """Return the node after one more part, or None where it cannot take place."""
        return self.nodes.after(node, subject, part)

    # --- the search ------------------------------------------------------------------------------

    def run(
        self, stop: Callable[[], bool], is_needless: Callable[[Node], bool] = lambda _: False
    ) -> Iterator[tuple[Cost, Order]]:
        """Yield orders with what they cost, the cheapest first, until there are none or ``stop`` says so.

        ``is_needless`` says whether no order beyond a node is of interest.
        """
        while self._queue and not stop():
            entry = heapq.heappop(self._queue)
            made = entry.make()
            if isinstance(made, Order):
                yield entry.cost, made
            elif made is not None and not is_needless(made):
                self._look_at(entry, made)

    def _look_at(self, entry: _Entry, node: Node) -> None:
        if not entry.is_known:
            key = self.key(node)
            if key in self._seen:
                return
            self._seen.add(key)
            try:
                bounded = self.bound(node)
            except TimeoutError:
                self._seen.discard(key)
                heapq.heappush(self._queue, entry)
                raise
            if bounded is None:
                return
            node = bounded
            if (node.cost, node.likely) > (entry.cost, entry.likely):
                self._push(node, lambda: node, is_known=True)
                return
        if self._is_goal(node):
            for order in self.nodes.orders(node):
                self._queue_up(self.price(node, order), node, partial(_itself, order), further=1)
        self.expand(node)

    def _is_goal(self, node: Node) -> bool:
        if node.pending or node.running or node.tied:
            return False
        return truth(self.nodes.goal, {}, self.parts.situation(node.at)) is True

    def _push(self, node: Node, make: _Make, *, is_known: bool = False) -> None:
        self._queue_up(node.cost, node, make, is_known=is_known)

    def _queue_up(
        self, cost: Cost, node: Node, make: _Make, *, odd: int = 0, further: int = 0, is_known: bool = False
    ) -> None:
        """Let what follows from a node, which is so much likelier, be looked at."""
        entry = _Entry(cost, node.likely + odd, -node.depth - further, next(self._number), make, is_known)
        heapq.heappush(self._queue, entry)

    # --- what may come next --------------------------------------------------------------------

    def expand(self, node: Node) -> None:
        """Push what may come next; insertions only when it is their turn."""
        natural = self.natural(node)
        self.push_running(node, natural)
        self.push_observed(node, natural)
        if self.steps:
            self._queue_up(max(node.level + self.insertion, node.least), node, lambda: self._insert(node))

    def push_running(self, node: Node, natural: tuple[int, Part] | None) -> None:
        """Push the ends of what runs, and the next timed facts."""
        for number, running in node.running.items():
            self.child(node, running.subject, Part.END, natural != (number, Part.END))
        if node.facts < len(self.nodes.facts):
            facts = self.nodes.facts[node.facts]
            self.child(node, facts, Part.FACT, natural != (facts.number, Part.FACT))

    def push_observed(self, node: Node, natural: tuple[int, Part] | None) -> None:
        """Push the observed steps that are to come, and that the first of them is dropped."""
        first = next((number for number in node.pending if number not in node.postponed), None)
        for number in node.pending:
            subject = self.observed[number]
            is_late = number in node.postponed
            for part in self.parts.first(subject):
                self.child(node, subject, part, 0 if is_late else (natural != (number, part)) + (first != number))
        if node.tied is None and node.pending:
            number = node.pending[0]
            dropped = replace(
                node,
                level=node.level + 1,
                likely=node.likely + (number not in self._faulty),
                depth=node.depth + 1,
                pending=node.pending[1:],
                dropped=node.dropped | {number},
            )
            self._push(dropped, lambda: dropped)

    def natural(self, node: Node) -> tuple[int, Part] | None:
        """Return the part that comes next by the observed times: ends first, then timed facts, then starts."""
        found: list[tuple[int, int, int, Part]] = []
        for number, running in node.running.items():
            end, subject = node.times[number, Part.END], running.subject
            if subject.duration is not None and number not in node.postponed:
                end = max(node.times[number, Part.START], subject.rank) + subject.duration
            found.append((end, 0, number, Part.END))
        if node.facts < len(self.nodes.facts):
            facts = self.nodes.facts[node.facts]
            found.append((self.grid.units(facts.facts[0].time), 1, facts.number, Part.FACT))
        for number in node.pending:
            if number not in node.postponed:
                subject = self.observed[number]
                found.append((subject.rank, 2, number, self.parts.stated(subject, subject.duration)))
                break
        return min(found)[2:] if found else None

    def child(self, node: Node, subject: Subject, part: Part, odd: int, dearer: int = 0) -> None:
        level, likely, depth = node.level + dearer, node.likely + odd, node.depth + 1

        def make() -> Node | None:
            after = self.after(node, subject, part)
            return None if after is None else replace(after, level=level, likely=likely, depth=depth)

        self._queue_up(max(level, node.least), node, make, odd=odd, further=1)

    def _insert(self, node: Node) -> None:
        """Put every insertion behind a node in the queue; less odd are those that make true what is asked for."""
        atoms = self.parts.situation(node.at).atoms
        pending = (self.parts.relaxed_of(self.observed[number]) for number in node.pending)
        asked = self.wanted.union(*(step.needs for step in pending))
        for place, relaxed in enumerate(self.relaxed):
            if relaxed.at_start <= atoms:
                self.insert(node, place, not (asked - atoms) & relaxed.adds)

    def insert(self, node: Node, place: int, odd: int) -> None:
        """Push the insertion of the step of a place."""
        step = self.steps[place]
        again = sum(subject.step == step for subject in node.inserted)
        subject = Subject(number=self._first_fresh + again * len(self.steps) + place, step=step)
        for part in self.parts.first(subject):
            self.child(node, subject, part, odd, dearer=self.insertion)


def _itself(order: Order) -> Order:
    return order

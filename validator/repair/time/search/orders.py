"""Orders of starts and ends under which a plan executes, with as few steps dropped and inserted as possible.

The observed times do not bind here; they only say which order is tried first. What an order costs is its level: how
many steps are dropped and inserted. A level that has nothing left is proven to hold no plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

from validator.execution.time.acts.happening import Part
from validator.model.values import GroundAtom
from validator.reading.plan import Step
from validator.repair.time.search.best_first import OrderSearch
from validator.repair.time.search.bounds import Relaxed, fewest_changes
from validator.repair.time.search.nodes import Node, Nodes, Order
from validator.repair.time.search.parts import Subject

__all__ = ["UNWANTED", "Orders"]

_DISPLACED, _UNNATURAL, UNWANTED = 4, 1, 2
"""What makes an order less likely: a step taken out of the observed order, a part out of the order of the observed
times, a step inserted that makes nothing true that is asked for or dropped that is not at fault."""


class Orders(OrderSearch):
    """The search for the orders nearest to an observed plan."""

    def __init__(
        self,
        nodes: Nodes,
        insertable: Sequence[Step],
        faulty: Set[int],
        is_needless: Callable[[Node], bool],
        is_over: Callable[[], bool],
    ) -> None:
        """Prepare the search; ``faulty`` are the numbers of observed steps that are dropped rather than others.

        ``is_needless`` says whether no order beyond a node is of interest. Raises TimeoutError as soon as it is over.
        """
        super().__init__(nodes, insertable, is_over)
        self.observed = self.nodes.observed
        self.faulty = faulty
        self._is_needless = is_needless
        self.observed_steps = {number: Relaxed.of(self.parts, timed.subject) for number, timed in self.observed.items()}
        self.first_fresh = max(self.observed, default=0) + 1
        root = self.nodes.root()
        self.push(0, root, lambda: root)

    def is_needless(self, node: Node) -> bool:
        return self._is_needless(node)

    def bound(self, node: Node) -> tuple[int, Node] | None:
        if node.least > node.level or self.parts.has_axioms:
            return max(node.level, node.least), node
        pending = (self.observed_steps[number] for number in node.pending)
        more = fewest_changes(self.nodes.to_come(node), pending, self.relaxed, self.wanted, self.is_over)
        return None if more is None else (node.level + more, replace(node, least=node.level + more))

    def price(self, node: Node, order: Order) -> int:
        return node.level

    # --- what may come next --------------------------------------------------------------------

    def expand(self, node: Node) -> None:
        natural = self._natural(node)
        for number, running in node.running.items():
            self.child(node, running.subject, Part.END, 0 if natural == (number, Part.END) else _UNNATURAL)
        if node.facts < len(self.nodes.facts):
            facts = self.nodes.facts[node.facts]
            self.child(node, facts, Part.FACT, 0 if natural == (facts.number, Part.FACT) else _UNNATURAL)
        waiting = [number for number in node.pending if number not in node.postponed]
        for number in node.pending:
            subject = self.observed[number].subject
            part = self.parts.first(subject)
            odd = 0 if natural == (number, part) or number in node.postponed else _UNNATURAL
            is_displaced = number not in node.postponed and waiting[0] != number
            self.child(node, subject, part, odd + _DISPLACED * is_displaced)
        if self.steps:
            self.push(max(node.level + 1, node.least), node, lambda: self.insert(node))
        if node.tied is None:
            self._pass_over(node, waiting)

    def _pass_over(self, node: Node, waiting: Sequence[int]) -> None:
        """Drop the first step that is to come, or let others come before it."""
        if node.pending:
            self._drop(node, node.pending[0])
        if waiting:
            likely, postponed = node.likely + _DISPLACED, node.postponed | {waiting[0]}
            level = max(node.level, node.least)
            self.push(level, node, lambda: replace(node, likely=likely, postponed=postponed), odd=_DISPLACED)

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

    def child(self, node: Node, subject: Subject, part: Part, odd: int, dearer: int = 0) -> None:
        level, likely, depth = node.level + dearer, node.likely + odd, node.depth + 1

        def make() -> Node | None:
            after = self.after(node, subject, part)
            return None if after is None else replace(after, level=level, likely=likely, depth=depth)

        self.push(max(level, node.least), node, make, odd=odd, further=1)

    def after(self, node: Node, subject: Subject, part: Part) -> Node | None:
        """Return the node after one more part, or None where it cannot take place."""
        return self.nodes.after(node, subject, part)

    def _drop(self, node: Node, number: int) -> None:
        level, depth = node.level + 1, node.depth + 1
        odd = 0 if number in self.faulty else UNWANTED
        likely = node.likely + odd
        pending = tuple(other for other in node.pending if other != number)

        def make() -> Node:
            dropped = node.dropped | {number}
            return replace(node, level=level, likely=likely, depth=depth, pending=pending, dropped=dropped)

        self.push(max(level, node.least), node, make, odd=odd, further=1)

    def insert(self, node: Node) -> None:
        """Put every insertion behind a node in the queue; less odd are those that make true what is asked for."""
        wanted = self._wanted(node)
        for place, subject in self.insertable(node, self.first_fresh):
            odd = 0 if wanted & self.relaxed[place].adds else UNWANTED
            self.child(node, subject, self.parts.first(subject), odd, dearer=1)

    def _wanted(self, node: Node) -> set[GroundAtom]:
        """Return the atoms that are false and that the goal or a step that is to come asks for."""
        atoms = self.parts.situation(node.at).atoms
        asked = set(self.wanted)
        for number in node.pending:
            asked |= self.parts.needs(self.observed[number].subject)
        return {atom for atom in asked if atom not in atoms}

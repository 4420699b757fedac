"""A greedy search over orders of starts and ends, for a first plan: by how many steps a relaxed plan inserts.

Nothing is ever deleted in a relaxed plan (Hoffmann and Nebel 2001), all comparisons of numbers come out as they should,
and the observed steps that are to come cost nothing. Each atom is reached on the way that is cheapest by itself, with
what steps need added up (Bonet and Geffner 2001). Nodes that differ in their times alone are taken for one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set

from validator.execution.time.acts.happening import Part
from validator.model.temporal import DURATION, ContinuousEffect, TimedEffect, When
from validator.model.values import And, Arithmetic, Conditional, Effect, GroundAtom, Model, NumericEffect
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.time.search.bounds import Relaxed
from validator.repair.time.search.network import ORIGIN, Constraint, Network
from validator.repair.time.search.nodes import Node, Nodes
from validator.repair.time.search.orders import UNWANTED, Orders
from validator.repair.time.search.parts import Subject

__all__ = ["GreedyOrders", "at_ends"]

_WEIGHT = 3
"""changes, that each step of a relaxed plan is worth: above 1 the search is greedy"""


@dataclass(frozen=True, slots=True)
class _Rule:
    """What a step adds at its start, or in all; ``place`` is that of an insertable step, or -1 - the observed one's."""

    place: int
    needs: frozenset[GroundAtom]
    adds: frozenset[GroundAtom]


class GreedyOrders(Orders):
    """The greedy search for an order near an observed plan, or for any; what it finds need not be the nearest."""

    def __init__(self, nodes: Nodes, insertable: Sequence[Step], is_over: Callable[[], bool]) -> None:
        super().__init__(nodes, insertable, frozenset(), lambda _: False, is_over)
        self._rules = [rule for place, one in enumerate(self.relaxed) for rule in _rules_of(place, one)]
        self._rules += [rule for number, one in self.observed_steps.items() for rule in _rules_of(-1 - number, one)]
        self._missing = [len(rule.needs) for rule in self._rules]
        self._users = defaultdict[GroundAtom, list[int]](list)
        for number, rule in enumerate(self._rules):
            for atom in rule.needs:
                self._users[atom].append(number)

    def bound(self, node: Node) -> tuple[int, Node] | None:
        if self.parts.has_axioms:
            return node.level, node
        plan = self._relaxed_plan(node)
        estimate = None if plan is None else node.level + _WEIGHT * len(plan)
        return None if estimate is None else (estimate, replace(node, least=estimate))

    def key(self, node: Node) -> Hashable:
        running = frozenset(one.subject.step or number for number, one in node.running.items())
        return node.at, node.pending, node.postponed, node.facts, running, node.tied

    def insert(self, node: Node) -> None:
        plan = self._relaxed_plan(node) or frozenset()
        for place, subject in self.insertable(node, self.first_fresh):
            odd = 0 if place in plan else UNWANTED
            self.child(node, subject, self.parts.first(subject), odd, dearer=1)

    def after(self, node: Node, subject: Subject, part: Part) -> Node | None:
        """Return the node after one more part, which comes behind the one before, and before all that is to come."""
        after = self.nodes.after(node, subject, part)
        if after is None:
            return None
        key, last = (subject.number, part), node.acts[-1][0] if node.acts else ORIGIN
        in_turn = [(last, key, 0), *((key, (number, Part.END), 0) for number in after.running)]
        if part is Part.START:
            in_turn += self._ends(subject, (running.subject for running in node.running.values()))
        if after.facts < len(self.nodes.facts):
            facts = self.nodes.facts[after.facts]
            in_turn.append((key, ORIGIN, -self.grid.units(facts.facts[0].time)))
        network = Network(after.times, after.constraints)
        if not network.add(in_turn):
            return None
        return replace(after, times=network.times, constraints=after.constraints.union(in_turn))

    def _ends(self, begun: Subject, running: Iterable[Subject]) -> Iterator[Constraint]:
        """Yield that what undoes an invariant at its end ends behind the step whose invariant it is."""
        for other in running:
            for first, last in ((begun, other), (other, begun)):
                if not self._invariant(first).isdisjoint(self._undone(last)):
                    yield (first.number, Part.END), (last.number, Part.END), 0

    def _invariant(self, subject: Subject) -> Set[GroundAtom]:
        return self.parts.needs(subject, When.ALL)

    def _undone(self, subject: Subject) -> Set[GroundAtom]:
        return self.parts.deletes_for_sure(subject, When.END) - self.parts.adds(subject, When.END)

    def _relaxed_plan(self, node: Node) -> Set[int] | None:
        """Return the places of the steps that a relaxed plan inserts; None where there is none."""
        wanted = self.wanted
        if node.pending:
            wanted |= self.observed_steps[node.pending[0]].at_start
        reached = dict.fromkeys(self.nodes.to_come(node), 0)
        supporters = self._explored(node, reached, wanted)
        if not wanted <= reached.keys():
            return None
        plan, waiting, seen = set[int](), list(wanted), set(wanted)
        while waiting:
            rule = supporters.get(waiting.pop())
            if rule is not None:
                plan |= {rule.place} if rule.place >= 0 else set()
                waiting += rule.needs - seen
                seen |= rule.needs
        return plan

    def _explored(
        self, node: Node, reached: dict[GroundAtom, int], wanted: frozenset[GroundAtom]
    ) -> dict[GroundAtom, _Rule]:
        """Let ``reached`` have what atoms cost until all that are wanted do; return by which rule each is reached."""
        pending, missing, supporters = set(node.pending), self._missing.copy(), dict[GroundAtom, _Rule]()
        left = set(wanted)
        # By number, as atoms of models from Python are not all of one kind.
        queue = [(cost, number, atom) for number, (atom, cost) in enumerate(reached.items())]
        made = len(queue)

        def apply(rule: _Rule) -> Iterator[tuple[int, GroundAtom]]:
            if rule.place < 0 and -1 - rule.place not in pending:
                return
            total = (rule.place >= 0) + sum(reached[atom] for atom in rule.needs)
            for atom in rule.adds:
                if total < reached.get(atom, total + 1):
                    reached[atom], supporters[atom] = total, rule
                    yield total, atom

        for rule in (rule for rule in self._rules if not rule.needs):
            for cost, atom in apply(rule):
                made += 1
                heapq.heappush(queue, (cost, made, atom))
        settled = set[GroundAtom]()
        while queue and left:
            _, _, atom = heapq.heappop(queue)
            if atom in settled:
                continue
            settled.add(atom)
            left.discard(atom)
            for number in self._users.get(atom, ()):
                missing[number] -= 1
                for cost, new in apply(self._rules[number]) if not missing[number] else ():
                    made += 1
                    heapq.heappush(queue, (cost, made, new))
        return supporters


def _rules_of(place: int, step: Relaxed) -> Iterator[_Rule]:
    if step.first_adds and step.at_start != step.needs:
        yield _Rule(place, step.at_start, step.first_adds)
    yield _Rule(place, step.needs, step.adds)


def at_ends(model: Model) -> Model:
    """Return a model in which what changes continuously while an action lasts changes at its end, all at once."""
    durative = {
        name: replace(
            action,
            effects=(*action.effects, TimedEffect(when=When.END, effects=tuple(map(_whole, action.continuous)))),
            continuous=(),
        )
        for name, action in model.domain.durative.items()
    }
    return replace(model, domain=replace(model.domain, durative=durative))


def _whole(effect: ContinuousEffect) -> Effect:
    operator, amount = "increase" if effect.sign > 0 else "decrease", Arithmetic("*", (effect.rate, DURATION))
    changed = NumericEffect(operator, effect.fluent, amount)
    return Conditional(effect.parameters, And(()), (changed,)) if effect.parameters else changed

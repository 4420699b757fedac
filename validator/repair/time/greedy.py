"""A greedy search over orders of starts and ends, for a first plan: by how much a relaxed plan still does.

The relaxation is that of starts and ends as actions (Do and Kambhampati 2003; Coles et al. 2008), in which timed facts
and the starts of observed steps that are to come cost nothing; it knows nothing of when they may happen. The start of a
durative step brings about that it runs, which its end needs. What must hold between them is needed by the end, and by
the start as far as that does not bring it about. Each part comes behind the one before, and nodes that differ in their
times alone are taken for one.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from math import inf

from validator.execution.time.happening import Part
from validator.grounding.limits import checked
from validator.model.conditions import Binding, ground
from validator.model.temporal import DURATION, DurativeAction, When
from validator.model.values import TRUE, And, Conditional, Effect, Formula, GroundAtom, literals_of, numeric_effects
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.numbers.needs import Known, Need, Requirements, Way
from validator.repair.numbers.relaxation import Estimate, Relaxation
from validator.repair.time.network import ORIGIN, Constraint
from validator.repair.time.nodes import Node, Nodes
from validator.repair.time.orders import Orders
from validator.repair.time.parts import Parts, Relaxed, Subject, facts_of

_WEIGHT = 3
"""changes, that each part of a relaxed plan is worth: above 1 the search is greedy"""


class GreedyOrders(Orders):
    """The greedy search for an order near an observed plan, or for any; what it finds need not be the nearest."""

    def __init__(self, nodes: Nodes, insertable: Sequence[Step], is_over: Callable[[], bool]) -> None:
        super().__init__(nodes, list(_possible(nodes.parts, insertable, is_over)), is_over)
        actions = _SnapActions(self.parts)
        observed = list(self.observed.values())
        ways = actions.ways(self.steps, observed)
        self._relaxation = Relaxation(actions.requirements, ways, nodes.goal, is_over)
        self._goal = self._relaxation.needs(nodes.goal, {})
        starts = ((subject.number, actions.start_of(subject)) for subject in observed)
        self._starts = {number: self._relaxation.needs(*start) for number, start in starts}

    def bound(self, node: Node) -> Node | None:
        estimate = self._estimate(node)
        if estimate.cost == inf:
            return None
        return replace(
            node,
            least=node.level + _WEIGHT * round(estimate.cost),
            insertable=[place for place in estimate.applicable if place < len(self.steps)],
            promising=frozenset(estimate.promising),
        )

    def _estimate(self, node: Node) -> Estimate:
        """Return how far the goal is, with the next observed step where that is within reach."""
        running = (one.subject.step for one in node.running.values())
        situation = self.parts.situation(node.at)
        atoms = {*situation.atoms, *(_runs(step) for step in running if step is not None)}
        atoms.update(map(_pending, node.pending))
        atoms.update(map(_to_come, range(node.facts, len(self.nodes.facts))))
        situation, start = replace(situation, atoms=atoms), self._starts[node.pending[0]] if node.pending else None
        if start is not None and self._goal is not None:
            estimate = self._relaxation.estimate(situation, (*self._goal, *start))
            if estimate.cost < inf:
                return estimate
        return self._relaxation.estimate(situation, self._goal)

    def key(self, node: Node) -> Hashable:
        running = frozenset(one.subject.step or number for number, one in node.running.items())
        return node.at, node.pending, node.facts, running, node.tied

    def expand(self, node: Node) -> None:
        """Push what may come next: observed steps first, then promising ones, which others can overlap."""
        natural = self.natural(node)
        self.push_observed(node, natural)
        for place in node.insertable:
            self.insert(node, place, place not in node.promising)
        self.push_running(node, natural)

    # --- one part after the other --------------------------------------------------------------

    def after(self, node: Node, subject: Subject, part: Part) -> Node | None:
        """Return the node after one more part, which comes behind the one before, and before all that is to come.

        An observed step keeps its duration where it can.
        """
        number, key = subject.number, (subject.number, part)
        last = node.acts[-1][0] if node.acts else ORIGIN
        in_turn = [(last, key, 0), *((key, (other, Part.END), 0) for other in node.running if other != number)]
        facts = self.nodes.facts[node.facts + (part is Part.FACT) :]
        if facts:
            in_turn.append((key, ORIGIN, -self.grid.units(facts[0].facts[0].time)))
        if part is not Part.START:
            return self.nodes.after(node, subject, part, in_turn)
        in_turn += self._ends(subject, (running.subject for running in node.running.values()))
        found = None
        if subject.duration is not None:
            end = (number, Part.END)
            kept = [(key, end, subject.duration), (end, key, -subject.duration)]
            found = self.nodes.after(node, subject, part, in_turn + kept)
        return found or self.nodes.after(node, subject, part, in_turn)

    def _ends(self, begun: Subject, running: Iterable[Subject]) -> Iterator[Constraint]:
        """Yield that what undoes an invariant at its end ends behind the step whose invariant it is."""
        for other in running:
            for first, last in ((begun, other), (other, begun)):
                inside = self.parts.relaxed_of(first).inside
                if not inside.isdisjoint(_undone(self.parts.relaxed_of(last))):
                    yield (first.number, Part.END), (last.number, Part.END), 0


def _undone(step: Relaxed) -> frozenset[GroundAtom]:
    return step.last_deletes - step.last_adds


def _possible(parts: Parts, steps: Sequence[Step], is_over: Callable[[], bool]) -> Iterator[Step]:
    """Yield the steps that last no longer than what they need: a match that burns, and its light.

    Such an atom is made true by starts alone, all of which make it false again at their ends (the envelopes of Coles et
    al. 2008). Raises TimeoutError when it is over.
    """
    known = {step: parts.relaxed(step) for step in checked(steps, is_over)}
    brought = {step: one.first_adds & _undone(one) for step, one in known.items()}
    passing = set[GroundAtom]().union(*brought.values()) - parts.model.problem.init
    passing -= {ground(each.atom, {}) for each in literals_of(fact.effect for fact in parts.model.problem.timed)}
    for step, one in known.items() if passing else ():
        passing -= (one.first_adds - brought[step]) | one.last_adds
    longest: dict[GroundAtom, Fraction | float] = dict.fromkeys(passing, 0)
    for step, one in known.items():
        greatest = one.lasts.greatest
        longest |= {atom: max(longest[atom], inf if greatest is None else greatest) for atom in brought[step] & passing}
    for step, one in known.items():
        if all(one.lasts.least <= longest[atom] for atom in one.inside & passing - brought[step]):
            yield step


# --- starts, ends and timed facts as steps of a relaxation -----------------------------------------


def _runs(step: Step) -> GroundAtom:
    """Return the atom that holds while a durative step runs; no name of PDDL begins like it."""
    return (f"%runs-{step.name}", *step.args)


def _pending(number: int) -> GroundAtom:
    """Return the atom that holds until an observed step starts."""
    return ("%pending", str(number))


def _to_come(number: int) -> GroundAtom:
    """Return the atom that holds until some timed facts take place."""
    return ("%to-come", str(number))


class _SnapActions:
    """The starts and ends of a model's steps, and its timed facts, in a relaxation."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        initial = parts.situation(parts.initial())
        self.requirements = Requirements(parts.model, initial.atoms, initial.values)

    def ways(self, steps: Sequence[Step], observed: Sequence[Subject]) -> Iterator[Way]:
        """Yield the ways of starts, numbered by the places of steps, of ends, and of what costs nothing.

        That are the starts of observed steps, and timed facts.
        """
        places = {subject.step: subject for subject in observed}
        places |= {step: Subject(number=0, step=step) for step in steps}
        for place, step in enumerate(steps):
            yield from self._starts(places[step], place)
        for place, subject in enumerate(places.values(), len(steps)):
            yield from self._ends(subject, place)
        for subject in observed:
            for way in self._starts(subject, -1):
                yield replace(way, needs=way.needs | {(_pending(subject.number), True)})
        for number, group in enumerate(facts_of(self.parts.model)):
            needs = frozenset[Need](((_to_come(number), True),))
            yield from self.requirements.ways(-1, needs, [fact.effect for fact in group], {})

    def start_of(self, subject: Subject) -> tuple[Formula, Binding]:
        """Return what the start of a step needs."""
        assert subject.step is not None
        action, binding = self.parts.durative(subject), self.parts.binding(subject)
        if action is None:
            return self.parts.model.domain.actions[subject.step.name].precondition, binding
        return _condition(action, When.START), binding

    def _starts(self, subject: Subject, place: int) -> Iterator[Way]:
        assert subject.step is not None
        action, (condition, binding) = self.parts.durative(subject), self.start_of(subject)
        duration = self._duration(subject)
        needs = self.requirements.of(condition, binding, duration)
        if action is None:
            plain = self.parts.model.domain.actions[subject.step.name]
            yield from self.requirements.ways(place, needs, plain.effects, binding)
            return
        inside = self.requirements.of(_condition(action, When.ALL), binding, duration)
        if needs is None or inside is None:
            return
        effects, known = _effects(action, When.START), self._known(subject)
        is_counting = any(numeric_effects(effects))
        for way in self.requirements.ways(place, needs, effects, binding, known):
            before = {need for need in inside - way.brought if isinstance(need, tuple) or not is_counting}
            yield replace(way, needs=way.needs | before, brought={*way.brought, (_runs(subject.step), True)})

    def _ends(self, subject: Subject, place: int) -> Iterator[Way]:
        action, binding = self.parts.durative(subject), self.parts.binding(subject)
        if action is None or subject.step is None:
            return
        condition = And((_condition(action, When.END), _condition(action, When.ALL)))
        needs = self.requirements.of(condition, binding, self._duration(subject))
        for way in self.requirements.ways(place, needs, _effects(action, When.END), binding, self._known(subject)):
            yield replace(way, needs=way.needs | {(_runs(subject.step), True)})

    def _duration(self, subject: Subject) -> Fraction | None:
        """Return the duration of a step that has the same one wherever it starts."""
        lasts = self.parts.relaxed_of(subject).lasts
        return lasts.least if lasts.least == lasts.greatest else None

    def _known(self, subject: Subject) -> Known:
        """Return the values that never change, and the duration: the least, as far as that is known."""
        least = self.parts.relaxed_of(subject).lasts.least
        return ChainMap({(DURATION.function,): least or Fraction(1)}, self.requirements.known)


def _condition(action: DurativeAction, when: When) -> Formula:
    return And(tuple(timed.condition for timed in action.conditions if timed.when is when))


def _effects(action: DurativeAction, when: When) -> list[Effect]:
    found = list[Effect]()
    for timed in (each for each in action.effects if each.when is when):
        is_plain = not timed.parameters and timed.earlier is None
        found += timed.effects if is_plain else (Conditional(timed.parameters, timed.earlier or TRUE, timed.effects),)
    return found

"""Some repaired plan of a long plan with many faults, by local search: soon, without a planner and without a proof.

The plan is followed to its first fault: a step that cannot be executed, or its end, where the goal does not hold. There
some changes are tried. The step is left out or replaced; steps that make its condition true are inserted before it, or
one of them at an earlier place; the step that made the condition false is left out or replaced. A change is judged by
how many steps behind it need what does not hold, each of them taken all the same. Plans are changed further best first,
by their changes and by such steps. Operators are instantiated among the few objects that a fault is about.

Compare Gerevini and Serina (2000), "Fast Plan Adaptation through Planning Graphs: Local and Systematic Search
Techniques", and Fox et al. (2006), "Plan Stability: Replanning versus Plan Repair".
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import islice

from validator.execution.simulator import Simulator
from validator.model.values import GroundAtom
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.a_star import Search
from validator.repair.edit import Edit, Move, placed
from validator.repair.literals import Condition, GroundModel, LiteralModel, Operator
from validator.repair.projection.instantiation import Parts

_MOST_STEPS = 4_000_000
"""that are looked at in all, of plans and among the objects of a fault: less than two CPU seconds"""

_WEIGHT = 3
"""changes, that each step which needs what does not hold is worth: above 1 the search is greedy"""

_WIDTH = 12
"""plans with as many steps behind their first fault that are changed: most are alike. Of each half as many changes are
followed, the best ones, and a step is inserted at twice as many earlier places, the last ones. So many facts like a
missing one add their objects."""

_NEAR = 2
"""steps before and behind a fault whose objects it is about as well"""

_TRIED = 30_000
"""operators in states, for steps that make a condition true near a fault; for a goal at the end five times as many"""

_MOST_OPERATORS = 2_000
"""among the objects of a fault"""


@dataclass(frozen=True, slots=True)
class _Plan:
    """A changed plan: its operators, of which None cannot be executed; the places of those that were observed.

    ``states`` are those before each operator up to ``fault``, the first one that cannot be executed.
    """

    changes: int
    operators: list[Operator | None]
    origins: list[int | None]
    states: list[int]

    @property
    def fault(self) -> int:
        return len(self.states) - 1

    @property
    def left(self) -> int:
        """Return how many steps there are from the first fault on."""
        return len(self.operators) - self.fault


@dataclass(frozen=True, slots=True)
class _Change:
    """``new`` operators in the place of those from ``begin`` to ``end``; ``rank`` is lower for better ones."""

    rank: int
    changes: int
    begin: int
    end: int
    new: tuple[Operator, ...]


def repair_locally(
    simulator: Simulator, tokens: Sequence[Token], is_over: Callable[[], bool], *, with_goal: bool
) -> tuple[Edit, ...] | None:
    """Return edits to a plan that is sound, with ``with_goal`` valid; None if none is found before it is over.

    None as well for models of which a condition, an effect or the goal is more than literals.
    """
    if not LiteralModel.suits(simulator):
        return None
    model = LiteralModel(simulator)
    goal = model.goal if with_goal else Condition(0, 0)
    if goal is None:
        return None
    found = _Search(model, Parts(simulator.model), goal).repaired(tokens, is_over)
    if found is None:
        return None
    edits = list[tuple[int | None, Edit]]()
    for operator, origin in zip(found.operators, found.origins, strict=True):
        if origin is not None:
            edits.append((origin, Edit(move=Move.KEEP, token=tokens[origin])))
        elif operator is not None:
            edits.append((None, Edit(move=Move.INSERT, token=operator.step)))
    return tuple(placed(edits, tokens, (origin for origin in found.origins if origin is not None)))


class _Search:
    """Changes plans of one model."""

    def __init__(self, model: LiteralModel, parts: Parts, goal: Condition) -> None:
        self.model, self.parts, self.goal = model, parts, goal
        self.near: dict[frozenset[str], list[Operator]] = {}
        self.observed: list[set[str]] = []
        """the objects of each step that was observed"""
        self.looked_at = 0

    def repaired(self, tokens: Sequence[Token], is_over: Callable[[], bool]) -> _Plan | None:
        """Return a changed plan that can be executed and reaches the goal, without steps that it does not need.

        It is the first one by rank, or the one with the fewest changes that was seen by the time that the search ends.
        """
        operators = [self.model.operator(bare(token)) if isinstance(token, Step) else None for token in tokens]
        self.observed = [_arguments([operator]) for operator in operators]
        plan = self._followed(0, operators, list(range(len(tokens))), [self.model.init])
        waiting = [(0, 0, plan, _Change(0, 0, 0, 0, ()))]
        fewest: dict[tuple[int, int], int] = {}
        expanded: Counter[int] = Counter()
        number, best = 0, None
        while waiting and self.looked_at < (_MOST_STEPS if best is None else _MOST_STEPS // 2) and not is_over():
            *_, before, change = heapq.heappop(waiting)
            plan = self._changed(before, change)
            if self._has_quality(plan):
                return self._without_needless(plan)
            expanded[plan.left] += 1
            if expanded[plan.left] > _WIDTH:
                continue
            followed = 0
            for change in sorted(self._changes(plan), key=lambda change: change.rank):
                changed = self._changed(plan, change)
                key = changed.left, changed.states[-1]
                if fewest.get(key, changed.changes + 1) <= changed.changes:
                    continue
                fewest[key] = changed.changes
                if self._has_quality(changed) and (best is None or changed.changes < best.changes):
                    best = changed
                number += 1
                heapq.heappush(waiting, (change.rank, number, plan, change))
                followed += 1
                if followed == _WIDTH // 2:
                    break
        return None if best is None else self._without_needless(best)

    def _has_quality(self, plan: _Plan) -> bool:
        return not plan.left and self.goal.holds(plan.states[-1])

    def _without_needless(self, plan: _Plan) -> _Plan:
        for place in reversed(range(len(plan.operators))):
            if plan.origins[place] is None:
                fewer = self._changed(plan, _Change(0, plan.changes - 1, place, place + 1, ()))
                plan = fewer if self._has_quality(fewer) else plan
        return plan

    def _followed(
        self, changes: int, operators: list[Operator | None], origins: list[int | None], states: list[int]
    ) -> _Plan:
        """Return a plan executed to its first fault, from the last of the states that are known."""
        state = states[-1]
        for operator in operators[len(states) - 1 :]:
            if operator is None or not operator.condition.holds(state):
                break
            state = operator.after(state)
            states.append(state)
        return _Plan(changes, operators, origins, states)

    def _changed(self, plan: _Plan, change: _Change) -> _Plan:
        begin, end = change.begin, change.end
        operators = [*plan.operators[:begin], *change.new, *plan.operators[end:]]
        origins = [*plan.origins[:begin], *(None for _ in change.new), *plan.origins[end:]]
        return self._followed(change.changes, operators, origins, plan.states[: begin + 1])

    def _changes(self, plan: _Plan) -> Iterator[_Change]:
        """Yield what can be changed at the first fault of a plan."""
        fault, state = plan.fault, plan.states[-1]
        if not plan.left:
            unmet = self.model.unmet(self.goal, state)
            yield self._judge(plan, fault, fault, self._completion(state, unmet))
            for literal in unmet:
                yield from self._towards(plan, self.model.condition([literal]), [literal], ())
            return
        yield self._judge(plan, fault, fault + 1, ())
        if (operator := plan.operators[fault]) is not None:
            unmet = self.model.unmet(operator.condition, state)
            yield from self._towards(plan, operator.condition, unmet, operator.step.args)

    def _towards(
        self, plan: _Plan, target: Condition, unmet: Sequence[tuple[GroundAtom, bool]], named: Iterable[str]
    ) -> Iterator[_Change]:
        """Yield changes that may make a condition true at the first fault, where some of its atoms are ``unmet``."""
        fault, state = plan.fault, plan.states[-1]
        causes = (self._last(plan, atom, holds=not holds) for atom, holds in unmet)
        places = sorted({place for place in causes if place is not None})
        local = self._among(self._concerned(plan, unmet, places).union(named))
        if (chain := self._chain(state, target, local)) is not None:
            yield self._judge(plan, fault, fault, chain)
        if plan.left:
            places.append(fault)
        for place in places:
            if place != fault:
                yield self._judge(plan, place, place + 1, ())
            for operator in local:
                if operator.condition.holds(plan.states[place]) and operator is not plan.operators[place]:
                    yield self._judge(plan, place, place + 1, (operator,))
        for atom, holds in unmet:
            yield from self._earlier(plan, local, self.model.mask([atom]), holds=holds)

    def _completion(self, state: int, unmet: Sequence[tuple[GroundAtom, bool]]) -> list[Operator]:
        """Return operators that reach one goal after the other at the end of a plan, as far as they are found."""
        found: list[Operator] = []
        for number, (atom, _) in enumerate(unmet):
            if self.looked_at >= _MOST_STEPS:
                break
            target = self.model.condition(unmet[: number + 1])
            ways = (self._way(state, target, self._among(objects)) for objects in self._wider(atom))
            for operator in next((way for way in ways if way is not None), ()):
                found.append(operator)
                state = operator.after(state)
        return found

    def _way(self, state: int, target: Condition, operators: Sequence[Operator]) -> Sequence[Operator] | None:
        """Return some operators to a state in which a condition holds: short ones, or those of weighted A*, or None."""
        if (short := self._chain(state, target, operators)) is not None or not operators:
            return short
        model = GroundModel(self.model, operators, target)
        search = Search(model, (), goal=model.goal, state=model.completed(state))
        found = search.run(5 * _TRIED // len(operators), weight=_WEIGHT)
        self.looked_at += found.looked * len(operators)
        return None if found.plan is None else [operators[number] for number in found.plan]

    def _chain(self, state: int, target: Condition, local: Sequence[Operator]) -> tuple[Operator, ...] | None:
        """Return the fewest operators that make a condition hold, if breadth-first search finds them soon."""
        most_tried = _TRIED
        relevant = target.needs | target.forbids
        for operator in local:
            relevant |= operator.condition.needs | operator.condition.forbids | operator.adds | ~operator.spares
        seen = {state & relevant}
        waiting: deque[tuple[int, tuple[Operator, ...]]] = deque([(state & relevant, ())])
        while waiting and most_tried > 0:
            most_tried -= len(local)
            self.looked_at += len(local)
            current, chain = waiting.popleft()
            if target.holds(current):
                return chain
            for operator in local:
                if operator.condition.holds(current) and (following := operator.after(current)) not in seen:
                    seen.add(following)
                    waiting.append((following, (*chain, operator)))
        return None

    def _earlier(self, plan: _Plan, local: Sequence[Operator], bit: int, *, holds: bool) -> Iterator[_Change]:
        """Yield insertions of one step that makes an atom true, or false, before the first fault."""
        achievers = [each for each in local if (each.adds & bit if holds else not each.spares & bit)]
        tried = 0
        for place in reversed(range(plan.fault) if achievers else ()):
            for operator in achievers:
                if operator.condition.holds(plan.states[place]) and plan.operators[place] is not operator:
                    yield self._judge(plan, place, place, (operator,))
                    tried += 1
            if tried >= 2 * _WIDTH:
                return

    def _judge(self, plan: _Plan, begin: int, end: int, new: Sequence[Operator]) -> _Change:
        """Return a change and its rank: every step behind it is taken, so that one fault makes few steps fail."""
        self.looked_at += len(plan.operators) - end
        state = plan.states[begin]
        for operator in new:
            state = operator.after(state)
        failing = 0
        for following in plan.operators[end:]:
            if following is None or not following.condition.holds(state):
                failing += 1
            if following is not None:
                state = following.after(state)
        failing += self.goal.unmet(state)
        observed = sum(origin is not None for origin in plan.origins[begin:end])
        changes = plan.changes + len(new) + observed - (end - begin - observed)
        return _Change(changes + _WEIGHT * failing, changes, begin, end, tuple(new))

    def _concerned(self, plan: _Plan, unmet: Sequence[tuple[GroundAtom, bool]], causes: Iterable[int]) -> set[str]:
        """Return the objects that a fault is about, but for those of the step itself."""
        fault = plan.fault
        objects = _arguments(plan.operators[max(0, fault - _NEAR) : fault + _NEAR + 1])
        objects |= _arguments(plan.operators[cause] for cause in causes)
        held = list(self.model.atoms(plan.states[-1]))
        for atom, _ in unmet:
            alike = (other for other in held if other[0] == atom[0] and not set(atom[1:]).isdisjoint(other[1:]))
            objects.update(atom[1:], *(other[1:] for other in islice(alike, _WIDTH)))
        return objects

    def _wider(self, atom: GroundAtom) -> Iterator[set[str]]:
        """Yield the objects of observed steps that share one with an atom, and with those of steps that share two."""
        named = set(atom[1:])
        about = named.union(*(objects for objects in self.observed if not named.isdisjoint(objects)))
        yield about
        yield about.union(*(objects for objects in self.observed if len(about & objects) > 1))

    def _last(self, plan: _Plan, atom: GroundAtom, *, holds: bool) -> int | None:
        """Return the last place before the first fault that made an atom true, or false."""
        bit = self.model.mask([atom])
        for place in reversed(range(plan.fault)):
            operator = plan.operators[place]
            if operator is not None and (operator.adds & bit if holds else not operator.spares & bit):
                return place
        return None

    def _among(self, objects: Set[str]) -> list[Operator]:
        key = frozenset(objects)
        if key not in self.near:
            rows = self.parts.among(key, _MOST_OPERATORS) or []
            found = (self.model.operator(Step(name=name, args=arguments)) for name, arguments in rows)
            self.near[key] = [operator for operator in found if operator is not None]
        return self.near[key]


def _arguments(operators: Iterable[Operator | None]) -> set[str]:
    return {term for operator in operators if operator is not None for term in operator.step.args}

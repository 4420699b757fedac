"""Some repaired plan of a long plan with many faults, by local search: soon, without a planner and without a proof.

The plan is followed to its first fault: a step that cannot be executed, or its end, where the goal does not hold. There
some changes are tried. The step is left out or replaced; steps that make its condition true are inserted before it, or
one of them at an earlier place; the step that made its condition false is left out or replaced. A change is judged by
how many steps fail soon behind it. Plans are changed further best first, by their changes and by how far they can be
executed. Operators are instantiated among the few objects that a fault is about.

Compare Gerevini and Serina (2000), "Fast Plan Adaptation through Planning Graphs: Local and Systematic Search
Techniques", and Fox et al. (2006), "Plan Stability: Replanning versus Plan Repair".
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence, Set

from validator.execution.simulator import Simulator
from validator.model.conditions import conjuncts
from validator.model.values import Atom, Formula, GroundAtom, Not, literals_of
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, Move, kept_steps
from validator.repair.projection.instantiation import Parts

__all__ = ["LocalRepair", "repair_locally"]

_MOST_STEPS = 4_000_000
"""that are looked at in all, of plans and among the objects of a fault: less than two CPU seconds"""

_MANY = 2_000
"""facts, of which each step in a state takes twice as long"""

_WEIGHT = 3
"""changes, that each step which needs what does not hold is worth: above 1 the search is greedy"""

_STEP_FORWARD = 0.01
"""of a change, that one more step that can be executed is worth"""

_BRANCHES = 6
"""changes of a plan that are followed, the best ones"""

_WIDTH = 12
"""plans with as many steps behind their first fault that are changed: most are alike"""

_PLACES = 25
"""earlier places at which a step is inserted, the last ones"""

_NEAR = 2
"""steps before and behind a fault whose objects it is about as well"""

_TRIED, _TRIED_WIDELY = 30_000, 150_000
"""operators in states, for steps that make a condition true: near a fault, and for a goal at the end"""

_MOST_OPERATORS, _MOST_ALIKE = 2_000, 6
"""among the objects of a fault; facts like a missing one, whose objects are added"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalRepair:
    """Edits to a plan that can be executed; ``is_whole`` says whether it has the quality, or lacks goals."""

    edits: tuple[Edit, ...]
    is_whole: bool


@dataclass(frozen=True, slots=True)
class _Operator:
    """A ground step whose facts are bits; ``spares`` has those that it does not delete."""

    step: Step | None
    needs: int
    forbids: int
    spares: int
    adds: int

    def applies(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids

    def after(self, state: int) -> int:
        return state & self.spares | self.adds


@dataclass(frozen=True, slots=True)
class _Plan:
    """A changed plan: its operators, of which None cannot be executed; the places of those that were observed.

    ``states`` are those before each operator up to ``fault``, the first one that cannot be executed.
    """

    changes: int
    operators: list[_Operator | None]
    origins: list[int | None]
    states: list[int]

    @property
    def fault(self) -> int:
        return len(self.states) - 1

    @property
    def left(self) -> int:
        """Return how many steps there are from the first fault on."""
        return len(self.operators) - self.fault

    @property
    def ends(self) -> bool:
        """Return whether all its operators can be executed."""
        return self.fault == len(self.operators)


@dataclass(frozen=True, slots=True)
class _Change:
    """``new`` operators in the place of those from ``begin`` to ``end``; ``rank`` is lower for better ones."""

    rank: int
    changes: int
    begin: int
    end: int
    new: tuple[_Operator, ...]


def repair_locally(
    simulator: Simulator, tokens: Sequence[Token], is_over: Callable[[], bool], *, with_goal: bool
) -> LocalRepair | None:
    """Return edits to a plan that is sound and, if it is found before it is over, with ``with_goal`` valid.

    None for models of which a condition, an effect or the goal is more than literals.
    """
    schemas = (simulator.schema(name) for name in simulator.model.domain.actions)
    if simulator.model.features or any(schema.complex or schema.conditional for schema in schemas):
        return None
    goal = list(_literals(simulator.model.problem.goal)) if with_goal else []
    if any(atom is None or simulator.is_derived(atom[0]) for atom, _ in goal):
        return None
    search = _Search(simulator, [(atom, holds) for atom, holds in goal if atom is not None])
    found = search.repaired([bare(token) if isinstance(token, Step) else None for token in tokens], is_over)
    edits = tuple(_edits(search.without_needless(found), tokens))
    trace = simulator.run(Plan(parts=kept_steps(edits)))
    return LocalRepair(edits=edits, is_whole=trace.is_valid if with_goal else trace.is_sound)


def _literals(goal: Formula) -> Iterator[tuple[GroundAtom | None, bool]]:
    """Yield the atoms of a conjunction and whether they are to hold; None for a part that is no literal."""
    for part in conjuncts(goal):
        atom = part.part if isinstance(part, Not) else part
        yield (atom.predicate, *atom.terms) if isinstance(atom, Atom) else None, not isinstance(part, Not)


def _edits(plan: _Plan, tokens: Sequence[Token]) -> Iterator[Edit]:
    following = 0
    for operator, origin in zip(plan.operators, plan.origins, strict=True):
        if origin is not None:
            yield from (Edit(move=Move.SKIP, token=token) for token in tokens[following:origin])
            yield Edit(move=Move.KEEP, token=tokens[origin])
            following = origin + 1
        elif operator is not None and operator.step is not None:
            yield Edit(move=Move.INSERT, token=operator.step)
    yield from (Edit(move=Move.SKIP, token=token) for token in tokens[following:])


class _Search:
    """Changes plans of one model."""

    def __init__(self, simulator: Simulator, goal: Sequence[tuple[GroundAtom, bool]]) -> None:
        self.simulator, self.parts = simulator, Parts(simulator.model)
        self.atoms: list[GroundAtom] = []
        self.bits: dict[GroundAtom, int] = {}
        self.operators: dict[Step, _Operator | None] = {}
        self.near: dict[frozenset[str], list[_Operator]] = {}
        self.facts = simulator.model.problem.init
        actions = simulator.model.domain.actions.values()
        self.changing = {literal.atom.predicate for each in actions for literal in literals_of(each.effects)}
        kept = self.changing.union(atom[0] for atom, _ in goal)
        self.init = self._mask(atom for atom in self.facts if atom[0] in kept)
        self.goal = self._condition(goal)
        self.observed: list[set[str]] = []
        """the objects of each step that was observed"""
        self.looked_at = 0

    def repaired(self, steps: Sequence[Step | None], is_over: Callable[[], bool]) -> _Plan:
        """Return a changed plan that can be executed: the first that reaches the goal, else one that lacks little."""
        operators = [None if step is None else self._operator(step) for step in steps]
        self.observed = [_arguments([operator]) for operator in operators]
        plan = furthest = self._followed(0, operators, list(range(len(steps))), [self.init])
        waiting = [(0.0, 0, plan, _Change(0, 0, 0, 0, ()))]
        fewest: dict[tuple[int, int], int] = {}
        expanded: Counter[int] = Counter()
        number = 0
        while waiting and self.looked_at < _MOST_STEPS and not is_over():
            *_, before, change = heapq.heappop(waiting)
            plan = self._changed(before, change)
            if plan.ends and self.goal.applies(plan.states[-1]):
                return plan
            furthest = min(plan, furthest, key=self._lack)
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
                number += 1
                heapq.heappush(waiting, (change.rank + _STEP_FORWARD * changed.left, number, plan, change))
                followed += 1
                if followed == _BRANCHES:
                    break
        return self._without_failing(furthest)

    def without_needless(self, plan: _Plan) -> _Plan:
        """Return a plan without the inserted steps that it does not need."""
        unmet = self._unmet(plan.states[-1])
        for place in reversed(range(len(plan.operators))):
            if plan.origins[place] is None:
                fewer = self._without(plan, place)
                plan = fewer if fewer.ends and self._unmet(fewer.states[-1]) <= unmet else plan
        return plan

    def _without_failing(self, plan: _Plan) -> _Plan:
        operators: list[_Operator | None] = []
        origins, states = list[int | None](), [self.init]
        for operator, origin in zip(plan.operators, plan.origins, strict=True):
            if operator is not None and operator.applies(states[-1]):
                operators.append(operator)
                origins.append(origin)
                states.append(operator.after(states[-1]))
        return _Plan(plan.changes, operators, origins, states)

    def _without(self, plan: _Plan, place: int) -> _Plan:
        return self._changed(plan, _Change(0, plan.changes, place, place + 1, ()))

    def _lack(self, plan: _Plan) -> tuple[int, int, int]:
        """Return how much a plan lacks: first by the steps behind its first fault, then by the goals at its end."""
        return plan.left, self._unmet(plan.states[-1]), plan.changes

    def _followed(
        self, changes: int, operators: list[_Operator | None], origins: list[int | None], states: list[int]
    ) -> _Plan:
        """Return a plan executed to its first fault, from the last of the states that are known."""
        state = states[-1]
        for operator in operators[len(states) - 1 :]:
            if operator is None or not operator.applies(state):
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
        if plan.ends:
            for wrong in self._wrong(self.goal, state):
                yield from self._towards(plan, self._condition([wrong]), [wrong])
            return
        yield self._judge(plan, fault, fault + 1, ())
        if (operator := plan.operators[fault]) is not None:
            yield from self._towards(plan, operator, self._wrong(operator, state))

    def _towards(self, plan: _Plan, target: _Operator, wrong: Sequence[tuple[GroundAtom, bool]]) -> Iterator[_Change]:
        """Yield changes that may make a condition true at the first fault; ``wrong`` is what does not hold of it."""
        fault, state = plan.fault, plan.states[-1]
        causes = {self._last(plan, atom, holds=not holds) for atom, holds in wrong} - {None}
        objects = self._concerned(plan, target, wrong, [cause for cause in causes if cause is not None])
        local = self._among(objects)
        for chain in self._chains(state, target, local, most_tried=_TRIED, most=6, longest=4):
            yield self._judge(plan, fault, fault, chain)
        if plan.ends:
            for wider in self._wider(wrong[0][0]):
                for chain in self._chains(
                    state, target, self._among(wider), most_tried=_TRIED_WIDELY, most=1, longest=40
                ):
                    yield self._judge(plan, fault, fault, chain)
        else:
            causes.add(fault)
        for place in (cause for cause in causes if cause is not None):
            before = plan.states[place]
            if place != fault:
                yield self._judge(plan, place, place + 1, ())
            for operator in local:
                if operator.applies(before) and operator is not plan.operators[place]:
                    yield self._judge(plan, place, place + 1, (operator,))
        for atom, holds in wrong:
            yield from self._earlier(plan, local, self._mask([atom]), holds=holds)

    def _chains(
        self, state: int, target: _Operator, local: Sequence[_Operator], *, most_tried: int, most: int, longest: int
    ) -> Iterator[tuple[_Operator, ...]]:
        """Yield sequences of operators to states in which a target applies, short ones first (breadth-first search)."""
        seen_by = target.needs | target.forbids
        for operator in local:
            seen_by |= operator.needs | operator.forbids | operator.adds | ~operator.spares
        seen = {state & seen_by}
        waiting: deque[tuple[int, tuple[_Operator, ...]]] = deque([(state & seen_by, ())])
        while waiting and most_tried > 0 and most:
            most_tried -= len(local)
            self._look(len(local))
            current, chain = waiting.popleft()
            if target.applies(current):
                longest = min(longest, len(chain) + 1)
                most -= 1
                yield chain
            elif len(chain) < longest:
                for operator in local:
                    if operator.applies(current) and (following := operator.after(current)) not in seen:
                        seen.add(following)
                        waiting.append((following, (*chain, operator)))

    def _earlier(self, plan: _Plan, local: Sequence[_Operator], bit: int, *, holds: bool) -> Iterator[_Change]:
        """Yield insertions of one step that makes a fact true, or false, before the first fault."""
        achievers = [each for each in local if (each.adds & bit if holds else not each.spares & bit)]
        tried = 0
        for place in reversed(range(plan.fault) if achievers else ()):
            for operator in achievers:
                if operator.applies(plan.states[place]) and plan.operators[place] is not operator:
                    yield self._judge(plan, place, place, (operator,))
                    tried += 1
            if tried >= _PLACES:
                return

    def _judge(self, plan: _Plan, begin: int, end: int, new: Sequence[_Operator]) -> _Change:
        """Return a change and its rank: every step behind it is taken, so that one fault makes few steps fail."""
        self._look(len(plan.operators) - end)
        state = plan.states[begin]
        for operator in new:
            state = operator.after(state)
        failing = 0
        for following in plan.operators[end:]:
            if following is None or not following.applies(state):
                failing += 1
            if following is not None:
                state = following.after(state)
        failing += self._unmet(state)
        observed = sum(origin is not None for origin in plan.origins[begin:end])
        changes = plan.changes + len(new) + observed - (end - begin - observed)
        return _Change(changes + _WEIGHT * failing, changes, begin, end, tuple(new))

    def _look(self, steps: int) -> None:
        """Count steps that are looked at: states of many facts take longer."""
        self.looked_at += steps * (1 + len(self.atoms) // _MANY)

    def _concerned(
        self, plan: _Plan, target: _Operator, wrong: Sequence[tuple[GroundAtom, bool]], causes: Iterable[int]
    ) -> set[str]:
        """Return the objects that a fault is about."""
        fault, state = plan.fault, plan.states[-1]
        objects = set() if target.step is None else set(target.step.args)
        held = list(self._facts(state))
        for atom, _ in wrong:
            objects.update(atom[1:])
            alike = (fact for fact in held if fact[0] == atom[0] and not set(atom[1:]).isdisjoint(fact[1:]))
            objects.update(term for fact, _ in zip(alike, range(_MOST_ALIKE), strict=False) for term in fact[1:])
        near = plan.operators[max(0, fault - _NEAR) : fault + _NEAR + 1]
        objects.update(_arguments([*near, *(plan.operators[cause] for cause in causes)]))
        return objects

    def _wider(self, atom: GroundAtom) -> Iterator[set[str]]:
        """Yield the objects of observed steps that share one with an atom, and with those of steps that share two."""
        named = set(atom[1:])
        about = named.union(*(objects for objects in self.observed if not named.isdisjoint(objects)))
        yield about
        yield about.union(*(objects for objects in self.observed if len(about & objects) > 1))

    def _last(self, plan: _Plan, atom: GroundAtom, *, holds: bool) -> int | None:
        """Return the last place before the first fault that made an atom true, or false."""
        bit = self._mask([atom])
        for place in reversed(range(plan.fault)):
            operator = plan.operators[place]
            if operator is not None and (operator.adds & bit if holds else not operator.spares & bit):
                return place
        return None

    def _among(self, objects: Set[str]) -> list[_Operator]:
        key = frozenset(objects)
        if key not in self.near:
            rows = self.parts.among(key, _MOST_OPERATORS) or []
            found = (self._operator(Step(name=name, args=arguments)) for name, arguments in rows)
            self.near[key] = [operator for operator in found if operator is not None]
        return self.near[key]

    def _operator(self, step: Step) -> _Operator | None:
        """Return a step, without what nothing changes; None where that rules it out."""
        if step not in self.operators:
            self.operators[step] = self._made(step)
        return self.operators[step]

    def _made(self, step: Step) -> _Operator | None:
        ground = self.simulator.grounded(step)
        if ground is None:
            return None
        fixed = {atom for atom in ground.needs if atom[0] not in self.changing}
        if not fixed <= self.facts or any(atom[0] not in self.changing for atom in ground.forbids & self.facts):
            return None
        adds, deletes = self._mask(ground.change.added), self._mask(ground.change.deleted)
        return _Operator(step, self._mask(ground.needs - fixed), self._mask(ground.forbids), ~deletes, adds)

    def _condition(self, literals: Sequence[tuple[GroundAtom, bool]]) -> _Operator:
        """Return an operator that needs some atoms to be true or false, and changes nothing."""
        needs = self._mask(atom for atom, holds in literals if holds)
        return _Operator(None, needs, self._mask(atom for atom, holds in literals if not holds), ~0, 0)

    def _wrong(self, condition: _Operator, state: int) -> list[tuple[GroundAtom, bool]]:
        """Return the atoms that a condition needs to be true, or false, and that are not."""
        missing = [(atom, True) for atom in self._facts(condition.needs & ~state)]
        return missing + [(atom, False) for atom in self._facts(condition.forbids & state)]

    def _unmet(self, state: int) -> int:
        return (self.goal.needs & ~state).bit_count() + (self.goal.forbids & state).bit_count()

    def _mask(self, atoms: Iterable[GroundAtom]) -> int:
        found = 0
        for atom in sorted(atoms):  # so that no order of a set decides
            bit = self.bits.get(atom)
            if bit is None:
                bit = self.bits[atom] = 1 << len(self.atoms)
                self.atoms.append(atom)
            found |= bit
        return found

    def _facts(self, mask: int) -> Iterator[GroundAtom]:
        while mask:
            lowest = mask & -mask
            mask ^= lowest
            yield self.atoms[lowest.bit_length() - 1]


def _arguments(operators: Iterable[_Operator | None]) -> set[str]:
    return {term for operator in operators if operator and operator.step for term in operator.step.args}

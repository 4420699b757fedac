"""The ground model as sets of bits: states in order of breadth, and what no sequence of steps can reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import TypeAlias

from validator.checking.prepared import Prepared
from validator.grading.acpbench.operators import NEVER, Clause, Grounding, Operator, bits_in, grounder
from validator.model.conditions import bindings
from validator.model.pddl.formulas.axioms import strata
from validator.model.values import Atom, Conditional, Effect, GroundAtom, Literal
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field

# --- what no sequence of steps can reach ----------------------------------------------------------
# Two relaxations that are as fast for large state spaces as for small ones. In the first nothing is ever lost, so
# that what it lacks is out of reach (Bonet and Geffner 2001). The second keeps pairs of facts apart, of which no step
# makes both true or one beside the other: h2 (Haslum and Geffner 2000). Negative conditions and choices are passed
# over in it, and derived facts are kept, so that what it excludes is excluded.


Rule = tuple[Clause, int]
"""what makes facts true, with its condition"""

_MOST_PAIRED = 20_000_000
"""operators times facts, beyond which pairs are not looked at: some ten seconds"""


@dataclass
class Relaxation:
    """The steps and the ground ``axioms`` of a model, of which nothing that was true is lost."""

    operators: Sequence[Operator]
    axioms: Sequence[Rule]

    def reached(self, state: int, *, without: int = 0) -> int:
        """Return the facts that are in reach when nothing is ever lost; facts of ``without`` are never made."""
        found, waiting, changed = state, self._rules, True
        while changed:
            changed, rest = False, []
            for condition, adds in waiting:
                if condition.may_hold(found):
                    changed = changed or bool(adds & ~without & ~found)
                    found |= adds & ~without
                else:
                    rest.append((condition, adds))
            waiting = rest
        return found

    @cached_property
    def _rules(self) -> list[Rule]:
        steps = [(each.condition, each.adds) for each in self.operators]
        steps += [(each.condition & when, adds) for each in self.operators for when, adds, _ in each.effects]
        return [*steps, *self.axioms]

    def beside(self, state: int) -> dict[int, int] | None:
        """Return for each fact that is in reach those that may hold beside it; None where the model is too large.

        A fact that a step makes true may stand beside all others that the step makes true, and beside what may hold
        together with all that the step needs, and is not deleted.
        """
        reached = self.reached(state)
        if len(self.operators) * reached.bit_count() > _MOST_PAIRED:
            return None
        found, every = dict.fromkeys(bits_in(state), state), state
        waiting = list(self._pair_rules(reached))
        changed = True
        while changed:
            changed = False
            for needs, together, deletes in waiting:
                kept = _common(found, needs, every)
                if kept is not None:
                    changed = _join(found, together, kept & ~deletes) or changed
                    every |= together
        return found

    def _pair_rules(self, reached: int) -> Iterator[tuple[list[int], int, int]]:
        """Yield what is needed, what is made true by it, and what is certainly lost."""
        for each in self.operators:
            if each.condition.may_hold(reached):
                every = each.adds
                for _, adds, _ in each.effects:
                    every |= adds
                yield list(bits_in(each.condition.needs)), every, each.deletes & ~every
        for condition, adds in self.axioms:
            if condition.may_hold(reached):
                yield list(bits_in(condition.needs)), adds, 0


def _common(found: dict[int, int], needs: Sequence[int], every: int) -> int | None:
    """Return which of the facts that are in reach may hold beside all that are needed; None where these exclude it."""
    kept, wanted = every, 0
    for bit in needs:
        if bit not in found:
            return None
        kept, wanted = kept & found[bit], wanted | bit
    return kept if kept & wanted == wanted else None


def _join(found: dict[int, int], adds: int, kept: int) -> bool:
    """Put facts beside each other and beside those that are kept; return whether any were not there."""
    changed = False
    for bit in bits_in(adds):
        new = (adds | kept) & ~found.setdefault(bit, 0)
        if new:
            changed = True
            found[bit] |= new
            for other in bits_in(new):
                found[other] = found.get(other, 0) | bit
    return changed


# --- successors, found by a fact that each step needs ---------------------------------------------


_Watched: TypeAlias = tuple[int, int, int, int, int, Operator | None]
"""The place of an operator, what it needs and lacks, what it keeps and adds; itself where there is more to it."""


@dataclass
class Successors:
    """Called with a state, yields the place of each operator that can be executed there, and the state behind it."""

    operators: Sequence[Operator]

    def __call__(self, state: int) -> Iterator[tuple[int, int]]:
        rest = state
        waiting = self._watched[0]
        while True:
            for number, needs, lacks, keeps, adds, operator in waiting:
                if state & needs == needs and not state & lacks:
                    if operator is None:
                        yield number, (state & keeps) | adds
                    elif operator.is_applicable(state):
                        yield number, operator.apply(state)
            if not rest:
                return
            lowest = rest & -rest
            rest ^= lowest
            waiting = self._watched.get(lowest, ())

    @cached_property
    def _watched(self) -> dict[int, tuple[_Watched, ...]]:
        """Return the operators by one fact that they need, that few others need; those that need none by 0."""
        number = Counter(bit for operator in self.operators for bit in bits_in(operator.condition.needs))
        found: dict[int, list[_Watched]] = {0: []}
        for place, each in enumerate(self.operators):
            needs, lacks = each.condition.needs, each.condition.lacks
            bit = min(bits_in(needs), key=lambda bit: (number[bit], bit), default=0)
            whole = None if each.is_plain else each
            found.setdefault(bit, []).append((place, needs, lacks, ~each.deletes, each.adds, whole))
        return {bit: tuple(operators) for bit, operators in found.items()}


# --- the ground model -----------------------------------------------------------------------------
# Derived facts are bits as well, which follow from the others in each state.


_MOST_OPERATORS = 50_000


class TooLargeError(Exception):
    """The model has more ground steps than are looked at."""


@dataclass
class Space:
    """The ground steps of a model. Raises TooLargeError for very many, ValueError for one that is not classical."""

    model: Prepared
    bits: dict[GroundAtom, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.model.model.features:
            raise ValueError(f"not a classical model: {', '.join(self.model.model.features)}")
        problem = self.model.model.problem
        facts = self.bits_of(sorted(problem.init))  # the order of bits is that of the search
        self.goal_condition = self._grounded(problem.goal, {})
        self.init = self._closed(facts) if self.derived else facts

    @property
    def goal(self) -> int:
        """Return the facts that the goal asks for whatever else it leaves open."""
        return self.goal_condition.needs

    def bits_of(self, atoms: Iterable[GroundAtom]) -> int:
        """Return facts as bits; each that is new gets the next bit."""
        found = 0
        for atom in atoms:
            found |= 1 << self.bits.setdefault(atom, len(self.bits))
        return found

    def atoms(self, bits: int) -> frozenset[GroundAtom]:
        """Return the facts of a set of bits."""
        return frozenset(atom for atom, place in self.bits.items() if bits >> place & 1)

    @cached_property
    def fluents(self) -> frozenset[str]:
        """Return the predicates that some action changes."""
        actions = self.model.model.domain.actions.values()
        return frozenset(atom.predicate for action in actions for atom in _changed(action.effects))

    @cached_property
    def derived(self) -> frozenset[str]:
        return frozenset(axiom.predicate for axiom in self.model.model.domain.axioms)

    @cached_property
    def _grounded(self) -> Callable[..., Clause]:
        return grounder(self.model.model, self.fluents | self.derived, lambda atom: self.bits_of((atom,)))

    @cached_property
    def _rules(self) -> list[list[tuple[Clause, int]]]:
        """Return the ground axioms, stratum by stratum: a condition and the derived fact."""
        model = self.model.model
        level = strata(model.domain.axioms)
        assert isinstance(level, dict)
        found: list[list[tuple[Clause, int]]] = [[] for _ in range(1 + max(level.values(), default=-1))]
        for axiom in model.domain.axioms:
            for binding in bindings(model, axiom.parameters, {}):
                condition = self._grounded(axiom.condition, binding)
                if condition != NEVER:
                    head = (axiom.predicate, *(binding[parameter.name] for parameter in axiom.parameters))
                    found[level[axiom.predicate]].append((condition, self.bits_of((head,))))
                    _check_size(sum(map(len, found)))
        return found

    def _closed(self, state: int) -> int:
        """Return a state with the derived facts that follow, and no others: to the least fixpoint, by strata."""
        for rules in self._rules:
            for _, head in rules:
                state &= ~head
        for rules in self._rules:
            changed = True
            while changed:
                before = state
                for condition, head in rules:
                    if not state & head and condition.holds(state):
                        state |= head
                changed = state != before
        return state

    def facts(self, state: int) -> frozenset[GroundAtom]:
        """Return the facts of a state that are not derived: what an initial state lists."""
        return frozenset(atom for atom in self.atoms(state) if atom[0] not in self.derived)

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """Return the ground steps whose conditions that never change hold, in order of declaration."""
        found: list[Operator] = []
        for name in self.model.model.domain.actions:
            for operator in self._grounding.operators(name):
                found.append(operator)
                _check_size(len(found))
        return tuple(found)

    def operator(self, step: Step, name: str) -> Operator:
        """Return a step of an action as an operator, also where its condition never holds."""
        return self._grounding.operator(step, name)

    @cached_property
    def _grounding(self) -> Grounding:
        close = self._closed if self.derived else None
        return Grounding(self.model.model, self.fluents | self.derived, self._grounded, self.bits_of, close)

    @cached_property
    def successors(self) -> Successors:
        return Successors(self.operators)

    @cached_property
    def relaxation(self) -> Relaxation:
        return Relaxation(self.operators, [rule for rules in self._rules for rule in rules])

    def is_goal(self, state: int) -> bool:
        return self.goal_condition.holds(state)

    def plan(self, path: Iterable[int]) -> Plan:
        return Plan(parts=tuple(self.operators[number].step for number in path))

    def propositions(self) -> Iterator[GroundAtom]:
        """Yield every well-typed fact of a predicate that changes, in order of declaration."""
        for name, parameters in self.model.model.domain.predicates.items():
            if name in self.fluents:
                objects = (self.model.model.objects_of(parameter.types) for parameter in parameters)
                yield from ((name, *args) for args in product(*objects))


def _changed(effects: Iterable[Effect]) -> Iterator[Atom]:
    for effect in effects:
        if isinstance(effect, Literal):
            yield effect.atom
        elif isinstance(effect, Conditional):
            yield from _changed(effect.effects)


def _check_size(number: int) -> None:
    if number > _MOST_OPERATORS:
        raise TooLargeError(f"more than {_MOST_OPERATORS:,} ground steps or derived facts: take fewer objects")


# --- states in order of breadth -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """States in order of their distance from the first; ``is_all`` says that no other can be reached.

    ``parents`` are the place of the state before each and the operator that led here. All states up to ``depth`` steps
    are there.
    """

    states: tuple[int, ...]
    depths: tuple[int, ...]
    parents: tuple[tuple[int, int], ...]
    depth: int
    is_all: bool

    def first(self, is_wanted: Callable[[int], bool]) -> int | None:
        """Return the place of the nearest state of a kind."""
        return next((place for place, state in enumerate(self.states) if is_wanted(state)), None)

    def path(self, place: int) -> list[int]:
        """Return the operators that lead to a state."""
        found: list[int] = []
        while place:
            place, operator = self.parents[place]
            found.append(operator)
        return found[::-1]


def explore(
    space: Space, state: int, most: int, *, avoiding: int = 0, until: int | None = None, to_goal: bool = False
) -> Explored:
    """Return the states that can be reached, the nearest first, up to a number of them.

    States with a fact of ``avoiding`` are not entered. ``until`` is a number of steps that is enough; with
    ``to_goal``, so is a state with the goal.
    """
    states, depths, parents = [state], [0], [(0, -1)]
    seen, place = {state}, 0
    while place < len(states) and len(states) <= most and (until is None or depths[place] < until):
        if to_goal and space.is_goal(states[place]):
            break
        for number, after in space.successors(states[place]):
            if after not in seen and not after & avoiding:
                seen.add(after)
                states.append(after)
                depths.append(depths[place] + 1)
                parents.append((place, number))
        place += 1
    is_all = place == len(states)
    depth = depths[-1] if is_all else depths[place]
    return Explored(states=tuple(states), depths=tuple(depths), parents=tuple(parents), depth=depth, is_all=is_all)

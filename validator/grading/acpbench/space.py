"""The ground model as sets of bits, explored from its initial state: what is reached, and when all was.

Two ways to know without a planner: states in order of breadth, up to a number of them; and the delete relaxation, in
which nothing is ever lost, so that what it lacks is out of reach (Bonet and Geffner 2001). Conditions are any of
PDDL's, effects may have conditions; derived facts are bits as well, which follow from the others in each state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import product
from typing import TypeAlias

from validator.checking.prepared import Prepared
from validator.grading.acpbench.clauses import NEVER, TRUE, Clause, grounder
from validator.model.conditions import Binding, bindings, conjuncts, ground
from validator.model.pddl.formulas.axioms import strata
from validator.model.values import Atom, Conditional, Effect, Equal, Formula, GroundAtom, Literal, Not
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field

__all__ = ["Explored", "Operator", "Space", "TooLargeError", "bits_in"]

_MOST_OPERATORS = 50_000


_Watched: TypeAlias = "tuple[int, int, int, int, int, Operator | None]"
"""The place of an operator, what it needs and lacks, what it keeps and adds; itself where there is more to it."""


class TooLargeError(Exception):
    """The model has more ground steps than are looked at."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground step; sets of facts are bits. ``effects`` are those with conditions: what they add, what they delete.

    ``close`` adds to a state the derived facts that follow from it.
    """

    step: Step
    condition: Clause
    adds: int
    deletes: int
    effects: tuple[tuple[Clause, int, int], ...] = ()
    close: Callable[[int], int] | None = None

    def is_applicable(self, state: int) -> bool:
        return self.condition.holds(state)

    def apply(self, state: int) -> int:
        adds, deletes = self.adds, self.deletes
        for condition, more, less in self.effects:
            if condition.holds(state):
                adds, deletes = adds | more, deletes | less
        after = (state & ~deletes) | adds
        return after if self.close is None else self.close(after)

    @property
    def is_plain(self) -> bool:
        return not self.condition.either and not self.effects and self.close is None


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
            for operator in self._of(name):
                found.append(operator)
                _check_size(len(found))
        return tuple(found)

    def _of(self, name: str) -> Iterator[Operator]:
        action = self.model.model.domain.actions[name]
        parts = list(conjuncts(action.precondition))
        places = {parameter.name: place for place, parameter in enumerate(action.parameters)}
        checks: list[list[Formula]] = [[] for _ in range(len(places) + 1)]
        for part in parts:
            if _is_literal(part) and not self._changes(part):
                last = max((places[term] + 1 for term in _terms(part) if term in places), default=0)
                checks[last].append(part)
        allowed = [self.model.model.objects_of(parameter.types) for parameter in action.parameters]
        names = [parameter.name for parameter in action.parameters]
        for args in self._bindings(names, allowed, checks, {}):
            operator = self.operator(Step(name=action.step or name, args=args), name)
            if operator.condition != NEVER:
                yield operator

    def _bindings(
        self, names: list[str], allowed: list[tuple[str, ...]], checks: list[list[Formula]], bound: dict[str, str]
    ) -> Iterator[tuple[str, ...]]:
        """Yield the arguments for which all that never changes holds, one parameter after the other."""
        if not all(self._holds(part, bound) for part in checks[len(bound)]):
            return
        if len(bound) == len(names):
            yield tuple(bound[name] for name in names)
            return
        for value in self._candidates(names[len(bound)], allowed[len(bound)], checks[len(bound) + 1], bound):
            yield from self._bindings(names, allowed, checks, {**bound, names[len(bound)]: value})

    def _candidates(
        self, name: str, allowed: tuple[str, ...], checks: list[Formula], bound: dict[str, str]
    ) -> Iterable[str]:
        """Return the objects for the next parameter that a fact about it, which never changes, leaves."""
        atom = next((part for part in checks if isinstance(part, Atom) and part.terms.count(name) == 1), None)
        if atom is None:
            return allowed
        place = atom.terms.index(name)
        key = (atom.predicate, place, tuple(bound.get(term, term) for term in atom.terms if term != name))
        values = self._values.get(key, set())
        return (value for value in allowed if value in values)

    @cached_property
    def _values(self) -> dict[tuple[str, int, tuple[str, ...]], set[str]]:
        """Return what stands in each place of the initial facts that never change, by the other arguments."""
        found: dict[tuple[str, int, tuple[str, ...]], set[str]] = {}
        for predicate, *args in self.model.model.problem.init:
            if predicate not in self.fluents:
                for place, value in enumerate(args):
                    others = (*args[:place], *args[place + 1 :])
                    found.setdefault((predicate, place, others), set()).add(value)
        return found

    def _changes(self, part: Formula) -> bool:
        inner = part.part if isinstance(part, Not) else part
        return isinstance(inner, Atom) and inner.predicate in self.fluents | self.derived

    def _holds(self, part: Formula, bound: dict[str, str]) -> bool:
        if isinstance(part, Not):
            return not self._holds(part.part, bound)
        if isinstance(part, Atom):
            atom = (part.predicate, *(bound.get(term, term) for term in part.terms))
            return atom in self.model.model.problem.init
        left, right = (bound.get(term, term) for term in _terms(part))
        return left == right

    def operator(self, step: Step, name: str) -> Operator:
        """Return a step of an action as an operator, also where its condition never holds."""
        action = self.model.model.domain.actions[name]
        binding = {parameter.name: value for parameter, value in zip(action.parameters, step.args, strict=True)}
        adds = deletes = 0
        conditional: dict[Clause, tuple[int, int]] = {}
        for condition, add, delete in self._effects(action.effects, binding, TRUE):
            if condition == TRUE:
                adds, deletes = adds | add, deletes | delete
            elif condition != NEVER:
                more, less = conditional.get(condition, (0, 0))
                conditional[condition] = more | add, less | delete
        effects = tuple((condition, *changes) for condition, changes in conditional.items())
        close = self._closed if self.derived else None
        return Operator(step, self._grounded(action.precondition, binding), adds, deletes, effects, close)

    def _effects(self, effects: Iterable[Effect], binding: Binding, when: Clause) -> Iterator[tuple[Clause, int, int]]:
        for effect in effects:
            if isinstance(effect, Literal):
                bit = self.bits_of((ground(effect.atom, binding),))
                yield (when, bit, 0) if effect.positive else (when, 0, bit)
            elif isinstance(effect, Conditional):
                for each in bindings(self.model.model, effect.parameters, binding):
                    condition = self._grounded(effect.condition, each)
                    if condition != NEVER:
                        yield from self._effects(effect.effects, each, when & condition)

    # --- what can be reached -------------------------------------------------------------------

    def explore(
        self, state: int, most: int, *, avoiding: int = 0, until: int | None = None, to_goal: bool = False
    ) -> Explored:
        """Return the states that can be reached, the nearest first, up to a number of them.

        States with a fact of ``avoiding`` are not entered. ``until`` is a number of steps that is enough; with
        ``to_goal``, so is a state with the goal.
        """
        states, depths, parents = [state], [0], [(0, -1)]
        seen, place = {state}, 0
        while place < len(states) and len(states) <= most and (until is None or depths[place] < until):
            if to_goal and self.is_goal(states[place]):
                break
            for number, after in self.successors(states[place]):
                if after not in seen and not after & avoiding:
                    seen.add(after)
                    states.append(after)
                    depths.append(depths[place] + 1)
                    parents.append((place, number))
            place += 1
        is_all = place == len(states)
        depth = depths[-1] if is_all else depths[place]
        return Explored(states=tuple(states), depths=tuple(depths), parents=tuple(parents), depth=depth, is_all=is_all)

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield what can be executed in a state, by its number, and the state behind it."""
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

    def relaxed(self, state: int, *, without: int = 0) -> int:
        """Return the facts that are in reach when nothing is ever lost; facts of ``without`` are never made."""
        found, waiting, changed = state, self._relaxed_rules, True
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
    def _relaxed_rules(self) -> list[tuple[Clause, int]]:
        """Return all that makes facts true, each with its condition."""
        steps = [(each.condition, each.adds) for each in self.operators]
        steps += [(each.condition & when, adds) for each in self.operators for when, adds, _ in each.effects]
        return [*steps, *(rule for rules in self._rules for rule in rules)]

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


def bits_in(facts: int) -> Iterator[int]:
    while facts:
        lowest = facts & -facts
        yield lowest
        facts ^= lowest


def _is_literal(part: Formula) -> bool:
    return isinstance(part.part if isinstance(part, Not) else part, Atom | Equal)


def _changed(effects: Iterable[Effect]) -> Iterator[Atom]:
    for effect in effects:
        if isinstance(effect, Literal):
            yield effect.atom
        elif isinstance(effect, Conditional):
            yield from _changed(effect.effects)


def _check_size(number: int) -> None:
    if number > _MOST_OPERATORS:
        raise TooLargeError(f"more than {_MOST_OPERATORS:,} ground steps or derived facts")


def _terms(part: Formula) -> tuple[str, ...]:
    inner = part.part if isinstance(part, Not) else part
    if isinstance(inner, Equal):
        return inner.left, inner.right
    assert isinstance(inner, Atom)
    return inner.terms

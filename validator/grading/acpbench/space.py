"""The ground model as sets of bits, explored from its initial state: what is reached, and when all was.

Two ways to know without a planner: states in order of breadth, up to a number of them; and the delete relaxation, in
which nothing is ever lost, so that what it lacks is out of reach (Bonet and Geffner 2001). Models
whose conditions are more than literals, or whose effects have conditions, are refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import product

from validator.checking.prepared import Prepared
from validator.model.conditions import conjuncts
from validator.model.values import Action, Atom, Conditional, Equal, Formula, GroundAtom, Literal, Not
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field

__all__ = ["Explored", "Operator", "Space", "TooLargeError"]

_MOST_OPERATORS = 50_000


class TooLargeError(Exception):
    """The model has more ground steps than are looked at."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground step; sets of facts are bits. What it asks for is ``needs`` true and ``lacks`` false."""

    step: Step
    needs: int
    lacks: int
    adds: int
    deletes: int

    def is_applicable(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.lacks

    def apply(self, state: int) -> int:
        return (state & ~self.deletes) | self.adds


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
        domain = self.model.model.domain
        if self.model.model.features:
            raise ValueError(f"not a classical model: {', '.join(self.model.model.features)}")
        if domain.axioms or not all(map(_is_plain, domain.actions.values())):
            raise ValueError("conditions beyond literals, conditional effects or axioms")
        self.init = self.bits_of(sorted(self.model.model.problem.init))  # the order of bits is that of the search
        goal = list(conjuncts(self.model.model.problem.goal))
        if not all(_is_literal(part) for part in goal):
            raise ValueError("a goal that is no conjunction of facts")
        self.goal = self.bits_of((p.predicate, *p.terms) for p in goal if isinstance(p, Atom))
        denied = [part.part for part in goal if isinstance(part, Not)]
        self.goal_lacks = self.bits_of((p.predicate, *p.terms) for p in denied if isinstance(p, Atom))

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
        effects = (effect for action in self.model.model.domain.actions.values() for effect in action.effects)
        return frozenset(effect.atom.predicate for effect in effects if isinstance(effect, Literal))

    @cached_property
    def operators(self) -> tuple[Operator, ...]:
        """Return the ground steps whose conditions that never change hold, in order of declaration."""
        found: list[Operator] = []
        for name in self.model.model.domain.actions:
            for operator in self._of(name):
                found.append(operator)
                if len(found) > _MOST_OPERATORS:
                    raise TooLargeError(f"more than {_MOST_OPERATORS:,} ground steps")
        return tuple(found)

    def _of(self, name: str) -> Iterator[Operator]:
        action = self.model.model.domain.actions[name]
        parts = list(conjuncts(action.precondition))
        places = {parameter.name: place for place, parameter in enumerate(action.parameters)}
        checks: list[list[Formula]] = [[] for _ in range(len(places) + 1)]
        for part in parts:
            if not self._changes(part):
                last = max((places[term] + 1 for term in _terms(part) if term in places), default=0)
                checks[last].append(part)
        allowed = [self.model.model.objects_of(parameter.types) for parameter in action.parameters]
        names = [parameter.name for parameter in action.parameters]
        for args in self._bindings(names, allowed, checks, {}):
            yield self.operator(Step(name=action.step or name, args=args), name)

    def _bindings(
        self, names: list[str], allowed: list[tuple[str, ...]], checks: list[list[Formula]], bound: dict[str, str]
    ) -> Iterator[tuple[str, ...]]:
        """Yield the arguments for which all that never changes holds, one parameter after the other."""
        if not all(self._holds(part, bound) for part in checks[len(bound)]):
            return
        if len(bound) == len(names):
            yield tuple(bound[name] for name in names)
            return
        for value in allowed[len(bound)]:
            yield from self._bindings(names, allowed, checks, {**bound, names[len(bound)]: value})

    def _changes(self, part: Formula) -> bool:
        inner = part.part if isinstance(part, Not) else part
        return isinstance(inner, Atom) and inner.predicate in self.fluents

    def _holds(self, part: Formula, bound: dict[str, str]) -> bool:
        if isinstance(part, Not):
            return not self._holds(part.part, bound)
        if isinstance(part, Atom):
            atom = (part.predicate, *(bound.get(term, term) for term in part.terms))
            return atom in self.model.model.problem.init
        left, right = (bound.get(term, term) for term in _terms(part))
        return left == right

    def operator(self, step: Step, name: str) -> Operator:
        """Return a step of an action as an operator, whether what never changes holds for it or not."""
        schema = self.model.simulator.schema(name)
        env = (*step.args, *schema.constants)
        needs, lacks, adds, deletes = (
            self.bits_of(getter(env) for getter in getters)
            for getters in (schema.positive, schema.negative, schema.adds, schema.deletes)
        )
        return Operator(step, needs, lacks, adds, deletes)

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
            for number, after in self._successors(states[place]):
                if after not in seen and not after & avoiding:
                    seen.add(after)
                    states.append(after)
                    depths.append(depths[place] + 1)
                    parents.append((place, number))
            place += 1
        is_all = place == len(states)
        depth = depths[-1] if is_all else depths[place]
        return Explored(states=tuple(states), depths=tuple(depths), parents=tuple(parents), depth=depth, is_all=is_all)

    def _successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield what can be executed in a state, by its number, and the state behind it."""
        rest = state
        waiting = self._watched[0]
        while True:
            for number, needs, lacks, keeps, adds in waiting:
                if state & needs == needs and not state & lacks:
                    yield number, (state & keeps) | adds
            if not rest:
                return
            lowest = rest & -rest
            rest ^= lowest
            waiting = self._watched.get(lowest, ())

    @cached_property
    def _watched(self) -> dict[int, tuple[tuple[int, int, int, int, int], ...]]:
        """Return the operators by one fact that they need, that few others need; those that need none by 0."""
        number = Counter(bit for operator in self.operators for bit in _bits(operator.needs))
        found: dict[int, list[tuple[int, int, int, int, int]]] = {0: []}
        for place, each in enumerate(self.operators):
            bit = min(_bits(each.needs), key=lambda bit: (number[bit], bit), default=0)
            found.setdefault(bit, []).append((place, each.needs, each.lacks, ~each.deletes, each.adds))
        return {bit: tuple(operators) for bit, operators in found.items()}

    def relaxed(self, state: int, *, without: int = 0) -> int:
        """Return the facts that are in reach when nothing is ever lost; facts of ``without`` are never made."""
        found, waiting, changed = state, list(self.operators), True
        while changed:
            changed, rest = False, []
            for operator in waiting:
                if found & operator.needs == operator.needs:
                    changed = changed or bool(operator.adds & ~without & ~found)
                    found |= operator.adds & ~without
                else:
                    rest.append(operator)
            waiting = rest
        return found

    def is_goal(self, state: int) -> bool:
        return state & self.goal == self.goal and not state & self.goal_lacks

    def plan(self, path: Iterable[int]) -> Plan:
        return Plan(parts=tuple(self.operators[number].step for number in path))

    def propositions(self) -> Iterator[GroundAtom]:
        """Yield every well-typed fact of a predicate that changes, in order of declaration."""
        for name, parameters in self.model.model.domain.predicates.items():
            if name in self.fluents:
                objects = (self.model.model.objects_of(parameter.types) for parameter in parameters)
                yield from ((name, *args) for args in product(*objects))


def _bits(facts: int) -> Iterator[int]:
    while facts:
        lowest = facts & -facts
        yield lowest
        facts ^= lowest


def _is_literal(part: Formula) -> bool:
    return isinstance(part, Atom) or (isinstance(part, Not) and isinstance(part.part, Atom))


def _is_plain(action: Action) -> bool:
    parts = conjuncts(action.precondition)
    inner = (part.part if isinstance(part, Not) else part for part in parts)
    return all(isinstance(part, Atom | Equal) for part in inner) and not any(
        isinstance(effect, Conditional) for effect in action.effects
    )


def _terms(part: Formula) -> tuple[str, ...]:
    inner = part.part if isinstance(part, Not) else part
    if isinstance(inner, Equal):
        return inner.left, inner.right
    assert isinstance(inner, Atom)
    return inner.terms

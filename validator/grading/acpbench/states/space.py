"""The ground model as sets of bits. Conditions are any of PDDL's, effects may have conditions.

Derived facts are bits as well, which follow from the others in each state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import product

from validator.checking.prepared import Prepared
from validator.grading.acpbench.states.clauses import NEVER, Clause, grounder
from validator.grading.acpbench.states.operators import Grounding, Operator
from validator.grading.acpbench.states.relaxed import Relaxation
from validator.grading.acpbench.states.successors import Successors
from validator.model.conditions import bindings
from validator.model.pddl.formulas.axioms import strata
from validator.model.values import Atom, Conditional, Effect, GroundAtom, Literal
from validator.reading.plan import Plan, Step
from validator.records import dataclass, field

__all__ = ["Space", "TooLargeError"]

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

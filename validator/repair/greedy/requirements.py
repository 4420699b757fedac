"""What conditions and effects come to once objects are known: atoms that hold or not, gauges, ways to choose from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Set
from typing import TypeAlias

from validator.execution.time.metric import changed_functions
from validator.model.conditions import Binding, bindings, ground
from validator.model.numeric import Situation, truth
from validator.model.values import (
    And,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    Or,
    changed_predicates,
)
from validator.repair.greedy.gauges import Gauge, Known, gauges_of

__all__ = ["Need", "Requirements"]

Need: TypeAlias = Hashable
"""``(atom, True)`` for an atom that must hold, ``(atom, False)`` for one that must not, a ``Gauge``, or a number that
stands for a choice."""

_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


class Requirements:
    """The conditions of a model as sets of needs.

    What never changes is not needed, it is so or it is not. ``choices`` has for each disjunction the ways to meet it.
    """

    def __init__(self, model: Model, init: Iterable[GroundAtom], values: Known) -> None:
        self.model = model
        self.derived = {axiom.predicate for axiom in model.domain.axioms}
        effects = [effect for action in model.domain.actions.values() for effect in action.effects]
        changed = changed_predicates(effects) | self.derived
        self.changing: Set[str] = changed_functions(model)
        self.known: Known = {key: value for key, value in values.items() if key[0] not in self.changing}
        self._static = Situation(model=model, atoms=frozenset(init), values=self.known)
        self._changed = changed
        self.choices: dict[int, list[frozenset[Need]]] = {}
        self._chosen: dict[frozenset[frozenset[Need]], int] = {}

    def of(self, formula: Formula, binding: Binding, wanted: bool = True) -> frozenset[Need] | None:
        """Return what a condition needs to come out as it is wanted; None where it cannot."""
        match formula:
            case Atom(predicate):
                atom = ground(formula, binding)
                if predicate in self.derived and not wanted:
                    return frozenset()  # what deletes would bring about; the relaxation has none
                if predicate in self._changed:
                    return frozenset(((atom, wanted),))
                return frozenset() if (atom in self._static.atoms) is wanted else None
            case Equal():
                return frozenset() if truth(formula, binding, self._static) is wanted else None
            case Compare():
                return self._compared(formula, binding, wanted)
            case Not(part):
                return self.of(part, binding, not wanted)
            case And(parts) | Or(parts):
                found = (self.of(part, binding, wanted) for part in parts)
                return self._all(found) if isinstance(formula, And) is wanted else self._any(found)
            case Imply(premise, conclusion):
                found = (self.of(part, binding, wanted) for part in (Not(premise), conclusion))
                return self._any(found) if wanted else self._all(found)
            case Forall(parameters, part) | Exists(parameters, part):
                found = (self.of(part, inner, wanted) for inner in bindings(self.model, parameters, binding))
                return self._all(found) if isinstance(formula, Forall) is wanted else self._any(found)

    def _compared(self, comparison: Compare, binding: Binding, wanted: bool) -> frozenset[Need] | None:
        if wanted:
            return self._gauges(gauges_of(comparison, binding, self.known))
        if comparison.comparator == "=":
            ways = (Compare(other, comparison.left, comparison.right) for other in "<>")
            return self._any(self._compared(way, binding, True) for way in ways)
        return self._compared(
            Compare(_OPPOSITE[comparison.comparator], comparison.left, comparison.right), binding, True
        )

    @staticmethod
    def _gauges(gauges: Iterable[Gauge]) -> frozenset[Need] | None:
        """Return those gauges that are not settled for ever."""
        found = set[Need]()
        for gauge in gauges:
            if gauge.weights != ():
                found.add(gauge)
            elif gauge.missing({}) > 0:
                return None
        return frozenset(found)

    @staticmethod
    def _all(found: Iterable[frozenset[Need] | None]) -> frozenset[Need] | None:
        needs = set[Need]()
        for part in found:
            if part is None:
                return None
            needs |= part
        return frozenset(needs)

    def _any(self, found: Iterable[frozenset[Need] | None]) -> frozenset[Need] | None:
        ways = [part for part in found if part is not None]
        if not ways:
            return None
        if len(ways) == 1 or not all(ways):
            return min(ways, key=len)
        number = self._chosen.setdefault(frozenset(ways), len(self._chosen))
        self.choices[number] = ways
        return frozenset((number,))

    # --- effects -------------------------------------------------------------------------------

    def outcomes(
        self, effects: Iterable[Effect], binding: Binding
    ) -> Iterator[tuple[frozenset[Need], set[Need], list[Effect], Binding]]:
        """Yield what effects bring about: under which needs, which atoms, and which effects on numbers."""
        brought, numbers = set[Need](), list[Effect]()
        for effect in effects:
            if isinstance(effect, Literal):
                brought.add((ground(effect.atom, binding), effect.positive))
            elif isinstance(effect, Conditional):
                for inner in bindings(self.model, effect.parameters, binding):
                    needs = self.of(effect.condition, inner)
                    if needs is not None:
                        for more, others, rest, deeper in self.outcomes(effect.effects, inner):
                            yield needs | more, others, rest, deeper
            else:
                numbers.append(effect)
        if brought or numbers:
            yield frozenset(), brought, numbers, binding

    def rules(self) -> Iterator[tuple[frozenset[Need], Need]]:
        """Yield the needs of each derived atom, once for each axiom and its objects."""
        for axiom in self.model.domain.axioms:
            for binding in bindings(self.model, axiom.parameters, {}):
                needs = self.of(axiom.condition, binding)
                if needs is not None:
                    atom = (axiom.predicate, *(binding[parameter.name] for parameter in axiom.parameters))
                    yield needs, (atom, True)

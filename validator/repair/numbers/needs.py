"""What conditions need, once objects are known: atoms that hold or not, gauges of numbers, ways to choose from.

A gauge holds where an expression is above zero, or zero. What a step brings of it says how often the step must be
taken: the subgoaling relaxation of numeric conditions (Scala, Haslum and Thiébaux 2016).
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from validator.execution.time.effects import ADDITIVE, combined
from validator.execution.time.metric import changed_functions, effects_of
from validator.model.conditions import Binding, bindings, folded, ground
from validator.model.numeric import Missing, Situation, evaluate, fluent_key, linear, truth
from validator.model.temporal import DURATION
from validator.model.values import (
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Literal,
    Model,
    Number,
    NumericEffect,
    changed_predicates,
    fluents_of,
    functions_of,
)
from validator.records import dataclass, replace

Known: TypeAlias = Mapping[GroundAtom, Fraction]


@dataclass(frozen=True, slots=True)
class Change:
    """A numeric effect of a ground step."""

    key: GroundAtom
    operator: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Gauge:
    """Holds where ``expression`` is more than zero, or also where it is zero unless ``is_strict``."""

    expression: Expression
    is_strict: bool

    @property
    def reads(self) -> set[GroundAtom]:
        return {(fluent.function, *fluent.terms) for fluent in fluents_of(self.expression)}

    def value(self, situation: Situation) -> Fraction | None:
        found = evaluate(self.expression, {}, situation)
        return None if isinstance(found, Missing) else found

    def holds_at(self, value: Fraction) -> bool:
        return value > 0 or (not value and not self.is_strict)

    def times(self, value: Fraction, gain: Fraction) -> int:
        """Return how often something that brings a gain must be done where the expression has a value."""
        often = -value / gain
        return often.__floor__() + 1 if self.is_strict else often.__ceil__()

    def fixed_gain(self, done: Sequence[Change]) -> Fraction | None:
        """Return what a step brings wherever it is done; None where that depends on the state."""
        weights = linear(self.expression)
        if weights is None:
            return None
        total = Fraction(0)
        for change in done:
            weight, amount = weights.get(change.key), linear(change.value)
            if not weight:
                continue
            if change.operator not in ADDITIVE or amount is None or amount.keys() - {()}:
                return None
            total += weight * amount.get((), 0) * (1 if change.operator == "increase" else -1)
        return total

    def gain(self, done: Sequence[Change], situation: Situation) -> Fraction | None:
        """Return what a step brings in a situation; None where it can make up for a value that is missing."""
        before, values = self.value(situation), dict[GroundAtom, Fraction]()
        for change in done:
            amount = evaluate(change.value, {}, situation)
            if isinstance(amount, Missing) or (change.operator == "scale-down" and not amount):
                return Fraction(0)
            changes = ((change.operator, amount),)
            after = combined(change.key, changes, situation.values.get(change.key, Fraction(0)))
            assert isinstance(after, Fraction)
            values[change.key] = after
        now = self.value(replace(situation, values=ChainMap(values, dict(situation.values))))
        if now is None:
            return Fraction(0)
        return None if before is None else now - before


def gauges_of(comparison: Compare, binding: Binding, known: Known) -> list[Gauge]:
    """Return the gauges that hold together where a comparison does; ``known`` are the values that never change."""
    left, right = (bound_expression(side, binding, known) for side in (comparison.left, comparison.right))
    above, below = Arithmetic("-", (left, right)), Arithmetic("-", (right, left))
    match comparison.comparator:
        case ">" | ">=":
            return [Gauge(above, comparison.comparator == ">")]
        case "<" | "<=":
            return [Gauge(below, comparison.comparator == "<")]
        case _:
            return [Gauge(above, False), Gauge(below, False)]


def bound_expression(expression: Expression, binding: Binding, known: Known) -> Expression:
    """Return an expression about objects, with the values that never change in place of their names."""
    if isinstance(expression, Fluent):
        key = fluent_key(expression, binding)
        return Number(known[key]) if key in known else Fluent(key[0], key[1:])
    if isinstance(expression, Arithmetic):
        operands = tuple(bound_expression(operand, binding, known) for operand in expression.operands)
        return Arithmetic(expression.operator, operands)
    return expression


# --- conditions and effects ---------------------------------------------------------------------

Need: TypeAlias = Hashable
"""``(atom, True)`` for an atom that must hold, ``(atom, False)`` for one that must not, a ``Gauge``, or a number that
stands for a choice."""

_OPPOSITE = {"<": (">=",), "<=": (">",), ">": ("<=",), ">=": ("<",), "=": ("<", ">")}


@dataclass(frozen=True, slots=True)
class Way:
    """What a step needs and brings about, with its changes of values; ``step`` is -1 for what is no step."""

    step: int
    needs: frozenset[Need]
    brought: Set[Need] = frozenset()
    done: tuple[Change, ...] = ()


class Requirements:
    """The conditions of a model as sets of needs.

    What never changes is not needed, it is so or it is not. ``choices`` has for each disjunction the ways to meet it.
    """

    def __init__(self, model: Model, init: Iterable[GroundAtom], values: Known) -> None:
        self.model = model
        self._derived = {axiom.predicate for axiom in model.domain.axioms}
        self._changed = changed_predicates(effects_of(model)) | self._derived
        changing = changed_functions(model)
        self.known = {key: value for key, value in values.items() if key[0] not in changing}
        self._static = Situation(model=model, atoms=frozenset(init), values=self.known)
        self.choices: dict[int, list[frozenset[Need]]] = {}
        self._chosen: dict[frozenset[frozenset[Need]], int] = {}

    def of(self, formula: Formula, binding: Binding, duration: Fraction | None = None) -> frozenset[Need] | None:
        """Return what a condition needs; None where it cannot hold. What is asked of an unknown duration may hold."""
        known: Known = self.known if duration is None else ChainMap({(DURATION.function,): duration}, self.known)
        return folded(self.model, formula, binding, partial(self._leaf, known), _all, self._any)

    def _leaf(self, known: Known, formula: Formula, binding: Binding, wanted: bool) -> frozenset[Need] | None:
        if isinstance(formula, Compare):
            is_open = DURATION.function in functions_of(formula) and (DURATION.function,) not in known
            return frozenset() if is_open else self._compared(formula, binding, wanted, known)
        if isinstance(formula, Atom):
            if formula.predicate in self._derived and not wanted:
                return frozenset()  # what deletes would bring about; the relaxation has none
            if formula.predicate in self._changed:
                return frozenset(((ground(formula, binding), wanted),))
        return frozenset() if truth(formula, binding, self._static) is wanted else None

    def _compared(self, comparison: Compare, binding: Binding, wanted: bool, known: Known) -> frozenset[Need] | None:
        if wanted:
            return self._unsettled(gauges_of(comparison, binding, known))
        turned = (Compare(way, comparison.left, comparison.right) for way in _OPPOSITE[comparison.comparator])
        return self._any(self._unsettled(gauges_of(each, binding, known)) for each in turned)

    def _unsettled(self, gauges: Iterable[Gauge]) -> frozenset[Need] | None:
        """Return those gauges that are not settled for ever; None where one of these never holds."""
        found = set[Need]()
        for gauge in gauges:
            if gauge.reads:
                found.add(gauge)
            elif (value := gauge.value(self._static)) is None or not gauge.holds_at(value):
                return None
        return frozenset(found)

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

    def ways(
        self,
        step: int,
        needs: frozenset[Need] | None,
        effects: Iterable[Effect],
        binding: Binding,
        known: Known | None = None,
    ) -> Iterator[Way]:
        """Yield the ways of a step with some needs: one for what it does in any case, one for each condition more.

        There are none where the needs are never met. ``known`` are values that are fixed.
        """
        if needs is None:
            return
        brought, done = set[Need](), list[Change]()
        for effect in effects:
            if isinstance(effect, Literal):
                brought.add((ground(effect.atom, binding), effect.positive))
            elif isinstance(effect, NumericEffect):
                value = bound_expression(effect.value, binding, known or self.known)
                done.append(Change(fluent_key(effect.fluent, binding), effect.operator, value))
            else:
                yield from self._conditional(step, needs, effect, binding, known)
        yield Way(step, needs, brought, tuple(done))

    def _conditional(
        self, step: int, needs: frozenset[Need], effect: Conditional, outer: Binding, known: Known | None
    ) -> Iterator[Way]:
        for binding in bindings(self.model, effect.parameters, outer):
            more = self.of(effect.condition, binding)
            if more is not None:
                yield from self.ways(step, needs | more, effect.effects, binding, known)

    def rules(self) -> Iterator[Way]:
        """Yield the ways of derived atoms, and of the choices that conditions have come to so far."""
        for axiom in self.model.domain.axioms:
            for binding in bindings(self.model, axiom.parameters, {}):
                needs = self.of(axiom.condition, binding)
                if needs is not None:
                    atom = (axiom.predicate, *(binding[parameter.name] for parameter in axiom.parameters))
                    yield Way(-1, needs, {(atom, True)})
        for number, choice in self.choices.items():
            yield from (Way(-1, needs, {number}) for needs in choice)


def _all(found: Iterable[frozenset[Need] | None]) -> frozenset[Need] | None:
    needs = set[Need]()
    for part in found:
        if part is None:
            return None
        needs |= part
    return frozenset(needs)

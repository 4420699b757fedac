"""Which facts the conditions of a plan read, until when, and whether true or false is wanted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain

from validator.model.conditions import Binding, bindings, folded, ground
from validator.model.values import (
    Atom,
    Axiom,
    Formula,
    GroundAtom,
    Model,
)
from validator.model_repair.space import Body, Occurrence, Space

__all__ = ["Uses"]


class Uses:
    """The facts that are read: ``last`` maps each to the number of steps after which it is read last.

    ``wanted`` and ``unwanted`` are predicates of which some plan needs an atom true or false; they are shared by all
    plans, since what is put into an action for one of them happens in the others too.
    """

    def __init__(self, model: Model, wanted: set[str], unwanted: set[str]) -> None:
        self.model = model
        self.wanted, self.unwanted = wanted, unwanted
        self.last: dict[GroundAtom, int] = {}
        self.axioms: dict[str, list[Axiom]] = {}
        for axiom in model.domain.axioms:
            self.axioms.setdefault(axiom.predicate, []).append(axiom)
        self._constants = frozenset(model.domain.constants)
        self._by_object: dict[str, list[tuple[frozenset[str], GroundAtom]]] | None = None
        self._anywhere: list[GroundAtom] = []
        self._read: set[tuple[GroundAtom, bool, int]] = set()

    def read(self, formula: Formula, binding: Binding, when: int, positive: bool = True) -> None:
        """Note that a condition is read after ``when`` steps, true if ``positive``."""
        waiting = [(formula, binding, positive)]
        while waiting:
            for fact, is_wanted in self._facts(*waiting.pop()):
                if fact[0] not in self.axioms:
                    (self.wanted if is_wanted else self.unwanted).add(fact[0])
                    if self.last.get(fact, -1) < when:
                        self.last[fact] = when
                elif (fact, is_wanted, when) not in self._read:
                    self._read.add((fact, is_wanted, when))
                    waiting += ((condition, inner, is_wanted) for condition, inner in self.rules(fact))

    def read_step(
        self, space: Space, step: Occurrence, when: int, strengthened: frozenset[str], must_fail: bool
    ) -> None:
        """Note what a step reads: conditions, those of conditional effects, and conditions that it may get."""
        schema, binding = space.schemas[step.action], dict(step.binding)
        self.read(schema.action.precondition, binding, when)
        if must_fail:
            self.read(schema.action.precondition, binding, when, positive=False)
        if step.action in strengthened:
            for edit in space.preconditions(step.action):
                self.read(edit.formula, binding, when)
                self.read(edit.formula, binding, when, positive=False)
        self.read_effects(schema.body, binding, when)

    def read_effects(self, body: Body, binding: Binding, when: int) -> None:
        """Note the conditions of conditional effects: true or false, they may help."""
        for part in body.inner:
            for inner in bindings(self.model, part.own, binding):
                for condition in part.condition:
                    self.read(condition.formula, inner, when)
                    self.read(condition.formula, inner, when, positive=False)
                self.read_effects(part, inner, when)

    def rules(self, fact: GroundAtom) -> Iterator[tuple[Formula, Binding]]:
        """Yield the conditions of which each derives a fact, bound to its objects."""
        for rule in self.axioms[fact[0]]:
            if all(
                value in self.model.objects_of(parameter.types)
                for parameter, value in zip(rule.parameters, fact[1:], strict=True)
            ):
                yield rule.condition, dict(zip((p.name for p in rule.parameters), fact[1:], strict=True))

    def _facts(self, formula: Formula, binding: Binding, positive: bool) -> Iterator[tuple[GroundAtom, bool]]:
        def leaf(part: Formula, inner: Binding, is_wanted: bool) -> Iterator[tuple[GroundAtom, bool]]:
            return iter(((ground(part, inner), is_wanted),) if isinstance(part, Atom) else ())

        every = chain.from_iterable
        return folded(self.model, formula, binding, leaf, every, every, wanted=positive)

    def touched(self, binding: Mapping[str, str]) -> Iterator[GroundAtom]:
        """Yield the facts whose objects are all among those of a binding, or constants."""
        if self._by_object is None:
            self._by_object = defaultdict(list)
            for fact in self.last:
                objects = frozenset(fact[1:]) - self._constants
                if objects:
                    self._by_object[min(objects)].append((objects, fact))
                else:
                    self._anywhere.append(fact)
        yield from self._anywhere
        values = set(binding.values())
        for value in values:
            for objects, fact in self._by_object.get(value, ()):
                if objects <= values:
                    yield fact

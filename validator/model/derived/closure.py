"""Derived predicates: their extension in a state, stratum by stratum to the least fixpoint (PDDL 2.2).

A stratum is computed from what is new in each round (semi-naive; Bancilhon and Ramakrishnan 1986). A state is compared
with the one before: strata that read nothing that has changed are kept, and those that only read more go on from that.
"""

from __future__ import annotations

from _thread import allocate_lock  # as ``threading`` does, whose import takes longer than a small plan
from collections.abc import Mapping, Set
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.model.conditions import compares_numbers
from validator.model.pddl.formulas.axioms import strata
from validator.model.values import Formula, GroundAtom, Model

if TYPE_CHECKING:
    from validator.model.derived.joins import Atoms

__all__ = ["Closure"]

_MOST_KEPT = 200_000
"""atoms of states that are kept: those of a plan of some hundred steps, which is executed again and again"""


class Closure:
    """The axioms of a model, ready to be applied to states. ``predicates`` are the derived ones.

    ``reads_numbers`` says that a derived atom may depend on the values of fluents.
    """

    def __init__(self, model: Model) -> None:
        levels = strata(model.domain.axioms)
        if isinstance(levels, str):
            raise ValueError(f"derived predicate '{levels}' depends on its own negation")
        self._model = model
        self._levels = levels
        self.predicates = frozenset(levels)
        self.reads_numbers = any(compares_numbers(axiom.condition) for axiom in model.domain.axioms)
        self._lock = allocate_lock()
        self._now: _Now | None = None
        self._kept: dict[frozenset[GroundAtom], frozenset[GroundAtom]] = {}
        self._size = 0

    def extend(self, state: Set[GroundAtom], values: Mapping[GroundAtom, Fraction] | None = None) -> Set[GroundAtom]:
        """Return a state together with every derived atom that holds in it; ``values`` are those of its fluents."""
        if not self.predicates:
            return state
        given = frozenset(atom for atom in state if atom[0] not in self.predicates)
        known = None if self.reads_numbers else self._kept.get(given)
        if known is not None:
            return known
        with self._lock:
            # What an interrupted computation leaves behind is not taken for a state.
            now, self._now = self._now, None
            if now is None:
                now = _Now(self._model, self._levels)
            whole = now.extended(given, values or {})
            self._now = now
            if not self.reads_numbers:
                self._keep(given, whole)
            return whole

    def _keep(self, given: frozenset[GroundAtom], whole: frozenset[GroundAtom]) -> None:
        self._size += len(given) + len(whole)
        if self._size > _MOST_KEPT:
            self._kept.clear()
            self._size = len(given) + len(whole)
        self._kept[given] = whole


class _Now:
    """The last state that was asked for, with its derived atoms."""

    def __init__(self, model: Model, levels: dict[str, int]) -> None:
        from validator.model.derived.joins import Atoms
        from validator.model.derived.layers import layers_of

        self._model = model
        self._layers = layers_of(model, levels)
        self._is_new = True
        self._base: frozenset[GroundAtom] = frozenset()
        self._values: Mapping[GroundAtom, Fraction] = {}
        self._atoms: Atoms = Atoms()
        self._whole: frozenset[GroundAtom] = frozenset()

    def extended(self, state: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> frozenset[GroundAtom]:
        """Go on to a state and return it with its derived atoms."""
        reads_numbers = any(layer.reads_numbers for layer in self._layers)
        if self._is_new or state != self._base or (reads_numbers and values != self._values):
            new, gone = set(state - self._base), set(self._base - state)
            self._base, self._values = state, dict(values) if reads_numbers else {}
            self._change(new, gone)
            self._whole = frozenset(self._atoms.all)
            self._is_new = False
        return self._whole

    def _change(self, new: set[GroundAtom], gone: set[GroundAtom]) -> None:
        self._atoms.remove(gone)
        self._atoms.add(new)
        for layer in self._layers:
            if self._is_new:
                layer.build(self._atoms, self._test)
            else:
                layer.change(self._atoms, self._test, new, gone)

    def _test(self, condition: Formula, binding: dict[str, str]) -> bool:
        from validator.model.numeric import Situation, truth

        situation = Situation(model=self._model, atoms=self._atoms.all, values=self._values)
        return truth(condition, binding, situation) is True

"""Derived predicates: their strata, and their extension in a state, stratum by stratum to the least fixpoint.

They must be stratified: none may depend on its own negation (PDDL 2.2; Thiebaux et al. 2005).

A stratum is computed from what is new in each round (semi-naive; Bancilhon and Ramakrishnan 1986). A state is compared
with the one before, and only what has changed is followed.
"""

from __future__ import annotations

from _thread import allocate_lock  # as ``threading`` does, whose import takes longer than a small plan
from collections.abc import Iterable, Mapping, Set
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.model.conditions import compares_numbers, dependencies
from validator.model.values import Axiom, Formula, GroundAtom, Model

if TYPE_CHECKING:
    from validator.model.rules import Join
    from validator.model.support import Support


_MOST_KEPT = 200_000
"""atoms of states that are kept: those of a plan of some hundred steps, which is executed again and again"""


def strata(axioms: Iterable[Axiom]) -> dict[str, int] | str:
    """Return the stratum of each derived predicate, from 0, or the name of one that has none.

    A predicate stands at least as high as each it needs true, and higher than each it needs false; more
    levels than predicates mean a cycle through a negation.
    """
    rules = [(axiom.predicate, dict.fromkeys(dependencies(axiom.condition))) for axiom in axioms]
    level = {predicate: 0 for predicate, _ in rules}
    changed = True
    while changed:
        changed = False
        for predicate, needs in rules:
            for needed, positive in needs:
                least = level.get(needed, -1) + (0 if positive else 1)
                if level[predicate] < least:
                    level[predicate] = least
                    changed = True
                    if least > len(level):
                        return predicate
    return level


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
        self._supports: dict[GroundAtom, Support] = {}

    def extend(self, state: Set[GroundAtom], values: Mapping[GroundAtom, Fraction] | None = None) -> Set[GroundAtom]:
        """Return a state together with every derived atom that holds in it; ``values`` are those of its fluents."""
        if not self.predicates:
            return state
        given = frozenset(state)
        known = None if self.reads_numbers else self._kept.get(given)
        if known is None:
            with self._lock:
                now = self._moved(given, values or {})
                known = frozenset(now.atoms.all)
                self._now = now
                if not self.reads_numbers:
                    self._keep(given, known)
        return known

    def support(self, atom: GroundAtom) -> Support:
        """Return what a derived atom is derived from."""
        if atom not in self._supports:
            from validator.model.support import Support

            self._supports[atom] = Support(self._model, atom)
        return self._supports[atom]

    def heads(self, joins: Iterable[Join], first: GroundAtom, state: Set[GroundAtom]) -> list[GroundAtom]:
        """Return what follows in a state by rules that begin with another atom, such as a step."""
        with self._lock:
            now = self._moved(frozenset(state), {})
            found = [head for join in joins for head in join.heads(now.atoms, now.test, (first,))]
            self._now = now
        return found

    def _moved(self, state: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> _Now:
        """Return the derived atoms of a state; until it is kept, what an interruption leaves behind is none."""
        now, self._now = self._now, None
        if now is None:
            now = _Now(self._model, self._levels)
        now.move(state, values)
        return now

    def _keep(self, given: frozenset[GroundAtom], whole: frozenset[GroundAtom]) -> None:
        self._size += len(given) + len(whole)
        if self._size > _MOST_KEPT:
            self._kept.clear()
            self._size = len(given) + len(whole)
        self._kept[given] = whole


class _Now:
    """The last state that was asked for: its ``atoms``, with the derived ones."""

    def __init__(self, model: Model, levels: dict[str, int]) -> None:
        from validator.model.joins import Atoms
        from validator.model.rules import layers_of

        self._model = model
        self._derived = levels.keys()
        self._layers = layers_of(model, levels)
        self._reads_numbers = any(layer.reads_numbers for layer in self._layers)
        self._is_new = True
        self._base: frozenset[GroundAtom] = frozenset()
        self._values: Mapping[GroundAtom, Fraction] = {}
        self.atoms = Atoms()

    def move(self, state: frozenset[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> None:
        """Go on to a state, with all that is derived in it; derived atoms that it is given itself do not count."""
        if state is self._base and not self._reads_numbers and not self._is_new:
            return
        found, gone = state - self._base, set(self._base - state)
        new = {atom for atom in found if atom[0] not in self._derived}
        self._base = state if len(new) == len(found) else (self._base - gone) | new
        if not (new or gone or self._is_new or (self._reads_numbers and values != self._values)):
            return
        self._values = dict(values) if self._reads_numbers else {}
        self.atoms.remove(gone)
        self.atoms.add(new)
        for layer in self._layers:
            if self._is_new:
                layer.build(self.atoms, self.test)
            else:
                layer.change(self.atoms, self.test, new, gone)
        self._is_new = False

    def test(self, condition: Formula, binding: dict[str, str]) -> bool:
        """Return whether a condition holds now."""
        from validator.model.numeric import Situation, truth

        situation = Situation(model=self._model, atoms=self.atoms.all, values=self._values)
        return truth(condition, binding, situation) is True

"""The state of an execution over time, what it was made of, and how it came about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from fractions import Fraction
from typing import cast

from validator.execution.run import why_false
from validator.execution.time.effects import Update
from validator.execution.time.happening import Act
from validator.execution.time.polynomials import Point, Polynomial, at
from validator.execution.trace import Cause, Origin
from validator.model.conditions import Binding, ground
from validator.model.derived import Closure
from validator.model.numeric import Situation, first_gap, values_text
from validator.model.pddl.write import formula_text
from validator.model.values import Atom, Compare, Formula, GroundAtom, Model, Not
from validator.records import dataclass, field
from validator.texts import decimal

_TOTAL_COST = ("total-cost",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One time at which something changed: what became true, what became false, which values changed to what.

    ``after`` is the index of the last step that has begun, -1 for none. A moment that ends a stretch of continuous
    change has ``flows``: its values were reached evenly since the moment before.
    """

    time: Fraction
    after: int
    added: frozenset[GroundAtom] = frozenset()
    deleted: frozenset[GroundAtom] = frozenset()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    acts: tuple[str, ...] = ()
    flows: bool = False


class State:
    """Atoms and values now; the moments before; who changed an atom last."""

    def __init__(self, model: Model, closure: Closure) -> None:
        self.model = model
        self.closure = closure
        self.atoms: set[GroundAtom] = set(model.problem.init)
        self.values: dict[GroundAtom, Fraction] = dict(model.problem.values)
        if _TOTAL_COST[0] in model.domain.functions:
            self.values.setdefault(_TOTAL_COST, Fraction(0))
        self.initial_values = dict(self.values)
        self.moments: list[Moment] = []
        self.last_step = -1
        self._deleted_by: dict[GroundAtom, Act] = {}
        self._added_by: dict[GroundAtom, Act] = {}
        self._view: Set[GroundAtom] | None = None

    # --- reading -------------------------------------------------------------------------------

    def situation(self, duration: Fraction | None = None) -> Situation:
        if self._view is None:
            self._view = self.closure.extend(self.atoms, self.values)
        return Situation(model=self.model, atoms=self._view, values=self.values, duration=duration)

    def later(self, curves: Mapping[GroundAtom, Polynomial], when: Point) -> Situation:
        """Return the situation after some time in which nothing but continuous change takes place."""
        now = self.situation()
        # What a value is at an irrational time computes and compares as a fraction does.
        moved = {key: cast(Fraction, at(curve, when)) for key, curve in curves.items()}
        return Situation(model=self.model, atoms=now.atoms, values={**self.values, **moved})

    def cause(self, part: Formula, binding: Binding, situation: Situation) -> Cause:
        """Return why a part of a condition is not satisfied."""
        literal = formula_text(part, binding)
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, Compare):
            detail = values_text(inner, binding, situation)
            return Cause(literal=literal, origin=Origin.COMPARISON, detail=detail)
        if not isinstance(inner, Atom) or inner.predicate in self.closure.predicates:
            gap = first_gap(part, binding, situation)
            return Cause(literal=literal, origin=Origin.COMPOUND, detail="" if gap is None else str(gap))
        atom = ground(inner, binding)
        positive = inner is part
        act = (self._deleted_by if positive else self._added_by).get(atom)
        if act is None or act.place is not None:
            return why_false(atom, positive, None if act is None else act.place)
        origin = Origin.DELETED if positive else Origin.ADDED
        return Cause(literal=literal, origin=origin, detail=f"{act} at {decimal(act.time)} changed it")

    # --- changing ------------------------------------------------------------------------------

    def apply(self, time: Fraction, acts: list[tuple[Act, Update]]) -> list[str]:
        """Apply the updates of one happening at once; return the conflicts between their changes of values."""
        whole = Update()
        for act, update in acts:
            whole.merge(update)
            for atom in update.adds - self.atoms:
                self._added_by[atom] = act
            for atom in (update.deletes - update.adds) & self.atoms:
                self._deleted_by[atom] = act
            if act.place is not None:
                self.last_step = max(self.last_step, act.place)
        values, conflicts = whole.values(self.values)
        added = frozenset(whole.adds - self.atoms)
        deleted = frozenset((whole.deletes - whole.adds) & self.atoms)
        self.atoms -= deleted
        self.atoms |= added
        self.values.update(values)
        self._view = None
        said = tuple(str(act) for act, _ in acts)
        self._note(Moment(time=time, after=self.last_step, added=added, deleted=deleted, values=values, acts=said))
        return conflicts

    def flow(self, time: Fraction, curves: Mapping[GroundAtom, Polynomial], span: Point) -> None:
        """Let time pass: ``time`` is the time reached, or near it, ``span`` how long it took."""
        moved = {key: cast(Fraction, at(curve, span)) for key, curve in curves.items()}
        if moved:
            self.values.update(moved)
            self._view = None
            told = {key: Fraction(*value.as_integer_ratio()) for key, value in moved.items()}
            self._note(Moment(time=time, after=self.last_step, values=told, flows=True))

    def _note(self, moment: Moment) -> None:
        self.moments.append(moment)

    # --- the past ------------------------------------------------------------------------------

    def replay(self) -> Iterator[tuple[Moment, Situation]]:
        """Yield the initial state and the state after each moment. Each situation is good until the next one."""
        atoms, values = set(self.model.problem.init), dict(self.initial_values)
        yield Moment(time=Fraction(0), after=-1), self._situation(atoms, values)
        for moment in self.moments:
            atoms -= moment.deleted
            atoms |= moment.added
            values.update(moment.values)
            yield moment, self._situation(atoms, values)

    def _situation(self, atoms: set[GroundAtom], values: Mapping[GroundAtom, Fraction]) -> Situation:
        return Situation(model=self.model, atoms=self.closure.extend(atoms, values), values=values)

"""The states that steps lead to from one initial state, each step executed once, equal states being one."""

from __future__ import annotations

from validator.grading.eai.edits.script import Line
from validator.grading.eai.world.formulas import conjuncts
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World, bind
from validator.model.conditions import substituted
from validator.model.values import Formula, GroundAtom, Or
from validator.records import dataclass, field

__all__ = ["NEVER", "Transitions"]

NEVER: Formula = Or(())
"""What a line lacks that is no step of the world: a condition that nothing makes true."""

_Change = tuple[frozenset[GroundAtom], frozenset[GroundAtom]]


@dataclass(kw_only=True)
class Transitions:
    """States by number, 0 the initial one."""

    world: World
    initial: State
    states: list[State] = field(default_factory=list)
    _numbers: dict[_Change, int] = field(default_factory=dict)
    _changes: list[_Change] = field(default_factory=list)
    _next: dict[tuple[int, Line], int | Formula] = field(default_factory=dict)
    _holding: dict[tuple[int, Formula], bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._number((frozenset(), frozenset()), self.initial)

    def next(self, state: int, line: Line) -> int | Formula:
        """Return the state after a step, or the first condition that it lacks."""
        found = self._next.get((state, line))
        if found is None:
            found = self._next[state, line] = self._executed(state, line)
        return found

    def holds(self, formula: Formula, state: int) -> bool:
        found = self._holding.get((state, formula))
        if found is None:
            found = self._holding[state, formula] = self.world.holds(formula, self.states[state])
        return found

    def _executed(self, number: int, line: Line) -> int | Formula:
        action = self.world.domain.actions.get(line[0])
        if action is None or len(action.parameters) != len(line) - 1:
            return NEVER
        if any(name not in self.world.objects for name in line[1:]):
            return NEVER
        state = self.states[number]
        index = self.world.failing(action, line[1:], state)
        if index is not None:
            return substituted(conjuncts(action.precondition)[index], bind(action, line[1:]))
        added, deleted = self.world.effects(action, line[1:], state)
        new = {atom for atom in added if atom not in state}
        old = {atom for atom in deleted if atom not in added and atom in state}
        if not new and not old:
            return number
        plus, minus = self._changes[number]
        change = (plus - old) | (new - minus), (minus - new) | (old - plus)
        known = self._numbers.get(change)
        return known if known is not None else self._number(change, state.after(new, old))

    def _number(self, change: _Change, state: State) -> int:
        self._numbers[change] = len(self.states)
        self._changes.append(change)
        self.states.append(state)
        return len(self.states) - 1

"""Whether a line of an answer can ever run, wherever it stands: what tells a wrong step from a misplaced one.

That it cannot is shown by a condition that no action changes, by a set of atoms that only its own members make true
(``world.unreachable``), or, where the world is small, by going through all states. What is not shown so counts as
possible: its class is then that of the edit, which is true as well.
"""

from __future__ import annotations

from validator.grading.eai.edits.relevance import Relevance
from validator.grading.eai.edits.script import Fault, Line
from validator.grading.eai.edits.transitions import NEVER, Transitions
from validator.grading.eai.world.formulas import static_test
from validator.grading.eai.world.unreachable import stays_false
from validator.grading.eai.world.world import bind
from validator.model.conditions import substituted
from validator.records import dataclass, field

__all__ = ["Possible"]

_STEPS = 60
_STATES = 2_000
"""Worlds with up to so many steps are searched, until so many states were seen."""


@dataclass(kw_only=True)
class Possible:
    """Answers for one initial state; each line is asked about once."""

    transitions: Transitions
    relevance: Relevance
    _never: dict[Line, Fault | None] = field(default_factory=dict)

    def never(self, line: Line) -> Fault | None:
        """Return the class of a line that can never run: it names what is not there, or no state allows it."""
        if line not in self._never:
            self._never[line] = self._fault(line)
        return self._never[line]

    def _fault(self, line: Line) -> Fault | None:
        found = self.transitions.next(0, line)
        if found == NEVER:
            return Fault.HALLUCINATION
        if isinstance(found, int):
            return None
        if self.relevance.is_impossible(line) or self._is_blocked(line) or self._is_unreached(line):
            return Fault.AFFORDANCE
        return None

    def _is_blocked(self, line: Line) -> bool:
        world = self.transitions.world
        action = world.domain.actions[line[0]]
        condition = substituted(action.precondition, bind(action, line[1:]))
        return stays_false(world, condition, self.transitions.initial, static_test(world.domain))

    def _is_unreached(self, line: Line) -> bool:
        """Return whether all states that can be reached were seen, and none of them allows a line."""
        steps = self.relevance.all_steps()
        if len(steps) > _STEPS:
            return False
        waiting, seen = [0], {0}
        while waiting:
            state = waiting.pop()
            if isinstance(self.transitions.next(state, line), int) or len(seen) > _STATES:
                return False
            for step in steps:
                after = self.transitions.next(state, step)
                if isinstance(after, int) and after not in seen:
                    seen.add(after)
                    waiting.append(after)
        return True

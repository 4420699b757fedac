"""What no sequence of steps can reach: two relaxations that are as fast for large state spaces as for small ones.

In the first nothing is ever lost, so that what it lacks is out of reach (Bonet and Geffner 2001). The second keeps
pairs of facts apart, of which no step makes both true or one beside the other: h2 (Haslum and Geffner 2000). Negative
conditions and choices are passed over in it, and derived facts are kept, so that what it excludes is excluded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from validator.grading.acpbench.states.clauses import Clause
from validator.grading.acpbench.states.operators import Operator, bits_in
from validator.records import dataclass

__all__ = ["Relaxation"]

Rule = tuple[Clause, int]
"""what makes facts true, with its condition"""

_MOST_PAIRED = 20_000_000
"""operators times facts, beyond which pairs are not looked at: some ten seconds"""


@dataclass
class Relaxation:
    """The steps and the ground ``axioms`` of a model, of which nothing that was true is lost."""

    operators: Sequence[Operator]
    axioms: Sequence[Rule]

    def reached(self, state: int, *, without: int = 0) -> int:
        """Return the facts that are in reach when nothing is ever lost; facts of ``without`` are never made."""
        found, waiting, changed = state, self._rules, True
        while changed:
            changed, rest = False, []
            for condition, adds in waiting:
                if condition.may_hold(found):
                    changed = changed or bool(adds & ~without & ~found)
                    found |= adds & ~without
                else:
                    rest.append((condition, adds))
            waiting = rest
        return found

    @cached_property
    def _rules(self) -> list[Rule]:
        steps = [(each.condition, each.adds) for each in self.operators]
        steps += [(each.condition & when, adds) for each in self.operators for when, adds, _ in each.effects]
        return [*steps, *self.axioms]

    def beside(self, state: int) -> dict[int, int] | None:
        """Return for each fact that is in reach those that may hold beside it; None where the model is too large.

        A fact that a step makes true may stand beside all others that the step makes true, and beside what may hold
        together with all that the step needs, and is not deleted.
        """
        reached = self.reached(state)
        if len(self.operators) * reached.bit_count() > _MOST_PAIRED:
            return None
        found, every = dict.fromkeys(bits_in(state), state), state
        waiting = list(self._pair_rules(reached))
        changed = True
        while changed:
            changed = False
            for needs, together, deletes in waiting:
                kept = _common(found, needs, every)
                if kept is not None:
                    changed = _join(found, together, kept & ~deletes) or changed
                    every |= together
        return found

    def _pair_rules(self, reached: int) -> Iterator[tuple[list[int], int, int]]:
        """Yield what is needed, what is made true by it, and what is certainly lost."""
        for each in self.operators:
            if each.condition.may_hold(reached):
                every = each.adds
                for _, adds, _ in each.effects:
                    every |= adds
                yield list(bits_in(each.condition.needs)), every, each.deletes & ~every
        for condition, adds in self.axioms:
            if condition.may_hold(reached):
                yield list(bits_in(condition.needs)), adds, 0


def _common(found: dict[int, int], needs: Sequence[int], every: int) -> int | None:
    """Return which of the facts that are in reach may hold beside all that are needed; None where these exclude it."""
    kept, wanted = every, 0
    for bit in needs:
        if bit not in found:
            return None
        kept, wanted = kept & found[bit], wanted | bit
    return kept if kept & wanted == wanted else None


def _join(found: dict[int, int], adds: int, kept: int) -> bool:
    """Put facts beside each other and beside those that are kept; return whether any were not there."""
    changed = False
    for bit in bits_in(adds):
        new = (adds | kept) & ~found.setdefault(bit, 0)
        if new:
            changed = True
            found[bit] |= new
            for other in bits_in(new):
                found[other] = found.get(other, 0) | bit
    return changed

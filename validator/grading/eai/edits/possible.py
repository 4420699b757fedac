"""Whether a line of an answer can ever run, wherever it stands: what tells a wrong step from a misplaced one.

That it cannot is shown by a condition that no action changes, by a set of atoms that only its own members make true
(``world.unreachable``), or, where the world is small, by going through all states. What is not shown so counts as
possible: its class is then that of the edit, which is true as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from validator.grading.eai.edits.relevance import ANY, Relevance, axioms_of, body, literals, pattern, unified
from validator.grading.eai.edits.script import Fault, Line
from validator.grading.eai.world.query import conjuncts, static_test
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import NEVER, Transitions, World, bind
from validator.model.conditions import free, substituted
from validator.model.values import (
    And,
    Atom,
    Exists,
    Formula,
    GroundAtom,
    Or,
)
from validator.records import dataclass

# --- conditions that stay false -------------------------------------------------------------------
# By a set of atoms that only its own members can make true. All atoms of the set are false, and every effect that
# adds one of them waits for another one of them, or for what no action changes. By induction over the steps none ever
# becomes true. (In the reading of a task as a Petri net, the set is a siphon without a token; Murata 1989.) Members
# are patterns: ``near ? kitchen_1`` are all atoms of this form.


_MOST = 200
"""How many patterns a set may have before the attempt is given up."""


def stays_false(world: World, formula: Formula, state: State, is_static: Callable[[Formula], bool]) -> bool:
    """Return whether a condition is proven to hold in no state that can be reached from a state."""
    return _Siphon(world, state, is_static).blocks(formula)


class _Siphon:
    """The set as it grows; a form that turns out not to belong takes those found on its account with it."""

    def __init__(self, world: World, state: State, is_static: Callable[[Formula], bool]) -> None:
        self.world = world
        self.state = state
        self.is_static = is_static
        self.closed: list[GroundAtom] = []
        self.refuted: set[GroundAtom] = set()
        self.unfolded: list[GroundAtom] = []
        self.axioms = axioms_of(world)

    def blocks(self, formula: Formula) -> bool:
        """Return whether no instance of a condition, its free variables being any objects, ever becomes true."""
        match formula:
            case Atom():
                return self._derived(formula) if formula.predicate in self.axioms else self._atom(pattern(formula))
            case And(parts):
                return any(map(self.blocks, sorted(parts, key=lambda part: not self.is_static(part))))
            case Or(parts):
                return all(map(self.blocks, parts))
            case Exists(_, part):
                return self.blocks(part)
            case _:
                return not free(formula) and self.is_static(formula) and not self.world.holds(formula, self.state)

    def _atom(self, form: GroundAtom) -> bool:
        if any(_covers(known, form) for known in self.closed):
            return True
        if form in self.refuted or len(self.closed) >= _MOST or self._is_somewhere(form):
            return False
        size = len(self.closed)
        self.closed.append(form)
        if all(any(map(self.blocks, needs)) for needs in self._ways(form)):
            return True
        del self.closed[size:]
        if not self.closed:
            self.refuted.add(form)
        return False

    def _derived(self, atom: Atom) -> bool:
        """Block every axiom; one that only leads back to the same atom derives nothing (least fixpoint)."""
        form = pattern(atom)
        if form in self.unfolded:
            return True
        size = len(self.closed)
        self.unfolded.append(form)
        blocked = all(self.blocks(body(axiom, form)) for axiom in self.axioms[atom.predicate])
        self.unfolded.pop()
        if not blocked:
            del self.closed[size:]
        return blocked

    def _is_somewhere(self, form: GroundAtom) -> bool:
        """Return whether an atom of a form holds."""
        known = [(place, name) for place, name in enumerate(form[1:]) if name != ANY]
        if not form[1:]:
            return form in self.state
        names = [known[0]] if known else [(0, name) for name in self.world.objects]
        rows = (self.state.row((form[0], place, name)) for place, name in names)
        return any(_covers(form, atom) for row in rows for atom in row)

    def _ways(self, form: GroundAtom) -> Iterator[list[Formula]]:
        """Yield for every effect that may add an atom of a form what must hold before."""
        for action in self.world.domain.actions.values():
            names = {parameter.name for parameter in action.parameters}
            for literal, conditions, quantified in literals(action.effects):
                binding = unified(literal.atom, form, frozenset(literal.atom.terms)) if literal.positive else None
                if binding is None:
                    continue
                if quantified & names:
                    yield []  # one name for two variables: nothing is said of either
                else:
                    needs = (*conjuncts(action.precondition), *conditions)
                    yield [substituted(part, binding) for part in needs]


def _covers(form: GroundAtom, other: GroundAtom) -> bool:
    return len(form) == len(other) and all(mine in (ANY, theirs) for mine, theirs in zip(form, other, strict=True))


# --- lines that can never run ---------------------------------------------------------------------


_STEPS = 60
_STATES = 2_000
"""Worlds with up to so many steps are searched, until so many states were seen."""


@dataclass(kw_only=True)
class Possible:
    """Answers for one initial state: ``never`` gives the class of a line that can never run, each asked about once."""

    transitions: Transitions
    relevance: Relevance

    def __post_init__(self) -> None:
        self.never = cache(self._fault)

    def _fault(self, line: Line) -> Fault | None:
        """Return the class of a line that can never run: it names what is not there, or no state allows it."""
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

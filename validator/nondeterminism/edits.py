"""The fewest edits of a table that make it a strong cyclic policy, by a search that deepens one edit at a time.

An edit adds an entry for one state, gives an entry another action, or removes one. A policy that goes wrong differs
from every right one in a state of the run that shows it or, for a trap, in a state that the trap leads to: nothing else
is tried there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, count

from validator.model.conditions import bindings
from validator.model.pddl.write import atom_text
from validator.model.values import changed_predicates
from validator.nondeterminism.explore import Explored, explore
from validator.nondeterminism.outcomes import TableEdits
from validator.nondeterminism.policy import PolicyTable, RunEnd
from validator.nondeterminism.transitions import State, TooManyStatesError, Transitions
from validator.reading.plan import Step
from validator.records import dataclass, replace


def fewest_edits(
    transitions: Transitions, policy: PolicyTable, is_over: Callable[[], None]
) -> tuple[TableEdits, PolicyTable | None]:
    """Return the fewest edits, and the table with them, as far as they are found until ``is_over`` raises."""
    actions = transitions.simulator.model.domain.actions.values()
    start = _Changed(policy=policy, changing=frozenset(changed_predicates(*(each.effects for each in actions))))
    least = 0
    try:
        search = _Search(transitions, is_over)
        for least in count():
            search.is_cut = False
            search.seen.clear()
            found = search.within(start, least)
            if found is not None:
                return TableEdits(least=least, lines=tuple(found.lines()), proven=True), found.applied()
            if not search.is_cut:
                return TableEdits(least=least, proven=True), None
    except (TimeoutError, TooManyStatesError):
        pass
    return TableEdits(least=least), None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Changed:
    """A table with edits, each of which is made once: entries by their place, states by themselves."""

    policy: PolicyTable
    changing: frozenset[str]
    """predicates that steps change"""
    entries: tuple[tuple[int, Step | None], ...] = ()
    """places of entries, with another action, or removed"""
    states: tuple[tuple[State, Step], ...] = ()

    @property
    def key(self) -> object:
        return frozenset(self.entries), frozenset(self.states)

    def applied(self) -> PolicyTable:
        changed = dict(self.entries)
        entries = [
            replace(entry, step=changed.get(place, entry.step)) for place, entry in enumerate(self.policy.entries)
        ]
        kept = (entry for place, entry in enumerate(entries) if place not in changed or changed[place] is not None)
        return replace(self.policy, entries=tuple(kept), states=self.states)

    def place(self, state: State) -> int | None:
        """Return the place in the table of the entry that counts in a state, of those that are not removed."""
        removed = {place for place, step in self.entries if step is None}
        atoms = self.policy.view(state)
        holding = (place for place, entry in enumerate(self.policy.entries) if entry.holds(atoms))
        return next((place for place in holding if place not in removed), None)

    def lines(self) -> Iterator[str]:
        for place, step in sorted(self.entries, key=lambda edit: edit[0]):
            entry = self.policy.entries[place]
            yield f"-{entry}"
            if step is not None:
                yield f"+{replace(entry, step=step)}"
        for state, step in self.states:
            atoms = sorted(atom for atom in state if atom[0] in self.changing)
            yield f"+{' '.join(map(atom_text, atoms))}, nothing else: {step}"


class _Search:
    def __init__(self, transitions: Transitions, is_over: Callable[[], None]) -> None:
        self.transitions = transitions
        self.is_over = is_over
        self.is_cut = False
        """whether more edits might do"""
        self.seen: set[object] = set()
        model = transitions.model
        self.steps: list[Step] = []
        for name, action in model.domain.actions.items():
            for binding in bindings(model, action.parameters, {}):
                is_over()
                args = tuple(binding[parameter.name] for parameter in action.parameters)
                self.steps.append(Step(name=name, args=args))
        self._applicable: dict[State, list[Step]] = {}

    def within(self, changed: _Changed, left: int) -> _Changed | None:
        """Return a right policy with at most so many more edits."""
        if changed.key in self.seen:
            return None
        self.seen.add(changed.key)
        policy = changed.applied()
        found = explore(self.transitions, policy, self.is_over)
        if found.cut:
            raise TooManyStatesError(found.cut)
        suspects = list(_suspects(found))
        if not suspects:
            return changed
        for more in self._edits(changed, policy, suspects):
            if not left:
                self.is_cut = True
                return None
            done = self.within(more, left - 1)
            if done is not None:
                return done
        return None

    def _edits(self, changed: _Changed, policy: PolicyTable, suspects: list[State]) -> Iterator[_Changed]:
        known = {state for state, _ in changed.states}
        fixed = {place for place, _ in changed.entries}
        for state in suspects:
            self.is_over()
            if state in known:
                continue
            place = changed.place(state)
            now = policy.next(None, state)
            others = [step for step in self.applicable(state) if step != now]
            if place is not None and place not in fixed:
                for step in (*others, None):
                    yield replace(changed, entries=(*changed.entries, (place, step)))
            for step in others:
                yield replace(changed, states=(*changed.states, (state, step)))

    def applicable(self, state: State) -> list[Step]:
        if state not in self._applicable:
            self._applicable[state] = [step for step in self.steps if self.transitions.after(step, state)]
        return self._applicable[state]


def _suspects(found: Explored) -> Iterator[State]:
    """Yield states in one of which every right policy does something else; nothing where this one is right."""
    wrong = found.first(RunEnd.FAULT, RunEnd.UNHANDLED)
    trap = None if wrong is not None else found.trap
    end = wrong if wrong is not None else trap
    if end is None:
        return
    run = [node for node, _ in found.run_to(end)[1]]
    below = found.below(end) if trap is not None else (end,)
    yield from dict.fromkeys(state for _, state in chain(below, run))

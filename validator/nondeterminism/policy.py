"""What tells the next step: a sequence, a table of states and actions, or a tree that branches on what is seen.

Tables are read as PRP and Paladinus print them: pairs of lines, ``If holds: on(a, b)/not(clear(b))`` (or ``(on a b),
(not (clear b))``) and ``Execute: stack a b / SC / d=3``; ``Forbid:`` says where PRP leaves an entry out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence, Set
from enum import StrEnum
from typing import NoReturn, Protocol

from validator.errors import PlanError, did_you_mean
from validator.model.pddl.write import atom_text, formula_text
from validator.model.values import Formula, GroundAtom, Model
from validator.nondeterminism import OTHER, TABLE
from validator.nondeterminism.transitions import State
from validator.reading.plan import Step
from validator.records import dataclass
from validator.texts import counted


class RunEnd(StrEnum):
    """Why a run ends."""

    GOAL = "the goal is reached"
    SHORT = "the plan ends before the goal"
    FAULT = "the step cannot be executed"
    UNHANDLED = "nothing says what to do next"
    OPEN = "what comes next is not decided"


class Strategy(Protocol):
    """What tells the next step, by a state and by what it remembers: any value, at first ``start``."""

    @property
    def stops_at_goal(self) -> bool: ...

    @property
    def start(self) -> Hashable: ...

    def next(self, memory: Hashable, state: State) -> Step | RunEnd: ...

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        """Return what is remembered after the step.

        That is ``RunEnd.UNHANDLED`` where nothing says what comes next, and a text where that is not decided.
        """


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps one after the other, whatever happens."""

    steps: tuple[Step, ...]
    stops_at_goal: bool = False
    start: int = 0

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        assert isinstance(memory, int)
        return self.steps[memory] if memory < len(self.steps) else RunEnd.SHORT

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        assert isinstance(memory, int)
        return memory + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a table: the step where atoms hold and others do not."""

    true: frozenset[GroundAtom]
    false: frozenset[GroundAtom]
    step: Step | None
    """None where the goal is said to hold"""

    def holds(self, state: Set[GroundAtom]) -> bool:
        return self.true <= state and self.false.isdisjoint(state)

    def __str__(self) -> str:
        atoms = [*map(atom_text, sorted(self.true)), *(f"(not {atom_text(atom)})" for atom in sorted(self.false))]
        return f"{' '.join(atoms) or 'always'}: {self.step or 'the goal holds'}"


@dataclass(frozen=True, slots=True)
class PolicyTable:
    """A table of states and actions: the first entry counts that holds and is not forbidden.

    ``states`` are entries for one whole state each, which come first. ``view`` adds what is derived in a state.
    """

    entries: tuple[Entry, ...]
    forbidden: tuple[Entry, ...] = ()
    states: tuple[tuple[State, Step], ...] = ()
    view: Callable[[State], Set[GroundAtom]] = frozenset
    stops_at_goal: bool = True
    start: None = None

    def place(self, state: State) -> int | None:
        """Return the place of the entry that counts in a state."""
        atoms = self.view(state)
        for place, entry in enumerate(self.entries):
            if entry.holds(atoms) and not any(one.step == entry.step and one.holds(atoms) for one in self.forbidden):
                return place
        return None

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        for known, step in self.states:
            if known == state:
                return step
        place = self.place(state)
        return RunEnd.UNHANDLED if place is None else self.entries[place].step or RunEnd.UNHANDLED

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        return None


@dataclass(frozen=True, slots=True)
class Branch:
    """A step of a tree, what it tells the truth of, and what comes next where conditions hold after it."""

    step: Step
    observed: tuple[Formula, ...] = ()
    following: tuple[tuple[tuple[tuple[Formula, bool], ...], int], ...] = ()
    """what is seen to be true or false -> the number of the next step, below 0 for none"""


@dataclass(frozen=True, slots=True)
class PlanTree:
    """A plan that branches on what its steps observe; it ends at a step that nothing follows."""

    holds: Callable[[Formula, State], bool]
    branches: Sequence[Branch]
    stops_at_goal: bool = False
    start: int | None = 0
    """None for a plan without steps"""

    def next(self, memory: Hashable, state: State) -> Step | RunEnd:
        if memory is None:
            return RunEnd.SHORT
        if not isinstance(memory, int):
            return RunEnd.UNHANDLED if memory is RunEnd.UNHANDLED else RunEnd.OPEN
        return self.branches[memory].step

    def remembered(self, memory: Hashable, before: State, after: State) -> Hashable:
        """Nothing says whether the world before the effects of a step is seen or that after: it must be the same."""
        assert isinstance(memory, int)
        branch = self.branches[memory]
        if not branch.following:
            return None
        for seen, _ in branch.following:
            for formula, _ in seen:
                if formula not in branch.observed:
                    return f"a branch is for {formula_text(formula, {})}, which {branch.step} does not observe"
                if self.holds(formula, before) is not self.holds(formula, after):
                    return f"{branch.step} changes what it observes"
        found = [
            number
            for seen, number in branch.following
            if all(self.holds(formula, after) is value for formula, value in seen)
        ]
        if len(found) > 1:
            return f"several branches are for what {branch.step} observes"
        return next((number if number >= 0 else None for number in found), RunEnd.UNHANDLED)


# --- tables as planners print them -----------------------------------------------------------------

_ENTRY = re.compile(r"[ \t]*(?:(?P<if>If holds):(?P<state>.*)|(?P<does>Execute|Forbid):(?P<step>.*))", re.IGNORECASE)
_LITERAL = re.compile(
    r"\(\s*not\s*\(\s*(?P<n1>[^()]*?)\s*\)\s*\)|not\(\s*(?P<n2>[^()]*(?:\([^()]*\))?)\s*\)|!(?P<n3>[^\s()/,]+(?:\([^()]*\))?)"
    r"|\(\s*(?P<p1>[^()]*?)\s*\)|(?P<p2>[^\s()/,]+(?:\([^()]*\))?)"
)
_GAP = re.compile(r"[\s/,]*")
_WORDS = re.compile(r"[^\s(),]+")


def read_listing(text: str, model: Model, source: str = "") -> PolicyTable:
    """Read a policy. Raises PlanError for what is no such table, or names what the model does not have."""
    read = _Reader(text=text, model=model, source=source)
    if not TABLE.search(text) and (found := OTHER.search(text)):
        read.fail("policies are read as a table, 'If holds: ATOMS' and 'Execute: STEP' in turn", found.start())
    return read.table()


@dataclass(kw_only=True)
class _Reader:
    text: str
    model: Model
    source: str

    def fail(self, message: str, offset: int) -> NoReturn:
        raise PlanError(message, source=self.source, text=self.text, offset=offset)

    # --- tables ------------------------------------------------------------------------------------

    def table(self) -> PolicyTable:
        entries: list[Entry] = []
        forbidden: list[Entry] = []
        state: tuple[frozenset[GroundAtom], frozenset[GroundAtom]] | None = None
        start = offset = 0
        for line in self.text.splitlines(keepends=True):
            found = _ENTRY.match(line)
            if found and found["if"]:
                if state is not None:
                    self.fail("'Execute:' was expected after 'If holds:'", offset)
                state, start = self._literals(found["state"], offset + found.start("state")), offset
            elif found:
                if state is None:
                    self.fail(f"'If holds:' was expected before '{found['does']}:'", offset)
                step = self._step(found["step"].split(" / ")[0], offset + found.start("step"))
                (entries if found["does"].lower() == "execute" else forbidden).append(Entry(*state, step))
                state = None
            elif line.strip() and state is not None:
                self.fail("'Execute: ACTION OBJECT ...' was expected", offset)
            offset += len(line)
        if state is not None:
            self.fail("'Execute:' is missing after 'If holds:'", start)
        return PolicyTable(tuple(entries), tuple(forbidden))

    def _literals(self, text: str, offset: int) -> tuple[frozenset[GroundAtom], frozenset[GroundAtom]]:
        true: set[GroundAtom] = set()
        false: set[GroundAtom] = set()
        place = _GAP.match(text).end()  # type: ignore[union-attr]
        while place < len(text):
            found = _LITERAL.match(text, place)
            if found is None or not found[0]:
                self.fail("an atom such as on(a, b) or (on a b) was expected", offset + place)
            kind = found.lastgroup or ""
            (true if kind[0] == "p" else false).add(self._atom(found[kind], offset + found.start(kind)))
            place = _GAP.match(text, found.end()).end()  # type: ignore[union-attr]
        return frozenset(true), frozenset(false)

    def _atom(self, text: str, offset: int) -> GroundAtom:
        words = tuple(_WORDS.findall(text.lower()))
        if not words or text.startswith("<none"):
            self.fail("which atoms are false is not said; list them with 'not'", offset)
        predicates = {name.lower(): name for name in self.model.domain.predicates}
        if words[0] not in predicates:
            if re.fullmatch(r"var\d+:\d+", words[0]):
                self.fail("print the policy with names of atoms, not of variables (translate_policy.py)", offset)
            self.fail(f"unknown predicate '{words[0]}'{did_you_mean(words[0], predicates)}", offset)
        name = predicates[words[0]]
        wanted = len(self.model.domain.predicates[name])
        if len(words) - 1 != wanted:
            self.fail(f"predicate '{name}' takes {counted(wanted, 'argument')}, got {len(words) - 1}", offset)
        return (name, *self._objects(words[1:], offset))

    def _objects(self, words: Iterable[str], offset: int) -> Iterator[str]:
        known = {name.lower(): name for name in self.model.problem.objects}
        for word in words:
            if word.lower() not in known:
                self.fail(f"unknown object '{word}'{did_you_mean(word.lower(), known)}", offset)
            yield known[word.lower()]

    def _step(self, text: str, offset: int) -> Step | None:
        """Return a step; None for what says that the goal holds."""
        words = _WORDS.findall(text.lower())
        if not words:
            self.fail("'ACTION OBJECT ...' was expected", offset)
        offset += len(text) - len(text.lstrip())
        actions = {name.lower(): name for name in self.model.domain.actions}
        if words[0] not in actions:
            if words == ["goal"]:
                return None
            self.fail(f"unknown action '{words[0]}'{did_you_mean(words[0], actions)}", offset)
        name = actions[words[0]]
        wanted = len(self.model.domain.actions[name].parameters)
        if len(words) - 1 != wanted:
            self.fail(f"action '{name}' takes {counted(wanted, 'argument')}, got {len(words) - 1}", offset)
        return Step(name=name, args=tuple(self._objects(words[1:], offset)))

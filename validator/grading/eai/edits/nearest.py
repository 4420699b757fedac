"""The search for the nearest successful plan: cheapest scripts first, each mended where it first goes wrong.

A script is executed until a step does not run, or to the end, where a goal may be false. Every successful script that
contains it must then either lose that step, or have another edit before it that matters (``relevance.py``). So only
these edits are tried, and when no script of a cost is left, every successful plan is farther away: a lower bound.
A greedy search comes first, for a script that exists. Both are limited in executed steps, never by the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from validator.grading.eai.edits.relevance import Relevance, objects
from validator.grading.eai.edits.script import INSERTED, Changes, Edit, Fault, Line, Script, changes_of
from validator.grading.eai.world.world import Transitions
from validator.model.values import Formula
from validator.records import dataclass, field

# --- goals that are actions -----------------------------------------------------------------------


def matched_actions(goals: Sequence[Sequence[str]], names: Sequence[str]) -> int:
    """Return how many action goals the executed actions reach, each behind the one before it.

    A goal is its alternatives, of which the first that occurs later is taken. ``LOOKAT`` is also reached by
    ``LOOKAT_SHORT``.
    """
    place = count = 0
    for goal in goals:
        found = [_find(choice, names, place) for choice in goal]
        first = next((index for index in found if index is not None), None)
        if first is None:
            break
        place, count = first + 1, count + 1
    return count


def _find(choice: str, names: Sequence[str], place: int) -> int | None:
    for index in range(place, len(names)):
        if names[index] == choice or names[index].startswith(f"{choice}_"):
            return index
    return None


# --- the search -----------------------------------------------------------------------------------


_RANK = {fault: rank for rank, fault in enumerate(Fault)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aims:
    """What success is: conditions at the end, and actions on the way, each one of its alternatives."""

    formulas: tuple[Formula, ...] = ()
    actions: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearest:
    """How far an answer is from success: ``at_least`` edits are needed, ``at_most`` suffice (None: none were found).

    ``script`` is one nearest, ``edits`` what it does; ``readings`` are the classes of all the nearest scripts that
    were found, the preferred one first; ``is_every`` says that there are no others.
    """

    at_least: int
    at_most: int | None = None
    script: Script = ()
    edits: tuple[Edit, ...] = ()
    readings: tuple[tuple[Fault, ...], ...] = ()
    is_every: bool = False

    @property
    def is_proven(self) -> bool:
        return self.at_least == self.at_most

    @property
    def is_ambiguous(self) -> bool:
        return len(self.readings) > 1


class _SpentError(Exception):
    """The budget is used up."""


_Found: TypeAlias = dict[tuple[Fault, ...], Script]
"""One script for each reading."""


@dataclass(kw_only=True)
class Search:
    """One answer's search. ``never`` gives the class of a line that can never run, else None.

    Lines that are ``fixed`` stay where they are. ``greedy`` and ``proof`` are how many steps the searches may execute.
    """

    transitions: Transitions
    relevance: Relevance
    lines: Sequence[Line]
    aims: Aims
    never: Callable[[int], Fault | None]
    fixed: frozenset[int] = frozenset()
    greedy: int = 4_000
    proof: int = 10_000
    _left: int = 0
    _changes: dict[Script, Changes] = field(default_factory=dict)
    _costs: dict[Script, int] = field(default_factory=dict)

    def nearest(self, known: Script | None = None) -> Nearest:
        """Return the nearest scripts, or how far away they are at least; ``known`` is a successful one."""
        start: Script = tuple(enumerate(self.lines))
        if self._flaw(start) is None:
            return Nearest(at_least=0, at_most=0, script=start, readings=((),), is_every=True)
        best = min(filter(None, (known, self._some(start))), key=self._cost, default=None)
        found: _Found = {}
        level, self._left = 1, self.proof
        try:
            while best is None or level <= self._cost(best):
                if best is not None and level == self._cost(best):
                    found[self._faults(best)] = best
                self._all(start, level, found)
                if found:
                    return self._told(level, found, is_every=True)
                level += 1
        except _SpentError:
            if best is not None and not found:
                found[self._faults(best)] = best
            return self._told(level, found, is_every=False)
        raise AssertionError("the level of a known script was passed")

    def is_successful(self, script: Script) -> bool:
        return self._flaw(script) is None

    def missed_goals(self) -> int:
        """Return how many goals the answer misses when the steps that do not run are passed over."""
        return self._passed(tuple(enumerate(self.lines)))[1]

    def edits(self, script: Script) -> tuple[Edit, ...]:
        return self._changed(script).edits(script, self.never)

    def _changed(self, script: Script) -> Changes:
        found = self._changes.get(script)
        if found is None:
            found = self._changes[script] = changes_of(self.lines, script, self.never)
        return found

    def _faults(self, script: Script) -> tuple[Fault, ...]:
        return self._changed(script).faults(self.never)

    def _cost(self, script: Script) -> int:
        found = self._costs.get(script)
        if found is None:
            found = self._costs[script] = self._changed(script).cost
        return found

    def _told(self, least: int, found: _Found, *, is_every: bool) -> Nearest:
        if not found:
            return Nearest(at_least=least)
        readings = sorted(found, key=lambda each: sorted((_RANK[fault] for fault in each), reverse=True))
        script = found[readings[0]]
        edits = self.edits(script)
        return Nearest(
            at_least=least,
            at_most=len(edits),
            script=script,
            edits=edits,
            readings=tuple(readings),
            is_every=is_every,
        )

    # --- executing -------------------------------------------------------------------------------

    def _flaw(self, script: Script) -> tuple[int, Formula | None] | None:
        """Return where a script first goes wrong and what is false there; behind the end None for action goals."""
        state = 0
        for place, (_, line) in enumerate(script):
            self._left -= 1
            after = self.transitions.next(state, line)
            if not isinstance(after, int):
                return place, after
            state = after
        for goal in self.aims.formulas:
            if not self.transitions.holds(goal, state):
                return len(script), goal
        if self._acted(line for _, line in script) < len(self.aims.actions):
            return len(script), None
        return None

    def _acted(self, lines: Iterable[Line]) -> int:
        return matched_actions(self.aims.actions, [line[0].upper() for line in lines]) if self.aims.actions else 0

    def _missed(self, script: Script) -> int:
        """Return how much goes wrong when steps that do not run are passed over."""
        return sum(self._passed(script))

    def _passed(self, script: Script) -> tuple[int, int]:
        """Return how many steps do not run, and how many goals the others miss."""
        state, ran = 0, []
        for _, line in script:
            self._left -= 1
            after = self.transitions.next(state, line)
            if isinstance(after, int):
                state = after
                ran.append(line)
        goals = sum(not self.transitions.holds(goal, state) for goal in self.aims.formulas)
        return len(script) - len(ran), goals + len(self.aims.actions) - self._acted(ran)

    def _some(self, start: Script) -> Script | None:
        """Return a successful script: the most promising is mended first, with the steps that are nearest at hand."""
        self._left = self.greedy
        queue = [(self._missed(start), 0, 0, start)]
        seen = {start}
        while queue and self._left > 0:
            _, _, _, script = heappop(queue)
            flaw = self._flaw(script)
            if flaw is None:
                return script
            for child in self._at_hand(script, *flaw):
                if self._left <= 0:
                    return None
                if child in seen:
                    continue
                seen.add(child)
                spent, missed = self._cost(child), self._missed(child)
                if not missed:
                    return child
                heappush(queue, (spent + missed, spent, len(seen), child))
        return None

    def _at_hand(self, script: Script, place: int, formula: Formula | None) -> Iterator[Script]:
        """Yield scripts with one line less up to a flaw, or one step more before it, best about the same objects."""
        for earlier in range(min(place, len(script) - 1), -1, -1):
            yield from self._without(script, earlier)
        if formula is None:
            yield from self._acting(script)
            return
        steps = self.relevance.steps(self.relevance.wanted(formula))
        about = objects(formula)
        close = [line for line in steps if about.intersection(line[1:])] or steps
        for line in close:
            yield (*script[:place], (INSERTED, line), *script[place:])

    def _all(self, start: Script, level: int, found: _Found) -> None:
        """Find scripts of a cost, one for each reading; that there is no cheaper one is known."""
        waiting = [start]
        seen = {start}
        while waiting:
            script = waiting.pop()
            if self._left <= 0:
                raise _SpentError
            is_last = self._cost(script) == level
            if is_last and self._faults(script) in found and not self._is_open(script):
                continue
            flaw = self._flaw(script)
            if flaw is None:
                found.setdefault(self._faults(script), script)
                children = self._variants(script)
            else:
                spare = level - self._cost(script)
                children = self._mended(script, flaw, spare, self._has_reading(script, found) and spare == 1)
            for child in children:
                if self._left <= 0:
                    raise _SpentError
                if child not in seen and self._cost(child) <= level:
                    seen.add(child)
                    waiting.append(child)

    def _has_reading(self, script: Script, found: _Found) -> bool:
        """Return whether a script is known that shows what this one does, and one missing step."""
        return tuple(sorted((*self._faults(script), Fault.MISSING_STEP))) in found

    # --- edits -----------------------------------------------------------------------------------

    def _mended(self, script: Script, flaw: tuple[int, Formula | None], spare: int, only_own: bool) -> Iterator[Script]:
        """Yield the scripts with one more edit that may matter.

        ``spare`` is how many edits more there may be, ``only_own`` when steps that the answer does not have need not
        be inserted.
        """
        place, formula = flaw
        if place < len(script):
            yield from self._without(script, place)
        if formula is None:
            yield from self._acting(script)
            return
        wanted = self.relevance.wanted(formula)
        is_loose = self._has_loose(script)
        must_run = spare <= 1 and not is_loose
        allowed = frozenset(self.lines) if (only_own or spare < 1) and not is_loose else None
        lost = self._lost(script) if spare < 1 and is_loose else None
        states = self._states(script[:place]) if must_run else []
        for gap in range(place, -1, -1):
            steps = self.relevance.steps(wanted)
            self._left -= len(steps) // 8 + 1
            for line in steps:
                if allowed is not None and line not in allowed:
                    continue
                if lost is not None and line[0] not in lost and line[1:] not in lost:
                    continue
                if not must_run or self._runs(states[gap], line):
                    longer = (*script[:gap], (INSERTED, line), *script[gap:])
                    if not is_loose:
                        self._costs[longer] = self._cost(script) + 1  # there is no deleted line to pair it with
                    yield longer
            if gap:
                line = script[gap - 1][1]
                if self.relevance.hinders(line, wanted):
                    yield from self._without(script, gap - 1)
                wanted = self.relevance.before(line, wanted)

    def _runs(self, state: int, line: Line) -> bool:
        """Return whether a step changes a state, or is one of the answer's, which may be taken from where it stands."""
        self._left -= 1
        after = self.transitions.next(state, line)
        if isinstance(after, int):
            return after != state
        return line in self.lines

    def _states(self, script: Script) -> list[int]:
        states = [0]
        for _, line in script:
            after = self.transitions.next(states[-1], line)
            assert isinstance(after, int)
            states.append(after)
        return states

    def _without(self, script: Script, place: int) -> Iterator[Script]:
        origin, _ = script[place]
        if origin != INSERTED and origin not in self.fixed:
            yield (*script[:place], *script[place + 1 :])

    def _acting(self, script: Script) -> Iterator[Script]:
        """Yield what may reach action goals: their actions anywhere, and one line less."""
        names = {name for goal in self.aims.actions for name in goal}
        for gap in range(len(script), -1, -1):
            for line in self.relevance.called(names):
                yield (*script[:gap], (INSERTED, line), *script[gap:])
        for place in range(len(script)):
            yield from self._without(script, place)

    # --- edits that cost nothing more --------------------------------------------------------------

    def _loose(self, script: Script) -> Sequence[int]:
        """Return the deleted lines that may still stand elsewhere, or give way to another step, at no cost."""
        return self._changed(script).dropped

    def _lost(self, script: Script) -> frozenset[str | Line]:
        """Return the actions and the objects of the lines that a script lacks: a step with neither costs an edit."""
        changed = self._changed(script)
        lines = [self.lines[old] for old in (*changed.moved, *changed.replaced, *changed.dropped)]
        return frozenset(part for line in lines for part in (line[0], line[1:]))

    def _has_loose(self, script: Script) -> bool:
        return bool(self._changed(script).dropped)

    def _copies(self, script: Script) -> list[int]:
        """Return the places of lines of which an inserted step is a copy."""
        new = {line for origin, line in script if origin == INSERTED}
        return [place for place, (origin, line) in enumerate(script) if origin != INSERTED and line in new]

    def _is_open(self, script: Script) -> bool:
        return self._has_loose(script) or bool(self._copies(script))

    def _variants(self, script: Script) -> Iterator[Script]:
        for place in self._copies(script):
            yield from self._without(script, place)
        for old in self._loose(script):
            for gap in range(len(script) + 1):
                yield (*script[:gap], (INSERTED, self.lines[old]), *script[gap:])

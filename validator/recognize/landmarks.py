"""Fact landmarks of every fact at once, and how many of a goal's were seen.

A landmark of a goal is a fact that holds at some time in every plan for it. What is computed here are those of the
delete relaxation (Zhu and Givan 2003, Keyder, Richter and Helmert 2010), once for all goals: the landmarks of a fact
are itself and those that all of its achievers share. The scores are the goal completion of Pereira, Oren and Meneguzzi
(2020).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.grounding.operators import Value
from validator.grounding.task import Task
from validator.recognize.grounded import Grounded, Meaning, Ways
from validator.records import dataclass

__all__ = ["Landmarks", "bits", "find_landmarks"]


@dataclass(frozen=True, kw_only=True)
class Landmarks:
    """The landmarks of each fact that can be reached, as a set of bits; ``bits`` gives the bit of each fact."""

    grounded: Grounded
    bits: dict[Value, int]
    of: dict[Value, int]
    initial: int

    def scores(self, seen: Iterable[Meaning]) -> list[float | None]:
        """Return for each goal the share of its landmarks seen, initial facts left out; None if out of reach."""
        held = self.seen(seen)
        wanted = [None if goal is None else goal & ~self.initial for goal in map(self.of_goal, self.grounded.goals)]
        return [
            None if goal is None else (goal & held).bit_count() / goal.bit_count() if goal else 1.0 for goal in wanted
        ]

    def of_goal(self, goal: Ways) -> int | None:
        """Return what all ways to reach a goal share."""
        return _common(self._conjunction(way) for way in goal)

    def seen(self, seen: Iterable[Meaning]) -> int:
        """Return the facts that must have held when these observations were made, or were made true then."""
        found = self.initial
        for one in seen:
            found |= self.seen_by(one)
        return found

    def seen_by(self, one: Meaning) -> int:
        """Return what must have held when an observation was made, whatever of its meanings it has."""
        meanings = [self._conjunction(way) for way in one.ways or ()]
        meanings += map(self._step, self.grounded.meant(one))
        return _common(meanings) or 0

    def needed(self, number: int) -> int | None:
        """Return the landmarks of an operator's preconditions; None when they are out of reach."""
        return self._conjunction(self.grounded.task.operators[number].needed.items())

    def _step(self, number: int) -> int | None:
        needed = self.needed(number)
        if needed is None:
            return None
        for effect in self.grounded.task.operators[number].effect_values:
            if not effect.conditions:
                needed |= self.bits.get((effect.variable, effect.value), 0)
        return needed

    def _conjunction(self, values: Iterable[Value]) -> int | None:
        """Return the landmarks of several facts together; None when one of them is out of reach."""
        found = 0
        for value in values:
            if value in self.bits:
                landmarks = self.of.get(value)
                if landmarks is None:
                    return None
                found |= landmarks
        return found


def bits(of: int) -> Iterator[int]:
    """Yield the bits of a set, each as a set of its own."""
    while of:
        bit = of & -of
        yield bit
        of ^= bit


def _common(sets: Iterable[int | None]) -> int | None:
    found: int | None = None
    for one in sets:
        if one is not None:
            found = one if found is None else found & one
    return found


def find_landmarks(grounded: Grounded) -> Landmarks:
    """Compute the landmarks of all facts, to the fixpoint."""
    bits = {value: 1 << place for place, value in enumerate(_atoms(grounded.task))}
    initial = [value for value in enumerate(grounded.task.init) if value in bits]
    of = {value: bits[value] for value in initial}
    rules = [
        (tuple(filter(bits.__contains__, body)), head, bits[head]) for body, head in _rules(grounded) if head in bits
    ]
    users: dict[Value, list[int]] = {}
    for number, (body, _, _) in enumerate(rules):
        for value in body:
            users.setdefault(value, []).append(number)
    waiting = list(range(len(rules)))
    queued = set(waiting)
    while waiting:
        batch, waiting = waiting, []
        queued.clear()
        for number in batch:
            body, head, bit = rules[number]
            landmarks = bit
            for value in body:
                known = of.get(value)
                if known is None:
                    break
                landmarks |= known
            else:
                before = of.get(head)
                after = landmarks if before is None else before & landmarks
                if after != before:
                    of[head] = after
                    for user in users.get(head, ()):
                        if user not in queued:
                            queued.add(user)
                            waiting.append(user)
    together = 0
    for value in initial:
        together |= bits[value]
    return Landmarks(grounded=grounded, bits=bits, of=of, initial=together)


def _atoms(task: Task) -> Iterator[Value]:
    """Yield the values that are atoms, and not the absence of some."""
    for variable, text in enumerate(task.variables):
        for value, name in enumerate(text.splitlines()[4:-1]):
            if name.startswith("Atom "):
                yield variable, value


def _rules(grounded: Grounded) -> Iterator[tuple[tuple[Value, ...], Value]]:
    """Yield what makes each fact true: an operator's or an axiom's conditions, and the fact."""
    for number in grounded.operators:
        operator = grounded.task.operators[number]
        for effect in operator.effect_values:
            yield (*operator.needed.items(), *effect.conditions), (effect.variable, effect.value)
    for rule in grounded.task.axioms.split("begin_rule\n")[1:]:
        count, *lines = rule.splitlines()
        conditions = tuple(_value(line) for line in lines[: int(count)])
        variable, _, value = lines[int(count)].split()
        yield conditions, (int(variable), int(value))


def _value(line: str) -> Value:
    variable, value = line.split()
    return int(variable), int(value)

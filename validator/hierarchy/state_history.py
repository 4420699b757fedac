"""What holds when along a plan, and with which arguments conditions of methods hold there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.execution.trace import Change
from validator.model.conditions import Binding, conjuncts, holds, predicates
from validator.model.formulas import free
from validator.model.values import Atom, Equal, Formula, GroundAtom, Model, Not, Parameter
from validator.records import dataclass


class StateHistory:
    """The states of a plan: for each atom the numbers of the states from which it holds, or holds no more, in turn.

    State 0 is the initial one, state ``i`` stands before step ``i``.
    """

    def __init__(self, model: Model, init: Iterable[GroundAtom], changes: Sequence[Change]) -> None:
        self.model = model
        self.size = len(changes)
        self._flips: dict[GroundAtom, list[int]] = {atom: [0] for atom in init}
        for number, change in enumerate(changes, 1):
            for atom in (*change.added, *change.deleted):
                self._flips.setdefault(atom, []).append(number)
        self._like: dict[tuple[str, int, str], list[GroundAtom]] = {}
        self._of: dict[str, list[GroundAtom]] = {}
        for atom in self._flips:
            self._of.setdefault(atom[0], []).append(atom)
            for place, name in enumerate(atom[1:], 1):
                self._like.setdefault((atom[0], place, name), []).append(atom)
        self._changed: dict[str, set[int]] = {}
        for atom, flips in self._flips.items():
            if len(flips) > 1 or flips[0]:
                self._changed.setdefault(atom[0], set()).update(flips)
        self._states: dict[int, frozenset[GroundAtom]] = {}

    def has(self, atom: GroundAtom, number: int) -> bool:
        """Return whether an atom holds in a state."""
        flips = self._flips.get(atom)
        return flips is not None and bisect_right(flips, number) % 2 == 1

    def like(self, atom: Sequence[str | None], number: int) -> Iterator[GroundAtom]:
        """Yield the atoms that hold in a state and are a given one where that has names."""
        name = atom[0]
        assert name is not None
        found = self._of.get(name, [])
        for place, term in enumerate(atom[1:], 1):
            if term is not None:
                other = self._like.get((name, place, term), [])
                found = other if len(other) < len(found) else found
        for each in found:
            if self.has(each, number) and all(
                term is None or term == one for term, one in zip(atom, each, strict=True)
            ):
                yield each

    def state(self, number: int) -> frozenset[GroundAtom]:
        found = self._states.get(number)
        if found is None:
            found = self._states[number] = frozenset(atom for atom in self._flips if self.has(atom, number))
        return found

    def new_at(self, names: Iterable[str], first: int, last: int) -> Iterator[int]:
        """Yield the first number, and those up to the last from which an atom of some predicates is another."""
        yield first
        flips = set().union(*(self._changed.get(name, ()) for name in names))
        yield from sorted(number for number in flips if first < number <= last)


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition of a method, taken apart once."""

    atoms: tuple[Atom, ...]
    """that must all hold"""
    others: tuple[tuple[Formula, frozenset[str]], ...]
    """conditions that are tested when all their variables are known, with these"""
    allowed: Mapping[str, frozenset[str]]
    """the objects of the types of each parameter"""
    fluents: frozenset[str]
    """the predicates of the condition that steps can change"""

    @classmethod
    def of(cls, model: Model, formula: Formula, parameters: Iterable[Parameter], changed: frozenset[str]) -> Condition:
        parts = list(conjuncts(formula))
        return cls(
            tuple(part for part in parts if isinstance(part, Atom)),
            tuple((part, free(part)) for part in parts if not isinstance(part, Atom)),
            {one.name: frozenset(model.objects_of(one.types)) for one in parameters},
            changed.intersection(predicates(formula)),
        )


def narrowed(condition: Condition, binding: Binding, history: StateHistory, number: int) -> Binding | None:
    """Return a binding with what a condition leaves only one object for in a state; None where it cannot hold."""
    if any(binding.get(name, "") not in allowed for name, allowed in condition.allowed.items() if name in binding):
        return None
    waiting = list(condition.atoms)
    is_new = True
    while is_new:
        is_new = False
        for atom in tuple(waiting):
            found = _two(condition, atom, binding, history, number)
            if not found:
                return None
            if len(found) == 1:
                waiting.remove(atom)
                if len(found[0]) > len(binding):
                    binding, is_new = found[0], True
    for formula, names in condition.others:
        if names <= binding.keys() and not _true(history, formula, binding, number):
            return None
    return binding


def _two(condition: Condition, atom: Atom, binding: Binding, history: StateHistory, number: int) -> list[Binding]:
    """Return up to two bindings with which an atom holds; one where it is known to hold."""
    found: list[Binding] = []
    for each in _bindings(condition, atom, binding, history, number):
        if each not in found:
            found.append(each)
            if len(found) == 2:
                break
    return found


def _bindings(
    condition: Condition, atom: Atom, binding: Binding, history: StateHistory, number: int
) -> Iterator[Binding]:
    pattern = (atom.predicate, *(binding.get(term) if term[0] == "?" else term for term in atom.terms))
    if None not in pattern:
        if history.has(pattern, number):  # type: ignore[arg-type]
            yield binding
        return
    for true in history.like(pattern, number):
        found = dict(binding)
        for term, name in zip(atom.terms, true[1:], strict=True):
            if term[0] == "?" and (found.setdefault(term, name) != name or name not in condition.allowed[term]):
                break
        else:
            yield found


def _true(history: StateHistory, formula: Formula, binding: Binding, number: int) -> bool:
    match formula:
        case Equal(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Not(Equal(left, right)):
            return binding.get(left, left) != binding.get(right, right)
        case Not(Atom(predicate, terms)):
            return not history.has((predicate, *(binding.get(term, term) for term in terms)), number)
        case _:
            return holds(history.model, formula, binding, history.state(number))


def solutions(
    condition: Condition, binding: Binding, history: StateHistory, number: int, wanted: Iterable[str]
) -> Iterator[Binding]:
    """Yield the bindings of the wanted variables, and more, with which a condition holds in a state.

    What neither the condition nor who asks speaks of stays free; it needs an object of its type.
    """
    found = narrowed(condition, binding, history, number)
    if found is None:
        return
    best: list[Binding] | None = None
    for atom in condition.atoms:
        if any(term[0] == "?" and term not in found for term in atom.terms):
            bindings = list(_bindings(condition, atom, found, history, number))
            best = bindings if best is None or len(bindings) < len(best) else best
    if best is None:
        name = next(_unbound(condition, found, wanted), "")
        if not name:
            if all(allowed for name, allowed in condition.allowed.items() if name not in found):
                yield found
            return
        best = [{**found, name: value} for value in history.model.problem.objects if value in condition.allowed[name]]
    for each in best:
        yield from solutions(condition, each, history, number, wanted)


def _unbound(condition: Condition, binding: Binding, wanted: Iterable[str]) -> Iterator[str]:
    for names in (wanted, *(names for _, names in condition.others)):
        yield from (name for name in sorted(names) if name not in binding)


def unified(terms: Sequence[str], names: Sequence[str], binding: Mapping[str, str]) -> Binding | None:
    """Return a binding with which terms are some names; None where there is none."""
    if len(terms) != len(names):
        return None
    found = dict(binding)
    for term, name in zip(terms, names, strict=True):
        if (found.setdefault(term, name) if term[0] == "?" else term) != name:
            return None
    return found

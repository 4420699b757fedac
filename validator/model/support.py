"""What a derived atom is derived from, by all rules below it, as patterns: nothing is grounded.

A pattern is a name with terms: an object, or a number and the objects that it may stand for; equal numbers of a
pattern stand for one object. A rule applied to a pattern gives patterns, of which there are few in any model.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from validator.model.formulas import parts_of
from validator.model.values import Atom, Axiom, Exists, Expression, Fluent, Forall, Formula, GroundAtom, Model

_Some: TypeAlias = tuple[object, frozenset[str]]
_Pattern: TypeAlias = tuple["str | _Some", ...]
_Scope: TypeAlias = Mapping[str, "str | _Some"]


class Support:
    """The atoms and the values that the rules of one derived atom read, and the rules of those.

    As in any condition, every instance of a quantifier counts, whether it decides anything or not.
    """

    def __init__(self, model: Model, atom: GroundAtom) -> None:
        self._model = model
        self._atoms: dict[_Pattern, None] = {atom: None}
        self._values: dict[_Pattern, None] = {}
        waiting: list[_Pattern] = [atom]
        while waiting:
            head = waiting.pop()
            for axiom in model.domain.axioms:
                scope = self._scope(axiom, head)
                for part, inner in self._read(axiom.condition, scope) if scope is not None else ():
                    if isinstance(part, Fluent):
                        self._values[_pattern(part.function, part.terms, inner)] = None
                    elif (found := _pattern(part.predicate, part.terms, inner)) not in self._atoms:
                        self._atoms[found] = None
                        waiting.append(found)

    def of(self, atoms: Iterable[GroundAtom], values: Iterable[GroundAtom]) -> Iterator[GroundAtom]:
        """Yield those of some atoms and values that are read."""
        for patterns, keys in ((self._atoms, atoms), (self._values, values)):
            yield from (key for key in keys if any(_fits(pattern, key) for pattern in patterns))

    def _scope(self, axiom: Axiom, head: _Pattern) -> _Scope | None:
        """Return what the parameters of an axiom stand for where it derives a pattern; None where it does not."""
        if axiom.predicate != head[0]:
            return None
        pairs = list(zip((parameter.name for parameter in axiom.parameters), head[1:], strict=True))
        allowed: dict[object, frozenset[str]] = {}
        for parameter, (_, term) in zip(axiom.parameters, pairs, strict=True):
            key, objects = (term, frozenset({term})) if isinstance(term, str) else term
            allowed[key] = allowed.get(key, objects).intersection(self._model.objects_of(parameter.types))
        if not all(allowed.values()):
            return None
        return {name: term if isinstance(term, str) else (term[0], allowed[term[0]]) for name, term in pairs}

    def _read(self, part: Formula | Expression, scope: _Scope) -> Iterator[tuple[Atom | Fluent, _Scope]]:
        if isinstance(part, Atom | Fluent):
            yield part, scope
        elif isinstance(part, Forall | Exists):
            some = {each.name: (each.name, frozenset(self._model.objects_of(each.types))) for each in part.parameters}
            yield from self._read(part.part, {**scope, **some})
        else:
            for each in parts_of(part):
                yield from self._read(each, scope)


def _pattern(name: str, terms: Iterable[str], scope: _Scope) -> _Pattern:
    """Return an atom or a fluent as a pattern, what stands for some object numbered in order."""
    numbers: dict[object, int] = {}
    found: list[str | _Some] = [name]
    for term in terms:
        bound = scope.get(term, term)
        found.append(bound if isinstance(bound, str) else (numbers.setdefault(bound[0], len(numbers)), bound[1]))
    return tuple(found)


def _fits(pattern: _Pattern, key: GroundAtom) -> bool:
    if len(pattern) != len(key):
        return False
    chosen: dict[object, str] = {}
    for term, name in zip(pattern, key, strict=True):
        if isinstance(term, str):
            if term != name:
                return False
        elif name not in term[1] or chosen.setdefault(term[0], name) != name:
            return False
    return True

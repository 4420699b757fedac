"""Reading what holds at first in a PDDL problem, or in a state that was seen: facts, values, timed facts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from validator.errors import ModelError, did_you_mean
from validator.model.conditions import conjuncts
from validator.model.pddl.formulas.conditions import CONNECTIVES, expression, formula, number
from validator.model.pddl.formulas.conditions import atom as read_atom
from validator.model.pddl.formulas.effects import likely
from validator.model.pddl.frame import read_text
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Flat, Group, Node, Run, Source, Value, Word, groups
from validator.model.values import (
    TOTAL_COST,
    Atom,
    Domain,
    Fluent,
    GroundAtom,
    Literal,
    Not,
    Number,
    NumericEffect,
    Parameter,
    Problem,
    Uncertain,
)
from validator.records import dataclass, field
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.model.temporal import TimedFact


_OPEN = ("oneof", "or", "unknown", "probabilistic")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenState:
    """What a text says of a state: facts that are true, facts that are false (``(not (on a b))``), values."""

    true: frozenset[GroundAtom]
    false: frozenset[GroundAtom] = frozenset()
    values: Mapping[GroundAtom, Fraction] = field(default_factory=dict)
    is_section: bool = False
    source: str = ""


def read_seen(source: str | Path, domain: Domain, problem: Problem) -> SeenState:
    """Read what was seen of a state: facts, ``(not FACT)``, ``(= (fuel) 3)``, perhaps within ``(:init ...)``.

    Raises ModelError for anything else, for objects of types that a predicate does not take (unless the problem itself
    says the fact), and for a fact that is said to be both; OSError for a file.
    """
    text, name = read_text(source, "state")
    written, parts = groups(text, name)
    scope = scope_of(written, domain, problem)
    facts: Sequence[Run | Node] = parts
    section = parts[0] if len(parts) == 1 and isinstance(parts[0], Group) and parts[0].head == ":init" else None
    if section is not None:
        _, *facts = section.nodes
    known = problem.init | problem.values.keys()
    true, false = Facts(scope, known=known), Facts(scope, known=known)
    for part in facts:
        denied = part.nodes[1:] if isinstance(part, Group) and part.head == "not" else ()
        if isinstance(part, Flat | Value):
            true.take((part,))
        elif len(denied) == 1 and isinstance(denied[0], Flat):
            false.take(denied)
        else:
            scope.source.fail("a fact such as (on a b) was expected; what is not listed is false", part.offset)
    if both := true.atoms & false.atoms:
        raise ModelError(f"({' '.join(min(both))}) is said to be true and false", source=name)
    return SeenState(
        true=frozenset(true.atoms),
        false=frozenset(false.atoms),
        values=true.values,
        is_section=section is not None,
        source=name,
    )


def checked_facts(atoms: Iterable[GroundAtom], domain: Domain, problem: Problem) -> frozenset[GroundAtom]:
    """Return ground atoms that were given as a state. Raises ModelError for one that is no fact of the model."""
    given = frozenset(atoms)
    scope = scope_of(Source("state", ""), domain, problem)
    for atom in sorted(given - problem.init):
        scope.source = Source("state", f"({' '.join(atom)})")
        words = Flat(scope.source.text, 0).nodes
        if not words:
            raise ModelError("() is not a fact", source="state")
        read_atom(scope, words, {})
    return given


def scope_of(source: Source, domain: Domain, problem: Problem) -> Scope:
    """Return what a fact of a model may name; another type than its predicate declares is refused."""
    return Scope(
        source,
        is_strict=True,
        types=domain.types,
        objects=dict(problem.objects),
        predicates=dict(domain.predicates),
        functions=dict(domain.functions),
        derived={axiom.predicate for axiom in domain.axioms},
        types_only_warn=False,
    )


@dataclass(slots=True)
class Facts:
    """What holds at first, as it is read: atoms, values of functions, and facts that become true or false later."""

    scope: Scope
    known: Set[GroundAtom] = frozenset()
    """facts, and functions with a value, that are taken as they are when seen, whatever the types of their objects"""
    atoms: set[GroundAtom] = field(default_factory=set)
    values: dict[GroundAtom, Fraction] = field(default_factory=dict)
    timed: list[TimedFact] = field(default_factory=list)
    uncertain: list[Uncertain] = field(default_factory=list)
    denied: list[GroundAtom] = field(default_factory=list)
    _allowed: dict[str, tuple[frozenset[str], ...]] = field(default_factory=dict)
    """the objects that a predicate takes by its name, and a function by ``=`` before its name"""
    _of_types: dict[frozenset[str], frozenset[str]] = field(default_factory=dict)
    """the objects that may be of some types"""
    _unread: dict[str, str] = field(default_factory=dict)
    """what is declared nowhere -> what else may be meant"""

    def read(self, section: Group) -> None:
        """Read a section ``:init``."""
        self.take(section.nodes[1:])

    def take(self, nodes: Iterable[Node]) -> None:
        """Take facts and values."""
        for node in nodes:
            if isinstance(node, Word):
                self.scope.source.fail(f"a fact such as (on a b) was expected, not '{node.text}'", node.offset)
            if isinstance(node, Flat):
                is_plain = self._plain_fact(node)
            else:
                is_plain = isinstance(node, Value) and self._plain_value(node)
            if not is_plain:
                self._fact(node)

    def _plain_fact(self, part: Flat) -> bool:
        """Take a fact that needs no second look; return whether it was one."""
        words = tuple(part.text[1:-1].split())
        is_plain = words[0] not in self.scope.derived and self._fits(words[0], words, self.scope.predicates)
        if is_plain or words in self.known:
            self.atoms.add(words)
            return True
        return False

    def _plain_value(self, part: Value) -> bool:
        """Take an initial value that needs no second look; return whether it was one."""
        words, text = part.split()
        value = number(text)
        if value is None or not words or words[0] in self.scope.object_functions:
            return False
        is_plain = self._fits(f"={words[0]}", words, self.scope.functions)
        return (is_plain or words in self.known) and self.values.setdefault(words, value) == value

    def _fits(self, key: str, words: Sequence[str], declared: Mapping[str, tuple[Parameter, ...]]) -> bool:
        """Return whether the words after the first are objects of the right number and types."""
        allowed = self._allowed.get(key)
        if allowed is None:
            if words[0] not in declared:
                return False
            allowed = self._allowed[key] = tuple(map(self._fitting, declared[words[0]]))
        return len(words) - 1 == len(allowed) and all(map(frozenset.__contains__, allowed, words[1:]))

    def _fitting(self, parameter: Parameter) -> frozenset[str]:
        """Return the objects that a parameter takes: the same for all parameters of its types."""
        found = self._of_types.get(parameter.types)
        if found is None:
            objects, may_be = self.scope.objects.items(), self.scope.may_be
            fit = {types for types in set(self.scope.objects.values()) if may_be(types, parameter.types)}
            found = self._of_types[parameter.types] = frozenset(name for name, types in objects if types in fit)
        return found

    def _fact(self, group: Group) -> None:
        """Read one initial fact in full, with the errors and the rarer forms."""
        scope = self.scope
        nodes = group.nodes
        head = group.head
        if head == "=" and len(nodes) == 3:
            self._initial_value(group, nodes)
        elif head == "at" and len(nodes) == 3 and isinstance(nodes[2], Group):
            inner = nodes[2].nodes[1] if nodes[2].head in ("not", "=") and len(nodes[2].nodes) > 1 else nodes[2]
            if isinstance(inner, Flat) and self._is_unread("function" if nodes[2].head == "=" else "predicate", inner):
                return
            self.timed.append(_timed(scope, group, nodes[1], nodes[2]))
        elif head == "not" and len(nodes) == 2:
            denied = formula(scope, nodes[1], {})
            self.denied += [(denied.predicate, *denied.terms)] if isinstance(denied, Atom) else []
            scope.warn("a negative literal in :init says nothing; facts not listed are false", group.offset)
        elif head == "and" and head not in scope.predicates:
            message = "'and' around facts; all of them hold initially"
            scope.tolerate("and-of-facts", message, group.offset, "a fact was expected in :init, not 'and'")
            self.take(nodes[1:])
        elif head in _OPEN and head not in scope.predicates:
            self._open(group)
        elif head in ("forall", "exists", "imply") and head not in scope.predicates:
            scope.source.fail(f"a fact was expected in :init, not '{head}'", group.offset)
        else:
            if head in scope.derived:
                scope.source.fail(f"derived predicate '{head}' may not be given in :init", group.offset)
            if isinstance(group, Flat) and self._is_unread("predicate", group):
                return
            atom = formula(scope, group, {})
            terms = getattr(atom, "terms", None)
            if terms is None:
                scope.source.fail("a fact was expected", group.offset)
            self.atoms.add((head, *terms))

    def _open(self, group: Group) -> None:
        """Read what is not certain: ``(oneof A B)``, ``(or A B)``, ``(unknown A)``, ``(probabilistic 0.5 A 0.5 B)``."""
        scope, head = self.scope, group.head
        scope.feature("uncertain-initial-state", group.offset)
        if len(group.nodes) < 2 or (head == "unknown" and len(group.nodes) > 2):
            scope.source.fail(f"{'one atom was' if head == 'unknown' else 'literals were'} expected", group.offset)
        is_chance = head == "probabilistic"
        nodes = likely(scope, group, "a literal") if is_chance else group.nodes[1:]
        options = tuple(() if node is None else tuple(self._literals(node)) for node in nodes)
        if is_chance:
            options = tuple(dict.fromkeys(options))  # the same twice is one that is more likely
        if head == "unknown":
            if len(options[0]) != 1:
                scope.source.fail("'(unknown ATOM)' was expected", group.offset)
            options = (options[0], tuple((atom, not positive) for atom, positive in options[0]))
        self.uncertain.append(Uncertain(options=options, is_one=head != "or"))

    def _literals(self, node: Node) -> Iterator[tuple[GroundAtom, bool]]:
        for part in conjuncts(formula(self.scope, node, {})):
            atom = part.part if isinstance(part, Not) else part
            if not isinstance(atom, Atom) or atom.predicate in self.scope.derived:
                self.scope.source.fail("a literal, or (and LITERAL ...), was expected", node.offset)
            yield (atom.predicate, *atom.terms), atom is part

    def possible(self) -> tuple[Uncertain, ...]:
        """Return what is not certain, with what is said to be false of it."""
        named = {atom for one in self.uncertain for option in one.options for atom, _ in option}
        false = (Uncertain(options=(((atom, False),),), is_one=True) for atom in self.denied if atom in named)
        return (*self.uncertain, *false)

    def _initial_value(self, group: Group, nodes: tuple[Node, ...]) -> None:
        scope = self.scope
        target, given = nodes[1], nodes[2]
        head = target.head if isinstance(target, Group) else target.text
        value = number(given.text) if isinstance(given, Word) else None
        if value is not None and self._is_unread("function", target):
            return
        if head not in scope.functions and head != TOTAL_COST.function:
            scope.source.fail(f"undeclared function '{head}'{did_you_mean(head, scope.functions)}", target.offset)
        if head in scope.object_functions:
            self._initial_object(group)
            return
        with scope.defining("total-cost"):
            fluent = expression(scope, target, {})
        if value is None:
            scope.source.fail("a number was expected", given.offset)
        key = (head, *getattr(fluent, "terms", ()))
        if self.values.get(key, value) != value:
            shown = f"'({' '.join(key)})'"
            message = f"{shown} is given a value again; {decimal(value)} counts, not {decimal(self.values[key])}"
            scope.tolerate("several-values", message, group.offset, f"{shown} is given two values")
        self.values[key] = value

    def _is_unread(self, kind: str, place: Node) -> bool:
        """Return whether a name is declared nowhere, so that nothing in the domain can read what is said of it.

        Where the goal, the metric or a constraint reads it, it is refused there.
        """
        scope, name = self.scope, place.head if isinstance(place, Group) else place.text
        known = scope.functions if kind == "function" else scope.predicates
        if not name or name in known or name in CONNECTIVES or (kind == "function" and name == TOTAL_COST.function):
            return False
        if name not in self._unread:
            self._unread[name] = did_you_mean(name, known)
        message = f"undeclared {kind} '{name}'{self._unread[name]}: what :init says of it is ignored"
        refusal = f"undeclared {kind} '{name}'{self._unread[name]}"
        word = place.nodes[0] if isinstance(place, Group) else place
        scope.tolerate("unread-fact", message, word.offset, refusal)
        return True

    def _initial_object(self, group: Group) -> None:
        """Read the initial value of an object fluent."""
        atom = formula(self.scope, group, {})
        if not isinstance(atom, Atom):
            self.scope.source.fail("'(= (FUNCTION ...) OBJECT)' was expected", group.offset)
        key = (atom.predicate, *atom.terms)
        types = self.scope.predicates[atom.predicate][-1].types
        if types.isdisjoint(self.scope.types.ancestors(self.scope.objects[key[-1]])):
            said = f"'{key[-1]}' is not of type {' or '.join(sorted(types))}, which function '{key[0][1:]}' declares"
            self.scope.source.fail(said, group.offset)
        if any(known[:-1] == key[:-1] and known != key for known in self.atoms):
            self.scope.source.fail(f"'({' '.join((key[0][1:], *key[1:-1]))})' is given two values", group.offset)
        self.atoms.add(key)


def _timed(scope: Scope, group: Group, when: Node, what: Group) -> TimedFact:
    """Read ``(at 5 (open))``, ``(at 5 (not (open)))`` or ``(at 5 (= (price) 3))``."""
    from validator.model.temporal import TimedFact

    scope.feature("timed-initial-literals", group.offset)
    time = number(when.text) if isinstance(when, Word) else None
    if time is None or time < 0:
        scope.source.fail("a time such as 5.5 was expected", when.offset)
    nodes = what.nodes
    if what.head == "=" and len(nodes) == 3:
        value = number(nodes[2].text) if isinstance(nodes[2], Word) else None
        with scope.defining("total-cost"):
            fluent = expression(scope, nodes[1], {})
        if value is None or not isinstance(fluent, Fluent):
            scope.source.fail("'(= (FUNCTION ...) NUMBER)' was expected", what.offset)
        return TimedFact(time=time, effect=NumericEffect("assign", fluent, Number(value)))
    positive = what.head != "not"
    if not positive and len(nodes) != 2:
        scope.source.fail(f"'not' takes 1 argument, got {len(nodes) - 1}", what.offset)
    inner = what if positive else nodes[1]
    atom = formula(scope, inner, {})
    if not isinstance(atom, Atom):
        scope.source.fail("an atom was expected", inner.offset)
    if atom.predicate in scope.derived:
        scope.source.fail(f"derived predicate '{atom.predicate}' may not be given in :init", inner.offset)
    if atom.predicate.startswith("="):
        scope.feature("timed-object-fluents", inner.offset)
    return TimedFact(time=time, effect=Literal(atom, positive))

"""Conditions compiled into joins: which bindings make them true, found through the indices of a state.

The order of a join is fixed when it is compiled, from which variables are bound by then: what only filters comes
first, then atoms that a known object narrows down. A derived predicate is unfolded into its axioms where a variable
is sought, and decided by backward chaining where all are known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from validator.grading.eai.world.state import State
from validator.model.conditions import Binding, free, ground, predicates, substituted
from validator.model.formulas import changed_predicates
from validator.model.values import (
    And,
    Atom,
    Axiom,
    Domain,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Parameter,
)
from validator.records import replace

# --- conditions taken apart -----------------------------------------------------------------------


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return the parts of a conjunction in their order; any other condition is its own only part."""
    return formula.parts if isinstance(formula, And) else (formula,)


def negated(formula: Formula) -> Formula:
    """Return the negation, driven inwards as far as it lets a join start from what must hold."""
    match formula:
        case Imply(premise, conclusion):
            return And((premise, Not(conclusion)))
        case Or(parts):
            return And(tuple(map(negated, parts)))
        case Not(part):
            return part
        case _:
            return Not(formula)


def static_test(domain: Domain) -> Callable[[Formula], bool]:
    """Return the test whether a condition is about what things are: no action changes any predicate that it reads."""
    changed = changed_predicates(*(action.effects for action in domain.actions.values()))
    derived: dict[str, list[Formula]] = {}
    for axiom in domain.axioms:
        derived.setdefault(axiom.predicate, []).append(axiom.condition)

    def is_static(formula: Formula, seen: frozenset[str] = frozenset()) -> bool:
        return all(
            name not in changed
            and (name in seen or all(is_static(condition, seen | {name}) for condition in derived.get(name, ())))
            for name in predicates(formula)
        )

    return is_static


def rewritten(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a condition, an effect or several with what ``change`` makes of each atom and equation in them."""
    if isinstance(value, Atom | Equal):
        return change(value)
    if isinstance(value, tuple):
        return tuple(rewritten(each, change) for each in value)
    fields = getattr(value, "__dataclass_fields__", None)
    if fields is None:
        return value
    return replace(value, **{name: rewritten(getattr(value, name), change) for name in fields})


def atoms_in(value: Any) -> list[Atom]:
    """Return the atoms of a condition."""
    found: list[Atom] = []

    def note(part: Atom | Equal) -> Atom | Equal:
        if isinstance(part, Atom):
            found.append(part)
        return part

    rewritten(value, note)
    return found


# --- queries --------------------------------------------------------------------------------------


Test: TypeAlias = Callable[[State, Binding], bool]
Solve: TypeAlias = Callable[[State, Binding], Iterator[Binding]]
Typing: TypeAlias = Mapping[str, Parameter]


class Queries:
    """Compiles the conditions of one domain over some objects, given with their types."""

    def __init__(self, domain: Domain, objects: Mapping[str, frozenset[str]]) -> None:
        self._types = domain.types
        self._objects = objects
        self._of_type: dict[frozenset[str], tuple[str, ...]] = {}
        self._axioms: dict[str, list[Axiom]] = defaultdict(list)
        for axiom in domain.axioms:
            self._axioms[axiom.predicate].append(axiom)
        self._recursive = _recursive(self._axioms)
        self._rules: dict[str, list[tuple[tuple[str, ...], Test]]] = {}
        self._asked: set[GroundAtom] = set()
        self._fresh = 0

    def objects_of(self, types: frozenset[str]) -> tuple[str, ...]:
        """Return the objects that have one of ``types``."""
        found = self._of_type.get(types)
        if found is None:
            above = self._types.ancestors
            found = tuple(name for name, own in self._objects.items() if not types.isdisjoint(above(own)))
            self._of_type[types] = found
        return found

    # --- conditions whose variables are all known ------------------------------------------------

    def test(self, formula: Formula) -> Test:
        """Compile a condition that is asked with all its free variables bound."""
        match formula:
            case Atom(predicate, terms):
                if predicate in self._axioms:
                    return lambda state, binding: self._derives(ground(formula, binding), state)
                if len(terms) == 1:
                    term = terms[0]
                    return lambda state, binding: bool(state.row((predicate, 0, binding.get(term, term))))
                return lambda state, binding: ground(formula, binding) in state
            case Equal(left, right):
                return lambda state, binding: binding.get(left, left) == binding.get(right, right)
            case Not(part):
                inner = self.test(part)
                return lambda state, binding: not inner(state, binding)
            case And(parts):
                tests = [self.test(part) for part in parts]
                return lambda state, binding: all(test(state, binding) for test in tests)
            case Or(parts):
                tests = [self.test(part) for part in parts]
                return lambda state, binding: any(test(state, binding) for test in tests)
            case Imply(premise, conclusion):
                return self.test(Or((Not(premise), conclusion)))
            case Forall(parameters, part):
                return self.test(Not(Exists(parameters, negated(part))))
            case Exists(parameters, part):
                parameters, part = self._apart(parameters, part)
                solve = self.solve((part,), free(formula), _typing(parameters))
                return lambda state, binding: next(solve(state, binding), None) is not None
            case _:
                raise NotImplementedError(f"{type(formula).__name__} is read, not executed")

    def _derives(self, atom: GroundAtom, state: State) -> bool:
        """Return whether an axiom derives an atom.

        An atom that is asked for on the way to itself adds nothing to the least fixpoint, and counts as false there.
        """
        if atom in self._asked:
            return False
        rules = self._rules.get(atom[0])
        if rules is None:
            rules = [
                (tuple(parameter.name for parameter in axiom.parameters), self.test(axiom.condition))
                for axiom in self._axioms[atom[0]]
            ]
            self._rules[atom[0]] = rules
        if atom[0] not in self._recursive:
            return any(test(state, dict(zip(names, atom[1:], strict=True))) for names, test in rules)
        self._asked.add(atom)
        try:
            return any(test(state, dict(zip(names, atom[1:], strict=True))) for names, test in rules)
        finally:
            self._asked.discard(atom)

    # --- conditions with variables that are sought -----------------------------------------------

    def solve(self, parts: Sequence[Formula], bound: frozenset[str], typing: Typing) -> Solve:
        """Compile a conjunction, asked with ``bound`` known, that yields every binding of ``typing`` as well."""
        parts = [inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,))]
        if not parts:
            return self._enumerate(sorted(typing.keys() - bound), typing, _finish)
        chosen = min(range(len(parts)), key=lambda index: (self._rank(parts[index], bound), index))
        part, rest = parts[chosen], [*parts[:chosen], *parts[chosen + 1 :]]
        missing = free(part) - bound
        if not missing:
            return self._filter(part, rest, bound, typing)
        then = self.solve(rest, bound | missing, typing)
        match part:
            case Atom(predicate) if predicate not in self._axioms:
                return self._match(part, bound, typing, then)
            case Atom(predicate) if predicate not in self._recursive:
                return self.solve([self._unfolded(part), *rest], bound, typing)
            case Or(options):
                return self._either(options, bound, typing, missing, then)
            case Exists(parameters, inner):
                parameters, inner = self._apart(parameters, inner)
                scope = {**{name: typing[name] for name in missing}, **_typing(parameters)}
                return _distinct(self.solve((inner,), bound, scope), missing, then)
            case _:
                first = min(missing)
                return self._enumerate([first], typing, self.solve(parts, bound | {first}, typing))

    def _rank(self, part: Formula, bound: frozenset[str]) -> int:
        missing = free(part) - bound
        if not missing:
            return 1 if isinstance(part, Atom | Equal) and not self._is_derived(part) else 2
        if isinstance(part, Atom) and not self._is_derived(part):
            known = [term for term in part.terms if term[0] != "?" or term in bound]
            return 3 if known else 5 + (len(part.terms) > 1) * 2
        if isinstance(part, Or | Exists) or (isinstance(part, Atom) and part.predicate not in self._recursive):
            return 4 if free(part) & bound or not free(part) else 6
        return 9

    def _is_derived(self, part: Formula) -> bool:
        return isinstance(part, Atom) and part.predicate in self._axioms

    def _filter(self, part: Formula, rest: Sequence[Formula], bound: frozenset[str], typing: Typing) -> Solve:
        test, then = self.test(part), self.solve(rest, bound, typing)

        def run(state: State, binding: Binding) -> Iterator[Binding]:
            if test(state, binding):
                yield from then(state, binding)

        return run

    def _match(self, atom: Atom, bound: frozenset[str], typing: Typing, then: Solve) -> Solve:
        """Bind the missing variables of an atom to the atoms of a state."""
        predicate, terms = atom.predicate, atom.terms
        places = [place for place, term in enumerate(terms) if term[0] != "?" or term in bound]
        checks = [(place, self.objects_of(typing[term].types)) for place, term in enumerate(terms) if term in typing]
        allowed = [(place, frozenset(names)) for place, names in checks if len(names) < len(self._objects)]

        def rows(state: State, binding: Binding) -> Iterator[frozenset[GroundAtom]]:
            if places:
                keys = [(predicate, place, binding.get(terms[place], terms[place])) for place in places]
                yield min(map(state.row, keys), key=len)
            else:
                yield from (state.row((predicate, 0, name)) for name in state.firsts(predicate))

        def run(state: State, binding: Binding) -> Iterator[Binding]:
            for row in rows(state, binding):
                for candidate in row:
                    found = _unify(terms, candidate, binding)
                    if found is not None and all(candidate[place + 1] in names for place, names in allowed):
                        yield from then(state, found)

        return run

    def _either(
        self, options: Sequence[Formula], bound: frozenset[str], typing: Typing, missing: frozenset[str], then: Solve
    ) -> Solve:
        scope = {name: typing[name] for name in missing}
        solves = [self.solve((option,), bound, scope) for option in options]

        def run(state: State, binding: Binding) -> Iterator[Binding]:
            for solve in solves:
                yield from solve(state, binding)

        return _distinct(run, missing, then)

    def _enumerate(self, names: Sequence[str], typing: Typing, then: Solve) -> Solve:
        """Bind variables that nothing narrows down to every object of their types."""
        if not names:
            return then
        name, after = names[0], self._enumerate(names[1:], typing, then)
        types = typing[name].types

        def run(state: State, binding: Binding) -> Iterator[Binding]:
            for value in self.objects_of(types):
                yield from after(state, {**binding, name: value})

        return run

    def _unfolded(self, atom: Atom) -> Formula:
        """Return what a derived atom stands for, by the axioms of its predicate."""
        options: list[Formula] = []
        for axiom in self._axioms[atom.predicate]:
            parameters, body = self._apart(axiom.parameters, axiom.condition)
            same = tuple(Equal(p.name, term) for p, term in zip(parameters, atom.terms, strict=True))
            options.append(substituted(body, {e.left: e.right for e in same}))
        return options[0] if len(options) == 1 else Or(tuple(options))

    def _apart(self, parameters: tuple[Parameter, ...], part: Formula) -> tuple[tuple[Parameter, ...], Formula]:
        """Rename bound variables to names that occur nowhere else."""
        self._fresh += 1
        names = {parameter.name: f"{parameter.name}#{self._fresh}" for parameter in parameters}
        renamed = tuple(Parameter(names[parameter.name], parameter.types) for parameter in parameters)
        return renamed, substituted(part, names)


def _finish(state: State, binding: Binding) -> Iterator[Binding]:
    yield binding


def _distinct(solve: Solve, names: frozenset[str], then: Solve) -> Solve:
    """Go on with each binding of ``names`` once."""

    def run(state: State, binding: Binding) -> Iterator[Binding]:
        seen = set()
        for found in solve(state, binding):
            values = {name: found[name] for name in names}
            mark = tuple(sorted(values.items()))
            if mark not in seen:
                seen.add(mark)
                yield from then(state, {**binding, **values})

    return run


def _typing(parameters: Sequence[Parameter]) -> dict[str, Parameter]:
    return {parameter.name: parameter for parameter in parameters}


def _unify(terms: tuple[str, ...], candidate: GroundAtom, binding: Binding) -> Binding | None:
    found = dict(binding)
    for term, value in zip(terms, candidate[1:], strict=True):
        if (term if term[0] != "?" else found.setdefault(term, value)) != value:
            return None
    return found


def _recursive(axioms: Mapping[str, Sequence[Axiom]]) -> frozenset[str]:
    """Return the derived predicates that depend on themselves."""
    needs = {name: {p for axiom in rules for p in predicates(axiom.condition)} for name, rules in axioms.items()}
    reach = {name: set(direct) for name, direct in needs.items()}
    for middle in needs:
        for name in needs:
            if middle in reach[name]:
                reach[name] |= reach[middle]
    return frozenset(name for name in needs if name in reach[name])

"""The first-order language of a flow, built with tarski: sorts, constants, predicates, actions, costs, and its PDDL.

tarski is imported here only. What no condition and no goal reads is left out of the effects and the initial state. What
tarski prints in the order of a set is sorted, so that the same flow gives the same bytes in every process.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from validator.records import dataclass

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import tarski
    import tarski.fstrips as fs
    from tarski.io import FstripsWriter
    from tarski.io import fstrips as iofs
    from tarski.syntax import Atom, CompoundFormula, Connective, Constant, Tautology, land, lor, neg, top
    from tarski.theories import Theory

from validator.model import values as model

__all__ = ["Language", "Term"]

Term = Any
"""A constant, variable, atom or formula of tarski, which has no type annotations."""


_REQUIREMENTS = "(:requirements :adl :action-costs)"


@dataclass(frozen=True, slots=True)
class _Action:
    name: str
    parameters: list[Term]
    precondition: Term
    effects: list[Term]
    cost: Term


class Language:
    """Collects a planning problem and prints it as PDDL."""

    def __init__(self, name: str) -> None:
        self._lang = fs.language(name, theories=[Theory.EQUALITY, Theory.ARITHMETIC])
        self._problem = fs.create_fstrips_problem(
            domain_name=f"{name}-domain", problem_name=f"{name}-problem", language=self._lang
        )
        self._init = tarski.model.create(self._lang)
        self._cost = self._lang.function("total-cost", self._lang.Integer)
        self._problem.metric(self._cost(), fs.OptimizationType.MINIMIZE)
        self._init.set(self._cost(), 0)
        self._constants: list[Term] = []
        self._actions: list[_Action] = []
        self._facts: list[Term] = []
        self._implied: list[tuple[Term, Term]] = []
        self._goal: Term = top
        self._predicates: dict[str, Term] = {}
        self._functions: dict[str, Term] = {}
        self._sorts: dict[str, Term] = {}

    # --- vocabulary ----------------------------------------------------------------------------

    def sort(self, name: str, parent: str | None = None) -> None:
        self._sorts[name] = self._lang.sort(name, self._sorts[parent] if parent else self._lang.Object)

    def constant(self, name: str, sort: str) -> Term:
        constant = self._lang.constant(name, self._sorts[sort])
        self._constants.append(constant)
        return constant

    def predicate(self, name: str, *sorts: str) -> None:
        self._predicates[name] = self._lang.predicate(name, *(self._sorts[sort] for sort in sorts))

    def function(self, name: str, *sorts: str) -> None:
        self._functions[name] = self._lang.function(name, *(self._sorts[sort] for sort in sorts), self._lang.Integer)

    def variable(self, name: str, sort: str) -> Term:
        return self._lang.variable(name, self._sorts[sort])

    def atom(self, predicate: str, *terms: Term) -> Term:
        return self._predicates[predicate](*terms)

    def value(self, function: str, *terms: Term) -> Term:
        return self._functions[function](*terms)

    # --- the problem ---------------------------------------------------------------------------

    def action(
        self,
        name: str,
        parameters: Sequence[Term],
        precondition: Iterable[Term],
        effects: Iterable[Term],
        cost: int | Term,
    ) -> None:
        """Add an action; its precondition is the conjunction, ``cost`` a number or a function of the parameters."""
        price = self._lang.constant(cost, self._lang.Integer) if isinstance(cost, int) else cost
        self._actions.append(_Action(name, list(parameters), conjunction(precondition), list(effects), price))

    def deletes(self, atom: Term) -> bool:
        """Return whether an effect may make an atom without variables false."""
        effects = (effect for action in self._actions for effect in _flat(action.effects))
        return any(isinstance(effect, fs.DelEffect) and _unified(effect.atom, atom) is not None for effect in effects)

    def also(self, atom: Term, other: Term) -> None:
        """Let another atom be true wherever an atom without variables becomes true, and where it is so at first."""
        for action in self._actions:
            for effect in _flat(action.effects):
                equal = _unified(effect.atom, atom) if isinstance(effect, fs.AddEffect) else None
                if equal is not None:
                    action.effects.extend(adds(other, when=conjunction([*_plain(effect.condition), *equal])))
        self._implied.append((atom, other))

    def fact(self, predicate: str, *terms: Term) -> None:
        self._facts.append(self.atom(predicate, *terms))

    def set(self, function: str, terms: Sequence[Term], value: int) -> None:
        self._init.set(self.value(function, *terms), value)

    def goal(self, parts: Iterable[Term]) -> None:
        self._goal = conjunction(parts)

    def pddl(self) -> tuple[str, str]:
        """Return the domain and the problem as PDDL."""
        read = {*_predicates(self._goal)}
        for action in self._actions:
            read.update(_predicates(action.precondition))
            read.update(name for effect in action.effects for name in _predicates(_condition(effect)))
        for action in self._actions:
            self._problem.action(
                action.name,
                parameters=action.parameters,
                precondition=action.precondition,
                effects=[effect for effect in action.effects if _changed(effect) in read],
                cost=iofs.AdditiveActionCost(action.cost),
            )
        facts = set(map(str, self._facts))
        for fact in (*self._facts, *(other for atom, other in self._implied if str(atom) in facts)):
            if fact.predicate.name in read:
                self._init.add(fact)
        self._problem.goal = self._goal
        self._problem.init = self._init
        writer = FstripsWriter(self._problem)
        domain: str = writer.print_domain(constant_objects=self._constants)
        problem: str = writer.print_instance(constant_objects=self._constants)
        for name in self._predicates.keys() - read:
            domain = re.sub(rf"\n +\({re.escape(name)} \?x1 [^\n]*\)(?=\n)", "", domain)
        domain = re.sub(r"\(:requirements [^)]*\)", _REQUIREMENTS, domain)
        domain = domain.replace(" - int\n", " - number\n")
        return _tidy(domain), _tidy(_sorted_init(problem))


def conjunction(parts: Iterable[Term]) -> Term:
    found = list(parts)
    return land(*found, flat=True) if len(found) > 1 else found[0] if found else top


def disjunction(parts: Iterable[Term]) -> Term:
    found = list(parts)
    return lor(*found, flat=True) if len(found) > 1 else found[0]


def negation(formula: Term) -> Term:
    return neg(formula)


def adds(*atoms: Term, when: Term = None) -> list[Term]:
    return [fs.AddEffect(atom, when if when is not None else top) for atom in atoms]


def deletes(*atoms: Term, when: Term = None) -> list[Term]:
    return [fs.DelEffect(atom, when if when is not None else top) for atom in atoms]


def for_all(variables: Sequence[Term], effects: Sequence[Term]) -> Term:
    return fs.UniversalEffect(list(variables), list(effects))


def formula(term: Term) -> model.Formula:
    """Return a condition without variables as the model's own."""
    if isinstance(term, Tautology):
        return model.TRUE
    if isinstance(term, Atom):
        return model.Atom(term.predicate.name, tuple(part.symbol for part in term.subterms))
    parts = tuple(map(formula, term.subformulas))
    if term.connective is Connective.Not:
        return model.Not(parts[0])
    return model.And(parts) if term.connective is Connective.And else model.Or(parts)


def _predicates(formula: Term) -> Iterator[str]:
    """Yield the names of the predicates in a formula."""
    if isinstance(formula, Atom):
        yield formula.predicate.name
    elif isinstance(formula, CompoundFormula):
        for part in formula.subformulas:
            yield from _predicates(part)


def _condition(effect: Term) -> Term:
    return effect.effects[0].condition if isinstance(effect, fs.UniversalEffect) else effect.condition


def _flat(effects: Iterable[Term]) -> list[Term]:
    return [inner for effect in effects for inner in getattr(effect, "effects", (effect,))]


def _plain(condition: Term) -> list[Term]:
    return [] if isinstance(condition, Tautology) else [condition]


def _unified(atom: Term, ground: Term) -> list[Term] | None:
    """Return the equalities under which an atom is one without variables; None when it never is."""
    if atom.predicate.name != ground.predicate.name:
        return None
    # tarski's terms make formulas of == and !=, so that their symbols are compared.
    pairs = [
        (one, other) for one, other in zip(atom.subterms, ground.subterms, strict=True) if one.symbol != other.symbol
    ]
    return None if any(isinstance(one, Constant) for one, _ in pairs) else [one == other for one, other in pairs]


def _changed(effect: Term) -> str:
    inner = effect.effects[0] if isinstance(effect, fs.UniversalEffect) else effect
    name: str = inner.atom.predicate.name
    return name


def _sorted_init(problem: str) -> str:
    """Sort the lines between ``(:init`` and its end, which tarski prints in the order of a set."""
    before, _, rest = problem.partition("(:init\n")
    inside, _, behind = rest.partition("\n    )")
    lines = sorted(inside.splitlines())
    return before + "(:init\n" + "\n".join(lines) + "\n    )" + behind


def _tidy(text: str) -> str:
    """Leave out tarski's header and blank lines."""
    lines = (line.rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith(";;;")) + "\n"

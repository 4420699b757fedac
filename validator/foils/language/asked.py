"""Of what a question is asked: a model, how its steps are called and seen, and a plan of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from validator.automata.pattern import Pattern
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.foils.language.conditions import read_condition, read_value
from validator.foils.language.patterns import Names, read_pattern
from validator.foils.questions import PremiseError
from validator.foils.view import PDDL, View
from validator.model.values import Action, And, Formula, GroundAtom, Model, literals_of
from validator.reading.lexicon import Lexicon
from validator.reading.lexicon.kinds import Kinds, atoms_of
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.patterns import Patterns
from validator.reading.lexicon.verbs import Verbs
from validator.reading.plan import Plan, Token
from validator.records import dataclass, replace

__all__ = ["Asked"]

_CONNECTIVES = ("and", "or", "not", "imply", "exists", "forall", "=")


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Of what is asked: the model, how its steps are called and seen, and the plan, if one is given.

    A flow has no facts of which a question could speak.
    """

    simulator: Simulator
    names: Names
    view: View = PDDL
    plan: Plan | None = None
    has_facts: bool = True

    @property
    def model(self) -> Model:
        return self.simulator.model

    @cached_property
    def lexicon(self) -> Lexicon:
        """Return how the model's steps and objects are said."""
        return Lexicon.of(self.model)

    @cached_property
    def patterns(self) -> Patterns:
        """Return the steps that the words of a clause allow."""
        return self.lexicon.patterns

    @cached_property
    def facts(self) -> Patterns:
        """Return the facts that the words of a clause allow, where each predicate is taken for an action."""
        model, kinds = self.model, self.lexicon.kinds
        ways = {f"{way.name} {number}": way for number, way in enumerate(_as_actions(model, kinds))}
        actions = {name: replace(way, name=name, step=way.name) for name, way in ways.items()}
        told = Model(domain=replace(model.domain, actions=actions), problem=model.problem)
        known = _Kinds(told, kinds.changing)
        return Patterns(told, Objects(told, known), Verbs(told, known))

    def speaks_of_step(self, text: str) -> bool:
        """Return whether a text names a step rather than a fact."""
        name = re.match(r"[\s(]*([^\s(),]*)", text)
        said = "" if name is None else name[1].lower()
        is_step = said == "_" or any(said == known.lower() for known in self.names.steps)
        is_fact = self.has_facts and (said in self.model.domain.predicates or said in _CONNECTIVES)
        return is_step or not is_fact

    def step(self, text: str) -> Pattern:
        return read_pattern(text, self.names, source="question")

    def condition(self, text: str) -> Formula:
        if not self.has_facts:
            raise InputError("a flow has no facts; ask about its steps", source="question")
        return read_condition(text, self.model, "question")

    def value(self, text: str) -> tuple[GroundAtom, Fraction]:
        """Return a function and the value that a text gives it."""
        if not self.has_facts:
            raise InputError("a flow has no values; ask about its steps", source="question")
        return read_value(text, self.model, "question")

    def given(self) -> Plan:
        if self.plan is None:
            raise PremiseError("this question asks about a plan; give one", source="question")
        return self.plan

    def times(self, step: Pattern) -> int:
        """Return how often the plan takes a step."""
        return sum(map(step.matches, self.seen()))

    def seen(self) -> list[Token]:
        """Return the steps of the plan as people see them."""
        found = (self.simulator.resolve(token) for token in self.given().tokens)
        return [self.view.seen(self.simulator, token) for token in found]


@dataclass(frozen=True)
class _Kinds(Kinds):
    """What may stand where in facts: what steps can change is said, for what tells facts has no steps."""

    changing: frozenset[str] = frozenset()


def _as_actions(model: Model, kinds: Kinds) -> Iterator[Action]:
    """Yield each predicate as an action with its parameters, and one that steps change as each of them uses it."""
    for name, parameters in model.domain.predicates.items():
        ways = [(tuple(parameters), ())] if name not in kinds.changing else list[Any]()
        for action in model.domain.actions.values() if not ways else ():
            own = {parameter.name: parameter for parameter in action.parameters}
            effects = (literal.atom for literal in literals_of(action.effects))
            for atom in (*atoms_of(action.precondition), *effects):
                if atom.predicate == name and own.keys() >= {*atom.terms}:
                    needs = (need for need in kinds.required[action.name] if len(need.terms) == 1)
                    about = tuple(need for need in needs if need.terms[0] in atom.terms)
                    ways.append((tuple(own[term] for term in atom.terms), about))
        for taken, needed in dict.fromkeys(ways or [(tuple(parameters), ())]):
            yield Action(name=name, parameters=taken, precondition=And(needed), effects=())

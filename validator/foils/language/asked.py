"""Of what a question is asked: a model, how its steps are called and seen, and a plan of it."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cached_property

from validator.automata.pattern import Pattern
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.foils.language.conditions import read_condition, read_value
from validator.foils.language.patterns import Names, read_pattern
from validator.foils.questions import PremiseError
from validator.foils.view import PDDL, View
from validator.model.values import Formula, GroundAtom, Model
from validator.reading.lexicon import Lexicon
from validator.reading.plan import Plan, Token
from validator.records import dataclass

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

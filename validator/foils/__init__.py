"""Foils: why not this plan, why not this step, and what if.

A model, a plan and a question come in; an ``Answer`` goes out: the cheapest plan that does what was asked, the nearest
one, what each costs, and what stands in the way. Open ``ask`` first, then ``inquiry``. ``language`` reads questions; a
question is constraints on plans, which are put beside the model's own task, or ``changes`` of the model;
``constrained`` writes it into models with numbers or time. ``conflicts`` and ``reasons`` say why not.
"""

from validator.automata.constraints import (
    AtLeast,
    AtMost,
    Before,
    Between,
    Constraint,
    Directly,
    Must,
    MustNot,
    OnlyIf,
    Pattern,
    Solvable,
    Starts,
    WithinCost,
)
from validator.automata.properties import Property
from validator.foils.answers import Answer, Cheapest, Reason, Side
from validator.foils.ask import why_not
from validator.foils.changes import (
    OtherGoal,
    Wish,
    WithFact,
    WithGoal,
    WithoutFact,
    WithoutGoal,
    WithoutObject,
    WithValue,
)
from validator.foils.language.context import read_pattern
from validator.foils.questions import Question, instead, why

__all__ = [
    "Answer",
    "AtLeast",
    "AtMost",
    "Before",
    "Between",
    "Cheapest",
    "Constraint",
    "Directly",
    "Must",
    "MustNot",
    "OnlyIf",
    "OtherGoal",
    "Pattern",
    "Property",
    "Question",
    "Reason",
    "Side",
    "Solvable",
    "Starts",
    "Wish",
    "WithFact",
    "WithGoal",
    "WithValue",
    "WithinCost",
    "WithoutFact",
    "WithoutGoal",
    "WithoutObject",
    "instead",
    "read_pattern",
    "why",
    "why_not",
]

"""Foils: why not this plan, why not this step, and what if.

A model, a plan and a question come in; an ``Answer`` goes out: two plans side by side, what each costs, and what
cannot hold together. Open ``ask`` first. A question is constraints on steps, which ``compiled`` puts beside the
model's own task.
"""

from validator.foils.answer import Answer, Price, Side
from validator.foils.ask import why_not
from validator.foils.compiled.constraints import AtMost, Before, Constraint, Must, MustNot, Pattern, Starts
from validator.foils.patterns import names_of, read_pattern
from validator.foils.questions import Question, instead, why

__all__ = [
    "Answer",
    "AtMost",
    "Before",
    "Constraint",
    "Must",
    "MustNot",
    "Pattern",
    "Price",
    "Question",
    "Side",
    "Starts",
    "instead",
    "names_of",
    "read_pattern",
    "why",
    "why_not",
]

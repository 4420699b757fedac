"""Plans whose author has other names than the model: they are not understood, rather than wrong."""

from __future__ import annotations

import re

from validator.reading.plan import Constraint, Dialect, Ignored, Step, Unparsed
from validator.reading.reading import Candidate
from validator.reading.tokens.candidates.candidate import with_missed
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["without_foreign_names"]


def without_foreign_names(candidate: Candidate, known: Vocabulary) -> Candidate:
    """Return a candidate whose steps are missed where all of them call things otherwise than the model does.

    One unknown object, or one step of no action, is a fault of a plan, and so are actions that are not there in a text
    of nothing but steps as PDDL writes them, which is what it says. Else, where no object that a plan names is known,
    or no action of its steps, its author has other names for them, and what they mean is not understood. Nor is it
    where prose has parentheses of which none is a step, and nothing in them is of the model, ``KCL:
    (/rosplan_dispatcher) Dispatching plan.``, or nothing but names of actions that take arguments: ``Barn (unpile):
    received.`` Nor are records of which none has as many arguments as its action takes.
    """
    steps = candidate.plan.steps
    if candidate.plan.dialect is Dialect.JSON and len(steps) > 1 and not any(_fits(step, known) for step in steps):
        reason = "no record here has as many arguments as its action takes"
        text = candidate.plan.text
        of_others = (Unparsed(text=text[slice(*step.span)], reason=reason, span=step.span) for step in steps)
        return with_missed(candidate, of_others)
    names = {arg.lower() for step in steps for arg in step.args}
    objects = names - known.objects
    actions = {step.name.lower() for step in steps} - known.actions.keys()
    is_elsewhere = known.objects.isdisjoint(names)
    are_all = len(actions) == len({step.name.lower() for step in steps})
    are_of_prose = (
        bool(actions or not names)
        and any(isinstance(part, Ignored) and part.kind == "prose" for part in candidate.plan.parts)
        and not any(_fits(step, known) for step in steps)
    )
    reason = "the model has no {} '{}', nor any other that is named here"
    if len(objects) > 1 and objects == names:
        strange, what = objects, "object"
    elif are_all and (
        (len(steps) > 1 and not _is_formal(candidate))
        or (is_elsewhere and (candidate.mentions or (names and known.objects)))
    ):
        strange, what = actions, "action"
    elif known.objects and is_elsewhere and are_of_prose:
        strange, what = (actions, "action") if names else ({step.name.lower() for step in steps}, "step")
        reason = "the model has no {} '{}', and nothing in parentheses here is a step of it"
    else:
        return candidate
    foreign: list[Unparsed] = []
    for step in steps:
        said, word = what, next((word for word in (step.name, *step.args) if word.lower() in strange), None)
        if word is None and step.name.lower() in actions:
            said, word = "action", step.name
        if word is not None:
            text = candidate.plan.text[slice(*step.span)] or str(step)
            foreign.append(Unparsed(text=text, reason=reason.format(said, word), span=step.span))
    if len(foreign) == len(steps):  # what holds between such steps is no more of the model than they are
        foreign += (
            Unparsed(text=token.text, reason="no step beside it is of the model", span=token.span)
            for token in candidate.plan.tokens
            if isinstance(token, Constraint)
        )
    return with_missed(candidate, foreign)


def _fits(step: Step, known: Vocabulary) -> bool:
    return known.actions.get(step.name.lower()) == len(step.args)


def _is_formal(candidate: Candidate) -> bool:
    """Return whether a text is nothing but steps in parentheses, with numbers and comments, and no table of them."""
    text = candidate.plan.text
    return not candidate.missed and all(
        text.startswith("(", part.span[0])
        if isinstance(part, Step)
        else isinstance(part, Ignored) and part.kind != "prose" and not _has_columns(part)
        for part in candidate.plan.parts
    )


_NUMBERS = re.compile(r"\d\s+\d")


def _has_columns(part: Ignored) -> bool:
    """Return whether several numbers stand beside each other: PDDL writes one, the time."""
    return part.kind == "markup" and _NUMBERS.search(part.text) is not None

"""The kinds of questions: what each takes, how it may be said, and what it asks of a plan or of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

from validator.automata.constraints import (
    AtLeast,
    AtMost,
    Before,
    Between,
    Directly,
    Must,
    MustNot,
    OnlyIf,
    Solvable,
    Window,
    WithinCost,
)
from validator.automata.properties import Property
from validator.errors import InputError, did_you_mean
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
from validator.foils.language.context import Context
from validator.foils.questions import Question, instead, not_at, why
from validator.model.values import Imply, Not
from validator.records import dataclass
from validator.texts import decimal

_MOST_TIMES = 1000

_Make = Callable[..., Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A kind of question: what it takes, how it may be said, and what it asks, made of what it takes.

    ``says`` are phrases with ``/`` between them; ``{0}`` stands for the first argument. ``of_states`` is what it asks
    where conditions stand in the place of its steps.
    """

    takes: tuple[str, ...]
    says: str
    make: _Make
    of_states: _Make | None = None

    @property
    def is_of_steps(self) -> bool:
        """Return whether it takes steps, and nothing else but numbers."""
        return "STEP" in self.takes and {*self.takes} <= {"STEP", "N"}

    def read(
        self, context: Context, args: Sequence[str], step: Callable[[Context, str], object] | None = None
    ) -> Question:
        """Return the question of some arguments; ``step`` reads steps. Raises InputError for what it does not take."""
        if "TIME" in self.takes and not context.model.features:
            raise InputError("this asks about times, and the model has none", source="question")
        steps = (arg for arg, what in zip(args, self.takes, strict=True) if what == "STEP")
        make, step = self.make, step or Context.step
        if self.of_states is not None and step is Context.step and not any(map(context.speaks_of_step, steps)):
            make, step = self.of_states, Context.condition
        readers = {**_READERS, "STEP": step}
        return make(context, *(readers[what](context, arg) for what, arg in zip(self.takes, args, strict=True)))


def _times(_: Context, text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_TIMES:
        raise InputError(f"a number from 0 to {_MOST_TIMES} was expected, not '{text}'", source="question")
    return int(text)


def _number(_: Context, text: str) -> Fraction:
    if not re.fullmatch(r"\d{1,15}(\.\d{1,15})?", text):
        raise InputError(f"a number such as 30 was expected, not '{text}'", source="question")
    return Fraction(text)


def _object(context: Context, text: str) -> str:
    objects = context.model.problem.objects
    name = next((each for each in objects if each.lower() == text.lower()), None)
    if name is None:
        raise InputError(f"unknown object '{text}'{did_you_mean(text.lower(), objects)}", source="question")
    return name


_READERS: Mapping[str, Callable[..., Any]] = {
    "N": _times,
    "TIME": _number,
    "COST": _number,
    "OBJECT": _object,
    "CONDITION": Context.condition,
    "FACT": Context.fact,
    "VALUE": Context.value,
}


# --- what is asked -------------------------------------------------------------------------------


def _wish(kind: Callable[..., Wish], **more: object) -> _Make:
    """Return what makes a constraint, or a change of the model, of the values of its fields."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]

    def make(_: Context, *values: object) -> Question:
        return Question(constraints=(kind(**dict(zip(names, values, strict=False)), **more),))

    return make


def _property(operator: str) -> _Make:
    """Return what makes a constraint on states of its times and its conditions."""

    def make(_: Context, *values: Any) -> Question:
        times = tuple(value for value in values if isinstance(value, Fraction))
        return Question(constraints=(Property(operator=operator, parts=values[len(times) :], times=times),))

    return make


_always = _property("always")


def _window(*, is_only: bool) -> _Make:
    make = _wish(Window, is_only=is_only)

    def checked(context: Context, step: object, start: Fraction, end: Fraction) -> Question:
        if not start < end:
            raise InputError(f"a window from {decimal(start)} to {decimal(end)} is empty", source="question")
        return make(context, step, start, end)

    return checked


def _of_plan(ask: Callable[..., Question]) -> _Make:
    """Return what makes a question about the plan that is given."""
    return lambda context, *values: ask(context.simulator, context.given(), *values)


_STEP, _COND = ("STEP",), ("CONDITION",)

FORMS: Mapping[str, Form] = {
    # the whole plan, or its steps one by one
    "solvable": Form(
        takes=(), says="solvable / why unsolvable / why is there no plan / there must be a plan", make=_wish(Solvable)
    ),
    "why": Form(takes=_STEP, says="why {0}", make=_of_plan(why)),
    "instead": Form(
        takes=("STEP", "N"), says="{0} instead of step {1} / {0} instead at {1}", make=_of_plan(instead)
    ),
    "not-at": Form(
        takes=("STEP", "N"), says="{0} not at step {1} / another step than {0} at {1}", make=_of_plan(not_at)
    ),
    # steps, and those of states that are said alike
    "must": Form(
        takes=_STEP, says="must {0} / {0} must happen", make=_wish(Must), of_states=_property("sometime")
    ),
    "must-not": Form(
        takes=_STEP, says="must not {0} / {0} must not happen", make=_wish(MustNot),
        of_states=lambda context, condition: _always(context, Not(condition)),
    ),
    "at-least": Form(
        takes=("N", "STEP"), says="at least {0} {1} / {1} must happen at least {0} time|times", make=_wish(AtLeast)
    ),
    "at-most": Form(
        takes=("N", "STEP"), says="at most {0} {1} / {1} may happen at most {0} time|times", make=_wish(AtMost)
    ),
    "before": Form(
        takes=("STEP", "STEP"), says="{0} before {1} / {1} after {0} / {0} must come before {1}", make=_wish(Before),
        of_states=lambda context, first, second: _property("sometime-before")(context, second, first),
    ),
    "directly": Form(
        takes=("STEP", "STEP"),
        says="{1} directly|immediately after {0} / {0} directly before {1} / {1} must come directly after {0}",
        make=_wish(Directly),
    ),
    "between": Form(
        takes=("STEP", "STEP", "STEP"), says="{0} between {1} and {2} / {0} must come between {1} and {2}",
        make=_wish(Between),
    ),
    "only-if": Form(
        takes=("STEP", "CONDITION"), says="{0} only if {1} / {0} may happen only if {1}", make=_wish(OnlyIf),
        of_states=lambda context, premise, conclusion: _always(context, Imply(premise, conclusion)),
    ),
    # states
    "always": Form(takes=_COND, says="always {0} / {0} must always hold", make=_always),
    "never": Form(
        takes=_COND, says="never {0} / {0} must never hold",
        make=lambda context, condition: _always(context, Not(condition)),
    ),
    "sometime": Form(takes=_COND, says="sometime {0} / {0} must hold at some time", make=_property("sometime")),
    "at-end": Form(takes=_COND, says="at end {0} / {0} must hold at the end", make=_property("at end")),
    "at-most-once": Form(
        takes=_COND, says="at most once {0} / {0} may hold in one stretch only", make=_property("at-most-once")
    ),
    "sometime-after": Form(
        takes=("CONDITION", "CONDITION"), make=_property("sometime-after"),
        says="sometime after {0} {1} / whenever {0} holds, {1} must hold then or later",
    ),
    "sometime-before": Form(
        takes=("CONDITION", "CONDITION"), says="sometime before {0} {1} / {1} must hold before {0} does",
        make=_property("sometime-before"),
    ),
    # times and costs
    "begin": Form(
        takes=("STEP", "TIME", "TIME"), says="{0} from {1} to {2} / {0} must begin from {1} to {2}",
        make=_window(is_only=False),
    ),
    "only-from": Form(
        takes=("STEP", "TIME", "TIME"), says="{0} only from {1} to {2} / {0} may happen only from {1} to {2}",
        make=_window(is_only=True),
    ),
    "within": Form(
        takes=("TIME", "CONDITION"), says="within {0} {1} / {1} must hold by {0}", make=_property("within")
    ),
    "always-within": Form(
        takes=("TIME", "CONDITION", "CONDITION"), make=_property("always-within"),
        says="always within {0} {1} {2} / whenever {1} holds, {2} must hold within {0}",
    ),
    "hold-during": Form(
        takes=("TIME", "TIME", "CONDITION"), says="hold during {0} {1} {2} / {2} must hold from {0} to {1}",
        make=_property("hold-during"),
    ),
    "hold-after": Form(
        takes=("TIME", "CONDITION"), says="hold after {0} {1} / {1} must hold after {0}", make=_property("hold-after")
    ),
    "within-cost": Form(
        takes=("COST",), says="within cost {0} / the plan may cost at most {0}", make=_wish(WithinCost)
    ),
    # other models
    "without-object": Form(takes=("OBJECT",), says="without the? object {0}", make=_wish(WithoutObject)),
    "without-fact": Form(takes=("FACT",), says="without the? fact {0}", make=_wish(WithoutFact)),
    "with-fact": Form(takes=("FACT",), says="with the? fact {0}", make=_wish(WithFact)),
    "with-value": Form(
        takes=("VALUE",), says="with the? value {0}",
        make=lambda context, given: _wish(WithValue)(context, *given),
    ),
    "without-goal": Form(takes=_COND, says="without the? goal {0}", make=_wish(WithoutGoal)),
    "with-goal": Form(takes=_COND, says="with goal {0} / with the goal {0} as well", make=_wish(WithGoal)),
    "goal": Form(takes=_COND, says="goal {0} / with the goal {0} instead", make=_wish(OtherGoal)),
}  # fmt: skip
"""Every kind of question by its name."""

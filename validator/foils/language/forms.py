"""The kinds of questions: what each takes, how it may be said, and what it asks of a plan or of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

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
from validator.foils.language.asked import Asked
from validator.foils.questions import Question, every_step, instead, not_at, why
from validator.model.values import Formula, Imply, Not
from validator.records import dataclass

__all__ = ["FORMS", "Form"]

_MOST_TIMES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A kind of question: what it takes, how it may be said, how it is made of texts, and what it asks."""

    takes: tuple[str, ...]
    says: tuple[str, ...]
    make: Callable[[Asked, Sequence[str]], Question]
    about: str

    @property
    def is_of_steps(self) -> bool:
        """Return whether it takes steps, and nothing else but numbers."""
        return "STEP" in self.takes and {*self.takes} <= {"STEP", "N"}


def _one(wish: Wish) -> Question:
    return Question(constraints=(wish,))


def _property(operator: str, *parts: Formula) -> Question:
    return _one(Property(operator=operator, parts=parts))


def _must(asked: Asked, args: Sequence[str]) -> Question:
    if asked.speaks_of_step(args[0]):
        return _one(Must(step=asked.step(args[0])))
    return _property("sometime", asked.condition(args[0]))


def _must_not(asked: Asked, args: Sequence[str]) -> Question:
    if asked.speaks_of_step(args[0]):
        return _one(MustNot(step=asked.step(args[0])))
    return _property("always", Not(asked.condition(args[0])))


def _before(asked: Asked, args: Sequence[str]) -> Question:
    if any(map(asked.speaks_of_step, args)):
        return _one(Before(first=asked.step(args[0]), second=asked.step(args[1])))
    return _property("sometime-before", asked.condition(args[1]), asked.condition(args[0]))


def _only_if(asked: Asked, args: Sequence[str]) -> Question:
    condition = asked.condition(args[1])
    if asked.speaks_of_step(args[0]):
        return _one(OnlyIf(step=asked.step(args[0]), condition=condition))
    return _property("always", Imply(asked.condition(args[0]), condition))


def _again(asked: Asked, args: Sequence[str]) -> Question:
    step = asked.step(args[0])
    times = asked.times(step)
    facts = (f"The plan does {step} {times} time{'s' if times != 1 else ''}.",)
    return Question(constraints=(AtLeast(number=times + 1, step=step),), facts=facts)


def _times(text: str) -> int:
    if not text.isdecimal() or int(text) > _MOST_TIMES:
        raise InputError(f"a number from 0 to {_MOST_TIMES} was expected, not '{text}'", source="question")
    return int(text)


def _window(*, is_only: bool) -> Callable[[Asked, Sequence[str]], Question]:
    def make(asked: Asked, args: Sequence[str]) -> Question:
        start, end = map(_number, args[1:])
        if not start < end:
            raise InputError(f"a window from {args[1]} to {args[2]} is empty", source="question")
        return _one(Window(step=asked.step(args[0]), start=start, end=end, is_only=is_only))

    return _over_time(make)


def _timed(operator: str, times: int) -> Callable[[Asked, Sequence[str]], Question]:
    def make(asked: Asked, args: Sequence[str]) -> Question:
        parts = tuple(map(asked.condition, args[times:]))
        return _one(Property(operator=operator, parts=parts, times=tuple(map(_number, args[:times]))))

    return _over_time(make)


def _over_time(make: Callable[[Asked, Sequence[str]], Question]) -> Callable[[Asked, Sequence[str]], Question]:
    """Return a question that only a model with numbers or time can be asked."""

    def checked(asked: Asked, args: Sequence[str]) -> Question:
        if not asked.model.features:
            raise InputError("this asks about times, and the model has none", source="question")
        return make(asked, args)

    return checked


def _number(text: str) -> Fraction:
    if not re.fullmatch(r"\d{1,15}(\.\d{1,15})?", text):
        raise InputError(f"a number such as 30 was expected, not '{text}'", source="question")
    return Fraction(text)


def _object(asked: Asked, args: Sequence[str]) -> Question:
    objects = asked.model.problem.objects
    name = next((each for each in objects if each.lower() == args[0].lower()), None)
    if name is None or not asked.has_facts:
        raise InputError(f"unknown object '{args[0]}'{did_you_mean(args[0].lower(), objects)}", source="question")
    return _one(WithoutObject(name=name))


def _why(asked: Asked, args: Sequence[str]) -> Question:
    return why(asked.simulator, asked.given(), asked.step(args[0]), asked.view)


def _instead(asked: Asked, args: Sequence[str]) -> Question:
    return instead(asked.simulator, asked.given(), asked.step(args[0]), _times(args[1]), asked.view)


def _not_at(asked: Asked, args: Sequence[str]) -> Question:
    return not_at(asked.simulator, asked.given(), asked.step(args[0]), _times(args[1]), asked.view)


def _of_parts(operator: str) -> Callable[[Asked, Sequence[str]], Question]:
    return lambda asked, args: _property(operator, *map(asked.condition, args))


def _value(asked: Asked, args: Sequence[str]) -> Question:
    function, value = asked.value(args[0])
    return _one(WithValue(function=function, value=value))


_STEP, _COND = ("STEP",), ("CONDITION",)

FORMS: Mapping[str, Form] = {
    "solvable": Form(
        takes=(), says=("solvable", "why unsolvable", "why is there no plan", "there must be a plan"),
        make=lambda asked, args: _one(Solvable()), about="why is there no plan, and what would have to be otherwise",
    ),
    "every-step": Form(
        takes=(), says=("is every step necessary",),
        make=lambda asked, args: every_step(asked.simulator, asked.given(), asked.view),
        about="which steps of the plan can be left out",
    ),
    "why": Form(takes=_STEP, says=("why {0}",), make=_why, about="why is the step in the plan"),
    "instead": Form(
        takes=("STEP", "N"), says=("{0} instead of step {1}", "{0} instead at {1}"), make=_instead,
        about="why not this step at place N, the steps before it as they are",
    ),
    "not-at": Form(
        takes=("STEP", "N"), says=("{0} not at step {1}", "another step than {0} at {1}"), make=_not_at,
        about="why this step at place N: another one there, the steps before it as they are",
    ),
    "must": Form(takes=_STEP, says=("must {0}", "{0} must happen"), make=_must, about="what if it must happen"),
    "must-not": Form(
        takes=_STEP, says=("must not {0}", "{0} must not happen"), make=_must_not, about="what if it must not happen"
    ),
    "again": Form(takes=_STEP, says=("again {0}", "{0} again"), make=_again, about="once more than in the plan"),
    "at-least": Form(
        takes=("N", "STEP"),
        says=("at least {0} {1}", "{1} must happen at least {0} times?"),
        make=lambda asked, args: _one(AtLeast(number=_times(args[0]), step=asked.step(args[1]))),
        about="N times or more",
    ),
    "at-most": Form(
        takes=("N", "STEP"),
        says=("at most {0} {1}", "{1} may happen at most {0} times?"),
        make=lambda asked, args: _one(AtMost(number=_times(args[0]), step=asked.step(args[1]))),
        about="N times or less",
    ),
    "before": Form(
        takes=("STEP", "STEP"),
        says=("{0} before {1}", "{1} after {0}", "{0} must come before {1}"),
        make=_before,
        about="no second before the first; the second need not happen",
    ),
    "directly": Form(
        takes=("STEP", "STEP"),
        says=("{1} directly after {0}", "{1} immediately after {0}", "{0} directly before {1}",
              "{1} must come directly after {0}"),
        make=lambda asked, args: _one(Directly(first=asked.step(args[0]), second=asked.step(args[1]))),
        about="the second once directly after the first",
    ),
    "between": Form(
        takes=("STEP", "STEP", "STEP"),
        says=("{0} between {1} and {2}", "{0} must come between {1} and {2}"),
        make=lambda asked, args: _one(
            Between(step=asked.step(args[0]), first=asked.step(args[1]), second=asked.step(args[2]))
        ),
        about="the first once after the second and before the third",
    ),
    "only-if": Form(
        takes=("STEP", "CONDITION"),
        says=("{0} only if {1}", "{0} may happen only if {1}"),
        make=_only_if,
        about="the step only in states in which the condition holds",
    ),
    "always": Form(takes=_COND,
        says=("always {0}", "{0} must always hold"),
        make=_of_parts("always"),
        about="in every state",
    ),
    "never": Form(
        takes=_COND, says=("never {0}", "{0} must never hold"),
        make=lambda asked, args: _property("always", Not(asked.condition(args[0]))), about="in no state",
    ),
    "sometime": Form(
        takes=_COND, says=("sometime {0}", "{0} must hold at some time"), make=_of_parts("sometime"),
        about="in some state",
    ),
    "at-end": Form(
        takes=_COND, says=("at end {0}", "{0} must hold at the end"), make=_of_parts("at end"),
        about="in the last state",
    ),
    "at-most-once": Form(
        takes=_COND, says=("at most once {0}", "{0} may hold in one stretch only"), make=_of_parts("at-most-once"),
        about="in one stretch of states only",
    ),
    "sometime-after": Form(
        takes=("CONDITION", "CONDITION"),
        says=("sometime after {0} {1}", "whenever {0} holds, {1} must hold then or later"),
        make=_of_parts("sometime-after"),
        about="whenever the first holds, the second then or later",
    ),
    "sometime-before": Form(
        takes=("CONDITION", "CONDITION"),
        says=("sometime before {0} {1}", "{1} must hold before {0} does"),
        make=_of_parts("sometime-before"),
        about="before the first holds, the second does",
    ),
    "begin": Form(
        takes=("STEP", "TIME", "TIME"),
        says=("{0} from {1} to {2}", "{0} must begin from {1} to {2}"),
        make=_window(is_only=False),
        about="of a plan over time: it begins once in the window",
    ),
    "only-from": Form(
        takes=("STEP", "TIME", "TIME"),
        says=("{0} only from {1} to {2}", "{0} may happen only from {1} to {2}"),
        make=_window(is_only=True),
        about="of a plan over time: it happens in the window only",
    ),
    "within": Form(
        takes=("TIME", "CONDITION"),
        says=("within {0} {1}", "{1} must hold by {0}"),
        make=_timed("within", 1),
        about="of a plan over time: it holds by then",
    ),
    "always-within": Form(
        takes=("TIME", "CONDITION", "CONDITION"),
        says=("always within {0} {1} {2}", "whenever {1} holds, {2} must hold within {0}"),
        make=_timed("always-within", 1),
        about="of a plan over time: whenever the first holds, the second so soon",
    ),
    "hold-during": Form(
        takes=("TIME", "TIME", "CONDITION"),
        says=("hold during {0} {1} {2}", "{2} must hold from {0} to {1}"),
        make=_timed("hold-during", 2),
        about="of a plan over time: it holds all that time",
    ),
    "hold-after": Form(
        takes=("TIME", "CONDITION"),
        says=("hold after {0} {1}", "{1} must hold after {0}"),
        make=_timed("hold-after", 1),
        about="of a plan over time: it holds from then on",
    ),
    "within-cost": Form(
        takes=("COST",),
        says=("within cost {0}", "the plan may cost at most {0}"),
        make=lambda asked, args: _one(WithinCost(cost=_number(args[0]))),
        about="a budget: which goals and wishes fit into it",
    ),
    "without-object": Form(
        takes=("OBJECT",), says=("without object {0}", "without the object {0}"), make=_object, about="it is not there"
    ),
    "without-fact": Form(
        takes=("FACT",), says=("without fact {0}", "without the fact {0}"),
        make=lambda asked, args: _one(WithoutFact(fact=asked.fact(args[0]))), about="it does not hold initially",
    ),
    "with-fact": Form(
        takes=("FACT",), says=("with fact {0}", "with the fact {0}"),
        make=lambda asked, args: _one(WithFact(fact=asked.fact(args[0]))), about="it holds initially as well",
    ),
    "with-value": Form(
        takes=("VALUE",), says=("with value {0}", "with the value {0}"), make=_value, about="it is so much initially",
    ),
    "without-goal": Form(
        takes=_COND, says=("without goal {0}", "without the goal {0}"),
        make=lambda asked, args: _one(WithoutGoal(goal=asked.condition(args[0]))), about="one goal less",
    ),
    "with-goal": Form(
        takes=_COND, says=("with goal {0}", "with the goal {0} as well"),
        make=lambda asked, args: _one(WithGoal(goal=asked.condition(args[0]))), about="one goal more",
    ),
    "goal": Form(
        takes=_COND, says=("goal {0}", "with the goal {0} instead"),
        make=lambda asked, args: _one(OtherGoal(goal=asked.condition(args[0]))), about="another goal in place of all",
    ),
}  # fmt: skip
"""Every kind of question by its name."""

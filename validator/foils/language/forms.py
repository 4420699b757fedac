"""The kinds of questions: what each takes, how it may be said, and what it asks of a plan or of the model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from validator.automata import constraints as wishes
from validator.automata.properties import PHRASES, Property
from validator.errors import InputError
from validator.foils import changes
from validator.foils.language.context import Context, named, read_condition, read_fact, read_pattern, read_value
from validator.foils.questions import Question, instead, not_at, why
from validator.model.values import Imply, Not
from validator.records import FIELDS, dataclass
from validator.texts import decimal

_MOST_TIMES = 1000

_Make = Callable[..., Question]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A kind of question: what it takes, how it may be said, and what it asks, made of what it takes.

    ``says`` are phrases with ``/`` between them, beside its name before its arguments; ``{0}`` stands for the first
    argument. ``of_states`` is what it asks where conditions stand in the place of its steps.
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
        make, step = self.make, step or read_step
        if self.of_states is not None and step is read_step and not any(map(context.speaks_of_step, steps)):
            make, step = self.of_states, read_condition
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
    return named(text, "object", context.model.problem.objects, source="question")


def read_step(context: Context, text: str) -> wishes.Pattern:
    """Read a step as it is written in names."""
    return read_pattern(text, context.simulator, source="question")


_READERS: Mapping[str, Callable[..., Any]] = {
    "N": _times,
    "TIME": _number,
    "COST": _number,
    "OBJECT": _object,
    "CONDITION": read_condition,
    "FACT": read_fact,
    "VALUE": read_value,
}


# --- what is asked -------------------------------------------------------------------------------


def _wish(kind: type[wishes.Phrased], takes: str, also: str = "", of_states: _Make | None = None) -> Form:
    """Return the form of a constraint, or a change of the model, which takes its fields and is said as it is shown."""
    names, kinds = [*getattr(kind, FIELDS)], tuple(takes.split())
    slots = {name: f"{{{place}}}{' time|times' * (kinds[place] == 'N')}" for place, name in enumerate(names)}

    def make(_: Context, *values: object) -> Question:
        return Question(constraints=(kind(**dict(zip(names, values, strict=True))),))  # type: ignore[arg-type]

    return Form(takes=kinds, says=_phrases(kind.says.format(**slots), also), make=make, of_states=of_states)


def _property(operator: str) -> _Make:
    """Return what makes a constraint on states of its times and its conditions."""

    def make(_: Context, *values: Any) -> Question:
        times = tuple(value for value in values if isinstance(value, Fraction))
        return Question(constraints=(Property(operator=operator, parts=values[len(times) :], times=times),))

    return make


def _states(operator: str, takes: str = "CONDITION", also: str = "") -> Form:
    """Return the form of a constraint on states, which takes its times first."""
    kinds = tuple(takes.split())
    places = sorted(range(len(kinds)), key=lambda place: kinds[place] == "TIME")
    says = PHRASES[operator].format(*(f"{{{place}}}" for place in places))
    return Form(takes=kinds, says=_phrases(says, also), make=_property(operator))


def _phrases(*phrases: str) -> str:
    return " / ".join(filter(None, phrases))


_always = _property("always")


def _window(*, is_only: bool) -> _Make:
    def make(_: Context, step: wishes.Pattern, start: Fraction, end: Fraction) -> Question:
        if not start < end:
            raise InputError(f"a window from {decimal(start)} to {decimal(end)} is empty", source="question")
        return Question(constraints=(wishes.Window(step=step, start=start, end=end, is_only=is_only),))

    return make


def _of_plan(ask: Callable[..., Question]) -> _Make:
    """Return what makes a question about the plan that is given."""
    return lambda context, *values: ask(context.simulator, context.given, *values)


_WINDOW, _NEVER = ("STEP", "TIME", "TIME"), "{0} must never hold"

FORMS: Mapping[str, Form] = {
    # the whole plan, or its steps one by one
    "solvable": _wish(wishes.Solvable, "", "why unsolvable / why is there no plan"),
    "why": Form(takes=("STEP",), says="why {0}", make=_of_plan(why)),
    "instead": Form(
        takes=("STEP", "N"), says="{0} instead of step {1} / {0} instead at {1}", make=_of_plan(instead)
    ),
    "not-at": Form(
        takes=("STEP", "N"), says="{0} not at step {1} / another step than {0} at {1}", make=_of_plan(not_at)
    ),
    # steps, and those of states that are said alike
    "must": _wish(wishes.Must, "STEP", of_states=_property("sometime")),
    "must-not": _wish(
        wishes.MustNot, "STEP", of_states=lambda context, condition: _always(context, Not(condition))
    ),
    "at-least": _wish(wishes.AtLeast, "N STEP"),
    "at-most": _wish(wishes.AtMost, "N STEP"),
    "before": _wish(
        wishes.Before, "STEP STEP", "{0} before {1} / {1} after {0}",
        of_states=lambda context, first, second: _property("sometime-before")(context, second, first),
    ),
    "directly": _wish(
        wishes.Directly, "STEP STEP", "{1} directly|immediately after {0} / {0} directly before {1}"
    ),
    "between": _wish(wishes.Between, "STEP STEP STEP", "{0} between {1} and {2}"),
    "only-if": _wish(
        wishes.OnlyIf, "STEP CONDITION", "{0} only if {1}",
        of_states=lambda context, premise, conclusion: _always(context, Imply(premise, conclusion)),
    ),
    # states
    "always": _states("always"),
    "never": Form(
        takes=("CONDITION",), says=_NEVER, make=lambda context, condition: _always(context, Not(condition))
    ),
    "sometime": _states("sometime"),
    "at-end": _states("at end"),
    "at-most-once": _states("at-most-once"),
    "sometime-after": _states("sometime-after", "CONDITION CONDITION"),
    "sometime-before": _states("sometime-before", "CONDITION CONDITION"),
    # times and costs
    "begin": Form(
        takes=_WINDOW, says="{0} from {1} to {2} / {0} must begin from {1} to {2}", make=_window(is_only=False)
    ),
    "only-from": Form(
        takes=_WINDOW, says="{0} only from {1} to {2} / {0} may happen only from {1} to {2}",
        make=_window(is_only=True),
    ),
    "within": _states("within", "TIME CONDITION"),
    "always-within": _states("always-within", "TIME CONDITION CONDITION"),
    "hold-during": _states("hold-during", "TIME TIME CONDITION"),
    "hold-after": _states("hold-after", "TIME CONDITION"),
    "within-cost": _wish(wishes.WithinCost, "COST"),
    # other models
    "without-object": _wish(changes.WithoutObject, "OBJECT"),
    "without-fact": _wish(changes.WithoutFact, "FACT"),
    "with-fact": _wish(changes.WithFact, "FACT"),
    "with-value": Form(
        takes=("VALUE",), says="with the value {0}",
        make=lambda _, given: Question(constraints=(changes.WithValue(function=given[0], value=given[1]),)),
    ),
    "without-goal": _wish(changes.WithoutGoal, "CONDITION"),
    "with-goal": _wish(changes.WithGoal, "CONDITION"),
    "goal": _wish(changes.OtherGoal, "CONDITION"),
}  # fmt: skip
"""Every kind of question by its name."""

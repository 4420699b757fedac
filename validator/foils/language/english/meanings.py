"""What the sentences of questions ask: what stands in their gaps comes in, a ``Question`` goes out.

In the gaps, ``a`` and ``b`` are steps (or objects, of which a step with them is meant), ``x`` is an object, ``c`` a
condition, ``f`` a fact, ``n`` and ``m`` are numbers. Each raises InputError for a gap that is not understood, and
PremiseError where the plan is not as the question says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from validator.automata.constraints import AtLeast, AtMost, Before, Directly, Must, MustNot, Solvable
from validator.automata.pattern import Pattern
from validator.automata.properties import Property, WithinCost
from validator.errors import InputError
from validator.foils import questions
from validator.foils.changed.changes import WithFact, WithGoal, WithoutFact, WithoutGoal, WithoutObject, WithValue
from validator.foils.findings import Wish
from validator.foils.language.asked import Asked
from validator.foils.language.conditions import read_condition
from validator.foils.language.english.facts import facts_named, value_named
from validator.foils.language.english.numbers import number_said
from validator.foils.language.english.steps import objects_said, step_said, step_with
from validator.foils.language.english.words import WHO
from validator.foils.questions import PremiseError, Question
from validator.model.pddl.write import atom_text
from validator.model.values import Formula
from validator.reading.lexicon.english import PREPOSITIONS
from validator.reading.lexicon.facts import read_facts

__all__ = [
    "Said",
    "after",
    "at",
    "at_end",
    "at_least",
    "at_most",
    "before",
    "directly",
    "fewer",
    "more",
    "must",
    "must_by",
    "must_do",
    "must_not",
    "must_not_by",
    "not_at",
    "rather",
    "solvable",
    "why",
    "why_by",
    "why_do",
    "with_fact",
    "with_goal",
    "with_value",
    "within",
    "without",
    "without_fact",
    "without_goal",
]

Said = Mapping[str, str]
"""what stands in the gaps"""

_WHO = re.compile(rf"^{WHO} ", re.IGNORECASE)


def _ask(*wishes: Wish) -> Question:
    return Question(constraints=wishes)


def _step(asked: Asked, said: Said, name: str = "a") -> Pattern:
    return step_said(said[name], asked, is_bare=True)


def _pair(asked: Asked, said: Said) -> tuple[Pattern, Pattern]:
    """Return two steps, of which the second may be told by its object alone: "load p1 before p2"."""
    first, other = step_said(said["a"], asked), _WHO.sub("", said["b"])
    if objects_said(other, asked):
        return first, step_with(said["a"], other, asked)
    return first, step_said(other, asked)


def _whole(part: str, other: str) -> str:
    """Return what a step is contrasted with, as a whole: "at l9", of "debark c5 at l0 rather than at l9"."""
    preposition, _, rest = part.partition(" ")
    before, found, _ = f" {other}".rpartition(f" {preposition} ")
    return f"{before.strip()} {part}" if preposition.lower() in PREPOSITIONS and rest and found else part


def _place(said: Said) -> int:
    return number_said(said.get("n") or said.get("m") or "1")


# --- what is asked -------------------------------------------------------------------------------


def must(asked: Asked, said: Said) -> Question:
    return _ask(Must(step=_step(asked, said)))


def must_by(asked: Asked, said: Said) -> Question:
    return _ask(Must(step=step_said(f"{said['x']} {said['a']}", asked)))


def must_not(asked: Asked, said: Said) -> Question:
    return _ask(MustNot(step=_step(asked, said)))


def must_not_by(asked: Asked, said: Said) -> Question:
    return _ask(MustNot(step=step_said(f"{said['x']} {said['a']}", asked)))


def must_do(asked: Asked, said: Said) -> Question:
    return _ask(Must(step=step_said(said["a"], asked)))


def why_do(asked: Asked, said: Said) -> Question:
    return questions.why(asked.simulator, asked.given(), step_said(said["a"], asked), asked.view)


def why(asked: Asked, said: Said) -> Question:
    return questions.why(asked.simulator, asked.given(), _step(asked, said), asked.view)


def why_by(asked: Asked, said: Said) -> Question:
    return questions.why(asked.simulator, asked.given(), step_said(f"{said['x']} {said['a']}", asked), asked.view)


def rather(asked: Asked, said: Said) -> Question:
    """Ask for the second in place of the first: in its place of the plan, or of objects, in all of it."""
    said = {**said, "a": _whole(said["a"], said["b"]), "b": _whole(said["b"], said["a"])}
    if objects_said(said["b"], asked) and not said.keys() & {"n", "m"}:
        used = _step(asked, said)
        other = _step(asked, said, "b") if used.is_any_step else step_with(said["a"], said["b"], asked)
        return _ask(Must(step=other), MustNot(step=used))
    there, other = step_said(said["a"], asked), step_said(said["b"], asked)
    places = [place for place, step in enumerate(asked.seen(), start=1) if there.matches(step)]
    if "n" in said or "m" in said:
        places = [place for place in places if place == _place(said)]
    if not places:
        where = f"step {_place(said)} of the plan" if "n" in said or "m" in said else "in the plan"
        raise PremiseError(f"{there} is not {where}", source="question")
    if len(places) > 1:
        steps = ", ".join(map(str, places))
        raise PremiseError(f"{there} is at the steps {steps} of the plan; say at which step", source="question")
    return questions.instead(asked.simulator, asked.given(), other, places[0], asked.view)


def before(asked: Asked, said: Said) -> Question:
    first, second = _pair(asked, said)
    return _ask(Before(first=first, second=second))


def after(asked: Asked, said: Said) -> Question:
    second, first = _pair(asked, said)
    return _ask(Before(first=first, second=second))


def directly(asked: Asked, said: Said) -> Question:
    second, first = _pair(asked, said)
    return _ask(Directly(first=first, second=second))


def at(asked: Asked, said: Said) -> Question:
    return questions.instead(asked.simulator, asked.given(), _step(asked, said), _place(said), asked.view)


def not_at(asked: Asked, said: Said) -> Question:
    step, place = _step(asked, said), _place(said)
    if not any(step.matches(each) for each in asked.seen()[place - 1 : place]):
        raise PremiseError(f"{step} is not step {place} of the plan", source="question")
    return questions.not_at(asked.simulator, asked.given(), step, place, asked.view)


def fewer(asked: Asked, said: Said) -> Question:
    """Ask why a step is done so often: what if it is done once less."""
    step = _step(asked, said)
    times = asked.times(step)
    if "n" in said and number_said(said["n"]) != times:
        raise PremiseError(f"the plan does {step} {times} time{'s' if times != 1 else ''}", source="question")
    if not times:
        raise PremiseError(f"{step} is not in the plan", source="question")
    return _ask(AtMost(number=times - 1, step=step))


def more(asked: Asked, said: Said) -> Question:
    step = _step(asked, said)
    return _ask(AtLeast(number=asked.times(step) + 1, step=step))


def at_most(asked: Asked, said: Said) -> Question:
    return _ask(AtMost(number=number_said(said["n"]), step=_step(asked, said)))


def at_least(asked: Asked, said: Said) -> Question:
    return _ask(AtLeast(number=number_said(said["n"]), step=_step(asked, said)))


def without(asked: Asked, said: Said) -> Question:
    names = objects_said(said["x"], asked)
    if not names or not asked.has_facts:
        raise InputError(f"'{said['x']}' is no object of the model", source="question")
    return _ask(*(WithoutObject(name=name) for name in names))


def solvable(asked: Asked, said: Said) -> Question:
    return _ask(Solvable())


def within(asked: Asked, said: Said) -> Question:
    return _ask(WithinCost(cost=Fraction(said["n"])))


def without_goal(asked: Asked, said: Said) -> Question:
    return _ask(WithoutGoal(goal=_condition(asked, said["c"])))


def with_goal(asked: Asked, said: Said) -> Question:
    return _ask(WithGoal(goal=_condition(asked, said["c"])))


def with_value(asked: Asked, said: Said) -> Question:
    function, value = asked.value(value_named(said["f"], said["n"], asked))
    return _ask(WithValue(function=function, value=value))


def at_end(asked: Asked, said: Said) -> Question:
    return _ask(Property(operator="at end", parts=(_condition(asked, said["c"]),)))


def _condition(asked: Asked, text: str) -> Formula:
    """Return a condition in PDDL or in words. Raises InputError for what is none."""
    if "(" in text or not asked.has_facts:
        return asked.condition(text)
    facts = read_facts(text, asked.lexicon)
    if not facts.facts or facts.unread or facts.beside:
        raise InputError(f"'{text}' is no fact of the model", source="question")
    atoms = (atom_text(fact.atom) if fact.positive else f"(not {atom_text(fact.atom)})" for fact in facts.facts)
    return read_condition(" ".join(atoms), asked.model, "question")


def without_fact(asked: Asked, said: Said) -> Question:
    facts = [fact for fact in facts_named(said["f"], asked) if fact in asked.model.problem.init]
    if not facts:
        raise PremiseError(f"'{said['f']}' does not hold initially", source="question")
    return _ask(*(WithoutFact(fact=fact) for fact in facts))


def with_fact(asked: Asked, said: Said) -> Question:
    return _ask(*(WithFact(fact=fact) for fact in facts_named(said["f"], asked)))

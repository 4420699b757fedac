"""One language for questions: a phrase such as ``(a) before (b)``, PDDL 3 such as ``(always (p))``, or English.

In PDDL a question is ``(kind arguments)``; the kinds and their phrases are in ``forms``. In a phrase, a blank may stand
where its words have ``-``. What is none of these is read as English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache

from validator.errors import InputError, did_you_mean
from validator.foils.language.context import Context, joined, shown
from validator.foils.language.english import read_english, step_said
from validator.foils.language.forms import FORMS
from validator.foils.language.frames import matched
from validator.foils.questions import PremiseError, Question
from validator.reading.lexicon.english import stem
from validator.reading.lexicon.line_words import words_of
from validator.reading.plan import Step
from validator.records import replace


def read_question(text: str, context: Context) -> Question:
    """Read a question. Raises InputError for what is none, with the place of a name that is not known."""
    stripped = text.strip().rstrip(".")
    said = _matched(stripped)
    if said is None and stripped.startswith("(") and stripped.endswith(")"):
        said = _matched(stripped[1:-1].strip())
    if said is None:
        return _in_english(text, context)
    form, args = FORMS[said[0]], said[1]
    try:
        return form.read(context, args)
    except InputError:
        if form.is_of_steps:
            with suppress(InputError):
                return form.read(context, args, step_said)
        with suppress(InputError):  # "why truck2?" has the form of a phrase, and speaks of no step
            if (question := read_english(text, context)) is not None:
                return question
        raise


def _unknown(said: str) -> InputError:
    first = said.lower().partition(" ")[0]
    hint = did_you_mean(first, FORMS) if first else ""
    return InputError(f"'{said}' is not a question{hint}", source="question")


def _in_english(text: str, context: Context) -> Question:
    """Return what is asked in English.

    Where it is not understood, the steps of the plan stand for their numbers; else synonyms of the model's verbs count.
    """
    problem: InputError | None = None
    for has_numbers, has_synonyms in ((False, False), (True, False), (False, True)):
        try:
            said = _numbered(text, context) if has_numbers else text
            question = read_english(said, replace(context, has_synonyms=has_synonyms))
            if question is not None:
                return question
        except InputError as error:
            if isinstance(error, PremiseError) and not has_synonyms:
                raise
            problem = problem or error
    problem, near = problem or _unknown(text.strip().rstrip(".")), " ".join(_nearest(text, context))
    raise InputError(f"{problem.message}. You can ask: {near}" if near else problem.message, source="question")


def _numbered(text: str, context: Context) -> str:
    """Return a text with the steps of the plan in place of their numbers: "why step 2?".

    Raises PremiseError for a step that the plan has several times.
    """
    steps = [] if context.plan is None else list(map(str, context.seen()))

    def step(found: re.Match[str]) -> str:
        said = dict(enumerate(steps, 1)).get(int(found[1]), found[0])
        if steps.count(said) > 1:
            again = ", ".join(str(number) for number, step in enumerate(steps, 1) if step == said)
            raise PremiseError(f"{said} is at the steps {again} of the plan; ask about all of them", source="question")
        return said

    return re.sub(r"\bstep (\d{1,6})\b", step, text, flags=re.IGNORECASE)


def _matched(text: str) -> tuple[str, list[str]] | None:
    """Return the kind and the arguments of a text that is one of the phrases."""
    kind, slots = next(matched(_phrases(), joined(text)), ("", {}))
    return (kind, [shown(slots[name]) for name in sorted(slots)]) if kind else None


@cache
def _phrases() -> Mapping[str, str]:
    """Return the phrases of each kind as frames, the first one its name before its arguments."""
    found: dict[str, str] = {}
    for kind, form in FORMS.items():
        slots = [f"{{{name}:{what}}}" for name, what in zip("abc", form.takes, strict=False)]
        found[kind] = f"{' '.join((kind, *slots))} / {form.says.format(*slots)}"
    return found


# --- what could have been asked ------------------------------------------------------------------

_MOST_NEAR, _MOST_TRIED, _MOST_NAMES = 3, 100, 60
_SAID_OF_STEPS = (
    *("Why {0}?", "Why not {0}?", "What if we {0}?", "What if we never {0}?", "Must we {0}?"),
    *("Is it possible to {0} only once?", "How often do we {0}?"),
)
_SAID_OF_OBJECTS = ("Do we need {0}?", "Why not use {0}?", "What if there were no {0}?")
_SAID_OF_PLANS = ("Is there a cheaper plan?", "Is there a shorter plan?", "Why is there no plan?")


def _nearest(text: str, context: Context) -> list[str]:
    """Return the sentences that share most words with a text and are understood, each of another form."""
    said, every = _stems(text), list(_near(context))
    found: dict[str, str] = {}
    for form, sentence in sorted(every, key=lambda one: -len(said & _stems(one[1])))[:_MOST_TRIED]:
        if form not in found and len(found) < _MOST_NEAR:
            with suppress(InputError):
                if read_english(sentence, context) is not None:
                    found[form] = sentence
    return list(found.values())


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(stem, words_of(text).texts))


def _near(context: Context) -> Iterator[tuple[str, str]]:
    """Yield the forms of sentences, each with a sentence of steps in PDDL, or as templates word them."""
    steps = [] if context.plan is None else [step for step in dict.fromkeys(context.seen()) if isinstance(step, Step)]
    said = list(map(str if context.lexicon.templates is None else context.lexicon.say, steps[:_MOST_NAMES]))
    objects = list(dict.fromkeys(arg for step in steps for arg in step.args)) or list(context.model.problem.objects)
    for forms, names in ((_SAID_OF_STEPS, said), (_SAID_OF_OBJECTS, objects[:_MOST_NAMES])):
        yield from ((form, form.format(name)) for form in forms for name in names)
    yield from ((form, form) for form in _SAID_OF_PLANS)

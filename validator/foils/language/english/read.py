"""Questions as people write them: "why don't you use truck2?", "why is A before B rather than after?".

A text is brought into a plain form, held against sentences with gaps, and what stands in the gaps is read as steps,
objects and facts of the model, every word of it. All sentences are tried: where they ask different things, or none
fits, the question was not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

from validator.errors import InputError
from validator.foils.language.asked import Asked
from validator.foils.language.english.sentences import SENTENCES
from validator.foils.language.english.steps import objects_said, step_said
from validator.foils.language.english.words import DO, LED, REASON, WHO
from validator.foils.language.forms import FORMS, Form
from validator.foils.questions import PremiseError, Question
from validator.reading.lexicon.words import words_of

__all__ = ["made_in_words", "plain_form", "read_english"]

_LONGEST = 1000
_GAPS = {"STEP": ".+?", "N": r"\d+"}
_SHORT = (
    (r"[‘’ʼ]", "'"),
    (r"\bcan't\b", "can not"),
    (r"\bcannot\b", "can not"),
    (r"\bwon't\b", "will not"),
    (r"\bshan't\b", "shall not"),
    (r"(\w)n't\b", r"\1 not"),
    (r"\b(why|what|how|it|there|that|he|she)'s\b", r"\1 is"),
    (r"(\w)'re\b", r"\1 are"),
    (r"(\w)'d\b", r"\1 would"),
    (r"(\w)'ll\b", r"\1 will"),
    (r"(\w)'ve\b", r"\1 have"),
    (r"[\"'`“”«»]", ""),
    (rf"\b({DO}) not ({WHO})\b", r"\1 \2 not"),
)
_LEADS = re.compile(
    r"^(?:(?:so|but|and|ok|okay|well|hey|hi|hello|please|now|um|hm+|sorry|just)[, ]+"
    r"|(?:can|could|would|will) (?:you|someone|anyone) (?:please )?(?:explain|tell me|clarify|say)(?: to me)?,? "
    r"|(?:please )?(?:explain|tell me|clarify|justify|show me)(?: to me)?,? (?=why|what|how)"
    r"|i (?:wonder|am wondering|was wondering|do not understand|do not see|do not get|want to know|am curious"
    r"|would like to (?:know|understand)),? (?=why|what|how)"
    r"|do you know (?=why|what)"
    r"|what (?:is|was|were|are) the (?:\w+ )?(?:reasons?|rationale|motivation) (?:why|that) (?=\w))",
    re.IGNORECASE,
)
_WHYS = (
    (
        rf"^(?:(?:what|which) (?:is|was|were|are) |explain |describe )?the (?:\w+ )?{REASON} (?:for|behind|of|to) ",
        "why ",
    ),
    (rf"^what (?:\w+ )?{LED} ", "why "),
    (rf"^(?:is|are|was|were) there (?:any|an?) (?:\w+ )?{REASON} (?:why|that|for) ", "why "),
    (
        r"^(?:i (?:noticed?|see|saw|observed?) |it (?:looks like|seems|appears) |apparently )?(?:that )?(.*?\S)[.,;] "
        r"(?:(?:can|could) you (?:explain|elaborate|say|tell me)"
        rf"(?: (?:on|why|this|that|the|your|{REASON}|decision|behind))*"
        rf"|why(?: is (?:that|this|it))?|how come|is there an? {REASON}(?: for (?:this|that))?)$",
        r"why \1",
    ),
    (r"^how come\b(?: that)? ", "why "),
    (r"^for (?:what|which) reason\b ", "why "),
    (r"^why (?:exactly|on earth|then|is it that|was it that) ", "why "),
)
_TAILS = re.compile(
    r"(?:,? (?:please|though|anyway|at all|in the first place|to (?:reach|achieve) the goal)|[\s?!.,;]+)$",
    re.IGNORECASE,
)


def plain_form(text: str) -> str:
    """Return a question without contractions, quotes, politeness, and what says nothing at its ends."""
    for pattern, plain in _SHORT:
        text = re.sub(pattern, plain, text, flags=re.IGNORECASE)
    text = _stripped(_TAILS, " ".join(text.split()))
    text = _stripped(_LEADS, text)
    for pattern, plain in _WHYS:
        text = re.sub(pattern, plain, text, count=1, flags=re.IGNORECASE)
    return text


def _stripped(pattern: re.Pattern[str], text: str) -> str:
    while (shorter := pattern.sub("", text, count=1)) != text:
        text = shorter
    return text


def read_english(text: str, asked: Asked) -> Question | None:
    """Read a question in English; None for a text that is like none of the sentences.

    Raises InputError for one that is like some, with what was not understood of it, and for one that can mean two
    things; PremiseError where it takes for granted what is not so.
    """
    if len(text) > _LONGEST:
        return None
    found: dict[tuple[object, ...], Question] = {}
    problems: list[tuple[int, str]] = []
    untrue: PremiseError | None = None
    plain = _without_world(plain_form(text), asked)
    for pattern, make in _sentences():
        for groups in _matches(pattern, plain):
            try:
                question = make(asked, groups)
            except PremiseError as error:
                untrue = untrue or error
            except InputError as error:
                problems.append((sum(map(len, groups.values())), error.message))
            else:
                found.setdefault((question.constraints, question.foil is None), question)
    if len(found) > 1:
        ways = " or: ".join(_told(question) for question in list(found.values())[:3])
        raise InputError(f"the question can mean: {ways}; say which", source="question")
    if found:
        return next(iter(found.values()))
    if untrue is not None:
        raise untrue
    if problems:
        raise InputError(f"not understood: {min(problems, key=lambda problem: problem[0])[1]}", source="question")
    return None


def _without_world(text: str, asked: Asked) -> str:
    """Return a text with "it" for who acts where that is what the domain is called: the ferry, which is no object."""
    if not asked.has_facts:
        return text
    called = {word for word in words_of(asked.model.domain.name).texts if word.isalpha()}
    nouns = "|".join(sorted(word for word in called if not objects_said(f"the {word}", asked)))
    return re.sub(rf"\b(why|if|{DO}) the (?:{nouns}) ", r"\1 it ", text, flags=re.IGNORECASE) if nouns else text


def _told(question: Question) -> str:
    return "; ".join(map(str, question.constraints))


@cache
def _sentences() -> list[tuple[re.Pattern[str], Callable[[Asked, Mapping[str, str]], Question]]]:
    sentences = [(re.compile(pattern, re.IGNORECASE), make) for pattern, make in SENTENCES]
    return [
        *sentences,
        *(_of_form(form, phrase) for form in FORMS.values() if form.is_of_steps for phrase in form.says),
    ]


def _of_form(form: Form, phrase: str) -> tuple[re.Pattern[str], Callable[[Asked, Mapping[str, str]], Question]]:
    """Return a phrase of the language of questions with steps in words in its gaps."""
    text = re.escape(phrase).replace(r"\?", "?")
    for number, what in enumerate(form.takes):
        text = text.replace(f"\\{{{number}\\}}", f"(?P<g{number}>{_GAPS[what]})")

    def make(asked: Asked, said: Mapping[str, str]) -> Question:
        return made_in_words(form, [said[f"g{number}"] for number in range(len(form.takes))], asked)

    return re.compile(text.replace(r"\ ", " "), re.IGNORECASE), make


def made_in_words(form: Form, args: Sequence[str], asked: Asked) -> Question:
    """Return a question of a kind whose steps are in words. Raises InputError for what is none."""
    parts = zip(args, form.takes, strict=True)
    return form.make(asked, [str(step_said(part, asked)) if what == "STEP" else part for part, what in parts])


def _matches(pattern: re.Pattern[str], text: str) -> Iterator[Mapping[str, str]]:
    found = pattern.fullmatch(text)
    if found is not None:
        yield {name: said for name, said in found.groupdict().items() if said is not None}

"""Facts and values in words, as far as a question needs them: "the road from a to b", "the fuel of truck1"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from validator.errors import InputError
from validator.foils.language.asked import Asked
from validator.foils.language.conditions import read_fact
from validator.model.values import GroundAtom, Parameter
from validator.reading.lexicon.english import ARTICLES, PREPOSITIONS, singular
from validator.reading.lexicon.words import parts, words_of

__all__ = ["facts_named", "value_named"]


def facts_named(text: str, asked: Asked) -> list[GroundAtom]:
    """Return the facts that a text names: "the road from a to b", "road between a and b" (both ways).

    Raises InputError for what is none, and for facts that steps change: others would have to change with them.
    """
    if "(" in text or not asked.has_facts:
        asked.condition(text)
        return [read_fact(text, asked.model, "question")]
    predicate, names = _named(text, asked, asked.model.domain.predicates)
    if predicate in asked.lexicon.kinds.changing:
        raise InputError(
            f"steps change '{predicate}'; ask 'without fact (...)' or 'with fact (...)'", source="question"
        )
    ways = [names, names[::-1]] if "between" in text.lower().split() and len(names) == 2 else [names]
    return [read_fact(f"({' '.join((predicate, *way))})", asked.model, "question") for way in ways]


def value_named(text: str, number: str, asked: Asked) -> str:
    """Return the value of a function that a text names, "the fuel of truck1", as PDDL. Raises InputError."""
    if "(" in text or not asked.has_facts:
        return f"(= {text} {number})"
    function, names = _named(text, asked, asked.model.domain.functions)
    return f"(= ({' '.join((function, *names))}) {number})"


def _named(text: str, asked: Asked, known: Mapping[str, Sequence[Parameter]]) -> tuple[str, list[str]]:
    """Return what is named, of predicates or functions, and its objects in their order; no word may be left."""
    words = words_of(text)
    names: list[str] = []
    said: list[str] = []
    index = 0
    while index < len(words):
        found = asked.lexicon.objects.at(words, index)
        word = words.texts[index]
        if found is not None and len(found.objects) == 1:
            names.append(found.objects[0])
            index = found.end
        else:
            said += () if word in ARTICLES or word in PREPOSITIONS or word == "and" else (word,)
            index += 1
    meant = [name for name in known if parts(name) in (tuple(said), tuple(map(singular, said)))]
    if not meant or len(known[meant[0]]) != len(names):
        raise InputError(f"'{text}' is no {'fact' if known is asked.model.domain.predicates else 'value'} of the model")
    return meant[0], names

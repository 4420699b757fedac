"""What looks like a step though the model has no action of that name: a word, then objects and nothing else."""

from __future__ import annotations

from validator.reading.lexicon.english import ADVERBS, ARTICLES, PREPOSITIONS, SIGNS, STATES, SUBORDINATE
from validator.reading.lexicon.sentences.behind import nothing_behind
from validator.reading.lexicon.sentences.phrases import Phrases
from validator.reading.lexicon.sentences.said import Tongue, Unclear
from validator.reading.lexicon.words import Words

__all__ = ["read_strange", "verb_of"]

_MOST_WORDS = 24
"""signs and all, of a line that may be a step with a verb that nobody knows"""
_BEFORE = ADVERBS | frozenset(("finally", "first", "second", "third", "lastly", "step", "action", "and", "please"))
_NEVER = STATES | ARTICLES | SUBORDINATE | PREPOSITIONS.keys()


def verb_of(words: Words, tongue: Tongue) -> int | None:
    """Return where the word is that would be the verb of a line; None where there is none."""
    index = 0
    while (word := words.at(index)) in _BEFORE or word in SIGNS or word.isdigit():
        index += 1
    if len(words) > _MOST_WORDS or not word or word in _NEVER or not word[0].isalpha():
        return None
    follows = words.at(words.whole(index))
    return index if follows not in SIGNS and _can_be_a_verb(words, index, tongue) else None


def read_strange(words: Words, index: int, tongue: Tongue) -> Unclear | None:
    """Say that a line looks like a step, and that no action is called as the word at an index."""
    end = words.whole(index)
    said = "-".join(words.texts[index:end])
    phrases = Phrases(words, end, tongue.objects, most=3).read()
    if phrases.is_stated or phrases.is_odd or not phrases.found or not nothing_behind(words, phrases.index):
        return None
    if any(phrase.problem for phrase in phrases.found):
        return None
    span = (words.starts[index], phrases.end)
    return Unclear(reason=f"no action is called '{said}'", nearest=tongue.actions.nearest(said), span=span)


def _can_be_a_verb(words: Words, index: int, tongue: Tongue) -> bool:
    """Return whether a word is none that the model uses for something else."""
    objects, word = tongue.objects, words.texts[index]
    if word in objects.nouns or word in objects.adjectives or objects.at(words, index) is not None:
        return False
    return not objects.names_predicate(words, index)

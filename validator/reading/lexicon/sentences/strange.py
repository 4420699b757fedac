"""What looks like a step though the model has no action of that name: a word, then objects and nothing else."""

from __future__ import annotations

from validator.reading.lexicon.english import ADVERBS, ARTICLES, PREPOSITIONS, SIGNS, STATES, SUBORDINATE
from validator.reading.lexicon.sentences.behind import nothing_behind
from validator.reading.lexicon.sentences.phrases import Phrases
from validator.reading.lexicon.sentences.said import Tongue, Unclear
from validator.reading.lexicon.words import Words

__all__ = ["read_strange"]

_MOST_WORDS = 24
"""signs and all, of a line that may be a step with a verb that nobody knows"""
_BEFORE = ADVERBS | frozenset(("finally", "first", "second", "third", "lastly", "step", "action", "and", "please"))
_NEVER = STATES | ARTICLES | SUBORDINATE | PREPOSITIONS.keys()


def read_strange(words: Words, tongue: Tongue) -> Unclear | None:
    """Say that a line looks like a step, and that no action is called so."""
    index = 0
    while (word := words.at(index)) in _BEFORE or word in SIGNS or word.isdigit():
        index += 1
    if len(words) > _MOST_WORDS or not word or word in _NEVER or not word[0].isalpha():
        return None
    end = words.whole(index)
    said = "-".join(words.texts[index:end])
    if not _can_be_a_verb(words, index, tongue) or words.at(end) in SIGNS:
        return None
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

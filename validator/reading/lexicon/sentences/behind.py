"""What stands behind a step in its sentence: nothing, a remark, or what makes it no step."""

from __future__ import annotations

from enum import Enum

from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    BEFORE,
    PARTICLES,
    PREPOSITIONS,
    SIGNS,
    STATES,
    STOPS,
)
from validator.reading.lexicon.words import Words

__all__ = ["Behind", "behind", "nothing_behind"]

_REFUSED = frozenset(("impossible", "invalid", "unnecessary", "inapplicable"))
_DENIED = frozenset(
    (("no", ","), *(("not", word) for word in ("possible", "allowed", "valid", "needed", "applicable", "executable")))
)
_REMARKS = STOPS | ADVERBS | BEFORE | PARTICLES | PREPOSITIONS.keys() | ARTICLES | {"which", "who", "it", "itself"}


class Behind(Enum):
    """What the words behind a step make of it."""

    NOTHING = "there are none but remarks in parentheses"
    REMARK = "they say something about it"
    STATEMENT = "they are a verb, and the step is what the sentence is about"
    REFUSAL = "they say that it cannot be done"
    STRANGE = "they may belong to it, and are not known"


def behind(words: Words, index: int) -> Behind:
    """Say what the words from an index on make of the step before them."""
    first = index
    while words.at(index) in SIGNS:
        index += 1
    word = words.at(index)
    if word in _REFUSED or (word, words.at(index + 1)) in _DENIED:
        return Behind.REFUSAL
    if nothing_behind(words, first):
        return Behind.NOTHING
    while index > first and words.texts[index - 1] in ("(", "["):
        index -= 1
    word = words.at(index)
    if index > first and words.texts[index - 1] == "," and word in STATES:
        return Behind.STATEMENT
    if index > first or word in _REMARKS or word in SIGNS or word.isdigit() or word.endswith(("ing", "ly")):
        return Behind.REMARK
    last = words.texts[words.whole(index) - 1]
    return Behind.STATEMENT if word in STATES or last.endswith("s") else Behind.STRANGE


def nothing_behind(words: Words, index: int) -> bool:
    """Return whether nothing follows but signs and remarks in parentheses."""
    depth = 0
    for word in words.texts[index:]:
        depth += (word in ("(", "[")) - (word in (")", "]"))
        if depth <= 0 and word not in SIGNS:
            return False
    return True

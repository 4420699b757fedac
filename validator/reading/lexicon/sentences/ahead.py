"""What comes next in a sentence: a name, a noun, a place, an adjective; whether a small word stands for an object."""

from __future__ import annotations

from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    MODIFIERS,
    PARTICLES,
    PLACES,
    PREPOSITIONS,
    SIGNS,
    STATES,
    STOPS,
)
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.words import Words
from validator.records import dataclass

__all__ = ["Ahead"]

_ENDS = frozenset(("", ".", "(", ",", ";"))
_CLOSED = frozenset(("", "and", *SIGNS, *PREPOSITIONS, *PARTICLES, *STOPS, *STATES, *ADVERBS))
"""what can stand behind a name, and not between an article and its noun"""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Looks at words without taking them; ``keys`` are further words of the sentence that is expected."""

    words: Words
    objects: Objects
    keys: frozenset[str]

    def noun(self, index: int) -> int:
        """Return where the noun stands that prepositions and articles lead to."""
        while (word := self.words.at(index)) in PREPOSITIONS or word in ARTICLES:
            index += 1
        return index

    def is_place(self, index: int) -> bool:
        """Return whether what stands here is a place, and nothing that the model knows: "on the table"."""
        word = self.words.at(index)
        return word in PLACES and word not in self.objects.nouns and self.objects.at(self.words, index) is None

    def is_name(self, index: int) -> bool:
        """Return whether a name begins at an index."""
        if index >= len(self.words) or self.words.texts[index] in PREPOSITIONS:
            return False
        return self.objects.at(self.words, index) is not None

    def is_phrase(self, index: int) -> bool:
        """Return whether a noun or a name begins at an index, or can: behind an article, at the end."""
        word = self.words.at(index)
        if not word or word in self.objects.nouns or word in self.keys or self.is_adjective(index):
            return True
        if self.words.at(index - 1) in ARTICLES or self.words.at(self.words.whole(index)) in _ENDS:
            return True
        return self.objects.at(self.words, index) is not None or self.objects.like(self.words, index) is not None

    def is_adjective(self, index: int) -> bool:
        """Return whether a word stands before a name and changes nothing; before an article, it is a verb."""
        word = self.words.at(index)
        is_known = word in MODIFIERS or word in self.objects.adjectives
        return is_known and self.words.at(index + 1) not in ARTICLES

    def names_follow(self, index: int) -> bool:
        """Return whether the next thing that counts is an object."""
        while index < len(self.words):
            if self.is_name(index):
                return True
            word = self.words.texts[index]
            skipped = word in ARTICLES or word in PREPOSITIONS or word in self.objects.nouns or word == "and"
            if not skipped and word not in self.keys and not self.is_adjective(index):
                return False
            index += 1
        return False

    def strange_noun(self, index: int) -> int:
        """Return where a noun ends that has a strange word before it, "the purple block"; 0 where there is none."""
        index = self.noun(index)
        behind = self.words.whole(index) if index < len(self.words) else index
        is_strange = self.words.at(index) not in PLACES and self.words.at(behind) in self.objects.nouns
        return behind + 1 if is_strange and not self.is_adjective(index) else 0

    def stands_for_an_object(self, index: int, *, is_first: bool) -> bool:
        """Return whether a small word, ``a`` or ``can``, names an object here; ``is_first``: right behind the verb."""
        word = self.words.texts[index]
        if word not in self.objects.exact or not self.words.is_border(index + 1):
            return False
        before = self.words.texts[index - 1] if index else ""
        if before in self.objects.nouns or self.words.is_closed(index):
            return True
        follows = self.words.at(index + 1)
        if word in ARTICLES:
            return follows in _CLOSED or follows in self.objects.exact
        if word in PREPOSITIONS:
            return follows == "" or follows in SIGNS
        return is_first or before in ARTICLES or before in PREPOSITIONS

    def is_article(self, index: int) -> bool:
        """Return whether an article stands here: no part of a name, as in a3, and no letter, as in "room A"."""
        word = self.words.texts[index]
        if word not in ARTICLES or not self.words.is_border(index + 1):
            return False
        return not (word == "a" and index > 0 and self.words.is_capital(index))

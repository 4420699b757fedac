"""Find the objects that the words of a clause name, each with what the prepositions before it say."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from validator.reading.lexicon.english import (
    CARDINALS,
    COUNTED,
    FUNCTION,
    LEAVING,
    PARTICLES,
    PHRASES,
    PREPOSITIONS,
    QUANTIFIERS,
    ROLES,
    STANDS_FOR,
    THE,
    UNLIKE,
    relation,
    singular,
    stem,
)
from validator.reading.lexicon.line_words import Words
from validator.reading.lexicon.names import Found, Objects
from validator.reading.lexicon.synonyms import senses_of
from validator.records import dataclass, replace

SEVERAL = "both"
"""the pronoun of a clause that names all objects of a kind"""
WHOSE = ("its", "his", "her", "their")
_SHORTEST_NOUN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Objects one of which is named.

    ``role`` is from, to, via or with where the preposition before it says so, ``relation`` any preposition's meaning
    (in, on, under, at); ``joint`` is what stands before a fragment; ``is_of_kind``: it is one of "all balls".
    """

    objects: tuple[str, ...]
    role: str = ""
    relation: str = ""
    joint: str = ""
    is_of_kind: bool = False

    @property
    def is_joined(self) -> bool:
        """Return whether it stands behind "and", "then" or a comma, so that it may belong to a further step."""
        return self.joint in ("and", "then")


@dataclass(frozen=True)
class Mentions:
    """Find what clauses about one model name."""

    objects: Objects

    def of(
        self, words: Words, particles: Collection[int] = ()
    ) -> tuple[tuple[Mention, ...], set[int], tuple[str, int]]:
        """Return the objects that are named, the indices of their words, and the first pronoun with its place.

        ``particles`` are the places of words of the verb, which lead to no object.
        """
        found: list[Mention] = []
        covered: set[int] = set()
        index, before, pronoun = 0, 0, ("", 0)
        while index < len(words):
            word = words.texts[index]
            is_apart = words.is_border(index) or words.texts[index - 1] in self.objects.nouns
            is_label = word in COUNTED and words.at(index + 1).isdigit() and word not in self.objects.nouns
            is_name = word[0].isalnum() and is_apart and not is_label and (word, words.at(index + 1)) not in PHRASES
            is_name = is_name and index not in particles
            if is_label and not words.at(index + 2)[:1].isalnum():
                index += 2  # "Step 1", with a block b1
                continue
            here = self.objects.at(words, index) if is_name else None
            if here is not None and word in FUNCTION and here.end == index + 1 and not words.is_closed(index):
                here = (
                    here
                    if word not in ("a", "i", "to", "at", "in", "on", "it")
                    else _letter(words, index, here, self.objects.nouns)
                )
            if here is not None:
                covered.update(range(index, here.end))
                before = max((at + 1 for at in particles if before <= at < index), default=before)
                found.append(self._mention(here.objects, words, before, index))
                index = before = here.end
                continue
            if word == SEVERAL and index + 1 < len(words) and self.objects.at(words, index + 1) is not None:
                covered.add(index)  # "both ball1 and ball2"
                index += 1
                continue
            several, end = self._several(words, index)
            if several:
                covered.update(range(index, end))
                found.append(replace(self._mention(several[:1], words, before, index), is_of_kind=True))
                found += [Mention(objects=(name,), joint="and", is_of_kind=True) for name in several[1:]]
                pronoun = pronoun if word == SEVERAL else (SEVERAL, len(found))  # those of "all balls" are open
                index = before = end
                continue
            is_alone = words.is_border(index) and words.is_border(index + 1)  # not as in "j2it0"
            is_first = not pronoun[0] or word == SEVERAL  # "there he drops both balls"
            if word in STANDS_FOR and is_alone and is_first and (word, words.at(index + 1)) not in PHRASES:
                pronoun = word, len(found)
            index += 1
        named = named_again(found)
        return named, covered, pronoun if len(named) == len(found) else ("", 0)

    def _several(self, words: Words, index: int) -> tuple[tuple[str, ...], int]:
        """Return the objects that "all balls" or "her two balls" name from an index on, and where these words end."""
        word, end = words.texts[index], index + 1
        if QUANTIFIERS.get(word) != "all" and word not in (*WHOSE, *CARDINALS, "the"):
            return (), index
        while words.at(end) in ("of", "the", "these"):
            end += 1
        count = CARDINALS.get(word) or CARDINALS.get(words.at(end)) or (2 if word == SEVERAL else 0)
        end += words.at(end) in CARDINALS
        noun = words.at(end)
        one = noun if word in ("each", "every") else singular(noun)
        is_plural = one != noun or word in ("each", "every")
        is_name = end + 1 < len(words) and (self.objects.at(words, end) or not words.is_border(end + 1))
        objects = self.objects.of_kind(one) if noun and is_plural and not is_name else ()
        return (objects, end + 1) if len(objects) > 1 and count in (0, len(objects)) else ((), index)

    def _mention(self, objects: tuple[str, ...], words: Words, first: int, last: int) -> Mention:
        """Return objects named from ``last`` on, with what the prepositions right before say."""
        said = self._prepositions(words, first, last)
        roles = [ROLES[word] for word in said if word in ROLES]
        role = (roles[0] if said[0] == "from" else roles[-1]) if roles else ""  # "from out of", "out to"
        if said == ("for",) and not LEAVING.isdisjoint(map(stem, words.texts[:last])):
            role = "to"  # "leaves the mill for the farm"
        return Mention(objects=objects, role=role, relation=relation(said))

    def _prepositions(self, words: Words, first: int, last: int) -> tuple[str, ...]:
        """Return the prepositions that stand right before an object, articles and nouns between left aside."""
        found: list[str] = []
        for index in reversed(range(first, last)):
            word = words.texts[index]
            if words.glued[index]:
                break  # of a name: move-car-to-car
            if word in PREPOSITIONS:
                found.append(word)
            elif word in self.objects.nouns and found:
                break  # "from the kettle to tank7"
            elif not (word in (*THE, *WHOSE) or word in self.objects.nouns or is_described(words, index, last)):
                break
        return tuple(reversed(found))


def named_again(mentions: Sequence[Mention]) -> tuple[Mention, ...]:
    """Return mentions without the objects of a kind that are named one by one as well: "both loaves, rye and spelt"."""
    kind = [mention for mention in mentions if mention.is_of_kind]
    if not kind:
        return tuple(mentions)
    objects, first = {name for mention in kind for name in mention.objects}, mentions.index(kind[0])
    ahead, behind = mentions[:first], mentions[first + len(kind) :]
    is_again = behind and not (behind[0].is_joined or behind[0].relation) and objects.issuperset(behind[0].objects)
    if is_again:
        return (*ahead, replace(kind[0], objects=behind[0].objects, is_of_kind=False), *behind[1:])
    is_told = not kind[0].relation and objects.issubset(name for mention in ahead for name in mention.objects)
    return (*ahead, *behind) if is_told else tuple(mentions)


def is_described(words: Words, index: int, last: int) -> bool:
    """Return whether a word before an object that begins at ``last`` may describe it."""
    word, before = words.texts[index], words.texts[index - 1] if index else ""
    is_noun = word.isalpha() and len(word) >= _SHORTEST_NOUN and word not in FUNCTION and word not in PREPOSITIONS
    is_right_before = last == index + 1 and words.is_border(last) and word not in UNLIKE
    if (before == "to" and senses_of(word)) or word.endswith("ing"):
        return False  # "to put b on c", "by placing b"
    return is_noun and is_right_before and (before in THE or (before in PREPOSITIONS and before != "of"))


def _letter(words: Words, index: int, here: Found, nouns: frozenset[str]) -> Found | None:
    """Return an object that is called like a function word only where no noun can follow: "stack a on b"."""
    behind = words.at(index + 1)
    is_named = index > 0 and words.texts[index - 1] in nouns
    if words.texts[index - 1 : index] == ("as",):
        return None  # "as a next step"
    is_followed = behind in PREPOSITIONS or behind in PARTICLES or behind in ("and", "then")
    return here if is_named or not behind[:1].isalpha() or is_followed else None

"""What stands behind a verb: the phrases that can be its arguments, and where the step ends."""

from __future__ import annotations

from validator.reading.lexicon.english import (
    ARTICLES,
    INDEFINITE,
    MODIFIERS,
    PARTICLES,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    SIGNS,
    STATES,
    STOPS,
    relation,
    singular,
)
from validator.reading.lexicon.names import Found, Objects
from validator.reading.lexicon.sentences.ahead import Ahead
from validator.reading.lexicon.words import Words
from validator.reading.plan import Span, Step
from validator.records import dataclass

__all__ = ["Phrase", "Phrases", "closing"]

_ARROWS = frozenset(("->", "=>", "→", "⇒"))
_UNKNOWN = "no object of the model is called"
_PLACED = frozenset(("on", "in", "from", "under", "to", "at"))
_RELATIVE = frozenset(("that", "which", "who"))
_ACTS = frozenset(("action", "operation", "operator", "step"))
_SMALL = ARTICLES | STATES | STOPS | PREPOSITIONS.keys() | PARTICLES | PRONOUNS | {"and", "plus"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """What stands for an argument: the objects it can mean, and what the prepositions before it say.

    ``is_joined``: "and" or a comma stands before it, and nothing else. ``problem`` tells why no object is meant,
    ``warning`` how a word was read.
    """

    text: str
    span: Span
    objects: tuple[str, ...] = ()
    relation: str = ""
    is_joined: bool = False
    problem: str = ""
    warning: str = ""


class Phrases:
    """Goes through the words from an index on, and stops where what is said can be no part of the step any more.

    ``found`` are the phrases, ``index`` is where the words end that were looked at and ``end`` where in the text those
    end that belong to the step. ``is_odd``: words that say nothing of the step stand among them. ``is_stated``: a verb
    follows, of which the step is the subject. ``is_placed``: a place is said that is no object. ``rest`` are words of
    the action's name that may stand here, ``keys`` further words of its sentence; ``most`` is the number of phrases
    that the step can take, ``before`` the step before.
    """

    def __init__(
        self,
        words: Words,
        index: int,
        objects: Objects,
        *,
        rest: frozenset[str] = frozenset(),
        keys: frozenset[str] = frozenset(),
        most: int = 1,
        before: Step | None = None,
    ) -> None:
        self.words = words
        self.index = index
        self.end = words.ends[index - 1] if index else 0
        self.objects = objects
        self.rest = rest
        self.keys = keys
        self.ahead = Ahead(words, objects, keys)
        self.most = most
        self.before = before
        self.found: list[Phrase] = []
        self.is_odd = False
        self.is_stated = False
        self.is_placed = False
        self.is_indefinite = False
        self._prepositions: list[str] = []
        self._joint = False
        self._in_call = False
        self._in_apposition = False
        self._in_relative = False
        self._first = index

    @property
    def is_complete(self) -> bool:
        return len(self.found) >= self.most

    def read(self) -> Phrases:
        """Go on until the step ends."""
        while self.index < len(self.words) and self.step():
            pass
        return self

    def step(self) -> bool:
        """Take the next word; return False where the step ends."""
        return self._word(self.words.texts[self.index])

    def _word(self, word: str) -> bool:
        """Take a word; return False where the step ends."""
        if word in SIGNS:
            return self._sign(word)
        if word in self.keys and self.objects.at(self.words, self.index) is None:
            self._prepositions.clear()
            return self._pass(belongs=True)
        if word in _SMALL and self.ahead.stands_for_an_object(self.index, is_first=self.index == self._first):
            return self._take(Found(objects=(self.objects.exact[word],), end=self.index + 1))
        if word in STATES:
            self.is_stated = not self._in_relative
            return self._in_relative and self._pass(odd=True)
        if word in STOPS:
            return False
        if word in _RELATIVE and self.words.at(self.index + 1) in STATES:
            self._in_relative = True
            return self._pass(odd=True)
        if word in ("and", "plus"):
            self._joint = True
            return self.ahead.names_follow(self.index + 1) and self._pass()
        if self.ahead.is_article(self.index):
            self.is_indefinite |= word in INDEFINITE
            return self._pass()
        found = None if word in PREPOSITIONS else self.objects.at(self.words, self.index)
        return self._take(found) if found is not None else self._other(word)

    def _other(self, word: str) -> bool:
        """Take a word that names no object."""
        if word in PREPOSITIONS:
            return self._preposition(word)
        if word in self.rest or word in PARTICLES:
            return self._pass(odd=word not in self.rest, belongs=True)
        is_noun = word in self.objects.nouns
        if not is_noun and (word in MODIFIERS or word in _ACTS or word in self.objects.adjectives):
            return self._pass(odd=word not in _ACTS)
        if word in PLACES and not is_noun:
            self.is_placed = True
            self._prepositions.clear()
            return self._pass(belongs=True)
        if self.is_complete and not (is_noun and self._prepositions and self.ahead.is_name(self.index + 1)):
            return False
        if word in PRONOUNS:
            return self._pronoun(word)
        return self._noun() if is_noun else self._unknown()

    def _pass(self, *, odd: bool = False, belongs: bool = False) -> bool:
        self.is_odd |= odd
        if belongs:
            self.end = self.words.ends[self.index]
        self.index += 1
        return True

    def _preposition(self, word: str) -> bool:
        noun = self.ahead.noun(self.index + 1)
        if self.ahead.is_place(noun):
            self.is_placed = True
            return self._pass(belongs=True)
        if word == "in" and self.words.texts[self.index + 1 : self.index + 3] == ("order", "to"):
            return False
        if self.is_complete and not self.ahead.names_follow(self.index + 1):
            return self._stranger(word, noun)
        if word == "to" and not self.ahead.is_phrase(noun):
            return False  # "to make object a crave object b"
        self._prepositions.append(word)
        return self._pass()

    def _stranger(self, word: str, noun: int) -> bool:
        """Take what stands behind a complete step and is no object: "put down b on the purple block"."""
        end = self.ahead.strange_noun(self.index + 1)
        if not end or PREPOSITIONS[word] not in _PLACED:
            return False
        self._prepositions.append(word)
        self.index = noun
        said = " ".join(self.words.texts[noun:end])
        return self._add(said, end, problem=f"{_UNKNOWN} '{said}'")

    # --- phrases -------------------------------------------------------------------------------

    def _take(self, found: Found) -> bool:
        """Take the name of an object, with the nouns behind it."""
        start, end = self.index, found.end
        while self._is_noun(end) and self.objects.at(self.words, end) is None:
            if not self.words.is_border(end):
                break
            end += 1
        text = " ".join(self.words.texts[start:end])
        said = " ".join(self.words.texts[start : found.end])
        warning = f"'{said}' was read as '{found.read_as}'" if found.read_as else ""
        self.is_odd |= bool(warning)
        return self._add(text, end, objects=found.objects, warning=warning)

    def _is_noun(self, index: int) -> bool:
        """Return whether a noun stands behind a name, or its plural behind the last of several."""
        word = self.words.at(index)
        return word in self.objects.nouns or (self._joint and singular(word) in self.objects.nouns)

    def _add(self, text: str, end: int, *, objects: tuple[str, ...] = (), problem: str = "", warning: str = "") -> bool:
        """Add the phrase from here to an end, and go on behind it."""
        span = (self.words.starts[self.index], self.words.ends[end - 1])
        again = self._in_apposition and self.found and objects == self.found[-1].objects
        if not again:  # "package_0 (p0)"
            self.found.append(
                Phrase(
                    text=text,
                    span=span,
                    objects=objects,
                    relation=relation(tuple(self._prepositions)),
                    is_joined=self._joint and not self._prepositions and bool(self.found),
                    problem=problem,
                    warning=warning,
                )
            )
        self._prepositions.clear()
        self._joint = False
        self._in_relative = False
        self.end = span[1]
        self.index = end
        return True

    def _pronoun(self, word: str) -> bool:
        meant = self.before.args[:1] if self.before is not None and word == "it" else ()
        problem = "" if meant else f"it is not clear what '{word}' stands for"
        return self._add(word, self.index + 1, objects=meant, problem=problem)

    def _noun(self) -> bool:
        """Take nouns: before a name they say nothing, without one they may mean any object."""
        start, index = self.index, self.index
        while self.words.at(index) in self.objects.nouns:
            index += 1
            if self.ahead.is_name(index):
                self.index = index
                return True
        said = " ".join(self.words.texts[start:index])
        numbered = self._numbered(said, index)
        if numbered is not None:
            return self._take(numbered)
        only = self.objects.only(said)
        if not only and (kind := self.objects.of_kind(said)):
            return self._add(said, index, objects=kind)
        warning = f"'{said}' was read as {only[0]}, the only one" if only else ""
        problem = "" if only else f"it is not clear which object '{said}' is"
        return self._add(said, index, objects=only, problem=problem, warning=warning)

    def _numbered(self, noun: str, index: int) -> Found | None:
        """Return the object of a noun and a number, with a word between them: "shot glass 1", shot1 of the model."""
        number = self.words.at(index + 1)
        word = self.words.at(index)
        if not (word.isalpha() and word not in _SMALL | _ACTS | PLACES and self.words.is_border(index)):
            return None
        if not (number.isdigit() and self.words.is_border(index + 2)):
            return None
        objects = self.objects.named(f"{noun} {number}")
        return Found(objects=objects, end=index + 2, read_as=objects[0]) if len(objects) == 1 else None

    def _unknown(self) -> bool:
        """Take a word that nobody knows: a typo, an adjective of a name, or an object that the model lacks."""
        found = self.objects.like(self.words, self.index)
        if found is not None:
            return self._take(found)
        start, index = self.index, self.words.whole(self.index)
        while self.words.at(index) in self.objects.nouns and not self.ahead.is_name(index):
            index += 1
        is_adjective = self.ahead.is_name(index) and not self.objects.aliases
        if is_adjective or self._in_relative:
            self.index, self.is_odd = index, True
            return True
        said = " ".join(self.words.texts[start:index])
        return self._add(said, index, problem=f"{_UNKNOWN} '{said}'")

    # --- signs ---------------------------------------------------------------------------------

    def _sign(self, sign: str) -> bool:
        if sign in "([":
            return self._bracket()
        if sign in ")]" and (self._in_call or self._in_apposition):
            goes_on = not self._in_call or not self.is_complete
            self._in_call = self._in_apposition = False
            return self._pass(belongs=True) and goes_on
        if self.is_complete:
            self.is_stated |= sign == "," and self.words.at(self.index + 1) in STATES
            return False
        if sign in _ARROWS:
            if self.found and not STATES.isdisjoint(self.words.texts[self.index + 1 :]):
                return False  # "move r to b -> r is in b"
            self._prepositions.append("to")
            return self._pass()
        if sign == ":" and not self.found:
            return self.ahead.names_follow(self.index + 1) and self._pass()
        if sign in (",", "&"):
            self._joint = True
            goes_on = self.ahead.names_follow(self.index + 1) or self.words.at(self.index + 1) in _RELATIVE
            return goes_on and self._pass()
        return False

    def _bracket(self) -> bool:
        """Go into parentheses with arguments, around those with a remark."""
        close = closing(self.words, self.index)
        inside = " ".join(self.words.texts[self.index + 1 : close])
        is_call = self.index == self._first
        if is_call or self.objects.named(inside):
            if not is_call and self.found and self.found[-1].problem:
                self._prepositions[:] = [self.found.pop().relation]  # "the package (p0)"
            self._in_call, self._in_apposition = is_call, not is_call
            return self._pass()
        after = min(close + 1, len(self.words))
        if self.is_complete and not self.ahead.names_follow(after):
            return False
        self.index = after
        return True


def closing(words: Words, index: int) -> int:
    """Return where the parenthesis that opens at an index is closed, or where the words end."""
    depth = 0
    for place in range(index, len(words)):
        depth += (words.texts[place] in ("(", "[")) - (words.texts[place] in (")", "]"))
        if not depth:
            return place
    return len(words)

"""How the objects of a model are said: their names, the noun and the number, the names of templates."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import takewhile

from validator.model.values import Action, Model
from validator.reading.lexicon.english import ARTICLES, FUNCTION, NOUNS, PLACES, PREPOSITIONS, SEQUENCE, singular
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.line_words import Words, grouped, parts, words_in, words_of
from validator.reading.lexicon.templates import Templates
from validator.records import dataclass

_ARTICLES = ("a", "an", "the")
_DIGITS = re.compile(r"\d+")
_MOST_OF_A_KIND = 12
"""objects that a noun may mean without a name"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The objects that some words can mean, and where those end."""

    objects: tuple[str, ...]
    end: int


@dataclass(frozen=True)
class Objects:
    """The objects of a model by what they are called. Nothing is said of which of two with one name is meant."""

    model: Model
    kinds: Kinds
    templates: Templates | None = None

    @cached_property
    def exact(self) -> Mapping[str, str]:
        return {name.lower(): name for name in self.model.problem.objects}

    def is_noun(self, word: str) -> bool:
        return word in self.nouns or singular(word) in self.nouns

    @cached_property
    def nouns(self) -> frozenset[str]:
        """Return what objects are called: types, unary facts, the words that go with numbers, templates' nouns."""
        found = set(NOUNS)
        for name in (*self.model.domain.types, *self.kinds.properties):
            found |= {name, name.replace("-", "_"), *words_in(self.model, name)[-1:]}
        found |= {said[0] for said in self._parts.values() if _family(said)[1] and len(said[0]) > 1}
        if self.templates is not None:
            found |= self.templates.nouns
        return frozenset(word for word in found if word and word not in ARTICLES)

    @cached_property
    def aliases(self) -> Mapping[str, tuple[str, ...]]:
        """Return the names that templates give to the objects of the model."""
        if self.templates is None:
            return {}
        found = {name: self.templates.names(name) for name in self.model.problem.objects}
        return {name: said for name, said in found.items() if said}

    @cached_property
    def _spoken(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Return the objects by the words that name them in full."""
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, said in self._parts.items():
            _add(found, said, name)
        for name, names in self.aliases.items():
            for alias in names:
                _add(found, _bare(alias), name)
        for name, names in () if self.templates is None else self.templates.objects.items():
            if name not in self.exact and not any("{" in alias for alias in names):
                for alias in names:  # a name of the template's for what this problem lacks
                    if _bare(alias) not in found:
                        _add(found, _bare(alias), name)
        return {words: tuple(names) for words, names in found.items() if words}

    @cached_property
    def _short(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Return the objects by the words that tell them apart: "red" for the red block."""
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        without_noun: set[tuple[str, ...]] = set()
        for words, names in self._spoken.items():
            for noun, short in ((words[-1], words[:-1]), (words[0], words[1:])):
                # "first", of the first room, and "tool", of the tool-shed, where tools are a kind
                is_other = len(short) == 1 and (short[0] in SEQUENCE or self.is_noun(short[0]))
                if short and all(map(str.isalpha, words)) and short not in self._spoken and not is_other:
                    without_noun |= {short} if noun in self.nouns else set()
                    for name in names:  # "red" is the red block's, unless there is a red ball
                        _add(found, short, name)
        heads = {(head,): (name,) for head, name in self.heads.items()}
        return heads | {words: tuple(names) for words, names in found.items() if words in without_noun}

    @cached_property
    def heads(self) -> Mapping[str, str]:
        """Return the objects by the last word of their names, where no other name of the model has it: young-tom."""
        model = self.model
        others = [*model.domain.actions, *model.domain.predicates, *model.domain.types, *self.kinds.properties]
        times = Counter(
            word for said in (*self._parts.values(), *(words_in(model, name) for name in others)) for word in {*said}
        )
        said = ((name, words) for name, words in self._parts.items() if len(words) > 1 and all(map(str.isalpha, words)))
        return {
            words[-1]: name
            for name, words in said
            if times[words[-1]] == 1 and len(words[-1]) > 1 and words[-1] not in FUNCTION | PLACES | PREPOSITIONS.keys()
        }

    @cached_property
    def _joined(self) -> Mapping[str, str]:
        """Return the objects by their names without joints: rooma for "room a" and room_a."""
        found = grouped(("".join(said), name) for name, said in self._parts.items())
        return {said: names[0] for said, names in found.items() if len(names) == 1 and not said[-1:].isdigit()}

    @cached_property
    def _longest(self) -> Mapping[str, int]:
        found: dict[str, int] = {}
        for words in (*self._spoken, *self._short):
            found[words[0]] = max(found.get(words[0], 0), len(words))
        return found

    @cached_property
    def _numbered(self) -> Mapping[tuple[str, ...], tuple[str, ...]]:
        """Return the objects whose names are letters and numbers by the first letter and the numbers."""
        rows = ((_last_family(said), name) for name, said in self._parts.items())
        return grouped(((said[0][0], *map(_plain, said[1:])), name) for said, name in rows if said[1:])

    @cached_property
    def _families(self) -> Mapping[tuple[str, int], str]:
        """Return how the names of letters and so many numbers are written: ``l{}-{}``."""
        return {family: _DIGITS.sub("{}", name) for family, name in self._kin.items()}

    def is_called(self, name: str, noun: str) -> bool:
        """Return whether an object is of the kind that a noun names, or has it in its name."""
        return name in self._of_kind(noun) or noun in words_in(self.model, name)

    def of_kind(self, noun: str) -> tuple[str, ...]:
        """Return the objects of the kind that a noun names; none where there are many."""
        objects = self._of_kind(noun)
        return objects if len(objects) <= _MOST_OF_A_KIND else ()

    def are_several(self, noun: str) -> bool:
        """Return whether a noun names a kind of which there are several objects."""
        return len(self._of_kind(noun)) > 1

    def _of_kind(self, noun: str) -> tuple[str, ...]:
        if noun in self.model.domain.types and noun != "object":
            return self.model.objects_of(frozenset((noun,)))
        return tuple(sorted(self.kinds.properties.get(noun, ())))

    @cached_property
    def _parts(self) -> Mapping[str, tuple[str, ...]]:
        """Return the words and numbers of the objects' names."""
        return {name: said for name in self.model.problem.objects if (said := words_in(self.model, name))}

    def fits(self, action: Action, place: int, name: str) -> bool:
        """Return whether an object may stand at a place of an action; one that the model lacks, as its family may."""
        if name in self.model.problem.objects:
            return self.kinds.fits(action, place, name)
        kin = self._kin.get(_family(parts(name)))
        return kin is None or self.kinds.fits(action, place, kin)

    def share_place(self, actions: Iterable[str], names: Sequence[str]) -> bool:
        """Return whether one of some actions has a place at which each of some objects may stand."""
        known = map(self.model.domain.actions.__getitem__, actions)
        places = ((action, place) for action in known for place in range(len(action.parameters)))
        return any(all(self.fits(action, place, name) for name in names) for action, place in places)

    @cached_property
    def _kin(self) -> Mapping[tuple[str, int], str]:
        """Return one object of each family: of the same letters and as many numbers."""
        return {family: name for name, said in self._parts.items() if (family := _family(said))[1]}

    def named(self, text: str) -> tuple[str, ...]:
        """Return the objects that a text can mean, whole: with its article and its nouns."""
        exact = self.exact.get(text.strip().lower())
        if exact is not None:
            return (exact,)
        words = words_of(text)
        index = 0
        while index < len(words):
            found = self.at(words, index)
            if found is not None:
                behind = found.end
                while words.at(behind) in self.nouns:
                    behind += 1
                if behind == len(words):
                    return found.objects
            if words.texts[index] not in ARTICLES and words.texts[index] not in self.nouns:
                return ()
            index += 1
        return ()

    def at(self, words: Words, index: int) -> Found | None:
        """Return the objects that are named from an index on, by as many words as possible."""
        first = words.texts[index]
        for length in range(min(self._longest.get(first, 0), len(words) - index), 0, -1):
            end = index + length
            if words.is_border(end) or (words.at(end) == "s" and self._is_whose(words, end + 1)):
                key = words.texts[index:end]
                objects = self._spoken.get(key) or self._short.get(key)
                if objects:
                    return Found(objects=objects, end=end)
        if words.at(index + 1) == "s" and not words.is_border(index + 1):
            return None
        if first.isdigit():
            return self._by_number_alone(words, index)
        return self._by_number(words, index) or self._by_joining(words, index)

    def _is_whose(self, words: Words, index: int) -> bool:
        """Return whether what belongs to an object is not only called by its kind: "hatch1's lid", "r1's arm1"."""
        return index < len(words) and (not self.is_noun(words.texts[index]) or self.at(words, index) is not None)

    def _by_joining(self, words: Words, index: int) -> Found | None:
        """Read "room a" as rooma, "rooma" as room-a, and "ground station 1" as groundstation1."""
        for end in (index + 2, index + 1):
            name = self._joined.get("".join(words.texts[index:end])) if end <= len(words) else None
            if name is not None and words.is_border(end):
                return Found(objects=(name,), end=end)
        numbers = tuple(takewhile(str.isdigit, words.texts[index + 2 :]))
        said, end = ("".join(words.texts[index : index + 2]), *numbers), index + 2 + len(numbers)
        objects = self._spoken.get(said, ()) if numbers and words.is_border(end) else ()
        return Found(objects=objects, end=end) if objects else None

    def _by_number_alone(self, words: Words, index: int) -> Found | None:
        """Read a number as the object with that number, where all objects are called alike: 3 for object_3."""
        if len(self._kin) != 1 or len(self._numbered) != len(self.model.problem.objects) or not words.is_border(index):
            return None
        letters, numbers = next(iter(self._kin))
        objects = self._numbered.get((letters[0], _plain(words.texts[index])), ()) if numbers == 1 else ()
        if not objects or not words.is_border(index + 1):
            return None
        return Found(objects=objects, end=index + 1)

    def _by_number(self, words: Words, index: int) -> Found | None:
        """Read a noun with numbers, ``package_0`` or "location 1-0", as the object with its first letter and these."""
        end = index + 1
        while words.at(end).isdigit() and end - index < 5:
            end += 1
        first = words.texts[index]
        for stop in range(end, index + 1, -1):
            if not words.is_border(stop):
                continue
            numbers = words.texts[index + 1 : stop]
            objects = self._numbered.get((first[0], *map(_plain, numbers)), ())
            names = ((name, _last_family(parts(name))[0]) for name in objects)
            near = tuple(
                name
                for name, letters in names
                if letters == first or 1 in (len(first), len(letters)) or first.startswith(letters)
            )
            if len(near) == 1:
                return Found(objects=near, end=stop)
            missing = self._absent(first, numbers)
            if missing:
                return Found(objects=(missing,), end=stop)
        return None

    def _absent(self, noun: str, numbers: tuple[str, ...]) -> str:
        """Return the name of an object that the model lacks, where others of the same family say how it is written."""
        letters = noun if self.templates is None else self.templates.letters(noun, len(numbers)) or noun
        family = self._families.get((letters, len(numbers)), "")
        return family.format(*numbers) if family else ""


def _add(found: dict[tuple[str, ...], list[str]], words: tuple[str, ...], name: str) -> None:
    if name not in found[words]:
        found[words].append(name)


def _family(words: tuple[str, ...]) -> tuple[str, int]:
    """Return the letters of a name and the number of numbers behind them, none for a name of another kind."""
    is_numbered = len(words) > 1 and words[0].isalpha() and all(map(str.isdigit, words[1:]))
    return words[0] if words else "", len(words) - 1 if is_numbered else 0


def _last_family(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the last letters of a name with the numbers behind them: of ``city-loc-1`` loc and 1."""
    first = next((place for place in reversed(range(len(words))) if not words[place].isdigit()), len(words))
    return words[first:]


def _plain(number: str) -> str:
    """Return a number without zeros before it."""
    return number.lstrip("0") or "0"


def _bare(alias: str) -> tuple[str, ...]:
    """Return the words of a name without its article."""
    words = parts(alias)
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words

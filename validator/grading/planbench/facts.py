"""Facts in words or in PDDL to ground atoms: "the red block is on top of the blue block", ``(on a b)``, on(a, b).

The way back of ``Lexicon.say_fact``: each predicate is known by its templates and by its name. Small words (articles,
forms of "be", "currently") say nothing; "not" turns a fact round; a subject, or several, may be shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from validator.model.values import GroundAtom
from validator.reading.lexicon.english import ADVERBS, ARTICLES, PREPOSITIONS, forms, singular
from validator.reading.lexicon.lexicon import Lexicon
from validator.reading.lexicon.line_words import Words, parts, words_of
from validator.reading.lexicon.say import fact_by_rule
from validator.reading.lexicon.templates import HOLE
from validator.records import dataclass

_BE = frozenset(("is", "are", "be", "being", "been", "was", "were", "has", "have", "s"))
_NOT = frozenset(("not", "no", "never", "cannot", "t", "isn", "aren", "neither", "nor", "false", "longer"))
_DENIAL = _NOT - {"no", "longer"}
"""words of which it has to be known what they deny"""
_SMALL = ARTICLES | ADVERBS | _BE | {word for word, said in PREPOSITIONS.items() if not said}
_JOINTS = frozenset(("and", "also", "or", "with", "that", "while", "both", "all"))
_CLAUSE = re.compile(r"[,;\n•*]|\.(?:\s|$)|:(?:\s|$)")
_WRITTEN = re.compile(r"\(\s*(not)\s*\(([^()]*)\)\s*\)|\(([^()]*)\)|([\w-]+)\(([^()]*)\)", re.IGNORECASE)
_LONGEST = 20_000
"""characters of a text that are looked at"""


@dataclass(frozen=True, slots=True)
class Fact:
    """A ground atom that a text says to hold or, where not ``positive``, not to hold."""

    atom: GroundAtom
    positive: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts of a text in their order; ``unread`` are the clauses that name an object or a predicate and were not
    understood: with one of these, nothing may be concluded from a fact that is missing."""

    facts: tuple[Fact, ...]
    unread: tuple[str, ...] = ()

    @property
    def atoms(self) -> frozenset[GroundAtom]:
        """Return the facts that are said to hold."""
        return frozenset(fact.atom for fact in self.facts if fact.positive)


_Item = int | str
"""a hole, or a word that must be said"""


@dataclass(frozen=True, slots=True)
class _Pattern:
    predicate: str
    items: tuple[_Item, ...]
    arity: int


def read_facts(text: str, lexicon: Lexicon) -> Facts:
    """Read the facts that a text states; states, goals and lists of conditions are said so."""
    return _Reader(lexicon, _patterns(lexicon)).read(text[:_LONGEST])


# --- how predicates are said ---------------------------------------------------------------------


def _patterns(lexicon: Lexicon) -> tuple[_Pattern, ...]:
    found = {
        _Pattern(name, tuple(_items(text)), len(terms))
        for name, terms in lexicon.model.domain.predicates.items()
        for text in _sayings(lexicon, name, len(terms))
    }
    found = {pattern for pattern in found if any(isinstance(item, str) for item in pattern.items)}
    return tuple(sorted(found, key=lambda pattern: (-len(pattern.items), pattern.predicate)))


def _sayings(lexicon: Lexicon, predicate: str, arity: int) -> Iterator[str]:
    given = {} if lexicon.templates is None else lexicon.templates.predicates
    for name, texts in given.items():
        if name.lower() == predicate.lower():
            yield from (text if HOLE.search(text) else " ".join((text, *["{}"] * arity)) for text in texts)
    words = parts(predicate)
    yield fact_by_rule(predicate, arity)
    yield " ".join((*words, *["{}"] * arity))
    if arity == 1 and len(words) == 1 and words[0].endswith("ing"):
        stem = words[0][:-3]
        yield from (f"{{}} {form}" for verb in (stem, f"{stem}e") if words[0] in forms(verb) for form in forms(verb))


def _items(text: str) -> Iterator[_Item]:
    """Yield the holes of a template, by the number of the argument, and the words that it cannot do without."""
    place, end = 0, 0
    for hole in HOLE.finditer(text):
        yield from _said(text[end : hole.start()])
        yield int(hole.group(1)) - 1 if hole.group(1) else place
        place, end = place + 1, hole.end()
    yield from _said(text[end:])


def _said(text: str) -> Iterator[str]:
    words = [PREPOSITIONS.get(word, word) for word in words_of(text).texts if word[0].isalnum()]
    yield from (word for word in words if word and word not in _SMALL)


# --- reading -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Match:
    atom: GroundAtom
    end: int
    size: int
    has_subject: bool
    is_negated: bool


class _Reader:
    """Reads one text; ``waiting`` are objects that were named and whose fact is still to come."""

    def __init__(self, lexicon: Lexicon, patterns: Sequence[_Pattern]) -> None:
        self.lexicon = lexicon
        self.patterns = patterns
        self.predicates = {name.lower(): name for name in lexicon.model.domain.predicates}
        self.heads = {item for pattern in patterns for item in pattern.items if isinstance(item, str)}
        self.facts: list[Fact] = []
        self.unread: list[str] = []
        self.waiting: list[str] = []
        self.subject = ""
        self.begin = 0
        """the number of facts before the clause"""

    def read(self, text: str) -> Facts:
        rest = _WRITTEN.sub(self._written, text)
        for clause in _CLAUSE.split(rest):
            self._clause(clause)
        self._nothing_waits()
        return Facts(facts=tuple(dict.fromkeys(self.facts)), unread=tuple(dict.fromkeys(self.unread)))

    def _written(self, found: re.Match[str]) -> str:
        """Take up an atom in a formal notation, and leave a border where it stood."""
        inner = found[2] or found[3] or f"{found[4]} {found[5]}"
        words = re.split(r"[\s,]+", (inner or "").strip())
        predicate = self.predicates.get(words[0].lower())
        if predicate is None:
            return str(found[0])
        atom = self._atom(predicate, words[1:])
        if atom is None:
            self.unread.append(found[0])
        else:
            self.facts.append(Fact(atom, found[1] is None))
        return "\n"

    def _atom(self, predicate: str, args: Sequence[str]) -> GroundAtom | None:
        objects = [self.lexicon.object(arg) for arg in args]
        fits = len(args) == len(self.lexicon.model.domain.predicates[predicate])
        return (predicate, *(said[0] for said in objects)) if fits and all(len(o) == 1 for o in objects) else None

    def _clause(self, clause: str) -> None:
        words = words_of(clause)
        index, strange, is_denied = 0, False, False
        if any(word[0].isalnum() and word not in _DENIAL | _SMALL | _JOINTS for word in words.texts):
            self.begin = len(self.facts)  # else what it denies stands before it
        while index < len(words):
            match = self._best(words, index)
            if match is not None:
                self._take(match)
                index = match.end
            elif (found := self._object(words, index)) is not None:
                self.subject, index = found
                if not strange:
                    self.waiting.append(self.subject)
            else:
                is_denied |= words.texts[index] in _DENIAL
                if is_denied or self._passed(words.texts[index]):
                    strange = True
                    self.waiting.clear()
                index += 1
        if is_denied:
            del self.facts[self.begin :]
        if strange:
            self.unread.append(" ".join(clause.split()))

    def _take(self, match: _Match) -> None:
        self.facts.append(Fact(match.atom, not match.is_negated))
        if match.has_subject:
            for name in self.waiting:
                self.facts.append(Fact((match.atom[0], name, *match.atom[2:]), not match.is_negated))
            self.waiting.clear()
            self.subject = match.atom[1]
        else:
            self._nothing_waits()
            self.subject = ""

    def _nothing_waits(self) -> None:
        self.unread += self.waiting
        self.waiting.clear()

    def _passed(self, word: str) -> bool:
        """Pass over a word that is part of no fact, and return whether it may be part of one that was not read."""
        if word in _SMALL | _JOINTS or not word[0].isalnum() or singular(word) in self.lexicon.objects.nouns:
            return False
        return word in self.heads or bool(self.waiting)

    def _best(self, words: Words, index: int) -> _Match | None:
        """Return the fact that most words from an index on say; None where two say as much."""
        if words.texts[index] in _JOINTS:
            return None
        found = [match for pattern in self.patterns if (match := self._match(pattern, words, index)) is not None]
        longest = max(((match.end, match.size) for match in found), default=None)
        best = {match.atom: match for match in found if (match.end, match.size) == longest}
        return next(iter(best.values())) if len(best) == 1 else None

    def _match(self, pattern: _Pattern, words: Words, index: int) -> _Match | None:
        """Match a pattern from an index on; one that begins with a hole may go on with the last subject."""
        items, args = pattern.items, dict[int, str]()
        starts_with_object = items[0] == 0
        if starts_with_object and self.subject and self._object(words, index) is None:
            args, items = {0: self.subject}, items[1:]
        found = next(self._rest(items, words, index, args), None)
        if found is None or set(found[2]) != set(range(pattern.arity)):
            return None
        end, negated, args = found
        behind = next(place for place in range(end, len(words) + 1) if words.at(place) not in _SMALL)
        if words.at(end) == "not" or words.at(behind) == "false":
            negated, end = True, max(end, behind) + 1
        atom = (pattern.predicate, *(args[place] for place in range(pattern.arity)))
        return _Match(atom, end, len(items), starts_with_object, negated)

    def _rest(
        self, items: Sequence[_Item], words: Words, index: int, args: dict[int, str]
    ) -> Iterator[tuple[int, bool, dict[int, str]]]:
        """Yield the ways to match items from an index on: the index behind, whether it is denied, the objects."""
        if not items:
            yield index, False, args
            return
        item = items[0]
        for start, denied in self._starts(words, index):
            if isinstance(item, str):
                known = {**args}
                end = start + 1 if PREPOSITIONS.get(words.at(start), words.at(start)) == item else None
            else:
                named = self._named(words, start)
                known, end = ({**args, item: named[0]}, named[1]) if named else (args, None)
            if end is not None:
                for behind, negated, found in self._rest(items[1:], words, end, known):
                    yield behind, denied or negated, found

    def _starts(self, words: Words, index: int) -> Iterator[tuple[int, bool]]:
        """Yield where an item may be said, past small words, and whether these deny it."""
        denied = False
        while index < len(words):
            yield index, denied
            word = words.texts[index]
            if word in _NOT:
                denied = True
            elif word not in _SMALL:
                return
            index += 1

    def _object(self, words: Words, index: int) -> tuple[str, int] | None:
        """Return the one object that is named from an index on, past its article, and the index behind."""
        found = self._named(words, index)
        while found is None and words.at(index) in ARTICLES:
            index += 1
            found = self._named(words, index)
        return found

    def _named(self, words: Words, index: int) -> tuple[str, int] | None:
        """Return the one object that is named at an index, or after a noun there."""
        objects = self.lexicon.objects
        for start in (index, index + 1):
            if start < len(words) and (start == index or words.texts[index] in objects.nouns):
                found = objects.at(words, start)
                if found is not None and len(found.objects) == 1 and found.objects[0] in objects.exact.values():
                    return found.objects[0], found.end
        return None

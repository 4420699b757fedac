"""How the actions of a model are said: verbs from their names, prepositions from the schema, both from templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from validator.model.values import Action, Atom, Model, literals_of
from validator.reading.lexicon.english import (
    ADVERBS,
    ARTICLES,
    PARTICLES,
    PLACES,
    PREPOSITIONS,
    forms,
    relation,
    singular,
    stem,
)
from validator.reading.lexicon.kinds import Kinds, atoms_of
from validator.reading.lexicon.line_words import Words, grouped, parts, words_in
from validator.reading.lexicon.templates import HOLE, Templates
from validator.records import dataclass

_SMALL = ARTICLES | PARTICLES | PREPOSITIONS.keys() | PLACES | ADVERBS | {"and", "object"}
_PHRASAL = frozenset(
    (
        *("back", "break", "bring", "carry", "check", "clean", "climb", "close", "come", "cool", "drive", "drop"),
        *("fill", "fly", "fold", "get", "go", "hang", "heat", "hold", "lay", "let", "lift", "lock", "log", "move"),
        *("open", "pick", "plug", "pour", "pull", "push", "put", "roll", "screw", "set", "shut", "sign", "sit"),
        *("stand", "start", "step", "switch", "take", "throw", "turn", "walk", "warm", "wash", "wipe"),
    )
)
"""verbs that go with a particle, and are written as one word with it in names: pickup, putdown, turnon"""
_FROM = frozenset(("from", "source", "src", "origin", "start", "orig", "prev", "previous", "old", "cur", "current"))
_TO = frozenset(("to", "dest", "destination", "target", "end", "goal", "new", "next"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Saying:
    """One way to say an action: its verb, and what the prepositions in front of its arguments are.

    ``rest`` are words of the name that may stand later or be left out: up, truck; ``relations`` has for each parameter
    what its prepositions say. ``keys`` are further words that must be said, each in any of its forms: lift, of "use {}
    to lift {}".
    """

    action: str
    verb: tuple[str, ...]
    rest: tuple[str, ...]
    relations: tuple[frozenset[str], ...]
    keys: tuple[frozenset[str], ...] = ()
    is_template: bool = False

    def is_said(self, said: frozenset[str]) -> bool:
        """Return whether the words that must be said are among some."""
        return not any(key.isdisjoint(said) for key in self.keys)


@dataclass(frozen=True)
class Verbs:
    """The sayings of a model, to be looked up by their verbs in any form."""

    model: Model
    kinds: Kinds
    templates: Templates | None = None

    @cached_property
    def _actions(self) -> tuple[Action, ...]:
        """Return the actions that a step can name."""
        return tuple(self.model.domain.actions.values())

    @cached_property
    def learnt(self) -> Mapping[str, tuple[frozenset[str], ...]]:
        """Return for each action what the prepositions before its arguments can say, as its schema tells."""
        return {action.name: _relations(action) for action in self._actions}

    @cached_property
    def sayings(self) -> tuple[Saying, ...]:
        return tuple(saying for action in self._actions for saying in self._of(action))

    def _of(self, action: Action) -> Iterator[Saying]:
        places, learnt = range(len(action.parameters)), self.learnt[action.name]
        nouns = {word for place in places for noun in self.kinds.nouns(action, place) for word in parts(noun)}
        for verb, rest in _shortened(
            _parted(words_in(self.kinds.model, action.step or action.name)), nouns | self._properties
        ):
            yield Saying(action=action.name, verb=verb, rest=rest, relations=learnt)
        if self.templates is None:
            return
        for name, texts in self.templates.actions.items():
            for text in texts if name.lower() == action.name.lower() else ():
                yield from _of_template(action, text, frozenset(nouns | self.templates.nouns), learnt)

    @cached_property
    def _properties(self) -> frozenset[str]:
        """Return the words for what is true of one object, which names of actions tell apart by: clean, used."""
        return frozenset(name for name, terms in self.model.domain.predicates.items() if terms and name.isalpha())

    @cached_property
    def _bases(self) -> Mapping[str, tuple[str, ...]]:
        """Return the verbs of which a word can be a form."""
        bases = dict.fromkeys(saying.verb[0] for saying in self.sayings)
        return grouped((form, base) for base in bases for form in forms(base))

    @cached_property
    def _by_words(self) -> Mapping[tuple[str, ...], tuple[Saying, ...]]:
        found = grouped(((saying.verb[0], *map(stem, saying.verb[1:])), saying) for saying in self.sayings)
        return {words: tuple(sorted(said, key=lambda one: not one.is_template)) for words, said in found.items()}

    @cached_property
    def _joined(self) -> Mapping[str, tuple[Saying, ...]]:
        """Return the sayings of several words by these without their joints: pickup, pickingup."""
        several = (saying for saying in self.sayings if len(saying.verb) > 1)
        return grouped((form + "".join(one.verb[1:]), one) for one in several for form in forms(one.verb[0]))

    @cached_property
    def starts(self) -> frozenset[str]:
        """Return the words with which a verb can begin; a line without any names no action."""
        return frozenset((*self._bases, *self._joined))

    @cached_property
    def longest(self) -> int:
        return max((len(saying.verb) for saying in self.sayings), default=0)

    def at(self, words: Words, index: int) -> list[tuple[int, tuple[Saying, ...]]]:
        """Return where a verb that begins at an index ends, and what it can say; the longest first."""
        first = words.texts[index]
        if first not in self.starts or not words.is_border(index):
            return []
        found: list[tuple[int, tuple[Saying, ...]]] = []
        if first in self._joined and words.is_border(index + 1):
            found.append((index + 1, self._joined[first]))
        for end, behind in reversed(list(self._tails(words, index + 1))):
            said = tuple(
                saying
                for base in self._bases.get(first, ())
                for saying in self._by_words.get((base, *map(stem, behind)), ())
            )
            if said:
                found.append((end, said))
        return found

    def _tails(self, words: Words, index: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Yield what may belong to a verb behind its first word, without articles, each with where it ends."""
        tail: tuple[str, ...] = ()
        for _ in range(self.longest):
            if words.is_border(index):
                yield index, tail
            while self._is_article(words, index):
                index += 1
            if index >= len(words):
                return
            tail = (*tail, words.texts[index])
            index += 1

    def _is_article(self, words: Words, index: int) -> bool:
        """Return whether an article stands by itself, and no object that is called so."""
        word = words.at(index)
        is_alone = words.is_border(index) and words.is_border(index + 1)
        return word in ARTICLES and is_alone and word not in self._objects

    @cached_property
    def _objects(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.model.problem.objects))


def _parted(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words of a name, of which the first may be a verb and its particle in one: pickup is pick, up."""
    first = words[0] if words else ""
    for particle in PARTICLES:
        if first.endswith(particle) and first[: -len(particle)] in _PHRASAL:
            return (first[: -len(particle)], particle, *words[1:])
    return words


def _shortened(words: tuple[str, ...], nouns: set[str]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield a verb, and what is left of it when words that go without saying are left out, with these words."""
    if words:  # a name may be a sign, which nobody says
        yield words, ()
    for length in range(len(words) - 1, 0, -1):
        if words[length] not in nouns and words[length] not in PARTICLES and words[length] not in PREPOSITIONS:
            return
        yield words[:length], words[length:]


def _of_template(
    action: Action, text: str, nouns: frozenset[str], learnt: tuple[frozenset[str], ...]
) -> Iterator[Saying]:
    """Yield the sayings of a sentence with holes: its verb is the first word that is no small one and no noun."""
    holes = HOLE.findall(text)
    literals = [parts(literal) for literal in HOLE.split(text)[::2]]
    order = tuple(int(hole) - 1 if hole else place for place, hole in enumerate(holes))
    found = [
        (place, index)
        for place, words in enumerate(literals)
        for index in _key_words(words, nouns - set(_between_holes(words, nouns)))
    ]
    first = literals[0][0] if literals[0] else ""
    if first and first not in nouns and first not in ARTICLES and first not in PREPOSITIONS:
        found = [(0, 0), *(place for place in found if place != (0, 0))]
    if not found:
        return
    place, index = found[0]
    verb = _until_article(literals[place][index:])
    keys = tuple(forms(literals[other][at]) for other, at in found[1:] if other > place or at >= index + len(verb))
    small = tuple(word for words in literals[1:] for word in words if word in PARTICLES and word not in PREPOSITIONS)
    relations = learnt
    if holes:
        said = dict(zip(order, literals, strict=False))
        relations = tuple(frozenset((_relation_behind(said[place], nouns),)) - {""} for place in range(len(order)))
    for short, rest in _shortened(verb, set(nouns)):
        for base in dict.fromkeys((short[0], singular(short[0])) if place else (short[0],)):
            yield Saying(
                action=action.name,
                verb=(base, *short[1:]),
                rest=(*rest, *small),
                relations=relations,
                keys=keys,
                is_template=True,
            )


def _between_holes(words: tuple[str, ...], nouns: frozenset[str]) -> Iterator[str]:
    """Yield the nouns that are not those of a hole before or behind such words: laser, of "the laser at {}"."""
    first = next((index for index, word in enumerate(words) if word not in nouns), len(words))
    last = next((index for index in reversed(range(len(words))) if words[index] not in nouns), -1)
    yield from (word for word in words[first : last + 1] if word in nouns)


def _key_words(words: tuple[str, ...], nouns: frozenset[str]) -> list[int]:
    """Return where the words are that a sentence cannot do without."""
    return [index for index, word in enumerate(words) if word not in _SMALL and word not in nouns]


def _relation_behind(words: tuple[str, ...], nouns: frozenset[str]) -> str:
    """Return what the prepositions say that stand behind the last of such words."""
    keys = _key_words(words, nouns)
    return relation(words[keys[-1] + 1 :] if keys else words)


def _until_article(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words before the first article, which begins what the hole stands for."""
    for index, word in enumerate(words):
        if word in ARTICLES and index:
            return words[:index]
    return words


def _relations(action: Action) -> tuple[frozenset[str], ...]:
    """Return what the prepositions before each argument can say, by its name and by what the action changes."""
    found: dict[str, set[str]] = {parameter.name: said_by_name(parameter.name) for parameter in action.parameters}
    gone = [literal.atom for literal in literals_of(action.effects) if not literal.positive]
    made = [literal.atom for literal in literals_of(action.effects) if literal.positive]
    for atom in (*gone, *made, *atoms_of(action.precondition)):
        last = atom.terms[-1] if atom.terms else ""
        if last not in found:
            continue
        place = next((PREPOSITIONS[word] for word in parts(atom.predicate) if PREPOSITIONS.get(word)), "")
        is_relation = len(atom.terms) > 1
        if atom in gone:
            leaves = (place and is_relation) or ((place or is_relation) and _is_changed(atom, made))
            found[last] |= {"from"} if leaves else set()
        elif atom in made and (place or is_relation) and _is_changed(atom, gone):
            found[last] |= {"to", place} - {""}
        elif place:
            found[last].add(place)
    return tuple(frozenset(found[parameter.name]) for parameter in action.parameters)


def _is_changed(atom: Atom, others: Sequence[Atom]) -> bool:
    """Return whether only the last term of an atom differs from that of another: where something goes from and to."""
    return any(
        other.predicate == atom.predicate and other.terms[:-1] == atom.terms[:-1] and other.terms != atom.terms
        for other in others
    )


def said_by_name(parameter: str) -> set[str]:
    """Return what the prepositions before a parameter can say, as its name tells."""
    said = set(parts(parameter))
    return ({"from"} if said & _FROM else set()) | ({"to"} if said & _TO else set())

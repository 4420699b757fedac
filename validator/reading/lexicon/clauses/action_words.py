"""Find the actions that the verb of a clause may mean: by their names, by other words of these, by synonyms."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from validator.model.values import Action, Model, literals_of
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.english import (
    ARTICLES,
    COUNTED,
    FUNCTION,
    OPEN,
    PARTICLES,
    PREPOSITIONS,
    QUANTIFIERS,
    STATE,
    THE,
    bases,
    forms,
    is_participle,
    stem,
)
from validator.reading.lexicon.line_words import Words, grouped, words_in
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.synonyms import phrase_of, senses_of
from validator.reading.lexicon.verbs import Verbs
from validator.records import dataclass

_SAID_BY = {"from": ("out", "off"), "to": ("over", "across", "along")}
"""prepositions that say what a particle of a name does: "pull the tray from the oven", with pull-out"""
_INTRANSITIVE = ("to", "of", "for", "back", "away")
"""prepositions and particles that may stand before no object"""
ANYTHING = Mention(objects=())
"""what "it" stands for"""


@dataclass(frozen=True)
class ActionWords:
    """The words by which the actions of one model are said; by synonyms of their verbs if wanted."""

    model: Model
    objects: Objects
    verbs: Verbs
    has_synonyms: bool = True

    def of(self, words: Words, covered: set[int]) -> tuple[tuple[str, ...], set[int], bool]:
        """Return the actions that the verbs may mean, the indices of their words, whether there are several verbs."""
        free = [index for index in range(len(words)) if index not in covered]
        said = frozenset(words.texts[index] for index in free)
        stems = {same(word) for word in said}
        if any(word == "free" and words.glued[index] for index, word in enumerate(words.texts)):
            stems.add("no")  # "gluten-free" is no-gluten
        best: dict[int, tuple[int, set[str], set[int], tuple[bool, bool, int, int]]] = {}
        """by the place of a verb: missing words of a name, the actions, the places of their words, their rank"""
        for index in free:
            is_label = words.texts[index] in COUNTED and (
                words.at(index + 1).isdigit() or words.texts in (("step",), ("action",))
            )
            is_adjective = words.texts[index - 1] in THE and (
                (index + 1 in covered and is_participle(words.texts[index])) or _describes_noun(words, index)
            )
            if words.texts[index] == "to" or not words.is_border(index) or is_label or (index and is_adjective):
                continue
            sayings = [
                (end, saying.action, saying.rest)
                for end, said_so in self.verbs.at(words, index)
                if covered.isdisjoint(range(index, end))
                for saying in said_so
                if saying.is_said(said)
            ]
            if words.texts[index] not in FUNCTION:
                sayings += ((index + 1, name, rest) for name, rest in self._named_by.get(words.texts[index], ()))
            for end, name, rest in sayings:
                left = sum(same(word) not in stems for word in rest)
                used = {
                    *range(index, end),
                    *(at for at in free if any(same(words.texts[at]) == same(w) for w in rest)),
                }
                exact = sum(word in said for word in rest)  # "take off", not "take out"
                rank = (not left, bool(self._row(words, index, name)), 0 if left else len(used), exact)
                old = best.get(index)
                if old is None or rank > old[3]:
                    best[index] = (left, {name}, used, rank)
                elif rank == old[3]:
                    best[index] = (min(left, old[0]), old[1] | {name}, old[2] | used, rank)
        if not best:
            return (), set(), False
        whole = {index: value for index, value in best.items() if value[0] == 0} or best
        first = min(whole)
        _, names, used, _ = whole[first]
        others = [
            value
            for index, value in whole.items()
            if index not in used and value[1].isdisjoint(names) and not self._is_thing(words, index)
        ]
        used = used.union(*(value[2] for index, value in best.items() if not names.isdisjoint(value[1])))
        is_split = bool(others) or any(self._begins_another(words, first, index, covered) for index in best)
        return tuple(sorted(names)), used, is_split

    def _is_thing(self, words: Words, index: int) -> bool:
        """Return whether a verb is a noun with its article: "drop the soil sample"."""
        while index and words.texts[index - 1] in self.objects.nouns:
            index -= 1
        return words.texts[index - 1 : index] in [(article,) for article in THE]

    def _begins_another(self, words: Words, verb: int, index: int, covered: set[int]) -> bool:
        """Return whether a verb is said again of other objects: "glue a on b after you have glued c on b"."""
        is_again = index > verb and same(words.texts[index]) == same(words.texts[verb])
        is_verb = words.texts[index - 1] not in ARTICLES and words.texts[index - 1] not in PREPOSITIONS
        return is_again and is_verb and not covered.isdisjoint(range(verb, index)) and index < max(covered)

    def _parts(self, name: str) -> tuple[str, ...]:
        """Return the words of the name of an action's step."""
        return words_in(self.model, self.model.domain.actions[name].step or name)

    def _row(self, words: Words, index: int, name: str) -> tuple[int, ...]:
        """Return the places of the words of an action's name where they stand in a row from an index on; else none."""
        said = self._parts(name)
        places = [place for place in range(index, len(words)) if words.texts[place] not in THE][: len(said)]
        is_said = [same(words.texts[place]) for place in places] == [*map(same, said)]
        return tuple(places) if is_said else ()

    def lacks_particle(self, name: str, words: Words) -> bool:
        """Return whether the name of an action has a particle that is not said: out, of take-out; onto says on."""
        _, *rest = self._parts(name)
        particles = [word for word in rest if word in PARTICLES and word != "up"]
        said = [*words.texts, *(word for one in words.texts for word in _SAID_BY.get(one, ()))]
        return any(not any(word.startswith(particle) for word in said) for particle in particles)

    def is_of_another(self, name: str, words: Words, mentions: Sequence[Mention]) -> bool:
        """Return whether only what its action's name says is not named: mount-wheel, of "mount bike1 on stand1"."""
        action = self.model.domain.actions[name]
        kinds = [self.objects.of_kind(word) for word in self._parts(name)[1:] if word not in words.texts]
        named = {one for mention in mentions for one in mention.objects}
        return len(mentions) + 1 == len(action.parameters) and any(kind and named.isdisjoint(kind) for kind in kinds)

    @cached_property
    def _first_words(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return the first word of the name of each action, the action, and the rest of its name."""
        words = ((name, self._parts(name) or ("",)) for name in self.model.domain.actions)
        return tuple((said[0], name, said[1:]) for name, said in words if said[0].isalpha() and len(said[0]) > 1)

    @cached_property
    def things(self) -> frozenset[str]:
        """Return the nouns that only names of actions have behind their verbs: data, of copy-data."""
        verbs = {word for first, _, _ in self._first_words for word in (first, stem(first))}
        rest = {word for _, _, rest in self._first_words for word in rest if word.isalpha()}
        return frozenset(rest - verbs - PARTICLES - PREPOSITIONS.keys())

    @cached_property
    def _named_by(self) -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Return the actions by each form of their first words, with the rest of their names."""
        rows = ((first, (name, rest)) for first, name, rest in self._first_words)
        return grouped((form, row) for first, row in rows for base in bases(first) for form in forms(base))

    def thing_behind(self, words: Words, index: int) -> Iterator[int]:
        """Yield the places of words of an action's name behind its verb that name an object which it does not take."""
        for name, rest in self._named_by.get(words.texts[index], ()):
            for place in range(index + 1, len(words)):
                said = words.texts[place] in rest and self.objects.at(words, place)
                if said and said.end == place + 1 and not self.takes(name, (Mention(objects=said.objects),)):
                    yield place

    def _with_words(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return the actions whose names have all of some words behind their first."""
        wanted = {stem(word) for word in said}
        if not wanted:
            return ()
        rests = ((name, {*map(stem, rest)}) for _, name, rest in self._first_words)
        return tuple(sorted(name for name, rest in rests if wanted <= rest))

    def saying_more(self, actions: Sequence[str], mentions: Sequence[Mention]) -> tuple[str, ...]:
        """Return the actions with the verbs of others and more words that take such objects: drive-tent."""
        words = {name: self._parts(name) for name in self.model.domain.actions}
        said = [(words[name][0], {*words[name]}) for name in actions]
        return tuple(
            name
            for name, own in words.items()
            if any(verb == own[0] and less < {*own} for verb, less in said) and self.takes(name, mentions)
        )

    def is_another(
        self,
        words: Words,
        verb: int,
        actions: tuple[str, ...],
        named: set[int],
        mentions: Sequence[Mention],
        *,
        is_partial: bool,
    ) -> bool:
        """Return whether only other actions than a verb names take such objects: stack, of "put a onto b".

        A verb that is not partly said must have a particle that none of them has: "turn on l1", which is no turn-to.
        """
        if not self.has_synonyms or any(self.takes(name, mentions) for name in actions):
            return False
        phrase = self._phrase(words, verb, named)[0]
        particle = phrase.partition("+")[2]
        is_apart = bool(particle) and all(particle not in self._parts(name) for name in actions)
        return (is_partial or is_apart) and bool(self._synonyms(words, phrase, mentions))

    def meant(
        self, words: Words, foreign: list[int], named: set[int], mentions: Sequence[Mention] | None
    ) -> tuple[tuple[str, ...], set[int]]:
        """Return the actions that a verb which no name has may mean, and the places of the words that say so.

        ``foreign`` are the places of the verb and of unknown words behind it; no ``mentions``: it is a synonym.
        """
        verb, *rest = foreign
        with_words = self._with_words(words.texts[index] for index in rest)  # "put v1 into the rotor", load-rotor
        phrase, said = self._phrase(words, verb, named)
        synonyms = self._synonyms(words, phrase, mentions or ()) if self.has_synonyms else ()
        actions = tuple(name for name in with_words if name in synonyms)
        if not actions and mentions is not None:
            actions = with_words or synonyms
        return actions, {*said, *(rest if with_words else ())} if actions else set()

    def _phrase(self, words: Words, index: int, named: Collection[int]) -> tuple[str, set[int]]:
        """Return a verb with its particle, which stands behind it or leads to no object, and where they stand."""
        verb, places = words.texts[index], (index + 1, *self.loose(words, named, (index,)))
        phrase = phrase_of(verb, map(words.at, places))
        return phrase, {index, *(at for at in places if phrase == f"{verb}+{words.at(at)}")}

    def _synonyms(self, words: Words, phrase: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
        """Return the actions that a verb may say which no name has: those with a synonym that take such objects.

        Of these they are the ones with most other words of the clause in their names: switch-on, of "turn it on".
        """
        senses, said = senses_of(phrase), {same(word) for word in words.texts}
        found = {
            name: len(said.intersection(map(same, verbs)))
            for name, verbs in self._verbs_in_names.items()
            if any(not senses.isdisjoint(senses_of(phrase_of(verb, verbs))) for verb in verbs)
            and self.takes(name, mentions)
        }
        most = max(found.values(), default=0)
        return tuple(sorted(name for name, count in found.items() if count == most))

    @cached_property
    def _verbs_in_names(self) -> dict[str, tuple[str, ...]]:
        """Return for each action the words of its name that are no nouns of the model."""
        named = ((name, self._parts(name)) for name in self.model.domain.actions)
        return {name: tuple(word for word in said if word not in self.objects.nouns) for name, said in named}

    def takes(self, name: str, mentions: Sequence[Mention]) -> bool:
        """Return whether an action has a place for each of some objects, and for as many."""
        action = self.model.domain.actions[name]
        places = range(len(action.parameters))
        return sum(mention.joint != "and" for mention in mentions) <= len(places) and all(
            any(self.objects.fits(action, place, one) for place in places for one in mention.objects)
            for mention in mentions
            if mention is not ANYTHING
        )

    def moves(self, name: str, mentions: Sequence[Mention]) -> bool:
        """Return whether an action changes what "from" and "to" name among some objects as these words say."""
        action = self.model.domain.actions[name]
        places = range(len(action.parameters))
        return all(
            any(changes(action, place, mention.role) and self.objects.fits(action, place, one) for place in places)
            for mention in mentions
            for one in mention.objects[:1]
        )

    def is_misspelt(self, word: str) -> bool:
        """Return whether a word is a verb of the actions with a slip."""
        return word not in self.verbs.starts and any(_is_slip(word, verb) for verb in self.verbs.starts)

    def loose(self, words: Words, named: Collection[int], verbs: Collection[int]) -> tuple[int, ...]:
        small = ARTICLES | PREPOSITIONS.keys() | QUANTIFIERS.keys()
        found: list[int] = []
        for index, word in enumerate(words.texts):
            behind = (at for at in range(index + 1, len(words)) if at in named or words.texts[at] not in small)
            end = next((at for at in behind if at in named or not self.objects.is_noun(words.texts[at])), len(words))
            leads = word in PREPOSITIONS and (end in named or words.at(end) in OPEN)
            is_free = index > 0 and index not in named and index not in verbs and word not in _INTRANSITIVE
            found += [index] if is_free and word in PREPOSITIONS.keys() | PARTICLES and not leads else []
        return tuple(found)


def _describes_noun(words: Words, index: int) -> bool:
    """Return whether a participle stands before what may be a noun: "the operating theatre", not "the loading of"."""
    behind = words.at(index + 1)
    return words.texts[index].endswith("ing") and behind.isalpha() and behind not in FUNCTION and behind not in STATE


def changes(action: Action, place: int, role: str) -> bool:
    """Return whether facts with a parameter become false, as "from" says, or true, as "to" does; True for other roles.

    A place that becomes free is none that something arrives at: facts of one object count where no others change.
    """
    changed = [one.atom.terms for one in literals_of(action.effects) if one.positive is (role == "to")]
    changed = [terms for terms in changed if len(terms) > 1] or changed
    return role not in ("from", "to") or any(action.parameters[place].name in terms for terms in changed)


def same(word: str) -> str:
    """Return a word without its ending; of prepositions that say the same, one: into is in."""
    return PREPOSITIONS.get(word) or ("no" if word == "without" else stem(word))


def _is_slip(word: str, name: str) -> bool:
    """Return whether a word is a name with two letters exchanged, or a longer one with a letter more, less or else."""
    if word == name or len(name) < _SHORTEST:
        return False
    pairs = enumerate(zip(word, name, strict=False))
    first = next((place for place, (one, other) in pairs if one != other), min(len(word), len(name)))
    one, other = word[first:], name[first:]
    if one[1:2] + one[:1] + one[2:] == other:
        return True
    return len(name) > _SHORTEST and other in (other[:1] + one[1:], one[1:], other[:1] + one)


_SHORTEST = 4
"""letters of a name of which a slip is told: it exchanges two of them"""

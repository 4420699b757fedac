"""What the words of a clause are explained by: the objects that they name, the actions that they say, and the rest."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, pairwise

from validator.model.values import Model
from validator.reading.lexicon.english import (
    ARTICLES,
    BE,
    BESIDE,
    CAUSATIVE,
    COUNTED,
    DENIAL,
    DOUBT,
    ELSEWHERE,
    FUNCTION,
    GIVING,
    HAVE,
    LIGHT,
    LINKS,
    MANNERS,
    OPEN,
    PARTICLES,
    PHRASES,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    QUANTIFIERS,
    RELATIVE,
    ROLES,
    SEQUENCE,
    STANDS_FOR,
    SUBJECTS,
    UNITS,
    UNLIKE,
    bases,
    forms,
    is_participle,
    relation,
    singular,
    stem,
)
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.line_words import Words, grouped, parts
from validator.reading.lexicon.names import Found, Objects
from validator.reading.lexicon.synonyms import phrase_of, senses_of
from validator.reading.lexicon.verbs import Verbs
from validator.records import dataclass

_THE = ("the", "a", "an")
_SEVERAL = "both"
"""the pronoun of a clause that names all objects of a kind"""
_WHO = (("i",), ("we",), ("you",))
_INTRANSITIVE = ("to", "of", "for", "back", "away")
"""prepositions and particles that may stand before no object"""
_UNDER = ("under", "below")
_WHOSE = ("its", "his", "her", "their")
_SHORTEST_NOUN = 3
_PLACES = PLACES - COUNTED


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """Objects one of which is named.

    ``role`` is from, to, via or with where the preposition before it says so, ``relation`` any preposition's meaning
    (in, on, under, at); ``joint`` is what stands before a fragment.
    """

    objects: tuple[str, ...]
    role: str = ""
    relation: str = ""
    joint: str = ""

    @property
    def is_joined(self) -> bool:
        """Return whether it stands behind "and", "then" or a comma, so that it may belong to a further step."""
        return self.joint in ("and", "then")


_ANYTHING = Mention(objects=())
"""what "it" stands for"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """What the words of a clause are explained by; ``said`` are those that name no object.

    ``named`` and ``verbs`` are the places of the words that name objects and that say the actions.
    ``strange`` are those of the others that a plan is not understood with.
    """

    mentions: tuple[Mention, ...]
    actions: tuple[str, ...]
    named: frozenset[int]
    verbs: frozenset[int]
    said: tuple[str, ...]
    strange: tuple[str, ...]
    doubts: tuple[str, ...]
    pronoun: str
    pronoun_at: int
    has_object_pronoun: bool
    """whether the pronoun stands behind the verb"""
    is_split: bool
    is_passive: bool
    is_order: bool
    """whether it begins with its verb"""
    is_partial: bool = False
    """whether a word of the actions' names is left out that may change the verb: take, of take-out"""
    verb: str = ""
    """a verb that no action's name has, though it may have a synonym"""
    described: tuple[str, ...] = ()
    """words of no meaning in the model that only describe the object behind them: burner, of "the burner hob1\""""

    @property
    def has_subject(self) -> bool:
        """Return whether an object is named before the verb."""
        return bool(self.named and self.verbs) and min(self.named) < min(self.verbs)


@dataclass(frozen=True)
class Coverage:
    """How the words of clauses about one model are explained; by synonyms of the actions' verbs if wanted."""

    model: Model
    kinds: Kinds
    objects: Objects
    verbs: Verbs
    has_synonyms: bool = True

    def of(self, words: Words, described: frozenset[str] = frozenset()) -> Covered:
        """Return what the words of a clause are explained by.

        ``described`` are words that describe objects elsewhere in the text.
        """
        mentions, covered, (pronoun, pronoun_at) = self.mentions(words)
        actions, verb_words, is_split = self.actions(words, covered)
        particles = {at for at in verb_words if at - 1 in verb_words and words.texts[at] in PARTICLES}
        if any(words.texts[at] in PREPOSITIONS for at in particles):  # "take off the lid", which leaves nothing
            mentions, covered, (pronoun, pronoun_at) = self.mentions(words, particles)
        wanted = max((len(self.model.domain.actions[name].parameters) for name in actions), default=0)
        articles = {index for index, word in enumerate(words.texts) if word in _THE and index not in covered}
        places = [word for word in words.texts[1:] if word in _PLACES and word not in self.objects.nouns]
        is_more = bool(verb_words) and pronoun in PRONOUNS and words.texts.index(pronoun) > min(verb_words)
        taken = (*mentions, *[_ANYTHING] * is_more)  # "put it on b" is about two objects
        is_partial = bool(actions) and (
            (is_more and mentions and not any(self.takes(name, taken) for name in actions))
            or (len(taken) < wanted and not self.fact_words.isdisjoint(places))  # "place b on the table"
            or all(self._lacks_particle(name, words) for name in actions)
            or _is_noun(words, min(verb_words), articles)  # "put a tag on p1"
        )
        if is_partial and mentions and self._is_another(words, min(verb_words), actions, covered, taken):
            actions, verb_words = (), set()
        nouns = self._nouns_beside(actions) | described
        said = tuple(word for index, word in enumerate(words.texts) if index not in covered and word.isalpha())
        manners = {*self._manners(words, covered | verb_words)}
        free = [at for at in range(len(words)) if at not in covered and at not in verb_words and at not in manners]
        unknown = [
            index
            for index, word in ((index, words.texts[index]) for index in free)
            if word.isalpha()
            and word not in FUNCTION
            and not word.endswith("ly")
            and not _leaves_to(words, index, verb_words, articles)
            and word not in nouns
            and stem(word) not in nouns
            and not (index and words.glued[index])
            and not (actions and word == _SEVERAL)
            and not (actions and word in _UNDER and self._is_upright(mentions))
            and PHRASES.isdisjoint(pairwise(words.texts[max(index - 1, 0) : index + 2]))
            and not (actions and index and words.texts[index - 1] in _WHOSE)  # "recharges its battery"
            and not (word in PLACES and _is_place(words, index, covered))
        ]
        describing = {index for index in unknown if self._describes(words, index, covered)}
        unknown = [index for index in unknown if index not in describing]
        acts = bool(unknown) and _is_subject(words, unknown[0]) and unknown[0] + 1 not in covered
        subject = unknown[0] if acts else -1
        verbs = unknown[1:] if subject >= 0 else unknown
        if not (actions or verbs):
            verbs = self._verbs_of_names(words, covered, subject + 1)
        if actions or verbs:
            unknown = verbs
        has_subject = bool(actions and covered) and min(covered) < min(verb_words)
        is_state = has_subject and _is_adjective(words, min(verb_words))  # "the hall is dim", not "is dim the hall"
        actions = () if is_state else actions
        foreign = [] if actions or is_state else [index for index in unknown if words.texts[index] not in DOUBT]
        if foreign:
            is_told_of = bool(mentions) or (pronoun in PRONOUNS and not foreign[1:])  # "powers it on"
            taken = (*mentions, *[_ANYTHING] * (is_told_of and pronoun in PRONOUNS))
            actions, verb_words = self._meant(words, foreign, covered, taken if is_told_of else None)
            is_partial = bool(actions)
            unknown = [index for index in unknown if index not in verb_words]
        lacks = bool(actions) and all(self._lacks_particle(name, words) for name in actions)
        strays = self._loose(words, covered, verb_words) if lacks else ()  # "turn it up", with turn-on
        strange = tuple(words.texts[index] for index in unknown)
        strange += tuple(words.texts[index] for index in free if self._names_another(words, index, covered))
        if len(taken) < wanted:  # "on the table" is an argument that is no object
            strange += tuple(word for word in said[1:] if word in _PLACES and word not in nouns)
        return Covered(
            mentions=mentions,
            actions=actions,
            named=frozenset(covered),
            verbs=frozenset(verb_words),
            said=said,
            strange=strange,
            doubts=tuple(
                word
                for index, word in ((index, words.texts[index]) for index in free)
                if (
                    word in DOUBT
                    and not (word == "again" and (verb_words or covered))  # "load beans again"
                    and not (word == "continue" and words.at(index + 1) in ("by", "to"))
                )
                or self._is_ordinal(words, index, covered)
                or (word in ("would", "could", "may") and words.at(index + 1) in ("have", "be"))
                or (word in ("should", "must", "ought") and words.at(index + 1) == "have")
                or (word == "used" and words.at(index + 1) == "to")
                or (word == "so" and words.at(index + 1) in _DOES)  # "and so is the cuff"
                or (word in ("let", "lets") and index - 1 in covered)
                or (word in PARTICLES and index in strays and words.at(index + 1) not in _THE)
                or (word == "back" and words.texts[index - 1 : index] in (("and",), ("then",)))
                or words.is_contracted_not(index)
                or self._is_beside(words, index)
                or (word == "by" and index + 1 in verb_words and not _begins(words.texts[:index]))
            ),
            pronoun=pronoun,
            pronoun_at=pronoun_at,
            has_object_pronoun=bool(verb_words) and pronoun == "it" and words.texts.index(pronoun) > min(verb_words),
            is_split=is_split,
            is_passive=any(_is_past(words, index) for index in verb_words)
            or (not actions and _is_passive(words, unknown)),
            is_order=bool(verb_words) and all(words.texts[index] in FUNCTION for index in range(min(verb_words))),
            is_partial=is_partial,
            verb=words.texts[foreign[0]] if foreign else "",
            described=tuple(words.texts[index] for index in sorted(describing)),
        )

    def _manners(self, words: Words, named: set[int]) -> Iterator[int]:
        """Yield the places of words that say when or how something is done: "at the same time", "without delay"."""
        for end, word in enumerate(words.texts):
            is_span = word in UNITS and end > 1 and words.texts[end - 1].isdigit()  # "for 5 minutes"
            if not (is_span or word in MANNERS) or end in named or self._is_noun(word):
                continue
            start = end - 1 - is_span
            while start > 0 and words.texts[start] in ARTICLES | {"any", "same"}:
                start -= 1
            if start >= 0 and words.texts[start] in LINKS and start not in named:
                yield from range(start, end + 1)

    def _is_upright(self, mentions: Sequence[Mention]) -> bool:
        """Return whether no objects are of one type, so that "under" cannot turn a step about: "put a under b"."""
        kinds = [{self.model.problem.objects[name] for name in mention.objects} for mention in mentions]
        return not any(one & other for one, other in combinations(kinds, 2))

    def _with_words(self, said: Iterable[str]) -> tuple[str, ...]:
        """Return the actions whose names have all of some words behind their first."""
        wanted = {stem(word) for word in said}
        if not wanted:
            return ()
        rests = ((name, {*map(stem, rest)}) for _, name, rest in self._first_words)
        return tuple(sorted(name for name, rest in rests if wanted <= rest))

    def _is_another(
        self, words: Words, verb: int, actions: tuple[str, ...], named: set[int], mentions: Sequence[Mention]
    ) -> bool:
        """Return whether only other actions than a verb names take such objects: stack, of "put a onto b"."""
        if not self.has_synonyms or any(self.takes(name, mentions) for name in actions):
            return False
        return bool(self._synonyms(words, self._phrase(words, verb, named)[0], mentions))

    def _meant(
        self, words: Words, foreign: list[int], named: set[int], mentions: Sequence[Mention] | None
    ) -> tuple[tuple[str, ...], set[int]]:
        """Return the actions that a verb which no name has may mean, and the places of the words that say so.

        ``foreign`` are the places of the verb and of unknown words behind it; synonyms need ``mentions``.
        """
        verb, *rest = foreign
        with_words = self._with_words(words.texts[index] for index in rest)  # "put v1 into the rotor", load-rotor
        phrase, said = self._phrase(words, verb, named)
        is_synonym = self.has_synonyms and mentions is not None
        synonyms = self._synonyms(words, phrase, mentions or ()) if is_synonym else ()
        actions = tuple(name for name in with_words if name in synonyms) or with_words or synonyms
        return actions, {*said, *(rest if with_words else ())} if actions else set()

    def _phrase(self, words: Words, index: int, named: Collection[int]) -> tuple[str, set[int]]:
        """Return a verb with its particle, which stands behind it or leads to no object, and where they stand."""
        verb, places = words.texts[index], (index + 1, *self._loose(words, named, (index,)))
        phrase = phrase_of(verb, map(words.at, places))
        return phrase, {index, *(at for at in places if phrase == f"{verb}+{words.at(at)}")}

    def _synonyms(self, words: Words, phrase: str, mentions: Sequence[Mention]) -> tuple[str, ...]:
        """Return the actions that a verb may say which no name has: those with a synonym that take such objects.

        Of these they are the ones with most other words of the clause in their names: switch-on, of "turn it on".
        """
        senses, said = senses_of(phrase), {_same(word) for word in words.texts}
        found = {
            name: len(said.intersection(map(_same, verbs)))
            for name, verbs in self._verbs_in_names.items()
            if any(not senses.isdisjoint(senses_of(phrase_of(verb, verbs))) for verb in verbs)
            and self.takes(name, mentions)
        }
        most = max(found.values(), default=0)
        return tuple(sorted(name for name, count in found.items() if count == most))

    @cached_property
    def _verbs_in_names(self) -> dict[str, tuple[str, ...]]:
        """Return for each action the words of its name that are no nouns of the model."""
        named = ((name, parts(action.step or name)) for name, action in self.model.domain.actions.items())
        return {name: tuple(word for word in said if word not in self.objects.nouns) for name, said in named}

    def takes(self, name: str, mentions: Sequence[Mention]) -> bool:
        """Return whether an action has a place for each of some objects, and for as many."""
        action = self.model.domain.actions[name]
        places = range(len(action.parameters))
        return sum(mention.joint != "and" for mention in mentions) <= len(places) and all(
            any(self.objects.fits(action, place, one) for place in places for one in mention.objects)
            for mention in mentions
            if mention is not _ANYTHING
        )

    def _verbs_of_names(self, words: Words, covered: set[int], start: int) -> list[int]:
        """Return where a word of the model that is no action's stands as a verb: "put it in", with ``(put-in ?x)``.

        The words before ``start`` say who acts.
        """
        for index, word in enumerate(words.texts[start:], start):
            before = (each for each in words.texts[start:index] if not each.endswith("ly"))
            is_first = FUNCTION.issuperset(before) and covered.isdisjoint(range(start, index))
            if index in covered or not word.isalpha() or word in FUNCTION:
                continue
            if word in self.objects.nouns:
                if is_first and (words.at(index + 1) == "the" or words.texts[index - 1 : index] in _WHO):
                    return [index]  # "centrifuge the serum", with centrifuges
                continue
            is_word = not self._own_words.isdisjoint((word, stem(word))) or stem(word) in self.objects.nouns
            if is_word and (is_first or (words.texts[index - 1] in BE and is_participle(word))):
                return [index]
        return []

    def _describes(self, words: Words, index: int, covered: set[int]) -> bool:
        """Return whether a word only describes the object behind it: "the burner hob1", "on burner hob1".

        Before names of several words, or that a template gives, it may tell objects apart: "the dark red block".
        """
        behind = next(place for place in range(index + 1, len(words) + 1) if place not in covered)
        name = words.texts[index + 1 : behind]
        is_apart = len(name) == 1 or any(word.isdigit() or len(word) == 1 for word in name)
        is_apart = is_apart or sum(not {*name}.isdisjoint(parts(one)) for one in self.model.problem.objects) == 1
        if not name or not is_apart or self.objects.aliases or (len(name) == 1 and name[0] in self.objects.heads):
            return False
        is_subject = words.at(behind) in BE and FUNCTION.issuperset(words.texts[:index])
        return is_subject or _is_described(words, index, index + 1)  # "burner hob1 is switched on"

    def unexplained(self, words: Words, covered: Covered) -> tuple[str, ...]:
        """Return the words that neither name nor do something, but for function words and nouns beside a name.

        A plan may be understood with some of them, as it is executed; of a question nothing may be left.
        """
        free = (index for index in range(len(words)) if index not in covered.named and index not in covered.verbs)
        said = ((index, words.texts[index]) for index in free)
        return tuple(
            word
            for index, word in said
            if word.isalpha()
            and word not in FUNCTION
            and not (self._is_noun(word) and {index - 1, index + 1} & covered.named)
        )

    def tells_alone(self, words: Words, covered: Covered) -> bool:
        """Return whether words that name no object say what is done: "recharge", "the robot opens its doors"."""
        if covered.mentions or not covered.verbs:
            return False
        first = min(covered.verbs)
        own = {_same(word) for name in covered.actions for word in parts(name)}
        said = (word for at, word in enumerate(words.texts[:first]) if not _is_subject(words, at))
        before = (word for word in said if word not in FUNCTION | RELATIVE and _same(word) not in own)
        is_free = all(word == "with" or _same(word) in own for word in self.loose(words, covered))  # "load with beans"
        return is_free and all(map(self._is_noun, before)) and not words.at(first).endswith("ing")

    def loose(self, words: Words, covered: Covered) -> tuple[str, ...]:
        """Return the prepositions and particles that lead to no object, articles and nouns between left aside."""
        return tuple(words.texts[index] for index in self._loose(words, covered.named, covered.verbs))

    def _loose(self, words: Words, named: Collection[int], verbs: Collection[int]) -> tuple[int, ...]:
        small = ARTICLES | PREPOSITIONS.keys() | QUANTIFIERS.keys()
        found: list[int] = []
        for index, word in enumerate(words.texts):
            behind = (at for at in range(index + 1, len(words)) if at in named or words.texts[at] not in small)
            end = next((at for at in behind if at in named or not self._is_noun(words.texts[at])), len(words))
            leads = word in PREPOSITIONS and (end in named or words.at(end) in OPEN)
            is_free = index > 0 and index not in named and index not in verbs and word not in _INTRANSITIVE
            found += [index] if is_free and word in PREPOSITIONS.keys() | PARTICLES and not leads else []
        return tuple(found)

    def _is_noun(self, word: str) -> bool:
        return word in self.objects.nouns or singular(word) in self.objects.nouns

    def _is_beside(self, words: Words, index: int) -> bool:
        """Return whether a word says that a noun is not the object behind it: "the room next to hall2"."""
        return words.texts[index] in BESIDE and index > 1 and words.texts[index - 1] in self.objects.nouns

    def _is_ordinal(self, words: Words, index: int, covered: Collection[int]) -> bool:
        """Return whether a word says which one of a kind is meant: "the second door", not "first r1 drives"."""
        is_of_object = index + 1 in covered and words.texts[index - 1 : index] == ("the",)
        return words.texts[index] in _ORDINALS and (is_of_object or words.at(index + 1) in self.objects.nouns)

    def _names_another(self, words: Words, index: int, covered: Collection[int]) -> bool:
        """Return whether a number or letter behind a noun makes it the name of what the model has not: "hall 2"."""
        word, behind = words.texts[index], words.at(index + 1)
        before = words.texts[index - 1] if index else ""
        if (index - 1 not in covered and before not in self.objects.nouns) or before in COUNTED or before.isdigit():
            return False
        is_last = not behind.isalpha() or behind in FUNCTION or behind in PREPOSITIONS
        return is_last and (word.isdigit() or (len(word) == 1 and word.isalpha() and word not in ("s", "t", "i")))

    def mentions(
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
            if word == _SEVERAL and index + 1 < len(words) and self.objects.at(words, index + 1) is not None:
                covered.add(index)  # "both ball1 and ball2"
                index += 1
                continue
            several, end = self._several(words, index)
            if several:
                covered.update(range(index, end))
                found.append(self._mention(several[:1], words, before, index))
                found += [Mention(objects=(name,), joint="and") for name in several[1:]]
                pronoun = pronoun if word == _SEVERAL else (_SEVERAL, len(found))  # those of "all balls" are open
                index = before = end
                continue
            is_alone = words.is_border(index) and words.is_border(index + 1)  # not as in "j2it0"
            if word in STANDS_FOR and is_alone and not pronoun[0]:
                pronoun = word, len(found)
            index += 1
        return tuple(found), covered, pronoun

    def _several(self, words: Words, index: int) -> tuple[tuple[str, ...], int]:
        """Return the objects that "all balls" or "the balls" name from an index on, and where these words end."""
        word, end = words.texts[index], index + 1
        if QUANTIFIERS.get(word) != "all" and word != "the":
            return (), index
        while words.at(end) in ("of", "the", "these"):
            end += 1
        noun = words.at(end)
        one = noun if word in ("each", "every") else singular(noun)
        is_plural = one != noun or word in ("each", "every")
        is_name = end + 1 < len(words) and (self.objects.at(words, end) or not words.is_border(end + 1))
        objects = self.objects.of_kind(one) if noun and is_plural and not is_name else ()
        return (objects, end + 1) if len(objects) > 1 and (word != "both" or len(objects) == 2) else ((), index)

    def _mention(self, objects: tuple[str, ...], words: Words, first: int, last: int) -> Mention:
        """Return objects named from ``last`` on, with what the prepositions right before say."""
        said = self._prepositions(words, first, last)
        roles = [ROLES[word] for word in said if word in ROLES]
        role = (roles[0] if said[0] == "from" else roles[-1]) if roles else ""  # "from out of", "out to"
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
            elif not (word in (*_THE, *_WHOSE) or word in self.objects.nouns or _is_described(words, index, last)):
                break
        return tuple(reversed(found))

    def actions(self, words: Words, covered: set[int]) -> tuple[tuple[str, ...], set[int], bool]:
        """Return the actions that the verbs may mean, the indices of their words, whether there are several verbs."""
        free = [index for index in range(len(words)) if index not in covered]
        said = frozenset(words.texts[index] for index in free)
        stems = {_same(word) for word in said}
        best: dict[int, tuple[int, set[str], set[int], tuple[bool, bool, int, int]]] = {}
        """by the place of a verb: missing words of a name, the actions, the places of their words, their rank"""
        for index in free:
            is_label = words.texts[index] in COUNTED and (
                words.at(index + 1).isdigit() or words.texts in (("step",), ("action",))
            )
            is_adjective = words.texts[index - 1] in _THE and index + 1 in covered and is_participle(words.texts[index])
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
                left = sum(_same(word) not in stems for word in rest)
                used = {
                    *range(index, end),
                    *(at for at in free if any(_same(words.texts[at]) == _same(w) for w in rest)),
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
        others = [value for index, value in whole.items() if index not in used and value[1].isdisjoint(names)]
        used = used.union(*(value[2] for index, value in best.items() if not names.isdisjoint(value[1])))
        return tuple(sorted(names)), used, bool(others)

    def _row(self, words: Words, index: int, name: str) -> tuple[int, ...]:
        """Return the places of the words of an action's name where they stand in a row from an index on; else none."""
        said = parts(self.model.domain.actions[name].step or name)
        places = [place for place in range(index, len(words)) if words.texts[place] not in _THE][: len(said)]
        is_said = [_same(words.texts[place]) for place in places] == [*map(_same, said)]
        return tuple(places) if is_said else ()

    def _lacks_particle(self, name: str, words: Words) -> bool:
        """Return whether the name of an action has a particle that is not said: out, of take-out; onto says on."""
        _, *rest = parts(self.model.domain.actions[name].step or name)
        particles = [word for word in rest if word in PARTICLES and word != "up"]
        return any(not any(said.startswith(particle) for said in words.texts) for particle in particles)

    @cached_property
    def _first_words(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """Return the first word of the name of each action, the action, and the rest of its name."""
        words = ((name, parts(action.step or name) or ("",)) for name, action in self.model.domain.actions.items())
        return tuple((said[0], name, said[1:]) for name, said in words if said[0].isalpha() and len(said[0]) > 1)

    @cached_property
    def _named_by(self) -> Mapping[str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Return the actions by each form of their first words, with the rest of their names."""
        rows = ((first, (name, rest)) for first, name, rest in self._first_words)
        return grouped((form, row) for first, row in rows for base in bases(first) for form in forms(base))

    def _nouns_beside(self, actions: tuple[str, ...]) -> frozenset[str]:
        """Return the words that say nothing more beside such actions: nouns, types and predicates of the model."""
        known = self._nouns.get(actions)
        if known is None:
            words = (self._words_of_action[name] for name in actions)
            known = self._nouns[actions] = self.objects.nouns.union(self._own_words, *words)
        return known

    @cached_property
    def _nouns(self) -> dict[tuple[str, ...], frozenset[str]]:
        return {}

    @cached_property
    def _words_of_action(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for name, action in self.model.domain.actions.items():
            nouns = (noun for place in range(len(action.parameters)) for noun in self.kinds.nouns(action, place))
            words = {word for noun in nouns for word in parts(noun)} | {*parts(name)}
            words |= {kind for parameter in action.parameters for kind in parameter.types}
            found[name] = frozenset(words | {stem(word) for word in words})
        return found

    @cached_property
    def _own_words(self) -> frozenset[str]:
        kinds = {word for kind in self.model.domain.types for word in parts(kind)}
        return frozenset(kinds | {stem(word) for word in kinds} | self.fact_words)

    @cached_property
    def fact_verbs(self) -> frozenset[str]:
        """Return the words of predicates that are no nouns and lead to no object: lies, hangs, aboard."""
        return frozenset(word for word in self.fact_words if word not in PREPOSITIONS and not self._is_noun(word))

    @cached_property
    def fact_words(self) -> frozenset[str]:
        return frozenset(word for name in self.model.domain.predicates for word in parts(name))


_DOES = ("is", "are", "was", "were", "do", "does", "did")
_ORDINALS = frozenset(("first", "second", "third", "last"))
_GOES_ON = ("proceed", "continue", "finish", "end", "conclude")


def _begins(said: tuple[str, ...]) -> bool:
    """Return whether words only say that something is begun: "start by taking b", not "clear d by taking b"."""
    return FUNCTION.union(_GOES_ON).issuperset(said)


def _leaves_to(words: Words, index: int, verbs: set[int], articles: set[int]) -> bool:
    """Return whether a word leaves to another what is done: to the verb behind it, or a noun with its article."""
    verb = stem(words.texts[index])
    if verb in GIVING:
        return ELSEWHERE.isdisjoint(words.texts) and any(at > index and _is_noun(words, at, articles) for at in verbs)
    if words.texts[index] in CAUSATIVE and any(at > index + 1 and words.texts[at - 1] == "to" for at in verbs):
        return FUNCTION.issuperset(words.texts[:index])  # "ask ann to open it"
    behind = (at for at in range(index + 1, len(words)) if words.texts[at] not in FUNCTION or at in articles)
    return verb in LIGHT and next(behind, index) in verbs  # "get a tag" is no tagging


def _is_place(words: Words, index: int, covered: set[int]) -> bool:
    """Return whether a word such as table, hand or place stands as a noun: "on the table", not "then place b on c"."""
    if index == 0 or words.texts[index - 1] in SUBJECTS:
        return False
    before = next((word for word in reversed(words.texts[:index]) if word in FUNCTION), "")
    is_led = before in ARTICLES or (before in PREPOSITIONS and before != "to")
    return is_led or index - 1 in covered or not senses_of(words.texts[index])


def _is_noun(words: Words, index: int, articles: set[int]) -> bool:
    """Return whether an article stands before a verb: "a tag"."""
    return index - 1 in articles and words.texts[index - 1] != "the"


def _is_subject(words: Words, index: int) -> bool:
    """Return whether a word says who acts, who is no object: "the gardener trims the ivy", "the robot arm grabs b"."""
    before = words.texts[:index]
    before = before[:-1] if before[-1:] == ("robot",) else before
    return before[-1:] == ("the",) and FUNCTION.issuperset(before)


def _is_described(words: Words, index: int, last: int) -> bool:
    """Return whether a word before an object that begins at ``last`` may describe it."""
    word, before = words.texts[index], words.texts[index - 1] if index else ""
    is_noun = word.isalpha() and len(word) >= _SHORTEST_NOUN and word not in FUNCTION and word not in PREPOSITIONS
    is_right_before = last == index + 1 and words.is_border(last) and word not in UNLIKE
    if (before == "to" and senses_of(word)) or word.endswith("ing"):
        return False  # "to put b on c", "by placing b"
    return is_noun and is_right_before and (before in _THE or (before in PREPOSITIONS and before != "of"))


def _auxiliary(words: Words, index: int) -> str:
    """Return the word before a verb, "not", "first" and adverbs left aside: "is first hitched"."""
    before = (word for word in reversed(words.texts[:index]) if word not in DENIAL | SEQUENCE)
    return next((word for word in before if not word.endswith("ly")), "")


def _is_past(words: Words, index: int) -> bool:
    """Return whether a verb tells what is or has been done, which may be a state: "is oiled", "has oiled"."""
    auxiliary = _auxiliary(words, index)
    return auxiliary in BE or (auxiliary in HAVE and is_participle(words.texts[index]))


def _is_adjective(words: Words, index: int) -> bool:
    """Return whether a word behind a form of "be" is no participle, but says how something is."""
    word = words.texts[index]
    return _auxiliary(words, index) in BE - {"be"} and not (is_participle(word) or word.endswith("ing"))


def _is_passive(words: Words, unknown: Sequence[int]) -> bool:
    """Return whether the first unknown word behind a form of "be" is a participle: "v2 is placed"."""
    first = next((index for index in unknown if index and words.texts[index - 1] in BE), 0)
    return first > 0 and is_participle(words.texts[first])


def _letter(words: Words, index: int, here: Found, nouns: frozenset[str]) -> Found | None:
    """Return an object that is called like a function word only where no noun can follow: "stack a on b"."""
    behind = words.at(index + 1)
    is_named = index > 0 and words.texts[index - 1] in nouns
    if words.texts[index - 1 : index] == ("as",):
        return None  # "as a next step"
    is_followed = behind in PREPOSITIONS or behind in PARTICLES or behind in ("and", "then")
    return here if is_named or not behind[:1].isalpha() or is_followed else None


def _same(word: str) -> str:
    """Return a word without its ending; of prepositions that say the same, one: into is in."""
    return PREPOSITIONS.get(word) or stem(word)

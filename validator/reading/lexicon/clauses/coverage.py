"""What the words of a clause are explained by: the objects that they name, the actions that they say, and the rest."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise, takewhile

from validator.model.conditions import predicates
from validator.model.values import Action, Model, literals_of
from validator.reading.lexicon.clauses.action_words import ANYTHING, ActionWords, same
from validator.reading.lexicon.clauses.mentions import SEVERAL, WHOSE, Mention, Mentions, is_described
from validator.reading.lexicon.english import (
    ARTICLES,
    BE,
    BESIDE,
    CAUSATIVE,
    COUNTED,
    DENIAL,
    DIRECTIONS,
    DOUBT,
    ELSEWHERE,
    EVERYDAY,
    FUNCTION,
    GIVING,
    HAVE,
    IDLE,
    LIGHT,
    LINKS,
    MANNERS,
    MOTION,
    ORDINALS,
    PARTICLES,
    PHRASES,
    PLACES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SEQUENCE,
    STATES,
    SUBJECTS,
    THE,
    UNITS,
    UNLIKE,
    is_participle,
    singular,
    stem,
)
from validator.reading.lexicon.kinds import Kinds
from validator.reading.lexicon.line_words import Words, parts, words_in, words_of
from validator.reading.lexicon.names import Objects
from validator.reading.lexicon.synonyms import senses_of
from validator.reading.lexicon.verbs import Verbs
from validator.records import dataclass

_WHO = (("i",), ("we",), ("you",))
_CIRCUMSTANCE = re.compile(
    r"(?:with|using)(?: \w+){1,3}"
    r"|(?:in|at|near|under|up to|on|onto|into) the (?:\w+ing )?"
    r"(?!evening|future|last|morning|night|past|start|weekend)\w+"
)
"""how or where a step is done that names all that it takes: "with fresh water", "at the tap\""""
_ALSO_VERBS = ("start", "top")
"""function words that are verbs at the beginning of an order"""
_UNDER = ("under", "below")
_AIM = ("to", "for")
_COMMA = re.compile(r",|\band\b")
_PLACES = PLACES - COUNTED


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

    @cached_property
    def mentions(self) -> Mentions:
        return Mentions(self.objects)

    @cached_property
    def action_words(self) -> ActionWords:
        return ActionWords(self.model, self.objects, self.verbs, self.has_synonyms)

    def of(self, words: Words, described: frozenset[str] = frozenset()) -> Covered:
        """Return what the words of a clause are explained by.

        ``described`` are words that describe objects elsewhere in the text.
        """
        particles = {*self._verb_of_noun(words)}
        mentions, covered, (pronoun, pronoun_at) = self.mentions.of(words, particles)
        actions, verb_words, is_split = self.action_words.of(words, covered)
        particles |= {at for at in verb_words if at - 1 in verb_words and words.texts[at] in PARTICLES}
        if any(words.texts[at] in PREPOSITIONS for at in particles):  # "take off the lid", which leaves nothing
            mentions, covered, (pronoun, pronoun_at) = self.mentions.of(words, particles)
        wanted = max((len(self.model.domain.actions[name].parameters) for name in actions), default=0)
        articles = {index for index, word in enumerate(words.texts) if word in THE and index not in covered}
        places = [word for word in words.texts[1:] if word in _PLACES and word not in self.objects.nouns]
        is_more = bool(verb_words) and pronoun in PRONOUNS and words.texts.index(pronoun) > min(verb_words)
        taken = (*mentions, *[ANYTHING] * is_more)  # "put it on b" is about two objects
        is_partial = bool(actions) and (
            (is_more and mentions and not any(self.action_words.takes(name, taken) for name in actions))
            or (len(taken) < wanted and not self.fact_words.isdisjoint(places) and not self._placing(actions, places))
            or all(self.action_words.lacks_particle(name, words) for name in actions)
            or (covered and all(self.action_words.is_of_another(name, words, mentions) for name in actions))
            or _is_noun(words, min(verb_words), articles)  # "put a tag on p1"
        )
        if mentions and not any(self.action_words.takes(name, taken) for name in actions):
            actions = self.action_words.saying_more(actions, taken) or actions
        if actions and mentions:
            verb = min(verb_words)
            if self.action_words.is_another(words, verb, actions, covered, taken, is_partial=bool(is_partial)):
                actions, verb_words = (), set()
        nouns = self._nouns_beside(actions) | described
        said = tuple(word for index, word in enumerate(words.texts) if index not in covered and word.isalpha())
        manners = {*self._manners(words, covered | verb_words)}
        free = [at for at in range(len(words)) if at not in covered and at not in verb_words and at not in manners]
        unknown = [
            index
            for index in free
            if (self._is_unknown(words, index, nouns) or (actions and self._is_plural(words, index, covered)))
            and (not words.glued[index] or index == 0 or index - 1 in verb_words)
            and not _leaves_to(words, index, verb_words, articles)
            and not (actions and self._goes_with_step(words, index, mentions, verb_words))
            and not (0 < wanted <= len(mentions) and words.texts[index - 1] == "with")  # "with water from the tap"
            and not (words.texts[index] in PLACES and _is_place(words, index, covered))
        ]
        last = max(covered, default=0)
        aims = {at for at in unknown if words.texts[at - 1] == "to" and senses_of(words.texts[at])}
        aims = {at for at in aims if at > max(verb_words, default=at) and (at < last or words.at(at + 1) in PRONOUNS)}
        if any(self.action_words.takes(name, mentions) for name in actions):  # "shake it to make c1"
            is_partial = is_partial or bool(aims)
            unknown = [index for index in unknown if index not in aims]
        describing = {index for index in unknown if self._describes(words, index, covered, verb_words, unknown)}
        describing |= {index for index in unknown if self._describes_kind(words, index)}
        unknown = [index for index in unknown if index not in describing]
        acts = bool(unknown) and _is_subject(words, unknown[0]) and unknown[0] + 1 not in covered
        acts = acts and (len(mentions) >= wanted or words.texts[unknown[0]] not in ("somebody", "someone"))
        subject = unknown[0] if acts else -1
        is_long = acts and verb_words and unknown[1:2] == [subject + 1]
        if is_long and FUNCTION.issuperset(words.texts[subject + 2 : min(verb_words)]):
            subject += 1  # "the crew member opens it"
        verbs = [index for index in unknown if index > subject]
        if not (actions or verbs):
            verbs = self._verbs_of_names(words, covered, subject + 1)
        if actions or verbs:
            unknown = verbs
        if actions and words.texts[min(verb_words) - 1] == "(" and words.at(max(verb_words) + 1) == ")":
            is_partial, unknown = is_partial or bool(unknown), []  # "put it back into service (enable)"
        has_subject = bool(actions and covered) and min(covered) < min(verb_words)
        # "the hall is dim", not "is dim the hall"
        is_state = has_subject and all(_is_adjective(words, at) for at in verb_words)
        actions, verb_words = ((), set()) if is_state else (actions, verb_words)
        foreign = [] if actions or is_state else [index for index in unknown if words.texts[index] not in DOUBT]
        word = words.texts[foreign[0]] if foreign else ""
        if word and not senses_of(word) and self.action_words.is_misspelt(word):
            foreign = []  # "laod", and no other verb
        if foreign:
            things = [at for at in free if at > foreign[0] and words.texts[at - 1] == "the"]  # "dims the lights"
            things = [at for at in things if not (words.texts[at] in PLACES or self.objects.is_noun(words.texts[at]))]
            foreign += [at for at in things if at not in foreign]
            is_told_of = bool(mentions) or (pronoun in PRONOUNS and not foreign[1:])  # "powers it on"
            taken = (*mentions, *[ANYTHING] * (is_told_of and pronoun in PRONOUNS))
            actions, verb_words = self.action_words.meant(words, foreign, covered, taken if is_told_of else None)
            sizes = [len(self.model.domain.actions[name].parameters) for name in actions]
            is_motion = stem(words.texts[foreign[0]]) in MOTION and len(mentions) + 1 >= max(sizes, default=0)
            is_motion = is_motion and all(self.action_words.moves(name, mentions) for name in actions)
            is_partial = bool(actions) and not is_motion
            unknown = [index for index in unknown if index not in verb_words]
        lacks = bool(actions) and all(self.action_words.lacks_particle(name, words) for name in actions)
        strays = self.action_words.loose(words, covered, verb_words) if lacks else ()  # "turn it up", with turn-on
        strange = tuple(words.texts[index] for index in unknown)
        strange += tuple(words.texts[index] for index in free if self._names_another(words, index, covered))
        placing = self._placing(actions, places)
        if len(taken) < wanted and not placing:  # "on the table" is an argument that is no object
            strange += tuple(word for word in said[1:] if word in _PLACES and word not in nouns)
        if foreign:
            actions = placing or actions
        return Covered(
            mentions=mentions,
            actions=actions,
            named=frozenset(covered),
            verbs=frozenset(verb_words),
            said=said,
            strange=strange,
            doubts=tuple(words.texts[at] for at in free if self._is_doubt(words, at, covered, verb_words, strays)),
            pronoun=pronoun,
            pronoun_at=pronoun_at,
            has_object_pronoun=bool(verb_words)
            and pronoun in ("it", "them")
            and words.texts.index(pronoun) > min(verb_words),
            is_split=is_split,
            is_passive=any(_is_past(words, index) for index in verb_words)
            or (not actions and _is_passive(words, unknown)),
            is_order=bool(verb_words) and all(words.texts[index] in FUNCTION for index in range(min(verb_words))),
            is_partial=is_partial,
            verb=words.texts[foreign[0]] if foreign else "",
            described=tuple(words.texts[index] for index in sorted(describing)),
        )

    def _is_unknown(self, words: Words, index: int, nouns: frozenset[str]) -> bool:
        """Return whether a word is no function word, no adverb, and none of some nouns."""
        word = words.texts[index]
        is_known = word in FUNCTION or word.endswith("ly") or word in nouns or stem(word) in nouns
        is_known = is_known and not (word in _ALSO_VERBS and self._begins_clause(words, index))
        is_phrase = not PHRASES.isdisjoint(pairwise(words.texts[max(index - 1, 0) : index + 2]))
        return word.isalpha() and not (is_known or is_phrase)

    @staticmethod
    def _begins_clause(words: Words, index: int) -> bool:
        """Return whether a word stands as the verb of an order: "start beta", "then top up the can"; not "start by"."""
        behind = words.at(index + 1)
        is_led = words.texts[index + 1 : index + 2] == (behind,) and behind.isalnum() and not words.glued[index + 1]
        is_led = is_led and (behind not in PREPOSITIONS or behind in PARTICLES)
        return is_led and SEQUENCE.issuperset(words.texts[:index])

    def _is_plural(self, words: Words, index: int, covered: set[int]) -> bool:
        """Return whether a noun means several objects without naming them: "paint props", not "the props a and b"."""
        one = singular(words.texts[index])
        return (
            one != words.texts[index] and covered.isdisjoint((index - 1, index + 1)) and self.objects.are_several(one)
        )

    def _verb_of_noun(self, words: Words) -> Iterator[int]:
        """Yield the places of words of an action's name that name an object as well: jack up, with a jack; fell timber.

        Behind the first word they are those for which the action has no place.
        """
        for index in range(len(words)):
            if words.texts[index] in self.verbs.starts and words.texts[index - 1] not in ARTICLES:
                end = max((end for end, _ in self.verbs.at(words, index)), default=0)
                if end > index + 1 and self.objects.at(words, index) is not None:
                    yield from range(index, end)
                yield from self.action_words.thing_behind(words, index)

    def _placing(self, actions: Collection[str], places: Sequence[str]) -> tuple[str, ...]:
        """Return the actions that change what is said of a place which is no object: put-down, of "on the table"."""
        found = self.model.domain.actions
        changed = {name: [one.atom.predicate for one in literals_of(found[name].effects)] for name in actions}
        return tuple(n for n, said in changed.items() if any(word in one for word in places for one in said))

    def _goes_with_step(self, words: Words, index: int, mentions: Sequence[Mention], verbs: set[int]) -> bool:
        """Return whether a word says nothing more where a step is told: "both", "under", "recharges its battery".

        So do directions beside where something moves to, and verbs before the word that says what they say: "collect a
        sample", "go up".
        """
        word, before = words.texts[index], words.texts[index - 1 : index]
        if word in DIRECTIONS and any(mention.role == "to" for mention in mentions):
            return True
        if index < min(verbs, default=0):
            said = [words.texts[at] for at in verbs]
            same = any(not senses_of(word).isdisjoint(senses_of(one)) for one in said)
            return same or word == SEVERAL or (stem(word) in EVERYDAY and PARTICLES.issuperset(said))
        is_upright = word in _UNDER and self._is_upright(mentions)
        is_both = before == (SEVERAL,) and singular(word) != word  # "serves both plates"
        return word == SEVERAL or is_upright or is_both or before in [(one,) for one in WHOSE]

    def _is_doubt(self, words: Words, index: int, covered: set[int], verbs: set[int], strays: Collection[int]) -> bool:
        """Return whether a word denies, repeats, corrects, or makes a step depend on something."""
        word, before, behind = words.texts[index], words.texts[index - 1 : index], words.at(index + 1)
        if word in DOUBT:
            is_again = word == "again" and bool(verbs or covered)  # "load beans again"
            is_kind = word == "same" and self._describes_kind(words, index)  # "the same robot"
            return not (is_again or is_kind or (word == "continue" and behind in ("by", "to")))
        return (
            self._is_ordinal(words, index, covered)
            or (word in _DOUBT_BEFORE and behind in _DOUBT_BEFORE[word])
            or (word in ("let", "lets") and index - 1 in covered)
            or (word in PARTICLES and index in strays and behind not in THE)
            or (word == "back" and before in (("and",), ("then",)))
            or words.is_contracted_not(index)
            or self._is_beside(words, index)
            or (word == "by" and index + 1 in verbs and not _begins(words, index, covered))
        )

    def _manners(self, words: Words, named: set[int]) -> Iterator[int]:
        """Yield the places of words that say when or how something is done: "at the same time", "without delay"."""
        for end, word in enumerate(words.texts):
            before = words.texts[max(end - 4, 0) : end]
            if (*before[-2:], word) == ("all", "the", "way"):
                yield from range(end - 2, end + 1)
            is_span = word in UNITS and ("for" in before or any(map(str.isdigit, before[-1:])))  # "for 5 minutes"
            if not (is_span or word in MANNERS) or end in named or self.objects.is_noun(word):
                continue
            start = next((at for at in reversed(range(max(end - 4, 0), end)) if words.texts[at] in LINKS), end)
            is_led = is_span or (ARTICLES | {"any", "same", "full"}).issuperset(words.texts[start + 1 : end])
            if start < end and is_led and start not in named:
                yield from range(start, end + 1)

    def _is_upright(self, mentions: Sequence[Mention]) -> bool:
        """Return whether no objects are of one type, so that "under" cannot turn a step about: "put a under b"."""
        kinds = [{self.model.problem.objects[name] for name in mention.objects} for mention in mentions]
        return not any(one & other for one, other in combinations(kinds, 2))

    def _verbs_of_names(self, words: Words, covered: set[int], start: int) -> list[int]:
        """Return where a word of the model that is no action's stands as a verb: "put it in", with ``(put-in ?x)``.

        The words before ``start`` say who acts.
        """
        for index, word in enumerate(words.texts[start:], start):
            before = (each for each in words.texts[start:index] if not each.endswith("ly"))
            is_first = FUNCTION.issuperset(before) and covered.isdisjoint(range(start, index))
            if index in covered or not word.isalpha() or word in FUNCTION:
                continue
            if self.objects.is_noun(word):
                is_verb = words.at(index + 1) == "the" or words.texts[index - 1 : index] in _WHO
                if index + 1 in covered and senses_of(word):  # "hoist crate1", not "crate crate1"
                    found = self.objects.at(words, index + 1)
                    is_verb = found is not None and not self.objects.is_called(found.objects[0], word)
                if is_first and is_verb:
                    return [index]  # "centrifuge the serum", with centrifuges
                continue
            is_word = not self._own_words.isdisjoint((word, stem(word))) or stem(word) in self.objects.nouns
            if is_word and (is_first or (words.texts[index - 1] in BE and is_participle(word))):
                return [index]
        return []

    def _describes(
        self, words: Words, index: int, covered: set[int], verbs: set[int], unknown: Collection[int]
    ) -> bool:
        """Return whether a word only describes the object behind it: "the burner hob1", "on burner hob1".

        Before names of several words, or that a template gives, it may tell objects apart: "the dark red block".
        """
        start, first = index, index + 1
        while start - 1 in unknown and start - 1 > min(verbs, default=start):
            start -= 1  # "the small disk d1"
        while first not in covered and (
            (first in unknown and not (words.texts[first].endswith("s") and senses_of(words.texts[first])))
            or words.at(first) == "("
            or words.at(first) in self.objects.nouns
        ):
            first += 1  # "the spare wheel r1"
        behind = next(place for place in range(first, len(words) + 1) if place not in covered)
        name = words.texts[first:behind]
        is_apart = len(name) == 1 or any(word.isdigit() or len(word) == 1 for word in name)
        is_apart = (
            is_apart
            or sum(not {*name}.isdisjoint(words_in(self.model, one)) for one in self.model.problem.objects) == 1
        )
        is_head = len(name) == 1 and name[0] in self.objects.heads
        if not name or not is_apart or is_head or self.objects.aliases or words.texts[index] in UNLIKE:
            return False
        is_noun = not senses_of(words.texts[index]) and stem(words.texts[index]) not in IDLE
        is_verb = behind in verbs or bool(senses_of(words.at(behind)))
        acts = words.at(behind) in BE or (is_verb and words.at(behind).endswith("s") and is_noun)
        is_subject = acts and FUNCTION.issuperset(words.texts[:index])
        is_behind_verb = start - 1 in verbs and not senses_of(words.texts[index])  # "move disk d1"
        return is_subject or is_behind_verb or is_described(words, start, start + 1)  # "burner hob1 is switched on"

    def _describes_kind(self, words: Words, index: int) -> bool:
        """Return whether a word only says which one of a kind is meant, that is not named: "on the free tray"."""
        is_led = words.texts[index - 1 : index] == ("the",) and words.texts[index] not in UNLIKE | (DOUBT - {"same"})
        return is_led and bool(self.objects.of_kind(words.at(index + 1)))

    def end_of_step(self, words: Words, covered: Covered) -> int:
        """Return where words end that tell a step and all that it takes: "fill kettle1", before "with fresh water"."""
        behind = range(min(covered.verbs, default=len(words)), len(words))
        things = (at for at in behind if words.texts[at - 1] == "the" and covered.named.isdisjoint((at, at + 1)))
        kinds = [at for at in things if self.objects.of_kind(words.texts[at])]  # "the kettle"
        end = max((*covered.named, *covered.verbs, *kinds), default=0) + 1
        count = len(covered.mentions) + len(kinds) + covered.has_object_pronoun
        sizes = [len(self.model.domain.actions[name].parameters) for name in covered.actions]
        is_whole = bool(sizes) and count >= max(sizes) and covered.strange and not covered.doubts
        rest = [word for word in words.texts[end:] if word[0].isalnum()]
        is_alone = rest[:1] == ["the"] and covered.has_subject and end - 1 in covered.verbs  # "ann recites the poem"
        said = " ".join(["in"] * is_alone + rest)
        is_beside = {*covered.strange} <= {*rest} and not any(map(self.objects.is_noun, rest))
        return end if is_whole and is_beside and _CIRCUMSTANCE.fullmatch(said) else len(words)

    def tells_alone(self, words: Words, covered: Covered) -> bool:
        """Return whether words that name no object say what is done: "recharge", "the robot opens its doors"."""
        if covered.mentions or not covered.verbs:
            return False
        first = min(covered.verbs)
        own = {same(word) for name in covered.actions for word in words_in(self.model, name)}
        said = (word for at, word in enumerate(words.texts[:first]) if not _is_subject(words, at))
        is_begun = words.texts[first - 1] in ("by", "after", "before") and _begins(words, first, covered.named)
        before = (word for word in said if word not in FUNCTION | RELATIVE and same(word) not in own and not is_begun)
        loose = ("with", *words.texts[: first * is_begun])  # "load with beans", "start by loading"
        is_free = all(word in loose or same(word) in own for word in self.loose(words, covered))
        return is_free and all(map(self.objects.is_noun, before)) and (is_begun or not words.at(first).endswith("ing"))

    def loose(self, words: Words, covered: Covered) -> tuple[str, ...]:
        """Return the prepositions and particles that lead to no object, articles and nouns between left aside."""
        return tuple(words.texts[index] for index in self.action_words.loose(words, covered.named, covered.verbs))

    def _is_beside(self, words: Words, index: int) -> bool:
        """Return whether a word says that a noun is not the object behind it: "the room next to hall2"."""
        return words.texts[index] in BESIDE and index > 1 and words.texts[index - 1] in self.objects.nouns

    def _is_ordinal(self, words: Words, index: int, covered: Collection[int]) -> bool:
        """Return whether a word says which one of a kind is meant: "the second door", not "first r1 drives"."""
        is_of_object = index + 1 in covered and words.texts[index - 1 : index] == ("the",)
        return words.texts[index] in (*ORDINALS, "last") and (is_of_object or words.at(index + 1) in self.objects.nouns)

    def _names_another(self, words: Words, index: int, covered: Collection[int]) -> bool:
        """Return whether a number or letter behind a noun makes it the name of what the model has not: "hall 2"."""
        word, behind = words.texts[index], words.at(index + 1)
        before = words.texts[index - 1] if index else ""
        if (index - 1 not in covered and before not in self.objects.nouns) or before in COUNTED or before.isdigit():
            return False
        is_last = not behind.isalpha() or behind in FUNCTION or behind in PREPOSITIONS
        return is_last and (word.isdigit() or (len(word) == 1 and word.isalpha() and word not in ("s", "t", "i")))

    def _nouns_beside(self, actions: tuple[str, ...]) -> frozenset[str]:
        """Return the words that say nothing more beside such actions: nouns, types and predicates of the model."""
        known = self._nouns.get(actions)
        if known is None:
            words = (self._words_of_action[name] for name in actions)
            known = self._nouns[actions] = self.objects.nouns.union(self._own_words, self.action_words.things, *words)
        return known

    @cached_property
    def _nouns(self) -> dict[tuple[str, ...], frozenset[str]]:
        return {}

    @cached_property
    def _words_of_action(self) -> dict[str, frozenset[str]]:
        found: dict[str, frozenset[str]] = {}
        for name, action in self.model.domain.actions.items():
            nouns = (noun for place in range(len(action.parameters)) for noun in self.kinds.nouns(action, place))
            words = {word for noun in nouns for word in parts(noun)} | {*words_in(self.model, name)}
            words |= {kind for parameter in action.parameters for kind in parameter.types}
            found[name] = frozenset(words | {stem(word) for word in words})
        return found

    @cached_property
    def _own_words(self) -> frozenset[str]:
        kinds = {word for kind in self.model.domain.types for word in words_in(self.model, kind)}
        return frozenset(kinds | {stem(word) for word in kinds} | self.fact_words)

    @cached_property
    def fact_verbs(self) -> frozenset[str]:
        """Return the words of predicates that are no nouns and lead to no object: lies, hangs, aboard."""
        nouns = filter(self.objects.is_noun, self.fact_words)
        return self.fact_words.difference(PREPOSITIONS, nouns)

    def says_fact(self, text: str, *, is_verb: bool, of_plan: bool = False) -> bool:
        """Return whether a clause says that something holds, before what this is for: "restores the harmony of p1".

        It does with the noun of a predicate, and behind a verb (``is_verb``) with any word of one, and with fact and
        the like; ``of_plan`` says whether with step and the like as well.
        """
        said = [*takewhile(lambda word: word not in _AIM, words_of(text).texts)]
        nouns = STATES | (COUNTED if of_plan else frozenset())
        return any(word in self.fact_verbs and (is_verb or not senses_of(word)) for word in said) or (
            is_verb and any(singular(word) in nouns for word in said)
        )

    def concerns(self, text: str, actions: Collection[str]) -> bool:
        """Return whether all facts that a text says are of predicates in the conditions and effects of actions."""
        known = self.model.domain.actions
        named = (one for name in actions if name in known for one in self._predicates(known[name]))
        own = {word for name in named for word in words_in(self.model, name)}
        said = (takewhile(lambda word: word not in _AIM, words_of(part).texts) for part in _COMMA.split(text))
        return all(word in own or word not in self.fact_verbs - FUNCTION for part in said for word in part)

    @staticmethod
    def _predicates(action: Action) -> Iterator[str]:
        yield from predicates(action.precondition)
        yield from (literal.atom.predicate for literal in literals_of(action.effects))

    @cached_property
    def fact_words(self) -> frozenset[str]:
        return frozenset(word for name in self.model.domain.predicates for word in words_in(self.model, name))


_DOUBT_BEFORE = {
    **dict.fromkeys(("would", "could", "may"), ("have", "be")),
    **dict.fromkeys(("should", "must", "ought"), ("have",)),
    "used": ("to",),
    "so": ("is", "are", "was", "were", "do", "does", "did"),
}
"""words that leave open whether a step is done, each with those behind it: "would have", "and so is the cuff\""""
_BEFORE_VERB = DENIAL | SEQUENCE | {"no", "longer", "still", "already", "again"}
_GOES_ON = ("proceed", "continue", "finish", "end", "conclude")


def _begins(words: Words, first: int, named: Collection[int]) -> bool:
    """Return whether words only say that somebody begins: "r1 starts by taking b", not "clear d by taking b"."""
    return FUNCTION.union(_GOES_ON).issuperset(words.texts[at] for at in range(first) if at not in named)


def _leaves_to(words: Words, index: int, verbs: set[int], articles: set[int]) -> bool:
    """Return whether a word leaves to another what is done: to the verb behind it, or a noun with its article."""
    verb = stem(words.texts[index])
    if verb in GIVING:
        return ELSEWHERE.isdisjoint(words.texts) and any(at > index and _is_noun(words, at, articles) for at in verbs)
    if words.texts[index] in CAUSATIVE and any(at > index + 1 and words.texts[at - 1] == "to" for at in verbs):
        return FUNCTION.issuperset(words.texts[:index])  # "ask ann to open it"
    if verb in ("get", "have") and any(at > index + 1 and is_participle(words.texts[at]) for at in verbs):
        return FUNCTION.issuperset(words.texts[:index])  # "get the burner ignited"
    first = index + 1 + (words.texts[index + 1 : index + 3] == ("on", "to"))  # "goes on to heat it"
    behind = (at for at in range(first, len(words)) if words.texts[at] not in FUNCTION or at in articles)
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
    return (before[-1:] == ("the",) or words.texts[index] in ("somebody", "someone")) and FUNCTION.issuperset(before)


def _auxiliary(words: Words, index: int) -> str:
    """Return the word before a verb, "not", "first" and adverbs left aside: "is first hitched", "is no longer open"."""
    before = (word for word in reversed(words.texts[:index]) if word not in _BEFORE_VERB)
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

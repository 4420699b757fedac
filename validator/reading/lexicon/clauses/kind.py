"""Say what one clause is - a step, a hole, a denial or a remark - by what covers its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from validator.reading.lexicon import english
from validator.reading.lexicon.clauses.clause import DONE_FIRST, ENDS_STATE, MOST_MENTIONS, Clause, Kind, Reason
from validator.reading.lexicon.clauses.coverage import Coverage, Covered
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.english import is_participle, singular, stem
from validator.reading.lexicon.line_words import MOST_WORDS, Words, parts, words_in, words_of
from validator.reading.lexicon.synonyms import senses_of
from validator.reading.lexicon.templates import HOLE, Templates
from validator.reading.plan import Step
from validator.records import dataclass, replace

_BESIDE = " \t\r\n.,;:!"
_BEFORE_THAT = re.compile(
    r"\W*(?:(?:before|prior to) (?:that|this)\b|beforehand\b|(?:before|previously|earlier)\W*$)", re.IGNORECASE
)
_TAKES_BACK = re.compile(
    r"❌|✗|✘|\bn/a\b|\b(?:(?:is|was|are) (?:then )?undone|(?:reversed?|opposite) order|(?:kidd|jok)ing|never ?mind"
    r"|(?:does|did|will|wo)(?:n['’]t| not) work|that(?:['’]s| is) wrong"
    r"|(?:this|it) (?:step )?fail(?:s|ed))\b",
    re.IGNORECASE,
)
"""what takes back what was told"""
_ALLOWS = frozenset(map(stem, ("allow", "enable", "ensure", "let", "make", "permit")))
_WHERE = ("at", "in", "on")
_LEAD_INS = (("last", "of", "all"), ("go", "ahead"), ("right", "after", "that"), ("following", "that"))
"""clauses that only lead to the next one: "go ahead and load it\""""
_LASTING = ("wearing", "holding", "carrying")
"""participles of what goes on while a step is done"""
_FACT = ("condition", "fact", "relation", "desired", "existing", "new")
_INTENDS = frozenset(("going", "ought", "decide", "decides", "time"))
"""words before "to" and what is to be done"""
_IS = frozenset(("is", "are"))
_ASKED = frozenset(("have", "need", "want"))
"""words before "to" that give an order in an item, the latter behind "we", "you" and "I\""""
_WISHES = frozenset(("want", "wants", "about", "remains", "supposed"))
"""words before "to" and what is not done yet"""
_REORDERS = frozenset(
    map(stem, ("swap", "exchange", "switch", "reverse", "remove", "delete", "drop", "leave", "left", "except"))
)

_Told: TypeAlias = "tuple[Kind, str]"
"""what a clause is, and why it was not understood where it was not"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seen:
    """The words of a clause with what covers them, and what several questions about it ask.

    ``first`` is its first word that tells no sequence, ``states`` are its verbs that tell a state.
    """

    words: Words
    covered: Covered
    is_item: bool
    said: tuple[str, ...]
    first: str
    states: list[str]
    is_told: bool
    """whether the step is left to somebody: "have olga examine kim\""""
    is_about: bool
    """whether it speaks of what was told: "this is possible because", not "this block\""""
    is_heading: bool
    unexplained: str

    @property
    def is_state(self) -> bool:
        return bool(self.states) and not self.covered.is_order

    @property
    def is_reason(self) -> bool:
        """Return whether it gives a reason; "so the baker heats it" tells what comes of one."""
        is_so = self.first == "so" and self.covered.actions and not self.states and "that" not in self.said[:2]
        return self.first in english.REASON and not (is_so and english.POSSIBLE.isdisjoint(self.said))


@dataclass(frozen=True)
class ClauseKinds:
    """What clauses about one model are, each for itself; ``word_for_word`` as in ``ClauseReader``."""

    coverage: Coverage
    templates: Templates | None
    word_for_word: Callable[[str, int], Step | None]

    def clause(self, text: str, start: int, is_item: bool, nouns: frozenset[str]) -> Clause | None:
        """Return the clause of a text that begins at an offset; None where there is no word.

        ``nouns`` are words that describe objects in the whole text.
        """
        said = text.strip(_BESIDE)
        span = (start + text.index(said), start + text.index(said) + len(said))
        exact = self.word_for_word(text, start)
        if exact is not None:
            return Clause(text=said, span=span, kind=Kind.STEP, exact=(exact,))
        words = words_of(text)
        if not any(word[0].isalnum() for word in words.texts):
            return None
        covered = self.coverage.of(words, nouns)
        if (end := self.coverage.end_of_step(words, covered)) < len(words):
            words = words_of(text[: words.ends[end - 1]])
            covered = self.coverage.of(words, nouns)
        kind, reason = self._kind(words, covered, is_item)
        is_told = kind in (Kind.STEP, Kind.HOLE) and not is_item and _is_by_then(words, covered)
        if is_told or text.rstrip().endswith("?"):
            kind, reason = Kind.REMARK, Reason.MAY_BE_STEP if covered.mentions or covered.actions else ""
        is_plan = covered.said[:2] in (("i", "would"), ("we", "would"))
        is_noun = ("the", "can") in pairwise(words.texts)  # "fill the can"
        is_possible = not (is_plan or is_noun or english.POSSIBLE.isdisjoint(covered.said))
        is_first = bool(covered.actions) and not is_possible and DONE_FIRST.search(said) is not None
        is_odd = bool(_reorders(words) or is_first or _BEFORE_THAT.match(said) or _TAKES_BACK.search(text))
        verb = covered.verb or "go" * (not covered.actions and covered.said[:1] == ("back",))  # "then back to the hall"
        mentions = self._arguments(covered)
        left = [place for place, one in enumerate(mentions) if not one.relation and not one.role]
        place = left[-1] if left and not covered.has_object_pronoun else -1
        is_put = any(one.relation in _WHERE for one in mentions[place + 1 :]) and not covered.actions
        if stem(verb) in english.LEAVING and place >= 0 and not is_put:  # "leaves the mill", not "p1 at the mill"
            mentions = (*mentions[:place], replace(mentions[place], role="from"), *mentions[place + 1 :])
        return Clause(
            text=said,
            span=span,
            kind=kind,
            reason=reason,
            actions=covered.actions,
            verb=verb,
            mentions=mentions,
            strange=covered.strange,
            pronoun=covered.pronoun,
            pronoun_at=covered.pronoun_at,
            has_object_pronoun=covered.has_object_pronoun,
            retracts=not english.RETRACTION.isdisjoint(_beside_verb(words, covered)) or is_odd or _denies_all(covered),
            reorders=is_odd,
            is_passive=covered.is_passive or self.may_hold(words, covered),
            is_possible=is_possible or covered.said[:1] in (("which",), ("who",)),
            is_order=covered.is_order,
            tells_alone=self.coverage.tells_alone(words, covered),
            is_partial=covered.is_partial,
            described=covered.described,
            facts=self._stated(covered),
            is_statement=self.is_statement(covered),
            turned_by=_turning(words, covered),
            has_subject=covered.has_subject and not (covered.is_passive or mentions[0].relation or mentions[0].role),
        )

    def settled(self, clause: Clause) -> Clause:
        """Return a clause as a hole where it has no verb, or a verb and nothing that it is done to."""
        if clause.kind is not Kind.STEP or clause.exact:
            return clause
        if not clause.actions and not clause.verb:
            return replace(clause, kind=Kind.HOLE, reason=Reason.ONLY_NAMES)
        parameters = [self.coverage.model.domain.actions[name].parameters for name in clause.actions]
        if clause.is_bare and all(parameters) and not clause.tells_alone:
            return replace(clause, kind=Kind.HOLE, reason="it names no object")
        return clause

    def _arguments(self, covered: Covered) -> tuple[Mention, ...]:
        """Return what is named but for a subject for which the actions have no place: "ann opens the hatch"."""
        mentions = covered.mentions
        if (
            not (covered.has_subject and mentions[1:])
            or covered.is_passive
            or covered.verb
            or mentions[0].relation
            or mentions[1].joint
        ):
            return mentions
        actions = [self.coverage.model.domain.actions[name] for name in covered.actions]
        is_full = all(len(action.parameters) < len(mentions) for action in actions)
        has_place = any(self.coverage.action_words.takes(action.name, mentions[:1]) for action in actions)
        return mentions[1:] if is_full and not has_place else mentions

    # --- what a clause is ---------------------------------------------------------------------------

    def _kind(self, words: Words, covered: Covered, is_item: bool) -> _Told:
        """Return what a clause is by what covers it: the answer of the first question that has one."""
        seen = self._seen(words, covered, is_item)
        names_model = bool(covered.mentions or covered.actions)
        questions = (
            self._elliptic,
            self._about_the_plan,
            self._doubted if names_model or is_item else None,
            self._naming_nothing if not names_model else None,
            self._without_deed,
            self._telling_state,
            self._not_covered,
        )
        answers = (question(seen) for question in questions if question is not None)
        return next((answer for answer in answers if answer is not None), (Kind.STEP, ""))

    def _seen(self, words: Words, covered: Covered, is_item: bool) -> _Seen:
        said = _beside_verb(words, covered)
        told = said[2:] if said[:2] == ("after", "that") else said
        first = next((word for word in told if word not in english.SEQUENCE), "")
        is_told = first in english.CAUSATIVE and not _is_perfect(said)
        states = [word for word in said if word in english.STATE] if not (is_told or covered.is_passive) else []
        if states == ["now"] and (covered.actions or not covered.mentions):
            states = []  # "now r1 moves", "now lay it aside"
        is_about = bool(first in ("this", "that", "these") and said[1:2]) and said[1] not in self.coverage.objects.nouns
        is_explained = is_about or first in ("because", "since") or not self._is_unexplained(covered)
        return _Seen(
            words=words,
            covered=covered,
            is_item=is_item,
            said=said,
            first=first,
            states=states,
            is_told=is_told,
            is_about=is_about,
            is_heading=not (covered.actions and covered.mentions) and not english.HEADING.isdisjoint(said),
            unexplained="" if is_explained else Reason.MAY_BE_STEP,
        )

    def _elliptic(self, seen: _Seen) -> _Told | None:
        """Answer for what leaves its verb to another clause: "and so is the cup", "then back to the hall"."""
        covered = seen.covered
        if not covered.mentions:
            return None
        if covered.doubts[:1] == ("so",):
            return Kind.HOLE, Reason.OTHER_STEP
        if covered.actions:
            return None
        is_next = seen.states and seen.said[-1] in english.SEQUENCE - {"now"} and not covered.strange
        if is_next and not any(mention.relation for mention in covered.mentions):
            return Kind.HOLE, Reason.OTHER_STEP  # "the spelt is next"
        if not (seen.states or covered.strange) and seen.first in ("once", "back"):
            goes = seen.first == "back" and any(mention.role == "to" for mention in covered.mentions)
            return (Kind.STEP, "") if goes else (Kind.HOLE, Reason.OTHER_STEP)  # "once in the hall"
        return (Kind.HOLE, Reason.MAY_BE_STEP) if seen.first in english.NEED and "to" in seen.said else None

    def _about_the_plan(self, seen: _Seen) -> _Told | None:
        """Answer for reasons, and for what a step allows, what cannot be done yet, what is wanted."""
        covered, said, first = seen.covered, seen.said, seen.first
        if _starts(covered) or (first == "whose" and not covered.actions):
            return Kind.REMARK, ""
        if _says_nothing(covered):
            return Kind.REMARK, ""
        if (
            first == "which"
            and covered.actions
            and covered.mentions
            and {one.role for one in covered.mentions} == {"to"}
        ):
            return Kind.REMARK, Reason.MAY_BE_STEP  # "the gate, which leads to the meadow"
        is_of_problem = seen.is_reason or first == "note" or (seen.is_heading and seen.is_state)
        if covered.mentions and not covered.actions and is_of_problem:
            return Kind.REMARK, seen.unexplained
        is_told_of = seen.is_about or (first == "step" and seen.words.at(1).isdigit())
        allows = is_told_of and not _ALLOWS.isdisjoint(map(stem, said))  # "this allows us to unlock it"
        allows = allows and (bool(covered.actions) or self.coverage.fact_verbs.isdisjoint(said))  # "this makes it wet"
        needs = any(one in english.NEED | english.HAVE and other == "to" for one, other in pairwise(said))
        if needs and covered.mentions and not covered.actions:
            return Kind.REMARK, Reason.NEEDED  # "b has to move away"
        is_wish = ("want", "that") in pairwise(said)
        is_yet = "cannot" in covered.doubts and "yet" in said  # "you cannot unlock it yet"
        is_risk = first == "otherwise" and not english.POSSIBLE.isdisjoint(said)  # "otherwise it could not be unlocked"
        if allows or is_yet or is_risk or is_wish:
            return Kind.REMARK, Reason.MAY_BE_STEP
        says_fact = bool(seen.states) or not self.coverage.fact_verbs.isdisjoint(map(self._fact_word, said))
        is_over = covered.doubts == ("no",) and "longer" in covered.strange and says_fact
        is_over = is_over and not covered.actions  # "a is no longer on b"
        is_unnamed = not (covered.mentions or covered.actions)  # "until it whistles"
        is_any = "anything" in said and not english.POSSIBLE.isdisjoint(said)  # "before we can stack anything on it"
        is_over = is_over or is_any
        is_until = covered.doubts == ("until",) and (is_unnamed or self.is_statement(covered))
        return (Kind.REMARK, "") if is_over or is_until else None

    def _doubted(self, seen: _Seen) -> _Told | None:
        """Answer for what has words that deny, repeat, correct, or make a step depend on something."""
        words, covered = seen.words, seen.covered
        if not covered.doubts:
            return None
        only_denies = english.DENIAL.issuperset(covered.doubts)
        if only_denies and not (covered.actions or covered.pronoun):
            is_simple = not covered.strange[2:]  # "omar is not part of this", but: "do not forget to lay b on c"
            return Kind.REMARK, "" if is_simple else seen.unexplained
        is_denial = only_denies and covered.actions and english.ADVERBS.isdisjoint(seen.said)
        rest = replace(
            covered, doubts=(), strange=tuple(word for word in covered.strange if word not in english.DENIAL)
        )
        if is_denial and not _denies_name(words, covered) and self._kind(words, rest, seen.is_item)[0] is Kind.STEP:
            return Kind.DENIED, ""  # "ann, and not tim, opens it" denies a name
        return Kind.HOLE, f"'{covered.doubts[0]}' was not understood"

    def _naming_nothing(self, seen: _Seen) -> _Told:
        """Answer for what names nothing of the model."""
        covered, first = seen.covered, seen.first
        if "back" in (*covered.said[:1], *covered.said[-1:]) or not english.RETURNING.isdisjoint(covered.strange):
            return Kind.HOLE, Reason.OTHER_STEP  # "goes to the hall and back", "but comes back", "she returns"
        if any(places == 0 for _, places in self._facts_told(covered, seen.is_item)):
            return Kind.REMARK, ""
        is_end = seen.is_state or covered.is_passive or first.endswith("ing")
        if is_end and english.ENDING.issuperset(map(stem, covered.strange)):
            return Kind.REMARK, ""  # "when it is done", "achieving your goal"
        may_act = (first not in english.SUBJECTS or first in ("i", "we", "you")) and not seen.is_state
        if not (may_act and covered.strange and (seen.is_item or covered.pronoun)):
            may_be_step = may_act and self._may_tell_step(covered, first)
            return Kind.REMARK, Reason.MAY_BE_STEP if may_be_step else ""
        if covered.pronoun:
            return (Kind.STEP if len(covered.strange) == 1 else Kind.HOLE), ""
        return Kind.HOLE, "it names nothing of the model"

    def _without_deed(self, seen: _Seen) -> _Told | None:
        """Answer for verbs that tell no deed there: "it needs to be oiled", "unlocking it opens it"."""
        words, covered, mentions = seen.words, seen.covered, seen.covered.mentions
        leads = {words.texts[place - 2] for place in covered.verbs if place > 1 and words.texts[place - 1] == "to"}
        if seen.is_item:  # "3. lena is to repair the antenna", "4. you will want to oil it"
            leads -= _IS | (_ASKED if seen.words.at(0) in ("we", "you", "i") else frozenset())
        if not leads.isdisjoint(english.NEED | english.STATE | _INTENDS | _WISHES) and not (
            seen.is_told or covered.is_passive
        ):
            return Kind.REMARK, Reason.MAY_BE_STEP if _WISHES & leads else Reason.NEEDED
        if words.texts[0] in _gerunds(words, covered) and (covered.strange or _has_verb_behind(words, covered)):
            return Kind.REMARK, Reason.MAY_BE_STEP
        tells_fact = seen.states and self._facts_told(covered, seen.is_item)
        is_foreign = covered.verb and not (covered.actions or covered.is_passive or tells_fact)
        if is_foreign and mentions and self._is_no_deed(covered.verb):
            return Kind.HOLE, f"'{covered.verb}' is the verb of no action"
        if seen.first == "they" and covered.actions and not covered.is_passive:
            return Kind.HOLE, "it is not said who they are"
        if (
            mentions
            and not (covered.actions or covered.strange or covered.verb)
            and _ends_with_particle(words, covered)
            and not tells_fact
        ):
            return Kind.HOLE, Reason.STATE_OR_STEP  # "safelight on"
        if words.texts[0] == "leaving" or (words.texts[0] in _LASTING and covered.verb):
            return Kind.REMARK, Reason.MAY_BE_STEP  # "slice a and b, leaving c whole", "wearing suit2, ..."
        is_left = bool(covered.verb) and stem(covered.verb) in english.LEAVING
        if is_left and not english.PARTICLES.isdisjoint(self.coverage.loose(words, covered)):
            return Kind.HOLE, Reason.STATE_OR_STEP  # "leave the lamp on"
        idle = english.STAYING | {
            word for word in covered.strange if seen.is_state and stem(word) in english.IDLE
        }  # "is waiting"
        stays = not covered.actions and covered.strange and idle.issuperset(covered.strange)
        return (Kind.REMARK, "") if stays else None  # "tim stays in the hall"

    def _telling_state(self, seen: _Seen) -> _Told | None:
        """Answer for what tells how things are, and may say with it that a step was done."""
        words, covered, first = seen.words, seen.covered, seen.first
        actions, mentions, strange = covered.actions, covered.mentions, covered.strange
        tells_fact = bool(self._facts_told(covered, seen.is_item))
        says_fact = not self.coverage.fact_words.isdisjoint(words.texts[at] for at in covered.verbs)
        if first in ("which", "who") and tells_fact and says_fact:
            return Kind.REMARK, ""  # "d1, which hangs on the hook"
        ends = (*strange, covered.verb) if actions else strange
        is_end = (seen.is_state or covered.is_passive) and english.CLOSING.issuperset(map(stem, ends))
        is_now = seen.is_state and "now" in seen.said and not (actions or covered.verb)
        if mentions and strange and (is_end or is_now):
            return Kind.REMARK, ""  # "p1 has reached its destination", "both are now where they should be"
        if seen.is_state or covered.is_passive:
            subject = next((word for word in covered.said if word not in english.FUNCTION and word not in _FACT), "")
            if not actions and subject in self.coverage.fact_verbs and not senses_of(subject):
                return Kind.REMARK, ""  # "the fact alarm d1 is established"
        if seen.is_state and mentions and (strange or actions) and not tells_fact and not seen.is_about:
            return Kind.HOLE, Reason.STATE_OR_STEP
        if actions and mentions and seen.is_about:
            return Kind.HOLE, Reason.SUMS_UP
        if covered.is_order and (odd := next((word for word in seen.states if word != "now"), "")):
            return Kind.HOLE, f"'{odd}' was not understood"
        is_active = bool(covered.verbs) and min(covered.verbs) < min(covered.named, default=len(words))  # "open it"
        tells_fact = tells_fact and not (actions and (is_active or not covered.verb))
        if tells_fact and covered.is_passive and (seen.is_item or first in english.SEQUENCE):
            return Kind.HOLE, Reason.STATE_OR_STEP
        is_led = any(mention.role == "to" for mention in mentions)
        is_now = seen.states == ["now"] and is_led  # "now over to the sofa"
        tells = first in english.RELATIVE and bool(actions) and not seen.is_state  # "where it drops her off"
        is_other = (seen.is_reason and not tells) or seen.is_about or seen.is_heading
        if is_other or (seen.is_state and not is_now):
            may_tell = actions and ((mentions and not is_other) or first == "so")  # "so you can unlock it"
            return Kind.REMARK, Reason.MAY_BE_STEP if may_tell else seen.unexplained  # "it was then stacked on b"
        is_fact = tells_fact and not strange[1:] and not (covered.verb and is_led)
        says = (at for at, word in enumerate(words.texts) if self._fact_word(word) in self.coverage.fact_verbs)
        at = next(says, len(words))  # "then garnish the trout"
        is_verb = bool(strange) and at < min(covered.named, default=0)
        is_verb = is_verb and (words.at(at + 1) in english.THE or words.texts[0] in english.SEQUENCE)
        # "she leads the group into the hall", with a predicate leads
        return (Kind.REMARK, Reason.MAY_BE_STEP if is_verb else "") if is_fact else None

    def _not_covered(self, seen: _Seen) -> _Told | None:
        """Answer for what has words or signs that nothing covers, or verbs of several actions."""
        words, strange = seen.words.texts, seen.covered.strange
        if strange[int(not seen.covered.actions) :]:
            return Kind.HOLE, f"'{strange[-1]}' was not understood"
        if len(words) >= MOST_WORDS:
            return Kind.HOLE, "it is too long"
        if "=" in words or words.count("(") != words.count(")"):
            return Kind.HOLE, "its punctuation was not understood"
        return (Kind.HOLE, "it has the verbs of several actions") if seen.covered.is_split else None

    def _may_tell_step(self, covered: Covered, first: str) -> bool:
        """Return whether words that name nothing of the model may tell a step all the same: "wander around"."""
        is_other = (
            self.coverage.objects.nouns | self.coverage.fact_words | english.COUNTED | english.PREPOSITIONS.keys()
        )
        can_be = not english.POSSIBLE.isdisjoint(covered.said)  # "before we can go on"
        return bool(covered.strange) and not can_be and is_other.isdisjoint((first, covered.strange[0]))

    def _is_no_deed(self, verb: str) -> bool:
        """Return whether a verb changes nothing, as find does, or undoes what an action does: unload, beside load."""
        undone = {verb.removeprefix(prefix) for prefix in ("un", "dis", "de", "re") if verb.startswith(prefix)}
        undone |= {f"{prefix}{rest}" for prefix in ("un", "dis", "de") for rest in (verb, *undone)}  # repack, unpack
        return stem(verb) in english.IDLE or any(rest in self.coverage.verbs.starts for rest in undone)

    # --- facts ------------------------------------------------------------------------------------------

    def may_hold(self, words: Words, covered: Covered) -> bool:
        """Return whether what a verb says of its subject, which does nothing, may be a fact: "the picture hangs"."""
        verb = min(covered.verbs, default=0)
        if not (covered.has_subject and covered.mentions) or covered.is_order:
            return False
        model, subjects = self.coverage.model, covered.mentions[0].objects
        actions = (model.domain.actions[name] for name in covered.actions)
        if any(
            self.coverage.objects.fits(action, 0, one) for action in actions if action.parameters for one in subjects
        ):
            return False
        if is_participle(words.texts[verb]):
            return max(covered.named) < verb  # "hatch oiled"
        said = stem(words.texts[verb])
        may_hold = (
            stem(word) == said and (len(terms) > 1 or not word.endswith("ed"))  # "p1 boards" does not tell boarded(p1)
            for name, terms in model.domain.predicates.items()
            if len(covered.mentions) <= len(terms)
            for word in words_in(model, name)
        )
        return any(may_hold)

    def is_statement(self, covered: Covered) -> bool:
        """Return whether words say with a verb that a fact holds: "c1 hangs from the crane"."""
        if _starts(covered):
            return True
        verbs = self.coverage.fact_verbs | english.STATE - {"now"}
        said = map(self._fact_word, covered.said)
        is_said = bool(covered.mentions) and not (covered.actions or verbs.isdisjoint((*covered.said, *said)))
        return is_said and bool(self._facts_told(covered, is_item=False))

    def _is_unexplained(self, covered: Covered) -> bool:
        """Return whether a remark names objects, and has words that no fact explains: "it remains to lay b on c"."""
        return bool(covered.mentions and covered.strange) and not self._facts_told(covered, is_item=False)

    def _stated(self, covered: Covered) -> tuple[str, ...]:
        """Return the participles among predicates that are said of as many objects as they have places for: wrapped."""
        if not covered.mentions or (covered.actions and not covered.verb) or covered.doubts:
            return ()
        told = self._facts_told(covered, is_item=english.STATE.isdisjoint(covered.said))
        return tuple(
            n
            for n, places in told
            if places == len(covered.mentions) and any(map(is_participle, words_in(self.coverage.model, n)))
        )

    def _facts_told(self, covered: Covered, is_item: bool) -> tuple[tuple[str, int], ...]:
        """Return the predicates whose words are said, with their places: "the red block on top of the blue block".

        In an item these are more than a preposition, and no other verb is there. Nobody names more objects than the
        predicate has places.
        """
        words, rest = {*map(self._fact_word, covered.said)}, {*covered.strange, covered.verb} - english.STATE - {""}
        states = {stem(word) for word in covered.said if word in english.STATE}  # "holds" is holding
        return tuple(
            (predicate, places)
            for predicate, name, places in self._facts
            if all(word in words or stem(word) in states for word in name)
            and {*map(self._fact_word, rest)} <= name
            and len(covered.mentions) <= places
            and (not is_item or not name <= english.PREPOSITIONS.keys())
        )

    def _fact_word(self, word: str) -> str:
        """Return a word as predicates have it: of carries carrying, where that is a word of one."""
        return (word.endswith("s") and self._lasting.get(stem(word))) or singular(word)

    @cached_property
    def _lasting(self) -> dict[str, str]:
        return {stem(word): word for word in self.coverage.fact_words if word.endswith("ing")}

    @cached_property
    def _facts(self) -> tuple[tuple[str, set[str], int], ...]:
        """Return each predicate with the words by which its name or a template says it, and how many places."""
        places = {name: len(terms) for name, terms in self.coverage.model.domain.predicates.items()}
        names = [
            (name, tuple(filter(str.isalpha, words_in(self.coverage.model, name))), count)
            for name, count in places.items()
        ]
        if self.templates is not None:
            small = self.coverage.objects.nouns | english.ARTICLES
            for name, texts in self.templates.predicates.items():
                sayings = (parts(HOLE.sub(" ", text)) for text in texts)
                names += (
                    (name, tuple(word for word in saying if word not in small), places.get(name, MOST_MENTIONS))
                    for saying in sayings
                )
        return tuple((name, {*map(singular, said)}, count) for name, said, count in names if said)


def _beside_verb(words: Words, covered: Covered) -> tuple[str, ...]:
    """Return the words that name no object and do not say what is done either, as note, need and undo may."""
    verbs = {words.texts[place] for place in covered.verbs}
    return tuple(word for word in covered.said if word not in verbs)


def _starts(covered: Covered) -> bool:
    """Return whether words say where something is at first: "Bob starts in the shed"."""
    return bool(covered.mentions) and not (covered.actions or english.STARTING.isdisjoint(pairwise(covered.said)))


def _reorders(words: Words) -> bool:
    """Return whether words take back steps that they call by their numbers, or put them in another order."""
    said = {*words.texts}
    is_needed = english.DENIAL.isdisjoint(said) or said.isdisjoint(english.ALLOWED)  # "step 1 is not needed"
    if is_needed and said.isdisjoint(english.OMISSIONS) and _REORDERS.isdisjoint(map(stem, said)):
        return False
    return any(
        one in english.COUNTED and (other.isdigit() or before in english.ORDINALS or before == "last")
        for before, one, other in zip(("", *words.texts), words.texts, (*words.texts[1:], ""), strict=False)
    )


def _denies_name(words: Words, covered: Covered) -> bool:
    """Return whether a word that denies stands before the name of an object, and not before a verb."""
    places = (at for at, word in enumerate(words.texts) if word in english.DENIAL and at not in covered.named)
    return any(at + 1 + (words.at(at + 1) in english.ARTICLES) in covered.named for at in places)


def _denies_all(covered: Covered) -> bool:
    """Return whether words deny, and name nothing of the model: "that never happened", "but not today"."""
    said, first = {*covered.said}, covered.said[:1]
    names = covered.mentions or covered.actions
    is_of_plan = first in (("this",), ("that",), ("it",)) or said.isdisjoint(
        english.STATE | english.REASON | {"if", "there"}
    )
    return (
        not (names or _says_nothing(covered))
        and is_of_plan
        and not said.isdisjoint(english.NEGATION)
        and said.isdisjoint(english.MORE)
    )


def _is_by_then(words: Words, covered: Covered) -> bool:
    """Return whether words that are no action's tell how things are by then: "the oven is occupied now"."""
    is_end = not ENDS_STATE.isdisjoint(covered.said[-1:]) and not english.STATE.isdisjoint(covered.said[:-1])
    return (is_end or _is_perfect(covered.said)) and bool(covered.verb or not covered.actions)


def _is_perfect(said: tuple[str, ...]) -> bool:
    """Return whether words tell what has been done: "has reached"."""
    return any(one in english.HAVE and is_participle(other) for one, other in pairwise(said))


def _says_nothing(covered: Covered) -> bool:
    """Return whether words say nothing of a step, or only lead to it: "nothing to add here", "go ahead"."""
    said, names = covered.said, covered.mentions or covered.actions
    is_here = said[:1] in (("nothing",), ("no",)) and (said[-1:] == ("here",) or said[1:2] == ("hurry",))
    is_count = not {"step", "steps"}.isdisjoint(said) and said[-1:] in (("follow",), ("follows",))
    return not names and (is_here or is_count or said in _LEAD_INS)


def _ends_with_particle(words: Words, covered: Covered) -> bool:
    last = max(at for at, word in enumerate(words.texts) if word[0].isalnum())
    return last not in covered.named and words.texts[last] in english.PARTICLES - {"back"}


def _turning(words: Words, covered: Covered) -> str:
    """Return a word that may change which step is told: one of those, or an auxiliary that names an object."""
    free = (at for at in range(len(words)) if at not in covered.named and at not in covered.verbs)
    odd = (words.texts[at] for at in free if words.texts[at] in english.TURNING and not _leads_on(words, at, covered))
    named = (mention.objects[0] for mention in covered.mentions)
    return next(odd, "") or next((name for name in named if name in english.MODAL), "")


def _leads_on(words: Words, at: int, covered: Covered) -> bool:
    """Return whether a word turns nothing: "as the target", "after that", "so he opens it", "I would begin by"."""
    word, before, behind = words.texts[at], words.texts[at - 1] if at else "", words.at(at + 1)
    return (
        (word == "as" and behind in english.THE)
        or not english.PHRASES.isdisjoint(((before, word), (word, behind)))
        or (before, word) in (("after", "that"), ("i", "would"), ("we", "would"), ("the", "can"))
        or (word in ("so", "where") and not at and behind not in english.STATE)
        or (word in ("begin", "begins", "start", "starts") and behind == "by")
        or (
            word == "let" and (behind in english.PERSONS or at + 1 + (behind in english.THE) in covered.named)
        )  # "let p1 board"
    )


def _gerunds(words: Words, covered: Covered) -> set[str]:
    """Return the verbs of actions that end as in "oiling", but for bring and the like."""
    verbs = (words.texts[place] for place in covered.verbs)
    return {word for word in verbs if word.endswith("ing") and not {*"aeiouy"}.isdisjoint(word[:-3])}


def _has_verb_behind(words: Words, covered: Covered) -> bool:
    """Return whether a verb in the present stands behind all that is named."""
    behind = words.texts[max(covered.named, default=len(words)) + 1 :]
    return any(word.endswith("s") and word.isalpha() and word not in english.FUNCTION for word in behind)

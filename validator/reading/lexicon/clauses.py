"""Clauses of a text: steps, holes that were not understood, and remarks; and what each means beside the others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from validator.model.values import Model
from validator.reading.lexicon.coverage import Mention
from validator.reading.lexicon.english import (
    ALLOWED,
    CAUSATIVE,
    CLOSING,
    COUNTED,
    DENIAL,
    HEADING,
    IDLE,
    MODAL,
    NEED,
    OMISSIONS,
    PARTICLES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    SEQUENCE,
    STATE,
    TELLING,
    THEN,
    is_participle,
    stem,
)
from validator.reading.lexicon.line_words import Words, words_of
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

_ENDING = CLOSING.union(map(stem, STATE | HEADING | COUNTED))
"""stems of words; a sentence behind the last step that has no others says how things are then"""
_CONDITIONAL = "it depends on a condition"
_DENIED_AS_WELL = "it may be denied as well"
_INTRODUCES = re.compile(r"\W*here(?:['’]s|\s+(?:is|are))\b", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\b(?:(?:the|these|this|those|a few|\w+)\s+)?following(?:\s+\w+)?\s+(?:steps|actions|plan|moves|sequence)\b"
    r"|\b(?:these|those)\s+(?:\w+\s+)?(?:steps|actions|moves|things)\b|\bas\s+follows\b|\b(?:do|does|doing)\s+this\b"
    r"|\bthe\s+following\W*$",
    re.IGNORECASE,
)
"""what announces the steps below"""
AIM = re.compile(
    r"\W*(?:(?:in order |plan |how |steps )?to\b|before\b(?! (?:that|this)\b))"
    r"|(?:the|my|our|your) (?:goal|task|aim|objective)\b",
    re.IGNORECASE,
)
"""the beginning of what a plan is for"""
_BECAUSE = re.compile(r"\W*(?:because|since)\b", re.IGNORECASE)
_BEHIND = r"after(?!\s+(?:that|this)\b)|once"
_ONCE = re.compile(rf"\W*(?:{_BEHIND})\b", re.IGNORECASE)
_AFTER = re.compile(rf"\W*(?:{_BEHIND}|having)\b", re.IGNORECASE)
DONE_FIRST = re.compile(r"\b(?:first|before|beforehand|earlier)\W*$", re.IGNORECASE)
"""the end of what is done before all that stands before it: "the oven must be heated first\""""
_CONDITION = re.compile(
    r"\W*(?:if|unless|whenever|whether|in case|provided|assum(?:e|ing)|suppos(?:e|ing)|given that|alternatively"
    r"|for example|ideally|possibly|in theory)\b",
    re.IGNORECASE,
)
_CONSEQUENCE = re.compile(
    r"\W*(?:in this way|this way|thus|hence|therefore|thereby|as a result|consequently|by (?:this|then|now)|initially"
    r"|at (?:first|the start|the beginning)|luckily)\b",
    re.IGNORECASE,
)
"""the beginning of a sentence whose passive tells a state"""
_REORDERS = frozenset(map(stem, ("swap", "exchange", "switch", "reverse", "remove", "delete", "drop", "leave", "left")))
MOST_MENTIONS = 50
"""of one clause"""


class Kind(StrEnum):
    """What a clause is."""

    STEP = "step"
    """it tells a step, and all its words are covered"""
    HOLE = "hole"
    """it may tell a step, which was not understood"""
    DENIED = "denied"
    """it tells a step that is not done"""
    REMARK = "remark"
    """it names nothing of the model, or tells a state"""


class Reason(StrEnum):
    """Why it is open what a clause tells, where that depends on the rest of its text."""

    OTHER_STEP = "it may speak of another step"
    STATE_OR_STEP = "it may tell a state or a step"
    SUMS_UP = "it may sum up steps"
    NO_ACTION = "no action takes these objects"
    NEEDED = "it may tell a step, or what has to be done later"
    MAY_BE_STEP = "it may tell a step"
    """of "r1 needs to reach the hall", and of remarks between steps such as "then wander around\""""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One clause of a text.

    ``actions`` are those that its verb may mean. A ``verb`` that no action's name has means those with a synonym, or
    any where there are none. ``exact`` are the steps that it says word for word. ``strange`` are the words that nothing
    covers; ``is_partial`` says that the verb may be another one than that of the actions, as take of take-out;
    ``pronoun`` is the first one, and ``pronoun_at`` how many mentions stand before it. ``retracts`` says that it may
    take back what stands before it, ``reorders`` that it calls steps by their numbers or tells another order,
    ``is_passive`` that it may tell a state, ``is_possible`` that it may tell only what can be done, or is done
    elsewhere, ``is_order`` that it begins with its verb, ``tells_alone`` that it names no object and tells a step all
    the same.
    """

    text: str
    span: Span
    kind: Kind
    actions: tuple[str, ...] = ()
    verb: str = ""
    mentions: tuple[Mention, ...] = ()
    exact: tuple[Step, ...] = ()
    strange: tuple[str, ...] = ()
    pronoun: str = ""
    pronoun_at: int = 0
    has_object_pronoun: bool = False
    referents: tuple[str, ...] = ()
    """what the pronoun behind its verb may stand for, the latest first"""
    retracts: bool = False
    reorders: bool = False
    is_passive: bool = False
    is_possible: bool = False
    is_order: bool = False
    tells_alone: bool = False
    is_partial: bool = False
    described: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    """participles among the predicates, one of which it says of its objects"""
    item: str = ""
    """the number or the mark of the item that it begins"""
    is_statement: bool = False
    """whether it says with a verb that a fact holds, as "the memo lies in the lab" does"""
    turned_by: str = ""
    """a word that may change which step it tells, though it names nothing"""
    has_subject: bool = False
    """whether what it names first stands before its verb and does what it says"""
    reason: str = ""

    @property
    def is_open(self) -> bool:
        """Return whether it tells a step or may tell one."""
        return self.kind in (Kind.STEP, Kind.HOLE)

    @property
    def may_be_step(self) -> bool:
        """Return whether it is a remark that may tell a step all the same."""
        return self.kind is Kind.REMARK and self.reason in (Reason.MAY_BE_STEP, Reason.NEEDED)

    @property
    def is_certain(self) -> bool:
        """Return whether all its words are the model's own or function words."""
        is_open = self.strange or self.is_partial or self.is_passive or self.is_possible
        is_open = is_open or self.pronoun in ("them", "both")  # several things, which are several steps
        return bool(self.exact) or (bool(self.actions) and self.kind is Kind.STEP and not is_open)

    @property
    def is_state_or_step(self) -> bool:
        """Return whether it tells in words of the model that a step is done, or was: "a is stacked on b"."""
        return self.is_passive and replace(self, is_passive=False).is_certain

    @property
    def is_cut_off(self) -> bool:
        """Return whether it was not understood, and ends with a word that may begin a name: "grab lefty cra"."""
        last = words_of(self.text).texts[-1:]
        return self.kind is Kind.HOLE and self.is_order and last == self.strange[-1:]

    @property
    def is_bare(self) -> bool:
        """Return whether it says what is done and to nothing: "recharge", "close the doors"."""
        return bool(self.actions) and not (self.mentions or self.pronoun or self.exact)

    @property
    def is_joined(self) -> bool:
        """Return whether it names objects behind "and", "then" or a comma, which may belong to a further step."""
        return any(mention.is_joined for mention in self.mentions)

    @property
    def object_names(self) -> frozenset[str]:
        """Return the objects that it may name."""
        named = (name for mention in self.mentions for name in mention.objects)
        return frozenset((*named, *(name for step in self.exact for name in step.args)))

    @property
    def named_objects(self) -> tuple[str, ...]:
        """Return the objects that it names by themselves, the first first."""
        named = (mention.objects[0] for mention in self.mentions if len(mention.objects) == 1)
        return tuple(dict.fromkeys((*named, *(name for step in self.exact for name in step.args))))

    @property
    def step_names(self) -> frozenset[str]:
        """Return the actions that it may name, and the steps that it says word for word."""
        return frozenset((*self.actions, *(step.name for step in self.exact)))


def may_tell_state(clause: Clause) -> bool:
    """Return whether a clause tells a step in the passive, or a state: "v2 is placed in the rotor"."""
    return clause.is_passive and (clause.kind is Kind.STEP or clause.reason == Reason.STATE_OR_STEP)


def told_passively(clause: Clause, tell_steps: bool) -> Clause:
    """Return a passive clause as a step where most of a text is told so; else with a verb of its own it is a hole."""
    if tell_steps:
        return replace(clause, kind=Kind.STEP, reason="", is_passive=False)
    return clause if clause.actions else replace(clause, kind=Kind.HOLE, reason=Reason.STATE_OR_STEP)


def as_frame(clause: Clause, goes_on: bool) -> Clause:
    """Return a clause before the first step or behind the last, which is a remark where it names nothing.

    One that goes on behind the last step, and does not say that the plan ends, may tell a step.
    """
    is_remark = clause.kind is Kind.REMARK
    is_kept = clause.reason in (Reason.NEEDED, Reason.OTHER_STEP)
    if is_kept or (goes_on and clause.mentions and clause.may_be_step):
        return clause
    names_nothing = not (clause.mentions or clause.actions or clause.retracts)
    if not is_remark and (clause.kind is not Kind.HOLE or not names_nothing or not clause.strange):
        return clause
    said = words_of(clause.text).texts
    first = next((word for word in said if word not in SEQUENCE), "")
    may_be_step = not is_remark or clause.reason == Reason.MAY_BE_STEP or first in CAUSATIVE
    may_tell = goes_on and names_nothing and may_be_step
    tells_end = bool(clause.strange) and _ENDING.issuperset(map(stem, clause.strange))
    tells_state = not clause.is_passive and not STATE.isdisjoint(said)
    may_tell = may_tell and not (first in TELLING or first.endswith("ing") or tells_end or tells_state)
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if may_tell else "")


def only_names(clause: Clause) -> bool:
    """Return whether a clause names objects and says nothing of them."""
    *said, _ = clause.text.lower().split()  # "the laser is off", not "the cup is", which goes on
    is_state = clause.is_statement or not STATE.isdisjoint({*said} - {"now"})
    says_more = clause.exact or clause.actions or clause.strange or clause.facts or is_state
    return bool(clause.mentions) and not says_more


def denies_object(clause: Clause | None) -> bool:
    """Return whether a clause only says which object is not meant."""
    if clause is None or not clause.mentions or clause.actions or clause.exact:
        return False
    return bool(clause.strange) and DENIAL.issuperset(clause.strange)


def announces(clause: Clause) -> bool:
    """Return whether a clause says of what the text goes on to speak: "now for the school"."""
    first = words_of(clause.text).at(0)
    return first in SEQUENCE or first == "for"


def with_mentions(clause: Clause, label: tuple[Mention, ...]) -> Clause:
    """Return a clause with the objects of the label before it that it does not name itself: "r1: grab p1"."""
    named = {name for mention in clause.mentions for name in mention.objects}
    extra = tuple(replace(mention, joint="lead") for mention in label if named.isdisjoint(mention.objects))
    return replace(clause, mentions=(*extra, *clause.mentions)) if extra else clause


def as_heading(clause: Clause) -> Clause:
    """Return a clause of a heading, which is a remark where it names nothing, or introduces a plan.

    "Take these steps with r1:" may tell a step, and "to reach the hall, do the following:" tells what the plan is for.
    """
    if _INTRODUCES.match(clause.text):
        return replace(clause, kind=Kind.REMARK)
    is_aim = AIM.match(clause.text) is not None
    if _FOLLOWING.search(clause.text):
        may_be = clause.actions and clause.mentions and not is_aim
        return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if may_be else "")
    if is_aim:
        return as_aim(clause)
    is_named = clause.mentions or clause.exact or clause.retracts
    return clause if is_named else replace(clause, kind=Kind.REMARK, reason="")


def as_aim(clause: Clause) -> Clause:
    """Return "to scan the memo", before what is done for it, as a remark that may tell a step."""
    match = AIM.match(clause.text) if clause.is_open else None
    tells = clause.kind is Kind.STEP and bool(clause.is_order or clause.verb)
    is_aim = match is not None and ("order" in match[0].lower() or tells)
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if is_aim else clause


def goes_on(clause: Clause) -> bool:
    """Return whether a fragment behind a clause may belong to it."""
    return clause.kind is not Kind.REMARK and not clause.exact and len(clause.mentions) < MOST_MENTIONS


def is_fragment(clause: Clause) -> bool:
    """Return whether a clause only names objects, which belong to the clause before it."""
    is_state = clause.is_statement or not STATE.isdisjoint(clause.text.lower().split())
    says_more = is_state or clause.exact or clause.actions or clause.strange or clause.kind is Kind.HOLE
    return not says_more and bool(clause.mentions or clause.pronoun)


def has_own_particle(clause: Clause) -> bool:
    """Return whether a fragment ends with the particle of a verb that it leaves out: "the lamp off"."""
    said = words_of(clause.text).texts
    return is_fragment(clause) and said[-1] in PARTICLES - {"back"} and clause.pronoun == ""


def is_particle(clause: Clause) -> bool:
    """Return whether a clause is a particle and nothing else, as that of a verb that it leaves out: "off again"."""
    return (PARTICLES | {"again"}).issuperset(words_of(clause.text).texts)


def as_likewise(clause: Clause, before: Clause | None) -> Clause:
    """Return "so is the potato" as the step before, with another object in the place of the first."""
    is_so = words_of(clause.text).at(0) == "so" and clause.reason == Reason.OTHER_STEP and len(clause.mentions) == 1
    if before is None or before.kind is not Kind.STEP or not (before.has_subject or before.is_passive) or not is_so:
        return clause
    return replace(before, text=clause.text, span=clause.span, mentions=(*clause.mentions, *before.mentions[1:]))


def foreign_name(clause: Clause) -> str:
    """Return the one word of a clause that may name an object, which the model has not; empty where there is none."""
    tells = clause.mentions or clause.actions or clause.pronoun or clause.exact
    said = [word for word in words_of(clause.text).texts if word not in PREPOSITIONS and word not in (*DENIAL, "the")]
    is_name = not tells and tuple(said) == clause.strange and len(said) == 1
    return said[0] if is_name and said[0] not in TELLING and stem(said[0]) not in _ENDING | IDLE else ""


def as_needed(clause: Clause) -> Clause:
    """Return what "we must first oil it" says behind an aim, which may be told again."""
    is_said = clause.kind is Kind.STEP and not NEED.isdisjoint(words_of(clause.text).texts)
    return replace(clause, kind=Kind.REMARK, reason=Reason.NEEDED) if is_said else clause


def with_fragment(clause: Clause, model: Model, rest: Clause, joint: str) -> Clause:
    """Return a step word for word, and the objects behind it, as one clause."""
    (step,) = clause.exact[:1]
    actions = tuple(name for name, action in model.domain.actions.items() if (action.step or name) == step.name)
    named = tuple(Mention(objects=(arg,)) for arg in step.args)
    return replace(clause, exact=(), actions=actions, mentions=(*named, *joined_mentions(rest.mentions, joint)))


def as_comment(clause: Clause) -> Clause:
    """Return what stands behind a step and the sign of a comment: "oil the hatch # it is dry"."""
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if clause.is_certain else "")


def is_done_first(clause: Clause) -> bool:
    """Return whether a clause says that it is done before what stands before it."""
    said = words_of(clause.text).texts
    is_first = clause.is_open and DONE_FIRST.search(clause.text) is not None
    is_earlier = said[0] in ("after", "once", "having") or said[:2] == ("before", "which")
    return is_first or (clause.is_open and bool(clause.actions) and is_earlier)


def reorders(words: Words) -> bool:
    """Return whether words take back steps that they call by their numbers, or put them in another order."""
    said = {*words.texts}
    is_needed = DENIAL.isdisjoint(said) or said.isdisjoint(ALLOWED)  # "step 1 is not needed"
    if is_needed and said.isdisjoint(OMISSIONS) and _REORDERS.isdisjoint(map(stem, said)):
        return False
    return any(
        one in COUNTED and (other.isdigit() or before in SEQUENCE - THEN or before == "last")
        for before, one, other in zip(("", *words.texts), words.texts, (*words.texts[1:], ""), strict=False)
    )


def is_relative(clause: Clause) -> bool:
    """Return whether a clause says which one is meant that does something else: "tim, who oiled the hatch, leaves"."""
    return clause.kind is Kind.STEP and not RELATIVE.isdisjoint(words_of(clause.text).texts[:1])


def is_joined_participle(before: Clause, clause: Clause) -> bool:
    """Return whether a clause is a participle that says of the objects before it what they are as well."""
    *function, last = words_of(clause.text).texts
    is_bare = not (clause.mentions or clause.pronoun or clause.exact) and is_participle(last)
    is_state = before.is_passive or not STATE.isdisjoint(words_of(before.text).texts)
    return is_bare and is_state and not function


def leads(clause: Clause, joint: str, next_joint: str) -> bool:
    """Return whether a fragment says where or with what the clause behind it is done.

    Such are "then at the shelf, grab p2" and "and with the right arm, grab p2".
    """
    leads = joint == "then" or (joint == "and" and next_joint == "comma")
    first = clause.mentions[0] if leads and clause.mentions else None
    if first is None or (first.role == "with" and joint == "and"):
        return first is not None
    return not first.role and first.relation in ("at", "in", "on", "under")


def is_led(before: Clause, joint: str) -> bool:
    """Return whether a clause that only names objects says who does the next one, or where."""
    if not CAUSATIVE.isdisjoint(words_of(before.text).texts):  # "to let tim out, open the hatch"
        return False
    return joint in ("comma", "cell") or (joint == "then" and [one.relation for one in before.mentions] == [""])


def joined_mentions(mentions: tuple[Mention, ...], joint: str) -> tuple[Mention, ...]:
    """Return the mentions of a fragment, with what stands before it told of the first."""
    joint = "and" if joint == "comma" else joint
    return tuple(replace(mention, joint=joint) if place == 0 else mention for place, mention in enumerate(mentions))


def as_joined(clauses: Sequence[Clause], joints: Sequence[str]) -> list[Clause]:
    """Return the clauses of a sentence: aims, comments and clauses on its subject are no steps in the order told."""
    found = [
        as_aim(one) if joint == "so" else as_comment(one) if joint == "note" else one
        for one, joint in zip(clauses, joints, strict=True)
    ]
    if joints[1:2] == ["comma"] and (aim := as_aim(found[0])) is not found[0]:
        found[:2] = aim, as_needed(found[1])
    found[:-1] = [
        as_not_done(one)
        if words_of(other.text).at(0) == "but" and not MODAL.isdisjoint(words_of(one.text).texts)
        else one
        for one, other in pairwise(found)
    ]  # "she should oil it, but there is no oil"
    found[1:] = [
        replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if one.is_passive and _ONCE.match(one.text) else one
        for one in found[1:]  # "unlock it once it is oiled"
    ]
    if found[1:] and found[0].kind is Kind.REMARK and _CONSEQUENCE.match(found[0].text) and found[1].is_passive:
        found[1] = as_doubtful(found[1], Reason.STATE_OR_STEP)
    if any(map(is_done_first, found[1:])):  # "unlock it after oiling it", "unlock it, but oil it first"
        found = [as_doubtful(one, "it may be done later") for one in found]
    found[:-1] = [as_doubtful(one, Reason.OTHER_STEP) if is_relative(one) else one for one in found[:-1]]
    return found


def as_not_done(clause: Clause) -> Clause:
    """Return what is told to be done, as what may not be done."""
    if clause.reason == Reason.NEEDED:
        return replace(clause, reason=Reason.MAY_BE_STEP)
    return as_doubtful(clause, "it may not be done")


def in_context(clauses: Sequence[Clause], joints: Sequence[str]) -> Iterator[Clause]:
    """Yield the clauses of a sentence; what a condition or a reason before it may go on to is not understood."""
    doubt, has_step = "", False
    for clause, joint in zip(clauses, joints, strict=True):
        tells = clause.kind in (Kind.STEP, Kind.DENIED)
        has_subject = bool(clause.actions) and not clause.is_order  # "p1 is not loaded, and t1 drives to b"
        is_apart = joint == "then" or (has_subject and doubt == _DENIED_AS_WELL)
        is_doubtful = doubt and tells and (not is_apart or doubt == _CONDITIONAL)
        yield replace(clause, kind=Kind.HOLE, reason=doubt) if is_doubtful else clause
        if _CONDITION.match(clause.text):
            doubt = _CONDITIONAL
        elif has_step and not doubt and _BECAUSE.match(clause.text):
            doubt = "it may belong to the reason before it"
        elif clause.kind is Kind.DENIED and not doubt:
            doubt = _DENIED_AS_WELL
        has_step = has_step or clause.kind is Kind.STEP


def as_doubtful(clause: Clause, reason: str) -> Clause:
    """Return a clause that tells no step for some reason."""
    is_open = clause.kind in (Kind.STEP, Kind.DENIED)
    return replace(clause, kind=Kind.HOLE, reason=reason) if is_open else clause


def as_alike(clause: Clause, other: Clause | None) -> Clause:
    """Return a clause that only names objects as a step that does to them what another clause says."""
    if other is None or other.exact or clause.actions or not clause.mentions:
        return clause
    mentions = tuple(replace(one, role="", relation="") for one in clause.mentions)
    told = replace(clause, kind=Kind.STEP, reason="", strange=(), mentions=mentions, is_partial=True)
    return replace(told, actions=other.actions, verb=other.verb)


def as_before_plan(clause: Clause) -> Clause:
    """Return a passive above the heading of a plan, "the oven must be heated", as what may be a step of it."""
    is_told = clause.kind is Kind.STEP and clause.is_passive
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if is_told else clause


def as_explanation(clause: Clause, step: Clause) -> Clause:
    """Return a clause that stands below the item of a step: one that says the same step again explains it."""
    is_same = bool(clause.step_names) and clause.step_names <= step.step_names
    is_same = is_same and not clause.is_cut_off and clause.object_names <= step.object_names
    return replace(clause, kind=Kind.REMARK) if is_same else clause


def behind_step(clause: Clause, latest: Clause | None) -> Clause:
    """Return "after stacking a on b" and "a is stacked on b", which speak of the latest step, or of another one."""
    is_after = _AFTER.match(clause.text) is not None
    tells_state = clause.is_passive and latest is not None and not latest.is_passive
    if clause.reason == Reason.SUMS_UP:  # "this means that a is stacked on b"
        return clause if latest is None else as_explanation(clause, latest)
    if clause.kind is not Kind.STEP or not (is_after or tells_state):
        return clause
    told = clause if latest is None else as_explanation(clause, latest)
    is_open = is_after and told.kind is not Kind.REMARK
    return replace(clause, is_passive=False, is_possible=True, reason=Reason.OTHER_STEP) if is_open else told


def with_referents(clause: Clause, recent: tuple[str, ...]) -> Clause:
    """Return a clause with what "it" behind its verb may stand for, of the objects that are named before."""
    named = clause.object_names
    is_open = clause.has_object_pronoun and not clause.exact
    return replace(clause, referents=tuple(name for name in recent if name not in named)) if is_open else clause


def with_subject(clause: Clause, subject: tuple[str, ...]) -> Clause:
    """Return a clause that begins with he or she with who acted before, for whom this stands."""
    is_open = clause.kind is Kind.STEP and bool(clause.actions) and not (clause.exact or clause.referents)
    if not is_open or clause.has_object_pronoun or words_of(clause.text).at(0) not in ("he", "she"):
        return clause
    return replace(clause, referents=subject, pronoun_at=0, has_subject=bool(subject))


def with_reference(clause: Clause, naming: Clause | None, is_part: bool) -> Clause:
    """Return a clause with a pronoun with the objects of the clause before: "rinse it", one of them; "serve both", two.

    What has a verb of an action knows what "it" may be. Where nothing is named before, "it" makes a remark: "I take it
    step by step".
    """
    named = () if naming is None else tuple(sorted(naming.object_names))
    if clause.pronoun == "both" and clause.kind is Kind.STEP and all(one.joint != "and" for one in clause.mentions):
        both, place = Mention(objects=named, joint="each"), clause.pronoun_at
        return replace(clause, mentions=(*clause.mentions[:place], both, *clause.mentions[place:]))
    if not clause.is_open or clause.mentions or clause.exact or clause.pronoun not in PRONOUNS:
        return clause
    if naming is None:
        is_open = clause.retracts or is_part
        return clause if is_open else replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP)
    if clause.kind is not Kind.STEP or clause.actions:
        return clause
    return replace(clause, mentions=(Mention(objects=named),), pronoun="")


def moved(clause: Clause, start: int) -> Clause:
    """Return a clause with its span counted from the beginning of the whole text."""
    if not start:
        return clause
    span = (clause.span[0] + start, clause.span[1] + start)
    return replace(clause, span=span, exact=tuple([replace(step, span=span) for step in clause.exact]))

"""Read the clauses of a text: those of its sentences, as headings, labels, lists and other clauses tell them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise, takewhile
from typing import TypeAlias

from validator.reading.lexicon.clauses.blocks import Sentence, end_of_paragraph, sentences_of
from validator.reading.lexicon.clauses.clause import (
    AIM,
    BEHIND,
    Clause,
    Kind,
    Reason,
    as_aim,
    as_doubtful,
    moved,
    only_names,
)
from validator.reading.lexicon.clauses.coverage import Coverage
from validator.reading.lexicon.clauses.kind import ClauseKinds
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.clauses.sentence import SentenceReader
from validator.reading.lexicon.english import (
    CAUSATIVE,
    EFFECTS,
    ENDING,
    FUNCTION,
    NEED,
    ORDINALS,
    PRONOUNS,
    SEQUENCE,
    STATE,
    TELLING,
    stem,
)
from validator.reading.lexicon.line_words import words_of
from validator.reading.lexicon.templates import Templates
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace
from validator.resources import Recent

_LONGEST = 100_000
_MARK = re.compile(
    r"(?:(?:DEBUG|INFO|WARNING):[\w.]+:|\[?[\d:.,T-]{4,}\]?\s+(?:DEBUG|INFO|WARN(?:ING)?)\s+)?[\s>|*_#`\"'“”(\[{•+-]*"
    r"(?:x?\]\s+|\d?\d:\d\d(?::\d\d)?\]?\s+(?:[–-]\s+)?)?"
    r"(?:\(?(?:step|action|move)?[\s#]*\d{1,4}\s*(?:[.):|-]+(?=[\s*_|])|[.)](?=[^\W\d_]))[\s*_|]*"
    r"|\d{1,4}(?:\ufe0f?\u20e3|(?:\.\d{1,3})+[.):]?)\s+|[a-z][.)]\s+|[ivx]{2,4}\)\s+)?",
    re.IGNORECASE,
)
"""what may stand before the words of an item, or of a line of a log"""
_Concerns: TypeAlias = Callable[[str, Collection[str]], bool]
_ALIKE = re.compile(r"(?:then |next |and )?do the same (?:for|to|with)\b", re.IGNORECASE)
_INTRODUCES = re.compile(r"\W*here(?:['’]s|\s+(?:is|are))\b|.*\bthe\s+(?P<same>same)\b", re.IGNORECASE)
_FOLLOWING = re.compile(
    r"\b(?:(?:the|these|this|those|a few|\w+)\s+)?following(?:\s+\w+)?\s+(?:steps|actions|plan|moves|sequence)\b"
    r"|\b(?:these|those)\s+(?:\w+\s+)?(?:steps|actions|moves|things)\b|\bas\s+follows\b|\b(?:do|does|doing)\s+this\b"
    r"|\bthe\s+following\W*$",
    re.IGNORECASE,
)
"""what announces the steps below"""
_AFTER = re.compile(rf"\W*(?:{BEHIND}|having)\b", re.IGNORECASE)
_RANKS = {f"{word}{end}": rank for rank, word in enumerate(ORDINALS, 1) for end in ("", "ly")}
_RANKS |= dict.fromkeys(("finally", "lastly"), len(_RANKS))
_RANKED = re.compile(rf"(?:(?P<but>but)|and)?\W*(?P<rank>{'|'.join(_RANKS)})\b", re.IGNORECASE)
"""words that say where in a row of steps a sentence stands"""


@dataclass(frozen=True)
class ClauseReader:
    """Cut texts about one model into clauses.

    ``word_for_word`` reads a step that is written as the model or a template writes it, at an offset.
    """

    coverage: Coverage
    templates: Templates | None
    word_for_word: Callable[[str, int], Step | None]

    def clauses(self, text: str, *, is_part: bool = False) -> tuple[Clause, ...]:
        """Return the clauses of a text in its order; a part of a text may refer to what is named before it."""
        key = text, is_part
        known = self._texts.get(key)
        if known is None:
            known = self._texts[key] = self._of_text(text, is_part)
        return known

    @cached_property
    def sentence_reader(self) -> SentenceReader:
        kinds = ClauseKinds(self.coverage, self.templates, self.word_for_word)
        return SentenceReader(self.coverage, kinds, self.word_for_word)

    @cached_property
    def _texts(self) -> dict[tuple[str, bool], tuple[Clause, ...]]:
        """Return the clauses of the latest texts: several questions are asked about each."""
        return Recent(4)

    def _of_text(self, text: str, is_part: bool) -> tuple[Clause, ...]:
        found = self._clauses(text, frozenset(), is_part)
        nouns = frozenset(noun for clause in found for noun in clause.described)
        is_said_elsewhere = nouns and any(not nouns.isdisjoint(clause.strange) for clause in found)
        found = self._clauses(text, nouns, is_part) if is_said_elsewhere else found
        if is_part:  # with nothing beside it, what needs to be done is a step
            found = [replace(one, kind=Kind.STEP, reason="") if one.reason == Reason.NEEDED else one for one in found]
        return _as_a_whole(found, text, has_exact_states=self.templates is None)

    def _clauses(self, text: str, nouns: frozenset[str], is_part: bool) -> list[Clause]:
        """Return the clauses of a text in their places; ``nouns`` are words that describe objects in it."""
        found = _in_reference(self._in_place(text[:_LONGEST], nouns), is_part, self.coverage.concerns)
        if len(text) > _LONGEST:
            rest = f"a text is read up to its character {_LONGEST}"
            found.append(Clause(text=text[_LONGEST:][:80], span=(_LONGEST, len(text)), kind=Kind.HOLE, reason=rest))
        return found

    def _in_place(self, text: str, nouns: frozenset[str]) -> list[Clause]:
        """Return the clauses of a text as the items, headings and labels tell them in which they stand."""
        found: list[Clause] = []
        pending: tuple[Mention, ...] = ()
        """of a label before a clause on its line"""
        leader: tuple[Mention, ...] = ()
        """of a heading that names who does what is listed below it"""
        verb: Clause | None = None
        """of a heading, for the objects listed below it"""
        item: tuple[int, Clause] | None = None
        """how far an item is indented, and the step that it tells"""
        was_heading = False
        stands: dict[Span, Sentence] = {}
        """the sentence of each clause"""
        for said in sentences_of(text, self._ends_with_name):
            read = self._read(said, nouns)
            if said.is_first:
                item = None if item is not None and said.indent <= item[0] else item
            verb = verb if said.item else None
            is_only = len(read) == 1 and only_names(read[0])
            is_labelled = is_only and said.is_label and not said.is_first and bool(found)
            if is_labelled and (joined := self._of_label(found[-1], read[0])) is not None:
                found[-1] = joined  # "move p1: dock -> hall"
                continue
            if is_only and verb is not None:
                read = [self._of_heading(_with_mentions(read[0], pending), verb)]
            if said.is_heading and len(read) == 1 and read[0].actions and not read[0].mentions:
                verb = read[0]  # "Slice the following:"
            if said.explains:  # a step there may be none of the explanation
                tells = (one for one in read if one.is_certain and (one.is_order or not said.is_first))
                found += [replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) for one in tells]
                continue
            if not read:
                continue
            if said.text.lstrip().startswith("#") and words_of(said.text).at(0) in ORDINALS:  # "### Second block"
                read = [replace(one, kind=Kind.REMARK, reason="") if one.is_unnamed else one for one in read]
            if said.is_title:
                read = [as_doubtful(one, "it names no object") if one.is_bare else one for one in read]
                read = [replace(one, reason="") if one.is_unnamed_step else one for one in read]
            is_led, read[0], pending = bool(pending), _with_mentions(read[0], pending), ()
            if (said.is_heading or said.names_list) and len(read) == 1 and only_names(read[0]):
                pending = read[0].mentions if said.is_heading and said.is_label and not _announces(read[0]) else ()
                named = () if any(one.is_joined for one in read[0].mentions) else read[0].mentions
                leader = leader if pending and said.item else named  # "1. At the hall: grab p1"
                continue
            leader = leader if said.item else ()
            if said.begins_item and self._lets(read[0], leader):
                read[0] = _with_mentions(read[0], leader, "leader")
            if said.is_heading:
                read = [_as_heading(replace(one, retracts=one.retracts and not said.denied_by)) for one in read]
            elif said.is_label and not (said.is_first or is_led) and found and read[0].is_open and only_names(read[0]):
                found[-1] = replace(found[-1], is_possible=True)  # "[Anna] grind: mill1" says what is ground behind it
            elif was_heading and said.is_label and not said.is_first and found and read[0].exact:
                step, label = read[0].exact[0], found.pop()
                if label.kind is not Kind.STEP or label.exact:
                    found.append(label)
                elif not self.sentence_reader.agrees(label, step):  # "fill the cup: (fill mug)"
                    found.append(replace(label, kind=Kind.HOLE, reason=f"it differs from {step} after it"))
            if item is not None and said.indent > item[0]:
                read = [self._of_step(_as_explanation(clause, item[1]), item[1]) for clause in read]
            elif said.item and len(read) == 1 and read[0].kind is Kind.STEP:
                item = said.indent, read[0]
            if said.denied_by and not said.is_heading:
                read = [as_doubtful(clause, f"it follows '{said.denied_by}'") for clause in read]
            was_heading = said.is_heading
            stands |= {clause.span: said for clause in read}
            found += read
        found = _as_summaries([self._of_only_action(one) for one in found], stands, self._takes)
        following: Clause | None = None
        for place, one in reversed([*enumerate(found)]):
            found[place] = _as_title(one, following, stands, text)
            following = found[place] if found[place].is_open else following
        return found

    def _of_label(self, label: Clause, clause: Clause) -> Clause | None:
        """Return the step of a label with the objects behind it; None where the label is a step of its own."""
        mentions = (*label.mentions, *clause.mentions)
        told = replace(label, kind=Kind.STEP, reason="", mentions=mentions, span=(label.span[0], clause.span[1]))
        known, fits = self.coverage.model.domain.actions, self.coverage.objects.fits
        first = label.named_objects[:1] if label.has_subject else ()
        acts = any(fits(known[name], 0, one) for name in label.actions if known[name].parameters for one in first)
        is_deed = (label.kind in (Kind.STEP, Kind.HOLE) or label.is_bare) and (label.is_order or acts)
        return told if is_deed and not (label.strange or label.retracts) and self._takes(told) else None

    def _of_step(self, clause: Clause, step: Clause) -> Clause:
        """Return what says facts of a step's objects, below its item, as an explanation: "- Removes the dirt of p1".

        Where its verb is an action's as well, it may be a step: "- Adds wet p1".
        """
        said = words_of(clause.text).texts
        acts = bool(clause.actions)
        is_other = (acts and stem(said[0]) not in EFFECTS) or clause.retracts or clause.kind is Kind.DENIED
        is_of_step = bool(step.exact or step.is_order) and not clause.exact
        if is_other or not is_of_step or not clause.object_names <= step.object_names:
            return clause
        is_third = said[0].endswith("s") and (acts or said[0] in (*clause.strange, clause.verb))
        says = self.coverage.says_fact(clause.text, is_verb=is_third) or ("this", "action") in pairwise(said)
        says = says and self.coverage.concerns(clause.text, step.step_names)
        reason = Reason.MAY_BE_STEP if acts else Reason.TWICE
        return replace(clause, kind=Kind.REMARK, reason=reason) if says else clause

    def _of_heading(self, clause: Clause, verb: Clause) -> Clause:
        """Return objects as the step that a heading says of them, for certain where these are all that it takes."""
        sizes = {len(self.coverage.model.domain.actions[name].parameters) for name in verb.actions}
        is_whole = sizes == {len(clause.mentions)} and not (verb.verb or verb.is_partial)
        return replace(as_alike(clause, verb), is_partial=not is_whole)

    def _takes(self, clause: Clause) -> bool:
        names = clause.actions or self.coverage.model.domain.actions
        return any(self.coverage.action_words.takes(name, clause.mentions) for name in names)

    def _of_only_action(self, clause: Clause) -> Clause:
        """Return a clause that names as many objects as the only action of the model takes as it: "d1: d2 -> peg3"."""
        actions = [*self.coverage.model.domain.actions.values()]
        if len(actions) != 1 or clause.reason != Reason.ONLY_NAMES or len(clause.mentions) < len(actions[0].parameters):
            return clause
        return replace(clause, kind=Kind.STEP, reason="", actions=(actions[0].name,), is_partial=True)

    def _ends_with_name(self, text: str) -> bool:
        """Return whether the last number of a text belongs to the name of an object."""
        words = words_of(text)
        last = max(index for index, word in enumerate(words.texts) if word.isdigit())
        return last in self.coverage.mentions.of(words)[1]

    def _read(self, said: Sentence, nouns: frozenset[str]) -> list[Clause]:
        """Return the clauses of a sentence, each for itself; what was read is remembered."""
        piece, mark = said.text, _MARK.match(said.text)
        begin = mark.end() if mark is not None else 0
        if piece[begin - 1 : begin] == "(" and self.word_for_word(piece[begin - 1 : piece.find(")") + 1], 0):
            begin -= 1
        body = piece[begin:].rstrip(' \t\r\n*_`"|')
        if body.endswith(")") and body.count("(") < body.count(")") and "(" in piece[:begin]:
            body = body[:-1]
        key = (body, said.begins_item, nouns)
        known = self._sentences.get(key)
        if known is None:
            known = self._sentences[key] = self.sentence_reader.clauses(*key)
        found = [moved(clause, said.start + begin) for clause in known]
        return [replace(one, item=said.item) for one in found] if said.begins_item else found

    @cached_property
    def _sentences(self) -> dict[tuple[str, bool, frozenset[str]], tuple[Clause, ...]]:
        return Recent(5_000)

    def _lets(self, clause: Clause, leader: tuple[Mention, ...]) -> bool:
        """Return whether a clause that begins with its verb may be done by, or to, what a heading names."""
        named = (*leader, *clause.mentions)
        return (
            bool(leader)
            and clause.is_order
            and any(self.coverage.action_words.takes(name, named) for name in clause.actions)
        )


# --- labels, headings and items -------------------------------------------------------------------


def _announces(clause: Clause) -> bool:
    """Return whether a clause says of what the text goes on to speak: "now for the school"."""
    first = words_of(clause.text).at(0)
    return first in SEQUENCE or first == "for"


def _with_mentions(clause: Clause, label: tuple[Mention, ...], joint: str = "lead") -> Clause:
    """Return a clause with the objects of the label before it that it does not name itself: "r1: grab p1"."""
    named = {name for mention in clause.mentions for name in mention.objects}
    extra = tuple(replace(mention, joint=joint) for mention in label if named.isdisjoint(mention.objects))
    return replace(clause, mentions=(*extra, *clause.mentions)) if extra else clause


def _as_heading(clause: Clause) -> Clause:
    """Return a clause of a heading, which is a remark where it names nothing, or introduces a plan.

    "Take these steps with r1:" may tell a step, and "to reach the hall, do the following:" tells what the plan is for.
    """
    if introduces := _INTRODUCES.match(clause.text):
        return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if introduces["same"] else clause.reason)
    is_aim = AIM.match(clause.text) is not None
    if _FOLLOWING.search(clause.text):
        may_be = clause.actions and clause.mentions and not is_aim
        return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if may_be else "")
    if is_aim:
        return as_aim(clause)
    is_named = clause.mentions or clause.exact or clause.retracts
    return clause if is_named else replace(clause, kind=Kind.REMARK, reason="")


def _as_explanation(clause: Clause, step: Clause) -> Clause:
    """Return a clause that stands below the item of a step: one that says the same step again explains it."""
    is_same = bool(clause.step_names) and clause.step_names <= step.step_names
    is_same = is_same and not clause.is_cut_off and clause.object_names <= step.object_names
    return replace(clause, kind=Kind.REMARK, reason=Reason.TWICE) if is_same else clause


def as_alike(clause: Clause, other: Clause | None) -> Clause:
    """Return a clause that only names objects as a step that does to them what another clause says."""
    if other is None or other.exact or clause.actions or not clause.mentions:
        return clause
    mentions = tuple(replace(one, role="", relation="") for one in clause.mentions)
    told = replace(clause, kind=Kind.STEP, reason="", strange=(), mentions=mentions, is_partial=True)
    return replace(told, actions=other.actions, verb=other.verb)


def _as_summaries(
    clauses: Sequence[Clause], stands: Mapping[Span, Sentence], takes: Callable[[Clause], bool]
) -> list[Clause]:
    """Return the clauses; what stands above or beside the steps tells of them where it is not certain.

    ``stands`` has the sentences of the clauses; ``takes`` says whether any action takes what one names.
    """
    beside = {span for span, said in stands.items() if said.is_above or not said.item}
    steps = [one for one in clauses if one.kind is Kind.STEP and one.step_names and not one.is_passive]
    others = [step for step in steps if step.span in beside]
    first = next((one for one in clauses if one.item.isdigit()), None)
    ahead = () if first is None or first.item != "2" else takewhile(lambda one: one is not first, clauses)
    is_begun = any(  # step 1 is told before the list
        one.mentions and one.span in beside and not stands[one.span].is_heading and (one.is_open or one.is_passive)
        for one in ahead
    )
    is_list = len(steps) - len(others) > 1 and not (is_begun or any(step.is_certain for step in others))
    found: list[Clause] = []
    below: list[Clause] = []
    """steps up to the next heading, the last first"""
    was_above = False
    for clause, before in zip(reversed(clauses), (*clauses[-2::-1], None), strict=False):
        said, told = stands.get(clause.span), clause
        is_above = said is not None and said.is_above
        below = below if is_above or not was_above else []
        if said is not None and is_above:
            told = _as_heading_of(clause, _below(said, below, stands), takes(clause))
        leads = before is not None and SEQUENCE.issuperset(words_of(before.text).texts)  # "Finally, a is placed"
        if told is clause and is_list and clause.span in beside and not leads:
            told = _as_beside_list(clause, is_above=first is not None and clause.span < first.span)
        below += [told] * (told.kind is Kind.STEP and told.span in stands)
        found.append(told)
        was_above = is_above
    return found[::-1]


def _as_title(clause: Clause, following: Clause | None, stands: Mapping[Span, Sentence], text: str) -> Clause:
    """Return a sentence that only names an action as a title of a step behind it: "**Load.** Load p1"."""
    if following is None or clause.kind is not Kind.HOLE or not clause.is_bare:
        return clause
    is_beside = "\n" not in text[clause.span[1] : following.span[0]]
    is_apart = stands.get(clause.span) is not stands.get(following.span)
    is_told = following.kind is Kind.STEP and clause.step_names <= following.step_names
    return _as_told_of(clause) if is_beside and is_apart and is_told else clause


def _below(said: Sentence, steps: Sequence[Clause], stands: Mapping[Span, Sentence]) -> list[Clause]:
    """Return the steps below a heading; of an item those of its own items. ``steps`` has the last first."""
    first = stands[steps[-1].span] if steps else said
    if said.item.isdigit() and first.item == str(int(said.item) + 1) and first.indent <= said.indent:
        return []  # the next item of its list
    indent = -1 if said.is_heading or said.is_title else said.indent
    return [*takewhile(lambda step: stands[step.span].indent > indent, reversed(steps))]


def _as_heading_of(clause: Clause, below: Sequence[Clause], may_be_step: bool) -> Clause:
    """Return a heading as the sum of the steps below it, which name its objects; one of them may be what it says."""
    named = {name for one in below for name in one.object_names}
    if not may_be_step and not named.isdisjoint(clause.object_names):
        return _as_told_of(clause)  # "Fly p1 to city2", which no action does
    if clause.is_certain:  # "Pickup of p1: drive to the hall, pick up p1"
        is_told = any(one.step_names >= clause.step_names and one.object_names >= clause.object_names for one in below)
        return replace(clause, is_possible=clause.is_possible or is_told)
    is_told = bool(below) and (not clause.actions or any(one.step_names & clause.step_names for one in below))
    return _as_told_of(clause) if is_told and clause.object_names <= named else clause


def _as_beside_list(clause: Clause, *, is_above: bool) -> Clause:
    """Return what stands beside a list of steps: a state is what comes of them, and what somebody does may sum up."""
    is_route = clause.reason == Reason.ONLY_NAMES and any(mention.joint == "then" for mention in clause.mentions)
    if is_route or clause.is_passive or clause.reason in (Reason.STATE_OR_STEP, Reason.NEEDED):
        return _as_told_of(clause)
    is_deed = bool(clause.verb) and not (clause.is_certain or clause.is_order or _begins(clause))
    is_deed = is_deed or not NEED.isdisjoint(words_of(clause.text).texts)  # "so it must go first"
    is_deed = is_deed or (is_above and bool(clause.strange) and not clause.is_order)  # "I move all three balls"
    may_be = (clause.is_open and bool(clause.actions or not is_above)) or (clause.may_be_step and not is_above)
    if is_deed and may_be and not clause.retracts:
        return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP)
    return _as_told_of(clause) if is_deed else clause


def _as_told_of(clause: Clause) -> Clause:
    """Return a clause as a remark that tells no step, unless it denies or takes back one."""
    is_denied = clause.retracts or clause.kind is Kind.DENIED
    return clause if is_denied else replace(clause, kind=Kind.REMARK, reason=Reason.TWICE, actions=())


def _begins(clause: Clause) -> bool:
    """Return whether a clause begins with a verb that no action has: "grab it", not "I need to grab it"."""
    said = words_of(clause.text).texts
    first = next((word for word in said if word not in FUNCTION), "")
    return bool(clause.verb) and first == clause.verb and NEED.isdisjoint(said)


# --- what clauses refer to ------------------------------------------------------------------------


def _in_reference(clauses: Iterable[Clause], is_part: bool, concerns: _Concerns) -> list[Clause]:
    """Return clauses with what they refer to: the step, the objects and who acts before each."""
    found: list[Clause] = []
    latest: Clause | None = None
    """the step before a clause"""
    recent: tuple[str, ...] = ()
    """objects that are named before it, the latest first"""
    subject: tuple[str, ...] = ()
    """what the clause before it names as who acts"""
    naming: Clause | None = None
    """the clause before it that names objects"""
    joined: Clause | None = None
    """the one that names several"""
    for one in clauses:
        clause = as_alike(one, latest) if one.kind is Kind.HOLE and _ALIKE.match(one.text) else one
        told = _with_subject(_with_referents(_behind_step(clause, latest, concerns), recent), subject)
        is_pair = told.pronoun == "both" and not _names_several(naming)
        told = _with_reference(told, joined or naming if is_pair else naming, is_part)
        if one.mentions and not one.mentions[0].relation and (one.has_subject or one.kind is Kind.REMARK):
            subject = one.mentions[0].objects
        latest = told if told.kind is Kind.STEP else latest
        is_naming = told.mentions or told.exact or (told.is_bare and told.kind is Kind.STEP)  # "fill the kettle"
        naming = told if is_naming else naming
        joined = told if is_naming and _names_several(told) else joined
        recent = (*told.named_objects, *(name for name in recent if name not in told.named_objects))
        found.append(told)
    return found


def _behind_step(clause: Clause, latest: Clause | None, concerns: _Concerns) -> Clause:
    """Return "after stacking a on b" and "a is stacked on b", which speak of the latest step, or of another one."""
    is_after = _AFTER.match(clause.text) is not None
    tells_state = clause.is_passive and latest is not None and not latest.is_passive
    if clause.reason == Reason.OF_STEP:  # "this removes the dirt, and restores the charge of r1"
        is_told = latest is not None and clause.object_names <= latest.object_names
        is_told = is_told and latest is not None and concerns(clause.text, latest.step_names)
        return replace(clause, reason="") if is_told else clause
    is_about = clause.kind is Kind.REMARK and not clause.reason and words_of(clause.text).at(0) in ("this", "these")
    if is_about and latest is not None and not concerns(clause.text, latest.step_names):
        return replace(clause, reason=Reason.OF_STEP)  # "this makes it clean", behind what does no such thing
    if clause.reason == Reason.SUMS_UP:  # "this means that a is stacked on b"
        return clause if latest is None else _as_explanation(clause, latest)
    if clause.kind is not Kind.STEP or not (is_after or tells_state):
        return clause
    told = clause if latest is None else _as_explanation(clause, latest)
    is_open = is_after and told.kind is not Kind.REMARK
    return replace(clause, is_passive=False, is_possible=True, reason=Reason.OTHER_STEP) if is_open else told


def _with_referents(clause: Clause, recent: tuple[str, ...]) -> Clause:
    """Return a clause with what "it" behind its verb may stand for, of the objects that are named before."""
    named = clause.object_names
    is_open = clause.has_object_pronoun and not clause.exact
    return replace(clause, referents=tuple(name for name in recent if name not in named)) if is_open else clause


def _with_subject(clause: Clause, subject: tuple[str, ...]) -> Clause:
    """Return a clause that begins with he, she, it or "opens" with who acted before, for whom this stands."""
    is_open = clause.kind is Kind.STEP and bool(clause.actions) and not (clause.exact or clause.referents)
    first = next((word for word in words_of(clause.text).texts if word not in SEQUENCE), "")
    is_third = clause.is_order and first.endswith("s") and not first.endswith("ss")
    if not is_open or clause.is_passive or clause.has_object_pronoun or not (is_third or first in ("he", "she", "it")):
        return clause
    return replace(clause, referents=subject, pronoun_at=0, has_subject=bool(subject))


def _with_reference(clause: Clause, naming: Clause | None, is_part: bool) -> Clause:
    """Return a clause with a pronoun with the objects of the clause before: "rinse it", one of them; "serve both", two.

    What has a verb of an action knows what "it" may be. Where nothing is named before, "it" makes a remark: "I take it
    step by step".
    """
    named = () if naming is None else tuple(sorted(naming.object_names))
    several = _names_several(naming)
    if several and clause.is_bare and not clause.tells_alone:
        return replace(clause, pronoun="them")  # "then watered", behind "both pots are moved"
    is_each = clause.pronoun == "both" or (clause.pronoun in ("they", "them") and several and bool(clause.actions))
    if is_each and clause.kind is Kind.STEP and all(one.joint != "and" for one in clause.mentions):
        both, place = Mention(objects=named, joint="each"), clause.pronoun_at
        mentions = (*clause.mentions[:place], both, *clause.mentions[place:])
        return replace(clause, mentions=mentions, referents=())
    if not clause.is_open or clause.mentions or clause.exact or clause.pronoun not in PRONOUNS:
        return clause
    if not (named or (naming is not None and clause.actions)):
        is_open = clause.retracts or is_part
        return clause if is_open else replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP)
    if clause.kind is not Kind.STEP or clause.actions:
        return clause
    return replace(clause, mentions=(Mention(objects=named),), pronoun="")


def _names_several(clause: Clause | None) -> bool:
    return clause is not None and any(one.joint in ("and", "each") for one in clause.mentions)


# --- the text as a whole --------------------------------------------------------------------------


def _as_a_whole(clauses: list[Clause], text: str, *, has_exact_states: bool) -> tuple[Clause, ...]:
    """Return the clauses of a text as its other clauses tell how they are meant."""
    if not has_exact_states and any(clause.exact for clause in clauses):
        # Who tells steps word for word tells states beside them.
        clauses = [replace(one, kind=Kind.REMARK) if one.reason == Reason.STATE_OR_STEP else one for one in clauses]
    clauses = [*_in_order_of_words([*_in_order_of_numbers(clauses)], text)]
    passives = sum(map(_may_tell_state, clauses))
    tell_steps = 2 * passives > passives + sum(one.kind is Kind.STEP and not one.is_passive for one in clauses)
    clauses = [_told_passively(one, tell_steps) if _may_tell_state(one) else one for one in clauses]
    steps = [place for place, clause in enumerate(clauses) if clause.kind is Kind.STEP]
    inside = range(steps[0], steps[-1]) if steps else range(0)
    end = clauses[steps[-1]].span[1] if steps else len(text)
    paragraph = end_of_paragraph(text, end)
    first = clauses[steps[0]] if steps else None
    begin = text.rfind("\n\n", 0, first.span[0]) + 1 if first is not None else len(text)

    def may_be_before(clause: Clause) -> bool:
        if first is None or clause.span > first.span:
            return False
        is_near = begin <= clause.span[0] and clause.item != "|"  # the head of a table
        may_be = clause.kind is Kind.HOLE or (clause.may_be_step and AIM.match(clause.text) is None)
        return may_be and (is_near or _is_listed_before(clause, first))

    def may_be_behind(clause: Clause) -> bool:
        line = text.rfind("\n", 0, clause.span[0]) + 1
        goes_on = bool(clause.mentions) and words_of(text[line : clause.span[1]]).at(0) in SEQUENCE
        is_near = clause.span[0] < paragraph or goes_on
        return clause.span[0] >= end and (is_near or _is_listed_before(clauses[steps[-1]], clause))

    return tuple(
        clause if place in inside or may_be_before(clause) else _as_frame(clause, may_be_behind(clause))
        for place, clause in enumerate(clauses)
    )


def _is_listed_before(one: Clause, other: Clause) -> bool:
    """Return whether the item of a clause has a smaller number than another's."""
    return one.item.isdigit() and other.item.isdigit() and int(one.item) < int(other.item)


def _in_order_of_numbers(clauses: Sequence[Clause]) -> Iterator[Clause]:
    """Yield the clauses; an item with a smaller number than the one before it, which begins no list, takes it back."""
    first, last = None, 0
    for clause in clauses:
        if clause.item.isdigit():
            number = int(clause.item)
            first = number if first is None else first
            is_odd = number < last and not (number <= 1 and first <= 1)
            last = number
            yield replace(clause, retracts=True, reorders=True) if is_odd else clause
        else:
            yield clause


def _in_order_of_words(clauses: Sequence[Clause], text: str) -> Iterator[Clause]:
    """Yield the clauses; a sentence that tells what is done first behind other steps of its line takes them back."""
    end, last, has_step = 0, 0, False
    for clause in clauses:
        gap = text[end : clause.span[0]]
        if "\n" in gap:
            last, has_step = 0, False
        said = _RANKED.match(clause.text)
        rank, is_odd = 0, False
        if said is not None:
            rank = _RANKS[said["rank"].lower()]
            begins = not end or bool(said["but"]) or any(sign in gap for sign in ".!?;:\n")
            is_odd = begins and (rank < last or (rank == 1 and has_step))
        last, has_step, end = rank or last, has_step or clause.kind is Kind.STEP, clause.span[1]
        yield replace(clause, retracts=True, reorders=True) if is_odd else clause


def _may_tell_state(clause: Clause) -> bool:
    """Return whether a clause tells a step in the passive, or a state: "v2 is placed in the rotor"."""
    return clause.is_passive and (clause.kind is Kind.STEP or clause.reason == Reason.STATE_OR_STEP)


def _told_passively(clause: Clause, tell_steps: bool) -> Clause:
    """Return a passive clause as a step where most of a text is told so; else with a verb of its own it is a hole."""
    if tell_steps:
        return replace(clause, kind=Kind.STEP, reason="", is_passive=False)
    return clause if clause.actions else replace(clause, kind=Kind.HOLE, reason=Reason.STATE_OR_STEP)


def _as_frame(clause: Clause, goes_on: bool) -> Clause:
    """Return a clause before the first step or behind the last, which is a remark where it names nothing.

    One that goes on behind the last step, and does not say that the plan ends, may tell a step.
    """
    is_remark = clause.kind is Kind.REMARK
    is_kept = clause.reason in (Reason.NEEDED, Reason.OTHER_STEP, Reason.TWICE) or clause.is_unnamed_hole
    if is_kept or (goes_on and (clause.mentions or clause.actions) and clause.may_be_step):
        return clause
    names_nothing = not (clause.mentions or clause.actions or clause.retracts)
    if not is_remark and (clause.kind is not Kind.HOLE or not names_nothing or not clause.strange):
        return clause
    said = words_of(clause.text).texts
    first = next((word for word in said if word not in SEQUENCE), "")
    may_be_step = not is_remark or clause.reason == Reason.MAY_BE_STEP or first in CAUSATIVE
    may_tell = goes_on and names_nothing and may_be_step
    tells_end = bool(clause.strange) and ENDING.issuperset(map(stem, clause.strange))
    tells_state = not clause.is_passive and not (STATE - {"now"}).isdisjoint(said)
    may_tell = may_tell and not (first in TELLING or first.endswith("ing") or tells_end or tells_state)
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if may_tell else "")

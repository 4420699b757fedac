"""Cut a sentence into clauses: parts of it that tell something, each with the fragments that belong to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, pairwise, takewhile
from typing import TypeAlias

from validator.reading.lexicon import english
from validator.reading.lexicon.clauses.blocks import ASIDE, CONDITIONS
from validator.reading.lexicon.clauses.clause import (
    BEHIND,
    DONE_FIRST,
    MOST_MENTIONS,
    Clause,
    Kind,
    Reason,
    as_aim,
    as_doubtful,
    only_names,
)
from validator.reading.lexicon.clauses.coverage import Coverage, Covered
from validator.reading.lexicon.clauses.kind import ClauseKinds
from validator.reading.lexicon.clauses.mentions import SEVERAL, Mention, named_again
from validator.reading.lexicon.english import is_participle, stem
from validator.reading.lexicon.line_words import words_of
from validator.reading.lexicon.synonyms import phrase_of, senses_of
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

_LONGEST_ROW = 300
"""characters of cells that may be one clause"""
_MOST_ASIDES = 30
"""parentheses of a sentence that may be asides"""
_JOINT = re.compile(
    r"""(?!(?<=\s)\s)(?:(?P<then>,?\s+(?:(?:and\s+)?(?:then|right\s+away)|after\s+(?:that|which)|followed\s+by)\s+)
      | (?P<sign>\s*;\s*|\s*(?:->|=>|→|⇒)\s*)
      | (?P<before>,?\s+before\s+(?!which\b))
      | (?P<so>,?\s+(?=(?:so\s+(?:that|the|it)|in\s+order\s+to)\s|so\s+(?:\S+\s+){1,3}(?:is|are|has|needs)\b))
      | (?P<note>\s+(?:\#|//)\s+)
      | (?P<and>,?(?<!\bgo)(?<!\bwent)\s+and\s+|\s+&\s+)
      | (?P<comma>,\s+|\s+[—–/-]\s+(?!.*\b(?:not?(?!\s+longer)|never|cannot)\b))
      | (?P<cell>\s*\|\s*)
      | (?P<reason>\s+(?=(?:because|since|until|while|once(?!\s+(?:more|again))|after\s+\w+ing)\b)))""",
    re.IGNORECASE | re.VERBOSE,
)
"""Where a clause ends if a verb stands behind it; at a dash if nothing is denied behind it.

Blanks are looked at from the first of them on only.
"""
_SUBJECT = re.compile(r",?\s+and(?:\s+[\w-]+){1,4}?\s+(?:is|are|was|were)\b", re.IGNORECASE)
_SEPARATORS = frozenset("|,;>→⇒")
"""signs between the steps of a line"""
_NOUN_BEHIND = (*english.THE, "any", "each")
"""words that a noun follows, not a verb"""
_DASH = re.compile(r"\s[—–-]\s")
_REMARK = re.compile(
    rf"\s*[(\[—–]\s*(?:(?:since|because|which|as|leaving|this|so|now|it|that|requires|{CONDITIONS})\b"
    r"|with\b[^()]*\bon\b)",
    re.IGNORECASE,
)
"""a reason or a state in parentheses or between dashes"""
_BEHIND = re.compile(r"(?P<said>[^()\n]++)(?<!\w)\((?P<given>[^()\n]++(?:\([^()\n]*+\))?+)\)[\s.,;!*_`\"']*+")
_BEFORE = re.compile(
    r"(?:(?P<lead>\w+),? )?[*_`]*+(?P<given>[\w-]*+\([^()\n]*+\))[*_`]*+\s*+(?:[;#:—–=>→⇒-]++|//)\s*+"
    r"(?P<said>[^()\n]++)"
)
"""a sentence with a step in a notation behind it or before it"""
_NOTES = re.compile(r"(?:please )?(?:note|remember) that\b", re.IGNORECASE)
_OF_PLAN = re.compile(
    r"\W*(?:note that due\b|by (?:following|executing|performing) (?:these|this|the above)\b"
    r"|(?:(?:following |executing )?these|each) (?:\w+ )?(?:actions?|steps?) (?:is|are|will)\b)",
    re.IGNORECASE,
)
"""the beginning of a sentence on the steps that were told"""
_INTRO = re.compile(
    r"\W*(?:after|at|before|by|first|following|for|in|later|likewise|meanwhile|on|once|similarly|to|with|\w+ly)\b",
    re.IGNORECASE,
)
"""the first word of what may introduce a step before a comma: "with that done, open it\""""
_BECAUSE = re.compile(r"\W*(?:because|since)\b", re.IGNORECASE)
_ONCE = re.compile(rf"\W*(?:{BEHIND})\b", re.IGNORECASE)
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
_CONDITIONAL = "it depends on a condition"
_DENIED_AS_WELL = "it may be denied as well"
_NO_NAME = english.ENDING | english.IDLE
"""stems of words that stand alone and are no name of an object"""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """A clause and the part of the sentence behind it, up to ``end``, with the joints before and behind that part."""

    body: str
    before: Clause
    clause: Clause
    joint: str
    next_joint: str
    end: int
    is_begun: bool
    """whether something is told before the part: "first, ..." tells nothing"""

    @property
    def span(self) -> Span:
        return self.before.span[0], self.end

    @property
    def text(self) -> str:
        return self.body[slice(*self.span)]

    @property
    def is_explained(self) -> bool:
        """Return whether a dash stands between them: "open the gate - it is closed\"."""
        return _DASH.search(self.body, self.before.span[1], self.clause.span[0]) is not None


_Read: TypeAlias = "tuple[Clause, ...]"
"""one clause, where both parts of a pair are one, or the two that they are"""


@dataclass(frozen=True)
class SentenceReader:
    """The clauses of sentences about one model; ``word_for_word`` as in ``ClauseReader``."""

    coverage: Coverage
    kinds: ClauseKinds
    word_for_word: Callable[[str, int], Step | None]

    def clauses(self, body: str, is_item: bool, nouns: frozenset[str]) -> tuple[Clause, ...]:
        """Return the clauses of a sentence without marks; ``nouns`` are words that describe objects in its text."""
        exact = self.word_for_word(body, 0)
        if exact is not None:
            return (Clause(text=body, span=(0, len(body)), kind=Kind.STEP, exact=(exact,)),)
        if (behind := self.beside_notation(body)) is not None:
            return (behind,)
        found: list[Clause] = []
        joints: list[str] = []
        is_begun = False
        parts = [*_parts(body, self._asides(body)), ("", 0, 0)]
        for (joint, first, last), (next_joint, *_) in pairwise(parts):
            is_begun = is_begun or any(one.is_open or one.mentions or one.strange for one in found[-1:])
            part = body[first:last]
            is_intro = next_joint == "comma" and _INTRO.match(part) is not None
            is_next = joint == "then"
            joint = "then" if joint == "sign" else joint
            clause = self.kinds.clause(part, first, is_item and not (is_begun or is_intro), nouns)
            is_pause = clause is not None and clause.text.lower() in ("wait", "waits") and not clause.actions
            if clause is None or (is_pause and joint in ("and", "then")):
                continue
            if joint == "before" and not (clause.mentions or clause.actions) and clause.text.split()[0] in _NOUN_BEHIND:
                continue  # "before the operation"
            if found and (is_next or words_of(clause.text).at(0) == "then") and clause.is_unnamed_step:
                clause = replace(clause, kind=Kind.HOLE)  # "grab it, then turn around"
            if joint == "before" and found and found[-1].kind is Kind.REMARK:  # "stop before unlocking it"
                clause = as_doubtful(clause, "it may not be done")
            elif joint == "before":  # "oil it before unlocking it", which may be told again
                joint, clause = "then", replace(clause, is_possible=True)
            if not found:
                found, joints = [clause], [joint]
                continue
            clause = _as_likewise(clause, found[-1])
            pair = _Pair(
                body=body,
                before=found[-1],
                clause=clause,
                joint=joint,
                next_joint=next_joint,
                end=last,
                is_begun=is_begun,
            )
            found[-1:] = self._row(pair, is_item and len(found) == 1, nouns) or self._joined(pair)
            joints += [joint] * (len(found) - len(joints))
        for place in reversed(range(len(found) - 1)):
            if joints[place + 1] == "and":
                found[place] = self._sharing(found[place], found[place + 1])
        settled = tuple(_in_context([self.kinds.settled(clause) for clause in _as_joined(found, joints)], joints))
        if _NOTES.match(body):
            settled = tuple(replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) for one in settled)
        if _OF_PLAN.match(body):
            settled = tuple(replace(one, reason="") if one.is_unnamed_step else one for one in settled)
        steps = [one for one in settled if one.kind is Kind.STEP]
        if not is_item and steps[1:] and all(one.is_bare for one in steps):
            # "the actions are attack, feast and overcome"
            settled = tuple(replace(one, is_possible=True) for one in settled)
        return tuple(as_doubtful(one, "it is a question") for one in settled) if body.endswith("?") else settled

    # --- parts that are joined ----------------------------------------------------------------------

    def _row(self, pair: _Pair, is_item: bool, nouns: frozenset[str]) -> _Read:
        """Return cells as one clause, "| I rinse | the leek |", where none names an object before a verb."""
        is_named = pair.before.mentions or pair.before.exact or pair.clause.actions
        start = pair.before.span[0]
        if pair.joint != "cell" or is_named or pair.end - start >= _LONGEST_ROW:
            return ()
        return (self.kinds.clause(pair.text.replace("|", " "), start, is_item, nouns) or pair.clause,)

    def _joined(self, pair: _Pair) -> _Read:
        """Return a clause and the part behind it as one clause, or as two."""
        rules = (
            *(self._taking_back, self._of_step, _told_again, _unnamed, _of_participle, _of_other_step),
            *(self._with_objects, self._with_state, _led),
        )
        return next((read for rule in rules if (read := rule(pair))), (pair.before, pair.clause))

    def _taking_back(self, pair: _Pair) -> _Read:
        """Return what was told as doubtful where the part may take it back: "put b2, zork", "..., not b3"."""
        before, clause = pair.before, pair.clause
        if self._lacks(before) and (_denies_object(clause) or _foreign_name(clause)):
            return (as_doubtful(before, f"'{clause.text}' was not understood"),)
        return (as_doubtful(before, f"'{clause.text}' may take it back"),) if _restricts(clause) else ()

    def _of_step(self, pair: _Pair) -> _Read:
        """Return what goes on to say what a step does as one clause: "this frees the hook, setting up the next one"."""
        before, clause = pair.before, pair.clause
        this, verb, *_ = (*words_of(before.text).texts, "")
        first = words_of(clause.text).at(0)
        is_about = this in ("this", "these") and before.kind is Kind.REMARK and verb not in self.coverage.objects.nouns
        is_other = clause.actions or clause.exact or clause.retracts or clause.kind is Kind.DENIED
        if not is_about or is_other or pair.joint not in ("and", "comma"):
            return ()
        does = first.endswith(("s", "ing")) and first in (*clause.strange, clause.verb)
        makes = stem(first) in english.EFFECTS
        does = does and (makes or self.coverage.says_fact(clause.text, is_verb=True, of_plan=not clause.mentions))
        does = does and (makes or not clause.mentions or not senses_of(first))
        is_part = only_names(clause) or (first in english.STATE and not clause.mentions)
        if not (does or is_part or (clause.kind is Kind.REMARK and not clause.reason)):
            return ()
        reason = Reason.OF_STEP if does else before.reason
        mentions = (*before.mentions, *clause.mentions)
        return (replace(before, text=pair.text, span=pair.span, mentions=mentions, reason=reason),)

    def _with_objects(self, pair: _Pair) -> _Read:
        """Return a step with the objects behind it: "knead rye1 and rye2", "cut a and b"."""
        before, clause, joint = pair.before, pair.clause, pair.joint
        if before.exact and joint in ("and", "comma") and _is_fragment(clause) and clause.mentions:
            (step,) = before.exact[:1]
            known = self.coverage.model.domain.actions.items()
            actions = tuple(name for name, action in known if (action.step or name) == step.name)
            mentions = (*(Mention(objects=(arg,)) for arg in step.args), *_joined_mentions(clause.mentions, joint))
            return (replace(before, text=pair.text, span=pair.span, exact=(), actions=actions, mentions=mentions),)
        if _goes_on(before) and (_has_own_particle(clause) or (_is_particle(clause) and joint in ("and", "then"))):
            # "turn the light on and the lamp off", "turn it off and on"
            return (as_doubtful(before, f"'{clause.text}' was not understood"),)
        if _is_fragment(clause) and _goes_on(before) and not _leads(pair):
            named, pronoun = named_again((*before.mentions, *clause.mentions)), before.pronoun
            if joint == "comma" and len(named) < len(before.mentions) + len(clause.mentions):
                pronoun = pronoun.replace(SEVERAL, "")  # "the loaves, rye and spelt"
            else:
                named = (*before.mentions, *_joined_mentions(clause.mentions, joint))
            joined = replace(
                before,
                kind=Kind.HOLE if before.kind is Kind.DENIED else before.kind,  # "not with the left, but the right"
                text=pair.text,
                span=pair.span,
                mentions=named,
                pronoun=pronoun or clause.pronoun,
                pronoun_at=before.pronoun_at if pronoun else len(before.mentions) + clause.pronoun_at,
            )
            return (joined,)
        return ()

    def _with_state(self, pair: _Pair) -> _Read:
        """Return "with the wood in the port, saw it" as a step, and how things are before it."""
        before, clause = pair.before, pair.clause
        is_state = bool(before.mentions) and before.mentions[0].role == "with" and only_names(before)
        is_state = is_state and pair.joint == "comma" and any(one.relation != "with" for one in before.mentions)
        named = (*before.mentions, *clause.mentions)
        takes_it = any(self.coverage.action_words.takes(name, named) for name in clause.actions)
        return (replace(before, kind=Kind.REMARK), clause) if is_state and clause.actions and not takes_it else ()

    def _lacks(self, clause: Clause) -> bool:
        """Return whether a clause names fewer objects than its actions take."""
        sizes = (len(self.coverage.model.domain.actions[name].parameters) for name in clause.actions)
        return not clause.exact and len(clause.mentions) < min(sizes, default=0)

    def _sharing(self, clause: Clause, behind: Clause) -> Clause:
        """Return a verb with the objects of the one behind it: "wash and chop the leek"."""
        is_bare = bool(clause.actions) and len(clause.mentions) == clause.has_subject and not clause.pronoun
        shared = tuple(takewhile(lambda one: not (one.role or one.relation), behind.mentions[behind.has_subject :]))
        told = replace(clause, mentions=(*clause.mentions, *shared))
        takes = any(self.coverage.action_words.takes(name, told.mentions) for name in told.actions)
        is_one = is_bare and takes and behind.is_order and not (clause.verb or behind.verb)
        return told if is_one else clause

    # --- steps in a notation beside a sentence --------------------------------------------------------

    def beside_notation(self, body: str) -> Clause | None:
        """Return the step in parentheses behind a sentence, "Fill it (fill cup tap)"; a hole where they disagree.

        So it is with one before a sentence that explains it: "(fill cup tap) ; fill the cup".
        """
        match = (_BEHIND.fullmatch(body) or _BEFORE.fullmatch(body)) if ")" in body else None
        step = None if match is None else self.word_for_word(match["given"], match.start("given"))
        if match is None or step is None:
            return None
        covered = self.coverage.of(words_of(match["said"]))
        agrees = self.agrees(covered, step)
        if agrees:
            if match.re is _BEFORE and (match["lead"] or "then").lower() not in english.SEQUENCE:
                return None
            return Clause(text=match["given"], span=match.span("given"), kind=Kind.STEP, exact=(step,))
        if match.re is _BEFORE:
            return None
        reason = f"the sentence tells something else than {step}, which follows it in parentheses"
        return Clause(text=body, span=(0, len(body)), kind=Kind.HOLE, actions=covered.actions, reason=reason)

    def agrees(self, told: Covered | Clause, step: Step) -> bool:
        """Return whether words may tell a step: no other action and no other objects."""
        actions = self.coverage.model.domain.actions
        names = {actions[name].step or name for name in told.actions}
        is_named = bool(told.verb) or names <= {step.name} or step.name in names
        return is_named and all({*mention.objects} & {*step.args} for mention in told.mentions)

    # --- asides ---------------------------------------------------------------------------------------

    def _asides(self, body: str) -> tuple[Span, ...]:
        """Return where asides stand that give a reason or tell a state, or say nothing new of the model.

        There are none in what has so many that it is no sentence.
        """
        matches = list(islice(ASIDE.finditer(body), _MOST_ASIDES + 1))
        return tuple(match.span() for match in matches if len(matches) <= _MOST_ASIDES and self._is_aside(match, body))

    def _is_aside(self, match: re.Match[str], body: str) -> bool:
        words = words_of(match[0])
        if _REMARK.match(match[0]) is not None:
            return True
        if "not" in words.texts[:2] and _denies_object(self.kinds.clause(match[0], 0, False, frozenset())):
            return True  # "(not the gate)"
        if not english.DOUBT.isdisjoint(words.texts):
            return False
        covered = self.coverage.of(words)
        is_state = bool(covered.mentions) and not (
            covered.actions or covered.strange or (english.STATE - {"now"}).isdisjoint(covered.said)
        )
        if is_state or self.kinds.is_statement(covered) or self.kinds.may_hold(words, covered):
            return True
        said = self.coverage.of(words_of(body[: match.start()])).mentions if covered.mentions else ()
        is_known = {mention.objects for mention in covered.mentions} <= {mention.objects for mention in said}
        is_state = covered.is_passive or not covered.actions  # "(the memo is printed)"
        around = body[: match.start()].rstrip()[-1:], body[match.end() :].lstrip()[:1] or ";"
        return is_known and is_state and not _SEPARATORS.issuperset(around)  # "(take b d), (zork), (lower b)"


def _parts(body: str, asides: Sequence[Span]) -> Iterator[tuple[str, int, int]]:
    """Yield the parts of a sentence that may be clauses, each with the joint before it."""
    place, joint = 0, ""
    for end, behind in (*asides, (len(body), len(body))):
        for match in _JOINT.finditer(body, place, end):
            if body.count("(", place, match.start()) > body.count(")", place, match.start()):
                continue
            yield joint, place, match.start()
            place, joint = match.end(), match.lastgroup or ""
        yield joint, place, end
        place, joint = behind, ""


# --- rules of joining -------------------------------------------------------------------------------


def _unnamed(pair: _Pair) -> _Read:
    """Return a part that names nothing of the model as what goes with a step: "..., restoring order".

    In a list it may be a step of its own: "take b d, zork".
    """
    clause = pair.clause
    goes_on = pair.is_begun and pair.before.is_open and pair.joint in ("comma", "cell", "so", "reason")
    if not (goes_on and clause.is_unnamed_step):
        return ()
    is_listed = bool(pair.before.exact) and not (pair.is_explained or words_of(clause.text).at(0).endswith("ing"))
    return pair.before, clause if is_listed else replace(clause, reason="")


def _told_again(pair: _Pair) -> _Read:
    """Return what explains a step that is written as the model writes it: "board c1 l0 - c1 gets on the ferry"."""
    before, clause = pair.before, pair.clause
    is_same = bool(clause.actions) and not clause.is_order and clause.step_names <= before.step_names
    if is_same and before.exact and clause.object_names <= before.object_names:
        return before, replace(clause, kind=Kind.REMARK, reason=Reason.TWICE)
    first = words_of(clause.text).at(0)
    is_effect = not (clause.mentions or clause.actions) and first.endswith("s")
    is_sure = bool(before.exact) or (before.is_certain and before.is_order and first.endswith(("s", "ed")))
    is_told = is_sure and pair.is_explained and clause.is_open and first not in english.SEQUENCE
    is_told = is_told and not ((clause.is_certain and clause.actions) or clause.exact or clause.retracts)
    reason = "" if is_effect else Reason.MAY_BE_STEP  # "open the gate - lets them in"
    return (before, replace(clause, kind=Kind.REMARK, reason=reason)) if is_told else ()


def _of_participle(pair: _Pair) -> _Read:
    """Return a participle that says of the subject before it what it is as well: "is locked, oiled and hung up"."""
    before, clause = pair.before, pair.clause
    words = words_of(clause.text)
    first = next((at for at, word in enumerate(words.texts) if word not in english.SEQUENCE), 0)
    first += not words.is_border(first + 1)  # "unit-tested"
    is_open = clause.pronoun in ("", "there", "back") and not clause.exact and is_participle(words.at(first))
    if pair.joint == "and" and not clause.mentions and first == len(words) - 1 and before.kind is Kind.REMARK:
        is_state = before.strange == (before.text,) or not english.STATE.isdisjoint(words_of(before.text).texts)
    else:  # "is clean, dry and locked"
        is_state = before.is_passive and all(one.role or one.relation for one in clause.mentions)
    if pair.joint not in ("and", "comma", "then") or not (is_open and is_state):
        return ()
    subject = tuple(takewhile(lambda one: not (one.role or one.relation), before.mentions))
    told = replace(clause, kind=before.kind, reason=before.reason, mentions=(*subject, *clause.mentions))
    return before, replace(told, is_passive=True, pronoun=before.pronoun)


def _of_other_step(pair: _Pair) -> _Read:
    """Return "once in the hall, drop it" as it stands: the step that leads there may be another one."""
    before, clause = pair.before, pair.clause
    return (before, clause) if Reason.OTHER_STEP in (clause.reason, before.reason) else ()


def _led(pair: _Pair) -> _Read:
    """Return a step with what is named before it: "the carrot and the potato are washed", "r1, drive to the hall"."""
    before, clause, joint = pair.before, pair.clause, pair.joint
    if not only_names(before) or len(before.mentions) >= MOST_MENTIONS:
        return ()
    if joint == "and" and clause.mentions and (clause.actions or clause.kind is Kind.REMARK):
        second, *others = clause.mentions
        start, end = before.span[0], clause.span[1]
        mentions = (*before.mentions, replace(second, joint="and"), *others)
        return (replace(clause, text=pair.text, span=(start, end), mentions=mentions),)
    lets = not english.CAUSATIVE.isdisjoint(words_of(before.text).texts)  # "to let tim out, open the hatch"
    is_alone = [mention.relation for mention in before.mentions] == [""]
    if clause.exact or lets or not (joint in ("comma", "cell") or (joint == "then" and is_alone)):
        return ()
    is_be = before.text.lower().split()[-1] in english.STATE
    led = replace(clause, mentions=(*_leading(before), *clause.mentions), is_passive=clause.is_passive or is_be)
    if clause.kind is Kind.REMARK and is_be:  # "the cup is then wrapped"
        led = replace(led, kind=Kind.HOLE, reason=Reason.STATE_OR_STEP)
    return (led,)


def _leading(clause: Clause) -> tuple[Mention, ...]:
    return tuple(replace(mention, joint="lead") for mention in clause.mentions)


def _joined_mentions(mentions: tuple[Mention, ...], joint: str) -> tuple[Mention, ...]:
    """Return the mentions of a fragment, with what stands before it told of the first."""
    joint = "and" if joint == "comma" else joint
    return tuple(replace(mention, joint=joint) if place == 0 else mention for place, mention in enumerate(mentions))


def _leads(pair: _Pair) -> bool:
    """Return whether a fragment says where or with what the clause behind it is done.

    Such are "then at the shelf, grab p2" and "and with the right arm, grab p2".
    """
    if pair.joint == "comma" and pair.before.actions and _SUBJECT.match(pair.body, pair.end):
        return True  # "oil a, b and c are oiled"
    leads = pair.joint == "then" or (pair.joint == "and" and pair.next_joint == "comma")
    first = pair.clause.mentions[0] if leads and pair.clause.mentions else None
    if first is None or (first.role == "with" and pair.joint == "and"):
        return first is not None
    return not first.role and first.relation in ("at", "in", "on", "under")


def _goes_on(clause: Clause) -> bool:
    """Return whether a fragment behind a clause may belong to it."""
    return clause.kind is not Kind.REMARK and not clause.exact and len(clause.mentions) < MOST_MENTIONS


def _is_fragment(clause: Clause) -> bool:
    """Return whether a clause only names objects, which belong to the clause before it."""
    is_state = clause.is_statement or not english.STATE.isdisjoint(clause.text.lower().split())
    says_more = is_state or clause.exact or clause.actions or clause.strange or clause.kind is Kind.HOLE
    return not says_more and bool(clause.mentions or clause.pronoun)


def _has_own_particle(clause: Clause) -> bool:
    """Return whether a fragment ends with the particle of a verb that it leaves out: "the lamp off"."""
    said = words_of(clause.text).texts
    return _is_fragment(clause) and said[-1] in english.PARTICLES - {"back"} and clause.pronoun == ""


def _is_particle(clause: Clause) -> bool:
    """Return whether a clause is a particle and nothing else, as that of a verb that it leaves out: "off again"."""
    return (english.PARTICLES | {"again"}).issuperset(words_of(clause.text).texts)


def _denies_object(clause: Clause | None) -> bool:
    """Return whether a clause only says which object is not meant."""
    if clause is None or not clause.mentions or clause.actions or clause.exact:
        return False
    return bool(clause.strange) and english.DENIAL.issuperset(clause.strange)


def _foreign_name(clause: Clause) -> str:
    """Return the one word of a clause that may name an object, which the model has not; empty where there is none."""
    tells = clause.mentions or clause.actions or clause.pronoun or clause.exact
    words = [word for word in words_of(clause.text).texts if not word.isdigit()]
    said = [word for word in words if word not in english.PREPOSITIONS and word not in (*english.DENIAL, "the")]
    is_name = not tells and tuple(said) == clause.strange and len(said) == 1
    is_name = is_name and phrase_of(said[0], words) == said[0]  # not "gets off"
    return said[0] if is_name and said[0] not in english.TELLING and stem(said[0]) not in _NO_NAME else ""


def _restricts(clause: Clause) -> bool:
    """Return whether a remark that names nothing of the model restricts what stands before it: "but not really"."""
    said = words_of(clause.text).texts
    names = clause.mentions or clause.actions or clause.exact
    return (
        clause.kind is Kind.REMARK and not names and said[:1] in (("but",), ("or",)) and english.STATE.isdisjoint(said)
    )


def _as_likewise(clause: Clause, before: Clause) -> Clause:
    """Return "so is the potato" as the step before, with another object in the place of the first."""
    is_so = words_of(clause.text).at(0) == "so" and clause.reason == Reason.OTHER_STEP and len(clause.mentions) == 1
    if before.kind is not Kind.STEP or not (before.has_subject or before.is_passive) or not is_so:
        return clause
    return replace(before, text=clause.text, span=clause.span, mentions=(*clause.mentions, *before.mentions[1:]))


# --- clauses beside each other ------------------------------------------------------------------------


def _as_joined(clauses: Sequence[Clause], joints: Sequence[str]) -> list[Clause]:
    """Return the clauses of a sentence: aims, comments and clauses on its subject are no steps in the order told."""
    found = [
        _as_purpose(one) if joint == "so" else _as_comment(one) if joint == "note" else one
        for one, joint in zip(clauses, joints, strict=True)
    ]
    if joints[1:2] == ["comma"] and (aim := as_aim(found[0])) is not found[0]:
        found[:2] = aim, _as_needed(found[1])
    found[:-1] = [
        _as_not_done(one)
        if words_of(other.text).at(0) == "but" and not english.MODAL.isdisjoint(words_of(one.text).texts)
        else one
        for one, other in pairwise(found)
    ]  # "she should oil it, but there is no oil"
    found[1:] = [
        replace(one, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if one.is_passive and _ONCE.match(one.text) else one
        for one in found[1:]  # "unlock it once it is oiled"
    ]
    if found[1:] and found[0].kind is Kind.REMARK and _CONSEQUENCE.match(found[0].text) and found[1].is_passive:
        found[1] = as_doubtful(found[1], Reason.STATE_OR_STEP)
    is_after = len(found) == 2 and words_of(found[1].text).at(0) == "after" and _ONCE.match(found[1].text) is not None
    if is_after and all(one.kind is Kind.STEP for one in found):
        (start, _), (_, end) = found[0].span, found[1].span  # "unlock it after oiling it"
        found = [replace(found[1], span=(start, start + 1)), replace(found[0], span=(start + 1, end))]
    elif any(map(_is_done_first, found[1:])):  # "unlock it, but oil it first"
        found = [as_doubtful(one, "it may be done later") for one in found]
    goes_on = next((place for place, one in enumerate(joints) if {"and", "then"}.issuperset(joints[place + 1 :])), 0)
    found[:-1] = [
        as_doubtful(one, Reason.OTHER_STEP) if _is_relative(one) and place < goes_on else one
        for place, one in enumerate(found[:-1])
    ]
    return found


def _as_purpose(clause: Clause) -> Clause:
    """Return what something is done for: "so that r1 can take another sample" tells no step."""
    is_so_that = words_of(clause.text).texts[:2] == ("so", "that")
    is_purpose = is_so_that and clause.is_open and not clause.retracts
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if is_purpose else as_aim(clause)


def _as_needed(clause: Clause) -> Clause:
    """Return what "we must first oil it" says behind an aim, which may be told again."""
    is_said = clause.kind is Kind.STEP and not english.NEED.isdisjoint(words_of(clause.text).texts)
    return replace(clause, kind=Kind.REMARK, reason=Reason.NEEDED) if is_said else clause


def _as_comment(clause: Clause) -> Clause:
    """Return what stands behind a step and the sign of a comment: "oil the hatch # it is dry"."""
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP if clause.is_certain else "")


def _as_not_done(clause: Clause) -> Clause:
    """Return what is told to be done, as what may not be done."""
    if clause.reason == Reason.NEEDED:
        return replace(clause, reason=Reason.MAY_BE_STEP)
    return as_doubtful(clause, "it may not be done")


def _is_done_first(clause: Clause) -> bool:
    """Return whether a clause says that it is done before what stands before it."""
    said = words_of(clause.text).texts
    is_first = clause.is_open and DONE_FIRST.search(clause.text) is not None
    is_earlier = _ONCE.match(clause.text) is not None or said[0] == "having" or said[:2] == ("before", "which")
    return is_first or (clause.is_open and bool(clause.actions) and is_earlier)


def _is_relative(clause: Clause) -> bool:
    """Return whether a clause says which one is meant that does something else: "tim, who oiled the hatch, leaves"."""
    return clause.kind is Kind.STEP and not english.RELATIVE.isdisjoint(words_of(clause.text).texts[:1])


def _in_context(clauses: Sequence[Clause], joints: Sequence[str]) -> Iterator[Clause]:
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

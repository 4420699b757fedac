"""A clause of a text: a step, a hole that was not understood, a step that is denied, or a remark."""

from __future__ import annotations

import re
from enum import StrEnum

from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.lexicon.english import STATE
from validator.reading.lexicon.line_words import words_of
from validator.reading.plan import Span, Step
from validator.records import dataclass, replace

AIM = re.compile(
    r"\W*(?:(?:in order |plan |how |steps )?to\b|before\b(?! (?:that|this)\b))"
    r"|(?:the|my|our|your) (?:goal|task|aim|objective)\b",
    re.IGNORECASE,
)
"""the beginning of what a plan is for"""
BEHIND = r"after(?!\s+(?:that|this)\b)|once"
"""what begins a clause on another step, which is done before"""
DONE_FIRST = re.compile(r"\b(?:first|before|beforehand|earlier)\W*$", re.IGNORECASE)
"""the end of what is done before all that stands before it: "the oven must be heated first\""""
ENDS_STATE = frozenset(("now", "again", "still"))
"""last words of what holds by then: "the rye is baked now\""""
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
    ONE_OR_SEVERAL = "it may tell one step or several"
    TWICE = "it may repeat a step that is done once"
    OBJECTS = "it depends on which objects are meant"
    NO_ACTION = "no action takes these objects"
    ONLY_NAMES = "it names objects and no action"
    OF_STEP = "it may tell what a step does, or another step"
    NEEDED = "it may tell a step, or what has to be done later"
    MAY_BE_STEP = "it may tell a step"
    """of "r1 needs to reach the hall", and of remarks between steps such as "then wander around\""""


_MAY_BE_STEP = (Reason.MAY_BE_STEP, Reason.NEEDED, Reason.OF_STEP)


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
        return self.kind is Kind.REMARK and self.reason in _MAY_BE_STEP

    @property
    def is_unnamed_step(self) -> bool:
        """Return whether it is a remark that names nothing of the model, and may tell a step all the same."""
        return not (self.mentions or self.actions) and self.kind is Kind.REMARK and self.reason == Reason.MAY_BE_STEP

    @property
    def is_unnamed_hole(self) -> bool:
        """Return whether it tells a step in the row of others that names nothing of the model: "then wander around"."""
        return self.kind is Kind.HOLE and self.reason == Reason.MAY_BE_STEP and not self.mentions

    @property
    def is_unnamed(self) -> bool:
        """Return whether it has nothing of the model."""
        return not (self.mentions or self.actions or self.exact)

    @property
    def is_certain(self) -> bool:
        """Return whether all its words are the model's own or function words."""
        is_open = self.strange or self.is_partial or self.is_passive or self.is_possible
        is_open = is_open or self.pronoun in ("they", "them", "both")  # several things, which are several steps
        return bool(self.exact) or (bool(self.actions) and self.kind is Kind.STEP and not is_open)

    @property
    def is_state_or_step(self) -> bool:
        """Return whether it tells in words of the model that a step is done, or was: "a is stacked on b"."""
        return self.is_passive and replace(self, is_passive=False).is_certain

    @property
    def may_be_told_twice(self) -> bool:
        """Return whether it may speak of a step that another one tells: "the lab, where the memo is scanned"."""
        said = words_of(self.text)
        is_by_then = self.is_state_or_step and not self.item and said.texts[-1] in ENDS_STATE
        return self.is_possible or said.at(0) == "where" or is_by_then

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


def only_names(clause: Clause) -> bool:
    """Return whether a clause names objects and says nothing of them."""
    *said, _ = clause.text.lower().split()  # "the laser is off", not "the cup is", which goes on
    is_state = clause.is_statement or not STATE.isdisjoint({*said} - {"now"})
    says_more = clause.exact or clause.actions or clause.strange or clause.facts or is_state
    return bool(clause.mentions) and not says_more


def as_aim(clause: Clause) -> Clause:
    """Return "to scan the memo", before what is done for it, as a remark that may tell a step."""
    match = AIM.match(clause.text) if clause.is_open else None
    tells = clause.kind is Kind.STEP and bool(clause.is_order or clause.verb)
    is_aim = match is not None and ("order" in match[0].lower() or tells)
    return replace(clause, kind=Kind.REMARK, reason=Reason.MAY_BE_STEP) if is_aim else clause


def as_doubtful(clause: Clause, reason: str) -> Clause:
    """Return a clause that tells no step for some reason."""
    is_open = clause.kind in (Kind.STEP, Kind.DENIED)
    return replace(clause, kind=Kind.HOLE, reason=reason) if is_open else clause


def moved(clause: Clause, start: int) -> Clause:
    """Return a clause with its span counted from the beginning of the whole text."""
    if not start:
        return clause
    span = (clause.span[0] + start, clause.span[1] + start)
    return replace(clause, span=span, exact=tuple([replace(step, span=span) for step in clause.exact]))

"""Which kind each check of a VirtualHome action is, and what the benchmark looks for in earlier states when it fails.

The conjuncts of the preconditions of ``domains/virtualhome`` are the checks. What is not in a table here is about what
things are: an affordance.
"""

from __future__ import annotations

from validator.grading.eai.sequencing import Check, Connective, Kind
from validator.grading.eai.world.query import conjuncts
from validator.model.values import Action, And, Atom, Exists, Formula, Not, Or, Parameter

_AGENT = "character"
_ANY = (Parameter("?any"),)


def _is_holding(thing: str) -> Formula:
    return Or((Atom("holds-rh", (_AGENT, thing)), Atom("holds-lh", (_AGENT, thing))))


_HOLDS_SOMETHING = Exists(_ANY, _is_holding("?any"))
_SITTING, _LYING = Atom("sitting", (_AGENT,)), Atom("lying", (_AGENT,))

_SATISFIED = {
    "sit": {1},
    "lie": {1},
    "standup": {0},
    "grab": {1},
    "open": {3, 4},
    "close": {2},
    "switchon": {2, 3},
    "switchoff": {2},
    "plugin": {3},
    "plugout": {3},
}
"""Action -> the conjuncts that fail when what the step is for holds already."""

_UNPLACED = {("walk", 1), ("run", 1), ("find", 2), ("putobjback", 0)}
"""Conjuncts for which the benchmark has no class, and at which it stops with an error: nothing is looked for."""


def virtualhome_check(action: Action, index: int) -> Check:
    """Return the check that a conjunct stands for."""
    part = conjuncts(action.precondition)[index]
    if index in _SATISFIED.get(action.name, ()):
        return Check(kind=Kind.SATISFIED)
    if (action.name, index) in _UNPLACED:
        return Check(kind=Kind.MISSING)
    match part:
        case Atom("at-hand", (thing,)):
            return _missing(Atom("near", (_AGENT, thing)))
        case Atom("in-view", (thing,)):
            return _missing(Atom("faces", (_AGENT, thing)))
        case Atom("held", (thing,)):
            return _missing(_is_holding(thing))
        case Not(Atom("shut-in", (thing,))):
            return _missing(Atom("is-open", (thing,)))
        case Atom("hand-free"):
            return _missing(Not(_HOLDS_SOMETHING), connective=Connective.ANY)
        case Atom("upright"):
            return _missing(Not(_SITTING), Not(_LYING), connective=Connective.ALL)
        case Not(Atom("seats-taken" | "beds-taken")):
            return _missing()
        case Atom("on-top"):
            return _missing(part)
        case Atom("origin-at-hand", (thing,)):
            return _missing(_near_origin(thing))
    return _special(action.name, index)


def _special(name: str, index: int) -> Check:
    match name, index:
        case "find", 0:
            return _missing(Atom("near", (_AGENT, "?n")))
        case "find", 1:
            return _missing(Not(_SITTING), Not(_LYING), connective=Connective.ALL)
        case "wipe", 1:
            return _missing(_HOLDS_SOMETHING, connective=Connective.ANY)
        case "cut", 4:
            return _missing()
        case (("sleep" | "wakeup"), 0):
            return _missing(_LYING, _SITTING)
    return Check(kind=Kind.AFFORDANCE)


def _near_origin(thing: str) -> Formula:
    origins = Or(tuple(Atom(name, (thing, "?any")) for name in ("from-top", "from-inside", "from-beside")))
    return Exists(_ANY, And((origins, Atom("near", (_AGENT, "?any")))))


def _missing(*wanted: Formula, connective: Connective = Connective.FIRST) -> Check:
    return Check(kind=Kind.MISSING, wanted=wanted, connective=connective)

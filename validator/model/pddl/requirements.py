"""The ``:requirements`` flags: unknown and missing ones are warnings, since they change no verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.errors import did_you_mean
from validator.model.pddl.scope import Scope
from validator.model.pddl.syntax import Group, Word

__all__ = ["check_requirements"]

_QUANTIFIED = ("existential-preconditions", "universal-preconditions")
_CONDITIONS = ("negative-preconditions", "disjunctive-preconditions", "equality", *_QUANTIFIED)
_ADL = ("typing", "conditional-effects", *_CONDITIONS)
_IMPLIED = {
    "strips": (),
    "quantified-preconditions": _QUANTIFIED,
    "adl": _ADL,
    "ucpop": _ADL,
    "fluents": ("numeric-fluents",),
    "durative-actions": (),
}
_KNOWN = frozenset(_IMPLIED).union(
    _ADL,
    ("derived-predicates", "action-costs", "numeric-fluents", "object-fluents", "goal-utilities"),
    ("timed-initial-literals", "constraints", "preferences", "duration-inequalities", "continuous-effects"),
    ("time", "timed-effects", "processes", "events", "domain-axioms", "multi-agent", "non-deterministic"),
    ("probabilistic-effects", "contingent", "uncertainty", "sensing"),
    ("factored-privacy", "unfactored-privacy", "hierarchy", "method-preconditions"),
)

_NOT_EXECUTED = {
    "rewards": "rewards are not supported",
    "mdp": "rewards are not supported",
}
"""flags of other languages -> what they come to"""


def check_requirements(scope: Scope, sections: Iterable[Group]) -> None:
    """Warn of unknown flags and of flags that the domain needs and does not list."""
    given: set[str] = set()
    for section in sections:
        for word, flag in _flags(scope, section):
            if flag in _NOT_EXECUTED:
                scope.warn(f"'{word.text}': {_NOT_EXECUTED[flag]}", word.offset)
            elif flag not in _KNOWN:
                scope.warn(f"unknown requirement '{word.text}'{did_you_mean(flag, sorted(_KNOWN))}", word.offset)
            given.update((flag, *_IMPLIED.get(flag, ())))
    for flag, offset in sorted(scope.used.items()):
        if flag not in given:
            scope.warn(f":requirements lacks :{flag}, which is used here", offset)


def _flags(scope: Scope, section: Group) -> Iterator[tuple[Word, str]]:
    """Yield the flags of a section without their colons, each with its place: of ``:strips:typing`` both."""
    for node in section.nodes[1:]:
        word = scope.word(node, "a requirement such as :strips")
        place = word.offset
        for number, flag in enumerate(word.text.removeprefix(":").split(":")):
            if number:
                told = f"a blank is missing before ':{flag}'; it is taken as a requirement of its own"
                scope.tolerate("missing-blank", told, place)
            yield Word(f":{flag}", place) if number else word, flag
            place += len(flag) + (word.text[0] == ":" or number > 0)

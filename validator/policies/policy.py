"""A policy, and how it is followed call by call: the facts that it keeps, and the state of each of its rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import TypeAlias

from validator.model.conditions import opposite
from validator.policies.conditions import (
    And,
    Atom,
    Comparison,
    Condition,
    Fact,
    Not,
    Or,
    Past,
    Pattern,
    Reference,
    has_windows,
    references,
    written,
)
from validator.policies.evaluation import Holds, Moment
from validator.policies.events import ABSENT, FOLLOWING, MESSAGES, NO_HISTORY, UNKNOWN, Event, History, Occurrence
from validator.policies.rules import BROKEN, UNSURE, OnlyIf, Rule, Seen, State
from validator.policies.values import Truth, is_large
from validator.texts import shortened

RuleStates: TypeAlias = frozenset[State]
"""The states that a rule may be in; more than one where something was not known."""

_MOST_STATES = 64
_MOST_OPEN = 10
"""so many patterns of a rule may be open of one call; with more, nothing is known of the rule any more"""


@dataclass(frozen=True, slots=True)
class Change:
    """What a call, once it was made and did not fail, does to the policy's own facts."""

    pattern: Pattern
    gives: tuple[Fact, ...] = ()
    ends: tuple[Fact, ...] = ()

    def __str__(self) -> str:
        parts = (("gives", self.gives), ("ends", self.ends))
        return "\n".join(f"{self.pattern} {verb} {', '.join(map(str, facts))}" for verb, facts in parts if facts)


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that a call breaks; ``is_certain`` is false where something is not known that decides."""

    rule: Rule
    reason: str
    is_certain: bool = True


@dataclass(frozen=True, slots=True)
class Track:
    """How far a run is in one rule: the states that it may be in, and the calls that its condition may look at."""

    states: RuleStates
    history: History = NO_HISTORY


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: the facts that hold, those that may hold, each rule, and the time of the last call."""

    certain: frozenset[Atom]
    possible: frozenset[Atom]
    rules: tuple[Track, ...]
    time: int | None = None


@dataclass(frozen=True)
class Policy:
    """Rules on a run.

    ``changes`` say which calls make the policy's own facts true and false; ``read_only`` which tools change nothing.
    ``source`` names the file.
    """

    rules: tuple[Rule, ...] = ()
    changes: tuple[Change, ...] = ()
    read_only: tuple[Pattern, ...] = ()
    source: str = field(default="", compare=False)

    def __str__(self) -> str:
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        if self.read_only:
            yield f"read-only {', '.join(map(str, self.read_only))}"
        for rule in self.rules:
            yield str(rule)
        yield from map(str, self.changes)

    @classmethod
    def joined(cls, policies: Sequence[Policy]) -> Policy:
        """Return several policies as one; what one calls read-only changes nothing to its own rules only."""
        if len(policies) == 1:
            return policies[0]
        return cls(
            tuple(replace(rule, is_free=rule.is_free or each.is_free) for each in policies for rule in each.rules),
            tuple(change for each in policies for change in each.changes),
            tuple(pattern for each in policies for pattern in each.read_only),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of tools that the policy speaks of, without those with a ``*``."""
        return tuple(name for name in self._tool_names if "*" not in name)

    @property
    def families(self) -> tuple[str, ...]:
        """Return the names with a ``*`` that the policy speaks of, each of which means any number of tools."""
        return tuple(name for name in self._tool_names if "*" in name)

    @property
    def speaks_of_messages(self) -> bool:
        """Return whether a rule asks for what was said."""
        return any(name in self._names for name in MESSAGES)

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """Return the calls that the policy speaks of, but for those that a condition looks for in the past."""
        of_rules = (pattern for rule in self.rules for pattern in rule.patterns)
        return (*self.read_only, *of_rules, *(change.pattern for change in self.changes))

    @cached_property
    def _tool_names(self) -> tuple[str, ...]:
        return tuple(name for name in self._names if name not in MESSAGES)

    @cached_property
    def _names(self) -> dict[str, None]:
        past = (pattern for rule in self.rules for pattern in rule.past)
        return dict.fromkeys(pattern.name for pattern in (*self.patterns, *past))

    @cached_property
    def facts(self) -> frozenset[str]:
        """Return the names of the facts that the policy keeps itself."""
        return frozenset(fact.name for change in self.changes for fact in (*change.gives, *change.ends))

    @cached_property
    def external_facts(self) -> frozenset[str]:
        """Return the names of the facts that its rules ask for and that it does not keep itself."""
        return frozenset(fact.name for rule in self.rules for fact in rule.facts) - self.facts

    def asked(self) -> Iterator[tuple[Pattern, list[str]]]:
        """Yield the calls that the policy speaks of, with the arguments that it asks of them."""
        for pattern in self.read_only:
            yield pattern, _paths(pattern.comparisons)
        for rule in self.rules:
            yield from ((pattern, _paths((*pattern.comparisons, *rule.parts))) for pattern in rule.patterns)
            for pattern in rule.past:
                paths = (each.path for each in pattern.comparisons)
                yield pattern, [path for path in paths if path and path.partition(".")[0] != "result"]
        for change in self.changes:
            yield change.pattern, _paths((*change.pattern.comparisons, *change.gives, *change.ends))

    # --- following a run -------------------------------------------------------------------------

    @property
    def start(self) -> Progress:
        rules = tuple(Track(frozenset((rule.start,))) for rule in self.rules)
        return Progress(frozenset(), frozenset(), rules, time=0 if self.has_windows else None)

    def is_free(self, event: Event) -> bool:
        """Return whether a call changes nothing, as the policy says; a message changes nothing."""
        return event.is_message or any(pattern.matches(event) is True for pattern in self.read_only)

    def after(
        self, progress: Progress, event: Event, model_holds: Holds | None = None, *, is_made: bool = True
    ) -> tuple[Progress, tuple[Broken, ...]]:
        """Return how far a run is after a call, and the rules that the call breaks; it is remembered if it ``is_made``.

        To a rule that it breaks the call counts for nothing, so that the next one that breaks it is found too.
        ``model_holds`` says of facts that are not the policy's own whether they hold; without it they are not known.
        """
        found: list[Track] = []
        broken: list[Broken] = []
        time = self._time(progress, event) if self.has_windows else None
        made = event if event.time == time else replace(event, time=time)
        for number, (rule, track) in enumerate(zip(self.rules, progress.rules, strict=True)):
            seen = self.seen(number, event, progress, model_holds)
            following = track.states if seen is None else _following(rule, track.states, seen)
            if BROKEN in following or (seen is not None and UNSURE in following and rule.may_break(seen)):
                is_certain = following == {BROKEN}
                moment = self.moment(number, event, progress, model_holds)
                why = _reason(rule, track.states, is_certain, " and ".join(_reasons(rule, moment, is_certain)))
                broken.append(Broken(rule, why, is_certain))
            history = rule.remembered(track.history, made) if is_made else track.history
            found.append(Track(following - {BROKEN} or track.states, history))
        return Progress(*self._changed(progress, event), tuple(found), time), tuple(broken)

    @cached_property
    def looks_back(self) -> bool:
        """Return whether a condition asks of the calls before."""
        return any(rule.conditions_on_past for rule in self.rules)

    @cached_property
    def has_windows(self) -> bool:
        """Return whether a condition asks how long ago a call was made."""
        return any(has_windows(part) for rule in self.rules for part in rule.conditions_on_past)

    def _time(self, progress: Progress, event: Event) -> int | None:
        """Return when a call was made; one that takes the time of the call before it has that of the last one."""
        return progress.time if event.time == FOLLOWING else event.time

    def seen(self, number: int, event: Event, progress: Progress, model_holds: Holds | None) -> Seen | None:
        """Return what a rule sees of a call; None where the call is nothing to it."""
        rule = self.rules[number]
        matches = tuple([pattern.matches(event) for pattern in rule.patterns])
        if not rule.is_closed and all(each is False for each in matches):
            return None
        holds: Truth = True
        if isinstance(rule, OnlyIf) and matches[0] is not False:
            holds = self.moment(number, event, progress, model_holds).holds(rule.when)
        is_free = rule.is_closed and (rule.is_free or self.is_free)(event)
        return Seen(matches, holds, event.failed, is_free)

    def moment(self, number: int, event: Event, progress: Progress, model_holds: Holds | None) -> Moment:
        """Return what the condition of a rule is evaluated on."""
        now = Occurrence(replace(event, failed=False, time=self._time(progress, event)))
        return Moment(now, self._holds(progress, model_holds), progress.rules[number].history)

    def _holds(self, progress: Progress, model_holds: Holds | None) -> Holds:
        def holds(atom: Atom) -> Truth:
            if atom[0] not in self.facts:
                return None if model_holds is None else model_holds((atom[0], *map(_as_model, atom[1:])))
            if atom in progress.certain:
                return True
            return None if atom in progress.possible or (atom[0], _ANY) in progress.possible else False

        return holds

    def _changed(self, progress: Progress, event: Event) -> tuple[frozenset[Atom], frozenset[Atom]]:
        """Return the facts after a call: it ends some first, so that what it gives as well holds, as in PDDL."""
        certain, possible = progress.certain, progress.possible
        every = () if event.failed else ((change, change.pattern.matches(event)) for change in self.changes)
        made = [(change, matches) for change, matches in every if matches is not False]
        for change, matches in made:
            for fact in change.ends:
                ended = _grounded(fact, event)
                if (fact.name, _ANY) in ended:
                    ended = frozenset(atom for atom in certain if atom[0] == fact.name)
                elif matches:
                    possible -= ended
                certain -= ended
        for change, matches in made:
            for fact in change.gives:
                given = _grounded(fact, event)
                possible |= given
                certain = certain | given if matches and (fact.name, _ANY) not in given else certain
        return certain, possible

    def verdict(self, progress: Progress, number: int) -> Truth:
        """Return whether a run that ends here keeps a rule."""
        states = progress.rules[number].states
        met = {self.rules[number].is_met(state) for state in states}
        return met.pop() if len(met) == 1 and UNSURE not in states else None

    def is_kept(self, progress: Progress) -> bool:
        """Return whether a run that ends here keeps every rule."""
        return all(self.verdict(progress, number) is True for number in range(len(self.rules)))


def _paths(parts: Iterable[Condition]) -> list[str]:
    found: list[str] = []
    for part in parts:
        if isinstance(part, Comparison):
            found += [part.path, part.value.path if isinstance(part.value, Reference) else ""]
        elif isinstance(part, Fact):
            found += [term.path for term in part.terms if isinstance(term, Reference)]
        elif isinstance(part, Past):
            found += references(part)
    return [path for path in dict.fromkeys(found) if path]


def _reason(rule: Rule, states: RuleStates, is_certain: bool, because: str) -> str:
    """Say what is wrong with a call that breaks a rule, or, where that is not certain, may break it."""
    if UNSURE in states:
        return f"whether this call keeps '{shortened(str(rule))}' is not known: the calls before are known only in part"
    why = rule.why(next(iter(states)))
    if is_certain and not isinstance(rule, OnlyIf):
        return why
    said = "which is false" if is_certain else "and whether this call keeps that is not known"
    return f"{why}, {said}{': ' * bool(because)}{because}"


def _following(rule: Rule, states: RuleStates, seen: Seen) -> RuleStates:
    """Return the states that a rule may be in after a call of which some may not be known."""
    if None not in seen.matches and seen.holds is not None:
        return frozenset(state if state == UNSURE else rule.step(state, seen) for state in states)
    if seen.matches.count(None) > _MOST_OPEN:
        return frozenset((UNSURE,))
    options: list[tuple[bool, ...]] = [(True, False) if each is None else (each,) for each in seen.matches]
    holds = (True, False) if seen.holds is None else (seen.holds,)
    found = frozenset(
        state if state == UNSURE else rule.step(state, replace(seen, matches=matches, holds=own))
        for state in states
        for matches in product(*options)
        for own in holds
    )
    return found if len(found) <= _MOST_STATES else frozenset((UNSURE,))


def _grounded(fact: Fact, event: Event) -> frozenset[Atom]:
    """Return the fact that a call makes true or false; one of any terms where they are not known."""
    atom = fact.ground(event)
    return frozenset(((fact.name, _ANY) if atom is None else atom,))


def _as_model(term: str) -> str:
    """Return a term as a model writes it, which does not tell texts from other values."""
    return str(json.loads(term)) if term.startswith('"') else term


_ANY = "…"


# --- why a call breaks a rule --------------------------------------------------------------------


def _reasons(rule: Rule, moment: Moment, is_certain: bool) -> tuple[str, ...]:
    """Return why a call breaks a rule, or why that is not known, each reason once."""
    if not moment.now.event.is_known:
        return ("its arguments are not known",)
    found: list[str] = []
    if not is_certain:
        for pattern in rule.patterns:
            if pattern.matches(moment.now.event) is None:
                found += (each for part in pattern.comparisons for each in _deciding(part, moment, None))
    if isinstance(rule, OnlyIf):
        found += _deciding(rule.when, moment, False if is_certain else None)
        found = [each for each in found if each != f"'{rule.when}' is false"]  # which is said before
    return tuple(dict.fromkeys(found))


def _deciding(condition: Condition, moment: Moment, truth: Truth) -> Iterator[str]:
    """Yield what decides that a condition has a truth; nothing where it has another one."""
    event = moment.now.event
    if moment.holds(condition) is not truth:
        return
    match condition:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _deciding(part, moment, truth)
        case Not(part):
            yield from _deciding(part, moment.negated, opposite(truth))
        case Comparison():
            yield from _values(condition, event)
        case Fact():
            atom = condition.ground(event)
            shown = condition if atom is None else Fact(atom[0], tuple(map(json.loads, atom[1:])))
            yield f"{shown} is {'not known' if truth is None else json.dumps(truth)}"
        case Past():
            said = [_lacking(path, event) for path in references(condition)] if truth is None else []
            yield next(filter(None, said), "") or moment.reason(condition, truth)


def _lacking(path: str, event: Event) -> str:
    """Say that the value of an argument is not known, or that there is none; an empty text where there is one."""
    value = event.value(path)
    return f"{path} is not known" if value is UNKNOWN else f"{path} is absent" if value is ABSENT else ""


def _values(comparison: Comparison, event: Event) -> Iterator[str]:
    other = comparison.value.path if isinstance(comparison.value, Reference) else ""
    for path in filter(None, (comparison.path, other)):
        value = event.value(path)
        yield _lacking(path, event) or f"{path} is {_shown(value)}"


def _shown(value: object) -> str:
    return "too large" if is_large(value) else shortened(written(value))

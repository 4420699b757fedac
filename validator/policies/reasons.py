"""Why a condition of a rule is false, true or not known of a call: the values that decide, and the calls before."""

from __future__ import annotations

import json
from collections.abc import Iterator

from validator.model.conditions import opposite
from validator.policies.conditions import (
    And,
    Comparison,
    Condition,
    Fact,
    Moment,
    Not,
    Or,
    Reference,
    Truth,
    is_large,
    written,
)
from validator.policies.evaluation import Temporal
from validator.policies.events import ABSENT, UNKNOWN, Event
from validator.policies.rules import OnlyIf, Rule
from validator.texts import shortened


def reasons(rule: Rule, event: Event, moment: Moment, is_certain: bool) -> tuple[str, ...]:
    """Return why a call breaks a rule, or why that is not known, each reason once."""
    if not event.is_known:
        return ("its arguments are not known",)
    found: list[str] = []
    if not is_certain:
        for pattern in rule.patterns:
            if pattern.matches(event) is None:
                found += (each for part in pattern.comparisons for each in _reasons(part, event, moment, None))
    if isinstance(rule, OnlyIf):
        found += _reasons(rule.when, event, moment, False if is_certain else None)
        found = [each for each in found if each != f"'{rule.when}' is false"]  # which is said before
    return tuple(dict.fromkeys(found))


def _reasons(condition: Condition, event: Event, moment: Moment, truth: Truth) -> Iterator[str]:
    """Yield what decides that a condition has a truth; nothing where it has another one."""
    if condition.holds(event, moment) is not truth:
        return
    match condition:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _reasons(part, event, moment, truth)
        case Not(part):
            yield from _reasons(part, event, moment.negated, opposite(truth))
        case Comparison():
            yield from _values(condition, event)
        case Fact():
            atom = condition.ground(event)
            shown = condition if atom is None else Fact(atom[0], tuple(map(json.loads, atom[1:])))
            yield f"{shown} is {'not known' if truth is None else json.dumps(truth)}"
        case Temporal():
            said = [_lacking(path, event) for path in condition.references] if truth is None else []
            yield next(filter(None, said), "") or condition.reason(event, moment, truth)


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

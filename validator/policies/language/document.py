"""Policies as JSON or YAML values; each rule is an object, or a statement of the text language.

{"read_only": ["get_*"],
 "rules": [{"never": "delete_*"},
           {"at_most": 2, "call": "book"},
           {"at_least": 1, "call": {"name": "confirm", "arguments": {"kind": "mail"}}},
           {"before": ["verify", "pay"]},
           {"then": ["pay", "receipt"]},
           {"call": "pay", "only_if": "amount <= 500 and (verified ?user_id)"},
           {"order": {"find": [], "hotel": ["find"], "flight": ["find"], "pay": ["hotel", "flight"]}},
           {"exactly": ["find", ["hotel", "flight"], "pay"]},
           {"either": [{"order": ["a", "b"]}, {"order": ["c", "d"]}]},
           {"allow": ["find", "book", "pay"]},
           "pay only if amount <= 500"],
 "facts": [{"call": "verify", "gives": ["(verified ?user_id)"]}],
 "compare": {"pay": {"amount": {"within": 0.01}, "note": "ignored", "iban": {"pattern": "DE.*"},
                     "currency": {"one_of": ["EUR"]}}},
 "budget": {"limit": 20, "costs": {"pay": 5}}}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import TypeVar

from validator.errors import InputError, ModelError
from validator.policies.conditions import Comparison, Fact, Pattern
from validator.policies.language.text import read_condition, read_pattern, read_text_policy
from validator.policies.orders import Either, Order, places_before
from validator.policies.policy import Change, Policy
from validator.policies.rules import Allow, AtLeast, AtMost, Before, Budget, Never, OnlyIf, Rule, Then
from validator.reading.fields import Fields, entries, members
from validator.reading.regexes import refusal
from validator.texts import exact

__all__ = ["policy_of"]

_KINDS = ("never", "at_most", "at_least", "before", "then", "only_if", "order", "exactly", "either", "allow")
_MOST = 10**9


def policy_of(document: object, source: str = "") -> Policy:
    """Return the policy that a document is. Raises ModelError with the path of what cannot be read."""
    try:
        fields = Fields(document, "")
        rules = tuple(rule for path, value in fields.entries("rules") for rule in _rules(value, path))
        budget = tuple(_budget(fields.raw("budget"), "budget")) if "budget" in fields else ()
        policy = Policy(
            (*rules, *budget),
            tuple(_change(Fields(value, path)) for path, value in fields.entries("facts")),
            tuple(_pattern(value, path) for path, value in fields.entries("read_only")),
            tuple(_compared(fields.raw("compare"))),
            source,
        )
        fields.end()
    except ModelError as error:
        raise ModelError(error.message, source=source) from None
    return policy


def _rules(value: object, path: str) -> Iterator[Rule]:
    if isinstance(value, str):
        found = _within(path, read_text_policy, value)
        if found.changes or found.read_only or found.compare:
            raise ModelError(f"{path}: a rule was expected; facts and comparisons have keys of their own")
        yield from found.rules
        return
    fields = Fields(value, path)
    kinds = [kind for kind in _KINDS if kind in fields]
    if len(kinds) != 1:
        raise ModelError(f"{path}: one of {', '.join(_KINDS)} was expected")
    kind = kinds[0]
    where = fields.path(kind)
    match kind:
        case "never":
            yield from (Never(_pattern(each, at)) for at, each in fields.entries(kind))
        case "at_most":
            yield AtMost(fields.whole(kind, 0, 0, _MOST), _call(fields))
        case "at_least":
            yield AtLeast(fields.whole(kind, 1, 1, _MOST), _call(fields))
        case "only_if":
            yield OnlyIf(_call(fields), _within(where, read_condition, fields.text(kind)))
        case "before" | "then":
            patterns = [_pattern(each, at) for at, each in fields.entries(kind)]
            if len(patterns) < 2:
                raise ModelError(f"{where}: at least two calls were expected")
            for first, second in pairwise(patterns):
                yield Before(first, second) if kind == "before" else Then(first, second)
        case "order" | "exactly":
            yield _order(fields.raw(kind), where, kind == "exactly")
        case "either":
            alternatives = [list(_rules(each, at)) for at, each in fields.entries(kind)]
            if len(alternatives) < 2 or any(len(each) != 1 or each[0].condition for each in alternatives):
                raise ModelError(f"{where}: at least two rules without conditions were expected, each of them one")
            yield Either(tuple(each[0] for each in alternatives))
        case "allow":
            yield Allow(tuple(_pattern(each, at) for at, each in fields.entries(kind)))
    fields.end()


def _call(fields: Fields) -> Pattern:
    return _pattern(fields.raw("call"), fields.path("call"))


def _pattern(value: object, path: str) -> Pattern:
    if isinstance(value, Mapping):
        fields = Fields(value, path)
        arguments = fields.raw("arguments") or {}
        found = Pattern(
            fields.text("name"),
            tuple(_comparison(str(name), each, f"{path}.{name}") for name, each in Fields(arguments, path).items()),
        )
        fields.end()
        return found
    if not isinstance(value, str):
        raise ModelError(f'{path}: a call was expected, such as "pay" or "pay(amount > 5)"')
    return _within(path, read_pattern, value)


def _comparison(name: str, value: object, path: str) -> Comparison:
    """Return how an argument is compared: with a value, or as an object with one key says."""
    if value == "ignored":
        return Comparison(name, "any")
    if not isinstance(value, Mapping):
        return Comparison(name, "=", _frozen(value))
    fields = Fields(value, path)
    for key, operator in _OPERATORS.items():
        if key in fields:
            given = fields.raw(key)
            within = fields.raw("within") or 0
            fields.end()
            if operator == "~":
                _refuse_pattern(given, fields.path(key))
            return Comparison(name, operator, _frozen(given), _tolerance(within, path))
    if "within" in fields:
        found = Comparison(name, "=", None, _tolerance(fields.raw("within"), fields.path("within")))
        fields.end()
        return found
    raise ModelError(f"{path}: one of within, {', '.join(_OPERATORS)} was expected")


_OPERATORS = {
    "equals": "=",
    "not": "!=",
    "less": "<",
    "most": "<=",
    "more": ">",
    "least": ">=",
    "pattern": "~",
    "one_of": "in",
}


def _tolerance(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ModelError(f"{path}: a number from 0 was expected, not {value!r:.40}")
    return float(value)


def _refuse_pattern(value: object, path: str) -> None:
    if (reason := refusal(str(value))) is not None:
        raise ModelError(f"{path}: a regular expression that is not understood: {reason}")


def _frozen(value: object) -> object:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _order(value: object, path: str, is_exact: bool) -> Order:
    """Return a partial order: a list, in which lists are steps without an order, or the steps before each step."""
    if isinstance(value, Mapping):
        needs = {str(name): [str(each) for _, each in entries(before, path)] for name, before in value.items()}
        needs |= {each: [] for before in needs.values() for each in before if each not in needs}
    else:
        groups = [[str(each) for _, each in entries(group, at)] for at, group in members(value, path)]
        needs = {name: [] for group in groups for name in group}
        if len(needs) < sum(map(len, groups)):
            raise ModelError(f"{path}: a step stands there twice; two calls of one tool differ in their arguments")
        for before, after in pairwise(groups):
            for name in after:
                needs[name] += before
    try:
        behind = places_before(needs)
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from None
    return Order(tuple(_pattern(name, path) for name in needs), behind, is_exact)


def _budget(value: object, path: str) -> Iterator[Budget]:
    if isinstance(value, Mapping):
        fields = Fields(value, path)
        limit, costs = fields.raw("limit"), fields.raw("costs") or {}
        fields.end()
        pairs = ((_pattern(str(name), path), _amount(cost, f"{path}.costs.{name}")) for name, cost in costs.items())
        yield Budget(_amount(limit, f"{path}.limit"), tuple(pairs))
    else:
        yield Budget(_amount(value, path))


def _amount(value: object, path: str) -> Fraction:
    try:
        amount = exact(value)  # type: ignore[arg-type]
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from None
    if amount < 0:
        raise ModelError(f"{path}: a number from 0 was expected, not {value!r:.40}")
    return amount


def _change(fields: Fields) -> Change:
    found = Change(_call(fields), tuple(_facts(fields, "gives")), tuple(_facts(fields, "ends")))
    fields.end()
    return found


def _facts(fields: Fields, key: str) -> Iterator[Fact]:
    for path, value in fields.entries(key):
        text = str(value)
        fact = _within(path, read_condition, text if text.startswith("(") else f"({text})")
        if not isinstance(fact, Fact):
            raise ModelError(f'{path}: a fact was expected, such as "(verified ?user_id)"')
        yield fact


def _compared(value: object) -> Iterator[tuple[Pattern, tuple[Comparison, ...]]]:
    for tool, arguments in Fields({} if value is None else value, "compare").items():
        path = f"compare.{tool}"
        own = Fields(arguments, path).items()
        yield _pattern(tool, path), tuple(_comparison(name, each, f"{path}.{name}") for name, each in own)


_Read = TypeVar("_Read")


def _within(path: str, read: Callable[[str], _Read], text: str) -> _Read:
    """Return what a text within a document says; its faults name the path."""
    try:
        return read(text)
    except InputError as error:
        raise ModelError(f"{path}: {error.message}\n{error.excerpt}") from None

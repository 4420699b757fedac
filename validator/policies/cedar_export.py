"""Policies of ours written as policies of Cedar, with the temporal blocks of Dogwood.

Cedar decides one call at a time. A rule about the end of a run, a regular expression or a cost has no counterpart, and
is refused by name. A call before counts if it succeeded: it is the ``response`` of its action. Cedar denies what
nothing permits, and passes over a policy whose evaluation fails; so a forbid first asks whether an argument is there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from validator.errors import InputError
from validator.policies.conditions import (
    Aggregate,
    And,
    Block,
    Called,
    Compare,
    Comparison,
    Condition,
    Fact,
    Formerly,
    Kind,
    Not,
    Or,
    Past,
    Pattern,
    Reference,
    Since,
    Timepoint,
    nanoseconds,
    total,
)
from validator.policies.policy import Policy
from validator.policies.rules import Allow, AtMost, Before, Never, OnlyIf, Rule

_NAME = re.compile(r"[A-Za-z_]\w*")
_NAMESPACE = re.compile(r"[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*")
_EVER = "36500d"
"""the window of a condition without one: a hundred years"""
_SECOND = nanoseconds("1s")
"""nanoseconds"""
_SCOPES = ("principal", "resource")
_TYPES = {bool: "Bool", int: "Long", str: "String"}


def to_cedar(policy: Policy, namespace: str = "App") -> str:
    """Return a policy as a text of Cedar, whose actions are ``NAMESPACE::Action::"tool"``.

    Decisions are the same where the arguments of calls have the types of Cedar's schema. Raises InputError, which names
    the rule, for what Cedar cannot say.
    """
    if not _NAMESPACE.fullmatch(namespace):
        raise InputError(f"{namespace!r} is not a Cedar namespace: names of letters and digits, joined by ::")
    writer = _Writer(policy, namespace)
    return "".join(f"{statement};\n" for statement in writer.statements())


class _Writer:
    def __init__(self, policy: Policy, namespace: str) -> None:
        self.policy, self.namespace = policy, namespace
        self.rule: Rule | None = None
        self.variables = 0

    def refusal(self, why: str) -> InputError:
        return InputError(f"Cedar cannot say '{self.rule}': {why}")

    def statements(self) -> Iterator[str]:
        allows = [rule for rule in self.policy.rules if isinstance(rule, Allow)]
        if not allows:
            yield "permit(principal, action, resource)"
        for rule in self.policy.rules:
            self.rule = rule
            yield from self.statement(rule)

    def statement(self, rule: Rule) -> Iterator[str]:
        match rule:
            case Allow() if rule is not next(each for each in self.policy.rules if isinstance(each, Allow)):
                raise self.refusal("two rules say what is allowed")
            case Allow():
                for pattern in (*rule.allowed, *self.policy.read_only):
                    yield self.about("permit", pattern)
            case Never():
                yield self.about("forbid", rule.pattern)
            case OnlyIf():
                yield f"{self.about('forbid', rule.pattern)}\nunless {{ {self.condition(rule.when, rule.pattern)} }}"
            case AtMost():
                past = self.past(total("count", "", rule.pattern, None, "<=", rule.number), rule.pattern)
                yield f"{self.about('forbid', rule.pattern)}\nunless {{ {past} }}"
            case Before():
                past = self.past(Formerly(Called(rule.first)), rule.second)
                yield f"{self.about('forbid', rule.second)}\nunless {{ {past} }}"
            case _:
                raise self.refusal("it decides one call at a time, and this is about a run")

    def about(self, effect: str, pattern: Pattern) -> str:
        """Return the head of a statement about the calls of a pattern."""
        action = "action" if pattern.name == "*" else f"action == {self.action(pattern)}"
        head = f"{effect}(principal, {action}, resource)"
        asked = [self.comparison(each) for each in pattern.comparisons]
        return f"{head}\nwhen {{ {' && '.join(asked)} }}" if asked else head

    def action(self, pattern: Pattern) -> str:
        if "*" in pattern.name or pattern.name.startswith("@"):
            raise self.refusal(f"{pattern.name} is not an action: name the tools")
        return f"{self.namespace}::Action::{json.dumps(pattern.name)}"

    # --- conditions --------------------------------------------------------------------------------

    def condition(self, condition: Condition, now: Pattern) -> str:
        """Return what must hold of a call, which is one of ``now``, as an expression that does not fail."""
        match condition:
            case And(parts) | Or(parts):
                joint = " && " if isinstance(condition, And) else " || "
                return f"({joint.join(self.condition(each, now) for each in parts)})"
            case Not(part):
                return f"!({self.condition(part, now)})"
            case Comparison() if type(condition) is Comparison:
                return self.comparison(condition)
            case Fact():
                return self.fact(condition, now)
            case Past() if not isinstance(condition, Block):
                return self.past(condition, now)
        raise self.refusal("it was read from Cedar: use that text")

    def comparison(self, comparison: Comparison) -> str:
        path, operator, value = comparison.path, comparison.operator, comparison.value
        self.argument(path)  # refuses what is no name
        has = self.has(path)
        if value is None and operator in ("=", "!="):
            if not has:
                raise self.refusal(f"{path} is there in every request")
            return f"!({has})" if operator == "=" else f"({has})"
        others = [self.has(value.path)] if isinstance(value, Reference) else []
        present = " && ".join(each for each in (has, *others) if each)
        if operator == "in":
            said = f"{self.constant(value)}.contains({self.argument(path)})"
        elif operator == "~":
            raise self.refusal("it has no regular expressions")
        else:
            said = f"{self.argument(path)} {'==' if operator == '=' else operator} {self.value(value)}"
        if operator == "!=":  # an absent value is another one
            return f"(!({present}) || {said})" if present else f"({said})"
        return f"({present} && {said})" if present else f"({said})"

    def has(self, path: str) -> str:
        """Return the test whether an argument is there, with those around it."""
        if path in _SCOPES:
            return ""
        names = path.split(".")
        around = ["context.input", *(self.argument(".".join(names[:end])) for end in range(1, len(names)))]
        return " && ".join(f"{inner} has {name}" for inner, name in zip(around, names, strict=True))

    def argument(self, path: str) -> str:
        if path in _SCOPES:
            return path
        if not all(map(_NAME.fullmatch, path.split("."))):
            raise self.refusal(f"{path} is not a name of an argument there")
        return f"context.input.{path}"

    def value(self, value: object) -> str:
        return self.argument(value.path) if isinstance(value, Reference) else self.constant(value)

    def constant(self, value: object) -> str:
        if isinstance(value, list | tuple):
            return f"[{', '.join(map(self.constant, value))}]"
        if isinstance(value, str | bool | int):
            return json.dumps(value, ensure_ascii=False)
        raise self.refusal(f"{json.dumps(value)} is not a value in Cedar: texts, whole numbers, true and false are")

    # --- the past ----------------------------------------------------------------------------------

    def fact(self, fact: Fact, now: Pattern) -> str:
        """Return that a call gave a fact, and none after it ended it."""
        found = [(change.pattern, given) for change in self.policy.changes for given in change.gives]
        gives = [bound for pattern, given in found if (bound := _bound(pattern, given, fact)) is not None]
        ended = [(change.pattern, end) for change in self.policy.changes for end in change.ends]
        ends = [bound for pattern, end in ended if (bound := _bound(pattern, end, fact)) is not None]
        if not gives:
            raise self.refusal(f"no call gives {fact}")
        if any(one.name == other.name for one in gives for other in ends):
            raise self.refusal("one call gives and ends the same fact")
        if len(ends) > 1:
            raise self.refusal("several calls end the same fact")
        formulas: list[Past] = [Formerly(Called(give)) for give in gives]
        if ends:
            formulas = [Since(Not(Called(ends[0])), Called(give)) for give in gives]
        return f"({' || '.join(self.past(each, now) for each in formulas)})"

    def past(self, condition: Past, now: Pattern) -> str:
        """Return a condition of ours as a temporal block about a call, which is one of ``now``."""
        match condition:
            case Formerly(Called(pattern), window):
                said = f"formerly within {self.window(window)} ({self.response(pattern)})"
            case Since(Not(Called(others)), Called(pattern), window):
                said = f"!({self.response(others)}) since within {self.window(window)} ({self.response(pattern)})"
            case Compare(
                Aggregate(Kind.COUNT, body=Formerly(And((Called(pattern), Timepoint())), window)),
                operator,
                int() as number,
            ):
                said = self.count(pattern, window, operator, number, now)
            case Compare(Aggregate(Kind.COUNT, body=Formerly(And((_, Timepoint()))))):
                raise self.refusal("a number of calls is whole")
            case Compare():
                raise self.refusal("it does not add the call itself to what came before")
            case _:
                raise self.refusal("there a request and its response stand between two calls")
        return f"temporal {{ {said} }}"

    def window(self, window: int | None) -> str:
        if window is None:
            return _EVER
        if window % _SECOND:
            raise self.refusal("its windows are whole seconds")
        return f"{window // _SECOND}s"

    def count(self, pattern: Pattern, window: int | None, operator: str, number: int, now: Pattern) -> str:
        if pattern.names(now.name):
            if not all(_is_sure(each, now) for each in pattern.comparisons):
                raise self.refusal("whether the call itself counts depends on its arguments")
            number -= 1
        past = f"formerly within {self.window(window)} ({self.response(pattern)} && tp(t))"
        return f"(count for (t: Timepoint). where ({past})) {'==' if operator == '=' else operator} {number}"

    def response(self, pattern: Pattern) -> str:
        """Return the event of a call that succeeded; what is not equality is asked of variables."""
        fields, asked, bound = [], [], []
        for each in pattern.comparisons:
            name = each.path if each.path in _SCOPES else f"input.{each.path}"
            if each.path.partition(".")[0] == "result":
                name = f"output{each.path.removeprefix('result')}"
            if not all(map(_NAME.fullmatch, name.split("."))):
                raise self.refusal(f"{each} is not a condition on an event")
            if each.operator == "=":
                fields.append(f"{name}: {self.value(each.value)}")
                continue
            kind = _TYPES.get(type(each.value))
            if kind is None or each.operator not in ("!=", "<", "<=", ">", ">="):
                raise self.refusal(f"{each} is not a condition on an event")
            self.variables += 1
            variable = f"v{self.variables}"
            fields.append(f"{name}: {variable}")
            asked.append(f"{variable} {each.operator} {self.constant(each.value)}")
            bound.append(f"exists ({variable}: {kind}). (")
        event = f"{self.action(pattern)}::response{{ {', '.join(fields)} }}"
        return f"{''.join(bound)}{' && '.join((event, *asked))}{')' * len(bound)}"


def _is_sure(comparison: Comparison, now: Pattern) -> bool:
    """Return whether each call of ``now`` meets a comparison: it asks for the same, or for the argument itself."""
    return comparison in now.comparisons or (
        comparison.operator == "=" and comparison.value == Reference(comparison.path)
    )


def _bound(pattern: Pattern, change: Fact, asked: Fact) -> Pattern | None:
    """Return the calls of a pattern that change a fact that a call asks for; None where they change another one."""
    if (change.name, len(change.terms)) != (asked.name, len(asked.terms)):
        return None
    comparisons = list(pattern.comparisons)
    for own, other in zip(change.terms, asked.terms, strict=True):
        if isinstance(own, Reference):
            comparisons.append(Comparison(own.path, "=", other))
        elif isinstance(other, Reference):
            raise InputError(f"Cedar cannot say {asked}: the fact has a fixed value where the rule has an argument")
        elif own != other:
            return None
    return Pattern(pattern.name, tuple(comparisons))

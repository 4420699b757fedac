"""Policies of Cedar with temporal blocks: what is read, what is refused, and the decisions of Dogwood itself."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from validator import InputError, PlanGuard, read_policy
from validator.policies import Policy, conform, to_cedar
from validator.policies.events import Event, Occurrence, Phase

ACTION = "Shop::Action::"


def test_a_policy_of_cedar_guards_calls() -> None:
    guard = PlanGuard(
        """
        // Payments of at most 500 behind a confirmation, and no refunds.
        @id("pay")
        permit(principal, action == Shop::Action::"pay", resource)
        when { context.input.amount <= 500 && context.input.currency != "XXX" }
        when temporal { formerly within 1h Shop::Action::"confirm"::response{ input.order: context.input.order } };
        permit(principal, action in [Shop::Action::"confirm", Shop::Action::"refund"], resource);
        forbid(principal, action == Shop::Action::"refund", resource) unless { ["small"].contains(context.input.kind) };
        """,
        clock=iter(range(0, 100_000, 1000)).__next__,
    )
    order = {"order": "o1", "amount": 40, "currency": "EUR"}
    assert not guard.before("pay", order).allowed
    guard.after(guard.before("confirm", {"order": "o1"}), {"ok": True})
    assert not guard.before("pay", order | {"order": "o2"}).allowed
    assert not guard.before("pay", order | {"amount": 501}).allowed
    assert guard.before("pay", order).allowed
    assert not guard.before("pay", order).allowed  # the confirmation is older than an hour by now
    assert guard.before("refund", {"kind": "small"}).allowed
    assert not guard.before("refund", {"kind": "large"}).allowed
    assert not guard.before("delete").allowed  # nothing permits it


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("permit(principal, action, resource) when { principal.dept == 1 };", "attributes of entities"),
        ('permit(principal, action in A::Action::"Group", resource);', "groups of actions"),
        ('permit(principal in A::"x", action, resource);', "groups of entities"),
        ("permit(principal, action, resource) when { context.input.x > 1 };", "a permit of every action"),
        ('permit(user, action == A::"x", resource);', "principal, action or resource"),
        (
            'permit(principal, action == A::"x", resource) when temporal { formerly within 1h A::"x"::audit{} };',
            "audit",
        ),
        ('permit(principal, action == A::"x", resource) when { context.input.x + 1 > 2 };', "was expected"),
        (r'permit(principal, action == A::"x", resource) when { context.input.x == "\q" };', "a backslash"),
        (r'permit(principal, action == A::"x", resource) when { context.input.x == "\*" };', "a pattern of like"),
        ('permit(principal, action == A::"x", resource) when { context.input.x > 99999999999999999999 };', "64 bits"),
        ('permit(principal, action == A::"x", resource) when { context.input.x == decimal("a") };', "a decimal"),
        ('permit(principal, action == A::"x", resource) when { context.input.x }', "was expected"),
        ('permit(principal, action == A::"x", resource) when temporal { once(1h, A::"y"::request{}) };', "macros"),
        ("def temporal once(?w, ?s) { formerly within ?w ?s };\npermit(principal, action, resource);", "macros"),
    ],
)
def test_what_cannot_be_decided_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        read_policy(text)
    assert str(caught.value).rstrip().endswith("^")


PERMIT, FORBID = (f'{effect}(principal, action == Shop::Action::"pay", resource)' for effect in ("permit", "forbid"))


@pytest.mark.parametrize(
    ("text", "arguments", "is_allowed"),
    [
        (f'{PERMIT} when {{ context.input.u != "x" }};', {}, False),
        (f'{PERMIT} when {{ context.input.u != "x" }};', {"u": "y"}, True),
        (f"{PERMIT} when {{ !(context.input.n > 5) }};", {}, False),
        (f"{PERMIT} when {{ !(context.input.n > 5) }};", {"n": "3"}, False),
        (f"{PERMIT} when {{ !(context.input.n > 5) }};", {"n": 3}, True),
        (f"{PERMIT} unless {{ context.input.n > 5 }};", {}, False),
        (f"{PERMIT} unless {{ context.input.n > 5 && context.input.m > 5 }};", {"n": 3}, True),
        (f"{PERMIT} unless {{ context.input.n > 5 && context.input.m > 5 }};", {"m": 3}, False),
        (f"{PERMIT} when {{ context.input.n > 5 || context.input.m > 5 }};", {"n": 6}, True),
        (f"{PERMIT} when {{ context.input.n > 5 || context.input.m > 5 }};", {"m": 6}, False),
        (f'{PERMIT} when {{ !["x", "y"].contains(context.input.u) }};', {}, False),
        (f"{PERMIT} when {{ context.input.u == context.input.v }};", {}, False),
        (f"{PERMIT} when {{ !context.input.b }};", {"b": 0}, False),
        (f"{PERMIT} when {{ !context.input.b }};", {"b": False}, True),
        (f'{PERMIT} when {{ !(context.input.u like "a*") }};', {"u": 5}, False),
        (f"{PERMIT}; {FORBID} unless {{ context.input.n <= 5 }};", {}, True),
        (f'{PERMIT}; {FORBID} when {{ context.input.u like "*rm -rf*" }};', {"u": "ls\nrm -rf /"}, False),
        (f'{PERMIT}; {FORBID} when {{ context.input.u like "rm*" }};', {"u": "rm\u2028x"}, False),
        (f'{PERMIT}; {FORBID} when {{ context.input.u like "a\\*" }};', {"u": "ab"}, True),
        (f'{PERMIT}; {FORBID} when {{ context.input.u like "a\\*" }};', {"u": "a*"}, False),
        (f'{PERMIT}; {FORBID} when {{ context.input.u == "\\u{{41}}\\x42\\\'\\0" }};', {"u": "AB'\0"}, False),
        (f'{PERMIT}; {FORBID} when {{ context.input.u == ["y", "x"] }};', {"u": ["x", "y", "x"]}, False),
        (f'{PERMIT}; {FORBID} when {{ context.input.u == ["y", "x"] }};', {"u": ["x"]}, True),
    ],
)
def test_what_has_no_value_makes_a_policy_not_apply(text: str, arguments: dict[str, Any], is_allowed: bool) -> None:
    assert PlanGuard(text).before("pay", arguments).allowed is is_allowed


def test_the_rules_of_a_policy_of_cedar() -> None:
    policy = read_policy('permit(principal, action, resource);\nforbid(principal, action == A::"drop", resource);')
    assert str(policy) == "never drop\n"
    assert conform(policy, [{"name": "any", "arguments": {}}], repair=False).kept


# --- Dogwood's own decisions ---------------------------------------------------------------------


def predicate(name: str, kind: str = "request", **fields: str) -> str:
    inner = ", ".join(f"{field.replace('__', '.')}: {value}" for field, value in fields.items())
    return f'{ACTION}"{name}"::{kind}{{ {inner} }}'


ME = {"input__user": "context.input.user"}
OK = {"output__ok": "true"}
LOGIN, LOGOUT, READ, PAY = (predicate(name, **ME) for name in ("Login", "Logout", "Read", "Pay"))
LOGGED_IN = predicate("Login", "response", **ME, **OK)
SOMEBODY = predicate("Login", input__user="u")
HERE = predicate("Login", input__server="context.input.server")
ANSWERED, ASKED = (predicate("Pay", kind, input__user="*") for kind in ("response", "request"))
PAYER = predicate("Pay", input__user="u")


def count(body: str, variables: str = "(t: Timepoint)") -> str:
    return f"count for {variables}. where (formerly within 1h ({body}))"


CONDITIONS: Mapping[str, tuple[str, str]] = {
    "formerly": (
        "Write",
        f"formerly within 1h {predicate('Read', **ME, input__document='context.input.document')}",
    ),
    "response": ("Read", f"formerly within 30m {LOGGED_IN}"),
    "previous": ("Read", f"previous within 5m {LOGIN}"),
    "previous response": ("Read", f"previous within 1h {LOGGED_IN}"),
    "two at one place": (
        "Write",
        f"previous within 1h ({READ} && {predicate('Read', input__document=chr(34) + 'd1' + chr(34))})",
    ),
    "open session": ("Read", f"!{LOGOUT} since within 1h {LOGIN}"),
    "lasting": ("Login", f"{LOGIN} since within 1h {LOGIN}"),
    "count bound": (
        "Login",
        f"exists (n: Long). (({count(HERE + ' && tp(t)')}) == n && n > 2)",
    ),
    "count exact": ("Login", f"({count(LOGIN + ' && tp(t)')}) == 2"),
    "count on the right": ("Pay", f"1 < {count(PAY + ' && tp(t)')}"),
    "count now": ("Login", f"0 < count for (t: Timepoint). where ({predicate('Login', input__user='_')} && tp(t))"),
    "distinct": (
        "Login",
        f"({count(predicate('Login', input__user='u', input__server='context.input.server'), '(u: String)')}) <= 2",
    ),
    "two counts": (
        "Pay",
        f"({count(ANSWERED + ' && tp(t)')}) < {count(ASKED + ' && tp(t)')}",
    ),
    "sum of different": (
        "Pay",
        f"8 < sum a for (a: Long). where formerly within 1h {predicate('Pay', input__amount='a')}",
    ),
    "sum": (
        "Pay",
        "exists (s: Long). ((sum a for (a: Long), (t: Timepoint). where (formerly within 20m ("
        f"{predicate('Pay', 'response', **ME, output__amount='a')} && a > 1 && tp(t)))) == s && s <= 9)",
    ),
    "exists": ("Write", f'exists (u: String). formerly within 1h {SOMEBODY}{{ input.server: "s1" }}'),
    "join": (
        "Write",
        f"exists (u: String). (formerly within 1h {SOMEBODY} && formerly within 1h {PAYER})",
    ),
    "nested": (
        "Write",
        f"exists (u: String). (formerly within 1h {SOMEBODY} && exists (a: Long). (formerly within 30m "
        f"{predicate('Pay', input__user='u', input__amount='a')} && a > 3))",
    ),
    "correlated count": (
        "Read",
        f"exists (u: String). (formerly within 1h {SOMEBODY} && "
        f"exists (n: Long). (({count(SOMEBODY + ' && tp(t)')}) == n && n >= 2))",
    ),
    "negated": ("Read", f"formerly within 1h {LOGIN} && !formerly within 10m {PAY}"),
    "guarded": ("Read", f"formerly within 1h ({LOGIN} && !{LOGOUT})"),
    "both": ("Read", f"previous within 1h {PAY} && (!{LOGOUT} since within 2h {LOGIN})"),
    "scope": (
        "Read",
        f"formerly within 1h {predicate('Login', callerPrincipal='principal', callerResource='resource')}",
    ),
    "formerly in formerly": ("Write", f"formerly within 30m ({READ} && formerly within 20m {LOGIN})"),
    "since in formerly": ("Write", f"formerly within 30m ({READ} since within 20m {LOGIN})"),
}


def statement(effect: str, name: str, clause: str = "when") -> str:
    action, condition = CONDITIONS[name]
    return f'{effect}(principal, action == {ACTION}"{action}", resource) {clause} temporal {{ {condition} }};\n'


def policies() -> Iterator[str]:
    for name in CONDITIONS:
        yield statement("permit", name)
        yield "permit(principal, action, resource);\n" + statement("forbid", name)
        yield statement("permit", name, "unless")
    small = 'permit(principal, action == Shop::Action::"Pay", resource) when { context.input.amount < 4 };\n'
    second = 'forbid(principal, action == Shop::Action::"Read", resource) when { context.input.document == "d2" };\n'
    yield statement("permit", "formerly") + statement("permit", "open session") + small + second
    yield statement("permit", "nested") + statement("permit", "exists") + statement("permit", "sum", "unless")
    yield (
        f'permit(principal, action == {ACTION}"Pay", resource) when {{ context.input.amount < 5 && temporal {{ '
        f"{CONDITIONS['two counts'][1]} }} }};\n"
        f'permit(principal == Shop::User::"ann", action in [{ACTION}"Read", {ACTION}"Write"], resource)\n'
        'unless { context.input.user like "b*" };'
    )


@dataclass(frozen=True)
class Happening:
    """A request, or with ``output`` a response."""

    time: int
    action: str
    given: dict[str, Any]
    principal: str
    output: dict[str, Any] | None = None

    @property
    def line(self) -> str:
        """Return the event as a line of Dogwood's traces."""
        who, where = f'Shop::User::"{self.principal}"', 'Shop::Gateway::"g"'
        output = "" if self.output is None else f", output: {_record(self.output)}"
        kind = "request" if self.output is None else "response"
        return (
            f"@{self.time} scope(principal: {who}, resource: {where}) request_context(input: {_record(self.given)}) "
            f'{ACTION}"{self.action}"::{kind}(input: {_record(self.given)}{output}, callerPrincipal: {who}, '
            f'callerResource: {where}, requestId: "r")'
        )

    @property
    def event(self) -> Event:
        values = {**self.given, "principal": f'Shop::User::"{self.principal}"', "resource": 'Shop::Gateway::"g"'}
        return Event(
            self.action, values | ({} if self.output is None else {"output": self.output}), time=self.time * 10**9
        )


def _record(fields: Mapping[str, Any]) -> str:
    return f"{{ {', '.join(f'{name}: {json.dumps(value)}' for name, value in fields.items())} }}"


def history(rng: random.Random) -> list[Happening]:
    time, waiting, found = 0, list[Happening](), list[Happening]()
    for _ in range(rng.randint(3, 14)):
        time += rng.choice([0, 1, 60, 300, 600, 601, 1200, 1800, 3600])
        if waiting and rng.random() < 0.4:
            call = waiting.pop(rng.randrange(len(waiting)))
            outputs = {
                "Login": {"ok": rng.random() < 0.6},
                "Logout": {"ok": True},
                "Pay": {"amount": rng.randint(0, 4)},
            }
            found.append(replace(call, time=time, output=outputs.get(call.action, {})))
            continue
        action = rng.choice(["Login", "Login", "Logout", "Read", "Write", "Pay"])
        own = {"Login": ("server", ["s1", "s2"]), "Logout": ("server", ["s1"]), "Pay": ("amount", list(range(6)))}
        name, values = own.get(action, ("document", ["d1", "d2"]))
        given = {"user": rng.choice(["ann", "bob"]), name: rng.choice(values)}
        found.append(Happening(time, action, given, rng.choice(["ann", "bob"])))
        waiting.append(found[-1])
    return found


def decisions(policy: Policy, happenings: list[Happening]) -> Iterator[bool]:
    """Yield for each request whether it is allowed; every one counts as made."""
    progress = policy.start
    for each in happenings:
        if each.output is not None:
            answered = Occurrence(each.event, Phase.RESPONSE)
            tracks = (replace(track, history=track.history.extended(answered)) for track in progress.rules)
            progress = replace(progress, rules=tuple(tracks))
            continue
        progress, broken = policy.after(progress, each.event)
        assert all(one.is_certain for one in broken)
        yield not broken


def _action(name: str, given: str, output: str) -> str:
    context = f"input: {{ user: String, {given} }}, output?: {{ {output} }}, system: {{ now: datetime }}"
    return f'action "{name}" appliesTo {{ principal: [User], resource: [Gateway], context: {{ {context} }} }};'


SCHEMA = "\n".join(
    (
        "namespace Shop { entity Gateway; entity User = { id: String };",
        _action("Login", "server: String", "ok: Bool"),
        _action("Logout", "server: String", "ok: Bool"),
        _action("Read", "document: String", ""),
        _action("Write", "document: String", ""),
        _action("Pay", "amount: Long", "amount: Long"),
        "}",
    )
)
FIELDS = "callerPrincipal: principalType(A), callerResource: resourceType(A), requestId: String"
EVENTS = (
    f"decision event <A>::request {{ ...inputs(A), {FIELDS} }}\n"
    f"event <A>::response {{ ...inputs(A), ...outputs(A), {FIELDS} }}"
)


@pytest.mark.deep
def test_decisions_are_those_of_dogwood() -> None:
    native = pytest.importorskip("dogwood.native", reason="Dogwood is not installed")
    rng = random.Random(1)
    seen = {True: 0, False: 0}
    for text in policies():
        policy = read_policy(text)
        for _ in range(40):
            happenings = history(rng)
            trace = "".join(f"{each.line}\n" for each in happenings)
            expected = [line.endswith("true") for line in native.replay(text, SCHEMA, trace, EVENTS).splitlines()]
            found = list(decisions(policy, happenings))
            assert found == expected, f"{text}\n{trace}"
            for each in found:
                seen[each] += 1
    assert min(seen.values()) > 3000


# --- policies of ours as policies of Cedar ---------------------------------------------------------

RULES = (
    "never Write(document = d2)",
    "never Pay(amount > 3)",
    "Login before Read",
    "at most 2 Pay",
    "allow Login, Logout, Pay, Read",
    "Pay only if amount <= 3 and user in [ann, bob]",
    "Pay only if not amount = 2 or user != ann",
    "Read only if formerly Login(user = ?user) within 30m",
    "Write only if formerly Login(server = s1)",
    "Read only if no Logout(user = ?user) since Login(user = ?user) within 1h",
    "Write only if no Logout since Login(server != s2)",
    "Pay only if count Pay(user = ?user) within 1h <= 2",
    "Pay only if count Read within 20m < 2 or formerly Login within 5m",
    "Read only if formerly Pay(amount >= 2, user = ?user)",
    "Read only if formerly Pay(result.amount < 3)",
    "Login gives (here ?user)\nWrite only if (here ?user)",
    "Login gives (in ?user)\nLogout ends (in ?user)\nRead only if (in ?user) or document = d1",
    "Login(server = s1) gives (at ?user one)\nLogin(server = s2) gives (at ?user two)\nPay only if (at ?user two)",
)


def runs(policy: Policy, rng: random.Random) -> Iterator[tuple[Happening, bool | None]]:
    """Yield requests with our decisions, and responses: of requests that are allowed and do not fail."""
    progress = policy.start
    for each in history(rng):
        if each.output is not None:
            continue
        broken = policy.after(progress, each.event)[1]
        yield each, not broken
        if broken:
            continue
        output = {"Login": {"ok": True}, "Logout": {"ok": True}, "Pay": {"amount": rng.randint(0, 4)}}
        answer = replace(each, output=output.get(each.action, {}))
        if rng.random() < 0.2:
            progress = policy.after(progress, replace(each.event, failed=True))[0]
        else:
            yield answer, None
            progress = policy.after(progress, replace(each.event, result=answer.output))[0]


@pytest.mark.deep
def test_dogwood_decides_by_an_exported_policy_as_we_do() -> None:
    native = pytest.importorskip("dogwood.native", reason="Dogwood is not installed")
    rng = random.Random(2)
    seen = {True: 0, False: 0}
    for number in range(3 * len(RULES)):
        rules = [RULES[number % len(RULES)], *rng.sample(RULES, number // len(RULES))]
        policy = read_policy("\n".join(dict.fromkeys("\n".join(rules).split("\n"))))
        text = to_cedar(policy, "Shop")
        for _ in range(40):
            lines, expected = [], []
            for each, decision in runs(policy, rng):
                lines.append(f"{each.line}\n")
                expected += [] if decision is None else [decision]
            found = native.replay(text, SCHEMA, "".join(lines), EVENTS).splitlines()
            assert [line.endswith("true") for line in found] == expected, f"{policy}\n{text}\n{''.join(lines)}"
            for each_decision in expected:
                seen[each_decision] += 1
    assert min(seen.values()) > 1000


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("pay then receipt", "about a run"),
        ("at least 1 pay", "about a run"),
        ("order a < b", "about a run"),
        ("never delete_*", "name the tools"),
        ('pay only if iban ~ "DE.*"', "no regular expressions"),
        ("pay only if amount <= 0.5", "whole numbers"),
        ("pay only if previous verify", "a request and its response"),
        ("pay only if sum amount of pay <= 9", "does not add"),
        ("pay only if count pay(amount = 3) <= 9", "depends on its arguments"),
        ("pay only if (asked ?x)", "no call gives"),
        ("pay only if formerly @user", "name the tools"),
        ("pay only if principal = null", "in every request"),
        ("pay only if a-b != null", "not a name of an argument"),
    ],
)
def test_what_cedar_cannot_say_is_refused_with_the_rule(rule: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        to_cedar(read_policy(rule))
    assert rule.replace('"', "") in str(caught.value)


@pytest.mark.parametrize("rule", RULES)
def test_an_exported_policy_is_read_again(rule: str) -> None:
    assert read_policy(to_cedar(read_policy(rule), "A::B")).rules


def test_a_namespace_is_one() -> None:
    with pytest.raises(InputError, match="not a Cedar namespace"):
        to_cedar(read_policy("never pay"), 'A"')

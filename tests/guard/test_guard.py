"""The guard: what is allowed and denied, what would be right, calls at once, threads, the log."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from validator.adherence import adhere
from validator.errors import InputError, ModelError
from validator.guard import PlanGuard
from validator.policies import conform

TRIP = ("domains/trip/domain.pddl", "domains/trip/problem.pddl")
SEARCH = {"f": "fl-noon", "from": "oslo", "to": "rome"}


def made(guard: PlanGuard, name: str, arguments: Any = None, **end: Any) -> bool:
    decision = guard.before(name, arguments)
    if decision:
        guard.after(decision, **{"result": "ok", **end})
    return decision.allowed


def test_a_policy_is_kept_call_by_call() -> None:
    guard = PlanGuard("verify before pay\nat most 1 pay\npay then receipt")
    denied = guard.before("pay", {"amount": 1})
    assert denied.message == "Denied: (pay amount=1): pay needs verify before it. Call instead: verify."
    assert [made(guard, name) for name in ("verify", "pay", "pay")] == [True, True, False]
    assert [finding.faults[0].reason for finding in guard.finish()] == [
        "pay succeeded, and receipt did not succeed after it"
    ]
    assert made(guard, "receipt") and not guard.finish() and len(guard.denied) == 2


def test_a_model_whose_tools_only_their_joints_tell_apart_is_refused() -> None:
    domain = "(define (domain d) (:predicates (p)) (:action go-1 :effect (p)) (:action go_1 :effect (not (p))))"
    with pytest.raises(ModelError, match="calls do not tell go-1 and go_1 apart"):
        PlanGuard((domain, "(define (problem q) (:domain d) (:init) (:goal (p)))"))


def test_a_flow_is_no_model_that_calls_are_executed_on() -> None:
    flow: Any = {"flow": "f", "operators": [{"name": "go"}]}
    for ask in (
        lambda: PlanGuard(flow),
        lambda: conform("never go", [], model=flow),
        lambda: adhere(["go"], [], model=flow),
    ):
        with pytest.raises(ModelError, match="a flow is none"):
            ask()


def test_the_rest_keeps_each_policy_by_itself() -> None:
    rest = PlanGuard("read-only look\nlook before pay", "allow pay").before("pay").repaired(30)
    assert rest is not None and rest.steps == () and rest.proven
    rest = PlanGuard("look before pay", "read-only look\nallow pay").before("pay").repaired(30)
    assert rest is not None and rest.steps == ("(look)", "(pay)")


@pytest.mark.parametrize(("number", "reachable", "rest"), [(1, True, ("(x)", "(finish)")), (2, None, None)])
def test_what_several_policies_remember_of_one_call_is_one_call(number: int, reachable: bool | None, rest: Any) -> None:
    """One looks at times, one at requests: a call stood twice in what they remembered together."""
    names = "pay x finish"
    actions = " ".join(f"(:action {name} :effect ({name}))" for name in names.split())
    domain = f"(define (domain d) (:predicates {' '.join(f'({name})' for name in names.split())}) {actions})"
    problem = "(define (problem p) (:domain d) (:init) (:goal (finish)))"
    counts = f"finish only if count pay >= {number}\nat most 1 pay\nx before finish"
    paid = 'temporal { formerly within 1h S::Action::"pay"::request{} }'
    cedar = f'forbid(principal, action == S::Action::"y", resource) when {paid};'
    guard = PlanGuard(
        counts,
        f"permit(principal, action, resource);{cedar}",
        "z only if formerly pay within 1h",
        (domain, problem),
        lookahead=5,
    )
    assert made(guard, "pay")
    denied = guard.before("finish")
    assert denied.goal_reachable is reachable
    found = denied.repaired(30)
    assert found is not None and found.steps == rest


def test_what_one_policy_gives_another_may_ask_for_unless_a_model_could_say_it_too() -> None:
    policies = "login gives (in ?user)\nlogout ends (in ?user)", "pay only if (in ?user)"
    guard = PlanGuard(*policies)
    calls = ("pay", "login", "pay", "logout", "pay")
    assert [made(guard, name, {"user": "ann"}) for name in calls] == [False, True, True, True, False]
    with pytest.raises(InputError, match="itself, and another one may ask the model for it"):
        PlanGuard(*policies, TRIP)


@pytest.mark.parametrize(
    ("policy", "arguments", "instead"),
    [
        ("pay only if amount <= 500", {"amount": 600, "user": "ann"}, ("pay(amount = 500)",)),
        ("pay only if amount < 500", {"amount": 600}, ("pay(amount = 499)",)),
        ("pay only if amount <= 500\nnever pay(amount > 400)", {"amount": 600}, ("pay(amount = 400)",)),
        ("pay only if amount <= ?limit", {"amount": 7, "limit": 5}, ("pay(amount = 5)",)),
        ("pay only if amount <= 500 and formerly verify", {"amount": 600}, ("verify",)),
        ("pay only if user in [ann, bob]", {"user": "eve"}, ()),
        ('pay only if previous @user(text ~ "yes.*")', {}, ()),
        ("pay only if amount < 5 and not formerly refund", {"amount": 6}, ("pay(amount = 4)",)),
        ("pay only if (open)\nlogin gives (open)\nlogout ends (open)", {}, ("login",)),
    ],
)
def test_the_nearest_number_that_is_allowed_is_told_and_no_message(
    policy: str, arguments: dict[str, Any], instead: tuple[str, ...]
) -> None:
    assert PlanGuard(policy).before("pay", arguments).instead == instead


@pytest.mark.deep
def test_a_rest_without_the_denied_call_is_proven_where_no_run_has_it() -> None:
    """The one pick of 450 that would help is not among those that are tried: yet (finish) was called proven."""
    names = " ".join(f"o{number}" for number in range(450))
    domain = """(define (domain d) (:predicates (got ?x) (done))
      (:action pick :parameters (?x) :effect (got ?x)) (:action finish :parameters () :effect (done))
      (:action use :parameters (?x) :precondition (got ?x) :effect ()))"""
    for objects, proven in (("o0", True), (names, False)):
        problem = f"(define (problem p) (:domain d) (:objects {objects}) (:init) (:goal (done)))"
        rest = PlanGuard("at most 0 pick" if proven else "at most 1 pick", (domain, problem))
        found = rest.before("use", {"x": objects.split()[-1]}).repaired(60)
        assert found is not None and (found.steps, found.proven) == (("(finish)",), proven)


def test_calls_at_once_count_as_made_for_what_must_not_be_and_not_for_what_must() -> None:
    guard = PlanGuard("verify before pay\nat most 1 verify")
    first = guard.before("verify")
    assert first and not guard.before("verify") and not guard.before("pay")
    guard.withdraw(first)
    second = guard.before("verify")
    guard.after(second)
    assert guard.before("pay")
    with pytest.raises(ValueError, match="not open"):
        guard.after(second)


@pytest.mark.parametrize(
    "call",
    [
        {"name": "pay", "arguments": {"amount": 600}},
        {"type": "function", "function": {"name": "pay", "arguments": '{"amount": 600}'}},
        {"type": "tool_use", "id": "1", "name": "pay", "input": {"amount": "600"}},
        {"functionCall": {"name": "pay", "args": {"amount": 600.0}}},
    ],
)
def test_calls_of_any_provider(call: dict[str, Any]) -> None:
    guard = PlanGuard("pay only if amount <= 500")
    assert not guard.before(call) and guard.before({"name": "pay", "arguments": {"amount": 5}})


@pytest.mark.parametrize(
    ("subject", "call"),
    [
        ("pay only if amount <= 500", ("pay", {"amount": "much"})),
        ("pay only if amount <= 500", ({"text": "hello"}, None)),
        (TRIP, ("book_train", {})),
        (TRIP, ("search_flight", {**SEARCH, "f": "fl-9"})),
    ],
)
def test_what_is_not_understood_is_said_to_be_so_and_decided_by_the_caller(subject: Any, call: Any) -> None:
    strict, loose = PlanGuard(subject), PlanGuard(subject, not_understood="allow")
    decision = strict.before(*call)
    assert not decision and not decision.understood
    allowed = loose.before(*call)
    assert allowed and not allowed.understood and allowed.reason
    loose.after(allowed)


def test_a_plan_is_followed_in_its_order_with_reads_between() -> None:
    plan = [{"name": "reserve", "arguments": {"to": "JFK"}}, {"name": "book", "arguments": {"price": 10.0}}]
    guard = PlanGuard(plan=plan)
    assert not made(guard, "book", {"price": 10})
    assert made(guard, "get_weather") and not made(guard, "reserve", {"to": "LGA"})
    assert made(guard, "reserve", {"to": "JFK"}) and not made(guard, "book", {"price": 11})
    assert made(guard, "book", {"price": 10}) and not guard.finish() and not made(guard, "pay")
    assert not made(PlanGuard(plan=plan, read_only=()), "get_weather")


@pytest.mark.parametrize("line", ["send the parcel to Bob", "burn(x=3) if needed"])
def test_a_plan_of_which_a_piece_may_be_a_step_denies_nothing(line: str) -> None:
    """Of a call that the plan may ask for nobody can say that it is not planned."""
    with pytest.raises(InputError, match="the plan is not clear"):
        PlanGuard(plan=f"pick(x=1)\n{line}\nwrap(x=2)")


def test_a_plan_with_dependencies_is_followed_in_any_order_that_it_allows() -> None:
    plan = [
        {"id": 1, "name": "a", "arguments": {}},
        {"id": 2, "name": "b", "arguments": {}, "depends_on": []},
        {"id": 3, "name": "c", "arguments": {}, "depends_on": [1, 2]},
    ]
    guard = PlanGuard(plan=plan)
    assert not made(guard, "c") and made(guard, "b") and not made(guard, "c") and made(guard, "a") and made(guard, "c")


def test_a_plan_on_a_model_is_repaired_from_where_the_run_is() -> None:
    guard = PlanGuard(TRIP, plan="domains/trip/good.plan")
    assert made(guard, "ask_dates")
    rest = guard.before("ask_user", {"o": "fl-noon"}).repaired(60)
    assert rest is not None and rest.steps is not None and rest.steps[0] == "(search-flight fl-noon oslo rome)"


def test_the_log_is_a_trace(tmp_path: Path) -> None:
    guard = PlanGuard("never x", log=tmp_path / "log.jsonl")
    assert made(guard, "a", {"n": 1}) and not made(guard, "x") and made(guard, "b", error="no")
    assert adhere("a(n=1)\nb()", tmp_path / "log.jsonl").format == "records of calls"
    assert [call.error for call in adhere("a(n=1)\nb()", guard.trace).calls] == [None, "no"]
    assert conform("a before b", guard.trace).kept


def test_it_may_be_used_from_many_threads() -> None:
    guard = PlanGuard("at most 50 pay")
    allowed = []

    def work() -> None:
        for _ in range(25):
            decision = guard.before("pay", {})
            if decision:
                guard.after(decision, "ok")
                allowed.append(decision.number)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(allowed) == len(set(allowed)) == len(guard.trace) == 50 and len(guard.denied) == 150


def test_what_a_guard_needs() -> None:
    with pytest.raises(InputError, match="needs a policy"):
        PlanGuard()
    with pytest.raises(InputError, match="at most one model"):
        PlanGuard(TRIP, TRIP)


def test_a_policy_may_come_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "p.policy").write_text("never x")
    for policy in (tmp_path / "p.policy", str(tmp_path / "p.policy")):
        assert not PlanGuard(policy).before("x")


# --- numbers -----------------------------------------------------------------------------------------

SHOP = """(define (domain shop) (:requirements :typing :fluents :constraints) (:types item)
  (:predicates (bought ?i - item) (approved)) (:functions (budget) (price ?i - item))
  (:action approve :parameters () :effect (approved))
  (:action buy :parameters (?i - item) :precondition (and (not (bought ?i)) (>= (budget) (price ?i)))
    :effect (and (bought ?i) (decrease (budget) (price ?i)))))"""
ERRAND = """(define (problem errand) (:domain shop) (:objects pen desk lamp - item)
  (:init (= (budget) 100) (= (price pen) 3) (= (price desk) 90) (= (price lamp) 20))
  (:goal (and (bought pen) (bought desk))))"""


def test_a_model_with_numbers_is_kept_call_by_call() -> None:
    guard = PlanGuard((SHOP, ERRAND))
    assert made(guard, "buy", {"i": "desk"})
    denied = guard.before("buy", {"i": "lamp"})
    assert denied.reason == "(>= (budget) (price lamp)) is false: 10 >= 20"
    rest = denied.repaired(60)
    assert rest is not None and rest.proven and rest.steps == ("(buy pen)",)
    assert guard.finish()[0].faults[0].reason == "(bought pen) is false"
    assert guard.before("buy", {"i": "sofa"}).understood is False
    assert made(guard, "buy", {"i": "pen"}) and not guard.finish()
    assert conform("at most 3 buy", guard.trace, model=(SHOP, ERRAND), repair=False).kept


def test_a_model_with_constraints_is_refused() -> None:
    constrained = ERRAND.removesuffix(")") + "(:constraints (always (>= (budget) 5))))"
    with pytest.raises(ModelError, match="so that a model may not use constraints"):
        PlanGuard((SHOP, constrained))


ONE_WAY = """(define (domain one-way) (:predicates (at-home) (at-sea) (at-port) (paid))
  (:action pay :parameters () :precondition (at-home) :effect (paid))
  (:action sail :parameters () :precondition (at-home) :effect (and (at-sea) (not (at-home))))
  (:action land :parameters () :precondition (and (at-sea) (paid)) :effect (and (at-port) (not (at-sea)))))"""
VOYAGE = "(define (problem p) (:domain one-way) (:init (at-home)) (:goal (at-port)))"


def test_a_decision_says_whether_the_goal_can_still_be_reached() -> None:
    guard = PlanGuard((ONE_WAY, VOYAGE), lookahead=60)
    assert guard.before("land", {}).goal_reachable is True  # it is denied, and the others lead there
    decision = guard.before("sail", {})
    assert decision.allowed and decision.goal_reachable is False  # nobody can pay at sea
    guard.withdraw(decision)
    guard.after(guard.before("pay", {}), "ok")
    decision = guard.before("sail", {})
    assert decision.goal_reachable is True and decision.to_json()["goal_reachable"] is True
    assert PlanGuard((ONE_WAY, VOYAGE)).before("pay", {}).goal_reachable is None


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("pay before sail", True),
        ("never pay", False),
        ("at most 0 land", False),
        ("ask before pay", True),
        ("@user before pay", None),
        ("land only if formerly sail", True),
        ("sail only if formerly ask", None),
    ],
)
def test_a_way_to_the_goal_that_breaks_a_rule_does_not_count(rule: str, expected: bool | None) -> None:
    assert PlanGuard(rule, (ONE_WAY, VOYAGE), lookahead=60).before("land", {}).goal_reachable is expected


def test_a_call_that_is_allowed_counts_for_the_rules_about_the_way_to_the_goal() -> None:
    guard = PlanGuard("sail only if count sail <= 0", (ONE_WAY, VOYAGE), lookahead=60)
    assert guard.before("pay", {}).goal_reachable is not True
    guard = PlanGuard("pay only if count pay <= 1", (ONE_WAY, VOYAGE), lookahead=60)
    assert guard.before("pay", {}).goal_reachable is True

"""Constraints on the way and preferences behind first steps: the rest is judged as the whole is."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from validator import check
from validator.checking.monitor import check_rest
from validator.checking.prepared import Prepared, prepare
from validator.checking.under_way.follow import Follower
from validator.reading.plan import Step

DOMAIN = """(define (domain lamps)
  (:requirements :strips :typing :constraints :preferences :derived-predicates :universal-preconditions)
  (:types lamp)
  (:predicates (on ?l - lamp) (dark))
  (:functions (total-cost))
  (:derived (dark) (forall (?l - lamp) (not (on ?l))))
  (:action light :parameters (?l - lamp) :precondition (not (on ?l)) :effect (on ?l))
  (:action put-out :parameters (?l - lamp) :precondition (on ?l) :effect (not (on ?l)))
  (:action wait :parameters () :effect ()))
"""
PROBLEM = """(define (problem evening) (:domain lamps) (:objects a b - lamp)
  (:init {init}) (:goal {goal}) (:constraints (and {constraints})) {metric})
"""
CONDITIONS = ["(on a)", "(on b)", "(not (on a))", "(dark)", "(or (on a) (not (on b)))", "(and (on a) (on b))"]
STEPS = ["(light a)", "(light b)", "(put-out a)", "(put-out b)", "(wait)"]
_ONE = ("at end", "always", "sometime", "at-most-once")
_TWO = ("sometime-after", "sometime-before")
_conditions = st.sampled_from(CONDITIONS)
_within = st.builds("(within {} {})".format, st.integers(0, 4), _conditions)
_always_within = st.builds("(always-within {} {} {})".format, st.integers(0, 3), _conditions, _conditions)
_forall = st.builds(
    "(forall (?l - lamp) ({} {}))".format, st.sampled_from(_ONE), st.sampled_from(["(on ?l)", "(not (on ?l))"])
)
UNTIMED = st.one_of(
    st.builds("({} {})".format, st.sampled_from(_ONE), _conditions),
    st.builds("({} {} {})".format, st.sampled_from(_TWO), _conditions, _conditions),
    _forall,
)
COUNTING = st.one_of(UNTIMED, _within, _always_within)
INIT = st.sampled_from(["", "(on a)", "(on b)", "(on a) (on b)"])
PLANS = st.lists(st.sampled_from(STEPS), max_size=6)


def _prepared(init: str, constraints: list[str], soft: list[str], goal: str = "(and)") -> Prepared:
    preferences = [f"(preference p{number % 2} {text})" for number, text in enumerate(soft)]
    used = sorted({f"p{number % 2}" for number in range(len(soft))})
    costs = " ".join(f"(* {number + 1} (is-violated {name}))" for number, name in enumerate(used))
    metric = f"(:metric minimize (+ {costs} 0))" if used else ""
    text = PROBLEM.format(init=init, goal=goal, constraints=" ".join((*constraints, *preferences)), metric=metric)
    return prepare(DOMAIN, text)


@settings(max_examples=50, deadline=None)
@given(INIT, st.lists(COUNTING, max_size=3), st.lists(COUNTING, max_size=3), PLANS)
def test_a_rest_is_valid_where_the_whole_is_and_violates_the_same(
    init: str, hard: list[str], soft: list[str], steps: list[str]
) -> None:
    prepared, plan = _prepared(init, hard, soft), "\n".join(steps)
    whole = check(prepared, plan=plan, repair=False)
    for executed in range(len(steps) + 1):
        report = check_rest(prepared, plan, executed=executed, repair=False)
        known = not [failure for failure in whole.failures if failure.is_of_steps and failure.step is not None]
        if known:
            assert report.determination == whole.determination
            assert dict(report.violations) == dict(whole.violations)
        elif report.determination is not None:
            assert report.determination is False


@settings(max_examples=15, deadline=None)
@given(INIT, st.lists(UNTIMED, min_size=1, max_size=2), PLANS, st.integers(0, 6))
def test_the_repair_of_a_rest_makes_the_whole_valid(
    init: str, hard: list[str], steps: list[str], executed: int
) -> None:
    prepared, executed = _prepared(init, hard, [], "(on b)"), min(executed, len(steps))
    report = check_rest(prepared, "\n".join(steps), executed=executed)
    if report.repaired_plan is not None:
        assert list(map(str, report.repaired_plan))[:executed] == steps[:executed]
        again = check(prepared, plan="\n".join(map(str, report.repaired_plan)), repair=False)
        assert again.determination is True


@settings(max_examples=30, deadline=None)
@given(INIT, st.lists(COUNTING, min_size=1, max_size=2), PLANS)
def test_a_stream_ends_with_the_verdict_on_the_whole(init: str, hard: list[str], steps: list[str]) -> None:
    prepared = _prepared(init, hard, [])
    tokens = [Step(name=name, args=tuple(args)) for name, *args in (step.strip("()").split() for step in steps)]
    whole = check(prepared, plan="\n".join(steps), repair=False)
    follower = Follower(prepared, tokens)
    verdicts = [follower.begin().determination, *(follower.step(token).determination for token in tokens)]
    if not [failure for failure in whole.failures if failure.is_of_steps and failure.step is not None]:
        assert set(verdicts) == {whole.determination}


def test_what_constraints_speak_of_must_be_as_planned() -> None:
    prepared = _prepared("", ["(sometime (on a))"], [])
    plan = "(light a)\n(put-out a)\n(wait)"
    assert check_rest(prepared, plan, executed=2, state="(on b)").determination is True
    assert check_rest(_prepared("", ["(sometime (dark))"], []), plan, executed=2, state="(on b)").determination is None
    report = check_rest(prepared, plan, executed=2, state="(on a)")
    assert report.determination is None and "since when is not known" in report.reason


def test_what_happened_may_violate_a_constraint_whatever_comes() -> None:
    prepared = _prepared("", ["(always (not (on a)))"], [])
    report = check_rest(prepared, "(light a)\n(put-out a)\n(wait)", executed=2, state="(on b)")
    assert (report.determination, report.proven, report.repaired_plan) == (False, True, None)
    assert report.reason == "what happened violates (always (not (on a)))"


def test_a_constraint_on_what_is_paid_is_judged_with_what_was_paid() -> None:
    domain = DOMAIN.replace(":effect (on ?l)", ":effect (and (on ?l) (increase (total-cost) 2))")
    text = PROBLEM.format(
        init="(= (total-cost) 0)",
        goal="(on b)",
        constraints="(always (<= (total-cost) 2))",
        metric="(:metric minimize (total-cost))",
    )
    prepared = prepare(domain.replace(":strips", ":strips :fluents"), text)
    assert check_rest(prepared, "(light a)\n(light b)", executed=1, repair=False).determination is False

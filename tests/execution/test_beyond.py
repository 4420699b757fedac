"""Plans with numbers, time and soft conditions: each rule of the semantics on a model of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.models import BOTH_STEPS, TWO_STEPS
from validator import ModelError, Report, check
from validator.execution.trace import Failure, Kind
from validator.reading.plan import Step

PREDICATES = "(p) (q) (r)"


def asked(body: str, plan: str, init: str = "", goal: str = "(and)", rest: str = "", **options: object) -> Report:
    domain = f"(define (domain d) (:predicates {PREDICATES}) (:functions (x) (y)) {body})"
    problem = f"(define (problem n) (:domain d) (:init {init}) (:goal {goal}) {rest})"
    return check(domain, problem, plan, **{"repair": False, "time_limit": 300, **options})  # type: ignore[arg-type]


def action(name: str, effect: str, condition: str = "(and)") -> str:
    return f"(:action {name} :parameters () :precondition {condition} :effect {effect})"


def durative(name: str, condition: str, effect: str, duration: str = "(= ?duration 2)") -> str:
    return f"(:durative-action {name} :parameters () :duration {duration} :condition {condition} :effect {effect})"


def kinds(report: Report) -> list[tuple[Kind, int | None]]:
    return [(failure.kind, failure.step) for failure in report.failures]


def only(report: Report) -> Failure:
    (failure,) = report.failures
    return failure


# --- numbers -------------------------------------------------------------------------------------


def test_scaling() -> None:
    scale = action("up", "(scale-up (x) 3)") + action("down", "(scale-down (x) 7)")
    assert asked(scale, "(up) (down)", "(= (x) 1)", "(= (* 7 (x)) 3)").determination


@pytest.mark.parametrize(
    ("effect", "said"),
    [
        ("(increase (y) 1)", "(y) has no value"),
        ("(assign (x) (y))", "(y) has no value"),
        ("(assign (x) (/ 1 (x)))", "divides by zero"),
        ("(scale-down (x) 0)", "divides by zero"),
        ("(when (> (y) 0) (p))", "(y) has no value"),
    ],
)
def test_an_effect_that_reads_a_missing_value_is_a_fault(effect: str, said: str) -> None:
    failure = only(asked(action("a", effect), "(a)", "(= (x) 0)"))
    assert failure.kind is Kind.UNDEFINED_VALUE
    assert said in failure.unmet[0]


def test_a_false_comparison_says_its_values() -> None:
    report = asked(action("a", "(q)", "(>= (- (x) 1) (y))"), "(a)", "(= (x) 4) (= (y) 3.5)")
    assert only(report).causes[0].detail == "3 >= 3.5"
    assert "(>= (- (x) 1) (y)) is false: 3 >= 3.5" in report.feedback()


# --- time ----------------------------------------------------------------------------------------


def test_an_invariant_holds_in_the_open_interval_only() -> None:
    body = durative("run", "(over all (p))", "(at end (q))") + action("off", "(not (p))") + action("on", "(p)")
    assert asked(body, "1: (run) [2]\n3: (off)", "(p)").determination
    assert asked(body, "1: (on)\n1: (run) [2]").determination
    report = asked(body, "1: (run) [2]\n2: (off)\n2.5: (on)", "(p)")
    failure = only(report)
    assert (failure.kind, failure.step, failure.time, failure.until) == (Kind.OVER_ALL, 0, 2, Fraction(5, 2))
    assert "over all (from 2 to 2.5): (p) is false (step 2 deleted it)" in report.feedback()


def test_a_value_may_not_be_read_when_it_changes() -> None:
    body = durative("make", "(and)", "(at end (p))") + durative("use", "(at start (p))", "(at end (q))")
    assert asked(body, "0: (make) [2]\n2.001: (use) [2]").determination
    for start in ("2", "2.0009"):
        report = asked(body, f"0: (make) [2]\n{start}: (use) [2]")
        failure = next(failure for failure in report.failures if failure.kind is Kind.MUTEX)
        assert (failure.step, failure.rival) == (1, 0)
    assert asked(body, "0: (make) [2]\n2.0009: (use) [2]", epsilon=Fraction(1, 10000)).determination


@pytest.mark.parametrize(
    ("duration", "stated", "is_valid"),
    [
        ("(= ?duration (x))", "3", True),
        ("(= ?duration (/ 10 (x)))", "3.333", True),
        ("(= ?duration (/ 10 (x)))", "3.33", False),
        ("(and (>= ?duration 1) (<= ?duration 4))", "4", True),
        ("(and (>= ?duration 1) (<= ?duration 4))", "4.5", False),
        ("(< ?duration 3)", "3", False),
        ("(at end (<= ?duration (y)))", "9", True),
        ("()", "0", True),
        ("(= ?duration 0)", "0", True),
        ("(>= ?duration 0)", "0", True),
        ("(> ?duration 0)", "0", False),
        ("(>= ?duration 1)", "0", False),
        ("(= ?duration (r2))", "1", None),
    ],
)
def test_durations(duration: str, stated: str, is_valid: bool | None) -> None:
    body = durative("run", "(and)", "(and (at start (assign (y) 9)) (at end (q)))", duration)
    if is_valid is None:
        with pytest.raises(ModelError, match="undeclared function 'r2'"):
            asked(body, f"0: (run) [{stated}]")
        return
    report = asked(body, f"0: (run) [{stated}]", "(= (x) 3) (= (y) 0)")
    assert report.determination is is_valid
    assert is_valid or kinds(report) == [(Kind.DURATION, 0)]


@pytest.mark.parametrize(
    ("plan", "goal", "is_valid"),
    [
        ("0: (charge)", "(= (x) 10)", True),
        ("0: (run) [1]\n2: (charge)", "(= (x) 10)", True),
        ("0: (charge)\n4: (run) [1]\n6: (charge)", "(= (x) 10)", True),
        ("0: (charge)\n1: (drain)", "(= (x) 7)", True),
        ("0: (charge)\n1: (charge)", "(= (x) 10)", False),
        ("0: (charge)", "(= (x) 11)", False),
        ("0: (charge) [-1]", "(= (x) 10)", None),
        ("0: (drain)\n0.5: (undone)\n1: (charge)", "(= (x) 10)", None),
    ],
)
def test_a_duration_that_the_state_tells_need_not_be_stated(plan: str, goal: str, is_valid: bool | None) -> None:
    body = durative("charge", "(and)", "(at end (increase (x) (* 2 ?duration)))", "(= ?duration (/ (- 10 (x)) 2))")
    body += durative("run", "(and)", "(at end (decrease (x) 1))", "(= ?duration 1)") + action(
        "drain", "(decrease (x) 3)"
    )
    body += durative("undone", "(and)", "(at end (q))", "(>= ?duration 1)")
    assert asked(body, plan, "(= (x) 4)", goal).determination is is_valid


def test_a_missing_duration_is_the_only_one_or_open() -> None:
    report = asked(durative("run", "(and)", "(at end (q))"), "0: (run)", goal="(q)")
    assert report.determination
    assert any("states no duration" in warning for warning in report.warnings)
    unread = asked(durative("run", "(and)", "(at end (q))"), "0: (run) [-2]", goal="(q)")
    assert (unread.determination, "'[-2]'" in unread.reason) == (None, True)
    free = durative("run", "(and)", "(at end (q))", "(>= ?duration 1)")
    assert asked(free, "0: (run)").determination is None


def test_a_step_without_a_time_leaves_a_plan_over_time_open() -> None:
    report = asked(durative("run", "(and)", "(at end (q))"), "(run)")
    assert report.determination is None
    assert "no time stamp" in report.reason


@pytest.mark.parametrize(
    ("condition", "effect", "init", "kind"),
    [
        ("(at start (p))", "(at end (q))", "(p)", None),
        ("(and (at start (p)) (at end (p)))", "(at end (q))", "(p)", None),
        ("(and (at start (p)) (at end (q)))", "(at end (q))", "(p)", Kind.AT_END),
        ("(at start (q))", "(at end (q))", "", Kind.AT_START),
        ("(and)", "(and (at start (not (p))) (at end (and (p) (q))))", "(p)", Kind.MUTEX),
        ("(at end (p))", "(and (at start (p)) (at end (q)))", "(p)", Kind.MUTEX),
        ("(over all (p))", "(at end (q))", "", None),
        ("(and)", "(when (at start (p)) (at end (q)))", "(p)", None),
    ],
)
def test_the_two_parts_of_an_action_without_duration_do_not_interfere(
    condition: str, effect: str, init: str, kind: Kind | None
) -> None:
    report = asked(durative("run", condition, effect, "(= ?duration 0)"), "1: (run) [0]", init, "(q)")
    assert report.determination is (kind is None)
    assert kind is None or kind in [failure.kind for failure in report.failures]


@pytest.mark.parametrize(
    ("duration", "effect", "goal", "stated", "is_valid"),
    [
        ("(<= ?duration 5)", "(at end (increase (x) ?duration))", "(> (x) 5)", "5.001", None),
        ("(<= ?duration 5)", "(increase (x) (* #t 1))", "(> (x) 5)", "5.001", None),
        ("(= ?duration 5)", "(at end (increase (x) ?duration))", "(>= (x) 5)", "4.9995", None),
        ("(>= ?duration 5)", "(at end (increase (x) ?duration))", "(< (x) 5)", "4.999", None),
        ("(= ?duration (/ 10 3))", "(at end (increase (x) ?duration))", "(> (x) 3)", "3.333", True),
        ("(= ?duration 5)", "(at end (increase (x) ?duration))", "(> (x) 6)", "5.001", False),
        ("(<= ?duration 5)", "(at end (increase (x) ?duration))", "(> (x) 5)", "5.1", False),
    ],
)
def test_a_tolerance_never_decides(duration: str, effect: str, goal: str, stated: str, is_valid: bool | None) -> None:
    report = asked(durative("run", "(and)", effect, duration), f"0: (run) [{stated}]", "(= (x) 0)", goal)
    assert report.determination is is_valid
    told = " ".join((report.reason, *report.warnings))
    assert ("outside of its bounds" in told) is (stated != "5.1")


def test_a_duration_that_may_only_be_0_is_not_a_longer_one_by_tolerance() -> None:
    body = durative("a", "(and)", "(and (at start (p)) (at end (not (p))))", "(= ?duration 0)")
    assert asked(body, "1: (a) [0]").determination is False
    assert asked(body, "1: (a) [0.001]").determination is None


def test_a_step_before_the_plan_is_a_fault() -> None:
    failure = only(asked(durative("run", "(and)", "(at end (q))"), "-1: (run) [2]\n1: (run) [2]", "", "(q)"))
    assert (failure.step, failure.kind) == (0, Kind.DURATION)
    assert failure.detail == "it begins at -1, before the plan, which begins at 0"


def test_a_tolerance_does_not_open_a_window() -> None:
    body = durative("run", "(over all (p))", "(at end (q))", "(= ?duration 5)")
    facts = "(at 1 (p)) (at 6 (not (p)))"
    assert asked(body, "1.001: (run) [4.999]", facts, "(q)").determination is None
    assert asked(body, "1: (run) [5]", facts, "(q)").determination


def test_timed_literals_at_two_times_have_an_order_however_near_they_are() -> None:
    body = durative("run", "(and)", "(at end (q))", "()")
    assert asked(body, "1: (run) [9]", "(at 5 (p)) (at 5.0005 (not (p)))", "(not (p))").determination
    at_once = asked(body, "1: (run) [9]", "(at 5 (p)) (at 5 (not (p)))", "(not (p))")
    assert (at_once.determination, "timed literals interfere" in at_once.reason) == (None, True)


@pytest.mark.parametrize(
    ("constraint", "is_valid"),
    [
        ("(sometime (r))", None),
        ("(always (not (r)))", None),
        ("(at-most-once (r))", True),
        ("(and (always (q)) (sometime (r)))", False),
    ],
)
def test_whether_timed_literals_after_the_plan_keep_a_constraint_is_open(
    constraint: str, is_valid: bool | None
) -> None:
    body = durative("run", "(and)", "(at end (q))")
    report = asked(body, "0: (run) [2]", "(at 9 (r))", rest=f"(:constraints {constraint})")
    assert report.determination is is_valid
    assert is_valid is not None or "after the end of the plan" in report.reason


# --- PDDL 3 --------------------------------------------------------------------------------------

ON_OFF = "".join(
    action(f"{verb}-{name}", effect)
    for name in "pq"
    for verb, effect in (("on", f"({name})"), ("off", f"(not ({name}))"))
)


FALLING = "(:process leak :parameters () :precondition (q) :effect (decrease (x) (* #t 2)))" + action("on-q", "(q)")
FALLING += action("on-p", "(p)")


@pytest.mark.parametrize(("plan", "expected"), [("1: (on-q)\n4: (on-p)", None), ("1: (on-q)\n6: (on-p)", False)])
def test_what_must_always_hold_is_tested_after_happenings_only(plan: str, expected: bool | None) -> None:
    """From 1 on, 10 falls by 2 a unit: at 6 it is 0."""
    report = asked(FALLING, plan, "(= (x) 10)", rest="(:constraints (always (> (x) 0)))")
    assert report.determination is expected
    assert ("which is not executed" in report.reason) is (expected is None)


def test_an_open_constraint_hides_no_fault() -> None:
    constraints = "(:constraints (and (hold-after 5 (p)) (always (not (q))) (sometime (r))))"
    report = asked(ON_OFF, "(on-q)", goal="(p)", rest=constraints)
    assert report.determination is False
    assert kinds(report) == [(Kind.CONSTRAINT, 0), (Kind.CONSTRAINT, None), (Kind.GOAL, None)]
    assert [goal.literal for goal in report.unmet_goals] == ["(p)"]


@pytest.mark.parametrize(
    ("body", "plan", "init", "rest"),
    [
        (ON_OFF, "(on-q)", "", "(:constraints (preference late (hold-after 5 (p))))"),
        (
            durative("run", "(and)", "(at end (q))"),
            "0: (run) [2]",
            "(at 9 (r))",
            "(:constraints (preference late (sometime (r))))",
        ),
    ],
)
def test_a_preference_that_is_not_settled_leaves_the_cost_open_only(body: str, plan: str, init: str, rest: str) -> None:
    report = asked(body, plan, init, rest=f"{rest} (:metric minimize (is-violated late))")
    assert (report.determination, report.cost, report.violations) == (True, None, {})
    assert any("whether the preference late is violated" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("(:metric minimize (is-violated nise))", "undeclared preference 'nise'"),
        ("(:constraints (allways (p)))", "not a trajectory constraint"),
        ("(:constraints (within (p)))", "'within' takes 1 number and 1 condition"),
    ],
)
def test_errors_in_soft_conditions(rest: str, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        asked(action("a", "(and)", "(preference nice (p))"), "(a)", rest=rest)


def test_a_preference_over_all_is_violated_once_however_often_it_is_broken() -> None:
    soft = "(and (preference over (over all (p))) (preference first (at start (p))) (preference last (at end (p))))"
    report = asked(
        durative("run", soft, "(at end (q))", "(= ?duration 5)"),
        "0.5: (run) [5]",
        "(p) (at 2 (not (p))) (at 3 (p)) (at 4 (not (p)))",
        "(q)",
        rest="(:metric minimize (+ (is-violated over) (* 10 (is-violated first)) (* 100 (is-violated last))))",
    )
    assert (report.determination, report.cost) == (True, 101)


def test_a_preference_below_a_disjunction_is_an_error() -> None:
    with pytest.raises(ModelError, match="below 'and' and 'forall'"):
        asked(action("a", "(and)", "(or (p) (preference nice (p)))"), "(a)")


def test_atoms_whose_names_join_to_one_text_are_two() -> None:
    domain = """(define (domain d) (:predicates (p ?x ?y) (done))
      (:action a :parameters () :precondition (p oa ob) :effect (done)))"""
    problem = "(define (problem n) (:domain d) (:objects o aob oa ob) (:init (p o aob)) (:goal (done)))"
    domain = domain.replace("(:predicates", "(:constants oa ob) (:predicates")
    assert kinds(check(domain, problem, "(a)", repair=False)) == [(Kind.PRECONDITION, 0), (Kind.GOAL, None)]


@pytest.mark.parametrize(("plan", "determination"), [("(go t)", False), ("(put b t)\n(go t)", True)])
def test_a_comparison_that_some_object_must_meet_some_time_is_looked_at(plan: str, determination: bool) -> None:
    domain = """(define (domain van) (:requirements :typing :adl :fluents :constraints) (:types good truck)
      (:predicates (there ?t - truck)) (:functions (load ?g - good ?t - truck))
      (:action go :parameters (?t - truck) :precondition (and) :effect (there ?t))
      (:action put :parameters (?g - good ?t - truck) :precondition (and) :effect (increase (load ?g ?t) 1)))"""
    problem = """(define (problem q) (:domain van) (:objects a b - good t - truck)
      (:init (= (load a t) 0) (= (load b t) 0)) (:goal (there t))
      (:constraints (forall (?t - truck) (sometime (exists (?g - good) (> (load ?g ?t) 0))))))"""
    assert check(domain, problem, plan, repair=False).determination is determination


@pytest.mark.parametrize(
    ("plan", "determination"),
    [
        ("0: (open)\n4: (shut)", True),
        ("0: (open)\n0: -----waiting---- [4]\n4: (shut)\n4: @PlanEND", True),
        ("0: (open)\n0: -----waiting---- [4]\n4: @PlanEND", True),
        ("0: (open)\n4: @PlanEND", True),
        ("0: (open)\n3.9: @PlanEND", False),
        ("0: (open)", False),
        ("0: (open)\n3: (shut)\n3: @PlanEND", False),
    ],
)
def test_processes_go_on_until_the_text_says_that_the_plan_ends(plan: str, determination: bool) -> None:
    body = "(:process fill :parameters () :precondition (p) :effect (increase (x) (* #t 1)))"
    body += action("open", "(p)") + action("shut", "(not (p))")
    report = asked(body, plan, "(= (x) 0)", "(>= (x) 4)")
    assert report.determination is determination


SWITCHES = "(:event beep :parameters () :precondition (> (x) 9) :effect (q))" + action("open", "(p)")
SWITCHES += "(:action use :parameters () :precondition (p) :effect (q))"


@pytest.mark.parametrize(
    ("plan", "determination"),
    [
        ("0: (open)\n0: (use)\n0: @PlanEND", True),
        ("0: (use)\n0: (open)\n0: @PlanEND", False),
        ("0: (open)\n0: (use)", False),
        ("0: (open)\n0.001: (use)", True),
    ],
)
def test_steps_of_one_time_are_a_sequence_in_a_text_of_enhsp(plan: str, determination: bool) -> None:
    report = asked(SWITCHES, plan, "(= (x) 0)", "(q)")
    assert report.determination is determination
    if "PlanEND" in plan:
        assert any("steps of one time are executed one after the other, as ENHSP" in told for told in report.warnings)


# --- continuous change ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("(:process grow :parameters () :precondition (and) :effect (increase (x) (* #t (x))))", "itself"),
        ("(:event e :parameters () :precondition (> (x) 1) :effect (p))", "without end"),
        ("(:event e :parameters () :precondition (>= (x) 1) :effect (p))", "without end"),
    ],
)
def test_what_cannot_be_followed_exactly_is_open(body: str, said: str) -> None:
    grow = "" if "process" in body else "(:process g :parameters () :precondition (and) :effect (increase (x) #t))"
    report = asked(body + grow + action("a", "(q)"), "3: (a)", "(= (x) 0.5)")
    assert report.determination is None
    assert said in report.reason


def test_events_happen_at_the_beginning_and_before_a_step_of_their_time() -> None:
    event = "(:event e :parameters () :precondition (and (>= (x) 2) (not (p))) :effect (and (p)))"
    process = "(:process run :parameters () :precondition (and) :effect (increase (x) (* #t 1)))"
    for begins in (0, 2):
        assert asked(event + process + action("a", "(q)", "(p)"), "2: (a)", f"(= (x) {begins})", "(q)").determination


def test_an_event_without_a_first_time_happens_at_the_border() -> None:
    body = "(:event e :parameters () :precondition (> (x) 1) :effect (and (p) (assign (x) 0)))"
    body += "(:process g :parameters () :precondition (and) :effect (increase (x) #t))" + action("a", "(q)")
    report = asked(body, "3: (a)", "(= (x) 0.5)", "(= (x) 0.5)")
    assert report.determination
    assert (
        "the condition of the event (e) holds right after 0.5, and at no first time; it happens then" in report.warnings
    )
    assert asked(body, "1.5: (a)", "(= (x) 0.5)", "(not (p))").determination is False
    assert asked(body, "0.5: (a)", "(= (x) 0.5)", "(not (p))").determination


def test_a_chain_of_events_without_end_is_named() -> None:
    one = "(:event e :parameters () :precondition (p) :effect (increase (x) 1))"
    report = asked(one + action("on", "(p)"), "1: (on)", "(= (x) 0)")
    assert (report.determination, "(e) makes itself possible again" in report.reason) == (None, True)
    two = """(:event e :parameters () :precondition (p) :effect (and (not (p)) (q)))
      (:event f :parameters () :precondition (q) :effect (and (not (q)) (p)))"""
    report = asked(two + action("on", "(p)"), "1: (on)")
    assert (report.determination, "without end at 1: (e) and (f)" in report.reason) == (None, True)


FULL = "(:derived (r) (> (x) 1))" + action("a", "(q)", "(r)") + action("more", "(increase (x) 1)")


def test_derived_comparisons_under_continuous_change_are_open() -> None:
    process = "(:process p :parameters () :precondition (and) :effect (increase (x) (* #t 1)))"
    report = asked(FULL + process, "5: (a)", "(= (x) 1)")
    assert report.determination is None
    assert "derived predicates compare numbers" in report.reason


def test_no_repair_is_said_to_be_proven_where_derived_predicates_compare_numbers() -> None:
    report = asked(FULL, "(a)", "(= (x) 1)", repair=True)
    assert (report.determination, report.repaired_plan, report.proven) == (False, None, False)
    assert "no repair: numbers-in-derived-predicates" in report.reason


# --- object fluents ------------------------------------------------------------------------------

TRUCK = """(define (domain d) (:requirements :object-fluents) (:types truck place) (:constants t u - truck)
  (:predicates (seen ?p - place)) (:functions (loc ?t - truck) (home) - place)
  (:action drive :parameters (?t - truck ?to - place) :precondition (not (= (loc ?t) ?to))
   :effect (assign (loc ?t) ?to))
  (:action look :parameters (?t - truck) :precondition (= (loc ?t) (home)) :effect (and))
  (:action tell :parameters (?t - truck ?p - place) :precondition (seen (loc ?t)) :effect (and)))"""


@pytest.mark.parametrize(
    ("plan", "is_valid"),
    [
        ("(drive t z) (look t)", True),
        ("(look t)", False),
        ("(drive t z) (drive t z)", False),
        ("(drive t y) (tell t x)", True),
        ("(tell u x)", False),
    ],
)
def test_object_fluents(plan: str, is_valid: bool) -> None:
    problem = """(define (problem n) (:domain d) (:objects x y z - place)
      (:init (= (loc t) x) (= (home) z) (seen y)) (:goal (and)))"""
    assert check(TRUCK, problem, plan, repair=False).determination is is_valid


CARRY = """(define (domain d) (:requirements :object-fluents) (:types thing place) (:constants c v - thing x - place)
  (:predicates (seen ?p - place) (done)) (:functions (loc ?t - thing) - place (carrier ?t - thing) - thing)
  (:action put :parameters (?t ?from - thing) :precondition (and) :effect (assign (loc ?t) (loc ?from)))
  (:action look :parameters (?t - thing) :precondition (and) :effect (and (seen (loc ?t)) (done)))
  (:action forget :parameters (?t - thing) :precondition (and) :effect (not (seen (loc ?t))))
  (:action move :parameters (?t - thing ?p - place) :precondition (and) :effect (assign (loc (carrier ?t)) ?p)))"""


@pytest.mark.parametrize(
    ("plan", "goal", "is_valid"),
    [
        ("(put c v)", "(and (= (loc c) y) (not (= (loc c) x)))", True),
        ("(put c v) (look c)", "(and (seen y) (not (seen x)))", True),
        ("(look v) (forget v)", "(not (seen y))", True),
        ("(move c x)", "(and (= (loc v) x) (not (= (loc v) y)) (not (= (loc c) x)))", True),
        ("(look c)", "(done)", False),
        ("(move v x)", "(and)", False),
    ],
)
def test_object_fluents_are_read_in_effects(plan: str, goal: str, is_valid: bool) -> None:
    problem = f"""(define (problem n) (:domain d) (:objects y - place)
      (:init (= (loc v) y) (= (carrier c) v)) (:goal {goal}))"""
    report = check(CARRY, problem, plan, repair=False)
    assert report.determination is is_valid
    if not is_valid:
        failure = report.failures[0]
        assert (failure.kind, failure.step) == (Kind.PRECONDITION, 0)
        assert failure.unmet[0].startswith("(exists (")


@pytest.mark.parametrize(
    ("body", "plan"),
    [
        ("(:action a :parameters () :effect (when (q) (assign (loc) (home))))", "(a)\n"),
        (
            "(:durative-action a :parameters () :duration () :condition () :effect (at end (at-place (loc))))",
            "0: (a) [1]",
        ),
        ("(:event e :parameters () :precondition (q) :effect (and (not (q)) (at-place (loc))))", ""),
    ],
)
def test_object_fluents_read_in_other_effects_are_open(body: str, plan: str) -> None:
    domain = f"(define (domain d) (:predicates (q) (at-place ?x)) (:functions (loc) (home) - object) {body})"
    report = check(domain, "(define (problem n) (:domain d) (:objects h) (:init) (:goal (and)))", plan, repair=False)
    assert (report.determination, "object-fluents-read-in-effects" in report.reason) == (None, True)
    unused = check(domain, "(define (problem n) (:domain d) (:objects h) (:init) (:goal (and)))", "", repair=False)
    assert unused.determination is (None if "event" in body else True)


@pytest.mark.parametrize(("kind", "determination"), [("place", None), ("room", True), ("cell", True)])
def test_an_object_fluent_that_may_get_a_value_of_another_type_is_open(kind: str, determination: bool | None) -> None:
    domain = f"""(define (domain d) (:types room hall - place cell - room) (:functions (loc) - room)
        (:action go :parameters (?x - {kind}) :effect (assign (loc) ?x)))"""
    problem = "(define (problem n) (:domain d) (:objects c - cell) (:init) (:goal (= (loc) c)))"
    report = check(domain, problem, "(go c)", repair=False)
    assert (report.determination, "object-fluents-of-other-types" in report.reason) == (determination, kind == "place")


def test_a_derived_atom_is_read_with_all_that_it_is_derived_from() -> None:
    body = "(:derived (r) (or (p) (q)))" + action("off-p", "(not (p))") + action("off-q", "(not (q))")
    body += durative("run", "(at start (r))", "(at end (when (r) (p)))")
    for plan in ("1: (run) [2]\n1: (off-p)\n1: (off-q)", "1: (run) [2]\n3: (off-q)"):
        report = asked(body, plan, "(p) (q)")
        assert {failure.kind for failure in report.failures} == {Kind.MUTEX}
        assert "which the other reads by (r)" in report.failures[0].detail


def test_a_preference_of_an_action_reads_what_it_asks_for() -> None:
    body = action("a", "(q)", "(preference n (p))") + action("b", "(p)")
    assert only(asked(body, "1: (a)\n1: (b)", "(p)")).kind is Kind.MUTEX
    assert asked(body, "1: (a)\n2: (b)").determination


@pytest.mark.parametrize(("init", "is_valid"), [("(= (x) 0) (= (y) 0)", True), ("(p) (= (x) 0) (= (y) 0)", False)])
def test_a_conditional_effect_reads_values_only_where_it_takes_place(init: str, is_valid: bool) -> None:
    body = durative("run", "(over all (and))", "(at end (when (p) (assign (y) (x))))")
    body += action("up", "(increase (x) 1)")
    assert asked(body, "0: (run) [2]\n2: (up)", init).determination is is_valid


# --- epsilon and VAL's tolerance -----------------------------------------------------------------

MAKE_AND_READ = durative("make", "(over all (and))", "(at end (p))") + durative("run", "(at start (p))", "(at end (q))")


def test_acts_that_interfere_are_epsilon_apart() -> None:
    plan = "0: (make) [2]\n2.0002: (run) [2]"
    determinations = [asked(MAKE_AND_READ, plan, goal="(q)", epsilon=e).determination for e in ("0.001", "0.0002")]
    assert determinations == [False, True]


@pytest.mark.parametrize("name", ["epsilon", "tolerance"])
def test_epsilon_and_the_tolerance_may_be_0(name: str) -> None:
    for start, is_valid in (("2", False), ("2.0000001", True)):
        plan = f"0: (make) [2]\n{start}: (run) [2]"
        assert asked(MAKE_AND_READ, plan, goal="(q)", **{name: 0}).determination is is_valid


@pytest.mark.parametrize(
    ("start", "tolerances"),
    # What VAL of 2024 says of these plans with -t 0.001, 0.01 and 0.1.
    [("2.0005", (True, False, False)), ("2.0011", (True, True, False)), ("2.0101", (True, True, True))],
)
def test_the_tolerance_makes_acts_within_a_tenth_of_it_happen_at_once(start: str, tolerances: tuple[bool, ...]) -> None:
    for tolerance, is_valid in zip(("0.001", "0.01", "0.1"), tolerances, strict=True):
        report = asked(MAKE_AND_READ, f"0: (make) [2]\n{start}: (run) [2]", goal="(q)", tolerance=tolerance)
        assert report.determination is is_valid


def test_acts_of_two_happenings_may_be_nearer_than_those_of_one() -> None:
    body = action("a", "(p)") + action("b", "(q)") + action("c", "(r)", "(q)")
    body += durative("d", "(over all (and))", "(at end (p))")
    plan = "0: (a)\n0.0008: (b)\n0.0012: (c)"  # the first two happen at 0, and the third reads the second
    assert asked(body, plan, goal="(r)", tolerance="0.01").determination
    assert asked(body, plan, goal="(r)").determination is False


@pytest.mark.parametrize(("tolerance", "is_valid"), [(None, True), ("0.0009", True), ("0.001", False), ("0.01", False)])
def test_the_tolerance_makes_stamped_steps_of_classical_models_happen_at_once(
    tolerance: str | None, is_valid: bool
) -> None:
    report = check(TWO_STEPS, BOTH_STEPS, "0.0: (a)\n0.0001: (b)\n", repair=False, tolerance=tolerance)
    assert report.determination is is_valid
    assert [token.time for token in report.reference if isinstance(token, Step)] == [0, Fraction("0.0001")]


def test_durations_may_be_off_by_the_tolerance_and_nothing_starts_and_ends_at_once() -> None:
    for duration, is_valid in (("1.995", True), ("2.005", True), ("2.02", False)):
        assert asked(MAKE_AND_READ, f"0: (make) [{duration}]", tolerance="0.01").determination is is_valid
    body = durative("d", "(over all (and))", "(at end (p))", "(> ?duration 0)")
    report = asked(body, "0: (d) [0.001]", goal="(p)", tolerance="0.01")
    assert (report.determination, "as one happening" in report.reason) == (None, True)


def test_with_a_tolerance_no_repair_is_looked_for_and_epsilon_has_no_place() -> None:
    report = asked(MAKE_AND_READ, "0: (make) [2]\n2: (run) [2]", goal="(q)", tolerance="0.01", repair=True)
    assert (report.repaired_plan, report.proven) == (None, False)
    assert report.reason.endswith("with VAL's tolerance no repair is looked for")
    with pytest.raises(ValueError, match="two ways"):
        asked(MAKE_AND_READ, "", tolerance="0.01", epsilon="0.01")


def test_a_fault_names_object_fluents_as_the_model_writes_them() -> None:
    domain = """(define (domain d) (:types tr pl) (:functions (loc ?t - tr) (home ?t - tr) - pl)
      (:predicates (free ?p - pl))
      (:action rest :parameters (?t - tr) :precondition (and (= (loc ?t) (home ?t)) (free (loc ?t))) :effect ()))"""
    problem = """(define (problem p) (:domain d) (:objects t - tr x y - pl)
      (:init (= (loc t) x) (= (home t) y)) (:goal (and)))"""
    failure = only(check(domain, problem, "(rest t)\n", repair=False))
    assert failure.unmet == ("(= (loc t) (home t))", "(free (loc t))")


def test_that_a_plan_lacks_validity_proves_nothing_of_plans_with_actions_that_are_not_executed() -> None:
    domain = """(define (domain d) (:types t) (:predicates (p)) (:functions (loc) - t)
      (:action set :parameters (?x ?y - t) :effect (and (assign (loc) ?x) (when (p) (assign (loc) ?y))))
      (:action rest :parameters () :effect (p)))"""
    problem = "(define (problem q) (:domain d) (:objects a b - t) (:init (= (loc) a)) (:goal (= (loc) b)))"
    report = check(domain, problem, "(rest)\n")
    assert (report.determination, report.repaired_plan, report.proven) == (False, None, False)
    assert check(domain, problem, "(rest)\n", repair=False).proven


def test_an_object_fluent_begins_with_a_value_of_its_type() -> None:
    domain = """(define (domain d) (:types place) (:functions (loc) - place)
      (:action go :parameters (?x - place) :effect (assign (loc) ?x)))"""
    problem = (
        "(define (problem p) (:domain d) (:objects t - object x - place) (:init (= (loc) %s)) (:goal (= (loc) x)))"
    )
    assert check(domain, problem % "x", "; empty plan", repair=False).determination
    with pytest.raises(ModelError, match="'t' is not of type place, which function 'loc' declares"):
        check(domain, problem % "t", "(go x)\n", repair=False)

"""Plans and policies in models with several outcomes, at the door of ``check``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.laws import command
from validator import ModelError, PlanError, Report, check

DOMAIN = """(define (domain coffee) (:requirements :adl :non-deterministic)
(:predicates (clean) (jammed) (cup) (seen))
(:action brew :parameters () :precondition (and (clean) (not (jammed))) :effect (oneof (cup) (jammed)))
(:action free :parameters () :precondition (jammed) :effect (not (jammed)))
(:action drop :parameters () :precondition (cup) :effect (and (not (cup)) (not (clean)) (jammed)))
(:action wash :parameters () :effect (clean))
(:action look :parameters () :observe (clean)))"""
PLAIN = DOMAIN.replace("(:action look :parameters () :observe (clean))", "")


def problem(init: str, goal: str = "(cup)") -> str:
    return f"(define (problem p) (:domain coffee) (:init {init}) (:goal {goal}))"


def table(*entries: tuple[str, str]) -> str:
    return "\n".join(f"If holds: {when}\nExecute: {act}\n" for when, act in entries)


BREW, FREE, WASH = ("(clean), (not (jammed))", "brew"), ("(jammed)", "free"), ("(not (clean))", "wash")


def right(report: Report) -> str:
    assert report.outcomes is not None
    return report.outcomes.right


# --- policies ----------------------------------------------------------------------------------------------


def test_the_first_entry_that_holds_and_is_not_forbidden_counts() -> None:
    entries = table(("", "wash"), BREW, FREE)
    assert check(PLAIN, problem("(clean)"), entries, repair=False).determination is False
    forbidden = f"Policy:\n{entries}\nFSAP:\nIf holds: clean()\nForbid: wash\n"
    report = check(PLAIN, problem(""), forbidden)
    assert right(report) == "strong cyclic"
    report = check(PLAIN, problem(""), forbidden.replace("free", "wash"))
    assert report.determination is False and "no edits are looked for" in report.warnings[-1]


def test_an_entry_that_says_that_the_goal_holds_is_no_step() -> None:
    text = table(("cup()", "goal / SC / d=0"), BREW, FREE)
    assert check(PLAIN, problem("(clean)"), text).determination is True
    assert check(PLAIN, problem("(clean)"), f"\ufeff{text}").determination is True


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("If holds: (clen)\nExecute: brew", r":1:12: unknown predicate 'clen' \(did you mean 'clean'"),
        ("If holds: (clean a)\nExecute: brew", "predicate 'clean' takes 0 arguments, got 1"),
        ("If holds: (clean\nExecute: brew", ":1:11: an atom such as on"),
        ("If holds: (clean)\nExecute: bre", r":2:10: unknown action 'bre' \(did you mean 'brew'"),
        ("If holds: (clean)\nExecute: brew cup", "action 'brew' takes 0 arguments, got 1"),
        ("If holds: (clean)\nExecute:", "'ACTION OBJECT ...' was expected"),
        ("If holds: (clean)\nRun: brew", ":2:1: 'Execute: ACTION OBJECT ...' was expected"),
        ("If holds: (clean)\n", ":1:1: 'Execute:' is missing"),
        ("If holds: (clean)\n\nIf holds: (cup)\nExecute: brew", ":3:1: 'Execute:' was expected"),
        ("Execute: brew\nIf holds: (clean)\nExecute: brew", ":1:1: 'If holds:' was expected before 'Execute:'"),
        ("If holds: var0:1\nExecute: brew", "names of atoms, not of variables"),
        ("If holds: <none of those>\nExecute: brew", "which atoms are false is not said"),
        ("1 (clean)\n%%\n1 (brew)\n%%\npolicy 1 1 0 0", ":4:1: policies are read as a table"),
        ("Controller -- CS = Controller State - START\nAtom (CS)\n", "policies are read as a table"),
        ("0||0 --- WASH --- SON: 1||0\n1||0 --- BREW --- SON: 2||0", "policies are read as a table"),
    ],
)
def test_what_cannot_be_read_of_a_policy_is_an_error_at_its_place(text: str, said: str) -> None:
    with pytest.raises(PlanError, match=said):
        check(PLAIN, problem("(clean)"), text)


def test_the_fewest_edits_are_printed_and_none_where_no_policy_is_right() -> None:
    report = check(PLAIN, problem("(clean)"), table(BREW, ("(jammed)", "wash")))
    assert report.outcomes is not None and report.outcomes.edits is not None
    assert report.outcomes.edits.lines == ("-(jammed): (wash)", "+(jammed): (free)")
    assert report.planner_response.cost == report.planner_response.lower_bound == 1
    report = check(PLAIN, problem("(clean)", "(seen)"), table(BREW))
    assert report.planner_response.no_solution and "no policy is valid (proven)" in str(report)


def test_a_table_reads_more_than_a_plan_that_senses_may_see() -> None:
    report = check(DOMAIN, problem("(unknown (clean))"), table(WASH, BREW, FREE))
    assert report.determination is None and "reads the whole state" in report.reason


# --- plans -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("init", "plan", "expected"),
    [
        ("(oneof (cup) (jammed))", "(wash)", "some"),
        ("(or (cup) (jammed))", "(wash)", "some"),
        ("(oneof (and (clean) (cup)) (cup))", "(wash)", "all"),
        ("(probabilistic 0.3 (cup) 0.7 (and (cup) (clean)))", "(wash)", "all"),
        ("(probabilistic 0 (jammed) 0.5 (cup))", "(wash)", "some"),
        ("(probabilistic 0.5 (cup) 0.5 (cup))", "(wash)", "all"),
        ("(probabilistic 1/3 (cup) 2/3 (and (cup) (clean)))", "(wash)", "all"),
        ("(or (cup) (clean)) (not (clean))", "(wash)", "all"),
        ("(unknown (cup))", "(wash)", "some"),
        ("(clean)", "(brew)", "some"),
        ("(unknown (clean))", "(free)", "none"),
    ],
)
def test_a_plan_is_right_in_all_outcomes_in_some_or_in_none(init: str, plan: str, expected: str) -> None:
    report = check(DOMAIN, problem(init), plan + "\n")
    assert right(report) == expected and report.determination is (expected == "all")


def test_too_many_states_are_unknown_unless_a_run_goes_wrong_before() -> None:
    atoms = " ".join(f"(a{number})" for number in range(10))
    acts = "(:action go :parameters () :precondition (a1) :effect (p)) (:action stay :parameters () :effect (p))"
    toss = "".join(f"(oneof (a{number}) (not (a{number})))" for number in range(10))
    domain = f"(define (domain d) (:predicates (p) {atoms}) {acts} (:action toss :parameters () :effect (and {toss})))"
    unknown = " ".join(f"(unknown (a{number}))" for number in range(10))

    def judged(init: str, plan: str) -> Report:
        return check(domain, f"(define (problem x) (:domain d) (:init {init}) (:goal (p)))", plan)

    assert judged(unknown, "(stay)\n").reason == "there are more than 1,000 initial states"
    assert judged(unknown.replace("(unknown (a9))", ""), "(stay)\n").determination is True
    assert judged("", "(toss)\n(stay)\n").reason == "(toss) has more than 1,000 outcomes"
    report = judged(unknown.replace("(unknown (a9))", "(p)"), "(go)\n(toss)\n")
    assert report.determination is False and right(report) == "not all"


def test_thousands_of_choices_are_unknown() -> None:
    names = " ".join(f"o{number}" for number in range(3_000))
    domain = """(define (domain d) (:predicates (p ?x) (q))
        (:action toss :effect (forall (?x) (oneof (p ?x) (p ?x)))) (:action go :effect (q)))"""
    model = f"(define (problem x) (:domain d) (:objects {names}) (:init) (:goal (q)))"
    assert check(domain, model, "(toss)\n(go)\n").reason == "(toss) has more than 1,000 outcomes"
    unknown = " ".join(f"(unknown (p {name}))" for name in names.split())
    report = check(domain, model.replace("(:init", f"(:init {unknown}"), "(go)\n")
    assert report.reason == "there are more than 1,000 initial states"


def test_a_problem_that_no_state_meets_is_unknown() -> None:
    report = check(DOMAIN, problem("(oneof (clean) (cup)) (cup) (clean)"), "(wash)\n")
    assert report.determination is None and "no initial state" in report.reason


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(oneof (cup) (jammed))", "(oneof)", "effects were expected after 'oneof'"),
        ("(oneof (cup) (jammed))", "(probabilistic 0.5)", "an effect was expected after the probability"),
        ("(oneof (cup) (jammed))", "(probabilistic 1.5 (cup))", "a probability from 0 to 1 was expected, not '1.5'"),
        ("(oneof (cup) (jammed))", "(probabilistic 1/0 (cup))", "a probability from 0 to 1 was expected, not '1/0'"),
        ("(oneof (cup) (jammed))", "(probabilistic 0.6 (cup) 0.6 (jammed))", "add up to more than 1"),
        ("(oneof (cup) (jammed))", "(oneof (cup) (jamed))", "undeclared predicate 'jamed'.*did you mean 'jammed'"),
        (":observe (clean)", ":observe (clen)", "undeclared predicate 'clen'.*did you mean 'clean'"),
    ],
)
def test_what_is_wrong_with_a_domain_is_told_at_its_place(old: str, new: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        check(DOMAIN.replace(old, new), problem(""), "(wash)\n")
    assert caught.value.line is not None


@pytest.mark.parametrize(
    ("init", "said"),
    [
        ("(unknown (clean) (cup))", "one atom was expected"),
        ("(unknown (and (clean) (cup)))", r"'\(unknown ATOM\)' was expected"),
        ("(oneof)", "literals were expected"),
        ("(oneof (clean) (or (cup) (jammed)))", "a literal, or .and LITERAL ...., was expected"),
        ("(oneof (clen) (cup))", "undeclared predicate 'clen'.*did you mean 'clean'"),
    ],
)
def test_what_is_wrong_with_an_uncertain_state_is_told_at_its_place(init: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        check(DOMAIN, problem(init), "(wash)\n")
    assert caught.value.line is not None


def test_rewards_do_not_matter() -> None:
    domain = PLAIN.replace("(oneof (cup) (jammed))", "(and (oneof (cup) (jammed)) (decrease (reward) 1))")
    task = problem("(clean)").replace("(:goal", "(:goal-reward 10) (:metric maximize (reward)) (:goal")
    assert right(check(domain, task, table(BREW, FREE))) == "strong cyclic"
    assert check(domain, task.replace("(cup)", "(clean)"), "(wash)\n").determination is True


def test_numbers_beside_several_outcomes_are_unknown() -> None:
    domain = PLAIN.replace("(:action free", "(:functions (f)) (:action pay :effect (increase (f) 1)) (:action free")
    for plan in (table(BREW, FREE), "(brew)\n"):
        report = check(domain, problem("(clean)"), plan)
        assert report.determination is None and ("numeric-fluents" in report.reason or "effects" in report.reason)


def test_the_command_has_the_exit_codes_of_other_checks(tmp_path: Path) -> None:
    texts = (PLAIN, problem("(clean)"), table(BREW, FREE), table(BREW), table(("(clen)", "brew")))
    paths = [tmp_path / f"file{number}" for number in range(5)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    domain, task, good, bad, broken = map(str, paths)
    code, output = command("check", domain, task, good)
    assert code == 0 and "a strong cyclic policy (3 states)" in output
    code, output = command("check", domain, task, bad, "--format", "html")
    assert code == 1 and "outcome 2 of 2" in output and "+(clean) (jammed), nothing else: (free)" in output
    assert command("check", domain, task, bad, "--format", "json")[0] == 1
    assert check(*texts[:2], texts[3], certify=True).no_certificate == "policies have none"
    assert command("check", domain, task, broken)[0] == 2

"""The checker of certificates: what it accepts, which obligation it finds broken, what it cannot read."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from validator import check, prepare
from validator.certificates import plan_certify
from validator.certificates.plan_certify import RefusedError, certified, steps_of

PROGRAM = Path(plan_certify.__file__)

WALK = """(define (domain walk) (:requirements :strips :typing :action-costs) (:types place)
  (:predicates (at ?x - place) (next ?a ?b - place)) (:functions (total-cost) - number)
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (next ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 2))))"""
TO_C = """(define (problem w) (:domain walk) (:objects a b c - place)
  (:init (at a) (next a b) (next b a) (next b c) (next c b) (= (total-cost) 0))
  (:goal (at c)) (:metric minimize (total-cost)))"""
NO_WAY = TO_C.replace("(next b c)", "")

NEAREST = {
    "claim": "nearest",
    "quality": "valid",
    "bound": 1,
    "plan": ["(go a b)"],
    "atoms": ["(at a)", "(at b)", "(at c)"],
    "groups": [["(at a)", "(at b)", "(at c)"]],
    "variables": [["(at a)", "(at b)", "(at c)"]],
    "weights": [[[1, [1, 1, 0, 0]], [1, [2, 1, 0, 0]]]],
    "states": [],
}
"""of the plan (go a b): one step is lacking"""
AS_IT_IS = NEAREST | {
    "atoms": ["(at a)", "(at b)"],
    "groups": [],
    "variables": [["(at c)"]],
    "weights": [[[2, [0, 1]]]],
}
"""of the same plan, which reaches no more than that and so lacks an atom of the goal"""
BY_STATES = NEAREST | {"weights": [[[2, [0, 0, 0, 0]]]], "states": [[0, 2, 0, [0]], [1, 2, 0, [1]]]}
OPTIMAL = NEAREST | {"claim": "optimal", "quality": "optimal", "bound": 4, "weights": [[[1, [4, 2, 0, 0]]]]}
UNSOLVABLE = OPTIMAL | {
    "claim": "unsolvable",
    "bound": 1,
    "weights": [[[1, [0, 0, 0, 0]]]],
    "states": [[0, 2, 0, [0]], [0, 1, 0, [1]]],
}


def said(
    certificate: Any, plan: str = "(go a b)\n", problem: str = TO_C, domain: str = WALK, *, digests: Any = None
) -> str:
    """Return what the checker says of a certificate, whose digests are right unless they are given."""
    found = digests or [sha256(text.strip().encode()).hexdigest() for text in (domain, problem, plan)]
    return certified(domain, problem, plan, json.dumps(certificate | {"digests": found}))


def changed(certificate: Any, *path: Any, to: Any) -> Any:
    """Return a certificate with another value at a place."""
    found = deepcopy(certificate)
    place = found
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return found


@pytest.mark.parametrize(
    ("certificate", "plan", "problem", "expected"),
    [
        (NEAREST, "(go a b)", TO_C, "no valid plan within 0 changed lines"),
        (NEAREST, "; a plan\n\t( GO  a B ) ; go\n\n", TO_C, "no valid plan within 0 changed lines"),
        (BY_STATES, "(go a b)", TO_C, "no valid plan within 0 changed lines"),
        (AS_IT_IS, "(go a b)", TO_C, "no valid plan within 0 changed lines"),
        (AS_IT_IS, "(go a b)\n(go ?a b)\n(go b)", TO_C, "no valid plan within 0 changed lines"),
        (NEAREST | {"bound": 2}, "(go a b)\n(fly a c)", TO_C, "no valid plan within 1 changed lines"),
        (NEAREST | {"bound": -3}, "(go a b)", TO_C, "no valid plan within -4 changed lines"),
        (OPTIMAL, "(go a b)", TO_C, "no valid plan costs less than 4"),
        (OPTIMAL, "", TO_C, "no valid plan costs less than 4"),
        (UNSOLVABLE, "(go a b)", NO_WAY, "no plan is valid"),
        (UNSOLVABLE, "(go a b)", NO_WAY.replace("(at a)", "(at a) (at a) (not (at b))"), "no plan is valid"),
    ],
)
def test_it_accepts(certificate: Any, plan: str, problem: str, expected: str) -> None:
    assert said(certificate, plan, problem) == f"certified: {expected}"


@pytest.mark.parametrize(
    ("certificate", "plan", "expected"),
    [
        (AS_IT_IS, "(go a b)\n(go b c)", "(go b c) adds what is not among the atoms"),
        (changed(NEAREST, "weights", 0, 1, 0, to=2), "(go a b)\n(go b c)", "fall where (go b c) is kept"),
        (AS_IT_IS | {"bound": 2}, "(go a b)", "(go b c) adds what is not among the atoms"),
        (AS_IT_IS | {"claim": "unsolvable"}, "(go a b)", "(go b c) adds what is not among the atoms"),
    ],
)
def test_that_a_plan_is_not_valid_is_refuted_by_its_own_steps(certificate: Any, plan: str, expected: str) -> None:
    with pytest.raises(RefusedError, match=re.escape(expected)):
        said(certificate, plan)


@pytest.mark.parametrize(
    ("certificate", "expected"),
    [
        (NEAREST | {"bound": 2}, "not closed: one at place 0"),
        (BY_STATES | {"bound": 2}, "not closed"),
        (changed(NEAREST, "weights", 0, 0, 1, 0, to=2), "fall where (go a b) is kept"),
        (changed(NEAREST, "weights", 0, 1, 1, 2, to=1), "above 0 at an end"),
        (changed(NEAREST, "weights", 0, 0, 1, 3, to=2), "fall by more than 1 where (go a b) is skipped"),
        (changed(NEAREST, "weights", 0, 1, 1, 0, to=3), "more than the price of an insertion: (go a b)"),
        (changed(NEAREST, "weights", 0, 0, 0, to=2), "the weights lack places or values"),
        (changed(NEAREST, "weights", 0, 0, 0, to=0), "the weights lack places or values"),
        (changed(NEAREST, "weights", 0, 0, 0, to=10**12), "the weights lack places or values"),
        (changed(NEAREST, "weights", 0, 0, 0, to=-1), "the weights lack places or values"),
        (changed(NEAREST, "weights", 0, 0, 1, to=[1, 1, 0]), "the weights lack places or values"),
        (NEAREST | {"weights": []}, "the weights lack places or values"),
        (changed(BY_STATES, "states", to=[]), "not closed: one at place 0"),
        (changed(BY_STATES, "states", 1, 2, to=1), "not closed: one at place 1"),
        (changed(BY_STATES, "states", 1, 1, to=1), "not closed: one at place 1"),
        (changed(BY_STATES, "states", 1, 0, to=-1), "not closed: one at place 1"),
        (changed(BY_STATES, "states", 1, 3, to=[2]), "not closed|ends in one of the states"),
        (BY_STATES | {"states": [*BY_STATES["states"], [1, 2, 0, [2]]]}, "ends in one of the states"),  # type: ignore
        (
            NEAREST | {"bound": 2, "atoms": ["(at a)", "(at b)"]},
            "(go b c) adds what is not among the atoms: ('at', 'c')",
        ),
        (NEAREST | {"atoms": ["(at b)", "(at c)"]}, "the atoms lack an initial one"),
        (NEAREST | {"groups": []}, "no group has"),
        (NEAREST | {"groups": [["(at a)", "(at b)"], ["(at b)", "(at c)"]]}, "no group has"),
        (NEAREST | {"groups": [["(at a)", "(at b)", "(at c)", "(next a b)"]]}, "two atoms of a group hold initially"),
        (OPTIMAL | {"groups": [*NEAREST["groups"], ["(at a)", "(at c)"]]}, "to a group that may have"),  # type: ignore
        (changed(NEAREST, "variables", 0, to=["(at a)", "(at b)", "(at b)"]), "an atom stands there twice"),
        (NEAREST | {"variables": [["(at a)", "(at b)", "(at c)"], ["(at c)"]]}, "an atom stands there twice"),
        (OPTIMAL | {"bound": 5}, "not closed"),
        (OPTIMAL | {"claim": "unsolvable"}, "more than the price"),
        (UNSOLVABLE, "not closed"),
    ],
)
def test_it_names_the_obligation_that_fails(certificate: Any, expected: str) -> None:
    with pytest.raises(RefusedError, match=expected.replace("(", r"\(").replace(")", r"\)")):
        said(certificate)


@pytest.mark.parametrize(
    "certificate",
    [
        [],
        NEAREST | {"claim": "nothing"},
        NEAREST | {"claim": ["nearest"]},
        NEAREST | {"bound": "1"},
        NEAREST | {"bound": 1.0},
        NEAREST | {"bound": None},
        NEAREST | {"bound": float("nan")},
        NEAREST | {"atoms": None},
        NEAREST | {"atoms": ["(at a"]},
        NEAREST | {"atoms": ["((at a))"]},
        NEAREST | {"variables": [["(at a)", 2]]},
        changed(NEAREST, "weights", 0, 0, 0, to="1"),
        changed(NEAREST, "weights", 0, 0, 1, to="1100"),
        changed(NEAREST, "weights", 0, 0, 1, 0, to="1"),
        changed(NEAREST, "weights", 0, 0, 1, 0, to=None),
        changed(NEAREST, "weights", 0, 0, 1, 0, to=0.5),
        changed(BY_STATES, "states", 0, 2, to="0"),
        changed(BY_STATES, "states", 0, 3, to=["0"]),
        changed(BY_STATES, "states", 0, 3, to=[0, 0]),
        changed(BY_STATES, "states", 0, 3, to=[7]),
        changed(BY_STATES, "states", 0, to=[0, 2, 0]),
    ],
)
def test_it_does_not_read_what_is_no_certificate(certificate: Any) -> None:
    with pytest.raises((ValueError, LookupError, TypeError, AttributeError)):
        said(certificate)


def test_it_refuses_a_certificate_of_another_model_or_plan() -> None:
    right = [sha256(text.strip().encode()).hexdigest() for text in (WALK, TO_C, "(go a b)\n")]
    for domain, problem, plan in (
        (WALK + ";", TO_C, "(go a b)\n"),
        (WALK, TO_C + ";", "(go a b)\n"),
        (WALK, TO_C, "(go a b)\n;"),
    ):
        with pytest.raises(RefusedError, match="another model, or another plan"):
            said(NEAREST, plan, problem, domain, digests=right)
    for digests in (right[:2], {}, [None, None, None]):
        with pytest.raises(RefusedError, match="another model, or another plan"):
            said(NEAREST, digests=digests or [""])


# --- models that are easily read as something else ---------------------------------------------------


def reaches_goal(domain: str, problem: str) -> dict[str, Any]:
    """Return a false certificate that no plan is valid: all atoms, no groups, no weights, no state but the first."""
    model = plan_certify.Model(domain, problem)
    atoms = ["(q)", "(r)", *(f"({name} {each})" for name in "ps" for each in model.types)]
    return UNSOLVABLE | {"atoms": atoms, "groups": [], "variables": [], "weights": [], "states": []}


def model(
    body: str, init: str = "", goal: str = "(q)", objects: str = "a b - t", declared: str = "", types: str = ""
) -> tuple[str, str]:
    domain = f"""(define (domain d) (:requirements :adl) (:types t - object u v - t {types}) {declared}
      (:predicates (p ?x) (q) (r) (s ?x)) {body})"""
    return domain, f"(define (problem x) (:domain d) (:objects {objects}) (:init {init}) (:goal {goal}))"


FIRST = "(:action make :parameters (?x ?y - t) :precondition () :effect (when (= ?x ?y) (p ?x)))"
SOLVABLE = {
    "an effect under an equality": model(
        FIRST + "(:action win :parameters () :precondition (p a) :effect (q))",
    ),
    "constants without types before objects with some": model(
        "(:action win :parameters () :precondition (forall (?x - t) (p ?x)) :effect (q))",
        init="(p a) (p b)",
        declared="(:constants c)",
    ),
    "an effect that adds what it deletes": model("(:action win :parameters () :effect (and (q) (not (q))))"),
    "an effect for all objects of no type": model(
        "(:action win :parameters () :effect (and (q) (forall (?x - u) (not (q)))))", objects="a - t"
    ),
    "a condition on all objects of an empty type": model(
        "(:action win :parameters () :precondition (forall (?x - v) (r)) :effect (q))"
    ),
    "a subtype": model("(:action win :parameters (?x - t) :precondition (p ?x) :effect (q))", "(p a)", objects="a - v"),
    "a type below two others": model(
        "(:action win :parameters (?x - u) :precondition (p ?x) :effect (q))",
        "(p a)",
        objects="a - w",
        types="w - u w - v",
    ),
    "either": model(
        "(:action win :parameters (?x - (either u v)) :precondition (p ?x) :effect (q))", "(p a)", objects="a - v"
    ),
    "an object of either": model(
        "(:action win :parameters (?x - u) :precondition (p ?x) :effect (q))", "(p a)", objects="a - (either t u)"
    ),
    "imply": model("(:action win :parameters () :precondition (imply (r) (p a)) :effect (q))"),
    "a shadowed variable": model(
        "(:action win :parameters (?x - t) :precondition (and (p ?x) (exists (?x - t) (s ?x))) :effect (q))",
        "(p a) (s b)",
    ),
    "capitals, tabs and comments": model(
        ";(:action\n(:ACTION Win\t:Parameters(?X - T):precondition(P ?x);(r)\n:effect(Q))", "(p A)"
    ),
    "no blanks between variables": model(
        "(:action win :parameters (?x?y - t) :precondition (s ?y?) :effect (q))".replace("?y?", "?y"), "(s b)"
    ),
    "a condition under a disjunction": model(
        "(:action win :parameters () :precondition (not (and (r) (not (r)))) :effect (when (or (r) (not (r))) (q)))"
    ),
    "an action without effects beside": model("(:action idle :parameters ()) (:action win :parameters () :effect (q))"),
}


@pytest.mark.parametrize("name", SOLVABLE)
def test_a_model_that_has_a_plan_is_never_certified_to_have_none(name: str) -> None:
    domain, problem = SOLVABLE[name]
    assert check(domain, problem, "; empty plan\n", time_limit=60).repaired_plan is not None
    with pytest.raises(RefusedError):
        found = reaches_goal(domain, problem)
        print(said(found, "", problem, domain), found)


WIN = "(:action win :parameters () :effect (q))"


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        model("(:derived (q) (r))" + WIN),
        model("(:action win :parameters () :precondition (preference x (r)) :effect (q))"),
        model("(:action win :parameters () :precondition (> (f) 1) :effect (q))"),
        model("(:action win :parameters () :precondition (unknown) :effect (q))"),
        model("(:action win :parameters () :effect (and (q) (unknown)))"),
        model("(:action win :parameters () :effect (or (q) (r)))"),
        model("(:action win :parameters () :effect (q) :effect (r))"),
        model("(:action win :parameters () :precondition (r) :precondition (and) :effect (q))"),
        model("(:action win :parameters () :when (r) :effect (q))"),
        model("(:action win :parameters () :precondition (not (r) (r)) :effect (q))"),
        model("(:action win :parameters () :precondition (imply (r)) :effect (q))"),
        model("(:action win :parameters () :precondition (forall (?x - t) (p ?x) (s ?x)) :effect (q))"),
        model("(:action win :parameters () :effect (when (r) (q) (r)))"),
        model("(:action win :parameters (?x ?x - t) :effect (q))"),
        model("(:action win :parameters (x - t) :effect (q))"),
        model("(:action win :parameters (?x -t) :effect (q))"),
        model(WIN + WIN),
        model(WIN, declared="(:predicates (p ?x) (q))"),
        model(WIN, objects="a - t a - u"),
        model(WIN, objects="?a - t"),
        model(WIN, objects="a -t"),
        model(WIN, declared="(:constants a - u)"),
        model(WIN, init="(unknown a)"),
        model(WIN, init="(p c)"),
        model(WIN, objects="a - t, b - t"),
        model("(:action win :parameters (?x - z) :effect (q))"),
        model("(:action win :parameters () :precondition (forall (?x - (either t z)) (p ?x)) :effect (q))"),
        model("(:action win :parameters () :effect (and (q) (= a b)))"),
        model(WIN, declared="(:functions (\u212a))"),
        model("(:action win ; note\r :parameters ()\n :effect (q))"),
        model(WIN, declared="(:constraints (always (r)))"),
        model(WIN.replace("win", "when"), declared="(:requirements :open-world)"),
    ],
)
def test_it_refuses_models_beyond_it(domain: str, problem: str) -> None:
    with pytest.raises(RefusedError):
        said(UNSOLVABLE | {"variables": [], "weights": [], "states": []}, "", problem, domain)


@pytest.mark.parametrize(
    ("domain", "problem"),
    [
        model("(:action win :parameters () :precondition (p ?x) :effect (q))"),
        model("(:action win :parameters () :effect (p ?x))"),
        model("(:action win :parameters () :precondition (= a) :effect (q))".replace("(= a)", "((r))")),
        model(WIN, init="(at 5 (q))"),
        model(WIN, objects="a - z"),
        model(WIN, init="(= (f) 2)", goal="(= (f) 2)", declared="(:functions (f))"),
        model(WIN, goal="(= 2 2.0)"),
        model(WIN, goal="(and (r) (not (= a zzz)))"),
        model(WIN, goal="(r) (q)"),
        model(WIN, goal=""),
        ("", ""),
        ("(define", "(define)"),
        ("(define))", "(define)"),
        ("(define) (define)", "(define)"),
    ],
)
def test_it_does_not_read_what_is_no_model(domain: str, problem: str) -> None:
    with pytest.raises((RefusedError, ValueError, LookupError, TypeError)):
        said(UNSOLVABLE | {"variables": [], "weights": [], "states": []}, "", problem, domain)


@pytest.mark.parametrize(
    "text",
    [
        "go a b",
        "0: (go a b)",
        "(go a b) (go b c)",
        "(go (a) b)",
        "()",
        "(go a",
        "go",
        "(go a b",
        "1. go a b",
        "go)",
        "(go, a b)",
        "(go “a” b)",
        "(go a\u200b b)",
    ],
)
def test_a_line_that_is_no_step_of_pddl_is_refused(text: str) -> None:
    with pytest.raises((RefusedError, ValueError, LookupError, TypeError)):
        steps_of(f"(go a b)\n{text}\n")


# --- the program -------------------------------------------------------------------------------------


def ran(folder: Path, certificate: Any) -> tuple[int, str]:
    """Run the checker as a program; return its exit code and what it prints."""
    texts = {"domain.pddl": WALK, "problem.pddl": TO_C, "a.plan": "(go a b)\n"}
    digests = [sha256(text.strip().encode()).hexdigest() for text in texts.values()]
    for name, text in (texts | {"c.json": json.dumps(certificate | {"digests": digests})}).items():
        (folder / name).write_text(text, encoding="utf-8")
    words = [sys.executable, "-I", str(PROGRAM), *(str(folder / name) for name in (*texts, "c.json"))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout


def test_its_exit_code_says_certified_refused_or_unreadable(tmp_path: Path) -> None:
    assert ran(tmp_path, NEAREST) == (0, "certified: no valid plan within 0 changed lines\n")
    code, text = ran(tmp_path, NEAREST | {"bound": 2})
    assert (code, text.startswith("not certified: the states are not closed")) == (1, True)
    code, text = ran(tmp_path, NEAREST | {"weights": 3})
    assert (code, text.startswith("cannot read all four files")) == (2, True)
    for words, code in (((), 2), (("--help",), 0)):
        none = subprocess.run([sys.executable, "-I", str(PROGRAM), *words], capture_output=True, text=True, check=False)
        assert (none.returncode, "plan-certify DOMAIN PROBLEM PLAN CERTIFICATE" in none.stdout) == (code, True)


def test_what_check_writes_is_accepted_by_the_program(tmp_path: Path) -> None:
    report = check(WALK, TO_C, "(go a b)\n", certify=True, time_limit=60)
    assert report.certificate is not None
    assert ran(tmp_path, report.certificate) == (0, "certified: no valid plan within 0 changed lines\n")


MAKE = "(:action make :parameters (?x - t) :precondition (r) :effect (p ?x))"
NEVER = "(:action odd :parameters () :precondition (not (s a)) :effect (q)) (:action set :parameters () :effect (s a)) "


@pytest.mark.parametrize(
    ("texts", "plan", "least"),
    [
        (model(MAKE, "(r)", "(p a)", types="object"), "", 1),
        (model(MAKE, "(r)", "(p a)", types="place - object t - place"), "", 1),
        (model(MAKE + "(:action idle :parameters ())", "(r)", "(p a)"), "", 1),
        (model(NEVER + MAKE, "(r) (s a)", "(p a)"), "(make b)\n(odd)\n", 2),
    ],
    ids=["object is declared", "a type with two above it", "no effects", "a step that is never possible"],
)
def test_models_that_are_written_oddly_have_certificates(texts: tuple[str, str], plan: str, least: int) -> None:
    report = check(*texts, plan or "; empty\n", certify=True, time_limit=60)
    assert report.certificate is not None, report.no_certificate
    told = f"certified: no valid plan within {least - 1} changed lines"
    assert certified(*texts, plan or "; empty\n", json.dumps(report.certificate)) == told


def test_what_the_checker_does_not_read_has_no_certificate() -> None:
    sums = WALK.replace("(total-cost) 2", "(total-cost) (+ 1 1)")
    called = WALK.replace(":action go", ":action not")
    for domain, plan, why in (
        (sums, "(go a b)", "the model"),
        (called, "(not a b)\n(not a b)", "a line of the plan"),
    ):
        report = check(domain, TO_C, plan, quality="optimal", certify=True, time_limit=60)
        assert report.certificate is None and why in report.no_certificate


@pytest.mark.parametrize("change", ["\ufeff{}", "{}\r\n; end\r\n", " {}"])
def test_files_with_marks_and_other_line_ends_are_certified(change: str, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("domain.pddl", "problem.pddl", "a.plan", "c.json")]
    for file, text in zip(files, (WALK, TO_C, "(go a b)"), strict=False):
        file.write_bytes(change.format(text.replace("\n", "\r\n")).encode())
    for given in (files[:3], [file.read_bytes().decode() for file in files[:3]]):
        report = check(*given, certify=True, time_limit=60)
        files[3].write_text(json.dumps(report.certificate), encoding="utf-8")
        words = [sys.executable, "-I", str(PROGRAM), *map(str, files)]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.stdout == "certified: no valid plan within 0 changed lines\n"


def test_a_model_that_was_prepared_has_certificates_if_it_has_a_text() -> None:
    prepared = prepare(WALK, TO_C)
    report = check(prepared, None, "(go a b)", certify=True, time_limit=60)
    found = json.dumps(report.certificate)
    assert certified(WALK, TO_C, "(go a b)\n", found) == "certified: no valid plan within 0 changed lines"
    assert "not given as PDDL" in check(prepared.model, None, "(go a b)", certify=True, time_limit=60).no_certificate


def test_a_plan_in_other_words_is_certified_as_its_lines() -> None:
    report = check(WALK, TO_C, "1. go a b\n", certify=True, time_limit=60)
    found = report.certificate
    assert found is not None
    lines = "".join(f"{line}\n" for line in found["plan"])
    assert certified(WALK, TO_C, lines, json.dumps(found)) == "certified: no valid plan within 0 changed lines"
    with pytest.raises(RefusedError, match="another plan"):
        certified(WALK, TO_C, "1. go a b\n", json.dumps(found))


def test_it_is_one_small_file_with_the_standard_library_only() -> None:
    text = PROGRAM.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    imported = {
        (node.module or "") if isinstance(node, ast.ImportFrom) else alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    assert {name.partition(".")[0] for name in imported} <= sys.stdlib_module_names

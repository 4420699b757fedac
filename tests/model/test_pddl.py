"""Reading PDDL: sections, names, places of errors, warnings."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import ModelError, check
from validator.model import values
from validator.model.pddl import read_domain, read_problem
from validator.model.pddl.write import formula_text, readable_text
from validator.model.values import And, Atom, Compare, Equal, Exists, Fluent, Forall, Imply, Not, Number, Or, Parameter

ONE = "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :precondition (p ?x) :effect (not (p ?x))))"


def domain_of(*sections: str) -> str:
    return f"(define (domain d) {' '.join(sections)})"


def problem_of(*sections: str) -> str:
    return f"(define (problem q) (:domain d) {' '.join(sections)})"


def domain_error(text: str) -> ModelError:
    return error_of(lambda strict: read_domain(text, strict=strict))


def problem_error(text: str, domain: str = ONE) -> ModelError:
    return error_of(lambda strict: read_problem(text, read_domain(domain), strict=strict))


def error_of(read: Callable[[bool], values.Domain | values.Problem]) -> ModelError:
    """Return the error of a strict reading; any other reading has the same one, or a warning."""
    with pytest.raises(ModelError) as caught:
        read(True)
    try:
        assert read(False).warnings
    except ModelError as error:
        assert error.message == caught.value.message
    return caught.value


# --- errors of a domain --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("(define", 1, "'(' is never closed (1 open at the end of the text)"),
        ("(define (domain d)) x (:action a)", 21, "text after the end of (define ...)"),
        ("(defin (domain d))", 1, "'(define (domain NAME) ...' was expected"),
        ("(define (problem q))", 9, "'(domain NAME)' was expected after 'define'; this is a problem"),
        ("(define (domain))", 9, "'(domain NAME)' was expected after 'define'"),
        ("()", 1, "'(define (domain NAME) ...' was expected"),
        (domain_of("(:predicate (p))"), 20, "':predicate' is not a section of a domain (did you mean ':predicates'?)"),
        (domain_of("(:predicates (p) (p))"), 38, "duplicate predicate 'p'"),
        (domain_of("(:predicates) (:predicates)"), 34, "duplicate section ':predicates'"),
        (domain_of("(:predicates p)"), 33, "a predicate such as (on ?a ?b) was expected, not 'p'"),
        (domain_of("(:predicates ())"), 33, "a predicate needs a name"),
        (domain_of("(:functions (f) (f))"), 37, "duplicate function 'f'"),
        (domain_of("(:types a -)"), 30, "a type was expected after '-'"),
        (domain_of("(:types - a)"), 28, "a type was expected before '-'"),
        (domain_of("(:types a - b b - a)"), 28, "type 'a' is a subtype of itself"),
        (domain_of("(:types car) (:constants c - cra)"), 45, "undeclared type 'cra' (did you mean 'car'?)"),
        (domain_of("(:constants ?x)"), 32, "'?x' is a variable; constants are names"),
        (domain_of("(:action)"), 20, "an action needs a name"),
        (domain_of("(:action :parameters ())"), 29, "an action needs a name"),
        (domain_of("(:action a :parameters (?x ?x))"), 47, "duplicate parameter '?x'"),
        (domain_of("(:action a :parameters (x))"), 44, "a variable such as ?x was expected, not 'x'"),
        (domain_of("(:action a) (:action a)"), 32, "duplicate action 'a'"),
        (domain_of("(:action a :effects ())"), 31, "':effects' is not a part of action 'a' (did you mean ':effect'?)"),
        (domain_of("(:action a :effect () :effect ())"), 42, "duplicate ':effect' in action 'a'"),
        (domain_of("(:action a :effect)"), 31, "':effect' of action 'a' has no value"),
        (domain_of("(:action a :vars (?x))"), 37, "':vars' (PDDL 1.2) is not supported; make them :parameters"),
        (domain_of("(:action a :precondition p)"), 45, "a condition was expected, not 'p'"),
        (domain_of("(:action a :precondition (not))"), 45, "'not' takes 1 argument, got 0"),
        (domain_of("(:action a :precondition (forall (?x)))"), 45, "'forall' takes 2 arguments, got 1"),
        (domain_of("(:action a :precondition (= a))"), 45, "'=' takes 2 arguments, got 1"),
        (domain_of("(:predicates (p ?x)) (:action a :precondition (p ?y))"), 69, "unbound variable '?y'"),
        (domain_of("(:predicates (p ?x)) (:action a :precondition (p b))"), 69, "undeclared object 'b'"),
        (domain_of("(:predicates (p ?x)) (:action a :precondition (p))"), 67, "predicate 'p' takes 1 argument, got 0"),
        (
            domain_of("(:predicates (clear)) (:action a :precondition (claer))"),
            68,
            "undeclared predicate 'claer' (did you mean 'clear'?)",
        ),
        (domain_of("(:predicates (p)) (:action a :effect (q))"), 58, "undeclared predicate 'q'"),
        (domain_of("(:predicates (p)) (:action a :effect (or (p)))"), 58, "'or' is not allowed here"),
        (domain_of("(:action a :precondition (increase (f) 1))"), 46, "'increase' is not allowed here"),
        (domain_of("(:functions (f)) (:action a :precondition (> (/ (f)) 1))"), 66, "'/' needs two operands"),
        (domain_of("(:action a :parameters :effect (and))"), 31, "':parameters' of action 'a' has no value"),
        (domain_of("(:action a :effect (increase (g) 1))"), 50, "undeclared function 'g'"),
        (domain_of("(:action a :effect (increase 3 1))"), 49, "'increase' changes a function, not a number"),
        (domain_of("(:derived (p))"), 20, "'(:derived (PREDICATE ?x ...) CONDITION)' was expected"),
        (
            domain_of("(:predicates (p)) (:derived (p) (not (p)))"),
            38,
            "derived predicate 'p' depends on its own negation; the axioms are not stratified",
        ),
        (
            domain_of("(:predicates (p)) (:derived (p) (and)) (:action a :effect (p))"),
            78,
            "derived predicate 'p' may not be changed by an effect",
        ),
        (
            domain_of(
                "(:predicates (p)) (:durative-action a :parameters () :duration (= ?duration 1) :condition (and)",
                ":effect (when (at start (preference x (p))) (at end (p))))",
            ),
            130,
            "a preference may stand below 'and' and 'forall' of a goal or precondition only",
        ),
        (domain_of("(:predicates (p)"), 1, "'(' is never closed (1 open at the end of the text)"),
        (domain_of("(:predicates (p) (:action a)"), 20, "'(' is not closed before the section '(:action'"),
    ],
)
def test_an_error_in_a_domain_has_its_place_and_says_what_is_wrong(text: str, column: int, message: str) -> None:
    error = domain_error(text)
    assert (error.line, error.column, error.message) == (1, column, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (problem_of("(:objects a) (:init (p b)) (:goal (p a))"), "undeclared object 'b'"),
        (problem_of("(:objects abc) (:init (p abd)) (:goal (and))"), "undeclared object 'abd' (did you mean 'abc'?)"),
        (problem_of("(:objects a) (:init (p a))"), "the problem has no :goal section"),
        (problem_of("(:objects a) (:init (p)) (:goal (p a))"), "predicate 'p' takes 1 argument, got 0"),
        (problem_of("(:objects a) (:init p) (:goal (p a))"), "a fact such as (on a b) was expected, not 'p'"),
        (problem_of("(:objects a) (:init (and (p a))) (:goal (p a))"), "a fact was expected in :init, not 'and'"),
        (problem_of("(:objects a) (:init (= (f) 3)) (:goal (p a))"), "undeclared function 'f'"),
        (problem_of("(:objects a) (:init (= (f) x)) (:goal (p a))"), "undeclared function 'f'"),
        (problem_of("(:objects a) (:init (q a)) (:goal (p a))"), "undeclared predicate 'q'"),
        (problem_of("(:objects a) (:init) (:goal (p ?x))"), "unbound variable '?x'"),
        (problem_of("(:objects a) (:init) (:goal (p a) (p a))"), "one goal condition was expected, got 2"),
        (problem_of("(:objects a - b) (:init) (:goal (p a))"), "undeclared type 'b'"),
        (
            problem_of("(:objects a) (:init) (:goal (p a)) (:metric minimise (total-cost))"),
            "'(:metric minimize EXPRESSION)' or 'maximize' was expected",
        ),
        ("(define (problem q) (:domain) (:goal (and)))", "'(:domain NAME)' was expected"),
        ("(define (domain d))", "'(problem NAME)' was expected after 'define'; this is a domain"),
        (problem_of("(:objects a) (:init (p a) (:goal (p a))"), "'(' is not closed before the section '(:goal'"),
    ],
)
def test_an_error_in_a_problem_says_what_is_wrong(text: str, message: str) -> None:
    assert problem_error(text).message == message


def test_a_derived_fact_in_the_initial_state_is_an_error() -> None:
    error = problem_error(problem_of("(:init (p)) (:goal (and))"), domain_of("(:predicates (p)) (:derived (p) (and))"))
    assert error.message == "derived predicate 'p' may not be given in :init"


def test_an_error_names_the_line_and_shows_it_with_a_caret() -> None:
    error = domain_error("(define (domain d)\n  (:predicates (p ?x))\n  (:action a :precondition (q))\n)")
    assert (error.line, error.column) == (3, 29)
    assert str(error) == (
        "<domain>:3:29: undeclared predicate 'q'\n      (:action a :precondition (q))\n" + " " * 32 + "^"
    )


def test_a_message_quotes_only_the_beginning_of_a_long_name() -> None:
    error = domain_error(domain_of(f"(:predicates (p)) (:action a :precondition ({'q' * 10_000}))"))
    assert error.message.startswith("undeclared predicate 'qqq") and len(str(error)) < 2_000


def test_a_file_that_is_not_utf8_is_a_model_error(tmp_path: Path) -> None:
    path = tmp_path / "d.pddl"
    path.write_bytes(b"(define (domain \xff))")
    assert domain_error(str(path)).message == "not UTF-8 text: byte 16 is 0xff"


def test_groups_are_nested_as_deep_as_the_limit() -> None:
    depth = 500 - 4
    domain = read_domain(domain_of(f"(:predicates (p)) (:action a :precondition {'(not ' * depth}(p){')' * depth})"))
    assert "a" in domain.actions


@pytest.mark.parametrize("depth", [499, 100_000])
def test_deeper_groups_are_an_error(depth: int) -> None:
    error = domain_error(domain_of(f"(:predicates (p)) (:action a :precondition {'(not ' * depth}(p){')' * depth})"))
    assert error.message == "groups are nested more than 500 deep"


@pytest.mark.parametrize("text", ["(" * 100_000, ")" * 100_000, "(\n" * 50_000, "a " * 100_000 + "\n", "(a" * 100_000])
def test_hostile_parentheses_end_in_a_model_error(text: str) -> None:
    assert domain_error(text + "\n").message


# --- warnings ------------------------------------------------------------------------------------


def test_a_requirement_that_nobody_knows_is_a_warning_with_the_nearest() -> None:
    domain = read_domain(domain_of("(:requirements :strip :typing)"))
    assert domain.warnings == ("<domain>:1:35: unknown requirement ':strip' (did you mean ':strips'?)",)


# --- printing ------------------------------------------------------------------------------------

CUP, DISH = (Parameter(name, frozenset(("cup",))) for name in ("?c", "?d"))


@pytest.mark.parametrize(
    ("formula", "binding", "text"),
    [
        (Atom("on", ("?x", "b")), {"?x": "a"}, "(on a b)"),
        (Atom("empty", ()), {}, "(empty)"),
        (Not(Equal("?x", "?y")), {"?x": "a", "?y": "a"}, "(not (= a a))"),
        (And(()), {}, "(and)"),
        (Or((Atom("p", ()), Atom("q", ()))), {}, "(or (p) (q))"),
        (Imply(Atom("p", ()), Atom("q", ())), {}, "(imply (p) (q))"),
        (Forall((Parameter("?x"),), Atom("on", ("?x", "?y"))), {"?x": "a", "?y": "b"}, "(forall (?x) (on ?x b))"),
        (Exists((Parameter("?x"), Parameter("?z")), Atom("p", ("?x",))), {}, "(exists (?x ?z) (p ?x))"),
        (Exists((CUP,), Atom("p", ("?c",))), {}, "(exists (?c - cup) (p ?c))"),
        (
            Compare(">=", values.Arithmetic("-", (Fluent("f", ("?x",)), Number(Fraction(1, 2)))), Number(Fraction(-3))),
            {"?x": "a"},
            "(>= (- (f a) 0.5) -3)",
        ),
    ],
)
def test_a_condition_as_text(formula: values.Formula, binding: dict[str, str], text: str) -> None:
    assert formula_text(formula, binding) == text


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        (Exists((CUP, Parameter("?z")), Atom("p", ("?c",))), "(exists (?c - cup ?z - object) (p ?c))"),
        (Exists((Parameter("?x"), Parameter("?z")), Atom("p", ("?x",))), "(exists (?x ?z) (p ?x))"),
        (
            Forall((CUP, DISH, Parameter("?e", frozenset(("jug", "cup")))), Not(Equal("?c", "?d"))),
            "(forall (?c ?d - cup ?e - (either cup jug)) (not (= ?c ?d)))",
        ),
    ],
)
def test_a_condition_as_text_to_be_read_again(formula: values.Formula, text: str) -> None:
    assert readable_text(formula) == text


# --- soup ----------------------------------------------------------------------------------------

_NAMES = """define domain problem and or not imply forall exists when = < >= - + p q d a b ?x ?y ? t object either
  number total-cost f 1 0.5 -2 increase assign minimize maximize at start over all preference always oneof :action
  :parameters :precondition :effect :types :predicates :constants :functions :derived :objects :init :goal :metric
  :domain :requirements :durative-action :typing é is-violated total-time ?duration #t 1e9 a?b ( )"""
_WORDS = st.sampled_from([*_NAMES.split(), "", ";c\n", "\n"])
_SOUP = st.recursive(
    _WORDS, lambda part: st.lists(part, max_size=4).map(lambda parts: f"({' '.join(parts)})"), max_leaves=12
)
_FRAME = "(define (domain d) (:types t) (:constants c - t) (:predicates (p ?x) (q)) (:functions (f ?x) (total-cost))"


def reads_or_says_why(domain: str, problem: str) -> None:
    try:
        report = check(domain + "\n", problem + "\n", "(a c)\n(b)\n", repair=False)
    except ModelError as error:
        assert error.message
    else:
        assert report.determination in (True, False, None)


@given(head=st.sampled_from([":types", ":constants", ":predicates", ":functions", ":derived", ":action a"]), soup=_SOUP)
def test_soup_inside_of_a_section_of_a_domain(head: str, soup: str) -> None:
    reads_or_says_why(f"(define (domain d) ({head} {soup}))", problem_of("(:objects a) (:init) (:goal (and))"))


@given(head=st.sampled_from([":objects", ":init", ":goal", ":metric", ":domain", ":metric minimize"]), soup=_SOUP)
def test_soup_in_a_section_of_a_problem(head: str, soup: str) -> None:
    goal = "" if head == ":goal" else "(:goal (and))"
    reads_or_says_why(f"{_FRAME})", f"(define (problem q) ({head} {soup}) {goal})")


_PLACES = {
    "condition": "(:action a :parameters () :precondition (>= {} 1) :effect (p))",
    "effect": "(:action a :parameters () :effect (increase (x) {}))",
    "axiom": "(:derived (r) (>= {} 1))",
    "duration": "(:durative-action a :parameters () :duration (= ?duration {}) :condition () :effect (at end (p)))",
    "timed condition": "(:durative-action a :parameters () :duration () :condition (at start (>= {} 1)) :effect ())",
    "timed effect": "(:durative-action a :parameters () :duration () :condition () :effect (at end (increase (x) {})))",
    "rate": "(:process a :parameters () :precondition (p) :effect (increase (x) (* #t {})))",
    "goal": "{} (:goal (>= {} 1))",
    "metric": "{} (:goal (p)) (:metric minimize {})",
}


@pytest.mark.parametrize("place", _PLACES)
@pytest.mark.parametrize("name", ["(total-time)", "(total-cost)", "#t", "?duration", "(is-violated p)"])
def test_a_predefined_name_is_refused_where_it_means_nothing(name: str, place: str) -> None:
    means = {("(total-time)", "metric"), ("(total-cost)", "metric")}
    means |= {("?duration", "timed condition"), ("?duration", "timed effect")}
    is_of_problem = _PLACES[place].startswith("{} ")
    body = "" if is_of_problem else _PLACES[place].format(name)
    domain = f"(define (domain d) (:predicates (p) (r)) (:functions (x)) {body})"
    asked = _PLACES[place][3:].format(name) if is_of_problem else "(:goal (p))"
    problem = f"(define (problem q) (:domain d) (:init (= (x) 0)) {asked})"
    if (name, place) in means:
        read_problem(problem, read_domain(domain))
        return
    with pytest.raises(ModelError):
        read_problem(problem, read_domain(domain))

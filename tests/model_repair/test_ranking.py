"""Which of several smallest repairs stands first: what is seen of a repair where the plan runs on it."""

from __future__ import annotations

from validator.model.pddl import read_domain
from validator.model.values import Atom, Domain
from validator.model_repair.cases import Case, Given, read_cases
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.ranking.order import ranked
from validator.model_repair.ranking.runs import run_features

DOMAIN = """
(define (domain walk) (:predicates (at ?r ?p) (road ?p ?q) (seen ?p))
  (:action go :parameters (?r ?p ?q) :precondition (and (at ?r ?p) (road ?p ?q)) :effect (and (not (at ?r ?p)) {}))
  (:action look :parameters (?r ?p) :precondition {} :effect (seen ?p)))
"""
PROBLEM = """
(define (problem one) (:domain walk) (:objects r a b) (:init (at r a) (road a b) (road b a)) (:goal (seen b)))
"""
PLAN = "(go r a b)\n(look r b)\n"
ARRIVES = Edit(Kind.ADD_ADD, "go", Atom("at", ("?r", "?q")))


def case(domain: Domain) -> Case:
    [found] = read_cases(domain, [Given(problem=PROBLEM, plans=[PLAN])])
    return found


def flawed() -> Domain:
    return read_domain(DOMAIN.format("(seen ?p)", "(at ?r ?p)"))


def test_a_mutex_group_that_breaks_is_seen() -> None:
    domain = read_domain(DOMAIN.replace("(not (at ?r ?p))", "").format("(at ?r ?q)", "(at ?r ?p)"))
    assert run_features(domain, case(domain), ())["run breaks a mutex group"] == 1  # one place for each robot
    leaves = Edit(Kind.ADD_DELETE, "go", Atom("at", ("?r", "?p")))
    assert run_features(domain, case(domain), (leaves,))["run breaks a mutex group"] == 0


def test_a_repair_that_admits_more_is_seen() -> None:
    domain = flawed()
    anywhere = Edit(Kind.REMOVE_PRECONDITION, "look", Atom("at", ("?r", "?p")), places=((),))
    strict, loose = (run_features(domain, case(domain), (edit,)) for edit in (ARRIVES, anywhere))
    assert strict["run admits its steps elsewhere"] < loose["run admits its steps elsewhere"]


def test_a_plan_that_does_not_run_says_nothing() -> None:
    domain = flawed()
    assert run_features(domain, case(domain), ()) == {}


def test_the_effect_that_is_meant_stands_first() -> None:
    domain = flawed()
    anywhere = Edit(Kind.REMOVE_PRECONDITION, "look", Atom("at", ("?r", "?p")), places=((),))
    [(first, _), (second, _)] = ranked([frozenset((anywhere,)), frozenset((ARRIVES,))], domain, [case(domain)])
    assert (first, second) == (frozenset((ARRIVES,)), frozenset((anywhere,)))

"""Where models and plans come from: paths with odd names, texts, and numbers of several kinds."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from validator import check, prepare
from validator.grading.batch import Settings
from validator.grading.batch.records import BadRecord, Record, record_of
from validator.grading.batch.worker import grade

DOMAIN = """(define (domain d) (:predicates (p)) (:action a :parameters () :effect (p)))"""
PROBLEM = """(define (problem q) (:domain d) (:init) (:goal (p)))"""
TIMED = """(define (domain d) (:requirements :durative-actions) (:predicates (p) (q))
  (:durative-action a :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))
  (:durative-action b :parameters () :duration (= ?duration 1) :condition (at start (p)) :effect (at end (q))))
"""
AFTER = "(define (problem x) (:domain d) (:init) (:goal (q)))"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    odd = tmp_path / "dl (1) [x]"
    odd.mkdir()
    for name, text in (("d.pddl", DOMAIN), ("p.pddl", PROBLEM), ("p.plan", "(a)\n")):
        (odd / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return odd


def test_paths_may_have_parentheses(folder: Path) -> None:
    names = [f"{folder.name}/{name}" for name in ("d.pddl", "p.pddl", "p.plan")]
    assert check(*names, repair=False).determination is True
    assert prepare(*names[:2]).model.domain.name == "d"
    assert check(DOMAIN, PROBLEM, names[2], repair=False).determination is True
    assert check(DOMAIN, PROBLEM, "(a)", repair=False).determination is True


def test_records_may_name_such_paths(folder: Path) -> None:
    value = {"domain": "d.pddl", "problem": "p.pddl", "plan": "p.plan"}
    odd = {key: f"{folder.name}/{name}" for key, name in value.items()}
    for record in (record_of(odd, 1, folder.parent), record_of({**value, "domain": DOMAIN}, 1, folder)):
        assert isinstance(record, Record)
        assert '"verdict": "valid"' in grade([record], Settings(repair=False))[0]


def test_a_record_of_a_client_names_no_file(folder: Path) -> None:
    odd = {key: f"{folder.name}/{name}" for key, name in (("domain", "d.pddl"), ("problem", "p.pddl"), ("plan", "x"))}
    record = record_of(odd, 1, None)
    assert not isinstance(record, BadRecord) and record.plan_path == ""
    assert record.domain == f"{odd['domain']}\n", "a text, for its parenthesis"


@pytest.mark.parametrize("epsilon", ["0.1", 0.1, Decimal("0.1"), Fraction(1, 10)])
def test_epsilon_is_what_is_written(epsilon: float | str | Decimal | Fraction) -> None:
    for gap, valid in (("0.1", True), ("0.0999", False)):
        plan = f"0: (a) [1]\n{1 + Fraction(gap)!s}: (b) [1]".replace("11/10", "1.1").replace("10999/10000", "1.0999")
        assert check(TIMED, AFTER, plan, repair=False, epsilon=epsilon).determination is valid


@pytest.mark.parametrize("epsilon", [-1, "-0.1", "x", float("nan")])
def test_what_is_no_epsilon_is_refused(epsilon: float | str) -> None:
    with pytest.raises(ValueError, match="number"):
        check(TIMED, AFTER, "0: (a) [1]", repair=False, epsilon=epsilon)

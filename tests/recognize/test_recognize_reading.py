"""Reading recognition problems: goals, observations, templates, data sets in folders and archives."""

from __future__ import annotations

import io
import tarfile
from fractions import Fraction
from pathlib import Path

import pytest

from validator.errors import InputError, ModelError
from validator.model.pddl import read_model
from validator.model.values import Atom, Model
from validator.recognize import read_problem_set
from validator.recognize.reading import (
    read_goals,
    read_observations,
    read_template,
    read_text_domain,
)

DOMAIN = """
(define (domain rooms) (:requirements :strips)
  (:predicates (at ?x) (door ?x ?y) (lamp))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (door ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action light :parameters () :effect (lamp)))
"""
PROBLEM = """
(define (problem p) (:domain rooms) (:objects a b c)
  (:init (at a) (door a b) (door b c) (door b a)) (:goal <HYPOTHESIS>))
"""
FILES = {
    "domain.pddl": DOMAIN,
    "template.pddl": PROBLEM,
    "hyps.dat": "(AT C)\n(at b), (LAMP)\n",
    "obs.dat": "(GO A B)\n",
    "real_hyp.dat": "(at  c)\n",
}


@pytest.fixture(scope="module")
def model() -> Model:
    return read_model(DOMAIN, PROBLEM.replace("<HYPOTHESIS>", "(and)"))


# --- goals -----------------------------------------------------------------------------------------


def test_equal_goals_are_one_with_the_sum_of_their_priors(model: Model) -> None:
    first, second = read_goals("(at b),(lamp) 0.5\n(at c) 2\n( LAMP ), (AT b) 0.25\n", "hyps.dat", model)
    assert (first.lines, first.prior) == ((0, 2), Fraction(3, 4))
    assert (second.lines, second.prior) == ((1,), Fraction(2))


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("(at c)\n(it c)\n", "undeclared predicate 'it'", 2, 2),
        ("(at c)\n(at b), (at d)\n", "undeclared object 'd'", 2, 13),
        ("(at c)\n(at b\n", "never closed", 2, None),
        ("; nothing\n", "no candidate goal was found", None, None),
        ("(at c) 0\n", "the priors of all goals are 0", None, None),
    ],
)
def test_a_goal_that_is_none_is_shown(
    model: Model, text: str, message: str, line: int | None, column: int | None
) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        read_goals(text, "hyps.dat", model)
    assert (caught.value.source, caught.value.line) == ("hyps.dat", line)
    if column is not None:
        assert caught.value.column == column


# --- observations ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["(at b)", "holds (at b)", "HOLDS (AT B)"])
def test_a_fact_is_a_predicate_or_is_said_to_hold(model: Model, text: str) -> None:
    (found,) = read_observations(text, "<test>", model)
    assert found.fact == Atom("at", ("b",))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(goo a b)", "unknown action 'goo' (did you mean 'go'?)"),
        ("(go a)", "'go' takes 2 arguments, got 1"),
        ("(go a x)", "unknown object 'x'"),
        ("holds (at x)", "undeclared object 'x'"),
    ],
)
def test_what_the_model_does_not_know_is_an_observation_all_the_same(model: Model, text: str, fault: str) -> None:
    (found,) = read_observations(text, "<test>", model)
    assert found.fault == fault


# --- domains and templates -------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["(or (lamp) <HYPOTHESIS>)", "(and <HYPOTHESIS> <HYPOTHESIS>)"])
def test_a_placeholder_that_is_no_conjunct_is_refused(goal: str) -> None:
    domain, _ = read_text_domain(DOMAIN, "d.pddl")
    with pytest.raises(ModelError, match="<HYPOTHESIS>") as caught:
        read_template(PROBLEM.replace("<HYPOTHESIS>", goal), "t.pddl", domain)
    assert (caught.value.source, caught.value.line) == ("t.pddl", 3)


# --- data sets -------------------------------------------------------------------------------------


def archive(path: Path, files: dict[str, str], **links: str) -> Path:
    with tarfile.open(path, "w:bz2") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
        for name, target in links.items():
            link = tarfile.TarInfo(name.replace("_", "."))
            link.type, link.linkname = tarfile.SYMTYPE, target
            tar.addfile(link)
    return path


@pytest.mark.parametrize("name", ["/obs.dat", "../obs.dat", "x/../../obs.dat"])
def test_paths_that_leave_an_archive_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="not a regular file in"):
        read_problem_set(archive(tmp_path / "a.tar.bz2", {**FILES, name: "(go a b)"}))
    assert [path.name for path in tmp_path.iterdir()] == ["a.tar.bz2"]


def test_links_in_an_archive_are_refused(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if name != "obs.dat"}
    with pytest.raises(InputError, match="not a regular file in"):
        read_problem_set(archive(tmp_path / "a.tar.bz2", files, obs_dat="/etc/hostname"))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({name: text for name, text in FILES.items() if name != "hyps.dat"}, "hyps.dat not found"),
        ({**FILES, "other/obs.dat": "(go a b)"}, "two files obs.dat"),
        ({**FILES, "obs.dat": "x" * 5_001}, "bytes in the archive"),
    ],
    ids=["missing", "twice", "large"],
)
def test_an_archive_that_is_no_problem_is_refused(
    tmp_path: Path, files: dict[str, str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.recognize.dataset.MAX_CHARACTERS", 5_000)
    with pytest.raises(InputError, match=message):
        read_problem_set(archive(tmp_path / "a.tar.bz2", files))


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello")
    with pytest.raises(InputError, match="neither a folder nor a tar archive"):
        read_problem_set(tmp_path / "x")


@pytest.mark.parametrize(
    ("line", "args", "price"),
    [("go 0", (), Fraction(0)), ("go 2.5", (), Fraction(5, 2)), ("go b a 3", ("b", "a"), Fraction(3))],
)
def test_a_price_without_parentheses(model: Model, line: str, args: tuple[str, ...], price: Fraction) -> None:
    (found,) = read_observations(line, "<test>", model)
    assert found.step is not None and not found.fault
    assert (found.step.args, found.price) == (args, price)

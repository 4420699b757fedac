"""Proven cheapest costs and grounded models on disk."""

from __future__ import annotations

from math import inf
from pathlib import Path
from time import monotonic

import pytest

from validator import check
from validator.checking import prepared
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.resources import source_of

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain d) (:requirements :strips :action-costs) (:predicates (p))
  (:functions (total-cost) - number)
  (:action cheap :parameters () :precondition (and) :effect (and (p) (increase (total-cost) 2)))
  (:action dear :parameters () :precondition (and) :effect (and (p) (increase (total-cost) 3))))"""
PROBLEM = "(define (problem q) (:domain d) (:init (= (total-cost) 0)) (:goal (p)) (:metric minimize (total-cost)))"


def costs(directory: Path) -> list[Path]:
    return list(directory.glob("optimum-*"))


def optimal(domain: str, directory: Path, plan: str = "(cheap)") -> bool | None:
    # A model prepared anew has nothing in memory.
    prepared._read.cache_clear()
    return check(domain, PROBLEM, plan, quality="optimal", repair=False, cache=directory).determination


def test_a_proven_cost_is_written_once_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert optimal(DOMAIN, tmp_path) is True
    (entry,) = costs(tmp_path)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the search was started although the cost is known")

    monkeypatch.setattr("validator.repair.nearest.search", fail)
    assert optimal(DOMAIN, tmp_path) is True
    assert optimal(DOMAIN, tmp_path, "(dear)") is False
    assert costs(tmp_path) == [entry]


def test_another_model_has_another_entry(tmp_path: Path) -> None:
    optimal(DOMAIN, tmp_path)
    optimal(DOMAIN.replace("(total-cost) 3)", "(total-cost) 4)"), tmp_path)
    assert len(costs(tmp_path)) == 2


@pytest.mark.parametrize("content", ["", "{", "[]", '{"status": "solved"}', '{"status": "x", "lower": 0}'])
def test_a_damaged_entry_is_computed_again(tmp_path: Path, content: str) -> None:
    optimal(DOMAIN, tmp_path)
    (entry,) = costs(tmp_path)
    entry.write_text(content)
    assert optimal(DOMAIN, tmp_path) is True
    assert "solved" in entry.read_text()


def test_an_unproven_cost_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared._read.cache_clear()
    late = Outcome(status=Status.TIME_LIMIT, lower_bound=1)
    monkeypatch.setattr("validator.repair.nearest.search", lambda *_, **__: late)
    report = check(DOMAIN, PROBLEM, "(cheap)", quality="optimal", cache=tmp_path)
    assert report.determination is None
    assert costs(tmp_path) == []


def test_what_another_version_proved_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert optimal(DOMAIN, tmp_path) is True
    (entry,) = costs(tmp_path)
    entry.write_text(entry.read_text().replace("2", "1"))  # a proof that was false
    for module in ("validator.repair.cache", "validator.grounding.ground"):
        monkeypatch.setattr(f"{module}.source_of", lambda *_: "another version")
    assert optimal(DOMAIN, tmp_path) is True
    assert len(costs(tmp_path)) == len(list(tmp_path.glob("grounded-*"))) == 2


def test_the_source_of_a_wing_tells_it_from_others() -> None:
    assert source_of("grounding") == source_of("grounding")
    assert source_of("grounding") != source_of("grounding", "repair")


def test_who_waits_for_another_check_keeps_the_limit() -> None:
    model = prepared.prepare(DOMAIN, PROBLEM)
    task = model.task(Limits(deadline=inf, memory=2**31))
    assert isinstance(task, Task)
    with model._lock:  # as another check has it while it searches
        found = model.optimum(task, [Step(name="cheap")], Limits(deadline=monotonic() + 0.2, memory=2**31))
    assert (found.status, found.lower, found.upper, found.is_proven) == (Status.TIME_LIMIT, 0, 2, False)


def test_a_grounded_model_is_kept_and_used_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert optimal(DOMAIN, tmp_path) is True

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the model was grounded although its task is kept")

    monkeypatch.setattr("validator.grounding.ground.translate", fail)
    assert optimal(DOMAIN, tmp_path, "(dear)") is False
    renamed = DOMAIN.replace("cheap", "good").replace("dear", "bad")
    assert optimal(renamed, tmp_path, "(good)") is True
    with pytest.raises(AssertionError, match="grounded although"):
        optimal(DOMAIN.replace("(total-cost) 3)", "(total-cost) 4)"), tmp_path)


@pytest.mark.parametrize("content", [b"", b"x", b"x\x9c\x03\x00\x00"])
def test_a_damaged_grounded_model_is_grounded_again(tmp_path: Path, content: bytes) -> None:
    optimal(DOMAIN, tmp_path)
    (kept,) = tmp_path.glob("grounded-*")
    kept.write_bytes(content)
    (entry,) = costs(tmp_path)
    entry.unlink()
    assert optimal(DOMAIN, tmp_path) is True
    assert len(kept.read_bytes()) > 100


def test_a_limit_leaves_nothing_grounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared._read.cache_clear()
    monkeypatch.setattr("validator.grounding.ground.translate", lambda *_, **__: Status.TIME_LIMIT)
    assert check(DOMAIN, PROBLEM, "", policy="keep", cache=tmp_path).planner_response.status == "time limit"
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_kept_that_is_said_and_the_check_goes_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    prepared._read.cache_clear()
    report = check(DOMAIN, PROBLEM, "(cheap)", quality="optimal", repair=False, cache=tmp_path / "file" / "kept")
    assert report.determination is True
    assert report.warnings == (f"nothing is kept in {tmp_path / 'file' / 'kept'}: Not a directory",)


def test_a_directory_that_fills_up_meanwhile_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("validator.grounding.ground.write_whole", full)
    monkeypatch.setattr("validator.repair.cache.write_whole", full)
    assert optimal(DOMAIN, tmp_path) is True
    assert list(tmp_path.iterdir()) == []

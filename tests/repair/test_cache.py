"""Proven cheapest costs and grounded models on disk."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path
from time import monotonic

import pytest

from validator import check
from validator.checking import prepared
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.resources import read_sealed, source_of, write_sealed

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

    monkeypatch.setattr("validator.repair.cheapest.search", fail)
    assert optimal(DOMAIN, tmp_path) is True
    assert optimal(DOMAIN, tmp_path, "(dear)") is False
    assert costs(tmp_path) == [entry]


def test_another_model_has_another_entry(tmp_path: Path) -> None:
    optimal(DOMAIN, tmp_path)
    optimal(DOMAIN.replace("(total-cost) 3)", "(total-cost) 4)"), tmp_path)
    assert len(costs(tmp_path)) == 2


def _damaged(content: bytes) -> Iterator[bytes]:
    yield from (b"", b"[" * 100_000, content[:-1], content[:40], content + b" ")
    for place in range(len(content)):
        yield bytes((*content[:place], content[place] ^ 1, *content[place + 1 :]))  # 2 becomes 3, as a cost too


def test_damaged_entries_are_found_again(tmp_path: Path) -> None:
    optimal(DOMAIN, tmp_path)
    for entry in tmp_path.iterdir():
        whole = entry.read_bytes()
        for content in _damaged(whole):
            entry.write_bytes(content)
            with pytest.raises(ValueError, match="damaged"):
                read_sealed(entry)
        assert optimal(DOMAIN, tmp_path) is True
        assert entry.read_bytes() == whole


def test_an_entry_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    other = DOMAIN.replace("(total-cost) 2)", "(total-cost) 4)")
    assert optimal(DOMAIN, tmp_path) is True
    own = set(tmp_path.iterdir())
    assert optimal(other, tmp_path) is False
    for one in own:
        (another,) = (each for each in set(tmp_path.iterdir()) - own if each.name[:8] == one.name[:8])
        one.write_bytes(another.read_bytes())
    assert optimal(DOMAIN, tmp_path) is True


def test_an_unproven_cost_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepared._read.cache_clear()
    late = Outcome(status=Status.TIME_LIMIT, lower_bound=1)
    monkeypatch.setattr("validator.repair.cheapest.search", lambda *_, **__: late)
    report = check(DOMAIN, PROBLEM, "(cheap)", quality="optimal", cache=tmp_path)
    assert report.determination is None
    assert costs(tmp_path) == []


def test_what_another_version_proved_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert optimal(DOMAIN, tmp_path) is True
    (entry,) = costs(tmp_path)
    write_sealed(entry, read_sealed(entry).replace(b"2", b"1"))  # a proof that was false
    assert optimal(DOMAIN, tmp_path) is False
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

    monkeypatch.setattr("validator.grounding.ground.write_sealed", full)
    monkeypatch.setattr("validator.repair.cache.write_sealed", full)
    assert optimal(DOMAIN, tmp_path) is True
    assert list(tmp_path.iterdir()) == []

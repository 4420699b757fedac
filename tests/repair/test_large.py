"""Repairs in parts of a model: what is proven there holds in the whole, and an answer is there before the whole is."""

from __future__ import annotations

import time

import pytest

from benchmarks.models import towers
from validator import Report, check
from validator.checking.check import Prepared, prepare
from validator.grounding import ground as grounding
from validator.grounding.limits import Limits, Status
from validator.model.bundled import bundles
from validator.model.pddl import read_model
from validator.repair.projection.instantiation import Parts
from validator.repair.projection.refine import Projecting, repair_by_projection
from validator.repair.proved import Proved

pytestmark = pytest.mark.planner

BLOCKS, *_ = (bundle for bundle in bundles() if bundle.name == "blocks")


def limits(seconds: float = 60) -> Limits:
    return Limits(deadline=time.monotonic() + seconds, memory=4 * 2**30)


def test_projections_have_a_share_of_the_time_and_more_of_it_once_only_the_proof_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shares = list[float]()

    def look(self: object, objects: int, best: Proved, limits: Limits) -> Proved:
        shares.append(limits.seconds)
        return best

    monkeypatch.setattr(Projecting, "look", look)
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    for known in (None, Proved(status=Status.STOPPED, edits=(), upper=4)):
        repair_by_projection(
            prepared.simulator, (), limits(600), with_goal=True, progress=lambda lower, best: None, known=known
        )
    assert max(shares[:2]) <= 120 and 200 < min(shares[2:]) + 60 < max(shares[2:]) + 60 <= 360


def changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def test_the_steps_among_some_objects_are_those_that_the_static_facts_allow() -> None:
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    parts = Parts(prepared.model)
    every = parts.among(set(prepared.model.problem.objects), 10**6)
    assert every is not None
    assert len(every) == parts.size()
    assert parts.among(set(prepared.model.problem.objects), len(every) - 1) is None
    few = parts.among({"a", "b"}, 10**6)
    assert few is not None
    assert {arg for _, args in few for arg in args} == {"a", "b"}


def test_a_grounding_that_met_its_limit_is_begun_again_only_with_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []

    def in_vain(domain: str, problem: str, limits: Limits) -> Status:
        begun.append(round(limits.seconds))
        return Status.TIME_LIMIT

    clock = iter((0.0, 0.5, 1.0, 11.0, 11.0, 51.0))
    monkeypatch.setattr("os.times", lambda: (next(clock), 0.0, 0.0, 0.0, 0.0))
    monkeypatch.setattr(grounding, "translate", in_vain)
    prepared = prepare(read_model(BLOCKS.domain, BLOCKS.problem))
    for seconds in (10, 10, 12, 40):  # the first half of a second, on a busy machine, says nothing of the model
        assert prepared.task(limits(seconds)) is Status.TIME_LIMIT
    assert begun == [10, 10, 40]


def test_a_model_that_cannot_be_grounded_in_time_is_repaired_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(read_model(BLOCKS.domain, BLOCKS.problem))
    monkeypatch.setattr(Prepared, "task", lambda self, *args, **options: Status.TIME_LIMIT)
    plan = BLOCKS.plans[0].read_text(encoding="utf-8").splitlines()
    report = check(prepared, None, "\n".join([*plan[:2], *plan[3:]]))
    assert report.repaired_plan is not None
    assert check(prepared, None, "".join(f"{step}\n" for step in report.repaired_plan)).determination is True


@pytest.mark.deep
def test_a_tower_of_two_hundred_blocks_is_repaired_and_one_change_is_proven_nearest() -> None:
    tower = towers(200)
    prepared = prepare(read_model(BLOCKS.domain, tower.problem))
    assert prepared.is_large
    report = check(prepared, None, "\n".join(tower.steps[:500] + tower.steps[501:]), time_limit=120)
    assert (report.proven, changes(report), prepared.is_grounded) == (True, 1, False)

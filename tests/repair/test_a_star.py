"""The nearest plans of small models, which A* proves without a planner: the same costs as two other searches say."""

from __future__ import annotations

import gc
import weakref

import pytest

from validator import check, prepare
from validator.model.bundled import bundle
from validator.reading.tokens import tokenize
from validator.repair import literals
from validator.repair.a_star import nearest_in

BLOCKS = bundle("blocks")
BROKEN = BLOCKS.domain.parent / "broken-order.plan"


def test_a_small_repair_starts_no_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("validator.grounding.planner.translate")
    monkeypatch.delattr("validator.grounding.planner.search")
    told: list[tuple[int, int | None]] = []
    report = check(BLOCKS.domain, BLOCKS.problem, BROKEN, progress=lambda *bounds: told.append(bounds))
    assert (report.determination, report.proven, report.planner_response.cost) == (False, True, 4)
    assert (report.planner_response.engine, told) == ("A* in this process", [(4, 4)])


def test_a_model_leaves_memory_with_its_last_reference() -> None:
    """What refers to itself would wait for the garbage collector, which counts objects and no memory."""
    gc.disable()
    try:
        prepared = prepare(BLOCKS.domain.read_text(), BLOCKS.problem.read_text() + "; a model of its own")
        assert isinstance(prepared.small, literals.GroundModel)
        model = literals.GroundModel.of(prepared.simulator)
        assert model is not None
        steps = tokenize(BROKEN.read_text(), prepared.vocabulary).steps
        assert nearest_in(model, steps, with_goal=True) is not None
        held = weakref.ref(model)
        del model
        assert held() is None
    finally:
        gc.enable()

"""The nearest plans of small models, which A* proves without a planner: the same costs as two other searches say."""

from __future__ import annotations

import gc
import random
import weakref

import pytest

from validator import check
from validator.checking.check import Prepared, prepare
from validator.model.bundled import Bundle, bundles
from validator.reading.plan import Plan, Step
from validator.reading.tokens import tokenize
from validator.repair import literals
from validator.repair.a_star import nearest_in
from validator.repair.edit import Edit, Move, kept_steps

SMALL = [b for b in bundles() if b.name in ("blocks", "delivery", "gripper-lab", "kitchen", "puzzle", "trip")]
BLOCKS = next(bundle for bundle in SMALL if bundle.name == "blocks")


def nearest(prepared: Prepared, steps: list[Step], *, with_goal: bool) -> tuple[Edit, ...] | None:
    """Return the edits, which have all tokens in order and lead to a plan with the quality."""
    assert prepared.small is not None
    edits = nearest_in(prepared.small, steps, with_goal=with_goal)
    if edits is not None:
        assert [edit.token for edit in edits if edit.move is not Move.INSERT] == steps
        trace = prepared.simulator.run(Plan(parts=kept_steps(edits)))
        assert trace.is_valid if with_goal else trace.is_sound
    return edits


def broken(bundle: Bundle, prepared: Prepared, seed: int) -> list[Step]:
    """Return the good plan of a model with some steps dropped, swapped, or replaced by other steps of it."""
    rng = random.Random(f"{bundle.name} {seed}")
    steps = list(tokenize((bundle.domain.parent / "good.plan").read_text(), prepared.vocabulary).steps)
    assert prepared.small is not None
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(steps))
        other = rng.choice([*prepared.small.steps, Step(name="nothing")])
        steps[place : place + 1] = rng.choice([[], [steps[place], other], [other], [steps[place]] * 2])
    return steps


def test_a_small_repair_starts_no_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("validator.grounding.planner.translate")
    monkeypatch.delattr("validator.grounding.planner.search")
    told: list[tuple[int, int | None]] = []
    broken_plan = BLOCKS.domain.parent / "broken-order.plan"
    report = check(BLOCKS.domain, BLOCKS.problem, broken_plan, progress=lambda *bounds: told.append(bounds))
    assert (report.determination, report.proven, report.planner_response.cost) == (False, True, 4)
    assert (report.planner_response.engine, told) == ("A* in this process", [(4, 4)])


def test_a_model_leaves_memory_with_its_last_reference() -> None:
    """What refers to itself would wait for the garbage collector, which counts objects and no memory."""
    gc.disable()
    try:
        prepared = prepare(BLOCKS.domain.read_text(), BLOCKS.problem.read_text() + "; a model of its own")
        nearest(prepared, broken(BLOCKS, prepared, 0), with_goal=True)
        assert isinstance(prepared.small, literals.GroundModel)
        model = literals.GroundModel.of(prepared.simulator)
        assert model is not None
        assert nearest_in(model, broken(BLOCKS, prepared, 1), with_goal=True) is not None
        held = weakref.ref(model)
        del model
        assert held() is None
    finally:
        gc.enable()

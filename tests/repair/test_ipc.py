"""Models of the planning competitions with corrupted plans, whose fewest edits are known.

Reads ``shared/data/ipc`` beside the project and is skipped where that is not there; a quick part of it only.
"""

from __future__ import annotations

import json

import pytest

from tests.support.models import limits, task_of
from tests.support.places import SHARED
from validator import check, prepare

DATA = SHARED / "data" / "ipc"
pytestmark = [
    pytest.mark.skipif(not DATA.is_dir(), reason="shared/data/ipc is not there"),
    pytest.mark.planner,
]

QUICK = ("gripper", "miconic", "satellite", "visitall-opt11-strips", "miconic-simpleadl", "openstacks-opt08-adl")


def _models() -> list[dict[str, object]]:
    path = DATA / "index.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return [model for model in found if model["domain"] in QUICK]


MODELS = [pytest.param(model, id=str(model["domain"])) for model in _models()]
PLANS = [
    pytest.param(str(model["domain"]), broken["file"], broken["valid_edits"], id=f"{model['domain']}/{broken['file']}")
    for model in _models()
    for broken in model["broken"]  # type: ignore[attr-defined]
    if broken["corruptions"] == 1 and broken["valid_edits"] is not None
]


@pytest.mark.parametrize(("domain", "plan", "edits"), PLANS)
def test_the_fewest_edits_are_found_and_proven(domain: str, plan: str, edits: int) -> None:
    folder = DATA / domain
    report = check(folder / "domain.pddl", folder / "problem.pddl", folder / plan, time_limit=60)
    assert report.proven
    assert sum(diff.diff_type is not None for diff in report.plan_diff_obj) == edits
    assert report.determination is (edits == 0)


@pytest.mark.parametrize("model", MODELS)
def test_the_cheapest_cost_is_the_indexs(model: dict[str, object]) -> None:
    folder = DATA / str(model["domain"])
    prepared = prepare(folder / "domain.pddl", folder / "problem.pddl")
    optimum = prepared.optimum(task_of(prepared), None, limits())
    assert (optimum.lower, optimum.upper) == (model["optimal_cost"], model["optimal_cost"])
    report = check(prepared, None, folder / "good.plan", quality="optimal", repair=False)
    assert report.determination is (model["cost"] == model["optimal_cost"])

"""The original's counts of four models' answers, task by task, and some of its planner verdicts.

Reads ``shared/data/eai`` beside the project and is skipped where that is not there.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.support.depth import some
from tests.support.places import SHARED
from validator.grading.eai.answers import Answer, read_answers
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.grade import grade_answer
from validator.grading.eai.transition_modeling.planning import Allowance
from validator.grading.eai.transition_modeling.report import summary_data

DATA = SHARED / "data" / "eai"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="shared/data/eai is not there")

GRADES = {"virtualhome": "transition_modeling_fd23.06.json", "behavior": "transition_modeling_fd26.6.json"}
MODELS = [
    pytest.param(dataset, path.stem.removesuffix("_outputs"), id=f"{dataset}/{path.stem}")
    for dataset in GRADES
    for path in sorted((DATA / dataset / "answers" / "transition_modeling").glob("*_outputs.json"))
]
EVERY = 50
"""One task in so many is planned for here; ``python -m benchmarks transition`` does all."""


@cache
def _benchmark(dataset: str) -> Benchmark:
    return read_benchmark(DATA / dataset)


@cache
def _recorded(dataset: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / dataset / "grades" / GRADES[dataset]).read_bytes())["models"]
    return found


def _answers(dataset: str, model: str) -> tuple[Answer, ...]:
    return read_answers(DATA / dataset / "answers" / "transition_modeling" / f"{model}_outputs.json")


@pytest.mark.parametrize(("dataset", "model"), some(MODELS, 2))
def test_the_counts_of_every_task_are_the_originals(dataset: str, model: str) -> None:
    benchmark, recorded = _benchmark(dataset), _recorded(dataset)[model]
    grades = [grade_answer(benchmark, answer, compat=True) for answer in _answers(dataset, model)]
    for grade in grades:
        wanted: Counter[tuple[str, str, str, str]] = Counter()
        for action, parts in recorded["tasks"][grade.identifier]["per_action"].items():
            for part in ("precondition", "effect"):
                for kind, names in parts.get(part, {}).items():
                    if kind != "score":
                        wanted.update((action, part, kind, name) for name in names if name in benchmark.kinds)
        counted: Counter[tuple[str, str, str, str]] = Counter()
        for count in grade.counts:
            for kind, number in (("TP", count.right), ("FP", count.wrong), ("FN", count.missed)):
                counted[count.action, count.part.value, kind, count.predicate] += number
        assert +counted == wanted, grade.identifier
    summary = summary_data(benchmark, grades)
    for category, row in recorded["summary"].items():
        for key in ("precision", "recall", "f1"):
            assert summary[category][key] == pytest.approx(row[key], abs=1e-3), (category, key)


@pytest.mark.planner
@pytest.mark.parametrize("model", some((model.values[1] for model in MODELS if model.values[0] == "virtualhome"), 1))
def test_the_planner_succeeds_where_the_original_did(model: str) -> None:
    benchmark, recorded = _benchmark("virtualhome"), _recorded("virtualhome")[model]["tasks"]
    allowance = Allowance(seconds=60, memory=2 * 2**30)
    for answer in _answers("virtualhome", model)[::EVERY]:
        planning = grade_answer(benchmark, answer, compat=True, allowance=allowance).planning
        assert planning is not None
        assert planning.is_found is recorded[answer.identifier]["planner_success"], answer.identifier

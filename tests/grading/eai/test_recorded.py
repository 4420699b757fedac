"""The recorded grades of the Embodied Agent Interface, on a part of its tasks; all are in ``benchmarks eai``."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.support.depth import deep, some
from tests.support.places import SHARED
from validator.grading.eai.answers import Answer, answer_files, read_answers
from validator.grading.eai.interpretation import grade_virtualhome_goals, virtualhome_summary
from validator.grading.eai.output import sequencing_summary
from validator.grading.eai.sequencing import Grade
from validator.grading.eai.tasks.household import PRESETS, Defect, grade
from validator.grading.eai.tasks.virtualhome import Household, annotated, load
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.grade import grade_answer
from validator.grading.eai.transition_modeling.planning import Allowance
from validator.grading.eai.transition_modeling.report import summary_data

HOME = SHARED / "data" / "eai" / "virtualhome"
pytestmark = pytest.mark.skipif(not HOME.is_dir(), reason="the recorded grades are not here")
EVERY = 8  # of the tasks, one in so many


@pytest.fixture(scope="module")
def tasks() -> dict[str, Household]:
    chosen = sorted(json.loads((HOME / "name_to_id.json").read_text()))[::EVERY]
    return load(HOME, frozenset(chosen))


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HOME / "grades" / f"{name}.json").read_text())["models"]
    return found


def is_same(found: Grade, expected: dict[str, Any]) -> bool:
    if found.verdict.value != expected["verdict"]:
        return False
    if found.execution is None or "matched" not in expected:
        return True
    failed = found.execution.failed
    return (
        (failed.label if failed else None) == expected.get("error_action")
        and {name: getattr(found.matched, name) for name in ("state", "relation", "action")} == expected["matched"]
        and dict(found.execution.counts) == expected.get("runtime_error_counts", {})
        and found.all_satisfied == expected["all_goals_satisfied"]
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "switches"),
    [
        deep("action_sequencing", PRESETS["seed0"]),
        ("action_sequencing_corrected", frozenset((Defect.PARSING, Defect.VOCABULARY))),
    ],
)
def test_grades_are_the_recorded_ones(tasks: dict[str, Household], name: str, switches: frozenset[Defect]) -> None:
    expected = recorded(name)
    differing, total = [], 0
    for model, path in answer_files(HOME / "answers" / "action_sequencing").items():
        for answer in read_answers(path):
            if answer.identifier in tasks:
                found = grade(tasks[answer.identifier], answer.text, switches)
                total += 1
                if not is_same(found, expected[model]["tasks"][answer.identifier]):
                    differing.append((model, answer.identifier))
    assert total > 100
    assert len(differing) <= total * 8 / 1368


@pytest.mark.deep
def test_the_shipped_programs_are_graded_as_recorded(tasks: dict[str, Household]) -> None:
    expected = recorded("action_sequencing_gold_plans_corrected")["gold-plans"]["tasks"]
    answers = read_answers(HOME / "answers" / "action_sequencing_gold_plans" / "gold-plans_outputs.json")
    switches = frozenset((Defect.PARSING, Defect.VOCABULARY))
    differing = [
        answer.identifier
        for answer in answers
        if answer.identifier in tasks
        and not is_same(grade(tasks[answer.identifier], answer.text, switches), expected[answer.identifier])
    ]
    assert len(differing) <= 1


def test_goal_interpretation_is_graded_as_recorded() -> None:
    gold = annotated(HOME)
    expected = json.loads((HOME / "grades" / "goal_interpretation.json").read_text())
    for model, path in answer_files(HOME / "answers" / "goal_interpretation").items():
        grades = [
            grade_virtualhome_goals(a.identifier, *gold[a.identifier], a.text, compat=True) for a in read_answers(path)
        ]
        assert virtualhome_summary(grades) == pytest.approx(expected[model], abs=0.1)


@pytest.mark.deep
def test_figures_are_those_of_the_original_within_a_tenth() -> None:
    """Of every eighth model, and of others with the published order of goals."""
    homes, expected = load(HOME), recorded("action_sequencing")
    files = list(answer_files(HOME / "answers" / "action_sequencing").items())
    for start, (name, key) in enumerate([("seed0", "summary"), ("seed3", "summary_published_goal_order")]):
        for model, path in files[start::8]:
            found = sequencing_summary(grade(homes[a.identifier], a.text, PRESETS[name]) for a in read_answers(path))
            for part, figures in expected[model][key].items():
                for figure, value in figures.items():
                    assert found[part][figure] == pytest.approx(value, abs=0.1), (model, figure)


# --- transition modeling: counts task by task, and some planner verdicts -------------------------


DATA = SHARED / "data" / "eai"

GRADES = {"virtualhome": "transition_modeling_fd23.06.json", "behavior": "transition_modeling_fd26.6.json"}
MODELS = [
    pytest.param(dataset, path.stem.removesuffix("_outputs"), id=f"{dataset}/{path.stem}")
    for dataset in GRADES
    for path in sorted((DATA / dataset / "answers" / "transition_modeling").glob("*_outputs.json"))
]
PLANNED = 50
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
    for each in grades:
        wanted: Counter[tuple[str, str, str, str]] = Counter()
        for action, parts in recorded["tasks"][each.identifier]["per_action"].items():
            for part in ("precondition", "effect"):
                for kind, names in parts.get(part, {}).items():
                    if kind != "score":
                        wanted.update((action, part, kind, name) for name in names if name in benchmark.kinds)
        counted: Counter[tuple[str, str, str, str]] = Counter()
        for count in each.counts:
            for kind, number in (("TP", count.right), ("FP", count.wrong), ("FN", count.missed)):
                counted[count.action, count.part.value, kind, count.predicate] += number
        assert +counted == wanted, each.identifier
    summary = summary_data(benchmark, grades)
    for category, row in recorded["summary"].items():
        for key in ("precision", "recall", "f1"):
            assert summary[category][key] == pytest.approx(row[key], abs=1e-3), (category, key)


@pytest.mark.planner
@pytest.mark.parametrize("model", some((model.values[1] for model in MODELS if model.values[0] == "virtualhome"), 1))
def test_the_planner_succeeds_where_the_original_did(model: str) -> None:
    benchmark, recorded = _benchmark("virtualhome"), _recorded("virtualhome")[model]["tasks"]
    allowance = Allowance(seconds=60, memory=2 * 2**30)
    for answer in _answers("virtualhome", model)[::PLANNED]:
        planning = grade_answer(benchmark, answer, compat=True, allowance=allowance).planning
        assert planning is not None
        assert planning.is_found is recorded[answer.identifier]["planner_success"], answer.identifier

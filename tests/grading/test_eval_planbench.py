"""``eval planbench``: PlanBench's files as it writes them, and the recorded answers with its verdicts."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.batch_models import BAD, GOOD
from tests.support.models import BOTH_STEPS as PROBLEM
from tests.support.models import TWO_STEPS as DOMAIN
from tests.support.places import SHARED
from validator.cli import main
from validator.errors import InputError
from validator.grading.batch.worker import Settings
from validator.grading.planbench import Answer, Layout, Question, grade_answers, read_answers

pytestmark = pytest.mark.usefixtures("in_threads")

DATA = SHARED / "data" / "planbench"
TEMPLATES = SHARED / "data" / "answers" / "templates"
PROMPT = f"Here is\n[DOMAIN]\n{DOMAIN}\n\n[QUERY PROBLEM]\n{PROBLEM}\n)\n\n[PLAN]"


def item(instance: int, **more: Any) -> dict[str, Any]:
    return {"instance_id": instance, "query": PROMPT, "llm_raw_response": GOOD, **more}


def task_file(folder: Path, *items: dict[str, Any], task: str = "task_1_plan_generation_pddl") -> Path:
    path = folder / "results" / "dom" / "some-model" / f"{task}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"task": task, "prompt_type": "oneshot", "domain": "dom", "instances": list(items)}))
    return path


def graded(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["eval", "planbench", *map(str, arguments), "--workers", "1", "--format", "json"]) == 0
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return found


# --- the files -----------------------------------------------------------------------------------


def test_the_model_of_a_prompt_in_pddl_is_the_prompt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    task_file(
        tmp_path,
        item(1, extracted_llm_plan=GOOD, llm_correct=True),
        item(2, extracted_llm_plan=BAD, llm_correct=False),
        item(3, extracted_llm_plan=BAD, llm_correct=True, llm_raw_response=BAD),
        item(4, llm_raw_response=""),
        item(5, llm_raw_response=BAD),
    )
    found = graded(capsys, tmp_path)
    assert [(grade["instance"], grade["ours"], grade["theirs"]) for grade in found] == [
        ("1", True, True),
        ("2", True, False),
        ("3", False, True),
        ("5", False, None),
    ]
    assert found[0]["id"] == "dom/some-model/task_1_plan_generation_pddl/1"
    assert found[0]["why"] == "" and found[3]["why"] == ""
    assert found[1]["why"].startswith("valid as it was answered; the extraction made another plan of it (2 steps here")
    assert found[1]["difference"] == "steps lost"
    assert found[2]["why"] == "Step 1 (b): (p) is false (nothing made it true)"


def test_older_files_are_told_by_where_they_lie_and_have_a_verdict_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, declared in (("pddl", "dom"), ("zero_shot_pddl", "dom_zero_shot"), ("state_tracking", "dom/generated")):
        path = task_file(tmp_path, item(1, extracted_llm_plan=BAD, correct=False), task=f"task_1_plan_{name}")
        content = json.loads(path.read_text())
        path.write_text(json.dumps({**content, "task": "t1", "domain": declared}))
    found = graded(capsys, tmp_path)
    assert [grade["id"] for grade in found] == [
        f"dom/some-model/task_1_plan_{name}/1" for name in ("pddl", "state_tracking", "zero_shot_pddl")
    ]
    assert [(grade["ours"], grade["theirs"]) for grade in found] == [(True, False)] * 3


def test_a_second_run_of_a_task_is_told_from_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = task_file(tmp_path, item(1, llm_correct=True))
    again = first.with_name(f"{first.stem}_run1.json")
    again.write_text(first.read_text().replace("true", "false"))
    found = graded(capsys, tmp_path)
    assert [(grade["task"], grade["theirs"], grade["ours"]) for grade in found] == [
        (first.stem, True, True),
        (again.stem, False, True),
    ]


def instances(folder: Path) -> Path:
    (folder / "instances" / "dom" / "generated_basic").mkdir(parents=True)
    (folder / "instances" / "dom" / "generated_domain.pddl").write_text(DOMAIN)
    (folder / "instances" / "dom" / "generated_basic" / "instance-7.pddl").write_text(PROBLEM)
    return folder / "instances"


def test_an_answer_in_words_is_graded_as_it_was_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = task_file(
        tmp_path,
        item(7, query="in words", llm_raw_response="1. a\n2. b", extracted_llm_plan=BAD, llm_correct=False),
        task="task_1_plan_generation",
    )
    [found] = graded(capsys, path, "--instances", instances(tmp_path))
    assert (found["read"], found["verdict"], found["ours"]) == ("raw", "valid", True)
    assert (found["extraction"], found["extraction_ours"], found["theirs"]) == ("precondition", False, False)
    assert found["difference"] == "steps lost"


def test_where_the_instances_are_may_be_in_a_config(tmp_path: Path) -> None:
    (tmp_path / "dom.yaml").write_text(
        'instance_dir: here\ndomain_file: here/d.pddl\ninstances_template: "i{}.pddl"\nactions:\n  {a: "b"}\n'
    )
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "d.pddl").write_text(DOMAIN)
    (tmp_path / "here" / "i3.pddl").write_text(PROBLEM)
    layout = Layout(instances=tmp_path, configs=tmp_path)
    assert layout.model("dom", 3, "task_1") == (str(tmp_path / "here" / "d.pddl"), str(tmp_path / "here" / "i3.pddl"))
    with pytest.raises(InputError, match="no such file, for instance 4 of dom"):
        layout.model("dom", 4, "task_1")


def test_without_a_model_there_is_no_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = task_file(tmp_path, item(1, query="in words", llm_correct=True), task="task_1_plan_generation")
    [found] = graded(capsys, path)
    assert (found["ours"], found["verdict"]) == (None, "error")
    assert found["why"] == "no answer: the PDDL is not in the answer file: give PlanBench's folder of instances"


def test_replanning_needs_the_prompt_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [found] = graded(capsys, task_file(tmp_path, item(2, llm_correct=True), task="task_6_replanning"))
    assert found["why"].startswith("no answer: where a plan begins anew is in a prompt in words only")


@pytest.mark.planner
def test_a_cost_optimal_answer_must_be_cheapest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = task_file(
        tmp_path,
        item(1, llm_raw_response="(a)\n(a)\n(b)\n", llm_correct=True),
        item(2, extracted_llm_plan=GOOD, llm_correct=False),
        task="task_2_plan_optimality_pddl",
    )
    first, second = graded(capsys, path)
    assert (first["ours"], second["ours"]) == (False, True)
    assert second["why"] == "valid, and cheapest"


@pytest.mark.planner
@pytest.mark.parametrize(
    ("said", "problem", "ours"),
    [
        ("There is no plan that reaches the goal.", PROBLEM.replace("(q)", "(and (q) (not (p)))"), True),
        ("There is no plan that reaches the goal.", PROBLEM, False),
        (BAD, PROBLEM.replace("(q)", "(and (q) (not (p)))"), False),
    ],
)
def test_that_there_is_no_plan_is_right_where_it_is_proven(said: str, problem: str, ours: bool) -> None:
    answer = Answer(id="x", question=Question.NO_PLAN, domain=DOMAIN, problem=problem, raw=said, theirs=not ours)
    [grade] = grade_answers([answer], settings=Settings(repair=False), workers=1)
    assert grade.ours is ours
    assert bool(grade.why)


@pytest.mark.parametrize("text", ["{", "[]", '{"task": "t"}', '{"task": "t", "instances": [1]}'])
def test_another_form_of_file_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(InputError, match=r"a\.json"):
        list(read_answers([tmp_path / "a.json"], Layout()))


def test_formats_and_resumption(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = task_file(tmp_path, item(1, extracted_llm_plan=BAD, llm_correct=False))
    arguments = ["eval", "planbench", str(path), "-o", str(tmp_path / "out.jsonl"), "--workers", "1"]
    assert main([*arguments, "--format", "csv"]) == 0
    [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert (row["ours"], row["theirs"], row["verdict"]) == ("True", "False", "valid")
    before = (tmp_path / "out.jsonl").read_text()
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert (tmp_path / "out.jsonl").read_text() == before
    assert "1 answers that PlanBench judged, 1 otherwise than we do: 1 right ones marked wrong, 0 wrong" in said
    name = "dom/some-model/task_1_plan_generation_pddl/1"
    assert f"{name} (raw): PlanBench wrong, here right: steps lost\n    valid as it" in said


def test_another_answer_than_that_of_the_results_is_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for said, ours in ((GOOD, True), (BAD, False)):
        path = task_file(tmp_path, item(1, llm_raw_response=said, llm_correct=ours))
        assert [grade["ours"] for grade in graded(capsys, path, "-o", tmp_path / "out.jsonl")] == [ours]


def test_results_of_another_command_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, results = task_file(tmp_path, item(1, llm_raw_response=GOOD)), tmp_path / "out.jsonl"
    results.write_text('{"id": "a", "line": 1, "verdict": "valid", "tags": {"task": "app"}, "report": {}}\n')
    assert main(["eval", "planbench", str(path), "-o", str(results)]) == 2
    assert "out.jsonl: line 1 is no result of this command" in capsys.readouterr().err


# --- the recorded answers ------------------------------------------------------------------------

RIGHT_MARKED_WRONG = {
    "3435": "grader",
    "3503": "extraction empty",
    "3772": "claims no plan",
    "3859": "claims no plan",
    "3941": "claims no plan",
    "3955": "claims no plan",
    "15326": "steps changed",
    "29077": "steps changed",
    "30282": "extraction empty",
}


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.skipif(not DATA.is_dir(), reason="shared/data/planbench is not there")
def test_the_differences_on_the_recorded_answers() -> None:
    """These at least; how much is understood is measured by ``benchmarks.answers``."""
    layout = Layout(templates=TEMPLATES if TEMPLATES.is_dir() else None)
    recorded = list(read_answers([DATA / "plans.jsonl"], layout))
    assert len(recorded) == 400
    answers = [one for place, one in enumerate(recorded) if one.id in RIGHT_MARKED_WRONG or place % 9 == 0]
    grades = grade_answers(answers, settings=Settings(repair=False), workers=2)
    assert len(grades) == len(answers)
    assert not [grade.id for grade in grades if grade.verdict == "error"]
    differ = {grade.id: grade for grade in grades if grade.difference}
    assert not [name for name, grade in differ.items() if grade.ours is False]
    words = {"15326"} if layout.templates is None else set()  # "the red block" is in no model
    for name, kind in RIGHT_MARKED_WRONG.items():
        assert name in words or (differ[name].difference == kind and differ[name].why)

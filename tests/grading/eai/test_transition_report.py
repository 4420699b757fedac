"""The data set, the grades of an answer, the report, the command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.transition_data import GOOD, answer, operator, write_data
from validator.cli import main
from validator.errors import InputError
from validator.grading.eai.transition_modeling.benchmark import read_benchmark


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_data(tmp_path / "data")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("id2action.json", '{"1_1": ["fly"]}', "task 1_1 asks for 'fly', which has no gold"),
        ("id2action.json", "[]", "a JSON object was expected"),
        ("gold_action.json", "{", "not JSON"),
        ("gold_action.json", '{"walk": {"action_name": "walk"}}', "'walk' needs action_parameters"),
        ("other_pd.pddl", "(define (domain d))", "one file NAME_pd.pddl was expected, 2 are there"),
    ],
)
def test_a_data_set_that_is_laid_out_otherwise_is_refused(data: Path, name: str, content: str, message: str) -> None:
    (data / "resources" / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        read_benchmark(data)


def test_of_several_data_sets_one_is_named(data: Path) -> None:
    below = data / "resources" / "lamps"
    moved = [path.rename(data / path.name) for path in sorted((data / "resources").iterdir())]
    below.mkdir()
    for path in moved:
        path.rename(below / path.name)
    assert read_benchmark(data).name == "lamps"
    (below.parent / "other").mkdir()
    (below.parent / "other" / "other_pd.pddl").write_text("(define (domain d))", encoding="utf-8")
    assert read_benchmark(data, "lamps").name == "lamps"
    with pytest.raises(InputError, match="several data sets, lamps and other"):
        read_benchmark(data)


# --- the command ---------------------------------------------------------------------------------


def _answers(folder: Path, *texts: str) -> Path:
    records = [{"identifier": "1_1", "llm_output": text} for text in texts]
    path = folder / "some-model_outputs.json"
    path.write_text(json.dumps([*records, {"identifier": "9_9", "llm_output": ""}]), encoding="utf-8")
    return path


@pytest.mark.planner
def test_the_command_prints_and_writes_what_it_counts(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = _answers(tmp_path, answer(operator("walk", "(lit ?l)")))
    output = ["--output", str(tmp_path / "o")]
    words = ["eval", "transition-modeling", "--data", str(data), "--answers", str(path), *output]
    assert main([*words, "--sensitivity", "--dataset", "lamps"]) == 2
    printed = capsys.readouterr()
    report = json.loads(printed.out)["some-model"]["report"]
    assert (report["tasks"], report["operators"]["read"], report["operators"]["missing"]) == (1, 1, 2)
    assert report["sensitivity"]["by_action"]["walk"] == {"total": 1, "success": 0, "valid": 0}
    assert "'9_9' is not a task in this data" in printed.err
    folder = tmp_path / "o" / "lamps" / "evaluate_results" / "transition_modeling" / "some-model"
    assert json.loads((folder / "summary.json").read_text())["overall"]["planner_success_rate"] == 0
    assert json.loads((folder / "tasks.json").read_text())[0]["planning"]["outcome"] == "none"
    assert json.loads((folder.parent / "results.jsonl").read_text())["verdict"] == "plan not found"


@pytest.mark.parametrize("problem", ["", "(define (problem one) (:domain lamps) (:goal (lit red)))"])
def test_a_task_of_which_no_problem_can_be_read_is_left_out(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], problem: str
) -> None:
    file = data / "resources" / "problem_pddl" / "lamps" / "1_1.pddl"
    file.write_text(problem) if problem else file.unlink()
    words = ["eval", "transition-modeling", "--data", str(data), "--answers", str(_answers(tmp_path, GOOD))]
    for more in ([], ["--compat"]):
        assert main([*words, *more]) == 2
        assert "left out the task 1_1: " in capsys.readouterr().err
    assert main([*words, "--no-planner", "--compat"]) == 2
    assert json.loads(capsys.readouterr().out)["some-model"]["report"]["tasks"] == 1


def test_records_that_are_none_stop_nothing_and_the_exit_code_tells(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = json.loads(_answers(tmp_path, GOOD).read_text())[:1]
    lines = [json.dumps(whole[0])] * 2 + ['{"identifier": 3}', json.dumps(whole[0])[:-9]]
    path = tmp_path / "torn.jsonl"
    path.write_text("\n".join(lines))
    words = ["eval", "transition-modeling", "--data", str(data), "--answers", str(path), "--no-planner"]
    assert main([*words, "--output", str(tmp_path / "o")]) == 2
    printed = capsys.readouterr()
    assert printed.err.count("left out") == 3
    results = tmp_path / "o" / "lamps" / "evaluate_results" / "transition_modeling" / "results.jsonl"
    assert main(["summary", str(results)]) == 0
    assert "torn" in capsys.readouterr().out


def test_resume_keeps_the_models_whose_answers_are_graded(
    data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = _answers(tmp_path, GOOD), tmp_path / "o"
    words = ["eval", "transition-modeling", "--data", str(data), "--answers", str(path), "--no-planner"]
    assert main([*words, "--resume"]) == 2
    words += ["--output", str(out)]
    assert main(words) == 2
    first = capsys.readouterr().out
    kept = next(out.rglob("grades.jsonl"))
    assert main([*words, "--resume"]) == 2
    assert capsys.readouterr().out == first
    before = kept.read_text()
    path.write_text(path.read_text().replace("walk", "run"))
    assert main([*words, "--resume"]) == 2
    assert capsys.readouterr().out != first and kept.read_text().startswith(before)
    kept.write_text(before[:-30])
    assert main([*words, "--resume"]) == 2

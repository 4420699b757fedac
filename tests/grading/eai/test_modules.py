"""Goal interpretation, subgoal decomposition and prompts, on a small household."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.household_scenes import AGENT, BOOK, LAMP, STATE_ON, edge, household, write_tasks
from validator.cli import main
from validator.grading.eai.answers import read_by_pattern, read_calls
from validator.grading.eai.interpretation import behavior_summary, grade_behavior_goals, grade_virtualhome_goals
from validator.grading.eai.output import subgoal_info
from validator.grading.eai.subgoals import grade_subgoals, read_subgoals
from validator.grading.summary import Confusion

# --- goal interpretation -------------------------------------------------------------------------

GOLD = {"goal": [STATE_ON, edge(AGENT, "HOLDS_RH", BOOK)], "actions": ["LOOKAT|WATCH"]}
NUMBERS = {"lamp": LAMP, "book": BOOK, "character": AGENT}


def answer(nodes: list[Any] = [], edges: list[Any] = [], actions: list[Any] = []) -> str:  # noqa: B006
    return json.dumps({"node goals": nodes, "edge goals": edges, "action goals": actions})


ON = {"name": "lamp", "state": "ON"}
HELD = {"from_name": "character", "relation": "HOLDS_RH", "to_name": "book"}


@pytest.mark.parametrize(
    ("text", "state", "relation", "action"),
    [
        (answer([ON], [HELD], [{"action": "watch"}]), (1, 0, 0), (1, 0, 0), (1, 0, 0)),
        (answer([ON, ON]), (1, 0, 0), (0, 0, 1), (0, 0, 1)),
        (answer([{"name": "lamp", "state": "OFF"}]), (0, 1, 1), (0, 0, 1), (0, 0, 1)),
        (answer([{"name": "tree", "state": "ON"}, {"name": "lamp"}, 7]), (0, 0, 1), (0, 0, 1), (0, 0, 1)),
        (answer(actions=[{"action": "EAT"}]), (0, 0, 1), (0, 0, 1), (0, 1, 1)),
        (f"```json\n{answer([ON])}\n```<|eot_id|>".replace('"', "'"), (1, 0, 0), (0, 0, 1), (0, 0, 1)),
    ],
)
@pytest.mark.parametrize("compat", [True, False])
def test_goals_are_compared(text: str, state: Any, relation: Any, action: Any, compat: bool) -> None:
    found = grade_virtualhome_goals("1_1", GOLD, NUMBERS, text, compat=compat)
    counts = [(each.right, each.wrong, each.missed) for each in (found.state, found.relation, found.action)]
    assert counts == [state, relation, action]


@pytest.mark.parametrize(
    "text",
    ["no goals", '{"edge goals": []', '{"goals": []}', '{"node goals": []}\n{"node goals": [1]}', "[" * 100_000, "{}"],
)
def test_what_cannot_be_read_is_no_answer_and_misses_its_goals(text: str) -> None:
    found = grade_virtualhome_goals("1_1", GOLD, NUMBERS, text)
    assert (found.all, found.is_right) == (Confusion(missed=3), None)


def test_behavior_counts_the_option_that_is_met_best() -> None:
    gold = {"0": [[["inside", "a", "b"]], [["inside", "c", "b"], ["not", ["open", "b"]]]]}
    text = "{'node goals': [['not', ['open', 'b']], ['stained', 'a']], 'edge goals': [['inside', 'c', 'b']]}"
    found = grade_behavior_goals("d", gold, text)
    assert (found.state, found.relation) == (Confusion(right=1, wrong=1), Confusion(right=1))
    lost = grade_behavior_goals("d", gold, "nothing")
    assert (found.is_right, lost.is_right) == (False, None)
    assert (lost.all.missed, lost.fault is None) == (1, False)
    assert behavior_summary([found, lost])["grammatical_errors"] == 1


def test_answers_by_task_are_read_and_with_compat_those_of_another_scene(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = "washing_dishes_0_Merom_1_int_0_2021-06", "washing_dishes_0_Rs_int_0_2021-08"
    (tmp_path / "all_conditions.json").write_text(json.dumps({here: {"goal_conditions": {"0": [[["open", "a"]]]}}}))
    by_task = {there: {"node goals": [["open", "a"]], "edge goals": []}, "x": {}}
    (tmp_path / "m_outputs.json").write_text(json.dumps(by_task, indent=2))
    options = ["--data", str(tmp_path), "--answers", str(tmp_path / "m_outputs.json"), "-o", str(tmp_path / "out")]
    assert main(["eval", "goal-interpretation", "--dataset", "behavior", *options]) == 2
    assert main(["eval", "goal-interpretation", "--dataset", "behavior", *options, "--compat"]) == 2
    printed = capsys.readouterr()
    assert json.loads(printed.out)["m"]["overall"]["f1"] == 1.0
    assert "'x' is not a task in this data" in printed.err
    results = tmp_path / "out/behavior/evaluate_results/goal_interpretation/results.jsonl"
    assert json.loads(results.read_text())["report"]["determination"] is True


def test_the_command_grades_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tasks(tmp_path, {"1_1": {"goal": [STATE_ON]}, "2_1": {"goal": [STATE_ON]}})
    lines = [{"identifier": "1_1", "llm_output": answer([ON])}, {"identifier": "2_1", "llm_output": "no goals"}]
    (tmp_path / "m.jsonl").write_text("\n".join(map(json.dumps, lines)))
    options = ["--data", str(tmp_path), "--answers", str(tmp_path / "m.jsonl"), "--output", str(tmp_path / "out")]
    for more, recall in (([], 50.0), (["--compat"], 100.0)):
        assert main(["eval", "goal-interpretation", "--dataset", "virtualhome", *options, *more]) == 0
        found = json.loads(capsys.readouterr().out)["m"]
        assert (found["all_recall"], found["unreadable"], found["tasks"]["all"]) == (recall, 1, 2)
    assert (tmp_path / "out/virtualhome/evaluate_results/goal_interpretation/m/error_info.json").is_file()


ANYTHING = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="{}[]()\"',: abONWALKoutput", max_size=60),
    st.recursive(
        st.none() | st.integers() | st.text(max_size=4),
        lambda part: (
            st.lists(part, max_size=3)
            | st.dictionaries(st.sampled_from(["output", "node goals", "edge goals", "action goals", "name"]), part)
        ),
        max_leaves=8,
    ).map(json.dumps),
)


@given(ANYTHING)
def test_no_answer_stops_a_reader(text: str) -> None:
    grade_virtualhome_goals("1_1", GOLD, NUMBERS, text)
    for compat in (False, True):
        grade_behavior_goals("d", {"0": [[["inside", "a", "b"]]]}, text, compat=compat)
    read_subgoals(text)
    read_calls(text)
    read_by_pattern(text)


# --- subgoals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("subgoals", "outcome"),
    [
        (["ON(lamp.12)"], "Correct"),
        (["HOLDS_RH(character.65, book.14)", "ON(lamp.12)"], "Correct"),
        (
            ["OPEN(fridge.10)", "HOLDS_RH(character.65, milk.11)", "INSIDE(milk.11, fridge.10)", "ON(lamp.12)"],
            "Correct",
        ),
        (["CLEAN(bed.13) or CLEAN(lamp.12)", "ON(lamp.12)"], "Correct"),
        (["ONTOP(character.65, bed.13)", "ON(lamp.12)"], "Runtime"),
        (["ONTOP(character.65, bed.13)", "STANDUP", "ON(lamp.12)"], "Correct"),
        (["OPEN(fridge.10)"], "GoalUnreachable"),
        (["ON(lamp.12)", "OFF(lamp.12)"], "GoalUnreachable"),
        (["SHINES(lamp.12)"], "Hallucination"),
        (["ON(tree.1)"], "Hallucination"),
        (["FACING(lamp.12)"], "Hallucination"),
        ([], "NotParseable"),
        (["lamp on"], "NotParseable"),
    ],
)
def test_subgoals_are_executed(tmp_path: Path, subgoals: list[str], outcome: str) -> None:
    task = household(tmp_path, goal=[STATE_ON], tl_goal="ON(lamp.12)")
    found = grade_subgoals(task, json.dumps({"output": subgoals}))
    assert f"('{outcome}'," in subgoal_info([found])["1_1"]["info"], (found.detail, found.execution)


# --- prompts -------------------------------------------------------------------------------------


@pytest.mark.parametrize("above", ["", "src", "virtualhome_eval"])
def test_the_prompts_are_those_of_the_benchmark(tmp_path: Path, capsys: pytest.CaptureFixture[str], above: str) -> None:
    home = tmp_path if above == "virtualhome_eval" else tmp_path / above / "virtualhome_eval"
    folder = home / "evaluation" / "action_sequencing" / "prompts"
    folder.mkdir(parents=True)
    prompts = [{"identifier": name, "llm_prompt": f"Do $10 of {name}."} for name in ("1_1", "2_1")]
    (folder / "helm_prompts.json").write_text(json.dumps(prompts))
    words = ["generate-prompts", "action-sequencing", "--dataset", "virtualhome", "--data", str(tmp_path)]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out) == prompts
    assert main([*words[:-1], "elsewhere", "--prompts", str(tmp_path), "--only", "2_1"]) == 0
    assert json.loads(capsys.readouterr().out) == prompts[1:]
    lines = tmp_path / "prompts.jsonl"
    assert main([*words, "--output", str(lines)]) == 0
    assert list(map(json.loads, lines.read_text().splitlines())) == prompts
    assert main([*words, "--only", "3_1"]) == 2
    assert main(["generate-prompts", "goal-interpretation", *words[2:]]) == 2
    assert "no prompts of the benchmark here" in capsys.readouterr().err

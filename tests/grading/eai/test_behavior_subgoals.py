"""BEHAVIOR as its package has it: scenes under the prompts' names, subgoals that stand for actions, plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from validator.cli import main
from validator.grading.eai.behavior_subgoals import grade_behavior_subgoals
from validator.grading.eai.sequencing import Task, count_goals, grade_task
from validator.grading.eai.tasks.behavior import behavior_identifiers, load_behavior

TASK = "storing_tea_0"
OBJECTS = {
    "tea_bag.n.01_1": ["Soaked"],
    "jar.n.01_1": ["Open"],
    "jar.n.01_2": ["Open"],
    "rag.n.01_1": ["Soaked"],
    "soap.n.01_1": [],
    "sink.n.01_1": ["ToggledOn", "Stained", "Dusty"],
    "apple.n.01_1": ["Sliced"],
    "carving_knife.n.01_1": [],
    "carton.n.02_1": ["Open"],
    "table.n.02_1": ["Stained", "Dusty"],
    "floor.n.01_1": [],
    "agent.n.01_1": [],
}
LISTED = [
    ("tea_bag.5", "tea_bag_n_01"),
    ("jar.7", "jar_n_01"),
    ("jar.9", "jar_n_01"),
    ("rag.0", "rag_n_01"),
    ("soap.0", "soap_n_01"),
    ("sink.3", "sink_n_01"),
    ("apple.1", "apple_n_01"),
    ("carving_knife.1", "carving_knife_n_01"),
    ("carton.2", "carton_n_02"),
    ("table.4", "table_n_02"),
    ("room_floor_kitchen.0", "floor_n_01"),
]
FACTS: list[list[Any]] = [
    ["onfloor", "tea_bag.n.01_1", "floor.n.01_1"],
    ["stained", "table.n.02_1"],
    ["not", ["open", "jar.n.01_1"]],
    ["onfloor", "agent.n.01_1", "floor.n.01_1"],
]
GOALS: list[list[list[Any]]] = [
    [[["inside", "tea_bag.n.01_1", "jar.n.01_1"]], [["inside", "tea_bag.n.01_1", "jar.n.01_2"]]],
    [[["not", ["stained", "table.n.02_1"]]]],
]


def write_package(folder: Path) -> None:
    data, prompts = folder / "goal_interpretation", folder / "subgoal_decomposition" / "resources" / "prompts"
    data.mkdir(parents=True)
    prompts.mkdir(parents=True)
    conditions = {
        "initial_conditions": {str(n): fact for n, fact in enumerate(FACTS)},
        "goal_conditions": {str(n): goal for n, goal in enumerate(GOALS)},
    }
    (data / "all_objects.json").write_text(json.dumps({TASK: OBJECTS}))
    (data / "all_conditions.json").write_text(json.dumps({TASK: conditions}))
    sampled = {**conditions, "goal_conditions": {str(n): goal[:1] for n, goal in enumerate(GOALS)}}
    (data / "all_conditions_sampled.json").write_text(json.dumps({TASK: sampled}))
    listed = "\n".join(f"{{'name': '{name}', 'category': '{category}'}}" for name, category in LISTED)
    prompt = (
        f"An example.\n## Relevant objects\n{{'name': 'x.0', 'category': 'x_n_01'}}\n## Relevant objects\n{listed}\n"
    )
    (prompts / "helm_prompts.json").write_text(json.dumps([{"identifier": TASK, "llm_prompt": prompt}]))


@pytest.fixture(scope="module")
def task(tmp_path_factory: pytest.TempPathFactory) -> Task:
    folder = tmp_path_factory.mktemp("package")
    write_package(folder)
    assert behavior_identifiers(folder) == [TASK]
    return load_behavior(folder, [TASK])[TASK]


def subgoals(*entries: str) -> str:
    return json.dumps({"output": entries})


def test_objects_have_the_names_of_the_prompt_the_dotted_ones_and_those_of_the_problem(task: Task) -> None:
    assert {"jar_7", "jar_9", "carton_2"} <= task.world.objects.keys()
    assert [task.object(name) for name in ("jar.9", "jar.n.01_2", "jar_n_01_2")] == ["jar_9"] * 3
    assert ("can-open", "jar_7") in task.state and ("can-open", "table_4") not in task.state
    assert ("is-open", "carton_2") in task.state and ("is-open", "jar_7") not in task.state
    totals = count_goals(task.goals)
    assert (totals.state, totals.relation) == (1, 1)


CLEANED = ("inside(rag.0, sink.3)", "toggledon(sink.3)", "soaked(rag.0)", "holds_rh(rag.0)", "not stained(table.4)")


@pytest.mark.parametrize(
    ("entries", "verdict"),
    [
        ((*CLEANED, "open(jar.9)", "inside(tea_bag.5, jar.9)"), "success"),
        ((*CLEANED, "open(jar.9) and inside(tea_bag.5, jar.7) or open(jar.9) and inside(tea_bag.5, jar.9)"), "success"),
        (CLEANED, "goal_not_satisfied"),
        ((*CLEANED, "onfloor(agent_n_01.1, room_floor_kitchen.0)", "toggled_on(sink.3)"), "goal_not_satisfied"),
        (("inside(tea_bag.5, jar.9)",), "missing_step"),
        (("open(table.4)",), "affordance"),
        (("holds_rh(carving_knife.1)", "sliced(apple.1)", "inside(apple.1, carton.2)"), "wrong_order"),
        (("onfloor(rag.0, room_floor_kitchen.0)", "nextto(rag.0, table.4)"), "goal_not_satisfied"),
        (("open(jar.10)",), "hallucination"),
        (("shining(jar.9)",), "hallucination"),
        (("open(jar.9, jar.7)",), "argument_number"),
        (("forall(jar_n_01, open(jar_n_01))",), "parsing"),
        (("open the jar",), "parsing"),
    ],
)
def test_subgoals_are_graded(task: Task, entries: tuple[str, ...], verdict: str) -> None:
    assert grade_behavior_subgoals(task, subgoals(*entries)).verdict.value == verdict


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("OPEN jar.n.01_1, LEFT_GRASP tea_bag_5, LEFT_PLACE_INSIDE jar_7", "goal_not_satisfied"),
        ("LEFT_GRASP tea_bag_5, LEFT_PLACE_INSIDE jar.7", "missing_step"),
        ("LEFT_GRASP tea_bag_5, RIGHT_GRASP tea_bag_5", "goal_not_satisfied"),
        ("CLEAN soap_0", "affordance"),
        ("OPEN jar_7, CLOSE jar_7, LEFT_GRASP tea_bag_5, LEFT_PLACE_INSIDE jar_7", "missing_step"),
        ("OPEN table_4", "affordance"),
    ],
)
def test_actions_are_graded(task: Task, answer: str, verdict: str) -> None:
    calls = [dict(zip(("action", "object"), step.split(), strict=True)) for step in answer.split(", ")]
    assert grade_task(task, json.dumps(calls)).verdict.value == verdict


def steps(task: Task, *entries: str, compat: bool = False) -> list[str]:
    run = grade_behavior_subgoals(task, subgoals(*entries), compat=compat).execution
    assert run is not None
    return [step.label for step in run.steps]


def test_hands_hold_what_is_needed(task: Task) -> None:
    full = ("holds_rh(rag.0)", "holds_lh(soap.0)")
    assert steps(task, *full, "open(jar.7)")[2:] == ["(right_release rag_0)", "(open jar_7)"]
    assert steps(task, *full, "inside(soap.0, sink.3)")[2:] == ["(left_place_inside sink_3)"]
    assert steps(task, "holds_rh(carving_knife.1)", "holds_lh(soap.0)", "sliced(apple.1)")[2:] == [
        "(left_release soap_0)",
        "(slice apple_1)",
    ]
    assert steps(task, "not inside(rag.0, sink.3)") == ["(right_grasp rag_0)", "(right_release rag_0)"]


def test_on_one_thing_and_next_to_another_is_one_step(task: Task) -> None:
    wanted = ["(right_grasp rag_0)", "(right_place_nextto_ontop soap_0 table_4)"]
    assert steps(task, "nextto(rag.0, soap.0)", "ontop(rag.0, table.4)") == wanted
    assert steps(task, "ontop(rag.0, table.4) and nextto(soap.0, rag.0)") == wanted


def test_the_command_grades_both_modules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_package(tmp_path / "package")
    answers = tmp_path / "m_outputs.jsonl"
    text = subgoals(*CLEANED, "open(jar.9)", "inside(tea_bag.5, jar.9)")
    answers.write_text(json.dumps({"identifier": TASK, "llm_output": text}) + "\n")
    options = ["--dataset", "behavior", "--data", str(tmp_path), "--answers", str(answers), "-o", str(tmp_path / "out")]
    for extra, rate in (([], 1.0), (["--resume"], 1.0), (["--compat"], 0.0)):
        assert main(["eval", "subgoal-decomposition", *options, *extra]) == 0
        assert json.loads(capsys.readouterr().out)["m"]["goal_evaluation"]["task_success_rate"] == rate
    assert main(["eval", "subgoal-decomposition", *options, "--resume"]) == 2
    assert "other settings" in capsys.readouterr().err
    plan = [{"action": "OPEN", "object": "jar_9"}, {"action": "LEFT_GRASP", "object": "tea_bag_5"}]
    answers.write_text(json.dumps({"identifier": TASK, "llm_output": json.dumps(plan)}) + "\n")
    assert main(["eval", "action-sequencing", *options]) == 0
    assert json.loads(capsys.readouterr().out)["m"]["trajectory_evaluation"]["execution_success_rate"] == 1.0

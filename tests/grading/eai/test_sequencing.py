"""Grading action sequences in a small household: reading, grammar, execution, classes of faults, goals, output."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.household_scenes import AGENT, BED, BOOK, STATE_ON, edge, graph, household, write_tasks
from validator.cli import main
from validator.errors import InputError, ValidatorError
from validator.grading.eai.answers import read_answers, spread
from validator.grading.eai.output import error_info, llm_results, sequencing_summary
from validator.grading.eai.sequencing import Grade, Verdict
from validator.grading.eai.tasks.household import PRESETS, Defect, defects, grade

ALL = PRESETS["seed0"]
WALK_ON = '{"WALK": ["lamp"], "SWITCHON": ["lamp"]}'


def graded(place: Path, answer: str, switches: frozenset[Defect] = frozenset(), **task: Any) -> Grade:
    return grade(household(place, **task), answer, switches)


# --- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "I cannot help.", '{"WALK": [lamp]}'])
def test_what_cannot_be_read_is_a_parsing_error(tmp_path: Path, text: str) -> None:
    for switches in (frozenset[Defect](), ALL):
        found = graded(tmp_path, text, switches, goal=[STATE_ON])
        assert (found.verdict, found.is_executable) == (Verdict.PARSING, False)


# --- grammar, execution --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "verdict", "failed"),
    [
        (WALK_ON, "success", None),
        ('{"SWITCHON": ["lamp"]}', "missing_step", "[SWITCHON] <lamp> (12)"),
        ('{"WALK": ["lamp"], "WALK": ["fridge"], "SWITCHON": ["lamp"]}', "wrong_order", "[SWITCHON] <lamp> (12)"),
        ('{"WALK": ["bed"], "GRAB": ["bed"]}', "affordance", "[GRAB] <bed> (13)"),
        ('{"WALK": ["lamp"], "SWITCHON": ["lamp"], "SWITCHON": ["lamp"]}', "success", None),
        ('{"WALK": ["lamp"], "SWITCHOFF": ["lamp"]}', "goal_not_satisfied", None),
        ('{"WALK": ["fridge"], "GRAB": ["milk"]}', "missing_step", "[GRAB] <milk> (11)"),
        ('{"WALK": ["bed"], "SIT": ["bed"], "WALK": ["lamp"]}', "wrong_order", "[WALK] <lamp> (12)"),
        ('{"WALK": ["bed"], "SIT": ["bed"], "STANDUP": [], "WALK": ["lamp"], "SWITCHON": ["lamp"]}', "success", None),
        ('{"JUMP": ["lamp"]}', "hallucination", None),
        ('{"WALK": ["tree"]}', "hallucination", None),
        ('{"WALK": ["lamp", "bed"]}', "argument_number", None),
        ('{"PLUGOUT": ["lamp"]}', "missing_step", "[PLUGOUT] <lamp> (12)"),
    ],
)
def test_verdicts(tmp_path: Path, answer: str, verdict: str, failed: str | None) -> None:
    found = graded(tmp_path, answer, goal=[STATE_ON])
    label = found.execution.failed.label if found.execution and found.execution.failed else None
    assert (found.verdict.value, label) == (verdict, failed)


# --- the benchmark's defects ---------------------------------------------------------------------

TWO_RELATIONS = [edge(AGENT, "HOLDS_RH", BOOK), edge(AGENT, "ON", BED)]


def test_tasks_with_two_relations_are_left_out_only_by_the_defect(tmp_path: Path) -> None:
    task = {"goal": TWO_RELATIONS}
    answer = '{"WALK": ["book"], "GRAB": ["book"], "WALK": ["bed"], "LIE": ["bed"]}'
    assert graded(tmp_path, answer, frozenset((Defect.RELATIONS,)), **task).verdict is Verdict.EXCLUDED
    found = graded(tmp_path, answer, **task)
    assert (found.verdict, found.matched.relation) == (Verdict.SUCCESS, 2)


def test_the_recorded_program_succeeds_except_by_the_defect(tmp_path: Path) -> None:
    task = {"goal": [STATE_ON], "program": ["[WALK] <lamp> (1.12)", "[SWITCHON] <lamp> (1.12)"]}
    assert graded(tmp_path, WALK_ON, **task).verdict is Verdict.SUCCESS
    found = graded(tmp_path, WALK_ON, frozenset((Defect.IDENTICAL,)), **task)
    assert (found.verdict, found.is_executable, found.matched.state) == (Verdict.IDENTICAL, True, 0)


def test_plugs_are_unknown_only_by_the_defect(tmp_path: Path) -> None:
    task = {"goal": [STATE_ON], "before": graph(lamp="OFF PLUGGED_OUT")}
    answer = '{"WALK": ["lamp"], "PLUGIN": ["lamp"], "SWITCHON": ["lamp"]}'
    assert graded(tmp_path, answer, **task).verdict is Verdict.SUCCESS
    assert graded(tmp_path, answer, frozenset((Defect.VOCABULARY,)), **task).verdict is Verdict.HALLUCINATION


def test_action_goals_are_sorted_only_by_the_defect(tmp_path: Path) -> None:
    task = {"actions": ["TURNTO", "LOOKAT"]}
    answer = '{"TURNTO": ["lamp"], "LOOKAT": ["lamp"]}'
    assert graded(tmp_path, answer, **task).matched.action == 2
    assert graded(tmp_path, answer, frozenset((Defect.ORDER,)), **task).matched.action == 1


def test_defects_are_named() -> None:
    assert defects("seed0") == ALL
    assert defects("parsing, order") == {Defect.PARSING, Defect.ORDER}
    assert defects("") == frozenset()
    with pytest.raises(ValidatorError, match="did you mean 'parsing'"):
        defects("parsin")


# --- files ---------------------------------------------------------------------------------------


def test_summary_and_error_info_have_the_documented_keys(tmp_path: Path) -> None:
    found = graded(tmp_path, '{"WALK": ["lamp"], "GRAB": ["bed"]}', goal=[STATE_ON])
    summary = sequencing_summary([found])
    assert summary["trajectory_evaluation"] == {
        "execution_success_rate": 0.0,
        "grammar_error": {"parsing": 0.0, "hallucination": 0.0, "predicate_argument_number": 0.0},
        "runtime_error": {"wrong_order": 0.0, "missing_step": 0.0, "affordance_error": 100.0, "additional_step": 0.0},
    }
    assert summary["goal_evaluation"] == {
        "task_success_rate": 0.0,
        "state_goal": 0.0,
        "relation_goal": None,
        "action_goal": None,
        "total_goal": 0.0,
        "partial_success": None,
    }
    assert error_info([found]) == {
        "1_1": {
            "executable": False,
            "actions": ["[WALK] <lamp> (12)", "[GRAB] <bed> (13)"],
            "error_type": "affordance_error",
            "error_action": "[GRAB] <bed> (13)",
        }
    }
    (record,) = llm_results([found])
    assert record["identifier"] == "1_1"
    assert record["llm_rst"]["error_type"] == {
        "parsing": None,
        "hallucination": None,
        "arguments": None,
        "execution_success": False,
        "ErrorType.AFFORDANCE": 1,
    }
    assert record["llm_rst"]["goal_rst"]["tot_node_predicates"] == 1
    assert [step["execution_success"] for step in record["llm_rst"]["execution_info"]] == [True, False]


def test_a_temporal_goal_gives_partial_success(tmp_path: Path) -> None:
    task = {"goal": [STATE_ON], "actions": ["LOOKAT"], "tl_goal": "exists x0. (LOOKAT(x0)) then ON(lamp.12)"}
    assert graded(tmp_path, WALK_ON, **task).partial == 0.5
    whole = '{"WALK": ["lamp"], "SWITCHON": ["lamp"], "TURNTO": ["lamp"], "LOOKAT_SHORT": ["lamp"]}'
    assert graded(tmp_path, whole, **task).partial == 1.0


@pytest.mark.parametrize("name", ["toy_outputs.json", "toy.jsonl"])
def test_the_command_writes_the_benchmarks_files(tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    write_tasks(tmp_path, {"1_1": {"goal": [STATE_ON]}})
    records = [{"identifier": "1_1", "llm_output": WALK_ON}]
    answers = tmp_path / name
    answers.write_text(json.dumps(records) if name.endswith(".json") else json.dumps(records[0]) + "\n")
    options = ["--data", str(tmp_path), "--answers", str(answers), "--output", str(tmp_path / "out")]
    assert main(["eval", "action-sequencing", "--dataset", "virtualhome", *options]) == 0
    assert json.loads(capsys.readouterr().out)["toy"]["goal_evaluation"]["task_success_rate"] == 100.0
    folder = tmp_path / "out" / "virtualhome" / "evaluate_results" / "action_sequencing" / "toy"
    assert sorted(path.name for path in folder.iterdir()) == ["error_info.json", "log.json", "summary.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[{"identifier": "a"}]', "'llm_output' is missing"),
        ("[1]", "an object with 'identifier'"),
        ("[" * 100_000, "nested too deeply"),
        ("1" * 5000, "not JSON: Exceeds the limit"),
        ('{"identifier": "a", "llm_output": ""}\n{"identifier": ', "not JSON"),
        ('[{"identifier": "a", "llm_output": ""}, {"identifier": "a", "llm_output": ""}]', "is there twice"),
    ],
)
def test_files_of_answers_are_checked(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "m_outputs.json"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_answers(path)


# --- PDDL ----------------------------------------------------------------------------------------

SWITCHES = """(define (domain switches) (:requirements :strips :negative-preconditions)
  (:predicates (is-on ?x) (fixed ?x) (linked ?x ?y) (spent))
  (:action press :parameters (?x) :precondition (and (not (fixed ?x)) (not (is-on ?x)) (not (spent)))
    :effect (is-on ?x))
  (:action link :parameters (?x ?y) :precondition (is-on ?x) :effect (linked ?x ?y))
  (:action exhaust :parameters () :precondition (and) :effect (spent)))"""
SWITCH_PROBLEM = """(define (problem p) (:domain switches) (:objects a b c) (:init (fixed c))
  (:goal (and (is-on a) (linked a b))))"""


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ("(press a)\n(link a b)", "success"),
        ("(link a b)", "missing_step"),
        ("(press c)", "affordance"),
        ("(press a)\n(press a)\n(link a b)", "success"),
        ("(exhaust)\n(press a)", "wrong_order"),
        ("(exhaust)\n(link a b)", "missing_step"),
        ("(pres a)", "hallucination"),
        ("(press a b)", "argument_number"),
        ("(press d)", "hallucination"),
    ],
)
def test_pddl_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str], answer: str, verdict: str) -> None:
    (tmp_path / "domain.pddl").write_text(SWITCHES)
    (tmp_path / "p1.pddl").write_text(SWITCH_PROBLEM)
    (tmp_path / "m.jsonl").write_text(json.dumps({"identifier": "p1", "llm_output": answer}))
    options = ["--data", str(tmp_path), "--answers", str(tmp_path / "m.jsonl"), "--output", str(tmp_path / "out")]
    assert main(["eval", "action-sequencing", "--dataset", "pddl", *options]) == 0
    log = tmp_path / "out" / "pddl" / "evaluate_results" / "action_sequencing" / "m" / "log.json"
    assert json.loads(log.read_text())[0]["llm_rst"]["verdict"] == verdict
    capsys.readouterr()


# --- what a command does with files that are not whole ------------------------------------------------


def run_blocks(place: Path, lines: list[str], *options: str) -> int:
    (place / "m.jsonl").write_text("\n".join(lines))
    data = ["--data", "domains/blocks", "--answers", str(place / "m.jsonl"), "--output", str(place / "out")]
    return main(["eval", "action-sequencing", "--dataset", "pddl", *data, *options])


def test_what_cannot_be_read_is_told_and_the_rest_graded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = json.dumps({"identifier": "problem", "llm_output": "(take b d)"})
    assert run_blocks(tmp_path, [plan, plan, '{"identifier": "other", "llm_output": ""}', '{"identifier": "prob']) == 2
    told = capsys.readouterr()
    assert [told.err.count(word) for word in ("there twice", "is no task", "not JSON")] == [1, 1, 1]
    assert json.loads(told.out)["m"]["tasks"] == {"all": 1, "missing": 0, "excluded": 0, "evaluated": 1}


def test_several_lists_of_arguments_are_several_steps() -> None:
    assert spread('{"PUTIN": [["milk", "fridge"], ["lamp", "fridge"]], "WALK": ["bed"]}') == (
        '{"PUTIN": ["milk", "fridge"], "PUTIN": ["lamp", "fridge"], "WALK": ["bed"]}'
    )

"""Grading action sequences in a small household: reading, grammar, execution, classes of faults, goals, output."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.support.household_scenes import AGENT, BED, BOOK, STATE_ON, edge, household
from validator.errors import InputError, ValidatorError
from validator.grading.eai.answers import read_answers, spread
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


def test_a_temporal_goal_gives_partial_success(tmp_path: Path) -> None:
    task = {"goal": [STATE_ON], "actions": ["LOOKAT"], "tl_goal": "exists x0. (LOOKAT(x0)) then ON(lamp.12)"}
    assert graded(tmp_path, WALK_ON, **task).partial == 0.5
    whole = '{"WALK": ["lamp"], "SWITCHON": ["lamp"], "TURNTO": ["lamp"], "LOOKAT_SHORT": ["lamp"]}'
    assert graded(tmp_path, whole, **task).partial == 1.0


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


# --- what a command does with files that are not whole ------------------------------------------------


def test_several_lists_of_arguments_are_several_steps() -> None:
    assert spread('{"PUTIN": [["milk", "fridge"], ["lamp", "fridge"]], "WALK": ["bed"]}') == (
        '{"PUTIN": ["milk", "fridge"], "PUTIN": ["lamp", "fridge"], "WALK": ["bed"]}'
    )

"""The loop with a language model, against functions and programs that answer by a script."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.places import ROOT
from tests.support.processes import is_running, wait_for
from validator.checking.report import PlannerResponse, Report
from validator.errors import InputError
from validator.records import replace
from validator.scaffold import (
    Answered,
    Ask,
    Ending,
    Message,
    command,
    flow_subject,
    pddl_subject,
    repair_loop,
)

pytestmark = pytest.mark.planner

DELIVERY = ROOT / "domains" / "delivery"
DOMAIN, PROBLEM = DELIVERY / "domain.pddl", DELIVERY / "problem.pddl"
GOOD = (DELIVERY / "good.plan").read_text(encoding="utf-8")
BAD = (DELIVERY / "broken-no-road.plan").read_text(encoding="utf-8")


def _scripted(*answers: str | Answered) -> tuple[Ask, list[Sequence[Message]]]:
    left, asked = list(answers), []

    def ask(messages: Sequence[Message]) -> Answered:
        asked.append(messages)
        answer = left.pop(0)
        return answer if isinstance(answer, Answered) else Answered(text=answer)

    return ask, asked


SUBJECT = pddl_subject(DOMAIN, PROBLEM)


def test_nobody_is_asked_again_for_a_draft_whose_check_was_interrupted() -> None:
    """Ctrl-C ended the check, and the loop went on with the next round."""
    ask, asked = _scripted(BAD, GOOD)

    def interrupted(answer: str, repair: bool) -> Report:
        return replace(SUBJECT.check(answer, repair), planner_response=PlannerResponse(status="interrupt"))

    with pytest.raises(KeyboardInterrupt):
        repair_loop(replace(SUBJECT, check=interrupted), ask)
    assert len(asked) == 1


def test_without_any_answer_the_planner_plans() -> None:
    ask, asked = _scripted(Answered(error="late"), Answered(error="late"))
    loop = repair_loop(SUBJECT, ask, rounds=2)
    assert loop.ending is Ending.PLANNER
    assert [len(messages) for messages in asked] == [1, 1]
    assert str(loop.rounds[0]) == "Round 1: no answer (late)"


def test_what_was_not_understood_is_asked_for_again_and_not_called_wrong() -> None:
    unread = "1. (drive van1 pier depot\n2. (load box1 van1\n"
    ask, asked = _scripted(unread, GOOD)
    loop = repair_loop(SUBJECT, ask)
    assert (loop.ending, len(loop.rounds)) == (Ending.MODEL, 2)
    said = asked[1][2].content
    assert "is not valid" not in said and "corrected" not in said
    assert "Line 1 was not understood: '(drive van1 pier depot': ')' was expected" in said
    assert said.endswith("Answer with the whole plan, and nothing else.")
    assert str(loop.rounds[0]).startswith("Round 1: the answer was not understood: 2 pieces look like steps")


def test_a_claim_that_there_is_no_plan_is_answered() -> None:
    ask, asked = _scripted("There is no plan.", GOOD)
    assert repair_loop(SUBJECT, ask).ending is Ending.MODEL
    said = asked[1][2].content
    assert said.startswith("The text says that there is no plan, and there is one.\n") and "(ride" not in said
    problem = PROBLEM.read_text(encoding="utf-8").replace("(lane school pier) (lane pier school)", "")
    ask, asked = _scripted("There is no plan.")
    loop = repair_loop(pddl_subject(DOMAIN, problem), ask)
    assert (loop.ending, loop.plan, len(asked)) == (Ending.NONE, None, 1)
    assert "that is right: the goal cannot be reached (proven)" in "".join(loop.lines())


# --- programs ------------------------------------------------------------------------------------


def _program(tmp_path: Path, code: str) -> str:
    path = tmp_path / "model.py"
    path.write_text(code, encoding="utf-8")
    return shlex.join([sys.executable, str(path)])


ASKED = (
    Message(role="user", content="Plan!"),
    Message(role="assistant", content="(a)"),
    Message(role="user", content="No."),
)


def test_a_program_reads_the_conversation_in_a_directory_of_its_own(tmp_path: Path) -> None:
    code = "import os, sys; print(sys.stdin.read().upper(), os.listdir('.'), os.getcwd())"
    answer = command(_program(tmp_path, code), 20)(ASKED)
    assert answer.text.startswith("PLAN!\n\nYOU ANSWERED:\n(A)\n\nNO.\n [] ")
    assert not Path(answer.text.split()[-1]).exists()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; sys.exit('no model')", "the command failed with exit code 1: no model"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "not UTF-8"),
        ("print('x' * 5_000_000)", "longer than 4194304 bytes"),
    ],
)
def test_a_program_that_fails_is_a_result(tmp_path: Path, code: str, said: str) -> None:
    assert said in command(_program(tmp_path, code), 20)(ASKED).error


def test_a_program_may_be_named_by_its_place_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "draft.sh").write_text("#!/bin/sh\necho '(a)'\n")
    (tmp_path / "draft.sh").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert command("./draft.sh", 20)(ASKED).text == "(a)\n"


def test_a_late_program_is_ended_with_its_children(tmp_path: Path) -> None:
    """The child ignores SIGTERM; a shell has started it long before the time is over, however busy the machine is."""
    path = tmp_path / "late.sh"
    path.write_text(f"(trap '' TERM; exec sleep 600) & echo $! > {tmp_path / 'pid'}; sleep 600")
    answer = command(f"sh {path}", 2)(ASKED)
    assert answer.error == "the command did not answer within 2 s"
    pid = int((tmp_path / "pid").read_text())
    wait_for(lambda: not is_running(pid))


@pytest.mark.parametrize(
    ("line", "said"),
    [("", "a command was expected"), ("echo 'a", "No closing quotation"), ("./gone x", "no such program: ./gone")],
)
def test_what_is_no_command_is_refused(line: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        command(line, 1)


# --- the command ---------------------------------------------------------------------------------


def test_a_flow_is_told_and_repaired(tmp_path: Path) -> None:
    flow = tmp_path / "flow.yaml"
    flow.write_text(
        "flow: trip\noperators:\n  - {name: find, inputs: [city], outputs: [hotel]}\ngoals:\n  - {operator: find}\n"
    )
    ask, asked = _scripted("hotel = find(city)", "ask(city)\nhotel = find(city)")
    loop = repair_loop(flow_subject(flow), ask)
    assert (loop.ending, len(loop.rounds)) == (Ending.MODEL, 2)
    assert "name: find" in asked[0][0].content

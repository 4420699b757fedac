"""The translator's runs that met their limit: they rest, go on in the next check, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.depth import deep
from tests.support.models import limits
from tests.support.processes import children, is_running, running_in, wait_for, working_in
from validator import prepare
from validator.grounding.limits import Status
from validator.grounding.processes import translation
from validator.grounding.processes.process import Process
from validator.grounding.processes.translation import translate
from validator.grounding.task import Task

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain three) (:requirements :strips) (:predicates (at ?x) (free ?x))
  (:action go :parameters (?x ?y ?z) :precondition (and (at ?x) (free ?y) (free ?z))
    :effect (and (at ?y) (at ?z) (not (at ?x)))))"""


def places(number: int) -> str:
    names = " ".join(f"p{n}" for n in range(number))
    free = " ".join(f"(free p{n})" for n in range(number))
    return f"(define (problem t) (:domain three) (:objects {names}) (:init (at p0) {free}) (:goal (at p{number - 1})))"


SLOW = places(15)
"""3,000 operators, for which the translator takes far longer than a run may before it rests"""


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the translators that are started, and see that none is left once the run that rests was ended."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    found: list[int] = []

    class Counted(Process):
        def __init__(self, *given: object, **named: object) -> None:
            super().__init__(*given, **named)  # type: ignore[arg-type]
            found.append(self._child.pid)

    monkeypatch.setattr(translation, "Process", Counted)
    monkeypatch.setattr(translation, "_WORTH", 0.0)
    before = children()
    yield found
    translation._resting.end()
    assert (list(tmp_path.iterdir()), running_in(tmp_path)) == ([], [])
    assert children() == before


def _rest(problem: str = SLOW, seconds: float = 0.05) -> None:
    assert translate(DOMAIN, problem, limits(seconds), may_rest=True) is Status.TIME_LIMIT


def test_a_run_that_met_its_limit_goes_on(started: list[int]) -> None:
    _rest()
    _rest()
    found = translate(DOMAIN, SLOW, limits(), may_rest=True, anew=False)
    assert isinstance(found, str) and len(started) == 1
    assert found == translate(DOMAIN, SLOW, limits())


def test_a_run_that_the_system_ended_is_begun_again(started: list[int]) -> None:
    _rest()
    os.kill(started[0], signal.SIGKILL)
    wait_for(lambda: not is_running(started[0]))
    assert isinstance(translate(DOMAIN, SLOW, limits(), may_rest=True), str)
    assert len(started) == 2


def test_a_run_outlives_the_thread_that_began_it(started: list[int]) -> None:
    """A child that is tied to its parent is killed when the thread ends that started it."""
    from threading import Thread

    thread = Thread(target=_rest)
    thread.start()
    thread.join()
    assert isinstance(translate(DOMAIN, SLOW, limits(), may_rest=True, anew=False), str)


def test_checks_with_little_time_ground_a_model_together(started: list[int]) -> None:
    """None of them has the time; before, each began again, or did not begin at all."""
    prepared = prepare(DOMAIN, places(18))
    for _ in range(100):
        found = prepared.task(limits(0.2))
        if isinstance(found, Task):
            break
        assert found is Status.TIME_LIMIT
    assert isinstance(prepared.task(limits()), Task) and len(started) == 1


PROGRAM = """
import sys, time
from tests.grounding.test_translation import DOMAIN, SLOW, limits
from validator.grounding.processes import translation
translation._WORTH = 0.0
translation.translate(DOMAIN, SLOW, limits(0.05), may_rest=True)
print("rests", flush=True)
if sys.argv[1] == "wait":
    time.sleep(60)
if sys.argv[1] == "fork":
    import os
    if os.fork() == 0:
        sys.exit()
    os.wait()
    assert translation.translate(DOMAIN, SLOW, limits(), may_rest=True, anew=False)[:5] == "begin"
"""


@pytest.mark.parametrize("how", ["end", deep("fork")])
def test_a_run_ends_with_its_process_and_not_with_a_fork_of_it(tmp_path: Path, how: str) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", PROGRAM, how], env=environment, check=True, stdout=subprocess.DEVNULL)
    assert (list(tmp_path.iterdir()), running_in(tmp_path)) == ([], [])


def test_a_run_is_killed_with_its_process(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", PROGRAM, "wait"], env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"rests\n"
        assert len(working_in(tmp_path)) == 1
        process.kill()
    assert running_in(tmp_path) == []

"""What can go wrong around the planner: each check gets its own right answer or its own clear error."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from benchmarks import models
from tests.support.depth import deep, some
from tests.support.models import hard_task, limits
from tests.support.processes import PATIENCE, children, running_in, wait_for, working_in
from validator import PlannerError, check
from validator.grounding import planner
from validator.grounding.limits import Limits, Status, restrict
from validator.grounding.planner import translate
from validator.grounding.processes.leftovers import private_directory
from validator.grounding.processes.process import status_of

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain line) (:requirements :strips) (:predicates (at ?x) (next ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y)) :effect (and (at ?y) (not (at ?x)))))"""


def problem(length: int) -> str:
    """Return a line of places, to be walked to its end."""
    names = [f"p{n}" for n in range(length + 1)]
    pairs = " ".join(f"(next {a} {b})" for a, b in pairwise(names))
    return (
        f"(define (problem l{length}) (:domain line) (:objects {' '.join(names)})"
        f" (:init (at p0) {pairs}) (:goal (at p{length})))"
    )


@pytest.fixture(autouse=True)
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.setenv("TMPDIR", str(scratch))
    yield
    assert (list(scratch.iterdir()), running_in(scratch)) == ([], [])


# --- the process ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        b"failed to map segment from shared object",
        b"cannot allocate TLS data structures for initial thread (result)",
        b"OSError: [Errno 12] Cannot allocate memory",
    ],
)
def test_a_program_that_cannot_be_loaded_has_no_memory(said: bytes) -> None:
    limits = Limits(deadline=time.monotonic() + 10, memory=2**30)
    assert status_of(127, said, limits) is Status.MEMORY_LIMIT
    assert status_of(127, b"no such file", limits) is None


@pytest.mark.parametrize("seconds", [0.0, 0.001, -5.0])
def test_no_time_at_all_is_a_limit_not_an_error(seconds: float) -> None:
    assert translate(DOMAIN, problem(3), limits(seconds)) is Status.TIME_LIMIT
    assert planner.search(hard_task(), "astar(blind())", limits(seconds)).status is Status.TIME_LIMIT


def test_no_process_is_started_when_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty threads with a limit each began as many processes that were ended at once."""

    def started(*given: object, **named: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(planner, "Process", started)
    assert planner.search(hard_task(), "astar(blind())", limits(0.0)).status is Status.TIME_LIMIT
    assert translate(DOMAIN, problem(3), limits(0.0)) is Status.TIME_LIMIT


@pytest.mark.deep
def test_a_search_beyond_its_memory_is_a_limit() -> None:
    outcome = planner.search(hard_task(24), "astar(blind())", limits(memory=60 * 2**20))
    assert outcome.status is Status.MEMORY_LIMIT


def test_an_answer_and_a_failure_leave_no_process_behind() -> None:
    before = children()
    task = translate(DOMAIN, problem(3), limits())
    assert isinstance(task, str)
    planner.search(task, "astar(blind())", limits())
    planner.search(task, "astar(blind())", limits(), lambda bound: True)
    with pytest.raises(PlannerError):
        planner.search("nonsense", "astar(blind())", limits())
    with pytest.raises(PlannerError, match="the translator failed with exit code"):
        translate("(define (domain d)", "(define)", limits())
    assert children() == before


def test_a_search_that_is_killed_is_an_error_of_its_own(tmp_path: Path) -> None:
    def kill() -> bool:
        found = working_in(tmp_path)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        return bool(found)

    killer = threading.Thread(target=wait_for, args=(kill,))
    killer.start()
    with pytest.raises(PlannerError, match="ended by signal 9"):
        planner.search(hard_task(), "astar(blind())", limits(60))
    killer.join()


def test_a_program_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    missing = tmp_path / "no-such-planner"
    monkeypatch.setattr(planner, "binary", lambda: missing)
    report = check(DOMAIN, problem(3), "(go p1 p2)", policy="keep")
    assert report.determination is False
    assert re.search(r"no repair: .*could not be run: .*no-such-planner: No such file", report.reason)


# --- the disk ------------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 kB; only the superuser can make one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("file systems cannot be mounted here")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


def test_a_full_disk_is_named(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    assert re.search(r"No space left|Errno 28", check(DOMAIN, problem(2000), "(go p1 p2)").reason)
    assert list(small_disk.iterdir()) == []
    assert check(DOMAIN, problem(3), "(go p0 p1)(go p1 p2)").planner_response.cost == 1


# --- many at once --------------------------------------------------------------------------------


def missing_steps(length: int) -> tuple[bool | None, int | None, bool]:
    report = check(DOMAIN, problem(length), "(go p0 p1)", time_limit=120)
    return report.determination, report.planner_response.cost, report.proven


@pytest.mark.parametrize("kind", ["threads", deep("processes")])
def test_forty_checks_at_once_each_get_their_own_answer(kind: str) -> None:
    lengths = [2 + number % 10 for number in range(40)]
    pool: Executor = (
        ThreadPoolExecutor(40)
        if kind == "threads"
        else ProcessPoolExecutor(8, mp_context=multiprocessing.get_context("spawn"))
    )
    with pool:
        answers = list(pool.map(missing_steps, lengths))
    assert answers == [(False, length - 1, True) for length in lengths]


def _long_run(folder: Path, temporary: Path) -> subprocess.Popen[str]:
    """Start a check that takes long, with a directory of its own for what it keeps on disk."""
    generated = models.ring(60, 40, 30)
    for name, text in (("d.pddl", models.DOMAIN), ("p.pddl", generated.problem), ("x.plan", "")):
        (folder / name).write_text(text)
    temporary.mkdir()
    program = "import sys; from validator.cli import main; sys.exit(main())"
    command = [sys.executable, "-c", program, "check", "d.pddl", "p.pddl", "x.plan", "--quality", "optimal"]
    environment = {**os.environ, "TMPDIR": str(temporary)}
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)


@pytest.mark.deep
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_ended_leaves_nothing_behind(sent: signal.Signals, tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    with _long_run(tmp_path, temporary) as process:
        wait_for(lambda: process.poll() is not None or list(temporary.glob("*/*")))
        process.send_signal(sent)
        told, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "NOT OPTIMAL" in told  # which is known by then, if no repair is
    assert not list(temporary.iterdir())


def test_no_planner_outlives_a_run_that_is_killed_and_the_next_one_sweeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    with _long_run(tmp_path, temporary) as process:
        wait_for(lambda: process.poll() is not None or working_in(temporary))
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=PATIENCE)
    wait_for(lambda: not working_in(temporary))
    assert list(temporary.iterdir())
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with private_directory() as own:
        assert list(temporary.iterdir()) == [own]
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("megabytes", some([5, 10, 13.5, 14.5, 20, 25], 2))
def test_memory_that_does_not_suffice_for_the_translator_is_a_limit(megabytes: float) -> None:
    limits = Limits(deadline=time.monotonic() + 600, memory=int(megabytes * 2**20))
    assert translate(DOMAIN, problem(3), limits) is Status.MEMORY_LIMIT


def test_a_machine_that_allows_less_than_the_limit_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit above what the system lets a process have would be refused."""
    own = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setattr(resource, "getrlimit", lambda what: own if what != resource.RLIMIT_AS else (2**31, 2**31))
    with subprocess.Popen(["sleep", "60"]) as child:
        restrict(child.pid, resource.RLIMIT_AS, 2**40, 2**40)
        assert resource.prlimit(child.pid, resource.RLIMIT_AS) == (2**31, 2**31)
        restrict(child.pid, resource.RLIMIT_CORE, 0, 0)
        assert resource.prlimit(child.pid, resource.RLIMIT_CORE) == (0, 0)
        child.kill()

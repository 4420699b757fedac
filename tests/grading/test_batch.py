"""The command ``batch``: results, resumption, workers and runs that are killed, records that are none."""

from __future__ import annotations

import gc
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.batch_models import (
    BAD,
    GOOD,
    Threads,
    deadly,
    deadly_once,
    problem,
    record,
    records_of,
    results,
    write,
)
from tests.support.places import ROOT
from tests.support.processes import PATIENCE, children, group_of, is_running, wait_for
from validator.cli import main
from validator.errors import InputError
from validator.grading.batch.records import BadRecord, read_records
from validator.grading.batch.results import Results
from validator.grading.batch.runner import run
from validator.grading.batch.worker import Settings, grade
from validator.workers.pool import local_pool

DECIDE = Settings(repair=False)


def batch(file: Path, out: Path, *more: str) -> int:
    return main(["batch", str(file), "-o", str(out), "--no-repair", "--workers", "2", *more])


def graded(item: dict[str, Any], settings: Settings = DECIDE) -> dict[str, Any]:
    [line] = grade(records_of(item), settings)
    value: dict[str, Any] = json.loads(line)
    return value


# --- from the file to the results ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "expected", "agrees"),
    [(GOOD, True, True), (BAD, True, False), (BAD, "precondition", True), (BAD, "goal", False), (GOOD, "valid", True)],
)
def test_what_is_expected_is_a_verdict_or_a_determination(plan: str, expected: object, agrees: bool) -> None:
    assert graded(record(1, plan, expected=expected))["agrees"] is agrees


def test_an_answer_is_never_taken_for_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "good.plan").write_text(GOOD)
    monkeypatch.chdir(tmp_path)
    item = record(1)
    del item["plan"]
    assert graded({**item, "answer": "good.plan"})["verdict"] != "valid"


@pytest.mark.usefixtures("in_threads")
def test_the_example_of_the_documentation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(
        r"```(\w*)\n(.*?)```", (ROOT / "docs" / "batch.md").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    (tmp_path / "domains").symlink_to(ROOT / "domains")
    (tmp_path / "answers.jsonl").write_text(next(text for kind, text in blocks if kind == "jsonl"))
    monkeypatch.chdir(tmp_path)
    (shown,) = (text for kind, text in blocks if text.startswith("$ "))
    first, second = shown.split("$ plan-validator ")[1:]
    assert main([*first.splitlines()[0].split(), "--workers", "1"]) == 0
    assert capsys.readouterr().err == "".join(first.splitlines(keepends=True)[1:])
    assert main(second.splitlines()[0].split()) == 0
    assert capsys.readouterr().out.startswith("".join(second.splitlines(keepends=True)[1:-1]))


# --- records that are none -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON: Expecting property name enclosed in double quotes at column 3, near '{\\n'"),
        (
            b"{",
            "; a record is one JSON object on one line",
        ),
        (b"[]", "a JSON object was expected, not a list"),
        (b'{"id": 1}', "'plan' or 'answer' is missing"),
        (b'{"id": 1, "plna": "(a)"}', "'plan' or 'answer' is missing; is 'plna' meant?"),
        (b'{"id": 1, "plan": "(a)"}', "'domain' is missing"),
        (b'{"id": 1, "plan": "(a)", "answer": "(a)"}', "'plan' and 'answer' are both given"),
        (b'{"id": 1, "plan": 3}', "'plan' is a number; a string or a list of strings was expected"),
        (b'{"id": [1]}', "'id' is a list; a string or an integer was expected"),
        (b'{"id": true}', "'id' is true; a string or an integer was expected"),
        (b'{"id": 1, "expected": "vaild"}', "true, false or a verdict was expected (did you mean 'valid'?)"),
        (b'{"id": 1, "time_limit": -1}', "'time_limit' is -1: a positive number was expected"),
        (b'{"id": 1, "quality": "nice"}', "'quality' is \"nice\": 'nice' is not one of sound, valid, optimal"),
        (b'{"id": 1, "repair": 1}', "'repair' is 1: true or false was expected"),
        (b'{"id": 1, "plan": "(a)", "domain": "", "problem": "p"}', "'domain' is an empty string"),
        (b'{"id": 1, "plan": "(a)", "domain": "d", "problem": "p", "tags": 1}', "'tags' is a number"),
        (b"\xff", "not UTF-8 text: byte 0 is 0xff"),
        (b"\0\0", "not JSON: Expecting value at column 1"),
        (b"[" * 100_000, "the JSON is nested too deeply"),
        (b'{"id": ' + b"1" * 5000 + b"}", "not JSON: Exceeds the limit"),
        (b'{"id": "' + b"x" * 2000 + b'"}', "'id' has 2,000 characters; 1,000 is the most"),
    ],
)
def test_a_line_that_is_no_record_says_why(line: bytes, message: str) -> None:
    [found] = read_records(io.BytesIO(line + b"\n"), Path("/"))
    assert isinstance(found, BadRecord)
    assert message in found.message


def test_a_byte_order_mark_is_no_part_of_a_record() -> None:
    [found] = read_records(io.BytesIO(b"\xef\xbb\xbf" + json.dumps(record(1)).encode() + b"\r\n"), Path("/"))
    assert found.id == 1


def test_a_line_that_is_too_long_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grading.batch.records.LONGEST_LINE", 1000)
    text = b"x" * 3500 + b"\n" + json.dumps(record(1)).encode() + b"\n"
    first, second = read_records(io.BytesIO(text), Path("/"))
    assert isinstance(first, BadRecord) and "the line has 3,501 bytes" in first.message
    assert (second.line, second.id) == (2, 1)


@pytest.mark.usefixtures("in_threads")
def test_bad_records_are_results_and_the_others_are_checked(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    good = json.dumps(record("good")).encode()
    wrong = json.dumps(record("wrong", domain="(define (domain d) (:foo))")).encode()
    gone = json.dumps(record("gone", domain="nowhere.pddl")).encode()
    null = json.dumps(record("null", domain="a\0b")).encode()
    odd = json.dumps(record("odd", "(\ud800)")).encode()
    file.write_bytes(b"\n".join([b"{", b"", good, b"\0" * 10, wrong, gone, null, odd, good]))
    assert batch(file, tmp_path / "out.jsonl") == 0
    found = {item["id"]: item.get("error", {}).get("kind", item["verdict"]) for item in results(tmp_path / "out.jsonl")}
    assert found == {
        "line:1": "record",
        "good": "valid",
        "line:4": "record",
        "wrong": "model",
        "gone": "file",
        "null": "value",
        "odd": "unknown_action",
        "line:9": "record",
    }


@pytest.mark.usefixtures("in_threads")
def test_a_run_of_nothing_but_errors_has_another_exit_code(tmp_path: Path) -> None:
    file = tmp_path / "in.jsonl"
    file.write_text(json.dumps(record("gone", domain="nowhere.pddl")) + "\n{\n")
    assert batch(file, tmp_path / "out.jsonl") == 2
    assert batch(file, tmp_path / "out.jsonl") == 0  # nothing is left to do


class _Lines(tuple[str, ...]):
    """Results that can be told from other tuples."""


def test_a_run_lets_go_of_the_results_that_it_has_delivered() -> None:
    """Without the garbage collector, which runs too seldom to keep the memory of a long run flat."""
    alive: list[int] = []

    def deliver(found: Sequence[object], lines: Sequence[str]) -> None:
        alive.append(sum(isinstance(each, _Lines) for each in gc.get_objects()))

    items = records_of(*(record(n) for n in range(100)))
    gc.collect()
    gc.freeze()  # what was there before is not looked at: the objects of a whole run of tests are a million
    gc.disable()
    try:
        run(items, Threads(1), DECIDE, deliver, lambda records, settings: _Lines(grade(records[:2], settings)))
    finally:
        gc.enable()
        gc.unfreeze()
    assert len(alive) > 25
    assert max(alive) < 10


# --- limits of one record ------------------------------------------------------------------------


def test_a_record_has_a_limit_of_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.workers.limits.program_limit", lambda seconds: seconds)
    os.mkfifo(tmp_path / "fifo")  # to be read for ever
    found = graded(record(1, domain=str(tmp_path / "fifo"), time_limit=0.2))
    assert found["error"] == {"kind": "time limit", "message": "no answer within 0.2 seconds"}
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_record_has_a_limit_of_memory() -> None:
    found = graded(record(1, domain="/dev/zero", memory_limit=2**28))
    assert found["error"] == {"kind": "memory limit", "message": "more than 268,435,456 bytes would be needed"}
    assert graded(record(2))["verdict"] == "valid"


# --- resumption ----------------------------------------------------------------------------------


@pytest.mark.deep
def test_a_run_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out.jsonl"
    items = [record(n) for n in range(20)]
    batch(write(tmp_path / "in.jsonl", items[:10]), out)
    before = out.read_text()
    with out.open("a") as file:
        file.write(before.splitlines()[0][:100])
    capsys.readouterr()
    assert batch(write(tmp_path / "in.jsonl", [*items, {"id": 3}]), out) == 0
    assert "took off a last line that was cut off (100 bytes)" in capsys.readouterr().err
    assert out.read_text().startswith(before)
    assert Counter(item["id"] for item in results(out)) == Counter([*range(20), "line:21"])
    assert batch(tmp_path / "in.jsonl", out) == 0
    assert capsys.readouterr().err == "0 records, 21 finished before\n"


@pytest.mark.parametrize("size", (1, 60, 300))
def test_a_torn_line_is_taken_off_wherever_it_is_torn(tmp_path: Path, size: int) -> None:
    lines = grade(records_of(record(1), record(2)), DECIDE)
    path = tmp_path / "out.jsonl"
    path.write_text(f"{lines[0]}\n{lines[1][:size]}")
    with Results(path) as found:
        assert (found.count, found.torn) == (1, size)
        assert 1 in found.finished and 2 not in found.finished and "1" not in found.finished
        found.write([lines[1]])
    assert path.read_text() == f"{lines[0]}\n{lines[1]}\n"


@pytest.mark.parametrize("text", ["a file", "a line\n", '{"id": 1}\n', '{"id": 1, "plan": "(a)"}', '{"id": [1'])
def test_a_file_of_something_else_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="line 1 is not a batch result"):
        Results(path)
    assert path.read_text() == text


def test_two_runs_do_not_write_one_file(tmp_path: Path) -> None:
    with Results(tmp_path / "out.jsonl"), pytest.raises(InputError, match="another run is writing this file"):
        Results(tmp_path / "out.jsonl")


# --- what is killed ------------------------------------------------------------------------------


def delivered(items: list[dict[str, Any]], task: Any) -> dict[object, Any]:
    """Run records on two workers and return the results by id; each must be delivered once."""
    found: list[Any] = []
    with local_pool(2) as pool:
        run(records_of(*items), pool, DECIDE, lambda done, lines: found.extend(map(json.loads, lines)), task)
    assert Counter(item["id"] for item in found) == Counter(item["id"] for item in items)
    return {item["id"]: item for item in found}


def test_records_of_a_worker_that_died_run_again(tmp_path: Path) -> None:
    items = [record(n, problem=problem(n % 3)) for n in range(60)]
    items[20]["mark"] = str(tmp_path / "died")
    found = delivered(items, deadly_once)
    assert (tmp_path / "died").exists()
    assert {item["verdict"] for item in found.values()} == {"valid"}


@pytest.mark.deep
def test_a_record_that_ends_two_workers_is_reported() -> None:
    items = [record(n, problem=problem(n % 3), kills=n in (7, 31)) for n in range(60)]
    found = delivered(items, deadly)
    assert {name for name, item in found.items() if item["verdict"] == "error"} == {7, 31}
    assert found[7]["error"]["kind"] == "worker"
    assert "two workers died of this record" in found[7]["error"]["message"]


_SLOW = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.support.batch_models import slow
from validator.grading.batch import batch
from validator.cli import main
if __name__ == "__main__":
    batch.grade = slow
    sys.exit(main(sys.argv[1:]))
"""


def _slowly(folder: Path, records: list[dict[str, Any]]) -> tuple[list[str], Path]:
    """Return the command of a batch that takes its time, and its results."""
    (folder / "slow.py").write_text(_SLOW.format(root=str(ROOT)))
    file, out = write(folder / "in.jsonl", records), folder / "out.jsonl"
    words = ["batch", str(file), "-o", str(out), "--no-repair", "--workers", "2"]
    return [sys.executable, str(folder / "slow.py"), *words], out


_SLOWLY = {**os.environ, "SECONDS_A_RECORD": "0.2"}
"""the environment of a run that is not to be at its end before it is looked at"""


@pytest.mark.deep
def test_a_run_that_is_killed_goes_on_with_every_record_once(tmp_path: Path) -> None:
    command, out = _slowly(tmp_path, [record(n, problem=problem(n % 5)) for n in range(150)])
    for _ in range(2):
        _killed(command, out)
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        before = out.stat().st_size
        wait_for(lambda: out.stat().st_size > before)
        os.kill(max(children(process.pid)), signal.SIGKILL)  # a worker
        assert process.wait(timeout=PATIENCE) == 0
    assert Counter(item["id"] for item in results(out)) == Counter(range(150))
    assert {item["verdict"] for item in results(out)} == {"valid"}


def _killed(command: list[str], out: Path) -> None:
    """Start a run, wait until it has written something more, kill it; its workers end by themselves."""
    before = out.stat().st_size if out.exists() else 0
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=_SLOWLY)
    wait_for(lambda: out.exists() and out.stat().st_size > before)
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert len(results(out)) < 150
    wait_for(lambda: not any(map(is_running, workers)))


@pytest.mark.deep
def test_ctrl_c_ends_a_run_and_its_workers(tmp_path: Path) -> None:
    command, out = _slowly(tmp_path, [record(n) for n in range(500)])
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True, env=_SLOWLY)
    wait_for(lambda: out.exists() and out.stat().st_size)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE)
    assert (process.returncode, said) == (3, f"{_told(out)}\nplan-validator: interrupted\n")
    wait_for(lambda: not group_of(process.pid))


def _told(out: Path) -> str:
    """Return what a run says that has written these results."""
    found = Counter(item["verdict"] for item in results(out))
    counts = ", ".join(f"{name} {number:,}" for name, number in found.most_common())
    return f"{found.total():,} record{'s' if found.total() > 1 else ''}: {counts}"


# --- who works on what ---------------------------------------------------------------------------


class _Silent(ThreadPoolExecutor):
    """A worker that takes records and never says a word again."""

    def submit(self, *task: Any, **more: Any) -> Any:
        return Future()


class Vanishing(Threads):
    """Workers of which some are silent; that they are gone is seen when the run has looked some times."""

    def __init__(self, silent: int, good: int, after: int, later: int = 0) -> None:
        super().__init__(good)
        self.silent: list[Executor] = [_Silent(1) for _ in range(silent)]
        self.looks, self.after, self.later = 0, after, later

    def executors(self) -> list[Executor]:
        first, self.silent_left = [*self.silent, *self.pools], self.silent
        self.silent = []
        return first

    def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
        self.looks += 1
        if self.looks != self.after:
            return frozenset(), []
        return frozenset(self.silent_left), [ThreadPoolExecutor(1) for _ in range(self.later)]


@pytest.mark.parametrize(("silent", "good", "later"), [(1, 1, 0), (2, 1, 0), (1, 0, 1), (3, 2, 2)])
def test_records_of_a_worker_that_vanished_are_done_elsewhere(silent: int, good: int, later: int) -> None:
    done: list[object] = []
    items = records_of(*(record(n, problem=problem(n % 6)) for n in range(300)))
    workers = Vanishing(silent, good, 3, later)
    run(items, workers, DECIDE, lambda found, lines: done.extend(r.id for r in found), lambda r, s: _nothing(r))
    assert Counter(done) == Counter(range(300))


def test_a_record_with_which_two_workers_vanished_is_reported() -> None:
    class Losing(Threads):
        def executors(self) -> list[Executor]:
            self.live: list[Executor] = [_Silent(1)]
            return self.live

        def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
            gone, self.live = frozenset(self.live), [_Silent(1)]
            return gone, self.live

    lines: list[str] = []
    run(records_of(record(1)), Losing(0), DECIDE, lambda found, said: lines.extend(said), lambda r, s: _nothing(r))
    [found] = map(json.loads, lines)
    assert found["error"] == {"kind": "worker", "message": "two workers died of this record: it is gone"}


@given(
    keys=st.lists(st.integers(0, 4), max_size=60),
    size=st.integers(1, 3),
    fails=st.sets(st.integers(0, 59), max_size=4),
)
def test_every_record_is_delivered_once(keys: list[int], size: int, fails: set[int]) -> None:
    def task(records: Any, settings: Settings) -> Any:
        if any(item.id in fails for item in records):
            raise OSError("gone")
        return _nothing(records)

    done: list[object] = []
    items = [record(n, problem=problem(key)) for n, key in enumerate(keys)]
    run(records_of(*items), Threads(size), DECIDE, lambda records, lines: done.extend(r.id for r in records), task)
    assert sorted(map(int, map(str, done))) == list(range(len(keys)))


def _nothing(records: Any) -> Any:
    return tuple("" for _ in records)


def test_records_are_read_only_as_far_as_they_are_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grading.batch.runner._HELD", 50)
    read = done = 0
    most = 0
    items = records_of(*(record(n) for n in range(500)))

    def stream() -> Any:
        nonlocal read
        for item in items:
            read += 1
            yield item

    def deliver(records: Any, lines: Any) -> None:
        nonlocal done, most
        most = max(most, read - done)
        done += len(records)

    run(stream(), Threads(2), DECIDE, deliver, lambda records, settings: _nothing(records))
    assert done == 500
    assert most <= 50

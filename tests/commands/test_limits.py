"""The time limit of a command counts for all it does, in words; and a client that hangs up is no failure."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
import time
from io import FileIO
from pathlib import Path
from typing import NoReturn

import pytest

import validator.adherence.adhere  # noqa: F401
from validator import cli
from validator.commands.parser import Parser
from validator.commands.pipes import interruptible
from validator.commands.tools.lsp import _Editor

_COMMANDS = (
    "check {slow} {slow} {plan}",
    "check {slow} {slow} {plan} --format json",
    "check {slow_flow} {plan}",
    "plan {slow} {slow}",
    "plan {slow_flow}",
    "redundant {slow} {slow} {plan}",
    "recognize {slow} {slow} {plan} --goals {plan}",
    "why-not {slow} {slow} {plan}",
    "adhere {plan} {slow}",
    "conform {slow} {plan}",
    "calls {slow} {plan}",
    "repair-model {slow} {slow} {plan}",
)


@pytest.mark.parametrize("command", _COMMANDS)
def test_a_file_that_never_ends_is_not_waited_for(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("validator.commands.options.program_limit", lambda seconds: seconds)
    files = {"slow": tmp_path / "slow.pddl", "slow_flow": tmp_path / "slow.json", "plan": tmp_path / "a.plan"}
    for name in ("slow", "slow_flow"):
        os.mkfifo(files[name])  # nobody writes to it
    files["plan"].write_text("(a)\n")
    assert cli.main([*command.format(**files).split(), "--time-limit", "0.05"]) == 3
    told = capsys.readouterr().err
    assert told.startswith("plan-validator: no answer: ") and told.endswith("the time limit of 0.05 s was met\n")


_BLOCKS = "domains/blocks/domain.pddl domains/blocks/problem.pddl"
_READING = (
    f"check {_BLOCKS} -",
    "check - domains/blocks/problem.pddl domains/blocks/good.plan",
    f"plan {_BLOCKS.split()[0]} -",
    "plan {flow} --prefix -",
    f"redundant {_BLOCKS} -",
    "redundant domains/blocks/domain.pddl - domains/blocks/good.plan",
    f"recognize {_BLOCKS} - --goals {{goals}}",
    f"why-not {_BLOCKS} -",
    f"why-not {_BLOCKS} --plan - --ask 'at most 3 take'",
    "why-not - domains/blocks/problem.pddl domains/blocks/good.plan",
    "adhere domains/blocks/good.plan -",
    f"adhere {_BLOCKS} - -",
    f"adhere {_BLOCKS} domains/blocks/good.plan -",
    f"read {_BLOCKS} -",
    "compare domains/blocks/good.plan -",
    "apply - domains/blocks/good.plan",
)


@pytest.mark.parametrize("command", _READING)
def test_standard_input_is_waited_for_before_the_time_counts(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, kept, known = _Clock(), [], Parser.known
    came = _Input(Path("domains/blocks/good.plan").read_bytes(), clock)
    monkeypatch.setattr(sys, "stdin", came)
    monkeypatch.setattr("validator.commands.options.time", clock)
    monkeypatch.setattr(Parser, "known", lambda self, words: kept.append(known(self, words)) or kept[-1])
    flow, goals = tmp_path / "flow.json", tmp_path / "goals"
    flow.write_text('{"flow": "f", "operators": [], "goals": []}')
    goals.write_text("(on a b)\n(on c d)\n")
    begun = clock.monotonic()
    cli.main(shlex.split(command.format(flow=flow, goals=goals)))
    assert came.buffer.was_read
    assert not hasattr(kept[0], "time_limit") or kept[0].begun >= begun + _WAIT


_WAIT = 1000.0


class _Clock:
    """The clock, which standard input sets forward."""

    ahead = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.ahead


class _Input(io.TextIOWrapper):
    """Standard input that must not be read while an alarm is set."""

    def __init__(self, content: bytes, clock: _Clock) -> None:
        super().__init__(_Bytes(content))
        self.buffer.clock = clock


class _Bytes(io.BytesIO):
    was_read = False
    clock: _Clock

    def read(self, size: int | None = -1) -> bytes:
        self.clock.ahead = _WAIT
        self.was_read = True
        assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
        return super().read(size)


_WORKING = """
import sys, threading
from validator import cli
from validator.commands.plans import domains
from validator.grounding.processes.leftovers import private_directory

def work(ready):
    with private_directory():
        ready.set()
        while True:
            pass

def run(options):
    ready = threading.Event()
    threading.Thread(target=work, args=(ready,)).start()
    ready.wait()
    print("told")
    return 1

add = domains.add_arguments
domains.add_arguments = lambda parser: (add(parser), parser.set_defaults(run=run))
sys.argv = ["plan-validator", "domains"]
sys.exit(cli.main())
"""


def test_no_thread_is_waited_for_when_all_is_told(tmp_path: Path) -> None:
    """One that does not look at the clock went on for as long as it liked, and the process with it."""
    done = subprocess.run(
        [sys.executable, "-c", _WORKING],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr, list(tmp_path.iterdir())) == (1, "told\n", "", [])


_FAILING = """
import sys
from validator import cli
from validator.commands.plans import domains
import validator.grounding.processes.leftovers as leftovers

class Lost:
    def __del__(self):
        raise MemoryError

def clear():
    raise {clearing}

def run(options):
    Lost()
    {running}

add = domains.add_arguments
domains.add_arguments = lambda parser: (add(parser), parser.set_defaults(run=run))
leftovers.clear_own = clear
sys.argv = ["plan-validator", "domains"]
sys.exit(cli.main())
"""


@pytest.mark.parametrize(
    ("clearing", "running", "code", "said"),
    [
        ("OSError(12, 'Cannot allocate memory')", "return 0", 0, ""),
        ("MemoryError", "raise MemoryError", 3, "no answer: the memory that this process may have was used up"),
        ("MemoryError", "raise AssertionError('a fault')", 3, "a fault"),
    ],
)
def test_what_fails_where_a_process_ends_is_no_verdict(clearing: str, running: str, code: int, said: str) -> None:
    """Python ends with 1 then, which says that a plan has not the quality."""
    script = _FAILING.format(clearing=clearing, running=running)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code
    assert done.stderr.strip().endswith(said) and bool(done.stderr) is bool(said)
    assert "Exception ignored" not in done.stderr


def test_the_verdict_is_told_where_there_is_no_time_to_write_the_report(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def page(*given: object) -> None:
        signal.pause()
        raise AssertionError("it rang")

    monkeypatch.setattr("validator.render.html.elements.page", page)
    monkeypatch.setattr("validator.commands.options.hard_limit", lambda seconds: 1.0)
    files = [f"domains/blocks/{name}" for name in ("domain.pddl", "problem.pddl", "broken-order.plan")]
    assert cli.main(["check", *files, "--format", "html", "--no-repair", "--time-limit", "1"]) == 3
    said = "plan-validator: NOT VALID; it is not written as html: the time limit of 1 s was met\n"
    assert capsys.readouterr() == ("", said)


_FULL = "the memory that this process may have was used up"


@pytest.mark.parametrize("error", [MemoryError(), SyntaxError("half a file")])
def test_the_verdict_is_told_where_there_is_no_memory_to_write_the_report(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*given: object, **named: object) -> NoReturn:
        raise error

    monkeypatch.setattr("validator.render.text.report_text", full)
    monkeypatch.setattr("validator.commands.options.is_bounded", lambda: True)
    assert cli.main(["check", *_BLOCKS.split(), "domains/blocks/good.plan"]) == 3
    assert capsys.readouterr().err == f"plan-validator: VALID; it is not written as text: {_FULL}\n"


# --- servers on standard input and output --------------------------------------------------------


_BLOCKED = """
import asyncio, os, signal, sys, time
from validator import cli
from validator.commands import pipes
from validator.commands.plans import domains

async def blocked():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(600)  # as to write to a pipe that is full

def run(options):
    with pipes.interruptible():
        asyncio.run(blocked())

pipes._MOST = 0.01
add = domains.add_arguments
domains.add_arguments = lambda parser: (add(parser), parser.set_defaults(run=run))
sys.argv = ["plan-validator", "domains"]
cli.main()
"""


def test_a_signal_ends_what_does_not_come_back_to_its_loop() -> None:
    """A server that wrote to an editor which reads nothing any more could only be killed."""
    done = subprocess.run([sys.executable, "-c", _BLOCKED], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (3, "plan-validator: interrupted\n")


def test_an_editor_that_hung_up_is_written_to_without_an_error() -> None:
    """What was to be told of a plan then was a traceback on standard error."""
    reading, writing = os.pipe()
    with FileIO(writing, "w") as output:
        editor = _Editor(output)
        assert editor.write(b"hover") == 5
        os.close(reading)
        assert editor.write(b"diagnostics") == 11


def test_an_answer_that_nobody_reads_is_the_end_and_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that was killed while its call was answered left a traceback of groups of errors behind."""
    put: list[int] = []
    monkeypatch.setattr(os, "dup2", lambda what, where: put.append(where))
    with interruptible():
        raise ExceptionGroup("tasks", [ExceptionGroup("of these", [BrokenPipeError(32, "Broken pipe")])])
    assert len(put) == 1
    with pytest.raises(ExceptionGroup) as failed, interruptible():
        raise ExceptionGroup("tasks", [BrokenPipeError(), ValueError("a failure")])
    assert [str(error) for error in failed.value.exceptions] == ["a failure"]

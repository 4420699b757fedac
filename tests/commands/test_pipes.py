"""Servers on standard input and output: a client that hangs up is no failure."""

from __future__ import annotations

import os
import subprocess
import sys
from io import FileIO

import pytest

from validator.commands.pipes import interruptible
from validator.commands.tools.lsp import _Editor

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

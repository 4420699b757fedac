"""CPU seconds and memory of one whole process with all that it starts.

A child that is started by a large process counts that one's pages as its own before it begins. So a small one starts
it, and asks the system what it took.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

__all__ = ["Run", "in_turn", "measured"]

_LAUNCHER = """\
import json, os, resource, signal, sys
report, seconds, *command = sys.argv[1:]
pid = os.fork()
if pid == 0:
    os.setsid()
    os.execvp(command[0], command)
def stop(*_):
    os.killpg(pid, signal.SIGKILL)
signal.signal(signal.SIGALRM, stop)
signal.alarm(int(seconds))
_, status, used = os.wait4(pid, 0)
signal.alarm(0)
with open(report, "w") as file:
    json.dump([used.ru_utime + used.ru_stime, used.ru_maxrss, os.waitstatus_to_exitcode(status)], file)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a process ended: CPU seconds with those of its children, largest resident size in MiB of any of them."""

    cpu: float
    memory: float
    code: int
    output: str

    @property
    def is_killed(self) -> bool:
        return self.code < 0


def measured(command: Sequence[str], directory: Path, *, seconds: int) -> Run:
    """Run a command in a directory, and kill it and all its children after so many seconds of wall clock."""
    report = directory / "used.json"
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(report), str(seconds), *command]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or command[0] == sys.executable}
    done = subprocess.run(
        launcher, cwd=directory, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    cpu, kibibytes, code = json.loads(report.read_text(encoding="utf-8"))
    return Run(cpu=cpu, memory=kibibytes / 1024, code=code, output=done.stdout + done.stderr)


def in_turn(commands: Mapping[str, Sequence[str]], directory: Path, *, runs: int, seconds: int) -> dict[str, Run]:
    """Run the commands in turn, so many rounds; return the medians with the last output. A killed one ends there."""
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            if not any(run.is_killed for run in found[name]):
                found[name].append(measured(command, directory, seconds=seconds))
    return {
        name: Run(
            cpu=median(run.cpu for run in group),
            memory=median(run.memory for run in group),
            code=group[-1].code,
            output=group[-1].output,
        )
        for name, group in found.items()
    }

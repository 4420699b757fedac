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
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

__all__ = ["PROGRAM", "Run", "answer", "family", "in_turn", "measured", "resident"]

PROGRAM = (sys.executable, "-c", "import sys; from validator.cli import main; sys.exit(main())")
"""plan-validator's command line, of this checkout"""

_LAUNCHER = """\
import json, os, signal, sys, time
report, seconds, *command = sys.argv[1:]
begun = time.monotonic()
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
wall = time.monotonic() - begun
with open(report, "w") as file:
    json.dump([used.ru_utime + used.ru_stime, wall, used.ru_maxrss, os.waitstatus_to_exitcode(status)], file)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How a process ended: CPU seconds with those of its children, largest resident size in MiB of any of them.

    ``wall`` is elapsed seconds.
    """

    cpu: float
    wall: float
    memory: float
    code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr

    @property
    def is_killed(self) -> bool:
        return self.code < 0


def measured(command: Sequence[str], directory: Path, *, seconds: int, temporary: Path | None = None) -> Run:
    """Run a command in a directory, and kill it and all its children after so many seconds of wall clock.

    ``temporary`` is where it makes its temporary files.
    """
    report = directory / "used.json"
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(report), str(seconds), *command]
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or command[0] == sys.executable}
    if temporary is not None:
        clean["TMPDIR"] = str(temporary)
    done = subprocess.run(
        launcher, cwd=directory, env=clean, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True
    )
    cpu, wall, kibibytes, code = json.loads(report.read_text(encoding="utf-8"))
    return Run(cpu=cpu, wall=wall, memory=kibibytes / 1024, code=code, stdout=done.stdout, stderr=done.stderr)


def family(pid: int) -> list[int]:
    """Return a process and those that it started, and they."""
    found = [pid]
    for each in found:
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with suppress(OSError):
                found += [int(child) for child in task.read_text().split()]
    return found


def resident(pid: int) -> float:
    """Return the resident MiB of a process; none of one that has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20
    except OSError:
        return 0.0


def answer(done: Run) -> str:
    """Return what a validator's process says of a plan by its exit code, or why it says nothing."""
    if done.is_killed:
        return "killed"
    if "Traceback (most recent call last)" in done.output:
        return "crashed"  # with the exit code 1, which otherwise says that the plan is not valid
    return {0: "valid", 1: "not valid"}.get(done.code, f"exit code {done.code}")


def in_turn(commands: Mapping[str, Sequence[str]], directory: Path, *, runs: int, seconds: int) -> dict[str, Run]:
    """Run the commands in turn, so many rounds; return the last runs with the medians of CPU and memory.

    A command that was killed is not run again.
    """
    found: dict[str, list[Run]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            if not any(run.is_killed for run in found[name]):
                found[name].append(measured(command, directory, seconds=seconds))
    return {
        name: replace(group[-1], cpu=median(run.cpu for run in group), memory=median(run.memory for run in group))
        for name, group in found.items()
    }

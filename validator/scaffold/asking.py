"""Asking for a plan: a conversation, and a program that reads it and writes the answer.

The program runs in a private directory, without a shell, in a process group of its own that is ended whole.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeAlias

from validator.errors import InputError
from validator.records import dataclass

__all__ = ["Answered", "Ask", "Message", "command"]

_MOST_OUTPUT = 4 * 2**20
_PULSE = 0.02
_PATIENCE = 1.0
"""seconds that a program has to end when it is told to"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is system, user or assistant."""

    role: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to a conversation; ``error`` says why there is none."""

    text: str = ""
    error: str = ""
    attempts: int = 1


Ask: TypeAlias = Callable[[Sequence[Message]], Answered]
"""Continues a conversation. What goes wrong is reported in the answer."""


def command(line: str, time_limit: float) -> Ask:
    """Return what asks a program, given as one would type it, without a shell; ``time_limit`` is in seconds.

    Raises InputError for a line that has no words or an open quotation.
    """
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise InputError(f"the command cannot be read: {error}", source="--command", text=line, offset=0) from None
    if not words:
        raise InputError("a command was expected", source="--command")

    def ask(messages: Sequence[Message]) -> Answered:
        with tempfile.TemporaryDirectory(prefix="plan-validator-", ignore_cleanup_errors=True) as name:
            return _run(words, _conversation(messages), Path(name), time_limit)

    return ask


def _conversation(messages: Sequence[Message]) -> str:
    """Return a conversation as one text."""
    parts = [f"You answered:\n{each.content}" if each.role == "assistant" else each.content for each in messages]
    return "\n\n".join(parts) + "\n"


def _run(words: Sequence[str], text: str, directory: Path, time_limit: float) -> Answered:
    # What the program sees and says stands beside its directory, not in it, in files without names.
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as errors:
        given.write(text.encode())
        given.seek(0)
        try:
            child = subprocess.Popen(
                words, cwd=directory, stdin=given, stdout=said, stderr=errors, start_new_session=True
            )
        except (OSError, ValueError) as error:
            return Answered(error=f"the command cannot be run: {getattr(error, 'strerror', None) or error}")
        try:
            failed = _wait(child, said.fileno(), time_limit)
        finally:
            _end(child)
        if failed:
            return Answered(error=failed)
        if child.returncode:
            errors.seek(0)
            last = " ".join(errors.read(100_000).decode("utf-8", "replace").strip().splitlines()[-1:])
            failed = f"the command failed with exit code {child.returncode}"
            return Answered(error=f"{failed}: {last}"[:300] if last else failed)
        said.seek(0)
        try:
            return Answered(text=said.read(_MOST_OUTPUT).decode("utf-8"))
        except UnicodeDecodeError:
            return Answered(error="the command's output is not UTF-8 text")


def _wait(child: subprocess.Popen[bytes], output: int, time_limit: float) -> str:
    """Wait for the end of a program; return why it is not to go on, or an empty text."""
    deadline = time.monotonic() + time_limit
    while True:
        if os.fstat(output).st_size > _MOST_OUTPUT:
            return f"the command's output is longer than {_MOST_OUTPUT} bytes"
        if child.poll() is not None:
            return ""
        if time.monotonic() >= deadline:
            return f"the command did not answer within {time_limit:g} s"
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=_PULSE)


def _end(child: subprocess.Popen[bytes]) -> None:
    """End what is left of a program's process group: politely, then not."""
    for signal_number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal_number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=_PATIENCE)

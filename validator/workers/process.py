"""A process that works for another one: how it begins, what it answers, what ends it, and that planners go with it."""

from __future__ import annotations

import gc
import os
import resource
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing import connection, parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from validator.grounding.processes.leftovers import clear, clear_own
from validator.workers.limits import memory_in_use

Tell: TypeAlias = Callable[[Mapping[str, Any]], None]
Answer: TypeAlias = Callable[[Any, bool, float, Tell], Any]
"""(request, whether it is to be quick, seconds of its limit that are spent, tell) -> answer; None: it takes longer"""

STARTS = 3
"""times that a process is started before it is given up"""
_NEWS = 0.2
"""seconds between two pieces of news"""
_ALLOCATIONS = 50_000
"""that are not undone between two looks of the collector, which would walk through models that stay"""


class News(NamedTuple):
    """What is known so far of a request."""

    value: Mapping[str, Any]


class Done(NamedTuple):
    """An answer, and the bytes that the process has in memory."""

    value: Any
    resident: int


def begin(directory: str = "") -> None:
    """Leave Ctrl-C to the process that started this one, and end with it, whichever way it ends.

    A ``directory`` is where all files and planners are; without one, each planner has its own.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, frame: _vanish(directory))
    if directory:
        os.environ["TMPDIR"] = tempfile.tempdir = directory
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each would take its share of the memory limit
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.set_threshold(_ALLOCATIONS, 10, 5)
    threading.Thread(target=_follow, args=(directory,), daemon=True).start()


def serve(pipe: Connection, directory: str, niceness: int, answer: Answer, prepare: Callable[[], object]) -> None:
    """Answer requests until the pipe or the parent process ends; the first message says that it begins."""
    begin(directory)
    prepare()
    gc.collect()
    gc.freeze()  # what is there now stays
    os.nice(niceness)
    sending, told = threading.Lock(), 0.0  # planners tell from threads of their own

    def tell(value: Mapping[str, Any]) -> None:
        nonlocal told
        with sending:
            if time.monotonic() - told >= _NEWS:
                told = time.monotonic()
                pipe.send(News(value))

    with suppress(EOFError, OSError):  # the server ended, and nobody is left to be told
        pipe.send(News({}))
        while True:
            request, is_quick, spent = pipe.recv()
            found = answer(request, is_quick, spent, tell)
            with sending:
                pipe.send(Done(found, memory_in_use()))


def _follow(directory: str) -> None:
    """End with the parent process, whichever way it ends."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        _vanish(directory)


def _vanish(directory: str) -> None:
    """End at once, and take planners and files along."""
    if directory:
        clear(Path(directory))
        with suppress(OSError):  # the last process takes the directory of all along
            Path(directory).parent.rmdir()
    else:
        clear_own()
    os._exit(1)

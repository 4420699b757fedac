"""Servers on standard input and output, and how they end: by a signal the whole loop, not the task that has its turn.

A client that hangs up ends them as well, whatever it has asked.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

_TO_END = 1.0
"""seconds in which what is interrupted may end by itself"""
_MOST = 3.0
"""seconds after which it is interrupted wherever it is: it may write to a client that reads nothing any more"""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let signals end a loop of ``asyncio`` that runs within, and all that it waits for, with a KeyboardInterrupt.

    An answer that nobody reads any more ends it without one.

    Of Python's own handler ``asyncio`` makes one that waits until what is done has taken notice: a thread that reads
    standard input does so when its client hangs up.
    """
    if threading.current_thread() is not threading.main_thread():
        with _hung_up():
            yield
        return
    numbers = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is not signal.SIG_IGN]
    patience: list[threading.Timer] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        for each in numbers:
            signal.signal(each, signal.default_int_handler)  # the next one ends what it finds
        patience.append(threading.Timer(_MOST, os.kill, (os.getpid(), number)))
        patience[0].daemon = True
        patience[0].start()
        _interrupt()

    before = [signal.signal(number, interrupt) for number in numbers]
    try:
        with _hung_up():
            yield
    finally:
        for timer in patience:
            timer.cancel()
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@contextmanager
def _hung_up() -> Iterator[None]:
    """Let a client that hung up be the end of what is inside."""
    try:
        yield
    except* BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is still to be written has no reader


def _interrupt() -> None:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    loop.call_soon_threadsafe(_raise, loop)


def _raise(loop: asyncio.AbstractEventLoop) -> NoReturn:
    loop.call_later(_TO_END, _raise, loop)  # not every task of others ends when it is cancelled
    raise KeyboardInterrupt

"""Servers on standard input and output, and how a signal ends them: the whole loop, not the task that has its turn."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

__all__ = ["interruptible"]

_TO_END = 1.0
"""seconds in which what is interrupted may end by itself"""


@contextmanager
def interruptible() -> Iterator[None]:
    """Let signals end a loop of ``asyncio`` that runs within, and all that it waits for, with a KeyboardInterrupt.

    Of Python's own handler ``asyncio`` makes one that waits until what is done has taken notice: a thread that reads
    standard input does so when its client hangs up.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [each for each in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(each) is not signal.SIG_IGN]
    before = [signal.signal(number, _interrupt) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _interrupt(number: int, frame: FrameType | None) -> None:
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        raise KeyboardInterrupt from None
    loop.call_soon_threadsafe(_raise, loop)


def _raise(loop: asyncio.AbstractEventLoop) -> NoReturn:
    loop.call_later(_TO_END, _raise, loop)  # not every task of others ends when it is cancelled
    raise KeyboardInterrupt

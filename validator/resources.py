"""What the machine and the installation give: the folders of grammars and models, files, the collector of cycles."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from types import FrameType
from typing import ParamSpec, TypeVar

__all__ = ["OutOfTime", "alarm", "resource", "source_of", "without_collection", "write_whole"]

P = ParamSpec("P")
R = TypeVar("R")


@cache
def resource(folder: str) -> Path:
    """Return the directory of ``grammars`` or ``domains``.

    A wheel carries them inside the package; an editable install reads them from the checkout.
    Raises FileNotFoundError when neither holds them.
    """
    here = Path(__file__).parent
    for candidate in (here / folder, here.parent / folder):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"plan-validator is not installed completely: no folder {folder!r} beside {here}")


@cache
def source_of(*folders: str) -> str:
    """Return what tells the programs of some folders from those of another version, or of a changed checkout.

    It belongs to the key of what is kept on disk: an answer that another version proved may be wrong.
    """
    from hashlib import sha256

    here = Path(__file__).parent
    files = [here / "__init__.py", *(file for folder in folders for file in sorted((here / folder).rglob("*.py")))]
    return sha256(b"\0".join(file.read_bytes() for file in files if file.is_file())).hexdigest()


class without_collection:  # noqa: N801 -- used as a function is: with without_collection(), @without_collection()
    """Keep the collector of cycles from walking many new values again and again, among which there are none.

    It takes a third to a half of the time of reading large texts. What is not needed any more is freed all the same.
    """

    __slots__ = ("_was_enabled",)

    def __enter__(self) -> None:
        self._was_enabled = gc.isenabled()
        gc.disable()

    def __exit__(self, *raised: object) -> None:
        if self._was_enabled:
            gc.enable()

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def paused(*args: P.args, **given: P.kwargs) -> R:
            with without_collection():
                return function(*args, **given)

        return paused


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; readers see the old one or the new one, never a part. Raises OSError."""
    from tempfile import mkstemp  # which most runs do not need

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


_AGAIN, _SOON = 2.0, 0.01
"""seconds until it rings again: more than it takes to end what was begun, and hardly any"""


class OutOfTime(BaseException):
    """The time is over. No ``Exception``, so that nothing on the way takes it for its own."""


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTime inside as soon as so many seconds are over: in the main thread of a process, and on POSIX.

    An alarm that was set before and rings earlier is left alone, and one that rings later still does. It rings again
    after a while, because what is raised in a destructor, or while garbage is collected, is lost.
    """
    is_main, left = True, signal.getitimer(signal.ITIMER_REAL)[0] if hasattr(signal, "setitimer") else 0.001
    if not 0 < left <= seconds:
        try:
            before = signal.signal(signal.SIGALRM, _ring)
        except ValueError:
            is_main = False
    if not is_main or 0 < left <= seconds:
        yield
        return
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, min(max(seconds, 0.001), 10.0**9), _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - begun)))


def _ring(number: int, frame: FrameType | None) -> None:
    if frame is not None and any(frame.f_code is getattr(each, "__code__", None) for each in gc.callbacks):
        signal.setitimer(signal.ITIMER_REAL, _SOON, _AGAIN)  # what a callback of the collector raises is lost
        return
    raise OutOfTime

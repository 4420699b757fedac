"""What the machine and the installation give: the folders of grammars and models, files, the collector of cycles."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` looks every number up among its names
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, wraps
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from validator.watched import Watched

__all__ = [
    "UNLOADED",
    "OutOfTime",
    "alarm",
    "is_bounded",
    "loading",
    "read_sealed",
    "resource",
    "source_of",
    "without_collection",
    "write_sealed",
]

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


UNLOADED = ("failed to map segment", "annot allocate")
"""What the system says where a library or a program has no room: no segment of it, no memory, no data of a thread."""


_ROOM = {"numpy": 120 * 2**20, "scipy": 170 * 2**20}
"""bytes of address space that the import of a library takes, each on top of those before it, with one thread"""


@contextmanager
def loading(*libraries: str) -> Iterator[None]:
    """Raise MemoryError where a large library that is imported inside finds no room for itself.

    Where the address space is bounded, its import may end with any error: a library that cannot be mapped, a thread
    that cannot be started, or a file of which half was read, and which is no Python then. ``libraries`` are those of
    which the import does not even end with an error: OpenBLAS ends the process then, or waits for good. With one
    thread, as here, it needs the least.
    """
    if is_bounded():
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        needed = sum(_ROOM[each] for each in libraries if each not in sys.modules)
        if needed and needed > _room():
            raise MemoryError(f"no room for {' and '.join(libraries)}")
    try:
        yield
    except ModuleNotFoundError:  # it is not installed
        raise
    except Exception as error:
        if not is_bounded():
            raise
        raise MemoryError(f"no room for a library: {error}") from error


def is_bounded() -> bool:
    """Return whether the address space of this process is."""
    import resource as limits

    return bool(limits.getrlimit(limits.RLIMIT_AS)[0] != limits.RLIM_INFINITY)


def _room() -> int:
    """Return the bytes that are left of the address space, where that is bounded."""
    import resource as limits

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if sys.platform == "linux" else 0
    return limits.getrlimit(limits.RLIMIT_AS)[0] - pages * limits.getpagesize()


def write_sealed(path: Path, content: bytes) -> None:
    """Write a file for ``read_sealed``; readers see the old one or the new one, never a part. Raises OSError."""
    from tempfile import mkstemp  # which most runs do not need

    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_seal(path, content) + content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def read_sealed(path: Path) -> bytes:
    """Return what was written under the name of a file.

    A damaged file may still read as some answer, and one under another's name as another's: what proofs stand on is
    believed only as it was written, where it was written. Raises OSError for a file that cannot be read, ValueError for
    one that is damaged.
    """
    whole = path.read_bytes()
    content = whole[_SEAL:]
    if whole[:_SEAL] != _seal(path, content):
        raise ValueError(f"damaged: {path}")
    return content


_SEAL = 32
"""bytes"""


def _seal(path: Path, content: bytes) -> bytes:
    from hashlib import sha256

    return sha256(path.name.encode() + b"\0" + content).digest()


_AGAIN, _SOON = 2.0, 0.01
"""seconds until it rings again: more than it takes to end what was begun, and hardly any"""
_TO_TELL = 0.1, 0.02
"""Seconds, or share of its own, in which what took an earlier alarm for its own limit tells what it knows by then."""


_CAN_RING = hasattr(_signal, "setitimer")
_LONGEST = 10.0**9
"""seconds from which on nobody waits for an alarm"""


class OutOfTime(BaseException):
    """The time is over. No ``Exception``, so that nothing on the way takes it for its own."""


class alarm:  # noqa: N801 -- used as a function is: with alarm(seconds)
    """Raise OutOfTime inside as soon as so many seconds are over.

    In the main thread, on POSIX, a signal does so; elsewhere another thread, when this one comes back from the system.

    An alarm that was set before and rings earlier is left alone, and one that rings later still does. What is inside
    may take the earlier one for its own limit, and go on behind it: it rings again then. In the main thread it rings
    again soon where it was lost, as what is raised in a destructor is, and after a while in any case.

    An import is waited for: half of a module would stay, and be an error of every later use; not by one that
    ``is_last``, behind which the process only says so and ends. So is the start of a process: one that is ended
    half-way closes its pipes a second time, whose numbers may by then be those of another thread's files.
    """

    __slots__ = (
        "_before",
        "_begun",
        "_entered",
        "_is_last",
        "_is_set",
        "_left",
        "_seconds",
        "_told_of_lost",
        "_watched",
        "has_rung",
    )

    def __init__(self, seconds: float, *, is_last: bool = False) -> None:
        self._seconds, self._is_last = seconds, is_last
        self._watched: Watched | None = None
        self.has_rung = False
        """also where what is inside took that for its own limit, and came to an end"""

    def __enter__(self) -> None:
        self._left, self._is_set, self._begun = 0.0, False, time.monotonic()
        self._entered: FrameType | None = sys._getframe()  # whose stack is looked at only if it rings
        if not (_CAN_RING and _is_main_thread()):
            from validator.watched import Watched  # which most runs do not need

            if self._seconds < _LONGEST:
                self._watched = Watched(max(self._seconds, 0.001), OutOfTime, self._must_wait_in_thread)
            return
        self._left = _signal.getitimer(_signal.ITIMER_REAL)[0]
        if 0 < self._left <= self._seconds:
            return
        try:
            self._before: Any = _signal.signal(_signal.SIGALRM, self._ring)
        except ValueError:  # the main thread of an interpreter inside of the process
            return
        self._is_set = True
        self._told_of_lost, sys.unraisablehook = sys.unraisablehook, self._lost
        try:
            _signal.setitimer(_signal.ITIMER_REAL, min(max(self._seconds, 0.001), _LONGEST), _AGAIN)
        except OutOfTime:  # it rang before what is inside began
            self.__exit__()
            raise

    def __exit__(self, *raised: object) -> None:
        self._entered = None
        is_out = bool(raised) and raised[0] is OutOfTime
        if self._watched is not None:
            self._watched.end(self._to_tell if is_out else None)
            self.has_rung = self._watched.has_rung
        elif is_out and not self._is_set:
            self._was_taken()
        if self._is_set:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            _signal.signal(_signal.SIGALRM, self._before)
            sys.unraisablehook = self._told_of_lost
            if self._left:
                rest = self._left - (time.monotonic() - self._begun)
                _signal.setitimer(_signal.ITIMER_REAL, max(0.001, rest), _AGAIN)

    def _was_taken(self) -> None:
        """Let the alarm before ring again soon, where it was that one that rang."""
        if not 0 < self._left <= time.monotonic() - self._begun:
            return
        with suppress(ValueError):  # the main thread of an interpreter inside of the process
            _signal.signal(_signal.SIGALRM, _signal.getsignal(_signal.SIGALRM))
            _signal.setitimer(_signal.ITIMER_REAL, self._to_tell, _AGAIN)

    @property
    def _to_tell(self) -> float:
        least, share = _TO_TELL
        return max(least, share * self._seconds)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code is alarm.__exit__.__code__ and frame.f_locals["self"] is self:
            return  # what is inside is done, and an error here would leave the alarm set
        if self._must_wait(frame):
            _signal.setitimer(_signal.ITIMER_REAL, _SOON, _AGAIN)
            return
        self.has_rung = True
        raise OutOfTime

    def _must_wait(self, frame: FrameType | None) -> bool:
        """Return whether an error may not be raised in a frame: what a callback of the collector raises is lost."""
        is_collecting = any(frame and frame.f_code is getattr(each, "__code__", None) for each in gc.callbacks)
        return is_collecting or self._held(frame) > self._held(self._entered)

    def _must_wait_in_thread(self, frame: FrameType) -> bool:
        """Return the same; also where an alarm is taken away, which would stay set."""
        before = frame.f_back  # what is asked for there
        is_ending = any(each is not None and each.f_code is alarm.__exit__.__code__ for each in (frame, before))
        return is_ending or self._must_wait(frame)

    def _lost(self, error: Any) -> None:
        """Ring again where it rang in what cannot raise, such as a destructor; all other errors there are told."""
        if error.exc_type is OutOfTime:
            _signal.setitimer(_signal.ITIMER_REAL, _SOON, _AGAIN)
        else:
            self._told_of_lost(error)

    def _held(self, frame: FrameType | None) -> int:
        """Return how many calls of a stack are not to be ended: they are of the import system, or start a process."""
        found = 0
        while frame is not None:
            code = frame.f_code
            is_import = code.co_filename == "<frozen importlib._bootstrap>"
            found += (is_import and not self._is_last) or code.co_qualname == "Popen.__init__"
            frame = frame.f_back
        return found


def _is_main_thread() -> bool:
    threading = sys.modules.get("threading")  # without which there is no other one
    return threading is None or threading.current_thread() is threading.main_thread()

"""What the machine and the installation give: the folders of grammars and models, files, the collector of cycles."""

from __future__ import annotations

import gc
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from validator.errors import NotInstalledError

if TYPE_CHECKING:
    from lark import Lark

K = TypeVar("K")
P = ParamSpec("P")
R = TypeVar("R")


class Recent(dict[K, R]):
    """Values by their keys; where there are ``most`` of them, they are forgotten before the next one."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: R) -> None:
        if len(self) >= self._most:
            self.clear()
        super().__setitem__(key, value)


def cores() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0))


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


_TERMINAL = re.compile(r"([A-Z_]+)(?:\.(\d+))?: /(.*)/([a-z]*)")


@cache
def terminals(grammar: str) -> dict[str, str]:
    """Return the terminals of a grammar as patterns by their names, in the order in which Lark tries them.

    Its file has one per line, ``NAME.PRIORITY: /PATTERN/FLAGS``. Lark takes longer to read it than a plan takes to
    check, and its lexer and parser three to ten times as long as what is written for one grammar.
    """
    lines = (resource("grammars") / grammar).read_text(encoding="utf-8").splitlines()
    found = [match for line in lines if (match := _TERMINAL.fullmatch(line))]
    found.sort(key=lambda match: -int(match[2] or 0))
    return {match[1]: f"(?{match[4]}:{match[3]})" for match in found}


@cache
def parser(grammar: str) -> Lark:
    """Return the parser of a grammar, which is made when it is needed first; Lark takes long to load."""
    from lark import Lark

    text = (resource("grammars") / grammar).read_text(encoding="utf-8")
    return Lark(text, parser="lalr", propagate_positions=True, maybe_placeholders=False)


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
    thread, as here, it needs the least. Raises NotInstalledError for one that a light install leaves out.
    """
    if is_bounded():
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        needed = sum(_ROOM[each] for each in libraries if each not in sys.modules)
        if needed and needed > _room():
            raise MemoryError(f"no room for {' and '.join(libraries)}")
    try:
        yield
    except ModuleNotFoundError as error:
        raise not_installed(error) or error from error
    except Exception as error:
        if not is_bounded():
            raise
        raise MemoryError(f"no room for a library: {error}") from error


_LEFT_OUT = {"numpy": "numpy", "scipy": "scipy", "tarski": "tarski", "unified_planning": "unified-planning"}
"""modules of the packages that ``light/pyproject.toml`` leaves out -> the package"""


def not_installed(error: ModuleNotFoundError) -> NotInstalledError | None:
    """Return what to say of a module that a light install leaves out, None of any other."""
    package = _LEFT_OUT.get((error.name or "").partition(".")[0])
    return None if package is None else NotInstalledError(package)


def of_extra(name: str) -> str:
    """Return what ``pip install`` takes for an extra: that of the light package where this is a light install."""
    from importlib.metadata import packages_distributions

    light = "plan-validator-light"
    package = light if light in packages_distributions().get("validator", ()) else "plan-validator"
    return f"'{package}[{name}]'"


def require(extra: str, *packages: str) -> None:
    """Raise NotInstalledError for the first package of an extra that is not installed."""
    from importlib.util import find_spec

    missing = next((package for package in packages if find_spec(package) is None), None)
    if missing is not None:
        raise NotInstalledError(missing, of_extra(extra))


def is_bounded() -> bool:
    """Return whether the address space of this process is."""
    import resource as limits

    return bool(limits.getrlimit(limits.RLIMIT_AS)[0] != limits.RLIM_INFINITY)


def _room() -> int:
    """Return the bytes that are left of the address space, where that is bounded."""
    import resource as limits

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) if sys.platform == "linux" else 0
    return limits.getrlimit(limits.RLIMIT_AS)[0] - pages * limits.getpagesize()


def cached_if_short(texts: int, characters: int) -> Callable[[Callable[[str], R]], Callable[[str], R]]:
    """Keep what a function returns for the last texts of at most so many characters: several readers ask for it."""

    def decorated(function: Callable[[str], R]) -> Callable[[str], R]:
        short = lru_cache(maxsize=texts)(function)
        return wraps(function)(lambda text: short(text) if len(text) <= characters else function(text))

    return decorated

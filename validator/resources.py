"""What the machine and the installation give: the folders of grammars and models, files, the collector of cycles."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

__all__ = ["resource", "without_collection", "write_whole"]

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

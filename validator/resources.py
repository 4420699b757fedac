"""What the machine and the installation give: the folders of grammars and models, files, the collector of cycles."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

__all__ = ["resource", "without_collection", "write_whole"]


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


@contextmanager
def without_collection() -> Iterator[None]:
    """Keep the collector of cycles from walking many new values again and again, among which there are none.

    It takes a third to a half of the time of reading large texts. What is not needed any more is freed all the same.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


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

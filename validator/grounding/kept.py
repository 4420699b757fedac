"""What the translator made of a model, on disk: by the content that it was given, and its version."""

from __future__ import annotations

import os
import tempfile
import zlib
from pathlib import Path

from validator.grounding.encode import Encoding

__all__ = ["load_translation", "store_translation", "write_whole"]

_LEVEL = 1
"""of compression: a tenth of the size, in a hundredth of the time that translating takes"""


def load_translation(directory: Path, encoding: Encoding) -> str | None:
    """Return the finite-domain task of a model; None when it is not there or its file cannot be read."""
    try:
        return zlib.decompress(_path(directory, encoding).read_bytes()).decode()
    except (OSError, zlib.error, UnicodeDecodeError):
        return None


def store_translation(directory: Path, encoding: Encoding, text: str) -> None:
    """Write a finite-domain task. Raises OSError."""
    write_whole(_path(directory, encoding), zlib.compress(text.encode(), _LEVEL))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; readers see the old one or the new one, never a part. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _path(directory: Path, encoding: Encoding) -> Path:
    from hashlib import sha256
    from importlib.metadata import version

    content = "\0".join((encoding.domain, encoding.problem, version("fast-downward.translate")))
    return directory / f"grounded-{sha256(content.encode()).hexdigest()}.z"

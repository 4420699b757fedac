"""The file of results: one JSON object a line, written as they come; a run that was cut off goes on from it."""

from __future__ import annotations

import fcntl
import json
import os
import re
import sqlite3
import weakref
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from types import TracebackType

from validator.errors import InputError


class Ids:
    """A set of ids that does not stay in memory: a temporary database of the system, gone with the set."""

    def __init__(self) -> None:
        self._base = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        weakref.finalize(self, self._base.close)
        self._base.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -512;"
            "CREATE TABLE ids (id BLOB PRIMARY KEY) WITHOUT ROWID; BEGIN;"
        )

    def add(self, name: str | int) -> bool:
        """Add an id and return whether it is new."""
        return self._base.execute("INSERT OR IGNORE INTO ids VALUES (?)", (_digest(name),)).rowcount == 1

    def __contains__(self, name: object) -> bool:
        return self._base.execute("SELECT 1 FROM ids WHERE id = ?", (_digest(name),)).fetchone() is not None


def _digest(name: object) -> bytes:
    """Return what stands for an id; 1 and "1" are two."""
    return blake2b(f"{type(name).__name__} {name}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


class Results:
    """An open file of results; ``finished`` are the ids that it had when it was opened.

    Opening it takes off a last line that was not written to its end (``torn`` is its size in bytes). One process at a
    time may have it open. Raises InputError for a file that is none of results, OSError.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.finished = Ids()
        self.count = self.torn = 0
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o666)
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self._resume()
        except BlockingIOError:
            os.close(self._handle)
            raise InputError("another run is writing this file", source=str(path)) from None
        except BaseException:
            os.close(self._handle)
            raise

    def __enter__(self) -> Results:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.fsync(self._handle)
        os.close(self._handle)

    def lines(self) -> Iterator[str]:
        """Yield the lines that the file has."""
        with self.path.open(encoding="ascii") as file:
            yield from file

    def write(self, lines: Iterable[str]) -> None:
        """Append lines; what is not torn by the end of the machine is in the file when this returns."""
        data = "".join(f"{line}\n" for line in lines).encode("ascii")
        while data:
            data = data[os.write(self._handle, data) :]

    def _resume(self) -> None:
        end = 0
        with open(self._handle, "rb", closefd=False) as file:
            for number, line in enumerate(file, 1):
                name = _finished(line)
                if name is None:
                    if line.endswith(b"\n") or not _may_be_torn(line):
                        raise InputError(f"line {number} is not a batch result", source=str(self.path))
                    self.torn = len(line)
                    break
                self.finished.add(name)
                self.count += 1
                end += len(line)
        if self.torn:
            os.truncate(self._handle, end)


_HEAD = re.compile(rb'\{"id": ("(?:[^"\\]|\\.)*"|-?\d+)')
_NEXT = b', "line": '
_UNFINISHED = re.compile(rb'\{"id": (?:"(?:[^"\\]|\\.)*\\?)?')
"""the beginning of a result up to a place in its id"""


def _finished(line: bytes) -> str | int | None:
    """Return the id of a result line, None for any other; only the end of a line tells that it is whole."""
    found = _HEAD.match(line)
    if found is None or not line.startswith(_NEXT, found.end()) or not line.endswith(b"}\n"):
        return None
    try:
        name: str | int = json.loads(found[1])
    except ValueError:
        return None
    return name


def _may_be_torn(line: bytes) -> bool:
    """Return whether a line without an end is the beginning of a result, or blank bytes that a crash left."""
    found = _HEAD.match(line)
    if found is not None:
        rest = line[found.end() :]
        return rest.startswith(_NEXT) or _NEXT.startswith(rest)
    return b'{"id": '.startswith(line) or _UNFINISHED.fullmatch(line) is not None or not line.strip(b"\0")

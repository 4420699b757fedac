"""Jobs and their results in SQLite: what is finished outlives the service, what is not is marked as interrupted."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from validator.errors import ValidatorError
from validator.service.problems import Problem, ProblemError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, key TEXT NOT NULL, operation TEXT NOT NULL, client TEXT NOT NULL, status TEXT NOT NULL,
  created REAL NOT NULL, finished REAL, http INTEGER, request BLOB NOT NULL, body BLOB NOT NULL DEFAULT x'');
CREATE INDEX IF NOT EXISTS jobs_key ON jobs (key) WHERE status = 'done';
CREATE TABLE IF NOT EXISTS lines (job TEXT NOT NULL, number INTEGER NOT NULL, line TEXT NOT NULL,
  PRIMARY KEY (job, number)) WITHOUT ROWID;
"""


_MODES = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
_ADD_CLIENT = "ALTER TABLE jobs ADD COLUMN client TEXT NOT NULL DEFAULT ''"
"""what a file of an earlier version lacks; who asked for its jobs is not known"""
_INTERRUPT = "UPDATE jobs SET status = 'interrupted', finished = ? WHERE status = 'unfinished'"
_OWNER_ONLY = stat.S_IRUSR | stat.S_IWUSR
_PATIENCE = 20.0
"""seconds that another service has to let go of the file: longer than one takes to end"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A job as it is kept: ``status`` is unfinished, done, failed, cancelled or interrupted; times are since 1970.

    ``client`` is the token that asked for it, empty for who has none.
    """

    id: str
    operation: str
    client: str
    status: str
    created: float
    finished: float | None
    http: int | None
    request: bytes
    body: bytes


class Store:
    """A file of jobs, used by one service at a time. Every change is in the file when its method returns.

    Changes raise ProblemError when the file takes nothing, such as on a full disk.
    """

    def __init__(self, path: Path | None, keep: float) -> None:
        """Open the file; what was unfinished in it is interrupted. Raises ValidatorError for one that cannot be used.

        A file that another service uses is waited for: it may be about to end.
        """
        self._lock = threading.Lock()
        self._keep = keep
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                # Requests and results of all clients stand in it; what SQLite puts beside it is as readable as it is.
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, _OWNER_ONLY))
                path.chmod(_OWNER_ONLY)
            self._base = sqlite3.connect(
                path or ":memory:", timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            # After a crash of the machine the last results may be missing; after one of the service none are.
            self._base.executescript(_MODES + _SCHEMA)
            if "client" not in {row[1] for row in self._base.execute("PRAGMA table_info(jobs)")}:
                self._base.execute(_ADD_CLIENT)
            self._base.execute(_INTERRUPT, (time.time(),))
            self._delete_old()
        except (OSError, sqlite3.Error) as error:
            with suppress(AttributeError):  # it may not have been opened
                self._base.close()
            raise ValidatorError(f"{path}: results cannot be kept there: {file_error_text(error)}") from None

    def add(self, name: str, key: str, operation: str, client: str, created: float, request: bytes) -> None:
        """Keep a job that is not finished."""
        self._run(
            "INSERT OR IGNORE INTO jobs (id, key, operation, client, status, created, request)"
            " VALUES (?,?,?,?,'unfinished',?,?)",
            (name, key, operation, client, created, request),
        )

    def finish(self, name: str, status: str, http: int, body: bytes) -> None:
        """Keep the result of a job; the first one stays."""
        self._run(
            "UPDATE jobs SET status = ?, finished = ?, http = ?, body = ? WHERE id = ? AND status = 'unfinished'",
            (status, time.time(), http, body, name),
        )

    def add_lines(self, name: str, lines: Iterable[tuple[int, str]]) -> None:
        """Keep lines of a batch's results."""
        with self._changing():
            self._base.execute("BEGIN")
            self._base.executemany("INSERT OR IGNORE INTO lines VALUES (?,?,?)", ((name, *line) for line in lines))
            self._base.execute("COMMIT")

    def get(self, name: str) -> Kept | None:
        """Return a job, or None when there is none, or none any more. Raises ProblemError for a broken file."""
        try:
            return self._one("id = ?", name)
        except sqlite3.Error as error:
            raise ProblemError(_problem_of(error)) from None

    def find(self, key: str) -> Kept | None:
        """Return a finished job of the same request; none of a broken file: the answer can be computed again."""
        try:
            return self._one("key = ? AND status = 'done'", key)
        except sqlite3.Error:
            return None

    def lines(self, name: str) -> Iterator[str]:
        """Yield the lines of a batch's results, in the order of its records."""
        last = -1
        while True:
            with self._changing():
                rows = self._base.execute(
                    "SELECT number, line FROM lines WHERE job = ? AND number > ? ORDER BY number LIMIT 500",
                    (name, last),
                ).fetchall()
            if not rows:
                return
            last = rows[-1][0]
            yield from (line for _, line in rows)

    def forget(self) -> None:
        """Delete what was kept for long enough."""
        with self._changing():
            self._delete_old()

    def _delete_old(self) -> None:
        self._base.execute("DELETE FROM jobs WHERE finished < ?", (time.time() - self._keep,))
        self._base.execute("DELETE FROM lines WHERE job NOT IN (SELECT id FROM jobs)")

    def close(self) -> None:
        with self._lock:
            self._base.close()

    def _one(self, condition: str, value: str) -> Kept | None:
        columns = "id, operation, client, status, created, finished, http, request, body"
        with self._lock:
            # What is too old is gone, whether or not it is deleted by now.
            row = self._base.execute(
                f"SELECT {columns} FROM jobs WHERE {condition} AND ifnull(finished >= ?, 1) LIMIT 1",
                (value, time.time() - self._keep),
            ).fetchone()
        return None if row is None else Kept(**dict(zip(Kept.__slots__, row, strict=True)))

    def _run(self, statement: str, values: tuple[object, ...]) -> None:
        with self._changing():
            self._base.execute(statement, values)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        with self._lock:
            try:
                yield
            except sqlite3.Error as error:
                if self._base.in_transaction:
                    self._base.execute("ROLLBACK")
                raise ProblemError(_problem_of(error)) from None


def _problem_of(error: sqlite3.Error) -> Problem:
    return Problem(
        kind="store", status=503, title="Results cannot be kept", detail=file_error_text(error), retry_after=60
    )


def file_error_text(error: Exception) -> str:
    """Return in words what is wrong with a file, and what to do."""
    said = str(error)
    if "locked" in said:
        return "another service uses it"
    is_broken = "malformed" in said or "not a database" in said
    return f"{said}; the file is broken: move it away, and a new one is made" if is_broken else said

"""A model and records for the tests of batches, and tasks that a worker may run in place of a check."""

from __future__ import annotations

import io
import json
import os
import signal
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.support.models import BOTH_STEPS, TWO_STEPS
from validator.grading.batch.records import Record, read_records
from validator.grading.batch.worker import Lines, Settings, grade

GOOD, BAD = "(a)\n(b)\n", "(b)\n"


def record(name: object, plan: str = GOOD, **more: Any) -> dict[str, Any]:
    return {"id": name, "domain": TWO_STEPS, "problem": BOTH_STEPS, "plan": plan, **more}


def problem(number: int) -> str:
    """Return the problem under another name: another model."""
    return BOTH_STEPS.replace("problem x", f"problem x{number}")


def records_of(*items: object) -> list[Record]:
    lines = "".join(f"{json.dumps(item)}\n" for item in items).encode()
    return [item for item in read_records(io.BytesIO(lines), Path("/")) if isinstance(item, Record)]


def write(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(f"{json.dumps(item)}\n" for item in records))
    return path


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def deadly(records: Sequence[Record], settings: Settings) -> Lines:
    """Check records, and die of each that is tagged so."""
    if any(record.tags.get("kills") for record in records):
        os.kill(os.getpid(), signal.SIGKILL)
    return grade(records, settings)


def deadly_once(records: Sequence[Record], settings: Settings) -> Lines:
    """Die at a tagged record, but not when there is the file that is named so."""
    for record in records:
        mark = record.tags.get("mark")
        if mark is not None and not Path(mark).exists():
            Path(mark).touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return grade(records, settings)


def slow(records: Sequence[Record], settings: Settings) -> Lines:
    time.sleep(float(os.environ.get("SECONDS_A_RECORD", "0.02")) * len(records))
    return grade(records, settings)


class Threads:
    """Workers that are threads."""

    def __init__(self, size: int) -> None:
        self.pools: list[Executor] = [ThreadPoolExecutor(1, f"worker{n}") for n in range(size)]

    def executors(self) -> list[Executor]:
        return self.pools

    def replace(self, broken: Executor, error: BaseException) -> Executor:
        return broken

    def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
        return frozenset(), []

"""Proven cheapest costs on disk, by the content of the model and by what proved them: planner and this package."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from validator.grounding.limits import Status
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.resources import read_sealed, source_of, write_sealed

if TYPE_CHECKING:
    from validator.repair.cheapest import Optimum

__all__ = ["load_optimum", "store_optimum", "why_unwritable"]


def load_optimum(directory: Path, task: Task) -> Optimum | None:
    """Return the proven optimum of a task; None when it is not there or its file cannot be read."""
    from validator.repair.cheapest import Optimum

    try:
        value = json.loads(read_sealed(_path(directory, task)))
        plan = None if value["plan"] is None else tuple(_step(*words) for words in value["plan"])
        status, lower, upper = Status(value["status"]), int(value["lower"]), value["upper"]
        return Optimum(status=status, lower=lower, upper=upper, plan=plan, by=str(value["by"]))
    except (OSError, ValueError):
        return None


def why_unwritable(directory: Path) -> str:
    """Return why no file can be written in a directory, which is made if need be; empty where one can."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return ""
    except OSError as error:
        return error.strerror or str(error)


def store_optimum(directory: Path, task: Task, optimum: Optimum) -> None:
    """Write a proven optimum, where a file can be written; readers see the old file or the new one, never a part."""
    plan = None if optimum.plan is None else [[step.name, *step.args] for step in optimum.plan]
    bounds = {"lower": optimum.lower, "upper": optimum.upper, "by": optimum.by}
    value = {"status": optimum.status.value, **bounds, "plan": plan}
    with suppress(OSError):  # what cannot be kept is found again
        write_sealed(_path(directory, task), json.dumps(value).encode())


def _step(name: str, *args: str) -> Step:
    return Step(name=name, args=args)


def _path(directory: Path, task: Task) -> Path:
    """Return the file of a task: the key is what the planner is given, the names of the model, and what proves it."""
    from hashlib import sha256
    from importlib.metadata import version

    encoding = task.encoding
    names = json.dumps([dict(encoding.actions), dict(encoding.objects), encoding.scale])
    unit = str(all(operator.cost == 1 for operator in task.operators))
    planner = f"{version('up-fast-downward')} {version('fast-downward.translate')}"
    own = source_of("grounding", "repair")
    content = "\0".join((encoding.domain, encoding.problem, names, unit, planner, own))
    return directory / f"optimum-{sha256(content.encode()).hexdigest()}.json"

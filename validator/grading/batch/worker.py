"""What a worker does: records in, result lines out; models are read and grounded once and kept."""

from __future__ import annotations

import gc
import json
import resource
import time
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeAlias

from validator.alarms import OutOfTime, alarm
from validator.checking.check import check
from validator.checking.prepared import Prepared, prepare, words_of
from validator.checking.report import Quality, Report
from validator.errors import InputError, ModelError, PlanError, PlannerError, UndeclaredObjectError
from validator.grading.batch.records import BadRecord, Item, Record, is_text
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, deadline_of, left_until
from validator.model.pddl import read_domain, read_domain_with, read_problem
from validator.model.values import Domain, Model
from validator.reading.plan import Dialect, NoPlan
from validator.records import dataclass, replace
from validator.render.json import SCHEMA
from validator.texts import is_path, no_path
from validator.workers.limits import guard, memory_in_use


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What is asked of every record that does not say otherwise itself; as in ``validator.checking.check.check``.

    ``time_limit`` is for a record in all, ``memory_limit`` for its planner processes, each, and for what the worker
    itself may take up for it. ``templates`` is a path or a YAML text (``validator.reading.lexicon.templates``).
    """

    quality: Quality = Quality.VALID
    policy: str | None = None
    repair: bool = True
    dialect: Dialect | None = None
    strict: bool = False
    templates: str | None = None
    time_limit: float = DEFAULT_TIME_LIMIT
    memory_limit: int = DEFAULT_MEMORY_LIMIT


Lines: TypeAlias = tuple[str, ...]
"""The results of the first records, in their order; the others are untouched."""

_ENOUGH = 1.0
_ENOUGH_BYTES = 2**18  # what a run has to hold of a worker at once: results of some records take 100 KB each


def grade(records: Sequence[Record], settings: Settings) -> Lines:
    """Check records one after the other; whatever is wrong with one is its result."""
    return work_of(_line(record, settings) for record in records)


def work_of(lines: Iterable[str]) -> Lines:
    """Take result lines that are made one by one as long as they may go on.

    After a second the others are left, so that what is done is written, and a slow model does not hold up others; so
    they are after results of 256 KiB, which keeps the memory of the run flat.
    """
    start, size = time.monotonic(), 0
    found: list[str] = []
    for line in lines:
        found.append(line)
        size += len(line)
        if size > _ENOUGH_BYTES or time.monotonic() - start > _ENOUGH:
            break
    return tuple(found)


def _verdict(report: Report) -> str:
    """Return one word for a report: the quality that the plan has, else the kind of its first fault.

    ``not_optimal`` is a valid plan that is not the cheapest; ``unknown`` is no answer. ``not_understood`` is a text of
    whose plan nothing is said, ``no_plan`` one that says that there is no plan, or whose author has none to give.
    """
    if not report.is_understood:
        return "not_understood"
    if report.no_plan is not None:
        return "no_plan"
    if report.determination is None:
        return "unknown"
    if report.determination:
        return report.report_type.value
    return report.failures[0].kind.value if report.failures else f"not_{report.report_type.value}"


def error_line(record: Item | BadRecord, kind: str, message: str) -> str:
    """Return the result of a record that could not be checked."""
    value: dict[str, Any] = {"id": record.id, "line": record.line, "schema": SCHEMA, "verdict": "error"}
    if isinstance(record, Record) and record.expected is not None:
        value |= {"expected": record.expected, "agrees": False}
    return json.dumps(value | {"error": {"kind": kind, "message": message}, "tags": dict(record.tags)})


# --- one record ----------------------------------------------------------------------------------


def _line(record: Record, settings: Settings) -> str:
    own = replace(settings, **record.options)
    try:
        with guard(own.time_limit, own.memory_limit) as bell:
            return json.dumps(_result(record, own, bell))
    except OutOfTime:
        return error_line(record, "time limit", f"no answer within {own.time_limit:g} seconds")
    except MemoryError:
        _forget()
        return error_line(record, "memory limit", f"more than {own.memory_limit:,} bytes would be needed")
    except RecursionError:
        return error_line(record, "model", "nested too deeply")
    except Exception as error:
        return error_line(record, _kind(error), _told(error))


def _told(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def _kind(error: Exception) -> str:
    kinds = {
        ModelError: "model",
        PlanError: "plan",
        PlannerError: "planner",
        InputError: "input",
        OSError: "file",
        ValueError: "value",
    }
    return next((name for kind, name in kinds.items() if isinstance(error, kind)), type(error).__name__)


def _result(record: Record, settings: Settings, bell: alarm) -> dict[str, Any]:
    latest = deadline_of(settings.time_limit)
    own, planner = time.process_time(), _planner_cpu()
    prepared, task = _model(record, settings.templates)
    report = check(
        prepared,
        None,
        _plan(record),
        quality=settings.quality,
        policy=settings.policy,
        repair=settings.repair,
        dialect=settings.dialect,
        strict=settings.strict,
        time_limit=left_until(latest),
        memory_limit=settings.memory_limit,
    )
    bell.end()
    word = _verdict(report)
    value: dict[str, Any] = {"id": record.id, "line": record.line, "schema": SCHEMA, "verdict": word}
    if report.no_plan is not None:
        value["no_plan"] = _claim(report)
    if record.expected is not None:
        has = report.determination if isinstance(record.expected, bool) else word
        value |= {"expected": record.expected, "agrees": has == record.expected}
    return value | {
        "domain": prepared.model.domain.name,
        "problem": prepared.model.problem.name,
        "task": task,
        "tags": dict(record.tags),
        "cpu": round(time.process_time() - own, 6),
        "planner_cpu": round(_planner_cpu() - planner, 6),
        "report": report.to_json(),
    }


def _claim(report: Report) -> str:
    """Return whether it is right that there is no plan, where a text says so; else that its author gave up."""
    if report.no_plan is not NoPlan.CLAIM:
        return "given up"
    return {True: "right", False: "wrong", None: "open"}[report.determination]


def _plan(record: Record) -> str | Path:
    if record.plan_path and is_path(record.plan_path):
        return Path(record.plan_path)
    return no_path(record.plan)


def _planner_cpu() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


# --- models --------------------------------------------------------------------------------------


_PLENTY = 2 * 2**30
"""bytes of this process beyond which it lets go of its models"""


def _model(record: Record, templates: str | None) -> tuple[Prepared, str]:
    """Return the model of a record and a digest of its text.

    Raises ModelError, InputError for templates that do not fit it, or OSError for a file.
    """
    if memory_in_use() > _PLENTY:
        _forget()
    return _prepared(record.domain, record.problem, templates)


@lru_cache(maxsize=1024)
def _prepared(domain: str, problem: str, templates: str | None) -> tuple[Prepared, str]:
    source = _source(problem)
    try:
        found = _domain(domain)
    except UndeclaredObjectError:  # it may name objects of the problem
        found = read_domain_with(_source(domain), source)
    prepared = prepare(Model(domain=found, problem=read_problem(source, found)))
    if templates is not None:
        prepared = prepared.worded(words_of(templates))
    return prepared, _digest(domain, problem)


@lru_cache(maxsize=64)
def _domain(source: str) -> Domain:
    return read_domain(_source(source))


def _source(text: str) -> str | Path:
    return text if is_text(text) else Path(text)


def _forget() -> None:
    """Let go of all models."""
    _prepared.cache_clear()
    _domain.cache_clear()
    gc.collect()


def _digest(*sources: str) -> str:
    """Return what is the same for the same texts, wherever their files are."""
    digest = blake2b(digest_size=16)
    for source in sources:
        is_file = not is_text(source) and Path(source).is_file()
        digest.update(Path(source).read_bytes() if is_file else source.encode("utf-8", "surrogatepass"))
        digest.update(b"\0")
    return digest.hexdigest()

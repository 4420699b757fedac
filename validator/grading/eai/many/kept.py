"""Grades as lines of JSON: what processes hand over, and what a run that was cut off goes on from.

A line has all of a grade but the states in between. The file begins with the settings; grades that were made with
others are no grades of this run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import IO, Any, TypeAlias

from validator.errors import InputError
from validator.grading.eai.answers import Answer
from validator.grading.eai.edits.nearest import Nearest
from validator.grading.eai.edits.script import Edit, Fault
from validator.grading.eai.many.graders import Settings
from validator.grading.eai.reading import Call
from validator.grading.eai.sequencing.sequencing import Counts, Execution, Grade, Step, Verdict
from validator.grading.eai.sequencing.taxonomy import Error
from validator.records import dataclass

__all__ = ["Graded", "Kept", "Key", "key_of"]

Key: TypeAlias = tuple[str, str, str]
"""The model, the task, and a digest of the answer."""


def key_of(model: str, answer: Answer) -> Key:
    digest = blake2b(answer.text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return model, answer.identifier, digest


@dataclass(frozen=True, slots=True)
class Graded:
    """One answer's grade."""

    key: Key
    grade: Grade

    def line(self) -> str:
        return json.dumps({"key": self.key, **_told(self.grade)}, separators=(",", ":"))

    @classmethod
    def of(cls, line: str | bytes) -> Graded:
        """Read a line. Raises ValueError, TypeError, KeyError or AttributeError for one that is none."""
        content = json.loads(line)
        model, identifier, digest = map(str, content["key"])
        return cls((model, identifier, digest), _grade(identifier, content))


class Kept:
    """A file of grades, written as they are made; with ``resume`` those of an earlier run are in ``grades``.

    What cannot be read of the file, such as a last line that was cut off, is taken off or passed over. Raises
    InputError for grades that were made with other settings, OSError.
    """

    def __init__(self, path: Path, settings: Settings, *, resume: bool) -> None:
        self.grades: dict[Key, Grade] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._read(path, settings) if resume and path.is_file() else 0
        self._file: IO[bytes] = path.open("r+b" if whole else "wb")
        self._file.truncate(whole)
        self._file.seek(whole)
        if not whole:
            self.write([json.dumps(_settings(settings))])

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def write(self, lines: Iterable[str]) -> None:
        self._file.write("".join(f"{line}\n" for line in lines).encode("ascii"))
        self._file.flush()

    def _read(self, path: Path, settings: Settings) -> int:
        """Take over what is there, and return where the last whole line ends."""
        data = path.read_bytes()
        whole = data.rfind(b"\n") + 1
        first, *lines = data[:whole].splitlines() or [b""]
        if not first:
            return 0
        _same(first, settings, path)
        for line in lines:
            try:
                found = Graded.of(line)
            except (ValueError, TypeError, KeyError, AttributeError):
                continue
            self.grades[found.key] = found.grade
        return whole


def _settings(settings: Settings) -> dict[str, Any]:
    return {
        "grades of": settings.dataset,
        "module": settings.module,
        "data": str(settings.data.absolute()),
        "taxonomy": settings.taxonomy,
        "compat": settings.compat,
        "budget": settings.budget if settings.taxonomy == "proven" else None,
    }


def _same(first: bytes, settings: Settings, path: Path) -> None:
    """Raise InputError when a file's first line is not that of these settings."""
    wanted = _settings(settings)
    try:
        found = json.loads(first)
    except ValueError:
        found = None
    if not isinstance(found, dict) or "grades of" not in found:
        raise InputError("a file of grades was expected", source=str(path))
    if found != wanted:
        other = ", ".join(f"{name} {found.get(name)!r}" for name in wanted if found.get(name) != wanted[name])
        raise InputError(
            f"its grades were made with other settings ({other}): begin anew without --resume", source=str(path)
        )


# --- a grade as JSON -----------------------------------------------------------------------------


def _told(grade: Grade) -> dict[str, Any]:
    run, near = grade.execution, grade.nearest
    return {
        "verdict": grade.verdict.value,
        "totals": _counted(grade.totals),
        "matched": _counted(grade.matched),
        "all": grade.all_satisfied,
        "calls": [[call.name, *call.args] for call in grade.calls],
        "detail": grade.detail,
        "counted": grade.counted,
        "partial": grade.partial,
        "execution": run and {"steps": [*map(_step_told, run.steps)], "error": run.error, "unknown": run.unknown},
        "nearest": near and _nearest_told(near),
    }


def _counted(counts: Counts) -> list[float]:
    return [counts.state, counts.relation, counts.action, counts.mixed]


def _step_told(step: Step) -> list[Any]:
    return [[step.call.name, *step.call.args], step.label, step.error, step.reason]


def _nearest_told(near: Nearest) -> dict[str, Any]:
    return {
        "at_least": near.at_least,
        "at_most": near.at_most,
        "script": near.script,
        "edits": [[edit.fault, edit.old, edit.new] for edit in near.edits],
        "readings": near.readings,
        "every": near.is_every,
    }


def _grade(identifier: str, content: Mapping[str, Any]) -> Grade:
    totals, matched = (
        Counts(state=state, relation=relation, action=action, mixed=mixed)
        for state, relation, action, mixed in (content["totals"], content["matched"])
    )
    run, near = content["execution"], content["nearest"]
    return Grade(
        identifier=identifier,
        verdict=Verdict(content["verdict"]),
        totals=totals,
        matched=matched,
        all_satisfied=content["all"],
        calls=tuple(map(_call, content["calls"])),
        detail=content["detail"],
        counted=content["counted"],
        partial=content["partial"],
        execution=run and _execution(run),
        nearest=near and _nearest(near),
    )


def _call(parts: list[str]) -> Call:
    return Call(name=parts[0], args=tuple(parts[1:]))


def _execution(run: Mapping[str, Any]) -> Execution:
    steps = (
        Step(call=_call(call), label=label, error=error and Error(error), reason=reason)
        for call, label, error, reason in run["steps"]
    )
    error = run["error"]
    return Execution(steps=tuple(steps), states=(), error=error and Error(error), unknown=run["unknown"])


def _nearest(near: Mapping[str, Any]) -> Nearest:
    return Nearest(
        at_least=near["at_least"],
        at_most=near["at_most"],
        script=tuple((origin, tuple(line)) for origin, line in near["script"]),
        edits=tuple(Edit(fault=Fault(fault), old=old, new=new) for fault, old, new in near["edits"]),
        readings=tuple(tuple(map(Fault, reading)) for reading in near["readings"]),
        is_every=near["every"],
    )

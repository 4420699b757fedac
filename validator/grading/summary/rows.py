"""Results, one a line: written by whatever grades, and read as a stream, as far as a summary needs them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from validator.errors import InputError
from validator.records import dataclass
from validator.render.json import SCHEMA
from validator.texts import parse_json

# --- writing --------------------------------------------------------------------------------------


def result_line(
    model: str,
    dataset: str,
    identifier: str,
    verdict: str,
    report: Mapping[str, object],
    tags: Mapping[str, str] | None = None,
) -> str:
    """Return what is known of a model's answer to a task; ``report`` has its determination."""
    record = {
        "schema": SCHEMA,
        "id": f"{model}/{identifier}",
        "task": identifier,
        "domain": dataset,
        "tags": {"model": model, "dataset": dataset, **(tags or {})},
        "verdict": verdict,
        "report": report,
    }
    return json.dumps(record, ensure_ascii=False)


# --- reading --------------------------------------------------------------------------------------


NONE = "(none)"
"""the value of a tag that a result has not"""

_OF_ALL = ("domain", "verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One result.

    ``has`` is whether the plan has the quality, None where there is no answer; ``is_error`` tells a record that could
    not be checked, ``agrees`` whether it came out as was expected, where something was.
    """

    verdict: str
    has: bool | None
    is_error: bool
    agrees: bool | None
    tags: Mapping[str, Any]
    domain: str

    def value(self, tag: str) -> str:
        """Return a tag as text; ``domain`` and ``verdict`` are tags of every result that has none of that name."""
        if tag in self.tags:
            found = self.tags[tag]
            return found if isinstance(found, str) else json.dumps(found)
        return str(getattr(self, tag) or NONE) if tag in _OF_ALL else NONE

    @property
    def names(self) -> set[str]:
        """Return the tags that the result has a value of."""
        return {*self.tags, *_OF_ALL}


def read_rows(paths: Iterable[Path]) -> Iterator[Row]:
    """Yield the results of files. Raises InputError with the place of a line that is no result, OSError."""
    for path in paths:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _row(line, path, number)


def _row(line: bytes, path: Path, number: int) -> Row:
    try:
        value = parse_json(line.decode("utf-8"))
        report = value.get("report") or {}
        return Row(
            verdict=value["verdict"],
            has=report.get("determination"),
            is_error="error" in value,
            agrees=value.get("agrees"),
            tags=value["tags"],
            domain=str(value.get("domain", "")),
        )
    except (InputError, ValueError, TypeError, KeyError, AttributeError) as error:
        is_cut = line.startswith(b'{"id": ') and not line.endswith(b"\n")
        cut = ", it is cut off: the batch that wrote it can be continued" if is_cut else ""
        raise InputError(f"line {number} is no result of a batch{_why(error)}{cut}", source=str(path)) from None


def _why(error: Exception) -> str:
    if isinstance(error, InputError):
        return f" ({error.message})"
    return f" (it has no {error})" if isinstance(error, KeyError) else ""

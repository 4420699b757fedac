"""Short answers: a report in fields and words, and what is cut of a long answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from validator.checking.report import Report

_MOST_TEXT = 4000
"""bytes of text that an answer has at most"""
_MOST_FIELD = 1500
"""characters of JSON that a list or text has at most in a structured result"""
_FIELDS_WHOLE = frozenset(("models", "domain_text", "certificate"))
"""what is taken up in another call, or checked, as it stands"""

CHECK = (
    *("report_type", "determination", "reason", "proven", "failures", "unmet_goals", "cost", "repaired_plan"),
    *("repaired_cost", "plan_diff_str", "timeline", "is_understood", "question", "reading"),
)
"""the fields of a report that a check returns"""


def report_fields(report: Report, names: Sequence[str]) -> dict[str, Any]:
    """Return fields of a report, and the report in words."""
    value = report.to_json()
    return {"feedback": report.feedback(), **{name: value[name] for name in names}}


def short(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer whose text and fields are short; ``cut`` in it says how many lines or items these have."""
    cut: dict[str, int] = {}
    fields = {name: each for name, each in value.items() if name != "feedback"}
    shown = {name: each if name in _FIELDS_WHOLE else _cut(name, each, cut) for name, each in fields.items()}
    whole = str(value["feedback"])
    number = whole.count("\n")
    note = f"[Cut: the whole has {number} lines; the command line and HTTP have all of them.]\n"
    text = whole if "models" in fields else _lines(whole, _MOST_TEXT - len(note))
    if text != whole:
        cut["feedback"] = number
        text += note
    return {"feedback": text, **shown, "cut": cut}


def _lines(text: str, most: int) -> str:
    """Return the first lines of a text that fit into so many bytes; of a longer line, its beginning."""
    data = text.encode("utf-8", "replace")
    if len(data) <= most:
        return text
    end = data.rfind(b"\n", 0, most) + 1
    return data[:end].decode() if end else data[: most - 4].decode(errors="ignore") + "…\n"


def _cut(name: str, value: Any, cut: dict[str, int]) -> Any:
    """Return a value that is short, and note in ``cut`` how many items or lines a part of it has that is cut."""
    if isinstance(value, str | list | tuple | dict) and len(json.dumps(value, default=str)) <= _MOST_FIELD:
        return value
    if isinstance(value, str):
        shown_text = _lines(value, _MOST_FIELD)
        if shown_text != value:  # one of few characters may be long as JSON alone
            cut[name] = value.count("\n") + 1
        return shown_text
    if isinstance(value, dict):
        return {key: _cut(f"{name}.{key}", each, cut) for key, each in value.items()}
    if not isinstance(value, list | tuple):
        return value
    cut[name] = len(value)
    shown, left = [], _MOST_FIELD
    for item in value:
        left -= len(json.dumps(item, default=str))
        if left < 0:
            break
        shown.append(item)
    return shown

"""Short answers: what an agent reads at once, and the rest of it a page at a time.

The answer of a tool comes in, one whose text and lists are short goes out, and what was cut is kept for a while under a
handle that nobody can guess.
"""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from validator.mcp.tools import Tool, asked_of
from validator.mcp.workers import RefusedError
from validator.questions.job import Job
from validator.questions.question import Question, option, question

__all__ = ["MORE", "MOST_TEXT", "Answers"]

MOST_TEXT = 4000
"""bytes of text that an answer has at most"""
_MOST_FIELD = 1500
"""characters of JSON that a list or text has at most in a structured result"""
_KEPT = 64
"""answers whose rest can be asked for"""
_KEPT_BYTES = 32 * 2**20
"""of JSON that they have together; a longer answer is not kept at all"""
_FIELDS_WHOLE = frozenset(("models", "domain_text"))
"""what is taken up in another call as it stands"""


@question
class More(Question):
    """Which part of an answer that was cut."""

    handle: str = option("of 'more' in an answer that was cut")
    field: str = option("of that answer, as failures", default="feedback")
    start: int = option("first line or item: 'next' of the page before", default=0)


def _unanswered(asked: More, job: Job) -> Mapping[str, Any]:
    raise AssertionError("the server answers")


MORE = Tool(
    about="Return the next part of an answer that was cut.", kind=More, answer=_unanswered, hidden=("time_limit",)
)


class Answers:
    """The answers that were cut, the newest of them."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    def short(self, value: Mapping[str, Any]) -> dict[str, Any]:
        """Return an answer that is short; ``whole`` in it is a longer text that ``feedback`` stands for."""
        whole = str(value.get("whole", value["feedback"]))
        fields = {name: each for name, each in value.items() if name not in ("feedback", "whole")}
        cut: dict[str, int] = {}
        shown = {name: each if name in _FIELDS_WHOLE else _cut(name, each, cut) for name, each in fields.items()}
        text = str(value["feedback"])
        if "models" not in fields:
            text = _lines(text, MOST_TEXT - _NOTE)
        if text == whole and not cut:
            return {"feedback": text, **shown, "more": None}
        handle = self._keep({"feedback": whole, **fields})
        lines = whole.count("\n")
        cut["feedback"] = lines
        if handle is None:
            note = f"[Cut: the whole has {lines} lines, which are too many to be kept; ask for less.]\n"
        else:
            note = (
                f"[Cut: the whole has {lines} lines; tool 'more' with handle '{handle}' has them, from 'start' on.]\n"
            )
        shown["more"] = None if handle is None else {"handle": handle, "fields": cut}
        return {"feedback": text if text == whole else f"{text}{note}", **shown}

    def more(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the next part of an answer that was cut: lines of its text, or items of a list.

        ``next`` is where the following part starts, None behind the last. Raises RefusedError.
        """
        try:
            asked: More = asked_of(MORE, arguments)
        except ValueError as error:
            raise RefusedError(str(error)) from None
        return self._page(asked.handle, asked.field, asked.start)

    def _page(self, handle: str, field: str, start: int) -> dict[str, Any]:
        if handle not in self._kept:
            raise RefusedError(
                f"no answer is kept under this handle, or none any more: the newest {_KEPT} are, up to "
                f"{_KEPT_BYTES // 2**20} MiB together; make the call again"
            )
        self._kept.move_to_end(handle)
        items = _items(json.loads(self._kept[handle]), field)
        if not 0 <= start <= len(items):
            raise RefusedError(f"'start' is from 0 to {len(items)}, not {start}")
        shown: list[str] = []
        for item in items[start:]:
            line = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False)
            if shown and sum(len(each.encode()) for each in shown) + len(line.encode()) > MOST_TEXT - _NOTE:
                break
            shown.append(_lines(f"{line}\n", MOST_TEXT - _NOTE))
        after = start + len(shown)
        text = "".join(shown) + (f"[{len(items) - after} more: start {after}]\n" if after < len(items) else "")
        following = after if after < len(items) else None
        return {"feedback": text, "field": field, "start": start, "next": following, "total": len(items)}

    def _keep(self, value: Mapping[str, Any]) -> str | None:
        """Keep an answer, in place of older ones if need be; return its handle, None for one that is too long."""
        data = json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "replace")
        if len(data) > _KEPT_BYTES:
            return None
        handle = secrets.token_urlsafe(9)
        self._kept[handle] = data
        self._bytes += len(data)
        while len(self._kept) > _KEPT or self._bytes > _KEPT_BYTES:
            _, old = self._kept.popitem(last=False)
            self._bytes -= len(old)
        return handle


_NOTE = 200
"""bytes of what is said of the rest"""


def _items(value: Any, field: str) -> list[Any]:
    """Return the lines of a text, or the items of a list, by the names that lead to it. Raises RefusedError."""
    for name in field.split("."):
        if not isinstance(value, Mapping) or name not in value:
            known = ", ".join(value) if isinstance(value, Mapping) else "nothing"
            raise RefusedError(f"the answer has no '{field}'; there it has {known}")
        value = value[name]
    if isinstance(value, str):
        return value.splitlines()
    if isinstance(value, Mapping):
        return [{name: each} for name, each in value.items()]
    return list(value) if isinstance(value, list | tuple) else [value]


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
        cut[name] = value.count("\n") + 1
        return _lines(value, _MOST_FIELD)
    if isinstance(value, dict):
        return {key: _cut(f"{name}.{key}", each, cut) for key, each in value.items()}
    if isinstance(value, list | tuple):
        cut[name] = len(value)
        return _first(value)
    return value


def _first(items: Any) -> list[Any]:
    found: list[Any] = []
    left = _MOST_FIELD
    for item in items:
        left -= len(json.dumps(item, default=str))
        if left < 0:
            break
        found.append(item)
    return found

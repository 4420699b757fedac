"""``plan-validator calls``: say whether a list of tool calls would run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from validator.checking.report import Report
from validator.commands.command import CODES, Command, as_json
from validator.commands.options import has_color, read
from validator.errors import ModelError
from validator.questions.job import Job
from validator.questions.tool_calls import ToolCalls, checked_calls

_EXAMPLE = """\
echo '[{name: find, input_parameters: [{name: city}], output_parameters: [{name: hotel}]}]' > tools.yaml
echo '[{"name": "find", "arguments": {"city": "Rome"}, "label": "var1"}]' > calls.json
plan-validator calls tools.yaml calls.json
"""


def _tools(file: str) -> Any:
    """Return the list or the object in a file. Raises ModelError for anything else."""
    from validator.flow.definition.reader import load_document

    found = load_document(Path(file))
    if not isinstance(found, list | dict):
        kind = "nothing" if found is None else "a single value"
        raise ModelError(f"a JSON or YAML list was expected, not {kind}", source=file)
    return found


def _calls(file: str) -> Any:
    """Return the calls in a file: the value of a document of JSON or YAML, else the text as it is."""
    from validator.flow.definition.reader import document_of
    from validator.reading.calls.lists import read_list

    text = read(file)
    is_json = _JSON.match(text) is not None
    try:
        if not is_json and read_list(text).calls:
            return text  # of which YAML may take lines for keys, too
        value = document_of(text)
        if isinstance(value, dict | list) and (is_json or read_list(value).calls):
            return value
    except ModelError:
        pass  # which a text may be that holds calls
    return text


_JSON = re.compile(r"\s*(?:\{\s*\"|\[\s*(?:[{\]\"]|\Z))")
"""how a document of JSON begins, the errors of which are told"""


def _answer(asked: ToolCalls, job: Job) -> tuple[Any, Report]:
    return asked.calls, checked_calls(asked, job)


def _text(answer: Any) -> str:
    from validator.render.text import report_text

    return report_text(answer[1], color=has_color())


def _json_text(answer: Any) -> str:
    return as_json(answer[1].to_json())


def _that_run(answer: Any) -> str:
    """Return calls that run, a text as it is; nothing where there are none."""
    calls, report = answer
    found = calls if report.determination else report.repaired_calls
    if found is None:
        return ""
    text = found if isinstance(found, str) else json.dumps(found, indent=2, ensure_ascii=False, default=str)
    return f"{text.strip()}\n"


add_arguments = Command(
    kind=ToolCalls,
    forms=("TOOLS CALLS",),
    files="JSON or YAML file of tool specifications; then the calls: JSON, YAML, a text such as [f(x=1), g(y=2)], or "
    "what a model wrote: <tool_call>...",
    example=_EXAMPLE,
    answer=_answer,
    formats={"text": _text, "json": _json_text, "calls": _that_run},
    code=lambda answer: CODES[answer[1].determination],
    about_formats="default: text; calls: those that run, as they came or, where they were repaired, as JSON",
    readers={"tools": _tools, "calls": _calls},
).add_arguments

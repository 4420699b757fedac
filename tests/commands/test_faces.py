"""Which options a question has in which way in: each that one lacks is listed here, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from validator.questions.adherence import Adherence
from validator.questions.check import Check, LocalCheck
from validator.questions.comparison import Metrics
from validator.questions.model_repair import ModelRepair
from validator.questions.planning import LocalPlans, Plans
from validator.questions.question import Face, Question, options_of
from validator.questions.reading import Reading
from validator.questions.recognition import Recognition
from validator.questions.tool_calls import Redundancy, ToolCalls
from validator.questions.why_not import WhyNot

COMMAND, AGENT, PAGE = Face.COMMAND, Face.AGENT, Face.PAGE

FILE = "a file of the command, in its place among the others"
LIMIT = "a command has --time-limit itself, which counts its start"
SHORT = "definitions of tools have to be short"
HERE = "files and programs of the machine on which the command runs"
FORM = "a page asks for what most people set"
RESULT = "a program that reads the answer asks for it; a command writes it to --certify FILE, or in its formats"
SURPRISE = "a page checks whole plans; the rest of one is asked for by programs"

_MODEL = {"domain": FILE, "problem": FILE}
_FLOW = {**_MODEL, "flow": FILE}
_LIMITS = {"time_limit": LIMIT}
_CHECKED = {**_FLOW, **_LIMITS, "plan": FILE, "certify": RESULT, "states": RESULT}
_UNDER_WAY = dict.fromkeys(("executed", "state", "state_complete", "changes"), SURPRISE)
_OF_PROGRAMS = dict.fromkeys(("explain", "outputs", "collapse_maps"), FORM)
_LOCAL = dict.fromkeys(("words", "planner"), HERE)
_PRINTED = ("templates", "words", "prefix", "collapse_maps", "outputs")
_AGENT_CHECK = {
    "animation": "its answers are texts",
    "dialect": SHORT,
    "states": RESULT,
    "context": SHORT,
}
_PAGE_CHECK = {**_UNDER_WAY, **_OF_PROGRAMS, "time_limit": FORM, "certify": RESULT, "states": RESULT, "context": FORM}

ABSENT: Mapping[tuple[type[Question], Face], Mapping[str, str]] = {
    (Check, COMMAND): _CHECKED,
    (Check, AGENT): _AGENT_CHECK,
    (Check, PAGE): _PAGE_CHECK,
    (LocalCheck, COMMAND): _CHECKED,
    (LocalCheck, AGENT): {**_AGENT_CHECK, **_LOCAL},
    (LocalCheck, PAGE): {**_PAGE_CHECK, **_LOCAL},
    (Reading, COMMAND): {**_MODEL, **_LIMITS, "text": FILE},
    (Reading, AGENT): {"dialect": SHORT},
    (Reading, PAGE): {"time_limit": FORM},
    (Redundancy, COMMAND): {**_MODEL, **_LIMITS, "plan": FILE},
    (Redundancy, AGENT): {},
    (Redundancy, PAGE): {"time_limit": FORM},
    (Plans, COMMAND): {**_FLOW, **_LIMITS},
    (Plans, AGENT): dict.fromkeys(_PRINTED, SHORT),
    (Plans, PAGE): {
        "time_limit": FORM,
        **dict.fromkeys(("templates", "words", "prefix", "collapse_maps", "outputs"), FORM),
    },
    (LocalPlans, COMMAND): {**_FLOW, **_LIMITS},
    (WhyNot, COMMAND): {**_MODEL, **_LIMITS, "foil": FILE},
    (WhyNot, AGENT): {},
    (WhyNot, PAGE): {"time_limit": FORM},
    (ToolCalls, COMMAND): {**_LIMITS, "tools": FILE, "calls": FILE},
    (ToolCalls, AGENT): {},
    (ToolCalls, PAGE): {"time_limit": FORM},
    (Adherence, COMMAND): {**_MODEL, **_LIMITS, "trace": FILE, "plan": FILE},
    (Adherence, AGENT): {"failed_calls": SHORT, "read_only": SHORT},
    (Adherence, PAGE): {"time_limit": FORM, "failed_calls": FORM, "read_only": FORM},
    (Metrics, COMMAND): {**_MODEL, **_LIMITS, "plans": FILE},
    (Metrics, AGENT): {},
    (Metrics, PAGE): {"time_limit": FORM},
    (Recognition, COMMAND): {
        **_MODEL,
        **_LIMITS,
        "observations": FILE,
    },
    (Recognition, AGENT): {"cpu_limit": SHORT, "search_limit": SHORT},
    (Recognition, PAGE): {
        "time_limit": FORM,
        "cpu_limit": FORM,
        "search_limit": FORM,
    },
    (ModelRepair, COMMAND): {**_MODEL, **_LIMITS, "plans": FILE, "must_fail": FILE, "cases": FILE},
    (ModelRepair, AGENT): {"cases": SHORT, "costs": SHORT, "alternatives": SHORT},
    (ModelRepair, PAGE): {"time_limit": FORM, "cases": FORM, "costs": FORM, "alternatives": FORM},
}
"""HTTP takes every field of a question that names no file or program."""


@pytest.mark.parametrize(("kind", "face"), ABSENT, ids=lambda value: getattr(value, "__name__", str(value)))
def test_what_a_way_in_lacks_is_listed_with_the_reason(kind: type[Question], face: Face) -> None:
    shown = {name for name, _ in options_of(kind, face)}
    every = set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    assert every - shown == set(ABSENT[kind, face])

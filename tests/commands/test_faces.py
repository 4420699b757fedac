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

_UNDER_WAY = dict.fromkeys(("executed", "state", "state_complete", "changes"), SURPRISE)
_OF_PROGRAMS = dict.fromkeys(("explain", "outputs", "collapse_maps"), FORM)
_LOCAL = dict.fromkeys(("words", "planner"), HERE)
_PRINTED = ("templates", "words", "prefix", "collapse_maps", "outputs")
_CHECK = {
    COMMAND: {"flow": FILE, "plan": FILE, "certify": RESULT, "states": RESULT},
    AGENT: {"animation": "its answers are texts", "dialect": SHORT, "states": RESULT, "context": SHORT},
    PAGE: {**_UNDER_WAY, **_OF_PROGRAMS, "certify": RESULT, "states": RESULT, "context": FORM},
}

EVERY = {COMMAND: {"domain": FILE, "problem": FILE, "time_limit": LIMIT}, AGENT: {}, PAGE: {"time_limit": FORM}}
"""what each question lacks in a way in, if it has it at all"""

ABSENT: Mapping[type[Question], Mapping[Face, Mapping[str, str]]] = {
    Check: _CHECK,
    LocalCheck: {face: lacks if face is COMMAND else {**lacks, **_LOCAL} for face, lacks in _CHECK.items()},
    Reading: {COMMAND: {"text": FILE}, AGENT: {"dialect": SHORT}},
    Redundancy: {COMMAND: {"plan": FILE}},
    Plans: {COMMAND: {"flow": FILE}, AGENT: dict.fromkeys(_PRINTED, SHORT), PAGE: dict.fromkeys(_PRINTED, FORM)},
    LocalPlans: {COMMAND: {"flow": FILE}},
    WhyNot: {COMMAND: {"foil": FILE}},
    ToolCalls: {COMMAND: {"tools": FILE, "calls": FILE}},
    Adherence: {
        COMMAND: {"trace": FILE, "plan": FILE},
        AGENT: dict.fromkeys(("failed_calls", "read_only"), SHORT),
        PAGE: dict.fromkeys(("failed_calls", "read_only"), FORM),
    },
    Metrics: {COMMAND: {"plans": FILE}},
    Recognition: {
        COMMAND: {"observations": FILE},
        AGENT: dict.fromkeys(("cpu_limit", "search_limit"), SHORT),
        PAGE: dict.fromkeys(("cpu_limit", "search_limit"), FORM),
    },
    ModelRepair: {
        COMMAND: {"plans": FILE, "must_fail": FILE, "cases": FILE},
        AGENT: dict.fromkeys(("cases", "costs", "alternatives"), SHORT),
        PAGE: dict.fromkeys(("cases", "costs", "alternatives"), FORM),
    },
}
"""HTTP takes every field of a question that names no file or program."""


@pytest.mark.parametrize("kind", ABSENT, ids=lambda kind: kind.__name__)
def test_what_a_way_in_lacks_is_listed_with_the_reason(kind: type[Question]) -> None:
    every = set(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    for face, lacks in EVERY.items():
        if kind is LocalPlans and face is not COMMAND:
            continue  # which only the command asks
        shown = {name for name, _ in options_of(kind, face)}
        assert every - shown == (every & lacks.keys()) | {*ABSENT[kind].get(face, ())}, face

"""Questions beyond right and wrong: which goal, and why not another plan."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from validator.mcp.shapes import Answered, Recognized
from validator.mcp.tools.declared import tool_of
from validator.questions import recognition
from validator.questions import why_not as foils
from validator.questions.job import Job, plan_text
from validator.records import replace

__all__ = ["recognize_goal", "why_not"]


def _recognize(asked: recognition.Recognition, job: Job) -> Mapping[str, Any]:
    return recognition.recognize(replace(asked, observations=plan_text(asked.observations)), job)


recognize_goal = tool_of(
    recognition.Recognition,
    _recognize,
    Recognized,
    "Tell which of several goals observations speak for; with one goal, complete them to a plan for it.",
)
why_not = tool_of(
    foils.WhyNot,
    foils.why_not,
    Answered,
    "Say why a plan is not another one: the cheapest plan that does what is asked, or the reason why there is none.",
    needed=("questions",),
)

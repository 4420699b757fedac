"""The last statement of a PlanBench prompt, in its parts: state, goal, plan, and what happened unexpectedly."""

from __future__ import annotations

import re

from validator.records import dataclass

__all__ = ["Event", "Statement", "last_statement"]

_INIT = re.compile(r"As initial conditions I have that,?(.*?)(?=\n\s*My goal|\n\s*I have executed|\Z)", re.DOTALL)
_GOAL = re.compile(r"My goal is to have that(.*?)(?=\n|I want to minimize|\Z)", re.DOTALL)
_PLAN = re.compile(r"\[(PLAN|ACTION SEQUENCE)\](.*?)\[\1 END\]", re.DOTALL)
_EVENT = re.compile(
    r"After executing the action \"(?P<action>[^\"\n]+)\"(?: at step (?P<step>\d+))? in the plan, "
    r"the following facts unexpectedly became (?P<first>true|false):(?P<facts>[^\n]*)"
    r"(?:\n\s*the following facts became unexpectedly (?P<second>true|false):(?P<others>[^\n]*))?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened behind a step of the plan; ``step`` counts from 1, None where only the action is named."""

    action: str
    step: int | None
    true: str
    false: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """Texts of a statement; ``plan`` is None where it shows none before the place of the answer."""

    init: str
    goal: str
    plan: str | None
    event: Event | None


def last_statement(prompt: str) -> Statement | None:
    """Return the statement that a prompt asks about, behind its examples; None for a prompt of another form."""
    _, found, text = prompt.rpartition("[STATEMENT]")
    init = _INIT.search(text)
    if not found or init is None:
        return None
    goal, plan, event = _GOAL.search(text), _PLAN.search(text), _EVENT.search(text)
    return Statement(
        init=init[1].strip(),
        goal="" if goal is None else goal[1].strip(),
        plan=None if plan is None else plan[2].strip(),
        event=None if event is None else _event(event),
    )


def _event(found: re.Match[str]) -> Event:
    said = {found["first"].lower(): found["facts"]}
    if found["second"]:
        said[found["second"].lower()] = found["others"]
    step = None if found["step"] is None else int(found["step"])
    return Event(action=found["action"], step=step, true=said.get("true", ""), false=said.get("false", ""))

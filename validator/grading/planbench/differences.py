"""What sets two verdicts on one answer apart: the plan that was taken from it, its steps, or who graded them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

__all__ = ["Difference", "between", "garnish", "told"]


class Difference(StrEnum):
    """Where a difference between our verdict on an answer and the benchmark's comes from."""

    NONE = ""
    EMPTY = "extraction empty"
    """nothing was extracted from an answer that has a plan"""
    LOST = "steps lost"
    """the extraction is the plan without some of its steps"""
    DOUBLED = "plan doubled"
    """the extraction has steps of the plan a second time, where the answer says it twice"""
    ADDED = "steps added"
    """the extraction is the plan with steps that are not of it"""
    CHANGED = "steps changed"
    """the extraction has other steps, or the same in another order"""
    GRADER = "grader"
    """the extraction is the plan, and PlanBench's validator judged it wrongly: it crashed, or did not read it"""
    MALFORMED = "malformed, passed over"
    """a step fits no action of the model, and PlanBench's validator passed over it"""
    GOAL = "part of the goal"
    """the prompt asks for more than PlanBench checks"""
    COST = "not cheapest"
    """a valid plan where a cheapest one was asked for"""
    READ_OTHERWISE = "read otherwise"
    """an answer about a plan, of which the benchmark read other facts than it says: "clear and on the table\""""
    CLAIM = "claims no plan"
    """the answer says that there is no plan, or that its author has none to give"""
    NOT_UNDERSTOOD = "not understood"
    """the answer was not understood here, and nothing is said of its plan"""
    NO_ANSWER = "no answer"
    """a limit was met here, or there is no model"""


def between(plan: Sequence[str], extracted: Sequence[str]) -> Difference:
    """Return what an extraction did to the steps of a plan; ``CHANGED`` where it is none of the others."""
    if not extracted:
        return Difference.EMPTY if plan else Difference.NONE
    if _is_within(extracted, plan):
        return Difference.NONE if len(extracted) == len(plan) else Difference.LOST
    if plan and _is_within(plan, extracted):
        return Difference.DOUBLED if _is_repeated(plan, extracted) else Difference.ADDED
    return Difference.CHANGED


def _is_within(few: Sequence[str], many: Sequence[str]) -> bool:
    """Return whether the first are among the others in their order."""
    rest = iter(many)
    return all(step in rest for step in few)


def _is_repeated(plan: Sequence[str], extracted: Sequence[str]) -> bool:
    """Return whether all steps are of the plan, and at least half of it is there again."""
    return set(extracted) <= set(plan) and 2 * (len(extracted) - len(plan)) >= len(plan)


def told(kind: Difference, plan: Sequence[str], extracted: Sequence[str]) -> str:
    """Return the first steps that were lost, added or changed, in words; step numbers count from 1."""
    steps = f"{len(plan)} steps here, {len(extracted)} extracted"
    if kind is Difference.LOST:
        lost, _ = _apart(plan, extracted)
        return f"{steps}: {_some(lost)} lost"
    if kind in (Difference.DOUBLED, Difference.ADDED):
        _, added = _apart(plan, extracted)
        return f"{steps}: {_some(added)} added"
    if kind is not Difference.CHANGED:
        return ""
    place = next((place for place, pair in enumerate(zip(plan, extracted, strict=False)) if pair[0] != pair[1]), None)
    if place is None:
        return steps
    return f"{steps}: step {place + 1} is {plan[place]} here and {extracted[place]} there"


def _apart(plan: Sequence[str], extracted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the steps that one of two has beyond the other, of which one is within the other."""
    many, few = (plan, extracted) if len(plan) > len(extracted) else (extracted, plan)
    beyond: list[str] = []
    place = 0
    for step in many:
        if place < len(few) and few[place] == step:
            place += 1
        else:
            beyond.append(step)
    return (beyond, []) if many is plan else ([], beyond)


_SHOWN = 3


def _some(steps: Sequence[str]) -> str:
    more = f" and {len(steps) - _SHOWN} more" if len(steps) > _SHOWN else ""
    return f"{', '.join(steps[:_SHOWN])}{more}"


_WRAPPED = re.compile(r"\([^()]*\(")
_MARKDOWN = re.compile(r"```|\*\*|`|^\s*(?:\d+[.)]|[-*#])\s", re.MULTILINE)


def garnish(text: str) -> str:
    """Return what a text has around its steps that is no PDDL and that VAL stumbles over; empty where nothing."""
    if _WRAPPED.search(text) is not None:
        return "parentheses around the whole plan"
    return "markdown around the steps" if _MARKDOWN.search(text) is not None else ""

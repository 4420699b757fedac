"""Grading goals read from BEHAVIOR's instructions: conditions, against the options of each goal."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from validator.grading.eai.goals.interpretation import Confusion, Interpretation
from validator.grading.eai.reading import read_object

__all__ = ["behavior_summary", "grade_behavior_goals"]

_RELATIONS = frozenset(("inside", "nextto", "ontop", "under", "onfloor", "touching"))
_STATES = frozenset(("cooked", "dusty", "frozen", "open", "sliced", "soaked", "stained", "toggled_on"))
_KINDS = ("node goals", "edge goals")
_INNERMOST = re.compile(r"\{[^{}]*\}")


def grade_behavior_goals(
    identifier: str, gold: Mapping[str, Sequence[Sequence[Any]]], text: str, *, compat: bool = False
) -> Interpretation:
    """Grade ``{"node goals": [["stained", "a"]], "edge goals": [["inside", "a", "b"]]}``; negated: ``["not", [...]]``.

    ``gold`` has for each goal its options, each a list of conditions: the option counts of which most were predicted.
    An answer that cannot be read predicts nothing. With ``compat`` a wrong condition that is predicted twice is wrong
    twice, and what stands under other keys or is no list counts too, as in the benchmark.
    """
    found, fault = _read(text, compat)
    conditions = found if compat else list({json.dumps(each): each for each in found}.values())
    marks = {json.dumps(each) for each in conditions}
    totals = dict.fromkeys(("state", "relation", "other"), Confusion())
    used: set[str] = set()

    def count(condition: object, confusion: Confusion) -> None:
        totals[_kind(condition)] += confusion

    for options in gold.values():
        best = max(options, key=lambda option: sum(json.dumps(each) in marks for each in option), default=[])
        for condition in best:
            mark = json.dumps(condition)
            count(condition, Confusion(hits=1) if mark in marks else Confusion(missed=1))
            used |= {mark} & marks
    for condition in conditions:
        if json.dumps(condition) not in used:
            count(condition, Confusion(false=1))
    state, relation, other = totals.values()
    return Interpretation(identifier=identifier, state=state, relation=relation, other=other, fault=fault)


def _read(text: str, compat: bool) -> tuple[list[Any], str | None]:
    """Return the conditions, and why there are none."""
    plain = text.lower().replace("toggledon", "toggled_on")
    found = _innermost(plain) if compat else read_object(plain, _KINDS)
    if isinstance(found, str):
        return [], found
    lists = list(found.values()) if compat else [found.get(key) for key in _KINDS]
    conditions = [each for goals in lists if isinstance(goals, list) for each in goals]
    return [each for each in conditions if each and (compat or isinstance(each, list))], None


def _innermost(text: str) -> dict[str, Any] | str:
    """Return the first object without others in it, as the benchmark looks for it, or why there is none."""
    found = _INNERMOST.search(text.replace("'", '"'))
    if found is None:
        return "no object { ... } was found"
    try:
        content = json.loads(found[0])
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return dict(content)


def _kind(condition: object) -> str:
    inner = condition[1] if isinstance(condition, list) and condition[0] == "not" and len(condition) > 1 else condition
    name = str(inner[0]) if isinstance(inner, list) and inner else ""
    return "state" if name in _STATES else "relation" if name in _RELATIONS else "other"


def behavior_summary(grades: Sequence[Interpretation]) -> dict[str, Any]:
    """Return confusion, precision, recall and F1 for all, state and relation goals, and the unreadable answers."""
    kinds: dict[str, Callable[[Interpretation], Confusion]] = {
        "overall": lambda grade: grade.all,
        "state_goal": lambda grade: grade.state,
        "relation_goal": lambda grade: grade.relation,
    }
    summary: dict[str, Any] = {}
    for kind, of in kinds.items():
        total = sum(map(of, grades), Confusion())
        summary[kind] = {
            "true_positive": total.hits,
            "false_positive": total.false,
            "false_negative": total.missed,
            **{name: round(getattr(total, name), 4) for name in ("precision", "recall", "f1")},
        }
    return summary | {"grammatical_errors": sum(grade.fault is not None for grade in grades)}

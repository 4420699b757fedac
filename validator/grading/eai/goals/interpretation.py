"""Grading goals that were read from an instruction: states, relations and actions against the annotated ones."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from validator.records import dataclass, field

__all__ = [
    "PUBLISHED_NUMBERS",
    "Confusion",
    "Interpretation",
    "behavior_summary",
    "grade_behavior_goals",
    "grade_virtualhome_goals",
    "virtualhome_summary",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """What was predicted and is right (``hits``), is wrong (``false``), and what was missed."""

    hits: int = 0
    false: int = 0
    missed: int = 0

    def __add__(self, other: Confusion) -> Confusion:
        return Confusion(hits=self.hits + other.hits, false=self.false + other.false, missed=self.missed + other.missed)

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.false) if self.hits + self.false else 0.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 0.0

    @property
    def f1(self) -> float:
        whole = 2 * self.hits + self.false + self.missed
        return 2 * self.hits / whole if whole else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Interpretation:
    """The grade of one answer; ``fault`` says why it could not be read, ``unknown`` are goals about nothing known."""

    identifier: str
    state: Confusion = field(default_factory=Confusion)
    relation: Confusion = field(default_factory=Confusion)
    action: Confusion = field(default_factory=Confusion)
    other: Confusion = field(default_factory=Confusion)
    """goals of no known kind, which are always wrong"""
    fault: str | None = None
    unknown: tuple[str, ...] = ()

    @property
    def all(self) -> Confusion:
        return self.state + self.relation + self.action + self.other

    @property
    def is_right(self) -> bool | None:
        """Return whether the goals are exactly those of the annotation; None for an answer that cannot be read."""
        return None if self.fault is not None else not self.unknown and self.all.false + self.all.missed == 0


# --- VirtualHome ---------------------------------------------------------------------------------

PUBLISHED_NUMBERS: Mapping[str, Mapping[str, int]] = {"1083_2": {"pot": 1000}}
"""Where a class name means another node in the published figures than in ``name_to_id.json``, by task.

There the order of a set decides, which differs from run to run. Inferred: of the 113 names of two nodes or more it is
the only one that changes a count, and it does by what the figures differ.
"""


def grade_virtualhome_goals(
    identifier: str, gold: Mapping[str, Any], numbers: Mapping[str, int], text: str, *, strict: bool = False
) -> Interpretation:
    """Grade ``{"node goals": [...], "edge goals": [...], "action goals": [...]}``.

    ``gold`` is the annotation (``vh_goal``), ``numbers`` the node that each class name means. Goals with other keys or
    about unknown names are listed, and count neither as right nor as wrong. The benchmark leaves the gold goals of an
    answer that cannot be read out of account; with ``strict`` they are missed.
    """
    states, relations, actions = _gold(gold)
    found = _read_virtualhome(text)
    if isinstance(found, str):
        missed = (len(states), len(relations), len(actions)) if strict else (0, 0, 0)
        wrong = [Confusion(missed=number) for number in missed]
        return Interpretation(identifier=identifier, state=wrong[0], relation=wrong[1], action=wrong[2], fault=found)
    unknown: list[str] = []
    nodes = _translated(found.get("node goals"), ("name", "state"), numbers, unknown)
    edges = _translated(found.get("edge goals"), ("from_name", "relation", "to_name"), numbers, unknown)
    named = [goal for goal in _dicts(found.get("action goals"), unknown) if "action" in goal]
    return Interpretation(
        identifier=identifier,
        state=_compared(nodes, states),
        relation=_compared(edges, relations),
        action=_actions(named, actions, strict=strict),
        unknown=tuple(unknown),
    )


def _gold(gold: Mapping[str, Any]) -> tuple[list[tuple[Any, ...]], list[tuple[Any, ...]], list[str]]:
    states, relations = [], []
    for goal in gold["goal"]:
        if "from_id" in goal:
            relations.append((goal["from_id"], goal["relation_type"], goal["to_id"]))
        else:
            states.append((goal["id"], goal["state"]))
    return list(dict.fromkeys(states)), list(dict.fromkeys(relations)), list(dict.fromkeys(gold["actions"]))


def _read_virtualhome(text: str) -> dict[str, Any] | str:
    """Return the answer's object, or why there is none. Quotes of either kind are read."""
    bare = text.replace("<|eot_id|>", "")
    fenced = re.search(r"```(?:json)?(.*?)(?:```|$)", bare, re.DOTALL)
    body = (fenced[1] if fenced else bare).strip().replace("\n", "").replace("'", '"')
    try:
        found = json.loads(body)
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return found if isinstance(found, dict) else "an object with 'node goals' was expected"


def _dicts(goals: object, unknown: list[str]) -> Iterable[Mapping[str, Any]]:
    for goal in goals if isinstance(goals, list) else ():
        if isinstance(goal, dict):
            yield goal
        else:
            unknown.append(str(goal))


def _translated(
    goals: object, keys: Sequence[str], numbers: Mapping[str, int], unknown: list[str]
) -> list[tuple[Any, ...]]:
    found = []
    for goal in _dicts(goals, unknown):
        values = [numbers.get(str(goal.get(key))) if key.endswith("name") else goal.get(key) for key in keys]
        if None not in values:
            found.append(tuple(value if isinstance(value, str | int) else json.dumps(value) for value in values))
        else:
            unknown.append(json.dumps(goal))
    return found


def _compared(found: Sequence[tuple[Any, ...]], gold: Sequence[tuple[Any, ...]]) -> Confusion:
    """Compare different predictions with different gold goals."""
    predicted = list(dict.fromkeys(found))
    hits = sum(goal in gold for goal in predicted)
    return Confusion(hits=hits, false=len(predicted) - hits, missed=len(gold) - hits)


def _actions(found: Sequence[Mapping[str, Any]], gold: Sequence[str], *, strict: bool) -> Confusion:
    """Compare actions by name; a gold goal is its alternatives, ``LOOKAT|WATCH``.

    The benchmark takes predictions with different descriptions for different ones, and lets each of them reach the same
    gold goal; ``strict`` counts a gold goal once, and what reaches it again as nothing.
    """
    different = {json.dumps(goal, sort_keys=True): str(goal["action"]) for goal in found}
    names = list(dict.fromkeys(different.values())) if strict else list(different.values())
    right = [name for name in names if any(name in goal.split("|") for goal in gold)]
    hits = len(right)
    if strict:
        hits = sum(any(name in goal.split("|") for name in right) for goal in gold)
    return Confusion(hits=hits, false=len(names) - len(right), missed=len(gold) - hits)


def virtualhome_summary(grades: Sequence[Interpretation]) -> dict[str, float]:
    """Return precision, recall and F1 in percent, for states (node), relations (edge), actions, and all."""
    summary: dict[str, float] = {}
    kinds: dict[str, Callable[[Interpretation], Confusion]] = {
        "node": lambda grade: grade.state,
        "edge": lambda grade: grade.relation,
        "action": lambda grade: grade.action,
        "all": lambda grade: grade.all,
    }
    for kind, of in kinds.items():
        total = sum(map(of, grades), Confusion())
        summary |= {f"{kind}_{name}": round(100 * getattr(total, name), 4) for name in ("precision", "recall", "f1")}
    return summary


# --- BEHAVIOR ------------------------------------------------------------------------------------

_RELATIONS = frozenset(("inside", "nextto", "ontop", "under", "onfloor", "touching"))
_STATES = frozenset(("cooked", "dusty", "frozen", "open", "sliced", "soaked", "stained", "toggled_on"))
_INNERMOST = re.compile(r"\{[^{}]*\}")


def grade_behavior_goals(
    identifier: str, gold: Mapping[str, Sequence[Sequence[Any]]], text: str, *, compat: bool = False
) -> Interpretation:
    """Grade ``{"node goals": [["stained", "a"]], "edge goals": [["inside", "a", "b"]]}``; negated: ``["not", [...]]``.

    ``gold`` has for each goal its options, each a list of conditions: the option counts of which most were predicted.
    An answer that cannot be read predicts nothing. With ``compat`` a wrong condition that is predicted twice is wrong
    twice, and what stands under other keys or is no list counts too, as in the benchmark.
    """
    found, fault = _read_behavior(text, compat)
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


def _read_behavior(text: str, compat: bool) -> tuple[list[Any], str | None]:
    """Return the conditions, and why there are none."""
    innermost = _INNERMOST.search(text.lower().replace("'", '"').replace("toggledon", "toggled_on"))
    try:
        content = json.loads(innermost[0]) if innermost else None
    except (ValueError, RecursionError) as error:
        return [], f"not JSON: {error}"
    if content is None:
        return [], "no object { ... } was found"
    lists = list(content.values()) if compat else [content.get(key) for key in ("node goals", "edge goals")]
    conditions = [each for goals in lists if isinstance(goals, list) for each in goals]
    return [each for each in conditions if each and (compat or isinstance(each, list))], None


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

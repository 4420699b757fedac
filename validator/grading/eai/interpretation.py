"""Grading goals that were read from an instruction: BEHAVIOR's conditions, VirtualHome's states, relations, actions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from validator.grading.eai.answers import read_innermost, read_object
from validator.grading.summary import Confusion
from validator.records import dataclass, field


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
        return None if self.fault is not None else not self.unknown and self.all.wrong + self.all.missed == 0


# --- BEHAVIOR -------------------------------------------------------------------------------------


_RELATIONS = frozenset(("inside", "nextto", "ontop", "under", "onfloor", "touching"))
_STATES = frozenset(("cooked", "dusty", "frozen", "open", "sliced", "soaked", "stained", "toggled_on"))
_BEHAVIOR_KINDS = ("node goals", "edge goals")


def grade_behavior_goals(
    identifier: str, gold: Mapping[str, Sequence[Sequence[Any]]], text: str, *, compat: bool = False
) -> Interpretation:
    """Grade ``{"node goals": [["stained", "a"]], "edge goals": [["inside", "a", "b"]]}``; negated: ``["not", [...]]``.

    ``gold`` has for each goal its options, each a list of conditions: the option counts of which most were predicted.
    An answer that cannot be read predicts nothing. With ``compat`` a wrong condition that is predicted twice is wrong
    twice, and what stands under other keys or is no list counts too, as in the benchmark.
    """
    found, fault = _read(text, compat)
    predicted = {json.dumps(each): each for each in found}
    best = (
        max(options, key=lambda option: sum(json.dumps(each) in predicted for each in option), default=[])
        for options in gold.values()
    )
    wanted = [(json.dumps(each), each) for option in best for each in option]
    marks = {mark for mark, _ in wanted}
    outcomes = Counter((_kind(each), "right" if mark in predicted else "missed") for mark, each in wanted)
    outcomes += Counter(
        (_kind(each), "wrong") for each in (found if compat else predicted.values()) if json.dumps(each) not in marks
    )
    scores: dict[str, Any] = {
        kind: Confusion(right=outcomes[kind, "right"], wrong=outcomes[kind, "wrong"], missed=outcomes[kind, "missed"])
        for kind in ("state", "relation", "other")
    }
    return Interpretation(identifier=identifier, fault=fault, **scores)


def _read(text: str, compat: bool) -> tuple[list[Any], str | None]:
    """Return the conditions, and why there are none."""
    plain = text.lower().replace("toggledon", "toggled_on")
    found = read_innermost(plain.replace("'", '"')) if compat else read_object(plain, _BEHAVIOR_KINDS)
    if isinstance(found, str):
        return [], found
    lists = list(found.values()) if compat else [found.get(key) for key in _BEHAVIOR_KINDS]
    conditions = [each for goals in lists if isinstance(goals, list) for each in goals]
    return [each for each in conditions if each and (compat or isinstance(each, list))], None


def _kind(condition: object) -> str:
    inner = condition[1] if isinstance(condition, list) and condition[0] == "not" and len(condition) > 1 else condition
    name = str(inner[0]) if isinstance(inner, list) and inner else ""
    return "state" if name in _STATES else "relation" if name in _RELATIONS else "other"


def behavior_summary(grades: Sequence[Interpretation]) -> dict[str, Any]:
    """Return confusion, precision, recall and F1 for all, state and relation goals, and the unreadable answers."""
    summary: dict[str, Any] = {}
    for kind, name in (("overall", "all"), ("state_goal", "state"), ("relation_goal", "relation")):
        total = _sum(grades, name)
        summary[kind] = {**_counts(total), **{name: round(getattr(total, name), 4) for name in _RATES}}
    return summary | {"grammatical_errors": sum(grade.fault is not None for grade in grades)}


_RATES = ("precision", "recall", "f1")


def _sum(grades: Iterable[Interpretation], kind: str) -> Confusion:
    return sum((getattr(grade, kind) for grade in grades), Confusion())


def _counts(total: Confusion) -> dict[str, int]:
    return {"true_positive": total.right, "false_positive": total.wrong, "false_negative": total.missed}


# --- VirtualHome ----------------------------------------------------------------------------------


_HOUSEHOLD_KINDS = ("node goals", "edge goals", "action goals")


def grade_virtualhome_goals(
    identifier: str, gold: Mapping[str, Any], numbers: Mapping[str, int], text: str, *, compat: bool = False
) -> Interpretation:
    """Grade ``{"node goals": [...], "edge goals": [...], "action goals": [...]}``.

    ``gold`` is the annotation (``vh_goal``), ``numbers`` the node that each class name means. Goals with other keys or
    about unknown names are listed, and count neither as right nor as wrong. An answer that cannot be read misses its
    gold goals. With ``compat`` answers are read and counted as by the benchmark, which leaves the gold goals of what
    it cannot read out of account.
    """
    every = gold["goal"]
    states = dict.fromkeys((goal["id"], goal["state"]) for goal in every if "from_id" not in goal)
    relations = dict.fromkeys(
        (goal["from_id"], goal["relation_type"], goal["to_id"]) for goal in every if "from_id" in goal
    )
    actions = list(dict.fromkeys(gold["actions"]))
    found = _read_as_benchmark(text) if compat else read_object(text, _HOUSEHOLD_KINDS)
    if isinstance(found, str):
        wanted = () if compat else (("state", states), ("relation", relations), ("action", actions))
        missed: dict[str, Any] = {kind: Confusion(missed=len(goals)) for kind, goals in wanted}
        return Interpretation(identifier=identifier, fault=found, **missed)
    unknown: list[str] = []
    nodes, edges, named = (_listed(found.get(kind), unknown) for kind in _HOUSEHOLD_KINDS)
    return Interpretation(
        identifier=identifier,
        state=_compared(_translated(nodes, ("name", "state"), numbers, unknown, compat), states),
        relation=_compared(
            _translated(edges, ("from_name", "relation", "to_name"), numbers, unknown, compat), relations
        ),
        action=_actions([goal for goal in named if "action" in goal], actions, compat=compat),
        unknown=tuple(unknown),
    )


def _read_as_benchmark(text: str) -> dict[str, Any] | str:
    """Return the answer's object, or why there is none, as the benchmark reads it: apostrophes become quotes."""
    bare = text.replace("<|eot_id|>", "")
    bare = bare[7:].strip("`") if bare.startswith("```json") else bare
    try:
        found = json.loads(bare.strip().replace("\n", "").replace("'", '"'))
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    return found if isinstance(found, dict) else "an object with 'node goals' was expected"


def _listed(goals: object, unknown: list[str]) -> list[Mapping[str, Any]]:
    """Return the goals of a list; one alone may stand without. What is none is unknown."""
    every = goals if isinstance(goals, list) else [goals] if isinstance(goals, dict) else []
    unknown.extend(str(goal) for goal in every if not isinstance(goal, dict))
    return [goal for goal in every if isinstance(goal, dict)]


def _translated(
    goals: Iterable[Mapping[str, Any]],
    keys: Sequence[str],
    numbers: Mapping[str, int],
    unknown: list[str],
    compat: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield goals with nodes in place of names; states and relations may be written in small letters."""
    for goal in goals:
        values = [numbers.get(str(goal.get(key))) if key.endswith("name") else goal.get(key) for key in keys]
        if None in values:
            unknown.append(json.dumps(goal))
            continue
        words = (each.strip().upper() if isinstance(each, str) and not compat else each for each in values)
        yield tuple(each if isinstance(each, str | int) else json.dumps(each) for each in words)


def _compared(found: Iterable[tuple[Any, ...]], gold: Collection[tuple[Any, ...]]) -> Confusion:
    """Compare different predictions with different gold goals."""
    predicted = set(found)
    hits = sum(goal in gold for goal in predicted)
    return Confusion(right=hits, wrong=len(predicted) - hits, missed=len(gold) - hits)


def _actions(found: Sequence[Mapping[str, Any]], gold: Sequence[str], *, compat: bool) -> Confusion:
    """Compare actions by name; a gold goal is its alternatives, ``LOOKAT|WATCH``.

    A gold goal counts once, and what reaches it again as nothing. The benchmark takes predictions with different
    descriptions for different ones, and lets each of them reach the same gold goal.
    """
    wanted = [goal.upper().split("|") for goal in gold]
    different = {json.dumps(goal, sort_keys=True): str(goal["action"]).upper() for goal in found}
    names = list(different.values()) if compat else list(dict.fromkeys(different.values()))
    right = [name for name in names if any(name in goal for goal in wanted)]
    hits = len(right) if compat else sum(any(name in goal for name in right) for goal in wanted)
    return Confusion(right=hits, wrong=len(names) - len(right), missed=len(gold) - hits)


def virtualhome_summary(grades: Sequence[Interpretation]) -> dict[str, float]:
    """Return precision, recall and F1 in percent, for states (node), relations (edge), actions, and all."""
    kinds = {"node": "state", "edge": "relation", "action": "action", "all": "all"}
    totals = {kind: _sum(grades, name) for kind, name in kinds.items()}
    return {f"{kind}_{name}": round(100 * getattr(total, name), 4) for kind, total in totals.items() for name in _RATES}


# --- results --------------------------------------------------------------------------------------


def result(grade: Interpretation) -> tuple[str, dict[str, Any]]:
    """Return what ``plan-validator summary`` counts: an answer with just the annotated goals is right."""
    verdict = {True: "success", False: "wrong", None: "not_understood"}[grade.is_right]
    return verdict, {"determination": grade.is_right}


def error_info(grades: Iterable[Interpretation]) -> dict[str, Any]:
    """Return by task what could not be read, what names nothing known, and the counts by kind of goal."""
    return {grade.identifier: _detail(grade) for grade in grades}


def _detail(grade: Interpretation) -> dict[str, Any]:
    kinds = {"node": grade.state, "edge": grade.relation, "action": grade.action}
    counts = {kind: _counts(each) for kind, each in kinds.items()}
    return {"format_error": grade.fault, "hallucinated": list(grade.unknown), **counts}

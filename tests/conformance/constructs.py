"""Which requirements and constructs of PDDL the text of a model uses, whatever its ``:requirements`` say."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

__all__ = ["CONSTRUCTS", "RARE", "REQUIREMENTS", "used"]

Node = str | list["Node"]
Tree = list[Node]

_TOKEN = re.compile(r"[()]|[^\s()]+")
_CONDITIONS = (":precondition", ":condition", ":goal")
_CHANGES = ("increase", "decrease", "assign", "scale-up", "scale-down")
_COMPARISONS = ("<", ">", "<=", ">=")
_TRAJECTORIES = (
    *("always", "sometime", "at-most-once", "sometime-after", "sometime-before"),
    *("within", "always-within", "hold-during", "hold-after"),
)


def used(domain: Path, problem: Path) -> frozenset[str]:
    """Return the names of REQUIREMENTS and CONSTRUCTS that a model uses; those of RARE alone where it uses one."""
    tree: Tree = [*_parse(domain), *_parse(problem)]

    def of(names: dict[str, Callable[[Tree], bool]]) -> frozenset[str]:
        return frozenset(name for name, uses in names.items() if uses(tree))

    return of(RARE) or of(REQUIREMENTS | CONSTRUCTS)


def _parse(path: Path) -> Tree:
    text = re.sub(";[^\n]*", "", path.read_text(encoding="utf-8", errors="replace").lower())
    stack: list[Tree] = [[]]
    for token in _TOKEN.findall(text):
        if token == "(":
            inner: Tree = []
            stack[-1].append(inner)
            stack.append(inner)
        elif token != ")":
            stack[-1].append(token)
        elif len(stack) > 1:
            stack.pop()
    return stack[0]


def _groups(tree: Tree) -> Iterator[Tree]:
    """Yield each parenthesis in a tree, outer ones first."""
    for node in tree:
        if isinstance(node, list):
            yield node
            yield from _groups(node)


def _headed(tree: Tree, *heads: str) -> Iterator[Tree]:
    return (group for group in _groups(tree) if group and group[0] in heads)


def _behind(tree: Tree, *keys: str) -> Iterator[Tree]:
    """Yield what stands behind a key of an action, and in a section of that name."""
    for group in _groups(tree):
        for key, value in pairwise(group):
            if key in keys and isinstance(value, list):
                yield [value]


def _has(*heads: str) -> Callable[[Tree], bool]:
    return lambda tree: any(_headed(tree, *heads))


def _in_conditions(*heads: str) -> Callable[[Tree], bool]:
    return lambda tree: any(any(_headed(found, *heads)) for found in _behind(tree, *_CONDITIONS))


def _in_effects(*heads: str) -> Callable[[Tree], bool]:
    return lambda tree: any(any(_headed(found, *heads)) for found in _behind(tree, ":effect"))


def _in_constraints(head: str) -> Callable[[Tree], bool]:
    return lambda tree: any(any(_headed(part, head)) for part in _headed(tree, ":constraints"))


def _is_equality(tree: Tree) -> bool:
    return any(
        isinstance(part, str) and part != "?duration" and not part[0].isdigit()
        for found in _behind(tree, *_CONDITIONS)
        for group in _headed(found, "=")
        for part in group[1:2]
    )


def _empty(tree: Tree) -> bool:
    return any(group in (["and"], ["or"]) for found in _behind(tree, *_CONDITIONS) for group in _groups(found))


def _object_functions(tree: Tree) -> frozenset[Node]:
    """Return the names of the functions whose values are objects."""
    found: set[Node] = set()
    for section in _headed(tree, ":functions"):
        names: list[Node] = []
        for node, following in pairwise([*section[1:], ""]):
            if isinstance(node, list):
                names.extend(node[:1])
            elif node == "-":
                found.update(names if following != "number" else ())
                names = []
    return frozenset(found)


def _is_numeric(tree: Tree) -> bool:
    others = {"total-cost", *_object_functions(tree)}
    changed = (group[1] for group in _headed(tree, *_CHANGES) if len(group) > 1)
    return any((name[0] if isinstance(name, list) else name) not in others for name in changed) or any(
        any(isinstance(part, list) for part in group[1:]) for group in _headed(tree, *_COMPARISONS)
    )


def _is_costly(tree: Tree) -> bool:
    return any(["total-cost"] in group for group in _headed(tree, "increase"))


def _bounds_duration(tree: Tree) -> bool:
    return any("?duration" in group for group in _headed(tree, *_COMPARISONS))


def _is_typed(tree: Tree) -> bool:
    return any(_headed(tree, ":types")) or any("-" in found[0] for found in _behind(tree, ":parameters"))


def _is_timed_literal(group: Sequence[Node]) -> bool:
    return len(group) == 3 and isinstance(group[1], str) and group[1][0].isdigit() and isinstance(group[2], list)


def _continuous(tree: Tree) -> bool:
    return any("#t" in group for action in _headed(tree, ":durative-action") for group in _groups(action))


def _is_object_an_argument(tree: Tree) -> bool:
    functions = _object_functions(tree)
    return any(
        isinstance(term, list) and term and term[0] in functions
        for change in _headed(tree, *_CHANGES)
        if isinstance(change[1], list)
        for term in change[1][1:]
    )


def _is_over_all_a_condition(tree: Tree) -> bool:
    return any(isinstance(group[1], list) and group[1][:2] == ["over", "all"] for group in _headed(tree, "when"))


REQUIREMENTS: dict[str, Callable[[Tree], bool]] = {
    ":strips": _has(":action"),
    ":typing": _is_typed,
    ":negative-preconditions": _in_conditions("not"),
    ":disjunctive-preconditions": _in_conditions("or", "imply"),
    ":equality": _is_equality,
    ":existential-preconditions": _in_conditions("exists"),
    ":universal-preconditions": _in_conditions("forall"),
    ":conditional-effects": _in_effects("when", "forall"),
    ":derived-predicates": _has(":derived"),
    ":action-costs": _is_costly,
    ":numeric-fluents": _is_numeric,
    ":object-fluents": lambda tree: bool(_object_functions(tree)),
    ":durative-actions": _has(":durative-action"),
    ":duration-inequalities": _bounds_duration,
    ":continuous-effects": _continuous,
    ":timed-initial-literals": lambda tree: any(map(_is_timed_literal, _headed(tree, "at"))),
    ":constraints": _has(":constraints"),
    ":preferences": _has("preference"),
    ":time (processes and events)": _has(":process", ":event"),
}
"""requirement -> whether a model uses it; ``:adl`` and ``:fluents`` are several of these"""

CONSTRUCTS: dict[str, Callable[[Tree], bool]] = {
    "`(either ...)`": _has("either"),
    "`:constants`": _has(":constants"),
    "empty `(and)`, `(or)`": _empty,
    "`imply`": _in_conditions("imply"),
    "negative goals": lambda tree: any(any(_headed(found, "not")) for found in _behind(tree, ":goal")),
    "`forall` in effects": _in_effects("forall"),
    "`assign`": _has("assign"),
    "`scale-up`, `scale-down`": _has("scale-up", "scale-down"),
    "`over all`": lambda tree: any(group[:2] == ["over", "all"] for group in _groups(tree)),
    "processes": _has(":process"),
    "events": _has(":event"),
    "`(:metric maximize ...)`": lambda tree: any(group[1:2] == ["maximize"] for group in _headed(tree, ":metric")),
    "`is-violated`": _has("is-violated"),
    **{f"`{word}`": _in_constraints(word) for word in _TRAJECTORIES},
}
"""construct -> whether a model uses it"""

RARE: dict[str, Callable[[Tree], bool]] = {
    "object fluents as arguments of functions": _is_object_an_argument,
    "effects conditional on `over all`": _is_over_all_a_condition,
}
"""construct that few models use and few validators execute -> whether a model uses it"""

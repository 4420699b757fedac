"""Attacks on what is kept on disk: models that differ in one small thing share a directory; no answer is another's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple, TypeAlias

from benchmarks.attacks.classical import judged, text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, DEARER, Oracle
from tests.support.naive_reference import parse
from tests.support.random_schemas import Texts, random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator import ModelError, Quality, check
from validator.checking.prepared import prepare
from validator.checking.solve import solve
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model

__all__ = ["KINDS", "Case", "ask_kept", "cases", "unlike"]

Tree: TypeAlias = list[Any]

_MOST_STATES, _VARIANTS, _QUESTIONS = 300, 3, 8

_PRICES = (CHEAP, DEAR, DEARER)


class Case(NamedTuple):
    """A model, all its states, and a plan that may be at fault."""

    texts: Texts
    oracle: Oracle
    plan: list[str]


def cases(seed: int, draw: Random) -> list[Case]:
    """Return a model and its like, those of them that have few states."""
    texts = (random_world if seed % 2 else random_schema)(seed, _PRICES[seed // 2 % 3])
    models = [(each, Oracle(*each)) for each in (texts, *(unlike(texts, draw) for _ in range(_VARIANTS)))]
    return [
        Case(own, oracle, wrong_walk(oracle, draw, 3, draw.randint(0, 1), to_goal=True))
        for own, oracle in models
        if states_of(oracle, _MOST_STATES) is not None
    ]


def _attack(seed: int) -> Iterator[str]:
    """Ask about a model and its like in turn, with one directory, each time as a process that has just begun."""
    draw = Random(f"kept {seed}")
    models = cases(seed, draw)
    with TemporaryDirectory() as folder:
        for _ in range(_QUESTIONS if models else 0):
            yield ask_kept(draw.choice(models), draw.choice(models).plan, Path(folder), draw)


def ask_kept(case: Case, plan: list[str], cache: Path, draw: Random) -> str:
    """Ask something about a plan of a model, with a directory, and compare; the plan may be one of a model like it."""
    texts, oracle, _ = case
    try:
        prepared = prepare(read_model(*texts))
    except ModelError:  # a name too many, or a type that has none of what is named
        return outcome(False)
    if draw.random() < 0.3:
        found, least = solve(prepared, cache=cache), oracle.nearest((), "optimal", "edits", 1)
        if found.plan is None:
            assert least is None or not found.proven, (texts, found)
        else:
            end = oracle.run(map(str, found.plan))
            assert least is not None and end is not None and oracle.is_goal(end[0]), (texts, found)
            assert found.cost == least[0] or not found.proven, (texts, found, least)
        return outcome(found.proven)
    quality, policy = draw.choice((*Quality, Quality.OPTIMAL)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text_of(plan), quality=quality, policy=policy, cache=cache)
    task = prepared.task(Limits(deadline=float("inf"), memory=4 * 2**30))
    assert isinstance(task, Task)
    return judged(report, oracle, plan, policy, task.encoding.scale)


# --- what is almost the same model ---------------------------------------------------------------


def unlike(texts: Texts, draw: Random) -> Texts:
    """Return a model that differs in one thing, or in how one thing is called."""
    domain, problem = parse(texts[0]), parse(texts[1])
    draw.choice((_price, _fact, _name, _type, _literal, _order, _metric, _goal, _begin))(domain, problem, draw)
    return _shown(domain), _shown(problem)


def _shown(tree: Any) -> str:
    return tree if isinstance(tree, str) else f"({' '.join(map(_shown, tree))})"


def _trees(tree: Any) -> Iterator[Tree]:
    """Yield every list in a tree."""
    if isinstance(tree, list):
        yield tree
        for part in tree:
            yield from _trees(part)


def _sections(domain: Tree, problem: Tree, *names: str) -> list[Tree]:
    return [part for part in (*domain, *problem) if part[0] in names]


def _price(domain: Tree, problem: Tree, draw: Random) -> None:
    places = [each for each in _trees([domain, problem]) if each[:1] in (["increase"], ["="]) and _is_number(each[-1])]
    if places:
        draw.choice(places)[-1] = draw.choice(("0", "1", "2", "0.5", "7"))


def _is_number(word: object) -> bool:
    return isinstance(word, str) and word[:1].isdigit()


def _fact(domain: Tree, problem: Tree, draw: Random) -> None:
    (begin,) = _sections(domain, problem, ":init")
    facts = [place for place, fact in enumerate(begin) if isinstance(fact, list) and fact[0] != "="]
    if facts:
        del begin[draw.choice(facts)]


def _name(domain: Tree, problem: Tree, draw: Random) -> None:
    """Call an action, a predicate, a type or an object otherwise, wherever it is named."""
    declared = [part[1] for part in _sections(domain, problem, ":action")]
    declared += [fact[0] for section in _sections(domain, problem, ":predicates") for fact in section[1:]]
    kinds = _sections(domain, problem, ":objects", ":constants", ":types")
    declared += [word for part in kinds for word in part[1:] if isinstance(word, str) and word not in ("-", "object")]
    old = draw.choice(declared)
    for tree in _trees([domain, problem]):
        tree[:] = [f"{word}x" if word == old else word for word in tree]


def _type(domain: Tree, problem: Tree, draw: Random) -> None:
    """Let an object, a constant or a parameter be of another type."""
    types = {word for part in _sections(domain, problem, ":types") for word in part[1:] if isinstance(word, str)}
    places = [
        (tree, place)
        for part in _sections(domain, problem, ":objects", ":constants", ":action")
        for tree in _trees(part)
        for place, word in enumerate(tree)
        if place and tree[place - 1] == "-" and isinstance(word, str)
    ]
    if places:
        tree, place = draw.choice(places)
        tree[place] = draw.choice(sorted({*types - {"-"}, "object"}))


def _literal(domain: Tree, problem: Tree, draw: Random) -> None:
    """Let a literal of an action or a rule be its contrary."""
    names = {fact[0] for section in _sections(domain, problem, ":predicates") for fact in section[1:]}
    places = [
        (tree, place)
        for part in _sections(domain, problem, ":action", ":derived")
        for tree in _trees(part[2:])
        for place, each in enumerate(tree)
        if isinstance(each, list) and each and each[0] in names
    ]
    if not places:
        return
    tree, place = draw.choice(places)
    if tree[0] == "not":
        tree[:] = ["and", *tree[1:]]
    else:
        tree[place] = ["not", tree[place]]


def _order(domain: Tree, problem: Tree, draw: Random) -> None:
    """Exchange two actions, so that each has the other's number."""
    places = [place for place, part in enumerate(domain) if part[0] == ":action"]
    if len(places) > 1:
        one, other = draw.sample(places, 2)
        domain[one], domain[other] = domain[other], domain[one]


def _metric(domain: Tree, problem: Tree, draw: Random) -> None:
    if metrics := _sections(domain, problem, ":metric"):
        problem.remove(metrics[0])
    else:
        problem.append([":metric", "minimize", ["total-cost"]])


def _goal(domain: Tree, problem: Tree, draw: Random) -> None:
    (goal,) = _sections(domain, problem, ":goal")
    goal[1] = ["not", goal[1]]


def _begin(domain: Tree, problem: Tree, draw: Random) -> None:
    """Let the cost begin with another number."""
    (begin,) = _sections(domain, problem, ":init")
    begin[:] = [*(fact for fact in begin if fact[:2] != ["=", ["total-cost"]]), ["=", ["total-cost"], "3.5"]]


KINDS = (
    Kind(name="answers kept on disk", against="Dijkstra, of models that differ a little", attack=_attack, share=8),
)

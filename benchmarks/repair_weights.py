"""Fits the weights of ``validator/model_repair/ranking/weights.py``; ``python -m benchmarks.repair_weights DATA``.

Flaws are put at random into domains of planning competitions and undone by the repairer; where several smallest
repairs exist, the weights are those under which the meant one is chosen most probably (a conditional logit, McFadden
1974). Each family of domains is also measured with weights that were fitted to the others.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from validator.errors import ValidatorError
from validator.model.pddl import read_domain
from validator.model.values import Domain
from validator.model_repair.cases import Case, Given, read_cases
from validator.model_repair.costs import costs_of
from validator.model_repair.edits import Edit, Kind
from validator.model_repair.encoding.instance import encode
from validator.model_repair.encoding.maxsat import Cheapest
from validator.model_repair.encoding.space import space_of
from validator.model_repair.ranking.context import Context
from validator.model_repair.ranking.order import seen
from validator.model_repair.ranking.runs import run_features
from validator.model_repair.source.rewrite import rewritten
from validator.model_repair.space.candidates import all_of

_PER_FAMILY = 40
_PENALTY = 2.0
_SHARES = {Kind.REMOVE_ADD: 39, Kind.ADD_ADD: 25, Kind.ADD_PRECONDITION: 23, Kind.ADD_DELETE: 8, Kind.REMOVE_DELETE: 6}
"""how often each kind of flaw is put in, as in the published domains"""
_UNDO = {
    Kind.REMOVE_ADD: Kind.ADD_ADD,
    Kind.ADD_ADD: Kind.REMOVE_ADD,
    Kind.ADD_PRECONDITION: Kind.REMOVE_PRECONDITION,
    Kind.ADD_DELETE: Kind.REMOVE_DELETE,
    Kind.REMOVE_DELETE: Kind.ADD_DELETE,
}


@dataclass(frozen=True, slots=True)
class Choice:
    """Repairs of the same size: what is seen of each, and which are meant."""

    family: str
    seen: tuple[Mapping[str, float], ...]
    meant: tuple[bool, ...]


def sources(data: Path) -> Iterator[tuple[str, tuple[Path, Path, Path]]]:
    """Yield unflawed models with a valid plan (domain, problem, plan), each with the family of its domain."""
    for folder in sorted((data / "ipc").iterdir()):
        if (folder / "good.plan").is_file():
            yield _family(folder.name), (folder / "domain.pddl", folder / "problem.pddl", folder / "good.plan")
    flawed = data / "model_repair"
    for entry in json.loads((flawed / "index.json").read_text(encoding="utf-8")):
        if entry["verified"]["original_valid"] and entry["steps"] < 120:
            model = (flawed / entry["original"], flawed / entry["problem"], flawed / entry["plan"])
            yield _family(entry["id"].split("--")[0]), model


def _family(name: str) -> str:
    return re.sub(r"-(opt|sat|mco)\d+.*|-notankage", "", name)


def _flaws(domain: Domain, draw: Random) -> dict[Edit, Edit]:
    """Return random flaws, each with the edit that undoes it."""
    space, found = space_of(domain, domain.actions), {}
    for kind in draw.choices(list(_SHARES), list(_SHARES.values()), k=draw.choice((1, 1, 2, 2, 3, 3, 5, 8))):
        action = draw.choice(list(domain.actions))
        body = space.schemas[action].body
        there = {(atom, positive) for atom, positive, _ in body.literals}
        own = [edit for _, _, edit in body.literals if edit.kind is kind]
        new = list(all_of(space.terms(action, body)))
        if kind in (Kind.REMOVE_ADD, Kind.REMOVE_DELETE):
            new = []
        elif kind is Kind.ADD_PRECONDITION:
            asked = {part.formula for part in space.schemas[action].precondition}
            new = [atom for atom in new if atom not in asked]
        else:
            new = [atom for atom in new if not {(atom, True), (atom, False)} & there]
        pool = own or [Edit(kind, action, atom) for atom in new]
        if pool:
            flaw = draw.choice(pool)
            found[flaw] = Edit(_UNDO[kind], action, flaw.formula)
    return found


def choices(family: str, models: Sequence[tuple[Path, Path, Path]], draw: Random) -> Iterator[Choice]:
    """Yield random choices between smallest repairs of which some are meant and some are not."""
    for _ in range(_PER_FAMILY * 4):
        domain, problem, plan = draw.choice(models)
        text = domain.read_text(encoding="utf-8")
        flaws = _flaws(read_domain(text), draw)
        try:
            flawed = read_domain(rewritten(text, flaws))
            cases = read_cases(flawed, [Given(problem=problem, plans=[plan])])
        except ValidatorError:
            continue
        if flawed.features or flawed.axioms or cases[0].is_right or cases[0].malformed:
            continue
        sets = _smallest(flawed, cases)
        undo = {(edit.kind, edit.action, edit.formula) for edit in flaws.values()}
        meant = tuple(all((edit.kind, edit.action, edit.formula) in undo for edit in edits) for edits in sets)
        if any(meant) and not all(meant):
            yield Choice(family, tuple(_seen(flawed, cases, sets)), meant)


def _smallest(domain: Domain, cases: Sequence[Case]) -> list[frozenset[Edit]]:
    deadline = time.monotonic() + 20
    instance = encode(domain, cases, costs_of(None, domain, ()), deadline)
    with Cheapest(instance.circuit.clauses, instance.choices.costs, deadline) as cheapest:
        first = cheapest.next()
        answers = [] if first.true is None else [first, *cheapest.others(first, 60)]
    return [instance.choices.chosen(answer.true or ()) for answer in answers]


def _seen(domain: Domain, cases: Sequence[Case], sets: Sequence[frozenset[Edit]]) -> Iterator[dict[str, float]]:
    problem = cases[0].model.problem
    context = Context(domain, [problem.init], [problem.goal])
    for edits in sets:
        total: dict[str, float] = {}
        for edit in edits:
            for name, value in seen(context, edit).items():
                total[name] = total.get(name, 0.0) + value
        yield total | run_features(domain, cases[0], edits)


def fitted(found: Sequence[Choice]) -> dict[str, float]:
    """Return the weights of a conditional logit with a quadratic penalty."""
    import numpy as np
    from scipy.optimize import minimize

    names = sorted({name for choice in found for one in choice.seen for name in one})
    rows = np.array([[one.get(name, 0.0) for name in names] for choice in found for one in choice.seen])
    meant = np.array([flag for choice in found for flag in choice.meant])
    sizes = [len(choice.seen) for choice in found]
    starts, of = np.concatenate([[0], np.cumsum(sizes)[:-1]]), np.repeat(np.arange(len(sizes)), sizes)

    def loss(weights: Any) -> Any:
        scores = rows @ weights
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[of])
        every, good = np.add.reduceat(powers, starts), np.add.reduceat(powers * meant, starts)
        slope = rows.T @ (powers / every[of] - powers * meant / good[of])
        return (np.log(every) - np.log(good)).sum() + _PENALTY * weights @ weights, slope + 2 * _PENALTY * weights

    return dict(zip(names, minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B").x, strict=True))


def hits(found: Sequence[Choice], weights: Mapping[str, float]) -> int:
    """Return in how many choices the first repair is a meant one."""
    number = 0
    for choice in found:
        scores = [sum(weights.get(name, 0.0) * value for name, value in one.items()) for one in choice.seen]
        number += choice.meant[scores.index(max(scores))]
    return number


def main() -> None:
    """Print the weights and how often they choose the meant repair in families that they were not fitted to."""
    by_family: dict[str, list[tuple[Path, Path, Path]]] = {}
    for family, model in sources(Path(sys.argv[1])):
        by_family.setdefault(family, []).append(model)
    found: list[Choice] = []
    for family, models in by_family.items():
        found += list(choices(family, models, Random(family)))[:_PER_FAMILY]
    right = 0
    for family in by_family:
        apart = [choice for choice in found if choice.family == family]
        right += hits(apart, fitted([choice for choice in found if choice.family != family])) if apart else 0
    print(f"meant first in {right} of {len(found)} choices of families that were left out")
    for name, weight in sorted(fitted(found).items()):
        if abs(weight) >= 0.15:
            print(f'    "{name}": {weight:.1f},')


if __name__ == "__main__":
    main()

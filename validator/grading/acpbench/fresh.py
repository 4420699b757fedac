"""Fresh problems of a domain, from an example: another initial state, another goal, a proven number of steps.

The initial state is reached from the example's by a random walk, so that it is one that can occur; the goal are facts
of a state that lies as far away as was asked. Nothing depends on a clock: one seed makes the same problems everywhere.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator

from validator.checking.prepared import Prepared
from validator.grading.acpbench.space import Explored, Space, explore
from validator.model.pddl.write import atom_text, decimal, expression_text
from validator.model.values import GroundAtom, Model
from validator.records import dataclass, field

_TRIES = 40
"""for each problem that is wanted"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fresh:
    """A problem as PDDL; ``steps`` is the length of its shortest plan where that is ``proven``, None without a plan."""

    name: str
    text: str
    steps: int | None
    proven: bool = True


@dataclass(slots=True, kw_only=True)
class Made:
    """``left_out`` counts the problems that were tried and not kept, by the reason."""

    problems: list[Fresh] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)


def make_fresh(model: Prepared, number: int, steps: range, seed: int, most: int) -> Made:
    """Make problems whose shortest plans have so many steps; fewer where too few are found.

    ``most`` states are explored for each. Raises as ``Space``.
    """
    space, made, seen = Space(model), Made(), set[tuple[int, int]]()
    chance = random.Random(f"{seed} {model.model.domain.name}")
    for _ in range(_TRIES * number):
        if len(made.problems) == number:
            break
        start = _walk(space, chance, chance.randrange(3 * steps.stop))
        found = explore(space, start, most, until=steps.stop - 1)
        goal = _goal(space, found, steps, chance)
        if goal is None:
            made.left_out["no state so many steps away"] += 1
            continue
        length = found.depths[found.first(lambda state, goal=goal: state & goal == goal) or 0]  # type: ignore[misc]
        if length not in steps:
            made.left_out["the goal is nearer than asked"] += 1
        elif (start, goal) in seen:
            made.left_out["made before"] += 1
        else:
            seen.add((start, goal))
            name = f"{model.model.domain.name}-{seed}-{len(made.problems) + 1}"
            text = _text(model.model, name, space.facts(start), space.atoms(goal))
            made.problems.append(Fresh(name=name, text=text, steps=length))
    return made


def _walk(space: Space, chance: random.Random, length: int) -> int:
    state = space.init
    for _ in range(length):
        applicable = [operator for operator in space.operators if operator.is_applicable(state)]
        if not applicable:
            break
        state = chance.choice(applicable).apply(state)
    return state


def _goal(space: Space, found: Explored, steps: range, chance: random.Random) -> int | None:
    """Return facts of a state at one of the distances, of the kind and number of the example's goal."""
    far = [place for place, depth in enumerate(found.depths) if depth in steps and depth <= found.depth]
    if not far:
        return None
    depth = chance.choice(sorted({found.depths[place] for place in far}))
    state = found.states[chance.choice([place for place in far if found.depths[place] == depth])]
    asked = space.atoms(space.goal)
    kinds = {atom[0] for atom in asked} & space.fluents or space.fluents
    facts = sorted(atom for atom in space.atoms(state) if atom[0] in kinds)
    new = [atom for atom in facts if not space.bits_of((atom,)) & found.states[0]]
    if not new:
        return None
    chosen = [chance.choice(new)]
    others = [atom for atom in facts if atom != chosen[0]]
    chosen += chance.sample(others, min(len(others), max(0, len(asked) - 1)))
    return space.bits_of(chosen)


# --- PDDL ----------------------------------------------------------------------------------------


def _text(model: Model, name: str, init: Iterable[GroundAtom], goal: Iterable[GroundAtom]) -> str:
    facts = " ".join((*map(atom_text, sorted(init)), *_values(model)))
    wanted = " ".join(map(atom_text, sorted(goal)))
    metric = model.problem.metric
    measured = "" if metric is None else f"\n (:metric {metric.optimization} {expression_text(metric.expression, {})})"
    return (
        f"(define (problem {name}) (:domain {model.domain.name})\n (:objects {' '.join(_objects(model))})\n"
        f" (:init {facts})\n (:goal (and {wanted})){measured})\n"
    )


def _objects(model: Model) -> Iterator[str]:
    """Yield the objects that are no constants, those with a type first: a type holds for all names before it."""
    for name, types in sorted(model.problem.objects.items(), key=lambda item: item[1] == {"object"}):
        if name not in model.domain.constants:
            kinds = sorted(types)
            kind = kinds[0] if len(kinds) == 1 else f"(either {' '.join(kinds)})"
            yield name if kind == "object" else f"{name} - {kind}"


def _values(model: Model) -> Iterator[str]:
    for term, value in sorted(model.problem.values.items()):
        yield f"(= {atom_text(term)} {decimal(value)})"

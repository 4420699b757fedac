"""Attacks on the keys of questions about action and change: what is in reach, what every plan needs, what is next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, Oracle, State
from tests.support.random_schemas import random_schema
from tests.support.random_worlds import random_world, states_of, wrong_walk
from validator import prepare
from validator.grading.acpbench.prover import Proof, Prover
from validator.grading.acpbench.space import Space
from validator.model.values import GroundAtom
from validator.reading.plan import Plan

__all__ = ["KINDS"]

_MOST_STATES, _FACTS = 300, 12


def _attack(seed: int) -> Iterator[str]:
    """Ask a prover that looks at all states, at a few or at none, and look at all of them."""
    draw = Random(f"keyed {seed}")
    texts = (random_world if seed % 2 else random_schema)(seed, CHEAP)
    oracle = Oracle(*texts)
    states = states_of(oracle, _MOST_STATES)
    if states is None or not oracle.steps:
        return
    space = Space(prepare(*texts))
    prover = Prover(space, most=draw.choice((0, 3, 10, 20_000)), work=draw.choice((0, 10_000, 10_000_000)))
    facts = sorted(space.propositions())
    facts = draw.sample(facts, min(_FACTS, len(facts)))

    def judged(proof: Proof, true: bool, about: object) -> str:
        assert proof.holds in (true, None), (texts, prover.most, about, proof, true)
        return outcome(proof.holds is not None)

    def has(fact: GroundAtom, state: State) -> bool:
        return oracle.has(list(fact), state)

    for some in (*((fact,) for fact in facts), *draw.sample(list(combinations(facts, 2)), min(8, len(facts) // 2))):
        proof = prover.fact(*some)
        yield judged(proof, any(all(has(fact, state) for fact in some) for state in states), some)
        if proof.plan is not None:
            end = oracle.run(map(str, proof.plan.steps))
            assert end is not None and all(has(fact, end[0]) for fact in some), (texts, some, proof)
    can_be_done = {step for state in states for step, _, _ in oracle.successors(state)}
    operators = {operator.step: operator for operator in space.operators}
    for step in draw.sample(oracle.steps, min(8, len(oracle.steps))):
        if step in operators:
            yield judged(prover.applicable(operators[step]), step in can_be_done, step)
        else:
            assert step not in can_be_done, (texts, step)
    best = _distance(oracle, oracle.init)
    assert prover.distance in (best, None), (texts, prover.distance, best)
    assert prover.plan is None or best is not None, (texts, prover.plan)
    if best is None:
        return
    for fact in facts:
        is_needed = _distance(oracle, oracle.init, lambda state, fact=fact: has(fact, state)) is None  # type: ignore[misc]
        yield judged(prover.landmark(fact), is_needed, ("landmark", fact))
    for step, after, _ in oracle.successors(oracle.init) if best else ():
        yield judged(prover.nearer(step), _distance(oracle, after) == best - 1, ("nearer", step))
    _compare_removals(oracle, prover, draw, texts)


def _distance(oracle: Oracle, start: State, avoided: Callable[[State], bool] | None = None) -> int | None:
    """Return how many steps lead to the goal, through no state that is avoided; None where none do."""
    if avoided is not None and avoided(start):
        return None
    seen, layer, steps = {start}, [start], 0
    while layer:
        if any(map(oracle.is_goal, layer)):
            return steps
        steps += 1
        after = {state for one in layer for _, state, _ in oracle.successors(one)} - seen
        layer = [state for state in after if avoided is None or not avoided(state)]
        seen |= after
    return None


def _compare_removals(oracle: Oracle, prover: Prover, draw: Random, texts: object) -> None:
    """Compare which steps, and which two in a row, a plan can do without."""
    lines = wrong_walk(oracle, draw, draw.randint(1, 4), 0, to_goal=True)
    end = oracle.run(lines)
    if end is None or not oracle.is_goal(end[0]):
        return
    steps = {str(step): step for step in oracle.steps}
    found = set(prover.removals(Plan(parts=tuple(steps[line] for line in lines))))
    for place in range(len(lines)):
        for size in (1, 2) if place + 2 <= len(lines) else (1,):
            rest = oracle.run([*lines[:place], *lines[place + size :]])
            is_left = rest is not None and oracle.is_goal(rest[0])
            assert (tuple(range(place, place + size)) in found) is is_left, (texts, lines, place, size)


KINDS = (Kind(name="keys of questions", against="all states", attack=_attack, share=8),)

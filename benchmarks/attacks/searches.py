"""Attacks on the searches of this program that prove repairs, which a race on a small model hardly ever needs.

Sweep, backward search and the search of small models are asked themselves, each with nothing known, with a plan known
that is best or dearer, and ended early: so none stands in for another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import inf
from random import Random
from typing import Any
from unittest.mock import patch

from benchmarks.attacks.classical import repaired, text_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import (
    CHEAP,
    DEAR,
    Cost,
    Oracle,
    State,
    random_case,
    random_cubes,
    random_marks,
    random_places,
    random_turns,
)
from tests.support.random_schemas import (
    Style,
    random_moves,
    random_plan,
    random_schema,
    with_goal_in_reach,
)
from validator import Quality
from validator.checking.prepared import Prepared, prepare
from validator.grounding.limits import Limits
from validator.grounding.plain import axioms, conditional
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.cost_partitioning.components import Components
from validator.repair.cost_partitioning.layers import Swept
from validator.repair.cost_partitioning.prove import prove
from validator.repair.edit import EditTask, Move, Weighting, compile_edit
from validator.repair.projection.invariants import Group
from validator.repair.projection.refine import Projecting, least_changes
from validator.repair.projection.task import Projection
from validator.repair.regression.problem import Regression
from validator.repair.regression.prove import Proof
from validator.repair.regression.windows import Window
from validator.repair.search.uniform_cost import nearest_in

__all__ = ["KINDS"]

_MEMORY = 2**30
_STYLES: tuple[Style, ...] = ("plain", "conditional", "all")
_MOST_STATES = 3_000
"""that are looked at for atoms which exclude each other"""

_MOST_PULSES = 60
"""after so many questions at most a search is ended early"""

_Searched = Regression | Components
_Search = Callable[[Any, Callable[[], float], Callable[[int], bool]], Swept]
"""Of what is searched, with the cost of the best repair, and what says whether to go on."""


def _cost_partitioning(problem: _Searched, bound: Callable[[], float], go_on: Callable[[int], bool]) -> Swept:
    """Ask cost partitioning."""
    return prove(problem, bound, go_on, _MEMORY)


def _backward(regression: Regression, bound: Callable[[], float], go_on: Callable[[int], bool]) -> Swept:
    return Proof(regression).run(bound, go_on, _MEMORY)


def _case(seed: int, style: Style) -> tuple[Prepared, Oracle, list[str], Random]:
    """Return a model whose goal can be reached, and a plan; now and then one step many times."""
    draw = Random(f"searches {seed}")
    texts = with_goal_in_reach(random_schema(seed, (CHEAP, DEAR)[seed % 2], style), draw)
    prepared, oracle = prepare(read_model(*texts)), Oracle(*texts)
    plan = random_plan(oracle, draw, 8)
    if plan and draw.random() < 0.1:
        plan = [*plan[:3], *[draw.choice(plan)] * draw.randint(5, 50), *plan[3:]]
    return prepared, oracle, plan, draw


def _marks(seed: int) -> tuple[Prepared, Oracle, list[str], Random]:
    """Return a model with goals that are nobody else's business."""
    domain, problem, plan = random_marks(seed, (CHEAP, DEAR)[seed % 2])
    prepared = prepare(read_model(domain, problem))
    return prepared, Oracle(domain, problem), plan, Random(f"marks {seed}")


def _proofs(search: _Search, seed: int) -> Iterator[str]:
    """Let one search prove repairs of a plan, under both policies."""
    yield from _proven(lambda draw: search, *_case(seed, _STYLES[seed % 3]))


def _staged(seed: int) -> Iterator[str]:
    """Let the sweep, and a whole check, prove repairs where hardly any ways may be written out.

    Then goals are reached in stages, and new variables say which values are absent.
    """
    domain, problem, plan = random_places(seed, (CHEAP, DEAR)[seed % 2])
    prepared = prepare(read_model(domain, problem))
    oracle = Oracle(domain, problem)
    with (
        patch.object(axioms, "_MOST_SUPPORTS", 3 + seed % 5),
        patch.object(axioms, "_MOST_WAYS", 4 + seed % 4),
        patch.object(conditional, "_MOST_COPIES", 2 + seed % 4),
    ):
        task = prepared.task(Limits(deadline=inf, memory=4 * 2**30))
    assert isinstance(task, Task)
    if not task.is_relaxed_unsolvable:
        yield from _proven(lambda draw: _cost_partitioning, prepared, oracle, plan, Random(f"places {seed}"))
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)


_Making = Callable[[int, Sequence[str]], tuple[str, str, list[str]]]

_JOINED: Sequence[_Making] = (random_turns, random_cubes, random_places, partial(random_case, "conditional"))


def _joined(searching: Callable[[Random], _Search], makings: Sequence[_Making], seed: int) -> Iterator[str]:
    """Let a search, and a whole check, prove repairs where no conditional effect may be compiled away."""
    domain, problem, plan = makings[seed % len(makings)](seed, (CHEAP, DEAR)[seed % 2])
    prepared, oracle = prepare(read_model(domain, problem)), Oracle(domain, problem)
    with patch.object(conditional, "_MOST_COPIES", 0):
        task = prepared.task(Limits(deadline=inf, memory=4 * 2**30))
    assert isinstance(task, Task)
    if not task.is_relaxed_unsolvable:
        yield from _proven(searching, prepared, oracle, plan, Random(f"joined {seed}"), Components)
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)


def _cut(seed: int) -> Iterator[str]:
    """Let the backward search prove repairs with windows anywhere, of models with goals apart and others."""
    case = _marks(seed) if seed % 4 else _case(seed // 4, "plain")
    yield from _proven(_in_windows, *case)


def _in_windows(draw: Random) -> _Search:
    """Return the backward search with the plan cut anywhere, and the whole looked at at any time."""

    class Cut(Proof):
        def windows(self) -> Sequence[Window]:
            places = range(self.regression.length + 1)
            pairs = (draw.choices(places, k=2) for _ in range(draw.randint(0, 6)))
            found = [(min(pair), max(pair)) for pair in pairs]
            return list(dict.fromkeys(window for window in found if window[0] < window[1]))

    return lambda regression, bound, go_on: Cut(regression).run(bound, go_on, _MEMORY)


def _proven(
    searching: Callable[[Random], _Search],
    prepared: Prepared,
    oracle: Oracle,
    plan: list[str],
    draw: Random,
    searched: type[_Searched] = Regression,
) -> Iterator[str]:
    search = searching(draw)
    task = prepared.task(Limits(deadline=inf, memory=4 * 2**30))
    assert isinstance(task, Task)
    tokens = tokenize(text_of(plan), prepared.vocabulary).tokens
    for weighting in (Weighting.edits(), Weighting.keeping(len(tokens))):
        for with_goal in (False, True):
            edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
            right = _right(oracle, plan, edit_task, with_goal=with_goal)
            if right is not None and searched.suits(edit_task):
                yield _proof(search, partial(searched, edit_task, with_goal=with_goal), right, draw)


def _right(oracle: Oracle, plan: list[str], edit_task: EditTask, *, with_goal: bool) -> int | None:
    """Return what the cheapest repair costs, without the tokens that can only be skipped."""
    weighting, scale, nothing = edit_task.weighting, edit_task.task.encoding.scale, (Fraction(0), Fraction(0))

    def insertion(price: Fraction) -> Cost:
        return Fraction(weighting.insertion(int(price * scale))), Fraction(0)

    skipped = (Fraction(weighting.skip), Fraction(0))
    found = oracle.least(plan, insertion, skipped, lambda price: nothing, with_goal=with_goal)
    return None if found is None else int(found[0]) - edit_task.forced_cost


def _proof(search: _Search, regression: Callable[[], _Searched], right: int, draw: Random) -> str:
    said: object = None
    found = said = search(regression(), lambda: inf, lambda bound: bound <= right or _wrong(bound, right))
    assert found.lower == right, (said, right)
    assert found.names is not None, said
    edit_task = regression().edit_task
    assert edit_task.cost(edit_task.edits(found.names)) - edit_task.forced_cost == right, (said, right)
    dearer = right + draw.choice((0, 0, 1, 1, 2, 5))
    found = search(regression(), lambda: dearer, lambda bound: bound <= right or _wrong(bound, right))
    assert found.lower <= right, (found, right, dearer)
    assert found.lower == right or dearer > right, (found, right)
    left = iter(range(draw.randint(0, _MOST_PULSES)))
    try:
        found = search(regression(), lambda: dearer, lambda bound: next(left, None) is not None)
    except TimeoutError:
        return outcome(True)
    assert found.lower <= right, (found, right)
    return outcome(True)


def _wrong(bound: int, right: int) -> bool:
    raise AssertionError(f"lower bound {bound}, and a repair costs {right}")


def _small(seed: int) -> Iterator[str]:
    """Repair plans of models that have nothing but literals by the search in this process."""
    prepared, oracle, plan, _ = _case(seed, "plain")
    tokens = tokenize(text_of(plan), prepared.vocabulary).tokens
    for with_goal in (False, True):
        model = prepared.small
        edits = None if model is None else nearest_in(model, tokens, with_goal=with_goal)
        if edits is None:
            yield outcome(False)
            continue
        right = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
        assert right is not None and sum(edit.move is not Move.KEEP for edit in edits) == right[0], (plan, right, edits)
        old, new = ([edit.token for edit in edits if edit.move is not move] for move in (Move.INSERT, Move.SKIP))
        assert old == list(tokens), (plan, edits)
        end = oracle.run(map(str, new))
        assert end is not None and (not with_goal or oracle.is_goal(end[0])), (plan, edits)
        yield outcome(True)


def _repairs(seed: int) -> Iterator[str]:
    """Repair plans of such models by a whole check, to each quality under each policy."""
    prepared, oracle, plan, _ = _case(seed, _STYLES[seed % 3])
    for quality in Quality:
        for policy in ("edits", "keep"):
            yield repaired(prepared, oracle, plan, quality, policy)


def _moves(seed: int) -> tuple[Prepared, Oracle, list[str], Random]:
    """Return a model in which of many atoms one holds at a time."""
    draw = Random(f"projections {seed}")
    texts = with_goal_in_reach(random_moves(seed), draw)
    oracle = Oracle(*texts)
    return prepare(read_model(*texts)), oracle, random_plan(oracle, draw, 8), draw


def _projections(seed: int) -> Iterator[str]:
    """Prove repairs by projections onto any objects; of many atoms in most of the models one holds at a time."""
    if seed % 3:
        prepared, oracle, plan, draw = _moves(seed)
    else:
        prepared, oracle, plan, draw = _case(seed, "all" if seed % 2 else "plain")
    for group in (projection := Projection(prepared.simulator)).groups:
        _holds_once(group, oracle)
    tokens = tokenize(text_of(plan), prepared.vocabulary).tokens
    objects = list(prepared.model.problem.objects)
    for with_goal in (False, True):
        right = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
        projected = projection.onto(set(draw.sample(objects, draw.randint(0, len(objects)))), tokens, 10_000)
        if projected is None or right is None:
            continue
        best = draw.choice((None, int(right[0]) + draw.randint(0, 2)))
        questions = iter(range(draw.choice((10**9, draw.randint(0, _MOST_PULSES)))))
        said = (plan, projected, right, best)
        has_time = partial(_goes_on, questions)
        found = least_changes(*projected, tokens, best, _MEMORY, has_time, with_goal=with_goal)
        assert found.lower <= right[0], (said, found)
        projecting = Projecting(prepared.simulator, tokens, with_goal=with_goal)
        limits, repair = Limits(deadline=inf, memory=_MEMORY), None
        for told_apart in sorted(draw.choices(range(len(objects) + 1), k=2)):
            repair = projecting.look(told_apart, repair, limits, inf)
            assert repair.lower <= right[0], (said, repair)
            assert repair.upper is None or repair.upper >= right[0], (said, repair)
        yield outcome(repair is not None and repair.upper == repair.lower)


def _goes_on(questions: Iterator[int]) -> bool:
    return next(questions, None) is not None


def _holds_once(group: Group, oracle: Oracle) -> None:
    """Assert that of a group no two atoms hold in any state where initially no two do."""
    held = _held(group, oracle.init)
    waiting, seen = [oracle.init], {oracle.init}
    while waiting and len(seen) < _MOST_STATES:
        for _, state, _ in oracle.successors(waiting.pop()):
            if state not in seen:
                seen.add(state)
                waiting.append(state)
                now = _held(group, state)
                assert all(held[binding] > 1 or times == 1 for binding, times in now.items()), (group, state)


def _held(group: Group, state: State) -> Counter[tuple[str, ...]]:
    bindings = (group.binding(atom[0], atom[1:]) for atom in state)
    return Counter(binding for binding in bindings if binding is not None)


_DIJKSTRA = "Dijkstra over states and places of the plan"

KINDS = (
    Kind(name="repair: the sweep", against=_DIJKSTRA, attack=partial(_proofs, _cost_partitioning), share=6),
    Kind(
        name="repair: conditional effects, joined",
        against=_DIJKSTRA,
        attack=partial(_joined, lambda draw: _cost_partitioning, _JOINED),
        share=6,
    ),
    Kind(name="repair: goals in stages, absent values", against=_DIJKSTRA, attack=_staged, share=6),
    Kind(name="repair: the backward search", against=_DIJKSTRA, attack=partial(_proofs, _backward), share=6),
    Kind(name="repair: windows, goals apart", against=_DIJKSTRA, attack=_cut, share=6),
    Kind(name="repair: projections of a model", against=_DIJKSTRA, attack=_projections, share=6),
    Kind(name="repair: small models", against=_DIJKSTRA, attack=_small, share=6),
    Kind(name="repair: goals in reach, steps repeated", against=_DIJKSTRA, attack=_repairs, share=6),
)

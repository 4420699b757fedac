"""The searches that prove repairs, asked by themselves: with nothing known, with a plan known, and ended early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from fractions import Fraction
from functools import partial
from itertools import product
from math import inf
from random import Random
from unittest.mock import patch

from hypothesis import assume

from tests.support.edit_oracle import (
    CHEAP,
    DEAR,
    Oracle,
    random_case,
    random_places,
    random_turns,
)
from tests.support.laws import law, text_of
from tests.support.models import task_of
from tests.support.random_worlds import (
    CONDITIONAL,
    PLAIN,
    SIMPLE,
    random_moves,
    random_world,
    states_of,
    with_goal_in_reach,
    wrong_walk,
)
from validator.checking.prepared import Prepared, prepare
from validator.grounding import axioms
from validator.grounding.limits import Limits, Status
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.a_star import nearest_in
from validator.repair.cost_partitioning import layers
from validator.repair.cost_partitioning.partition import Partitions
from validator.repair.cost_partitioning.problem import Problem, problem_of
from validator.repair.cost_partitioning.prove import prove
from validator.repair.edit import EditTask, Move, Weighting, compile_edit
from validator.repair.numbers.search import nearest_of_few_steps
from validator.repair.projection.refine import Projecting, least_changes
from validator.repair.projection.task import Projection
from validator.repair.proved import Proved

MEMORY = 2**30


def schema(draw: Random) -> tuple[str, str, list[str]]:
    """Return a model whose goal can be reached, and a plan; now and then one step many times."""
    texts = random_world(draw.randrange(10**6), draw.choice((CHEAP, DEAR)), draw.choice((SIMPLE, PLAIN, CONDITIONAL)))
    texts = with_goal_in_reach(texts, draw)
    plan = wrong_walk(Oracle(*texts), draw, draw.randint(0, 8), draw.randint(0, 3))
    if plan and draw.random() < 0.1:
        plan = [*plan[:3], *[draw.choice(plan)] * draw.randint(5, 50), *plan[3:]]
    return *texts, plan


@law(4, quick=4)
def test_cost_partitioning_proves_what_dijkstra_says(seed: int) -> None:
    draw = Random(seed)
    domain, problem, plan = schema(draw)
    compare(prepare(read_model(domain, problem)), Oracle(domain, problem), plan, draw)


@law(4, quick=6)
def test_cost_partitioning_where_hardly_anything_may_be_compiled_away_proves_what_dijkstra_says(seed: int) -> None:
    """Conditional effects stay, and variables are joined."""
    draw = Random(seed)
    making = draw.choice((random_turns, random_places, partial(random_case, "conditional")))
    domain, problem, plan = making(draw.randrange(10**6), draw.choice((CHEAP, DEAR)))
    with ExitStack() as few:
        few.enter_context(patch.object(axioms, "_MOST_COPIES", 0))
        few.enter_context(patch.object(axioms, "_MOST_SUPPORTS", draw.randint(3, 7)))
        few.enter_context(patch.object(axioms, "_MOST_WAYS", draw.randint(4, 7)))
        if draw.random() < 0.2:  # few states in one go
            few.enter_context(patch.object(layers, "_MOST_PAIRS", 1))
        prepared = prepare(read_model(domain, problem))
        assume(not task_of(prepared).is_relaxed_unsolvable)
        compare(prepared, Oracle(domain, problem), plan, draw)


def compare(prepared: Prepared, oracle: Oracle, plan: list[str], draw: Random) -> None:
    """Let the search prove repairs under both policies, with the goal and without."""
    task, tokens = task_of(prepared), tokenize(text_of(plan), prepared.vocabulary).tokens
    for weighting in (Weighting.edits(), Weighting.keeping(len(tokens))):
        for with_goal in (False, True):
            edit_task = compile_edit(task, tokens, weighting, with_goal=with_goal)
            right = cost_of(oracle, plan, edit_task, with_goal=with_goal)
            if right is not None and (problem := problem_of(edit_task, with_goal=with_goal)) is not None:
                prove_it(problem, edit_task, right, draw)


def cost_of(oracle: Oracle, plan: list[str], edit_task: EditTask, *, with_goal: bool) -> int | None:
    """Return what the cheapest repair costs, without the tokens that can only be skipped."""
    weighting, scale, nothing = edit_task.weighting, edit_task.task.encoding.scale, (Fraction(0), Fraction(0))
    found = oracle.least(
        plan,
        lambda price: (Fraction(weighting.insertion(int(price * scale))), Fraction(0)),
        (Fraction(weighting.skip), Fraction(0)),
        lambda price: nothing,
        with_goal=with_goal,
    )
    return None if found is None else int(found[0]) - edit_task.forced_cost


def prove_it(problem: Problem, edit_task: EditTask, right: int, draw: Random) -> None:
    def goes_on(bound: int) -> bool:
        assert bound <= right
        return True

    def price(names: Sequence[str]) -> int:
        return edit_task.cost(edit_task.edits(names)) - edit_task.forced_cost

    early: list[tuple[str, ...]] = []
    found = prove(problem, lambda: inf, goes_on, MEMORY, early.append)
    assert found.lower == right and found.names is not None and price(found.names) == right, (found, right)
    assert all(price(names) >= right for names in early), (early, right)
    dearer = right + draw.choice((0, 0, 1, 1, 2, 5))
    found = prove(problem, lambda: dearer, goes_on, MEMORY)
    assert found.lower == right or (found.lower < right < dearer), (found, right, dearer)
    found = prove(problem, lambda: inf, goes_on, 4 * draw.choice((8, 30, 100)) * (4 * len(problem.sizes) + 200))
    assert found.lower <= right and (found.names is None or price(found.names) == right), (found, right)
    assert all(partition.total <= right for partition in Partitions(problem).best(4, lambda: True)), right
    left = iter(range(draw.randint(0, 60)))
    try:
        found = prove(problem, lambda: dearer, lambda bound: next(left, None) is not None, MEMORY)
    except TimeoutError:
        return
    assert found.lower <= right, (found, right)


@law(6, quick=12)
def test_the_searches_of_small_models_find_a_nearest_plan(seed: int) -> None:
    draw = Random(seed)
    kind = draw.choice((PLAIN, SIMPLE, CONDITIONAL))
    texts = with_goal_in_reach(random_world(draw.randrange(10**6), CHEAP, kind), draw)
    prepared, oracle = prepare(read_model(*texts)), Oracle(*texts)
    plan = wrong_walk(oracle, draw, draw.randint(0, 8), draw.randint(0, 3))
    tokens = tokenize(text_of(plan), prepared.vocabulary).tokens
    searches = [partial(nearest_of_few_steps, prepared.simulator, tokens, Limits(deadline=inf, memory=MEMORY))]
    if prepared.small is not None:
        searches.append(partial(nearest_in, prepared.small, tokens))
    for search, with_goal in product(searches, (False, True)):
        edits = search(with_goal=with_goal)
        if edits is None:
            continue
        right = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
        assert right is not None and sum(edit.move is not Move.KEEP for edit in edits) == right[0], (texts, plan, edits)
        end = oracle.run(str(edit.token) for edit in edits if edit.move is not Move.SKIP)
        assert [edit.token for edit in edits if edit.move is not Move.INSERT] == list(tokens), (texts, plan, edits)
        assert end is not None and (not with_goal or oracle.is_goal(end[0])), (texts, plan, edits)


# --- projections -----------------------------------------------------------------------------------


def projected(seed: int) -> None:
    """Compare the bounds of projections onto any objects with the nearest plan, and groups of atoms with all states."""
    draw = Random(f"projected {seed}")
    if draw.random() < 0.6:
        texts = with_goal_in_reach(random_moves(seed), draw)
    else:
        texts = with_goal_in_reach(random_world(seed, CHEAP, draw.choice((PLAIN, SIMPLE))), draw)
    prepared, oracle = prepare(read_model(*texts)), Oracle(*texts)
    plan = wrong_walk(oracle, draw, draw.randint(0, 8), draw.randint(0, 3))
    projection = Projection(prepared.simulator)
    for group in projection.groups:  # of atoms of which one holds at a time, where initially one does
        held = [Counter(group.binding(atom[0], atom[1:]) for atom in state) for state in states_of(oracle, 3_000) or []]
        once = [binding for binding in set().union(*held) if binding is not None and held[0][binding] <= 1]
        assert all(counts[binding] <= 1 for counts in held for binding in once), (texts, group)
    tokens, objects = tokenize(text_of(plan), prepared.vocabulary).tokens, list(prepared.model.problem.objects)
    for with_goal in (False, True):
        right = oracle.nearest(plan, "valid" if with_goal else "sound", "edits", 1)
        some = projection.onto(set(draw.sample(objects, draw.randint(0, len(objects)))), tokens, 10_000)
        if some is None or right is None:
            continue
        upper = draw.choice((None, int(right[0]) + draw.randint(0, 2)))
        best = Proved(status=Status.STOPPED, lower=draw.randint(0, int(right[0])), upper=upper)
        questions: Iterator[int] = iter(range(draw.choice((10**9, draw.randint(0, 60)))))
        found = least_changes(
            *some, tokens, best, MEMORY, lambda left=questions: next(left, None) is not None, with_goal=with_goal
        )
        assert found.lower <= right[0], (texts, plan, found)
        projecting = Projecting(prepared.simulator, tokens, with_goal=with_goal)
        repair = Proved(status=Status.STOPPED)
        for told_apart in sorted(draw.choices(range(len(objects) + 1), k=2)):
            repair = projecting.look(told_apart, repair, Limits(deadline=inf, memory=MEMORY))
            assert repair.lower <= right[0], (texts, plan, repair)
            assert repair.upper is None or repair.upper >= right[0], (texts, plan, repair)


@law(20)
def test_a_bound_of_any_projection_is_one_of_the_whole(seed: int) -> None:
    projected(seed)

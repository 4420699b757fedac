"""Repairs in parts of a model: what is proven there holds in the whole, and an answer is there before the whole is."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence, Set
from functools import partial

import pytest

from benchmarks.models import towers
from tests.support.edit_oracle import DEAR, KINDS, Oracle, random_case
from validator import Report, check
from validator.checking import seek
from validator.checking.check import Prepared, prepare
from validator.execution.simulator import Simulator
from validator.grounding import ground as grounding
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.model.bundled import Bundle, bundles
from validator.model.pddl import read_model
from validator.reading.tokens import tokenize
from validator.repair.parts import growing
from validator.repair.parts.part import GroundAction, Parts, part_of
from validator.repair.parts.projecting import Projecting, repair_by_projection
from validator.repair.policy import Policy
from validator.repair.search.answer import Repair

pytestmark = pytest.mark.planner

BLOCKS, *_ = (bundle for bundle in bundles() if bundle.name == "blocks")


def limits(seconds: float = 60) -> Limits:
    return Limits(deadline=time.monotonic() + seconds, memory=4 * 2**30)


def in_parts(
    prepared: Prepared,
    plan: Sequence[str],
    policy: str,
    *,
    with_goal: bool,
    whole: growing.Whole = lambda limits, stop, nice: Status.STOPPED,
    known: Repair | None = None,
) -> Repair:
    tokens = tokenize("".join(f"{step}\n" for step in plan), prepared.vocabulary).tokens
    progress = partial(lambda lower, best: None)
    simulator = prepared.simulator
    return growing.repair_in_parts(
        simulator, tokens, Policy(policy), limits(), whole, with_goal=with_goal, progress=progress, known=known
    )


def test_where_parts_have_no_repair_the_whole_is_grounded_however_long_that_seems_to_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    monkeypatch.setattr(growing._Growing, "_look", lambda self, size, limits: False)
    monkeypatch.setattr(growing._Growing, "_project", lambda self, objects: None)
    monkeypatch.setattr(growing, "_SECONDS", 1e9)
    found = in_parts(prepared, [], "edits", with_goal=True, whole=lambda limits, stop, nice: prepared.task(limits))
    assert found.proven


def test_the_whole_is_searched_as_soon_as_it_is_there_while_no_part_has_a_repair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    left, nice = list[float](), list[int]()

    def look(_: object, size: int, limits: Limits) -> bool:
        while limits.seconds:
            time.sleep(0.01)
        left.append(limits.deadline - time.monotonic())
        return False

    def whole(limits: Limits, stop: Callable[[], bool], behind: int) -> Task | Status:
        nice.append(behind)
        return prepared.task(limits)

    monkeypatch.setattr(growing._Growing, "_look", look)
    monkeypatch.setattr(growing._Growing, "_project", lambda self, objects: None)
    monkeypatch.setattr(growing, "_PATIENCE", 0.01)
    found = in_parts(prepared, [], "edits", with_goal=True, whole=whole)
    assert found.proven and nice == [0]
    assert left[0] > 0


def test_grounding_that_takes_most_of_the_time_goes_on_beside_the_parts_and_is_begun_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = list[Limits]()

    def slow(simulator: Simulator, limits: Limits, **given: object) -> Task | Status:
        begun.append(limits)
        time.sleep(0.05)
        return ground(simulator, limits)

    monkeypatch.setattr(grounding, "ground", slow)
    monkeypatch.setattr(seek, "_WHOLE", 0.0)
    monkeypatch.setattr(seek.Seeker, "_near", lambda self: None)
    monkeypatch.setattr(growing._Growing, "_look", lambda self, size, limits: False)
    monkeypatch.setattr(growing._Growing, "_project", lambda self, objects: None)
    report = check(prepare(read_model(BLOCKS.domain, BLOCKS.problem)), None, "; nothing", time_limit=20)
    assert report.proven and report.repaired_plan
    assert len(begun) == 1 and begun[0].seconds > 10


def test_a_repair_that_is_known_is_not_lost_where_no_part_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    before = in_parts(prepared, [], "edits", with_goal=True, whole=lambda limits, stop, nice: prepared.task(limits))
    monkeypatch.setattr(growing._Growing, "_look", lambda self, size, limits: False)
    monkeypatch.setattr(growing._Growing, "_project", lambda self, objects: None)
    known = Repair(status=Status.STOPPED, edits=before.edits, cost=before.cost, lower_bound=1)
    found = in_parts(prepared, [], "edits", with_goal=True, known=known)
    assert (found.edits, found.cost, found.lower_bound, found.proven) == (before.edits, before.cost, 1, False)


def test_before_the_model_is_grounded_projections_have_a_share_of_the_time_by_the_clock(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a busy machine as many CPU seconds would be all the time."""
    shares = list[float]()

    def look(self: object, objects: int, best: Repair, limits: Limits, cpu: float) -> Repair:
        shares.append(limits.seconds)
        return best

    monkeypatch.setattr(Projecting, "look", look)
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    repair_by_projection(prepared.simulator, (), limits(10), with_goal=True, progress=lambda lower, best: None)
    in_parts(prepared, [], "edits", with_goal=True, whole=lambda limits, stop, nice: prepared.task(limits))
    before, behind = shares[:2], shares[2:]
    assert max(before) <= 1.0 and behind and max(behind) <= 9.0


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_proven_in_some_part_a_brute_search_of_the_whole_confirms(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain, problem, plan = random_case(kind, seed, DEAR)
    prepared, rng = prepare(read_model(domain, problem)), random.Random(seed)
    actions: list[GroundAction] = [(name, ()) for name in prepared.model.domain.actions]

    class Some(Parts):
        """Any steps; a projection, which is about all steps of the whole, has its own."""

        def among(self, objects: Set[str], most: int) -> list[GroundAction]:
            return rng.sample(actions, rng.randint(0, len(actions)))

    monkeypatch.setattr(growing, "Parts", Some)
    if seed % 2:  # without what projections prove
        monkeypatch.setattr(Projecting, "look", lambda self, objects, best, limits, cpu: best)
    scale = ground(prepared.simulator, limits()).encoding.scale  # type: ignore[union-attr]
    for policy in ("edits", "keep"):
        for quality in ("sound", "valid"):
            expected = Oracle(domain, problem).nearest(plan, quality, policy, scale)
            found = in_parts(prepared, plan, policy, with_goal=quality == "valid")
            confirmed(found, expected, policy)


def confirmed(found: Repair, expected: object, policy: str) -> None:
    """Assert that a repair costs at least what the oracle says, and just that if it is proven."""
    if expected is None:
        assert found.edits is None
        return
    fewest, _ = expected  # type: ignore[misc]
    if policy == "edits":
        assert found.lower_bound <= fewest <= (found.cost if found.cost is not None else fewest)
    if found.proven:
        assert found.edits is not None
        if policy == "edits":
            assert found.cost == fewest
        else:
            skips = sum(edit.move.value == "skip" for edit in found.edits)
            assert (skips, found.cost) == (fewest, found.lower_bound)


def corrupted(bundle: Bundle, seed: int) -> list[str]:
    lines = [line for line in bundle.plans[0].read_text(encoding="utf-8").splitlines() if line.startswith("(")]
    rng = random.Random(f"{bundle.name} {seed}")
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(lines))
        match rng.randrange(3):
            case 0 if len(lines) > 1:
                del lines[place]
            case 1:
                lines.insert(place, rng.choice(lines))
            case _:
                other = rng.randrange(len(lines))
                lines[place], lines[other] = lines[other], lines[place]
    return lines


CLASSICAL = [bundle for bundle in bundles() if not prepare(bundle.domain, bundle.problem).model.features]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("bundle", CLASSICAL, ids=lambda bundle: bundle.name)
def test_parts_of_few_steps_say_nothing_that_the_whole_model_denies(
    bundle: Bundle, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(growing, "_SIZES", (4, 20))
    monkeypatch.setattr(growing, "_OBJECTS", (1, 3))
    prepared, plan = prepare(bundle.domain, bundle.problem), corrupted(bundle, seed)
    report = check(prepared, None, "".join(f"{step}\n" for step in plan))
    if report.determination is False and report.proven and report.repaired_plan is not None:
        found, least = in_parts(prepared, plan, "edits", with_goal=True), changes(report)
        assert found.lower_bound <= least
        assert found.cost is None or (found.cost == least if found.proven else found.cost >= least)


def changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


def test_parts_grow_until_there_is_an_answer_and_the_whole_model_proves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(growing, "_SIZES", (0, 1))
    monkeypatch.setattr(growing, "_OBJECTS", (0, 0))
    monkeypatch.setattr(Projecting, "look", lambda self, objects, best, limits, cpu: best)
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    plan = BLOCKS.plans[0].read_text(encoding="utf-8").splitlines()[:-3]
    assert in_parts(prepared, plan, "edits", with_goal=True).edits is None
    found = in_parts(prepared, plan, "edits", with_goal=True, whole=lambda limits, stop, nice: prepared.task(limits))
    assert found.proven
    assert found.cost == 3


def test_the_steps_among_some_objects_are_those_that_the_static_facts_allow() -> None:
    prepared = prepare(BLOCKS.domain, BLOCKS.problem)
    parts = Parts(prepared.model)
    every = parts.among(set(prepared.model.problem.objects), 10**6)
    assert every is not None
    assert len(every) == parts.size()
    assert parts.among(set(prepared.model.problem.objects), len(every) - 1) is None
    few = parts.among({"a", "b"}, 10**6)
    assert few is not None
    assert {arg for _, args in few for arg in args} == {"a", "b"}
    task = ground(Simulator(part_of(prepared.model, few)), limits())
    assert isinstance(task, Task)
    assert {(step.name, step.args) for step in task.by_step} <= set(few)


def test_a_grounding_that_met_its_limit_is_begun_again_only_with_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def in_vain(*args: object, **options: object) -> Status:
        asked.append(options["anew"])
        return Status.TIME_LIMIT

    monkeypatch.setattr(grounding, "translate", in_vain)
    prepared = prepare(read_model(BLOCKS.domain, BLOCKS.problem))
    for seconds in (10, 10, 12, 40):
        assert prepared.task(limits(seconds)) is Status.TIME_LIMIT
    assert asked == [True, False, False, True]


def test_a_model_that_cannot_be_grounded_in_time_is_repaired_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(read_model(BLOCKS.domain, BLOCKS.problem))
    monkeypatch.setattr(Prepared, "task", lambda self, *args, **options: Status.TIME_LIMIT)
    plan = BLOCKS.plans[0].read_text(encoding="utf-8").splitlines()
    report = check(prepared, None, "\n".join([*plan[:2], *plan[3:]]))
    assert report.repaired_plan is not None
    assert check(prepared, None, "".join(f"{step}\n" for step in report.repaired_plan)).determination is True


@pytest.mark.deep
def test_a_tower_of_two_hundred_blocks_is_repaired_and_one_change_is_proven_nearest() -> None:
    tower = towers(200)
    prepared = prepare(read_model(BLOCKS.domain, tower.problem))
    assert prepared.is_large
    report = check(prepared, None, "\n".join(tower.steps[:500] + tower.steps[501:]), time_limit=120)
    assert (report.proven, changes(report), prepared.is_grounded) == (True, 1, False)

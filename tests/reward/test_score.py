"""Scores: verdict, distance, labels and value, the same in a pool, and one that no history changes."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.places import ROOT
from validator.model.bundled import bundle, bundles
from validator.repair.a_star import Search
from validator.reward import ScorePool, score

BLOCKS = bundle("blocks")
MODEL = (BLOCKS.domain, BLOCKS.problem)
TEXTS = [path.read_text(encoding="utf-8") for path in BLOCKS.plans]
LONG = 60.0


def test_a_valid_plan_is_worth_one_and_its_steps_are_on_a_cheapest_plan() -> None:
    (found,) = score(MODEL, TEXTS[:1], time_limit=LONG)
    assert (found.valid, found.value, found.distance) == (True, 1.0, 0)
    assert {(each.executable, each.goal_reachable, each.on_cheapest) for each in found.steps} == {(True, True, True)}


def test_the_value_is_half_of_what_the_plan_saves() -> None:
    (found,) = score(MODEL, ["(take b d)\n(lower b)\n"], time_limit=LONG)
    assert (found.valid, found.distance, found.value) == (False, 6, (1 - 6 / 8) / 2)


def test_what_is_not_understood_has_its_own_value() -> None:
    text = "First pick the block b up from block d. Then do something with zorbs. Then lift block a from the table."
    (found,) = score(MODEL, [text], unknown=0.1, time_limit=LONG)
    assert (found.valid, found.value, found.distance) == (None, 0.1, None) and found.reason


def test_a_single_text_is_refused() -> None:
    with pytest.raises(TypeError, match="a list of texts is needed"):
        score(MODEL, TEXTS[0])
    with pytest.raises(TypeError, match="text 1 is of type NoneType, not str"):
        score(MODEL, [TEXTS[0], None])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="a model is a domain and a problem"):
        score("domain.pddl", TEXTS)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [each.name for each in bundles()])
def test_all_bundled_models_are_scored_without_a_planner(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("validator.grounding.planner.translate")
    monkeypatch.delattr("validator.grounding.planner.search")
    one = bundle(name)
    found = score((one.domain, one.problem), [one.plans[0].read_text(encoding="utf-8")], time_limit=LONG)
    assert [each.value for each in found] == [1.0]


def test_a_pool_scores_as_one_process_does_and_replaces_a_worker_that_dies() -> None:
    with ScorePool(2, time_limit=LONG) as pool:
        assert pool.score(MODEL, TEXTS) == score(MODEL, TEXTS, time_limit=LONG)
        with pytest.raises(Exception, match="terminated abruptly"):
            pool._workers[0].submit(os._exit, 1).result()
        assert pool.score(MODEL, TEXTS) == score(MODEL, TEXTS, time_limit=LONG)


def test_threads_share_the_workers_of_a_pool() -> None:
    with ScorePool(2, time_limit=LONG) as pool, ThreadPoolExecutor(2) as threads:
        found = list(threads.map(lambda texts: pool.score(MODEL, texts), [TEXTS, TEXTS[:1], [], TEXTS[1:]]))
        assert found == [score(MODEL, texts, time_limit=LONG) for texts in (TEXTS, TEXTS[:1], [], TEXTS[1:])]


def test_the_limit_of_a_text_holds_in_a_pool_whatever_thread_asks() -> None:
    table = "|a" * 50_000 + "|\n" + "|-" * 50_000 + "|\n"
    with ScorePool(1, time_limit=2) as pool, ThreadPoolExecutor(2) as threads:
        pool.score(MODEL, TEXTS[:1])  # it reads the model
        begun = time.monotonic()
        slow, fast = (threads.submit(pool.score, MODEL, [text]) for text in (table, TEXTS[0]))
        assert [each.reason for each in slow.result()] == ["the time limit was met"]
        assert [each.value for each in fast.result()] == [1.0]
        assert time.monotonic() - begun < 20


def test_a_verdict_is_not_lost_where_the_limit_is_met_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: object, **more: object) -> None:
        while True:
            time.sleep(0.01)

    score(MODEL, TEXTS[:1], time_limit=LONG)  # the shortest plan is looked for once, before any limit
    monkeypatch.setattr(Search, "run", endless)
    good, wrong = score(MODEL, [TEXTS[0], "(take b d)\n(take b d)\n(lower b)\n(take c a)\n"], time_limit=0.5)
    assert (good.valid, good.value, [each.executable for each in good.steps]) == (True, 1.0, [True] * 8)
    assert (wrong.valid, wrong.lower, wrong.upper, wrong.value) == (False, 1, None, 0.0)
    assert [each.executable for each in wrong.steps] == [True, False, True, True]


def test_steps_that_fail_only_at_once_have_no_distance() -> None:
    timed = "".join(f"0.0: {line} [1]\n" for line in TEXTS[0].splitlines() if line.startswith("("))
    (found,) = score(MODEL, [timed], time_limit=LONG)
    assert (found.valid, found.lower, found.upper, found.value) == (False, 1, None, 0.0)


def test_the_examples_of_trainers_give_the_values() -> None:
    namespace: dict[str, object] = {}
    exec((ROOT / "docs" / "examples" / "reward_functions.py").read_text(encoding="utf-8"), namespace)
    domain, problem = (path.read_text(encoding="utf-8") for path in MODEL)
    trl, verl = namespace["plan_reward"], namespace["compute_score"]
    assert callable(trl) and callable(verl)
    chats = [[{"role": "assistant", "content": TEXTS[0]}], ""]
    assert trl(chats, domain=[domain] * 2, problem=[problem] * 2) == [1.0, 0.0]
    assert verl("blocks", TEXTS[0], {"domain": domain, "problem": problem})["score"] == 1.0
    pool = namespace["pool"]
    assert callable(pool)
    pool().close()

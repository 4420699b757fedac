"""Plans, repairs and traces of random flows beside an interpreter of flows and every world that it can reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.flow_attack import attack_flow, attack_planned

pytestmark = pytest.mark.planner

ATTACKS = [(attack, seed) for attack in (attack_flow, attack_planned) for seed in range(500, 504)]


@pytest.mark.deep
@pytest.mark.parametrize(("attack", "seed"), ATTACKS)
def test_what_is_said_of_flows_is_what_every_world_says(attack: Callable[[int], Iterator[str]], seed: int) -> None:
    assert set(attack(seed)) <= {"proven", "open"}

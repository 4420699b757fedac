"""Minimal conflicts, beside what trying every set says."""

from __future__ import annotations

from itertools import combinations

from hypothesis import assume, given
from hypothesis import strategies as st

from validator.automata.constraints import MustNot, Pattern
from validator.foils import Answer
from validator.foils.conflicts import minimal_conflicts
from validator.records import replace

NUMBER = 5
_SETS = st.frozensets(st.integers(0, NUMBER - 1), min_size=1)


def _parts() -> list[frozenset[int]]:
    return [frozenset(part) for size in range(NUMBER + 1) for part in combinations(range(NUMBER), size)]


def _minimal(cores: frozenset[frozenset[int]]) -> set[frozenset[int]]:
    return {core for core in cores if not any(other < core for other in cores)}


@given(st.frozensets(_SETS, min_size=1, max_size=6))
def test_all_minimal_conflicts_are_found(cores: frozenset[frozenset[int]]) -> None:
    found = minimal_conflicts(NUMBER, lambda wishes: not any(core <= wishes for core in cores))
    assert set(found.sets) == _minimal(cores)
    assert found.complete
    fitting = [wishes for wishes in _parts() if not any(core <= wishes for core in cores)]
    assert set(found.fitting) == {wishes for wishes in fitting if not any(wishes < other for other in fitting)}


@given(st.frozensets(_SETS, min_size=1, max_size=4), st.frozensets(_SETS, min_size=1, max_size=6))
def test_what_is_not_known_makes_nothing_wrong(
    cores: frozenset[frozenset[int]], unknown: frozenset[frozenset[int]]
) -> None:
    everything = frozenset(range(NUMBER))
    assume(everything not in unknown)

    def possible(wishes: frozenset[int]) -> bool | None:
        return None if wishes in unknown else not any(core <= wishes for core in cores)

    found = minimal_conflicts(NUMBER, possible)
    assert found.sets
    assert all(any(core <= conflict for core in cores) for conflict in found.sets)
    if found.complete:
        assert set(found.sets) == _minimal(cores)


def test_an_impossible_model_is_a_conflict_of_nothing() -> None:
    assert minimal_conflicts(2, lambda wishes: False).sets == (frozenset(),)


def test_many_wishes_with_few_conflicts_are_all_decided() -> None:
    asked: list[frozenset[int]] = []

    def possible(wishes: frozenset[int]) -> bool:
        asked.append(wishes)
        return not {4, 17} <= wishes and not {1, 2, 3} <= wishes

    found = minimal_conflicts(20, possible)
    assert (found.sets, found.complete) == ((frozenset((4, 17)), frozenset((1, 2, 3))), True)
    assert len(found.fitting) == 6
    assert len(asked) == len(set(asked)) < 200


def test_where_not_every_set_was_decided_it_is_not_said_that_no_more_fits() -> None:
    wishes = [MustNot(step=Pattern(name=name, args=())) for name in "abc"]
    unknown = frozenset((1, 2))
    found = minimal_conflicts(3, lambda chosen: None if unknown <= chosen != frozenset(range(3)) else 0 not in chosen)
    answer = Answer(
        constraints=tuple(wishes),
        possible=False,
        conflicts=tuple(tuple(wishes[number] for number in conflict) for conflict in found.sets),
        fitting=tuple(tuple(wishes[number] for number in sorted(each)) for each in found.fitting),
        all_conflicts=found.complete,
    )
    assert not found.complete
    assert "These can be met together: " in " ".join(answer.sentences)
    assert "and no more with them" not in " ".join(answer.sentences)
    assert "and no more with them" in " ".join(replace(answer, all_conflicts=True).sentences)

"""Minimal conflicts, beside what trying every set says."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from validator.automata.constraints import MustNot, Pattern
from validator.foils import Answer
from validator.foils.conflicts import minimal_conflicts
from validator.records import replace

NUMBER = 5
_SETS = st.frozensets(st.integers(0, NUMBER - 1), min_size=1)


def _minimal(cores: frozenset[frozenset[int]]) -> set[frozenset[int]]:
    return {core for core in cores if not any(other < core for other in cores)}


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

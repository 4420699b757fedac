"""Dataclasses of this package beside those of the standard library: the same class text, the same behaviour."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from validator import records

RECORDS: Any = records  # which a type checker takes for the library's own
dataclass, field, replace = RECORDS.dataclass, RECORDS.field, RECORDS.replace

OPTIONS = [
    {"frozen": True, "slots": True, "kw_only": True},
    {"frozen": True, "kw_only": True},
    {"frozen": True, "slots": True},
    {"slots": True},
    {"eq": False, "slots": True},
    {"kw_only": True},
]


def _classes(make: Any, written: Any, options: dict[str, bool]) -> tuple[type, type]:
    """Return a class and one that inherits from it."""

    class Base:
        first: int
        second: tuple[int, ...] = ()
        third: list[int] = written(default_factory=list, compare=False)
        fourth: str = written(default="d", repr=False)
        fifth: int = written(init=False, default=7)

        def __post_init__(self) -> None:
            object.__setattr__(self, "fifth", self.first + 1)

    made = make(**options)(Base)

    class Other(made):  # type: ignore[misc, valid-type]
        sixth: int | None = None

    return made, make(**options)(Other)


PAIRS = [
    pair
    for options in OPTIONS
    for pair in zip(_classes(dataclass, field, options), _classes(dataclasses.dataclass, dataclasses.field, options))  # noqa: B905
]
values = st.fixed_dictionaries(
    {"first": st.integers(0, 2)},
    optional={
        "second": st.tuples(st.integers(0, 1)),
        "third": st.lists(st.integers(0, 1), max_size=2),
        "fourth": st.sampled_from("ab"),
        "unknown": st.none(),
    },
)


def _tried(call: Callable[[], Any]) -> tuple[str, str]:
    try:
        return "", repr(call())
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


@pytest.mark.parametrize("pair", PAIRS)
@settings(max_examples=20, deadline=None)
@given(given=values, other=values)
def test_a_class_behaves_as_the_librarys(pair: tuple[Any, Any], given: dict[str, Any], other: dict[str, Any]) -> None:
    def told(make: Any, change: Any) -> list[tuple[str, str]]:
        return [
            _tried(lambda: make(**given)),
            _tried(lambda: make(**given) == make(**other)),
            _tried(lambda: hash(make(**given)) == hash(make(**given))),
            _tried(lambda: change(make(first=1), **other)),
            _tried(lambda: setattr(make(first=1), "first", 2)),
            _tried(lambda: delattr(make(first=1), "first")),
            _tried(lambda: copy.deepcopy(make(**given))),
            _tried(lambda: dataclasses.asdict(make(**given))),
            _tried(lambda: dataclasses.replace(make(first=1), **other)),
            _tried(lambda: make(1, (2,))),
            _tried(lambda: make()),
            _tried(lambda: [(f.name, f.init, f.repr, f.compare, f.kw_only) for f in dataclasses.fields(make)]),
            _tried(lambda: make.__match_args__),
            _tried(lambda: list(inspect.signature(make).parameters)),
        ]

    ours, theirs = pair
    assert told(ours, replace) == told(theirs, dataclasses.replace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    first: int
    second: tuple[int, ...] = ()


KEPT = [("first", int), ("second", tuple, ())]
Plainly = dataclasses.make_dataclass("Sent", KEPT, frozen=True, kw_only=True)


@dataclass(frozen=True, kw_only=True)
class Kept:
    first: int
    second: tuple[int, ...] = ()


def test_a_value_crosses_processes() -> None:
    assert pickle.loads(pickle.dumps(Sent(first=1))) == Sent(first=1)


@given(other=values)
@settings(max_examples=40, deadline=None)
def test_a_value_is_replaced_as_by_the_library_however_often(other: dict[str, Any]) -> None:
    for make, theirs in ((Sent, Plainly), (Kept, dataclasses.make_dataclass("Kept", KEPT, frozen=True, kw_only=True))):
        given = {name: value for name, value in other.items() if name in ("first", "second", "unknown")}
        ours = [_tried(lambda: replace(make(first=9), **given)) for _ in range(12)]  # noqa: B023
        assert set(ours) == {_tried(lambda: dataclasses.replace(theirs(first=9), **given))}  # noqa: B023


def test_a_class_of_the_library_may_inherit() -> None:
    made = dataclasses.make_dataclass("Made", [("third", int, 3)], bases=(Sent,), frozen=True, kw_only=True)
    assert repr(made(first=1)) == "Made(first=1, second=(), third=3)"


def test_an_initialiser_is_the_same_before_and_after_it_is_compiled() -> None:
    made = [Sent(first=1, second=(2,)) for _ in range(20)]
    assert len(set(made)) == 1
    assert Sent.__init__.__qualname__ == "Sent.__init__"


def test_no_class_is_half_of_the_library_and_half_of_this_package() -> None:
    @dataclasses.dataclass(frozen=True)
    class Library:
        first: int

    with pytest.raises(TypeError, match="cannot inherit from Library"):

        @dataclass(frozen=True)
        class Own(Library):
            second: int

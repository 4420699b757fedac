"""The modified problem as cost partitioning reads it, and its operators in classes.

``Plain`` is that of a task without conditional effects; with them it is ``components.Components``, on variables joined.

Operators that are alike for every variable by itself, in classes: what bounds say of one they say of all.

Bounds of single variables see of an operator what it changes and which values it changes; what else it asks for, of
variables that it leaves alone, they do not. So operators that differ only in that have one price in all of them (exact
label reduction, Sievers, Wehrle and Helmert 2014): some thousand classes in place of sixty thousand operators.

Of a class, an operator that asks for all that another one asks for is never inserted: the other one could be instead.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.edit import EditTask

__all__ = ["FREE", "Change", "Choice", "Classes", "Map", "Plain", "Problem"]

FREE = -1
"""no value in particular"""


@dataclass(frozen=True)
class Map:
    """What becomes of each value of a variable; FREE for those at which the operator does not apply."""

    behind: tuple[int, ...]

    @cached_property
    def before(self) -> Sequence[int]:
        """Return the values at which it applies."""
        return tuple(old for old, new in enumerate(self.behind) if new != FREE)

    @cached_property
    def turns(self) -> bool:
        """Return whether it changes some value."""
        return any(new not in (FREE, old) for old, new in enumerate(self.behind))


Choice: TypeAlias = "Sequence[tuple[int, int | Map]]"
"""Variables, and what each must be: a value, or one of those at which a map applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An operator: what it needs, and what it sets that it does not need already.

    ``maps`` are of the variables of which it asks for, or to which it does, more than one value can tell.
    """

    number: int
    cost: int
    need: Mapping[int, int]
    sets: Mapping[int, int]
    maps: Mapping[int, Map] = {}

    @classmethod
    def of(
        cls, number: int, cost: int, need: Mapping[int, int], sets: Mapping[int, int], maps: Mapping[int, Map]
    ) -> Change:
        """Return an operator; what it sets may be what it needs."""
        changing = {variable: value for variable, value in sets.items() if need.get(variable) != value}
        return cls(number=number, cost=cost, need=need, sets=changing, maps=maps)

    @property
    def turns(self) -> Sequence[tuple[int, Map]]:
        """Return the maps that change a value, and not only ask for some."""
        return [(variable, each) for variable, each in self.maps.items() if each.turns] if self.maps else ()

    @property
    def changed(self) -> Iterable[int]:
        """Return the variables whose value it may change."""
        return chain(self.sets, (variable for variable, _ in self.turns))

    @property
    def touched(self) -> Iterable[int]:
        """Return the variables that it reads or sets."""
        return chain(self.need, self.sets, self.maps)


class Problem(ABC):
    """A modified problem, to be gone through from its beginning; ``length`` is the number of steps that can be kept.

    ``sizes`` are how many values each variable has, ``init`` its value in the initial state. ``steps`` has the variants
    of each observed step that can be kept; at the end one choice of each of the ``stages`` must hold. ``skip`` is the
    price of a skip; ``is_unit`` says that each insertion costs the same, ``is_over`` that the search must end.
    """

    sizes: Sequence[int]
    init: Sequence[int]
    steps: Sequence[Sequence[Change]]
    stages: Sequence[Sequence[Choice]]
    changes: Sequence[Change]
    """the operators that may apply"""

    def __init__(self, edit_task: EditTask, is_over: Callable[[], bool]) -> None:
        self.edit_task, self.is_over = edit_task, is_over
        self.length = len(edit_task.kept)
        self.skip = edit_task.weighting.skip
        self.is_unit = edit_task.weighting.insert == 0

    @cached_property
    def alike(self) -> Classes:
        """Return the operators worth inserting, in classes. Raises TimeoutError as soon as it is over."""
        return Classes.of(self.changes, self.is_over)

    def _numbers(self) -> list[Sequence[int]]:
        """Return the operators of each observed step that can be kept."""
        kept = (self.edit_task.tokens[index] for index in self.edit_task.kept)
        return [self.edit_task.task.numbers(token) for token in kept if isinstance(token, Step)]


class Plain(Problem):
    """The modified problem of an edit task without axioms and conditional effects."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Read it; raises TimeoutError as soon as it is over."""
        super().__init__(edit_task, is_over)
        task, price = edit_task.task, edit_task.weighting.insertion
        self.sizes, self.init = task.sizes, task.init
        operators = enumerate(checked(task.operators, is_over))
        self.changes = [Change.of(n, price(each.cost), each.needed, each.effect, {}) for n, each in operators]
        self.steps = [[self.changes[number] for number in numbers] for numbers in self._numbers()]
        self.stages = task.goal_stages if with_goal else (((),),)

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task is of this kind, and keeping a step costs nothing."""
        task = edit_task.task
        return edit_task.weighting.keeps_freely and not task.has_axioms and not task.has_conditional_effects


# --- classes of operators -------------------------------------------------------------------------

_Asks: TypeAlias = frozenset[tuple[int, int | Map]]
"""The values that an operator asks for, of each variable one or what is made of each."""

_MOST_COMPARISONS = 1_000_000
"""of what operators ask for, some tenths of a second's; what is not compared is kept"""


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The operators worth inserting, class by class; ``classes`` has one of each class, with the class's number."""

    operators: Sequence[Change]
    lengths: Sequence[int]
    classes: Sequence[Change]

    @classmethod
    def of(cls, changes: Iterable[Change], is_over: Callable[[], bool]) -> Classes:
        """Sort operators into classes. Raises TimeoutError as soon as it is over."""
        found: dict[object, list[Change]] = {}
        for change in checked(changes, is_over):
            turns = change.turns
            if change.sets or turns:
                arcs = tuple(sorted((v, change.need.get(v, FREE), value) for v, value in change.sets.items()))
                found.setdefault((change.cost, arcs, frozenset(turns)), []).append(change)
        left = _MOST_COMPARISONS
        members = []
        for alike in checked(found.values(), is_over):
            needed, compared = _needed(alike, left)
            members.append(needed)
            left -= compared
        return cls(
            operators=[change for alike in members for change in alike],
            lengths=[len(alike) for alike in members],
            classes=[replace(alike[0], number=number) for number, alike in enumerate(members)],
        )


def _needed(alike: Sequence[Change], most: int) -> tuple[Sequence[Change], int]:
    """Return the operators of a class that ask for less than others or for something else, and how many were compared.

    At most about so many are; those of one length ask for different values, or for the same.
    """
    if len(alike) == 1:
        return alike, 0
    by_length: dict[int, dict[_Asks, Change]] = {}
    for change in alike:
        asks: _Asks = frozenset((*change.need.items(), *change.maps.items()))
        by_length.setdefault(len(asks), {}).setdefault(asks, change)
    kept: dict[_Asks, Change] = {}
    compared = 0
    for _, same in sorted(by_length.items()):
        if kept and compared + len(kept) * len(same) <= most:
            compared += len(kept) * len(same)
            same = {asks: change for asks, change in same.items() if not any(asks > less for less in kept)}
        kept |= same
    return list(kept.values()), compared

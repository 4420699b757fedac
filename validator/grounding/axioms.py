"""Axioms and conditional effects compiled away.

An operator that asks for a derived value becomes one for each support of it, and one with conditional effects one for
each way in which they can fire. Variables may say which values others do not have (Gazen and Knoblock 1997).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TypeAlias

from validator.grounding.operators import Effect, Operator, Value, variable_text
from validator.grounding.task import Task
from validator.records import dataclass, replace

__all__ = [
    "Absent",
    "TooManyError",
    "most_operators",
    "watching_absent",
    "without_axioms",
    "without_conditional_effects",
]

_MOST_SUPPORTS = 512
"""conjunctions that one derived value may have"""

_MOST_WAYS = 8 * _MOST_SUPPORTS
"""conjunctions on the way to these, which contain others"""

_MOST_COMPARISONS = 3_000_000
"""of conjunctions, a third of a second's"""

Conjunction: TypeAlias = frozenset[Value]
"""Values of different variables, all of which hold."""

Supports: TypeAlias = frozenset[Conjunction]
"""Conjunctions, one of which holds; none contains another."""

_TRUE: Supports = frozenset((frozenset(),))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    """``head`` holds if ``body`` does; no rule makes it hold: it has its other value."""

    head: Value
    body: Conjunction


def without_axioms(task: Task) -> Task:
    derived = _Derived(task)
    most = most_operators(task)
    operators: list[Operator] = []
    for operator in task.operators:
        operators += derived.rewritten(operator)
        if len(operators) > most:
            raise TooManyError
    goal_operators = [copy for operator in task.goal_operators for copy in derived.rewritten(operator)]
    parts = [derived.satisfying((value,)) for value in task.goal or ()]
    plain = watching_absent(
        replace(
            task,
            variables=tuple(map(_ordinary, task.variables)),
            operators=tuple(operators),
            axioms="0\n",
            goal_operators=tuple(goal_operators),
        ),
        derived.absent,
    )
    if not any(variable in derived.default for variable, _ in task.goal or ()):
        return plain
    try:
        ways = derived.joined(parts)
    except TooManyError:
        return replace(_in_stages(plain, parts), with_axioms=task)
    if len(ways) == 1:
        return replace(plain, goal=tuple(sorted(next(iter(ways)))))
    return replace(
        plain, goal=None, goal_operators=tuple(_reaching(task.reached, way) for way in sorted(ways, key=sorted))
    )


def _in_stages(task: Task, parts: Sequence[Supports]) -> Task:
    """Return a task whose goal is reached part by part, where the ways to reach all of it at once are too many.

    A variable counts the parts that were found to hold. Nothing happens between them: every operator asks for none.
    """
    stage = len(task.variables)
    certain = frozenset(value for part in parts if len(part) == 1 for way in part for value in way)
    choices = [[way for way in part if is_possible(way | certain)] for part in parts if len(part) != 1]
    choices = [[certain], *choices] if certain else choices
    if not all(choices) or not is_possible(certain):
        return replace(task, goal=None, goal_operators=())
    reaching = [
        _reaching((stage, number + 1), way | {(stage, number)})
        for number, ways in enumerate(choices)
        for way in sorted(ways, key=sorted)
    ]
    return replace(
        task,
        variables=(*task.variables, variable_text(stage, len(choices) + 1)),
        init=(*task.init, 0),
        operators=tuple(
            Operator.made(each.name, sorted({**each.needed, stage: 0}.items()), each.effect_values, each.cost)
            for each in task.operators
        ),
        goal=None,
        goal_operators=tuple(reaching),
        reached=(stage, len(choices)),
    )


def is_possible(way: Conjunction) -> bool:
    """Return whether no variable has two values."""
    return len(dict(way)) == len(way)


def _ordinary(variable: str) -> str:
    """Return a variable that no axiom sets: its layer is -1."""
    begin, name, _, rest = variable.split("\n", 3)
    return f"{begin}\n{name}\n-1\n{rest}"


def _reaching(reached: Value, way: Conjunction) -> Operator:
    """Return an operator that makes the goal reached in one way."""
    effect = Effect(conditions=(), variable=reached[0], value=reached[1])
    return Operator.made("goal", sorted(way), (effect,), 0)


class _Derived:
    """The supports of derived values, worked out stratum by stratum."""

    def __init__(self, task: Task) -> None:
        self.sizes = list(task.sizes)
        self.absent: Absent = {}
        layers = [int(variable.split("\n", 3)[2]) for variable in task.variables]
        rules = list(_rules(task.axioms))
        self.default: Mapping[int, int] = {rule.head[0]: task.init[rule.head[0]] for rule in rules} | {
            variable: task.init[variable] for variable, layer in enumerate(layers) if layer >= 0
        }
        self._supports: dict[Value, Supports | None] = {}
        self._comparisons = 0
        self._open: frozenset[int] = frozenset()
        for layer in sorted({layers[variable] for variable in self.default}):
            self._close(
                [variable for variable in self.default if layers[variable] == layer],
                [rule for rule in rules if layers[rule.head[0]] == layer],
            )
        self._open = frozenset()

    def _close(self, heads: Sequence[int], rules: Sequence[_Rule]) -> None:
        """Work out one stratum: its rules until nothing is added; None for what grows too large."""
        found: dict[Value, Supports | None] = {(head, 1 - self.default[head]): frozenset() for head in heads}
        self._supports |= found
        self._open = frozenset(heads)
        waiting = list(rules)
        while waiting:
            grown = {rule.head for rule in waiting if self._grows(rule)}
            waiting = [rule for rule in rules if not grown.isdisjoint(rule.body)]

    def _grows(self, rule: _Rule) -> bool:
        """Add what a rule gives to the supports of its head; return whether that is anything new."""
        old = self._supports[rule.head]
        if old is None:
            return False
        try:
            new: Supports | None = self._shortest(old | self.satisfying(rule.body))
        except TooManyError:
            new = None
        self._supports[rule.head] = new
        return new != old

    def _of(self, value: Value) -> Supports:
        """Return the supports of a value. Raises TooManyError when they were too many."""
        variable, number = value
        if variable not in self.default:
            return frozenset((frozenset((value,)),))
        if value not in self._supports:
            if variable in self._open:
                raise TooManyError  # the rules of a stratum never negate what they define
            # The default: none of the supports of the other value holds.
            self._supports[value] = self._negation(self._of((variable, 1 - number)))
        found = self._supports[value]
        if found is None:
            raise TooManyError
        return found

    def _negation(self, supports: Supports) -> Supports | None:
        for others in (self._other_values, self._absence):
            ways = _TRUE
            with suppress(TooManyError):
                for support in sorted(supports, key=len):
                    ways = self._both(ways, [way for value in sorted(support) for way in others(value)])
                return ways
        return None

    def _other_values(self, value: Value) -> list[Conjunction]:
        """Return the ways in which a variable does not have a value: all others."""
        variable, number = value
        return [frozenset(((variable, other),)) for other in range(self.sizes[variable]) if other != number]

    def _absence(self, value: Value) -> list[Conjunction]:
        """Return the same as one way, which a new variable tells where there are several."""
        if self.sizes[value[0]] == 2:
            return self._other_values(value)
        if value not in self.absent:
            self.absent[value] = len(self.sizes)
            self.sizes.append(2)
        return [frozenset(((self.absent[value], 0),))]

    def joined(self, parts: Iterable[Supports]) -> Supports:
        """Return the ways in which all parts hold together."""
        ways = _TRUE
        for part in parts:
            ways = self._both(ways, part)
        return ways

    def satisfying(self, values: Iterable[Value]) -> Supports:
        """Return the ways in which values hold together."""
        ordinary = frozenset(value for value in values if value[0] not in self.default)
        ways: Supports = frozenset((ordinary,))
        for value in values:
            if value[0] in self.default:
                ways = self._both(ways, self._of(value))
        return ways

    def rewritten(self, operator: Operator) -> Iterator[Operator]:
        """Yield an operator once for each way in which it is applicable."""
        if not operator.reads(self.default):
            yield operator
            return
        effects = tuple(
            replace(effect, conditions=tuple(sorted(way)))
            for effect in operator.effect_values
            for way in sorted(self.satisfying(effect.conditions), key=sorted)
        )
        for way in sorted(self.satisfying(operator.needed.items()), key=sorted):
            yield Operator.made(operator.name, sorted(way), effects, operator.cost)

    # --- conjunctions --------------------------------------------------------------------------

    def _both(self, left: Iterable[Conjunction], right: Iterable[Conjunction]) -> Supports:
        """Return the ways in which one of the left and one of the right ones hold."""
        found: set[Conjunction] = set()
        for one, other in product(left, right):
            union = one | other
            if is_possible(union):
                found.add(union)
                if len(found) > _MOST_WAYS:
                    raise TooManyError
        return self._shortest(found)

    def _shortest(self, ways: Iterable[Conjunction]) -> Supports:
        """Return the conjunctions that contain no other. Raises TooManyError for too many."""
        kept: list[Conjunction] = []
        for way in sorted(ways, key=len):
            self._comparisons += len(kept)
            if not any(other <= way for other in kept):
                kept.append(way)
                if len(kept) > _MOST_SUPPORTS or self._comparisons > _MOST_COMPARISONS:
                    raise TooManyError
        return frozenset(kept)


def _rules(axioms: str) -> Iterator[_Rule]:
    """Read the axioms of the format."""
    lines = iter(axioms.splitlines()[1:])
    for line in lines:
        if line == "begin_rule":
            body = [next(lines).split() for _ in range(int(next(lines)))]
            variable, _, value = map(int, next(lines).split())
            yield _Rule(head=(variable, value), body=frozenset((int(v), int(x)) for v, x in body))


# --- conditional effects --------------------------------------------------------------------------

_MOST_COPIES = 256
"""operators that one operator may become"""

_OTHER = -1
"""any value of a variable but those that the conditions of an operator name"""

Absent: TypeAlias = dict[Value, int]
"""The variables that say, by 0, that another variable does not have a value, and by 1 that it has."""


class TooManyError(Exception):
    """What is to be compiled away passes a limit."""


def most_operators(task: Task) -> int:
    """Return how many operators all of them may become."""
    return 4 * len(task.operators) + 4000


def without_conditional_effects(task: Task) -> Task:
    with suppress(TooManyError):
        return _all_split(task, None)
    absent: Absent = {}
    return watching_absent(_all_split(task, absent), absent)


def _all_split(task: Task, absent: Absent | None) -> Task:
    sizes = task.sizes
    most = most_operators(task)
    operators: list[Operator] = []
    for operator in task.operators:
        operators += _split(operator, sizes, absent) if operator.is_conditional else [operator]
        if len(operators) > most:
            raise TooManyError
    return replace(task, operators=tuple(operators))


def _split(operator: Operator, sizes: Sequence[int], absent: Absent | None) -> list[Operator]:
    """Return an operator once for each way in which its effects can fire.

    With ``absent`` values that no condition names are one way together, which new variables tell.
    """
    found: list[Operator] = []
    waiting = [operator.needed]
    while waiting:
        known = waiting.pop()
        variable = _undecided(operator.effect_values, known)
        if variable is not None:
            named = _named(operator, variable)
            values = range(sizes[variable]) if absent is None or len(named) + 2 > sizes[variable] else (*named, _OTHER)
            waiting += [{**known, variable: value} for value in values]
        else:
            fired = {
                effect.variable: effect.value
                for effect in operator.effect_values
                if all(known.get(variable) == value for variable, value in effect.conditions)
            }
            effects = tuple(Effect(conditions=(), variable=v, value=x) for v, x in fired.items())
            needed = {variable: value for variable, value in known.items() if value != _OTHER}
            if absent is not None:
                for variable in sorted(known.keys() - needed):
                    for value in _named(operator, variable):
                        needed[absent.setdefault((variable, value), len(sizes) + len(absent))] = 0
            found.append(Operator.made(operator.name, sorted(needed.items()), effects, operator.cost))
        if len(found) + len(waiting) > _MOST_COPIES:
            raise TooManyError
    return found


def _named(operator: Operator, variable: int) -> list[int]:
    """Return the values of a variable that conditions of effects name."""
    conditions = (condition for effect in operator.effect_values for condition in effect.conditions)
    return sorted({value for other, value in conditions if other == variable})


def _undecided(effects: Iterable[Effect], known: Mapping[int, int]) -> int | None:
    """Return a variable on which it depends what an operator does, if there is one."""
    for effect in effects:
        missing = [variable for variable, _ in effect.conditions if variable not in known]
        if missing and all(known.get(variable, value) == value for variable, value in effect.conditions):
            return missing[0]
    return None


def watching_absent(task: Task, absent: Absent) -> Task:
    """Return the task with the variables that say which values are absent, set by all that sets these."""
    watching: dict[int, list[tuple[int, int]]] = {}
    for (variable, value), watcher in absent.items():
        watching.setdefault(variable, []).append((value, watcher))

    def watched(operator: Operator) -> Operator | None:
        """Return an operator that sets watchers as well; None where it asks for a value and that it is not there."""
        needed, more = dict(operator.needed), []
        for effect in operator.effect_values:
            for value, watcher in watching.get(effect.variable, ()):
                old = None if operator.is_conditional else operator.needed.get(effect.variable)
                if old is not None and (old == value) == (effect.value == value):
                    continue
                if old is not None and needed.setdefault(watcher, int(old == value)) != int(old == value):
                    return None
                more.append(replace(effect, variable=watcher, value=int(effect.value == value)))
        if not more:
            return operator
        return Operator.made(operator.name, sorted(needed.items()), (*operator.effect_values, *more), operator.cost)

    return replace(
        task,
        variables=(*task.variables, *(variable_text(watcher, 2) for watcher in absent.values())),
        init=(*task.init, *(int(task.init[variable] == value) for variable, value in absent)),
        operators=tuple(filter(None, map(watched, task.operators))),
    )

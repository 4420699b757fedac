"""Axioms and conditional effects compiled away.

An operator that asks for a derived value becomes one for each support of it, and one with conditional effects one for
each way in which they can fire.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import TypeAlias

from validator.grounding.operators import Effect, Operator, Value
from validator.grounding.task import Task
from validator.records import replace

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


Rule: TypeAlias = tuple[Value, Conjunction]
"""A value that holds where a conjunction does; where no rule makes it hold, its variable has the other value."""


def without_axioms(task: Task) -> Task:
    derived = _Derived(task)
    operators = _within_limit(task, derived.rewritten)
    goal_operators = [copy for operator in task.goal_operators for copy in derived.rewritten(operator)]
    plain = replace(
        task,
        variables=tuple(map(_ordinary, task.variables)),
        operators=operators,
        axioms="0\n",
        goal_operators=tuple(goal_operators),
    )
    if not any(variable in derived.default for variable, _ in task.goal or ()):
        return plain
    ways = derived.satisfying(task.goal or ())
    if len(ways) == 1:
        return replace(plain, goal=tuple(sorted(next(iter(ways)))))
    reaching = (_reaching(task.reached, way) for way in sorted(ways, key=sorted))
    return replace(plain, goal=None, goal_operators=tuple(reaching))


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
        self.sizes = task.sizes
        layers = [int(variable.split("\n", 3)[2]) for variable in task.variables]
        rules = list(rules_of(task.axioms))
        self.default: Mapping[int, int] = {variable: task.init[variable] for (variable, _), _ in rules} | {
            variable: task.init[variable] for variable, layer in enumerate(layers) if layer >= 0
        }
        self._supports: dict[Value, Supports | None] = {}
        self._comparisons = 0
        self._open: frozenset[int] = frozenset()
        for layer in sorted({layers[variable] for variable in self.default}):
            self._close(
                [variable for variable in self.default if layers[variable] == layer],
                [rule for rule in rules if layers[rule[0][0]] == layer],
            )
        self._open = frozenset()

    def _close(self, heads: Sequence[int], rules: Sequence[Rule]) -> None:
        """Work out one stratum: its rules until nothing is added; None for what grows too large."""
        found: dict[Value, Supports | None] = {(head, 1 - self.default[head]): frozenset() for head in heads}
        self._supports |= found
        self._open = frozenset(heads)
        waiting = list(rules)
        while waiting:
            grown = {head for head, body in waiting if self._grows(head, body)}
            waiting = [rule for rule in rules if not grown.isdisjoint(rule[1])]

    def _grows(self, head: Value, body: Conjunction) -> bool:
        """Add what a rule gives to the supports of its head; return whether that is anything new."""
        old = self._supports[head]
        if old is None:
            return False
        try:
            new: Supports | None = self._shortest(old | self.satisfying(body))
        except TooManyError:
            new = None
        self._supports[head] = new
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
        ways = _TRUE
        with suppress(TooManyError):
            for support in sorted(supports, key=len):
                ways = self._both(ways, [way for value in sorted(support) for way in self._other_values(value)])
            return ways
        return None

    def _other_values(self, value: Value) -> list[Conjunction]:
        """Return the ways in which a variable does not have a value: all others."""
        variable, number = value
        return [frozenset(((variable, other),)) for other in range(self.sizes[variable]) if other != number]

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


def rules_of(axioms: str) -> Iterator[Rule]:
    """Read the axioms of the format."""
    lines = iter(axioms.splitlines()[1:])
    for line in lines:
        if line == "begin_rule":
            body = [next(lines).split() for _ in range(int(next(lines)))]
            variable, _, value = map(int, next(lines).split())
            yield (variable, value), frozenset((int(v), int(x)) for v, x in body)


# --- conditional effects --------------------------------------------------------------------------

_MOST_COPIES = 256
"""operators that one operator may become"""


class TooManyError(Exception):
    """What is to be compiled away passes a limit."""


def _within_limit(task: Task, copies: Callable[[Operator], Iterable[Operator]]) -> tuple[Operator, ...]:
    """Return what all operators become. Raises TooManyError for too many."""
    found: list[Operator] = []
    for operator in task.operators:
        found += copies(operator)
        if len(found) > 4 * len(task.operators) + 4000:
            raise TooManyError
    return tuple(found)


def without_conditional_effects(task: Task) -> Task:
    return replace(task, operators=_within_limit(task, lambda operator: _split(operator, task.sizes)))


def _split(operator: Operator, sizes: Sequence[int]) -> list[Operator]:
    """Return an operator once for each way in which its effects can fire."""
    if not operator.is_conditional:
        return [operator]
    found: list[Operator] = []
    waiting = [operator.needed]
    while waiting:
        known = waiting.pop()
        variable = _undecided(operator.effect_values, known)
        if variable is not None:
            waiting += [{**known, variable: value} for value in range(sizes[variable])]
        else:
            fired = {
                effect.variable: effect.value
                for effect in operator.effect_values
                if all(known.get(variable) == value for variable, value in effect.conditions)
            }
            effects = tuple(Effect(conditions=(), variable=v, value=x) for v, x in fired.items())
            found.append(Operator.made(operator.name, sorted(known.items()), effects, operator.cost))
        if len(found) + len(waiting) > _MOST_COPIES:
            raise TooManyError
    return found


def _undecided(effects: Iterable[Effect], known: Mapping[int, int]) -> int | None:
    """Return a variable on which it depends what an operator does, if there is one."""
    for effect in effects:
        missing = [variable for variable, _ in effect.conditions if variable not in known]
        if missing and all(known.get(variable, value) == value for variable, value in effect.conditions):
            return missing[0]
    return None

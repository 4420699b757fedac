"""Ground operators in the translator's output format (version 3), read as values when somebody asks."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from functools import cached_property

from validator.records import dataclass, replace

Value = tuple[int, int]
"""A variable and one of its values, by number."""

Transition = tuple[int, int, int]
"""A variable, the value that it must have, -1 for any, and the value that it gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """``variable`` becomes ``value`` where ``conditions`` hold."""

    conditions: tuple[Value, ...]
    variable: int
    value: int


@dataclass(frozen=True, kw_only=True)
class Operator:
    """A ground operator; ``prevail`` and ``effects`` are lines of the format, each with its line end."""

    name: str
    prevails: int
    prevail: str
    effect_count: int
    effects: str
    cost: int

    @classmethod
    def made(cls, name: str, needed: Sequence[Value], effects: Sequence[Effect], cost: int) -> Operator:
        """Return an operator with these preconditions, without the effects that change nothing."""
        before = dict(needed)
        # A conditional effect that changes nothing may still undo one that stands before it.
        plain = not any(effect.conditions for effect in effects)
        changing = [effect for effect in effects if not plain or before.get(effect.variable) != effect.value]
        affected = {effect.variable for effect in changing}
        prevail = [f"{variable} {value}\n" for variable, value in needed if variable not in affected]
        return cls(
            name=name,
            prevails=len(prevail),
            prevail="".join(prevail),
            effect_count=len(changing),
            effects="".join(_line(effect, before.get(effect.variable, -1)) for effect in changing),
            cost=cost,
        )

    def text(self, name: str, cost: int) -> str:
        """Return the operator under a name and a cost."""
        effects = f"{self.effect_count}\n{self.effects}"
        return f"begin_operator\n{name}\n{self.prevails}\n{self.prevail}{effects}{cost}\nend_operator\n"

    def also(self, needs: Collection[Value], moves: Collection[Transition] = ()) -> Operator:
        """Return the operator with more needs and effects, on variables on which it has no effect."""
        return Operator(
            name=self.name,
            prevails=self.prevails + len(needs),
            prevail=self.prevail + "".join([f"{variable} {value}\n" for variable, value in needs]),
            effect_count=self.effect_count + len(moves),
            effects=self.effects + "".join([f"0 {variable} {old} {new}\n" for variable, old, new in moves]),
            cost=self.cost,
        )

    def within(self, variables: Container[int]) -> Operator:
        """Return the operator without its effects on other variables."""
        lines = [line for line in self.effects.splitlines(keepends=True) if int(line.split()[-3]) in variables]
        if len(lines) == self.effect_count:
            return self
        return replace(self, effect_count=len(lines), effects="".join(lines))

    @property
    def is_conditional(self) -> bool:
        return any(not line.startswith("0 ") for line in self.effects.splitlines())

    @cached_property
    def effect_values(self) -> tuple[Effect, ...]:
        """Return the effects in order; of two on one variable that fire, the later one holds."""
        found = []
        for line in self.effects.splitlines():
            number, *rest = map(int, line.split())
            conditions = tuple(zip(rest[: 2 * number : 2], rest[1 : 2 * number : 2], strict=True))
            found.append(Effect(conditions=conditions, variable=rest[-3], value=rest[-1]))
        return tuple(found)

    @cached_property
    def needed(self) -> dict[int, int]:
        """Return the preconditions."""
        needed = _pairs(self.prevail.split())
        if self._is_plain:
            words = self.effects.split()
            before = zip(map(int, words[1::4]), map(int, words[2::4]), strict=True)
            return needed | {variable: value for variable, value in before if value != -1}
        for line in self.effects.splitlines():
            *_, variable, value, _ = line.split()
            if value != "-1":
                needed[int(variable)] = int(value)
        return needed

    @cached_property
    def effect(self) -> dict[int, int]:
        """Return what an operator without conditional effects sets."""
        if self._is_plain:
            words = self.effects.split()
            return dict(zip(map(int, words[1::4]), map(int, words[3::4]), strict=True))
        return {effect.variable: effect.value for effect in self.effect_values}

    @cached_property
    def _is_plain(self) -> bool:
        """Return whether each effect is four words: no conditions, variable, value before, value behind."""
        return not self.is_conditional

    def applies(self, state: Sequence[int]) -> bool:
        return all(state[variable] == value for variable, value in self.needed.items())

    def after(self, state: Sequence[int]) -> list[int]:
        """Return the state after the operator; its effects read the state before it."""
        behind = list(state)
        for effect in self.effect_values:
            if all(state[variable] == value for variable, value in effect.conditions):
                behind[effect.variable] = effect.value
        return behind

    def reads(self, variables: Container[int]) -> bool:
        """Return whether a precondition or a condition of an effect is on one of the variables."""
        return any(variable in variables for variable in self.needed) or any(
            variable in variables for effect in self.effect_values for variable, _ in effect.conditions
        )


NOTHING = Operator(name="", prevails=0, prevail="", effect_count=0, effects="", cost=0)
"""The operator without needs and effects."""


def variable_text(number: int, values: int) -> str:
    """Return the variable of a number in the output format; the planner knows none with a single value."""
    size = max(2, values)
    atoms = "".join([f"Atom counter{number}({value})\n" for value in range(size)])
    return f"begin_variable\nvar{number}\n-1\n{size}\n{atoms}end_variable\n"


def _line(effect: Effect, before: int) -> str:
    conditions = "".join(f"{variable} {value} " for variable, value in effect.conditions)
    return f"{len(effect.conditions)} {conditions}{effect.variable} {before} {effect.value}\n"


def _pairs(words: Sequence[str]) -> dict[int, int]:
    return dict(zip(map(int, words[::2]), map(int, words[1::2]), strict=True))

"""Steps with open arguments, and what an automaton that reads steps does with one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Step
from validator.records import dataclass, replace

__all__ = ["Pattern", "Show", "Transition", "is_open"]

Transition: TypeAlias = tuple[int | None, int | None]
"""The state before (None: any) and the state after (None: the same)."""

Show: TypeAlias = Callable[[Step], Step | Assertion]
"""From a step of the model to the step that people see; the same one, but for flows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A step whose arguments may be open: ``_`` and ``?`` stand for any object, ``?x`` for the same one throughout.

    The name ``_`` stands for every step that has the arguments, at any place. ``others`` are steps that are meant just
    as well.
    """

    name: str
    args: tuple[str, ...] = ()
    others: tuple[Pattern, ...] = ()

    def __str__(self) -> str:
        return " or ".join(f"({' '.join((each.name, *each.args))})" for each in self.alternatives)

    @property
    def alternatives(self) -> tuple[Pattern, ...]:
        """Return the pattern without the others, and these."""
        return (replace(self, others=()), *self.others) if self.others else (self,)

    @property
    def is_any_step(self) -> bool:
        return self.name == "_"

    @property
    def is_open(self) -> bool:
        return bool(self.others) or self.is_any_step or any(is_open(arg) for arg in self.args)

    def matches(self, step: object) -> bool:
        """Return whether a step is one of those that the pattern stands for."""
        return isinstance(step, Step) and any(each.is_like(step) for each in self.alternatives)

    def is_like(self, step: Step) -> bool:
        """Return whether a step is one, the others left aside."""
        if self.is_any_step:
            return all(arg in step.args for arg in self.args)
        if step.name != self.name or len(step.args) != len(self.args):
            return False
        bound: dict[str, str] = {}
        return all(
            arg == given if not is_open(arg) else arg in ("_", "?") or bound.setdefault(arg, given) == given
            for arg, given in zip(self.args, step.args, strict=True)
        )


def is_open(arg: str) -> bool:
    """Return whether an argument of a pattern stands for objects rather than being one."""
    return arg == "_" or arg.startswith("?")

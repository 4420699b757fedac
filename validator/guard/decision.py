"""What a guard says of a call before it is made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from validator.policies.events import Event
from validator.policies.rules import Rule
from validator.render.printed import Printed

__all__ = ["Decision", "NotUnderstood", "Rest", "UnknownNames"]


class NotUnderstood(StrEnum):
    """What becomes of a call of which it is not known whether it may be made."""

    DENY = "deny"
    ALLOW = "allow"


class UnknownNames(StrEnum):
    """What becomes of a policy that names a tool, an argument or a fact that nothing has."""

    DENY = "deny"
    ALLOW = "allow"


@dataclass(frozen=True, slots=True)
class Rest:
    """What should be called from here: ``steps`` in order, or None, and ``reason`` says why.

    ``proven`` says that nothing nearer (with a plan or a policy), or cheaper (with a model alone), would do.
    """

    steps: tuple[str, ...] | None
    proven: bool = False
    reason: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Decision(Printed):
    """Whether a call may be made, and why not.

    ``understood`` is false where it is not known whether it may be, and the policy of the caller decided. ``instead``
    are calls that would be right now, as far as that is known at once; ``repaired`` looks for the whole rest.
    ``goal_reachable`` says whether the model's goal can be reached after the call, or without it where it is
    denied; None where that is not asked, or not known in time. ``number`` is what ``after`` is told of a call that was
    allowed.
    """

    allowed: bool
    call: Event
    number: int
    reason: str = ""
    understood: bool = True
    instead: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    goal_reachable: bool | None = None
    _rest: Callable[[float], Rest] | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.allowed

    @property
    def message(self) -> str:
        """Return what an agent is told: what is wrong, and what would be right. Empty where the call is allowed."""
        if self.allowed:
            return ""
        instead = f" Call instead: {', or '.join(self.instead)}." if self.instead else ""
        return f"Denied: {self.call}: {self.reason}.{instead}"

    def repaired(self, time_limit: float = 10.0) -> Rest | None:
        """Look for the rest of the run that would be right, for at most some seconds; None for an allowed call."""
        return None if self._rest is None else self._rest(time_limit)

    @property
    def text(self) -> str:
        """Return the decision as a line of text."""
        return f"{self.message or f'Allowed: {self.call}'}\n"

    def to_json(self) -> dict[str, object]:
        """Return the decision as values that ``json.dumps`` takes."""
        return {
            "allowed": self.allowed,
            "understood": self.understood,
            "call": str(self.call),
            "reason": self.reason,
            "instead": list(self.instead),
            "rules": [str(rule) for rule in self.rules],
            "goal_reachable": self.goal_reachable,
        }

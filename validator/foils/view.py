"""How the steps of a model are seen by the person who asks: as they are, but for flows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from validator.automata.pattern import Show
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.execution.trace import Failure
from validator.flow.compiled.names import NO_STEP
from validator.reading.plan import Constraint, Step, Token
from validator.records import dataclass

__all__ = ["PDDL", "View"]


def _step_itself(step: Step) -> Step:
    return step


def _token_itself(token: Step | Constraint) -> Step | None:
    return token if isinstance(token, Step) else None


def _failure_itself(failure: Failure) -> Failure:
    return failure


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """``show`` turns a step of the model into what people see, ``hidden`` does the reverse (None: no such step).

    ``told`` puts a failure into the words that people use.
    """

    show: Show = _step_itself
    hidden: Callable[[Step | Constraint], Step | None] = _token_itself
    told: Callable[[Failure], Failure] = _failure_itself

    def seen(self, simulator: Simulator, token: Token) -> Token:
        """Return a token as people see it; what the model does not have stays as it was written."""
        if not isinstance(token, Step) or simulator.malformed(0, token):
            return token
        return self.show(Step(name=token.name, args=token.args))

    def sentences(self, simulator: Simulator, failures: Iterable[Failure], tokens: Sequence[Token]) -> list[str]:
        """Return failures of a plan of the model, a sentence each."""
        told = (self.told(failure) for failure in failures if failure.detail != NO_STEP)  # said already
        return sentences(told, [self.seen(simulator, token) for token in tokens])


PDDL = View()

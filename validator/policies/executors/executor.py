"""What is asked of a model while a run goes on: whether a call can be executed in a state, and what it leads to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from validator.checking.prepared import Prepared, prepare
from validator.errors import ModelError
from validator.model.values import GroundAtom, Model
from validator.policies.conditions import Atom, Truth
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.reading.calls import Names, folded
from validator.reading.plan import Step, Token

__all__ = ["Executor", "Judged", "State", "facts_of"]

State: TypeAlias = Hashable
"""of a model: only its executor looks into it"""


def facts_of(state: State) -> frozenset[GroundAtom]:
    """Return a state that is the facts which hold in it."""
    assert isinstance(state, frozenset)
    return state


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a call can be executed in a state; None where it is not known which step of the model it is.

    ``after`` is the state that it leads to, ``steps`` what is executed in the model, with what leaves no call.
    """

    allowed: Truth
    reason: str
    after: State
    steps: tuple[Step, ...] = ()


class Executor(ABC):
    """A model that calls are executed on; the states of most are the facts that hold.

    ``tools`` are its names, ``parameters`` the names of their arguments, by folded name. Raises ModelError for tools
    that rules and calls, which know neither case nor joints, do not tell apart.
    """

    def __init__(self, prepared: Prepared, parameters: Mapping[str, Sequence[str]]) -> None:
        if alike := Names(parameters).one_name:
            raise ModelError(f"calls do not tell {' and '.join(alike)} apart")
        self.prepared = prepared
        self.tools = {folded(name): name for name in parameters}
        self.parameters = {folded(name): tuple(names) for name, names in parameters.items()}

    @property
    def start(self) -> State:
        return self.prepared.model.problem.init

    @abstractmethod
    def holds(self, state: State, atom: Atom) -> Truth:
        """Return whether a fact holds in a state; None for one that the model does not know."""

    @abstractmethod
    def judge(self, state: State, event: Event) -> Judged:
        """Return whether a call can be executed in a state."""

    def ahead(self, state: State) -> Prepared:
        """Return the model of what is to come from a state."""
        model = self.prepared.model
        return prepare(Model(domain=model.domain, problem=replace(model.problem, init=facts_of(state))))

    @abstractmethod
    def unmet(self, state: State) -> tuple[str, ...]:
        """Return the parts of the goal that are false in a state."""

    @abstractmethod
    def calls(self, wanted: Sequence[Event], policy: Policy) -> tuple[tuple[Event, ...], bool]:
        """Return the calls that could be added to a run, those that a policy asks for among them; whether they are all.

        A call that is told apart from another one neither by the policy nor by the model is left out.
        """

    def reads(self, key: str) -> bool:
        """Return whether a tool changes nothing."""
        return False

    def steps(self, events: Sequence[Event]) -> tuple[Step, ...] | None:
        """Return the steps of a plan that calls are; None where that is not known."""
        return None

    @abstractmethod
    def called(self, steps: Iterable[Token]) -> Iterator[Event]:
        """Yield the calls that steps of a plan are, without what leaves none."""

    def shown(self, steps: Sequence[Step], state: State) -> tuple[Token, ...]:
        """Return steps of the model, from a state, as people see them."""
        return tuple(steps)

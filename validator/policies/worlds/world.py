"""What is asked of a model while a run goes on: whether a call can be executed in a state, and what it leads to."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeAlias

from validator.checking.prepared import Prepared, prepare
from validator.model.values import GroundAtom, Model
from validator.policies.conditions import Atom, Truth
from validator.policies.events import Event
from validator.policies.policy import Policy
from validator.reading.plan import Step

__all__ = ["Judged", "State", "World", "facts_of", "from_facts"]

State: TypeAlias = Hashable
"""of a model: only its world looks into it"""


def facts_of(state: State) -> frozenset[GroundAtom]:
    """Return a state that is the facts which hold in it."""
    assert isinstance(state, frozenset)
    return state


def from_facts(prepared: Prepared, state: State) -> Prepared:
    """Return a model whose initial state is such a state."""
    problem = replace(prepared.model.problem, init=facts_of(state))
    return prepare(Model(domain=prepared.model.domain, problem=problem))


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a call can be executed in a state; None where it is not known which step of the model it is.

    ``after`` is the state that it leads to, ``steps`` what is executed in the model, with what leaves no call.
    """

    allowed: Truth
    reason: str
    after: State
    steps: tuple[Step, ...] = ()


class World(Protocol):
    """A model that calls are executed on.

    ``tools`` are its names, ``parameters`` the names of their arguments, by folded name.
    """

    @property
    def prepared(self) -> Prepared: ...
    @property
    def tools(self) -> Mapping[str, str]: ...
    @property
    def parameters(self) -> Mapping[str, tuple[str, ...]]: ...
    @property
    def start(self) -> State: ...

    def holds(self, state: State, atom: Atom) -> Truth:
        """Return whether a fact holds in a state; None for one that the model does not know."""

    def judge(self, state: State, event: Event) -> Judged:
        """Return whether a call can be executed in a state."""

    def ahead(self, state: State) -> Prepared:
        """Return the model of what is to come from a state."""

    def unmet(self, state: State) -> tuple[str, ...]:
        """Return the parts of the goal that are false in a state."""

    def calls(self, asked: Sequence[Event], policy: Policy) -> tuple[tuple[Event, ...], bool]:
        """Return the calls that could be added to a run, those that a policy asks for among them; whether they are all.

        A call that is told apart from another one neither by the policy nor by the model is left out.
        """

    def reads(self, key: str) -> bool:
        """Return whether a tool changes nothing."""

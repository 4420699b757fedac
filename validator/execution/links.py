"""Causal links: which step makes true what another step needs (McAllester and Rosenblitt 1991)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.execution.run import happenings
from validator.execution.simulator import Simulator
from validator.execution.trace import Change, Trace
from validator.model.conditions import Binding, bound, conjuncts, ground, holds, predicates
from validator.model.pddl.write import formula_text
from validator.model.values import Atom, Formula, GroundAtom, Not
from validator.reading.plan import Step, Token
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CausalLink:
    """``producer`` (None: the initial state) made true the condition that ``consumer`` (None: the goal) needs.

    Both are indices of tokens of the plan, from 0.
    """

    producer: int | None
    condition: str
    consumer: int | None


def causal_links(simulator: Simulator, tokens: Sequence[Token], trace: Trace) -> Iterator[CausalLink]:
    """Yield the causal links of an executed plan; a condition that does not hold has none.

    ``tokens`` are resolved, ``trace`` is what came of them. The producer of a condition is the last step before the
    consumer by which it became true; the conjuncts of a precondition have one each. A conjunct that is no literal (a
    disjunction, a quantified or derived condition) is one condition.
    """
    return _Walk(simulator, tokens, trace).links()


class _Walk:
    """One walk along a plan: the state, who made each atom true or false last, and what happened so far."""

    def __init__(self, simulator: Simulator, tokens: Sequence[Token], trace: Trace) -> None:
        self.simulator = simulator
        self.tokens = tokens
        self.changes = trace.changes
        self.state: set[GroundAtom] = set(trace.init)
        self.adder: dict[GroundAtom, int] = {}
        self.deleter: dict[GroundAtom, int] = {}
        self.past: list[list[tuple[int, Change]]] = []

    def links(self) -> Iterator[CausalLink]:
        model = self.simulator.model
        for happening in happenings(self.tokens):
            for index in happening:
                step = self.tokens[index]
                action = model.domain.actions.get(step.name) if isinstance(step, Step) else None
                if isinstance(step, Step) and action is not None and len(step.args) == len(action.parameters):
                    binding = bound(action.parameters, step.args)
                    yield from self._links(action.precondition, binding, index)
            self._apply([(index, self.changes[index]) for index in happening])
        yield from self._links(model.problem.goal, {}, None)

    def _links(self, formula: Formula, binding: Binding, consumer: int | None) -> Iterator[CausalLink]:
        for part in conjuncts(formula):
            if any(predicates(part)) and holds(self.simulator.model, part, binding, self.simulator.view(self.state)):
                condition = formula_text(part, binding)
                for producer in self._producers(part, binding):
                    yield CausalLink(producer=producer, condition=condition, consumer=consumer)

    def _producers(self, part: Formula, binding: Binding) -> list[int | None]:
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, Atom) and not self.simulator.is_derived(inner.predicate):
            made = self.adder if inner is part else self.deleter
            return [made.get(ground(inner, binding))]
        return self._since(part, binding)

    def _since(self, part: Formula, binding: Binding) -> list[int | None]:
        """Return the steps of the last happening before which a condition was false, by undoing one after the other."""
        state = set(self.state)
        names = frozenset(predicates(part))
        is_plain = not any(self.simulator.is_derived(name) for name in names)
        for members in reversed(self.past):
            atoms = [atom for _, change in members for atom in (*change.added, *change.deleted)]
            for _, change in members:
                state -= change.added
                state |= change.deleted
            if is_plain and names.isdisjoint(atom[0] for atom in atoms):
                continue
            if not holds(self.simulator.model, part, binding, self.simulator.view(state)):
                return [index for index, change in members if change.added or change.deleted]
        return [None]

    def _apply(self, members: list[tuple[int, Change]]) -> None:
        for index, change in members:
            self.state -= change.deleted
            self.state |= change.added
            self.adder.update(dict.fromkeys(change.added, index))
            self.deleter.update(dict.fromkeys(change.deleted, index))
        self.past.append(members)

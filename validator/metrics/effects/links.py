"""Causal links: which step makes true what another step needs (McAllester and Rosenblitt 1991)."""

from __future__ import annotations

from collections.abc import Iterator

from validator.execution.simulator import Simulator
from validator.execution.trace import Change
from validator.metrics.effects.effects import not_executed, unsound
from validator.metrics.reading import ModelLike, PlanLike, Reading, read
from validator.metrics.score import Score
from validator.model.conditions import Binding, conjuncts, ground, holds, predicates
from validator.model.pddl.write import formula_text
from validator.model.values import Atom, Formula, GroundAtom, Not
from validator.reading.plan import Step, Token
from validator.records import dataclass

__all__ = ["Link", "causal_links", "links_distance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """``producer`` (None: the initial state) made true the condition that ``consumer`` (None: the goal) needs."""

    producer: Token | None
    condition: str
    consumer: Token | None


def links_distance(generated: PlanLike, reference: PlanLike, model: ModelLike | None = None) -> Score:
    """Return 1 less the Jaccard similarity of the causal links: the causal distance of Nguyen et al. 2012.

    The initial state and the goal are producer and consumer as well. None for a plan that does not execute.
    """
    one, other = read(generated, model), read(reference, model)
    reasons = not_executed(one, other)
    if reasons:
        return Score(value=None, reason="; ".join(reasons))
    first, second = causal_links(one), causal_links(other)
    return Score(value=1 - len(first & second) / len(first | second) if first or second else 0.0)


def causal_links(plan: PlanLike, model: ModelLike | None = None) -> frozenset[Link]:
    """Return the causal links of a plan that executes.

    The producer of a condition is the last step before the consumer by which it became true; the conjuncts of a
    precondition have one each. A conjunct that is no literal (a disjunction, a quantified or derived condition) is one
    condition. Raises ValueError for a plan that does not execute.
    """
    reading = read(plan, model)
    fault = unsound(reading)
    if fault:
        raise ValueError(f"only a plan that executes has causal links: {fault}")
    return frozenset(_Links(reading).found())


class _Links:
    """One walk along a plan: the state, who made each atom true or false last, and what happened so far."""

    def __init__(self, reading: Reading) -> None:
        assert reading.simulator is not None
        self.simulator: Simulator = reading.simulator
        self.reading = reading
        self.tokens = [self.simulator.resolve(token) for token in reading.plan.tokens]
        self.state: set[GroundAtom] = set(reading.trace.init)
        self.adder: dict[GroundAtom, Token] = {}
        self.deleter: dict[GroundAtom, Token] = {}
        self.past: list[list[tuple[Token, Change]]] = []

    def found(self) -> Iterator[Link]:
        model = self.simulator.model
        for happening in self.reading.happenings:
            for index in happening:
                step = self.tokens[index]
                assert isinstance(step, Step)
                action = model.domain.actions[step.name]
                binding = {parameter.name: arg for parameter, arg in zip(action.parameters, step.args, strict=True)}
                yield from self._links(action.precondition, binding, _bare(step))
            self._apply([(_bare(self.tokens[index]), self.reading.trace.changes[index]) for index in happening])
        yield from self._links(model.problem.goal, {}, None)

    def _links(self, formula: Formula, binding: Binding, consumer: Token | None) -> Iterator[Link]:
        for part in conjuncts(formula):
            if any(predicates(part)) and holds(self.simulator.model, part, binding, self.simulator.view(self.state)):
                condition = formula_text(part, binding)
                for producer in self._producers(part, binding):
                    yield Link(producer=producer, condition=condition, consumer=consumer)

    def _producers(self, part: Formula, binding: Binding) -> list[Token | None]:
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, Atom) and not self.simulator.is_derived(inner.predicate):
            made = self.adder if inner is part else self.deleter
            return [made.get(ground(inner, binding))]
        return self._since(part, binding)

    def _since(self, part: Formula, binding: Binding) -> list[Token | None]:
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
                return [token for token, change in members if change.added or change.deleted]
        return [None]

    def _apply(self, members: list[tuple[Token, Change]]) -> None:
        for token, change in members:
            self.state -= change.deleted
            self.state |= change.added
            self.adder.update(dict.fromkeys(change.added, token))
            self.deleter.update(dict.fromkeys(change.deleted, token))
        self.past.append(members)


def _bare(token: Token) -> Token:
    return Step(name=token.name, args=token.args) if isinstance(token, Step) else token

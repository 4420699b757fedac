"""Causal links: which step makes true what another step needs (McAllester and Rosenblitt 1991)."""

from __future__ import annotations

from validator.execution.links import causal_links as links_of
from validator.metrics.effects.effects import not_executed, unsound
from validator.metrics.reading import ModelLike, PlanLike, read
from validator.metrics.score import Score
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
    assert reading.simulator is not None
    tokens = [reading.simulator.resolve(token) for token in reading.plan.tokens]
    bare = [Step(name=token.name, args=token.args) if isinstance(token, Step) else token for token in tokens]
    return frozenset(
        Link(
            producer=None if link.producer is None else bare[link.producer],
            condition=link.condition,
            consumer=None if link.consumer is None else bare[link.consumer],
        )
        for link in links_of(reading.simulator, tokens, reading.trace, reading.happenings)
    )

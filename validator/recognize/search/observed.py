"""What observations can mean: for each the ground steps, or the ways in which its fact can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Protocol

from validator.errors import PlanError
from validator.model.values import Formula
from validator.reading.plan import Constraint, Step, Token
from validator.recognize.problem import Observation, Order, RecognitionProblem, Unmatchable
from validator.recognize.search.grounded import Ways
from validator.records import dataclass, replace

__all__ = ["Meanings", "Observed", "Reachable", "Seen", "observed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """An observation that can be explained: by any of ``steps``, or for a fact (``ways``) by a state.

    ``price`` is what it costs to leave it unexplained; None where that is not allowed. ``after`` are the indices of the
    observations that came before it, directly or not, where the order is partial.
    """

    index: int
    steps: frozenset[Step]
    ways: Ways | None
    price: Fraction | None
    after: frozenset[int] = frozenset()


@dataclass(frozen=True, kw_only=True)
class Observed:
    """All observations: those that can be explained, and those that no plan explains.

    ``forced`` is the price of the latter, None where they may not be left unexplained.
    """

    seen: tuple[Seen, ...]
    unmatchable: tuple[Unmatchable, ...]
    tokens: tuple[Token, ...]
    facts: tuple[Formula | None, ...]
    missing: Fraction
    order: Order
    forced: Fraction | None

    @property
    def total_price(self) -> Fraction | None:
        """Return what it costs to explain nothing at all."""
        prices = [one.price for one in self.seen]
        known = [price for price in prices if price is not None]
        return None if self.forced is None or len(known) < len(prices) else sum(known, self.forced)

    def priced(self, price: Fraction) -> Observed:
        """Return the observations with one price for each that can be explained, and none for the others."""
        return replace(self, seen=tuple(replace(one, price=price) for one in self.seen), forced=Fraction(0))


class Meanings(Protocol):
    """What observations can mean: the reachable steps, and for each fact the ways in which it can hold."""

    @property
    def by_step(self) -> Mapping[Step, object]: ...

    @property
    def facts(self) -> Mapping[Formula, Ways]: ...


@dataclass(frozen=True, slots=True)
class Reachable:
    """What observations can mean in a model that was not grounded for the planner."""

    by_step: Mapping[Step, object]
    facts: Mapping[Formula, Ways]


def observed(
    problem: RecognitionProblem,
    grounded: Meanings,
    observations: Sequence[Observation],
    *,
    price: Fraction | None,
    missing: Fraction,
    order: Order,
) -> Observed:
    """Find what each observation can mean; ``price`` None forbids to leave any unexplained.

    ``price`` and ``missing`` are costs of the model. Observations that name what they came after have a partial order,
    whatever ``order`` says. Raises PlanError for one that names none of the others, or that comes after itself.
    """
    after = _closure(observations)
    if any(after):
        order = Order.PARTIAL
    names: dict[str, list[Step]] = {}
    for step in grounded.by_step:
        names.setdefault(problem.action_names.get(step.name, step.name), []).append(step)
    seen: list[Seen] = []
    unmatchable: list[Unmatchable] = []
    forced: Fraction | None = Fraction(0)
    for index, observation in enumerate(observations):
        steps = _steps(observation, names)
        ways = None if observation.fact is None else grounded.facts[observation.fact]
        own = None if observation.price is None else observation.price * problem.unit
        own_price = None if price is None else price if own is None else own
        if steps or ways:
            seen.append(Seen(index=index, steps=steps, ways=ways, price=own_price, after=after[index]))
            continue
        reason = observation.fault or (
            "no reachable state has it" if ways is not None else "no reachable step is like it"
        )
        unmatchable.append(Unmatchable(observation=index, reason=reason))
        forced = None if forced is None or own_price is None else forced + own_price
    return Observed(
        seen=tuple(seen),
        unmatchable=tuple(unmatchable),
        tokens=tuple(map(_token, observations)),
        facts=tuple(observation.fact for observation in observations),
        missing=missing,
        order=order,
        forced=forced,
    )


def _closure(observations: Sequence[Observation]) -> list[frozenset[int]]:
    """Return for each observation all that came before it."""
    found = [one.after for one in observations]
    for index, before in enumerate(found):
        if any(place >= len(observations) for place in before):
            raise PlanError(f"observation {index + 1} comes after one that is not there: {max(before) + 1}")
    for _ in observations:
        longer = [before.union(*(found[place] for place in before)) for before in found]
        if longer == found:
            break
        found = longer
    for index, before in enumerate(found):
        if index in before:
            raise PlanError(f"observation {index + 1} comes after itself")
    return found


def _steps(observation: Observation, names: dict[str, list[Step]]) -> frozenset[Step]:
    wanted = observation.step
    if wanted is None or observation.fault:
        return frozenset()
    return frozenset(
        step for step in names.get(wanted.name, ()) if observation.any_arguments or _agrees(wanted.args, step.args)
    )


def _agrees(wanted: tuple[str, ...], args: tuple[str, ...]) -> bool:
    return len(wanted) == len(args) and all(arg in ("_", given) for arg, given in zip(wanted, args, strict=True))


def _token(observation: Observation) -> Token:
    """Return an observation as a line of a plan; a fact is what a plan's text calls an assertion."""
    return observation.token or observation.step or Constraint(text=observation.text.removeprefix("holds").strip())

"""What a guard says of a call before it is made, and the rest of the run that would be right where it denies one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic

from validator.errors import ValidatorError
from validator.grounding.limits import left_until
from validator.guard.inputs import Following
from validator.policies.conditions import Comparison, Pattern
from validator.policies.events import Event
from validator.policies.executor import Executor, ModelState
from validator.policies.policy import Track
from validator.policies.product import Position, Product
from validator.policies.repair.repair import keeps, nearest_run
from validator.policies.rules import AtLeast, Order, Rule
from validator.policies.values import Truth
from validator.reading.plan import Plan, Token
from validator.render.printed import Printed


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
    denied, by calls that keep the rules; None where that is not asked, or not known. ``number`` is what ``after`` is
    told of a call that was allowed.
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


# --- the rest of the run --------------------------------------------------------------------------


def rest_of_run(denied: Event, product: Product, begun: Position, time_limit: float) -> Rest:
    """Return what would be right from where a call was denied."""
    try:
        return _found(denied, product, begun, time_limit)
    except (ValidatorError, ValueError, OSError) as error:
        return Rest(None, reason=str(error))


def _found(denied: Event, product: Product, begun: Position, time_limit: float) -> Rest:
    deadline, executor = monotonic() + time_limit, product.executor
    if executor is None:
        return _kept(denied, product, begun, time_limit)
    planned = next((list(_left(*each)) for each in _states(product, begun) if isinstance(each[0], Following)), None)
    is_settled = True
    if planned is None and product.policy.rules:
        rest = _kept(denied, product, begun, time_limit)
        if rest.steps is not None:
            return rest
        is_settled = rest.proven  # else a run with the denied call may be what is right
    steps, is_proven, reason = _planned(executor, begun.state, planned, left_until(deadline))
    if steps is None:
        return Rest(None, is_proven and is_settled, reason)
    if not keeps(*_without_plan(product, begun), executor.called(steps)):
        return Rest(None, reason="the plan that was found from here does not keep the policy, or that is not known")
    return Rest(tuple(map(str, steps)), is_proven and is_settled, reason)


def _states(product: Product, begun: Position) -> Iterator[tuple[Rule, Track]]:
    return zip(product.policy.rules, begun.progress.rules, strict=True)


def _with_rules(product: Product, begun: Position, rules: Iterable[tuple[Rule, Track]]) -> tuple[Product, Position]:
    """Return a policy with other rules, each in the states that a run is in."""
    found = tuple(rules)
    policy = replace(product.policy, rules=tuple(rule for rule, _ in found))
    progress = replace(begun.progress, rules=tuple(track for _, track in found))
    return replace(product, policy=policy), replace(begun, progress=progress)


def _without_plan(product: Product, begun: Position) -> tuple[Product, Position]:
    """Return a policy without a plan to follow, and how far a run is in it."""
    kept = (each for each in _states(product, begun) if not isinstance(each[0], Following))
    return _with_rules(product, begun, kept)


def reaches_goal(executor: Executor, product: Product, begun: Position, seconds: float) -> Truth:
    """Return whether calls of a model lead to its goal and keep a policy; None where that is not known in time."""
    deadline = monotonic() + seconds
    steps, is_hopeless = executor.way_to_goal(begun.state, seconds)
    if steps is None:
        return False if is_hopeless else None
    product, begun = _without_plan(product, begun)
    if keeps(product, begun, executor.called(steps)):
        return True
    repair = nearest_run(replace(product, to_goal=True), begun, (), left_until(deadline))
    if repair.edits is not None:
        return True
    return False if repair.proven and not product.policy.speaks_of_messages else None


def _kept(denied: Event, product: Product, begun: Position, time_limit: float) -> Rest:
    """Return the rest of the nearest run that keeps the policy: with the denied call in it where that can be.

    With a model the run can be executed too, and what has no denied call in it is left to a planner.
    """
    repair = nearest_run(*_with_call(product, begun, denied), time_limit / 2)
    is_settled = True
    if repair.edits is None and product.executor is None:
        is_settled, repair = repair.proven, nearest_run(product, begun, (), time_limit / 2)
    steps = None if repair.edits is None else tuple(map(str, repair.run))
    return Rest(steps, repair.proven and is_settled, repair.reason)


def _planned(
    executor: Executor, state: ModelState, planned: Sequence[Event] | None, time_limit: float
) -> tuple[tuple[Token, ...] | None, bool, str]:
    """Return the steps from a state to the goal, whether no others are nearer or cheaper, and why there are none.

    With ``planned`` steps of a PDDL model the nearest steps to these; else a cheapest plan, which need not be near what
    was planned.
    """
    from validator.checking.check import check  # with what is needed for planning
    from validator.checking.solve import solve

    rest = executor.ahead(state)
    known = None if planned is None else executor.steps(planned)
    if known is not None:
        report = check(rest, None, Plan(parts=known), time_limit=time_limit)
        return (known, True, "") if report.determination else (report.repaired_plan, bool(report.proven), report.reason)
    found = solve(rest, time_limit=time_limit)
    if found.plan is None:
        return None, found.proven, found.reason or "no plan reaches the goal any more"
    return found.plan, found.proven and planned is None, ""


def _with_call(product: Product, begun: Position, call: Event) -> tuple[Product, Position, tuple[Event]]:
    """Return a policy that asks for a call as well, where that run begins, and the call itself."""
    pattern = Pattern(call.name, tuple(Comparison(name, "=", value) for name, value in call.values.items()))
    asked = AtLeast(1, pattern)
    return *_with_rules(product, begun, (*_states(product, begun), (asked, Track(frozenset((asked.start,)))))), (call,)


def _left(rule: Rule, track: Track) -> Iterator[Event]:
    """Yield the steps of a plan that are not done yet."""
    assert isinstance(rule, Order)
    for step in rule.left(next(iter(track.states))):
        named = {each.path: each.value for each in step.comparisons if each.path}
        yield Event(step.name, named, tuple(each.value for each in step.comparisons if not each.path))

"""What is right from here, looked for beside the agent: one thread at a time, none that keeps a process from ending."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic

from validator.checking.limits import left_until
from validator.errors import ValidatorError
from validator.guard.decision import Rest
from validator.guard.inputs import Following
from validator.policies.conditions import Comparison, Pattern
from validator.policies.events import Event
from validator.policies.execution.executor import Executor, State
from validator.policies.history import NO_HISTORY, History
from validator.policies.orders import Order
from validator.policies.policy import Policy, Progress
from validator.policies.repair.repair import keeps, nearest_run
from validator.policies.repair.search import On
from validator.policies.rules import AtLeast
from validator.reading.plan import Plan, Token

__all__ = ["Request", "Searches"]


@dataclass(frozen=True, slots=True)
class Request:
    """A call that was denied, and how far the run is: in each policy, and in the model."""

    denied: Event
    progress: tuple[Progress, ...]
    state: State | None


class Searches:
    """Looks for the rest of a run, a request after the other. Without requests there is no thread."""

    def __init__(self, executor: Executor | None, policies: tuple[Policy, ...], time_limit: float) -> None:
        self._executor, self._policies, self._time_limit = executor, policies, time_limit
        self._waiting: SimpleQueue[tuple[Request, Future[Rest]]] = SimpleQueue()
        self._lock = Lock()
        self._thread: Thread | None = None

    def begin(self, request: Request) -> Future[Rest]:
        """Begin to look, and return where the answer will be."""
        future: Future[Rest] = Future()
        self._waiting.put((request, future))
        with self._lock:
            if self._thread is None:
                self._thread = Thread(target=self._work, name="plan-guard", daemon=True)
                self._thread.start()
        return future

    def _work(self) -> None:
        while True:
            with self._lock:
                if self._waiting.empty():
                    self._thread = None
                    return
                request, future = self._waiting.get()
            try:
                future.set_result(self._found(request))
            except (ValidatorError, ValueError, OSError) as error:
                future.set_result(Rest(None, reason=str(error)))

    def _found(self, request: Request) -> Rest:
        deadline = monotonic() + self._time_limit
        if self._executor is None or request.state is None:
            return self._kept(request)
        on, is_settled = On(self._executor, request.state), True
        planned = next((_left(p, own) for p, own in self._pairs(request) if isinstance(p, Following)), None)
        if planned is None and self._policies:
            rest = self._kept(request, on)
            if rest.steps is not None:
                return rest
            is_settled = rest.proven  # else a run with the denied call may be what is right
        steps, is_proven, reason = _rest_of(self._executor, request.state, planned, left_until(deadline))
        if steps is None:
            return Rest(None, is_proven and is_settled, reason)
        rules = [(policy, own) for policy, own in self._pairs(request) if not isinstance(policy, Following)]
        if rules and not keeps(*_together(rules), self._executor.called(steps), on):
            return Rest(None, reason="the plan that was found from here does not keep the policy, or that is not known")
        return Rest(tuple(map(str, steps)), is_proven and is_settled, reason)

    def _pairs(self, request: Request) -> Sequence[tuple[Policy, Progress]]:
        return list(zip(self._policies, request.progress, strict=True))

    def _kept(self, request: Request, on: On | None = None) -> Rest:
        """Return the rest of the nearest run that keeps all policies: with the denied call in it where that can be.

        With a model the run can be executed too, and what has no denied call in it is left to a planner.
        """
        whole, begun = _together(self._pairs(request))
        repair = nearest_run(*_with_call(whole, begun, request.denied), self._time_limit / 2, on)
        is_settled = True
        if repair.edits is None and on is None:
            is_settled, repair = repair.proven, nearest_run(whole, begun, (), self._time_limit / 2)
        steps = None if repair.edits is None else tuple(map(str, repair.run))
        return Rest(steps, repair.proven and is_settled, repair.reason)


def _rest_of(
    executor: Executor, state: State, planned: Sequence[Event] | None, time_limit: float
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


def _together(pairs: Sequence[tuple[Policy, Progress]]) -> tuple[Policy, Progress]:
    """Return several policies as one, and how far a run is in it."""
    policies, progress = [policy for policy, _ in pairs], [own for _, own in pairs]
    whole = Policy(
        tuple(rule for policy in policies for rule in policy.rules),
        tuple(change for policy in policies for change in policy.changes),
        tuple(pattern for policy in policies for pattern in policy.read_only),
    )
    begun = Progress(
        frozenset[tuple[str, ...]]().union(*(each.certain for each in progress)),
        frozenset[tuple[str, ...]]().union(*(each.possible for each in progress)),
        tuple(states for each in progress for states in each.rules),
        _one_history(progress),
        max((each.time for each in progress if each.time is not None), default=None),
    )
    return whole, begun


def _one_history(progress: Sequence[Progress]) -> History:
    """Return what several policies remember of one run, in the order of time, which a guard knows of each call."""
    found = {each.key: each for own in progress for each in own.history}
    return NO_HISTORY.extended(*sorted(found.values(), key=lambda each: each.event.time or 0))


def _with_call(policy: Policy, begun: Progress, call: Event) -> tuple[Policy, Progress, tuple[Event]]:
    """Return a policy that asks for a call as well, where that run begins, and the call itself."""
    pattern = Pattern(call.name, tuple(Comparison(name, "=", value) for name, value in call.values.items()))
    asked = AtLeast(1, pattern)
    states: frozenset[Hashable] = frozenset((asked.start,))
    return policy.with_rules(asked), replace(begun, rules=(*begun.rules, states)), (call,)


def _left(policy: Policy, progress: Progress) -> list[Event]:
    """Return the steps of a plan that are not done yet."""
    order, states = policy.rules[0], progress.rules[0]
    assert isinstance(order, Order)
    state = next(iter(states))
    return [
        Event(step.name, {each.path: each.value for each in step.comparisons if each.path}, _placed(step))
        for step in order.left(state)
    ]


def _placed(step: object) -> tuple[object, ...]:
    comparisons = getattr(step, "comparisons", ())
    return tuple(each.value for each in comparisons if not each.path)

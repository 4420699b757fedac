"""``PlanGuard``: says of each call, before it is made, whether it may be made, and what would be right instead.

No search takes part in a decision. What would be right from here is looked for beside it, and comes when it is ready.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any

from validator.errors import InputError
from validator.guard.decision import Decision, NotUnderstood, Rest
from validator.guard.given import AnyPlan, plan_policy, sorted_out
from validator.guard.rest import Request, Searches
from validator.policies.conditions import Comparison, Pattern, Truth
from validator.policies.conform import mended_worlds
from validator.policies.events import Event, event_of
from validator.policies.mended.calls import giving
from validator.policies.policy import Broken, Policy, Progress
from validator.policies.result import Fault, Finding
from validator.policies.rules import OnlyIf, Rule
from validator.policies.worlds.world import State, World
from validator.reading.arguments import read_arguments
from validator.reading.calls import Call
from validator.reading.calls.objects import read_object

__all__ = ["PlanGuard"]


@dataclass(frozen=True, slots=True)
class _Now:
    """How far a run is: for each policy, and in the model."""

    progress: tuple[Progress, ...]
    state: State | None


@dataclass(frozen=True, slots=True)
class _Judged:
    """What would become of a run by a call."""

    now: _Now
    broken: tuple[Broken, ...] = ()
    executable: Truth = True
    reason: str = ""


class PlanGuard:
    """Guards one run of tool calls.

    ``subjects`` are policies and at most one model: a policy that was read, a path, a text or JSON values; a domain and
    a problem (a tuple), a flow, or a model read before. With a ``plan`` its steps are to be called, in an order that it
    allows, and nothing else but tools that change nothing: those named in ``read_only``, or by a policy; without
    ``read_only`` those whose names say so as well.

    ``not_understood`` is what becomes of a call of which nothing can be said: its name or a value is none of the
    model's, its arguments cannot be read, or a rule depends on what is not known. The default is to deny it.
    ``repair`` looks for the rest of the run beside the agent, for at most ``time_limit`` seconds each time. ``log`` is
    a file to which each call that was made is appended, as a line of JSON that ``adhere`` reads.

    It may be used from several threads. Calls that were allowed and whose result is not known yet count as made for
    what must not be, and as not made for what must be. Raises InputError, ModelError, PlanError, OSError.
    """

    def __init__(
        self,
        *subjects: Any,
        plan: AnyPlan | None = None,
        not_understood: NotUnderstood | str = NotUnderstood.DENY,
        read_only: Iterable[str] | None = None,
        repair: bool = True,
        time_limit: float = 10.0,
        log: str | Path | None = None,
    ) -> None:
        policies, models = sorted_out(subjects)
        if len(models) > 1:
            raise InputError(f"a guard has at most one model, and {len(models)} were given")
        if not policies and not models and plan is None:
            raise InputError("a guard needs a policy, a model or a plan")
        self._world: World | None = _world(models[0]) if models else None
        following = () if plan is None else (plan_policy(plan, self._world, policies, read_only),)
        self.policies: tuple[Policy, ...] = (*policies, *following)
        self.not_understood = NotUnderstood(not_understood)
        self.log = None if log is None else Path(log)
        self._lock = Lock()
        start = tuple(policy.start for policy in self.policies)
        self._now = _Now(start, None if self._world is None else self._world.start)
        self._records: list[dict[str, object]] = []
        self._open: dict[int, Event] = {}
        self._number = 0
        self._denied: list[Decision] = []
        self._searches = Searches(self._world, self.policies, time_limit) if repair else None

    # --- before and after a call -------------------------------------------------------------------

    def before(self, call: str | Mapping[str, object] | Call, arguments: object = None) -> Decision:
        """Say whether a call may be made: a name with its ``arguments``, or a call in any provider's JSON."""
        event = _event(call, arguments, {} if self._world is None else self._world.parameters)
        with self._lock:
            self._number += 1
            if isinstance(event, str):
                return self._unread(call, event)
            decision = self._decide(event)
            if decision.allowed:
                self._open[decision.number] = event
            else:
                self._denied.append(decision)
            return decision

    def after(self, decision: Decision | int, result: object = None, *, error: object = None) -> None:
        """Take down that an allowed call was made: its result, or the ``error`` that it failed with.

        Raises ValueError for a call that was not allowed, or was taken down before.
        """
        number = decision if isinstance(decision, int) else decision.number
        with self._lock:
            event = self._open.pop(number, None)
            if event is None:
                raise ValueError(f"call {number} is not open: it was denied, or its result is known already")
            made = replace(event, failed=error is not None)
            self._now = self._judge(self._now, made).now
            record = _record(made, number, result, error)
            self._records.append(record)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")

    def withdraw(self, decision: Decision | int) -> None:
        """Take down that an allowed call was not made after all."""
        with self._lock:
            self._open.pop(decision if isinstance(decision, int) else decision.number, None)

    # --- what happened -----------------------------------------------------------------------------

    @property
    def trace(self) -> list[dict[str, object]]:
        """Return the calls that were made, in the order in which they ended, as ``adhere`` reads them."""
        with self._lock:
            return [dict(record) for record in self._records]

    @property
    def denied(self) -> tuple[Decision, ...]:
        """Return the decisions against calls."""
        with self._lock:
            return tuple(self._denied)

    def finish(self) -> tuple[Finding, ...]:
        """Return what the run lacks where it ends here: rules that are not met, steps of the plan, the model's goal."""
        with self._lock:
            now = self._now
        found = []
        for policy, progress in zip(self.policies, now.progress, strict=True):
            for number, rule in enumerate(policy.rules):
                if (met := policy.verdict(progress, number)) is not True:
                    state = next((each for each in progress.rules[number] if not rule.is_met(each)), rule.start)
                    found.append(Finding(rule, met, (Fault(None, rule.missing(state), met is False),)))
        if self._world is not None and now.state is not None and (unmet := self._world.unmet(now.state)):
            found.append(Finding("the goal", False, tuple(Fault(None, f"{part} is false") for part in unmet)))
        return tuple(found)

    # --- deciding ----------------------------------------------------------------------------------

    def _unread(self, call: object, why: str) -> Decision:
        decision = Decision(
            allowed=self.not_understood is NotUnderstood.ALLOW,
            call=Event(str(call)[:200], is_known=False),
            number=self._number,
            reason=f"no call could be read: {why}",
            understood=False,
        )
        if decision.allowed:
            self._open[decision.number] = decision.call
        else:
            self._denied.append(decision)
        return decision

    def _decide(self, event: Event) -> Decision:
        judged = [self._judge(self._now, event)]
        if self._open:
            ahead = self._now
            for each in self._open.values():
                ahead = self._judge(ahead, each).now
            judged.append(self._judge(ahead, event))
        wrong = [each for each in judged if each.executable is False or any(b.is_certain for b in each.broken)]
        unsure = [each for each in judged if each.executable is None or each.broken]
        if not wrong and not unsure:
            return Decision(allowed=True, call=event, number=self._number)
        worst = (wrong or unsure)[0]
        allowed = not wrong and self.not_understood is NotUnderstood.ALLOW
        broken = [each for each in worst.broken if each.is_certain] if wrong else list(worst.broken)
        reasons = [worst.reason] if worst.reason and (not wrong or worst.executable is False) else []
        return Decision(
            allowed=allowed,
            call=event,
            number=self._number,
            reason="; ".join(dict.fromkeys((*reasons, *(each.reason for each in broken)))),
            understood=bool(wrong),
            instead=() if allowed else tuple(dict.fromkeys(self._instead(broken, event))),
            rules=tuple(each.rule for each in broken),
            _rest=None if allowed else self._look(event),
        )

    def _judge(self, now: _Now, event: Event) -> _Judged:
        """Return what would become of a run by a call. A call that breaks a rule counts for nothing to it."""
        world, holds = self._world, None
        if world is not None and now.state is not None:
            holds = partial(world.holds, now.state)
        progress: list[Progress] = []
        broken: list[Broken] = []
        for policy, own in zip(self.policies, now.progress, strict=True):
            following, wrong = policy.after(own, event, holds)
            progress.append(mended_worlds(own, following) if wrong else following)
            broken += wrong
        if world is None or now.state is None or event.failed:
            return _Judged(_Now(tuple(progress), now.state), tuple(broken))
        judged = world.judge(now.state, event)
        return _Judged(_Now(tuple(progress), judged.after), tuple(broken), judged.allowed, judged.reason)

    def _instead(self, broken: Sequence[Broken], event: Event) -> Iterator[str]:
        """Yield calls that bring the rules further that a call breaks."""
        rules = [id(each.rule) for each in broken]
        for policy, progress in zip(self.policies, self._now.progress, strict=True):
            for rule, worlds in zip(policy.rules, progress.rules, strict=True):
                if id(rule) in rules:
                    yield from (str(pattern) for state in worlds for pattern in rule.wanted(state))
                    yield from (str(_bound(*each)) for each in _giving(policy, rule, event))

    def _look(self, event: Event) -> Future[Rest] | None:
        if self._searches is None:
            return None
        return self._searches.begin(Request(event, self._now.progress, self._now.state))


def _giving(policy: Policy, rule: Rule, event: Event) -> Iterator[tuple[Pattern, Mapping[str, object]]]:
    return giving(policy, rule, [event]) if isinstance(rule, OnlyIf) else iter(())


def _bound(pattern: Pattern, given: Mapping[str, object]) -> Pattern:
    return replace(pattern, comparisons=(*pattern.comparisons, *(Comparison(k, "=", v) for k, v in given.items())))


def _world(model: Any) -> World:
    from validator.policies.worlds.choose import world_of

    return world_of(model)


def _event(
    call: str | Mapping[str, object] | Call, arguments: object, schemas: Mapping[str, Sequence[str]]
) -> Event | str:
    """Return a call as an event, or why it is none; ``schemas`` name arguments that are given by their place."""
    if isinstance(call, Call):
        return event_of(call, schemas)
    if isinstance(call, Mapping):
        found = read_object(call)
        if isinstance(found, str):
            return found
        call, arguments = found.name, {} if found.given is None else found.given
    if arguments is None:
        return Event(call)
    if isinstance(arguments, Mapping) and all(isinstance(name, str) for name in arguments):
        return Event(call, dict(arguments))
    read = read_arguments(arguments)
    return event_of(Call(index=0, name=call, arguments=read), schemas)


def _record(event: Event, number: int, result: object, error: object) -> dict[str, object]:
    record: dict[str, object] = {"name": event.name, "arguments": dict(event.values), "id": str(number)}
    if event.placed:
        record["arguments"] = [*event.placed, *event.values.values()]
    return record | ({"result": result} if error is None else {"error": str(error)})

"""``PlanGuard``: says of each call, before it is made, whether it may be made, and what would be right instead.

No search takes part in a decision. What would be right from here is looked for when the decision is asked for it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from validator.errors import InputError, ValidatorError, did_you_mean
from validator.guard.decision import Decision, NotUnderstood, UnknownNames, reaches_goal, rest_of_run
from validator.guard.inputs import AnyPlan, plan_rule, read_event, sorted_out, unknown
from validator.policies.conditions import Comparison, Pattern
from validator.policies.conform import Fault, Finding, executor_of
from validator.policies.events import MESSAGES, Event, message_of
from validator.policies.policy import Broken, Policy
from validator.policies.product import Position, Product, Transition
from validator.policies.repair.calls import achievers, alternatives
from validator.policies.rules import OnlyIf
from validator.policies.values import Truth, is_large
from validator.reading.calls import Call
from validator.reading.calls.tools import MOST_CHARACTERS, Known, signs, suspicious
from validator.reading.instants import instant
from validator.resources import without_collection
from validator.texts import shortened

if TYPE_CHECKING:
    from validator.flow.tools.specifications import Tool


_MOST_ARGUMENTS = 256
_MOST_COMPARED = 5000
"""characters of names that a nearest one is looked for among"""
_MOST_OTHERS = 8
"""calls with another number that are looked at where one is denied"""


class PlanGuard:
    """Guards one run of tool calls.

    ``subjects`` are policies and at most one model: a policy that was read, a path or a text; a domain and
    a problem (a tuple), or a model read before. With a ``plan`` its steps are to be called, in an order that it
    allows, and nothing else but tools that change nothing: those named in ``read_only``, or by a policy; without
    ``read_only`` those whose names say so as well.

    ``not_understood`` is what becomes of a call that cannot be judged: its name or a value is none of the
    model's, its arguments cannot be read, or a rule depends on what is not known. The default is to deny it.
    ``tools`` are the declared tools, in any form that ``read_tools`` knows: then a call of another name is not
    understood, and a policy that names what no tool has is an error, unless ``unknown_names`` allows it. Without them a
    name that only resembles one of the policy's is not understood. A decision that fails is against the call.

    ``log`` is a file to which each call that was made is appended, as a line of JSON that ``adhere`` reads. ``clock``
    says what time it is, in seconds, for rules with windows. With ``lookahead`` each decision looks for so many seconds
    whether the model's goal can still be reached.

    It may be used from several threads. Calls that were allowed and whose result is not known yet count as made for
    what must not be, and as not made for what must be. Raises InputError, ModelError, PlanError, OSError.
    """

    def __init__(
        self,
        *subjects: Any,
        plan: AnyPlan | None = None,
        not_understood: NotUnderstood | str = NotUnderstood.DENY,
        read_only: Iterable[str] | None = None,
        tools: object = None,
        unknown_names: UnknownNames | str = UnknownNames.DENY,
        log: str | Path | None = None,
        clock: Callable[[], float] = time.time,
        lookahead: float = 0.0,
    ) -> None:
        policies, models = sorted_out(subjects)
        if len(models) > 1:
            raise InputError(f"a guard has at most one model, and {len(models)} were given")
        if not policies and not models and plan is None:
            raise InputError("a guard needs a policy, a model or a plan")
        self._executor = executor_of(models[0]) if models else None
        if self._executor is not None and (shared := _kept_by_one(policies)):
            raise InputError(f"one policy keeps ({shared} ...) itself, and another one may ask the model for it")
        following = () if plan is None else (plan_rule(plan, self._executor, policies, read_only),)
        self.policy = Policy.joined((*policies, *([Policy(following)] if following else ())))
        self._product = Product(self.policy, self._executor)
        self.not_understood = NotUnderstood(not_understood)
        self.log = None if log is None else Path(log)
        self.clock, self.lookahead = clock, lookahead
        self.unknown_names = UnknownNames(unknown_names)
        self._tools: Mapping[str, Tool] | None = None
        self._listed = Known(())
        self._schemas: dict[str, frozenset[str] | None] = {}
        self._spoken = Known((*self.policy.names, *self.policy.families))
        self._own = Known(() if self._executor is None else self._executor.tools.values())
        self._fault = self._failed = ""
        self._lock = Lock()
        self._now = self._product.start
        self._records: list[dict[str, object]] = []
        self._open: dict[int, Event] = {}
        self._number = 0
        self._denied: list[Decision] = []
        if tools is not None:
            self.know(tools)
            if self._fault:
                raise InputError(self._fault)

    # --- the tools -----------------------------------------------------------------------------------

    def know(self, tools: object) -> None:
        """Take what tools there are. Where they cannot be read, or lack what a policy names, every call is denied."""
        import difflib  # noqa: F401  # which the first name that no tool has would wait for

        from validator.flow.tools.specifications import read_tools

        try:
            read = dict(read_tools(tools))
            lacks = unknown(self.policy, read, has_model=self._executor is not None)
        except ValidatorError as error:
            self.stop(f"the tools cannot be read: {error}")
            return
        with self._lock:
            self._tools, self._listed = read, Known(read)
            self._schemas = {name: _declared(tool) for name, tool in read.items()}
            refused = bool(lacks) and self.unknown_names is UnknownNames.DENY
            self._fault = f"the policy names what is not there: {'; '.join(lacks)}" if refused else ""

    def stop(self, reason: str) -> None:
        """Deny every call from now on, until the tools are known anew."""
        with self._lock:
            self._fault = reason

    @property
    def fault(self) -> str:
        """Return why every call is denied; empty where calls are decided one by one."""
        return self._failed or self._fault

    # --- before and after a call -------------------------------------------------------------------

    def before(self, call: str | Mapping[str, object] | Call, arguments: object = None) -> Decision:
        """Say whether a call may be made: a name with its ``arguments``, or a call in any provider's JSON."""
        with self._lock, without_collection():
            self._number += 1
            try:
                read = read_event(call, arguments, {} if self._executor is None else self._executor.parameters)
                if isinstance(read, str):
                    event = Event(shortened(str(call)), is_known=False)
                    is_allowed = self.not_understood is NotUnderstood.ALLOW
                    decision = self._unclear(event, f"no call could be read: {read}", allowed=is_allowed)
                else:
                    event = replace(self._meant(read), time=instant(self.clock()))
                    decision = self._unclear(event, self.fault) if self.fault else self._decide(event)
            except Exception as error:  # whatever it is, the call must not be made
                about = Event(shortened(str(call)), is_known=False) if not isinstance(call, str) else Event(call)
                decision = self._unclear(about, f"the guard failed ({type(error).__name__}: {error})")
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
            made = replace(event, failed=error is not None, result=result)
            try:
                self._now = self._judge(self._now, made).after
            except Exception as failure:
                self._failed = f"the guard failed ({type(failure).__name__}: {failure})"
                raise
            record = _record(made, number, result, error)
            self._records.append(record)
            if self.log is not None:
                with self.log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(record, ensure_ascii=False, default=str) + "\n")

    def message(self, role: str, text: str) -> None:
        """Take down what the user or the agent (``assistant``) says, for rules about ``@user`` and ``@assistant``.

        Raises ValueError for another role.
        """
        event = replace(message_of(role, text), time=instant(self.clock()))
        with self._lock:
            self._now = self._judge(self._now, event).after

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
        for number, (rule, track) in enumerate(zip(self.policy.rules, now.progress.rules, strict=True)):
            if (met := self.policy.verdict(now.progress, number)) is not True:
                state = next((each for each in track.states if not rule.is_met(each)), rule.start)
                found.append(Finding(rule, met, (Fault(None, rule.missing(state), met is False),)))
        if self._executor is not None and (unmet := self._executor.unmet(now.state)):
            found.append(Finding("the goal", False, tuple(Fault(None, f"{part} is false") for part in unmet)))
        return tuple(found)

    # --- deciding ----------------------------------------------------------------------------------

    def _meant(self, event: Event) -> Event:
        """Return a call with the name that the tool has, where another spelling means it."""
        if self._tools is None:
            return event
        name = self._listed.same(event.name) or event.name
        return replace(event, name=name, declared=self._schemas.get(name))

    def _doubt(self, event: Event) -> str:
        """Say why the name of a call, or of an argument, is not understood; empty where it is."""
        name = event.name
        if len(name) > MOST_CHARACTERS or any(len(each) > MOST_CHARACTERS for each in event.values):
            return f"a name has more than {MOST_CHARACTERS} characters"
        if len(event.values) > _MOST_ARGUMENTS:
            return f"it has more than {_MOST_ARGUMENTS:,} arguments"
        strange = f" ({strange})" if (strange := suspicious(name)) else ""
        if self._tools is not None:
            if name in self._tools:
                return ""
            near = did_you_mean(name, self._tools) if len(name) * len(self._tools) <= _MOST_COMPARED else ""
            return f"no tool is called '{name}'{strange}{near}"
        if name in self._own:
            return ""
        if like := self._spoken.resembles(name) or self._own.resembles(name):
            return f"'{name}' resembles '{like}', and is not the same name{strange}"
        if (found := signs(name)) and not (self._spoken.has_same(name) or self._own.has_same(name)):
            return f"'{name}' has what no name of a tool has: {found}{strange}"
        return ""

    def _unclear(self, event: Event, reason: str, *, allowed: bool = False) -> Decision:
        """Return the decision on a call of which it is not known whether it may be made."""
        return Decision(allowed=allowed, call=event, number=self._number, reason=reason, understood=False)

    def _decide(self, event: Event) -> Decision:
        doubt = self._doubt(event)
        nows = [self._now]
        if self._open:
            nows.append(self._now)
            for each in self._open.values():
                nows[1] = self._judge(nows[1], each).after
        judged = [self._judge(now, event, is_made=False) for now in nows]
        wrong = [each for each in judged if each.executable is False or any(b.is_certain for b in each.broken)]
        unsure = [each for each in judged if each.executable is None or each.broken]
        if not wrong and not unsure and not doubt:
            reachable = self._reaches_goal(nows[-1], event)
            return Decision(allowed=True, call=event, number=self._number, goal_reachable=reachable)
        worst = (wrong or unsure or judged)[0]
        allowed = not wrong and self.not_understood is NotUnderstood.ALLOW
        broken = [each for each in worst.broken if each.is_certain] if wrong else list(worst.broken)
        reasons = [doubt] if doubt else []
        reasons += [worst.reason] if worst.reason and (not wrong or worst.executable is False) else []
        return Decision(
            allowed=allowed,
            call=event,
            number=self._number,
            reason="; ".join(dict.fromkeys((*reasons, *(each.reason for each in broken)))),
            understood=bool(wrong),
            instead=() if allowed else tuple(dict.fromkeys(self._instead(broken, event, nows))),
            rules=tuple(each.rule for each in broken),
            goal_reachable=self._reaches_goal(nows[-1], event) if allowed else self._reaches_goal(self._now),
            _rest=None if allowed else partial(rest_of_run, event, self._product, self._now),
        )

    def _reaches_goal(self, now: Position, event: Event | None = None) -> Truth:
        """Return whether the goal can be reached from here, or after a call, by calls that keep the rules."""
        if not self.lookahead or self._executor is None:
            return None
        now = now if event is None else self._judge(now, event).after
        return reaches_goal(self._executor, self._product, now, self.lookahead)

    def _judge(self, now: Position, event: Event, *, is_made: bool = True) -> Transition:
        """Return what would become of a run by a call, whose name the model may spell in another way."""
        return self._product.after(now, event, is_made=is_made, name=self._own.same(event.name))

    def _instead(self, broken: Sequence[Broken], event: Event, nows: Sequence[Position]) -> Iterator[str]:
        """Yield calls that bring the rules further that a call breaks, and the call with a number that they allow."""
        rules, progress = [id(each.rule) for each in broken], self._now.progress
        model_holds = self._product.holds(self._now.state)
        for number, (rule, track) in enumerate(zip(self.policy.rules, progress.rules, strict=True)):
            if id(rule) in rules:
                yield from (str(pattern) for state in track.states for pattern in rule.wanted(state))
            if id(rule) in rules and isinstance(rule, OnlyIf):
                moment = self.policy.moment(number, event, progress, model_holds)
                for pattern, given in achievers(self.policy, rule, event, moment):
                    if pattern.name not in MESSAGES and not any(map(is_large, given.values())):
                        yield str(_bound(pattern, given))
        others = chain.from_iterable(alternatives(each.rule, event) for each in broken)
        for comparison, other in islice(others, _MOST_OTHERS):
            judged = [self._judge(now, other, is_made=False) for now in nows]
            if all(each.executable and not each.broken for each in judged):
                yield str(Pattern(event.name, (comparison,)))
                return


def _kept_by_one(policies: Sequence[Policy]) -> str:
    """Return a fact that one policy keeps and another one asks for without keeping it; empty without one."""
    return next((name for each in policies for other in policies for name in each.facts & other.external_facts), "")


def _declared(tool: Tool) -> frozenset[str] | None:
    """Return the names of arguments that a tool declares; None where it does not."""
    return frozenset(tool.inputs) if not tool.is_typed and (tool.given is not None or tool.inputs) else None


def _bound(pattern: Pattern, given: Mapping[str, object]) -> Pattern:
    return replace(pattern, comparisons=(*pattern.comparisons, *(Comparison(k, "=", v) for k, v in given.items())))


def _record(event: Event, number: int, result: object, error: object) -> dict[str, object]:
    record: dict[str, object] = {"name": event.name, "arguments": dict(event.values), "id": str(number)}
    if event.placed:
        record["arguments"] = [*event.placed, *event.values.values()]
    if event.time is not None:
        record["timestamp"] = event.time / 10**9
    return record | ({"result": result} if error is None else {"error": str(error)})

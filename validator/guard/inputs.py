"""What a guard is given: policies, models, a plan to follow, which becomes a policy, and calls."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from validator.adherence.align import batches
from validator.adherence.reads import reading_tools
from validator.errors import InputError, PlanError, did_you_mean
from validator.policies.conditions import Comparison, Fact, Pattern, Reference
from validator.policies.events import Event, event_of
from validator.policies.executor import Executor
from validator.policies.language import read_policy
from validator.policies.policy import Policy
from validator.policies.rules import Order
from validator.reading.arguments import read_arguments
from validator.reading.calls import Argument, Call, Planned, folded
from validator.reading.calls.objects import ARGUMENTS, ENVELOPES, NAMES, read_object, spelled
from validator.reading.calls.tools import look
from validator.reading.plan import Plan
from validator.reading.statements.plan_statement import given_plan
from validator.reading.values import equal

if TYPE_CHECKING:
    from validator.flow.tools.specifications import Tool


AnyPlan: TypeAlias = "str | Path | Plan | Mapping[str, object] | Sequence[object]"


def sorted_out(subjects: Sequence[Any]) -> tuple[tuple[Policy, ...], tuple[Any, ...]]:
    """Return which of some subjects are policies, read, and which are models. Raises what ``read_policy`` does."""
    policies = tuple(read_policy(each) for each in subjects if isinstance(each, Policy | str | Path))
    return policies, tuple(each for each in subjects if not isinstance(each, Policy | str | Path))


# --- a plan --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Following(Order):
    """The rule to follow a plan: all its steps, in its order, and nothing else that changes anything."""


def plan_rule(
    plan: AnyPlan, executor: Executor | None, policies: Iterable[Policy], read_only: Iterable[str] | None
) -> Following:
    """Return the rule to follow a plan. Raises PlanError for one that cannot be read, InputError if unclear.

    The tools that change nothing are those of the policies, and those named; without names those whose names say so.
    """
    vocabulary = getattr(getattr(executor, "prepared", None), "vocabulary", None) if executor is not None else None
    known = [] if executor is None else list(executor.tools.values())
    stated = given_plan(plan, known, vocabulary)  # type: ignore[arg-type]
    if stated.steps is None:
        raise InputError(f"the plan is not clear: {stated.reason}")
    if around := (*stated.around.unread, *stated.around.open):
        raise InputError(f"the plan is not clear: {'; '.join(around)}")
    if unread := [str(step) for step in stated.steps if not step.is_readable]:
        raise PlanError(f"the plan has what cannot be read as a step: {'; '.join(unread)}")
    reading = None if read_only is None else frozenset(map(folded, read_only))
    told = Policy(read_only=tuple(pattern for policy in policies for pattern in policy.read_only))

    def is_free(event: Event) -> bool:
        is_reading = bool(reading_tools([event.name], {}, {})) if reading is None else event.key in reading
        return is_reading or told.is_free(event)

    steps = tuple(_pattern(step, executor) for step in stated.steps)
    return Following(steps, tuple(_before(stated.steps)), is_exact=True, is_free=is_free)


def _before(steps: Sequence[Planned]) -> Iterator[tuple[int, ...]]:
    """Yield for each step those before it: those that it says, or those of the set before its own."""
    previous: tuple[int, ...] = ()
    for members in batches(steps):
        yield from (previous if (after := steps[place].after) is None else tuple(after) for place in members)
        previous = tuple(members)


def _pattern(step: Planned, executor: Executor | None) -> Pattern:
    """Return the calls that a planned step means: those with equal arguments."""
    named = zip(_parameters(step, executor), step.arguments or (), strict=True)
    return Pattern(step.name, tuple(_comparison(name or "", each) for name, each in named if not each.is_open))


def _parameters(step: Planned, executor: Executor | None) -> list[str | None]:
    """Return the names of the arguments; those of the model where they stand in its order and have none."""
    arguments = step.arguments or ()
    names = [each.name for each in arguments]
    own = () if executor is None else executor.parameters.get(folded(step.name), ())
    return list(own) if len(own) == len(names) and not any(names) else names


def _comparison(path: str, argument: Argument) -> Comparison:
    value = argument.value
    value = tuple(value) if isinstance(value, list) else value
    return Comparison(path, "=", value, is_loose=argument.is_string is None)


# --- a call --------------------------------------------------------------------------------------


def read_event(
    call: str | Mapping[str, object] | Call, arguments: object, schemas: Mapping[str, Sequence[str]]
) -> Event | str:
    """Return a call as an event, or why it is none; ``schemas`` name arguments that are given by their place."""
    if isinstance(call, Call):
        return event_of(call, schemas)
    if isinstance(call, Mapping):
        found = _ambiguous(call) or read_object(call)
        if isinstance(found, str):
            return found
        call, arguments = found.name, {} if found.given is None else found.given
    if isinstance(arguments, str) and _is_given_twice(arguments):
        return "its arguments give a name twice"
    if arguments is None:
        return Event(call)
    if isinstance(arguments, Mapping) and all(isinstance(name, str) for name in arguments):
        return Event(call, dict(arguments))
    read = read_arguments(arguments)
    return event_of(Call(index=0, name=call, arguments=read), schemas)


def _ambiguous(call: Mapping[Any, object]) -> str:
    """Say what a call gives in two places, each another value, of which a host may take either."""
    for keys, what in ((NAMES, "name"), (ARGUMENTS, "arguments")):
        given = [each for each in _given(call, keys) if what != "name" or isinstance(each, str)]
        if any(not equal(each, given[0]) for each in given[1:]):
            return f"it has more than one {what}" if what == "name" else f"it has more than one set of {what}"
    return ""


def _given(call: Mapping[Any, object], keys: Sequence[str]) -> Iterator[object]:
    """Yield what stands under some keys of a call, and of the objects in it that may be the call itself."""
    for key, value in call.items():
        name = spelled(str(key).strip())
        is_call = isinstance(value, Mapping) and (name in ENVELOPES or (name == "params" and "name" in value))
        if is_call:
            yield from _given(value, keys)  # type: ignore[arg-type]
        elif name in keys and value is not None:
            yield value


def _is_given_twice(text: str) -> bool:
    """Return whether an object of a JSON text has a name twice, of which servers take the one or the other."""
    found = False

    def pairs(members: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal found
        read = dict(members)
        found = found or len(read) < len(members)
        return read

    with suppress(ValueError, RecursionError):
        json.loads(text, object_pairs_hook=pairs)
    return found


# --- what no tool has -----------------------------------------------------------------------------


def unknown(policy: Policy, tools: Mapping[str, Tool], has_model: bool = False) -> tuple[str, ...]:
    """Say what a policy names that no tool has, each with the nearest name: such a rule protects nothing.

    With a model, facts may be the model's.
    """
    found = [*_unknown_calls(policy, tools), *(() if has_model else _unknown_facts(policy))]
    return tuple(dict.fromkeys(found))


def _unknown_calls(policy: Policy, tools: Mapping[str, Tool]) -> Iterator[str]:
    for pattern, paths in policy.asked():
        meant = [tool for name, tool in tools.items() if pattern.names(name)]
        if not meant and not pattern.name.startswith("@"):  # "@user" is who speaks
            yield f"no tool is called '{pattern.name}'{did_you_mean(pattern.name, tools)}"
        for path in paths if meant else ():
            if not any(_has(tool, path) for tool in meant):
                known = {name for tool in meant for name in tool.inputs}
                yield f"'{pattern.name}' has no argument '{path}'{did_you_mean(path, sorted(known))}"


def _has(tool: Tool, path: str) -> bool:
    head = path.partition(".")[0]
    names = (path, head)
    return any(look(name) == look(each) for name in names for each in tool.inputs) or tool.takes_more(head)


def _unknown_facts(policy: Policy) -> Iterator[str]:
    given = [fact for change in policy.changes for fact in change.gives]
    for rule in policy.rules:
        for fact in rule.facts:
            if not any(_may_be(fact, other) for other in given):
                yield f"nothing gives {fact}{did_you_mean(str(fact), sorted(set(map(str, given))))}"


def _may_be(fact: Fact, other: Fact) -> bool:
    """Return whether two facts can be the same for some calls."""
    if fact.name != other.name or len(fact.terms) != len(other.terms):
        return False
    pairs = zip(fact.terms, other.terms, strict=True)
    return all(one == two or Reference in (type(one), type(two)) for one, two in pairs)

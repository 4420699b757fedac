"""Questions about the plans of flows: the flow compiled, its steps shown as people write them."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterator
from itertools import combinations

from validator.checking.prepared import Prepared
from validator.flow.compiled.compile import Compiled
from validator.flow.compiled.words import Words
from validator.flow.model import Flow, Operator
from validator.flow.plans.checked import Checked
from validator.flow.plans.shape import expand_groups
from validator.flow.plans.tokens import BASIC, Call
from validator.flow.plans.written import written
from validator.foils.dialogue import Dialogue, Subject
from validator.foils.language.patterns import Names, View
from validator.reading.plan import Constraint, Plan, Step, Token
from validator.records import dataclass, replace

__all__ = ["FlowModel", "flow_model", "flow_subject"]


_MOST_OPTIONAL = 4
"""optional inputs of an operator of which each set is told apart"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowModel:
    """A flow ready for ``why_not``: its model, how its steps are seen and called, the plans in the model's steps."""

    prepared: Prepared
    view: View
    plans: tuple[Plan, ...]


def flow_model(flow: Flow, *plans: str, fills_outputs: bool = False) -> FlowModel:
    """Compile a flow together with plans of it, each way to give an operator optional inputs as a step of its own.

    With ``fills_outputs`` calls that name no outputs have those of their operator.
    Raises ModelError as ``validator.flow.compile_flow`` does, PlanError for a text over a stated limit.
    """
    texts = [written(plan, flow) for plan in plans]
    expanded = [expand_groups(text.tokens, flow.options).tokens for text in texts]
    if fills_outputs:
        expanded = [tuple(_filled(token, flow) for token in tokens) for tokens in expanded]
    together = expand_groups(tuple(token for tokens in expanded for token in tokens), flow.options)
    checked = Checked(flow, together, compare_outputs=True, given=_ways_of_giving(flow))
    parts = iter(checked.plan.parts)
    return FlowModel(
        prepared=checked.compiled.prepared,
        view=_view(flow, checked.compiled),
        plans=tuple(
            Plan(parts=tuple(next(parts) for _ in tokens), reading=text.reading)
            for text, tokens in zip(texts, expanded, strict=True)
        ),
    )


def flow_subject(flow: Flow, dialogue: Dialogue | None = None, plan: str | None = None) -> Subject:
    """Return a flow as what a dialogue is about, with the plans of the dialogue, or the one that it begins with.

    Raises what ``flow_model`` does.
    """
    lines = [tuple(plan.splitlines())] if plan is not None else []
    if dialogue is not None:
        lines += [each for each in (dialogue.plan, *(turn.steps for turn in dialogue.turns)) if each]
    lines = list(dict.fromkeys(lines))
    model = flow_model(flow, *("\n".join(each) for each in lines), fills_outputs=True)
    name = hashlib.sha256(repr(flow).encode()).hexdigest()[:16]
    return Subject(
        prepared=model.prepared,
        model=name,
        view=model.view,
        plans=dict(zip(lines, model.plans, strict=True)),
    )


def _view(flow: Flow, compiled: Compiled) -> View:
    by_default = {step.name: name for name, step in compiled.calls.items()}

    def show(step: Step) -> Step | Constraint:
        if step.name in by_default:  # it asks for no optional input
            operator = compiled.flow.by_name[by_default[step.name]]
            return Call(name=operator.name, args=tuple(_given(operator, frozenset())))
        shown = compiled.outer(step)
        return shown if isinstance(shown, Constraint) else Call(name=shown.name, args=shown.args)

    def hidden(token: Token) -> Step | None:
        if isinstance(token, Step):
            return compiled.inner(Step(name=token.name, args=token.args))
        return compiled.inner(token) if isinstance(token, Constraint) else None

    return View(show=show, hidden=hidden, told=Words(compiled.words).failure, names=_names(flow, compiled))


def _ways_of_giving(flow: Flow) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield each operator that has optional inputs with each set of these; where they are many, with all and none."""
    for operator in flow.operators:
        optional = sorted(operator.optional_items)
        sizes = range(len(optional) + 1) if len(optional) <= _MOST_OPTIONAL else (0, len(optional))
        if optional:
            yield from ((operator.name, frozenset(part)) for size in sizes for part in combinations(optional, size))


def _given(operator: Operator, optional: frozenset[str]) -> Iterator[str]:
    """Yield the inputs of a call that is given some of the optional ones."""
    return (item for item in operator.input_items if item in optional or item not in operator.optional_items)


def _filled(token: Token, flow: Flow) -> Token:
    """Return a call that names no outputs with those of its operator."""
    operator = flow.by_name.get(token.name) if isinstance(token, Step) and not token.outputs else None
    outputs = () if operator is None else tuple(entry.item for entry in operator.outputs)
    return replace(token, outputs=outputs) if isinstance(token, Step) and outputs else token


def _names(flow: Flow, compiled: Compiled) -> Names:
    numbers: dict[str, Collection[int] | None] = {"ask": (1,), "map": (2,), "confirm": (1,)}
    assert numbers.keys() == BASIC.keys()
    for operator in flow.operators:
        optional = any(not entry.required for entry in operator.inputs)
        numbers[operator.name] = None if optional else (len(operator.input_items),)
    return Names(steps=numbers, objects=compiled.items)

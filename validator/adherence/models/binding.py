"""A planned step or a call as a step of a flow: its arguments bound to the inputs of its operator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from validator.errors import did_you_mean, nearest
from validator.execution.trace import Failure, Kind
from validator.flow.compiled.analysis import Analysis
from validator.flow.model import Flow, Operator
from validator.flow.plans.tokens import Call as FlowCall
from validator.flow.plans.tokens import FlowTokenizer
from validator.flow.silent_steps import KINDS
from validator.reading.calls import Argument, Call, Names, Planned
from validator.reading.plan import Constraint, Step, Token, Unparsed
from validator.reading.traces.recording import folded
from validator.records import dataclass, field, replace

__all__ = ["Binder", "Bound", "name_of"]

_REFERENCE = re.compile(r"\$(?:[A-Za-z_]\w*\.)?([A-Za-z_]\w*)\$?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """A step of the flow; for each input what was given for it: a value, or the name of an item.

    ``faults`` are those that it has in itself, beyond what is wrong with the step.
    """

    token: Token
    values: Mapping[str, Argument] = field(default_factory=dict)
    items: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Failure, ...] = ()


def name_of(token: Token) -> str:
    return token.name if isinstance(token, Step) else "assert" if isinstance(token, Constraint) else token.text


class Binder:
    """Binds planned steps and calls to a flow."""

    def __init__(self, flow: Flow, tokenizer: FlowTokenizer) -> None:
        self.flow = flow
        self.analysis = Analysis(flow)
        self._tokenizer = tokenizer
        self._operators, self._items = Names(flow.by_name), Names(flow.item_types)

    def bind(self, side: Planned | Call) -> Bound | str:
        """Return a planned step or a call as a step of the flow, or why it is not known which one it is."""
        if isinstance(side, Planned) and not side.is_readable:
            return "it cannot be read as a step"
        if isinstance(side, Planned) and side.is_own and side.token is not None:
            return self._of_token(side.token)
        if folded(side.name) in KINDS:
            return self._basic(side)
        names = self._operators.meant(side.name)
        if len(names) > 1:
            return f"it may be {' or '.join(names)}"
        if not names:
            near = nearest(side.name, self.flow.by_name)
            fault = Failure(step=None, kind=Kind.UNKNOWN_ACTION, detail=side.name, nearest=near)
            return Bound(token=_strange(side), faults=(fault,))
        operator = self.flow.by_name[names[0]]
        inputs = Names(operator.input_items)
        for argument in side.arguments or ():
            alike = () if argument.name is None else inputs.meant(argument.name)
            if len(alike) > 1:
                return f"its input {argument.name} may be {' or '.join(alike)}"
        return _Binding(self, operator, side).bound()

    def _of_token(self, token: Token) -> Bound:
        """Return a step of a plan text; a collapsed one has, in place of an input, the item that stands for it."""
        operator = self.flow.by_name.get(name_of(token))
        if operator is None or not isinstance(token, FlowCall) or len(token.args) != len(operator.input_items):
            return Bound(token=token)
        pairs = list(zip(operator.input_items, token.args, strict=True))
        items = {item: arg for item, arg in pairs if arg != item and arg in self.analysis.sources(item)}
        return Bound(
            token=replace(token, args=tuple(item if item in items else arg for item, arg in pairs)), items=items
        )

    def _basic(self, side: Planned | Call) -> Bound | str:
        """Return a recorded question, mapping, confirmation or assertion."""
        if side.arguments is None:
            return "its arguments are not known"
        name, texts = folded(side.name), [argument.text for argument in side.arguments]
        if name == "assert":
            return Bound(token=self._tokenizer(f"assert {' '.join(texts)}"))
        return Bound(token=FlowCall(name=name, args=tuple(self.item(text) or text for text in texts)))

    def item(self, text: str) -> str | None:
        """Return the item that a text names, itself or as ``$item`` or ``$label.item``; None for none or several."""
        match = _REFERENCE.fullmatch(text.strip())
        found = self._items.meant(match[1] if match else text)
        return found[0] if len(found) == 1 else None


def _strange(side: Planned | Call) -> Token:
    return Unparsed(text=str(side), reason="not a step of the flow", reading=FlowCall(name=" "))


class _Binding:
    """Binds the arguments of one call to the inputs of its operator."""

    def __init__(self, binder: Binder, operator: Operator, side: Planned | Call) -> None:
        self.binder = binder
        self.operator = operator
        self.side = side
        self.inputs = operator.input_items
        self.required = [item for item in self.inputs if item in {e.item for e in operator.inputs if e.required}]
        self.given: dict[str, Argument] = {}
        self.faults: list[Failure] = []

    def bound(self) -> Bound:
        if self.side.arguments is None:  # which says nothing of the optional inputs
            return Bound(token=FlowCall(name=self.operator.name, args=tuple(self.required)))
        self._take(self.side.arguments)
        for item in self.required:
            if item not in self.given:
                self._fault(f"{self.operator.name} needs the input '{item}'")
        items = {item: named for item, argument in self.given.items() if (named := self._named(item, argument))}
        values = {item: each for item, each in self.given.items() if item not in items and not each.is_open}
        for item, argument in values.items():
            self._allow(item, argument)
        token: Token = _strange(self.side)
        if not self.faults:
            args = tuple(item for item in self.inputs if item in self.given)
            token = FlowCall(name=self.operator.name, args=args)
        return Bound(token=token, values=values, items=items, faults=tuple(self.faults))

    def _take(self, arguments: Sequence[Argument]) -> None:
        """Give each argument to the input of its name, or, where it has none, to the first that is left."""
        inputs = Names(self.inputs)
        by_name = {each.name: next(iter(inputs.meant(each.name)), None) for each in arguments if each.name is not None}
        named = set(by_name.values())
        free = iter([item for item in self.inputs if item not in named])
        for argument in arguments:
            item = next(free, None) if argument.name is None else by_name[argument.name]
            if item is not None:
                if argument.text != "null" or argument.is_string:  # null gives nothing
                    self.given[item] = argument
            elif argument.name is None:
                self._fault(f"{self.operator.name} takes {len(self.inputs)} inputs, got {len(arguments)}")
            else:
                near = did_you_mean(argument.name, self.inputs)
                self._fault(f"{self.operator.name} has no input '{argument.name}'{near}")

    def _named(self, item: str, argument: Argument) -> str | None:
        """Return the item that an argument names in place of a value: the input's own, or one that may stand for it."""
        found = None if argument.is_string is False else self.binder.item(argument.text)
        return found if found is not None and found in (item, *self.binder.analysis.sources(item)) else None

    def _allow(self, item: str, argument: Argument) -> None:
        allowed = next(entry.allowed_values for entry in self.operator.inputs if entry.item == item)
        if allowed and argument.text.casefold() not in map(str.casefold, allowed):
            listed = ", ".join(allowed)
            self._fault(f"{self.operator.name} takes one of {listed} for '{item}', got {argument.text}")

    def _fault(self, detail: str) -> None:
        self.faults.append(Failure(step=None, kind=Kind.WRONG_ARGUMENT, detail=detail))

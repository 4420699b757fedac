"""The ways to mend arguments: missing ones, ones that the tool has not, literals that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from validator.flow.tools.declared.names import unlike
from validator.flow.tools.declared.schema import Schema
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.faults import Fault
from validator.flow.tools.mended.catalogue import Catalogue
from validator.flow.tools.mended.edits import (
    ANOTHER,
    CHANGE,
    DROP_ARGUMENT,
    Edited,
    State,
    argument_renamed,
    argument_set,
    put,
)
from validator.flow.tools.mended.results import Results
from validator.flow.tools.mended.values import converted
from validator.records import replace

__all__ = ["Arguments"]


class Arguments(Results):
    """Mends what calls are given."""

    def missing(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        known = [] if fault.wanted.default is None else [fault.wanted.default]
        known += fault.wanted.values if len(fault.wanted.values) == 1 else ()
        for value in known:
            new = argument_set(call, fault.argument, value)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=0.1)
        yield from self.given(state, fault, CHANGE)
        yield from self.new_namesakes(state, fault, CHANGE)
        yield from self.left(state, fault)

    def undeclared(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield other names for an argument that the tool has not, and the call without it."""
        call = state.calls[fault.call]
        tool = self.catalogue.tools[call.name]
        value = call.arguments[fault.argument]
        free = [each for each in tool.inputs.values() if each.name not in call.arguments]
        for each in free:
            distance = unlike(fault.argument, each.name)
            if distance > _FAR and not each.required:
                continue
            new = argument_renamed(call, fault.argument, each.name)
            cost = CHANGE if distance <= _FAR else ANOTHER
            doubt = distance + (0.5 if converted(value, each.schema) else 0)
            yield Edited(calls=put(state.calls, fault.call, new), cost=cost, doubt=doubt)
        new = argument_renamed(call, fault.argument, None)
        yield Edited(calls=put(state.calls, fault.call, new), cost=DROP_ARGUMENT)

    def value(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        for number, value in enumerate(
            converted(call.arguments[fault.argument], _declared(self.catalogue, call, fault))
        ):
            new = argument_set(call, fault.argument, value)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=0.1 * number)
        whole = replace(fault, wanted=_declared(self.catalogue, call, fault))
        yield from self.given(state, whole, CHANGE + 1)
        yield from self.new_namesakes(state, whole, CHANGE)
        yield from self.left(state, whole)


_FAR = 0.5
"""how far names may differ that are near"""


def _declared(catalogue: Catalogue, call: ToolCall, fault: Fault) -> Schema:
    return catalogue.tools[call.name].inputs[fault.argument].schema

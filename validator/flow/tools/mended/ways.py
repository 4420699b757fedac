"""The edits that mend a fault: all that the search knows for its kind, so that some nearest list has one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.flow.tools.declared.fitting import inner
from validator.flow.tools.declared.names import unlike
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.faults import Fault, Wrong
from validator.flow.tools.listed.labels import Labels, target
from validator.flow.tools.listed.references import within
from validator.flow.tools.mended.arguments import Arguments
from validator.flow.tools.mended.edits import (
    CHANGE,
    DROP_CALL,
    FAR_TOOL,
    Edited,
    State,
    label_changed,
    put,
    reference_set,
)
from validator.flow.tools.mended.results import has_result
from validator.records import replace

__all__ = ["Ways"]


class Ways(Arguments):
    """The ways to mend each kind of fault."""

    def of(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield the edits that mend a fault, of all the faults that were found."""
        match fault.wrong:
            case Wrong.TOOL:
                yield from self.tool(state, fault)
            case Wrong.LABEL:
                yield from self.label(state, fault, found)
            case Wrong.TWICE:
                yield from self.twice(state, fault, found)
            case Wrong.MISSING:
                yield from self.missing(state, fault)
            case Wrong.UNDECLARED:
                yield from self.undeclared(state, fault)
            case Wrong.VALUE:
                yield from self.value(state, fault)
            case Wrong.OUTPUT:
                yield from self.output(state, fault)
            case Wrong.BROKEN:
                yield from self.broken(state, fault)
            case Wrong.LATER:
                yield from self.other_call(state, fault)
            case Wrong.WHOLE:
                rest = (*state.calls[: fault.call], *state.calls[fault.call + 1 :])
                yield Edited(calls=rest, cost=DROP_CALL)
                for name in state.calls[fault.call].arguments:
                    yield from self.omitted(state, replace(fault, argument=name))
            case Wrong.EXTRA:
                call = replace(state.calls[fault.call], extra=())
                yield Edited(calls=put(state.calls, fault.call, call), cost=CHANGE)

    def tool(self, state: State, fault: Fault) -> Iterator[Edited]:
        call = state.calls[fault.call]
        near = self.catalogue.near(call.name)
        alike = () if near else self.with_arguments(call)
        for cost, names in ((CHANGE, near), (FAR_TOOL, alike)):
            for name in names:
                renamed = put(state.calls, fault.call, replace(call, name=name))
                yield Edited(calls=renamed, cost=cost, doubt=unlike(name, call.name))
        rest = (*state.calls[: fault.call], *state.calls[fault.call + 1 :])
        yield Edited(calls=rest, cost=DROP_CALL)

    def with_arguments(self, call: ToolCall) -> Iterator[str]:
        """Yield the tools that have all arguments of a call, and need no other."""
        for tool in self.catalogue.tools.values() if call.arguments else ():
            needed = {name for name, each in tool.inputs.items() if each.required}
            if needed <= call.arguments.keys() <= tool.inputs.keys():
                yield tool.name

    def twice(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield other labels for the second call of a label: one that is referred to and unknown, or a new one."""
        groups: dict[str, list[Fault]] = {}
        for each in found:
            if each.wrong is Wrong.LABEL and each.reference is not None:
                groups.setdefault(each.reference.label, []).append(each)
        tool = self.catalogue.tools.get(state.calls[fault.call].name)
        for label, group in groups.items():
            if tool is None or all(has_result(tool, each) for each in group):
                yield Edited(calls=label_changed(state.calls, fault.call, label), cost=CHANGE)
        fresh = self.fresh(state)
        meant = self.following(state, fault.call, fresh)
        yield Edited(calls=label_changed(meant, fault.call, fresh), cost=CHANGE, doubt=0.5)

    def following(self, state: State, place: int, label: str) -> tuple[ToolCall, ...]:
        """Return the calls in which references that mean the second call of a label have its new one."""
        labels, calls = Labels(state.calls), state.calls
        first = self.catalogue.tools.get(calls[labels.places[calls[place].label][0]].name)
        for number, call in enumerate(state.calls):
            for name, value in call.arguments.items():
                for each in within(value, labels):
                    is_first = first is not None and inner(first.output, each.path) is not None
                    if target(each, number, labels, self.catalogue.tools) == place and not is_first:
                        new = reference_set(calls[number], name, each, each.written(label, each.path))
                        calls = put(calls, number, new)
        return calls

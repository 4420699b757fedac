"""New calls: which tools give a value, and what their own arguments are bound to."""

from __future__ import annotations

from collections.abc import Iterator

from validator.execution.trace import Kind
from validator.flow.tools.declared.fitting import Path, fits, leaves
from validator.flow.tools.declared.names import unlike, words
from validator.flow.tools.declared.specifications import Parameter, Tool
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.faults import Fault, Wrong, call_faults
from validator.flow.tools.listed.labels import Labels
from validator.flow.tools.listed.references import asked, in_call, within
from validator.flow.tools.mended.edits import (
    ANOTHER,
    CHANGE,
    DROP_ARGUMENT,
    Edited,
    State,
    added,
    argument_renamed,
    argument_set,
    ask_cost,
    place_of,
    put,
    reference_set,
    written_as,
)
from validator.flow.tools.mended.savings import Savings
from validator.reading.calls.objects import spelled
from validator.records import replace

__all__ = ["MOST_CALLS", "NewCalls"]


class NewCalls(Savings):
    """Makes calls, and binds arguments to the results and the literals that are there."""

    def inserted(self, state: State, tool: Tool, label: str, slot: int) -> tuple[ToolCall, ...]:
        needed = {name: each.required for name, each in tool.inputs.items()}
        return added(state.calls, tool.name, label, slot, needed)

    def doubt(self, state: State, consumer: ToolCall, tool: Tool, path: Path) -> float:
        """Return how unlikely it is that a tool is meant: one that is told what it yields, that was called already."""
        field = words(str(path[-1])) if path else set()
        passes = bool(field) and any(each.required and field <= words(name) for name, each in tool.inputs.items())
        called = any(call.name == tool.name for call in state.calls)
        return passes + called / 2 + unlike(tool.name, consumer.name) / 4

    def fresh(self, state: State) -> str:
        """Return a label that nobody has or refers to."""
        labels = Labels(state.calls)
        stem = "node-" if any(label.startswith("node-") for label in self.taken) else "var"
        used = {*labels, *self.taken, *(each.label for call in state.calls for each in in_call(call.arguments, labels))}
        return next(label for number in range(1, len(used) + 2) if (label := f"{stem}{number}") not in used)

    def others(self, state: State, place: int) -> Iterator[tuple[float, ToolCall, Tool]]:
        """Yield the other calls with their tools, and how far off they stand: a later one has to be moved as well."""
        here = place_of(state, place)
        for other, call in enumerate(state.calls):
            tool = self.catalogue.tools.get(call.name)
            if tool is not None and other != place:
                distance = here - place_of(state, other)
                if len(state.calls) > MOST_CALLS and abs(distance) > MOST_CALLS // 2:
                    continue
                yield 0.2 * min(abs(distance) / MOST_CALLS, 1) + 0.5 * (distance < 0), call, tool

    def given(self, state: State, fault: Fault, cost: int) -> Iterator[Edited]:
        """Yield results of earlier calls that have the name of an argument."""
        call = state.calls[fault.call]
        for far, other, tool in self.others(state, fault.call):
            for path, schema in leaves(tool.output):
                if spelled(str(path[-1])) == spelled(fault.argument) and fits(schema, fault.wanted):
                    new = argument_set(call, fault.argument, written_as(other.label, path))
                    doubt = 0.2 * (len(path) - 1) + far
                    yield Edited(calls=put(state.calls, fault.call, new), cost=cost, doubt=doubt)

    def new_namesakes(self, state: State, fault: Fault, cost: int) -> Iterator[Edited]:
        """Yield new calls that yield something of the name of an argument."""
        call, label = state.calls[fault.call], self.fresh(state)
        paying = {tool.name for tool, _, _ in self.paying(state, self.lacking(state, fault))}
        for tool, path in self.catalogue.namesakes(fault.argument, fault.wanted) if paying else ():
            if tool.name != call.name and tool.name in paying and not self.is_told(tool, fault.argument):
                new = argument_set(call, fault.argument, written_as(label, path))
                calls = put(state.calls, fault.call, new)
                slot = place_of(state, fault.call)
                inserted = self.inserted(replace(state, calls=calls), tool, label, slot)
                doubt = self.doubt(state, call, tool, path)
                yield Edited(calls=inserted, cost=cost + CHANGE, doubt=doubt)

    def lacking(self, state: State, fault: Fault) -> set[str]:
        """Return the spelled names of the arguments that a new call could give: this one, needed ones, open ones."""
        found = self.asked_for(state) | {spelled(fault.argument)}
        for call in state.calls:
            tool = self.catalogue.tools.get(call.name)
            if tool is not None:
                given = {*call.arguments, *call.open}
                found |= {spelled(name) for name, each in tool.inputs.items() if each.required and name not in given}
        return found

    def is_told(self, tool: Tool, name: str) -> bool:
        """Return whether a tool needs to be told what it is asked for."""
        return any(spelled(each) == spelled(name) and one.required for each, one in tool.inputs.items())

    def left(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield what is left where nothing gives a value: it is left out where the tool can do without, else asked."""
        call = state.calls[fault.call]
        if omitted := list(self.omitted(state, fault)):
            yield from omitted
            return
        if call.is_answer:
            yield Edited(calls=put(state.calls, fault.call, argument_renamed(call, fault.argument, None)), cost=CHANGE)
            return
        word = asked(fault.argument)
        if fault.reference is None:
            new = argument_set(call, fault.argument, word)
        else:
            new = reference_set(call, fault.argument, fault.reference, word)
        yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE + ask_cost(fault.argument))

    def omitted(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield the call without an argument that its tool does not need; a result that was wanted costs more."""
        call = state.calls[fault.call]
        tool = self.catalogue.tools.get(call.name)
        if tool is None or fault.argument not in call.arguments:
            return
        parameter = tool.inputs.get(fault.argument)
        if tool.takes_more(fault.argument) if parameter is None else not parameter.required:
            wanted = len(list(within(call.arguments[fault.argument], Labels(state.calls))))
            wanted = max(wanted, fault.reference is not None)
            cost = max(ANOTHER, CHANGE * wanted) if wanted else DROP_ARGUMENT
            new = argument_renamed(call, fault.argument, None)
            yield Edited(calls=put(state.calls, fault.call, new), cost=cost, doubt=1.0)

    # --- arguments of new calls ------------------------------------------------------------------

    def opened(self, state: State, place: int, name: str) -> Iterator[Edited]:
        """Yield values for an argument of a new call: one of the same name in the list, a result, the user's word."""
        call = state.calls[place]
        parameter = self.catalogue.tools[call.name].inputs[name]
        fault = Fault(
            call=place, wrong=Wrong.MISSING, kind=Kind.WRONG_ARGUMENT, detail="", argument=name, wanted=parameter.schema
        )
        yield from self.copied(state, place, parameter)
        yield from self.given(state, fault, 0)
        yield from self.new_namesakes(state, fault, 0)
        yield Edited(calls=put(state.calls, place, argument_set(call, name, asked(name))), cost=ask_cost(name))

    def copied(self, state: State, place: int, parameter: Parameter) -> Iterator[Edited]:
        """Yield the values that other calls give an argument of the same name."""
        call, seen, labels = state.calls[place], list[object](), Labels(state.calls)
        for each in state.calls:
            if each.is_answer or each.name == call.name or parameter.name not in each.arguments:
                continue  # what another call of the tool was given gives that one's result again
            value = each.arguments[parameter.name]
            mine = argument_set(replace(call, open=()), parameter.name, value)
            if value in seen or _is_circular(value, call, labels) or self.is_unfit(state, place, mine, parameter.name):
                continue
            seen.append(value)
            new = argument_set(call, parameter.name, value)
            yield Edited(calls=put(state.calls, place, new), cost=0, doubt=0.1 * len(seen))

    def is_unfit(self, state: State, place: int, call: ToolCall, name: str) -> bool:
        looked = call_faults(place, put(state.calls, place, call), self.catalogue.tools)
        return any(each.argument == name and each.wrong is not Wrong.MISSING for each in looked)


MOST_CALLS = 100
"""of a longer list only the nearer ones are looked at for a value"""


def _is_circular(value: object, call: ToolCall, labels: Labels) -> bool:
    return any(each.label == call.label for each in within(value, labels))

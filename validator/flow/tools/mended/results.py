"""The ways to mend references: to labels that no call has, to fields that are not there, to results that come later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.flow.tools.declared.fitting import Path, fits, inner, leaves
from validator.flow.tools.declared.names import is_misspelt, unlike, words
from validator.flow.tools.declared.schema import ANY
from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.listed.calls import hidden
from validator.flow.tools.listed.faults import Fault, Wrong
from validator.flow.tools.listed.labels import Labels, target
from validator.flow.tools.listed.references import in_call
from validator.flow.tools.mended.edits import (
    ANOTHER,
    CHANGE,
    Edited,
    State,
    label_changed,
    place_of,
    put,
    reference_set,
)
from validator.flow.tools.mended.new_calls import NewCalls
from validator.reading.calls.objects import spelled
from validator.records import replace

__all__ = ["Results", "has_result"]


class Results(NewCalls):
    """Mends what calls refer to."""

    def label(self, state: State, fault: Fault, found: Sequence[Fault]) -> Iterator[Edited]:
        """Yield what makes a label known: a new call that has it, a call that gets it, or the label of another call."""
        assert fault.reference is not None
        label = fault.reference.label
        group = [
            each for each in found if each.wrong is Wrong.LABEL and each.reference and each.reference.label == label
        ]
        ways = [*self.producers(state, fault, group), *self.labelled(state, fault, group)]
        ways += [*self.elsewhere(state, fault), *self.namesakes(state, fault), *self.omitted(state, fault)]
        yield from ways or self.left(state, fault)

    def producers(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[Edited]:
        """Yield new calls that have the label and yield what the references to it name."""
        assert fault.reference is not None
        label, path = fault.reference.label, fault.reference.path
        state = self.without(state, label)
        if label in Labels(state.calls):
            yield from self.other_call(state, fault)
            return
        slot = min((place_of(state, each.call) for each in group if not state.calls[each.call].is_answer), default=_END)
        tools = self.meant(fault)
        names = [each.argument for each in group if each.reference is not None and not each.reference.path]
        for tool in tools:
            doubt = self.doubt(state, state.calls[fault.call], tool, path) + _unheard(names, tool)
            yield Edited(calls=self.inserted(state, tool, label, slot), cost=CHANGE, doubt=doubt)

    def meant(self, fault: Fault) -> list[Tool]:
        """Return the tools that may be meant by the first reference to a label: those that yield what it names.

        Else those that yield something with the argument's name, or that are called as the label is.
        """
        assert fault.reference is not None
        tools = {tool.name: tool for tool in self.catalogue.producers(fault.reference.path)}
        if fault.reference.path:
            tools |= {tool.name: tool for tool, _ in self.catalogue.namesakes(fault.argument, fault.wanted)}
        named = [self.catalogue.tools[name] for name in self.catalogue.called(fault.reference.label)]
        return list(tools.values()) or named

    def without(self, state: State, label: str) -> State:
        """Return a state in which no call is known by a label for its place alone, unless others refer to it so."""
        labels = Labels(state.calls)
        for place in labels.places.get(label, ()):
            others = (call for number, call in enumerate(state.calls) if number != place)
            if not any(each.label == label for call in others for each in in_call(call.arguments, labels)):
                nameless = replace(state.calls[place], label=hidden(place, labels))
                return replace(state, calls=put(state.calls, place, nameless))
        return state

    def labelled(self, state: State, fault: Fault, group: Sequence[Fault]) -> Iterator[Edited]:
        """Yield calls that get the label, if nobody refers to theirs."""
        assert fault.reference is not None
        used = {each.label for call in state.calls for each in in_call(call.arguments, Labels(state.calls))}
        for place, call in enumerate(state.calls):
            tool = self.catalogue.tools.get(call.name)
            if tool is None or call.label in used or place in {each.call for each in group}:
                continue
            if all(has_result(tool, each) for each in group):
                cost = ANOTHER if call.has_label else CHANGE
                yield Edited(calls=label_changed(state.calls, place, fault.reference.label), cost=cost, doubt=0.5)

    def elsewhere(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield the same field of other calls; a label that is misspelt, or the name of a tool, costs less."""
        reference = fault.reference
        assert reference is not None
        path = reference.path
        for far, call, tool in self.others(state, fault.call):
            given = inner(tool.output, path) if path or tool.outputs else ANY
            if call.label == reference.label or given is None or not fits(given, fault.wanted):
                continue
            near = is_misspelt(reference.label, call.label) or spelled(reference.label) == spelled(call.name)
            new = reference_set(state.calls[fault.call], fault.argument, reference, reference.written(call.label, path))
            doubt = far + unlike(reference.label, call.label)
            yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE if near else ANOTHER, doubt=doubt)

    def namesakes(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield results with the name of the argument in place of another one, of calls that are there and new ones."""
        assert fault.reference is not None
        call = state.calls[fault.call]
        if not call.is_answer and call.arguments[fault.argument] == fault.reference.text:
            yield from self.given(state, fault, ANOTHER)
            yield from self.new_namesakes(state, fault, ANOTHER)

    def output(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield other fields of the same result; where none fits, those of others, or the user's word."""
        assert fault.reference is not None
        reference, labels = fault.reference, Labels(state.calls)
        place = target(reference, fault.call, labels, self.catalogue.tools)
        assert place is not None
        tool = self.catalogue.tools[state.calls[place].name]
        ways = []
        for path, schema in leaves(tool.output):
            if path != reference.path and fits(schema, fault.wanted):
                new = reference_set(
                    state.calls[fault.call], fault.argument, reference, reference.written(reference.label, path)
                )
                doubt = _strangeness(reference.path, fault.argument, path)
                ways.append(Edited(calls=put(state.calls, fault.call, new), cost=CHANGE, doubt=doubt))
        ways += self.elsewhere(state, fault) if reference.path else ()
        ways += [*self.namesakes(state, fault), *self.omitted(state, fault)]
        yield from ways or self.left(state, fault)

    def broken(self, state: State, fault: Fault) -> Iterator[Edited]:
        assert fault.reference is not None
        right = f"${fault.reference.text.lstrip('$')}"
        new = reference_set(state.calls[fault.call], fault.argument, fault.reference, right)
        yield Edited(calls=put(state.calls, fault.call, new), cost=CHANGE)

    def other_call(self, state: State, fault: Fault) -> Iterator[Edited]:
        """Yield for a reference to a later call what gives the value earlier."""
        assert fault.reference is not None
        path, label = fault.reference.path, self.fresh(state)
        ways = [*(self.elsewhere(state, fault) if path else ()), *self.namesakes(state, fault)]
        ways += self.omitted(state, fault)
        call, slot = state.calls[fault.call], place_of(state, fault.call)
        for tool in self.catalogue.producers(path):
            if not has_result(tool, fault):
                continue
            written = fault.reference.written(label, path)
            calls = put(state.calls, fault.call, reference_set(call, fault.argument, fault.reference, written))
            inserted = self.inserted(replace(state, calls=calls), tool, label, slot)
            doubt = self.doubt(state, call, tool, path)
            ways.append(Edited(calls=inserted, cost=ANOTHER + CHANGE, doubt=doubt))
        yield from ways or self.left(state, fault)


_END = 1_000_000
"""behind all calls"""


def has_result(tool: Tool, fault: Fault) -> bool:
    """Return whether the result of a tool is what a reference wants."""
    assert fault.reference is not None
    given = inner(tool.output, fault.reference.path)
    return given is not None and (not fault.reference.path or fits(given, fault.wanted))


def _strangeness(path: Path, argument: str, other: Path) -> float:
    """Return how unlikely a field is: most likely are a name like the written one, and the argument's own."""
    name = str(other[-1])
    written = unlike(str(path[-1]), name) if path else 1.0
    return min(written, unlike(argument, name) / 2 + 0.25) + 0.05 * (len(other) - len(path or (0,)))


def _unheard(names: Sequence[str], tool: Tool) -> float:
    """Return how little the names under which a whole result is used say of a tool: ``forecast_details``."""
    heard = {word for name in names for word in words(name)}
    return 0.5 * (1 - len(heard & words(tool.name)) / len(heard)) if heard else 0.0

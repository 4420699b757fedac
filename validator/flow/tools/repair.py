"""A near list of calls that runs: each call at fault is mended where it stands, then calls move behind what they use.

What counts are changed calls: new, gone, changed or moved. The likeliest edit is taken for each fault: what the author
wrote is trusted before what a tool could give, a misspelling is likelier than another meaning, and what nothing gives
is asked of the user. ``least`` is how many calls change in any list that runs, which proves many of the answers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import count

from validator.flow.tools.calls import Labels, ToolCall, asked, field, hidden, target, within, written
from validator.flow.tools.conversions import converted, is_misspelt, is_said, unlike, words
from validator.flow.tools.faults import Fault, Wrong, call_faults, faults, is_result
from validator.flow.tools.order import circular, fewest_changes, in_order, needs_of
from validator.flow.tools.schema import Path, Schema, fits
from validator.flow.tools.specifications import Tool
from validator.reading.calls.objects import spelled
from validator.records import dataclass, replace

_FAR = 0.5
"""how far names may differ that are near"""

_ORDER = (
    *(Wrong.TOOL, Wrong.EXTRA, Wrong.BROKEN, Wrong.TWICE, Wrong.LABEL, Wrong.UNDECLARED, Wrong.MISSING),
    *(Wrong.VALUE, Wrong.OUTPUT, Wrong.LATER, Wrong.WHOLE),
)
"""which faults are mended first: those on which others depend"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """Calls in an order that runs. ``moved`` are the places in the given list of those that moved.

    ``least``: in every list that runs, at least so many calls are new, gone, changed or moved.
    """

    calls: tuple[ToolCall, ...]
    moved: frozenset[int]
    least: int


def repaired_list(given: tuple[ToolCall, ...], tools: Mapping[str, Tool], goals: Collection[str]) -> Repaired | None:
    """Return a near list of calls that runs and calls the tools that are goals; None where none was found."""
    mender = _Mender(given, tools, goals)
    for _ in range(100 + 4 * len(given)):
        found = list(faults(mender.calls, tools, order=False)) or list(circular(mender.calls, tools))
        uncalled = mender.uncalled()
        if uncalled and all(_ORDER.index(each.wrong) > _ORDER.index(Wrong.LABEL) for each in found):
            mender.calls = mender.with_new(mender.calls, tools[uncalled[0]], mender.fresh(), len(given))
        elif not found:
            calls, moved = in_order(mender.calls, given, tools)
            return Repaired(calls=calls, moved=moved, least=fewest_changes(given, tools, goals))
        else:
            mender.mend(found)
    return None


class _Mender:
    """Calls that are mended step by step: those of the list in their order, then new ones."""

    def __init__(self, given: tuple[ToolCall, ...], tools: Mapping[str, Tool], goals: Collection[str]) -> None:
        self.given, self.tools, self.goals = given, tools, goals
        self.calls: list[ToolCall] = list(given)

    def uncalled(self) -> list[str]:
        called = {call.name for call in self.calls}
        return [goal for goal in self.goals if goal not in called]

    def mend(self, found: Sequence[Fault]) -> None:
        """Mend the faults of the kind on which others depend, until the places of calls change."""
        first = min(_ORDER.index(each.wrong) for each in found)
        for fault in found:
            if fault.wrong is not _ORDER[first] or not self._is_there(fault):
                continue
            options = list(self._options(fault, found)) or [self.without(fault.call)]
            before, self.calls = self.calls, min(options, key=lambda calls: self._left(fault.call, calls))
            if len(self.calls) < len(before):
                return

    def _is_there(self, fault: Fault) -> bool:
        if fault.wrong in (Wrong.TWICE, Wrong.LATER):
            return fault in faults(self.calls, self.tools, order=False) or fault in circular(self.calls, self.tools)
        return fault in call_faults(fault.call, self.calls, self.tools)

    def _left(self, place: int, calls: Sequence[ToolCall]) -> int:
        """Return how many faults a call has, where it is still there."""
        return sum(1 for _ in call_faults(place, calls, self.tools)) if len(calls) >= len(self.calls) else 1

    def _options(self, fault: Fault, found: Sequence[Fault]) -> Iterator[list[ToolCall]]:
        """Yield the lists to which the edits lead that mend a fault, the likeliest first."""
        call, place = self.calls[fault.call], fault.call
        match fault.wrong:
            case Wrong.TOOL:
                names = self._near(call.name) or list(self._with_arguments(call))
                for name in sorted(names, key=lambda name: name not in self.uncalled()):
                    yield self.put(place, replace(call, name=name))
            case Wrong.EXTRA:
                yield self.put(place, replace(call, extra=()))
            case Wrong.BROKEN:
                yield self._point(fault, f"${fault.refers.text.lstrip('$')}")
            case Wrong.TWICE:
                yield from self._relabelled(place, found)
            case Wrong.UNDECLARED:
                yield from self._renamed(fault)
                yield self.put(place, call.renamed(fault.argument, None))
            case Wrong.WHOLE:
                ways = (self._omitted(replace(fault, argument=name)) for name in call.arguments)
                yield from (each for way in ways for each in way if not self._left(place, each))
            case Wrong.MISSING | Wrong.VALUE:
                yield from self._valued(fault)
                yield from self._by_name(fault)
                yield from self._last(fault)
            case Wrong.LABEL:
                yield from self._label(fault, found)
            case Wrong.OUTPUT:
                yield from self._fields(fault)
                yield from self._elsewhere(fault, [fault])
                yield from self._by_name(fault)
                yield from self._last(fault)
            case Wrong.LATER:
                yield from self._elsewhere(fault, [fault])
                yield from self._by_name(fault)
                yield from self._inserted(fault)
                yield from self._last(fault)

    def put(self, place: int, call: ToolCall) -> list[ToolCall]:
        return [*self.calls[:place], call, *self.calls[place + 1 :]]

    def without(self, place: int) -> list[ToolCall]:
        return [*self.calls[:place], *self.calls[place + 1 :]]

    # --- tools and labels ------------------------------------------------------------------------

    def _near(self, name: str) -> Sequence[str]:
        same = [each for each in self.tools if spelled(each) == spelled(name)]
        return same or (get_close_matches(name, self.tools, n=5, cutoff=0.6) if len(name) <= 200 else [])

    def _with_arguments(self, call: ToolCall) -> Iterator[str]:
        """Yield the tools that have all arguments of a call, and need no other."""
        given = call.arguments.keys()
        for name, tool in self.tools.items():
            needed = {each for each, one in tool.inputs.items() if one.required}
            if given and needed <= given <= tool.inputs.keys():
                yield name

    def _relabelled(self, place: int, found: Sequence[Fault]) -> Iterator[list[ToolCall]]:
        """Yield other labels for the second call of a label: one that is referred to and unknown, or a new one."""
        call, tool = self.calls[place], self.tools.get(self.calls[place].name)
        groups: dict[str, list[Fault]] = {}
        for each in found:
            if each.wrong is Wrong.LABEL:
                groups.setdefault(each.refers.label, []).append(each)
        for label, group in groups.items():
            if tool is None or all(is_result(tool, each) for each in group):
                yield self.put(place, replace(call, label=label, has_label=True))
        labels, fresh = Labels(self.calls), self.fresh()
        first = self.tools.get(self.calls[labels.places[call.label][0]].name)
        new = self.put(place, replace(call, label=fresh, has_label=True))
        for number in range(len(new)):
            for name, one in labels.in_call(number):
                is_first = first is not None and field(first, one) is not None
                if target(one, number, labels, self.tools) == place and not is_first:
                    new[number] = new[number].referring(name, one, one.written(fresh, one.path))
        yield new

    def _label(self, fault: Fault, found: Sequence[Fault]) -> Iterator[list[ToolCall]]:
        """Yield what makes a label known: that of another call that is spelled like it, a new call, another call."""
        label = fault.refers.label
        group = [each for each in found if each.wrong is Wrong.LABEL and each.refers.label == label]
        others = list(self._elsewhere(fault, group))
        near = [
            each
            for far, call in self._others(fault)
            if is_misspelt(label, call.label) or spelled(label) == spelled(call.name)
            for each in self._elsewhere(fault, group, call)
        ]
        inserted = list(self._inserted(fault, group))
        yield from near
        yield from [*inserted, *others] if len({each.call for each in group}) > 1 else [*others, *inserted]
        yield from self._by_name(fault)
        yield from self._last(fault)

    def fresh(self, calls: Sequence[ToolCall] = ()) -> str:
        """Return a label that nobody has or refers to."""
        labels = Labels(calls or self.calls)
        given = {call.label for call in self.given}
        stem = "node-" if any(label.startswith("node-") for label in given) else "var"
        used = {*labels, *given, *labels.used()}
        return next(label for number in count(1) if (label := f"{stem}{number}") not in used)

    # --- values ------------------------------------------------------------------------------------

    def _renamed(self, fault: Fault) -> Iterator[list[ToolCall]]:
        """Yield other names for an argument that the tool has not."""
        call = self.calls[fault.call]
        free = [each for each in self.tools[call.name].inputs.values() if each.name not in call.arguments]
        for each in sorted(free, key=lambda each: unlike(fault.argument, each.name)):
            if each.required or unlike(fault.argument, each.name) <= _FAR:
                yield self.put(fault.call, call.renamed(fault.argument, each.name))

    def _valued(self, fault: Fault) -> Iterator[list[ToolCall]]:
        """Yield the value that the schema gives a missing argument, and other forms of one that does not fit."""
        call = self.calls[fault.call]
        if fault.wrong is Wrong.VALUE:
            known = converted(call.arguments[fault.argument], fault.wanted)
        else:
            known = [] if fault.wanted.default is None else [fault.wanted.default]
            known += fault.wanted.values if len(fault.wanted.values) == 1 else ()
        for value in known:
            yield self.put(fault.call, call.with_argument(fault.argument, value))

    def _last(self, fault: Fault) -> Iterator[list[ToolCall]]:
        """Yield what is left where nothing gives a value: it is left out where the tool can do without, else asked."""
        call = self.calls[fault.call]
        omitted = list(self._omitted(fault))
        yield from omitted
        if call.is_answer:
            yield self.put(fault.call, call.renamed(fault.argument, None))
        elif not omitted:
            yield self._point(fault, asked(fault.argument))

    def _omitted(self, fault: Fault) -> Iterator[list[ToolCall]]:
        call = self.calls[fault.call]
        tool = self.tools.get(call.name)
        if tool is None or fault.argument not in call.arguments:
            return
        parameter = tool.inputs.get(fault.argument)
        if tool.takes_more(fault.argument) if parameter is None else not parameter.required:
            yield self.put(fault.call, call.renamed(fault.argument, None))

    # --- results of calls --------------------------------------------------------------------------

    def _point(self, fault: Fault, text: str) -> list[ToolCall]:
        """Return the list in which the argument, or what is at fault in it, is another text."""
        call = self.calls[fault.call]
        if fault.reference is None:
            return self.put(fault.call, call.with_argument(fault.argument, text))
        return self.put(fault.call, call.referring(fault.argument, fault.reference, text))

    def _others(self, fault: Fault) -> list[tuple[float, ToolCall]]:
        """Return the other calls with how far off they stand, earlier ones first: a later one has to be moved too.

        Where a reference goes in a circle, they are those that do not use the call.
        """
        here, users = self.calls[fault.call].position, {fault.call}
        needs = needs_of(self.calls, self.tools) if fault.wrong is Wrong.LATER else []
        while more := {place for place, own in enumerate(needs) if own & users} - users:
            users |= more
        found: list[tuple[float, ToolCall]] = []
        for place, call in enumerate(self.calls):
            if call.name in self.tools and place not in users:
                far = here - call.position
                found.append((far if far >= 0 else len(self.calls) - far, call))
        return sorted(found, key=lambda each: each[0])

    def _elsewhere(
        self, fault: Fault, group: Sequence[Fault], only: ToolCall | None = None
    ) -> Iterator[list[ToolCall]]:
        """Yield the same field of other calls, which have all the fields that are wanted of the label."""
        reference = fault.refers
        for _, call in self._others(fault) if only is None else [(0, only)]:
            is_another = call.label != reference.label and (reference.path or only is not None)
            if is_another and all(is_result(self.tools[call.name], each) for each in group):
                yield self._point(fault, reference.written(call.label, reference.path))

    def _fields(self, fault: Fault) -> Iterator[list[ToolCall]]:
        """Yield other fields of the same result: most likely are a name like the written one, and the argument's."""
        reference = fault.refers
        place = target(reference, fault.call, Labels(self.calls), self.tools)
        tool = None if place is None else self.tools.get(self.calls[place].name)
        fitting = [path for path, schema in tool.fields if fits(schema, fault.wanted)] if tool is not None else []

        def strangeness(path: Path) -> float:
            name = str(path[-1])
            written = unlike(str(reference.path[-1]), name) if reference.path else 1.0
            return min(written, unlike(fault.argument, name) / 2 + 0.25) + len(path) / 20

        for path in sorted(fitting, key=strangeness):
            if path != reference.path:
                yield self._point(fault, reference.written(reference.label, path))

    def _by_name(self, fault: Fault) -> Iterator[list[ToolCall]]:
        """Yield results with the name of an argument in place of it; of a new call where no user can say it."""
        call = self.calls[fault.call]
        if fault.reference is not None and (
            call.is_answer or call.arguments.get(fault.argument) != fault.reference.text
        ):
            return
        for text in self._results(fault.argument, fault.wanted, self._others(fault)):
            yield self._point(fault, text)
        if found := self._lookup(self.calls, fault.argument, fault.wanted, call.name):
            label = self.fresh()
            yield self.with_new(self._point(fault, written(label, found[1])), found[0], label, call.position)

    def _results(self, name: str, wanted: Schema, others: Iterable[tuple[float, ToolCall]]) -> Iterator[str]:
        """Yield references to fields of other calls that have a name and fit."""
        for _, call in others:
            for path, schema in self.tools[call.name].fields:
                if spelled(str(path[-1])) == spelled(name) and fits(schema, wanted):
                    yield written(call.label, path)

    # --- new calls -----------------------------------------------------------------------------------

    @cached_property
    def _by_field(self) -> dict[str, list[tuple[Tool, Path, Schema]]]:
        """The fields of all results, by the spelled name of the last part of their paths."""
        found: dict[str, list[tuple[Tool, Path, Schema]]] = {}
        for tool in self.tools.values():
            for path, schema in tool.fields:
                found.setdefault(spelled(str(path[-1])), []).append((tool, path, schema))
        return found

    def _lookup(self, calls: Sequence[ToolCall], name: str, wanted: Schema, caller: str) -> tuple[Tool, Path] | None:
        """Return a tool that yields what no user can say, and needs only what users say or calls are given."""
        if is_said(name):
            return None
        known = {spelled(each) for call in calls for each in call.arguments}
        known |= {each for call in calls if call.name in self.tools for each in self.tools[call.name].yields}
        found = [
            (tool, path)
            for tool, path, schema in self._by_field.get(spelled(name), ())
            if tool.name != caller and fits(schema, wanted) and spelled(name) not in tool.needs
            if all(is_said(each) or each in known for each in tool.needs)
        ]
        return min(found, key=lambda each: (len(each[0].needs - known), unlike(each[0].name, caller)), default=None)

    def _inserted(self, fault: Fault, group: Sequence[Fault] = ()) -> Iterator[list[ToolCall]]:
        """Yield new calls of the tools that a reference may mean; with a group of references they have its label."""
        reference, caller = fault.refers, self.calls[fault.call]
        name = words(str(reference.path[-1]) if reference.path else fault.argument)
        called = {call.name for call in self.calls}
        places = [self.calls[each.call].position for each in group if not self.calls[each.call].is_answer]
        slot = min(places, default=len(self.given)) if group else caller.position
        calls = self._nameless(reference.label)
        label = self.fresh() if not group or reference.label in Labels(calls) else reference.label

        def doubt(tool: Tool) -> float:
            passes = any(name and name <= words(each) for each in tool.inputs)
            heard = len(words(fault.argument) & words(tool.name))
            wanted = 2 * (tool.name in self.goals and tool.name not in called)
            return passes - wanted + (tool.name in called) / 2 + unlike(tool.name, caller.name) / 4 - heard

        for tool in sorted(self._meant(fault), key=doubt):
            if all(is_result(tool, each) for each in (fault, *group)):
                text = reference.written(label, reference.path)
                pointed = calls if label == reference.label else self._point(fault, text)
                yield self.with_new(pointed, tool, label, slot)

    def _nameless(self, label: str) -> list[ToolCall]:
        """Return the calls, of which none has a label for its place alone, unless others refer to it so."""
        labels, calls = Labels(self.calls), list(self.calls)
        for place in labels.places.get(label, ()):
            others = (each for each in range(len(calls)) if each != place)
            if not calls[place].has_label and label not in labels.used(others):
                calls[place] = replace(calls[place], label=hidden(place, labels))
        return calls

    def _meant(self, fault: Fault) -> list[Tool]:
        """Return the tools that yield what a reference names, or something of the argument's name; or of its label."""
        path = fault.refers.path
        if path:
            fields = self._by_field.get(spelled(str(path[0])), ())
            return list({tool.name: tool for tool, found, _ in fields if found == path[:1]}.values())
        found = {tool.name: tool for tool, _, _ in self._by_field.get(spelled(fault.argument), ())}
        found |= {name: self.tools[name] for name in self._near(fault.refers.label)}
        return list(found.values())

    def with_new(self, calls: Sequence[ToolCall], tool: Tool, label: str, slot: float) -> list[ToolCall]:
        """Return calls with a new one behind them, which belongs at a place of the list at the latest."""
        new = ToolCall(name=tool.name, arguments={}, label=label, has_label=False, slot=slot)
        found = list(calls)
        for name, each in tool.inputs.items():
            if not each.required:
                continue
            value = next(self._given(name, each.schema, new, calls), None)
            if value is None and (looked := self._lookup([*found, new], name, each.schema, tool.name)):
                own = self.fresh([*found, new])
                found, value = self.with_new(found, looked[0], own, slot), written(own, looked[1])
            new = new.with_argument(name, asked(name) if value is None else value)
        return [*found, new]

    def _given(self, name: str, wanted: Schema, new: ToolCall, calls: Sequence[ToolCall]) -> Iterator[object]:
        """Yield values for an argument of a new call: a result of its name, or what other tools are given for it."""
        near = [(new.slot - each.position, each) for each in calls if each.name in self.tools]
        earlier = sorted((each for each in near if each[0] > 0), key=lambda each: each[0])
        yield from self._results(name, wanted, earlier)
        labels = Labels(calls)
        for far, call in near:
            value, own = call.arguments.get(name), self.tools[call.name].inputs.get(name)
            is_there = far > 0 or next(within(value, labels), None) is None
            if (
                value is not None
                and is_there
                and call.name != new.name
                and own is not None
                and fits(own.schema, wanted)
            ):
                yield value

"""Which call of a list a reference means: the calls by their labels, and the field that is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validator.flow.tools.declared.fitting import inner
from validator.flow.tools.declared.schema import ANY, Schema
from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.references import Reference

__all__ = ["Labels", "field", "target"]


class Labels:
    """Which calls have which labels. A label by place alone is no call's own name for itself."""

    def __init__(self, calls: Sequence[ToolCall]) -> None:
        self.calls = calls
        self.places: dict[str, list[int]] = {}
        for place, call in enumerate(calls):
            if not call.is_answer:
                self.places.setdefault(call.label, []).append(place)

    def __contains__(self, label: object) -> bool:
        return label in self.places

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)


def target(reference: Reference, place: int, labels: Labels, tools: Mapping[str, Tool]) -> int | None:
    """Return the call that a reference means: of two with its label the last one before that has the field."""
    places = labels.places.get(reference.label, [])
    if len(places) <= 1:
        (found,) = places or (None,)
        is_itself = found == place and not labels.calls[place].has_label
        return None if is_itself else found
    before = [each for each in places if each < place] or [each for each in places if each != place] or places
    having = [each for each in before if field(tools.get(labels.calls[each].name), reference) is not None]
    return (having or before)[-1]


def field(tool: Tool | None, reference: Reference) -> Schema | None:
    """Return what a reference stands for in the result of a tool, None where it has no such field."""
    return ANY if tool is None else inner(tool.output, reference.path)

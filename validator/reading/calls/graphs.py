"""Plans that are graphs: what each item of a list depends on, as it says itself or as links between items say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from validator.reading.calls.keys import pick, spelled
from validator.reading.calls.located import LocatedObject, span_of
from validator.reading.calls.objects import Asked, read_object

__all__ = ["dependencies", "linked"]

_BEFORE = ("depends_on", "dependencies", "dependency", "depends", "dep", "deps", "after", "prerequisites", "requires")
_NODES = ("id", "step_id", "task_id", "step_number", "step", "number", "index", "idx")


def dependencies(value: Sequence[object]) -> list[set[int]] | None:
    """Return for each member of a list the places of those that it depends on; None where no member says so."""
    keys = [pick(each, _BEFORE) if isinstance(each, Mapping) else None for each in value]
    if not any(key is not None for key in keys):
        return None
    nodes: dict[str, int] = {}
    for place, each in enumerate(value):
        if isinstance(each, Mapping):
            for name in _node_names(each, place):
                nodes.setdefault(name, place)
    found: list[set[int]] = []
    for place, (each, key) in enumerate(zip(value, keys, strict=True)):
        given = each[key] if isinstance(each, Mapping) and key is not None else ()
        listed = given if isinstance(given, list | tuple) else (given,)
        found.append({nodes[str(name)] for name in listed if str(name) in nodes} - {place})
    return found


def _node_names(value: Mapping[str, object], place: int) -> Iterator[str]:
    """Yield what other items may call an item: its number or identity, else its name, else its place from 1."""
    identities = [value[key] for key in value if spelled(str(key)) in _NODES]
    yield from (str(each) for each in identities if isinstance(each, str | int))
    call = read_object(value)
    if isinstance(call, Asked):
        yield call.name
    if not identities:
        yield str(place + 1)


def linked(nodes: Sequence[object], links: Sequence[object]) -> list[object]:
    """Return the nodes of a graph, each with what it depends on, as its links say."""
    before: dict[str, list[str]] = {}
    for link in links:
        if isinstance(link, Mapping) and "source" in link and "target" in link:
            before.setdefault(str(link["target"]), []).append(str(link["source"]))
    found: list[object] = []
    for place, node in enumerate(nodes):
        if isinstance(node, Mapping):
            earlier = [each for name in _node_names(node, place) for each in before.get(name, ())]
            linked = LocatedObject({**node, "depends_on": earlier})
            linked.span = span_of(node)
            found.append(linked)
        else:
            found.append(node)
    return found

"""Scene graphs of VirtualHome as states of the bundled domain ``virtualhome``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from typing import Any

from validator.grading.eai.execution import State
from validator.model.bundled import bundle
from validator.model.pddl import read_domain
from validator.model.values import Domain, GroundAtom
from validator.records import dataclass

AGENT = "character"
"""The constant of the domain that stands for the node of the agent."""

AGENT_NUMBER = 65
_STATES = {"OPEN": "is-open", "CLOSED": "is-closed", "ON": "is-on", "OFF": "is-off"}
_RELATIONS = {
    "ON": "on-top",
    "ONTOP": "on-top",
    "INSIDE": "in",
    "CLOSE": "near",
    "NEXT_TO": "near",
    "FACING": "faces",
    "HOLDS_RH": "holds-rh",
    "HOLDS_LH": "holds-lh",
    "BETWEEN": "between",
}


@cache
def domain() -> Domain:
    """Return the bundled domain."""
    return read_domain(bundle("virtualhome").domain)


def predicate_of_state(name: str) -> str:
    """Return the predicate for a state or property of a node, such as ``CLOSED`` or ``HAS_SWITCH``."""
    return _STATES.get(name, name.lower().replace("_", "-"))


def predicate_of_relation(name: str) -> str:
    """Return the predicate for the relation of an edge, such as ``INSIDE``."""
    return _RELATIONS.get(name, name.lower().replace("_", "-"))


@dataclass(frozen=True, slots=True)
class Node:
    number: int
    kind: str
    category: str
    properties: frozenset[str]
    states: frozenset[str]
    rest: str

    @property
    def name(self) -> str:
        return AGENT if self.number == AGENT_NUMBER else f"{self.kind}_{self.number}"

    @property
    def label(self) -> str:
        return f"<{self.kind}> ({self.number})"

    def atoms(self) -> Iterator[GroundAtom]:
        for value in (*self.states, *self.properties):
            yield predicate_of_state(value), self.name
        if f"class-{self.kind}" in domain().predicates:
            yield f"class-{self.kind}", self.name
        if "knife" in self.kind:
            yield "class-knife", self.name
        if self.category == "Rooms":
            yield "room", self.name


Edge = tuple[int, str, int]


@dataclass(frozen=True, kw_only=True)
class Graph:
    """Nodes by number, and edges; an edge may name a node that is not there, and counts for nothing then."""

    nodes: Mapping[int, Node]
    edges: frozenset[Edge]

    @cached_property
    def incident(self) -> Mapping[int, frozenset[Edge]]:
        """Return the edges of each node, also of those that are not there."""
        found: dict[int, set[Edge]] = defaultdict(set)
        for edge in self.edges:
            found[edge[0]].add(edge)
            found[edge[2]].add(edge)
        return {number: frozenset(edges) for number, edges in found.items()}

    def atoms(self) -> Iterator[GroundAtom]:
        for node in self.nodes.values():
            yield from node.atoms()
        yield from self.relations(self.edges)

    def relations(self, edges: Iterable[Edge]) -> Iterator[GroundAtom]:
        for start, relation, end in edges:
            if start in self.nodes and end in self.nodes:
                yield predicate_of_relation(relation), self.nodes[start].name, self.nodes[end].name


def _node(node: Mapping[str, Any]) -> Node:
    return Node(
        number=node["id"],
        kind=node["class_name"],
        category=node["category"],
        properties=frozenset(node["properties"]),
        states=frozenset(node["states"]),
        rest=f"{node.get('prefab_name')} {node.get('bounding_box')}",
    )


def graph_of(graph: Mapping[str, Any]) -> Graph:
    edges = graph["edges"]
    if edges and isinstance(edges[0], Mapping):
        edges = [(edge["from_id"], edge["relation_type"], edge["to_id"]) for edge in edges]
    nodes = {node["id"]: _node(node) for node in graph["nodes"]}
    return Graph(nodes=nodes, edges=frozenset((start, relation, end) for start, relation, end in edges))


def changed(base: Graph, change: Mapping[str, Any]) -> Graph:
    gone = set(change["nodes_del"])
    nodes = {number: node for number, node in base.nodes.items() if number not in gone}
    nodes |= {node["id"]: _node(node) for node in change["nodes_add"]}
    edges = (base.edges - {tuple(edge) for edge in change["edges_del"]}) | {tuple(edge) for edge in change["edges_add"]}
    return Graph(nodes=nodes, edges=edges)


def state_of(graph: Graph, base: Graph, shared: State) -> State:
    """Return the state of a graph, on top of that of a base which has nearly all of it."""
    differ = [number for number, node in graph.nodes.items() if base.nodes.get(number) != node]
    gone = [number for number in base.nodes if graph.nodes.get(number) != base.nodes[number]]
    if any(graph.nodes.get(number, base.nodes[number]).name != base.nodes[number].name for number in gone):
        return frozenset(graph.atoms())
    deleted = [atom for number in gone for atom in base.nodes[number].atoms()]
    deleted += base.relations(base.edges - graph.edges)
    added = [atom for number in differ for atom in graph.nodes[number].atoms()]
    added += graph.relations(graph.edges - base.edges)
    for number in graph.nodes.keys() ^ base.nodes.keys():
        # An edge of both graphs is a fact of that one only which has both its ends.
        kept = base.incident.get(number, frozenset()) & graph.edges
        added += graph.relations(kept)
        deleted += base.relations(kept)
    return (shared - frozenset(deleted)) | frozenset(added)


def relevant(before: Graph, after: Graph) -> frozenset[int]:
    """Return the nodes that differ between two graphs, and both ends of every edge that does."""
    numbers = before.nodes.keys() | after.nodes.keys()
    nodes = {number for number in numbers if before.nodes.get(number) != after.nodes.get(number)}
    return frozenset(nodes | {end for edge in before.edges ^ after.edges for end in (edge[0], edge[2])})

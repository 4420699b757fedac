"""Scene graphs of VirtualHome as states of the bundled domain ``virtualhome``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
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


@cache
def predicate_of_state(name: str) -> str:
    """Return the predicate for a state or property of a node, such as ``CLOSED`` or ``HAS_SWITCH``."""
    return _STATES.get(name, name.lower().replace("_", "-"))


@cache
def predicate_of_relation(name: str) -> str:
    """Return the predicate for the relation of an edge, such as ``INSIDE``."""
    return _RELATIONS.get(name, name.lower().replace("_", "-"))


@dataclass(frozen=True, slots=True)
class Node:
    name: str
    kind: str
    atoms: frozenset[GroundAtom]
    rest: str


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

    def name(self, number: int) -> str | None:
        node = self.nodes.get(number)
        return None if node is None else node.name

    def atoms(self, numbers: Iterable[int], edges: Iterable[Edge]) -> State:
        """Return the atoms of some nodes and edges."""
        nodes = self.nodes
        relations = [
            (predicate_of_relation(relation), nodes[start].name, nodes[end].name)
            for start, relation, end in edges
            if start in nodes and end in nodes
        ]
        return frozenset(relations).union(*(nodes[number].atoms for number in numbers if number in nodes))

    @property
    def state(self) -> State:
        return self.atoms(self.nodes, self.edges)


def _node(node: Mapping[str, Any]) -> Node:
    number, kind = node["id"], node["class_name"]
    name = AGENT if number == AGENT_NUMBER else f"{kind}_{number}"
    predicates = {predicate_of_state(value) for value in (*node["states"], *node["properties"])}
    predicates |= {f"class-{kind}"} & domain().predicates.keys()
    predicates |= {"class-knife"} if "knife" in kind else set()
    predicates |= {"room"} if node["category"] == "Rooms" else set()
    return Node(
        name=name,
        kind=kind,
        atoms=frozenset((predicate, name) for predicate in predicates),
        rest=f"{node['category']} {node.get('prefab_name')} {node.get('bounding_box')}",
    )


def graph_of(graph: Mapping[str, Any]) -> Graph:
    edges = graph["edges"]
    if edges and isinstance(edges[0], Mapping):
        edges = [(edge["from_id"], edge["relation_type"], edge["to_id"]) for edge in edges]
    return Graph(nodes={node["id"]: _node(node) for node in graph["nodes"]}, edges=frozenset(map(tuple, edges)))


def changed(base: Graph, change: Mapping[str, Any]) -> Graph:
    gone = set(change["nodes_del"])
    nodes = {number: node for number, node in base.nodes.items() if number not in gone}
    nodes |= {node["id"]: _node(node) for node in change["nodes_add"]}
    edges = base.edges.difference(map(tuple, change["edges_del"])).union(map(tuple, change["edges_add"]))
    return Graph(nodes=nodes, edges=edges)


def state_of(graph: Graph, base: Graph, shared: State) -> State:
    """Return the state of a graph, on top of that of a base which has nearly all of it."""
    differ = differing(graph, base)
    # An edge of both graphs is another fact where one of its nodes is not there or has another name.
    renamed = [number for number in differ if graph.name(number) != base.name(number)]
    edges = (graph.edges ^ base.edges).union(*(base.incident.get(number, ()) for number in renamed))
    return (shared - base.atoms(differ, edges & base.edges)) | graph.atoms(differ, edges & graph.edges)


def differing(one: Graph, other: Graph) -> list[int]:
    """Return the nodes that differ between two graphs, in order."""
    numbers = one.nodes.keys() | other.nodes.keys()
    pairs = ((number, one.nodes.get(number), other.nodes.get(number)) for number in sorted(numbers))
    return [number for number, mine, theirs in pairs if mine is not theirs and mine != theirs]


def relevant(before: Graph, after: Graph) -> frozenset[int]:
    """Return the nodes that differ between two graphs, and both ends of every edge that does."""
    ends = frozenset(end for edge in before.edges ^ after.edges for end in (edge[0], edge[2]))
    return ends.union(differing(before, after))

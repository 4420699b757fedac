"""Scene graphs of VirtualHome as states of the bundled domain ``virtualhome``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
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
def predicate_of(name: str, arity: int) -> str:
    """Return the predicate of a state or property of a node, ``CLOSED``, or of the relation of an edge, ``INSIDE``."""
    known = _STATES if arity == 1 else _RELATIONS
    return known.get(name, name.lower().replace("_", "-"))


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

    def atoms(self, numbers: Iterable[int], edges: Iterable[Edge]) -> State:
        """Return the atoms of some nodes and edges."""
        nodes = self.nodes
        relations = [
            _atom_of_edge(relation, nodes[start].name, nodes[end].name)
            for start, relation, end in edges
            if start in nodes and end in nodes
        ]
        return frozenset(relations).union(*(nodes[number].atoms for number in numbers if number in nodes))

    @property
    def state(self) -> State:
        return self.atoms(self.nodes, self.edges)


@cache
def _atom_of_edge(relation: str, start: str, end: str) -> GroundAtom:
    """Return one value for all tasks: nearly all edges of one scene are in the others too."""
    return predicate_of(relation, 2), start, end


def _node(node: Mapping[str, Any]) -> Node:
    number, kind = node["id"], node["class_name"]
    name = AGENT if number == AGENT_NUMBER else f"{kind}_{number}"
    predicates = {predicate_of(value, 1) for value in (*node["states"], *node["properties"])}
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


def relevant(before: Graph, after: Graph) -> frozenset[int]:
    """Return the nodes that differ between two graphs, and both ends of every edge that does."""
    ends = frozenset(end for edge in before.edges ^ after.edges for end in (edge[0], edge[2]))
    numbers = before.nodes.keys() | after.nodes.keys()
    return ends.union(number for number in numbers if before.nodes.get(number) != after.nodes.get(number))

"""Who is protected in a graph: a friendship (an edge), or a person with all of them (a node)."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass

from differential_privacy.errors import PrivateArgumentError

__all__ = ["Edges", "Graph", "Nodes"]

Edge = frozenset[Hashable]


@dataclass(frozen=True, slots=True, repr=False)
class Graph:
    """A private simple graph: nodes, and edges between two different ones of them."""

    nodes: frozenset[Hashable]
    edges: frozenset[Edge]

    def __init__(
        self, nodes: Iterable[Hashable], edges: Iterable[tuple[Hashable, Hashable]]
    ) -> None:
        object.__setattr__(self, "nodes", frozenset(nodes))
        object.__setattr__(self, "edges", frozenset(map(frozenset, edges)))
        if not all(len(edge) == 2 and edge <= self.nodes for edge in self.edges):  # noqa: PLR2004
            raise PrivateArgumentError("edges", "must join two different nodes of the graph")

    def __repr__(self) -> str:
        return "Graph(private)"


@dataclass(frozen=True, slots=True)
class Edges:
    """One edge more or less, among public nodes.

    >>> triangle = Graph("abc", ["ab", "bc", "ca"])
    >>> Edges().distance(triangle, Graph("abc", []))
    3
    """

    def distance(self, one: Graph, other: Graph) -> int:
        """How many edges are in one graph only."""
        if one.nodes != other.nodes:
            raise PrivateArgumentError(
                "other", "must have the same nodes: edges alone are protected"
            )
        return len(one.edges ^ other.edges)


@dataclass(frozen=True, slots=True)
class Nodes:
    """One node more or less, with all its edges: the stronger promise, as it hides every edge too.

    Theorem: an edge is hidden by hiding one of its ends, so a release that is private for nodes at
    epsilon is private for edges at 2 epsilon (a node goes and comes back), and a change to a node
    may change as many edges as there are other nodes.

    >>> star = Graph("abcd", ["ab", "ac", "ad"])
    >>> Nodes().distance(star, Graph("bcd", [])), Nodes().distance(star, Graph("abcd", []))
    (1, 2)
    """

    def distance(self, one: Graph, other: Graph) -> int:
        """One for each node in one graph only; two for each that must go and come with other edges.

        Theorem: edges that differ between nodes of both graphs are mended by taking out and putting
        back one end of each, so the least number of these is a least vertex cover.
        """
        both = one.nodes & other.nodes
        differing = frozenset(edge for edge in one.edges ^ other.edges if edge <= both)
        return len(one.nodes ^ other.nodes) + 2 * _least_cover(differing)


def _least_cover(edges: frozenset[Edge]) -> int:
    """The size of a least vertex cover, by branching on a busiest node: it or all its neighbors."""
    if not edges:
        return 0
    degrees: dict[Hashable, int] = {}
    for edge in edges:
        for node in edge:
            degrees[node] = degrees.get(node, 0) + 1
    busiest = max(degrees, key=degrees.__getitem__)
    if degrees[busiest] == 1:
        return len(edges)
    neighbors = {node for edge in edges if busiest in edge for node in edge} - {busiest}
    with_it = 1 + _least_cover(frozenset(edge for edge in edges if busiest not in edge))
    without = len(neighbors) + _least_cover(
        frozenset(edge for edge in edges if not edge & neighbors)
    )
    return min(with_it, without)

"""Which object names which: the graph, and the table it is read from."""

from .graph import Graph, Reference
from .graph_builder import build_graph
from .table import Effect, Order

__all__ = ["Effect", "Graph", "Order", "Reference", "build_graph"]

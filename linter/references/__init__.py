"""Which object names which: the graph, and the table it is read from."""

from .graph import Graph, Reference, build_graph
from .late import Late, late_references
from .table import Effect, Order

__all__ = ["Effect", "Graph", "Late", "Order", "Reference", "build_graph", "late_references"]

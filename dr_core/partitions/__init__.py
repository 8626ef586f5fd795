"""Rows that come in parts.

An audit goes through the parts twice. The first pass is cheap: it counts the rows and learns the
distinct values of the sensitive columns and of y. In the second each part is perturbed and
predicted where it lies, and only what adds up comes back. A table in memory is a single part, so
that all go the same way.
"""

from dr_core.partitions.chunk_files import iter_chunks
from dr_core.partitions.chunks import Chunks
from dr_core.partitions.parts import WEIGHT, Partition, Partitions, Y
from dr_core.partitions.sources import as_partitions

__all__ = ["WEIGHT", "Chunks", "Partition", "Partitions", "Y", "as_partitions", "iter_chunks"]

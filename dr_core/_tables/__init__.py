"""Tables of any kind as codes, and rows that come in parts."""

from dr_core._tables._chunk_files import iter_chunks
from dr_core._tables._chunks import Chunks
from dr_core._tables._combinations import find_first, joint_codes, joint_positions
from dr_core._tables._encoding import (
    Factorized,
    encode,
    factorize,
    positions,
    zero_one,
)
from dr_core._tables._parts import WEIGHT, Partition, Partitions, Y
from dr_core._tables._reading import read_table
from dr_core._tables._sources import as_partitions
from dr_core._tables._table import Recoded, Table, as_table

__all__ = [
    "WEIGHT",
    "Chunks",
    "Factorized",
    "Partition",
    "Partitions",
    "Recoded",
    "Table",
    "Y",
    "as_partitions",
    "as_table",
    "encode",
    "factorize",
    "find_first",
    "iter_chunks",
    "joint_codes",
    "joint_positions",
    "positions",
    "read_table",
    "zero_one",
]

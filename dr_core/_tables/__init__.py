"""Tables of any kind as codes, rows in parts, and chunks of files."""

from dr_core._tables._chunks import Chunks, iter_chunks
from dr_core._tables._partitions import WEIGHT, Partition, Partitions, Y, as_partitions
from dr_core._tables._reading import read_table
from dr_core._tables._table import (
    Factorized,
    Recoded,
    Table,
    as_table,
    check_zero_one,
    encode,
    encode_known,
    factorize,
    joint_positions,
    read_zero_one,
)

positions, zero_one = encode_known, read_zero_one  # earlier names

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
    "check_zero_one",
    "encode",
    "encode_known",
    "factorize",
    "iter_chunks",
    "joint_positions",
    "positions",
    "read_table",
    "read_zero_one",
    "zero_one",
]

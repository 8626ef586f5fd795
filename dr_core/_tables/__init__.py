"""Tables of any kind as codes, rows in parts, and chunks of files.

- `_table`: any kind of table as codes
- `_index_levels`: levels of a pandas index
- `_partitions`: rows in parts, one protocol; a table in memory is one part
- `_parts`: frames one after another, never all in memory
- `_people`: people whom several rows are about
- `_dask`: rows in a Dask DataFrame
- `_chunks`: files larger than memory, a chunk of rows at a time
- `_formats`: encoding, separator and numbers of text files
- `_reading`: files that may be broken or made to do harm
"""

from dr_core._tables._chunks import Chunks, iter_chunks
from dr_core._tables._index_levels import Level
from dr_core._tables._partitions import (
    PERSON,
    WEIGHT,
    Partition,
    Partitions,
    Y,
    as_partitions,
)
from dr_core._tables._people import People, PeopleCounts
from dr_core._tables._reading import detect_file_format, read_table
from dr_core._tables._table import (
    Factorized,
    Recoded,
    Table,
    Together,
    as_table,
    check_zero_one,
    encode,
    encode_known,
    factorize,
    find_dependent,
    find_first,
    joint_codes,
    joint_positions,
    read_zero_one,
    restore_integers,
)

__all__ = [
    "PERSON",
    "WEIGHT",
    "Chunks",
    "Factorized",
    "Level",
    "Partition",
    "Partitions",
    "People",
    "PeopleCounts",
    "Recoded",
    "Table",
    "Together",
    "Y",
    "as_partitions",
    "as_table",
    "check_zero_one",
    "detect_file_format",
    "encode",
    "encode_known",
    "factorize",
    "find_dependent",
    "find_first",
    "iter_chunks",
    "joint_codes",
    "joint_positions",
    "read_table",
    "read_zero_one",
    "restore_integers",
]

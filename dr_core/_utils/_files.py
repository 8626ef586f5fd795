"""Results written to files, whole or not at all."""

from __future__ import annotations

import errno
import os
from functools import partial
from pathlib import Path
from secrets import token_hex

__all__ = ["check_writable", "most_unpacked", "write_whole"]

MOST_UNPACKED, MOST_TIMES = 2**30, 100
"""A file that unpacks to more bytes than both, the second times its own size, does so to harm."""


def check_writable(path: str | Path) -> Path:
    """Refuse a path whose folder is not there or not writable, or that is a folder itself."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    if not os.access(path.parent, os.W_OK) and (path.is_file() or not path.exists()):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return path


def write_whole(path: str | Path, text: str) -> None:
    """Write text so that nobody ever finds half of it: beside the file, then in its place.

    A device or a pipe, such as /dev/stdout, is written to directly.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_whole(Path(folder) / "a.txt", "hello")
    ...     [file.name for file in Path(folder).iterdir()]
    ['a.txt']
    """
    path = check_writable(path).resolve()
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    mode = path.stat().st_mode & 0o777 if path.exists() else None
    beside = path.with_name(f".{path.name[:50]}.{token_hex(8)}")
    try:
        # Made with the permissions of the file that it replaces: nobody else may look meanwhile.
        opener = partial(os.open, mode=0o666 if mode is None else mode)
        with open(beside, "x", encoding="utf-8", opener=opener) as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        os.replace(beside, path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def most_unpacked(path: Path) -> int:
    """Bytes that a compressed file may hold before it is taken for a bomb."""
    return max(MOST_UNPACKED, MOST_TIMES * path.stat().st_size)

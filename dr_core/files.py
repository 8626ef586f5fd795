"""Results written to files, whole or not at all."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from tempfile import NamedTemporaryFile

__all__ = ["check_writable", "write_whole"]


def check_writable(path: str | Path) -> Path:
    """Refuse a path whose folder does not exist, or that is a folder itself."""
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
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
    with NamedTemporaryFile(
        "w", dir=path.parent, prefix=f".{path.name[:50]}.", delete=False, encoding="utf-8"
    ) as file:
        beside = Path(file.name)
        try:
            file.write(text)
            file.close()
            beside.chmod(_mode(path))
            os.replace(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def _mode(path: Path) -> int:
    """Permissions of the file that is replaced, or those that a new file gets."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask

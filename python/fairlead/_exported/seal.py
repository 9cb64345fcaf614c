"""The checksum behind an exported file, which whoever loads the file verifies."""

from __future__ import annotations

import os

from fairlead._compiler import read_elf, sealed

__all__ = ["read_elf", "seal"]


def seal(path: str | os.PathLike[str]) -> None:
    """Puts it behind a file, or renews it; the file is there whole at any time.

    ValueError for a file that is no ELF file, or whose checksum is wrong: what is damaged is not sealed again.
    """
    with open(path, "rb") as file:
        data = file.read()
    read_elf(data)
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(sealed(data))
        os.chmod(temporary, os.stat(path).st_mode)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise

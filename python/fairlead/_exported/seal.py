"""The checksum and the signature behind an exported file, which whoever loads the file verifies."""

from __future__ import annotations

import os

from fairlead._compiler import read_elf, sealed

__all__ = ["read_elf", "seal"]


def seal(path: str | os.PathLike[str], sign: str | os.PathLike[str] | None = None) -> None:
    """Puts a checksum behind a file, or renews it; with a signature, where ``sign`` names a file with a signing key.
    The file is there whole at any time.

    ValueError for a file that is no ELF file, or whose checksum or signature is wrong (a damaged file is not sealed
    again), and for a file ``sign`` without a key.
    """
    with open(path, "rb") as file:
        data = file.read()
    read_elf(data)
    temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
    try:
        with open(temporary, "wb") as file:
            file.write(sealed(data, os.fsdecode(sign or "")))
        os.chmod(temporary, os.stat(path).st_mode)
        os.replace(temporary, path)
    except BaseException:
        if os.path.exists(temporary):
            os.remove(temporary)
        raise

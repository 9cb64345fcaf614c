"""Writes a wheel's files again, compressed by libdeflate at its highest level: `smallest_wheel.py WHEEL RESULT`.

Runs in the environment that builds wheels, which has the package `deflate`. Any unzip reads the result.
"""

from __future__ import annotations

import sys
import zipfile

import deflate

_LEVEL = 12


class _Whole:
    """Stands in for zlib's compressor in the file that zipfile writes to: compresses all of a file's bytes at once."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def compress(self, data: bytes) -> bytes:
        self._parts.append(bytes(data))
        return b""

    def flush(self) -> bytes:
        return bytes(deflate.deflate_compress(b"".join(self._parts), _LEVEL))


def main(wheel: str, result: str) -> None:
    with zipfile.ZipFile(wheel) as original, zipfile.ZipFile(result, "w") as written:
        for entry in original.infolist():
            entry.compress_type = zipfile.ZIP_DEFLATED
            content = original.read(entry)
            with written.open(entry, "w") as file:
                file._compressor = _Whole()
                file.write(content)
    with zipfile.ZipFile(result) as written:
        broken = written.testzip()
    if broken:
        sys.exit(f"{result}: {broken} does not decompress to what it was")


if __name__ == "__main__":
    main(*sys.argv[1:])

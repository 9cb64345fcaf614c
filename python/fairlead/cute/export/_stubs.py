"""Libraries to link against for a machine that this package has none for: names alone, as ELF files.

A linker only reads the names of a shared library. Programs for another machine are linked with these, and run there
with the runtime that is installed there.
"""

from __future__ import annotations

import os
import struct
import tempfile
from typing import Any

from fairlead._compiler import read_elf

LIBRARIES = ("libcuda_dialect_runtime.so", "libcute_dsl_runtime.so", "libtvm_ffi.so")
#: Triple -> ELF machine.
MACHINES = {"aarch64-unknown-linux-gnu": 183, "x86_64-unknown-linux-gnu": 62}

_PAGE = 0x10000  # the largest page of AArch64
_SYMTAB, _DYNSYM, _STRTAB, _HASH, _DYNAMIC, _PROGBITS = 2, 11, 3, 5, 6, 1


class _Strings:
    def __init__(self) -> None:
        self.bytes = b"\0"

    def add(self, text: str) -> int:
        offset = len(self.bytes)
        self.bytes += text.encode() + b"\0"
        return offset


def _hash_table(names: list[str]) -> bytes:
    """A DT_HASH table of one bucket: symbols 1 to n in a chain."""
    count = len(names) + 1
    chain = [0, *(index + 1 if index + 1 < count else 0 for index in range(1, count))]
    return struct.pack(f"<{3 + count}I", 1, count, 1 if count > 1 else 0, *chain)


def stub_library(machine: int, soname: str, functions: list[str]) -> bytes:
    """Return a shared library for ``machine`` that defines ``functions``, which do nothing."""
    strings, names = _Strings(), _Strings()
    offsets = [strings.add(name) for name in functions]
    soname_offset = strings.add(soname)
    header_size = 64 + 2 * 56

    parts: list[tuple[str, int, int, bytes, int, int, int]] = []  # name, type, flags, ..., link
    position = header_size

    def place(
        name: str, kind: int, flags: int, content: bytes, link: int, info: int, size: int
    ) -> Any:
        nonlocal position
        position = (position + 15) // 16 * 16
        parts.append((name, kind, flags, content, link, info, size))
        offset = position
        position += len(content)
        return offset

    symbol_bytes = 24 * (len(functions) + 1)
    text = place(".text", _PROGBITS, 6, bytes(16), 0, 0, 0)
    symbols = bytes(24) + b"".join(
        struct.pack("<IBBHQQ", offset, 0x12, 0, 1, text, 0) for offset in offsets
    )
    assert len(symbols) == symbol_bytes
    dynsym = place(".dynsym", _DYNSYM, 2, symbols, 3, 1, 24)
    dynstr = place(".dynstr", _STRTAB, 2, strings.bytes, 0, 0, 0)
    table = place(".hash", _HASH, 2, _hash_table(functions), 2, 0, 4)
    entries = [(14, soname_offset), (4, table), (5, dynstr), (6, dynsym), (10, len(strings.bytes))]
    dynamic_content = b"".join(struct.pack("<QQ", *entry) for entry in [*entries, (11, 24), (0, 0)])
    dynamic = place(".dynamic", _DYNAMIC, 3, dynamic_content, 3, 0, 16)
    loaded = position
    name_offsets = [names.add(name) for name, *_ in parts]
    own_name = names.add(".shstrtab")
    shstrtab = position
    section_table = (shstrtab + len(names.bytes) + 7) // 8 * 8

    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack(
        "<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, section_table, 0, 64, 56, 2, 64, len(parts) + 2,
        len(parts) + 1,
    )  # fmt: skip
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, loaded, loaded, _PAGE)
    find = struct.pack(
        "<IIQQQQQQ", 2, 6, dynamic, dynamic, dynamic, len(dynamic_content), len(dynamic_content), 8
    )
    body, sections = bytearray(header + load + find), bytes(64)
    places = iter((text, dynsym, dynstr, table, dynamic))
    for name, (_, kind, flags, content, link, info, size) in zip(name_offsets, parts, strict=True):
        offset = next(places)
        body += bytes(offset - len(body)) + content
        sections += struct.pack(
            "<IIQQQQIIQQ", name, kind, flags, offset, offset, len(content), link, info, 16, size
        )
    body += names.bytes + bytes(section_table - shstrtab - len(names.bytes))
    sections += struct.pack(
        "<IIQQQQIIQQ", own_name, _STRTAB, 0, 0, shstrtab, len(names.bytes), 0, 0, 1, 0
    )
    return bytes(body + sections)


def make_stubs(folder: str, triple: str, lib_dir: str) -> None:
    """Write the stubs of the runtime libraries in ``lib_dir`` for another machine.

    Raises OSError where the folder cannot be written.
    """
    os.makedirs(folder, exist_ok=True)
    for library in LIBRARIES:
        with open(os.path.join(lib_dir, library), "rb") as file:
            elf = read_elf(file.read())
        names = {symbol.name for symbol in elf.symbols if symbol.is_defined and not symbol.is_local}
        content = stub_library(MACHINES[triple], library, sorted(names))
        descriptor, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, os.path.join(folder, library))

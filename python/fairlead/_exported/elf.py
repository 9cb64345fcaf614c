"""Reads 64-bit little-endian ELF files: sections and symbols. Bytes alone; nothing in the file is executed."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

EM_CUDA = 190
_SHT_SYMTAB, _SHT_NOBITS, _SHT_DYNSYM = 2, 8, 11
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")


class BadElf(ValueError):
    """The bytes are no ELF file that this can read; says why."""


@dataclass(frozen=True)
class Section:
    name: str
    type: int
    address: int
    offset: int  # in the file
    size: int
    link: int
    entry_size: int


@dataclass(frozen=True)
class Symbol:
    name: str
    is_function: bool
    is_local: bool
    section: int  # index; 0 where the file only refers to it
    value: int  # offset in its section in an object file, address elsewhere


class Elf:
    """A file's tables. Every offset and size is checked against the bytes."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        if data[:4] != b"\x7fELF":
            raise BadElf("not an ELF file")
        if len(data) < _HEADER.size:
            raise BadElf("the ELF header is cut off")
        if data[4] != 2 or data[5] != 1:
            raise BadElf("not a 64-bit little-endian ELF file")
        header = _HEADER.unpack_from(data)
        self.type, self.machine = header[1], header[2]
        offset, size, count, names = header[6], header[11], header[12], header[13]
        if count and size != _SECTION.size:
            raise BadElf(f"section headers of {size} bytes")
        self._slice(offset, size * count, "the section headers lie")
        raw = [_SECTION.unpack_from(data, offset + i * size) for i in range(count)]
        sections = [Section("", s[1], s[3], s[4], s[5], s[6], s[9]) for s in raw]
        for section in sections:
            if section.type != _SHT_NOBITS:
                self._slice(section.offset, section.size, "a section lies")
        table = self.content(sections[names]) if names < len(sections) else b""
        self.sections = [
            Section(_text(table, s[0]), *list(section.__dict__.values())[1:])
            for s, section in zip(raw, sections)
        ]

    @property
    def is_relocatable(self) -> bool:
        return self.type == 1

    @property
    def is_shared(self) -> bool:
        return self.type == 3

    def content(self, section: Section) -> bytes:
        if section.type == _SHT_NOBITS:
            return b""
        return self._slice(section.offset, section.size, "a section lies")

    def symbols(self) -> Iterator[Symbol]:
        """Those that have names, of both tables: a stripped library keeps what it exports."""
        for table in self.sections:
            if table.type not in (_SHT_SYMTAB, _SHT_DYNSYM):
                continue
            if table.entry_size != _SYMBOL.size or table.link >= len(self.sections):
                raise BadElf(f"the symbol table {table.name} is damaged")
            names = self.content(self.sections[table.link])
            for entry in _SYMBOL.iter_unpack(_whole(self.content(table))):
                name = _text(names, entry[0])
                if name:
                    yield Symbol(name, entry[1] & 15 == 2, entry[1] >> 4 == 0, entry[3], entry[4])

    def file_offset(self, symbol: Symbol) -> int:
        """Where in the file the symbol's bytes are; BadElf when they are not there."""
        if not 0 < symbol.section < len(self.sections):
            raise BadElf(f"{symbol.name} is in no section")
        section = self.sections[symbol.section]
        within = symbol.value if self.is_relocatable else symbol.value - section.address
        if section.type == _SHT_NOBITS or not 0 <= within <= section.size:
            raise BadElf(f"{symbol.name} lies outside its section")
        return section.offset + within

    def _slice(self, offset: int, size: int, what: str) -> bytes:
        if offset + size > len(self.data):
            raise BadElf(f"{what} outside the file, which may be truncated")
        return self.data[offset : offset + size]


def _whole(table: bytes) -> bytes:
    return table[: len(table) - len(table) % _SYMBOL.size]


def _text(table: bytes, offset: int) -> str:
    end = table.find(b"\0", offset)
    return (
        table[offset:end].decode(errors="replace") if 0 <= offset < len(table) and end >= 0 else ""
    )

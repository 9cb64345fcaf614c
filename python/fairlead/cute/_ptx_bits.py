"""PTX instructions on the bits of integers, as operations that every target has; see ``_ptx``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead import _compiler as c
from fairlead.cute._atomics import popc
from fairlead.cute._types import DType

__all__ = ["extracted", "field_mask", "highest_bit", "leading_zeros", "reversed_bits"]


def unsigned(width: int) -> Any:
    """Return the class of unsigned integers of ``width`` bits."""
    return getattr(c, f"Uint{width}")


def of_bits(number: int, kind: DType) -> Any:
    """Return the number of class ``kind`` with the bits of ``number``, a Python int that is not negative."""
    return kind(number - (1 << 64) if number >= 1 << 63 else number)


def _filled(bits: _compiler.Numeric) -> Any:
    """Ones from the highest one on downwards."""
    shift = 1
    while shift < type(bits).width:
        bits = bits | (bits >> shift)
        shift *= 2
    return bits


def leading_zeros(bits: _compiler.Numeric) -> Any:
    """Return the zeros above the highest one of an unsigned number, as Int32; its width if all bits are 0."""
    return type(bits).width - popc(_filled(bits))


def highest_bit(value: _compiler.Numeric) -> Any:
    """PTX's ``bfind``: the place of the highest one, of a signed negative number of its highest zero; all ones
    (0xFFFFFFFF) without one. A Uint32."""
    kind = type(value)
    bits = (
        value.to(unsigned(kind.width)) if not kind.signed else value.bitcast(unsigned(kind.width))
    )
    if kind.signed:
        bits = c.select(value < 0, ~bits, bits)
    return (popc(_filled(bits)) - 1).bitcast(c.Uint32)


def reversed_bits(bits: _compiler.Numeric) -> Any:
    """Return the bits of an unsigned number from the other end."""
    kind, width = type(bits), type(bits).width
    step = 1
    while step < width:
        group = (1 << step) - 1
        mask = sum(group << place for place in range(0, width, 2 * step))
        low = of_bits(mask, kind)
        bits = ((bits >> step) & low) | ((bits & low) << step)
        step *= 2
    return bits


def field_mask(length: _compiler.Numeric, kind: DType) -> Any:
    """``length`` ones at the low end (a Uint32 of at most the width), as the unsigned class ``kind``."""
    width = kind.width
    ones = (kind(1) << (length & (width - 1)).to(kind)) - kind(1)
    return c.select(length >= width, ~kind(0), ones)


def extracted(value: _compiler.Numeric, start: _compiler.Numeric, length: _compiler.Numeric) -> Any:
    """PTX's ``bfe``: ``length`` bits from ``start`` on (the low 8 bits of two Uint32), by the sign of a
    signed number."""
    kind = type(value)
    width = kind.width
    plain = unsigned(width)
    start, length = start & 255, length & 255
    bits = value if not kind.signed else value.bitcast(plain)
    moved = c.select(start < width, bits >> (start & (width - 1)).to(plain), plain(0))
    field = field_mask(length, plain)
    result = moved & field
    if not kind.signed:
        return result
    # The sign is the field's highest bit, or the number's where the field reaches beyond it.
    last = start + length - 1
    last = c.select(last < width, last, c.Uint32(width - 1))
    sign = (bits >> (last & (width - 1)).to(plain)) & 1
    inside = c.select(start < width, c.Uint32(width) - start, c.Uint32(0))
    bits_inside = c.select(length < inside, field, field_mask(inside, plain))
    ones = c.select(sign != 0, ~bits_inside, plain(0))
    return c.select(length == 0, plain(0), (moved & bits_inside) | ones).bitcast(kind)


class Bits:
    """The instructions, for the reader of PTX, which defines how operands are read and written."""

    def read(self, name: str, kind: type[_compiler.Numeric]) -> Any:
        """Return the operand ``name`` as a number of the class ``kind``."""
        raise NotImplementedError

    def write(self, name: str, value: _compiler.Numeric) -> None:
        """Make ``value`` that of the register ``name``."""
        raise NotImplementedError

    def kind(self, words: Sequence[str]) -> Any:
        """Return the class of numbers that the last word of an instruction names."""
        raise NotImplementedError

    def do_brev(self, words: list[str], operands: list[str]) -> None:
        self.write(operands[0], reversed_bits(self.read(operands[1], self.kind(words))))

    def do_clz(self, words: list[str], operands: list[str]) -> None:
        zeros = leading_zeros(self.read(operands[1], self.kind(words)))
        self.write(operands[0], zeros.bitcast(c.Uint32))

    def do_bfind(self, words: list[str], operands: list[str]) -> None:
        kind = self.kind(words)
        place = highest_bit(self.read(operands[1], kind))
        if "shiftamt" in words:
            none = place == c.Uint32(0xFFFFFFFF)
            place = c.select(none, place, c.Uint32(kind.width - 1) - place)
        self.write(operands[0], place)

    def do_bfe(self, words: list[str], operands: list[str]) -> None:
        value = self.read(operands[1], self.kind(words))
        start, length = (self.read(name, c.Uint32) for name in operands[2:4])
        self.write(operands[0], extracted(value, start, length))

    def do_bfi(self, words: list[str], operands: list[str]) -> None:
        kind = self.kind(words)
        part, base = (self.read(name, kind) for name in operands[1:3])
        start, length = (self.read(name, c.Uint32) & 255 for name in operands[3:5])
        place = (start & (kind.width - 1)).to(kind)
        mask = field_mask(length, kind) << place
        changed = (base & ~mask) | ((part << place) & mask)
        self.write(operands[0], c.select(start < kind.width, changed, base))

    def do_shf(self, words: list[str], operands: list[str]) -> None:
        low, high, count = (self.read(name, c.Uint32) for name in operands[1:4])
        both = low.to(c.Uint64) | (high.to(c.Uint64) << 32)
        if "clamp" in words:
            count = c.select(count < 32, count, c.Uint32(32))
        else:
            count = count & 31
        by = count.to(c.Uint64)
        moved = (both << by) >> 32 if words[0] == "l" else both >> by
        self.write(operands[0], moved.to(c.Uint32))

    def _of_24_bits(self, words: list[str], operands: list[str]) -> Any:
        kind = self.kind(words)
        double = c.Int64 if kind.signed else c.Uint64
        numbers = []
        for name in operands[1:3]:
            number = self.read(name, kind)
            numbers.append(((number << 8) >> 8).to(double))
        product = numbers[0] * numbers[1]
        return (product >> 16 if "hi" in words else product).to(kind)

    def do_mul24(self, words: list[str], operands: list[str]) -> None:
        self.write(operands[0], self._of_24_bits(words, operands))

    def do_mad24(self, words: list[str], operands: list[str]) -> None:
        addend = self.read(operands[3], self.kind(words))
        self.write(operands[0], self._of_24_bits(words, operands) + addend)

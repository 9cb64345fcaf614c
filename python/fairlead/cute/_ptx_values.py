"""Values of inline PTX on the CPU: the types that registers have, special registers, and arithmetic on their bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler as c
from fairlead.cute._types import DType, Number

__all__ = [
    "APPROXIMATE",
    "ATOMIC",
    "COMPARE",
    "CONSTRAINTS",
    "HALVES",
    "LOGIC",
    "PAIRS",
    "SPACES",
    "SPECIAL",
    "TYPES",
    "UnknownPtx",
    "as_type",
    "choose",
    "counted",
    "high_half",
    "of_numbers",
    "permuted",
    "shifted",
    "unsigned",
]


class UnknownPtx(Exception):
    """An instruction that is not read here."""


TYPES = {
    f"{letter}{width}": getattr(c, f"{name}{width}")
    for letter, name in (("u", "Uint"), ("b", "Uint"), ("s", "Int"))
    for width in (8, 16, 32, 64)
}
TYPES |= {
    "f16": c.Float16,
    "bf16": c.BFloat16,
    "f32": c.Float32,
    "f64": c.Float64,
    "pred": c.Boolean,
}
CONSTRAINTS = {"h": c.Uint16, "r": c.Uint32, "l": c.Uint64, "f": c.Float32, "d": c.Float64}
PAIRS = {
    "f32x2": (c.Float32, c.Uint64),
    "f16x2": (c.Float16, c.Uint32),
    "bf16x2": (c.BFloat16, c.Uint32),
}
#: The halves of a pair in a register of twice their width.
HALVES = {
    "f16x2": c.Float16,
    "bf16x2": c.BFloat16,
    "e4m3x2": c.Float8E4M3FN,
    "e5m2x2": c.Float8E5M2,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
COMPARE |= {
    short: COMPARE[name] for short, name in (("lo", "lt"), ("ls", "le"), ("hi", "gt"), ("hs", "ge"))
}
LOGIC: dict[str, Callable[[Any, Any], Any]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}


def _lane_bit() -> Any:
    return c.Uint32(1) << c.lane_idx().to(c.Uint32)


SPECIAL: dict[str, Callable[[], Any]] = {
    "%laneid": c.lane_idx,
    "%warpid": c.warp_idx,
    # Like the functions of cute.arch on the CPU: one multiprocessor, and stopped clocks.
    **{
        f"%{name}": (lambda number=number: c.Uint32(number))  # type: ignore[misc]
        for name, number in (
            ("smid", 0),
            ("nsmid", 1),
            ("nwarpid", 64),
            ("WARP_SZ", 32),
            ("clock", 0),
            ("clock_hi", 0),
            ("globaltimer_lo", 0),
            ("globaltimer_hi", 0),
        )
    },
    **{f"%{name}": (lambda: c.Uint64(0)) for name in ("clock64", "globaltimer", "gridid")},
    "%lanemask_eq": lambda: _lane_bit(),
    "%lanemask_lt": lambda: _lane_bit() - 1,
    "%lanemask_le": lambda: _lane_bit() | (_lane_bit() - 1),
    "%lanemask_gt": lambda: ~(_lane_bit() | (_lane_bit() - 1)),
    "%lanemask_ge": lambda: ~(_lane_bit() - 1),
    "%dynamic_smem_size": lambda: c.dynamic_shared_bytes(),
    "%total_smem_size": lambda: c.dynamic_shared_bytes(),
    "%cluster_ctarank": lambda: c.block_rank_in_cluster(),
    **{
        f"%{name}.{axis}": (lambda read=read, place=place: read()[place])  # type: ignore[misc]
        for name, read in (
            ("tid", c.thread_idx),
            ("ctaid", c.block_idx),
            ("ntid", c.block_dim),
            ("nctaid", c.grid_dim),
        )
        for place, axis in enumerate("xyz")
    },
}
ATOMIC = {
    "add": c.AtomicOp.Add,
    "and": c.AtomicOp.And,
    "or": c.AtomicOp.Or,
    "xor": c.AtomicOp.Xor,
    "max": c.AtomicOp.Max,
    "min": c.AtomicOp.Min,
    "exch": c.AtomicOp.Exchange,
}
SPACES = {
    "global": c.AddressSpace.gmem,
    "shared": c.AddressSpace.smem,
    "shared::cta": c.AddressSpace.smem,
}


def unsigned(width: int) -> Any:
    return getattr(c, f"Uint{width}")


def as_type(value: c.Numeric, kind: DType) -> Any:
    """Return a register as a number of a type: the same bits, or the low ones, or zeros above."""
    have = type(value)
    if have is kind:
        return value
    if kind is c.Boolean:
        return value != 0
    if have is c.Boolean:
        return value.to(unsigned(kind.width)).bitcast(kind)
    if have.width == kind.width:
        return value.bitcast(kind)
    bits = value if not have.is_float else value.bitcast(unsigned(have.width))
    bits = bits.to(unsigned(have.width)).to(unsigned(kind.width))
    return bits if type(bits) is kind else bits.bitcast(kind)


def choose(condition: Number, a: Number, b: Number) -> Any:
    return c.select(condition, a, b)


def of_numbers(greater: bool) -> Callable[[Any, Any], Any]:
    """min or max of floats: the number, where one operand is none."""

    def function(a: c.Numeric, b: Number) -> Any:
        if not type(a).is_float:
            return choose((a > b) if greater else (a < b), a, b)
        result = c.max(a, b) if greater else c.min(a, b)
        return choose(a != a, b, choose(b != b, a, result))

    return function


def shifted(value: c.Numeric, count: c.Numeric, left: bool) -> Any:
    """All bits are out at counts of the width and above, as PTX has it."""
    width = type(value).width
    count = as_type(count, c.Uint32)
    inside = (count & (width - 1)).to(type(value))
    moved = value << inside if left else value >> inside
    rest = (value >> (width - 1)) if not left and type(value).signed else type(value)(0)
    return choose(count < width, moved, rest)


def high_half(a: c.Numeric, b: c.Numeric, kind: DType) -> Any:
    if kind.width > 32:
        raise UnknownPtx
    double = getattr(c, ("Int" if kind.signed else "Uint") + str(2 * kind.width))
    return ((a.to(double) * b.to(double)) >> kind.width).to(kind)


def permuted(a: c.Numeric, b: c.Numeric, selector: c.Numeric) -> Any:
    """Return a byte of the eight in (b, a) for each of the selector's four digits; its top bit spreads the byte's
    sign."""
    both = a.to(c.Uint64) | (b.to(c.Uint64) << 32)
    result = c.Uint32(0)
    for place in range(4):
        digit = (selector >> (4 * place)) & 15
        byte = (both >> ((digit & 7).to(c.Uint64) * 8)).to(c.Uint32) & 255
        sign = choose((byte & 128) != 0, c.Uint32(255), c.Uint32(0))
        result = result | (choose((digit & 8) != 0, sign, byte) << (8 * place))
    return result


APPROXIMATE: dict[str, Callable[[Any], Any]] = {
    "ex2": c.exp2,
    "lg2": c.log2,
    "sin": c.sin,
    "cos": c.cos,
    "tanh": c.tanh,
    "sqrt": c.sqrt,
    "rsqrt": c.rsqrt,
    "rcp": lambda x: 1.0 / x,
}


def counted(
    pointer: c.Pointer, last: c.Numeric, up: bool, order: c.AtomicOrder, scope: c.AtomicScope
) -> Any:
    """Count up to ``last`` and on at 0, or down to 0 and on at ``last``; return the old value."""

    def after(number: c.Numeric) -> Any:
        if up:
            return choose(number >= last, c.Uint32(0), number + 1)
        return choose((number == 0) | (number > last), last, number - 1)

    def exchange(carried: list[Any]) -> list[Any]:
        return [c.atomic_cas(pointer, carried[0], after(carried[0]), order, scope), carried[0]]

    old = c.atomic(c.AtomicOp.Or, pointer, c.Uint32(0), order, scope)
    # Until the old value is the one that the exchange expected.
    return c.while_loop(
        ["seen", "expected"], [old, ~old], lambda carried: carried[0] != carried[1], exchange
    )[0]

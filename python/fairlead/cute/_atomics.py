"""Words for the order and the scope of accesses that threads share; bits of numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fairlead import _compiler
from fairlead.cute._types import Number
from fairlead.cute._warp_arguments import check_integer
from fairlead.errors import make_error

__all__ = ["ORDERS", "SCOPES", "address_of", "atomic", "choice", "popc"]

ORDERS = {
    None: _compiler.AtomicOrder.Relaxed,
    "relaxed": _compiler.AtomicOrder.Relaxed,
    "acquire": _compiler.AtomicOrder.Acquire,
    "release": _compiler.AtomicOrder.Release,
    "acq_rel": _compiler.AtomicOrder.AcquireRelease,
}
SCOPES = {
    None: _compiler.AtomicScope.Device,
    "cta": _compiler.AtomicScope.Block,
    # Seen by the whole device, by the cluster as well.
    "cluster": _compiler.AtomicScope.Device,
    "gpu": _compiler.AtomicScope.Device,
    "sys": _compiler.AtomicScope.System,
}


def choice(table: Mapping[Any, Any], what: str, name: str | None) -> Any:
    if name not in table:
        choices = ", ".join(key for key in table if key)
        raise make_error("AtomicWord", what=what, expected=choices, got=repr(name))
    return table[name]


def atomic(
    op: _compiler.AtomicOp, ptr: object, value: Number, sem: str | None, scope: str | None
) -> Any:
    order, reach = choice(ORDERS, "sem", sem), choice(SCOPES, "scope", scope)
    return _compiler.atomic(op, address_of(ptr), value, order, reach)


def address_of(operand: object) -> Any:
    """Return the pointer of an operand that has one (an Array, a Pointer of primitives); others as they are."""
    return getattr(operand, "pointer", operand)


def popc(value: _compiler.Numeric) -> Any:
    """Return the number of bits that are set in ``value``, an integer of up to 64 bits; an Int32. Floats are a
    TypeError."""
    check_integer("popc", "value", value)
    if isinstance(value, int):
        value = _compiler.Int32(value)
    is_wide = type(value).width > 32
    kind = _compiler.Uint64 if is_wide else _compiler.Uint32
    narrow = value.to(getattr(_compiler, f"Uint{type(value).width}")).to(kind)
    pattern = (1 << (64 if is_wide else 32)) - 1

    def constant(byte: int) -> Any:
        number = int.from_bytes(bytes([byte]) * (8 if is_wide else 4), "little") & pattern
        return kind(number - (1 << 64) if number >= 1 << 63 else number)

    count = narrow - ((narrow >> 1) & constant(0x55))
    count = (count & constant(0x33)) + ((count >> 2) & constant(0x33))
    count = (count + (count >> 4)) & constant(0x0F)
    return ((count * constant(0x01)) >> (56 if is_wide else 24)).to(_compiler.Int32)

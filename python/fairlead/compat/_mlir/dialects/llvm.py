"""Pointers and structs of C, what is in a struct, and PTX."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector
from fairlead.cute._assembly import inline_asm
from fairlead.cute._atomics import popc
from fairlead.cute._ir_types import AsmDialect, PointerType, StructType, extractvalue

__all__ = [
    "AsmDialect",
    "PointerType",
    "StructType",
    "addrspacecast",
    "bitcast",
    "extractvalue",
    "inline_asm",
    "intr_ctlz",
    "mlir_undef",
    "ptrtoint",
    "trunc",
    "zext",
]


def addrspacecast(result: Any, value: Any, **_: Any) -> Any:
    """The address: instructions are given what they take of it."""
    return value


def bitcast(result: Any, value: Any, **_: Any) -> Any:
    """The same bits as a number or a vector of another type."""
    if isinstance(result, VectorType):
        return as_vector(value).bitcast(result)
    return value.bitcast(result)


def intr_ctlz(x: Any, is_zero_poison: bool = False, **_: Any) -> Any:
    """The number of zeros above an integer's highest one, of its class; of zero, its width."""
    cls = type(x)
    bits = x.to(_compiler.dtype_by_name(f"Uint{cls.width}"))
    shift = 1
    while shift < cls.width:
        bits = bits | (bits >> shift)
        shift *= 2
    return (cls.width - popc(bits)).to(cls)


def mlir_undef(result: Any, **_: Any) -> Any:
    """A number or a vector to be written; what it holds before is zero."""
    if isinstance(result, VectorType):
        dtype = result.element_type
        return Vector([dtype(0)] * result.shape[0], dtype)
    return result(0)


def ptrtoint(result: Any, arg: Any, **_: Any) -> Any:
    """An address as an integer of the class ``result``."""
    return arg.toint().to(result)


def zext(result: Any, arg: Any, **_: Any) -> Any:
    """An integer as one of a wider class, with zeros above."""
    return arg.to(_compiler.dtype_by_name(f"Uint{type(arg).width}")).to(result)


def trunc(result: Any, arg: Any, *_: Any, **__: Any) -> Any:
    """The low bits of an integer as one of a narrower class."""
    return arg.to(result)

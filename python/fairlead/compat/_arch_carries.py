"""Arithmetic of ``cutlass.cute.arch`` on parts of long integers: instructions that leave a carry, and that take it."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

from fairlead import _compiler
from fairlead.cute._assembly import inline_asm
from fairlead.cute._types import DType, Number
from fairlead.errors import make_error
from fairlead.primitives._operands import on_gpu, type_name

__all__ = ["add_cc", "addc", "mad_cc", "madc", "sub_cc", "subc"]

_Int32, _Uint32, _Int64, _Uint64 = (
    _compiler.Int32,
    _compiler.Uint32,
    _compiler.Int64,
    _compiler.Uint64,
)
_UNSIGNED: dict[DType, DType] = {
    _Int32: _Uint32,
    _Uint32: _Uint32,
    _Int64: _Uint64,
    _Uint64: _Uint64,
}

#: What the last instruction that leaves a carry left, as PTX's register CC.CF: for the CPU.
_carry: contextvars.ContextVar[Any] = contextvars.ContextVar("carry", default=None)

# Name -> PTX, the number of operands, and whether it leaves a carry; the others take it, and leave it as it is.
_INSTRUCTIONS = {
    "add_cc": ("add.cc", 2, True),
    "addc": ("addc", 2, False),
    "sub_cc": ("sub.cc", 2, True),
    "subc": ("subc", 2, False),
    "mad_cc": ("mad.lo.cc", 3, True),
    "madc": ("madc.lo", 3, False),
}


def _operands(name: str, values: tuple[Number, ...], count: int) -> tuple[Any, list[Any]]:
    """Return the type of the operands, and the operands in it."""
    dtype = next((type(value) for value in values if type(value) in _UNSIGNED), None)
    if len(values) != count or dtype is None:
        got = ", ".join(type_name(value) for value in values)
        expected = f"{count} operands of Int32, Uint32, Int64 or Uint64"
        raise make_error("ArgumentKind", function=name, expected=expected, got=got)
    return dtype, [value if type(value) is dtype else dtype(value) for value in values]


def _on_cpu(name: str, dtype: DType, values: list[Any], leaves: bool) -> Any:
    unsigned = _UNSIGNED[dtype]
    *factors, last = (value if dtype is unsigned else value.bitcast(unsigned) for value in values)
    first = factors[0] if len(factors) == 1 else factors[0] * factors[1]
    subtracts = name.startswith("sub")
    if leaves:
        result = first - last if subtracts else first + last
        _carry.set((first < last if subtracts else result < first).to(_Uint32))
    else:
        carry = _carry.get()
        if carry is None:
            expected = "an instruction before it that leaves a carry, as add_cc does"
            raise make_error("ArgumentValue", function=name, expected=expected, got="none")
        carried = carry.to(unsigned)
        result = first - last - carried if subtracts else first + last + carried
    return result if dtype is unsigned else result.bitcast(dtype)


def _instruction(name: str, ptx: str, count: int, leaves: bool) -> Callable[..., Any]:
    def function(*values: Number, loc: object = None, ip: object = None) -> Any:
        dtype, operands = _operands(name, values, count)
        if not on_gpu():
            return _on_cpu(name, dtype, operands, leaves)
        letter = "l" if dtype.width == 64 else "r"
        places = ", ".join(f"${place}" for place in range(count + 1))
        suffix = f"{'s' if dtype.signed and count == 3 else 'u'}{dtype.width}"
        constraints = ",".join([f"={letter}", *[letter] * count])
        # Instructions with side effects stay in order, and with them the carry between them.
        text = f"{ptx}.{suffix} {places};"
        return inline_asm(dtype, operands, text, constraints, has_side_effects=True)

    function.__name__ = function.__qualname__ = name
    formula = {"add": "a + b", "sub": "a - b", "mad": "a * b + c"}[name[:3]]
    does = "leave its carry" if leaves else "take the carry that the last instruction left into it"
    function.__doc__ = f"Return the lower bits of ``{formula}``, and {does}: PTX's ``{ptx}``."
    return function


add_cc, addc, sub_cc, subc, mad_cc, madc = (
    _instruction(name, *description) for name, description in _INSTRUCTIONS.items()
)

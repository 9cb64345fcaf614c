"""PTX in kernels: for GPUs as it is, for the CPU as the operations that it stands for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute._ir_types import IRValue, StructType
from fairlead.cute._types import Condition, DType
from fairlead.errors import make_error

__all__ = ["inline_asm", "inline_ptx"]


def inline_asm(
    res: object,
    operands: Sequence[Any],
    asm_string: str,
    constraints: str,
    *,
    has_side_effects: bool = False,
) -> Any:
    """PTX in a kernel, with ``$0``, ``$1`` and so on for its results and operands.

    On the CPU what common instructions compute is written as operations of the language.

    Args:
        res: a numeric class, a StructType of them for several results, or None for none.
        operands: numbers and pointers.
        constraints: what each result and operand is, as LLVM has it: ``"=r,l,f"``.
        has_side_effects: it must stay where it is, and run as often as written.

    The result is a value, an IRValue for a StructType, or None. RuntimeError (NoCpuForm) when the program is compiled
    for the CPU, and an instruction is one that only GPUs have.
    """
    types = [] if res is None else list(res.leaves()) if isinstance(res, StructType) else [res]
    inputs = [
        constraint for constraint in constraints.split(",") if constraint[:1] not in ("=", "~", "+")
    ]
    passed = []
    for index, operand in enumerate(operands):
        value = operand.leaves()[0] if isinstance(operand, IRValue) else operand
        if isinstance(value, _compiler.Pointer):
            value = value.toint()
        # Addresses in shared memory fit into 32 bits, which instructions on it take.
        is_wide = isinstance(value, (_compiler.Int64, _compiler.Uint64))
        if is_wide and index < len(inputs) and inputs[index] == "r":
            value = value.to(_compiler.Int32)
        passed.append(value)
    values = _compiler.inline_assembly(types, passed, asm_string, constraints, has_side_effects)
    if isinstance(res, StructType):
        return IRValue.struct(res, iter(values))
    return values[0] if values else None


_LETTERS = {16: "h", 32: "r", 64: "l"}


def _constraint(type: DType) -> str:
    if type.is_float and type.width >= 32:
        return "f" if type.width == 32 else "d"
    return _LETTERS.get(type.width, "r")


def _number(value: object) -> Any:
    # Pointers and arrays of the primitives hold one of the language.
    value = getattr(value, "pointer", value)
    if isinstance(value, _compiler.Pointer):
        return value.toint()
    if isinstance(value, bool):
        return _compiler.Boolean(value)
    if isinstance(value, int):
        return _compiler.Int32(value)
    return _compiler.Float32(value) if isinstance(value, float) else value


def inline_ptx(
    ptx_code: str,
    *,
    write_only_types: Sequence[Any] | None = None,
    read_only_args: Sequence[Any] | None = None,
    predicate: Condition | None = None,
) -> Any:
    """Insert ``ptx_code`` into a kernel. In it, ``{$w0}``, ``{$w1}`` are results and ``{$r0}``, ``{$r1}`` operands.

    ``$0``, ``$1`` and so on name results and then operands, too. It stays where it is, and runs as often as written. On
    the CPU what common instructions compute is written as operations of the language.

    Args:
        write_only_types: a numeric class for each result.
        read_only_args: numbers and pointers.
        predicate: a Boolean; where it is false, the instruction is skipped.

    The result is None, a value, or a tuple with one value for each type. RuntimeError (NoCpuForm) when the program is
    compiled for the CPU, and an instruction is one that only GPUs have.
    """
    types = list(write_only_types or ())
    operands = [_number(argument) for argument in read_only_args or ()]
    counts = {"w": (0, len(types)), "r": (len(types), len(operands))}

    def place(match: re.Match[str]) -> str:
        first, count = counts[match[1]]
        if int(match[2]) >= count:
            expectation = (
                f"{count} write_only_types" if match[1] == "w" else f"{count} read_only_args"
            )
            raise make_error("AtomUse", expected=f"inline_ptx with {match[0]}", got=expectation)
        return f"${first + int(match[2])}"

    code = re.sub(r"\{\$([wr])(\d+)\}", place, ptx_code)
    if predicate is not None:
        operands.append(_compiler.Boolean(predicate))
        test = f".reg .pred taken; setp.ne.b32 taken, ${len(types) + len(operands) - 1}, 0;"
        code = f"{{ {test} @taken {code} }}"
    constraints = [f"={_constraint(cls)}" for cls in types]
    constraints += [_constraint(type(operand)) for operand in operands]
    res = StructType.get_literal(types) if len(types) > 1 else types[0] if types else None
    results = inline_asm(res, operands, code, ",".join(constraints), has_side_effects=True)
    return tuple(results.leaves()) if len(types) > 1 else results

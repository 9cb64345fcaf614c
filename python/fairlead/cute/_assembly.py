"""PTX in kernels: for GPUs as it is, for the CPU as the operations that it stands for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute import _ptx
from fairlead.cute._ir_types import IRValue, StructType
from fairlead.cute._target import current_target

__all__ = ["inline_asm"]


def _on_cpu(
    types: list[Any], operands: list[Any], assembly: str, constraints: str
) -> list[Any] | None:
    """What the assembly computes in a kernel for the CPU; None elsewhere, and for instructions that only GPUs have."""
    if current_target().capability or not state.program.in_kernel():
        return None
    try:
        return _ptx.interpret(types, operands, assembly, constraints)
    except _ptx.UnknownPtx:
        return None


def inline_asm(
    res: Any,
    operands: Sequence[Any],
    asm_string: str,
    constraints: str,
    *,
    has_side_effects: bool = False,
    is_align_stack: bool = False,
    asm_dialect: Any = None,
    loc: Any = None,
    ip: Any = None,
    **_: Any,
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
    inputs = [each for each in constraints.split(",") if each[:1] not in ("=", "~", "+")]
    passed = []
    for index, operand in enumerate(operands):
        value = operand.leaves()[0] if isinstance(operand, IRValue) else operand
        if isinstance(value, _compiler.Pointer):
            value = value.toint()
        # Addresses in shared memory fit into 32 bits, which instructions on it take.
        wide = isinstance(value, (_compiler.Int64, _compiler.Uint64))
        if wide and index < len(inputs) and inputs[index] == "r":
            value = value.to(_compiler.Int32)
        passed.append(value)
    values = _on_cpu(types, passed, asm_string, constraints)
    if values is None:
        values = _compiler.inline_assembly(types, passed, asm_string, constraints, has_side_effects)
    if isinstance(res, StructType):
        return IRValue.struct(res, iter(values))
    return values[0] if values else None

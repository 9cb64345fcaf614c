"""Pointers and structs of C, fields of a struct, memory of a thread or of host code, and PTX."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead.compat._described_products import product_of_text
from fairlead.compat._ir_types import PointerType, StructType
from fairlead.compat._mlir._memory import HostCell, HostMemory, TensorMap, reserved, size_of
from fairlead.compat._mlir._vectors import Vector, VectorType, as_vector, element_of, with_element
from fairlead.compat._places import ignoring, take_places, taking_place
from fairlead.cute import _assembly, _ir_types
from fairlead.cute import arch as _arch
from fairlead.cute._atomics import popc
from fairlead.cute._ir_types import AsmDialect, IRValue
from fairlead.cute._types import Choice, Condition, DType, Int

__all__ = [
    "AsmDialect",
    "AtomicOrdering",
    "IntegerOverflowFlags",
    "PointerType",
    "StructType",
    "addrspacecast",
    "alloca",
    "bitcast",
    "extractelement",
    "extractvalue",
    "fence",
    "getelementptr",
    "inline_asm",
    "insertvalue",
    "insertelement",
    "intr_ctlz",
    "intr_assume",
    "inttoptr",
    "load",
    "mlir_undef",
    "mlir_zero",
    "ptrtoint",
    "store",
    "trunc",
    "zext",
]


_inline_asm = ignoring(_assembly.inline_asm, "is_align_stack", "asm_dialect", "tail_call_kind")


def inline_asm(*args: object, operands_: object = None, **keywords: object) -> Any:
    """PTX in a kernel; see cute's ``inline_asm``. ``operands_`` is another name of ``operands``."""
    if operands_ is not None:
        keywords["operands"] = operands_
    names = "res", "operands", "asm_string", "constraints"
    named: dict[str, Any] = {**dict(zip(names, args)), **keywords}
    if "wgmma.mma_async" in named.get("asm_string", ""):
        product = product_of_text(*[named[name] for name in names])
        if product is not None:
            return product
    return _inline_asm(*args, **keywords)


extractvalue = taking_place(_ir_types.extractvalue)


def insertvalue(container: IRValue, value: object, position: Sequence[int]) -> IRValue:
    """Return a struct with another value at ``position``, an index for each level."""
    parts = list(container._held)
    first, *rest = position
    parts[first] = insertvalue(parts[first], value, rest) if rest else value
    return IRValue(tuple(parts))


def addrspacecast(result: object, value: object) -> Any:
    """Return the address unchanged: each instruction converts it itself."""
    return value


def bitcast(result: Any, value: Any) -> Any:
    """Return the bits of ``value`` as a number or a vector of another type."""
    if isinstance(result, VectorType):
        vector = Vector([value], type(value)) if isinstance(value, _compiler.Numeric) else value
        return as_vector(vector).bitcast(result)
    if isinstance(value, Vector):
        return value.bitcast(VectorType.get([1], result))[0]
    return value.bitcast(result)


def intr_ctlz(x: _compiler.Numeric, is_zero_poison: bool = False) -> Any:
    """The number of zeros above an integer's highest one, of its class; of zero, its width."""
    cls = type(x)
    bits = x.to(_compiler.dtype_by_name(f"Uint{cls.width}"))
    shift = 1
    while shift < cls.width:
        bits = bits | (bits >> shift)
        shift *= 2
    return (cls.width - popc(bits)).to(cls)


def mlir_undef(result: Any) -> Any:
    """Return a number, a vector or a struct to be written; its initial value is zero."""
    if isinstance(result, VectorType):
        dtype = result.element_type
        return Vector([dtype(0)] * result.size, dtype, result.shape)
    if isinstance(result, StructType):
        return IRValue.struct(result, (leaf(0) for leaf in result.leaves()))
    return result(0)


def ptrtoint(result: DType, arg: _compiler.Pointer) -> Any:
    """An address as an integer of the class ``result``."""
    return arg.toint().to(result)


def zext(result: DType, arg: _compiler.Numeric, *, non_neg: object = None) -> Any:
    """An integer as one of a wider class, with zeros above."""
    return arg.to(_compiler.dtype_by_name(f"Uint{type(arg).width}")).to(result)


def trunc(result: DType, arg: _compiler.Numeric, overflow_flags: object = None) -> Any:
    """The low bits of an integer as one of a narrower class."""
    return arg.to(result)


mlir_zero = mlir_undef


class IntegerOverflowFlags(enum.Flag):
    """Promises that an operation on integers does not overflow, signed (nsw) or unsigned (nuw). They have no effect:
    results are those of the wrapped-around bits."""

    none = 0
    nsw = 1
    nuw = 2


def intr_assume(
    cond: Condition,
    op_bundle_operands: object = None,
    op_bundle_sizes: object = None,
    *,
    op_bundle_tags: object = None,
) -> None:
    """Promise that a condition is true: a hint, without effect."""


def extractelement(vector: object, position: Int) -> Any:
    """Return the number at ``position`` of a vector, which the run may decide."""
    return element_of(as_vector(vector), position)


def insertelement(vector: object, value: object, position: Int) -> Vector:
    """Return the vector with the number ``value`` at ``position``, which the run may decide."""
    return with_element(as_vector(vector), value, position)


class AtomicOrdering(enum.Enum):
    """The memory order of an access or a fence."""

    not_atomic = 0
    unordered = 1
    monotonic = 2
    acquire = 4
    release = 5
    acq_rel = 6
    seq_cst = 7


_FENCES = {"": "sys", "block": "cta", "cluster": "cluster", "device": "gpu", "system": "sys"}


def fence(ordering: Choice, *, syncscope: str | None = None) -> None:
    """Order the thread's accesses before and after it, for the threads of ``syncscope``: "block", "cluster", "device",
    or by default the whole system. Each ``ordering`` orders both directions.

    Raises ValueError for another scope.
    """
    scope = syncscope or ""
    if scope not in _FENCES:
        raise ValueError(
            f"fence: expected one of {', '.join(filter(None, _FENCES))}, but got {scope!r}"
        )
    getattr(_arch, f"fence_acq_rel_{_FENCES[scope]}")()


#: Address spaces by NVPTX's numbers, the arguments of PointerType.get.
_SPACES = {
    1: _compiler.AddressSpace.gmem,
    3: _compiler.AddressSpace.smem,
}


def inttoptr(result: PointerType, arg: Any) -> Any:
    """Return a pointer to bytes at an integer address, in the memory space of ``result``."""
    space = _SPACES.get(result.address_space or 0, _compiler.AddressSpace.generic)
    return _compiler.pointer_from_int(_compiler.Uint8, arg.to(_compiler.Int64), space, 1)


def alloca(
    res: object,
    array_size: Any,
    elem_type: Any,
    *,
    alignment: int | None = None,
    inalloca: object = None,
) -> Any:
    """Return the address of memory for ``array_size`` elements of ``elem_type``, which hold zero at first.

    In a kernel the memory belongs to the thread. In host code it holds numbers at places known at compile time, and a
    kernel that is given its address has a copy. ``alignment`` has no effect: no access is wider than the memory's own.

    Raises ValueError for a run-time ``array_size``.
    """
    try:
        count = int(array_size)
    except TypeError:
        raise ValueError(
            "alloca: expected a number known at compile time for `array_size`, but got a run-time value"
        ) from None
    return reserved(elem_type, count)


def _as_pointer(address: object) -> Any:
    return address if isinstance(address, _compiler.Pointer) else inttoptr(PointerType(), address)


def getelementptr(
    result: object,
    base: object,
    dynamic_indices: Sequence[Any],
    raw_constant_indices: Sequence[int],
    elem_type: DType,
    no_wrap_flags: object = None,
    *,
    inbounds: object = None,
) -> Any:
    """Return the address of an element behind ``base``, of elements of ``elem_type``.

    Args:
        dynamic_indices: the index, an integer of the run, where ``raw_constant_indices`` has MLIR_DYNAMIC_INDEX.
        raw_constant_indices: one index.
        no_wrap_flags, inbounds: promises, without effect.

    Raises NotImplementedError for several indices, which go into structs.
    """
    if len(raw_constant_indices) != 1:
        raise NotImplementedError(
            f"getelementptr of one index, but got {len(raw_constant_indices)}: extractvalue reads structs"
        )
    index = dynamic_indices[0] if dynamic_indices else raw_constant_indices[0]
    step = index * size_of(elem_type)
    offset = step if isinstance(step, int) else step.to(_compiler.Int64)
    if isinstance(base, (HostMemory, HostCell)):
        memory, first = _host_cell(base)
        return HostCell(memory, first + offset)
    pointer = _as_pointer(base)
    address = pointer.toint() + offset
    return _compiler.pointer_from_int(_compiler.Uint8, address, pointer.memspace, 1)


def _host_cell(address: HostMemory | HostCell) -> HostCell:
    return address if isinstance(address, HostCell) else HostCell(address, 0)


def _cells(address: object, dtype: Any) -> Any:
    """Return the memory of ``dtype``, a numeric class or a vector type, at an address."""
    pointer = _as_pointer(address)
    element, count = (
        (dtype.element_type, dtype.size) if isinstance(dtype, VectorType) else (dtype, 1)
    )
    typed = _compiler.pointer_from_int(
        element, pointer.toint(), pointer.memspace, max(element.width // 8, 1)
    )
    return _compiler.make_tensor(typed, _compiler.make_layout(count, None))


def _require_plain(name: str, volatile: object, ordering: object, syncscope: object) -> None:
    """NotImplementedError for an access that is more than a read or a write of this thread."""
    if volatile or ordering not in (None, AtomicOrdering.not_atomic) or syncscope:
        raise NotImplementedError(
            f"{name}: expected a plain access, but got volatile_={volatile!r}, ordering={ordering!r}, "
            f"syncscope={syncscope!r}; cute.arch.load, cute.arch.store and llvm.inline_asm have these"
        )


def load(
    res: Any,
    addr: object,
    *,
    alignment: object = None,
    volatile_: object = None,
    nontemporal: object = None,
    invariant: object = None,
    invariant_group: object = None,
    ordering: object = None,
    syncscope: object = None,
) -> Any:
    """Return the number or the vector of type ``res`` at an address. ``alignment``, ``nontemporal`` and ``invariant``
    are hints without effect; NotImplementedError for volatile and atomic accesses."""
    _require_plain("load", volatile_, ordering, syncscope)
    if isinstance(addr, (HostMemory, HostCell)):
        cell = _host_cell(addr)
        return cell.memory.number(res, cell.offset)
    cells = _cells(addr, res)
    if isinstance(res, VectorType):
        return Vector([cells[place] for place in range(res.size)], res.element_type, res.shape)
    return cells[0]


def store(
    value: object,
    addr: object,
    *,
    alignment: object = None,
    volatile_: object = None,
    nontemporal: object = None,
    invariant_group: object = None,
    ordering: object = None,
    syncscope: object = None,
) -> None:
    """Write a number, a vector or a tensor map to an address; options as of ``load``."""
    _require_plain("store", volatile_, ordering, syncscope)
    if isinstance(value, TensorMap) and isinstance(addr, _compiler.Pointer):
        return _compiler.copy_map(value.atom, addr)
    if isinstance(addr, (HostMemory, HostCell)):
        cell = _host_cell(addr)
        return cell.memory.write(value, cell.offset)
    if isinstance(value, (Vector, _compiler.TensorExpr)):
        vector = as_vector(value)
        cells = _cells(addr, vector.type)
        for place, number in enumerate(vector.numbers):
            cells[place] = number
        return
    _cells(addr, type(value))[0] = value


take_places(globals(), [name for name in __all__ if name != "inline_asm"])

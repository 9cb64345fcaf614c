"""Copy and MMA atoms, tiled copies and tiled MMAs: what programs call them, and copies and products by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fairlead import _compiler
from fairlead._compiler import (
    CopyAtom,
    Layout,
    MemoryOrder,
    MemoryScope,
    MmaAtom,
    Tensor,
    TensorCopyAtom,
    ThrCopy,
    ThrMma,
    TiledCopy,
    TiledMma,
)
from fairlead._tracing.native import kind_of
from fairlead._tracing.state import state
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._layout import crd2idx, make_layout, make_tensor
from fairlead.cute._operations import size
from fairlead.cute._types import DType, Extents, Int, Number, Tiler
from fairlead.errors import make_error, wrong_argument

for _each in (CopyAtom, TiledCopy, ThrCopy, MmaAtom, TiledMma, ThrMma):
    methods_ignore_keywords(_each)

__all__ = [
    "CopyAtom",
    "MmaAtom",
    "ThrCopy",
    "ThrMma",
    "TiledCopy",
    "TiledMma",
    "copy",
    "copy_atom_call",
    "gemm",
    "make_copy_atom",
    "make_cotiled_copy",
    "make_mma_atom",
    "make_tiled_copy",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
    "make_tiled_copy_C_atom",
    "make_tiled_copy_D",
    "make_tiled_copy_S",
    "make_tiled_copy_tv",
    "make_tiled_mma",
    "mma_atom_call",
    "prefetch",
]


def make_copy_atom(
    op: Any,
    copy_internal_type: DType,
    *,
    num_bits_per_copy: int = 0,
    l2_prefetch_size: object = None,
    memory_order: MemoryOrder | None = None,
    memory_scope: MemoryScope | None = None,
) -> CopyAtom:
    """Return the instruction of a copy operation, on elements of one type.

    Args:
        op: the operation, such as ``nvgpu.CopyUniversalOp()``.
        copy_internal_type: a numeric class, the type of the elements.
        num_bits_per_copy: the bits that a thread moves at once, for operations of one thread. The default is one
            element; loads and stores are then as wide as alignment allows.
        l2_prefetch_size: for ``cpasync.CopyG2SOp``, an ``nvgpu.L2PrefetchSize``: the size of the area around the read
            bytes that a GPU also brings to its L2 cache.
        memory_order: of copies between memory and registers, an ``nvgpu.MemoryOrder``: how the loads or stores are
            ordered with accesses of other threads. ``ACQUIRE`` is of loads, ``RELEASE`` of stores. Atomic accesses have
            at most 64 bits, so wider copies are several. Default ``WEAK``: no other thread writes the memory meanwhile.
        memory_scope: the threads that see the order, an ``nvgpu.MemoryScope``; default ``GPU``. ``MMIO`` and
            ``VOLATILE`` are always of the whole system.

    Raises TypeError for an operation that does not copy, or for a width or an order that it does not have.
    """
    if not hasattr(op, "_copy_op"):
        raise make_error("AtomUse", expected="an operation that copies for an atom", got=repr(op))
    if not isinstance(num_bits_per_copy, int):
        raise make_error(
            "AtomUse", expected="an integer as num_bits_per_copy", got=repr(num_bits_per_copy)
        )
    hinted = l2_prefetch_size is not None and op._prefetches
    instruction = op._copy_op(l2_prefetch_size) if hinted else op._copy_op()
    instruction = _ordered(instruction, memory_order, memory_scope)
    return CopyAtom(op, instruction, copy_internal_type, num_bits_per_copy)


def _ordered(instruction: Any, order: object, scope: object) -> Any:
    """Return the instruction of a copy with an order; None: as it is."""
    for name, value, kind in (
        ("memory_order", order, MemoryOrder),
        ("memory_scope", scope, MemoryScope),
    ):
        if value is not None and not isinstance(value, kind):
            raise make_error(
                "AtomUse", expected=f"an nvgpu.{kind.__name__} as {name}", got=repr(value)
            )
    if order is None:
        if scope is not None:
            raise make_error("AtomUse", expected="a memory_order with memory_scope", got=str(scope))
        return instruction
    return instruction._ordered(order, MemoryScope.GPU if scope is None else scope)


def make_tiled_copy(atom: CopyAtom, layout_tv: Layout, tiler_mn: Tiler) -> TiledCopy:
    """Return a tiled copy by ``atom``, where ``layout_tv`` maps (thread, value) to a linear coordinate in a tile of
    extents ``tiler_mn``.
    """
    return _compiler.make_tiled_copy(atom, layout_tv, tiler_mn)


def make_tiled_copy_tv(atom: CopyAtom, thr_layout: Layout, val_layout: Layout) -> TiledCopy:
    """Return a tiled copy by ``atom`` of threads laid out as ``thr_layout``, each with values laid out as
    ``val_layout``; see make_layout_tv.
    """
    return _compiler.make_tiled_copy_tv(atom, thr_layout, val_layout)


def make_tiled_copy_A(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """Return a tiled copy by ``atom`` of the elements of A that each thread of ``tiled_mma`` holds."""
    return _compiler.make_tiled_copy_A(atom, tiled_mma)


def make_tiled_copy_B(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """Return a tiled copy by ``atom`` of the elements of B that each thread of ``tiled_mma`` holds."""
    return _compiler.make_tiled_copy_B(atom, tiled_mma)


def make_tiled_copy_C(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """Return a tiled copy by ``atom`` of the elements of C that each thread of ``tiled_mma`` holds."""
    return _compiler.make_tiled_copy_C(atom, tiled_mma)


def make_tiled_copy_C_atom(atom: CopyAtom, mma: TiledMma) -> TiledCopy:
    """make_tiled_copy_C for the tiled MMA ``mma``, of the least tile that one instruction of ``atom`` fills."""
    return _compiler.make_tiled_copy_C_atom(atom, mma)


def make_tiled_copy_S(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """Return a tiled copy by ``atom`` of the elements that each thread of ``tiled_copy`` has of its source."""
    return _compiler.make_tiled_copy_S(atom, tiled_copy)


def make_tiled_copy_D(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """Return a tiled copy by ``atom`` of the elements that each thread of ``tiled_copy`` has of its destination."""
    return _compiler.make_tiled_copy_D(atom, tiled_copy)


def make_cotiled_copy(atom: CopyAtom, atom_layout_tv: Layout, data_layout: Layout) -> TiledCopy:
    """Return a tiled copy by ``atom``. ``atom_layout_tv`` maps (thread, value) to offsets in data with the layout
    ``data_layout``.
    """
    return _compiler.make_cotiled_copy(atom, atom_layout_tv, data_layout)


def copy(
    atom: CopyAtom,
    src: object,
    dst: object,
    *,
    pred: Tensor | None = None,
    tma_bar_ptr: _compiler.Pointer | None = None,
    mbar_ptr: _compiler.Pointer | None = None,
    mcast_mask: Int | None = None,
    tma_desc_ptr: _compiler.Tensor | None = None,
    cache_policy: Int | None = None,
    cta_rank: Int | None = None,
) -> None:
    """Copies ``src`` to ``dst``, which are partitions of a tiled copy or tiles of a copy atom.

    Args:
        atom: a copy atom, or a tiled copy, whose atom is used.
        src, dst: the source and the destination, tensors with the same modes.
        pred: a Boolean tensor with an entry for each of the atom's instructions, or for each element (the first of an
            instruction counts); where it is false nothing is read or written.
        tma_bar_ptr, mbar_ptr: the mbarrier that counts the bytes, for TMA and bulk copies to shared memory.
        mcast_mask: the blocks of the cluster that a multicast writes to, as bits.
        tma_desc_ptr: for TMA, a tensor map in memory, in place of the atom's.
        cache_policy: for TMA and bulk copies, that of the L2 cache, an Int64.
        cta_rank: the block that a bulk copy to another block writes to.

    Raises CopyPartitions, CopyPredicate or AtomAlignment (ValueError) if the instruction cannot do it, AtomUse
    (TypeError) for an option that is not one of the instruction's.
    """
    if not hasattr(atom, "op"):
        raise wrong_argument("copy", "atom", "a copy atom or a tiled copy", atom)
    options: dict[str, Any] = {
        "tma_bar_ptr": tma_bar_ptr,
        "mbar_ptr": mbar_ptr,
        "mcast_mask": mcast_mask,
        "tma_desc_ptr": tma_desc_ptr,
        "cache_policy": cache_policy,
        "cta_rank": cta_rank,
    }
    if getattr(atom.op, "_kind", "") == "load with extremes":
        _check_options(f"copies by {atom.op!r}", {**options, "pred": pred}, ())
        return _copy_extremes(atom, _first(src), dst)
    source, destination = _first(src), _first(dst)
    if getattr(atom.op, "_kind", "") == "rows to tensor memory":
        _check_options(f"copies by {atom.op!r}", {**options, "pred": pred}, ())
        _compiler.copy_rows_to_tensor_memory(atom, source, destination)
    elif getattr(atom.op, "_kind", "") == "store to block":
        _check_options(f"copies by {atom.op!r}", {**options, "pred": pred}, ("mbar_ptr",))
        for index in range(size(source)):
            target = destination.iterator + crd2idx(index, destination.layout)
            _compiler.store_async(target, source[index], mbar_ptr, None)
    elif isinstance(atom, _compiler.TensorCopyAtom):
        if pred is not None:
            raise make_error("AtomUse", expected="no pred for copies of boxes of tensors", got=pred)
        _check_options("copies of boxes of tensors", options, _BOX_OPTIONS)
        box_options = {
            **atom._given,
            **{key: value for key, value in options.items() if value is not None},
        }
        _compiler.copy_boxes(atom, source, destination, *map(box_options.get, _BOX_OPTIONS))
    elif getattr(atom.op, "_kind", "").startswith("bulk"):
        _check_options("bulk copies", options, _BULK_OPTIONS)
        barrier = tma_bar_ptr if mbar_ptr is None else mbar_ptr
        _compiler.copy_bulk(atom, source, destination, barrier, mcast_mask, cache_policy, cta_rank)
    else:
        _check_options(f"copies by {atom.op!r}", options, ())
        if getattr(atom.op, "_kind", "") == "tensor memory":
            source, destination = _of_warp(atom.op, source, destination)
        _compiler.copy(atom, source, destination, pred)


def _of_warp(op: Any, source: Tensor, destination: Tensor) -> tuple[Any, Any]:
    """Return the two sides of a copy of tensor memory. A side there that is a thread's own lane, as partitions of
    registers are, becomes the 32 lanes of its warp."""
    memory = source if op._loads else destination
    is_own = getattr(memory, "memspace", None) is _compiler.AddressSpace.tmem and size(
        source
    ) == size(destination)
    if op._shape != (32, 32) or not is_own:
        return source, destination
    lanes = 32
    step = (1 << 16) * (32 // memory.element_type.width)
    shape, stride = memory.layout.shape, memory.layout.stride
    first = (shape[0], stride[0])
    if isinstance(first[0], tuple):
        (columns, *rest), (along, *others) = first
        first = (((columns, lanes), *rest), ((along, step), *others))
    else:
        first = ((first[0], lanes), (first[1], step))
    layout = make_layout((first[0], *shape[1:]), stride=(first[1], *stride[1:]))
    address = memory.iterator.toint() & ~((lanes - 1) << 16)
    pointer = _compiler.pointer_from_int(
        memory.element_type, address, _compiler.AddressSpace.tmem, 16
    )
    warp = make_tensor(pointer, layout)
    return (warp, destination) if op._loads else (source, warp)


def _copy_extremes(atom: CopyAtom, source: Any, destination: Any) -> None:
    """Copy to a pair: registers, and the extreme value among the registers of each instruction."""
    if not isinstance(destination, tuple | list) or len(destination) != 2:
        raise make_error(
            "CopyMemory",
            memory="a pair (registers, extremes)",
            side="the destination",
            atom=repr(atom.op),
            got=kind_of(destination),
        )
    _compiler.copy_extremes(atom, source, *destination)


_BOX_OPTIONS = ("tma_bar_ptr", "mcast_mask", "tma_desc_ptr", "cache_policy")
_BULK_OPTIONS = ("mbar_ptr", "tma_bar_ptr", "mcast_mask", "cache_policy", "cta_rank")


def _check_options(copies: str, options: dict[str, Any], accepted: tuple[str, ...]) -> None:
    """Raise AtomUse for an option that these copies do not have. Lenient dialects ignore it."""
    if state.dialect.lenient:
        return
    for name, value in options.items():
        if value is not None and name not in accepted:
            raise make_error("AtomUse", expected=f"no {name} for {copies}", got=repr(value))


def prefetch(
    atom: TensorCopyAtom,
    src: Tensor,
    *,
    tma_desc_ptr: _compiler.Pointer | None = None,
    cache_policy: Int | None = None,
) -> None:
    """Bring the bytes that a TMA copy of ``src`` by ``atom`` would read to the L2 cache. ``tma_desc_ptr`` and
    ``cache_policy`` as in copy.
    """
    options = getattr(atom, "_given", {})
    _compiler.prefetch_boxes(
        atom,
        src,
        options.get("tma_desc_ptr") if tma_desc_ptr is None else tma_desc_ptr,
        options.get("cache_policy") if cache_policy is None else cache_policy,
    )


def copy_atom_call(
    atom: CopyAtom,
    src: object,
    dst: object,
    *,
    pred: Tensor | None = None,
    tma_bar_ptr: _compiler.Tensor | None = None,
    mbar_ptr: _compiler.Tensor | None = None,
    mcast_mask: Int | None = None,
    tma_desc_ptr: _compiler.Tensor | None = None,
    cache_policy: Int | None = None,
    cta_rank: Int | None = None,
) -> None:
    """Execute one instruction of ``atom``, from ``src`` to ``dst``; ``pred`` and the other options as in copy."""
    if not hasattr(atom, "op"):
        raise wrong_argument("copy_atom_call", "atom", "a copy atom", atom)
    options: dict[str, Any] = {
        "tma_bar_ptr": tma_bar_ptr,
        "mbar_ptr": mbar_ptr,
        "mcast_mask": mcast_mask,
        "tma_desc_ptr": tma_desc_ptr,
        "cache_policy": cache_policy,
        "cta_rank": cta_rank,
    }
    if getattr(atom.op, "_kind", "") == "load with extremes":
        copy(atom, src, dst, pred=pred, **options)
        return
    if isinstance(atom, _compiler.TensorCopyAtom) or getattr(atom.op, "_kind", "").startswith(
        "bulk"
    ):
        copy(atom, src, dst, pred=pred, **options)
        return
    _check_options(f"copies by {atom.op!r}", options, ())
    if pred is None:
        _compiler.copy_atom_call(atom, _first(src), _first(dst))
    else:
        _compiler.copy(atom, _first(src), _first(dst), pred)


def _first(tensors: object) -> Any:
    """The tensor, where others for the same instruction may follow it."""
    return tensors[0] if isinstance(tensors, (list, tuple)) else tensors


def make_mma_atom(op: object) -> MmaAtom:
    """Return the instruction of ``op``, an operation such as ``nvgpu.MmaUniversalOp(Float32)``.

    Raises TypeError for an operation that does not multiply.
    """
    if isinstance(op, MmaAtom):
        return op
    if not hasattr(op, "_mma_atom"):
        raise make_error(
            "AtomUse", expected="an operation that multiplies for an atom", got=repr(op)
        )
    operation: Any = op
    atom: MmaAtom = operation._mma_atom()
    return atom


def make_tiled_mma(
    op_or_atom: object, atom_layout_mnk: Layout | Extents = (1, 1, 1), permutation_mnk: Tiler = None
) -> TiledMma:
    """Return an MMA atom repeated over threads.

    Args:
        op_or_atom: an operation, or an atom of make_mma_atom.
        atom_layout_mnk: how many atoms lie along M, N and K, or a layout of them.
        permutation_mnk: the extents of a tile along M, N and K, or layouts that say which of its elements come first;
            None for as many as the atoms have.
    """
    return _compiler.make_tiled_mma(make_mma_atom(op_or_atom), atom_layout_mnk, permutation_mnk)


def _operand(atom: MmaAtom, operand: object) -> Any:
    """The tensor of A or B; of a multiply-add of one thread, which takes registers, a copy of one in memory."""
    from fairlead.cute._values import autovec_copy, make_rmem_tensor_like
    from fairlead.cute.nvgpu._operations import MmaUniversalOp

    tensor = _first(operand)
    if (
        not isinstance(tensor, _compiler.Tensor)
        or tensor.memspace is _compiler.AddressSpace.rmem
        or not isinstance(atom.op, MmaUniversalOp)
    ):
        return tensor
    registers = make_rmem_tensor_like(tensor)
    autovec_copy(tensor, registers)
    return registers


def gemm(
    atom: MmaAtom, d: Tensor, a: _compiler.Tensor | Number, b: _compiler.Tensor | Number, c: Tensor
) -> None:
    """``d = a * b + c`` by ``atom``, an MMA atom or a tiled MMA, for a thread's fragments: (V, M, K), (V, N, K) and
    (V, M, N), without K, or values alone. A and B of ``nvgpu.MmaUniversalOp`` may also be in memory. For
    block scaling, ``a`` and ``b`` may be pairs with scale factors in tensor memory, which are then set for each step;
    of a warp's MMA they are pairs with scale factors in registers.

    Raises TypeError (AtomUse) for an operand without scale factors of such an MMA.
    """
    if not hasattr(atom, "op"):
        raise wrong_argument("gemm", "atom", "an MMA atom or a tiled MMA", atom)
    left: Any = a
    right: Any = b
    if getattr(atom, "_has_scales", False) and isinstance(a, (list, tuple)):
        _scaled_gemm(atom, d, left, right, c)
        return
    if getattr(atom, "_has_scale_fragments", False):
        for name, operand in (("a", left), ("b", right)):
            if not isinstance(operand, (list, tuple)) or len(operand) != 2:
                raise make_error(
                    "AtomUse",
                    expected=f"a pair of the operand and its scale factors as {name} of gemm by {atom}",
                    got=repr(operand),
                )
        _compiler.scaled_gemm(atom, d, left[0], right[0], c, left[1], right[1])
        return
    _compiler.gemm(atom, d, _operand(atom, a), _operand(atom, b), c)


def _scaled_gemm(
    atom: MmaAtom, d: Tensor, a: Sequence[Tensor], b: Sequence[Tensor], c: Tensor
) -> None:
    """Multiply step by step along K, each with its scale factors."""
    adds = atom._accumulate
    for step in range(size(a[0], mode=[2])):
        part = (None, None, step)
        atom._set_scales(a[1][part].iterator, b[1][part].iterator)
        _compiler.gemm(atom, d, a[0][part], b[0][part], c if step == 0 else d)
        atom._accumulate = True
    atom._accumulate = adds


def mma_atom_call(
    atom: MmaAtom, d: Tensor, a: Tensor | Sequence[Tensor], b: Tensor | Sequence[Tensor], c: Tensor
) -> None:
    """Execute one instruction of ``atom``: ``d = a * b + c``."""
    _compiler.mma_atom_call(atom, d, _operand(atom, a), _operand(atom, b), c)

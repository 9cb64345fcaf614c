"""Tensor memory of kernels of ``cute.experimental``, which nobody frees, and products of tiles in shared memory."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from fairlead import _compiler, utils
from fairlead.cute import _atoms, _layout, _operations, arch, experimental
from fairlead.cute._shared_memory import SmemAllocator
from fairlead.cute._types import Extents, Int
from fairlead.pipeline._barriers import when

__all__ = ["allocate", "dot", "make_t2r_rmem_layout", "make_tmem_layout_acc", "partition_and_copy"]


class _Columns(threading.local):
    #: The reservations of the traced kernel: pointer, number of columns, True for a pair.
    reserved: list[tuple[Any, int, bool]] = []


_columns = _Columns()


def freeing_columns(body: Callable[[], Any]) -> Any:
    """Trace the body of a kernel, and have it free the tensor memory that it reserves."""
    before, _columns.reserved = _columns.reserved, []
    try:
        result = body()
        if _columns.reserved:
            _free(_columns.reserved)
        return result
    finally:
        _columns.reserved = before


def _by_first_warp(do: Callable[[], None]) -> None:
    when(arch.make_warp_uniform(arch.warp_idx()) == 0, do)


def _free(reserved: list[tuple[Any, int, bool]]) -> None:
    of_pair = reserved[0][2]
    if of_pair:
        arch.cluster_arrive()
        arch.cluster_wait()
    else:
        arch.sync_threads()

    def free() -> None:
        arch.relinquish_tmem_alloc_permit(is_two_cta=of_pair)
        for pointer, columns, _ in reserved:
            arch.dealloc_tmem(pointer, columns, is_two_cta=of_pair)

    _by_first_warp(free)


def _permutes_addresses(layout: object) -> bool:
    """True if the layout has a swizzle of units of 16 bytes, as operands of products in shared memory have."""
    if not isinstance(layout, _layout.ComposedLayout):
        return False
    return isinstance(layout.inner, _layout.Swizzle) and layout.inner.num_base == 4


def allocate(
    element_type: type[_compiler.Numeric],
    address_space: object,
    layout: _compiler.Layout | _compiler.ComposedLayout | Extents,
    alignment: int = 1,
    is2cta: bool = False,
) -> Any:
    """Return a tensor in a kernel's own memory, as ``fairlead.cute.experimental.allocate`` does, or in tensor memory.

    All threads of the block call it for tensor memory, which is freed at the kernel's end.

    Args:
        is2cta: whether both blocks of a pair reserve the tensor memory together.
    """
    if address_space == _compiler.AddressSpace.smem and _permutes_addresses(layout):
        composed: Any = layout
        return SmemAllocator().allocate_tensor(
            element_type, composed.outer, alignment, composed.inner
        )
    if address_space != _compiler.AddressSpace.tmem:
        return experimental.allocate(element_type, address_space, layout, alignment)
    place = SmemAllocator().allocate(_compiler.Int32)
    first = _compiler.Uint32(0)
    null = _compiler.pointer_from_int(element_type, first, _compiler.AddressSpace.tmem, 16)
    columns = utils.get_num_tmem_alloc_cols(_layout.make_tensor(null, layout))
    _by_first_warp(lambda: arch.alloc_tmem(columns, place, is_two_cta=is2cta))
    arch.sync_threads()
    pointer = arch.retrieve_tmem_ptr(element_type, 16, place)
    _columns.reserved.append((pointer, columns, is2cta))
    return _layout.make_tensor(pointer, layout)


def _recast(tensor: _compiler.Tensor) -> Any:
    """Return operands of Float32 as TFloat32, as which the products read them."""
    is_single = tensor.element_type is _compiler.Float32
    return _layout.recast_tensor(tensor, _compiler.TFloat32) if is_single else tensor


def dot(
    mma_atom: _atoms.MmaAtom, a: _compiler.Tensor, b: _compiler.Tensor, acc: _compiler.Tensor
) -> None:
    """Multiply tiles of A and B in shared memory, and add them to, or write them to, accumulators in tensor memory.

    Args:
        mma_atom: the product; its Field.ACCUMULATE says whether it adds.
        a, b: tiles ((M, K), tiles of M, tiles of K) of shared memory.
        acc: the accumulators.
    """
    mma = _atoms.make_tiled_mma(mma_atom)
    a, b = (_recast(tensor) for tensor in (a, b))
    _atoms.gemm(mma_atom, acc, mma.make_fragment_A(a), mma.make_fragment_B(b), acc)


def partition_and_copy(
    thr_copy: _atoms.ThrCopy, src: _compiler.Tensor, dst: _compiler.Tensor
) -> None:
    """Copy a thread's part of a tile, as ``fairlead.cute.experimental`` does, also from tensor memory."""
    if src.memspace == _compiler.AddressSpace.tmem:
        _atoms.copy(thr_copy, thr_copy.partition_S(src), dst)
    else:
        experimental.partition_and_copy(thr_copy, src, dst)


def make_tmem_layout_acc(
    tiled_mma: _atoms.TiledMma, mnk_tiler: tuple[int, ...], acc_stage: int
) -> Any:
    """Return the layout of ``acc_stage`` accumulators of a tile in tensor memory."""
    shape = tiled_mma.partition_shape_C(tuple(mnk_tiler[:2]))
    return tiled_mma.make_fragment_C((*shape, acc_stage)).layout


def make_t2r_rmem_layout(tiled_t2r: _atoms.TiledCopy, tiles: _compiler.Tensor, tid: Int) -> Any:
    """Return the layout of a thread's registers for one of the ``tiles``, (M, N, ...), that a copy loads."""
    tile = tiles[(None, None, *(0,) * (_operations.rank(tiles) - 2))]
    return _layout.make_layout(tiled_t2r.get_slice(tid).partition_D(tile).shape)

"""Copy and MMA atoms, tiled copies and tiled MMAs: what programs call them, and copies and products by them."""

from __future__ import annotations

from typing import Any

from fairlead import _compiler
from fairlead.cute._protocols import methods_take_places
from fairlead.errors import make_error

CopyAtom, TiledCopy, ThrCopy = _compiler.CopyAtom, _compiler.TiledCopy, _compiler.ThrCopy
MmaAtom, TiledMma, ThrMma = _compiler.MmaAtom, _compiler.TiledMma, _compiler.ThrMma
Layout, Tensor = _compiler.Layout, _compiler.Tensor
for _each in (CopyAtom, TiledCopy, ThrCopy, MmaAtom, TiledMma, ThrMma):
    methods_take_places(_each)

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
    copy_internal_type: Any,
    *,
    num_bits_per_copy: int = 0,
    l2_prefetch_size: Any = None,
    **_: Any,
) -> CopyAtom:
    """The instruction of an operation such as ``nvgpu.CopyUniversalOp()`` on elements of a type.

    ``num_bits_per_copy``: what a thread moves at once, of operations of one thread; without it one element, where loads
    and stores are as wide as is known to be possible. ``l2_prefetch_size``: of ``cpasync.CopyG2SOp``, an
    ``nvgpu.L2PrefetchSize``, how many bytes around those that it reads go to a GPU's L2 cache. Other keywords are
    hints, taken without effect.
    """
    if not hasattr(op, "_copy_op"):
        raise make_error("AtomUse", expected="an operation that copies for an atom", got=repr(op))
    if not isinstance(num_bits_per_copy, int):
        raise make_error(
            "AtomUse", expected="an integer as num_bits_per_copy", got=repr(num_bits_per_copy)
        )
    hinted = l2_prefetch_size is not None and op._prefetches
    instruction = op._copy_op(l2_prefetch_size) if hinted else op._copy_op()
    return CopyAtom(op, instruction, copy_internal_type, num_bits_per_copy)


def make_tiled_copy(atom: CopyAtom, layout_tv: Layout, tiler_mn: Any) -> TiledCopy:
    """A tiled copy of a layout (thread, value) -> linear coordinate in a tile of extents ``tiler_mn``."""
    return _compiler.make_tiled_copy(atom, layout_tv, tiler_mn)


def make_tiled_copy_tv(atom: CopyAtom, thr_layout: Layout, val_layout: Layout) -> TiledCopy:
    """Threads laid out as ``thr_layout``, each with values laid out as ``val_layout``; see make_layout_tv."""
    return _compiler.make_tiled_copy_tv(atom, thr_layout, val_layout)


def make_tiled_copy_A(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """A copy of what each thread of a tiled MMA has of A."""
    return _compiler.make_tiled_copy_A(atom, tiled_mma)


def make_tiled_copy_B(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """A copy of what each thread of a tiled MMA has of B."""
    return _compiler.make_tiled_copy_B(atom, tiled_mma)


def make_tiled_copy_C(atom: CopyAtom, tiled_mma: TiledMma) -> TiledCopy:
    """A copy of what each thread of a tiled MMA has of C."""
    return _compiler.make_tiled_copy_C(atom, tiled_mma)


def make_tiled_copy_C_atom(atom: CopyAtom, mma: TiledMma) -> TiledCopy:
    """make_tiled_copy_C of the least tile that a copy atom fills."""
    return _compiler.make_tiled_copy_C_atom(atom, mma)


def make_tiled_copy_S(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """A copy of what each thread of another tiled copy has of its source."""
    return _compiler.make_tiled_copy_S(atom, tiled_copy)


def make_tiled_copy_D(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """A copy of what each thread of another tiled copy has of its destination."""
    return _compiler.make_tiled_copy_D(atom, tiled_copy)


def make_cotiled_copy(atom: CopyAtom, atom_layout_tv: Layout, data_layout: Layout) -> TiledCopy:
    """A copy whose threads' values lie at ``atom_layout_tv`` (thread, value) in data laid out as ``data_layout``."""
    return _compiler.make_cotiled_copy(atom, atom_layout_tv, data_layout)


def copy(atom: CopyAtom, src: Any, dst: Any, *, pred: Tensor | None = None, **given: Any) -> None:
    """Copies ``src`` to ``dst`` by an atom, or by the atom of a tiled copy, whose partitions they are.

    Args:
        pred: a Boolean tensor with an entry for each of the atom's instructions, or for each element (the first of an
            instruction counts); where it is false nothing is read or written.
        tma_bar_ptr, mbar_ptr: of copies to shared memory of boxes (of make_tiled_tma_atom) and of bytes: the mbarrier
            that counts what has come.
        mcast_mask: of multicasts: the blocks of the cluster, as bits.
        tma_desc_ptr: of boxes: a tensor map in memory, in place of the atom's.
        cache_policy: of boxes and bytes: of the L2 cache, an Int64.
        cta_rank: of bytes to another block: which one.
    """
    source, destination = _first(src), _first(dst)
    if isinstance(atom, _compiler.TensorCopyAtom):
        given = {**atom._given, **given}
        if pred is not None:
            raise make_error("AtomUse", expected="no pred for copies of boxes of tensors", got=pred)
        _compiler.copy_boxes(
            atom,
            source,
            destination,
            given.get("tma_bar_ptr"),
            given.get("mcast_mask"),
            given.get("tma_desc_ptr"),
            given.get("cache_policy"),
        )
    elif getattr(atom.op, "_kind", "").startswith("bulk"):
        _compiler.copy_bulk(
            atom,
            source,
            destination,
            given.get("mbar_ptr", given.get("tma_bar_ptr")),
            given.get("mcast_mask"),
            given.get("cache_policy"),
            given.get("cta_rank"),
        )
    else:
        _compiler.copy(atom, source, destination, pred)


def prefetch(atom: CopyAtom, src: Any, **given: Any) -> None:
    """Brings what a copy of boxes of a tensor would read to the L2 cache. ``tma_desc_ptr`` and ``cache_policy`` as for
    copy."""
    given = {**getattr(atom, "_given", {}), **given}
    _compiler.prefetch_boxes(atom, src, given.get("tma_desc_ptr"), given.get("cache_policy"))


def copy_atom_call(atom: CopyAtom, src: Any, dst: Any, *, pred: Any = None, **given: Any) -> None:
    """One instruction of an atom."""
    if isinstance(atom, _compiler.TensorCopyAtom) or getattr(atom.op, "_kind", "").startswith(
        "bulk"
    ):
        copy(atom, src, dst, pred=pred, **given)
    elif pred is None:
        _compiler.copy_atom_call(atom, _first(src), _first(dst))
    else:
        _compiler.copy(atom, _first(src), _first(dst), pred)


def _first(tensors: Any) -> Any:
    """The tensor, where others for the same instruction may follow it."""
    return tensors[0] if isinstance(tensors, (list, tuple)) else tensors


def make_mma_atom(op: Any) -> MmaAtom:
    """The instruction of an operation such as ``nvgpu.MmaUniversalOp(Float32)``."""
    if isinstance(op, MmaAtom):
        return op
    if not hasattr(op, "_mma_atom"):
        raise make_error(
            "AtomUse", expected="an operation that multiplies for an atom", got=repr(op)
        )
    return op._mma_atom()


def make_tiled_mma(
    op_or_atom: Any, atom_layout_mnk: Any = (1, 1, 1), permutation_mnk: Any = None
) -> TiledMma:
    """An MMA atom repeated over threads.

    Args:
        op_or_atom: an operation, or an atom of make_mma_atom.
        atom_layout_mnk: how many atoms lie along M, N and K, or a layout of them.
        permutation_mnk: the extents of a tile along M, N and K, or layouts that say which of its elements come first;
            None for as many as the atoms have.
    """
    return _compiler.make_tiled_mma(make_mma_atom(op_or_atom), atom_layout_mnk, permutation_mnk)


def gemm(atom: MmaAtom, d: Tensor, a: Any, b: Any, c: Tensor, **_: Any) -> None:
    """``d = a * b + c`` of a thread's fragments: (V, M, K), (V, N, K) and (V, M, N), without K, or values alone."""
    _compiler.gemm(atom, d, _first(a), _first(b), c)


def mma_atom_call(atom: MmaAtom, d: Tensor, a: Any, b: Any, c: Tensor, **_: Any) -> None:
    """One instruction of an atom."""
    _compiler.mma_atom_call(atom, d, _first(a), _first(b), c)

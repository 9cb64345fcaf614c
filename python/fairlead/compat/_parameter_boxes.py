"""Copies by TMA of ``cute.experimental``: kernels name tensors, and nobody makes atoms on the host.

A copy says which parameter it reads or writes and how large its box is. The first time, the kernel's tracing stops
there: the host makes the atom, which becomes one more parameter, and the kernel is traced again. Of a tensor that the
kernel makes of a pointer the kernel makes the atom. If the pointer is one that it loads, the kernel also writes the
tensor map, to the block's shared memory: for the CPU alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.compat._experimental_memory import freeing_columns
from fairlead.compat._experimental_pipelines import OperationTypeEnum
from fairlead.cute import _atoms, _layout, _operations, arch
from fairlead.cute._derivation import derivation_of
from fairlead.cute._kernels import KernelCall
from fairlead.cute._shared_memory import SmemAllocator
from fairlead.cute._types import Int
from fairlead.cute.experimental import FollowingKernel
from fairlead.cute.nvgpu import cpasync
from fairlead.cute.nvgpu._operations import CopyOp
from fairlead.cute.nvgpu.tcgen05 import CtaGroup
from fairlead.errors import make_error
from fairlead.pipeline._barriers import when

__all__ = [
    "BoxKernel",
    "get_cta_v_map_ab",
    "get_cta_v_map_c",
    "tma_load",
    "tma_load_multicast",
    "tma_store",
]


class _NeedsAtom(BaseException):
    """Ends a tracing of a kernel that lacks the atom of this key, made of a parameter by ``make``."""

    def __init__(
        self, key: tuple[Any, ...], parameter: int, make: Callable[[_compiler.Tensor], Any]
    ) -> None:
        self.key, self.parameter, self.make = key, parameter, make


class _Boxes(threading.local):
    #: Atoms and tensors of coordinates of the kernel that is traced, by their keys; None for other kernels.
    atoms: dict[Any, Any] | None = None
    #: The kernel's parameters: numbers by identity.
    numbers: dict[int, int] = {}
    #: The memory of the maps that kernels write, while a function is compiled that asks for them.
    maps: list[Any] | None = None


_boxes = _Boxes()


def _tensors(values: Iterable[object]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, _compiler.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)


class _BoxCall(KernelCall):
    def _trace(self, program: _compiler.Program, merges_branches: bool) -> Any:
        own_args = self.args
        atoms: dict[Any, Any] = {}
        actual = [*_tensors([*self.args, *self.kwargs.values()])]
        while True:
            self._keys: list[Any] = [*atoms]
            self.args = (*own_args, *atoms.values())
            try:
                return super()._trace(program, merges_branches)
            except _NeedsAtom as need:
                atoms[need.key] = need.make(actual[need.parameter])
            finally:
                self.args = own_args

    def _run(self, traced: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        count = len(args) - len(self._keys)
        atoms = dict(zip(self._keys, args[count:], strict=True))
        parameters = [*args[:count], *kwargs.values()]
        numbers = {id(tensor): number for number, tensor in enumerate(_tensors(parameters))}
        before = _boxes.atoms, _boxes.numbers
        _boxes.atoms, _boxes.numbers = atoms, numbers
        try:
            return freeing_columns(lambda: traced(*args[:count], **kwargs))
        finally:
            _boxes.atoms, _boxes.numbers = before


class BoxKernel(FollowingKernel[...]):
    """A kernel whose copies of boxes of its parameters get their atoms by themselves."""

    @property
    def _call_class(self) -> type[KernelCall]:
        return _BoxCall


def _static(shared: _compiler.Tensor) -> Any:
    """Return the layout of a stage of shared memory, with the swizzle of its addresses."""
    layout: Any = shared.layout
    swizzle: Any = shared.iterator._swizzle
    if isinstance(layout, _layout.ComposedLayout):
        layout, swizzle = layout.outer, layout.inner
    return _layout.make_composed_layout(swizzle, 0, layout) if swizzle.num_bits else layout


def _two_modes(layout: _compiler.Layout | _layout.ComposedLayout) -> Any:
    return cpasync._undivided(layout) if _operations.rank(layout) > 2 else layout


def _repeats(layout: Any) -> bool:
    """True if several coordinates share an element, as of scale factors."""
    layout = layout.outer if isinstance(layout, _layout.ComposedLayout) else layout
    return bool(_layout.cosize(layout) < _operations.size(layout))


class _Box(NamedTuple):
    """What a copy needs: the atom, the view as it counts coordinates, and its map, unless it is the atom's."""

    atom: Any
    view: Any
    tensor_map: Any


def _box(
    op: CopyOp, view: _compiler.Tensor, shared: _compiler.Tensor, blocks: int, function: str
) -> _Box:
    derivation = derivation_of(view)
    if derivation is None or _boxes.atoms is None:
        raise make_error(
            "ArgumentValue",
            function=function,
            expected="a view of a parameter of the `cute.experimental.kernel` in global memory, or of a tensor of "
            "make_tensor",
            got="a tensor of another origin, or one that a run-time branch or loop carries",
        )
    tile = tuple(
        _operations.size(view.layout, mode=[mode]) for mode in range(_operations.rank(view))
    )
    layout = _static(shared)
    # Boxes count pairs of scale factors, of which 512 are neighbours.
    internal = _compiler.Int16 if _repeats(layout) and shared.element_type.width == 8 else None

    def make(tensor: _compiler.Tensor) -> Any:
        return cpasync.make_tiled_tma_atom(
            op, tensor, _two_modes(layout), tile, blocks, internal_type=internal
        )

    key = (repr(op), str(layout), tile, blocks)
    info, tensor_map = _atom_of(derivation.origin, key, make)
    first = derivation.coordinates[(0,) * _operations.rank(view)]
    tensor = info.tma_tensor
    padded_tile = (*tile, *(1,) * (_operations.rank(tensor) - len(tile)))
    moved = _layout.domain_offset(first, tensor)
    part = _layout.local_tile(moved, padded_tile, (0,) * len(padded_tile))
    part = part[(None,) * len(tile) + (0,) * (len(padded_tile) - len(tile))]
    return _Box(info.atom, part, tensor_map)


def _atom_of(
    origin: _compiler.Tensor, key: tuple[Any, ...], make: Callable[[_compiler.Tensor], Any]
) -> tuple[Any, _compiler.Pointer | None]:
    """Return the atom of a tensor, and the map in memory that the kernel has just written, if it makes the map."""
    number = _boxes.numbers.get(id(origin))
    if number is not None:
        assert _boxes.atoms is not None
        numbered = (number, *key)
        if numbered not in _boxes.atoms:
            raise _NeedsAtom(numbered, number, make)
        return _boxes.atoms[numbered], None
    info = make(origin)
    if info.atom._has_map:
        return info, None
    memory = _map_memory()
    when(arch.elect_one(), lambda: cpasync.copy_tensormap(info.atom, memory))
    arch.sync_warp()
    return info, memory


def _map_memory() -> Any:
    """Return memory for a tensor map of the running block, as an address that copies take: GPUs would need global
    memory for it."""
    assert state.program is not None and all(target.is_cpu for target in state.program.targets)
    bytes_ = 128
    shared: Any = SmemAllocator().allocate_tensor(_compiler.Uint8, bytes_, bytes_).iterator
    if _boxes.maps is not None:
        _boxes.maps.append(shared)
    address = _compiler.Int64(shared.toint())
    return _compiler.pointer_from_int(_compiler.Uint8, address, _compiler.AddressSpace.gmem, bytes_)


@contextmanager
def noting_own_maps() -> Iterator[list[Any]]:
    """Collect the memory of the tensor maps that the kernels write that are traced in the body."""
    maps: list[Any] = []
    before, _boxes.maps = _boxes.maps, maps
    try:
        yield maps
    finally:
        _boxes.maps = before


def _parts(
    atom: _atoms.CopyAtom,
    shared: _compiler.Tensor,
    view: _compiler.Tensor,
    place: Int = 0,
    blocks: int = 1,
) -> Any:
    parts = cpasync.tma_partition(
        atom,
        place,
        _layout.make_layout(blocks),
        _layout.group_modes(shared, 0, _operations.rank(shared)),
        _layout.group_modes(view, 0, _operations.rank(view)),
    )
    if _repeats(_static(shared)):
        return tuple(_layout.filter_zeros(part) for part in parts)
    return parts


def _is_of_pair(kind: object) -> bool:
    return kind in (
        OperationTypeEnum.SM100_TMA_LOAD_2SM,
        OperationTypeEnum.SM100_TMA_LOAD_2SM_MULTICAST,
    )


def _expect(barrier: _compiler.Pointer, shared: _compiler.Tensor, of_pair: bool) -> None:
    """Add the bytes of the load to the barrier's count; in the even block of a pair, the bytes of both blocks."""
    size = _layout.size_in_bytes(shared.element_type, _static(shared))
    expecting: Any = arch.elect_one()
    if of_pair:
        expecting = expecting & ((arch.block_idx_in_cluster() & 1) == 0)
    when(expecting, lambda: arch.mbarrier_expect_tx(barrier, size * (2 if of_pair else 1)))


def tma_load(
    src: _compiler.Tensor,
    dst: _compiler.Tensor,
    mbar: _compiler.Pointer,
    *,
    cta_v_map: object = None,
    update_expect_tx: bool = True,
    tma_operation_type: object = None,
) -> None:
    """Load a tile of a tensor by TMA. All lanes of a warp call it.

    Args:
        src: the tile of this block: a view of a parameter of the kernel, or of a tensor of ``make_tensor``. If the
            kernel loads its address, only for the CPU.
        dst: shared memory for the tile.
        mbar: the mbarrier that counts the bytes.
        update_expect_tx: whether the barrier also learns how many bytes come.
        tma_operation_type: an ``OperationTypeEnum`` of loads; of pairs the even block's barrier counts the bytes.

    Raises ValueError (ArgumentValue) for any other view.
    """
    of_pair = _is_of_pair(tma_operation_type)
    op = cpasync.CopyBulkTensorTileG2SOp(CtaGroup.TWO if of_pair else CtaGroup.ONE)
    box = _box(op, src, dst, 1, "tma_load")
    if update_expect_tx:
        _expect(mbar, dst, of_pair)
    to, of = _parts(box.atom, dst, box.view)
    _atoms.copy(box.atom, of, to, tma_bar_ptr=mbar, tma_desc_ptr=box.tensor_map)


def tma_load_multicast(
    src: _compiler.Tensor,
    dst: _compiler.Tensor,
    mbar: _compiler.Pointer,
    *,
    vmnk_layout: _compiler.Layout,
    multicast_mode: int,
    cta_v_map: object = None,
    update_expect_tx: bool = True,
    tma_operation_type: object = None,
) -> None:
    """``tma_load`` of a tile that blocks of a cluster share: each loads a part of it for all of them.

    Args:
        vmnk_layout: the blocks of the cluster as (V, M, N, K).
        multicast_mode: the mode of it along which blocks share the tile, 1 or 2.
    """
    of_pair = _is_of_pair(tma_operation_type)
    op = cpasync.CopyBulkTensorTileG2SMulticastOp(CtaGroup.TWO if of_pair else CtaGroup.ONE)
    blocks = _operations.size(vmnk_layout, mode=[multicast_mode])
    box = _box(op, src, dst, blocks, "tma_load_multicast")
    if update_expect_tx:
        _expect(mbar, dst, of_pair)
    coord = vmnk_layout.get_flat_coord(arch.make_warp_uniform(arch.block_idx_in_cluster()))
    mask = cpasync.create_tma_multicast_mask(vmnk_layout, coord, mcast_mode=multicast_mode)
    to, of = _parts(box.atom, dst, box.view, coord[multicast_mode], blocks)
    _atoms.copy(box.atom, of, to, tma_bar_ptr=mbar, mcast_mask=mask, tma_desc_ptr=box.tensor_map)


def tma_store(src: _compiler.Tensor, dst: _compiler.Tensor, *, cta_v_map: object = None) -> None:
    """Store a tile of shared memory by TMA in ``dst``, a view of a parameter, or of a tensor of ``make_tensor``. All
    lanes of a warp call it."""
    box = _box(cpasync.CopyBulkTensorTileS2GOp(), dst, src, 1, "tma_store")
    of, to = _parts(box.atom, src, box.view)
    _atoms.copy(box.atom, of, to, tma_desc_ptr=box.tensor_map)


def get_cta_v_map_ab(
    tensor: object, mma_tiler: tuple[Any, ...], tiled_mma: object, operand: str
) -> Any:
    """Return the tile of operand "A" or "B", or of scale factors, "SFA" or "SFB". ``tma_load`` reads it off its
    view."""
    return (mma_tiler[0 if operand.endswith("A") else 1], mma_tiler[2])


def get_cta_v_map_c(tensor: object, epi_tile: object) -> Any:
    """Return the tile; ``tma_store`` reads it off the view that it is given."""
    return epi_tile

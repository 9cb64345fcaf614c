"""Copies by TMA of ``cute.experimental``: kernels name tensors, and nobody makes atoms on the host.

A copy says which parameter it reads or writes and how large its box is. The first time, the kernel's tracing stops
there: the host makes the atom, which becomes one more parameter, and the kernel is traced again. Of a tensor that the
kernel makes of a pointer the kernel makes the atom, when it is traced again, where it makes the tensor. If the pointer
is one that it loads, each warp also writes the tensor map there, to the workspace that calls bring.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead.compat._experimental_memory import freeing_columns
from fairlead.compat._experimental_pipelines import OperationTypeEnum
from fairlead.cute import _atoms, _layout, _operations, arch
from fairlead.cute._derivation import derivation_of, noting_tensors
from fairlead.cute._kernels import Extents, KernelCall
from fairlead.cute._types import Int
from fairlead.cute.experimental import FollowingKernel
from fairlead.cute.nvgpu import cpasync
from fairlead.cute.nvgpu._operations import CopyOp
from fairlead.cute.nvgpu.tcgen05 import CtaGroup
from fairlead.errors import make_error
from fairlead.pipeline._barriers import when

__all__ = [
    "BoxKernel",
    "NeedsWorkspace",
    "Workspace",
    "get_cta_v_map_ab",
    "get_cta_v_map_c",
    "tma_load",
    "tma_load_multicast",
    "tma_store",
    "tracing_with",
]

MAP_BYTES = 128
#: Maps of a tensor that loads in flight may still use: more than the stages of a pipeline.
_MAPS_OF_WARP = 32


class _NeedsAtom(BaseException):
    """Ends a tracing of a kernel that lacks the atom of this key, made of a parameter by ``make``."""

    def __init__(
        self, key: tuple[Any, ...], parameter: int, make: Callable[[_compiler.Tensor], Any]
    ) -> None:
        self.key, self.parameter, self.make = key, parameter, make


class _NeedsOwnAtom(BaseException):
    """Ends a tracing of a kernel that lacks the atom of this key of the tensor that it makes ``number``-th."""

    def __init__(
        self, number: int, key: tuple[Any, ...], make: Callable[[_compiler.Tensor], Any]
    ) -> None:
        self.number, self.key, self.make = number, key, make


class NeedsWorkspace(BaseException):
    """Ends a tracing of a program whose kernels write tensor maps, if calls can be given a workspace for them."""


class Workspace:
    """Memory for tensor maps that calls of a compiled function bring."""

    def __init__(self) -> None:
        #: The argument, while a program is traced.
        self.tensor: Any = None
        #: Bytes for the kernels traced so far.
        self.size_in_bytes = MAP_BYTES


class _Boxes(threading.local):
    #: Atoms and tensors of coordinates of the kernel that is traced, by their keys; None for other kernels.
    atoms: dict[Any, Any] | None = None
    #: The kernel's parameters: numbers by identity.
    numbers: dict[int, int] = {}
    #: Of the tensors that the kernel makes: numbers by identity, and atoms and their maps by number and key.
    own_numbers: dict[int, int] = {}
    own_atoms: dict[tuple[Any, ...], Any] = {}
    workspace: Workspace | None = None
    #: True if NeedsWorkspace is caught.
    offers_workspace = False


_boxes = _Boxes()


@contextmanager
def tracing_with(workspace: Workspace | None) -> Iterator[None]:
    """Have kernels that are traced in the body write tensor maps to ``workspace``; None: raise NeedsWorkspace."""
    before = _boxes.workspace, _boxes.offers_workspace
    _boxes.workspace, _boxes.offers_workspace = workspace, workspace is None
    try:
        yield
    finally:
        _boxes.workspace, _boxes.offers_workspace = before


def _tensors(values: Iterable[object]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, _compiler.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(value)


class _BoxCall(KernelCall):
    def _trace(self, program: _compiler.Program, merges_branches: bool) -> Any:
        own_args, workspace = self.args, _boxes.workspace
        atoms: dict[Any, Any] = {}
        self._own: dict[int, dict[Any, Any]] = {}
        actual = [*_tensors([*self.args, *self.kwargs.values()])]
        reserved = workspace.size_in_bytes if workspace else 0
        while True:
            self._keys: list[Any] = [*atoms]
            self.args = (*own_args, *atoms.values(), *([workspace.tensor] if workspace else []))
            try:
                return super()._trace(program, merges_branches)
            except _NeedsAtom as need:
                atoms[need.key] = need.make(actual[need.parameter])
            except _NeedsOwnAtom as need:
                self._own.setdefault(need.number, {})[need.key] = need.make
            finally:
                self.args = own_args
            if workspace:
                workspace.size_in_bytes = reserved

    def _run(self, traced: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        self.workspace = args.pop() if _boxes.workspace else None
        count = len(args) - len(self._keys)
        atoms = dict(zip(self._keys, args[count:], strict=True))
        parameters = [*args[:count], *kwargs.values()]
        numbers = {id(tensor): number for number, tensor in enumerate(_tensors(parameters))}
        before = _boxes.atoms, _boxes.numbers, _boxes.own_numbers, _boxes.own_atoms
        _boxes.atoms, _boxes.numbers, _boxes.own_numbers, _boxes.own_atoms = atoms, numbers, {}, {}
        try:
            with noting_tensors(self._make_atoms):
                return freeing_columns(lambda: traced(*args[:count], **kwargs))
        finally:
            _boxes.atoms, _boxes.numbers, _boxes.own_numbers, _boxes.own_atoms = before

    def _make_atoms(self, tensor: _compiler.Tensor) -> None:
        """Make the atoms of a tensor that the kernel has just made, which later copies need."""
        number = _boxes.own_numbers[id(tensor)] = len(_boxes.own_numbers)
        for key, make in self._own.get(number, {}).items():
            info = make(tensor)
            written = None if info.atom._has_map else self._written_map(info.atom)
            _boxes.own_atoms[(number, *key)] = info, written

    def _written_map(self, atom: _atoms.CopyAtom) -> Any:
        """Have each warp write the map of an atom to memory of its own; return the address."""
        address, lane_writes = self._maps_of_warp(), arch.elect_one()
        # The first bytes count the maps: any number is a valid start.
        count = _global(_compiler.Int32, address)
        number = arch.make_warp_uniform(count.load() & (_MAPS_OF_WARP - 1))
        written = _global(_compiler.Uint8, address + _compiler.Int64(number + 1) * MAP_BYTES)

        def write() -> None:
            count.store(number + 1)
            cpasync.copy_tensormap(atom, written)
            cpasync.fence_tma_desc_release()

        arch.sync_warp()
        when(lane_writes, write)
        arch.sync_warp()
        cpasync.fence_tma_desc_acquire(written)
        return written

    def _maps_of_warp(self) -> Any:
        """Reserve the maps of one atom, for each warp of the grid; return the address of the running warp's."""
        workspace = _boxes.workspace
        if workspace is None:
            if _boxes.offers_workspace:
                raise NeedsWorkspace
            raise make_error(
                "ArgumentValue",
                function=self.name,
                expected="a function of `cute.experimental.compile`, whose calls bring a workspace, as the kernel "
                "copies by TMA tensors whose addresses it loads",
                got="a call without a workspace",
            )
        grid, block = (self._extent(*extents) for extents in zip(("grid", "block"), self._extents))
        warps = -(-(block[0] * block[1] * block[2]) // 32)
        of_warp = (1 + _MAPS_OF_WARP) * MAP_BYTES
        first = workspace.size_in_bytes
        workspace.size_in_bytes += grid[0] * grid[1] * grid[2] * warps * of_warp
        x, y, z = arch.block_idx()
        number = (x + grid[0] * (y + grid[1] * z)) * warps + arch.make_warp_uniform(arch.warp_idx())
        assert self.workspace is not None
        # The workspace may begin anywhere.
        begin = (self.workspace.iterator.toint() + (MAP_BYTES - 1)) & -MAP_BYTES
        return begin + (first - MAP_BYTES) + _compiler.Int64(number) * of_warp

    def _extent(self, name: str, extents: Extents) -> tuple[int, int, int]:
        """Return the three numbers of ``grid`` or ``block``, known at compile time."""
        several = (extents,) if isinstance(extents, (int, _compiler.Numeric)) else extents
        numbers = [*several, 1, 1][:3]
        for number in numbers:
            if not isinstance(number, int) and not getattr(number, "is_static", False):
                raise make_error(
                    "ArgumentValue",
                    function=f"{self.name}.launch",
                    expected=f"a `{name}` of numbers known at compile time, as the kernel writes tensor maps",
                    got=number,
                )
        x, y, z = (int(number) for number in numbers)
        return x, y, z


def _global(dtype: type[_compiler.Numeric], address: Int) -> Any:
    return _compiler.pointer_from_int(dtype, address, _compiler.AddressSpace.gmem, MAP_BYTES)


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
    """Return the atom of a tensor, and the map in memory that the kernel has written, if it writes the map."""
    number = _boxes.numbers.get(id(origin))
    if number is not None:
        assert _boxes.atoms is not None
        numbered = (number, *key)
        if numbered not in _boxes.atoms:
            raise _NeedsAtom(numbered, number, make)
        return _boxes.atoms[numbered], None
    own_number = _boxes.own_numbers[id(origin)]
    if (own_number, *key) not in _boxes.own_atoms:
        raise _NeedsOwnAtom(own_number, key, make)
    made: tuple[Any, _compiler.Pointer | None] = _boxes.own_atoms[(own_number, *key)]
    return made


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
        src: the tile of this block: a view of a parameter of the kernel, or of a tensor of ``make_tensor``.
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

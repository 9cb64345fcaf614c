"""Tensor maps that kernels change: one for each problem of several."""

from __future__ import annotations

import dataclasses
import enum
import functools
from collections.abc import Callable, Sequence
from typing import Any

from fairlead import _compiler
from fairlead.cute import arch
from fairlead.cute._types import Number
from fairlead.cute.nvgpu import cpasync

__all__ = ["TensorMapManager", "TensorMapUpdateMode"]

_MAP_WORDS = 16  # of 64 bits


class TensorMapUpdateMode(enum.Enum):
    """The memory where tensor maps are changed."""

    GMEM = "gmem"  #: in global memory, where copies find them
    SMEM = "smem"  #: in shared memory, from where they are published


def _when(condition: Number, do: Callable[[], object]) -> None:
    def region() -> list[Any]:
        do()
        return []

    _compiler.if_else(condition, [], [], region, lambda: [])


@dataclasses.dataclass(frozen=True)
class TensorMapManager:
    """Changes tensor maps of ``bytes_per_tensormap`` bytes (128) in memory, by one warp of a block."""

    tensormap_update_mode: TensorMapUpdateMode
    bytes_per_tensormap: int

    def get_tensormap_ptr(
        self,
        ptr: _compiler.Pointer,
        address_space: _compiler.AddressSpace = _compiler.AddressSpace.gmem,
    ) -> Any:
        """Return the pointer as one to a tensor map: of global memory, or a generic one."""
        return _compiler.pointer_from_int(_compiler.Uint8, ptr.toint(), address_space, 128)

    def init_tensormap_from_atom(
        self, copy_atom: object, dst_ptr: _compiler.Pointer, warp_id: int
    ) -> None:
        """Warp ``warp_id`` sets the map at a pointer to that of an atom."""

        def initialize() -> None:
            if isinstance(copy_atom, _compiler.TensorCopyAtom) and copy_atom._has_map:
                # A word by each lane: one lane would hold all 32 registers of the map.
                lane = arch.lane_idx()
                copy = functools.partial(_compiler.copy_map_word, copy_atom, dst_ptr, lane)
                _when(lane < _MAP_WORDS, copy)
            else:
                _when(arch.elect_one(), lambda: cpasync.copy_tensormap(copy_atom, dst_ptr))
            arch.sync_warp()

        _when(arch.warp_idx() == warp_id, initialize)

    def fence_tensormap_initialization(self) -> None:
        """After maps were initialized."""
        if self.tensormap_update_mode is TensorMapUpdateMode.GMEM:
            arch.fence_acq_rel_cta()

    def update_tensormap(
        self,
        tensor_gmem: Sequence[_compiler.Tensor],
        tma_copy_atom: Sequence[_compiler.TensorCopyAtom],
        tensormap_gmem_ptr: Sequence[_compiler.Pointer],
        warp_id: int,
        tensormap_smem_ptr: Sequence[_compiler.Pointer],
    ) -> None:
        """Warp ``warp_id`` gives each map the extents of a tensor. ``tensormap_smem_ptr``: where that is done in the
        mode SMEM."""
        parts = list(zip(tma_copy_atom, tensor_gmem, tensormap_gmem_ptr, strict=True))

        def stored() -> None:
            arch.cp_async_bulk_commit_group()
            arch.cp_async_bulk_wait_group(0, read=True)

        def in_shared() -> None:
            def change() -> None:
                for (atom, tensor, _), shared in zip(parts, tensormap_smem_ptr, strict=True):
                    cpasync.update_tma_descriptor(atom, tensor, shared)
                stored()

            _when(arch.elect_one(), change)
            arch.sync_warp()
            for (_, _, target), shared in zip(parts, tensormap_smem_ptr, strict=True):
                cpasync.cp_fence_tma_desc_release(target, shared)

        def in_global() -> None:
            stored()
            arch.sync_warp()

            def change() -> None:
                for atom, tensor, target in parts:
                    cpasync.update_tma_descriptor(atom, tensor, target)

            _when(arch.elect_one(), change)
            arch.sync_warp()
            cpasync.fence_tma_desc_release()

        shared_mode = self.tensormap_update_mode is TensorMapUpdateMode.SMEM
        _when(arch.warp_idx() == warp_id, in_shared if shared_mode else in_global)

    def fence_tensormap_update(self, tensormap_ptr: _compiler.Pointer) -> None:
        """Before copies by a map that was changed."""
        cpasync.fence_tma_desc_acquire(tensormap_ptr)

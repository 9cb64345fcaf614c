"""What a running thread knows of its place. Int32 values; RuntimeError (OutsideKernel) outside a kernel."""

from __future__ import annotations

from fairlead import _compiler

__all__ = ["WARP_SIZE", "block_dim", "block_idx", "grid_dim", "thread_idx"]

WARP_SIZE = 32

Dim3 = tuple[_compiler.Int32, _compiler.Int32, _compiler.Int32]


def thread_idx() -> Dim3:
    """Index of the thread in its block: (x, y, z)."""
    return _compiler.thread_idx()


def block_idx() -> Dim3:
    """Index of the block in the grid: (x, y, z)."""
    return _compiler.block_idx()


def block_dim() -> Dim3:
    """Threads of a block: (x, y, z)."""
    return _compiler.block_dim()


def grid_dim() -> Dim3:
    """Blocks of the grid: (x, y, z)."""
    return _compiler.grid_dim()

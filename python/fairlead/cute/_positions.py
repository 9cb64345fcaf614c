"""The position of a thread in its warp, block, cluster and grid."""

from __future__ import annotations

from typing import TypeAlias

from fairlead import _compiler

__all__ = [
    "block_dim",
    "block_idx",
    "block_idx_in_cluster",
    "block_in_cluster_dim",
    "block_in_cluster_idx",
    "cluster_dim",
    "cluster_idx",
    "cluster_size",
    "grid_dim",
    "lane_idx",
    "thread_idx",
    "warp_idx",
]

Dim3: TypeAlias = tuple[_compiler.Int32, _compiler.Int32, _compiler.Int32]


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


def cluster_idx() -> Dim3:
    """Index of the cluster in the grid. Without clusters, every block is one of its own."""
    return _compiler.cluster_idx()


def cluster_dim() -> Dim3:
    """Clusters of the grid: (x, y, z)."""
    return _compiler.cluster_dim()


def block_in_cluster_idx() -> Dim3:
    """Index of the block in its cluster: (x, y, z)."""
    return _compiler.block_in_cluster_idx()


def block_in_cluster_dim() -> Dim3:
    """Blocks of a cluster: (x, y, z)."""
    return _compiler.block_in_cluster_dim()


def block_idx_in_cluster() -> _compiler.Int32:
    """Return the block's place in its cluster as one number, with x fastest."""
    rank: _compiler.Int32 = _compiler.block_rank_in_cluster()
    return rank


def cluster_size() -> _compiler.Int32:
    """Blocks of a cluster."""
    size: _compiler.Int32 = _compiler.cluster_size()
    return size


def lane_idx() -> _compiler.Int32:
    """Return the thread's place in its warp, 0 to 31; threads are counted with x fastest."""
    lane: _compiler.Int32 = _compiler.lane_idx()
    return lane


def warp_idx() -> _compiler.Int32:
    """Return the warp's place in its block."""
    warp: _compiler.Int32 = _compiler.warp_idx()
    return warp

"""Helpers for kernels."""

from __future__ import annotations

from fairlead.utils._shared_memory import SmemAllocator, get_smem_capacity_in_bytes

__all__ = ["SmemAllocator", "get_smem_capacity_in_bytes"]

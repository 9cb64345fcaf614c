"""Helpers for kernels."""

from __future__ import annotations

from fairlead.utils._latex import print_latex, print_latex_tv
from fairlead.utils._shared_memory import SmemAllocator, get_smem_capacity_in_bytes

__all__ = ["SmemAllocator", "get_smem_capacity_in_bytes", "print_latex", "print_latex_tv"]

"""Helpers for kernels."""

from __future__ import annotations

from fairlead._hints import missing
from fairlead.cute._shared_memory import SmemAllocator, get_smem_capacity_in_bytes
from fairlead.utils import tensor_helpers
from fairlead.utils._latex import print_latex, print_latex_tv
from fairlead.utils._layout_enum import LayoutEnum
from fairlead.utils.tensor_helpers import is_fp8_dtype

__all__ = [
    "LayoutEnum",
    "SmemAllocator",
    "get_smem_capacity_in_bytes",
    "is_fp8_dtype",
    "print_latex",
    "print_latex_tv",
    "tensor_helpers",
]

__getattr__ = missing(__name__)

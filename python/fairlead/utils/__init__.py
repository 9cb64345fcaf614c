"""Helpers for kernels."""

from __future__ import annotations

from fairlead.utils._shared_memory import SmemAllocator

__all__ = ["SmemAllocator"]

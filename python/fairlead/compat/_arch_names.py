"""Names of ``cutlass.cute.arch`` in older spellings, and sizes of tensor memory."""

from __future__ import annotations

import enum
import re
from typing import Any

from fairlead import _compiler
from fairlead.compat._architecture import Arch
from fairlead.cute import arch as _arch
from fairlead.cute._types import Choice, Number

__all__ = [
    "Arch",
    "ProxyKind",
    "SharedSpace",
    "atomic_max_float32",
    "get_max_tmem_alloc_cols",
    "get_min_tmem_alloc_cols",
]


class ProxyKind(enum.Enum):
    """The proxies whose accesses ``fence_proxy`` orders."""

    alias = "alias"
    async_ = "async"
    async_global = "async.global"
    async_shared = "async.shared"
    tensormap = "tensormap"
    generic = "generic"


class SharedSpace(enum.Enum):
    """Whose shared memory ``fence_proxy`` is for."""

    shared_cta = "cta"
    shared_cluster = "cluster"


def atomic_max_float32(
    ptr: _compiler.Pointer, value: Number, *, loc: object = None, ip: object = None
) -> Any:
    """Return the Float32 at ``ptr``, which becomes the greater one of it and ``value``."""
    return _arch.atomic_fmax(ptr, value)


def _check_tensor_memory(arch: Choice) -> None:
    if not re.fullmatch(r"sm_(100|101|103|110)[af]?", str(arch)):
        raise ValueError(
            f"arch: expected an architecture with tensor memory, such as sm_100, but got {arch}"
        )


def get_max_tmem_alloc_cols(arch: Choice) -> int:
    """Return the most columns of tensor memory that one allocation may have; ValueError for GPUs that have none."""
    _check_tensor_memory(arch)
    return 512


def get_min_tmem_alloc_cols(arch: Choice) -> int:
    """Return the fewest columns of tensor memory that one allocation may have; ValueError for GPUs that have none."""
    _check_tensor_memory(arch)
    return 32

"""Primitives that are not supported yet: their names resolve, and calls say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_NEWER, _PRODUCTS = (
    "it is for sm_100 and newer GPUs",
    "`cute.nvgpu.warp` and `cute.nvgpu.warpgroup` have products of matrices",
)
_NAMES = {
    _NEWER: (
        "convert_bf16x2_to_s2f6x2 convert_f32x2_to_s2f6x2 convert_f8x2_to_bf16x2 convert_s2f6x2_to_bf16x2 "
        "cvt_e2m1_word_to_e4m3_words cvt_packfloat cvt_packfloat_f32 cvt_packfloat_f32_sf cvt_packfloat_sf"
    ),
    _PRODUCTS: (
        "mma_block_scale mma_smem_desc mma_sp_block_scale mma_sp_sync mma_sync wgmma_commit_group_sync_aligned "
        "wgmma_fence_aligned wgmma_mma_async wgmma_wait_group_sync_aligned wmma_load wmma_mma wmma_store"
    ),
    "it reads counters and marks traces of tools that Fairlead does not have": "auto read_sreg_hw trace_mark",
}


def _stand_in(name: str, reason: str) -> Callable[..., Any]:
    def function(*args: object, **kwargs: object) -> Any:
        raise NotImplementedError(f"`{name}` is not supported yet: {reason}")

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Raise NotImplementedError: {reason}."
    function.is_stand_in = True  # type: ignore[attr-defined]
    return function


STAND_INS: dict[str, Any] = {
    name: _stand_in(name, reason) for reason, names in _NAMES.items() for name in names.split()
}
globals().update(STAND_INS)
__all__ = sorted(STAND_INS)

"""Element types as C++ spells them."""

from __future__ import annotations

from typing import Any

from fairlead._hints import name_keywords

__all__ = ["to_cpp_dtype"]

_NAMES = {
    "bool": "bool",
    "int8": "int8_t",
    "int16": "int16_t",
    "int32": "int32_t",
    "int64": "int64_t",
    "uint8": "uint8_t",
    "uint16": "uint16_t",
    "uint32": "uint32_t",
    "uint64": "uint64_t",
    "float16": "__half",
    "float32": "float",
    "float64": "double",
    "bfloat16": "__nv_bfloat16",
    "float8_e4m3fn": "__nv_fp8_e4m3",
    "float8_e5m2": "__nv_fp8_e5m2",
    "float8_e8m0fnu": "__nv_fp8_e8m0",
    "float6_e2m3fn": "__nv_fp6_e2m3",
    "float6_e3m2fn": "__nv_fp6_e3m2",
    "float4_e2m1fn": "__nv_fp4_e2m1",
    "float4_e2m1fnx2": "__nv_fp4x2_e2m1",
}


def to_cpp_dtype(dtype_str: str | Any) -> str:
    """Return the C++ type of ``dtype_str``, a dtype's name or a dtype of PyTorch, NumPy or JAX, to put into a
    template's text.

    Types that C++ lacks are those of CUDA's headers: ``__half`` of cuda_fp16.h, ``__nv_bfloat16`` of cuda_bf16.h.
    ValueError for a dtype without a C++ type.
    """
    name = getattr(dtype_str, "__name__", None) if isinstance(dtype_str, type) else None
    name = name or str(dtype_str)
    cpp = _NAMES.get(name.removeprefix("torch."))
    if cpp is None:
        raise ValueError(
            f"no C++ type for dtype {dtype_str!r}; expected one of {', '.join(_NAMES)}"
        )
    return cpp


name_keywords(__all__, globals())

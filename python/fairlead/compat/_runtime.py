"""``cutlass.cute.runtime``: Fairlead's, whose functions take options of the published ones."""

from __future__ import annotations

import os
from typing import Any

from fairlead.compat._numeric_classes import taking_classes
from fairlead.compat._places import forwarding
from fairlead.cute import runtime
from fairlead.cute._types import Extents
from fairlead.ffi import Module

__all__ = list(runtime.__all__)


def from_dlpack(
    tensor: object,
    assumed_align: int | None = None,
    use_32bit_stride: bool = False,
    *,
    enable_tvm_ffi: bool = True,
    **options: bool,
) -> runtime.RuntimeTensor:
    """Return a framework's tensor for ``compile`` and for calls, as ``fairlead.cute.runtime.from_dlpack`` does.

    Args:
        tensor: any object with ``__dlpack__``.
        assumed_align: the alignment of the data's address in bytes.
        use_32bit_stride: True for dynamic strides of 32 bits.
        enable_tvm_ffi: no effect: every call goes through TVM FFI.
        options: those of ``fairlead.cute.runtime.from_dlpack``.
    """
    for name in ("loc", "ip"):
        options.pop(name, None)
    # Looked up at each call: programs on the CPU replace it.
    return runtime.from_dlpack(tensor, assumed_align, use_32bit_stride, **options)


def load_module(path: str | os.PathLike[str], *, enable_tvm_ffi: bool = True) -> Module:
    """Load an exported object or library, as ``fairlead.cute.runtime.load_module`` does.

    Args:
        path: the file.
        enable_tvm_ffi: no effect: the file tells the ABI of each function.
    """
    return runtime.load_module(path)


def make_fake_tensor(dtype: type, shape: Extents, stride: Extents, **options: object) -> Any:
    """Return a stand-in for a tensor, as ``fairlead.cute.runtime.make_fake_tensor`` does, also of a derived class."""
    for name in ("loc", "ip"):
        options.pop(name, None)
    # Looked up at each call: programs on the CPU replace it.
    return taking_classes(runtime.make_fake_tensor)(dtype, shape, stride, **options)


__getattr__, __dir__ = forwarding(globals(), runtime)

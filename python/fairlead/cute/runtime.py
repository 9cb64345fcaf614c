"""Arguments for compile, and exported modules. Loading a module needs no compiler."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.cute._dlpack import from_dlpack
    from fairlead.cute._fake import make_fake_compact_tensor, make_fake_stream, make_fake_tensor

__all__ = [
    "find_runtime_libraries",
    "from_dlpack",
    "load_module",
    "make_fake_compact_tensor",
    "make_fake_stream",
    "make_fake_tensor",
]


def load_module(path: str | os.PathLike[str], *, enable_tvm_ffi: bool = True) -> Any:
    """Loads an exported shared library; its functions are attributes: ``load_module("./add_one.so").add_one(a, b)``."""
    from fairlead.ffi import load_module

    return load_module(os.fspath(path))


def find_runtime_libraries(*, enable_tvm_ffi: bool = True) -> list[str]:
    """Paths of the shared libraries that an exported object is linked with."""
    from fairlead.config import lib_dir

    names = ["libcuda_dialect_runtime.so", *(["libtvm_ffi.so"] if enable_tvm_ffi else [])]
    return [os.path.join(lib_dir(), name) for name in names]


def __getattr__(name: str) -> Any:
    if name in __all__:
        import fairlead.cute

        return getattr(fairlead.cute, name)
    raise AttributeError(f"module 'fairlead.cute.runtime' has no attribute {name!r}")

"""Arguments for compile, and exported modules. Loading a module needs no compiler."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairlead.cute._dlpack import from_dlpack
    from fairlead.cute._fake import make_fake_compact_tensor, make_fake_stream, make_fake_tensor
    from fairlead.cute._pointer import RuntimePointer as Pointer
    from fairlead.cute._pointer import make_ptr, nullptr

__all__ = [
    "Pointer",
    "find_runtime_libraries",
    "from_dlpack",
    "load_module",
    "make_fake_compact_tensor",
    "make_fake_stream",
    "make_fake_tensor",
    "make_ptr",
    "nullptr",
]


def load_module(path: str | os.PathLike[str], *, enable_tvm_ffi: bool = True) -> Any:
    """Loads an exported object or library, of either ABI: ``load_module("./add_one.so").add_one(a, b)``.

    Its functions are attributes. They take tensors of any DLPack framework, keyword arguments by the names of the
    original parameters, and their defaults. ``dir()`` lists them; a missing one raises AttributeError.

    Args:
        path: what ``export_to_c`` wrote, or a library linked from such objects.
        enable_tvm_ffi: accepted; the file tells its ABI.

    Raises FileNotFoundError, and RuntimeError for a file that is damaged, for another machine, or exported for
    another version of the runtime.
    """
    from fairlead.cute._module import load

    return load(os.fspath(path))


def find_runtime_libraries(*, enable_tvm_ffi: bool = True) -> list[str]:
    """Paths of the shared libraries that an exported object is linked with.

    Raises FileNotFoundError, naming the library and where it was looked for.
    """
    from fairlead.config import lib_dir

    names = ["libcuda_dialect_runtime.so", *(["libtvm_ffi.so"] if enable_tvm_ffi else [])]
    paths = [os.path.join(lib_dir(), name) for name in names]
    for path in paths:
        if not os.path.exists(path):
            raise FileNotFoundError(
                f"the runtime library {os.path.basename(path)} is not in {lib_dir()}"
            )
    return paths


def __getattr__(name: str) -> Any:
    if name in ("Pointer", "make_ptr", "nullptr"):
        from fairlead.cute import _pointer

        return _pointer.RuntimePointer if name == "Pointer" else getattr(_pointer, name)
    if name in __all__:
        import fairlead.cute

        return getattr(fairlead.cute, name)
    raise AttributeError(f"module 'fairlead.cute.runtime' has no attribute {name!r}")

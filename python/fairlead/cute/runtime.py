"""Arguments for compile, and exported modules. Loading a module needs no compiler."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairlead._hints import name_keywords, no_attribute
from fairlead.config import runtime_libraries

if TYPE_CHECKING:
    from fairlead.cute._dlpack import from_dlpack
    from fairlead.cute._fake import make_fake_compact_tensor, make_fake_stream, make_fake_tensor
    from fairlead.cute._pointer import RuntimePointer as Pointer
    from fairlead.cute._pointer import make_ptr, nullptr
    from fairlead.ffi import load_module

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


def find_runtime_libraries(*, enable_tvm_ffi: bool = True) -> list[str]:
    """Paths of the shared libraries that an exported object is linked with, a list of str.

    ``enable_tvm_ffi=False`` leaves out those of the TVM FFI ABI. Raises FileNotFoundError, naming the library and
    where it was looked for.
    """
    return runtime_libraries(enable_tvm_ffi=enable_tvm_ffi)


# Name -> module that defines it, and its name there; loaded on first use, so that to load a module needs no compiler.
_HOMES = {
    "Pointer": ("fairlead.cute._pointer", "RuntimePointer"),
    "make_ptr": ("fairlead.cute._pointer", "make_ptr"),
    "nullptr": ("fairlead.cute._pointer", "nullptr"),
    "load_module": ("fairlead.ffi", "load_module"),
    "from_dlpack": ("fairlead.cute._dlpack", "from_dlpack"),
    "make_fake_compact_tensor": ("fairlead.cute._fake", "make_fake_compact_tensor"),
    "make_fake_stream": ("fairlead.cute._fake", "make_fake_stream"),
    "make_fake_tensor": ("fairlead.cute._fake", "make_fake_tensor"),
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        home, own_name = _HOMES[name]
        value = globals()[name] = getattr(import_module(home), own_name)
        return value
    raise no_attribute(__name__, name)


name_keywords(__all__, globals())


def __dir__() -> list[str]:
    return sorted(__all__)

"""Exports of files, as listed by the library that loads objects."""

from __future__ import annotations

import ctypes
import functools
import os

from fairlead.config import lib_dir
from fairlead.ffi._library import runtime_library

__all__ = ["listed", "loader", "names_of", "require_runtime", "symbol_of_object"]


def listed(module: ctypes.c_void_p) -> list[str]:
    """Return the functions of a module of the loader."""
    count = loader().CuteDSLRT_Module_Get_Num_Functions(module)
    get = loader().CuteDSLRT_Module_Get_Function_Name
    return [get(module, i).decode() for i in range(count)]


@functools.cache
def names_of(path: str) -> list[str]:
    """Return the functions of a library that is in the process already, told by the loader; none where it cannot."""
    module = ctypes.c_void_p()
    if loader().CuteDSLRT_Module_Load(ctypes.byref(module), os.fsencode(path)):
        return []
    return listed(module)


def require_runtime() -> None:
    """FileNotFoundError without the library whose names exported code calls: a call would end the process."""
    if runtime_library is None:
        raise FileNotFoundError(
            "the runtime library libcuda_dialect_runtime.so, which exported functions call, is not in"
            f" {lib_dir()}"
        )


@functools.cache
def loader() -> ctypes.CDLL:
    """Return the library that loads objects. FileNotFoundError without it."""
    require_runtime()  # in the process before what needs it is loaded
    path = os.path.join(lib_dir(), "libcute_dsl_runtime.so")
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"the runtime library libcute_dsl_runtime.so, which loads objects, is not in {lib_dir()}"
        )
    library = ctypes.CDLL(path)
    library.CuteDSLRT_Module_Load.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p]
    library.CuteDSLRT_Module_Release.argtypes = [ctypes.c_void_p]
    library.CuteDSLRT_Get_Last_Error.restype = ctypes.c_char_p
    library.CuteDSLRT_Module_Get_Symbol.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
    library.CuteDSLRT_Module_Get_Symbol.restype = ctypes.c_void_p
    library.CuteDSLRT_Module_Get_Num_Functions.argtypes = [ctypes.c_void_p]
    library.CuteDSLRT_Module_Get_Num_Functions.restype = ctypes.c_size_t
    library.CuteDSLRT_Module_Get_Function_Name.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    library.CuteDSLRT_Module_Get_Function_Name.restype = ctypes.c_char_p
    return library


def symbol_of_object(object_bytes: bytes, symbol: str) -> int:
    """Link an object that this process has made into it for good, and return the address of one of its symbols.

    RuntimeError for bytes that are no object, or without the symbol.
    """
    library = loader()
    create = library.CuteDSLRT_Module_Create_From_Own_Bytes
    create.argtypes = [ctypes.POINTER(ctypes.c_void_p), ctypes.c_char_p, ctypes.c_size_t]
    module = ctypes.c_void_p()
    if create(ctypes.byref(module), object_bytes, len(object_bytes)):
        raise RuntimeError(library.CuteDSLRT_Get_Last_Error().decode(errors="replace"))
    address: int | None = library.CuteDSLRT_Module_Get_Symbol(module, symbol.encode())
    if not address:
        raise RuntimeError(f"the exported object defines no {symbol}")
    return address

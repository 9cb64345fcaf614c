"""Loading files of exported functions: objects and shared libraries, of either ABI."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable

from fairlead import _events
from fairlead._core import Function, _raise_pending, get_global_func, make_function
from fairlead._hints import name_keywords
from fairlead.errors import path_of, require
from fairlead.ffi import (
    _library,
    _recording,  # noqa: F401  records launches for FAIRLEAD_TRACE
)
from fairlead.ffi._containers import Array
from fairlead.ffi._exports import listed, loader, require_runtime
from fairlead.ffi._module import OPEN_PREFIX, Module

__all__ = ["load_module", "system_lib"]

_FILE_UNREADABLE = 1000


class _ObjectModule(Module):
    """A module of an object file. The ABI's functions for modules do not know it: its methods replace them."""

    def __init__(self, path: str) -> None:
        module = ctypes.c_void_p()
        error = loader().CuteDSLRT_Module_Load(ctypes.byref(module), os.fsencode(path))
        if error:
            text = loader().CuteDSLRT_Get_Last_Error().decode(errors="replace")
            raise OSError(text) if error == _FILE_UNREADABLE else RuntimeError(text)
        self._path = path
        self._object = _LoadedObject(module, loader().CuteDSLRT_Module_Release)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    @property
    def kind(self) -> str:
        return "object"

    @property
    def _code(self) -> object:
        return self._object  # not the module, which holds its functions

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        return name in self._names()

    def _open_function(self, name: str, query_imports: bool) -> Function | None:
        entry = self._address(OPEN_PREFIX + name)
        return make_function(entry, name=name, keep_alive=self._object) if entry else None

    def _open_metadata(self, name: str) -> str | None:
        getter = self._address(f"{OPEN_PREFIX}_metadata_{name}")
        return str(make_function(getter)()) if getter else None

    def get_function_doc(self, name: str) -> str | None:
        return None

    def _address(self, symbol: str) -> int:
        return loader().CuteDSLRT_Module_Get_Symbol(self._object.module, symbol.encode()) or 0

    def _names(self) -> list[str]:
        return listed(self._object.module)

    @property
    def imports(self) -> Array:
        return Array([])

    imports_ = imports

    def import_module(self, module: Module) -> None:
        raise self._refusal("import_module")

    def clear_imports(self) -> None:
        pass

    def inspect_source(self, fmt: str = "") -> str:
        return ""

    def get_write_formats(self) -> Array:
        return Array([])

    def get_property_mask(self) -> int:
        return 2

    def write_to_file(self, file_name: str, fmt: str = "") -> None:
        raise self._refusal("write_to_file")

    def _refusal(self, method: str) -> RuntimeError:
        return RuntimeError(f"{self._path}: a module of an object file has no {method}")


class _LoadedObject:
    """A module of the loader, released with the last function or Python module that refers to it."""

    def __init__(self, module: ctypes.c_void_p, release: Callable[[ctypes.c_void_p], int]) -> None:
        self.module, self._release = module, release

    def __del__(self) -> None:
        if not sys.is_finalizing():  # functions may be called until the process ends
            self._release(self.module)


def _check_file(path: str) -> None:
    """The dynamic linker may crash on a truncated file, so Fairlead's libraries look first: the one of the open ABI
    where it is Fairlead's, else the runtime."""
    if _library.is_own:
        return
    runtime = _library.runtime_library
    check = getattr(runtime, "FairleadCheckSharedLibrary", None)
    if check is None or not path.endswith(".so"):
        return
    check.argtypes, check.restype = [ctypes.c_char_p], ctypes.c_int32
    if check(os.fsencode(path)):
        _raise_pending()


def _opened_module(path: str) -> Module:
    try:
        module: Module = get_global_func("ffi.ModuleLoadFromFile")(path)
        return module
    except RuntimeError as error:
        if "undefined symbol: Fairlead" in str(error):
            require_runtime()
        if "cannot open shared object file" not in str(error):
            raise
        variable = os.environ.get("LD_LIBRARY_PATH", "")
        raise RuntimeError(
            f"{error} (looked for in LD_LIBRARY_PATH={variable!r}, the RUNPATH of what needs it, and the"
            " system's folders)"
        ) from None


def load_module(path: str | os.PathLike[str], keep_module_alive: bool = True) -> Module:
    """Load an exported object or shared library, of either ABI: ``load_module("./add_one.so").add_one(a, b)``.

    Its functions are attributes. They take tensors of any DLPack framework, keyword arguments by the names of the
    original parameters, and their defaults. ``dir()`` lists them; a missing one raises AttributeError.

    Args:
        path: an object that ``export_to_c`` wrote, or a library that exports ``__tvm_ffi_<name>`` symbols or was
            linked from such objects.
        keep_module_alive: keep a library for the life of the process. Without it the library may go while values
            that its code made are in use. An object is always unloaded with the last of its functions.

    Returns:
        The module.

    Raises:
        FileNotFoundError: there is no such file.
        RuntimeError: the file is damaged, or for another machine.
    """
    path = os.path.abspath(path_of(path, "load_module"))
    with _events.span(os.path.basename(path), "load"):
        return _ObjectModule(path) if _is_object(path) else _library_module(path, keep_module_alive)


def _is_object(path: str) -> bool:
    """True for an object file, False for a shared library or another file that the open ABI can load."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no module file {path}")
    if path.endswith((".o", ".so")):
        return path.endswith(".o")
    expected = "expected an object (.o) or shared library (.so), but got"
    if os.path.isdir(path):
        raise RuntimeError(f"{path}: {expected} a folder")
    with open(path, "rb") as file:
        header = file.read(18)
    loader_name = f"ffi.Module.load_from_file.{os.path.splitext(path)[1][1:]}"
    if header[:4] != b"\x7fELF" and get_global_func(loader_name, allow_missing=True) is None:
        raise RuntimeError(f"{path}: {expected} one that begins with {header!r}")
    return header[16:18] == b"\x01\x00"


def _library_module(path: str, keep_module_alive: bool) -> Module:
    _check_file(path)
    module = _opened_module(path)
    if keep_module_alive:
        keep = get_global_func("ffi.ModuleGlobalsAdd", allow_missing=True)
        if keep is not None:
            keep(module)
    opened = get_global_func("fairlead.ModuleOpenedPath", allow_missing=True)
    # If keys are listed, the verified bytes, which the file may no longer hold.
    module._opened = (opened and str(opened(module))) or path
    module._path = path
    try:
        module._symbols = ctypes.CDLL(module._opened, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        module._symbols = None  # Loaded under another name; calls then go through the module.
    return module


def system_lib(symbol_prefix: str = "") -> Module:
    """Return the functions linked into the process itself, whose names start with ``symbol_prefix``, as a module."""
    require(system_lib, symbol_prefix=symbol_prefix)
    module: Module = get_global_func("ffi.SystemLib")(symbol_prefix)
    return module


name_keywords(__all__, globals())

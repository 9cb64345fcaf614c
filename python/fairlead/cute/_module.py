"""Exported objects and libraries, of both ABIs, as modules. Without the compiler."""

from __future__ import annotations

import ctypes
import json
import os
import sys
from collections.abc import Callable
from typing import Any

import fairlead.ffi  # noqa: F401  first: picks the library that the call path needs
from fairlead import __version__, _events
from fairlead._core import CallDescription, _plain_function
from fairlead._exported.format import require_format
from fairlead._hints import did_you_mean
from fairlead.cute import _recording  # noqa: F401  records launches for FAIRLEAD_TRACE
from fairlead.ffi import Function, get_global_func, load_module, make_function
from fairlead.ffi._exports import listed, loader, names_of, require_runtime
from fairlead.ffi._writes import note_writes

__all__ = ["ExportedModule", "load", "symbol_of_object"]

_ABI = 1  # FAIRLEAD_C_ABI
_PLAIN, _OPEN = "__fairlead_c_", "__tvm_ffi_"
_FILE_UNREADABLE = 1000


class ExportedModule:
    """The functions of an exported file: ``module.name`` or ``module["name"]``."""

    #: The owner of the code in the process; functions hold it, and not the module, which holds the functions.
    _code: Any

    def __init__(self, path: str) -> None:
        self._path = path
        self._functions: dict[str, Function] = {}

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(f"a module has no attribute {name!r}")
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = self._make(name)
        return function

    def __getitem__(self, name: str) -> Function:
        function: Function = getattr(self, name)
        return function

    def get_function(self, name: str) -> Function:
        """The function exported as ``name``; AttributeError, which lists those there are."""
        function: Function = getattr(self, name)
        return function

    def get_function_metadata(self, name: str) -> dict[str, Any]:
        """The metadata of a function: type schema, and under ``fairlead`` signature, targets and versions."""
        return self._metadata(name)[1]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names()]

    def __repr__(self) -> str:
        return f"<ExportedModule {self._path!r}: {', '.join(self._names())}>"

    def _make(self, name: str) -> Function:
        entry, metadata = self._metadata(name)
        details = metadata.get("fairlead") or {}
        if details:
            require_runtime()
        try:
            call = CallDescription.from_text(details["call"]) if "call" in details else None
        except ValueError as error:
            raise self._damaged(name, str(error)) from None
        function = make_function(
            entry,
            name=name,
            signature=details.get("signature"),
            views=True,
            arg_names=tuple(details.get("arg_names", ())),
            call=call,
            keep_alive=self._code,
        )
        if "writes" in details:  # absent in files of older releases
            try:
                note_writes(function, details["writes"], len(details.get("arg_names", ())))
            except ValueError as error:
                raise self._damaged(name, str(error)) from None
        if details.get("doc"):
            function.__doc__ = details["doc"]
        # The data for operators and calls of frameworks; absent in files of older releases.
        function.__dict__["_exported"] = {
            key: details[key]
            for key in ("text", "accesses", "targets", "operator")
            if key in details
        }
        return function

    def _metadata(self, name: str) -> tuple[int, dict[str, Any]]:
        """The address of the function's entry, and its metadata."""
        address = self._address(_PLAIN + name)
        if address:
            abi, version, metadata, entry = _plain_function(address)
            if abi != _ABI:
                raise RuntimeError(
                    f"{self._path}: `{name}` was exported by Fairlead {(version or b'').decode()} for"
                    f" version {abi} of the plain C ABI, and this is Fairlead {__version__} with version"
                    f" {_ABI}"
                )
            return entry, self._parsed(name, metadata)
        address = self._address(_OPEN + name)
        if not address:
            names = self._names()
            raise AttributeError(
                f"{self._path} has no function {name!r}, it has: {', '.join(names) or 'none'}"
                f"{did_you_mean(name, names)}"
            )
        said = self._address(f"{_OPEN}_metadata_{name}")
        return address, self._parsed(name, str(make_function(said)())) if said else {}

    def _parsed(self, name: str, text: str | bytes | None) -> dict[str, Any]:
        """The metadata; RuntimeError if it is not in the form that exports write."""
        try:
            metadata: dict[str, Any] = json.loads(text or "{}")
            details = metadata.get("fairlead", {})
            if isinstance(details.get("arg_names", []), list):
                require_format(details, f"{self._path}: `{name}`")
                return metadata
            problem = "a list is something else"
        except (ValueError, AttributeError, RecursionError) as error:
            problem = str(error)
        raise self._damaged(name, problem)

    def _damaged(self, name: str, problem: str) -> RuntimeError:
        return RuntimeError(f"{self._path}: the metadata of `{name}` is damaged: {problem}")

    def _address(self, symbol: str) -> int:
        raise NotImplementedError

    def _names(self) -> list[str]:
        raise NotImplementedError


class _Library(ExportedModule):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        # The open ABI's loader: it initialises everything that its libraries may hold besides functions.
        self._module = load_module(path)
        self._handle = self._module._symbols or ctypes.CDLL(self._module._opened, mode=os.RTLD_LAZY)
        self._code = self._module, self._handle

    def _address(self, symbol: str) -> int:
        try:
            return ctypes.cast(getattr(self._handle, symbol), ctypes.c_void_p).value or 0
        except AttributeError:
            return 0

    def _make(self, name: str) -> Function:
        if self._address(_PLAIN + name) or self._address(f"{_OPEN}_metadata_{name}"):
            details = self._metadata(name)[1].get("fairlead")
            if details:
                return super()._make(name)
        # From another compiler, or from a module that the library holds.
        if self._module.implements_function(name, query_imports=True):
            return self._module.get_function(name, query_imports=True)
        return super()._make(name)

    def _names(self) -> list[str]:
        return names_of(self._path)


class _Object(ExportedModule):
    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._loader = loader()
        module = ctypes.c_void_p()
        error = self._loader.CuteDSLRT_Module_Load(ctypes.byref(module), os.fsencode(path))
        if error:
            text = self._loader.CuteDSLRT_Get_Last_Error().decode(errors="replace")
            raise OSError(text) if error == _FILE_UNREADABLE else RuntimeError(text)
        self._code = _LoadedObject(module, self._loader.CuteDSLRT_Module_Release)

    def _address(self, symbol: str) -> int:
        return self._loader.CuteDSLRT_Module_Get_Symbol(self._code.module, symbol.encode()) or 0

    def _names(self) -> list[str]:
        return listed(self._code.module)


class _LoadedObject:
    """A module of the loader, given back when it is not referred to any more: by its functions and its module here."""

    def __init__(self, module: ctypes.c_void_p, release: Callable[[ctypes.c_void_p], int]) -> None:
        self.module, self._release = module, release

    def __del__(self) -> None:
        if not sys.is_finalizing():  # functions may be called until the process ends
            self._release(self.module)


def load(path: str) -> ExportedModule:
    """The module of a file, an object or a shared library."""
    with _events.span(os.path.basename(path), "load"):
        return _loaded(os.path.abspath(path))


def _loaded(path: str) -> ExportedModule:
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no module file {path}")
    if path.endswith(".o"):
        return _Object(path)
    if path.endswith(".so"):
        return _Library(path)
    expected = "expected an object (.o) or shared library (.so), but got"
    if os.path.isdir(path):
        raise RuntimeError(f"{path}: {expected} a folder")
    with open(path, "rb") as file:
        header = file.read(18)
    if header[:4] != b"\x7fELF" and not _has_loader(path):
        raise RuntimeError(f"{path}: {expected} one that begins with {header!r}")
    return _Object(path) if header[16:18] == b"\x01\x00" else _Library(path)


def symbol_of_object(object_bytes: bytes, symbol: str) -> int:
    """The address of a symbol of an object that this process has made, which is linked into it for good. RuntimeError
    for bytes that are none, or without the symbol."""
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


def _has_loader(path: str) -> bool:
    """True if the open ABI knows files of this extension."""
    name = f"ffi.Module.load_from_file.{os.path.splitext(path)[1][1:]}"
    return get_global_func(name, allow_missing=True) is not None

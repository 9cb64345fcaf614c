"""Loaded modules: shared libraries whose exported functions are attributes."""

from __future__ import annotations

import ctypes
import os
from typing import Any

from fairlead._core import (
    Function,
    Object,
    _field_access,
    _raise_pending,
    _type_index,
    _type_info,
    get_global_func,
)
from fairlead._hints import did_you_mean
from fairlead.ffi import _library
from fairlead.ffi._containers import Array
from fairlead.ffi._exports import names_of
from fairlead.ffi._metadata import describe, parse
from fairlead.ffi._objects import name_type

__all__ = ["Module", "load_module", "system_lib"]


class Module(Object):
    """A module of the ABI. ``module.name`` or ``module["name"]`` is its function called ``name``."""

    __slots__ = ("__dict__",)

    #: The function that a call of the module calls.
    entry_name = "main"

    _symbols: ctypes.CDLL | None = None
    #: The dynamic linker's handle of the library.
    _opened: str | None = None
    _path: str | None = None

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(f"Module has no attribute {name!r}")
        function = self.get_function(name)
        setattr(self, name, function)
        return function

    def __getitem__(self, name: str) -> Function:
        function: Function = getattr(self, name)
        return function

    def __call__(self, *args: object) -> Any:
        """Calls the function ``main``."""
        return self[self.entry_name](*args)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._names()]

    def __repr__(self) -> str:
        names = self._names()
        place = repr(self._path) if self._path else f"at 0x{self.__chandle__():x}"
        return f"<Module {self.kind} {place}{': ' if names else ''}{', '.join(names)}>"

    def _names(self) -> list[str]:
        """The functions of a library's file; none where nothing tells them."""
        try:
            return names_of(self._path) if self._path else []
        except (OSError, RuntimeError):
            return []

    @property
    def kind(self) -> str:
        """The module's origin: ``library`` for a shared library."""
        kind: str = get_global_func("ffi.ModuleGetKind")(self)
        return kind

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """True if the module has a function called ``name``."""
        return bool(get_global_func("ffi.ModuleImplementsFunction")(self, name, query_imports))

    def get_function(self, name: str, query_imports: bool = False) -> Function:
        """The function called ``name``; AttributeError, which lists the existing ones, for an unknown name.

        It takes keyword arguments and has defaults if the library describes them (see docs/open-abi.md). ValueError if
        the description is malformed.
        """
        function: Function | None = get_global_func("ffi.ModuleGetFunction")(
            self, name, query_imports
        )
        if function is None:
            raise _NoFunction(self, name)
        metadata = self.get_function_metadata(name)
        details = (metadata or {}).get("fairlead")
        describe(function, name, metadata, self._doc(name))
        if isinstance(details, dict) and details.get("doc"):  # of an exported function
            function.__doc__ = details["doc"]
        symbol = _address(self._symbols, f"__tvm_ffi_{name}")
        if symbol:
            # Straight to the library's entry: the layers between only find it.
            function._configure(symbol=symbol)
        return function

    def get_function_metadata(self, name: str) -> dict[str, Any] | None:
        """The module's metadata of a function: its ``type_schema`` (JSON text) and more; None if it has none."""
        getter = get_global_func("ffi.ModuleGetFunctionMetadata", allow_missing=True)
        text = None if getter is None else getter(self, name, False)
        return parse(text, name) if text else None

    def _doc(self, name: str) -> str | None:
        getter = get_global_func("ffi.ModuleGetFunctionDoc", allow_missing=True)
        return None if getter is None else getter(self, name, False)

    def get_function_doc(self, name: str) -> str | None:
        """The documentation of a function, or None."""
        return self._doc(name)

    @property
    def imports(self) -> Array:
        """The modules that this one imports."""
        read, _ = _field_access(_type_index("ffi.Module"), self.__fields().index("imports_"))
        modules: Array = read(self)
        return modules

    #: By the field's name.
    imports_ = imports

    @staticmethod
    def __fields() -> list[str]:
        return [name for name, _, _ in _type_info(_type_index("ffi.Module"))[2]]

    def import_module(self, module: Module) -> None:
        """Adds ``module`` to the imports."""
        get_global_func("ffi.ModuleImportModule")(self, module)

    def clear_imports(self) -> None:
        """Forgets all imports."""
        get_global_func("ffi.ModuleClearImports")(self)

    def inspect_source(self, fmt: str = "") -> str:
        """The module's source in a format, empty where it has none."""
        text: str = get_global_func("ffi.ModuleInspectSource")(self, fmt)
        return text

    def get_write_formats(self) -> Any:
        """The formats that write_to_file offers."""
        return get_global_func("ffi.ModuleGetWriteFormats")(self)

    def get_property_mask(self) -> int:
        """Bits: 1 can be serialized, 2 can be run, 4 can be exported for compiling."""
        return int(get_global_func("ffi.ModuleGetPropertyMask")(self))

    def is_binary_serializable(self) -> bool:
        """True if the module can be serialized."""
        return bool(self.get_property_mask() & 1)

    def is_runnable(self) -> bool:
        """True if the module has functions to call."""
        return bool(self.get_property_mask() & 2)

    def is_compilation_exportable(self) -> bool:
        """True if the module can be exported as a file to compile."""
        return bool(self.get_property_mask() & 4)

    def write_to_file(self, file_name: str, fmt: str = "") -> None:
        """Writes the module in a format."""
        get_global_func("ffi.ModuleWriteToFile")(self, file_name, fmt)


name_type(Module, "ffi.Module")


class _NoFunction(AttributeError):
    """Looks for existing functions only when it is shown: programs also ask whether a function exists."""

    def __init__(self, module: Module, name: str) -> None:
        super().__init__(f"Module has no function {name!r}", name=name)
        self.module = module

    def __str__(self) -> str:
        names = self.module._names()
        if not names:
            return super().__str__()
        return (
            f"{super().__str__()}, it has: {', '.join(names)}{did_you_mean(self.name or '', names)}"
        )


# Shown like Python's own error, which it replaces.
_NoFunction.__name__ = _NoFunction.__qualname__ = "AttributeError"
_NoFunction.__module__ = "builtins"


def _address(library: ctypes.CDLL | None, symbol: str) -> int:
    if library is None:
        return 0
    try:
        return ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value or 0
    except AttributeError:
        return 0


def _check_file(path: str) -> None:
    """The dynamic linker may crash on a truncated file, so Fairlead's libraries look first: the one of the open ABI
    where it is Fairlead's, else the runtime."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no module file {path}")
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
        if "cannot open shared object file" not in str(error):
            raise
        variable = os.environ.get("LD_LIBRARY_PATH", "")
        raise RuntimeError(
            f"{error} (looked for in LD_LIBRARY_PATH={variable!r}, the RUNPATH of what needs it, and the"
            " system's folders)"
        ) from None


def load_module(path: str | os.PathLike[str], keep_module_alive: bool = True) -> Module:
    """Loads a shared library; its functions are attributes of the module.

    Args:
        path: a library that exports ``__tvm_ffi_<name>`` symbols.
        keep_module_alive: keep the library for the life of the process. Without it the library may go while values
            that its code made are in use.

    Raises FileNotFoundError, and RuntimeError for a file that is no library of this machine.
    """
    path = os.path.abspath(os.fspath(path))
    _check_file(path)
    module = _opened_module(path)
    if keep_module_alive:
        keep = get_global_func("ffi.ModuleGlobalsAdd", allow_missing=True)
        if keep is not None:
            keep(module)
    opened = get_global_func("fairlead.ModuleOpenedPath", allow_missing=True)
    # If keys are listed, the verified bytes, which the file may no longer hold.
    module._opened = (opened and str(opened(module))) or path
    if module.kind == "library":
        module._path = path
        try:
            module._symbols = ctypes.CDLL(module._opened, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
        except OSError:
            module._symbols = None  # Loaded under another name; calls then go through the module.
    return module


def system_lib(symbol_prefix: str = "") -> Module:
    """The functions linked into the process itself, whose names start with ``symbol_prefix``, as a module."""
    module: Module = get_global_func("ffi.SystemLib")(symbol_prefix)
    return module

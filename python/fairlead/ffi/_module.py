"""Loaded modules: files of exported functions, each an attribute."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator
from typing import Any

from fairlead import __version__
from fairlead._core import (
    Function,
    Object,
    _field_access,
    _plain_function,
    _type_index,
    _type_info,
    get_global_func,
    make_function,
)
from fairlead._hints import did_you_mean, name_keywords
from fairlead.ffi._containers import Array
from fairlead.ffi._exports import names_of, require_runtime
from fairlead.ffi._metadata import describe, parse
from fairlead.ffi._objects import name_type

__all__ = ["Module"]

#: Symbols of functions begin with these: of the open ABI, and of the plain C ABI.
OPEN_PREFIX = "__tvm_ffi_"
_PLAIN = "__fairlead_c_"
_PLAIN_VERSION = 1  # FAIRLEAD_C_ABI


class Module(Object):
    """A module of the ABI. ``module.name`` or ``module["name"]`` is its function called ``name``."""

    __slots__ = ("__dict__",)

    #: The function that a call of the module calls.
    entry_name = "main"

    #: The dynamic linker's handle of the library, and the name that the linker has for it.
    _symbols: ctypes.CDLL | None = None
    _opened: str | None = None
    #: The file; None for a module of the process itself.
    _path: str | None = None

    @property
    def _code(self) -> object:
        """The owner of the code, which functions of the plain C ABI hold."""
        return self

    def __getattr__(self, name: str) -> Function:
        if name.startswith("__"):
            raise AttributeError(f"Module has no attribute {name!r}")
        function = self.get_function(name, query_imports=True)
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
        origin = repr(self._path) if self._path else f"at 0x{self.__chandle__():x}"
        return f"<Module {self.kind} {origin}{': ' if names else ''}{', '.join(names)}>"

    @contextlib.contextmanager
    def _named_in_errors(self) -> Iterator[None]:
        """Put the file's name before the text of an error."""
        try:
            yield
        except (ValueError, RuntimeError) as error:
            if self._path is None:
                raise
            raise type(error)(f"{self._path}: {error}") from None

    def _names(self) -> list[str]:
        """The functions of the file; empty if it does not list them."""
        try:
            return names_of(self._path) if self._path else []
        except (OSError, RuntimeError):
            return []

    @property
    def kind(self) -> str:
        """The module's origin: ``library`` for a shared library, ``object`` for an object file."""
        kind: str = get_global_func("ffi.ModuleGetKind")(self)
        return kind

    def implements_function(self, name: str, query_imports: bool = False) -> bool:
        """True if the module has a function called ``name``."""
        return bool(get_global_func("ffi.ModuleImplementsFunction")(self, name, query_imports))

    def get_function(self, name: str, query_imports: bool = False) -> Function:
        """Return the function called ``name``, of either ABI.

        It takes keyword arguments and has defaults if the file describes them (see docs/open-abi.md).

        Args:
            name: the function's name in the file.
            query_imports: also look in the imported modules.

        Raises:
            AttributeError: the module has no such function; the text lists the existing ones.
            ValueError: the description of the function is malformed.
            RuntimeError: another version exported it.
        """
        plain = self._plain(name)
        if plain is None:
            function = self._open_function(name, query_imports)
        else:
            function = make_function(plain[0], name=name, keep_alive=self._code)
        if function is None:
            raise _NoFunction(self, name)
        metadata = self.get_function_metadata(name)
        if metadata and metadata.get("fairlead"):
            require_runtime()
        with self._named_in_errors():
            describe(function, name, metadata, self.get_function_doc(name))
        return function

    def _open_function(self, name: str, query_imports: bool) -> Function | None:
        """The function by the open ABI; None if the module has none called ``name``."""
        function: Function | None = get_global_func("ffi.ModuleGetFunction")(
            self, name, query_imports
        )
        symbol = self._address(OPEN_PREFIX + name) if self.kind == "library" else 0
        if function is not None and symbol:
            # Straight to the library's entry: the layers between only find it.
            function._configure(symbol=symbol)
        return function

    def _plain(self, name: str) -> tuple[int, str | bytes | None] | None:
        """Return the address and the metadata of the function ``name`` of the plain C ABI; None if it does not
        exist."""
        address = self._address(_PLAIN + name)
        if not address:
            return None
        version, writer, metadata, entry = _plain_function(address)
        if version != _PLAIN_VERSION:
            raise RuntimeError(
                f"{self._path}: `{name}` was exported by Fairlead {(writer or b'').decode()} for version {version} of"
                f" the plain C ABI, and this is Fairlead {__version__} with version {_PLAIN_VERSION}"
            )
        return entry, metadata

    def _address(self, symbol: str) -> int:
        """The address of a symbol of the file; 0 if it has none."""
        if self._symbols is None:
            return 0
        try:
            return ctypes.cast(getattr(self._symbols, symbol), ctypes.c_void_p).value or 0
        except AttributeError:
            return 0

    def get_function_metadata(self, name: str) -> dict[str, Any] | None:
        """Return the metadata of a function: its ``type_schema`` (JSON text) and more; None if it has none.

        Under ``fairlead`` it holds the signature, targets and versions of a compiled function.
        """
        plain = self._plain(name)
        text = self._open_metadata(name) if plain is None else plain[1]
        with self._named_in_errors():
            return parse(text, name) if text else None

    def _open_metadata(self, name: str) -> str | None:
        getter = get_global_func("ffi.ModuleGetFunctionMetadata", allow_missing=True)
        return None if getter is None else getter(self, name, False)

    def get_function_doc(self, name: str) -> str | None:
        """Return the documentation of a function, or None."""
        getter = get_global_func("ffi.ModuleGetFunctionDoc", allow_missing=True)
        return None if getter is None else getter(self, name, False)

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
        """Add ``module`` to the imports."""
        get_global_func("ffi.ModuleImportModule")(self, module)

    def clear_imports(self) -> None:
        """Forget all imports."""
        get_global_func("ffi.ModuleClearImports")(self)

    def inspect_source(self, fmt: str = "") -> str:
        """Return the module's source in a format, empty where it has none."""
        text: str = get_global_func("ffi.ModuleInspectSource")(self, fmt)
        return text

    def get_write_formats(self) -> Any:
        """Return the formats that write_to_file offers."""
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
        """Write the module in a format."""
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
        hint = did_you_mean(self.name or "", names)
        return f"{super().__str__()}, it has: {', '.join(names)}{hint}"


# Shown like Python's own error, which it replaces.
_NoFunction.__name__ = _NoFunction.__qualname__ = "AttributeError"
_NoFunction.__module__ = "builtins"


name_keywords(__all__, globals())

"""Classes of objects: those of registered types, with their fields and methods, and those that programs register."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from fairlead._core import (
    Function,
    Object,
    _get_field,
    _register_class,
    _set_field,
    _set_make_class,
    _type_class,
    _type_index,
    _type_info,
    convert_func,
    get_global_func,
)
from fairlead.ffi._values import Device, dtype

__all__ = [
    "Error",
    "ObjectConvertible",
    "Shape",
    "convert",
    "get_global_func_metadata",
    "init_ffi_api",
    "register_object",
]

_WRITABLE, _STATIC = 1, 4


def _property(index: int, number: int, doc: str, flags: int) -> property:
    def read(self: Object) -> Any:
        return _get_field(self, index, number)

    def write(self: Object, value: Any) -> None:
        _set_field(self, index, number, value)

    return property(read, write if flags & _WRITABLE else None, doc=doc or None)


def _method(name: str, function: Function, static: bool) -> Any:
    if static:
        return staticmethod(function)

    def call(self: Object, *args: Any) -> Any:
        return function(self, *args)

    call.__name__ = name
    return call


def _members(index: int) -> dict[str, Any]:
    """Properties and methods that the type itself, not its parents, has."""
    key, _, fields, methods = _type_info(index)
    found: dict[str, Any] = {"__tvm_ffi_type_key__": key, "__tvm_ffi_type_index__": index}
    for number, (name, doc, flags) in enumerate(fields):
        found[name] = _property(index, number, doc, flags)
    for name, _, flags, function in methods:
        if isinstance(function, Function):
            found["__c_ffi_init__" if name == "__ffi_init__" else name] = _method(
                name, function, bool(flags & _STATIC)
            )
    return found


def _init(self: Object, *args: Any) -> None:
    self.__init_handle_by_constructor__(type(self).__c_ffi_init__, *args)


def _make_class(index: int) -> type[Object]:
    """The class for a type that none is registered for."""
    key, parent, _, _ = _type_info(index)
    base = _type_class(parent) if parent > 0 else Object
    members = {"__slots__": (), "__doc__": f"An object of type {key}.", **_members(index)}
    if "__c_ffi_init__" in members:
        members["__init__"] = _init
    return type(base)(key.rpartition(".")[2], (base,), members)


_set_make_class(_make_class)


def register_object(
    type_key: str | type[Object] | None = None, *, init: bool = True
) -> Callable[[type[Any]], type[Any]] | type[Any]:
    """A decorator: objects of the type ``type_key`` (or of the class's name) are of the class, a subclass of Object.

    It gets the type's fields as properties and the type's methods, but where it has its own; with ``init`` also an
    ``__init__`` that calls the type's constructor, if it has one. ValueError where no such type is registered.
    """

    def register(cls: type[Any]) -> type[Any]:
        if not (isinstance(cls, type) and issubclass(cls, Object)):
            raise TypeError(f"expected a subclass of Object, but got {cls!r}")
        key = type_key if isinstance(type_key, str) else cls.__name__
        index = _type_index(key)
        for name, member in _members(index).items():
            if name not in cls.__dict__:
                setattr(cls, name, member)
        if init and "__init__" not in cls.__dict__ and hasattr(cls, "__c_ffi_init__"):
            cls.__init__ = _init
        _register_class(index, cls)
        return cls

    return register(type_key) if isinstance(type_key, type) else register


class Shape(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints that passes as ``ffi.Shape``."""

    __slots__ = ()

    def __new__(cls, extents: Any = ()) -> Shape:
        extents = tuple(extents)
        for extent in extents:
            if isinstance(extent, bool) or not hasattr(type(extent), "__index__"):
                raise TypeError(f"expected ints, but got {type(extent).__name__}")
        return tuple.__new__(cls, (extent.__index__() for extent in extents))

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class ObjectConvertible:
    """A class whose instances stand for an object of the ABI: what their ``asobject`` returns is passed."""

    def asobject(self) -> Any:
        """The object. Subclasses say which."""
        raise NotImplementedError(f"{type(self).__name__}.asobject")


class Error(Object):
    """An error as an object: what a function was given or returned, not raised."""

    __slots__ = ()

    def __init__(self, kind: str, message: str, backtrace: str = "") -> None:
        from fairlead._core import _make_error

        self.__move_handle_from__(_make_error(kind, message, backtrace))

    def _text(self, part: int) -> str:
        from fairlead._core import _error_text

        return _error_text(self, part)

    @property
    def kind(self) -> str:
        """Name of the exception's class, such as ``ValueError``."""
        return self._text(0)

    @property
    def message(self) -> str:
        """What the error says."""
        return self._text(1)

    @property
    def backtrace(self) -> str:
        """The frames, most recent call first."""
        return self._text(2)

    def py_error(self) -> BaseException:
        """The error as a Python exception, to be raised."""
        from fairlead._core import _error_exception

        return _error_exception(self)

    def __reduce__(self) -> Any:
        return Error, (self.kind, self.message, self.backtrace)

    def __repr__(self) -> str:
        return f"Error({self.kind!r}, {self.message!r})"


_register_class(_type_index("ffi.Error"), Error)


def convert(value: Any) -> Any:
    """``value`` as what the ABI makes of it: a list becomes an Array, a dict a Map, a callable a Function, a tensor of
    a framework a Tensor. Numbers, text, dtypes, devices and objects stay as they are.
    """
    if isinstance(value, ObjectConvertible):
        return value.asobject()
    if value is None or isinstance(
        value, (bool, int, float, str, bytes, Object, dtype, Device, Shape)
    ):
        return value
    from fairlead.ffi._containers import Array, Map

    if isinstance(value, (list, tuple)):
        return Array(value)
    if isinstance(value, dict):
        return Map(value)
    if isinstance(value, (type, BaseException)) or not callable(value):
        return _through_abi(value)
    return convert_func(value)


def _through_abi(value: Any) -> Any:
    from fairlead._core import _convert

    return _convert(value)


def get_global_func_metadata(name: str) -> dict[str, Any]:
    """What was registered about a global function."""
    import json

    text = get_global_func("ffi.GetGlobalFuncMetadata")(name)
    return json.loads(text) if text else {}


def init_ffi_api(namespace: str, target_module_name: str | None = None) -> None:
    """Makes each global function ``<namespace>.<name>`` the attribute ``name`` of a module: the one called
    ``target_module_name``, else the one called like the namespace. Names with a further dot stay out.

    KeyError where no module of that name is imported.
    """
    from fairlead.ffi._registry import list_global_func_names

    name = target_module_name or namespace
    if name not in sys.modules:
        raise KeyError(f"init_ffi_api: the module {name!r} is not imported")
    module = sys.modules[name]
    prefix = namespace.removeprefix("tvm.") + "."
    for name in list_global_func_names():
        rest = name.removeprefix(prefix)
        if rest != name and "." not in rest:
            setattr(module, rest, get_global_func(name))

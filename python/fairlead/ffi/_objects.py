"""Classes of objects: of registered types, with their fields and methods, and of types that programs register."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from fairlead._core import (
    Function,
    Object,
    Tensor,
    _error_context,
    _error_exception,
    _error_set_backtrace,
    _error_text,
    _field_access,
    _make_error,
    _register_class,
    _set_make_class,
    _type_attribute,
    _type_class,
    _type_index,
    _type_info,
    get_global_func,
)
from fairlead.errors import require

__all__ = [
    "Error",
    "FFIProperty",
    "ObjectConvertible",
    "Shape",
    "register_object",
]

_Class = TypeVar("_Class", bound="type[Object]")

WRITABLE, _STATIC = 1, 4
field_access = _field_access


class FFIProperty(property):
    """A field of an object. One that cannot be assigned to can still be set, by ``set``."""

    _fset: Callable[[Any, Any], None]

    def __init__(
        self,
        fget: Callable[[Any], Any],
        fset: Callable[[Any, Any], None],
        frozen: bool,
        fdel: Callable[..., Any] | None = None,
        doc: str | None = None,
    ) -> None:
        super().__init__(fget, None if frozen else fset, fdel, doc)
        self._fset = fset
        self.__doc__ = doc  # else the class's own

    def set(self, obj: object, value: object) -> None:
        """Set the field of ``obj``, also where it is read-only."""
        self._fset(obj, value)


def make_method(name: str, function: Function, static: bool, doc: str | None) -> Any:
    """Return the attribute of a class for a method of its type."""
    if static:

        def call_static(*args: object) -> Any:
            return function(*args)

        call: Any = call_static
    else:

        def call_bound(self: Object, *args: object) -> Any:
            return function(self, *args)

        call = call_bound
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc or None
    return staticmethod(call) if static else call


_read_type_info: Callable[[int], Any]


def provide_type_info(read: Callable[[int], Any]) -> None:
    """Set the function that returns the description of a type with an index."""
    global _read_type_info
    _read_type_info = read


class _TypeInfo:
    """The value of ``cls.__tvm_ffi_type_info__``; read when it is first used."""

    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index

    def __get__(self, instance: object, owner: object = None) -> Any:
        return _read_type_info(self.index)


_kwargs: list[Any] = []


def construct(
    self: Object, constructor: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Make ``self`` the object that a type's constructor returns."""
    if kwargs:
        if not _kwargs:
            _kwargs.append(get_global_func("ffi.GetKwargsObject")())
        args = (*args, _kwargs[0], *(part for item in kwargs.items() for part in item))
    self.__init_handle_by_constructor__(constructor, *args)


def require_own(self: Object, index: int) -> None:
    """TypeError where an object of a subclass that has a type of its own would become one of the type ``index``."""
    of = type(self)
    if getattr(of, "__tvm_ffi_type_index__", index) != index:
        raise TypeError(
            f"{of.__name__}: calling __ffi_init__ of its base {_type_class(index).__name__} is not supported: it would "
            "make an object of the base's type"
        )


def make_init(constructor: object, index: int) -> Callable[..., None]:
    """Return an ``__init__`` that calls the constructor of the type ``index``."""

    def __init__(self: Object, /, *args: object, **kwargs: object) -> None:
        require_own(self, index)
        construct(self, constructor, args, kwargs)

    return __init__


def _no_init(self: Object, *args: object, **kwargs: object) -> None:
    raise TypeError(
        f"`{type(self).__name__}` cannot be constructed directly. "
        "Define a custom __init__ or use a factory method."
    )


def _members(index: int) -> dict[str, Any]:
    """Properties and methods that the type itself, not its parents, has."""
    key, _, fields, methods = _type_info(index)
    members: dict[str, Any] = {
        "__tvm_ffi_type_key__": key,
        "__tvm_ffi_type_index__": index,
        "__tvm_ffi_type_info__": _TypeInfo(index),
    }
    for number, (name, doc, flags) in enumerate(fields):
        read, write = _field_access(index, number)
        members[name] = FFIProperty(read, write, not flags & WRITABLE, doc=doc or None)
    for name, doc, flags, function in methods:
        if isinstance(function, Function) and name != "__ffi_init__":
            members[name] = make_method(name, function, bool(flags & _STATIC), doc)
    constructor = constructor_of(index)
    if constructor is not None:
        members["__ffi_init__"] = make_init(constructor, index)
    return members


def constructor_of(index: int) -> Any:
    """Return the constructor of a type's objects: its own method, or one from its fields; None if it has neither."""
    for name, _, _, function in _type_info(index)[3]:
        if name == "__ffi_init__":
            return function
    return _type_attribute(index, "__ffi_init__")


def _make_class(index: int) -> type[Object]:
    """The class for a type that none is registered for."""
    key, parent, _, _ = _type_info(index)
    base = _type_class(parent) if parent > 0 else Object
    module, _, name = key.rpartition(".")
    members = {
        "__slots__": (),
        "__module__": module,
        "__qualname__": key,
        "__doc__": f"Auto-generated fallback class of the type {key}, which no class is registered for.",
        **_members(index),
    }
    members["__init__"] = members.get("__ffi_init__", _no_init)
    metaclass: Any = type(base)
    cls: type[Object] = metaclass(name, (base,), members)
    return cls


_set_make_class(_make_class)


def adopt_type(cls: Any, index: int, *, init: bool = True) -> None:
    """Gives a class what its type has, and makes it the class of the type's objects."""
    attributes = cls.__dict__
    members = _members(index)
    for name, member in members.items():
        if name not in attributes:
            setattr(cls, name, member)
    if "__init__" not in attributes:
        if init and "__ffi_init__" in members:
            cls.__init__ = members["__ffi_init__"]
        elif cls.__init__ is object.__init__ or "__ffi_init__" in members:
            cls.__init__ = _no_init
    _register_class(index, cls)


@overload
def register_object(type_key: _Class, *, init: bool = True) -> _Class: ...
@overload
def register_object(
    type_key: str | None = None, *, init: bool = True
) -> Callable[[_Class], _Class]: ...
def register_object(type_key: str | type[Object] | None = None, *, init: bool = True) -> Any:
    """A decorator: objects of the type ``type_key`` (or of the class's name) are of the class, a subclass of Object.

    It gets the type's fields as properties and the type's methods, but where it has its own; with ``init`` also an
    ``__init__`` that calls the type's constructor, if it has one. ValueError where no such type is registered.
    """

    require(register_object, type_key=type_key)

    def register(cls: type[Any]) -> type[Any]:
        if not (isinstance(cls, type) and issubclass(cls, Object)):
            raise TypeError(f"expected a subclass of Object, but got {cls!r}")
        key = type_key if isinstance(type_key, str) else cls.__name__
        adopt_type(cls, _type_index(key), init=init)
        return cls

    return register(type_key) if isinstance(type_key, type) else register


def _from_text(cls: type[Object], text: str) -> Any:
    """An object from the text of __reduce__."""
    instance = get_global_func("ffi.FromJSONGraphString")(text)
    if type(instance) is cls:
        return instance
    self = cls.__new__(cls)
    self.__move_handle_from__(instance)
    return self


_functions: dict[str, Any] = {}
#: How objects show that stand for something, by their address.
marker_names: dict[int, str] = {}


def object_repr(obj: Object) -> str:
    """Return the object with its fields, as text."""
    handle = obj.__chandle__()
    if not handle:
        return f"{type(obj).__name__}(chandle=None)"
    if handle in marker_names:
        return marker_names[handle]
    function = _functions.get("ReprPrint")
    if function is None:
        function = _functions["ReprPrint"] = get_global_func("ffi.ReprPrint")
    return str(function(obj))


def _reduce(self: Object) -> Any:
    return _from_text, (type(self), get_global_func("ffi.ToJSONGraphString")(self, None))


def _copy(self: Object) -> Any:
    copy = _type_attribute(_type_index(self.type_key), "__ffi_shallow_copy__")
    if copy is None:
        raise TypeError(f"the type {self.type_key} does not support copy")
    return _as_class(type(self), copy(self))


def _deepcopy(self: Object, memo: dict[int, Any] | None = None) -> Any:
    copy = _as_class(type(self), get_global_func("ffi.DeepCopy")(self))
    if memo is not None:
        memo[id(self)] = copy
    return copy


def _as_class(cls: type[Object], instance: Any) -> Any:
    """The object as one of a subclass that is not registered."""
    if type(instance) is cls:
        return instance
    self = cls.__new__(cls)
    self.__move_handle_from__(instance)
    return self


def name_type(cls: type[Any], key: str) -> None:
    """Make a complete class the class of a type's objects. ValueError for an unknown type."""
    index = _type_index(key)
    names = ("__tvm_ffi_type_key__", "__tvm_ffi_type_index__", "__tvm_ffi_type_info__")
    for name, value in zip(names, (key, index, _TypeInfo(index)), strict=True):
        setattr(cls, name, value)
    if index != 64:
        _register_class(index, cls)


# The classes themselves are made in C.
for _class, _key in ((Object, "ffi.Object"), (Function, "ffi.Function"), (Tensor, "ffi.Tensor")):
    name_type(_class, _key)
for _name, _function in (
    ("__repr__", object_repr),
    ("__reduce__", _reduce),
    ("__copy__", _copy),
    ("__deepcopy__", _deepcopy),
):
    setattr(Object, _name, _function)


class Shape(tuple[int, ...]):
    """The shape of a tensor: a tuple of ints that passes as ``ffi.Shape``."""

    __slots__ = ()

    def __new__(cls, extents: Sequence[Any] = ()) -> Shape:
        extents = tuple(extents)
        for extent in extents:
            if isinstance(extent, bool) or not hasattr(type(extent), "__index__"):
                raise TypeError(f"expected ints, but got {type(extent).__name__}")
        numbers = tuple(extent.__index__() for extent in extents)
        for number in numbers:
            if not -(2**63) <= number < 2**63:
                raise ValueError(f"expected ints of 64 bits, but got {number}")
        return tuple.__new__(cls, numbers)

    def __repr__(self) -> str:
        return tuple.__repr__(self)


class ObjectConvertible:
    """A class whose instances stand for an object of the ABI: what their ``asobject`` returns is passed."""

    def asobject(self) -> Any:
        """The object. Subclasses say which."""
        raise NotImplementedError(f"{type(self).__name__}.asobject")


class Error(Object):
    """An error as an object: passed to a function or returned by it, not raised."""

    __slots__ = ()

    def __init__(self, kind: str, message: str, backtrace: str = "") -> None:
        self.__move_handle_from__(_make_error(kind, message, backtrace))

    def _text(self, part: int) -> str:
        return _error_text(self, part)

    @property
    def kind(self) -> str:
        """Name of the exception's class, such as ``ValueError``."""
        return self._text(0)

    @property
    def message(self) -> str:
        """The message of the error."""
        return self._text(1)

    @property
    def backtrace(self) -> str:
        """The frames, most recent call first."""
        return self._text(2)

    @property
    def extra_context(self) -> Any:
        """Further data of the error, such as the path to the visited value; or None."""
        return _error_context(self)

    def update_backtrace(self, backtrace: str) -> None:
        """Replace the frames."""
        _error_set_backtrace(self, backtrace)

    def py_error(self) -> BaseException:
        """Return the error as a Python exception, to be raised."""
        return _error_exception(self)

    def __reduce__(self) -> Any:
        if not self.__chandle__():
            return Error.__new__, (Error,)
        return Error, (self.kind, self.message, self.backtrace)

    def __deepcopy__(self, memo: object = None) -> Any:
        if not self.__chandle__():
            return Error.__new__(Error)
        return Error(self.kind, self.message, self.backtrace)

    def __repr__(self) -> str:
        return f"Error({self.kind!r}, {self.message!r})"


name_type(Error, "ffi.Error")

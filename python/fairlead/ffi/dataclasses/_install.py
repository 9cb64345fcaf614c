"""The methods that c_class and py_class give a class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from fairlead._core import Object, get_global_func
from fairlead.ffi._missing import MISSING
from fairlead.ffi._objects import _no_init, construct, constructor_of, object_repr, require_own
from fairlead.ffi._typeinfo import TypeField, TypeInfo

__all__ = ["install", "make_init"]

_functions: dict[str, Any] = {}


def _call(name: str, *args: object) -> Any:
    function = _functions.get(name)
    if function is None:
        function = _functions[name] = get_global_func("ffi." + name)
    return function(*args)


def _related(left: object, right: object) -> bool:
    return isinstance(right, type(left)) or isinstance(left, type(right))


def _comparison(name: str) -> Callable[[Any, Any], Any]:
    def compare(self: object, other: object) -> Any:
        return bool(_call(name, self, other)) if _related(self, other) else NotImplemented

    return compare


def _not_equal(self: object, other: object) -> Any:
    return not _call("RecursiveEq", self, other) if _related(self, other) else NotImplemented


def _hash(self: object) -> int:
    return hash(_call("RecursiveHash", self))


def _replace(self: Any, **changes: object) -> Any:
    copy = self.__copy__()
    for name, value in changes.items():
        getattr(type(self), name).set(copy, value)
    return copy


def _parameters(fields: list[TypeField]) -> list[inspect.Parameter]:
    """The arguments of ``__init__``: those without a default first, as Python has it."""
    kind = inspect.Parameter
    positional, keyword = [], []
    for field in fields:
        if not field.c_init:
            continue
        default = MISSING if field.c_has_default else kind.empty
        if field.c_kw_only:
            keyword.append(kind(field.name, kind.KEYWORD_ONLY, default=default))
        else:
            positional.append(kind(field.name, kind.POSITIONAL_OR_KEYWORD, default=default))
    for group in (positional, keyword):
        group.sort(key=lambda parameter: parameter.default is not kind.empty)
    return [*positional, *keyword]


def _enum_fields(info: TypeInfo) -> dict[str, TypeField]:
    return {field.name: field for field in info.all_fields if field.stands_for_enum}


def _meant(
    parameters: list[inspect.Parameter],
    enums: dict[str, TypeField],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """The arguments with values of enums in place of the numbers and texts that stand for them."""

    def value(name: str, argument: object) -> Any:
        return enums[name].ty.store(argument) if name in enums else argument

    names = [
        parameter.name
        for parameter in parameters
        if parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    ]
    converted = [value(name, argument) for name, argument in zip(names, args, strict=False)]
    return (*converted, *args[len(converted) :]), {
        name: value(name, argument) for name, argument in kwargs.items()
    }


def make_init(
    info: TypeInfo, properties: list[Any], has_post: bool, *, replaces: bool = False
) -> Callable[..., None]:
    """Return an ``__init__`` of all fields. With ``replaces`` it makes a new object from an existing one; without, the
    values that a subclass has set stay.
    """
    constructor = constructor_of(info.type_index)
    parameters, enums = _parameters(info.all_fields), _enum_fields(info)

    def __init__(self: Any, /, *args: object, **kwargs: object) -> None:
        if replaces:
            require_own(self, info.type_index)
        elif self.__chandle__():
            return
        if enums:
            args, kwargs = _meant(parameters, enums, args, kwargs)
        construct(self, constructor, args, kwargs)
        for item in properties:
            getattr(type(self), item.name).set(self, item.func(self))
        if has_post:
            self.__post_init__()

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = "_self" if any(parameter.name == "self" for parameter in parameters) else "self"
    all_parameters = [inspect.Parameter(first, kind), *parameters]
    __init__.__signature__ = inspect.Signature(all_parameters)  # type: ignore[attr-defined]
    return __init__


def _put(cls: type, name: str, value: object) -> None:
    if name not in cls.__dict__:
        setattr(cls, name, value)


def install(
    cls: type,
    info: TypeInfo,
    *,
    init: bool,
    repr: bool,
    eq: bool,
    order: bool,
    unsafe_hash: bool,
    match_args: bool,
    properties: list[Any] | None = None,
) -> None:
    """The methods that the class does not define itself."""
    initializer = make_init(info, properties or [], hasattr(cls, "__post_init__"))
    has_constructor = constructor_of(info.type_index) is not None
    if has_constructor:
        setattr(cls, "__ffi_init__", make_init(info, properties or [], False, replaces=True))  # noqa: B010
    if "__init__" not in cls.__dict__:
        setattr(cls, "__init__", initializer if init and has_constructor else _no_init)  # noqa: B010
    if repr:
        _put(cls, "__repr__", object_repr)
    if eq and "__eq__" not in cls.__dict__ and "__ne__" not in cls.__dict__:
        old_hash = cls.__dict__.get("__hash__", cls.__hash__)
        cls.__eq__ = _comparison("RecursiveEq")  # type: ignore[assignment]
        cls.__ne__ = _not_equal  # type: ignore[assignment]
        cls.__hash__ = old_hash  # type: ignore[method-assign]
    if order:
        for name in ("lt", "le", "gt", "ge"):
            _put(cls, f"__{name}__", _comparison(f"Recursive{name.capitalize()}"))
    if unsafe_hash and cls.__dict__.get("__hash__", Object.__hash__) in (Object.__hash__, None):
        cls.__hash__ = _hash  # type: ignore[method-assign,assignment]
    _put(cls, "__replace__", _replace)
    if match_args:
        names = [p.name for p in _parameters(info.all_fields)]
        keyword = {f.name for f in info.all_fields if f.c_kw_only}
        _put(cls, "__match_args__", tuple(name for name in names if name not in keyword))
    setattr(cls, "__ffi_is_dataclass__", True)  # noqa: B010

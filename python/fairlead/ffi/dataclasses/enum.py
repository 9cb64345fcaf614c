"""Enums of the ABI: classes with a fixed set of objects, known by number and by name in every language."""

from __future__ import annotations

import typing
from collections.abc import Iterator
from typing import Any, ClassVar

from fairlead._core import Object, _define_attribute, _type_attribute, _type_index, get_global_func
from fairlead.ffi._containers import Dict
from fairlead.ffi._meta import ObjectMeta
from fairlead.ffi._missing import MISSING
from fairlead.ffi._objects import adopt_type
from fairlead.ffi._typeinfo import type_info
from fairlead.ffi.dataclasses._install import install
from fairlead.ffi.dataclasses.c_class import c_class, describe_fields
from fairlead.ffi.dataclasses.py_class import Definition

__all__ = [
    "ENUM_STATE_ATTR",
    "Enum",
    "EnumAttrMap",
    "EnumState",
    "IntEnum",
    "StrEnum",
    "auto",
    "entry",
]

#: The attribute of a type that has its EnumState.
ENUM_STATE_ATTR = "__ffi_enum__"


class _EnumEntry:
    """A value of an enum as its class's body says it."""

    __slots__ = ("args", "kwargs")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs

    def __repr__(self) -> str:
        parts = [*map(repr, self.args), *(f"{k}={v!r}" for k, v in self.kwargs.items())]
        return f"entry({', '.join(parts)})"


def entry(*args: object, **kwargs: object) -> Any:
    """Mark a name in an enum's body as a value, with its fields."""
    return _EnumEntry(args, kwargs)


def auto() -> Any:
    """Says in an enum's body that the name is a value, numbered by its place."""
    return _EnumEntry((), {})


@c_class("ffi.EnumState", init=False)
class EnumState(Object):
    """The registered state of an enum; all languages share it."""

    #: The values in the order of their definition.
    entries: Any
    #: The values by number and by name.
    indexes: Any
    #: By attribute: what each value has.
    attrs: Any

    def __init__(self) -> None:
        self.__ffi_init__()  # type: ignore[attr-defined]


class EnumAttrMap:
    """The attribute of an enum's values: a mapping by value that can be changed, shared by all languages.

    ``default`` is the attribute of values without one. TypeError if the key is no value of the enum.
    """

    __slots__ = ("_default", "_enum_cls", "_name")

    def __init__(self, enum_cls: type, name: str, *, default: object = MISSING) -> None:
        self._enum_cls, self._name, self._default = enum_cls, name, default

    @property
    def name(self) -> str:
        """The attribute's name."""
        return self._name

    def _column(self, create: bool) -> Any:
        attrs = _state(self._enum_cls, create).attrs
        if self._name not in attrs:
            if not create:
                return {}
            attrs[self._name] = Dict()
        return attrs[self._name]

    def _check(self, variant: object) -> None:
        if not isinstance(variant, self._enum_cls):
            raise TypeError(f"expected {self._enum_cls.__name__}, got {type(variant).__name__}")

    def __setitem__(self, variant: object, value: object) -> None:
        self._check(variant)
        self._column(True)[variant] = value

    def __getitem__(self, variant: object) -> Any:
        self._check(variant)
        column = self._column(False)
        if variant in column:
            return column[variant]
        if self._default is MISSING:
            raise KeyError(f"{variant!r} has no extensible attribute {self._name!r}")
        return self._default

    def __contains__(self, variant: object) -> bool:
        return isinstance(variant, self._enum_cls) and variant in self._column(False)

    def get(self, variant: object, default: object = None) -> Any:
        """Return the attribute of the value, else ``default``."""
        self._check(variant)
        column = self._column(False)
        return column[variant] if variant in column else default


def _state(cls: Any, create: bool = False) -> Any:
    """The enum's EnumState; a fresh one, which only ``create`` registers, where it has none."""
    index = cls.__tvm_ffi_type_index__
    state = _type_attribute(index, ENUM_STATE_ATTR)
    if state is None:
        state = EnumState()
        if create:
            _define_attribute(index, ENUM_STATE_ATTR, state)
    return state


class _EnumMeta(ObjectMeta):
    """The metaclass of enums: the class is the collection of its values."""

    def __call__(cls, *args: object, **kwargs: object) -> Any:
        if len(args) == 1 and not kwargs:
            if isinstance(args[0], cls):
                return args[0]
            if isinstance(args[0], (int, str)):
                member = _state(cls).indexes.get(_index(args[0]))
                if member is None:
                    raise ValueError(f"{args[0]!r} is not a valid {cls.__name__}")
                return member
        return super().__call__(*args, **kwargs)

    def __iter__(cls) -> Iterator[Any]:
        return iter(list(_state(cls).entries))

    def __len__(cls) -> int:
        return len(_state(cls).entries)

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, cls)

    @property
    def attr_dict(cls) -> Any:
        """By attribute: what each value has."""
        return _state(cls).attrs


def _index(index: object) -> int | str:
    """The key of a value. OverflowError for numbers of more than 64 bits."""
    if isinstance(index, str):
        return index
    if not isinstance(index, int):
        raise TypeError(f"expected the number or the name of a value, got {type(index).__name__}")
    if not -(2**63) <= index < 2**63:
        raise OverflowError(
            f"{index} is outside of the int64 range, which numbers of values are in"
        )
    return int(index)


class Enum(Object, metaclass=_EnumMeta):
    """An enum: each value is one object, ``Color.red``, the same one in every language.

    ::

        class Color(Enum, type_key="my.Color"):
            red = auto()
            green = auto()

    Values may have fields: annotations, given by ``entry``. A class whose ``type_key`` C++ has registered gets the
    values that C++ defined, and may define more. ``type_key`` is required for values.
    """

    _int_index: int
    _str_index: str
    #: The form of a value in other code: its number (int), its name (str), or none.
    _payload: ClassVar[type | None] = None

    def __init_subclass__(
        cls,
        *,
        type_key: str | None = None,
        frozen: bool = True,
        init: bool = True,
        repr: bool = True,
        **kwargs: object,
    ) -> None:
        super().__init_subclass__(**kwargs)
        if cls._payload is not None and "_payload" not in cls.__dict__:
            _reserve_value(cls)
        if type_key is not None:
            _define(cls, type_key, frozen, init, repr)

    @classmethod
    def get(cls, index: int | str) -> Any:
        """Return the value with a number or name; KeyError for an unknown one."""
        member = _state(cls).indexes.get(_index(index))
        if member is None:
            raise KeyError(index)
        return member

    @classmethod
    def all_entries(cls) -> Iterator[Any]:
        """Return the values in the order of their definition."""
        return iter(cls)

    @classmethod
    def def_attr(cls, name: str, *, default: object = MISSING) -> EnumAttrMap:
        """Return an attribute of the values, by its name."""
        return EnumAttrMap(cls, name, default=default)

    def __reduce__(self) -> Any:
        return _value, (type(self), self._int_index)

    def __deepcopy__(self, memo: object = None) -> Any:
        return self


def _value(cls: Any, number: int) -> Any:
    return cls.get(number)


def _payload_equal(self: Any, other: object) -> Any:
    if isinstance(other, Enum):
        return self.same_as(other)
    return self.value == other if isinstance(other, (int, str)) else NotImplemented


def _payload_unequal(self: object, other: object) -> Any:
    equal = _payload_equal(self, other)
    return equal if equal is NotImplemented else not equal


def _payload_hash(self: Any) -> int:
    return hash(self.value)


def _payload_str(self: Any) -> str:
    return str(self.value)


def _payload_name(self: Any) -> str:
    return str(self._str_index)


def _payload_repr(self: Any) -> str:
    return f"{type(self).__name__}.{self._str_index}"


def _finish(cls: Any, init: bool, repr: bool) -> None:
    info = type_info(cls.__tvm_ffi_type_index__, fresh=True)
    describe_fields(cls, info)
    initializer = cls.__dict__.get("__init__")
    if initializer is not None and initializer.__name__ == "_no_init":
        del cls.__init__
    install(
        cls,
        info,
        init=init,
        repr=repr,
        eq=False,
        order=False,
        unsafe_hash=False,
        match_args=True,
    )


class IntEnum(Enum):
    """An enum whose values stand for integers: ``low = 1``; equal to them, found by them, given by ``value``."""

    _payload: ClassVar[type | None] = int
    value: int


class StrEnum(Enum):
    """An enum whose values stand for text: ``add = "+"``; equal to it, found by it, given by ``value``."""

    _payload: ClassVar[type | None] = str
    value: str


for _class, _key in ((Enum, "ffi.Enum"), (IntEnum, "ffi.IntEnum"), (StrEnum, "ffi.StrEnum")):
    adopt_type(_class, _type_index(_key), init=False)
    _finish(_class, False, True)
for _class in (IntEnum, StrEnum):
    for _name, _function in (
        ("__eq__", _payload_equal),
        ("__ne__", _payload_unequal),
        ("__hash__", _payload_hash),
        ("__str__", _payload_str),
        ("__repr__", _payload_repr),
    ):
        setattr(_class, _name, _function)
for _class in (IntEnum, StrEnum):
    setattr(_class, "name", property(_payload_name, doc="Its name."))  # noqa: B010


def _reserve_value(cls: Any) -> None:
    if "value" in cls.__dict__ or "value" in cls.__dict__.get("__annotations__", {}):
        base = "IntEnum" if cls._payload is int else "StrEnum"
        raise TypeError(f"{cls.__name__}: {base} reserves `value` for what a value stands for")


def _is_class_var(annotation: object) -> bool:
    if isinstance(annotation, str):
        return annotation.removeprefix("typing.").startswith("ClassVar")
    return annotation is ClassVar or typing.get_origin(annotation) is ClassVar


def _declared(cls: Any) -> dict[str, _EnumEntry | None]:
    """The values in the class's body, which lose their names to the class until they are made; None: of a bare
    annotation ``name: ClassVar[...]``.
    """
    annotations = cls.__dict__.get("__annotations__", {})
    entries: dict[str, _EnumEntry | None] = {
        name: None
        for name, annotation in annotations.items()
        if not name.startswith("_") and _is_class_var(annotation) and name not in cls.__dict__
    }
    fields = {name for name, annotation in annotations.items() if not _is_class_var(annotation)}
    for name, value in list(cls.__dict__.items()):
        if name.startswith("_") or name in fields:
            continue
        if isinstance(value, _EnumEntry):
            entries[name] = value
        elif cls._payload is not None and not (
            isinstance(value, (staticmethod, classmethod, property)) or callable(value)
        ):
            entries[name] = _EnumEntry((), {"value": value})
        else:
            continue
        delattr(cls, name)
        annotations.pop(name, None)
    return entries


def _define(cls: Any, key: str, frozen: bool, init: bool, repr: bool) -> None:
    declared = _declared(cls)
    own_repr = cls.__dict__.get("__repr__")
    try:
        index = _type_index(key)
    except ValueError:
        index = -1
    if index >= 0:
        adopt_type(cls, index, init=False)
        _finish(cls, init, repr)
        cls.__init__ = Object.__init__
        _adopt_values(cls)
    else:
        options = {
            "frozen": frozen,
            "init": init,
            "repr": repr,
            "eq": False,
            "order": False,
            "unsafe_hash": False,
            "match_args": True,
            "kw_only": False,
            "structural_eq": "singleton",
        }
        Definition(cls, key, options, None).run()
    if cls._payload is not None:
        cls.__repr__ = own_repr or _payload_repr
    for alias, entry in declared.items():
        if entry is not None:
            _make_value(cls, alias, entry)
            continue
        known_index = _state(cls, create=True).indexes.get(alias)
        if known_index is not None:  # Another language has it: the name in the body is for readers.
            setattr(cls, alias, known_index)
        elif index >= 0:
            raise RuntimeError(f"{key!r} has no enum value at string index {alias!r}")
        else:
            _make_value(cls, alias, _EnumEntry((), {}))


def _adopt_values(cls: object) -> None:
    """The values that C++ has defined, by their names where they are names."""
    for value in _state(cls).entries:
        if value._str_index.isidentifier() and value._str_index not in cls.__dict__:
            setattr(cls, value._str_index, value)


def _make(cls: Any, number: int, name: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """An object with these fields."""
    if not hasattr(cls, "__ffi_init__"):  # C++ gave the type no constructor.
        fields = {"_int_index": number, "_str_index": name, **kwargs}
        if cls._payload is not None:
            fields["value"] = number if cls._payload is int else name
        make = get_global_func("ffi.MakeObjectFromPackedArgs")
        return make(cls.__tvm_ffi_type_index__, *(part for pair in fields.items() for part in pair))
    value = cls.__new__(cls)
    if args:
        value.__ffi_init__(number, name, *args, **kwargs)
    else:
        value.__ffi_init__(_int_index=number, _str_index=name, **kwargs)
    return value


def _make_value(cls: Any, alias: str, declared: _EnumEntry) -> None:
    state = _state(cls, create=True)
    kind, args, kwargs = cls._payload, list(declared.args), dict(declared.kwargs)
    number, name = len(state.entries), alias
    if kind is not None:
        first = kwargs.pop("value", MISSING)
        if first is MISSING and args:
            first = args.pop(0)
        if type(first) is not kind:
            raise TypeError(f"{cls.__name__}.{alias} requires a {kind.__name__} value")
        _index(first)
        number, name = (first, alias) if kind is int else (number, first)
        if (member := state.indexes.get(first)) is not None:
            setattr(cls, alias, member)
            return
    elif alias in state.indexes:
        setattr(cls, alias, state.indexes[alias])
        return
    elif number in state.indexes:
        number = 1 + max(v._int_index for v in state.entries)
    try:
        value = _make(cls, number, name, args, kwargs)
    except Exception as error:
        raise TypeError(f"{cls.__name__}.{alias}: invalid enum entry: {error}") from None
    state.entries.append(value)
    state.indexes[number] = value
    state.indexes[name] = value
    setattr(cls, alias, value)

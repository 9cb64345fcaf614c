"""Operations of programs on objects of the ABI's classes by their fields."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from fairlead.ffi._containers import Array, Dict, List, Map

if TYPE_CHECKING:
    from fairlead.ffi.dataclasses._field import Field

__all__ = ["asdict", "astuple", "fields", "is_dataclass", "replace"]

_T = TypeVar("_T")
_MARK = "__ffi_is_dataclass__"


def is_dataclass(obj: object) -> bool:
    """True if it is a class that c_class or py_class made, or an object of one."""
    return bool(getattr(obj if isinstance(obj, type) else type(obj), _MARK, False))


def fields(obj_or_cls: object) -> tuple[Field, ...]:
    """Return the fields of such a class or object, those of parents first. TypeError for others."""
    if not is_dataclass(obj_or_cls):
        raise TypeError(
            "fields() argument must be a c_class or py_class type or instance, "
            f"got {type(obj_or_cls).__name__}"
        )
    cls = obj_or_cls if isinstance(obj_or_cls, type) else type(obj_or_cls)
    info = cls.__tvm_ffi_type_info__  # type: ignore[attr-defined]
    return tuple(f.dataclass_field for f in info.all_fields if f.dataclass_field is not None)


def _require_instance(obj: object, name: str) -> None:
    if isinstance(obj, type) or not is_dataclass(obj):
        raise TypeError(f"{name}() should be called on c_class / py_class instances")


def _plain(value: object, convert: Callable[[Any], Any], mapping: object) -> Any:
    """The value as Python's own; ``whole`` does objects with fields."""
    if is_dataclass(value) and not isinstance(value, type):
        return convert(value)
    if isinstance(value, (Array, List)):
        return [_plain(item, convert, mapping) for item in value]
    if isinstance(value, (Map, Dict)):
        return {
            _plain(key, convert, mapping): _plain(item, convert, mapping)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        items = [_plain(item, convert, mapping) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return type(value)(
            (_plain(key, convert, mapping), _plain(item, convert, mapping))
            for key, item in value.items()
        )
    return copy.deepcopy(value)


def asdict(obj: object, *, dict_factory: Callable[..., Any] = dict) -> Any:
    """Return the fields of an object by name, and of objects and containers in it, as Python's own dicts and lists.

    ``dict_factory`` makes the dicts, from a list of pairs. TypeError if it is no object of such a class.
    """
    _require_instance(obj, "asdict")

    def whole(value: object) -> Any:
        return dict_factory(
            [(f.name, _plain(getattr(value, str(f.name)), whole, dict)) for f in fields(value)]
        )

    return whole(obj)


def astuple(obj: object, *, tuple_factory: Callable[..., Any] = tuple) -> Any:
    """Return the fields of an object in order, and of objects and containers in it, as Python's own tuples, lists and
    dicts.

    ``tuple_factory`` makes the tuples, from a list. TypeError if it is no object of such a class.
    """
    _require_instance(obj, "astuple")

    def whole(value: object) -> Any:
        return tuple_factory(
            [_plain(getattr(value, str(f.name)), whole, dict) for f in fields(value)]
        )

    return whole(obj)


def replace(obj: _T, /, **changes: object) -> _T:
    """Return a copy of an object with some fields changed, also read-only ones."""
    changed: _T = cast(Any, obj).__replace__(**changes)
    return changed

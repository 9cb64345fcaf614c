"""User classes as arguments: what their objects consist of, in C and in the traced program.

A class takes part with ``__c_pointers__`` (addresses of C values), ``__get_mlir_types__`` (their types) and
``__new_from_mlir_values__`` (the object as the traced function sees it); an adapter does so for somebody else's class.
``__extract_mlir_values__`` is the way back, for kernels' arguments and for run-time regions.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard

from fairlead import _compiler
from fairlead._tracing.composite import flatten, items_of, rebuild, rebuilt
from fairlead.cute._ir_types import IRValue, PointerType, StructType
from fairlead.errors import make_error

__all__ = [
    "PointerType",
    "StructType",
    "adapted",
    "c_values",
    "dsl_user_op",
    "extract_mlir_values",
    "has_dynamic_protocol",
    "has_protocol",
    "new_from_mlir_values",
    "register_jit_arg_adapter",
    "renewed",
    "value_types",
]

adapters: dict[type, type] = {}


def register_jit_arg_adapter(*types: type) -> Callable[[type], type]:
    """Make a class the stand-in for objects of ``types``, which do not follow the protocol themselves.

    ``@register_jit_arg_adapter(Matrix)`` on a class whose ``__init__`` takes a Matrix, and which has the methods of the
    protocol. It counts for subclasses too, and wherever they are arguments from then on.

    Raises TypeError (ArgumentProtocol) for ``types`` that are not classes.
    """
    for cls in types:
        if not isinstance(cls, type):
            raise make_error(
                "ArgumentProtocol",
                type=repr(cls),
                problem="register_jit_arg_adapter takes classes",
            )

    def register(adapter: type) -> type:
        for cls in types:
            adapters[cls] = adapter
        return adapter

    return register


def adapter_of(cls: type) -> type | None:
    """Return the adapter registered for a class or its nearest base."""
    if not adapters:
        return None
    return next((adapters[base] for base in cls.__mro__ if base in adapters), None)


def adapted(value: object) -> Any:
    """Return the value, or its adapter's stand-in for it."""
    adapter = adapter_of(type(value))
    return value if adapter is None else adapter(value)


def typed_number(value: Any) -> Any:
    """Return a NumPy number as a number of its type. Other values are unchanged, also NumPy numbers that are Python
    numbers."""
    cls = type(value)
    if cls.__module__ != "numpy" or isinstance(value, (int, float)) or cls.__name__ == "ndarray":
        return value
    name = getattr(getattr(value, "dtype", None), "name", "")
    numeric = getattr(_compiler, {"bool": "Boolean"}.get(name, name.capitalize()), None)
    if numeric is None or not _compiler.is_dtype(numeric):
        return value
    return numeric(value.item())


def has_protocol(value: object) -> bool:
    """True for an object of a user's class that describes itself as an argument of a call."""
    cls = type(value)
    return (
        hasattr(cls, "__c_pointers__")
        and hasattr(cls, "__get_mlir_types__")
        and hasattr(cls, "__new_from_mlir_values__")
        and not hasattr(cls, "__fairlead_argument__")
    )


def is_tuple_of_values(value: object) -> bool:
    """True for a tuple whose protocol names a C value for each number, tensor and pointer in it and no other.
    Calls give the parts of such a tuple as they are, Python's own numbers too, whose addresses it would not tell."""
    if not isinstance(value, tuple):
        return False

    def count(part: object) -> int:
        if isinstance(part, tuple):
            return sum(map(count, part))
        return int(hasattr(type(part), "__fairlead_argument__"))

    return count(value) == len(value_types(value))


def has_dynamic_protocol(value: object) -> TypeGuard[Any]:
    """True if the object says which run-time values it consists of."""
    cls = type(value)
    return hasattr(cls, "__extract_mlir_values__") and hasattr(cls, "__new_from_mlir_values__")


def value_types(value: Any) -> list[Any]:
    """Return the type of each C value of an object: a numeric class, a PointerType, a StructType, or for a tensor or a
    pointer with more properties, that as an example."""
    types = list(_flat(value.__get_mlir_types__()))
    for kind in types:
        if not _is_type(kind):
            raise make_error(
                "ArgumentProtocol",
                type=type(value).__name__,
                problem=f"its __get_mlir_types__ gave {kind!r}, which is neither the mlir_type of a numeric class nor "
                "a pointer type, a struct of these, or what a tensor's own __get_mlir_types__ gives",
            )
    return types


def is_example(value: object) -> bool:
    """A tensor or a pointer outside of a traced function."""
    return hasattr(type(value), "__fairlead_argument__") and not isinstance(
        value, _compiler.Numeric
    )


def _is_type(value: object) -> bool:
    if isinstance(value, StructType):
        return all(map(_is_type, value.body))
    return _compiler.is_dtype(value) or isinstance(value, PointerType) or is_example(value)


def _flat(values: object) -> Any:
    if isinstance(values, dict):
        values = list(values.values())
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _flat(value)
    else:
        yield values


_C_TYPES = {
    ("i", 8, True): ctypes.c_int8,
    ("i", 16, True): ctypes.c_int16,
    ("i", 32, True): ctypes.c_int32,
    ("i", 64, True): ctypes.c_int64,
    ("i", 8, False): ctypes.c_uint8,
    ("i", 16, False): ctypes.c_uint16,
    ("i", 32, False): ctypes.c_uint32,
    ("i", 64, False): ctypes.c_uint64,
    ("f", 32, True): ctypes.c_float,
    ("f", 64, True): ctypes.c_double,
}


def _c_type(of: Any, owner: str) -> Any:
    """The type of ctypes; None for a tensor, which is given as it is."""
    if isinstance(of, StructType):
        fields = [(f"f{index}", _c_type(member, owner)) for index, member in enumerate(of.body)]
        if any(field is None for _, field in fields):
            raise make_error(
                "ArgumentProtocol", type=owner, problem="a struct of C does not hold its tensor"
            )
        return type("Struct", (ctypes.Structure,), {"_fields_": fields})
    if isinstance(of, PointerType):
        return ctypes.c_void_p
    if is_example(of):
        return None if hasattr(of, "shape") else ctypes.c_void_p
    if of is _compiler.Boolean:
        return ctypes.c_bool
    c_type = _C_TYPES.get(("f" if of.is_float else "i", of.width, of.is_float or of.signed))
    if c_type is None:
        raise make_error(
            "ArgumentProtocol", type=owner, problem=f"C has no type for its {of.__name__}"
        )
    return c_type


class c_values:
    """Reads the C values of an argument: called with the object of a call, it gives a tuple of Python numbers; None for
    an object that does not follow the protocol."""

    __slots__ = ("_types",)

    def __init__(self, owner: str, types: list[Any]) -> None:
        self._types = tuple(_c_type(kind, owner) for kind in types)

    def __call__(self, value: object) -> tuple[Any, ...] | None:
        argument = adapted(value)
        if not has_protocol(argument):
            return None
        pointers = list(_flat(argument.__c_pointers__()))
        if len(pointers) != len(self._types):
            raise make_error(
                "ArgumentProtocol",
                type=type(value).__name__,
                problem=f"its __c_pointers__ gave {len(pointers)} addresses for {len(self._types)} types",
            )
        # `argument` keeps the objects behind the addresses alive.
        owner = type(value).__name__
        numbers: list[Any] = []
        for c_type, pointer in zip(self._types, pointers, strict=True):
            self._read(c_type, pointer, owner, numbers)
        return tuple(numbers)

    @staticmethod
    def _read(c_type: Any, pointer: Any, owner: str, numbers: list[Any]) -> None:
        if c_type is None:
            if not is_example(pointer):
                raise make_error(
                    "ArgumentProtocol",
                    type=owner,
                    problem=f"its __c_pointers__ gave {pointer!r} for a tensor, expected what the tensor's own gives",
                )
            numbers.append(pointer)
            return
        if not isinstance(pointer, (int, str, bytes)):
            try:
                pointer = ctypes.cast(pointer, ctypes.c_void_p).value
            except (TypeError, ctypes.ArgumentError):
                pointer = getattr(pointer, "value", None)
        if not isinstance(pointer, int) or pointer <= 0:
            raise make_error(
                "ArgumentProtocol", type=owner, problem="its __c_pointers__ gave no address"
            )
        if issubclass(c_type, ctypes.Structure):
            _read_struct(c_type.from_address(pointer), numbers)
            return
        read = c_type.from_address(pointer).value
        numbers.append((read or 0) if c_type is ctypes.c_void_p else read)


def _read_struct(struct: ctypes.Structure, numbers: list[Any]) -> None:
    for name, *_ in struct._fields_:
        part = getattr(struct, name)
        if isinstance(part, ctypes.Structure):
            _read_struct(part, numbers)
        else:
            numbers.append(0 if part is None else part)


def is_value(value: object) -> bool:
    """True for a single run-time value."""
    return isinstance(value, (_compiler.Numeric, _compiler.Tensor, _compiler.Pointer))


def extract_mlir_values(value: object, *, structured: bool = False) -> list[Any]:
    """Return the run-time values that ``value`` consists of: for structures all of them, in order.

    With ``structured``, nested like the structure: a value itself; a dict of the fields of a dataclass, a list of
    the items of a tuple or a list; of an object with ``__extract_mlir_values__`` what that returns. Parts without
    run-time values are empty lists.
    """
    if structured:
        values: list[Any] = _tree_of(value)
        return values
    if is_value(value):
        return [value]
    if isinstance(value, IRValue):
        return value.leaves()
    if has_dynamic_protocol(value):
        return list(_flat(value.__extract_mlir_values__()))
    return [leaf for part in _parts_of(value) for leaf in extract_mlir_values(part)]


def _tree_of(value: object) -> Any:
    if is_value(value):
        return value
    if has_dynamic_protocol(value):
        return value.__extract_mlir_values__()
    items = items_of(value)
    if items is None:
        return extract_mlir_values(value)
    if isinstance(value, (tuple, list)):
        return [_tree_of(part) for _, part, _ in items]
    return {name: _tree_of(part) for name, part, _ in items}


def renewed(value: Any, values: Iterator[Any]) -> Any:
    """Return an object of the protocol like ``value`` of the next of ``values``, nested as it takes them."""

    def like(tree: object) -> Any:
        if isinstance(tree, dict):
            return {key: like(part) for key, part in tree.items()}
        if isinstance(tree, (tuple, list)):
            return [like(part) for part in tree]
        return next(values)

    return value.__new_from_mlir_values__(like(value.__extract_mlir_values__()))


def _parts_of(value: object) -> list[Any]:
    """The items of a structure, or of an object of a registered class (a layout, an atom); none for others."""
    composite = flatten(value)
    if composite is not None:
        return composite[1]
    return [part for _, part, _ in items_of(value) or ()]


def new_from_mlir_values(value: object, values: Sequence[Any], *, structured: bool = False) -> Any:
    """Return an object like ``value`` of other values, as many as extract_mlir_values gave; with ``structured`` nested
    as it gives them then.

    Raises TypeError (ArgumentProtocol) if ``values`` are not as many as ``value`` consists of.
    """
    leaves = list(_flat(values)) if structured else list(values)
    if is_example(value) and not is_value(value) and len(leaves) == 1:
        return leaves[0]  # what the traced function has for a tensor or a pointer of the call
    expected = len(extract_mlir_values(value))
    if len(leaves) != expected:
        raise make_error(
            "ArgumentProtocol",
            type=type(value).__name__,
            problem=f"it consists of {expected} values, but new_from_mlir_values got {len(leaves)}",
        )
    return _renewed(value, iter(leaves))


def _renewed(value: object, values: Iterator[Any]) -> Any:
    if is_value(value):
        return next(values)
    if has_dynamic_protocol(value):
        return renewed(value, values)
    parts = _parts_of(value)
    if not parts:
        return value
    new_parts = [_renewed(part, values) for part in parts]
    return rebuilt(value, new_parts) if flatten(value) is None else rebuild(value, new_parts)


def dsl_user_op(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark ``function``, a helper of traced functions that takes the keywords ``loc`` and ``ip``; a call may leave
    them out.

    Fairlead knows the place of every operation, so they are None unless a caller passes them.
    """
    parameters = inspect.signature(function).parameters
    missing = {
        name: None
        for name in ("loc", "ip")
        if name in parameters and parameters[name].default is inspect.Parameter.empty
    }
    takes_any = any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )
    unknown = () if takes_any else tuple({"loc", "ip"} - parameters.keys())

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        for name in unknown:
            kwargs.pop(name, None)
        return function(*args, **{**missing, **kwargs})

    return call


def number_pointers(value: _compiler.Numeric) -> list[Any]:
    """Return the position in C memory of the number of a value made outside of a trace."""
    c_type = _c_type(type(value), type(value).__name__)
    return [ctypes.pointer(c_type(float(value) if value.is_float else int(value)))]

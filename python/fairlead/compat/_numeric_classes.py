"""Numeric classes that programs derive by the metaclass of floats: their numbers are kept as bits of another class.

Such a class says itself how its numbers are made, added and multiplied. In memory, and as arguments of calls and of
kernels, they are numbers of the class that its ``mlir_type`` names. Functions that make a tensor of a class of numbers
make a ``TensorOfClass`` of it, whose elements are objects of the class.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeGuard

from fairlead import _compiler
from fairlead._tracing.state import state
from fairlead.cute._fake import FakeTensor
from fairlead.cute._ir_types import IRValue

__all__ = ["FloatMeta", "TensorOfClass", "ir_number", "taking_classes"]

#: The language's classes that keep numbers of derived classes.
_storage: set[type] = set()


class DerivedNumber:
    """The base of derived classes: a number held as ``value``, one of the language or Python's before it is traced."""

    width: int
    mlir_type: Any
    _written_base: type
    is_float, is_integer, signed = True, False, True
    value: Any

    def __init__(self, number: object, **_: object) -> None:
        self.value = number.leaves()[0] if isinstance(number, IRValue) else number

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The base that the program wrote, so that objects are instances of it; its own class while a function is
        traced, where the language has to tell them from its own numbers."""
        return self._written_base if state.program is None else type(self)

    @staticmethod
    def is_same_kind(other: object) -> bool:
        """Return whether ``other`` is a class of floats."""
        return bool(getattr(other, "is_float", False))

    def ir_value(self, *, loc: object = None, ip: object = None) -> Any:
        """The bits as a number of the class that keeps them."""
        is_number = isinstance(self.value, _compiler.Numeric)
        return self.value if is_number else self.mlir_type(self.value)

    def __c_pointers__(self) -> list[Any]:
        pointers: list[Any] = self.mlir_type(self.value).__c_pointers__()
        return pointers

    def __get_mlir_types__(self) -> list[Any]:
        return [self.mlir_type]

    def __extract_mlir_values__(self) -> list[Any]:
        return [self.ir_value()]

    def __new_from_mlir_values__(self, values: Sequence[object]) -> DerivedNumber:
        return _of_bits(type(self), values[0])


def _of_bits(cls: type[DerivedNumber], bits: object) -> DerivedNumber:
    """An object of a derived class from the number that keeps it. No ``__init__`` of the class runs."""
    number = cls.__new__(cls)
    number.value = bits
    return number


class TensorOfClass:
    """A tensor whose elements are objects of a derived class. Everything else is that of the tensor that keeps them."""

    def __init__(self, kept: _compiler.Tensor, cls: type[DerivedNumber]) -> None:
        self._kept: Any = kept
        self._dtype = cls

    @property
    def element_type(self) -> type[DerivedNumber]:
        """The derived class."""
        return self._dtype

    dtype = element_type

    def __getitem__(self, key: object) -> Any:
        part = self._kept[key]
        if isinstance(part, _compiler.Tensor):
            return TensorOfClass(part, self._dtype)
        if isinstance(part, _compiler.Numeric):
            return _of_bits(self._dtype, part)
        raise TypeError(f"whole tensors of {self._dtype.__name__} are no values: index one element")

    def __setitem__(self, key: object, value: object) -> None:
        number = value if isinstance(value, self._dtype) else self._dtype(value)
        self._kept[key] = number.ir_value()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in ("load", "store", "fill"):
            raise AttributeError(f"a tensor of {self._dtype.__name__} has no `{name}`")
        return getattr(self._kept, name)

    def __repr__(self) -> str:
        return f"{self._dtype.__name__} in {self._kept!r}"

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._kept]

    def __new_from_mlir_values__(self, values: Sequence[_compiler.Tensor]) -> TensorOfClass:
        return TensorOfClass(values[0], self._dtype)


class _IRNumber(IRValue):
    """A number of a class that keeps those of derived classes, as a value of the IR: bits, not a number to convert."""

    @property
    def type(self) -> type:
        """The numeric class."""
        return type(self.leaves()[0])


def ir_number(number: _compiler.Numeric) -> Any:
    """Return the number; as a value of the IR if its class keeps numbers of derived classes."""
    return _IRNumber(number) if type(number) in _storage else number


def _derived(value: object) -> TypeGuard[type[DerivedNumber]]:
    return isinstance(value, type) and issubclass(value, DerivedNumber)


def _plain(value: Any) -> Any:
    """What the language has in place of a derived class, or of a tensor of one. TypeError for a class that leaves bits
    of its storage unused."""
    if _derived(value):
        if value.width != value.mlir_type.width:
            raise TypeError(
                f"{value.__name__}: tensors of {value.mlir_type.__name__} in {value.width} bits each are not supported"
            )
        return value.mlir_type
    return value._kept if isinstance(value, TensorOfClass) else value


def taking_classes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return ``function``, which makes a tensor of a class of numbers, with derived classes as arguments."""

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        tensor = function(*map(_plain, args), **{name: _plain(kwargs[name]) for name in kwargs})
        cls = next((value for value in (*args, *kwargs.values()) if _derived(value)), None)
        if cls is None:
            return tensor
        if isinstance(tensor, FakeTensor):
            tensor.as_argument = functools.partial(TensorOfClass, cls=cls)
            return tensor
        return TensorOfClass(tensor, cls)

    return call


def _hold(self: object, number: object, **_: object) -> None:
    """``Numeric.__init__`` as derived classes call it."""
    if not isinstance(self, DerivedNumber):
        raise TypeError("Numeric.__init__: only objects of derived classes are made by it")
    DerivedNumber.__init__(self, number)


class _FloatMetaclass:
    """Answers ``isinstance(x, FloatMeta)``: whether ``x`` is a class of floats. As a metaclass it makes one."""

    def __instancecheck__(self, value: object) -> bool:
        return _derived(value) or (_compiler.is_dtype(value) and value.is_float)

    def __call__(
        self,
        name: str,
        bases: tuple[type, ...],
        namespace: dict[str, object],
        *,
        width: int,
        mlir_type: Callable[[], type[_compiler.Numeric]],
    ) -> Any:
        kept = mlir_type()
        if kept.width > width:
            raise TypeError(f"{name}: {kept.__name__} has {kept.width} bits, not the width {width}")
        written = bases[0]
        if _compiler.is_dtype(written):
            namespace = {**namespace, "_written_base": written}
            bases = (DerivedNumber, *bases[1:])
        cls = type(name, bases, {**namespace, "width": width, "mlir_type": kept})
        _storage.add(kept)
        _compiler.Numeric.__init__ = _hold  # type: ignore[method-assign]
        return cls


FloatMeta = _FloatMetaclass()

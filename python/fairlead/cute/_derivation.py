"""Coordinates of views in the tensors that a kernel was launched with, or that it makes of pointers to global memory.

While a kernel of ``cute.experimental`` is traced, a view that is sliced, divided or composed from such a tensor has a
tensor of coordinates, made by the same steps from the first tensor's identity tensor. ``copy`` reads there which
elements lie inside the first tensor's shape.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, ParamSpec, TypeVar

from fairlead import _compiler

__all__: list[str] = []

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Derivation(NamedTuple):
    """A view of a tensor, the coordinates of its elements in that tensor, and the tensor with its shape."""

    view: Any
    coordinates: Any
    shape: Any
    #: A parameter of the kernel, or what ``make_tensor`` returned.
    origin: Any


class _Views(threading.local):
    #: By the view's identity; None where no kernel is traced that asks for them. The views are kept alive with it.
    by_view: dict[int, Derivation] | None = None
    #: Called with each tensor that the kernel makes of a pointer.
    note: Callable[[Any], None] | None = None


_views = _Views()


def _tensors(value: Any) -> Iterator[Any]:
    if isinstance(value, _compiler.Tensor):
        yield value
    elif isinstance(value, (tuple, list)):
        for entry in value:
            yield from _tensors(entry)
    elif hasattr(type(value), "__dataclass_fields__"):
        for name in type(value).__dataclass_fields__:
            yield from _tensors(getattr(value, name, None))


def _begin(views: dict[int, Derivation], tensor: _compiler.Tensor) -> None:
    coordinates = _compiler.make_identity_tensor(tensor.shape)
    views[id(tensor)] = Derivation(tensor, coordinates, tensor.shape, tensor)


@contextmanager
def deriving(parameters: object) -> Iterator[None]:
    """Follow the views of the tensors in ``parameters``, a tuple or dataclass, while the body runs."""
    before = _views.by_view
    _views.by_view = {}
    try:
        for tensor in _tensors(parameters):
            _begin(_views.by_view, tensor)
        yield
    finally:
        _views.by_view = before


@contextmanager
def noting_tensors(note: Callable[[Any], None]) -> Iterator[None]:
    """Call ``note`` with each tensor in global memory that kernels make of a pointer while the body runs."""
    before = _views.note
    _views.note = note
    try:
        yield
    finally:
        _views.note = before


def derivation_of(view: object) -> Derivation | None:
    """Return the derivation of ``view``; None for a tensor whose origin is not known, and outside of ``deriving``."""
    return None if _views.by_view is None else _views.by_view.get(id(view))


def beginning(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Have views be followed from the tensors in global memory that ``function`` returns."""

    @functools.wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        tensor: Any = function(*args, **kwargs)
        views = _views.by_view
        if views is not None and _is_global(tensor):
            _begin(views, tensor)
            if _views.note is not None:
                _views.note(tensor)
        result: _T = tensor
        return result

    return call


def _is_global(tensor: Any) -> bool:
    spaces = _compiler.AddressSpace.gmem, _compiler.AddressSpace.generic
    return isinstance(tensor.iterator, _compiler.Pointer) and tensor.memspace in spaces


def followed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Have ``function``, whose first argument is a tensor and whose result is a view of it, note the derivation."""

    first = next(iter(inspect.signature(function).parameters))

    @functools.wraps(function)
    def call(*args: object, **kwargs: object) -> Any:
        if not args and first in kwargs:
            args = (kwargs.pop(first),)
        if not args:
            return function(**kwargs)  # its own error
        tensor, *rest = args
        view = function(tensor, *rest, **kwargs)
        views = _views.by_view
        if views and isinstance(view, _compiler.Tensor):
            derivation = views.get(id(tensor))
            if derivation is not None:
                coordinates = function(derivation.coordinates, *rest, **kwargs)
                views[id(view)] = derivation._replace(view=view, coordinates=coordinates)
        return view

    return call


_own = _compiler.Tensor.__getitem__


def _item(tensor: _compiler.Tensor, key: Any, **keywords: object) -> Any:
    view = _own(tensor, key, **keywords)
    views = _views.by_view
    if views and isinstance(view, _compiler.Tensor):
        derivation = views.get(id(tensor))
        if derivation is not None:
            coordinates = derivation.coordinates[key]
            views[id(view)] = derivation._replace(view=view, coordinates=coordinates)
    return view


_compiler.Tensor.__getitem__ = _item  # type: ignore[method-assign]

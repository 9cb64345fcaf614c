"""``cutlass.cute``: the language, with decorators that put the published dialect on their functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairlead import _compiler, cute
from fairlead._tracing.language import range_dynamic
from fairlead.compat._arrays import Swizzle
from fairlead.compat._dialect import PUBLISHED
from fairlead.compat._places import forwarding, ignoring, taking_place
from fairlead.compat._texts import pretty_str
from fairlead.compat._traits import CopyAtom, Tensor
from fairlead.compat._values import struct, union
from fairlead.cute._compile import _Compile
from fairlead.cute._decorated import decorate
from fairlead.cute._jit import JitFunction
from fairlead.cute._kernels import KernelFunction
from fairlead.cute._symbols import ExampleInt, Product

__all__ = [
    *cute.__all__,
    "CopyAtom",
    "Swizzle",
    "Tensor",
    "ffi",
    "pretty_str",
    "range_dynamic",
    "struct",
    "union",
]


def jit(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a Python function a host function, as ``fairlead.cute.jit`` does."""
    return decorate(JitFunction, function, options, PUBLISHED)


def kernel(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Make a Python function a kernel, as ``fairlead.cute.kernel`` does."""
    return decorate(KernelFunction, function, options, PUBLISHED)


compile = _Compile(dialect=PUBLISHED)


def size_in_bytes(dtype: type[_compiler.Numeric], layout: Any) -> Any:
    """Return what ``fairlead.cute.size_in_bytes`` does, and 0 bytes for None: a program without such memory."""
    return 0 if layout is None else cute.size_in_bytes(dtype, layout)


def _constants(extents: Any) -> Any:
    """Return extents and strides of tensors that the program made before it compiled as what they are there."""
    if isinstance(extents, tuple):
        return tuple(_constants(extent) for extent in extents)
    return extents.example if isinstance(extents, ExampleInt | Product) else extents


@taking_place
def make_layout(shape: Any, *, stride: Any = None) -> Any:
    """Return what ``fairlead.cute.make_layout`` does, also of shapes and strides of tensors from ``from_dlpack``."""
    return cute.make_layout(_constants(shape), stride=_constants(stride))


class ffi:
    """A function of linked device code, which programs declare when they are imported. Calls raise NotImplementedError:
    Fairlead links no such code."""

    is_stand_in = True

    def __init__(self, *, name: str, **_: object) -> None:
        self.name = name

    def __call__(self, *_: object, **__: object) -> Any:
        raise NotImplementedError(
            f"`{self.name}` is a function of linked device code, which is not supported"
        )


# Hints.
autovec_copy = ignoring(cute.autovec_copy, "l1c_evict_priority")
make_copy_atom = ignoring(cute.make_copy_atom, "l1c_evict_priority", "load_cache_mode", "invariant")

# Fields that are left out are 0, and fields are never in memory.
native_struct = ignoring(cute.native_struct, "zero_init", "packed")

__getattr__, __dir__ = forwarding(globals(), cute)

"""The example arguments of ``compile(function)`` without arguments."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

from fairlead import _compiler
from fairlead.cute._annotations import annotation
from fairlead.cute._extents import TensorOf
from fairlead.cute._fake import make_fake_stream, make_fake_tensor
from fairlead.cute._symbols import sym_int, sym_int64

_STREAMS = ("CUstream", "cudaStream_t")


def examples_of(
    function: FunctionType, signature: inspect.Signature, skipped: int
) -> tuple[Any, ...]:
    """Return an argument for each parameter, by its annotation: ``Tensor`` stands for a Float32 matrix with rows at any
    distance, ``Tensor[Float16, "n", "m"]`` for one of these extents, a numeric class for a number, ``CUstream`` for a
    stream. () where a parameter says none of these.
    """
    examples: list[Any] = []
    for parameter in list(signature.parameters.values())[skipped:]:
        hint = annotation(function, parameter.name)
        if parameter.default is not inspect.Parameter.empty:
            break
        if hint is _compiler.Tensor:
            extents: tuple[Any, ...] = (sym_int(), sym_int())
            examples.append(make_fake_tensor(_compiler.Float32, extents, (sym_int64(), 1)))
        elif isinstance(hint, TensorOf):
            extents = tuple(extent if type(extent) is int else sym_int() for extent in hint.extents)
            strides = (*(sym_int64() for _ in extents[1:]), *(1 for _ in extents[:1]))
            examples.append(make_fake_tensor(hint.dtype or _compiler.Float32, extents, strides))
        elif _compiler.is_dtype(hint):
            examples.append(hint)
        elif getattr(hint, "__name__", None) in _STREAMS:
            examples.append(make_fake_stream())
        else:
            return ()
    return tuple(examples)

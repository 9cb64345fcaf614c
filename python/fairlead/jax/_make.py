"""``fairlead.jax.call``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fairlead._frameworks.interface import interface_of
from fairlead._hints import name_keywords
from fairlead.cute._jit import JitFunction
from fairlead.errors import make_error, require
from fairlead.jax._call import Call, FunctionCall, Options
from fairlead.jax._decorated import JitCall

__all__ = ["call"]

_METHODS = ("auto", "sequential", "sequential_unrolled", "expand_dims", "broadcast_all")


def call(
    function: Callable[..., Any],
    outputs: object = None,
    aliases: Iterable[str] = (),
    vmap: str = "auto",
    layouts: Mapping[str, Sequence[int]] | None = None,
    vjp: Callable[..., Any] | None = None,
    *,
    signature: str | None = None,
    cuda_graph: bool = True,
    embed: bool = False,
    has_side_effect: bool = False,
) -> Call:
    """Return a function of JAX arrays that calls a compiled function: eagerly, and in every transformation of JAX.

    A call takes the function's tensor parameters that are not outputs, in order or by name, and its numbers by keyword,
    wherever they stand; a decorated function's numbers may have defaults.
    Numbers become part of the program, so they are static arguments of a jitted function. The result is
    an array, or a tuple of several.

    Args:
        function: a compiled function, one of a loaded file, ``fairlead.kernel``'s, any function of the ABI with its
            signature, or one decorated with ``@jit``, which is compiled for the arrays that come.
        outputs: the tensor parameters that are results: names, or a mapping from names to jax.ShapeDtypeStruct where
            their shapes do not follow from the inputs', or one ShapeDtypeStruct or a sequence of them for the last
            tensor parameters. Default: the tensors that the function only writes (``out`` in its printed signature) if
            all others are only read or in ``aliases``; otherwise the parameters after the arrays of a call. For a
            decorated function, structs only.
        aliases: names of arrays that the function changes in place: each is an input and a result, in the memory of the
            input where the caller donates it, else in a copy.
        vmap: ``auto`` (the function is called for each member of a batch by one handler), or a method of
            jax.ffi.ffi_call. All give the same results.
        layouts: by name the modes of an array from major to minor, as the function's strides need them. Default what
            the signature's strides say, else row-major.
        vjp: ``vjp(inputs, outputs, cotangents)`` returns the cotangents of the inputs, in order, None where there
            is none; its three arguments are tuples.
        signature: the signature in one line (docs/kernels.md), for a function that has none of its own.
        cuda_graph: XLA may record calls into CUDA graphs.
        embed: programs carry the code along, so that what jax.export saved runs in a process that has imported
            fairlead.jax and compiled nothing.
        has_side_effect: the call is made even where nothing uses its results.

    Raises ValueError for options and outputs that do not fit the signature, TypeError for functions that JAX cannot
    call. Errors of a call keep their text; JAX raises JaxRuntimeError.
    """
    require(call, vjp=vjp)
    if vmap not in _METHODS:
        raise make_error(
            "FrameworkOption", option="vmap", expected=", ".join(_METHODS), got=repr(vmap)
        )
    options = Options(aliases, vmap, layouts, cuda_graph, embed, has_side_effect)
    if isinstance(function, JitFunction):
        return JitCall(function, outputs, options, vjp)
    return FunctionCall(interface_of(function, signature), outputs, options, vjp)


name_keywords(__all__, globals())

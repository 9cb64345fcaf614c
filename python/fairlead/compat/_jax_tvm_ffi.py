"""Names that existing programs import from ``jax_tvm_ffi``: functions of the ABI as targets of ``jax.ffi``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

from fairlead.errors import make_error

__all__ = ["register_ffi_target"]

_WORDS = "args, rets, attrs.NAME and ctx.stream"


def register_ffi_target(
    name: str,
    function: Callable[..., Any],
    arg_spec: Sequence[str] | None = None,
    platform: str = "cpu",
    *,
    allow_cuda_graph: bool = False,
    pass_owned_tensor: bool = False,
    use_last_output_for_alloc_workspace: bool = False,
    **options: Any,
) -> None:
    """Makes a function of the ABI callable by ``jax.ffi.ffi_call(name, ...)``.

    Args:
        name: the target's.
        function: any function of the ABI, or a Python callable.
        arg_spec: the function's arguments in order: ``args`` and ``rets``, all inputs and all results,
            ``attrs.NAME``, a keyword of the call, ``ctx.stream``. Default inputs and results.
        platform: ``cpu`` or ``gpu``.
        allow_cuda_graph: XLA may record calls into CUDA graphs.
        pass_owned_tensor: tensors are objects, which functions need that take ``ffi::Tensor``.

    Raises NotImplementedError for use_last_output_for_alloc_workspace.
    """
    import jax

    from fairlead.ffi import Function, convert_func
    from fairlead.jax._native import make_handler

    if use_last_output_for_alloc_workspace:
        raise NotImplementedError(
            "use_last_output_for_alloc_workspace: pass a workspace as a result"
        )
    if not isinstance(function, Function):
        function = convert_func(function)
    params = _params(function, arg_spec)
    cuda = platform.lower() != "cpu"
    capsule = make_handler(
        function, params, cuda=cuda, command_buffer=allow_cuda_graph, owned=pass_owned_tensor
    )
    jax.ffi.register_ffi_target(name, capsule, platform="CUDA" if cuda else "cpu", **options)
    if cuda and os.environ.get("FAIRLEAD_TARGET") == "cpu":
        # A program that names a GPU, with its kernels compiled for the CPU (--device cpu).
        capsule = make_handler(
            function, params, cuda=False, command_buffer=False, owned=pass_owned_tensor
        )
        jax.ffi.register_ffi_target(name, capsule, platform="cpu", **options)


def _params(
    function: Callable[..., Any], arg_spec: Sequence[str] | None
) -> list[tuple[int, int, str]]:
    from fairlead._frameworks.interface import Tensor, interface_of
    from fairlead.errors import DSLError
    from fairlead.jax._native import INPUTS, NUMBER, RESULTS, STREAM, TENSOR

    if arg_spec is None:
        # A function that tells its tensors' ranks is called for each member of a batch.
        try:
            arguments = interface_of(function).arguments
        except (DSLError, TypeError, ValueError):
            arguments = ()
        tensors = [argument for argument in arguments if isinstance(argument, Tensor)]
        if tensors and len(tensors) == len(arguments):
            return [(TENSOR, len(tensor.shape), tensor.name) for tensor in tensors]
        arg_spec = ("args", "rets")
    words = {"args": INPUTS, "rets": RESULTS, "ctx.stream": STREAM}
    params = []
    for word in arg_spec:
        if word in words:
            params.append((words[word], -1, word))
        elif word.startswith("attrs."):
            params.append((NUMBER, 0, word.removeprefix("attrs.")))
        else:
            raise make_error("FrameworkOption", option="arg_spec", expected=_WORDS, got=repr(word))
    return params

"""``cutlass.cute.experimental.host_runtime``: the memory that calls of compiled functions bring for their kernels.

Kernels that copy tiles of tensors whose addresses they load write tensor maps. Such a kernel is only for the CPU, where
the maps lie in the blocks' shared memory: its calls bring a workspace as they do for a GPU, of no bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from fairlead.compat._parameter_boxes import noting_own_maps
from fairlead.cute._compile import CompiledFunction, _Compile
from fairlead.errors import make_error

__all__ = ["CompileWithWorkspace", "QueryDeviceWorkspaceFunc"]


class QueryDeviceWorkspaceFunc:
    """Names the function that tells how much memory a kernel needs: ``compiled.get_aux_func`` returns it."""


class DeviceWorkspace(NamedTuple):
    """The memory that calls bring."""

    size_in_bytes: int
    alignment: int


class FunctionWithWorkspace:
    """A compiled function whose calls take a workspace after their arguments."""

    def __init__(self, function: CompiledFunction) -> None:
        self._function = function

    def get_aux_func(self, kind: type, *, kernel: object) -> Callable[..., DeviceWorkspace]:
        """Return the function that tells, for the arguments of a call, how large a workspace it takes.

        Args:
            kind: ``QueryDeviceWorkspaceFunc``. ValueError for any other one.
            kernel: the kernel that uses the workspace.
        """
        if kind is not QueryDeviceWorkspaceFunc:
            raise make_error(
                "ArgumentValue",
                function="get_aux_func",
                expected="QueryDeviceWorkspaceFunc as kind",
                got=repr(kind),
            )
        return lambda *args: DeviceWorkspace(size_in_bytes=0, alignment=128)

    def __call__(self, *args: Any) -> Any:
        count = len(self._function.__signature__.parameters) + 1
        if len(args) != count:
            raise make_error(
                "ArgumentValue",
                function=self._function.__name__,
                expected=f"{count} arguments, the workspace last",
                got=len(args),
            )
        return self._function(*args[:-1])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class CompileWithWorkspace(_Compile):
    """``cute.compile``, for kernels that write tensor maps: their calls take a workspace."""

    def __getitem__(self, options: object) -> CompileWithWorkspace:
        several = options if isinstance(options, tuple) else (options,)
        return CompileWithWorkspace((*self._typed, *several), self._dialect)

    def _direct(self, *args: Any, **kwargs: Any) -> Any:
        with noting_own_maps() as maps:
            function = super()._direct(*args, **kwargs)
        return FunctionWithWorkspace(function) if maps else function

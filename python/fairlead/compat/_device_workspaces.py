"""``cutlass.cute.experimental.host_runtime``: the memory that calls of compiled functions bring for their kernels.

Kernels that copy tiles of tensors whose addresses they load write tensor maps to a workspace, the last argument of
calls.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

from fairlead import _compiler
from fairlead._tracing.dialect import NATIVE, Dialect
from fairlead.compat._parameter_boxes import MAP_BYTES, NeedsWorkspace, Workspace, tracing_with
from fairlead.cute._arguments import Parameters
from fairlead.cute._compile import CompiledFunction, _Compile
from fairlead.cute._fake import make_fake_compact_tensor
from fairlead.cute._symbols import sym_int
from fairlead.cute._templates import filled
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

    def __init__(self, function: CompiledFunction, size_in_bytes: int) -> None:
        self._function, self._needed = function, DeviceWorkspace(size_in_bytes, MAP_BYTES)

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
        return lambda *args: self._needed

    def __call__(self, *args: Any) -> Any:
        count = len(self._function.__signature__.parameters)
        if len(args) != count:
            raise make_error(
                "ArgumentValue",
                function=self._function.__name__,
                expected=f"{count} arguments, the workspace last",
                got=len(args),
            )
        shape = getattr(args[-1], "shape", None)
        if shape is not None and (size := math.prod(shape)) < self._needed.size_in_bytes:
            raise make_error(
                "ArgumentValue",
                function=self._function.__name__,
                expected=f"a workspace of at least {self._needed.size_in_bytes} bytes",
                got=f"one of {size}",
            )
        return self._function(*args)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


class _ParametersAndWorkspace(Parameters):
    """The parameters of a function, and the workspace of its kernels behind them."""

    def __init__(self, workspace: Workspace, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        memory = make_fake_compact_tensor(_compiler.Uint8, (sym_int(),), assumed_align=1)
        self._workspace, self._template = workspace, self.append_tensor("workspace", memory)

    def call(self, function: Callable[..., Any], traced: list[Any]) -> Any:
        self._workspace.tensor = filled(self._template, traced)
        return super().call(function, traced)


class CompileWithWorkspace(_Compile):
    """``cute.compile``, for kernels that write tensor maps: their calls take a workspace."""

    def __init__(
        self,
        typed: tuple[Any, ...] = (),
        dialect: Dialect = NATIVE,
        workspace: Workspace | None = None,
    ) -> None:
        super().__init__(typed, dialect)
        self._workspace = workspace
        if workspace is not None:
            self._make_parameters = functools.partial(_ParametersAndWorkspace, workspace)

    def __getitem__(self, options: object) -> CompileWithWorkspace:
        several = options if isinstance(options, tuple) else (options,)
        return CompileWithWorkspace((*self._typed, *several), self._dialect)

    def _direct(self, *args: Any, **kwargs: Any) -> Any:
        with tracing_with(self._workspace):
            try:
                return super()._direct(*args, **kwargs)
            except NeedsWorkspace:
                workspace = Workspace()
        again = CompileWithWorkspace(self._typed, self._dialect, workspace)
        function = again._direct(*args, **kwargs)
        return FunctionWithWorkspace(function, workspace.size_in_bytes)

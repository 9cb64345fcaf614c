"""``compile``: a ``@jit`` function and example arguments to a function that frameworks call."""

from __future__ import annotations

import os
import time
from typing import Any

from fairlead import _compiler
from fairlead.cute._arguments import Parameters
from fairlead.cute._functions import Bound, JitFunction
from fairlead.cute._options import Options
from fairlead.cute._trace import run, state
from fairlead.errors import make_error
from fairlead.ffi import Function, make_function

__all__ = ["CompiledFunction", "compile"]


class CompiledFunction(Function):
    """A compiled function: called with tensors of any DLPack framework, numbers, and streams.

    Attributes:
        artifact: what can be exported.
        phases: milliseconds of each stage of the compile: trace, lower, codegen, load.
    """

    artifact: _compiler.Artifact
    phases: dict[str, float]

    @property
    def signature(self) -> _compiler.Signature:
        """The parameter list with its constraints."""
        return self.artifact.signature

    @property
    def target(self) -> _compiler.Target:
        """Where the code runs: ``cpu`` or ``cuda:sm_90a``."""
        return self.artifact.target

    @property
    def ptx(self) -> str:
        """PTX of the device code; empty for the CPU."""
        return self.artifact.ptx

    __ptx__ = ptx

    @property
    def ir(self) -> str:
        """The IR after lowering."""
        return self.artifact.ir

    def export_to_c(
        self, path: str | os.PathLike[str], *, function_name: str | None = None
    ) -> None:
        """Writes a relocatable object that defines ``__tvm_ffi_<function_name>`` (default the function's own name)."""
        self.artifact.export_object(os.fspath(path), function_name or self.signature.name)

    def export_library(
        self,
        path: str | os.PathLike[str],
        *,
        function_name: str | None = None,
        compiler: str = "gcc",
    ) -> None:
        """Writes a shared library for ``load_module``, linked by a C compiler against the runtime libraries."""
        from fairlead.cute._export import link_library

        link_library(self, os.fspath(path), function_name, compiler)

    def __repr__(self) -> str:
        return f"<CompiledFunction {self.signature} for {self.target}>"


def _unwrap(function: Any) -> tuple[JitFunction, tuple]:
    """The decorated function behind what compile is given, and the object that it is bound to."""
    if isinstance(function, JitFunction):
        return function, ()
    # An object whose class decorates __call__; Bound's own __call__ is plain.
    of_class = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(of_class, JitFunction):
        return of_class, (function,)
    if isinstance(function, Bound) and isinstance(function.decorated, JitFunction):
        return function.decorated, (function.instance,)
    raise make_error(
        "CompileCallable", got=getattr(function, "__name__", None) or type(function).__name__
    )


def _keep(options: Options, function: CompiledFunction) -> None:
    folder = os.environ.get("CUTE_DSL_DUMP_DIR", "")
    for wanted, suffix, text in (
        (options.keep_ptx, "ptx", function.ptx),
        (options.keep_ir, "ll", function.ir),
    ):
        if wanted and text:
            with open(os.path.join(folder, f"{function.signature.name}.{suffix}"), "w") as file:
                file.write(text)


def compile_bound(
    function: JitFunction, parameters: Parameters, options: Options
) -> CompiledFunction:
    """Traces and compiles a function whose arguments are bound."""
    name = function.function.__name__
    started = time.perf_counter()
    target = options.resolve_target(parameters.on_cpu)
    traced = function.traced
    program = _compiler.Program(parameters.signature)
    result = run(program, name, lambda values: parameters.call(traced, values))
    if isinstance(result, (_compiler.Numeric, _compiler.Tensor, _compiler.TensorExpr)):
        raise make_error("ReturnValue", function=name)
    seconds = time.perf_counter() - started
    artifact = _compiler.compile(program, target, options.opt_level)
    entry = artifact.entry()
    # Rewriting the function is part of tracing it, and is only known here.
    phases = {**dict(artifact.phases), "trace": seconds * 1e3}
    names, defaults = parameters.call_names()
    compiled = make_function(
        entry,
        name=name,
        signature=str(artifact.signature),
        views=True,
        cls=CompiledFunction,
        arg_names=tuple(names),
        defaults=tuple(defaults),
    )
    compiled.artifact, compiled.phases = artifact, phases
    _keep(options, compiled)
    return compiled


class _Compile:
    """``compile(function, *args, options="...")`` and ``compile[option, ...](function, *args)``."""

    def __init__(self, typed: tuple[Any, ...] = ()) -> None:
        self._typed = typed

    def __getitem__(self, options: Any) -> _Compile:
        return _Compile((*self._typed, *(options if isinstance(options, tuple) else (options,))))

    def __call__(
        self, function: Any, /, *args: Any, options: str | None = None, **kwargs: Any
    ) -> CompiledFunction:
        """Compiles a ``@jit`` function for arguments like these.

        Args:
            function: a function decorated with ``@jit``, a method, or an object whose class decorates ``__call__``.
            args, kwargs: fake tensors and streams, framework tensors, numbers, numeric classes; for Constexpr
                parameters the values themselves.
            options: ``--opt-level N``, ``--target cpu|cuda:sm_XX``, ``--gpu-arch sm_XX``, ``--keep-ptx``,
                ``--keep-ir``, ``--enable-tvm-ffi``.

        Raises DSLError; those of the function's own code show the source line.
        """
        decorated, instance = _unwrap(function)
        if state.program is not None:
            raise make_error("CompileInTrace", function=state.function_name)
        chosen = Options.gather(self._typed, options)
        return compile_bound(
            decorated, Parameters(decorated.function, instance, args, kwargs), chosen
        )


compile = _Compile()

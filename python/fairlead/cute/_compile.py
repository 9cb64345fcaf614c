"""``compile``: a ``@jit`` function and example arguments to a function that frameworks call."""

from __future__ import annotations

import inspect
import os
import time
from types import MethodType
from typing import Any

from fairlead import _compiler
from fairlead._core import Dispatcher
from fairlead.cute._arguments import Parameters
from fairlead.cute._functions import JitFunction
from fairlead.cute._options import KEPT, NoCache, Options, TargetOption
from fairlead.cute._trace import hidden_frames, run, state
from fairlead.errors import make_error
from fairlead.ffi import Function, make_function

__all__ = ["CompiledFunction", "compile"]

_OWN_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class CompiledFunction(Function):
    """A compiled function: called with tensors of any DLPack framework, numbers, and streams.

    Attributes:
        artifact: what can be exported.
        phases: milliseconds of each stage of the compile: trace, cache, lower, codegen, load.
        defaults: of the last arguments.
        __mlir__: the IR as traced, where ``--keep-ir`` asked to keep it; else None.
        __sass__: the disassembled machine code, where ``--keep-sass`` asked to keep it; else None.
    """

    artifact: _compiler.Artifact
    phases: dict[str, float]
    __mlir__: str | None = None
    __sass__: str | None = None
    defaults: tuple[Any, ...] = ()
    _parameters: Parameters

    @property
    def signature(self) -> _compiler.Signature:
        """The parameter list with its constraints."""
        return self.artifact.signature

    @property
    def target(self) -> _compiler.Target:
        """Where the code runs: ``cpu`` or ``cuda:sm_90a``; of several targets, the first."""
        return self.artifact.target

    @property
    def targets(self) -> list[_compiler.Target]:
        """Everything that the function has code for."""
        return self.artifact.targets

    @property
    def cached(self) -> bool:
        """Whether the code came from the cache on disk."""
        return self.artifact.cached

    @property
    def __signature__(self) -> inspect.Signature:
        """What inspect.signature gives: the parameters that a call takes."""
        return self._parameters.call_signature()

    @property
    def ptx(self) -> str:
        """PTX of the device code; empty for the CPU."""
        return self.artifact.ptx

    __ptx__ = ptx

    @property
    def __cubin__(self) -> bytes:
        """Machine code for the first CUDA target, assembled when first asked for; empty without one."""
        return self.artifact.cubin()

    @property
    def __asm__(self) -> str:
        """Assembly text of the CPU's code; empty for CUDA alone."""
        return self.artifact.assembly()

    @property
    def ir(self) -> str:
        """The IR after lowering."""
        return self.artifact.ir

    def export_to_c(
        self,
        path: str | os.PathLike[str] | None = None,
        file_name: str | None = None,
        function_prefix: str | None = None,
        *,
        file_path: str | os.PathLike[str] | None = None,
        function_name: str | None = None,
    ) -> None:
        """Writes the function for programs without the compiler, in one of two ABIs.

        ``export_to_c("x.o", function_name="f")``: the TVM FFI ABI, an object that defines ``__tvm_ffi_f`` (default the
        function's own name). ``export_to_c(file_path="folder", file_name="x", function_prefix="f")``: plain C,
        ``folder/x.h`` and ``folder/x.o``, whose names start with ``f`` (default the file's name); docs/export.md.

        Raises DSLError: a path that cannot be written, a name that is no C identifier, a parameter that C has no
        type for.
        """
        from fairlead.cute._export import export

        export(self, path, file_name, function_prefix, file_path, function_name)

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
        targets = ", ".join(map(str, self.targets))
        return f"<CompiledFunction {self.signature} for {targets}>"


def _unwrap(function: Any) -> tuple[JitFunction, tuple]:
    """The decorated function behind what compile is given, and the object that it is bound to."""
    if isinstance(function, JitFunction):
        return function, ()
    # An object whose class decorates __call__.
    of_class = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(of_class, JitFunction):
        return of_class, (function,)
    if isinstance(function, MethodType) and isinstance(function.__func__, JitFunction):
        return function.__func__, (function.__self__,)
    raise make_error(
        "CompileCallable", got=getattr(function, "__name__", None) or type(function).__name__
    )


def _target_text(targets: Any) -> str:
    several = targets if isinstance(targets, (list, tuple)) else [targets]
    return ",".join(map(str, several))


def _keep(options: Options, function: CompiledFunction) -> None:
    folder = os.environ.get("CUTE_DSL_DUMP_DIR", "")
    artifact = function.artifact
    name = os.path.join(folder, function.signature.name)
    for what in options.keep:
        if what == "cubin":
            made = artifact.cubin()
        elif what == "sass":
            made = function.__sass__ = artifact.sass(options.nvdisasm_options)
        elif what == "asm":
            made = artifact.assembly()
        elif what == "ptx":
            made = artifact.ptx
        else:
            made = function.__mlir__ or ""
            _write(f"{name}.ll", function.ir)
        _write(f"{name}.{KEPT[what]}", made)


def _write(path: str, made: str | bytes) -> None:
    if made:
        with open(path, "wb") as file:
            file.write(made if isinstance(made, bytes) else made.encode())


def compile_bound(
    function: JitFunction, parameters: Parameters, options: Options
) -> CompiledFunction:
    """Traces and compiles a function whose arguments are bound."""
    name = function.function.__name__
    started = time.perf_counter()
    targets = options.resolve_targets(parameters.on_cpu)
    traced = function.traced
    program = _compiler.Program(parameters.signature)
    program.assertions = options.assertions
    # Messages of assertions say where they stand.
    if options.line_info or options.assertions:
        program.record_locations(_OWN_FOLDER)
    result = run(program, name, lambda values: parameters.call(traced, values))
    if isinstance(result, (_compiler.Numeric, _compiler.Tensor, _compiler.TensorExpr)):
        raise make_error("ReturnValue", function=name)
    seconds = time.perf_counter() - started
    traced_ir = str(program) if "ir" in options.keep or options.print_ir else None
    if options.print_ir:
        print(traced_ir)
    artifact = _compiler.compile(
        program,
        targets,
        options.opt_level,
        host=options.host,
        cache=options.cache,
        line_info=options.line_info,
        assembler_options=options.ptxas_options,
    )
    entry = artifact.entry()
    # Rewriting the function is part of tracing it, and is only known here.
    phases = {"trace": seconds * 1e3}
    for stage, milliseconds in artifact.phases:  # a stage comes once for each target
        phases[stage] = phases.get(stage, 0.0) + milliseconds
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
    compiled.artifact, compiled.phases, compiled.defaults = artifact, phases, tuple(defaults)
    plan = parameters.plan()
    if plan is not None:
        compiled._configure(arg_names=tuple(names), defaults=(), plan=plan)
    compiled._parameters, compiled.__mlir__ = parameters, traced_ir
    compiled.__doc__ = function.function.__doc__
    _keep(options, compiled)
    return compiled


class _Compile(Dispatcher):
    """``compile(function, *args, options="...")`` and ``compile[option, ...](function, *args)``."""

    def __init__(self, typed: tuple[Any, ...] = ()) -> None:
        self._typed = typed

    def __getitem__(self, options: Any) -> _Compile:
        return _Compile((*self._typed, *(options if isinstance(options, tuple) else (options,))))

    _hidden = hidden_frames()

    def _inline(self, *args: Any, **kwargs: Any) -> Any:
        raise make_error("CompileInTrace", function=state.function_name)

    def _direct(
        self, function: Any, /, *args: Any, options: str | None = None, **kwargs: Any
    ) -> CompiledFunction:
        """Compiles a ``@jit`` function for arguments like these.

        Args:
            function: a function decorated with ``@jit``, a method, or an object whose class decorates ``__call__``.
            args, kwargs: fake tensors and streams, framework tensors, numbers, numeric classes; for Constexpr
                parameters the values themselves.
            options: ``--opt-level N``, ``--target cpu|cuda:sm_XX|ptx:compute_XX[,...]``, ``--gpu-arch sm_XX``,
                ``--host-target TRIPLE``, ``--no-cache``, ``--keep-ptx`` (``-cubin``, ``-sass``, ``-ir``, ``-asm``),
                ``--generate-line-info``, ``--enable-assertions``, ``--ptxas-options "..."``, ``--enable-tvm-ffi``.
            targets: (where the function has no parameter of that name) like ``--target``, as a list.
            no_cache: (likewise) like ``--no-cache``.

        Raises DSLError; those of the function's own code show the source line.
        """
        decorated, instance = _unwrap(function)
        chosen = Options.gather(self._typed, options)
        own = decorated.function.__code__.co_varnames[: decorated.function.__code__.co_argcount]
        if "targets" in kwargs and "targets" not in own:
            chosen.set(TargetOption(_target_text(kwargs.pop("targets"))))
        if "no_cache" in kwargs and "no_cache" not in own:
            chosen.set(NoCache(bool(kwargs.pop("no_cache"))))
        return compile_bound(
            decorated, Parameters(decorated.function, instance, args, kwargs), chosen
        )


compile = _Compile()

"""``compile``: a ``@jit`` function and example arguments to a function that frameworks call."""

from __future__ import annotations

import contextlib
import functools
import inspect
import os
import sys
import time
import warnings
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, overload

from fairlead import _compiler, _events
from fairlead._core import CallDescription, Dispatcher, Guards
from fairlead._hints import name_keywords
from fairlead._tracing import checking
from fairlead._tracing.carry import describe
from fairlead._tracing.composite import rebuilt
from fairlead._tracing.covered import TracedLines
from fairlead._tracing.dialect import NATIVE, Dialect
from fairlead._tracing.marks import at_return
from fairlead._tracing.reach import is_mutable
from fairlead._tracing.state import PACKAGE, hidden_frames, speaking, state
from fairlead._tracing.trace import run
from fairlead.cute._argument_texts import described, name_of
from fairlead.cute._arguments import Parameters
from fairlead.cute._cache_packages import add_installed_caches
from fairlead.cute._call_form import plain
from fairlead.cute._compile_events import CompileEvent, CompileKey, note_compile, require_thawed
from fairlead.cute._decorated import Decorated, HostFunction
from fairlead.cute._export import export, link_library
from fairlead.cute._log import log_compiled
from fairlead.cute._notebook import card
from fairlead.cute._options import KEPT, NoCache, Options, TargetOption
from fairlead.errors import DSLError, make_error
from fairlead.ffi import (
    Function,
    _recording,  # noqa: F401  records launches for FAIRLEAD_TRACE
    make_function,
)
from fairlead.ffi._writes import note_writes

if TYPE_CHECKING:
    from fairlead.cute._jit import JitFunction

__all__ = ["CompiledFunction", "compile"]


class _Description(NamedTuple):
    """The Python side of a compiled function, besides its artifact: pickles hold it."""

    name: str
    call: CallDescription
    #: Tensors whose strides have 32 bits in plain C.
    narrow_strides: tuple[str, ...]
    signature: inspect.Signature
    doc: str | None
    #: The IR as traced, if it is kept.
    ir: str | None
    #: True if calls take tensors that require a gradient without a warning.
    detaches: bool


class CompiledFunction(Function):
    """A compiled function: called with tensors of any DLPack framework, numbers, and streams.

    Attributes:
        artifact: what can be exported.
        phases: milliseconds of each stage of the compile: trace, cache, lower, codegen, load.
        defaults: of the last arguments.
        result: the function's return value, known while tracing, which a direct call returns; else None.
        __mlir__: the IR as traced, where ``--keep-ir`` asked to keep it; else None.
        __sass__: the disassembled machine code, where ``--keep-sass`` asked to keep it; else None.
    """

    artifact: _compiler.Artifact
    #: For direct calls: the key of the program, and the objects that must live as long as the program.
    key: Any
    keep_alive: Any
    guards: Guards
    phases: dict[str, float]
    __mlir__: str | None = None
    __sass__: str | None = None
    result: Any = None
    #: The result of inspect.signature: the parameters of a call.
    __signature__: inspect.Signature
    #: Tensors whose strides have 32 bits in plain C.
    _narrow_strides: tuple[str, ...] = ()

    if not TYPE_CHECKING:

        @property
        def __class__(self) -> type:
            """The class; that of the other package for ``isinstance(function, tvm_ffi.Function)``, if it is loaded."""
            theirs = getattr(sys.modules.get("tvm_ffi"), "Function", None)
            return CompiledFunction if theirs is None or theirs is Function else theirs

    def __getattr__(self, name: str) -> Any:
        """Return the function itself as ``__tvm_ffi_object__``, for programs that ask for the object of a compiled
        function. It is not an attribute of the class: the other package takes instances of a class with that attribute
        for objects of its own."""
        if name == "__tvm_ffi_object__":
            return lambda: self
        # Python adds the name and the object; torch.compile follows no constructor of exceptions with keywords.
        raise AttributeError(f"{CompiledFunction.__name__!r} object has no attribute {name!r}")

    @property
    def signature(self) -> _compiler.Signature:
        """The parameter list with its constraints."""
        return self.artifact.signature

    @property
    def target(self) -> _compiler.Target:
        """The target of the code: ``cpu`` or ``cuda:sm_90a``; the first one of several."""
        return self.artifact.target

    @property
    def targets(self) -> list[_compiler.Target]:
        """Everything that the function has code for."""
        return self.artifact.targets

    @property
    def cached(self) -> bool:
        """True if the code came from the cache on disk."""
        return self.artifact.cached

    @property
    def ptx(self) -> str:
        """PTX of the device code; empty for the CPU."""
        return self.artifact.ptx

    __ptx__ = ptx

    @property
    def __cubin__(self) -> bytes:
        """Machine code for the first CUDA target, assembled when first asked for; empty without one."""
        return self.artifact.cubin()

    def kernel_attributes(self, device: int = 0) -> list[dict[str, Any]]:
        """Return the attributes that the CUDA driver reports for each kernel, loaded on GPU `device`.

        Returns:
            A dict for each kernel: `name`; `registers` of a thread (of 32 bits); `shared_bytes`, static shared memory
            of a block; `dynamic_shared_bytes`, what its launches add, None if a launch computes it; `local_bytes` of a
            thread (spilled registers and arrays); `max_threads` of a block. The list is empty unless the function was
            compiled for the GPU of this machine alone.

        Raises:
            RuntimeError: the code cannot be loaded.
        """
        dynamic = self.artifact.shared_memory
        kernels = self.artifact.kernel_attributes(device)
        return [
            {**kernel, "dynamic_shared_bytes": dynamic.get(kernel["name"])} for kernel in kernels
        ]

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
        object_file_path: str | os.PathLike[str] | None = None,
        sign: str | os.PathLike[str] | None = None,
    ) -> None:
        """Writes the function for programs without the compiler, in one of two ABIs.

        ``export_to_c("x.o", function_name="f")``: the TVM FFI ABI, an object that defines ``__tvm_ffi_f`` (default the
        function's own name). ``export_to_c(file_path="folder", file_name="x", function_prefix="f")``: plain C,
        ``folder/x.h`` and ``folder/x.o``, whose names start with ``f`` (default the file's name); docs/export.md.
        ``sign`` names a file with a signing key, which ``fairlead key new`` writes. ``object_file_path`` is another
        name of the path of an object.

        Raises DSLError: a path that cannot be written, a name that is no C identifier, a parameter that C has no
        type for.
        """
        if path is None:
            path, object_file_path = object_file_path, None
        if object_file_path is not None:
            raise make_error("ExportArguments", got="path, object_file_path")
        export(self, path, file_name, function_prefix, file_path, function_name, sign)

    def export_library(
        self,
        path: str | os.PathLike[str],
        *,
        function_name: str | None = None,
        compiler: str = "gcc",
        sign: str | os.PathLike[str] | None = None,
    ) -> None:
        """Writes a shared library for ``load_module``, linked by a C compiler against the runtime libraries; signed by
        the key in the file ``sign``, where one is named."""
        link_library(self, os.fspath(path), function_name, compiler, sign)

    def __copy__(self) -> CompiledFunction:
        """The function itself: it never changes."""
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> CompiledFunction:
        return self

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        """Pickles by the artifact: code, constants and all. Unpickling needs the same build of Fairlead, and for code
        for the CPU without a level the same kind of processor."""
        description = _Description(
            name=self.__name__,
            call=self.call_description,
            narrow_strides=self._narrow_strides,
            signature=_plain_signature(self.__signature__),
            doc=self.__doc__,
            ir=self.__mlir__,
            detaches=self._detaches,
        )
        return _restored, (self.artifact.save(), description)

    def _repr_html_(self) -> str:
        """The HTML that notebooks show."""
        return card(self)

    def __repr__(self) -> str:
        targets = ", ".join(map(str, self.targets))
        return f"<CompiledFunction {self.signature} for {targets}>"


def _plain_signature(signature: inspect.Signature) -> inspect.Signature:
    """Without what cannot be pickled: annotations, which may be local classes, and typed numbers as defaults."""
    empty = inspect.Parameter.empty
    return inspect.Signature(
        [
            parameter.replace(
                annotation=empty,
                default=empty if parameter.default is empty else plain(parameter.default),
            )
            for parameter in signature.parameters.values()
        ]
    )


def _unwrap(
    function: Callable[..., Any], dialect: Dialect = NATIVE
) -> tuple[HostFunction, tuple[Any, ...], dict[str, Any]]:
    """The decorated function behind what compile is given, and the arguments that are part of it: the object that a
    method is bound to, those of functools.partial. A function without a decorator is taken as if it had one, in
    ``dialect``."""
    if isinstance(function, HostFunction):
        return function, (), {}
    if isinstance(function, functools.partial):
        decorated, args, kwargs = _unwrap(function.func, dialect)
        return decorated, (*args, *function.args), {**kwargs, **function.keywords}
    if isinstance(function, Decorated):
        name = function.function.__name__
        raise make_error("CompileCallable", got=f"the kernel `{name}`", kernel=name)
    # An object whose class decorates __call__.
    of_class = getattr(type(function), "__call__", None)  # noqa: B004
    if isinstance(of_class, HostFunction):
        return of_class, (function,), {}
    if isinstance(function, MethodType):
        decorated, args, kwargs = _unwrap(function.__func__, dialect)
        return decorated, (*args, function.__self__), kwargs
    if isinstance(function, FunctionType):
        return HostFunction(function, True, dialect), (), {}
    if isinstance(of_class, FunctionType):
        return HostFunction(of_class, True, dialect), (function,), {}
    raise make_error(
        "CompileCallable", got=getattr(function, "__name__", None) or type(function).__name__
    )


def _returned(name: str, result: object, function: FunctionType) -> Any:
    """A traced function's return value as a Python value. If only the compiled program would know it: ReturnValue, in
    lenient dialects None and a warning at ``function``."""
    if isinstance(result, _compiler.Numeric) and result.is_static:
        return float(result) if result.is_float else int(result)
    if isinstance(result, (tuple, list)):
        return rebuilt(result, [_returned(name, part, function) for part in result])
    if isinstance(result, dict):
        return {key: _returned(name, part, function) for key, part in result.items()}
    values = (_compiler.Numeric, _compiler.Tensor, _compiler.TensorExpr, _compiler.Pointer)
    attributes = getattr(result, "__dict__", None)
    held = attributes.values() if isinstance(attributes, dict) and is_mutable(result) else ()
    if isinstance(result, values) or any(
        isinstance(part, values) and not getattr(part, "is_static", False) for part in held
    ):
        if state.dialect.lenient:
            code = function.__code__
            warnings.warn_explicit(
                f"`{name}` returns {describe(result)}, which only the compiled program knows: callers get None",
                UserWarning,
                code.co_filename,
                code.co_firstlineno,
            )
            return None
        raise make_error("ReturnValue", function=name)
    return result


def _target_text(targets: object) -> str:
    several = targets if isinstance(targets, (list, tuple)) else [targets]
    return ",".join(map(str, several))


def _keep(options: Options, function: CompiledFunction) -> None:
    artifact = function.artifact
    name = os.path.join(options.dump_folder, function.signature.name)
    content: str | bytes
    for what in options.keep:
        if what == "cubin":
            content = artifact.cubin()
        elif what == "sass":
            content = function.__sass__ = artifact.sass(options.nvdisasm_options)
        elif what == "asm":
            content = artifact.assembly()
        elif what == "ptx":
            content = artifact.ptx
        else:
            content = function.__mlir__ or ""
            _write(f"{name}.ll", function.ir)
        _write(f"{name}.{KEPT[what]}", content)


def _write(path: str, content: str | bytes) -> None:
    if content:
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())


def _on_cpu(targets: list[Any]) -> bool:
    return all(target.is_cpu for target in targets)


def _checks_for(options: Options, targets: list[Any]) -> tuple[str, bool]:
    """Return the checks that are compiled into kernels, and whether pipelines are followed as well."""
    checks = options.checks
    has_cpu = any(target.is_cpu for target in targets)
    if not options.must_check and not _on_cpu(targets):
        checks = checks if has_cpu and checks == "none" else ""
    checks, follows = checking.without_schedule(checks)
    if not checks and has_cpu:
        checks = checking.GUARDS
    return "" if checks == "none" else checks, follows


class _Traced(NamedTuple):
    program: _compiler.Program
    #: The function's return value.
    result: Any
    #: How many kernels it launches.
    kernels: int


def _trace(
    function: HostFunction,
    parameters: Parameters,
    options: Options,
    targets: list[_compiler.Target],
    host_reads: bool,
) -> _Traced:
    name = function.function.__name__
    program = _compiler.Program(parameters.built.signature, targets)
    program.assertions = options.assertions
    program.host_reads = host_reads
    checks, follows = _checks_for(options, targets)
    # Messages of assertions say where they stand.
    observed = checks not in ("", checking.GUARDS)
    covered = options.coverage and _on_cpu(targets)
    if options.line_info or options.assertions or observed or follows:
        program.record_locations(PACKAGE)
    elif checks:
        program.record_accesses(PACKAGE)
    else:
        program.record_reads(PACKAGE)
    if checks:
        import fairlead.checks  # noqa: F401  the exception that calls raise

        with speaking(function.dialect):
            # GPUs run published programs that load beyond a tensor and ignore the value.
            warns_of_reads = function.dialect.lenient and not options.checks
            program.set_checks(checking.names_for(function.dialect, checks), warns_of_reads)
    if covered:
        import fairlead.coverage  # noqa: F401  saves what was executed at the end of the process
    if options.schedule:
        program.set_schedule(options.schedule)

    def call(values: list[Any]) -> tuple[Any, int]:
        with speaking(function.dialect):
            parameters.built.symbols.check_derived(values)
            result = parameters.call(function.traced, values)
            try:
                return _returned(name, result, function.function), state.kernels
            except DSLError as error:
                raise at_return(error, function.function) from None

    before = state.checked, state.covered, state.timeline
    state.checked, state.covered = observed and _on_cpu(targets), covered
    state.timeline = options.timeline
    try:
        with TracedLines() if covered else contextlib.nullcontext():
            traced = _Traced(program, *run(program, name, call))
    finally:
        state.checked, state.covered, state.timeline = before
    if follows:
        from fairlead.checks import raise_pipeline_mistakes

        raise_pipeline_mistakes(program, name)
    return traced


def compile_bound(
    function: HostFunction, parameters: Parameters, options: Options
) -> CompiledFunction:
    """Traces and compiles a function whose arguments are bound."""
    name = function.function.__name__
    started = time.perf_counter()
    # Arguments on the CPU tell where a function without kernels runs, whatever GPU is there.
    on_host = parameters.built.on_cpu and options.names_no_target()
    requested = options.resolve_targets(parameters.built.on_cpu)
    key = _key(function, parameters, options, requested)
    require_thawed(name, key)
    add_installed_caches()
    traced = _compiler.trace_all(
        requested,
        options.host_target() if on_host else None,
        functools.partial(_trace, function, parameters, options),
    )
    targets = [target for trace in traced for target in trace.program.targets]
    seconds = time.perf_counter() - started
    traced_ir = None
    if "ir" in options.keep or options.print_ir:
        traced_ir = "".join(str(function.program) for function in traced)
    if options.print_ir:
        print(traced_ir)
    artifact = _compiler.compile(
        [function.program for function in traced],
        options.opt_level,
        host=options.host,
        cache=options.cache,
        line_info=options.line_info,
        assembler_options=options.ptxas_options,
        fmad=options.fmad,
    )
    description = _Description(
        name=name,
        call=parameters.call_form.description(),
        narrow_strides=tuple(parameters.built.narrow_strides),
        signature=parameters.call_form.python_signature(),
        doc=function.function.__doc__,
        ir=traced_ir,
        detaches=function.dialect.detaches,
    )
    compiled = _make(artifact, description)
    # Rewriting the function is part of tracing it, and is only known here.
    phases = {"trace": seconds * 1e3}
    for stage, milliseconds in artifact.phases:  # a stage comes once for each target
        phases[stage] = phases.get(stage, 0.0) + milliseconds
    compiled.phases, compiled.result = phases, traced[0].result
    if _events.is_on():
        total = sum(phases.values()) / 1e3
        _events.add(
            name,
            "compile",
            started,
            total,
            cached=artifact.cached,
            signature=artifact.signature.short_text,
            targets=",".join(map(str, targets)),
        )
        _events.add_stages("stage", started, phases, function=name)
    log_compiled(name, compiled, targets, options)
    _keep(options, compiled)
    event = CompileEvent(
        name, key, artifact.cached, time.perf_counter() - started, phases, compiled
    )
    note_compile(event, lambda: described(parameters.binding.arguments))
    return compiled


def _key(
    function: HostFunction,
    parameters: Parameters,
    options: Options,
    targets: list[_compiler.Target],
) -> CompileKey:
    return CompileKey(
        function=name_of(function),
        signature=parameters.built.signature.text,
        targets=",".join(map(str, targets)),
        options=options.text(),
        constants=tuple((place, repr(value)) for place, value in parameters.key.constants),
        direct=not parameters.examples,
    )


def _make(artifact: _compiler.Artifact, description: _Description) -> CompiledFunction:
    """Make the function of an artifact."""
    code = artifact.code()
    compiled = make_function(
        code.address,
        name=description.name,
        signature=artifact.signature.short_text,
        views=True,
        cls=CompiledFunction,
        call=description.call,
        keep_alive=code,
    )
    note_writes(compiled, artifact.signature.written_arguments, artifact.signature.num_arguments)
    compiled._detaches = description.detaches
    compiled.artifact, compiled.phases = artifact, {}
    compiled._narrow_strides = description.narrow_strides
    compiled.__signature__, compiled.__doc__ = description.signature, description.doc
    compiled.__mlir__ = description.ir
    return compiled


def _restored(saved: bytes, description: _Description) -> CompiledFunction:
    """Make the function of a pickle."""
    return _make(_compiler.Artifact.restore(saved), description)


_P = ParamSpec("_P")


class _Compile(Dispatcher):
    """Compiles a function: ``compile(function, *args, options="...")``, or ``compile[option, ...](function, *args)``.

    Args:
        function: a function decorated with ``@jit``, a method, an object whose class decorates ``__call__``, a lambda,
            or functools.partial of these, whose arguments become part of the program.
        args: a stand-in for each parameter: a fake tensor (``make_fake_compact_tensor``), a tensor of a framework, a
            numeric class or number, a fake stream; for a Constexpr parameter its value. Without any, they follow from
            the annotations.
        kwargs: stand-ins by the names of parameters.
        options: text, such as ``"--target cuda:sm_90a,cpu --opt-level 2"``; or typed, in brackets:
            ``compile[OptLevel(2)]``. docs/compile.md lists them.

    Returns a :class:`CompiledFunction`, which is called with arrays in place of the stand-ins. Raises DSLError, whose
    kinds are also TypeError, ValueError and so on, with the line of the program that it is about.
    """

    def __init__(self, typed: tuple[Any, ...] = (), dialect: Dialect = NATIVE) -> None:
        self._typed = typed
        #: For functions without a decorator.
        self._dialect = dialect
        self._make_parameters: Callable[..., Parameters] = Parameters

    def __getitem__(self, options: object) -> _Compile:
        several = options if isinstance(options, tuple) else (options,)
        return _Compile((*self._typed, *several), self._dialect)

    if TYPE_CHECKING:
        # Type checkers see the parameters of the function. Stand-ins and options are for the second overload.
        @overload
        def __call__(
            self, function: JitFunction[_P, Any], /, *args: _P.args, **kwargs: _P.kwargs
        ) -> CompiledFunction: ...
        @overload
        def __call__(
            self,
            function: Callable[..., Any],
            /,
            *args: object,
            options: str | None = None,
            **kwargs: object,
        ) -> CompiledFunction: ...
        def __call__(
            self, function: Callable[..., Any], /, *args: object, **kwargs: object
        ) -> CompiledFunction: ...

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._direct)

    _hidden = hidden_frames()

    def _inline(self, *args: object, **kwargs: object) -> Any:
        raise make_error("CompileInTrace", function=state.function_name)

    def _direct(
        self,
        function: Callable[..., Any],
        /,
        *args: object,
        options: str | None = None,
        **kwargs: object,
    ) -> CompiledFunction:
        """Compiles a ``@jit`` function for arguments like these.

        Args:
            function: a function decorated with ``@jit``, a method, an object whose class decorates ``__call__``, or
                functools.partial of these, whose arguments become part of the program. A function without a decorator
                is treated as if it had one.
            args, kwargs: fake tensors and streams, framework tensors, numbers, numeric classes; for Constexpr
                parameters the values themselves.
            options: ``--opt-level N``, ``--target cpu|cuda:sm_XX|ptx:compute_XX[,...]``, ``--gpu-arch sm_XX``,
                ``--host-target TRIPLE``, ``--no-cache``, ``--no-fmad``, ``--keep-ptx`` (``-cubin``, ``-sass``, ``-ir``,
                ``-asm``), ``--generate-line-info``, ``--enable-assertions``, ``--check all``,
                ``--ptxas-options "..."``,
                ``--enable-tvm-ffi``.
            targets: (where the function has no parameter of that name) like ``--target``, as a list.
            no_cache: (likewise) like ``--no-cache``.

        Raises DSLError; those of the function's own code show the source line.
        """
        decorated, instance, fixed = _unwrap(function, self._dialect)
        chosen = Options.gather(self._typed, options)
        parameter_names = decorated.function.__code__.co_varnames[
            : decorated.function.__code__.co_argcount
        ]
        if "targets" in kwargs and "targets" not in parameter_names:
            chosen.set(TargetOption(_target_text(kwargs.pop("targets"))))
        if "no_cache" in kwargs and "no_cache" not in parameter_names:
            chosen.set(NoCache(bool(kwargs.pop("no_cache"))))
        with speaking(decorated.dialect):
            name = decorated.symbol()
            parameters = self._make_parameters(
                decorated.function, instance, args, kwargs, name, fixed
            )
            return compile_bound(decorated, parameters, chosen)


compile = _Compile()


name_keywords(__all__, globals())

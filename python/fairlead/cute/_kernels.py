"""The decorator ``@kernel``, and launches."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from operator import is_
from types import MethodType, NoneType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, TypeVar, overload

from fairlead import _compiler, _hints
from fairlead._tracing.carry import describe
from fairlead._tracing.composite import composite_of, rebuild, rebuilt
from fairlead._tracing.marks import at_return, place_of_call
from fairlead._tracing.state import speaking, state
from fairlead.cute import _chosen_elements  # noqa: F401  values take coordinates of the run
from fairlead.cute._annotations import annotation
from fairlead.cute._barrier_places import name_barriers
from fairlead.cute._decorated import Decorated, decorate
from fairlead.cute._protocols import adapted, extract_mlir_values, has_dynamic_protocol, renewed
from fairlead.errors import DSLError, make_error

__all__ = ["KernelCall", "KernelFunction", "kernel"]

P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")
#: One to three extents, static or not.
Extents: TypeAlias = int | _compiler.Numeric | Sequence[int | _compiler.Numeric]


class KernelFunction(Decorated, Generic[P]):
    """A device function: called in a ``@jit`` function it gives an object whose ``launch`` runs it."""

    _kind = "kernel"

    if TYPE_CHECKING:

        @overload
        def __get__(self, instance: None, owner: type) -> KernelFunction[P]: ...
        @overload
        def __get__(
            self: KernelFunction[Concatenate[T, Q]], instance: T, owner: type | None = None
        ) -> KernelFunction[Q]: ...

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    # Type checkers see the parameters as they are written. Numbers for numeric types, which the language accepts, are
    # for the second overload.
    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> KernelCall: ...
    @overload
    def __call__(self, *args: object, **kwargs: object) -> KernelCall: ...
    def __call__(self, *args: object, **kwargs: object) -> KernelCall:
        if state.program is None:
            name = self.function.__name__
            raise make_error("KernelFromPython", kernel=name)
        if state.program.in_kernel():
            raise make_error("KernelInKernel", kernel=self.function.__name__)
        call = self._call_class(self, *self.converted(args, kwargs))
        state.calls.append((call, place_of_call()))
        return call

    @property
    def _call_class(self) -> type[KernelCall]:
        """The class of a call, which traces and launches the kernel."""
        return KernelCall

    def __getitem__(self, extents: object) -> Any:
        """The launch syntax of Triton and Numba; here an error that says how to launch."""
        raise make_error("KernelBrackets", kernel=self.function.__name__)


def _parts(value: Any) -> list[Any] | None:
    """The fields of a value that travels to a kernel field by field."""
    if isinstance(value, (tuple, list)):
        return list(value)
    if has_dynamic_protocol(value):
        return extract_mlir_values(value)
    if hasattr(type(value), "__dataclass_fields__"):
        return [getattr(value, name) for name in type(value).__dataclass_fields__]
    composite = composite_of(value)
    return None if composite is None else composite.flatten(value)[1]


#: Classes whose objects are no structures.
_PLAIN = frozenset([int, bool, float, str, NoneType])


def _rebuilt(value: object, before: list[Any], parts: list[Any]) -> Any:
    """``value``, whose parts were ``before``, of other parts."""
    if type(value) in (tuple, _compiler.Layout) and all(map(is_, before, parts)):
        return value
    if isinstance(value, (tuple, list)):
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    if has_dynamic_protocol(value):
        return renewed(value, iter(parts))
    if hasattr(type(value), "__dataclass_fields__"):
        return rebuilt(value, parts)
    return rebuild(value, parts)


def _threads(extents: Extents) -> list[int]:
    """Static extents of a block, three of them; none for zeros."""
    threads: list[Any] = list(extents) if isinstance(extents, (tuple, list)) else [extents]
    return [int(extent) for extent in threads] + [0] * (3 - len(threads)) if any(threads) else []


class KernelCall:
    """A kernel with its arguments, to be launched once or more."""

    def __init__(
        self, kernel: KernelFunction[...], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        self.kernel, self.args, self.kwargs = kernel, args, kwargs
        self.name = kernel.function.__name__
        self.is_launched = False
        #: Blocks of the grid and threads of a block, of the launch that is traced.
        self._extents: tuple[Extents, Extents] = (1, 1)
        self._shared_bytes: int | None = None
        names = kernel.function.__code__.co_varnames
        self.hints = [annotation(kernel.function, name) for name in names[: len(args)]]

    def _collect(self, value: object, hint: object, leaves: list[Any]) -> Any:
        """``value`` with every run-time part appended to ``leaves``."""
        value = adapted(value)
        if hint is None and type(value) in _PLAIN:
            return value
        if isinstance(value, (_compiler.Tensor, _compiler.Numeric, _compiler.Stream)):
            leaves.append(value)
        elif isinstance(value, _compiler.Pointer):
            leaves.append(_compiler.make_tensor(value, _compiler.make_layout(1, 1)))
        elif isinstance(value, (int, float)) and _compiler.is_dtype(hint):
            value = hint(value)
            leaves.append(value)
        elif (parts := _parts(value)) is not None:
            value = _rebuilt(value, parts, [self._collect(part, None, leaves) for part in parts])
        return value

    def _replace(self, value: object, leaves: Iterator[Any]) -> Any:
        if type(value) in _PLAIN:
            return value
        if isinstance(value, (_compiler.Tensor, _compiler.Numeric, _compiler.Stream)):
            return next(leaves)
        if isinstance(value, _compiler.Pointer):
            return next(leaves).iterator
        parts = _parts(value)
        return (
            value
            if parts is None
            else _rebuilt(value, parts, [self._replace(part, leaves) for part in parts])
        )

    def _symbol(self, program: object) -> str:
        """The kernel's name in the program, which numbers all kernels but the first."""
        symbol, state.kernels = self.kernel.symbol(), state.kernels + 1
        return (
            f"{symbol}_0" if self.kernel.name_options.name_prefix and state.kernels == 1 else symbol
        )

    def smem_usage(self) -> int:
        """Bytes of shared memory that the kernel reserves. Known once it is launched: RuntimeError before."""
        if self._shared_bytes is None:
            raise RuntimeError(f"smem_usage() of kernel `{self.name}` is known once it is launched")
        return self._shared_bytes

    def _trace(self, program: _compiler.Program, merges_branches: bool) -> Any:
        """Trace the kernel, and return what ``program.launch`` takes. Branches reserve the same shared memory with
        ``merges_branches``."""
        leaves: list[Any] = []
        hints = [*self.hints, *(None for _ in self.args[len(self.hints) :])]
        args = [
            self._collect(value, hint, leaves) for value, hint in zip(self.args, hints, strict=True)
        ]
        kwargs = {
            key: self._collect(value, annotation(self.kernel.function, key), leaves)
            for key, value in self.kwargs.items()
        }
        traced, state.barriers = self.kernel.traced, []
        formals = iter(program.begin_kernel(self._symbol(program), leaves))
        try:
            if merges_branches:
                _compiler.merge_shared_of_branches()
            args = [self._replace(value, formals) for value in args]
            kwargs = {key: self._replace(value, formals) for key, value in kwargs.items()}
            with speaking(self.kernel.dialect):
                result = self._run(traced, args, kwargs)
            if result is not None and not self.kernel.dialect.lenient:
                raise at_return(
                    make_error("KernelReturns", kernel=self.name, got=describe(result)),
                    self.kernel.function,
                )
            self._shared_bytes = _compiler.shared_bytes()
            return program.end_kernel()
        except BaseException:
            program.abandon_kernel()
            raise

    def _run(self, traced: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        """Call the traced function with its parameters."""
        return traced(*args, **kwargs)

    def launch(
        self,
        *,
        grid: Extents | None = None,
        block: Extents = (1, 1, 1),
        stream: object = None,
        smem: int | _compiler.Numeric | None = None,
        cluster: Extents | None = None,
        fallback_cluster: Extents | None = None,
        cooperative: bool = False,
        use_pdl: bool | _compiler.Boolean = False,
        min_blocks_per_mp: int = 0,
        max_number_threads: Extents = (0, 0, 0),
        preferred_smem_carveout: int | None = None,
        smem_merge_branch_allocs: bool = False,
        launch_completion_event: object = None,
        launch_completion_event_flags: int = 0,
        programmatic_event: object = None,
        programmatic_event_flags: int = 0,
        programmatic_event_trigger_at_block_start: bool = False,
        **options: object,
    ) -> None:
        """Emit the launch: ``grid`` blocks of ``block`` threads.

        Args:
            grid, block: one to three integers, static or not.
            stream: a stream parameter; default the framework's current stream on the call's device.
            smem: bytes of shared memory of each block; by default as many as the kernel reserves.
            cluster: one to three integers: the blocks of a cluster (compute capability 9.0 and up). On the CPU at
                most 16. Where they do not divide the grid, ValueError.
            fallback_cluster: the cluster size that the kernel requires; ``cluster`` is then the preferred size, which
                devices of compute capability 10.0 and up use where they can.
            cooperative: all blocks run at the same time, and may wait for each other. On the CPU each is a thread of
                the system, and more than 128 are a RuntimeError.
            use_pdl: programmatic dependent launch: the kernel may start before the previous kernel of the stream has
                ended (see ``cute.arch.griddepcontrol_wait``). A Boolean that only the run knows chooses between the
                two ways of launching. On the CPU kernels run one after another.
            min_blocks_per_mp: so many blocks must fit a multiprocessor at once, which limits registers; 0: any.
            max_number_threads: the largest number of threads of a block; zeros: that of ``block``.
            preferred_smem_carveout: percent of the L1 cache to be used as shared memory.
            smem_merge_branch_allocs: the branches of a run-time ``if`` reserve the same shared memory, not one after
                the other. All threads of a block must take the same branch.
            launch_completion_event: an event that is recorded when all blocks have started, as an Int64 with its
                handle or passed like a stream; ``..._flags``: those of cuEventRecordWithFlags.
            programmatic_event: the same, recorded when all blocks have called ``griddepcontrol_launch_dependents``,
                or with ``..._trigger_at_block_start`` when all have started (compute capability 9.0 and up).
        """
        name, self.is_launched = self.name, True
        dialect = state.dialect
        for option in options:
            if option not in dialect.ignored_launch_options:
                raise make_error(
                    "LaunchOption", kernel=name, option=option, similar=_similar_option(option)
                )
        if grid is None:
            if not dialect.lenient:
                raise make_error("LaunchGrid", kernel=name)
            grid = (1, 1, 1)
        program = state.program
        if program is None:
            raise make_error("KernelFromPython", kernel=name)
        self._extents = grid, block
        kernel = self._trace(program, bool(smem_merge_branch_allocs))
        extras: dict[str, Any] = {
            "cluster": cluster if fallback_cluster is None else fallback_cluster,
            "cooperative": bool(cooperative),
            "programmatic": not _compiler.is_dynamic(use_pdl) and bool(use_pdl),
            "min_blocks": int(min_blocks_per_mp),
            "max_threads": _threads(max_number_threads),
            "preferred_cluster": None if fallback_cluster is None else cluster,
            "completion_flags": int(launch_completion_event_flags),
            "programmatic_flags": int(programmatic_event_flags),
            "trigger_at_start": bool(programmatic_event_trigger_at_block_start),
        }
        asked = {key: value for key, value in extras.items() if value}
        if preferred_smem_carveout is not None:
            if not 0 <= preferred_smem_carveout <= 100:
                raise make_error(
                    "ArgumentValue",
                    function=f"launch() of kernel `{name}`",
                    expected="0 to 100 percent as preferred_smem_carveout",
                    got=preferred_smem_carveout,
                )
            asked["carveout"] = int(preferred_smem_carveout)
        # Beside an event's Boolean there is nothing to tell whether there is one.
        if launch_completion_event is not None:
            asked["completion_event"] = launch_completion_event
        if programmatic_event is not None:
            asked["programmatic_event"] = programmatic_event
        reserved = self._shared_bytes or 0
        if smem is not None and kernel.rest_offset:
            smem = smem + kernel.rest_offset  # published programs count reservations apart
        if isinstance(smem, int) and smem < reserved and dialect.lenient:
            warnings.warn(
                f"kernel `{name}` reserves {reserved} bytes of shared memory, and is launched with them: smem={smem} is"
                " less",
                stacklevel=2,
            )
            smem = None

        try:
            _launch_either_way(
                lambda **attributes: program.launch(
                    kernel, grid, block, stream, smem, **asked, **attributes
                ),
                use_pdl,
            )
        except DSLError as error:
            name_barriers(error)
            raise


def _launch_either_way(launch: Callable[..., None], use_pdl: object) -> None:
    """Emit one launch, or two if ``use_pdl`` is known only at run time, which then chooses one."""
    if not _compiler.is_dynamic(use_pdl):
        launch()
        return

    def region(**attributes: bool) -> list[Any]:
        launch(**attributes)
        return []

    chosen: Any = use_pdl
    _compiler.if_else(chosen != 0, [], [], lambda: region(programmatic=True), region)


#: Names of launch options in other languages.
_ELSEWHERE = {
    "threads": "block",
    "num_threads": "block",
    "block_size": "block",
    "blocks": "grid",
    "shared": "smem",
    "shared_memory": "smem",
    "dynamic_shared": "smem",
    "pdl": "use_pdl",
}


def _similar_option(option: str) -> str | None:
    """Return the option of launch() that was probably meant."""
    names = [*inspect.signature(KernelCall.launch).parameters][1:-1]
    return _ELSEWHERE.get(option) or _hints.nearest(option, names)


@overload
def kernel(function: Callable[P, object], /) -> KernelFunction[P]: ...
@overload
def kernel(
    *, preprocess: bool = True, preprocessor: bool = True
) -> Callable[[Callable[P, object]], KernelFunction[P]]: ...
def kernel(function: object = None, **options: bool) -> Any:
    """Make a Python function a kernel: device code that every thread of a launch runs.

    In a function decorated with ``@jit``: ``kernel(a, b).launch(grid=(x, y, z), block=(x, y, z))``. The ``options`` are
    those of ``jit``.
    """
    return decorate(KernelFunction, function, options)

"""Recording of schedules: the order of a task's calls of methods of its resources."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fairlead import _hints
from fairlead.tasks._enums import ScheduleStage
from fairlead.tasks._errors import ScheduleError
from fairlead.tasks._pipelines import PipelineGroup
from fairlead.tasks._resources import MemoryResource, WorkQueue
from fairlead.tasks._work import WorkMethod, work_methods

__all__ = [
    "ScheduleResult",
    "domain_loop",
    "schedule",
    "when_false",
    "when_true",
    "work_tile_loop",
]

_S = ScheduleStage
_PRODUCER = {
    "try_acquire": _S.ProducerTryAcquire,
    "acquire": _S.ProducerAcquire,
    "commit": _S.ProducerCommit,
}
_CONSUMER = {
    "try_wait": _S.ConsumerTryWait,
    "wait": _S.ConsumerWait,
    "release": _S.ConsumerRelease,
}


@dataclass(eq=False)
class Token:
    """The value of a consumer method: what later methods take."""

    call: Call
    index: int


@dataclass(eq=False)
class Call:
    """A step of a schedule."""

    stage: ScheduleStage
    resource: Any
    method: WorkMethod | None = None
    arguments: dict[str, Any] = field(default_factory=dict)
    #: The initial values of its results.
    outputs: list[Any] = field(default_factory=list)
    #: True if it is get_and_advance_work_tile.
    advances_tile: bool = False


@dataclass(eq=False)
class Guard:
    """Steps that only some iterations, tiles or values execute: kind is first, last, every, skippable, true, false."""

    kind: str
    period: int = 1
    start: int = 0
    token: Token | None = None
    body: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class DomainLoop:
    """The loop of a schedule."""

    bounds: tuple[Any, ...]
    unroll: int | None
    body: list[Any] = field(default_factory=list)

    def trips(self) -> int | None:
        """Return the number of iterations; None where the run decides it."""
        if all(type(bound) is int for bound in self.bounds):
            return len(range(*self.bounds))
        return None


@dataclass(eq=False)
class TileLoop:
    """The loop over tiles of a persistent block."""

    queue: WorkQueue
    skip_if: Callable[..., Any] | None
    body: list[Any] = field(default_factory=list)


@dataclass(eq=False)
class ScheduleResult:
    """A recorded schedule, for ``Task``."""

    name: str
    resources: tuple[Any, ...]
    steps: list[Any]

    def calls(self) -> Iterator[Call]:
        """Return the steps, each once, in order."""
        return _calls(self.steps)

    def loops(self, kind: type) -> list[Any]:
        """Return the loops of a kind."""
        return list(_nodes(self.steps, kind))


def _nodes(steps: list[Any], kind: type) -> Iterator[Any]:
    for step in steps:
        if isinstance(step, kind):
            yield step
        yield from _nodes(getattr(step, "body", []), kind)


def _calls(steps: list[Any]) -> Iterator[Call]:
    return _nodes(steps, Call)


class _Recording(threading.local):
    """The schedule that this thread records: the lists of steps that are open, the innermost last."""

    open: list[list[Any]] | None = None
    tile_loops = 0
    domain_loops = 0


_recording = _Recording()


def _steps(function: str) -> list[Any]:
    if _recording.open is None:
        raise ScheduleError(f"{function}() is for functions decorated with @schedule")
    return _recording.open[-1]


class _Proxy:
    """The stand-in of a resource in a schedule's function: its methods record steps."""

    def __init__(self, resource: Any) -> None:
        self._resource = resource
        self._methods = work_methods(resource)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        resource = self._resource
        stage = _PRODUCER.get(name) or _CONSUMER.get(name)
        if isinstance(resource, PipelineGroup):
            if name != "release":
                raise AttributeError(
                    f"PipelineGroup '{resource.name}' has no method {name!r} in schedules; a group that merges has "
                    "`release`, its members have the others"
                )
            return functools.partial(_record, Call(_S.ConsumerRelease, resource))
        if isinstance(resource, WorkQueue) and name == "get_and_advance_work_tile":
            return functools.partial(
                _record, Call(_S.ConsumerAuxWork, resource, advances_tile=True)
            )
        if stage is not None:
            return functools.partial(_record, Call(stage, resource))
        method = self._methods.get(name)
        if method is None:
            names = [*self._methods, *_PRODUCER, *_CONSUMER]
            similar = _hints.nearest(name, names)
            raise AttributeError(
                f"resource '{resource.name}' has no work method {name!r}"
                + (f"; did you mean {similar!r}?" if similar else "")
                + f" It has: {', '.join(sorted(names))}"
            )
        return functools.partial(_record_work, resource, method)


def _record(call: Call) -> None:
    _steps(call.stage.value).append(call)


def _record_work(resource: Any, method: WorkMethod, *args: object, **kwargs: object) -> Any:
    where = f"{resource.name}.{method.__name__}()"
    names = method.parameters
    if len(args) > len(names):
        raise ScheduleError(f"{where}: expected at most {len(names)} arguments, got {len(args)}")
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    for name, value in arguments.items():
        if name not in names:
            similar = _hints.nearest(name, names)
            raise ScheduleError(
                f"{where} has no parameter {name!r}"
                + (f"; did you mean {similar!r}?" if similar else "")
            )
        if isinstance(value, Token) == method.is_constant(name):
            expected = "a value known while tracing" if method.is_constant(name) else "a token"
            raise ScheduleError(
                f"{where}: expected {expected} as {name!r}, got {type(value).__name__}; tokens are what consumer "
                "methods of the same schedule return"
            )
    for name in names:
        if name not in arguments and not method.has_default(name):
            raise ScheduleError(f"{where} lacks its argument {name!r}: pass {name}=token")
    stages = {
        (True, False): _S.ProducerWork,
        (True, True): _S.ProducerAuxWork,
        (False, False): _S.ConsumerWork,
        (False, True): _S.ConsumerAuxWork,
    }
    call = Call(
        stages[method.is_producer, method.is_auxiliary],
        resource,
        method,
        arguments,
        method.variables(resource),
    )
    _record(call)
    tokens = tuple(Token(call, index) for index in range(len(call.outputs)))
    return tokens[0] if len(tokens) == 1 else tokens or None


def schedule(function: Callable[..., object]) -> Callable[..., ScheduleResult]:
    """Make a function a schedule: called with resources, it records the steps of a task.

    In the function each argument stands for a resource: its work methods, ``try_acquire``, ``acquire`` and ``commit``
    of a producer and ``try_wait``, ``wait`` and ``release`` of a consumer record a step and execute nothing. A consumer
    method with ``returns`` gives a token, which later methods take as an argument.

    Returns:
        The function that records, which gives a ScheduleResult.

    Raises ScheduleError when it is called with anything but resources and groups, and for steps that do not fit.
    """

    if not callable(function):
        raise ScheduleError(
            f"schedule: expected a function as `function`, got {type(function).__name__}"
        )

    @functools.wraps(function)
    def record(*resources: object) -> ScheduleResult:
        name = getattr(function, "__name__", "schedule")
        parameters = list(inspect.signature(function).parameters)
        if len(resources) != len(parameters):
            raise ScheduleError(
                f"schedule '{name}': expected {len(parameters)} resources {tuple(parameters)}, got {len(resources)}"
            )
        for parameter, resource in zip(parameters, resources, strict=True):
            if not isinstance(resource, (MemoryResource, PipelineGroup)):
                raise ScheduleError(
                    f"schedule '{name}': expected a resource as {parameter!r}, got {type(resource).__name__}"
                )
        before = _recording.open, _recording.tile_loops, _recording.domain_loops
        steps: list[Any] = []
        _recording.open, _recording.tile_loops, _recording.domain_loops = [steps], 0, 0
        try:
            function(*map(_Proxy, resources))
        finally:
            _recording.open, _recording.tile_loops, _recording.domain_loops = before
        return ScheduleResult(name, resources, steps)

    return record


@contextmanager
def _inside(node: Any) -> Iterator[None]:
    _steps(type(node).__name__).append(node)
    stack = _recording.open
    assert stack is not None
    stack.append(node.body)
    try:
        yield
    finally:
        stack.pop()


class Iterations:
    """The result of ``domain_loop``: conditions on the iteration."""

    def __init__(self) -> None:
        self._is_open = True

    def _guard(self, name: str, guard: Guard) -> Any:
        if not self._is_open:
            raise ScheduleError(f"{name}() of a domain_loop after its block has ended")
        return _inside(guard)

    def first_iter(self) -> Any:
        """``with loop.first_iter():`` steps of the first iteration alone."""
        return self._guard("first_iter", Guard("first"))

    def last_iter(self) -> Any:
        """``with loop.last_iter():`` steps of the last iteration alone."""
        return self._guard("last_iter", Guard("last"))

    def every(self, period: int, *, start: int = 0) -> Any:
        """``with loop.every(period):`` steps of the iterations ``start``, ``start + period`` and so on."""
        if type(period) is not int or period < 1:
            raise ScheduleError(f"every(): expected a period of 1 or more, got {period!r}")
        return self._guard("every", Guard("every", period=period, start=start))


@contextmanager
def domain_loop(*bounds: object, unroll: int | None = None) -> Iterator[Iterations]:
    """The loop of a schedule: ``with domain_loop(stop):`` or ``(start, stop)`` or ``(start, stop, step)``.

    Args:
        bounds: those of ``range``: an int, a value of the kernel, or a function ``(task, tile_coord)`` that gives one.
        unroll: how many iterations the compiler may write out.

    Raises ScheduleError for a second loop in the schedule, a step of 0, and other numbers of bounds.
    """
    if unroll is not None and not hasattr(unroll, "__index__"):
        raise ScheduleError(
            f"domain_loop(): expected an int as `unroll`, got {type(unroll).__name__}"
        )
    if not 1 <= len(bounds) <= 3:
        raise ScheduleError(f"domain_loop(): expected 1 to 3 bounds, got {len(bounds)}")
    if len(bounds) == 3 and type(bounds[2]) is int and bounds[2] == 0:
        raise ScheduleError("domain_loop(): expected a step other than 0, got 0")
    _steps("domain_loop")
    if _recording.domain_loops:
        raise ScheduleError("domain_loop(): expected one in a schedule, got a second")
    _recording.domain_loops += 1
    start, stop, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1)[:3]
    handle = Iterations()
    with _inside(DomainLoop((start, stop, step), unroll)):
        try:
            yield handle
        finally:
            handle._is_open = False


class Tiles:
    """The result of ``work_tile_loop``."""

    def skippable(self) -> Any:
        """``with tiles.skippable():`` steps that skipped tiles leave out."""
        return _inside(Guard("skippable"))


@contextmanager
def work_tile_loop(wq: object, *, skip_if: Callable[..., Any] | None = None) -> Iterator[Tiles]:
    """The loop over the tiles of a persistent block: ``with work_tile_loop(queue):``.

    Args:
        wq: the WorkQueue, as the schedule's function gets it.
        skip_if: which tiles are skipped: a method of the queue, or a function of ``(queue, tile)`` or ``(tile)``.

    Raises ScheduleError for anything but a WorkQueue, and for a second loop in the schedule.
    """
    if skip_if is not None and not callable(skip_if):
        raise ScheduleError(
            f"work_tile_loop(): expected a function as `skip_if`, got {type(skip_if).__name__}"
        )
    queue = getattr(wq, "_resource", wq)
    if not isinstance(queue, WorkQueue):
        raise ScheduleError(
            f"work_tile_loop(): expected a WorkQueue as wq, got {type(queue).__name__}"
        )
    _steps("work_tile_loop")
    if _recording.tile_loops or _recording.domain_loops:
        raise ScheduleError(
            "work_tile_loop(): expected one in a schedule, around its domain_loop, got another order"
        )
    _recording.tile_loops += 1
    with _inside(TileLoop(queue, skip_if)):
        yield Tiles()


def when_true(token: object, *, key: object = None) -> Any:
    """``with when_true(token):`` steps that are executed where the token's value is true; ``key`` is for readers."""
    return _when("true", token)


def when_false(token: object, *, key: object = None) -> Any:
    """``with when_false(token):`` steps that are executed where the token's value is false; ``key`` is for readers."""
    return _when("false", token)


def _when(kind: str, token: object) -> Any:
    if not isinstance(token, Token):
        raise ScheduleError(
            f"when_{kind}(): expected a token of a consumer method, got {type(token).__name__}"
        )
    return _inside(Guard(kind, token=token))

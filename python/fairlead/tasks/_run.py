"""The code of tasks: branches for their warps, loops, waits and arrivals, and calls of work methods."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from fairlead import primitives
from fairlead.cute._jit import jit
from fairlead.tasks._enums import ScheduleStage
from fairlead.tasks._pipelines import PipelineGroup
from fairlead.tasks._resources import MemoryResource, ResourceContext, StageInfo
from fairlead.tasks._schedule import Call, DomainLoop, Guard, TileLoop, Token
from fairlead.tasks._stages import Barriers, Position, arrive
from fairlead.tasks._task import Task

_S = ScheduleStage


@jit
def if_(condition: object, body: Callable[[], None]) -> None:
    """Execute what ``body`` traces where a condition holds."""
    if condition:
        body()


@jit
def _unless(condition: object, body: Callable[[], None]) -> None:
    if not condition:
        body()


@jit
def _for(start: Any, stop: Any, step: Any, body: Callable[[Any], None]) -> None:
    for offset in range(start, stop, step):
        body(offset)


@jit
def _while_tiles(scheduler: Any, body: Callable[[], None]) -> None:
    while scheduler.get_current_work().is_valid_tile:
        body()


class Values:
    """The values of one call of a consumer method; they travel through loops as they are."""

    def __init__(self, call: Call) -> None:
        self.items = [variable.initial() for variable in call.outputs]


class TaskCode:
    """A task while its code is made.

    Args:
        task: the task.
        barriers: of each resource with a pipeline, by identity.
        context: the memory that resources share.
        all_warps: number of warps of all tasks.
    """

    def __init__(
        self, task: Task, barriers: dict[int, Barriers], context: ResourceContext, all_warps: int
    ) -> None:
        self.task, self.context, self._all_warps = task, context, all_warps
        self.values = {id(call): Values(call) for call in task.schedule.calls() if call.outputs}
        self.positions: dict[int, Position] = {}
        for resources, is_producer in ((task.src_resources, False), (task.dst_resources, True)):
            for resource in resources:
                if id(resource) in barriers:
                    position = Position(barriers[id(resource)], is_producer)
                    self.positions[id(resource)] = position
        self.tile: Any = None
        self.scheduler: Any = None
        self.is_skipped: Any = None
        self._has_tiles = False
        self._bounds: tuple[Any, Any, Any] | None = None
        self._offset: Any = None
        self._cache: dict[Any, Any] = {}

    def emit(self) -> None:
        """Make the code of the task's warps."""
        if_(self.task.is_selected(), self._body)

    def _body(self) -> None:
        # Other tasks see the resources as they were: what this one sets is its own.
        resources = {id(one): one for one in self.task.schedule.resources}
        before = [(one, dict(vars(one))) for one in resources.values()]
        values = {key: list(one.items) for key, one in self.values.items()}
        positions = {key: (one.stage, one.parity) for key, one in self.positions.items()}
        if self.task.num_registers is not None:
            self._set_registers(self.task.num_registers)
        if not self.task.schedule.loops(TileLoop):
            self._note_bounds()
        self._steps(self.task.schedule.steps)
        self._drain()
        for one, attributes in before:
            vars(one).clear()
            vars(one).update(attributes)
        for key, items in values.items():
            self.values[key].items[:] = items
        for key, (stage, parity) in positions.items():
            self.positions[key].stage, self.positions[key].parity = stage, parity
        self.tile = self.scheduler = self.is_skipped = self._bounds = self._offset = None

    def _set_registers(self, count: int) -> None:
        from fairlead.primitives import SetMaxRegisterAction

        usual = min(65536 // (32 * self._all_warps) // 8 * 8, 256)
        action = SetMaxRegisterAction.DECREASE if count < usual else SetMaxRegisterAction.INCREASE
        primitives.setmaxregister(count, action)

    def _drain(self) -> None:
        """Waits until all stages that the task has filled are empty, so that they may be used for something else."""
        for resource in self.task.dst_resources:
            position = self.positions.get(id(resource))
            if position is not None:
                for _ in range(position.barriers.config.num_stages):
                    position.acquire()
                    position.advance()

    def _note_bounds(self) -> None:
        """Computes the bounds of the domain loop, before the steps that may ask for them."""
        loops = self.task.schedule.loops(DomainLoop)
        if loops:
            start, stop, step = (self._bound(bound) for bound in loops[0].bounds)
            self._bounds, self._offset = (start, stop, step), start

    def _bound(self, bound: object) -> Any:
        if not callable(bound) or hasattr(bound, "is_static"):
            return bound
        return bound(self.task, self.tile.tile_idx if self._has_tiles else None)

    def _steps(self, steps: list[Any]) -> None:
        for step in steps:
            if isinstance(step, Call):
                self._call(step)
            elif isinstance(step, Guard):
                self._guard(step)
            elif isinstance(step, DomainLoop):
                self._domain(step)
            else:
                self._tiles(step)

    # Code traced in a branch or a loop is a method: the state that it changes is found through its object.

    def _domain(self, loop: DomainLoop) -> None:
        assert self._bounds is not None
        start, stop, step = self._bounds
        _for(start, stop, step, partial(self._iteration, loop.body))
        self._offset = stop

    def _iteration(self, steps: list[Any], offset: object) -> None:
        before, self._offset = self._offset, offset
        self._steps(steps)
        self._offset = before

    def _tiles(self, loop: TileLoop) -> None:
        self._has_tiles = True
        self.scheduler = loop.queue.make_scheduler()
        _while_tiles(self.scheduler, partial(self._one_tile, loop))
        self._has_tiles = False

    def _one_tile(self, loop: TileLoop) -> None:
        self.tile = self.scheduler.get_current_work()
        if loop.skip_if is not None:
            test = loop.skip_if
            takes_queue = _parameters(test) > 1
            self.is_skipped = test(loop.queue, self.tile) if takes_queue else test(self.tile)
        self._note_bounds()
        self._steps(loop.body)
        self.tile = self.is_skipped = self._bounds = self._offset = None

    def _guard(self, guard: Guard) -> None:
        body = partial(self._steps, guard.body)
        if guard.kind == "skippable":
            if self.is_skipped is None:
                body()
            else:
                _unless(self.is_skipped, body)
        elif guard.kind == "true":
            if_(self._value(guard.token), body)
        elif guard.kind == "false":
            _unless(self._value(guard.token), body)
        else:
            if_(self._holds(guard), body)

    def _holds(self, guard: Guard) -> Any:
        assert self._bounds is not None
        start, stop, step = self._bounds
        if guard.kind == "first":
            return self._offset == start
        if guard.kind == "last":
            following = self._offset + step
            if type(step) is int:
                return following >= stop if step > 0 else following <= stop
            return ((step > 0) & (following >= stop)) | ((step < 0) & (following <= stop))
        number = (self._offset - start) // step
        return (number >= guard.start) & ((number - guard.start) % guard.period == 0)

    def _value(self, token: Token | None) -> Any:
        assert token is not None
        return self.values[id(token.call)].items[token.index]

    def _call(self, call: Call) -> None:
        if call.advances_tile:
            self.scheduler.advance_to_next_work()
        elif call.method is not None:
            self._work(call)
        elif isinstance(call.resource, PipelineGroup):
            self._release(call.resource.members)
        elif call.stage is _S.ConsumerRelease:
            self._release([call.resource])
        else:
            self._wait(call)

    def _wait(self, call: Call) -> None:
        position = self.positions.get(id(call.resource))
        if position is None:  # a queue whose tiles are known
            return
        if call.stage is _S.ProducerAcquire:
            position.acquire()
            if position.barriers.is_tma:
                self._expect_bytes(position)
        elif call.stage is _S.ConsumerWait:
            position.wait()
        elif call.stage is _S.ProducerCommit:
            if not position.barriers.is_tma:
                barrier = position.barriers.full + position.stage
                arrive(barrier, position.barriers.every_thread[0], if_)
            position.advance()

    def _expect_bytes(self, position: Position) -> None:
        """One thread of the task says how many bytes the copies to the stage will bring."""
        barriers = position.barriers

        def body() -> None:
            barrier = barriers.full + position.stage
            assert barriers.config.num_bytes is not None
            primitives.mbarrier_arrive_expect_tx(barrier, barriers.config.num_bytes)

        is_one = primitives.elect_sync()
        if self.task.num_warps > 1:
            from fairlead.cute import arch

            is_one = is_one & (arch.make_warp_uniform(arch.warp_idx()) == self.task.warp_idx)
        if_(is_one, body)

    def _release(self, resources: list[MemoryResource]) -> None:
        """Arrives once at the barrier that the resources share."""
        positions = [self.positions[id(one)] for one in resources if id(one) in self.positions]
        if positions:
            first = positions[0]
            arrive(first.barriers.empty + first.stage, first.barriers.every_thread[1], if_)
        for position in positions:
            position.advance()

    def _work(self, call: Call) -> None:
        method, resource = call.method, call.resource
        assert method is not None
        arguments = {
            name: self._value(value) if isinstance(value, Token) else value
            for name, value in call.arguments.items()
        }
        result = method.function(resource, self._stage_info(call), **arguments)
        if not call.outputs:
            return
        results = result if len(call.outputs) > 1 else (result,)
        self.values[id(call)].items[:] = [
            variable.converted(value) for variable, value in zip(call.outputs, results, strict=True)
        ]

    def _stage_info(self, call: Call) -> StageInfo:
        assert call.method is not None
        start, stop, step = self._bounds or (None, None, None)
        position = self.positions.get(id(call.resource))
        return StageInfo(
            loop_offset=self._offset,
            loop_start=start,
            loop_end=stop,
            loop_step=step,
            stage_idx=None if position is None else position.stage,
            label=call.method.__name__,
            barrier=position.full_barrier() if position and call.method.is_producer else None,
            work_tile=self.tile if self._has_tiles else None,
            num_active_stages=None if position is None else position.barriers.config.num_stages,
            context=self.context,
            task_cache=self._cache,
        )


def _parameters(function: Callable[..., Any]) -> int:
    return len(inspect.signature(getattr(function, "function", function)).parameters) - (
        getattr(function, "__self__", None) is not None and hasattr(function, "function")
    )

"""The sides of a pipeline as objects, each with its own state."""

from __future__ import annotations

from typing import Any

from fairlead.pipeline._state import PipelineState

__all__ = ["PipelineConsumer", "PipelineProducer"]


class _Handle:
    """A stage that a side has got: its ``index``, the ``count`` of stages before it, its ``barrier``."""

    def __init__(self, pipeline: Any, state: PipelineState) -> None:
        self._pipeline, self._state = pipeline, state

    @property
    def index(self) -> Any:
        return self._state.index

    @property
    def count(self) -> Any:
        return self._state.count

    def __extract_mlir_values__(self) -> list[Any]:
        return self._state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values: list[Any]) -> Any:
        return type(self)(self._pipeline, self._state.__new_from_mlir_values__(values))


class _ProducerHandle(_Handle):
    @property
    def barrier(self) -> Any:
        return self._pipeline.producer_get_barrier(self._state)

    def commit(self) -> None:
        """The stage is full."""
        self._pipeline.producer_commit(self._state)


class _ConsumerHandle(_Handle):
    @property
    def barrier(self) -> Any:
        return self._pipeline.consumer_get_barrier(self._state)

    def release(self) -> None:
        """The stage is empty."""
        self._pipeline.consumer_release(self._state)


class _Participant:
    """A side of a pipeline. Run-time regions carry its state."""

    def __init__(self, pipeline: Any, state: PipelineState) -> None:
        self._pipeline, self._state = pipeline, state

    def advance(self) -> None:
        """To the next stage."""
        self._state.advance()

    def clone(self) -> Any:
        """A copy with a state of its own."""
        return type(self)(self._pipeline, self._state.clone())

    def __extract_mlir_values__(self) -> list[Any]:
        return self._state.__extract_mlir_values__()

    def __new_from_mlir_values__(self, values: list[Any]) -> Any:
        return type(self)(self._pipeline, self._state.__new_from_mlir_values__(values))


class PipelineProducer(_Participant):
    """The side that fills stages."""

    ImmutableResourceHandle = _ProducerHandle

    @property
    def __state(self) -> PipelineState:
        """The next stage. Published programs read it as ``_PipelineProducer__state``."""
        return self._state

    def current_handle(self) -> _ProducerHandle:
        """Return the stage that is next."""
        return _ProducerHandle(self._pipeline, self._state.clone())

    def acquire(self, try_acquire_token: object = None) -> _ProducerHandle:
        """Wait until the next stage is empty."""
        self._pipeline.producer_acquire(self._state, try_acquire_token)
        return self.current_handle()

    def acquire_and_advance(self, try_acquire_token: object = None) -> _ProducerHandle:
        """acquire, then advance to the next stage; returns the handle of the acquired one."""
        handle = self.acquire(try_acquire_token)
        self.advance()
        return handle

    def try_acquire(self) -> Any:
        """True if the next stage is empty: a token for acquire."""
        return self._pipeline.producer_try_acquire(self._state)

    def commit(self, handle: _ProducerHandle | None = None) -> None:
        """The stage of the handle (default: the next one) is full."""
        (self.current_handle() if handle is None else handle).commit()

    def tail(self) -> None:
        """Wait until all stages have been emptied."""
        self._pipeline.producer_tail(self._state)

    def reset(self) -> None:
        """The count of stages begins at 0 again."""
        self._state.reset_count()


class PipelineConsumer(_Participant):
    """The side that empties stages."""

    ImmutableResourceHandle = _ConsumerHandle

    def current_handle(self) -> _ConsumerHandle:
        """Return the stage that is next."""
        return _ConsumerHandle(self._pipeline, self._state.clone())

    def wait(self, try_wait_token: object = None) -> _ConsumerHandle:
        """Wait until the next stage is full."""
        self._pipeline.consumer_wait(self._state, try_wait_token)
        return self.current_handle()

    def wait_and_advance(self, try_wait_token: object = None) -> _ConsumerHandle:
        """wait, then advance to the next stage; returns the handle of the full one."""
        handle = self.wait(try_wait_token)
        self.advance()
        return handle

    def try_wait(self) -> Any:
        """True if the next stage is full: a token for wait."""
        return self._pipeline.consumer_try_wait(self._state)

    def release(self, handle: _ConsumerHandle | None = None) -> None:
        """The stage of the handle (default: the next one) is empty."""
        (self.current_handle() if handle is None else handle).release()

    def reset(self) -> None:
        """The count of stages begins at 0 again."""
        self._state.reset_count()

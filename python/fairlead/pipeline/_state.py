"""How far one side of a pipeline has come."""

from __future__ import annotations

from typing import Any, ClassVar

from fairlead import _compiler
from fairlead.cute._types import Number
from fairlead.cute.typing import Int
from fairlead.errors import make_error, require
from fairlead.pipeline._barriers import PipelineUserType

__all__ = ["PipelineState", "make_pipeline_state"]


class PipelineState:
    """The stage that is next (``index``), the parity of the phase that is waited for (``phase``), and how many stages
    there were (``count``), Int32. Run-time regions carry it."""

    #: The numbers that advance and reverse change (see COUNTING_METHODS).
    __counters__: ClassVar = ("_count", "_index", "_phase")

    def __init__(self, stages: int, count: Int, index: Int, phase: Int) -> None:
        self._stages = stages
        self._count, self._index, self._phase = map(_int32, (count, index, phase))

    @property
    def stages(self) -> int:
        """1 where a pipeline has none: programs count on in states that they do not use."""
        return self._stages or 1

    @property
    def count(self) -> Any:
        """How many stages have been used so far, an Int32."""
        return self._count

    @property
    def index(self) -> Any:
        """The current stage, from 0, an Int32."""
        return self._index

    @property
    def phase(self) -> Any:
        """The phase of the stage's barrier that is waited for, 0 or 1, an Int32."""
        return self._phase

    def clone(self) -> PipelineState:
        """Return a copy that advances on its own."""
        return PipelineState(self._stages, self._count, self._index, self._phase)

    def reset_count(self) -> None:
        """Set ``count`` to 0; the stage and the phase stay."""
        self._count = _compiler.Int32(0)

    def advance(self) -> None:
        """To the next stage."""
        self._count = self._count + 1
        index = self._index + 1
        last = index == self._stages
        self._index = _compiler.select(last, _compiler.Int32(0), index)
        self._phase = _compiler.select(last, self._phase ^ 1, self._phase)

    def reverse(self) -> None:
        """To the stage before."""
        self._count = self._count - 1
        first = self._index == 0
        self._index = _compiler.select(first, _compiler.Int32(self._stages - 1), self._index - 1)
        self._phase = _compiler.select(first, self._phase ^ 1, self._phase)

    def __extract_mlir_values__(self) -> list[Any]:
        return [self._count, self._index, self._phase]

    def __new_from_mlir_values__(self, values: list[Any]) -> PipelineState:
        return PipelineState(self._stages, *values)

    def __repr__(self) -> str:
        return f"PipelineState({self._stages}, {self._count}, {self._index}, {self._phase})"


def _int32(number: Number) -> Any:
    return number if isinstance(number, _compiler.Int32) else _compiler.Int32(number)


def make_pipeline_state(type: PipelineUserType, stages: int) -> PipelineState:
    """Return the first state of a producer or a consumer of a pipeline: stage 0, where a producer finds all stages
    empty.

    Args:
        type: a ``PipelineUserType``; TypeError for another object. ``ProducerConsumer`` begins as a producer.
        stages: how many stages the pipeline has.
    """
    require(make_pipeline_state, type=type, stages=stages)
    if type in (PipelineUserType.Producer, PipelineUserType.ProducerConsumer):
        return PipelineState(stages, 0, 0, 1)
    if type is PipelineUserType.Consumer:
        return PipelineState(stages, 0, 0, 0)
    raise make_error(
        "LayoutMode",
        expected="a PipelineUserType for make_pipeline_state",
        got=type,
    )

"""``cutlass.pipeline``: Fairlead's pipelines, and the names of those of compute capability 10.0, which programs for
several architectures derive classes from."""

from __future__ import annotations

from typing import Any

from fairlead import pipeline
from fairlead.pipeline import *  # noqa: F403

__all__ = [
    *pipeline.__all__,
    "PipelineAsyncUmma",
    "PipelineClcFetchAsync",
    "PipelineTmaUmma",
    "PipelineUmmaAsync",
]


class _WithTensorMemory(pipeline.PipelineAsync):
    """A pipeline of instructions that Fairlead does not have."""

    @classmethod
    def create(cls, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            f"{cls.__name__} is for compute capability 10.0 (Blackwell), whose instructions Fairlead does not have"
        )


class PipelineTmaUmma(_WithTensorMemory):
    """TMA fills stages, ``tcgen05`` empties them."""


class PipelineUmmaAsync(_WithTensorMemory):
    """``tcgen05`` fills stages, threads empty them."""


class PipelineAsyncUmma(_WithTensorMemory):
    """Threads fill stages, ``tcgen05`` empties them."""


class PipelineClcFetchAsync(_WithTensorMemory):
    """The device's scheduler gives tiles of work, threads take them."""


__getattr__ = pipeline.__getattr__

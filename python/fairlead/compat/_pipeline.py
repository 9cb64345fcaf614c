"""``cutlass.pipeline``: Fairlead's pipelines, and one of later GPUs that programs derive classes from."""

from __future__ import annotations

from typing import Any

from fairlead import pipeline
from fairlead.pipeline import *  # noqa: F403

__all__ = [*pipeline.__all__, "PipelineClcFetchAsync"]


class PipelineClcFetchAsync(pipeline.PipelineAsync):
    """The device's scheduler gives tiles of work, threads take them."""

    @classmethod
    def create(cls, *_: Any, **__: Any) -> Any:
        raise NotImplementedError(
            "PipelineClcFetchAsync is for compute capability 10.0 (Blackwell), and not a part of Fairlead"
        )


__getattr__ = pipeline.__getattr__

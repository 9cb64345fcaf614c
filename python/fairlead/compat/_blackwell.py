"""Modules that programs for several architectures import, and use for compute capability 10.0 alone."""

from __future__ import annotations

from typing import Any

from fairlead.compat._later_gpus import stand_in
from fairlead.utils._blackwell_epilogue import (  # noqa: F401  published names
    epilogue,
    epilogue_smem_copy_and_partition,
    epilogue_tma_store,
    epilogue_tmem_copy_and_partition,
    transform_partitioned_tensor_layout,
)
from fairlead.utils.blackwell_helpers import *  # noqa: F403


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return globals().setdefault(name, stand_in(name))

"""Operations on launches of CUDA: the order in which clusters are placed. Other names are stand-ins."""

from __future__ import annotations

import enum
from typing import Any

from fairlead.compat._later_gpus import stand_in
from fairlead.cute._types import Choice
from fairlead.errors import make_error

__all__ = ["CudaClusterSchedulingPolicy", "launch_cfg_cluster_scheduling_policy"]


class CudaClusterSchedulingPolicy(enum.Enum):
    """How a GPU places the blocks of clusters on its multiprocessors, by the driver's numbers."""

    cudaClusterSchedulingPolicyDefault = 0
    cudaClusterSchedulingPolicySpread = 1
    cudaClusterSchedulingPolicyLoadBalancing = 2


def launch_cfg_cluster_scheduling_policy(config: object, policy: Choice, **_: object) -> None:
    """Choose where a launch's blocks are placed: a hint, without effect.

    Raises ValueError (ArgumentValue) for a ``policy`` that is no CudaClusterSchedulingPolicy.
    """
    if not isinstance(policy, CudaClusterSchedulingPolicy):
        raise make_error(
            "ArgumentValue",
            function="launch_cfg_cluster_scheduling_policy",
            expected="a CudaClusterSchedulingPolicy as policy",
            got=repr(policy),
        )


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    reason = "an operation of an IR that Fairlead does not have: arguments of launch() say the same"
    return globals().setdefault(name, stand_in(f"cuda.{name}", reason))

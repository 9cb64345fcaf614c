"""Helpers for kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairlead._hints import missing
from fairlead.cute._keywords import methods_ignore_keywords
from fairlead.cute._shared_memory import SmemAllocator, SmemPartition, get_smem_capacity_in_bytes
from fairlead.utils import blackwell_helpers, blockscaled_layout, hopper_helpers, tensor_helpers
from fairlead.utils import blackwell_helpers as sm100
from fairlead.utils import hopper_helpers as sm90
from fairlead.utils._blackwell_epilogue import (
    compute_epilogue_tile_shape,
    get_num_tmem_alloc_cols,
)
from fairlead.utils._cluster_launch import (
    ClcDynamicPersistentTileScheduler,
    ClcDynamicPersistentTileSchedulerParams,
)
from fairlead.utils._grouped import (
    GroupedGemmGroupSearchState,
    GroupedGemmTileSchedulerHelper,
    GroupedWorkTileInfo,
    GroupSearchResult,
    StaticPersistentGroupTileScheduler,
    create_initial_search_state,
)
from fairlead.utils._hardware_info import HardwareInfo
from fairlead.utils._latex import print_latex, print_latex_tv
from fairlead.utils._layout_enum import LayoutEnum
from fairlead.utils._scheduler import (
    PersistentTileSchedulerParams,
    StaticPersistentTileScheduler,
    WorkTileInfo,
)
from fairlead.utils._tensor_maps import TensorMapManager, TensorMapUpdateMode
from fairlead.utils._tensor_memory import TmemAllocator
from fairlead.utils.tensor_helpers import create_cute_tensor_for_fp8, is_fp8_dtype

__all__ = [
    "ClcDynamicPersistentTileScheduler",
    "ClcDynamicPersistentTileSchedulerParams",
    "GroupSearchResult",
    "GroupedGemmGroupSearchState",
    "GroupedGemmTileSchedulerHelper",
    "GroupedWorkTileInfo",
    "HardwareInfo",
    "LayoutEnum",
    "PersistentTileSchedulerParams",
    "SmemAllocator",
    "SmemPartition",
    "StaticPersistentGroupTileScheduler",
    "StaticPersistentTileScheduler",
    "TensorMapManager",
    "TensorMapUpdateMode",
    "TmemAllocator",
    "WorkTileInfo",
    "blackwell_helpers",
    "blockscaled_layout",
    "compute_epilogue_tile_shape",
    "create_cute_tensor_for_fp8",
    "create_initial_search_state",
    "get_num_tmem_alloc_cols",
    "get_smem_capacity_in_bytes",
    "hopper_helpers",
    "is_fp8_dtype",
    "print_latex",
    "print_latex_tv",
    "sm90",
    "sm100",
    "tensor_helpers",
]

for _each in (
    ClcDynamicPersistentTileScheduler,
    ClcDynamicPersistentTileSchedulerParams,
    GroupedGemmTileSchedulerHelper,
    GroupedWorkTileInfo,
    PersistentTileSchedulerParams,
    SmemAllocator,
    StaticPersistentGroupTileScheduler,
    StaticPersistentTileScheduler,
    TensorMapManager,
    TmemAllocator,
    WorkTileInfo,
):
    methods_ignore_keywords(_each)

if not TYPE_CHECKING:  # a type checker knows the names that there are
    __getattr__ = missing(__name__)

"""``cutlass.experimental.primitives``: Fairlead's."""

from __future__ import annotations

from fairlead import primitives
from fairlead.compat._later_gpus import stand_in
from fairlead.compat._mlir._narrow_floats import cvt_packfloat, cvt_packfloat_f32
from fairlead.compat._places import forwarding

__all__ = [
    *primitives.__all__,
    "Tcgen05MMAScaleVecSize",
    "WgmmaSmemDesc",
    "cvt_packfloat",
    "cvt_packfloat_f32",
]

Tcgen05MMAScaleVecSize = stand_in("Tcgen05MMAScaleVecSize")
WgmmaSmemDesc = stand_in(
    "WgmmaSmemDesc",
    "for wgmma_mma_async, which is not supported: `cute.nvgpu.warpgroup` has these products",
)

__getattr__, __dir__ = forwarding(globals(), primitives)

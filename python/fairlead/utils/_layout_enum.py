"""The contiguous mode of a matrix."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from fairlead.cute.nvgpu import OperandMajorMode
from fairlead.errors import make_error

if TYPE_CHECKING:
    from fairlead._compiler import Tensor
    from fairlead.cute._types import Extents

__all__ = ["LayoutEnum"]


def _has_unit(stride: Extents) -> bool:
    """True if a mode, which may consist of modes, has a stride of 1."""
    if isinstance(stride, tuple):
        return any(map(_has_unit, stride))
    return isinstance(stride, int) and stride == 1


class LayoutEnum(enum.Enum):
    """ROW_MAJOR where mode 1 of a tensor is contiguous, COL_MAJOR where mode 0 is."""

    ROW_MAJOR = "row_major"
    COL_MAJOR = "col_major"

    @staticmethod
    def from_tensor(tensor: Tensor) -> LayoutEnum:
        """Return the layout of a tensor of two modes or more; TypeError if neither is known to be contiguous."""
        leading = tensor.leading_dim
        if any(isinstance(stride, tuple) for stride in tensor.stride):
            # Dimensions also count the modes inside of modes.
            leading = next((i for i in (0, 1) if _has_unit(tensor.stride[i])), None)
        if leading == 1:
            return LayoutEnum.ROW_MAJOR
        if leading == 0:
            return LayoutEnum.COL_MAJOR
        raise make_error(
            "LayoutMode",
            expected="a tensor whose mode 0 or 1 has stride 1 for LayoutEnum",
            got=tensor,
        )

    def mma_major_mode(self) -> OperandMajorMode:
        """Return the major mode of an operand (M or N, K) of an MMA."""
        return OperandMajorMode.K if self is LayoutEnum.ROW_MAJOR else OperandMajorMode.MN

    sm90_mma_major_mode = mma_major_mode

    def is_k_major_a(self) -> bool:
        return self is LayoutEnum.ROW_MAJOR

    def is_m_major_a(self) -> bool:
        return self is LayoutEnum.COL_MAJOR

    def is_k_major_b(self) -> bool:
        return self is LayoutEnum.ROW_MAJOR

    def is_n_major_b(self) -> bool:
        return self is LayoutEnum.COL_MAJOR

    def is_n_major_c(self) -> bool:
        return self is LayoutEnum.ROW_MAJOR

    def is_m_major_c(self) -> bool:
        return self is LayoutEnum.COL_MAJOR

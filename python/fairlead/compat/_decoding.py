"""``cutlass.utils.gemm.tensor_utils``: reading elements of narrow floats on the host."""

from __future__ import annotations

from typing import Any

__all__ = ["decode_float4e2m1fn"]

_MAGNITUDES = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def decode_float4e2m1fn(packed: Any) -> Any:
    """Return a tensor of torch of the same shape with Float4E2M1FN elements as float32.

    Args:
        packed: A contiguous uint8 tensor with room for a byte an element, whose first half of bytes holds the elements,
            two in a byte, the first in the low 4 bits.
    """
    import torch

    pairs = packed.reshape(-1)[: packed.numel() // 2].long()
    codes = torch.stack((pairs & 15, pairs >> 4), dim=-1).reshape(packed.shape)
    values = torch.tensor([*_MAGNITUDES, *(-value for value in _MAGNITUDES)])
    return values.to(packed.device)[codes]

"""Tensors of other frameworks as tensors of the ABI."""

from __future__ import annotations

from fairlead._core import Tensor
from fairlead._core import from_dlpack as _from_dlpack
from fairlead.errors import require

__all__ = ["from_dlpack"]


def from_dlpack(
    producer: object, /, *, require_alignment: int = 0, require_contiguous: bool = False
) -> Tensor:
    """Return a Tensor that shares the data of another framework's tensor, an object with ``__dlpack__``, or a capsule.

    Memory that the producer says is read-only stays so: functions that write it refuse the Tensor, and its own
    ``__dlpack__`` says it, too. Capsules of DLPack's old form (without a version) and Tensors that C++ functions
    return do not say whether memory is read-only, and then count as writeable.

    Args:
        producer: the tensor. A capsule can be used once.
        require_alignment: the address of the first element must be a multiple of this number of bytes; 0: any.
        require_contiguous: the elements must be in row-major order without gaps.

    TypeError for a value that is no tensor, ValueError if a requirement is not met.
    """
    if not isinstance(require_alignment, int):
        require(from_dlpack, require_alignment=require_alignment)
    if require_alignment < 0:
        raise ValueError(f"require_alignment: expected no negative number, got {require_alignment}")
    tensor = _from_dlpack(producer)
    if require_alignment and tensor.data_ptr() % require_alignment:
        raise ValueError(
            f"require_alignment: expected the data at a multiple of {require_alignment} bytes, "
            f"but got the address 0x{tensor.data_ptr():x}"
        )
    if require_contiguous and not tensor.is_contiguous():
        raise ValueError(
            f"require_contiguous: expected a contiguous tensor, but got shape {tuple(tensor.shape)} "
            f"with strides {tuple(tensor.strides)}"
        )
    return tensor

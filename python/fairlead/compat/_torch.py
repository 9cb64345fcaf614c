"""Names that existing programs import from ``cutlass.torch``. torch is imported when something is used."""

from __future__ import annotations

import dataclasses
import enum
from typing import TYPE_CHECKING, Any

from fairlead.cute._types import DType

if TYPE_CHECKING:
    import torch

__all__ = [
    "GaussianInitConfig",
    "RandomInitConfig",
    "ScalarInitConfig",
    "TensorInitType",
    "as_tensor",
    "convert_cute_tensor",
    "create_and_permute_torch_tensor",
    "current_stream",
    "cute_tensor_like",
    "default_stream",
    "dtype",
    "from_dlpack",
    "get_leading_dim",
    "matrix",
]


#: DLPack's number of CUDA devices.
_CUDA = 2


class TensorInitType(enum.Enum):
    """The contents of a new tensor."""

    SKIP = "skip"  #: anything
    SCALAR = "scalar"  #: one number, of a ScalarInitConfig
    RANDOM = "random"  #: integers, of a RandomInitConfig
    GAUSSIAN = "gaussian"  #: normal numbers, of a GaussianInitConfig


@dataclasses.dataclass
class RandomInitConfig:
    """Integers from ``min_val`` on, below ``max_val``."""

    min_val: int = -2
    max_val: int = 2


@dataclasses.dataclass
class GaussianInitConfig:
    """Normal numbers, times ``scale``."""

    mean: float = 0.0
    std: float = 1.0
    scale: float = 1.0


@dataclasses.dataclass
class ScalarInitConfig:
    value: float = 0.0


def dtype(of: type) -> Any:
    """The torch dtype of a numeric class; TypeError where torch has none."""
    import torch

    from fairlead import _compiler
    from fairlead._frameworks.interface import framework_name

    if not _compiler.is_dtype(of):
        raise TypeError(f"expected a numeric class such as Float32, but got {of!r}")
    torch_dtype = getattr(torch, framework_name(of), None)
    if not isinstance(torch_dtype, torch.dtype):
        raise TypeError(f"torch has no dtype for {of.__name__}")
    return torch_dtype


def current_stream() -> Any:
    """torch's current stream, as an argument of calls and of compile."""
    import torch

    return torch.cuda.current_stream()


def default_stream() -> Any:
    """torch's default stream."""
    import torch

    return torch.cuda.default_stream()


def from_dlpack(tensor_dlpack: object, assumed_align: int | None = None, **options: Any) -> Any:
    """``cutlass.cute.runtime.from_dlpack`` of a tensor of torch."""
    from fairlead.compat._runtime import from_dlpack

    return from_dlpack(tensor_dlpack, assumed_align, **options)


def get_leading_dim(torch_tensor: torch.Tensor) -> int:
    """The mode of stride 1 of a tensor: preferably one of an extent above 1."""
    ones = [mode for mode, stride in enumerate(torch_tensor.stride()) if stride == 1]
    if not ones:
        raise ValueError(
            f"no mode of a tensor of strides {tuple(torch_tensor.stride())} has stride 1"
        )
    return next((mode for mode in ones if torch_tensor.shape[mode] > 1), ones[0])


def create_and_permute_torch_tensor(
    shape: tuple[int, ...],
    dtype: torch.dtype,
    permute_order: tuple[int, ...] | None = None,
    init_type: TensorInitType = TensorInitType.RANDOM,
    init_config: Any = None,
    device: Any = None,
) -> Any:
    """A torch tensor of this shape, on the CPU if ``device`` does not say otherwise; its modes are permuted."""
    import torch

    tensor = torch.empty(shape, dtype=torch.float32, device=device)
    if init_type is TensorInitType.RANDOM:
        config = init_config or RandomInitConfig()
        tensor.random_(config.min_val, config.max_val)
    elif init_type is TensorInitType.SCALAR:
        tensor.fill_((init_config or ScalarInitConfig()).value)
    elif init_type is TensorInitType.GAUSSIAN:
        config = init_config or GaussianInitConfig()
        tensor.normal_(config.mean, config.std).mul_(config.scale)
    tensor = tensor.to(dtype=dtype)
    return tensor if permute_order is None else tensor.permute(permute_order)


def matrix(
    l: int,  # noqa: E741  callers name it
    mode0: int,
    mode1: int,
    is_mode0_major: bool,
    cutlass_dtype: DType,
    init_type: TensorInitType = TensorInitType.RANDOM,
    init_config: object = None,
    device: object = None,
) -> Any:
    """A torch tensor (mode0, mode1, l) whose mode 0, or else mode 1, is contiguous. Of element types that torch lacks
    it holds Float32."""
    import torch

    shape = (l, mode1, mode0) if is_mode0_major else (l, mode0, mode1)
    order = (2, 1, 0) if is_mode0_major else (1, 2, 0)
    try:
        of = dtype(cutlass_dtype)
    except TypeError:
        of = torch.float32
    if getattr(cutlass_dtype, "width", 32) <= 8 and of.is_floating_point:
        of = torch.float32
    if init_type is TensorInitType.RANDOM and init_config is None:
        unsigned = cutlass_dtype.__name__.startswith("Uint")
        init_config = RandomInitConfig(0, 4) if unsigned else RandomInitConfig(-2, 2)
    return create_and_permute_torch_tensor(shape, of, order, init_type, init_config, device)


def cute_tensor_like(
    data_ref: torch.Tensor,
    cutlass_dtype: DType,
    is_dynamic_layout: bool,
    assumed_align: int | None = None,
    enable_tvm_ffi: bool = False,
) -> tuple[Any, Any]:
    """Return a tensor argument of ``cutlass_dtype`` on the GPU with the elements of ``data_ref``, and torch's tensor
    with the same memory, which has bytes if the elements are floats of 8 bits."""
    import torch

    from fairlead.cute.runtime import from_dlpack

    narrow = _is_narrow(cutlass_dtype)
    of = torch.int8 if narrow else dtype(cutlass_dtype)
    storage = torch.empty_like(data_ref, dtype=of, device="cuda")
    if not narrow:
        storage.copy_(data_ref.to(of))
    tensor = from_dlpack(storage, assumed_align=assumed_align)
    tensor.element_type = cutlass_dtype
    if is_dynamic_layout:
        tensor.mark_layout_dynamic(leading_dim=get_leading_dim(storage))
    if narrow:
        source = data_ref.to(device="cuda", dtype=torch.float32)
        tensor = convert_cute_tensor(source, tensor, cutlass_dtype, is_dynamic_layout)
    return tensor, storage


def _is_narrow(of: DType) -> bool:
    return of.__name__.startswith("Float8") or of.width < 8


def convert_cute_tensor(
    f32_torch_tensor: torch.Tensor,
    cute_tensor: Any,
    dtype: DType,
    is_dynamic_layout: bool = True,
    enable_tvm_ffi: bool = False,
) -> Any:
    """Set a tensor argument of elements of ``dtype`` to the elements of torch's Float32 tensor, on any device; return
    it."""
    from fairlead.cute import testing
    from fairlead.cute.runtime import from_dlpack

    if cute_tensor.device_type == _CUDA and not f32_torch_tensor.is_cuda:
        f32_torch_tensor = f32_torch_tensor.to(f"cuda:{cute_tensor.device_id}")
    source = from_dlpack(f32_torch_tensor)
    if is_dynamic_layout:
        source.mark_layout_dynamic(leading_dim=get_leading_dim(f32_torch_tensor))
    testing.convert(source, cute_tensor)
    return cute_tensor


def as_tensor(pointer: Any, shape: tuple[int, ...], torch_type: torch.dtype) -> Any:
    """A torch tensor of this shape, contiguous, in memory at an address of the CPU or of the current GPU."""
    import ctypes

    import torch

    address = int(pointer)
    count = 1
    for extent in shape:
        count *= extent
    size = count * torch.empty(0, dtype=torch_type).element_size()
    if not torch.cuda.is_available():
        memory = (ctypes.c_uint8 * size).from_address(address)
        return torch.frombuffer(memory, dtype=torch_type).reshape(shape)

    class Memory:
        __cuda_array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (address, False),
            "version": 3,
        }

    return torch.as_tensor(Memory(), device="cuda").view(torch_type).reshape(shape)

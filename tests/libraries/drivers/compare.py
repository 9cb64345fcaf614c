"""Comparing what kernels compute with float64."""

import os

import torch

#: Largest difference, relative to the largest number of the reference, at least 1.
TOLERANCE = {torch.float32: 1e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}


def agree(result: torch.Tensor, reference: torch.Tensor, tolerance: float | None = None) -> None:
    """Raise AssertionError unless a result is near its reference, which was computed in float64."""
    assert result.shape == reference.shape, f"{tuple(result.shape)} is not {tuple(reference.shape)}"
    limit = tolerance if tolerance is not None else TOLERANCE[result.dtype]
    result, reference = result.detach().double(), reference.detach().double()
    finite = torch.isfinite(reference)
    assert torch.equal(result[~finite], reference[~finite]), "infinities differ"
    error = (result - reference)[finite].abs().max() / reference[finite].abs().max().clamp(min=1)
    assert error <= limit, f"differs by {error:.3g} of the largest number, more than {limit:g}"


def with_capability(major: int, minor: int) -> None:
    """Let programs see a GPU of this compute capability, for the rest of the process."""
    torch.cuda.get_device_capability = lambda *_, **__: (major, minor)
    properties = torch.cuda.get_device_properties(0)
    properties.major, properties.minor = major, minor


def with_blackwell() -> None:
    """Let programs see a GPU of compute capability 10.0, and compile for sm_100a, for the rest of the process."""
    os.environ["CUTE_DSL_ARCH"] = "sm_100a"
    with_capability(10, 0)

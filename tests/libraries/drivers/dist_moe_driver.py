"""dist-moe: norms and their derivatives on small shapes."""

import torch
from compare import agree
from dist_moe.kernels.norm.rmsnorm import cute_rmsnorm_bwd, cute_rmsnorm_fwd

functional = torch.nn.functional
BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _rmsnorm(width: int, dtype: torch.dtype, derivatives: bool = False, **how) -> None:
    x, weight = _random(9, width, dtype=dtype), _random(width, dtype=dtype)
    result, rstd = cute_rmsnorm_fwd(x, weight, eps=1e-5, gain_center=1.0, **how)
    exact = [tensor.double().requires_grad_() for tensor in (x, weight)]
    expected = functional.rms_norm(exact[0], (width,), exact[1] + 1, 1e-5)
    agree(result, expected)
    agree(rstd.flatten(), torch.rsqrt(x.double().square().mean(-1) + 1e-5), 1e-5)
    if derivatives:
        gradient = _random(9, width + 1, dtype=dtype)[:, :width].contiguous()
        computed = cute_rmsnorm_bwd(gradient, x, weight, rstd, gain_center=1.0)
        references = torch.autograd.grad(expected, exact, gradient.double())
        for derivative, reference in zip(computed, references, strict=True):
            agree(derivative, reference)


KERNELS = {
    "RMS norm": lambda: _rmsnorm(1024, BF16),
    "RMS norm of float32": lambda: _rmsnorm(768, torch.float32),
    "RMS norm, summed by Kahan": lambda: _rmsnorm(1024, torch.float32, use_kahan_summation=True),
    "RMS norm, summed in float64": lambda: _rmsnorm(512, BF16, use_fp64_reduction=True),
    "RMS norm, backward": lambda: _rmsnorm(1024, BF16, derivatives=True),
}

"""attn-gym: short causal convolutions with their derivatives, and a step of them, on small shapes."""

import torch
from compare import agree, with_capability

functional = torch.nn.functional
BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = BF16) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _convolved(x, weight):
    """The causal convolution of (batch, time, channels), each channel by itself, with its activation."""
    width, channels = weight.shape[1], x.shape[2]
    padded = functional.pad(x.transpose(1, 2), (width - 1, 0))
    sums = functional.conv1d(padded, weight[:, None], groups=channels)
    return functional.silu(sums.transpose(1, 2))


def _convolution(dtype: torch.dtype, derivatives: bool = False) -> None:
    from attn_gym.linear.short_conv.cute import causal_conv1d

    with_capability(9, 0)
    given = [_random(2, 70, 128, dtype=dtype), _random(128, 4, dtype=dtype)]
    exact = [tensor.double().requires_grad_() for tensor in given]
    given = [tensor.requires_grad_(derivatives) for tensor in given]
    found, state = causal_conv1d(*given, activation="silu", return_final_state=True)
    expected = _convolved(*exact)
    agree(found, expected)
    agree(state, exact[0][:, -3:])
    if derivatives:
        gradient = _random(2, 70, 128, dtype=dtype)
        wanted = torch.autograd.grad(expected, exact, gradient.double())
        for computed, derivative in zip(
            torch.autograd.grad(found, given, gradient), wanted, strict=True
        ):
            agree(computed, derivative)


def step() -> None:
    from attn_gym.linear.short_conv.cute import causal_conv1d_decode

    with_capability(9, 0)
    x, weight, state = _random(3, 128), _random(128, 4), _random(3, 3, 128)
    whole = torch.cat([state, x[:, None]], 1)
    expected = _convolved(whole.double(), weight.double())[:, -1]
    agree(causal_conv1d_decode(x, weight, state, activation="silu"), expected)
    agree(state, whole[:, 1:].double())


KERNELS = {
    "causal convolution": lambda: _convolution(BF16),
    "causal convolution of float32": lambda: _convolution(torch.float32),
    "causal convolution, backward": lambda: _convolution(BF16, derivatives=True),
    "step of a causal convolution": step,
}

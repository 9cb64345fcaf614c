"""quack-kernels: norms, softmax, losses, selections and products on small shapes."""

import quack
import torch
from compare import agree, with_blackwell
from quack.cross_entropy import cross_entropy
from quack.rmsnorm import layernorm_fwd

functional = torch.nn.functional
DTYPES = (torch.float32, torch.bfloat16)


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda").requires_grad_()


def _with_gradients(program, reference, *inputs) -> None:
    """Results and derivatives, the reference with inputs in float64."""
    exact = [tensor.detach().double().requires_grad_() for tensor in inputs]
    result, reference_value = program(*inputs), reference(*exact)
    agree(result, reference_value)
    gradient = torch.randn(result.shape, dtype=result.dtype, device="cuda")
    derivatives = torch.autograd.grad(result, inputs, gradient)
    expected = torch.autograd.grad(reference_value, exact, gradient.double())
    for derivative, reference_derivative in zip(derivatives, expected, strict=True):
        agree(derivative, reference_derivative)


def softmax():
    for dtype in DTYPES:
        _with_gradients(
            quack.softmax, lambda x: torch.softmax(x, -1), _random(7, 1000, dtype=dtype)
        )


def cross_entropy_loss():
    target = torch.randint(0, 1000, (7,), device="cuda")
    for dtype in DTYPES:
        _with_gradients(
            lambda x: cross_entropy(x, target, reduction="none"),
            lambda x: functional.cross_entropy(x, target, reduction="none"),
            _random(7, 1000, dtype=dtype),
        )


def rmsnorm():
    for dtype in DTYPES:
        _with_gradients(
            lambda x, weight: quack.rmsnorm(x, weight, eps=1e-5),
            lambda x, weight: functional.rms_norm(x, (1024,), weight, 1e-5),
            _random(7, 1024, dtype=dtype),
            _random(1024),
        )


def layernorm():
    x, weight, bias = _random(7, 512, dtype=torch.bfloat16), _random(512), _random(512)
    result = layernorm_fwd(x.detach(), weight.detach(), bias.detach(), eps=1e-5)
    agree(
        result,
        functional.layer_norm(x.double(), (512,), weight.double(), bias.double(), 1e-5),
    )


def topk():
    from quack.topk import topk as select

    x = _random(5, 256, dtype=torch.float32).detach()
    values, indices = select(x, 16)
    reference_value, _ = torch.topk(x.double(), 16)
    # The last bits of a number hold its index.
    agree(values, reference_value, 1e-4)
    agree(torch.gather(x, 1, indices.long()), reference_value, 1e-4)


def rotary():
    from quack.rotary import apply_rotary_emb

    x = _random(2, 5, 3, 64, dtype=torch.bfloat16).detach()
    cos, sin = _random(5, 32).detach(), _random(5, 33).detach()[:, :32].contiguous()
    first, second = x.double()[..., :32], x.double()[..., 32:]
    c, s = cos.double()[None, :, None], sin.double()[None, :, None]
    agree(
        apply_rotary_emb(x, cos, sin),
        torch.cat([first * c - second * s, first * s + second * c], -1),
    )


def _gemm(m: int, n: int, k: int, tile: tuple[int, int], cluster: int = 1, **options) -> None:
    from quack.gemm import gemm

    a = _random(1, m, k, dtype=torch.bfloat16).detach() / k**0.5
    b = _random(1, n, k, dtype=torch.bfloat16).detach()
    out = torch.empty(1, m, n, dtype=torch.bfloat16, device="cuda")
    gemm(a, b, out, None, None, *tile, cluster, 1, **options)
    agree(out, a.double() @ b.double().mT)


def gemm():
    _gemm(256, 128, 96, (128, 128))


def gemm_pingpong():
    _gemm(128, 256, 64, (128, 128), pingpong=True)


def gemm_not_persistent():
    _gemm(256, 128, 64, (128, 128), persistent=False)


def gemm_of_blackwell():
    """Ragged, by single blocks and by pairs, with fixed tiles and with tiles by cluster launch control."""
    with_blackwell()
    _gemm(200, 136, 72, (128, 128))
    _gemm(256, 128, 96, (128, 128), is_dynamic_persistent=True)
    _gemm(512, 256, 128, (256, 128), cluster=2)


KERNELS = {
    "softmax": softmax,
    "cross entropy": cross_entropy_loss,
    "RMS norm": rmsnorm,
    "layer norm": layernorm,
    "top-k": topk,
    "rotary embedding": rotary,
    "GEMM": gemm,
    "GEMM (ping-pong)": gemm_pingpong,
    "GEMM (not persistent)": gemm_not_persistent,
    "GEMM, sm_100": gemm_of_blackwell,
}

ARCHITECTURES = {"GEMM, sm_100": "sm_100a"}

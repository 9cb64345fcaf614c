"""flashinfer-python: norms, steps of recurrent attention and the sum of experts' rows, on small shapes."""

import torch
from compare import agree
from flashinfer.fused_moe.cute_dsl.blackwell.moe_finalize import moe_unpermute
from flashinfer.gdn_kernels.gdn_decode_nontranspose import run_nontranspose_decode
from flashinfer.gdn_kernels.gdn_decode_pretranspose import run_pretranspose_decode
from flashinfer.gdn_kernels.qk_l2norm import normalize_qk
from flashinfer.norm.kernels import fused_add_rmsnorm, layernorm, rmsnorm

functional = torch.nn.functional
BF16 = torch.bfloat16
DTYPES = (torch.float16, BF16)


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _normed(x, weight):
    return functional.rms_norm(x.double(), x.shape[-1:], weight.double(), 1e-5)


def rms_norm():
    for dtype in DTYPES:
        x, weight = _random(7, 1024, dtype=dtype), _random(1024, dtype=dtype)
        out = torch.empty_like(x)
        rmsnorm.rmsnorm_cute(x, weight, out, 1e-5)
        agree(out, _normed(x, weight))


def rms_norm_strided():
    x, weight = _random(7, 1024, dtype=BF16)[:, :512], _random(512, dtype=BF16)
    out = torch.empty(7, 512, dtype=BF16, device="cuda")
    rmsnorm.rmsnorm_cute(x, weight, out, 1e-5, weight_bias=1.0)
    agree(out, _normed(x, weight.double() + 1))


def rms_norm_of_heads():
    x, weight = _random(3, 5, 128, dtype=BF16), _random(128, dtype=BF16)
    out = torch.empty_like(x)
    rmsnorm.qk_rmsnorm_cute(x, weight, out, 1e-5)
    agree(out, _normed(x, weight))


def rms_norm_to_fp8():
    x, weight = _random(7, 1024, dtype=BF16), _random(1024, dtype=BF16)
    out = torch.empty(7, 1024, dtype=torch.float8_e4m3fn, device="cuda")
    rmsnorm.rmsnorm_quant_cute(out, x, weight, torch.tensor([2.0], device="cuda"), 1e-5)
    agree(out.float(), _normed(x, weight) / 2, 2**-4)


def add_and_rms_norm():
    for dtype in DTYPES:
        x, residual, weight = (
            _random(*shape, dtype=dtype) for shape in ((7, 512), (7, 512), (512,))
        )
        total = x.double() + residual.double()
        fused_add_rmsnorm.fused_add_rmsnorm_cute(x, residual, weight, 1e-5)
        agree(residual, total)
        agree(x, _normed(total, weight))


def add_and_rms_norm_to_fp8():
    x, residual, weight = (_random(*shape, dtype=BF16) for shape in ((7, 512), (7, 512), (512,)))
    total = x.double() + residual.double()
    out = torch.empty(7, 512, dtype=torch.float8_e4m3fn, device="cuda")
    scale = torch.tensor([2.0], device="cuda")
    fused_add_rmsnorm.fused_add_rmsnorm_quant_cute(out, x, residual, weight, scale, 1e-5)
    agree(residual, total)
    agree(out.float(), _normed(total, weight) / 2, 2**-4)


def layer_norm():
    x, gamma, beta = _random(7, 1024, dtype=BF16), _random(1024), _random(1024) + 1
    out = torch.empty_like(x)
    layernorm.layernorm_cute(out, x, gamma, beta, 1e-5)
    agree(out, functional.layer_norm(x.double(), (1024,), gamma.double(), beta.double(), 1e-5))


def l2_norm():
    q, k = _random(2, 5, 4, 128, dtype=BF16), _random(2, 5, 2, 128, dtype=BF16)
    for result, x in zip(normalize_qk(q, k), (q, k), strict=True):
        x = x.double()
        agree(result, x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6))


def _delta_rule(state, a_log, a, dt_bias, q, k, v, b, scale):
    """Steps of the gated delta rule in float64; state is (batch, heads, V, K) and changes."""
    outputs = []
    groups = v.shape[2] // q.shape[2]
    for step in range(q.shape[1]):
        query, key = (x[:, step].double().repeat_interleave(groups, 1) for x in (q, k))
        query, key = (x * torch.rsqrt((x * x).sum(-1, keepdim=True) + 1e-6) for x in (query, key))
        gate = -a_log.double().exp() * functional.softplus(a[:, step].double() + dt_bias.double())
        state *= gate.exp()[..., None, None]
        change = v[:, step].double() - (state @ key[..., None])[..., 0]
        change *= torch.sigmoid(b[:, step].double())[..., None]
        state += change[..., None] * key[..., None, :]
        outputs.append((state @ (query * scale)[..., None])[..., 0])
    return torch.stack(outputs, 1)


def _delta_rule_step(run, transposed: bool) -> None:
    batch, steps, heads, value_heads, size = 2, 1, 2, 4, 128
    q, k = (_random(batch, steps, heads, size, dtype=BF16) + i for i in range(2))
    v = _random(batch, steps, value_heads, size, dtype=BF16)
    a, b = (_random(batch, steps, value_heads + i, dtype=BF16)[..., :value_heads] for i in range(2))
    a, b = a.contiguous(), b.contiguous()
    a_log, dt_bias = _random(value_heads), _random(value_heads + 1)[:value_heads].contiguous()
    state = _random(batch, value_heads, size, size)
    exact = state.double() if not transposed else state.double().mT.contiguous()
    output = torch.empty(batch, steps, value_heads, size, dtype=BF16, device="cuda")
    scale = size**-0.5
    expected = _delta_rule(exact, a_log, a, dt_bias, q, k, v, b, scale)
    rows = state.reshape(batch * value_heads, size, size)
    sizes = (batch, steps, heads, value_heads, size, size)
    run(rows, a_log, a, dt_bias, q, k, v, b, output, *sizes, scale, True)
    agree(output, expected)
    agree(rows.reshape(state.shape), exact if not transposed else exact.mT, 1e-4)


def experts_sum():
    tokens, top_k, hidden = 5, 3, 64
    rows = _random(tokens * top_k, hidden, dtype=BF16)
    order = torch.randperm(tokens * top_k).to(torch.int32).reshape(tokens, top_k)
    order[1, 2] = -1
    scales = torch.rand(tokens, top_k, device="cuda")
    output = torch.empty(tokens, hidden, dtype=BF16, device="cuda")
    moe_unpermute(rows, output, order, scales, tokens, top_k)
    chosen = rows.double()[order.long().clamp(min=0)] * scales.double()[..., None]
    agree(output, (chosen * (order >= 0)[..., None]).sum(1))


KERNELS = {
    "RMS norm": rms_norm,
    "RMS norm (strided)": rms_norm_strided,
    "RMS norm of heads": rms_norm_of_heads,
    "RMS norm to FP8": rms_norm_to_fp8,
    "sum and RMS norm": add_and_rms_norm,
    "sum and RMS norm to FP8": add_and_rms_norm_to_fp8,
    "layer norm": layer_norm,
    "L2 norm": l2_norm,
    "gated delta rule": lambda: _delta_rule_step(run_pretranspose_decode, False),
    "gated delta rule (K by V)": lambda: _delta_rule_step(run_nontranspose_decode, True),
    "sum of experts' rows": experts_sum,
}

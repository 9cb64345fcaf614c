"""nvidia-cudnn-frontend: attention for sm_80, norms, convolutions, selections and products on small shapes."""

import math

import cudnn_blackwell
import cudnn_hopper
import torch
from compare import agree, with_capability

functional = torch.nn.functional
BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def rope_backward():
    from cudnn.rope.api import vision_rope_backward_wrapper

    with_capability(10, 0)
    tokens = 40
    q, v = (_random(16, tokens + i, 64, dtype=BF16)[:, :tokens].contiguous() for i in range(2))
    k = _random(16, 64, tokens, dtype=BF16)
    gradients = [q.transpose(0, 1), k.permute(2, 0, 1), v.transpose(0, 1)]
    angles = _random(tokens, 1, 32)
    cosine, sine = angles.cos(), angles.sin()
    result = vision_rope_backward_wrapper(*gradients, cosine, sine)["grad_qkv"]
    c, s = cosine.double(), sine.double()
    expected = []
    for gradient in gradients:
        first, second = gradient.double()[..., :32], gradient.double()[..., 32:]
        expected.append(torch.cat([first * c + second * s, second * c - first * s], -1))
    expected[2] = gradients[2].double()
    agree(result, torch.stack(expected, 1).reshape(tokens, 3072))


def rope_table():
    from cudnn.sdpa.rope_table_sm80 import compile_plan, prepare

    with_capability(8, 0)
    device = torch.device("cuda", 0)
    angles = _random(37, 32) * 100
    table = prepare(compile_plan(37, 32, device), angles, device, 0)
    agree(table, torch.stack([angles.double().cos(), angles.double().sin()], -1))


def _attention(q, k, v, causal):
    """Outputs and logarithms of sums, in float64, of (batch, heads, sequence, head) tensors."""
    groups = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(groups, 1), v.repeat_interleave(groups, 1)
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=q.device).triu(1)
        scores = scores.masked_fill(later, float("-inf"))
    return torch.softmax(scores, -1) @ v, torch.logsumexp(scores, -1)


def _launched(spec, buffers, stream, *, scale=None):
    """Call a compiled kernel with addresses. The package's own C++ does that, for tensors on GPUs alone."""
    scale = spec.scale if scale is None else scale
    addresses = [None if buffer is None else buffer.data_ptr() for buffer in buffers]
    spec.fn(*addresses, scale * math.log2(math.e), 1 / scale, stream)


def _name_a_gpu(prepared) -> None:
    """Let the package's C++ see the device of tensors as a GPU."""
    facts_of_tensor = prepared.facts_of_tensor

    def facts(tensor):
        found = facts_of_tensor(tensor)
        return None if found is None else found._replace(device=(2, 0))

    prepared.facts_of_tensor = facts


def _sm80_attention(head: int, causal: bool = False, derivatives: bool = False) -> None:
    from cudnn.sdpa.fwd import prepared, prepared_sm80
    from cudnn.sdpa.fwd.api_dsl import sdpa_fwd_wrapper_sm80

    prepared_sm80.execute_tensors = _launched
    with_capability(8, 0)
    shapes = ((1, 150, 4, head), (1, 150, 2, head), (1, 150 + 1, 2, head))
    q, k, v = (_random(*shape, dtype=BF16)[:, :150].transpose(1, 2) for shape in shapes)
    found = sdpa_fwd_wrapper_sm80(q, k, v, is_causal=causal)
    exact = [tensor.double().requires_grad_() for tensor in (q, k, v)]
    output, sums = _attention(*exact, causal)
    agree(found["o_tensor"], output, 1e-2)
    agree(found["lse_tensor"].reshape(sums.shape), sums, 1e-3)
    if derivatives:
        from cudnn.sdpa.bwd.api_dsl import sdpa_bwd_wrapper_sm80

        _name_a_gpu(prepared)
        gradient = _random(1, 150, 4, head, dtype=BF16).transpose(1, 2)
        computed = sdpa_bwd_wrapper_sm80(
            q, k, v, found["o_tensor"], gradient, found["lse_tensor"], is_causal=causal
        )
        expected = torch.autograd.grad(output, exact, gradient.double())
        for name, derivative in zip(("dq_tensor", "dk_tensor", "dv_tensor"), expected, strict=True):
            agree(computed[name], derivative, 3e-2)


def selected_attention():
    """Attention of each token to the blocks of 64 keys that it selects, up to itself."""
    from cudnn.native_sparse_attention.selection.api import selection_attention_wrapper

    length, heads, kept, block = 192, 16, 2, 64
    q, k, v = (_random(length + i, h, 64, dtype=BF16)[:length] for i, h in enumerate((heads, 1, 1)))
    starts = torch.tensor([0, length], dtype=torch.int32, device="cuda")
    own = torch.arange(length, device="cuda") // block
    indices = torch.stack([own, torch.zeros_like(own)], -1)[:, None].to(torch.int32).contiguous()
    counts = torch.where(own > 0, kept, 1)[:, None].to(torch.int32).contiguous()
    found = selection_attention_wrapper(
        q,
        k,
        v,
        indices,
        counts,
        starts,
        starts,
        block,
        is_causal=True,
        max_s_q=length,
        max_s_k=length,
    )
    columns = torch.arange(length, device="cuda")
    chosen = (columns // block == own[:, None]) | (columns < block)
    seen = chosen & (columns <= columns[:, None])
    scores = (q.double().transpose(0, 1) @ k.double().permute(1, 2, 0)) / 8
    weights = torch.softmax(scores.masked_fill(~seen, float("-inf")), -1)
    agree(found["o_tensor"], (weights @ v.double().transpose(0, 1)).transpose(0, 1), 1e-2)


def gate_of_memory():
    """Engram's gate: a value added to four streams, by the likeness of normed streams and keys."""
    from cudnn.engram.api import engram_gate_saved_forward

    with_capability(10, 0)
    tokens, width = 3, 5120
    x, kv = _random(tokens, 4, width, dtype=BF16), _random(tokens, 5 * width, dtype=BF16)
    weight = _random(4, width)
    mask = torch.tensor([True, False, True], device="cuda")
    out = engram_gate_saved_forward(x, kv, weight, mask)["out"]
    exact, keys = x.double(), kv.double()[:, : 4 * width].reshape(tokens, 4, width)
    normed = [t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 1e-20) for t in (exact, keys)]
    likeness = (normed[0] * weight.double() * normed[1]).sum(-1) / math.sqrt(width)
    gate = torch.sigmoid(likeness.abs().clamp(min=1e-6).sqrt() * likeness.sign()) * mask[:, None]
    agree(out, exact + gate[..., None] * kv.double()[:, None, 4 * width :])


def convolution():
    from cudnn.causal_conv1d_bulk_sm100.api import causal_conv1d_bulk_fwd_wrapper_sm100

    with_capability(10, 0)
    x, weight = _random(2, 50, 256, dtype=BF16), _random(256, 4, dtype=BF16)
    with torch.no_grad():
        found = causal_conv1d_bulk_fwd_wrapper_sm100(x, weight, output_final_state=True)
    padded = functional.pad(x.double().transpose(1, 2), (3, 0))
    expected = functional.conv1d(padded, weight.double()[:, None], groups=256).transpose(1, 2)
    agree(found["output_tensor"], functional.silu(expected))
    agree(found["final_state_tensor"], x.double()[:, -4:].transpose(1, 2))


def convolution_step():
    from cudnn.causal_conv1d_update_sm100.api import _causal_conv1d_update

    with_capability(10, 0)
    x, weight = _random(3, 256, dtype=BF16), _random(256, 4, dtype=BF16)
    state = _random(3, 256, 4, dtype=BF16)
    shifted = torch.cat([state[..., 1:], x[..., None]], -1)
    result = _causal_conv1d_update(x, state, weight, None, "silu")
    agree(state, shifted.double())
    expected = (shifted.double() * weight.double()).sum(-1)
    agree(result, functional.silu(expected))


def norm_and_hadamard():
    """An RMS norm, rotated in groups of 16 by a Hadamard matrix, and the largest number of some rows."""
    from cudnn.rmsnorm_rht_amax.api import rmsnorm_rht_amax_wrapper_sm100

    with_capability(10, 0)
    x, weight = _random(8, 2048, dtype=BF16), _random(2048, dtype=BF16)
    found = rmsnorm_rht_amax_wrapper_sm100(x, weight, rows_per_cta=2)
    matrix = torch.ones(1, 1, dtype=torch.float64, device="cuda")
    for _ in range(4):
        matrix = torch.cat([torch.cat([matrix, matrix], 1), torch.cat([matrix, -matrix], 1)])
    normed = functional.rms_norm(x.double(), (2048,), weight.double(), 1e-5)
    rotated = (normed.reshape(8, 128, 16) @ matrix / 4).reshape(8, 2048)
    outputs = list(found.values())
    agree(outputs[0], rotated)
    agree(outputs[1], rotated.abs().reshape(4, -1).amax(-1), 1e-4)


def top_k():
    from cudnn.deepseek_sparse_attention.indexer_top_k.api import indexer_top_k_wrapper

    with_capability(10, 0)
    x, lengths = (
        _random(4, 3000),
        torch.tensor([3000, 2500, 700, 600], dtype=torch.int32, device="cuda"),
    )
    found = indexer_top_k_wrapper(x, lengths, 512)
    for row, length in enumerate(lengths.tolist()):
        expected, _ = torch.topk(x[row, :length].double(), 512)
        chosen = x[row][found["indices"][row].long()]
        agree(found["values"][row].sort(descending=True).values, expected)
        agree(chosen.sort(descending=True).values, expected)


def compaction():
    from cudnn.deepseek_sparse_attention.indexer_top_k.api import compactify_wrapper

    with_capability(10, 0)
    indices = torch.randint(-1, 50, (6, 128), dtype=torch.int32, device="cuda")
    indices[:, ::3] = -1
    found = compactify_wrapper(indices)
    for row in range(6):
        valid = indices[row][indices[row] >= 0]
        assert found["topk_length"][row] == len(valid)
        assert torch.equal(found["indices"][row][: len(valid)], valid)


KERNELS = {
    "derivatives of a rotary embedding": rope_backward,
    "table of a rotary embedding": rope_table,
    "attention for sm_80": lambda: _sm80_attention(64),
    "attention for sm_80, causal": lambda: _sm80_attention(128, causal=True),
    "attention for sm_80, backward": lambda: _sm80_attention(64, derivatives=True),
    "attention for sm_80, backward, causal": lambda: _sm80_attention(128, True, True),
    "attention to selected blocks": selected_attention,
    "gate of a memory": gate_of_memory,
    "causal convolution": convolution,
    "step of a causal convolution": convolution_step,
    "RMS norm and Hadamard rotation": norm_and_hadamard,
    "top-k": top_k,
    "compaction of indices": compaction,
    **cudnn_hopper.KERNELS,
    **cudnn_blackwell.KERNELS,
}

ARCHITECTURES = {"causal convolution": "sm_100a"} | dict.fromkeys(
    cudnn_blackwell.KERNELS, "sm_100a"
)

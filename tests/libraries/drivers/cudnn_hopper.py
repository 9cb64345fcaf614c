"""nvidia-cudnn-frontend's kernels for sm_90: indexers of sparse attention, and attention to blocks."""

import itertools
import math

import torch
from compare import agree, with_capability

BF16 = torch.bfloat16


def _random(*shape: int, dtype: torch.dtype = BF16) -> torch.Tensor:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, device="cuda")


def _index_scores(q, k, weights):
    """Weighted sums over heads of positive products of queries and keys, (batch, queries, keys) in float64."""
    products = torch.einsum("bqhd,bkd->bqhk", q.double(), k.double())
    return torch.einsum("bqhk,bqh->bqk", products.relu(), weights.double())


def indexer() -> None:
    """Scores of the keys of earlier blocks of ``ratio`` queries."""
    from cudnn.deepseek_sparse_attention.indexer_forward.api import indexer_forward_wrapper

    with_capability(9, 0)
    queries, keys, heads, ratio = 70, 40, 32, 2
    q, k, weights = (
        _random(1, queries, heads, 128),
        _random(1, keys, 1, 128),
        _random(1, queries, heads),
    )
    found = indexer_forward_wrapper(q, k, weights, ratio=ratio)["scores"]
    seen = torch.arange(keys) < (torch.arange(queries)[:, None] + 1) // ratio
    expected = _index_scores(q, k[:, :, 0], weights).masked_fill(~seen, float("-inf"))
    assert torch.equal(found.isinf(), expected.isinf())
    agree(found[0, seen], expected[0, seen], 1e-2)


def _selection(queries: int, keys: int, kept: int) -> torch.Tensor:
    torch.manual_seed(1)
    rows = [torch.randperm(keys)[:kept] for _ in range(queries)]
    return torch.stack(rows)[None].to(torch.int32).cuda().contiguous()


def selected_index_scores() -> None:
    """The softmax of the scores of selected keys."""
    from cudnn.deepseek_sparse_attention.score_recompute import _interface_sm90 as interface

    with_capability(9, 0)
    queries, keys, heads, kept = 6, 200, 32, 128
    q, k, weights = (
        _random(1, queries, heads, 128),
        _random(1, keys, 128),
        _random(1, queries, heads),
    )
    chosen = _selection(queries, keys, kept)
    out = torch.empty(1, queries, kept, device="cuda")
    interface.sparse_indexer_score_recompute(q, k, weights, chosen, out, sm_scale=0.1)
    scores = _index_scores(q, k, weights).gather(2, chosen.long()) * 0.1
    agree(out, scores.softmax(-1), 1e-3)


def selected_attention_scores() -> None:
    """The attention's weights of selected keys, summed over heads and normalized."""
    from cudnn.deepseek_sparse_attention.score_recompute import _interface_sm90 as interface

    with_capability(9, 0)
    queries, keys, heads, kept = 6, 200, 32, 128
    scale = 1 / math.sqrt(128)
    q, k = _random(1, queries, heads, 128), _random(1, keys, 128)
    chosen = _selection(queries, keys, kept)
    products = torch.einsum("bqhd,bkd->bqhk", q.double(), k.double()) * scale
    products = products.gather(3, chosen.long()[:, :, None].expand(-1, -1, heads, -1))
    sums = products.logsumexp(-1)
    out = torch.empty(1, queries, kept, device="cuda")
    interface.sparse_attn_score_recompute(q, k, sums.float(), chosen, scale, out)
    weights = (products - sums[..., None]).exp().sum(2)
    agree(out, weights / weights.sum(-1, keepdim=True), 1e-3)


def dense_index_scores() -> None:
    """The scores of all keys of earlier blocks of ``ratio`` queries, and the logarithms of their sums."""
    from cudnn.deepseek_sparse_attention.score_recompute import _interface_sm90 as interface

    with_capability(9, 0)
    queries, keys, heads, ratio = 9, 70, 32, 1
    q, k, weights = (
        _random(1, queries, heads, 128),
        _random(1, keys, 128),
        _random(1, queries, heads),
    )
    out, sums = torch.empty(1, queries, keys, device="cuda"), torch.empty(1, queries, device="cuda")
    offsets = torch.tensor([40], dtype=torch.int32, device="cuda")
    interface.dense_indexer_score_recompute(
        q,
        k[:, :, None],
        weights,
        out=out,
        denom_out=sums,
        sm_scale=0.1,
        ratio=ratio,
        q_causal_offsets=offsets,
    )
    seen = torch.arange(keys) < torch.arange(queries)[:, None] + 41
    scores = (_index_scores(q, k, weights) * 0.1).masked_fill(~seen, float("-inf"))
    agree(out[0, seen], scores[0, seen], 1e-2)
    agree(sums, scores.logsumexp(-1), 1e-2)


def selected_attention_backward() -> None:
    """Derivatives of attention of heads of 512 to selected keys, which are the values, with a sink for each head."""
    from cudnn.deepseek_sparse_attention.sparse_attention_backward import (
        _interface_sm90 as interface,
    )

    with_capability(9, 0)
    queries, keys, heads, head, kept = 3, 100, 64, 512, 64
    q, kv = _random(queries, heads, head) / 4, _random(keys, head) / 4
    sink, chosen = _random(heads, dtype=torch.float32), _selection(queries, keys, kept)[0]
    exact = [tensor.double().requires_grad_() for tensor in (q, kv, sink)]
    values = exact[1][chosen.long()]
    scores = torch.einsum("qhd,qkd->qhk", exact[0], values) / math.sqrt(head)
    sums = scores.logsumexp(-1)
    weights = (scores - torch.logaddexp(sums, exact[2])[..., None]).exp()
    output = torch.einsum("qhk,qkd->qhd", weights, values)
    gradient = _random(queries, heads, head)
    computed = [torch.empty_like(tensor) for tensor in (q, kv, sink)]
    size = interface.flash_attn_bwd_sm90_workspace_size(queries, keys, head, heads)
    workspace = torch.empty(size, dtype=torch.uint8, device="cuda")
    interface.flash_attn_bwd_sm90(
        q,
        kv,
        output.to(q.dtype).detach(),
        gradient,
        sums.float().detach(),
        sink,
        chosen,
        *computed,
        workspace,
    )
    for derivative, wanted in zip(
        computed, torch.autograd.grad(output, exact, gradient.double()), strict=True
    ):
        agree(derivative, wanted, 3e-2)


def _blocks(block: int, derivatives: bool = False) -> None:
    from cudnn.block_sparse_attention import _interface

    with_capability(9, 0)
    length, heads, head, kept = 4 * block, 2, 128, 2
    q, k, v = (_random(1, heads, length + i, head)[:, :, :length].contiguous() for i in range(3))
    torch.manual_seed(1)
    indices = torch.stack([torch.randperm(4)[:kept].sort().values for _ in range(4 * heads)])
    indices = indices.reshape(1, heads, 4, kept).to(torch.int32).cuda().contiguous()
    exact = [tensor.double().requires_grad_() for tensor in (q, k, v)]
    chosen = torch.zeros(1, heads, 4, 4, dtype=torch.bool).scatter_(3, indices.long().cpu(), True)
    seen = chosen.repeat_interleave(block, 2).repeat_interleave(block, 3).to(q.device)
    scores = (exact[0] @ exact[1].mT / math.sqrt(head)).masked_fill(~seen, float("-inf"))
    expected = scores.softmax(-1) @ exact[2]
    found, sums = _interface.bsa_attn_fwd(
        q, k, v, indices, kept, return_lse=True, sparse_block_size=block
    )[:2]
    agree(found, expected, 1e-2)
    agree(sums, scores.logsumexp(-1), 1e-3)
    if derivatives:
        gradient = _random(1, heads, length + 3, head)[:, :, :length].contiguous()
        computed = _interface.bsa_attn_bwd(
            gradient, q, k, v, found, sums, indices, kept, sparse_block_size=block
        )
        for derivative, wanted in zip(
            computed, torch.autograd.grad(expected, exact, gradient.double()), strict=False
        ):
            agree(derivative, wanted, 3e-2)


def _intervals(derivatives: bool = False) -> None:
    """Attention of each query to the keys up to its own, given as intervals."""
    from cudnn.flex_attention.api import flex_attn_func
    from cudnn.flex_attention.plan.builder import create_mask_plan

    with_capability(9, 0)
    length, heads, head = 140, 2, 64
    q, k, v = (_random(1, length + i, heads, head)[:, :length].contiguous() for i in range(3))
    ends = torch.arange(1, length + 1, dtype=torch.int32, device="cuda")
    plan = create_mask_plan(ends[None, None].contiguous(), q, k, v, build_backward=derivatives)
    given = [tensor.requires_grad_(derivatives) for tensor in (q, k, v)]
    found = flex_attn_func(*given, mask_plan=plan)
    exact = [tensor.detach().double().requires_grad_() for tensor in (q, k, v)]
    products = torch.einsum("bqhd,bkhd->bhqk", exact[0], exact[1]) / math.sqrt(head)
    later = torch.ones(length, length, dtype=torch.bool).triu(1).to(q.device)
    weights = products.masked_fill(later, float("-inf")).softmax(-1)
    expected = torch.einsum("bhqk,bkhd->bqhd", weights, exact[2])
    agree(found, expected, 1e-2)
    if derivatives:
        gradient = _random(1, length + 3, heads, head)[:, :length].contiguous()
        computed = torch.autograd.grad(found, given, gradient)
        for derivative, wanted in zip(
            computed, torch.autograd.grad(expected, exact, gradient.double()), strict=True
        ):
            agree(derivative, wanted, 3e-2)


def wide_attention(queries: int, keys: int, causal: bool) -> None:
    """Attention of heads of 512 elements, whose products the program describes by words."""
    import cuda.bindings.driver as cuda
    import cutlass
    import cutlass.cute as cute
    from cudnn.sdpa.fwd.kernels.sm90 import prefill_d512_f16 as module
    from cutlass.cute.runtime import from_dlpack

    settings = module.PARAMS
    alike = (
        "sched_policy seq_q_lens_present seq_kv_lens_present has_sink thd_varlen pack_gqa qh_per_kh scale_mode "
        "stats_log2"
    )
    kernel = module.SM90FusedMultiHeadAttentionForward(
        (1, 1, 1, queries, keys),
        in_dtype=module.STORAGE_DTYPE,
        out_dtype=module.STORAGE_DTYPE,
        is_causal=causal,
        bottom_right=causal,
        window_size_left=settings.window_left,
        window_size_right=settings.window_right,
        **{name: getattr(settings, name) for name in alike.split()},
    )
    kernel.thd_lse_head_stride = 0
    q, k, v = (_random(1, 1, rows, 512, dtype=torch.float16) for rows in (queries, keys, keys))
    out = torch.zeros_like(q)
    kernel.tma_orders = ((3, 2, 0, 1),) * 4
    lengths = torch.zeros(1, dtype=torch.int32, device="cuda")
    tensors = [from_dlpack(tensor, assumed_align=16) for tensor in (q, k, v, out)]
    both = [from_dlpack(lengths)] * 2
    numbers = cutlass.Float32(512**-0.5), cutlass.Int32(0)
    arguments = [*tensors, None, None, *both, *numbers, None, None, None, cuda.CUstream(0)]
    cute.compile(kernel, *arguments)(*arguments)
    scores = (q[0, 0].double() @ k[0, 0].double().T) * 512**-0.5
    if causal:
        last = torch.arange(queries)[:, None] + keys - queries
        scores.masked_fill_(torch.arange(keys) > last, float("-inf"))
    agree(out[0, 0], scores.softmax(-1) @ v[0, 0].double(), 2e-3)


def delta_attention() -> None:
    """Kimi's delta rule with gates, of sequences of several lengths, from a state of each."""
    from cudnn.linear_attention.hopper.kernel import kda_prefill_sm90

    with_capability(9, 0)
    lengths, heads, size = [33, 0, 16, 70], 2, 128
    total, starts = sum(lengths), [0, 33, 33, 49, 119]
    q, k = (
        torch.nn.functional.normalize(_random(total + i, heads, size).float()[:total], dim=-1)
        .to(BF16)
        .contiguous()
        for i in range(2)
    )
    v = _random(total + 2, heads, size)[:total].contiguous()
    gates = -5 * torch.sigmoid(_random(total + 3, heads, size, dtype=torch.float32)[:total])
    beta = torch.sigmoid(_random(total, heads, dtype=torch.float32))
    states = _random(len(lengths), heads, size, size, dtype=torch.float32) * 0.2
    out, last = torch.zeros_like(v), torch.zeros_like(states)
    offsets = torch.tensor(starts, dtype=torch.int32, device="cuda")
    kda_prefill_sm90.run(q, k, v, gates.contiguous(), beta, offsets, states, out, last)
    expected, ends = torch.zeros_like(v, dtype=torch.float64), states.double().mT.clone()
    q, k, v, gates, beta = (tensor.double() for tensor in (q, k, v, gates, beta))
    for sequence, head in itertools.product(range(len(lengths)), range(heads)):
        state = ends[sequence, head]
        for t in range(starts[sequence], starts[sequence + 1]):
            state = gates[t, head].exp()[:, None] * state
            update = beta[t, head] * (v[t, head] - k[t, head] @ state)
            state = state + torch.outer(k[t, head], update)
            expected[t, head] = q[t, head] @ state / math.sqrt(size)
        ends[sequence, head] = state
    agree(out, expected, 2e-2)
    agree(last, ends.mT, 2e-2)


KERNELS = {
    "scores of an indexer for sm_90": indexer,
    "scores of selected keys for sm_90": selected_index_scores,
    "weights of selected keys for sm_90": selected_attention_scores,
    "scores of all keys for sm_90": dense_index_scores,
    "attention to selected keys for sm_90, backward": selected_attention_backward,
    "attention to blocks of 64 for sm_90": lambda: _blocks(64),
    "attention to blocks of 128 for sm_90": lambda: _blocks(128),
    "attention to blocks of 64 for sm_90, backward": lambda: _blocks(64, derivatives=True),
    "attention to blocks of 128 for sm_90, backward": lambda: _blocks(128, derivatives=True),
    "attention to intervals for sm_90": _intervals,
    "attention to intervals for sm_90, backward": lambda: _intervals(derivatives=True),
    "attention of heads of 512 for sm_90": lambda: wide_attention(64, 128, causal=False),
    "attention of heads of 512 for sm_90, causal": lambda: wide_attention(100, 192, causal=True),
    "gated delta rule for sm_90": delta_attention,
}

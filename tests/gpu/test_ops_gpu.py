"""fairlead.ops on a GPU, against torch. Times: benchmarks/ops.py."""

import pytest

torch = pytest.importorskip("torch")

from support import gradients  # noqa: E402

import fairlead.ops as ops  # noqa: E402
from fairlead.ops import _attention_gradients, _gemm, _scaled  # noqa: E402
from fairlead.ops._scaled_tiles import ScaledTiles  # noqa: E402
from fairlead.ops._tiles import Tiles  # noqa: E402

functional = torch.nn.functional
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 2e-2}


def random(*shape, dtype=torch.float16):
    return torch.randn(*shape, dtype=dtype, device="cuda")


def close(found, wanted):
    assert found.shape == wanted.shape and found.is_cuda
    scale = wanted.abs().max().clamp(min=1)
    error = ((found.float() - wanted.float()) / scale).abs().max().item()
    assert error <= TOLERANCE[found.dtype], error


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("shape", [
    (3, 7), (1000, 129), (64, 4096), (300, 50257), (70, 32768), (5, 65536), (201, 128256), (150, 151936),
    (3, 400001), (2, 9, 1000), (1100, 32768), (1100, 50257), (550, 77777), (300, 128256), (260, 200064),
])  # fmt: skip
def test_rows(shape, dtype):
    x, weight, bias = (
        random(*shape, dtype=dtype),
        random(shape[-1], dtype=dtype),
        random(shape[-1], dtype=dtype),
    )
    wide, sizes = x.float(), shape[-1:]
    close(ops.softmax(x), torch.softmax(wide, -1))
    close(ops.rms_norm(x, weight), functional.rms_norm(wide, sizes, weight.float(), 1e-6))
    close(
        ops.layer_norm(x, weight, bias),
        functional.layer_norm(wide, sizes, weight.float(), bias.float(), 1e-5),
    )
    close(ops.reduce_rows(x, "max"), wide.amax(-1))
    close(ops.reduce_rows(x, "mean"), wide.mean(-1))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(
    "m, n, k",
    [
        (64, 64, 32),
        (1, 1, 1),
        (300, 200, 129),
        (1024, 1536, 512),
        (513, 4096, 1000),
        (40, 4096, 4096),
        (4000, 264, 72),
        (3000, 5000, 2000),
        (700, 701, 703),
        (1030, 515, 512),
        (9, 4096, 1024),
        (1536, 1536, 256),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_products(m, n, k, turned, dtype):
    a, b = random(m, k, dtype=dtype), random(k, n, dtype=dtype)
    b = b.T.contiguous().T if turned else b
    bias, residual = random(n, dtype=dtype), random(m, n, dtype=dtype)
    wanted = a.double() @ b.double()
    close(ops.matmul(a, b), wanted)
    out = torch.full((m * n + 8,), 7.0, device="cuda").to(dtype)
    ops.matmul(
        a,
        b,
        bias=bias,
        activation="gelu",
        residual=residual,
        alpha=0.1,
        out=out[: m * n].reshape(m, n),
    )
    assert (out[m * n :] == 7).all()
    found = out[: m * n].reshape(m, n)
    close(found, functional.gelu(0.1 * wanted + bias.double()) + residual.double())


needs_warpgroups = pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability() != (9, 0),
    reason="warpgroups of compute capability 9.0",
)


@needs_warpgroups
@pytest.mark.parametrize("out_dtype", ["bfloat16", "float16", "float32"])
@pytest.mark.parametrize("rows", [False, True])
def test_floats_of_8_bits(rows, out_dtype):
    m, n, k = 520, 1040, 784
    a = random(m, k).to(torch.float8_e4m3fn)
    b = random(n, k).to(torch.float8_e5m2).T
    scale_a, scale_b = (torch.rand(extent if rows else 1, device="cuda") + 0.5 for extent in (m, n))
    found = ops.matmul(a, b, scale_a=scale_a, scale_b=scale_b, out_dtype=out_dtype)
    wanted = a.double() @ b.double()
    wanted *= scale_a[:, None].double() * scale_b.double() if rows else (scale_a * scale_b).double()
    error = (found.double() - wanted).abs().max() / wanted.abs().max()
    assert found.dtype == getattr(torch, out_dtype) and error < 1e-2, error


def blocks(extent):
    return -(-extent // 128)


def scales(*shape):
    return torch.rand(*shape, device="cuda") + 0.5


def dequantised(q, scale, rows=1):
    wide = scale.double().repeat_interleave(128, -1)[..., : q.shape[-1]]
    if rows > 1:
        wide = wide.repeat_interleave(rows, -2)[..., : q.shape[-2], :]
    return q.double() * wide


def expected_of(a, b, scale_a, scale_b):
    return dequantised(a, scale_a) @ dequantised(b, scale_b, 128).mT


@needs_warpgroups
@pytest.mark.parametrize("out_dtype", ["bfloat16", "float32"])
@pytest.mark.parametrize("m, n, k", [
    (1, 7168, 2048), (64, 2112, 7168), (130, 37, 1040), (513, 4100, 400), (4096, 2112, 1536), (1000, 4096, 7168),
    (4096, 7168, 2048), (3000, 1536, 2048), (257, 520, 144),
])  # fmt: skip
def test_scaled_products(m, n, k, out_dtype):
    a, b = (random(rows, k).to(torch.float8_e4m3fn) for rows in (m, n))
    scale_a, scale_b = scales(m, blocks(k)), scales(blocks(n), blocks(k))
    expected = expected_of(a, b, scale_a, scale_b)
    for of_a in (scale_a, scale_a.T.contiguous().T):
        for _ in range(3):
            result = ops.scaled_matmul(a, b, of_a, scale_b, out_dtype=out_dtype)
            assert result.dtype == getattr(torch, out_dtype)
            error = ((result.double() - expected).abs().max() / expected.abs().max()).item()
            assert error <= (5e-3 if out_dtype == "bfloat16" else 3e-3), error


@needs_warpgroups
@pytest.mark.parametrize("tiles", [
    ScaledTiles(128, 128), ScaledTiles(128, 128, (1, 2)), ScaledTiles(128, 192, (2, 1)), ScaledTiles(128, 160),
    ScaledTiles(256, 128), ScaledTiles(128, 256, unit=128),
    ScaledTiles(192, 128, warpgroups=3), ScaledTiles(64, 32, warpgroups=1), ScaledTiles(128, 64, (2, 2)),
    ScaledTiles(128, 128, (2, 1), steps=2), ScaledTiles(64, 128, warpgroups=1, steps=4),
], ids=str)  # fmt: skip
def test_forms_of_scaled_products(tiles, monkeypatch):
    monkeypatch.setattr(_scaled, "choose", lambda *_: tiles)
    _scaled.scaled_matmul.forget()
    m, n, k = 1930, 4200, 1040
    a, b = (random(rows, k).to(torch.float8_e4m3fn) for rows in (m, n))
    scale_a, scale_b = scales(m, blocks(k)), scales(blocks(n), blocks(k))
    expected = expected_of(a, b, scale_a, scale_b)
    for _ in range(3):
        result = ops.scaled_matmul(a, b, scale_a, scale_b).double()
        assert (result - expected).abs().max() <= 5e-3 * expected.abs().max()
    _scaled.scaled_matmul.forget()


@needs_warpgroups
@pytest.mark.parametrize("n", [264, 2048, 37])
@pytest.mark.parametrize("kind", ["offsets", "indices", "counts"])
def test_scaled_products_of_groups(kind, n):
    groups, k = 9, 1040
    sizes = [0, 130, 1, 700, 128, 0, 64, 257, 3]
    if kind == "indices":
        sizes = [128 * blocks(size) for size in sizes]
    outer, rows = ((groups,), 800) if kind == "counts" else ((), sum(sizes) + 128)
    a, b = (
        random(*outer, rows, k).to(torch.float8_e4m3fn),
        random(groups, n, k).to(torch.float8_e4m3fn),
    )
    scale_a, scale_b = scales(*outer, rows, blocks(k)), scales(groups, blocks(n), blocks(k))
    numbers = {
        "offsets": torch.tensor(sizes).cumsum(0),
        "counts": torch.tensor(sizes),
        "indices": torch.cat([
            torch.arange(groups).repeat_interleave(torch.tensor(sizes)), torch.full((128,), -1),
        ]),
    }[kind].int().cuda()  # fmt: skip
    out = torch.full((*outer, rows, n), 7.0, device="cuda").bfloat16()
    ops.grouped_scaled_matmul(a, b, scale_a, scale_b, out=out, **{kind: numbers})
    start = 0
    for group, size in enumerate(sizes):
        part = (group, slice(0, size)) if kind == "counts" else (slice(start, start + size),)
        start += size
        if size:
            expected = expected_of(a[part], b[group], scale_a[part], scale_b[group])
            assert (out[part].double() - expected).abs().max() <= 5e-3 * expected.abs().max()
        if kind == "counts":
            assert (out[group, size:] == 7).all()
    if kind != "counts":
        assert (out[start:] == 7).all()


@needs_warpgroups
@pytest.mark.parametrize(
    "m, n, k", [(1, 3072, 4096), (130, 512, 1040), (2000, 4096, 7168), (4096, 1536, 2048)]
)
def test_scaled_products_with_swiglu(m, n, k):
    a, b = (random(rows, k).to(torch.float8_e4m3fn) for rows in (m, n))
    scale_a, scale_b = scales(m, blocks(k)) * 0.02, scales(blocks(n), blocks(k))
    gate, up = expected_of(a, b, scale_a, scale_b).chunk(2, -1)
    expected = functional.silu(gate) * up
    for _ in range(3):
        result = ops.scaled_matmul(a, b, scale_a, scale_b, activation="swiglu").double()
        assert (result - expected).abs().max() <= 1e-2 * expected.abs().max()


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("block", [(1, 128), (1, None), (128, 128)])
@pytest.mark.parametrize("shape", [(4096, 7168), (3, 200, 520), (129, 131)])
def test_quantized(shape, block, dtype):
    x = random(*shape, dtype=dtype)
    q, scale = ops.quantize(x, block)
    rows, columns = block[0], block[1] or shape[-1]
    wide = scale if block[1] else scale[..., None]
    wide = wide.repeat_interleave(rows, -2)[..., : shape[-2], :]
    wide = wide.repeat_interleave(columns, -1)[..., : shape[-1]]
    assert torch.equal(q.float(), (x.float() * (1 / wide)).to(torch.float8_e4m3fn).float())
    assert (x.float().abs() / wide).max() <= 448.01
    assert (q.float().abs().amax((-2, -1)) == 448).all()


def test_quantized_products_of_experts():
    """A layer of experts, from values to values."""
    tokens, weights = random(512, 1024, dtype=torch.bfloat16), random(4, 2048, 1024) / 32
    x, scale_x = ops.quantize(tokens, columns_first=True)
    w, scale_w = ops.quantize(weights.bfloat16(), (128, 128))
    ends = torch.tensor([100, 100, 300, 512]).int().cuda()
    if torch.cuda.get_device_capability() == (9, 0):
        hidden = ops.grouped_scaled_matmul(x, w, scale_x, scale_w, ends)
        for group, (start, end) in enumerate(((0, 100), (100, 100), (100, 300), (300, 512))):
            wanted = tokens[start:end].float() @ weights[group].float().T
            if end > start:
                assert (hidden[start:end] - wanted).abs().max() < 0.06 * wanted.abs().max()
        gate, up = hidden.float().chunk(2, -1)
        q, scale = ops.quantize(hidden, swiglu=True)
        wanted = functional.silu(gate) * up
        found = q.float() * scale.repeat_interleave(128, -1)
        assert ((found - wanted).abs() <= wanted.abs() / 15 + 0.01).all()


def test_tuned_products(monkeypatch, tmp_path):
    monkeypatch.setenv("FAIRLEAD_CACHE_DIR", str(tmp_path))
    monkeypatch.delenv("FAIRLEAD_NO_CACHE", raising=False)
    few = [Tiles(128, 128), Tiles(128, 64, (2, 1)), Tiles(64, 64, split=2)]
    monkeypatch.setattr(_gemm, "candidates", lambda *_, **__: few)
    a, b = random(512, 768), random(768, 1024)
    close(ops.matmul(a, b, tune=True), a.double() @ b.double())
    (path,) = (tmp_path / "tune").glob("*.json")
    assert path.read_text().count('"us"') in (3, 4)  # tiles of warpgroups, or of warps


@pytest.mark.parametrize(
    "tiles",
    [
        Tiles(64, 32, split=2),
        Tiles(128, 256, parts=2),
        Tiles(64, 256, split=8),
        Tiles(128, 128, split=4),
        Tiles(128, 64, split=2),
        Tiles(64, 64, (2, 1), split=2),
        Tiles(128, 128, (1, 4), split=2, swapped=True),
    ],
    ids=str,
)
def test_shared_depths(tiles, monkeypatch):
    """Blocks of a cluster that share the depth of a tile."""
    monkeypatch.setattr(_gemm, "choose", lambda *_, **__: tiles)
    for m, n, k in ((200, 328, 2048), (64, 4096, 1152), (1, 8, 512)):
        a, b, residual = random(m, k), random(n, k).T, random(m, n)
        wanted = torch.relu(a.double() @ b.double()) + residual.double()
        for _ in range(3):
            close(ops.matmul(a, b, activation="relu", residual=residual), wanted)


@pytest.mark.parametrize(
    "tiles",
    [
        Tiles(192, 176),
        Tiles(192, 128, (2, 1)),
        Tiles(256, 192, (1, 2)),
        Tiles(128, 208),
        Tiles(256, 96),
        Tiles(128, 160, (1, 2), alternating=True),
        Tiles(128, 128, group=256, swapped=True, alternating=True),
    ],
    ids=str,
)
@pytest.mark.parametrize("turned", [False, True])
def test_tiles(tiles, turned, monkeypatch):
    """Three warpgroups, warpgroups by turns, and results that are stored by an odd number of boxes."""
    monkeypatch.setattr(_gemm, "choose", lambda *_, **__: tiles)
    for m, n, k in ((384, 416, 192), (1000, 4104, 520), (3000, 6000, 64)):
        a = random(k, m).T if turned else random(m, k)
        b = random(k, n) if turned else random(n, k).T
        close(ops.matmul(a, b), a.double() @ b.double())


def test_products_of_products():
    """Each may start before the one ahead has ended, and waits until it has before it reads what that wrote."""
    a, b = random(256, 512), random(512, 512) / 22.6
    wanted = a
    for _ in range(20):
        wanted = wanted @ b
    for _ in range(5):
        found = a
        for _ in range(20):
            found = ops.matmul(found, b)
        assert (found - wanted).abs().max() < 0.05 * wanted.abs().max()


def test_batches_and_transposes():
    a, b = random(5, 200, 64), random(5, 64, 120)
    close(ops.matmul(a, b), a.float() @ b.float())
    assert torch.equal(ops.transpose(a), a.mT)
    numbers = torch.arange(70 * 1000, device="cuda").reshape(70, 1000)
    assert torch.equal(ops.transpose(numbers), numbers.T)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("step", [1, 8], ids=["odd", "aligned"])
def test_grouped_products(step, dtype):
    """Multiples of 8 elements go by tensor maps on compute capability 9.0, others by a warp's copies."""
    sizes = [
        (m * step, n * step, k * step) for m, n, k in [(37, 51, 13), (1, 1, 1), (125, 33, 129)] * 7
    ]
    a = [random(m, k, dtype=dtype) for m, _, k in sizes]
    b = [random(k, n, dtype=dtype) for _, n, k in sizes]
    for x, y, z in zip(a, b, ops.grouped_matmul(a, b, activation="relu"), strict=True):
        close(z, functional.relu(x.double() @ y.double()))
    ends = [0, 500, 501, 2000, 2000, 2999]
    x, weights = random(3000, 24 * step, dtype=dtype), random(6, 24 * step, 33 * step, dtype=dtype)
    for w in (weights, weights.mT.contiguous().mT):
        found = ops.grouped_matmul(x, w, torch.tensor(ends, dtype=torch.int32, device="cuda"))
        for i, end in enumerate(ends):
            start = ends[i - 1] if i else 0
            if start < end:
                close(found[start:end], x[start:end].double() @ w[i].double())


@pytest.mark.parametrize("step", [1, 8], ids=["odd", "aligned"])
def test_grouped_bias_and_residual(step):
    sizes = [(m * step, n * step, k * step) for m, n, k in [(37, 51, 13), (125, 33, 129)] * 10]
    a, b = [random(m, k) for m, _, k in sizes], [random(k, n) for _, n, k in sizes]
    bias = [random(n) for _, n, _ in sizes]
    residual = [random(m, n) for m, n, _ in sizes]
    found = ops.grouped_matmul(a, b, bias=bias, residual=residual, activation="gelu")
    for i, each in enumerate(found):
        wanted = functional.gelu(a[i].double() @ b[i].double() + bias[i].double())
        close(each, wanted + residual[i].double())
    ends = [0, 500, 501, 2000, 2999]
    x, weights = random(3000, 24 * step), random(5, 24 * step, 33 * step)
    bias, residual = random(5, 33 * step), random(3000, 33 * step)
    offsets = torch.tensor(ends, dtype=torch.int32, device="cuda")
    found = ops.grouped_matmul(x, weights, offsets, bias=bias, residual=residual)
    for i, end in enumerate(ends[1:], 1):
        rows = slice(ends[i - 1], end)
        wanted = x[rows].double() @ weights[i].double() + bias[i].double()
        close(found[rows], wanted + residual[rows].double())


@pytest.mark.skipif(
    torch.cuda.is_available() and torch.cuda.get_device_capability() != (9, 0),
    reason="warpgroups of compute capability 9.0",
)
@pytest.mark.parametrize("rows", [False, True])
def test_grouped_floats_of_8_bits(rows):
    ends, n, k = [0, 500, 501, 2000, 2999], 528, 416
    x = random(3000, k).to(torch.float8_e4m3fn)
    weights = random(5, n, k).to(torch.float8_e4m3fn).mT
    scale_a = torch.rand(3000 if rows else 1, device="cuda") + 0.5
    scale_b = torch.rand(*(5, n) if rows else (5,), device="cuda") + 0.5
    offsets = torch.tensor(ends, dtype=torch.int32, device="cuda")
    bias = random(5, n)
    found = ops.grouped_matmul(x, weights, offsets, scale_a=scale_a, scale_b=scale_b, bias=bias)
    for i, end in enumerate(ends[1:], 1):
        part = slice(ends[i - 1], end)
        wanted = x[part].double() @ weights[i].double() * scale_b[i].double()
        wanted *= scale_a[part, None].double() if rows else scale_a.double()
        close(found[part], wanted + bias[i].double())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("queries, keys, head_dim, value_dim", [
    (700, 700, 192, 128), (300, 1301, 192, 128), (3, 500, 192, 128), (500, 400, 256, 64), (90, 100, 72, 24),
])  # fmt: skip
def test_attention_of_shorter_values(queries, keys, head_dim, value_dim, causal):
    q, k = random(2, 4, queries, head_dim), random(2, 2, keys, head_dim)
    v = random(2, 2, keys, value_dim)
    wide = torch.cat([v, torch.zeros_like(k[..., value_dim:])], -1)
    found, logs = ops.attention(q, k, v, causal=causal, return_lse=True)
    wanted, of_wide = ops.attention(q, k, wide, causal=causal, return_lse=True)
    close(found, wanted[..., :value_dim].float())
    torch.testing.assert_close(logs, of_wide, atol=1e-3, rtol=1e-3)
    rows = [each[0].transpose(0, 1).contiguous() for each in (q, k, v)]
    of_q, of_k = (torch.tensor([0, n], device="cuda").int() for n in (queries, keys))
    of_rows = ops.attention(*rows, causal=causal, cu_seqlens_q=of_q, cu_seqlens_k=of_k)
    close(of_rows.transpose(0, 1), wanted[0, ..., :value_dim].float())


def of_capability_90():
    if torch.cuda.get_device_capability() != (9, 0):
        pytest.skip("attention of floats of 8 bits needs compute capability 9.0")


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("heads, kv_heads, queries, keys, head_dim, value_dim", [
    (4, 4, 256, 256, 64, 64), (8, 2, 777, 999, 128, 128), (3, 1, 100, 40, 128, 128), (2, 2, 1300, 1111, 256, 64),
    (6, 3, 1, 3000, 128, 128), (4, 2, 900, 1003, 192, 128), (2, 1, 2000, 5000, 128, 128), (2, 1, 300, 700, 64, 48),
])  # fmt: skip
def test_attention_of_floats_of_8_bits(heads, kv_heads, queries, keys, head_dim, value_dim, causal):
    of_capability_90()
    q = random(2, heads, queries, head_dim).to(torch.float8_e4m3fn)
    k, v = (random(2, kv_heads, keys, dim).to(torch.float8_e4m3fn) for dim in (head_dim, value_dim))
    scales = [torch.rand(count, device="cuda") + 0.5 for count in (heads, 1, kv_heads)]
    found = ops.attention(q, k, v, causal=causal, scales=scales)
    wide = [
        each.float() * scale[:, None, None] for each, scale in zip((q, k, v), scales, strict=True)
    ]
    of_heads = [each.repeat_interleave(heads // kv_heads, 1).double() for each in wide[1:]]
    scores = wide[0].double() @ of_heads[0].mT * head_dim**-0.5
    if causal:
        places = torch.arange(queries, device="cuda")[:, None] + keys - queries
        hidden = torch.arange(keys, device="cuda") > places
        scores = scores.masked_fill(hidden, -torch.inf)
    wanted = torch.softmax(scores, -1).nan_to_num(0) @ of_heads[1]
    assert found.dtype == torch.bfloat16
    # Probabilities have three bits behind the point.
    assert (found.double() - wanted).norm() <= 0.04 * wanted.norm()


@pytest.mark.parametrize("head_dim", [64, 128])
def test_sums_of_many_floats_of_8_bits(head_dim):
    """Tensor cores lose small products beside great sums of floats of 8 bits: no sum of them may be long."""
    of_capability_90()
    q, k, v = (random(1, 2, 16384, head_dim) for _ in range(3))
    small = [each.to(torch.float8_e4m3fn) for each in (q[:, :, :256], k, v * 0.5 + 1)]
    found = ops.attention(*small).double()
    scores = small[0].double() @ small[1].double().mT * head_dim**-0.5
    wanted = torch.softmax(scores, -1) @ small[2].double()
    assert abs(found.mean() / wanted.mean() - 1) < 0.01
    assert (found - wanted).norm() <= 0.02 * wanted.norm()


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "heads, kv_heads, length, head_dim",
    [
        (4, 4, 256, 64),
        (8, 2, 777, 128),
        (3, 1, 100, 40),
        (2, 2, 64, 256),
        (6, 2, 1300, 256),
        (3, 3, 900, 192),
        (4, 4, 2500, 64),
        (5, 5, 3000, 128),
        (6, 3, 1500, 96),
    ],
)
def test_attention(heads, kv_heads, length, head_dim, causal):
    q = random(2, heads, length, head_dim)
    k, v = random(2, kv_heads, length, head_dim), random(2, kv_heads, length, head_dim)
    wanted = functional.scaled_dot_product_attention(
        q.float(), k.float(), v.float(), is_causal=causal, enable_gqa=True
    )
    close(ops.attention(q, k, v, causal=causal), wanted)


@pytest.mark.parametrize(
    "batch, heads, kv_heads, queries, keys, head_dim, causal",
    [
        (5, 8, 8, 1, 1, 64, False),
        (64, 32, 8, 1, 4096, 128, False),
        (1, 32, 8, 1, 20001, 128, False),
        (3, 12, 2, 7, 900, 128, True),
        (2, 128, 1, 1, 3000, 128, False),
        (7, 16, 4, 16, 2000, 256, True),
        (2, 6, 3, 8, 500, 40, True),
    ],
)
def test_attention_of_few_queries(batch, heads, kv_heads, queries, keys, head_dim, causal):
    q = random(batch, heads, queries, head_dim)
    k, v = (random(batch, kv_heads, keys, head_dim) for _ in range(2))
    seen = torch.arange(keys) <= torch.arange(queries)[:, None] + keys - queries
    wanted = functional.scaled_dot_product_attention(
        q.float(), k.float(), v.float(), attn_mask=seen.cuda() if causal else None, enable_gqa=True
    )
    close(ops.attention(q, k, v, causal=causal), wanted)


@pytest.mark.parametrize("queries, size", [(1, 16), (4, 64), (100, 48)])
def test_attention_of_caches_in_pages(queries, size):
    lengths = [0, 1, 700, 1600, 333, 48]
    batch, pages = len(lengths), 1600 // size + 1
    table = torch.randperm(batch * pages).int().reshape(batch, pages).cuda()
    k, v = (random(batch * pages, 2, size, 128) for _ in range(2))
    q = random(batch, 16, queries, 128)
    result = ops.attention(
        q, k, v, causal=True, seqlens_k=torch.tensor(lengths).int().cuda(), page_table=table
    )
    assert (result[0] == 0).all()
    for sequence, length in enumerate(lengths[1:], 1):
        rows = table[sequence].long()
        mine = [x[rows].transpose(0, 1).reshape(1, 2, -1, 128)[:, :, :length] for x in (k, v)]
        one = slice(sequence, sequence + 1)
        close(result[one], ops.attention(q[one].contiguous(), *mine, causal=True))


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "heads, kv_heads, head_dim", [(4, 4, 128), (8, 2, 64), (3, 1, 40), (2, 2, 256)]
)
def test_attention_of_sequences(heads, kv_heads, head_dim, causal):
    queries, keys = [100, 1, 0, 777, 3000, 64, 5], [130, 900, 3, 777, 3100, 0, 8]
    of_q, of_k = (torch.tensor([0, *each]).cumsum(0).int().cuda() for each in (queries, keys))
    q = random(sum(queries) + 50, heads, head_dim)
    k, v = (random(sum(keys) + 50, kv_heads, head_dim) for _ in range(2))
    found = ops.attention(q, k, v, causal=causal, cu_seqlens_q=of_q, cu_seqlens_k=of_k)
    for i, (rows, others) in enumerate(zip(queries, keys, strict=True)):
        start, first = of_q[i].item(), of_k[i].item()
        mine = q[start : start + rows].transpose(0, 1)[None]
        shared = [each[first : first + others].transpose(0, 1)[None] for each in (k, v)]
        if rows:
            wanted = (
                ops.attention(mine, *shared, causal=causal) if others else torch.zeros_like(mine)
            )
            close(found[start : start + rows].transpose(0, 1)[None], wanted)


def test_streams_and_graphs():
    """Work is in order with the framework's stream, and graphs record it."""
    x = random(64, 1024)
    ops.softmax(x)
    graph, out = torch.cuda.CUDAGraph(), torch.empty_like(x)
    with torch.cuda.graph(graph):
        ops.softmax(x, out=out)
    x.copy_(random(64, 1024))
    graph.replay()
    torch.cuda.synchronize()
    close(out, torch.softmax(x.float(), -1))


@pytest.mark.parametrize("shape, dtype", gradients.ROWS)
@pytest.mark.parametrize("name", gradients.ROW_OPERATIONS)
def test_gradients_of_rows(name, shape, dtype):
    gradients.check_rows(name, shape, dtype, "cuda")


@pytest.mark.parametrize("shape, dtype", gradients.LOGITS)
@pytest.mark.parametrize("options", gradients.LOSS_OPTIONS)
def test_cross_entropy(shape, dtype, options):
    gradients.check_cross_entropy(shape, dtype, options, "cuda")


@pytest.mark.parametrize("activation", [None, "gelu"])
@pytest.mark.parametrize("batch", [(), (3,)])
def test_gradients_of_products(activation, batch):
    gradients.check_matmul(activation, batch, torch.float16, "cuda")


@pytest.mark.parametrize("problem", gradients.ATTENTION + gradients.LONG_ATTENTION)
def test_gradients_of_attention(problem):
    gradients.check_attention(*problem, device="cuda")


@pytest.mark.parametrize("head_dim", [64, 128, 256])
@pytest.mark.parametrize("queries, keys", [(5, 900), (777, 1000), (900, 300)])
@pytest.mark.parametrize(
    "causal, window, softcap",
    [
        (False, (130, 40), None),
        (True, (300, None), 20.0),
        (False, (None, 100), None),
        (True, None, 2.0),
    ],
)
def test_attention_of_windows(queries, keys, head_dim, causal, window, softcap):
    """With capped scores, and the logarithms of the sums of powers."""
    q = random(2, 6, queries, head_dim)
    k, v = (random(2, 3, keys, head_dim) for _ in range(2))
    options = {"causal": causal, "window": window, "softcap": softcap}
    found, logs = ops.attention(q, k, v, return_lse=True, **options)
    scores = q.double() @ k.double().repeat_interleave(2, 1).mT * head_dim**-0.5
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    left, right = window or (None, None)
    places = torch.arange(queries, device="cuda")[:, None] + keys - queries
    distance = torch.arange(keys, device="cuda") - places
    hidden = distance > (0 if causal else keys if right is None else right)
    if left is not None:
        hidden |= distance < -left
    scores = scores.masked_fill(hidden, -float("inf"))
    close(found, torch.softmax(scores, -1).nan_to_num() @ v.double().repeat_interleave(2, 1))
    torch.testing.assert_close(logs.double(), torch.logsumexp(scores, -1), atol=1e-3, rtol=1e-3)


def test_logarithms_of_sequences():
    queries, keys = [100, 1, 0, 777], [130, 900, 3, 0]
    of_q, of_k = (torch.tensor([0, *each]).cumsum(0).int().cuda() for each in (queries, keys))
    q = random(sum(queries), 4, 128)
    k, v = (random(sum(keys), 2, 128) for _ in range(2))
    options = {"cu_seqlens_q": of_q, "cu_seqlens_k": of_k, "return_lse": True}
    _, logs = ops.attention(q, k, v, causal=True, **options)
    assert logs.shape == (4, sum(queries)) and (logs[:, -777:] == -float("inf")).all()
    for i in (0, 1):
        rows, others = slice(of_q[i], of_q[i + 1]), slice(of_k[i], of_k[i + 1])
        mine = [q[rows].transpose(0, 1)[None], *(x[others].transpose(0, 1)[None] for x in (k, v))]
        _, wanted = ops.attention(*mine, causal=True, return_lse=True)
        torch.testing.assert_close(logs[None, :, rows], wanted, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize(
    "batch, heads, kv_heads, queries, keys, head_dim",
    [
        (2, 4, 4, 1024, 1024, 128),
        (1, 8, 2, 777, 1500, 128),
        (2, 6, 3, 1300, 500, 64),
        (1, 2, 2, 3001, 3001, 64),
        (1, 4, 1, 700, 700, 96),
    ],
)
@pytest.mark.parametrize("together", [0, 1])
def test_gradients_of_long_attention(
    monkeypatch, together, batch, heads, kv_heads, queries, keys, head_dim, causal, dtype
):
    """Kernels of warpgroups, on compute capability 9.0, against float64; the same bits each time.

    ``together``: how many heads of keys store dS at once; 0 for the way of two kernels."""
    monkeypatch.setattr(
        _attention_gradients, "_heads_together", lambda *_: together * heads // kv_heads
    )  # fmt: skip
    _attention_gradients._all_gradients.forget()
    q, k, v = (
        random(batch, count, rows, head_dim).to(dtype).requires_grad_()
        for count, rows in ((heads, queries), (kv_heads, keys), (kv_heads, keys))
    )
    above = random(batch, heads, queries, head_dim).to(dtype)
    result = ops.attention(q, k, v, causal=causal)
    found = torch.autograd.grad(result, (q, k, v), above, retain_graph=True)
    again = torch.autograd.grad(result, (q, k, v), above)
    assert all(torch.equal(first, second) for first, second in zip(found, again, strict=True))
    wide = [tensor.detach().double().requires_grad_() for tensor in (q, k, v)]
    of_k, of_v = (tensor.repeat_interleave(heads // kv_heads, 1) for tensor in wide[1:])
    scores = wide[0] @ of_k.mT * head_dim**-0.5
    if causal:
        last = torch.arange(queries, device="cuda")[:, None] + keys - queries
        scores = scores.masked_fill(torch.arange(keys, device="cuda") > last, -float("inf"))
    expected = torch.softmax(scores, -1).nan_to_num() @ of_v
    wanted = torch.autograd.grad(expected, wide, above.double())
    for part, reference in zip(found, wanted, strict=True):
        error = (part.double() - reference).abs().max() / reference.abs().max()
        assert error <= (2e-3 if dtype is torch.float16 else 1.6e-2), error


@pytest.mark.parametrize("n, k", [(4096, 4096), (1024, 8192), (4000, 1000)])
def test_products_of_any_number_of_rows(n, k):
    """With deterministic="batch", rows have the same bits with any number of rows."""
    a, weight = random(512, k), random(n, k)
    of_all = ops.matmul(a, weight.T, deterministic="batch")
    close(of_all, a @ weight.T)
    for rows in (*range(1, 40), 64, 65, 128, 200, 256, 257, 511):
        assert torch.equal(ops.matmul(a[:rows], weight.T, deterministic="batch"), of_all[:rows])


def with_sinks(q, k, v, sinks, causal):
    """The result of attention and its logarithms, of scores with a column of sinks and values with a row of zeros."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1).float() for x in (k, v))
    scores = q.float() @ k.mT * q.shape[-1] ** -0.5
    if causal:
        queries, keys = scores.shape[-2:]
        last = torch.arange(queries, device="cuda")[:, None] + keys - queries
        scores = scores.masked_fill(torch.arange(keys, device="cuda") > last, -float("inf"))
    column = sinks[None, :, None, None].expand(*scores.shape[:3], 1)
    scores = torch.cat((scores, column), -1)
    return torch.softmax(scores, -1)[..., :-1] @ v, torch.logsumexp(scores, -1)


@pytest.mark.parametrize("heads, kv_heads, queries, keys, head_dim, causal", [
    (8, 2, 300, 500, 128, True), (4, 4, 257, 257, 64, False), (4, 1, 400, 300, 64, True),
    (4, 2, 200, 300, 256, True), (16, 2, 1, 3000, 128, False), (8, 8, 5, 700, 64, True),
])  # fmt: skip
def test_sinks(heads, kv_heads, queries, keys, head_dim, causal):
    q = random(2, heads, queries, head_dim, dtype=torch.bfloat16)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=torch.bfloat16) for _ in range(2))
    sinks = torch.linspace(-3, 6, heads, device="cuda")
    sinks[0], sinks[1] = 200.0, -95.0  # the power of the second one is subnormal
    found, logs = ops.attention(q, k, v, causal=causal, sinks=sinks, return_lse=True)
    wanted, sums = with_sinks(q, k, v, sinks, causal)
    close(found, wanted)
    torch.testing.assert_close(logs, sums, atol=1e-3, rtol=1e-3)


def with_slopes(q, k, v, slopes, causal):
    """The result of attention and its logarithms, of scores that fall with the distance of their keys."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1).float() for x in (k, v))
    queries, keys = q.shape[2], k.shape[2]
    place = torch.arange(queries, device="cuda")[:, None] + keys - queries
    apart = place - torch.arange(keys, device="cuda")
    scores = q.float() @ k.mT * q.shape[-1] ** -0.5 - slopes[..., None, None] * apart.abs()
    if causal:
        scores = scores.masked_fill(apart < 0, -float("inf"))
    return torch.softmax(scores, -1).nan_to_num(0) @ v, torch.logsumexp(scores, -1)


@pytest.mark.parametrize("heads, kv_heads, queries, keys, head_dim, causal", [
    (8, 2, 300, 500, 128, True), (4, 4, 257, 257, 64, False), (4, 1, 400, 300, 64, True),
    (4, 2, 200, 300, 256, True), (16, 2, 1, 3000, 128, False), (8, 8, 5, 700, 64, True),
    (4, 2, 300, 3000, 64, False),
])  # fmt: skip
@pytest.mark.parametrize("of_batches", [False, True], ids=["heads", "batches"])
def test_alibi(heads, kv_heads, queries, keys, head_dim, causal, of_batches):
    q = random(2, heads, queries, head_dim, dtype=torch.bfloat16)
    k, v = (random(2, kv_heads, keys, head_dim, dtype=torch.bfloat16) for _ in range(2))
    slopes = 2.0 ** -torch.linspace(1, 8, heads, device="cuda")
    if of_batches:
        slopes = torch.stack((slopes, -slopes.flip(0) / 64))
    found, logs = ops.attention(q, k, v, causal=causal, alibi_slopes=slopes, return_lse=True)
    expected, sums = with_slopes(q, k, v, slopes, causal)
    close(found, expected)
    torch.testing.assert_close(logs, sums, atol=1e-3, rtol=1e-3)


def test_alibi_of_sequences_and_caches():
    slopes = 2.0 ** -torch.linspace(1, 8, 8, device="cuda")
    q, k, v = (random(rows, heads, 64) for rows, heads in ((500, 8), (700, 2), (700, 2)))
    of_q, of_k = (torch.tensor(x, device="cuda").int() for x in ([0, 200, 500], [0, 600, 700]))
    found = ops.attention(q, k, v, cu_seqlens_q=of_q, cu_seqlens_k=of_k, alibi_slopes=slopes)
    for rows, keys in ((slice(0, 200), slice(0, 600)), (slice(200, 500), slice(600, 700))):
        parts = (x.transpose(0, 1)[None] for x in (q[rows], k[keys], v[keys]))
        close(found[rows].transpose(0, 1)[None], with_slopes(*parts, slopes, False)[0])
    q, k, v = random(2, 8, 3, 128), random(2, 2, 900, 128), random(2, 2, 900, 128)
    lengths = torch.tensor([900, 333], device="cuda").int()
    found = ops.attention(q, k, v, causal=True, seqlens_k=lengths, alibi_slopes=slopes)
    for i, n in enumerate((900, 333)):
        one = slice(i, i + 1)
        close(found[one], with_slopes(q[one], k[one, :, :n], v[one, :, :n], slopes, True)[0])


def test_sinks_of_sequences_and_floats_of_8_bits():
    sinks = torch.linspace(-3, 6, 8, device="cuda")
    q, k, v = (random(rows, heads, 64) for rows, heads in ((500, 8), (700, 2), (700, 2)))
    of_q, of_k = (torch.tensor(x, device="cuda").int() for x in ([0, 200, 500], [0, 600, 700]))
    found = ops.attention(q, k, v, cu_seqlens_q=of_q, cu_seqlens_k=of_k, sinks=sinks)
    for rows, keys in ((slice(0, 200), slice(0, 600)), (slice(200, 500), slice(600, 700))):
        parts = (x.transpose(0, 1)[None] for x in (q[rows], k[keys], v[keys]))
        close(found[rows].transpose(0, 1)[None], with_sinks(*parts, sinks, False)[0])
    q, k, v = (random(2, heads, 400, 128).to(torch.float8_e4m3fn) for heads in (8, 2, 2))
    found, logs = ops.attention(q, k, v, sinks=sinks, return_lse=True)
    wanted, sums = with_sinks(q, k, v, sinks, False)
    assert (found.float() - wanted).norm() < 0.1 * wanted.norm()
    torch.testing.assert_close(logs, sums, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("length, head_dim, causal", [(500, 64, True), (2048, 128, False)])
def test_gradients_of_sinks(length, head_dim, causal):
    tensors = [random(2, heads, length, head_dim, dtype=torch.bfloat16) for heads in (8, 2, 2)]
    tensors.append(torch.linspace(-3, 6, 8, device="cuda"))
    leaves = [x.requires_grad_() for x in tensors]
    wide = [x.detach().float().requires_grad_() for x in leaves]
    gradient = random(2, 8, length, head_dim, dtype=torch.bfloat16)
    with_sinks(*wide, causal)[0].backward(gradient.float())
    ops.attention(*leaves[:3], causal=causal, sinks=leaves[3]).backward(gradient)
    for leaf, other in zip(leaves, wide, strict=True):
        error = (leaf.grad.float() - other.grad).abs().max() / other.grad.abs().max()
        assert error <= TOLERANCE[torch.bfloat16]


def test_attention_of_any_batch():
    q, k, v = random(64, 32, 1, 128), random(64, 8, 4096, 128), random(64, 8, 4096, 128)
    of_all = ops.attention(q, k, v, deterministic="batch")
    for batch in (1, 2, 7, 33):
        part = (tensor[:batch] for tensor in (q, k, v))
        assert torch.equal(ops.attention(*part, deterministic="batch"), of_all[:batch])


@pytest.mark.parametrize("batch, n, k, dtype", [
    ((), 4096, 4096, torch.bfloat16), ((8,), 2048, 1408, torch.bfloat16), ((), 8192, 1000, torch.float16),
    ((3,), 333, 77, torch.float32), ((), 1, 4096, torch.float16), ((), 128256, 512, torch.bfloat16),
])  # fmt: skip
def test_products_of_one_row(batch, n, k, dtype):
    a, b = random(*batch, 1, k, dtype=dtype), random(*batch, n, k, dtype=dtype).mT
    bias, residual = random(n, dtype=dtype), random(*batch, 1, n, dtype=dtype)
    exact = a.double() @ b.double()
    scale = exact.abs().max()
    for found, wanted in (
        (ops.matmul(a, b), exact),
        (ops.matmul(a, b, bias=bias, activation="relu", residual=residual),
         torch.relu(exact + bias.double()) + residual.double()),
    ):  # fmt: skip
        assert (found.double() - wanted).abs().max() <= TOLERANCE[dtype] * scale
        assert found.dtype == dtype and found.shape == wanted.shape


@pytest.mark.parametrize("queries", [1, 4, 300])
def test_attention_of_values_that_are_not_numbers(queries):
    """A NaN or an infinite score makes the row NaN, as in torch; other rows are numbers."""
    q, k, v = random(1, 3, queries, 64), random(1, 3, 600, 64), random(1, 3, 600, 64)
    k[0, 0, 70, 3], k[0, 2, 9] = torch.nan, torch.inf
    out, logs = ops.attention(q, k, v, return_lse=True)
    wanted = torch.softmax(q.double() @ k.double().mT / 8, -1) @ v.double()
    assert wanted.isnan().any() and not wanted.isnan().all()
    assert torch.equal(out.isnan(), wanted.isnan())
    assert torch.equal(logs.isfinite(), ~wanted.isnan().all(-1))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("rows, columns, k", [
    (3, 7, 7), (64, 50257, 50), (5, 128256, 1000), (2, 256000, 64),
])  # fmt: skip
def test_greatest_of_rows(rows, columns, k, dtype):
    x = 3 * random(rows, columns, dtype=dtype)
    x[0, 5], x[1, 3], x[1, 2] = torch.nan, torch.inf, -torch.inf
    values, places = ops.top_k(x, k)
    expected = torch.sort(x, dim=-1, descending=True, stable=True)
    assert torch.equal(places, expected.indices[:, :k])
    torch.testing.assert_close(values, expected.values[:, :k], equal_nan=True, rtol=0, atol=0)


@pytest.mark.parametrize("top_k, top_p", [(None, None), (50, None), (None, 0.9), (200, 0.8)])
@pytest.mark.parametrize("rows, columns", [(300, 77), (64, 50257), (5, 128256)])
def test_samples_of_rows(rows, columns, top_k, top_p):
    x, uniform = 3 * random(rows, columns, dtype=torch.bfloat16), torch.rand(rows, device="cuda")
    found = ops.sample(x, uniform, top_k=top_k, top_p=top_p)
    assert torch.equal(found, ops.sample(x, uniform, top_k=top_k, top_p=top_p))
    if top_k is not None:
        numbers = torch.full((rows,), top_k, device="cuda", dtype=torch.int32)
        assert torch.equal(found, ops.sample(x, uniform, top_k=numbers, top_p=top_p))
    ordered, places = torch.sort(x.double(), dim=-1, descending=True, stable=True)
    shares = torch.softmax(ordered, -1)
    if top_k is not None:
        shares[:, top_k:] = 0
        shares /= shares.sum(-1, keepdim=True)
    if top_p is not None:
        shares[shares.cumsum(-1) - shares >= top_p + 1e-5] = 0
    of_columns = torch.zeros_like(shares).scatter_(-1, places, shares)
    sums = of_columns.cumsum(-1) / of_columns.sum(-1, keepdim=True)
    at = sums.gather(-1, found[:, None])[:, 0]
    before = at - (of_columns / of_columns.sum(-1, keepdim=True)).gather(-1, found[:, None])[:, 0]
    assert (of_columns.gather(-1, found[:, None]) > 0).all()
    assert (before <= uniform + 1e-4).all() and (uniform <= at + 1e-4).all()

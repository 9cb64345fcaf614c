"""fairlead.ops.scaled_matmul and grouped_scaled_matmul compared with float64 products of the scaled operands; all forms
of their kernel on the CPU, and the assembler's remarks on them."""

import numpy as np
import pytest
from support.thinned import crossed
from test_hopper_kernels import assembled, needs_ptxas

from fairlead import BFloat16, Float8E4M3FN, Float32, Int32, cute, ops
from fairlead.ops import _scaled
from fairlead.ops._scaled_gemm import ScaledGemm
from fairlead.ops._scaled_tiles import ScaledTiles, candidates, choose

torch = pytest.importorskip("torch")

#: Tolerances relative to the largest result, from the rounding of results.
TOLERANCE = {torch.bfloat16: 4e-3, torch.float16: 6e-4, torch.float32: 1e-6}


def blocks(extent):
    return -(-extent // 128)


def floats(*shape, dtype=torch.float8_e4m3fn):
    return torch.randn(*shape).to(dtype)


def scales(*shape):
    return torch.rand(*shape) + 0.5


def dequantised(q, scale, rows=1):
    """Each scale repeated for 128 columns, and for ``rows`` rows."""
    wide = scale.double().repeat_interleave(128, -1)[..., : q.shape[-1]]
    if rows > 1:
        wide = wide.repeat_interleave(rows, -2)[..., : q.shape[-2], :]
    return q.double() * wide


def expected_of(a, b, scale_a, scale_b):
    return dequantised(a, scale_a) @ dequantised(b, scale_b, 128).mT


def close(result, expected):
    assert result.shape == expected.shape
    error = (result.double() - expected).abs().max() / expected.abs().max()
    assert error <= TOLERANCE[result.dtype], error


def operands(m, n, k):
    return floats(m, k), floats(n, k), scales(m, blocks(k)), scales(blocks(n), blocks(k))


# --- products


@pytest.mark.parametrize("extents, out_dtype", crossed(
    [(1, 1, 16), (1, 136, 128), (70, 264, 400), (130, 37, 1040), (64, 64, 112), (257, 520, 144)],
    ["bfloat16", "float16", "float32"],
))  # fmt: skip
def test_products(extents, out_dtype):
    m, n, k = extents
    a, b, scale_a, scale_b = operands(m, n, k)
    result = ops.scaled_matmul(a, b, scale_a, scale_b, out_dtype=out_dtype)
    assert result.dtype == getattr(torch, out_dtype)
    close(result, expected_of(a, b, scale_a, scale_b))


def test_strides_of_scales_and_types_of_operands():
    m, n, k = 90, 200, 272
    a, b = floats(m, k, dtype=torch.float8_e5m2), floats(n, k)
    scale_a, scale_b = scales(m, blocks(k)), scales(blocks(n), blocks(k))
    expected = expected_of(a, b, scale_a, scale_b)
    close(ops.scaled_matmul(a, b, scale_a, scale_b), expected)
    by_columns = [scale.T.contiguous().T for scale in (scale_a, scale_b)]
    close(ops.scaled_matmul(a, b, *by_columns), expected)
    # Columns of a wider array, and one scale for all rows.
    padded = torch.full((m, 8), float("nan"))
    padded[:, 1:4] = scale_a
    close(ops.scaled_matmul(a, b, padded[:, 1:4], scale_b), expected)
    one = torch.full((1, 1), 0.5).expand(m, blocks(k))
    close(ops.scaled_matmul(a, b, one, scale_b), expected_of(a, b, one, scale_b))


def test_operands_and_results_within_others():
    m, n, k = 70, 100, 100
    _, _, scale_a, scale_b = operands(m, n, k)
    a, b = floats(m, 256)[:, 16 : 16 + k], floats(n, 128)[:, :k]
    expected = expected_of(a, b, scale_a, scale_b)
    for columns in (104, 101):  # rows that begin at multiples of 16 bytes, and others
        memory = torch.full((m + 1, columns + 8), 7.0).bfloat16()[:, : columns + (columns % 2) * 8]
        out = memory[:m, :n]
        assert ops.scaled_matmul(a, b, scale_a, scale_b, out=out) is out
        close(out, expected)
        assert (memory[:m, n:] == 7).all() and (memory[m] == 7).all()


def swiglu(product):
    gate, up = product.chunk(2, -1)
    return torch.nn.functional.silu(gate) * up


@pytest.mark.parametrize("m, n, k", [(70, 256, 400), (1, 768, 144)])
def test_swiglu(m, n, k):
    a, b, scale_a, scale_b = operands(m, n, k)
    scale_a *= 0.2
    result = ops.scaled_matmul(a, b, scale_a, scale_b, activation="swiglu")
    close(result, swiglu(expected_of(a, b, scale_a, scale_b)))


def test_no_rows():
    a, b, scale_a, scale_b = operands(0, 72, 144)
    assert ops.scaled_matmul(a, b, scale_a, scale_b).shape == (0, 72)
    out = torch.empty(0, 72).bfloat16()
    assert ops.scaled_matmul(a, b, scale_a, scale_b, out=out) is out


def test_arrays_of_numpy():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a, b, scale_a, scale_b = operands(40, 48, 160)
    arrays = [
        x.view(torch.uint8).numpy().view(ml_dtypes.float8_e4m3fn) if x.dtype.itemsize == 1 else x.numpy()
        for x in (a, b, scale_a, scale_b)
    ]  # fmt: skip
    result = ops.scaled_matmul(*arrays, out_dtype="float32")
    assert isinstance(result, np.ndarray)
    close(torch.from_numpy(result), expected_of(a, b, scale_a, scale_b))


def test_nans_and_infinite_scales_propagate():
    m, n, k = 70, 264, 400
    a, b, scale_a, scale_b = operands(m, n, k)
    a[3, 130], b[200, 399] = float("nan"), float("nan")
    scale_a[69, 3], scale_a[10, 0], scale_b[0, 1] = float("nan"), float("inf"), float("nan")
    result = ops.scaled_matmul(a, b, scale_a, scale_b)
    is_nan = torch.zeros(m, n, dtype=torch.bool)
    is_nan[[3, 69]], is_nan[:, 200], is_nan[:, :128] = True, True, True
    is_nan[10] = result[10].isnan()  # the sum of an infinity and others
    assert torch.equal(result.isnan(), is_nan)
    assert not result[10].isfinite().any()


def test_warm_calls_have_a_plan():
    a, b, scale_a, scale_b = operands(20, 32, 128)
    out = torch.empty(20, 32).bfloat16()
    ops.scaled_matmul(a, b, scale_a, scale_b, out=out)
    before = ops.scaled_matmul.info().hits
    for _ in range(3):
        ops.scaled_matmul(a, b, scale_a, scale_b, out=out)
    assert ops.scaled_matmul.info().hits == before + 3


# --- groups


GROUPS, N, K = 5, 264, 272


def weights():
    return floats(GROUPS, N, K), scales(GROUPS, blocks(N), blocks(K))


def int32(numbers):
    return torch.tensor(numbers, dtype=torch.int32)


@pytest.mark.parametrize("ends, n", crossed([
    [100, 100, 101, 260, 290], [0, 0, 0, 0, 0], [0, 0, 0, 0, 300], [300, 300, 300, 300, 300],
    [64, 128, 192, 256, 300], [-5, 90, 20, 5000, 10],
], [N, 37]))  # fmt: skip
def test_offsets(ends, n):
    a, scale_a = floats(300, K), scales(300, blocks(K))
    b, scale_b = weights()
    b, scale_b = b[:, :n].contiguous(), scale_b[:, : blocks(n)]
    out = torch.full((300, n), 7.0).bfloat16()
    assert ops.grouped_scaled_matmul(a, b, scale_a, scale_b, int32(ends), out=out) is out
    start = 0
    for group, end in enumerate(ends):
        end = max(start, min(end, 300))
        if end > start:
            part = a[start:end], b[group], scale_a[start:end], scale_b[group]
            close(out[start:end], expected_of(*part))
        start = end
    assert (out[start:] == 7).all()


@pytest.mark.parametrize("counts, n", crossed(
    [[0, 1, 200, 64, 130], [-1, 300, 65, 0, 0], [0, 0, 0, 0, 0]], [N, 37]
))  # fmt: skip
def test_counts(counts, n):
    a, scale_a = floats(GROUPS, 200, K), scales(GROUPS, 200, blocks(K))
    b, scale_b = weights()
    b, scale_b = b[:, :n].contiguous(), scale_b[:, : blocks(n)]
    out = torch.full((GROUPS, 200, n), 7.0).bfloat16()
    ops.grouped_scaled_matmul(
        a, b, scale_a, scale_b, counts=int32(counts), out=out, expected_rows=50
    )
    for group, count in enumerate(counts):
        count = max(0, min(count, 200))
        if count:
            part = a[group, :count], b[group], scale_a[group, :count], scale_b[group]
            close(out[group, :count], expected_of(*part))
        assert (out[group, count:] == 7).all()


@pytest.mark.parametrize("n", [N, 37])
def test_indices(n):
    rows, groups = 600, [3, -1, 0, 4, GROUPS]
    a, scale_a = floats(rows, K), scales(rows, blocks(K))
    b, scale_b = weights()
    b, scale_b = b[:, :n].contiguous(), scale_b[:, : blocks(n)]
    index = int32(groups).repeat_interleave(128)[:rows].contiguous()
    index[100:128] = -1  # padding behind a group's rows: the first row counts
    out = torch.full((rows, n), 7.0).bfloat16()
    ops.grouped_scaled_matmul(a, b, scale_a, scale_b, indices=index, out=out)
    for run, group in enumerate(groups):
        part = slice(128 * run, min(rows, 128 * run + 128))
        if 0 <= group < GROUPS:
            close(out[part], expected_of(a[part], b[group], scale_a[part], scale_b[group]))
        else:
            assert (out[part] == 7).all()


def test_groups_without_rows():
    b, scale_b = weights()
    a, scale_a = floats(0, K), scales(0, blocks(K))
    result = ops.grouped_scaled_matmul(a, b, scale_a, scale_b, int32([0] * GROUPS))
    assert result.shape == (0, N) and result.dtype == torch.bfloat16


def test_swiglu_of_groups():
    a, scale_a = floats(200, K), scales(200, blocks(K)) * 0.2
    b, scale_b = floats(GROUPS, 512, K), scales(GROUPS, 4, blocks(K))
    out = torch.full((200, 256), 7.0).bfloat16()
    ends = [70, 70, 71, 190, 190]
    ops.grouped_scaled_matmul(a, b, scale_a, scale_b, int32(ends), activation="swiglu", out=out)
    for group, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if end > start:
            part = a[start:end], b[group], scale_a[start:end], scale_b[group]
            close(out[start:end], swiglu(expected_of(*part)))
    assert (out[190:] == 7).all()


# --- all forms of the kernel


def fakes(rows):
    groups, m, n, k, of_k, of_n = (cute.sym_int() for _ in range(6))
    outer_a = (groups,) if rows == "counts" else ()
    outer_b = (groups,) if rows != "matrix" else ()

    def fake(dtype, shape, align):
        strides = [cute.sym_int64(divisibility=8 * align // dtype.width) for _ in shape]
        strides[-1] = 1 if align == 16 else strides[-1]
        return cute.make_fake_tensor(dtype, shape, stride=tuple(strides), assumed_align=align)

    index = [cute.make_fake_compact_tensor(Int32, (cute.sym_int(),), assumed_align=4)]
    return [
        fake(Float8E4M3FN, (*outer_a, m, k), 16),
        fake(Float8E4M3FN, (*outer_b, n, k), 16),
        fake(Float32, (*outer_a, m, of_k), 4),
        fake(Float32, (*outer_b, of_n, of_k), 4),
        *(index if rows != "matrix" else []),
        fake(BFloat16, (*outer_a, m, cute.sym_int()), 16),
    ]


FORMS = [
    ScaledTiles(128, 128, (2, 1)),
    ScaledTiles(128, 192),
    ScaledTiles(128, 160, (1, 2)),
    ScaledTiles(128, 96, (2, 2)),
    ScaledTiles(128, 128, (2, 1), steps=2),
    ScaledTiles(64, 128, warpgroups=1, steps=4),
    ScaledTiles(128, 64),
    ScaledTiles(192, 128, warpgroups=3),
    ScaledTiles(64, 192, warpgroups=1),
    ScaledTiles(64, 32, warpgroups=1, stages=2),
]
WIDE = [ScaledTiles(256, 128, (1, 2)), ScaledTiles(128, 256, unit=128)]


@pytest.mark.parametrize("tiles", [*FORMS, *WIDE], ids=str)
def test_forms(tiles):
    kernel = cute.compile(ScaledGemm(tiles, 8), *fakes("matrix"), options="--target cpu")
    m, n, k = 270, 392, 272
    parts = operands(m, n, k)
    out = torch.full((m, n), float("nan")).bfloat16()
    kernel(*parts, out)
    close(out, expected_of(*parts))


@pytest.mark.parametrize(
    "tiles",
    [ScaledTiles(128, 192), ScaledTiles(128, 128, steps=2), ScaledTiles(64, 64, warpgroups=1)],
    ids=str,
)
def test_forms_of_groups(tiles):
    kernel = cute.compile(
        ScaledGemm(tiles, 3, "offsets"), *fakes("offsets"), options="--target cpu"
    )
    a, scale_a, (b, scale_b) = floats(500, K), scales(500, blocks(K)), weights()
    out = torch.full((500, N), 7.0).bfloat16()
    ends = [300, 301, 301, 440, 490]
    kernel(a, b, scale_a, scale_b, int32(ends), out)
    for group, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        if end > start:
            part = a[start:end], b[group], scale_a[start:end], scale_b[group]
            close(out[start:end], expected_of(*part))
    assert (out[490:] == 7).all()


FORMS_OF_SWIGLU = [
    ScaledTiles(128, 192, (2, 1)),
    ScaledTiles(128, 160),
    ScaledTiles(128, 128, steps=4),
    ScaledTiles(64, 32, warpgroups=1),
]


def compiled_swiglu(tiles, target):
    gemm = ScaledGemm(tiles, 8, swiglu=True)
    return cute.compile(gemm, *fakes("matrix"), options=f"--target {target}")


@pytest.mark.parametrize("tiles", FORMS_OF_SWIGLU, ids=str)
def test_forms_of_swiglu(tiles):
    m, n, k = 140, 768, 272
    parts = operands(m, n, k)
    parts[2].mul_(0.2)
    out = torch.full((m, n // 2), float("nan")).bfloat16()
    compiled_swiglu(tiles, "cpu")(*parts, out)
    close(out, swiglu(expected_of(*parts)))


@needs_ptxas
@pytest.mark.parametrize("tiles", FORMS_OF_SWIGLU, ids=str)
def test_forms_of_swiglu_assemble(tiles, tmp_path):
    assembled(compiled_swiglu(tiles, "cuda:sm_90a").__ptx__, tmp_path)


def test_groups_have_no_clusters():
    """Tiles of one group and of none are neighbours."""
    gemm = ScaledGemm(ScaledTiles(128, 64, (2, 1)), 8, "indices")
    assert gemm.tiles.cluster == (1, 1)
    kernel = cute.compile(gemm, *fakes("indices"), options="--target cpu")
    a, scale_a, b, scale_b = floats(256, K), scales(256, 3), floats(1, N, K), scales(1, 3, 3)
    out = torch.full((256, N), 7.0).bfloat16()
    kernel(a, b, scale_a, scale_b, int32([-1] * 128 + [0] * 128), out)
    close(out[128:], expected_of(a[128:], b[0], scale_a[128:], scale_b[0]))
    assert (out[:128] == 7).all()


@needs_ptxas
@pytest.mark.parametrize("tiles", FORMS, ids=str)
def test_forms_assemble(tiles, tmp_path):
    kernel = cute.compile(ScaledGemm(tiles, 132), *fakes("matrix"), options="--target cuda:sm_90a")
    assembled(kernel.__ptx__, tmp_path)


@needs_ptxas
@pytest.mark.parametrize("rows", ["offsets", "indices", "counts"])
@pytest.mark.parametrize(
    "tiles", [ScaledTiles(128, 192), ScaledTiles(64, 64, warpgroups=1)], ids=str
)
def test_groups_assemble(rows, tiles, tmp_path):
    kernel = cute.compile(
        ScaledGemm(tiles, 132, rows), *fakes(rows), options="--target cuda:sm_90a"
    )
    assembled(kernel.__ptx__, tmp_path)


def test_choice():
    """Few rows have small tiles, and groups no clusters. Of the forms for two large products, these were the fastest on
    an H200."""
    assert choose(1, 7168, 2048, 1, 132).m == 64
    for n, k in ((7168, 2048), (4096, 7168)):
        assert choose(4096, n, k, 1, 132) == ScaledTiles(128, 128, steps=4)
    assert choose(4096, 2112, 7168, 1, 132).cluster == (2, 1)
    assert choose(256, 4096, 7168, 32, 132).cluster == (1, 1)


def test_candidates():
    """Tuning tries what the model would take, and clusters for one product alone."""
    for shape in ((1, 7168, 2048), (4096, 7168, 2048), (300, 520, 144)):
        tiles = candidates(*shape, 1, 132)
        assert choose(*shape, 1, 132) in tiles and len(set(tiles)) == len(tiles)
    assert {tiles.cluster for tiles in candidates(256, 4096, 7168, 32, 132)} == {(1, 1)}


# --- errors


def cases_of_products():
    a, b, scale_a, scale_b = operands(32, 48, 144)
    return [
        ((a.float(), b, scale_a, scale_b), {}, "a: expected elements of float8_e4m3fn"),
        ((a, b.float(), scale_a, scale_b), {}, "b: expected elements of float8_e4m3fn"),
        ((a[None], b, scale_a, scale_b), {}, "a: expected two dimensions"),
        ((a, b[:, :128], scale_a, scale_b), {}, r"b: expected the shape \[N, 144\]"),
        ((a, b[:0], scale_a, scale_b), {}, "b: expected elements"),
        ((a[:, :0], b[:, :0], scale_a, scale_b), {}, "b: expected elements"),
        ((a.T.contiguous().T, b, scale_a, scale_b), {}, "a: expected contiguous rows that begin at mult"),
        ((a, floats(48, 150)[:, :144], scale_a, scale_b), {}, r"b: expected contiguous rows.*strides \[150, 1\]"),
        ((floats(32, 160)[:, 1:145], b, scale_a, scale_b), {}, "a: expected contiguous rows.*1 bytes behind"),
        ((a, b, scale_a.double(), scale_b), {}, "scale_a: expected elements of float32"),
        ((a, b, scale_a[:, :1], scale_b), {}, r"scale_a: expected the shape \[32, 2\].*\[32, 1\]"),
        ((a, b, scale_a, scale_b.T), {}, r"scale_b: expected the shape \[1, 2\].*\[2, 1\]"),
        ((a, b, scale_a, scale_b), {"activation": "gelu"}, "activation: expected swiglu or None"),
        ((a, b, scale_a, scale_b), {"activation": "swiglu"}, "b: expected a multiple of 256 as N"),
        ((a, b, scale_a, scale_b), {"out_dtype": "int8"}, "out_dtype: expected one of float16"),
        ((a, b, scale_a, scale_b), {"out": torch.empty(32, 48)}, "out: expected elements of bfloat16"),
        ((a, b, scale_a, scale_b), {"out": torch.empty(32, 40).bfloat16()}, r"out: expected the shape \[32, 48\]"),
        ((a, b, scale_a, scale_b), {"out": torch.empty(48, 32).bfloat16().T}, "out: expected contiguous rows"),
    ]  # fmt: skip


@pytest.mark.parametrize("index", range(18))
def test_errors(index):
    arguments, options, message = cases_of_products()[index]
    with pytest.raises(ValueError, match=message):
        ops.scaled_matmul(*arguments, **options)


def test_all_errors_are_tested():
    assert len(cases_of_products()) == 18


@pytest.mark.parametrize("options, message", [
    ({}, "offsets: expected one of offsets, indices and counts, but got none"),
    ({"offsets": int32([1] * GROUPS), "indices": int32([0] * 64)}, "offsets: .*got offsets, indices"),
    ({"offsets": int32([1])}, r"offsets: expected the shape \[5\]"),
    ({"offsets": torch.tensor([1] * GROUPS)}, "offsets: expected elements of int32"),
    ({"indices": int32([1])}, r"indices: expected the shape \[64\]"),
    ({"counts": int32([1] * GROUPS)}, "a: expected 3 dimensions with counts"),
    ({"offsets": int32([1] * GROUPS), "expected_rows": 0}, "expected_rows: expected a number from 1 on"),
])  # fmt: skip
def test_errors_of_groups(options, message):
    b, scale_b = weights()
    a, scale_a = floats(64, K), scales(64, blocks(K))
    with pytest.raises(ValueError, match=message):
        ops.grouped_scaled_matmul(a, b, scale_a, scale_b, **options)
    with pytest.raises(ValueError, match=r"b: expected the shape \[groups, N, 272\]"):
        ops.grouped_scaled_matmul(a, b[0], scale_a, scale_b, int32([1]))
    with pytest.raises(ValueError, match="a: expected 5 matrices, as b has"):
        ops.grouped_scaled_matmul(a[None], b, scale_a[None], scale_b, counts=int32([1] * GROUPS))


def test_gradients_are_an_error():
    a, b, scale_a, scale_b = operands(32, 48, 128)
    with pytest.raises(ValueError, match="scale_b: expected no tensor that requires a gradient"):
        ops.scaled_matmul(a, b, scale_a, scale_b.requires_grad_())


def test_gpus_without_warpgroups(monkeypatch):
    """The error names the capability that is needed."""
    a, b, scale_a, scale_b = operands(32, 48, 128)
    described = _scaled.checked

    def on_gpu(value, name, like=None, dtypes=()):
        array = described(value, name, None, dtypes)
        array.device = "cuda:0"
        return array

    monkeypatch.setattr(_scaled, "checked", on_gpu)
    monkeypatch.setattr("fairlead.ops._arrays._of_device", lambda *_: ((8, 0), 108, "A100"))
    with pytest.raises(ValueError, match="a: expected a CPU or a GPU of compute capability 9.0"):
        _scaled.scaled_matmul.__wrapped__(a, b, scale_a, scale_b)

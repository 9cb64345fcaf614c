"""fairlead.ops.quantize compared with torch, bit by bit, and products of its results."""

import itertools

import numpy as np
import pytest
from support.thinned import thinned
from test_hopper_kernels import assembled

from fairlead import BFloat16, Float8E4M3FN, Float8E5M2, Float32, cute, ops
from fairlead.ops._quantize import _Quantize

torch = pytest.importorskip("torch")

BLOCKS = [(1, 128), (1, None), (128, 128)]
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}


def wide(scale, shape, block):
    """A factor for each element."""
    rows, columns = block[0], block[1] or shape[-1]
    scale = scale if block[1] else scale[..., None]
    scale = scale.repeat_interleave(rows, -2)[..., : shape[-2], :]
    return scale.repeat_interleave(columns, -1)[..., : shape[-1]]


def expected_of(x, block, dtype="float8_e4m3fn", power_of_two=False):
    x = x.float()
    *outer, m, n = x.shape
    rows, columns = block[0], block[1] or n
    down, along = -(-m // rows), -(-n // columns)
    padded = torch.nn.functional.pad(x, (0, along * columns - n, 0, down * rows - m))
    parts = padded.reshape(*outer, down, rows, along, columns)
    scale = parts.abs().amax((-3, -1)).clamp(min=1e-10) / LARGEST[dtype]
    if power_of_two:
        scale = torch.exp2(torch.ceil(torch.log2(scale.double()))).float()
    scale = scale if block[1] else scale[..., 0]
    return (x * (1 / wide(scale, x.shape, block))).to(getattr(torch, dtype)), scale


def equal(result, expected):
    assert result.shape == expected.shape and result.dtype == expected.dtype
    assert torch.equal(result.float(), expected.float())


DTYPES = [torch.float32, torch.bfloat16, torch.float16]
SHAPES = [(1, 1), (5, 128), (130, 400), (3, 200, 72), (2, 129, 131), (2, 5000)]
# In the default run, the types take turns.
IN_TURN = [
    (shape, block, DTYPES[(i + j) % 3])
    for i, shape in enumerate(SHAPES)
    for j, block in enumerate(BLOCKS)
]


@pytest.mark.parametrize(
    "shape, block, dtype", thinned(itertools.product(SHAPES, BLOCKS, DTYPES), IN_TURN)
)
def test_against_torch(shape, block, dtype):
    x = torch.randn(*shape).to(dtype) * 3
    q, scale = ops.quantize(x, block)
    for result, expected in zip((q, scale), expected_of(x, block), strict=True):
        equal(result, expected)
    # Each element is found again but for half of the distance of its neighbours.
    factor = wide(scale, x.shape, block)
    error = (q.float() * factor - x.float()).abs()
    assert (error <= torch.maximum(x.float().abs() / 15, factor * 2.0**-9)).all()


@pytest.mark.parametrize("block", BLOCKS)
def test_options(block):
    x = torch.randn(140, 256).bfloat16() * torch.logspace(-8, 6, 140)[:, None].bfloat16()
    for options in ({"power_of_two": True}, {"dtype": "float8_e5m2"}):
        for result, expected in zip(
            ops.quantize(x, block, **options), expected_of(x, block, **options), strict=True
        ):
            equal(result, expected)


@pytest.mark.parametrize("columns", [256, 520, 74])
@pytest.mark.parametrize("block", BLOCKS[:2])
def test_swiglu(block, columns):
    x = torch.randn(33, columns).bfloat16()
    gate, up = x.float().chunk(2, -1)
    q, scale = ops.quantize(x, block, swiglu=True)
    expected = torch.nn.functional.silu(gate) * up
    assert q.shape == expected.shape
    factor = wide(scale, expected.shape, block)
    torch.testing.assert_close(scale, expected_of(expected, block)[1], rtol=1e-5, atol=0)
    assert (
        (q.float() * factor - expected).abs()
        <= torch.maximum(expected.abs() / 15, factor * 2.0**-9)
    ).all()


def test_strides_and_results():
    x = torch.randn(3, 70, 512)[:, :, 128:400]
    expected = expected_of(x, (1, 128))
    for result, value in zip(ops.quantize(x, columns_first=True), expected, strict=True):
        equal(result, value)
    q, scale = ops.quantize(x, columns_first=True)
    assert scale.stride() == (210, 1, 70) and q.is_contiguous()
    out = torch.empty(3, 70, 272).to(torch.float8_e4m3fn), torch.full((3, 70, 8), 7.0)[..., :3]
    returned = ops.quantize(x, out=out)
    assert returned[0] is out[0] and returned[1] is out[1]
    for result, value in zip(out, expected, strict=True):
        equal(result, value)
    for result, value in zip(ops.quantize(x.mT), expected_of(x.mT, (1, 128)), strict=True):
        equal(result, value)


def test_zeros_nans_and_infinities():
    x = torch.zeros(4, 256)
    x[1, 3], x[2, 200], x[3, :128] = float("nan"), float("-inf"), 1e-30
    x[2, 201] = 1.0
    q, scale = (result.float() for result in ops.quantize(x))
    assert (q[0] == 0).all() and torch.equal(scale[0], torch.full((2,), 1e-10) / 448)
    assert q[1, :128].isnan().all() and scale[1, 0].isnan() and (q[1, 128:] == 0).all()
    assert scale[2, 1] == float("inf") and q[2, 200].isnan() and q[2, 201] == 0
    assert torch.equal(scale[3], scale[0]) and q[3].isfinite().all()
    q, scale = ops.quantize(x, power_of_two=True)
    assert scale[1, 0].isnan() and scale[2, 1] == float("inf")


def test_nothing():
    q, scale = ops.quantize(torch.randn(0, 256))
    assert q.shape == (0, 256) and q.dtype == torch.float8_e4m3fn and scale.shape == (0, 2)


def test_arrays_of_numpy():
    pytest.importorskip("ml_dtypes")
    x = np.random.default_rng(1).standard_normal((9, 200), dtype=np.float32)
    q, scale = ops.quantize(x)
    expected = expected_of(torch.from_numpy(x), (1, 128))
    assert q.dtype.name == "float8_e4m3fn"
    assert np.array_equal(q.astype(np.float32), expected[0].float().numpy())
    assert np.array_equal(scale, expected[1].numpy())


def test_products_of_quantized_values():
    a, b = torch.randn(70, 300), torch.randn(200, 300)
    a, b = (torch.nn.functional.pad(x, (0, 4)) for x in (a, b))
    (q, scale), (w, scale_w) = ops.quantize(a), ops.quantize(b, (128, 128))
    result, expected = ops.scaled_matmul(q, w, scale, scale_w), a @ b.T
    assert (result.float() - expected).abs().max() < 0.05 * expected.abs().max()


def test_warm_calls_have_a_plan():
    x = torch.randn(5, 256)
    ops.quantize(x)
    before = ops.quantize.info().hits
    for _ in range(3):
        ops.quantize(x)
    assert ops.quantize.info().hits == before + 3


@pytest.mark.parametrize("arguments, options, message", [
    ((torch.zeros(4),), {}, "x: expected two or three dimensions"),
    ((torch.zeros(4, 0),), {}, "x: expected elements in each row"),
    ((torch.zeros(4, 8).int(),), {}, "x: expected elements of float16"),
    ((torch.zeros(4, 8), (1, 64)), {}, r"block: expected \(1, 128\), \(1, None\), \(128, 128\), but got \(1, 64\)"),
    ((torch.zeros(4, 8),), {"dtype": "int8"}, "dtype: expected one of float8_e4m3fn, float8_e5m2"),
    ((torch.zeros(4, 8), (128, 128)), {"swiglu": True}, r"swiglu: expected False for blocks of \(128, 128\)"),
    ((torch.zeros(4, 7),), {"swiglu": True}, "x: expected an even last dimension with swiglu"),
    ((torch.zeros(4, 8), (1, None)), {"columns_first": True}, "columns_first: expected False but for blocks"),
    ((torch.zeros(4, 8),), {"out": torch.zeros(4, 8)}, "out: expected a pair"),
    ((torch.zeros(4, 8),), {"out": (torch.zeros(4, 8), torch.zeros(4, 1))}, r"out\[0\]: expected elements of float8"),
    ((torch.zeros(4, 8),), {"out": (torch.zeros(4, 8).to(torch.float8_e4m3fn), torch.zeros(4, 2))},
     r"out\[1\]: expected the shape \[4, 1\]"),
])  # fmt: skip
def test_errors(arguments, options, message):
    with pytest.raises(ValueError, match=message):
        ops.quantize(*arguments, **options)


def test_gradients_are_an_error():
    with pytest.raises(ValueError, match="quantize"):
        ops.quantize(torch.zeros(4, 8, requires_grad=True))


def compiled(rows, whole_rows, swiglu, target, dtype="float8_e4m3fn"):
    """The kernel for compute capability 9.0."""
    kernel = _Quantize(dtype, rows, whole_rows, 8, swiglu, False, True)
    m, n, wide_n = cute.sym_int(), cute.sym_int(divisibility=8), cute.sym_int()
    x = cute.make_fake_tensor(
        BFloat16, (m, wide_n), stride=(cute.sym_int64(divisibility=8), 1), assumed_align=16
    )
    q = cute.make_fake_compact_tensor(
        Float8E4M3FN if "e4m3" in dtype else Float8E5M2,
        (m, n),
        stride_order=(1, 0),
        assumed_align=8,
    )
    shape = (m,) if whole_rows else (cute.sym_int(), cute.sym_int())
    strides = tuple(cute.sym_int64() for _ in shape)
    scale = cute.make_fake_tensor(Float32, shape, stride=strides, assumed_align=4)
    return cute.compile(kernel, x, q, scale, options=f"--target {target}")


@pytest.mark.parametrize("dtype", LARGEST)
@pytest.mark.parametrize("block", BLOCKS)
def test_kernels_of_gpus(block, dtype):
    """With the instruction that converts two numbers, and waits for the kernels ahead."""
    x = torch.randn(150, 264).bfloat16()
    x[3, 5] = float("nan")
    q, scale = (torch.empty_like(result) for result in expected_of(x, block, dtype))
    compiled(block[0], block[1] is None, False, "cpu", dtype)(x, q, scale)
    for result, expected in zip((q, scale), expected_of(x, block, dtype), strict=True):
        assert torch.equal(result.float().nan_to_num(7e9), expected.float().nan_to_num(7e9))


@pytest.mark.parametrize(
    "rows, whole_rows, swiglu", [(1, False, True), (128, False, False), (1, True, False)]
)
def test_kernels_assemble(rows, whole_rows, swiglu, tmp_path):
    text = compiled(rows, whole_rows, swiglu, "cuda:sm_90a").__ptx__
    assert "ld.global.v4" in text and "cvt.rn.satfinite.e4m3x2.f32" in text
    assembled(text, tmp_path)

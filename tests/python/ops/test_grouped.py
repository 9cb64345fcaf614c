"""fairlead.ops.grouped_matmul against float64; its kernels for GPUs also on the CPU, and the assembler's remarks on
them."""

import numpy as np
import pytest
from support.thinned import crossed
from test_hopper_kernels import assembled, matrix, needs_ptxas

import fairlead.ops as ops
from fairlead import BFloat16, Float16, Float32, Int32, cute
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._groups import GroupedGemm, HopperGroups, table_fake
from fairlead.ops._tiles import Tiles
from fairlead.ops._warp_gemm import ScalarGemm, WarpGemm

torch = pytest.importorskip("torch")

TOLERANCE = {torch.float32: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1.2e-2}
SIZES = [(70, 56, 40), (1, 8, 8), (130, 200, 72), (64, 64, 264)]
ADDED = Epilogue(1.0, "relu", True, -1.0)


def random(*shape, dtype=torch.float32):
    generator = torch.Generator().manual_seed(len(shape) + shape[-1])
    return torch.randn(*shape, generator=generator).to(dtype)


def close(found, wanted):
    assert found.shape == wanted.shape
    scale = wanted.abs().max().clamp(min=1)
    error = ((found.double() - wanted) / scale).abs().max()
    assert error <= TOLERANCE[found.dtype], error


def by_offsets(x, weights, offsets):
    """In float64, up to the last offset."""
    starts = [0, *offsets[:-1]]
    parts = [x[s:e].double() @ w.double() for s, e, w in zip(starts, offsets, weights, strict=True)]
    return torch.cat(parts)


@pytest.mark.parametrize(
    "a_turned, b_turned, dtype",
    [
        (False, False, torch.float32),
        (True, True, torch.float16),
        (False, False, torch.bfloat16),
    ],
)
def test_matrices_one_by_one(a_turned, b_turned, dtype):
    a = [random(m, k, dtype=dtype) for m, _, k in [*SIZES, (3, 5, 7)]]
    b = [random(k, n, dtype=dtype) for _, n, k in [*SIZES, (3, 5, 7)]]
    a = [x.T.contiguous().T if a_turned else x for x in a]
    b = [x.T.contiguous().T if b_turned else x for x in b]
    found = ops.grouped_matmul(a, b)
    assert isinstance(found, list) and len(found) == len(a)
    for x, y, z in zip(a, b, found, strict=True):
        close(z, x.double() @ y.double())


@pytest.mark.parametrize("dtype, turned", crossed(list(TOLERANCE), [False, True]))
def test_offsets(turned, dtype):
    x, weights = random(300, 64, dtype=dtype), random(5, 64, 72, dtype=dtype)
    weights = weights.mT.contiguous().mT if turned else weights
    ends = [100, 100, 101, 260, 290]
    found = ops.grouped_matmul(x, weights, torch.tensor(ends, dtype=torch.int32))
    assert found.shape == (300, 72) and found.dtype == dtype
    close(found[:290], by_offsets(x, weights, ends))


def test_epilogue_types_and_given_results():
    a, b = [random(40, 24), random(9, 16)], [random(24, 8), random(16, 24)]
    outs = [torch.full((m, n), float("nan")).half() for m, n in ((40, 8), (9, 24))]
    found = ops.grouped_matmul(a, b, alpha=0.5, activation="silu", out_dtype="float16", out=outs)
    assert all(x is y for x, y in zip(found, outs, strict=True))
    for x, y, z in zip(a, b, outs, strict=True):
        close(z, torch.nn.functional.silu(0.5 * x.double() @ y.double()))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_bias_and_residual(dtype):
    sizes = [(40, 8, 24), (9, 24, 16), (70, 66, 72)]
    a = [random(m, k, dtype=dtype) for m, _, k in sizes]
    b = [random(k, n, dtype=dtype) for _, n, k in sizes]
    bias = [random(n, dtype=dtype) for _, n, _ in sizes]
    residual = [random(m, n, dtype=dtype) for m, n, _ in sizes]
    given = {"bias": bias, "residual": residual, "beta": -0.5, "activation": "silu"}
    for i, found in enumerate(ops.grouped_matmul(a, b, alpha=0.5, **given)):
        wanted = torch.nn.functional.silu(0.5 * a[i].double() @ b[i].double() + bias[i].double())
        close(found, wanted - 0.5 * residual[i].double())

    ends = [100, 100, 101, 260, 290]
    x, weights = random(300, 64, dtype=dtype), random(5, 64, 72, dtype=dtype)
    bias, residual = random(5, 72, dtype=dtype), random(300, 72, dtype=dtype)
    found = ops.grouped_matmul(
        x, weights, torch.tensor(ends, dtype=torch.int32), bias=bias, residual=residual,
        activation="relu",
    )  # fmt: skip
    wanted = torch.relu(by_offsets(x, weights, ends) + rows_of(bias, ends))
    close(found[:290], wanted + residual[:290].double())


def rows_of(each, ends):
    """A row of each problem's own, for all rows of it."""
    counts = torch.tensor([e - s for s, e in zip([0, *ends[:-1]], ends, strict=True)])
    return each.double().repeat_interleave(counts, 0)


@pytest.mark.parametrize("scales", ["tensor", "rows", None])
def test_floats_of_8_bits(scales):
    a_type, b_type = torch.float8_e4m3fn, torch.float8_e5m2
    sizes = [(72, 80, 48), (8, 16, 16), (130, 96, 144)]
    a = [random(m, k).to(a_type) for m, _, k in sizes]
    b = [random(n, k).to(b_type).T for _, n, k in sizes]
    bias = [random(n) for _, n, _ in sizes]
    given, of_a, of_b = {}, [torch.ones(1)] * 3, [torch.ones(1)] * 3
    if scales:
        of_a = [torch.rand(m if scales == "rows" else 1) + 0.5 for m, _, _ in sizes]
        of_b = [torch.rand(n if scales == "rows" else 1) + 0.5 for _, n, _ in sizes]
        given = {"scale_a": of_a, "scale_b": of_b}
    found = ops.grouped_matmul(a, b, bias=bias, **given)
    for i, each in enumerate(found):
        product = a[i].double() @ b[i].double() * of_a[i].double()[:, None] * of_b[i].double()
        assert each.dtype == torch.bfloat16
        close(each, product + bias[i].double())

    ends, n = [0, 70, 71, 190], 48
    x, weights = random(200, 96).to(a_type), random(4, n, 96).to(a_type).mT
    given, of_a, of_b = {}, torch.ones(200), torch.ones(4, 1)
    if scales == "rows":
        given = {"scale_a": torch.rand(200), "scale_b": torch.rand(4, n)}
        of_a, of_b = given.values()
    elif scales == "tensor":
        given = {"scale_a": torch.tensor(0.5), "scale_b": torch.rand(4)}
        of_a, of_b = torch.full((200,), 0.5), given["scale_b"][:, None]
    offsets = torch.tensor(ends, dtype=torch.int32)
    found = ops.grouped_matmul(x, weights, offsets, out_dtype="float32", **given)
    wanted = by_offsets(x, weights, ends) * of_a[:190, None].double() * rows_of(of_b, ends)
    torch.testing.assert_close(found[:190].double(), wanted, atol=1e-3, rtol=1e-4)


def test_offsets_out_of_order_stay_inside():
    """Offsets that do not divide the rows read and write nothing beyond them."""
    x, weights = random(20, 16), random(3, 16, 8)
    out = torch.zeros(20, 8)
    ops.grouped_matmul(x, weights, torch.tensor([15, 4, 1000], dtype=torch.int32), out=out)
    close(out, by_offsets(x, weights, [15, 15, 20]))


def test_numpy_and_jax():
    x, weights = random(50, 24), random(3, 24, 16)
    ends = torch.tensor([20, 21, 50], dtype=torch.int32)
    wanted = ops.grouped_matmul(x, weights, ends).numpy()
    arrays = x.numpy(), weights.numpy(), ends.numpy()
    np.testing.assert_array_equal(ops.grouped_matmul(*arrays), wanted)
    jax = pytest.importorskip("jax")
    if jax.default_backend() == "cpu":
        given = [jax.numpy.asarray(each) for each in arrays]
        np.testing.assert_array_equal(jax.jit(ops.grouped_matmul)(*given), wanted)
        first = ops.grouped_matmul([given[0][:5], given[0]], [given[1][0], given[1][1]])
        np.testing.assert_allclose(first[1], x.numpy() @ weights[1].numpy(), atol=1e-4)
        assert [each.shape for each in first] == [(5, 16), (50, 16)]


def zeros(*shape):
    return torch.zeros(*shape)


def eights():
    narrow = torch.float8_e4m3fn
    return [zeros(16, 32).to(narrow)], [zeros(32, 32).to(narrow).T]


ENDS = torch.tensor([1, 2], dtype=torch.int32)


@pytest.mark.parametrize("call, message", [
    (lambda: ops.grouped_matmul([], []), "a: expected at least one matrix"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)] * 2), "b: expected a sequence of 1 matrices, but got 2"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], zeros(3, 4)), "b: expected a sequence of 1 matrices, but got Tensor"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(4, 4)]), r"b\[0\]: expected the shape \[3, columns\]"),
    (lambda: ops.grouped_matmul([zeros(2, 3)] * 2, [zeros(3, 4), zeros(3, 4).half()]), r"b\[1\]: expected elements"),
    (lambda: ops.grouped_matmul([zeros(2, 3), zeros(0, 3)], [zeros(3, 4)] * 2), r"a\[1\]: expected elements"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], ENDS), "offsets: expected None for sequences"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(2, 3, 4)), "offsets: expected the ends of 2 problems"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(2, 3, 4), ENDS.long()), "offsets: expected elements of int32"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(3, 3, 4), ENDS), r"offsets: expected the shape \[3\]"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(3, 4), ENDS), r"b: expected the shape \[problems, 3, columns\]"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(2, 3, 4), ENDS, out=zeros(2, 5)), r"out: expected the shape"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], out=[zeros(4, 2).T]), r"out\[0\]: expected a row-major"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], activation="elu"), "activation: expected relu"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], out_dtype="int8"), "out_dtype: expected one of float16"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], bias=zeros(4)), "bias: expected a sequence of 1 arrays"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], bias=[zeros(3)]), r"bias\[0\]: expected the shape \[4\]"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(2, 3, 4), ENDS, bias=zeros(4)),
     r"bias: expected the shape \[2, 4\]"),
    (lambda: ops.grouped_matmul(zeros(2, 3), zeros(2, 3, 4), ENDS, residual=zeros(2, 3)),
     r"residual: expected the shape \[2, 4\]"),
    (lambda: ops.grouped_matmul([zeros(2, 3)], [zeros(3, 4)], scale_a=[zeros(1)]),
     "scale_a: expected None for elements"),
    (lambda: ops.grouped_matmul(*eights(), scale_a=[zeros(1)]), "scale_b: expected scales, as the other matrices"),
    (lambda: ops.grouped_matmul(*eights(), scale_a=[zeros(1)], scale_b=[zeros(32)]),
     r"scale_a\[0\]: expected one element, or the shape \[16\]"),
    (lambda: ops.grouped_matmul(eights()[0], [eights()[1][0].T.contiguous().T.contiguous()]),
     "b: expected contiguous columns of floats of 8 bits"),
    (lambda: ops.grouped_matmul(eights()[0], [zeros(32, 32).half()]), r"b\[0\]: expected elements of float8_e4m3fn"),
])  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call()


# --- the kernels for GPUs


def row_major(dtype, rank=2):
    return matrix(dtype, batched=rank == 3)


def compact(dtype):
    extents = cute.sym_int(), cute.sym_int(divisibility=128 // dtype.width)
    return cute.make_fake_compact_tensor(dtype, extents, stride_order=(1, 0), assumed_align=16)


def listed(inner, dtype, width, count, target, blocks=3):
    operands = ((dtype, True, width), (dtype, False, width), (dtype, True, width))
    fakes = [row_major(dtype) for _ in range(2 * count)]
    fakes += [cute.make_fake_compact_tensor(dtype, (cute.sym_int(),)) for _ in range(count)]
    fakes += [compact(dtype) for _ in range(2 * count)]
    gemm = GroupedGemm(inner, operands, blocks, count, (("bias", dtype), ("residual", dtype)))
    return cute.compile(gemm, *fakes, table_fake(), options=f"--target {target}")


def divided(inner, dtype, width, target, blocks=3):
    operands = ((dtype, True, width), (dtype, False, width), (dtype, True, width))
    ends = cute.make_fake_compact_tensor(Int32, (cute.sym_int(),))
    bias = cute.make_fake_compact_tensor(
        dtype, (cute.sym_int(), cute.sym_int()), stride_order=(1, 0)
    )
    fakes = [
        row_major(dtype),
        row_major(dtype, 3),
        ends,
        bias,
        compact(dtype),
        compact(dtype),
        table_fake(),
    ]
    gemm = GroupedGemm(inner, operands, blocks, None, (("bias", dtype), ("residual", dtype)))
    return cute.compile(gemm, *fakes, options=f"--target {target}")


def table(problems):
    return torch.zeros(problems + 1, 128, dtype=torch.int32)


def of_warpgroups():
    return HopperGroups(ADDED, Tiles(64, 64, group=2), 3, 2)


@pytest.mark.parametrize("make, dtype, torch_dtype", [
    (lambda: ScalarGemm(ADDED), Float32, torch.float32),
    (of_warpgroups, Float16, torch.float16),
])  # fmt: skip
def test_kernels_with_a_table(make, dtype, torch_dtype):
    width = 128 // dtype.width
    sizes = [(72, 56, 40), (8, 8, 8), (136, 72, 72)]
    a = [random(m, k, dtype=torch_dtype) for m, _, k in sizes]
    b = [random(k, n, dtype=torch_dtype) for _, n, k in sizes]
    outs = [torch.full((m, n), float("nan"), dtype=torch_dtype) for m, n, _ in sizes]
    bias = [random(n, dtype=torch_dtype) for _, n, _ in sizes]
    residual = [random(m, n, dtype=torch_dtype) for m, n, _ in sizes]
    given = *a, *b, *bias, *residual, *outs, table(len(sizes))
    listed(make(), dtype, width, len(sizes), "cpu")(*given)
    for x, y, z, one, other in zip(a, b, outs, bias, residual, strict=True):
        close(z, torch.relu(x.double() @ y.double() + one.double()) - other.double())

    x, weights, ends = (
        random(200, 72, dtype=torch_dtype),
        random(4, 72, 136, dtype=torch_dtype),
        [0, 70, 71, 190],
    )
    out = torch.full((200, 136), float("nan"), dtype=torch_dtype)
    offsets = torch.tensor(ends, dtype=torch.int32)
    bias, residual = random(4, 136, dtype=torch_dtype), random(200, 136, dtype=torch_dtype)
    divided(make(), dtype, width, "cpu")(x, weights, offsets, bias, residual, out, table(4))
    wanted = torch.relu(by_offsets(x, weights, ends) + rows_of(bias, ends))
    close(out[:190], wanted - residual[:190].double())
    assert out[190:].isnan().all()


@needs_ptxas
@pytest.mark.parametrize("dtype, make", [
    (Float16, lambda: HopperGroups(ADDED, Tiles(128, 256), 132)),
    (BFloat16, lambda: HopperGroups(Epilogue(1.0, "gelu", True, 1.0), Tiles(64, 128), 132)),
    (Float16, lambda: WarpGemm(Float16, ("k", 8), ("n", 8), ADDED, (128, 128), 2)),
])  # fmt: skip
def test_assembles(dtype, make, tmp_path):
    assembled(listed(make(), dtype, 8, 20, "cuda:sm_90a", 132).__ptx__, tmp_path)
    assembled(divided(make(), dtype, 8, "cuda:sm_90a", 132).__ptx__, tmp_path)

"""The kernels of fairlead.ops for compute capability 9.0: results on the CPU, against float64, and the assembler's
remarks on their PTX."""

import math
import os
import re
import shutil
import subprocess
from types import SimpleNamespace

import pytest
from support.thinned import IS_SHORT, crossed
from test_chosen_tiles import measured

from fairlead import BFloat16, Float8E4M3FN, Float16, Float32, cute, ops
from fairlead.ops import _attention_gradients, _hopper_attention
from fairlead.ops._divided_gemm import DividedGemm
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._gemm import Arranged
from fairlead.ops._hopper_attention import HopperAttention, key_tiles, tiles_of
from fairlead.ops._hopper_attention_gradients import BLOCK, HopperGradients, RowNumbers
from fairlead.ops._hopper_fused_gradients import FusedGradients
from fairlead.ops._hopper_gemm import HopperGemm
from fairlead.ops._softmax import Window
from fairlead.ops._tiles import Tiles

torch = pytest.importorskip("torch")

PTXAS = os.environ.get("FAIRLEAD_PTXAS") or shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
# With --long, they are compiled without an assembler as well.
needs_ptxas = pytest.mark.skipif(
    IS_SHORT and not os.path.exists(PTXAS), reason="no ptxas here, and --long compiles without it"
)
PLAIN = Epilogue(1.0, None, False, 0.0)


def matrix(dtype, contiguous=1, batched=False):
    shape = [cute.sym_int() for _ in range(2 + batched)]
    strides = [cute.sym_int64(divisibility=128 // dtype.width) for _ in shape]
    strides[batched + contiguous] = 1
    return cute.make_fake_tensor(dtype, tuple(shape), stride=tuple(strides), assumed_align=16)


def vector(dtype):
    return cute.make_fake_compact_tensor(dtype, (cute.sym_int(),))


def product(gemm, *tensors, target, batched=False):
    return cute.compile(Arranged(gemm, batched), *tensors, options=f"--target {target}")


# --- products


@pytest.mark.parametrize("tiles, shape, turned, stages", [
    (Tiles(64, 64), (64, 64, 64), (False, False), 2),
    (Tiles(64, 32), (72, 40, 136), (True, False), 3),
    (Tiles(128, 64, group=2), (200, 328, 72), (False, True), 3),
    (Tiles(256, 64), (304, 72, 200), (True, True), 2),
    (Tiles(64, 192), (64, 200, 64), (False, True), 2),
    (Tiles(64, 32, split=2), (72, 40, 264), (False, True), 3),
    (Tiles(128, 128, split=4), (200, 136, 600), (True, False), 4),
    (Tiles(256, 64, split=2), (264, 72, 200), (False, True), 4),
    (Tiles(64, 32, rows=16), (11, 40, 136), (False, True), 3),
    (Tiles(64, 64, split=2, rows=8), (8, 72, 136), (False, False), 3),
    (Tiles(128, 160), (200, 328, 72), (False, True), 2),
    (Tiles(192, 48), (400, 200, 136), (False, True), 2),
    (Tiles(256, 96), (304, 200, 72), (True, False), 2),
    (Tiles(64, 64, (2, 2)), (250, 200, 136), (False, True), 2),
    (Tiles(64, 64, (1, 4)), (64, 200, 136), (False, True), 2),
    (Tiles(64, 8, swapped=True), (5, 200, 136), (False, True), 3),
    (Tiles(128, 48, swapped=True), (90, 200, 136), (False, False), 2),
    (Tiles(192, 40, (2, 1), swapped=True), (77, 400, 72), (False, True), 2),
    (Tiles(256, 72, (1, 2), swapped=True), (200, 264, 72), (False, False), 2),
    (Tiles(64, 32, (4, 2), 2, swapped=True), (104, 328, 72), (True, True), 2),
    (Tiles(64, 32, split=2, swapped=True), (40, 72, 264), (False, True), 3),
    (Tiles(64, 96, (1, 4)), (64, 600, 136), (False, True), 3),
    (Tiles(64, 88, rows=16), (11, 176, 136), (False, True), 3),
    (Tiles(64, 72, (2, 1)), (80, 200, 136), (True, True), 3),
    (Tiles(128, 40, (1, 2)), (77, 80, 72), (False, True), 2),
    (Tiles(256, 24), (304, 88, 72), (False, True), 2),
    (Tiles(64, 48, (4, 2), swapped=True), (81, 512, 200), (False, True), 3),
    (Tiles(64, 88, (4, 2), swapped=True), (162, 520, 264), (False, True), 3),
    (Tiles(128, 64, (1, 2), split=2), (104, 256, 776), (False, True), 3),
    (Tiles(64, 64, (2, 2), split=2, swapped=True), (128, 256, 776), (True, False), 3),
    (Tiles(64, 64, (2, 1), split=4, rows=16), (11, 128, 520), (False, True), 3),
    (Tiles(64, 64, alternating=True), (200, 328, 136), (False, True), 3),
    (Tiles(128, 96, (2, 1), alternating=True), (504, 520, 72), (True, False), 4),
    (Tiles(128, 72, swapped=True, alternating=True), (600, 584, 264), (False, True), 3),
    (Tiles(64, 64, alternating=True), (64, 64, 200), (False, True), 2),
])  # fmt: skip
def test_products(tiles, shape, turned, stages):
    m, n, k = shape
    gemm = HopperGemm(PLAIN, tiles, 8, stages)
    a, b = torch.randn(m, k).half(), torch.randn(k, n).half()
    a, b = (x.T.contiguous().T if turn else x for x, turn in zip((a, b), turned, strict=True))
    out = torch.full((m, n), float("nan")).half()
    f = product(
        gemm, matrix(Float16, 0 if turned[0] else 1), matrix(Float16, 0 if turned[1] else 1), matrix(Float16),
        target="cpu",
    )  # fmt: skip
    f(a, b, out)
    torch.testing.assert_close(out.double(), a.double() @ b.double(), atol=2e-2, rtol=2e-3)


@pytest.mark.parametrize("tiles", [Tiles(64, 64), Tiles(64, 48, swapped=True), Tiles(64, 72)])
def test_batches_bias_activation_residual(tiles):
    gemm = HopperGemm(Epilogue(0.5, "silu", True, -2.0), tiles, 4, 2)
    # Tiles of 72 columns need contiguous columns of B, and store results from registers.
    mode = 1 if tiles.n != 72 else 0
    a, b = torch.randn(3, 70, 72).bfloat16(), torch.randn(3, 72, 136).bfloat16()
    b = b if mode else b.mT.contiguous().mT
    bias, residual = torch.randn(136), torch.randn(3, 70, 136).bfloat16()
    out = torch.full((3, 70, 136), float("nan")).bfloat16()
    of = [matrix(BFloat16, contiguous, batched=True) for contiguous in (1, mode, 1, 1)]
    f = product(gemm, *of[:2], vector(Float32), *of[2:], target="cpu", batched=True)
    f(a, b, bias, residual, out)
    sums = 0.5 * a.double() @ b.double() + bias.double()
    wanted = torch.nn.functional.silu(sums) - 2 * residual.double()
    torch.testing.assert_close(out.double(), wanted, atol=5e-2, rtol=2e-2)


def divided(target, tiles=Tiles(64, 64, parts=4)):  # noqa: B008
    epilogue = Epilogue(0.5, "silu", True, -2.0)
    sums = cute.make_fake_compact_tensor(
        Float32,
        (cute.sym_int(), cute.sym_int(divisibility=8)),
        stride_order=(1, 0),
        assumed_align=16,
    )
    gemm = DividedGemm(epilogue, tiles, 4)
    of = matrix(BFloat16), matrix(BFloat16, 0), vector(Float32), matrix(BFloat16), matrix(BFloat16)
    return product(gemm, *of, sums, target=target)


@pytest.mark.parametrize(
    "tiles", [Tiles(64, 64, parts=4), Tiles(64, 40, parts=3, swapped=True), Tiles(64, 40, parts=3)]
)
def test_divided_depths(tiles):
    """Products of parts of the depth, which another kernel adds."""
    m, n, k = 70, 136, 512
    a, b = torch.randn(m, k).bfloat16(), torch.randn(n, k).bfloat16().T
    bias, residual = torch.randn(n), torch.randn(m, n).bfloat16()
    out = torch.full((m, n), float("nan")).bfloat16()
    sums = torch.full((tiles.parts * m, n), float("nan"))
    divided("cpu", tiles)(a, b, bias, residual, out, sums)
    wanted = torch.nn.functional.silu(0.5 * a.double() @ b.double() + bias.double())
    torch.testing.assert_close(out.double(), wanted - 2 * residual.double(), atol=5e-2, rtol=2e-2)
    depth = -(-k // 64 // tiles.parts) * 64
    parts = [a[:, i : i + depth].double() @ b[i : i + depth].double() for i in range(0, k, depth)]
    torch.testing.assert_close(sums.double(), torch.cat(parts), atol=1e-3, rtol=1e-3)


def plain(dtype, batched=False):
    """Row-major, of any extents."""
    shape = tuple(cute.sym_int() for _ in range(2 + batched))
    order = tuple(reversed(range(2 + batched)))
    return cute.make_fake_compact_tensor(dtype, shape, stride_order=order)


@pytest.mark.parametrize("n, tiles", crossed(
    [1, 37, 130], [Tiles(64, 32), Tiles(128, 64, split=2)]
))  # fmt: skip
def test_results_stored_by_threads(n, tiles):
    """Rows of the result that TMA cannot store."""
    gemm = HopperGemm(Epilogue(1.0, "relu", True, 1.0), tiles, 3, 3, direct=True)
    a, b = torch.randn(2, 70, 136).half(), torch.randn(2, n, 136).half().mT
    bias, residual = torch.randn(n), torch.randn(2, 70, n).half()
    memory = torch.full((2 * 70 * n + 1,), 7.0).half()
    out = memory[:-1].reshape(2, 70, n)
    f = product(
        gemm, matrix(Float16, batched=True), matrix(Float16, 0, batched=True), vector(Float32),
        plain(Float16, True), plain(Float16, True), target="cpu", batched=True,
    )  # fmt: skip
    f(a, b, bias, residual, out)
    wanted = torch.relu(a.double() @ b.double() + bias.double()) + residual.double()
    torch.testing.assert_close(out.double(), wanted, atol=2e-2, rtol=2e-3)
    assert memory[-1] == 7


@pytest.mark.parametrize("scales, out_dtype", crossed(["tensor", "rows", None], [None, "float32"]))
def test_floats_of_8_bits(scales, out_dtype):
    a = torch.randn(72, 96).to(torch.float8_e4m3fn)
    b = torch.randn(80, 96).to(torch.float8_e5m2).T
    given = {}
    if scales == "tensor":
        given = {"scale_a": torch.tensor([0.5]), "scale_b": torch.tensor(3.0)}
    elif scales == "rows":
        given = {"scale_a": torch.rand(72), "scale_b": torch.rand(80)}
    found = ops.matmul(a, b, out_dtype=out_dtype, **given)
    assert found.dtype == getattr(torch, out_dtype or "bfloat16")
    wanted = a.double() @ b.double()
    if scales == "tensor":
        wanted *= 1.5
    elif scales == "rows":
        wanted *= given["scale_a"].double()[:, None] * given["scale_b"].double()
    torch.testing.assert_close(found.double(), wanted, atol=1e-4, rtol=1e-2)


def test_scales_of_one_row():
    a, b = (torch.randn(rows, 96).to(torch.float8_e4m3fn) for rows in (1, 80))
    of_a, of_b = torch.rand(1), torch.rand(80)
    wanted = (a.double() @ b.double().T) * of_a.double() * of_b.double()
    found = ops.matmul(a, b.T, scale_a=of_a, scale_b=of_b)
    torch.testing.assert_close(found.double(), wanted, atol=1e-4, rtol=1e-2)


def test_scales_of_transposed_products():
    gemm = HopperGemm(Epilogue(1.0, None, False, 0.0, "rows"), Tiles(64, 40, swapped=True), 4, 2)
    a, b = torch.randn(72, 96).to(torch.float8_e4m3fn), torch.randn(80, 96).to(torch.float8_e4m3fn)
    of_a, of_b = torch.rand(72), torch.rand(80)
    out = torch.full((72, 80), float("nan")).bfloat16()
    of = matrix(Float8E4M3FN), matrix(Float8E4M3FN, 0), vector(Float32), vector(Float32)
    product(gemm, *of, matrix(BFloat16), target="cpu")(a, b.T, of_a, of_b, out)
    wanted = (a.double() @ b.double().T) * of_a.double()[:, None] * of_b.double()
    torch.testing.assert_close(out.double(), wanted, atol=1e-4, rtol=1e-2)


@pytest.mark.parametrize("arguments, message", [
    ({"scale_a": torch.ones(1)}, "scale_b: expected a scale, as the other matrix has one"),
    ({"scale_a": torch.ones(1), "scale_b": torch.ones(32)}, r"scale_a: expected one element, or the shape \[16\]"),
    ({"out_dtype": "int8"}, "out_dtype: expected one of float16"),
])  # fmt: skip
def test_bad_scales(arguments, message):
    a = torch.zeros(16, 32).to(torch.float8_e4m3fn)
    b = torch.zeros(32, 32).to(torch.float8_e4m3fn)
    with pytest.raises(ValueError, match=message):
        ops.matmul(a, b.T, **arguments)
    with pytest.raises(ValueError, match="b: expected contiguous columns of floats of 8 bits"):
        ops.matmul(a, b)
    with pytest.raises(ValueError, match="scale_a: expected None"):
        ops.matmul(a.float(), b.float(), scale_a=torch.ones(1), scale_b=torch.ones(1))


def assembled(text, tmp_path, most_spilled=0):
    """The remarks of ptxas: no spill of more bytes, and no change of instructions of warpgroups (remarks C75..)."""
    if not os.path.exists(PTXAS):
        pytest.skip("no ptxas here")
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    run = subprocess.run(
        [PTXAS, "-arch=sm_90a", "-v", path, "-o", tmp_path / "kernel.cubin"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    spilled = [int(number) for number in re.findall(r"(\d+) bytes spill stores", run.stderr)]
    assert "C75" not in run.stderr and spilled and max(spilled) <= most_spilled, run.stderr


@needs_ptxas
@pytest.mark.parametrize("tiles, dtype, epilogue", [
    (Tiles(128, 256, (2, 1)), Float16, PLAIN),
    (Tiles(256, 128, (1, 2)), BFloat16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(128, 192), Float16, Epilogue(2.0, "relu", True, 0.0)),
    (Tiles(64, 32), Float16, PLAIN),
    (Tiles(64, 128, split=8), Float16, PLAIN),
    (Tiles(128, 128, split=2), BFloat16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(128, 256, (2, 1)), Float8E4M3FN, Epilogue(1.0, None, False, 0.0, "rows")),
    (Tiles(256, 192, (1, 2), swapped=True), BFloat16, PLAIN),
    (Tiles(192, 176, swapped=True), Float16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(128, 256, swapped=True), BFloat16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(256, 176), BFloat16, PLAIN),
    (Tiles(64, 88, (4, 2), swapped=True), BFloat16, PLAIN),
    (Tiles(128, 128, (2, 2), split=2), BFloat16, PLAIN),
    (Tiles(128, 160, (1, 2), alternating=True), BFloat16, PLAIN),
    (Tiles(128, 128, alternating=True), BFloat16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(64, 88, rows=16), BFloat16, Epilogue(1.0, "gelu", True, 1.0)),
    (Tiles(256, 184), Float16, PLAIN),
    (Tiles(64, 256, swapped=True, alternating=True), Float16, PLAIN),
])  # fmt: skip
def test_products_assemble(tiles, dtype, epilogue, tmp_path):
    result = BFloat16 if dtype is Float8E4M3FN else dtype
    others = [vector(Float32)] * (2 if epilogue.scales else 0)
    others += [vector(dtype)] * epilogue.bias + [matrix(dtype)] * bool(epilogue.beta)
    f = product(
        HopperGemm(epilogue, tiles, 132), matrix(dtype), matrix(dtype, 0), *others, matrix(result),
        target="cuda:sm_90a",
    )  # fmt: skip
    assembled(f.__ptx__, tmp_path)


@needs_ptxas
@pytest.mark.parametrize("tiles", sorted({each._replace(group=8) for each in measured().values()}))
def test_chosen_tiles_assemble(tiles, tmp_path):
    """The model's choices have room in shared memory and in registers."""
    f = product(
        HopperGemm(PLAIN, tiles, 132), matrix(BFloat16), matrix(BFloat16, 0), matrix(BFloat16),
        target="cuda:sm_90a",
    )  # fmt: skip
    assembled(f.__ptx__, tmp_path)


@needs_ptxas
def test_results_stored_by_threads_assemble(tmp_path):
    gemm = HopperGemm(Epilogue(1.0, None, True, 1.0), Tiles(128, 256, (2, 1)), 132, direct=True)
    f = product(
        gemm, matrix(Float16), matrix(Float16, 0), vector(Float16), plain(Float16), plain(Float16),
        target="cuda:sm_90a",
    )  # fmt: skip
    assembled(f.__ptx__, tmp_path)


# --- attention


def heads_of(dtype, head_dim, symbols):
    strides = (*(cute.sym_int64(divisibility=8) for _ in range(3)), 1)
    return cute.make_fake_tensor(dtype, (*symbols, head_dim), stride=strides, assumed_align=16)


def numbers_of(*shape):
    order = tuple(reversed(range(len(shape))))
    return cute.make_fake_compact_tensor(Float32, shape, stride_order=order, assumed_align=16)


def attention(dtype, head_dim, kernel, target, with_logs=False):
    batch, heads, others, queries, keys = (cute.sym_int() for _ in range(5))
    q, o = (heads_of(dtype, dim, (batch, heads, queries)) for dim in (head_dim, kernel.value_dim))
    k, v = (heads_of(dtype, dim, (batch, others, keys)) for dim in (head_dim, kernel.value_dim))
    logs = [numbers_of(batch, heads, queries)] if with_logs else []
    return cute.compile(kernel, q, k, v, o, *logs, options=f"--target {target}")


def hidden(queries, keys, causal):
    """The keys that a query does not see."""
    left, right = (math.inf if limit is None else limit for limit in Window.of(causal))
    distance = torch.arange(keys) - (torch.arange(queries)[:, None] + keys - queries)
    return (distance < -left) | (distance > right)


@pytest.mark.parametrize("queries, keys, head_dim, group, causal, options", [
    (64, 64, 64, 1, False, {"keys": 64}),
    (130, 200, 64, 2, False, {"keys": 64, "in_turn": True}),
    (200, 200, 64, 1, True, {"keys": 64, "stages": 3}),
    (40, 130, 40, 2, True, {"keys": 32}),
    (150, 70, 128, 1, True, {"keys": 32}),
    (150, 200, 64, 1, Window(50, 20), {"keys": 32, "softcap": 3.0}),
    (300, 200, 256, 2, True, {"keys": 48}),
    (130, 70, 192, 1, False, {"keys": 32}),
    (200, 230, 192, 2, True, {"keys": 48, "value_dim": 128}),
    (400, 200, 64, 1, False, {"keys": 64, "groups": 3}),
    (250, 300, 64, 2, True, {"keys": 64, "in_turn": True, "groups": 3}),
])  # fmt: skip
def test_attention(queries, keys, head_dim, group, causal, options):
    scale = -0.3 if head_dim == 40 else head_dim**-0.5
    kernel = HopperAttention(Float16, head_dim, group, causal, scale, 3, **options)
    f = attention(Float16, head_dim, kernel, "cpu", with_logs=True)
    q = torch.randn(2, 2, queries, head_dim).half()
    k, v = (torch.randn(2, 2 // group, keys, head_dim).half() + i for i in range(2))
    v = v[..., : kernel.value_dim]
    out = torch.full((2, 2, queries, kernel.value_dim), math.nan).half()
    logs = torch.full((2, 2, queries), math.nan)
    f(q, k, v, out, logs)
    k, v = (each.repeat_interleave(group, 1).double() for each in (k, v))
    scores = q.double() @ k.mT * scale
    if options.get("softcap"):
        scores = options["softcap"] * torch.tanh(scores / options["softcap"])
    scores = scores.masked_fill(hidden(queries, keys, causal), -math.inf)
    wanted = torch.softmax(scores, -1).nan_to_num(0) @ v
    torch.testing.assert_close(out.double(), wanted, atol=4e-3, rtol=4e-3)
    torch.testing.assert_close(logs.double(), torch.logsumexp(scores, -1), atol=1e-4, rtol=1e-4)


def test_attention_of_values_that_are_not_numbers():
    kernel = HopperAttention(Float16, 64, 1, False, 0.125, 3, keys=64)
    q, k, v = (torch.randn(1, 2, 130, 64).half() for _ in range(3))
    k[0, 0, 100, 3], q[0, 1, 70, 5] = math.nan, math.nan
    out, logs = torch.zeros(1, 2, 130, 64).half(), torch.zeros(1, 2, 130)
    attention(Float16, 64, kernel, "cpu", with_logs=True)(q, k, v, out, logs)
    rows = torch.zeros(1, 2, 130, dtype=torch.bool)
    rows[0, 0], rows[0, 1, 70] = True, True
    assert torch.equal(out.isnan().all(-1), rows) and torch.equal(out.isnan().any(-1), rows)
    assert torch.equal(logs.isnan(), rows)


@pytest.mark.parametrize("cached, few_heads", [(0, 0), (1 << 30, 0), (0, 64)])
def test_order_of_causal_tiles(cached, few_heads, monkeypatch):
    """Every tile is computed once, in either order."""
    monkeypatch.setattr(_hopper_attention, "_CACHED", cached)
    monkeypatch.setattr(_hopper_attention, "_FEW_HEADS", few_heads)
    test_attention(300, 330, 64, 1, True, {"keys": 64})


@needs_ptxas
@pytest.mark.parametrize("with_logs", [False, True])
@pytest.mark.parametrize("head_dim, keys, causal", [
    (64, 500, False), (64, 5000, False), (128, 500, False), (128, 500, True), (192, 500, True), (256, 500, False),
])  # fmt: skip
def test_attention_assembles(head_dim, keys, causal, with_logs, tmp_path):
    kernel = HopperAttention(Float16, head_dim, 1, causal, 0.1, 132, *key_tiles(head_dim, keys))
    f = attention(Float16, head_dim, kernel, "cuda:sm_90a", with_logs)
    # Sums of so many columns leave one or two registers too few.
    assembled(f.__ptx__, tmp_path, most_spilled=8 if head_dim > 128 else 0)


@needs_ptxas
@pytest.mark.parametrize("causal", [False, True])
def test_attention_by_three_warpgroups_assembles(causal, tmp_path):
    tiling = tiles_of(Window.of(causal), 64, 2048, 2048, 64, 132)
    kernel = HopperAttention(Float16, 64, 1, causal, 0.1, 132, *tiling)
    f = attention(Float16, 64, kernel, "cuda:sm_90a", with_logs=True)
    assembled(f.__ptx__, tmp_path)


def test_warpgroups_of_attention():
    """Three take less time for a query, but their tiles have more queries that may not be there, and fewer blocks."""

    full, causal = Window(), Window(None, 0)

    def count(queries, heads, head_dim=64, window=full):
        return tiles_of(window, head_dim, queries, queries, heads, 132)[2]

    assert [count(queries, 200) for queries in (64, 128, 256, 1408, 8192)] == [2, 2, 2, 3, 3]
    assert [count(queries, 200, window=causal) for queries in (256, 1024, 3001)] == [2, 2, 3]
    # In one turn.
    assert count(1024, 16) == 2 and count(8192, 16) == 3
    assert count(8192, 64, 128) == 2
    assert count(8192, 64, window=Window(100, 0)) == 2


@needs_ptxas
@pytest.mark.parametrize(
    "head_dim, value_dim, causal", [(192, 128, False), (192, 128, True), (256, 64, False)]
)
def test_attention_of_shorter_values_assembles(head_dim, value_dim, causal, tmp_path):
    tiling = key_tiles(head_dim, 500, value_dim)
    kernel = HopperAttention(BFloat16, head_dim, 1, causal, 0.1, 132, *tiling, value_dim=value_dim)
    assembled(attention(BFloat16, head_dim, kernel, "cuda:sm_90a").__ptx__, tmp_path)


def gradients(dtype, head_dim, kernel, target):
    batch, heads, others, queries, keys = (cute.sym_int() for _ in range(5))
    like_q, like_k = (batch, heads, queries), (batch, others, keys)
    numbers = numbers_of(2, batch, heads, cute.sym_int(divisibility=BLOCK))
    if isinstance(kernel, RowNumbers):
        tensors = [heads_of(dtype, head_dim, like_q) for _ in range(2)]
        tensors += [numbers_of(*like_q), numbers]
    else:
        results = [like_k, like_k] if kernel.of_keys else [like_q]
        tensors = [
            heads_of(dtype, head_dim, symbols) for symbols in (like_q, like_k, like_k, like_q)
        ]
        tensors += [numbers, *(heads_of(dtype, head_dim, symbols) for symbols in results)]
    return cute.compile(kernel, *tensors, options=f"--target {target}")


@pytest.mark.parametrize("queries, keys, head_dim, group, causal, tile, dtype", [
    (64, 64, 64, 1, False, 32, Float16),
    (200, 150, 128, 2, True, 32, BFloat16),
    (130, 300, 64, 2, True, 48, Float16),
    (300, 100, 64, 1, True, 64, Float16),
    (70, 300, 40, 4, False, 48, Float16),
    (250, 300, 64, 2, Window(70, 30), 32, Float16),
])  # fmt: skip
def test_attention_gradients(queries, keys, head_dim, group, causal, tile, dtype):
    scale = -0.1 if head_dim == 40 else head_dim**-0.5
    element = torch.float16 if dtype is Float16 else torch.bfloat16
    torch.manual_seed(queries)
    heads = 4
    q, above = (torch.randn(2, heads, queries, head_dim).to(element) for _ in range(2))
    k, v = (torch.randn(2, heads // group, keys, head_dim).to(element) for _ in range(2))
    wide = [each.double().requires_grad_() for each in (q, k, v)]
    of_heads = [each.repeat_interleave(group, 1) for each in wide[1:]]
    scores = wide[0] @ of_heads[0].mT * scale
    scores = scores.masked_fill(hidden(queries, keys, causal), -math.inf)
    result = torch.softmax(scores, -1).nan_to_num(0) @ of_heads[1]
    result.backward(above.double())

    logs = torch.logsumexp(scores, -1).detach().float()
    rounded = result.detach().to(element)
    numbers = torch.full((2, 2, heads, 4 * BLOCK), math.nan)
    gradients(dtype, head_dim, RowNumbers(head_dim), "cpu")(rounded, above, logs, numbers)
    deltas = (rounded.float() * above.float()).sum(-1)
    torch.testing.assert_close(numbers[1, :, :, :queries], deltas, atol=1e-4, rtol=1e-4)
    assert (numbers[0, :, :, queries:] == math.inf).all() and (
        numbers[1, :, :, queries:] == 0
    ).all()
    found = {}
    for of_keys, likes in ((True, [k, v]), (False, [q])):
        kernel = HopperGradients(of_keys, dtype, head_dim, group, causal, scale, tile)
        results = [torch.full_like(like, math.nan) for like in likes]
        gradients(dtype, head_dim, kernel, "cpu")(q, k, v, above, numbers, *results)
        found[of_keys] = results
    for part, reference in zip(found[False] + found[True], wide, strict=True):
        error = (part.double() - reference.grad).abs().max() / reference.grad.abs().max()
        assert error <= (1e-3 if dtype is Float16 else 8e-3), error


@needs_ptxas
@pytest.mark.parametrize("dtype, head_dim, group, causal", [
    (BFloat16, 64, 1, True),
    (Float16, 64, 4, False),
    (BFloat16, 128, 1, False),
    (BFloat16, 128, 1, True),
    (Float16, 128, 4, True),
    (BFloat16, 128, 1, Window(4095, 0)),
])  # fmt: skip
@pytest.mark.parametrize("of_keys", [False, True])
def test_attention_gradients_assemble(dtype, head_dim, group, causal, of_keys, tmp_path):
    kernel = HopperGradients(of_keys, dtype, head_dim, group, causal, 0.1)
    assembled(gradients(dtype, head_dim, kernel, "cuda:sm_90a").__ptx__, tmp_path)


@needs_ptxas
@pytest.mark.parametrize("dtype, head_dim, group, causal", [
    (BFloat16, 64, 4, True),
    (BFloat16, 128, 1, False),
    (Float16, 128, 4, Window(4095, 0)),
])  # fmt: skip
def test_fused_gradients_assemble(dtype, head_dim, group, causal, tmp_path):
    batch, heads, others, queries, keys = (cute.sym_int() for _ in range(5))
    like_q, like_k = (batch, heads, queries), (batch, others, keys)
    tensors = [heads_of(dtype, head_dim, symbols) for symbols in (like_q, like_k, like_k, like_q)]
    tensors.append(numbers_of(2, batch, heads, cute.sym_int(divisibility=BLOCK)))
    tensors += [heads_of(dtype, head_dim, symbols) for symbols in (like_q, like_k, like_k)]
    space = cute.make_fake_compact_tensor(
        dtype, (cute.sym_int(), keys, cute.sym_int(divisibility=64)), stride_order=(2, 1, 0), assumed_align=16
    )  # fmt: skip
    kernel = FusedGradients(dtype, head_dim, group, causal, 0.1)
    ptx = cute.compile(kernel, *tensors, space, options="--target cuda:sm_90a").__ptx__
    assembled(ptx if isinstance(ptx, str) else "\n".join(ptx), tmp_path)


@pytest.mark.parametrize("heads, together", [(2, 2), (4, 4)])
def test_heads_whose_changes_are_stored_together(monkeypatch, heads, together):
    """Some heads after each other, and all heads at once."""
    monkeypatch.setattr(_attention_gradients, "is_for_warpgroups", lambda operands, longest: True)
    monkeypatch.setattr(_attention_gradients, "_heads_together", lambda query, key: together)
    _attention_gradients._all_gradients.forget()
    torch.manual_seed(heads)
    q, above = (torch.randn(2, heads, 200, 64).half() for _ in range(2))
    k, v = (torch.randn(2, heads // 2, 333, 64).half() for _ in range(2))
    for each in (q, k, v):
        each.requires_grad_()
    found = torch.autograd.grad(ops.attention(q, k, v, causal=True), (q, k, v), above)
    wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
    of_heads = [each.repeat_interleave(2, 1) for each in wide[1:]]
    scores = wide[0] @ of_heads[0].mT / 8
    scores = scores.masked_fill(hidden(200, 333, True), -math.inf)
    wanted = torch.autograd.grad(torch.softmax(scores, -1) @ of_heads[1], wide, above.double())
    for part, reference in zip(found, wanted, strict=True):
        assert (part.double() - reference).abs().max() <= 2e-3 * reference.abs().max()
    _attention_gradients._all_gradients.forget()


def test_how_many_heads_are_together():
    """Of an H200: enough blocks for all multiprocessors, and no more memory than 4 GiB."""

    def together(batch, heads, kv_heads, length, head_dim):
        query, key = (
            SimpleNamespace(
                shape=(batch, count, length, head_dim), device="cuda", multiprocessors=132
            )
            for count in (heads, kv_heads)
        )
        return _attention_gradients._heads_together(query, key)

    assert together(2, 16, 16, 8192, 128) == 8
    assert together(1, 32, 8, 8192, 128) == 32
    assert together(1, 8, 8, 16384, 128) == 4
    assert together(8, 24, 24, 1024, 128) == 192
    assert together(1, 2, 2, 65536, 128) == 0
    assert together(16, 16, 16, 512, 64) == 0
    assert together(1, 4, 4, 2048, 128) == 0


def test_attention_gradients_by_autograd(monkeypatch):
    """The way from autograd to these kernels, as on a GPU: strides, GQA, ragged lengths, gradients of some."""
    monkeypatch.setattr(_attention_gradients, "is_for_warpgroups", lambda operands, longest: True)
    torch.manual_seed(3)
    # Sequences before heads in memory.
    q = torch.randn(1, 150, 4, 72).half().transpose(1, 2).requires_grad_()
    k, v = (torch.randn(1, 2, 200, 72).half().requires_grad_() for _ in range(2))
    above = torch.randn(1, 4, 150, 72).half()
    options = {"causal": True, "window": (130, None)}
    result = ops.attention(q, k, v, **options)
    found = torch.autograd.grad(result, (q, k, v), above, retain_graph=True)
    wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
    of_heads = [each.repeat_interleave(2, 1) for each in wide[1:]]
    scores = wide[0] @ of_heads[0].mT * 72**-0.5
    scores = scores.masked_fill(hidden(150, 200, Window(130, 0)), -math.inf)
    expected = torch.softmax(scores, -1) @ of_heads[1]
    wanted = torch.autograd.grad(expected, wide, above.double())
    for part, reference in zip(found, wanted, strict=True):
        assert (part.double() - reference).abs().max() <= 2e-3 * reference.abs().max()
    (of_v,) = torch.autograd.grad(result, (v,), above)
    assert torch.equal(of_v, found[2])


def test_attention_gradients_of_small_sums(monkeypatch):
    """Scores of about -300: a missing key, whose score would be 0, would have an infinite probability."""
    monkeypatch.setattr(_attention_gradients, "is_for_warpgroups", lambda operands, longest: True)
    torch.manual_seed(4)
    q, k, v, above = (torch.randn(1, 1, rows, 72).half() for rows in (70, 90, 90, 70))
    q[..., 0], k[..., 0] = -50, 50
    for each in (q, k, v):
        each.requires_grad_()
    result = ops.attention(q, k, v)
    found = torch.autograd.grad(result, (q, k, v), above)
    wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
    scores = wide[0] @ wide[1].mT * 72**-0.5
    assert scores.max() < -200
    wanted = torch.autograd.grad(torch.softmax(scores, -1) @ wide[2], wide, above.double())
    for part, reference in zip(found, wanted, strict=True):
        # Sums for the first column are differences of great numbers.
        part, reference = part[..., 1:].double(), reference[..., 1:]
        assert (part - reference).abs().max() <= 2e-3 * reference.abs().max()

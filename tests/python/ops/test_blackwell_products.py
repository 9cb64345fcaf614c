"""Products of fairlead.ops in tensor memory: results on the CPU against float64, and the assembler's remarks on their
PTX. No GPU with tensor memory has run them."""

import pytest
from support.assemblers import ASSEMBLERS, assemble_without_spills

from fairlead import BFloat16, Float8E4M3FN, Float16, Float32, cute, ops
from fairlead.ops import _gemm
from fairlead.ops._arrays import Described
from fairlead.ops._blackwell_gemm import BlackwellGemm
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._gemm import Arranged
from fairlead.ops._warp_gemm import WarpGemm

torch = pytest.importorskip("torch")

PLAIN = Epilogue(1.0, None, False, 0.0)


def matrix(dtype, contiguous=1, batched=False, width=None):
    shape = [cute.sym_int() for _ in range(2 + batched)]
    width = width or 128 // dtype.width
    strides = [cute.sym_int64(divisibility=width) for _ in shape]
    strides[batched + contiguous] = 1
    return cute.make_fake_tensor(
        dtype, tuple(shape), stride=tuple(strides), assumed_align=width * dtype.width // 8
    )


def vector(dtype):
    return cute.make_fake_compact_tensor(dtype, (cute.sym_int(),))


def product(gemm, *tensors, target="cpu", batched=False):
    return cute.compile(Arranged(gemm, batched), *tensors, options=f"--target {target}")


@pytest.mark.parametrize("columns, shape, turned, options", [
    (64, (200, 72, 136), (False, True), ""),
    (32, (8, 40, 264), (True, False), "--check all"),
])  # fmt: skip
def test_products(columns, shape, turned, options):
    m, n, k = shape
    a, b = torch.randn(m, k).bfloat16(), torch.randn(k, n).bfloat16()
    a, b = (x.T.contiguous().T if turn else x for x, turn in zip((a, b), turned, strict=True))
    out = torch.full((m, n), float("nan")).bfloat16()
    f = product(
        BlackwellGemm(PLAIN, columns, 2),
        *(matrix(BFloat16, 0 if turn else 1) for turn in turned),
        matrix(BFloat16),
        target=f"cpu {options}",
    )
    f(a, b, out)
    torch.testing.assert_close(out.double(), a.double() @ b.double(), atol=2e-1, rtol=1e-2)


@pytest.mark.parametrize("dtype, columns, shape, options", [
    (torch.bfloat16, 64, (300, 72, 136), ""),
    (torch.float16, 32, (8, 40, 264), "--check all"),
])  # fmt: skip
def test_pairs_of_blocks(dtype, columns, shape, options):
    """A tile of 256 rows, of which the second half may be outside of the matrix."""
    m, n, k = shape
    a, b = torch.randn(m, k).to(dtype), torch.randn(n, k).to(dtype)
    out = torch.full((m, n), float("nan"), dtype=dtype)
    element = BFloat16 if dtype is torch.bfloat16 else Float16
    operands = matrix(element), matrix(element, 0), matrix(element)
    gemm = BlackwellGemm(PLAIN, columns, 2, pair=True)
    product(gemm, *operands, target=f"cpu {options}")(a, b.T, out)
    torch.testing.assert_close(out.double(), a.double() @ b.double().T, atol=2e-1, rtol=1e-2)


def test_batches_bias_activation_residual():
    """Rows of the result that begin anywhere."""
    a, b = torch.randn(2, 70, 72).bfloat16(), torch.randn(2, 72, 136).bfloat16()
    bias, residual = torch.randn(135), torch.randn(2, 70, 135).bfloat16()
    out = torch.full((2, 70, 135), float("nan")).bfloat16()
    operands = [matrix(BFloat16, batched=True) for _ in range(2)]
    results = [matrix(BFloat16, batched=True, width=1) for _ in range(2)]
    gemm = BlackwellGemm(Epilogue(0.5, "silu", True, -2.0), 128)
    f = product(gemm, *operands, vector(Float32), *results, batched=True)
    f(a, b[..., :135], bias, residual, out)
    sums = 0.5 * a.double() @ b.double()[..., :135] + bias.double()
    wanted = torch.nn.functional.silu(sums) - 2 * residual.double()
    torch.testing.assert_close(out.double(), wanted, atol=5e-2, rtol=2e-2)


def test_scaled_products_of_8_bits():
    a, b = (torch.randn(rows, 144).to(torch.float8_e4m3fn) for rows in (130, 48))
    of_a, of_b = torch.rand(130), torch.rand(48)
    out = torch.full((130, 48), float("nan")).bfloat16()
    gemm = BlackwellGemm(Epilogue(1.0, None, False, 0.0, "rows"), 32)
    operands = matrix(Float8E4M3FN), matrix(Float8E4M3FN, 0)
    product(gemm, *operands, vector(Float32), vector(Float32), matrix(BFloat16))(
        a, b.T, of_a, of_b, out
    )
    wanted = a.double() @ b.double().T * of_a[:, None] * of_b
    torch.testing.assert_close(out.double(), wanted, atol=5e-2, rtol=2e-2)


def test_matmul_of_gpus_with_tensor_memory(monkeypatch):
    """Arrays of the CPU stand for those of such a GPU. Operands that TMA cannot copy have the other kernel."""
    made = []

    class Noted(BlackwellGemm):
        def __init__(self, epilogue, columns, **options):
            made.append(columns)
            super().__init__(epilogue, columns, **options)

    monkeypatch.setattr(_gemm, "BlackwellGemm", Noted)
    monkeypatch.setattr(Described, "has", lambda _, feature: feature == "tcgen05")
    a, b, bias = torch.randn(24, 64).half(), torch.randn(64, 104).half(), torch.randn(104)
    ops.matmul.forget()
    found = ops.matmul(a, b, bias=bias.half(), activation="relu")
    wanted = torch.relu(a.double() @ b.double() + bias.half().double())
    torch.testing.assert_close(found.double(), wanted, atol=2e-2, rtol=2e-3)
    assert made == [128]
    found = ops.matmul(a[:, :63], b[:63])
    torch.testing.assert_close(
        found.double(), a[:, :63].double() @ b[:63].double(), atol=2e-2, rtol=2e-3
    )
    assert made == [128]
    a, b, of_a, of_b = torch.randn(24, 64), torch.randn(48, 64), torch.rand(24), torch.rand(48)
    a, b = (x.to(torch.float8_e4m3fn) for x in (a, b))
    found = ops.matmul(a, b.T, scale_a=of_a, scale_b=of_b)
    wanted = a.double() @ b.double().T * of_a[:, None] * of_b
    torch.testing.assert_close(found.double(), wanted, atol=5e-2, rtol=2e-2)
    assert made == [128, 64]
    ops.matmul.forget()


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("arch, columns, pair, dtype, epilogue", [
    ("sm_100a", 256, False, BFloat16, PLAIN),
    ("sm_103a", 128, False, Float16, Epilogue(1.0, "gelu", True, 1.0)),
    ("sm_100a", 256, True, Float8E4M3FN, Epilogue(1.0, None, False, 0.0, "rows")),
    ("sm_103a", 256, True, BFloat16, PLAIN),
])  # fmt: skip
def test_assembles_without_spills(arch, columns, pair, dtype, epilogue, assembler, tmp_path):
    result = BFloat16 if dtype is Float8E4M3FN else dtype
    others = [vector(Float32)] * (2 if epilogue.scales else 0)
    others += [vector(dtype)] * epilogue.bias + [matrix(dtype)] * bool(epilogue.beta)
    f = product(
        BlackwellGemm(epilogue, columns, pair=pair), matrix(dtype), matrix(dtype, 0), *others, matrix(result),
        target=f"cuda:{arch}",
    )  # fmt: skip
    text = f.__ptx__
    kind = "f8f6f4" if dtype is Float8E4M3FN else "f16"
    assert f"tcgen05.mma.cta_group::{1 + pair}.kind::{kind}" in text
    assemble_without_spills(text, arch, tmp_path, assembler)


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("arch", ["sm_120a", "sm_121a"])
@pytest.mark.parametrize("tile, dtype", [((128, 128), BFloat16), ((64, 64), Float16)])
def test_products_of_warps_assemble_without_spills(tile, dtype, arch, assembler, tmp_path):
    """GPUs without tensor memory multiply by warps."""
    gemm = WarpGemm(dtype, ("k", 8), ("n", 8), PLAIN, tile, 2)
    operands = matrix(dtype), matrix(dtype), matrix(dtype)
    text = product(gemm, *operands, target=f"cuda:{arch}").__ptx__
    assert "mma.sync.aligned.m16n8k16" in text
    assemble_without_spills(text, arch, tmp_path, assembler)

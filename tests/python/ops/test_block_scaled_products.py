"""Products of floats of 8 and 4 bits with a scale factor for each 16 or 32 elements: results on the CPU against
float64, and the assembler's remarks on their PTX. No GPU with tensor memory has run them."""

import pytest
from support.assemblers import ASSEMBLERS, assemble_without_spills

from fairlead import cute, ops
from fairlead.ops._arrays import describe
from fairlead.ops._blackwell_gemm import BlackwellGemm
from fairlead.ops._block_scaled import _fakes
from fairlead.ops._epilogue import Epilogue
from fairlead.ops._gemm import Arranged

torch = pytest.importorskip("torch")
if not hasattr(torch, "float4_e2m1fn_x2"):
    pytest.skip("this torch has no float4_e2m1fn_x2", allow_module_level=True)

E4M3, E5M2, E8M0 = torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu
E2M1 = torch.float4_e2m1fn_x2
#: The types of elements and of scale factors, and the elements that share one.
RECIPES = {
    "mxfp8": (E4M3, E8M0, 32),
    "mxfp4": (E2M1, E8M0, 32),
    "nvfp4": (E2M1, E4M3, 16),
}
KINDS = {
    "mxfp8": "mxf8f6f4.block_scale.scale_vec::1X",
    "mxfp4": "mxf4.block_scale.scale_vec::2X",
    "nvfp4": "mxf4nvf4.block_scale.scale_vec::4X",
}


def elements(rows, k, dtype):
    if dtype == E2M1:
        return torch.randint(0, 256, (rows, k // 2), dtype=torch.uint8).view(dtype)
    return torch.randn(rows, k).to(dtype)


def swizzled(factors):
    """Return scale factors (rows, blocks) in the order SWIZZLE_32_4_4, padded with 0."""
    rows, blocks = factors.shape
    whole = torch.zeros(-(-rows // 128) * 128, -(-blocks // 4) * 4, dtype=torch.uint8)
    whole[:rows, :blocks] = factors.view(torch.uint8)
    tiles = whole.reshape(-1, 4, 32, whole.shape[1] // 4, 4).permute(0, 3, 2, 1, 4)
    return tiles.reshape(-1).view(factors.dtype)


def values(matrix):
    if matrix.dtype != E2M1:
        return matrix.double()
    codes = matrix.view(torch.uint8)
    codes = torch.stack((codes & 15, codes >> 4), -1).flatten(-2).long()
    magnitudes = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6], dtype=torch.float64)
    return magnitudes[codes & 7] * (1 - 2 * (codes >> 3))


def operands(recipe, m, n, k):
    """Return the arguments of the product, and the product as float64."""
    dtype, of_factors, vector = RECIPES[recipe]
    matrices = [elements(rows, k, dtype) for rows in (m, n)]
    factors = [(torch.rand(rows, k // vector) * 3 + 0.25).to(of_factors) for rows in (m, n)]
    left, right = (
        values(matrix) * factor.double().repeat_interleave(vector, 1)
        for matrix, factor in zip(matrices, factors, strict=True)
    )
    return (*matrices, *(swizzled(factor) for factor in factors)), left @ right.T


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("m, n, k", [(130, 72, 160), (3, 264, 544)])
def test_products(recipe, m, n, k):
    torch.manual_seed(m)
    arguments, expected = operands(recipe, m, n, k)
    found = ops.scaled_matmul(*arguments, out_dtype="float32")
    torch.testing.assert_close(found.double(), expected, atol=1e-4, rtol=1e-6)


def test_operands_of_two_types_and_the_callers_result():
    """A result whose rows begin anywhere."""
    (a, _, of_a, of_b), _ = operands("mxfp8", 5, 7, 64)
    b = elements(7, 64, E5M2)
    room = torch.full((5, 11), 7.0)
    out = room[:, 2:9]
    assert ops.scaled_matmul(a, b, of_a, of_b, out_dtype="float32", out=out) is out
    ones = torch.full_like(of_a.view(torch.uint8), 127).view(E8M0)
    plain = ops.scaled_matmul(a, b, ones, ones, out_dtype="float32")
    torch.testing.assert_close(plain.double(), a.double() @ b.double().T, atol=1e-5, rtol=1e-6)
    factors = [
        (factor.view(torch.uint8)[:512].reshape(32, 4, 4).double() - 127).exp2()
        for factor in (of_a, of_b)
    ]
    left, right = (
        matrix.double() * factor[: len(matrix), 0, :2].repeat_interleave(32, 1)
        for matrix, factor in zip((a, b), factors, strict=True)
    )
    torch.testing.assert_close(out.double(), left @ right.T, atol=1e-4, rtol=1e-6)
    assert (room[:, :2] == 7).all() and (room[:, 9:] == 7).all()


def test_scales_of_whole_matrices():
    (a, b, of_a, of_b), expected = operands("nvfp4", 20, 24, 96)
    whole = [torch.tensor([0.25]), torch.tensor(3.0)]
    found = ops.scaled_matmul(a, b, [of_a, whole[0]], [of_b, whole[1]])
    assert found.dtype == torch.bfloat16
    torch.testing.assert_close(found.double(), 0.75 * expected, atol=1e-6, rtol=1e-2)


def test_arrays_of_numpy():
    arguments, expected = operands("mxfp8", 6, 8, 32)
    ml_dtypes, numpy = pytest.importorskip("ml_dtypes"), pytest.importorskip("numpy")
    names = {E4M3: ml_dtypes.float8_e4m3fn, E8M0: ml_dtypes.float8_e8m0fnu}
    arrays = [each.view(torch.uint8).numpy().view(names[each.dtype]) for each in arguments]
    found = ops.scaled_matmul(*arrays, out_dtype="float32")
    numpy.testing.assert_allclose(found, expected.numpy(), atol=1e-4)


def program(arguments, columns, target):
    inputs = [describe(argument, "") for argument in arguments]
    recipe = next(
        value
        for value in RECIPES.values()
        if value[0] == arguments[0].dtype and value[1] == arguments[2].dtype
    )
    gemm = BlackwellGemm(Epilogue(1.0, None, False, 0.0), columns, vector=recipe[2])
    fakes = _fakes(inputs, cute.Float32, 4)
    return cute.compile(Arranged(gemm, False, True), *fakes, options=f"--target {target}")


@pytest.mark.parametrize("columns, n, checks", [(128, 12, "--check all"), (256, 264, "")])
def test_tiles(columns, n, checks):
    """The second tile of 256 columns has a whole chunk of scale factors that B lacks."""
    arguments, expected = operands("nvfp4", 7, n, 96)
    out = torch.full((7, n), float("nan"))
    program(arguments, columns, f"cpu {checks}")(*arguments, out)
    torch.testing.assert_close(out.double(), expected, atol=1e-5, rtol=1e-6)


@pytest.mark.parametrize("assembler", ASSEMBLERS)
@pytest.mark.parametrize("recipe, columns, arch", [
    ("mxfp8", 256, "sm_100a"), ("nvfp4", 256, "sm_103a"), ("nvfp4", 128, "sm_100a"), ("mxfp4", 128, "sm_100a"),
])  # fmt: skip
def test_assembles_without_spills(recipe, columns, arch, assembler, tmp_path):
    arguments, _ = operands(recipe, 8, 8, 32)
    text = program(arguments, columns, f"cuda:{arch}").__ptx__
    assert f"tcgen05.mma.cta_group::1.kind::{KINDS[recipe]} [" in text
    assemble_without_spills(text, arch, tmp_path, assembler)


def changed(place, change):
    """Return the arguments of a product with one of them changed."""
    arguments = list(operands("mxfp8", 130, 16, 64)[0])
    arguments[place] = change(arguments[place])
    return arguments


@pytest.mark.parametrize("place, change, message", [
    (1, lambda b: elements(16, 128, E2M1), "b: .*float8_e4m3fn, float8_e5m2"),
    (2, lambda f: f.view(E4M3), r"scale_b: .*float8_e4m3fn|scale_a: .*float8_e8m0fnu for elements of float8_e4m3fn"),
    (2, lambda f: f.reshape(256, 4), r"scale_a: expected the shape \[1024\]: tiles of 128 rows and 4 factors"),
    (3, lambda f: f[:-1], r"scale_b: expected the shape \[512\]"),
    (3, lambda f: f.view(E4M3), "scale_b: expected elements of float8_e8m0fnu"),
    (3, lambda f: f.repeat(2)[8:520], "scale_b: expected contiguous elements from a multiple of 16 bytes"),
    (2, lambda f: [f], "scale_a: expected an array of scale factors, or"),
    (2, lambda f: [f, torch.tensor(1.0)], "scale_b: .* scale of the whole matrix"),
    (0, lambda a: a.repeat(1, 2)[:, 8:72], "a: expected contiguous rows that begin at multiples of 16 bytes"),
])  # fmt: skip
def test_refused(place, change, message):
    with pytest.raises(ValueError, match=message):
        ops.scaled_matmul(*changed(place, change))


def test_refused_extents_and_options():
    arguments, _ = operands("mxfp8", 8, 8, 64)
    a, b, *factors = arguments
    with pytest.raises(ValueError, match="a: expected a K in multiples of 32 elements"):
        ops.scaled_matmul(a[:, :48], b[:, :48], *factors)
    with pytest.raises(ValueError, match="activation: expected None with scale factors of 8 bits"):
        ops.scaled_matmul(*arguments, activation="swiglu")
    with pytest.raises(ValueError, match=r"out: expected the shape \[8, 8\]"):
        ops.scaled_matmul(*arguments, out=torch.empty(8, 9).bfloat16())

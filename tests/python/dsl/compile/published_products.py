"""Products whose operands are described by words: descriptors of shared memory, registers of PTX's fragments, words of
scale factors."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32
from cutlass._mlir import ir
from cutlass._mlir.dialects import arith, llvm, nvvm
from cutlass.cute.runtime import from_dlpack
from cutlass.cutlass_dsl import T
from support.described_products import FORMS, K, expected, operands, warpgroup_program


@pytest.mark.parametrize(("in_registers", "transposed"), FORMS)
def test_products_of_a_warpgroup(in_registers, transposed, tmp_path, monkeypatch):
    """On the CPU as on GPUs (tests/gpu)."""
    monkeypatch.chdir(tmp_path)  # where the PTX is written
    tensors = [from_dlpack(array) for array in operands()]
    program = warpgroup_program(in_registers, transposed)
    compiled = cute.compile(program, *tensors, options="--target cuda:sm_90a --keep-ptx")
    assert compiled.__ptx__.count("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16") == K // 16
    a, b, c = operands()
    cute.compile(program, *map(from_dlpack, (a, b, c)), options="--target cpu")(a, b, c)
    np.testing.assert_array_equal(c, expected(a, b, transposed))


def test_described_products_need_a_block_alone():
    """In a cluster, addresses of the CPU have bits where descriptors have other fields."""
    arrays = operands()
    program = warpgroup_program(False, False, cluster=(2, 1, 1))
    compiled = cute.compile(program, *map(from_dlpack, arrays), options="--target cpu")
    with pytest.raises(AssertionError, match="only in blocks that are not in a cluster"):
        compiled(*arrays)


def scaled_program(byte_a, thread_a, byte_b, thread_b):
    def constant(number):
        return arith.constant(T.i16(), number)

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, scales: cute.Tensor, c: cute.Tensor):
        lane = cute.arch.thread_idx()[0]
        row, place = lane // 4, lane % 4
        left = [a[row + 8 * (i % 2), place + 4 * (i // 2)] for i in cutlass.range_constexpr(4)]
        right = [b[row, place + 4 * i] for i in cutlass.range_constexpr(2)]
        result = nvvm.mma_block_scale(
            llvm.StructType.get_literal([T.f32()] * 4),
            ir.Attribute.parse("#nvvm.shape<m = 16, n = 8, k = 32>"),
            nvvm.ScaleVecSize.X1,
            nvvm.BlockScaleFormat.UE8M0,
            nvvm.MMABlockScaleKind.MXF8F6F4,
            left,
            right,
            [Float32(1.0)] * 4,
            scales[0, lane].ir_value(),
            constant(byte_a),
            constant(thread_a),
            scales[1, lane].ir_value(),
            constant(byte_b),
            constant(thread_b),
            multiplicand_a_ptx_type=nvvm.MMATypes.e4m3,
            multiplicand_b_ptx_type=nvvm.MMATypes.e5m2,
        )
        for i in cutlass.range_constexpr(4):
            value = llvm.extractvalue(T.f32(), result, [i])
            c[row + 8 * (i // 2), 2 * place + i % 2] = value

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor, scales: cute.Tensor, c: cute.Tensor):
        kernel(a, b, scales, c).launch(grid=(1, 1, 1), block=(32, 1, 1))

    return host


@pytest.mark.parametrize("places", [(0, 0, 0, 0), (2, 1, 1, 3)])
def test_products_of_a_warp_with_scale_factors(places):
    """A's and B's factors are at other bytes and other lanes than those that are not read."""
    byte_a, thread_a, byte_b, thread_b = places
    rng = np.random.default_rng(4)
    floats = {name: np.array([0, 1, -1, 2, 4], np.float32) for name in "ab"}
    codes = {"a": [0x00, 0x38, 0xB8, 0x40, 0x48], "b": [0x00, 0x3C, 0xBC, 0x40, 0x44]}
    chosen = {"a": rng.integers(0, 5, (16, 32)), "b": rng.integers(0, 5, (8, 32))}
    words = {name: np.array(codes[name], np.uint8)[chosen[name]].view(np.int32) for name in chosen}
    exponents = {"a": rng.integers(-2, 3, 16), "b": rng.integers(-2, 3, 8)}
    scales = rng.integers(90, 100, (2, 32, 4)).astype(np.uint8)
    for row in range(16):
        scales[0, row % 8 * 4 + row // 8 + 2 * thread_a, byte_a] = 127 + exponents["a"][row]
    for column in range(8):
        scales[1, column * 4 + thread_b, byte_b] = 127 + exponents["b"][column]
    c = np.zeros((16, 8), np.float32)
    arrays = words["a"], words["b"], scales.view(np.int32)[:, :, 0].copy(), c
    tensors = [from_dlpack(array) for array in arrays]
    compiled = cute.compile(scaled_program(*places), *tensors, options="--target cpu,cuda:sm_120a")
    compiled(*tensors)
    scaled = {name: floats[name][chosen[name]] * 2.0 ** exponents[name][:, None] for name in chosen}
    np.testing.assert_array_equal(c, 1 + scaled["a"] @ scaled["b"].T)


def test_what_these_products_do_not_take():
    @cute.jit
    def function(x: cute.Tensor):
        with pytest.raises(ValueError, match=r"one as scale_a, but got <WGMMAScaleIn.neg"):
            nvvm.wgmma_mma_async(*[None] * 9, nvvm.WGMMAScaleIn.neg, *[None] * 3)
        with pytest.raises(ValueError, match=r"mxf8f6f4 or mxf4 or mxf4nvf4 as kind, but got None"):
            nvvm.mma_block_scale(*[None] * 14)

    function(np.zeros(1, np.float32))

"""Products of warps with block scaling on the CPU, and as PTX that assembles for compute capability 12.0."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ml_dtypes")

from support.scaled_warp_programs import (  # noqa: E402
    NARROW,
    PRODUCTS,
    ScaledWarpGemm,
    StagedWarpGemm,
    operands,
)
from support.thinned import crossed, thinned  # noqa: E402

from fairlead import (  # noqa: E402
    Float4E2M1FN,
    Float8E4M3FN,
    Float8E8M0FNU,
    Float16,
    Float32,
    cute,
    utils,
)
from fairlead.cute.nvgpu import CopyUniversalOp, warp  # noqa: E402
from fairlead.utils import _scaled_warp_products  # noqa: E402
from fairlead.utils import blackwell_helpers as helpers  # noqa: E402

PTXAS = "/usr/local/cuda/bin/ptxas"
#: Each instruction, and each type as A and as B.
FEW_PRODUCTS = [name for name in PRODUCTS if not name.startswith("mxf8f6f4")] + [
    f"mxf8f6f4 {a.__name__} {b.__name__}"
    for a, b in zip(NARROW, (*NARROW[1:], NARROW[0]), strict=True)
]


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", thinned(PRODUCTS, FEW_PRODUCTS))
def test_product_on_the_cpu(name):
    tensors, arrays, expected = operands(name)
    cute.compile(ScaledWarpGemm(name), *tensors, options="--target cpu")(*tensors)
    np.testing.assert_array_equal(arrays[-1], expected)


@pytest.mark.parametrize("name, options", crossed(
    ["mxf4nvf4", "mxf8f6f4 Float4E2M1FN Float8E5M2"], ["--check all", "--schedule random:3"]
))  # fmt: skip
def test_product_under_checks(name, options, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", "1")
    tensors, arrays, expected = operands(name)
    cute.compile(ScaledWarpGemm(name), *tensors, options=f"--target cpu {options}")(*tensors)
    np.testing.assert_array_equal(arrays[-1], expected)


@pytest.mark.parametrize("name, options", crossed(["mxf4", "mxf4nvf4"], ["", "--check all"]))
def test_packed_operands_by_ldmatrix(name, options):
    tensors, arrays, expected = operands(name)
    cute.compile(StagedWarpGemm(name), *tensors, options=f"--target cpu {options}")(*tensors)
    np.testing.assert_array_equal(arrays[-1], expected)


def instruction(name):
    kind, *dtypes = name.split()
    if kind in ("mxf4", "mxf4nvf4"):
        factors, scale = ("2X", "ue8m0") if kind == "mxf4" else ("4X", "ue4m3")
        return f"m16n8k64.row.col.kind::{kind}.block_scale.scale_vec::{factors}.f32.e2m1.e2m1.f32.{scale}"
    short = [re.search(r"E\dM\d", dtype)[0].lower() for dtype in dtypes]
    a, b = short[0], short[-1]
    return f"m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.{a}.{b}.f32.ue8m0"


@pytest.mark.parametrize(
    "gemm",
    [*map(ScaledWarpGemm, PRODUCTS), StagedWarpGemm("mxf4nvf4")],
    ids=lambda gemm: f"{type(gemm).__name__} {gemm.name}",
)
def test_product_assembles(gemm, tmp_path):
    name = gemm.name
    tensors, _, _ = operands(name)
    text = cute.compile(gemm, *tensors, options="--target cuda:sm_120a").__ptx__
    if isinstance(gemm, StagedWarpGemm):
        assert "ldmatrix.sync.aligned.m8n8.x4.shared.b16" in text
    assert f"mma.sync.aligned.{instruction(name)} {{" in text
    if not Path(PTXAS).exists():
        pytest.skip("no ptxas here")
    path = tmp_path / "kernel.ptx"
    path.write_text(text)
    command = [PTXAS, "-arch=sm_120a", path, "-o", tmp_path / "kernel.cubin"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize("target", ["cuda:sm_90a", "cuda:sm_100a", "cuda:sm_120"])
def test_needs_the_architecture(target):
    tensors, _, _ = operands("mxf4")
    with pytest.raises(Exception, match="is supported only for .*sm_120a"):
        cute.compile(ScaledWarpGemm("mxf4"), *tensors, options=f"--target {target}")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: warp.MmaMXF4Op(Float8E4M3FN, Float32, Float8E8M0FNU), "Float4E2M1FN"),
        (lambda: warp.MmaMXF4NVF4Op(Float4E2M1FN, Float32, Float8E8M0FNU), "Float8E4M3FN for each 16"),
        (lambda: warp.MmaMXF8Op(Float8E4M3FN, Float16, Float8E8M0FNU), "Float32 as acc_dtype"),
        (lambda: warp.MmaMXF8F6F4Op(Float16, Float8E4M3FN, Float32, Float8E8M0FNU), "4, 6 or 8 bits"),
        (lambda: helpers.get_permutation_mnk((128, 128, 128), 8, False), "16 or 32 as sf_vec_size"),
    ],
)  # fmt: skip
def test_what_does_not_exist(make, words):
    with pytest.raises(TypeError, match=words):
        make()


def in_kernel(make):
    @cute.kernel
    def kernel():
        make()

    @cute.jit
    def host():
        kernel().launch(grid=(1, 1, 1), block=(32, 1, 1))

    cute.compile(host, options="--target cpu")


def fragments():
    mma = cute.make_tiled_mma(warp.MmaMXF8Op(Float8E4M3FN, Float32, Float8E8M0FNU))
    a = cute.make_rmem_tensor(((4, 2, 2), 1, 1), Float8E4M3FN)
    b = cute.make_rmem_tensor(((4, 2), 1, 1), Float8E4M3FN)
    c = cute.make_rmem_tensor(((2, 2), 1, 1), Float32)
    return mma, a, b, c


def test_operands_without_scale_factors():
    def program():
        mma, a, b, c = fragments()
        cute.gemm(mma, c, a, b, c)

    with pytest.raises(TypeError, match="a pair of the operand and its scale factors as a of gemm"):
        in_kernel(program)


@pytest.mark.parametrize("shape, dtype, words", [
    ((32, 1, 1), Float8E4M3FN, "registers of Float8E8M0FNU"),
    ((16, 1, 1), Float8E8M0FNU, "32 values, of which 32 share a scale factor"),
])  # fmt: skip
def test_scale_factors_that_do_not_fit(shape, dtype, words):
    def program():
        mma, a, b, c = fragments()
        scales = cute.make_rmem_tensor(shape, dtype)
        cute.gemm(mma, c, [a, scales], [b, scales], c)

    with pytest.raises(TypeError, match=words):
        in_kernel(program)


def test_helpers_of_other_products():
    def program():
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        helpers.get_layoutSFA_TV(mma)

    with pytest.raises(TypeError, match="with block scaling, such as warp.MmaMXF4Op"):
        in_kernel(program)


def test_copies_of_results_to_shared_memory():
    """stmatrix of the two matrices that a product of 16 x 8 has, for results of 16 bits."""
    row_major, column_major = utils.LayoutEnum.ROW_MAJOR, utils.LayoutEnum.COL_MAJOR
    for layout, transposed in ((row_major, False), (column_major, True)):
        op = helpers.sm120_get_smem_store_op(layout, elem_ty_d=Float16, elem_ty_acc=Float32).op
        assert (type(op), op.num_matrices, op.transpose) == (warp.StMatrix8x8x16bOp, 2, transposed)
    plain = helpers.sm120_get_smem_store_op(row_major, elem_ty_d=Float32, elem_ty_acc=Float32)
    assert isinstance(plain.op, CopyUniversalOp)


@pytest.mark.parametrize("name", ["mxf4nvf4", "mxf8 Float8E4M3FN"])
def test_scale_factors_by_threads(name):
    """Each thread's part of thrfrg_SFA and thrfrg_SFB has the offsets that the layouts of tiled copies say."""
    gemm = ScaledWarpGemm(name)

    @cute.jit
    def compared():
        permutation = helpers.get_permutation_mnk((128, 64, 128), gemm.vector, not gemm.packed)
        mma = cute.make_tiled_mma(gemm.op(), (2, 2, 1), permutation_mnk=permutation)
        cases = [
            (_scaled_warp_products.thrfrg_SFA, helpers.get_layoutSFA_TV, 128, 1),
            (
                _scaled_warp_products.thrfrg_SFB,
                helpers.get_layoutSFB_TV,
                cute.size(permutation[1]),
                2,
            ),
        ]
        for by_threads, by_copy, rows, warp_mode in cases:
            tile = cute.make_layout((rows, permutation[2]))
            (lanes, (along, _)), values = _modes(by_threads(tile, mma))
            expected = by_copy(mma)
            for thread in cute.range_constexpr(0, 128, 7):
                place = mma.thr_layout_vmnk.get_flat_coord(thread)
                start = lanes(place[0]) + along(place[warp_mode])
                found = [start + values(i) for i in range(cute.size(values))]
                assert found == [
                    expected((thread, i)) for i in range(cute.size(expected, mode=[1]))
                ]

    compared()


def _modes(layout):
    threads, values = layout[0], layout[1]
    return (threads[0], (threads[1][0], threads[1][1])), values


def test_scale_factors_by_threads_of_another_product():
    @cute.jit
    def function():
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        _scaled_warp_products.thrfrg_SFA(cute.make_layout((16, 32)), mma)

    with pytest.raises(
        TypeError, match="with block scaling, such as warp.MmaMXF4Op, for thrfrg_SFA"
    ):
        function()

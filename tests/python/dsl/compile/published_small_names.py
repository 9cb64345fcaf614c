"""Names that published libraries of kernels use beside the language: constants, hints, casts, older operations."""

import importlib

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float32, Int32, Int64
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm, nvvm
from cutlass._mlir.dialects import math as math_dialect
from cutlass.cute.nvgpu import tcgen05, warp
from cutlass.cutlass_dsl import T
from cutlass.experimental import primitives
from support.scaled_warp_programs import SHAPE, ScaledWarpGemm, operands

from fairlead import primitives as own_primitives
from fairlead.utils import blackwell_helpers as helpers


def run(kernel, *arrays, threads=32):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=1, block=threads)

    tensors = [cute.runtime.from_dlpack(array) for array in arrays]
    cute.compile(host, *tensors, options="--target cpu")(*tensors)


def test_loops_at_compile_time_take_the_hints_of_loops():
    @cute.kernel
    def kernel(out: cute.Tensor):
        for i in cutlass.range_constexpr(0, 3, unroll=True):
            out[i] = i + 1

    out = np.zeros(3, np.int32)
    run(kernel, out, threads=1)
    assert out.tolist() == [1, 2, 3]

    @cute.jit
    def misspelt(out: cute.Tensor):
        for i in cutlass.range_constexpr(3, unrol=True):
            out[i] = i

    with pytest.raises(TypeError, match="unexpected keyword argument 'unrol'"):
        misspelt(out)


def test_integers_and_promises():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        llvm.intr_assume((x[t] >= 0).ir_value(), [], [])
        out[t] = Int32(llvm.trunc(T.i32(), Int64(x[t]).ir_value(), llvm.IntegerOverflowFlags(0)))
        nvvm.memory_barrier(nvvm.MemScopeKind.GPU)

    x = np.arange(32, dtype=np.int64) + (5 << 32)
    out = np.zeros(32, np.int32)
    run(kernel, x, out)
    assert out.tolist() == list(range(32))
    assert T.i(16) is cutlass.Int16
    assert ir.IntegerType.isinstance(Int32.mlir_type)
    assert not ir.IntegerType.isinstance(Float32.mlir_type)
    assert not ir.IntegerType.isinstance(T.vector(2, T.i32()))


def test_functions_of_numbers_by_their_operation():
    @cute.kernel
    def kernel(x: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        x[t] = cute.math._math_op(math_dialect.absf, False, x[t])

    x = np.linspace(-1, 1, 32, dtype=np.float32)
    expected = np.abs(x)
    run(kernel, x)
    np.testing.assert_array_equal(x, expected)


def test_products_of_one_type_in_tensor_memory():
    options = ((128, 64), tcgen05.CtaGroup.ONE, tcgen05.OperandSource.SMEM)
    majors = (tcgen05.OperandMajorMode.K,) * 2
    op = tcgen05.mma.MmaFP8Op(cutlass.Float8E4M3FN, Float32, *options, *majors)
    assert isinstance(op, tcgen05.MmaOp) and isinstance(op, tcgen05.MmaF8F6F4Op)
    assert op.a_dtype is op.b_dtype is cutlass.Float8E4M3FN
    scaled = tcgen05.mma.MmaMXF8Op(cutlass.Float8E5M2, *options, *majors)
    assert isinstance(scaled, tcgen05.BlockScaledMmaOp) and scaled.b_dtype is cutlass.Float8E5M2
    with pytest.raises(
        TypeError, match="expected Float8E4M3FN or Float8E5M2 as ab_dtype of MmaFP8Op"
    ):
        tcgen05.mma.MmaFP8Op(cutlass.Float4E2M1FN, Float32, *options, *majors)


class Bf16Product(warp.WarpMmaOp):
    shape_mnk = (16, 8, 16)

    def _make_trait(self, *, loc=None, ip=None, **_):
        types = (cutlass.BFloat16, cutlass.BFloat16, Float32)
        shape = warp.mma._pack_shape(self.shape_mnk, loc=loc, ip=ip).type.attribute
        kind = warp.mma._cute_nvgpu_ir.MmaAtomSM80Type.get(shape, *(t.mlir_type for t in types))
        return warp.mma.Trait(warp.mma.make_atom(kind, loc=loc, ip=ip))


def test_atoms_by_their_type():
    @cute.jit
    def atom():
        made = cute.make_mma_atom(Bf16Product())
        expected = cute.make_mma_atom(warp.MmaF16BF16Op(cutlass.BFloat16, Float32, (16, 8, 16)))
        assert made.tv_layout_A == expected.tv_layout_A and made.shape_mnk == (16, 8, 16)

    atom()


def test_names_of_the_same_things():
    assert primitives.Tcgen05MMAScaleVecSize is own_primitives.Tcgen05MMAScaleVecSize
    assert nvvm.Tcgen05FenceKind is own_primitives.Tcgen05Fence
    assert cutlass.block.block_copy is cutlass.utils.block_copy
    barrier = cutlass.pipeline.NamedBarrier.create(barrier_id=1, num_threads=64)
    assert isinstance(barrier, cutlass.pipeline.NamedBarrier) and barrier.num_threads == 64
    assert cute.nvgpu.OutputMajorMode.M is not cute.nvgpu.OutputMajorMode.N
    assert cute.Tiler is cute.XTuple is cute.typing.Tiler is cute.typing.XTuple is cute.Tile


def test_keyword_of_the_type_of_scale_factors():
    types = (cutlass.Float8E4M3FN, Float32, cutlass.Float8E8M0FNU)
    operation = warp.MmaMXF8Op(ab_dtype=types[0], acc_dtype=types[1], sf_type=types[2])
    assert repr(operation) == repr(warp.MmaMXF8Op(*types))
    operation = warp.MmaMXF8F6F4Op(types[0], cutlass.Float4E2M1FN, Float32, sf_type=types[2])
    assert operation.sf_dtype is types[2]


def test_barrier_that_a_branch_chooses():
    @cute.kernel
    def kernel(x: cute.Tensor):
        thread = cute.arch.thread_idx()[0]
        group = thread // 32
        barrier = cutlass.pipeline.NamedBarrier(3, 64)
        if group >= 2:
            barrier = cutlass.pipeline.NamedBarrier(barrier.barrier_id + group // 2, 64)
        barrier.arrive_and_wait()
        x[thread] = barrier.barrier_id * 100 + barrier.num_threads

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=128)

    x = np.zeros(128, np.int32)
    cute.compile(host, x, options="--target cpu")(x)
    assert x.tolist() == [364] * 64 + [464] * 64


def test_warpgroup_fences_by_their_instruction():
    @cute.kernel
    def kernel(x: cute.Tensor):
        primitives.wgmma_fence_aligned()
        primitives.wgmma_commit_group_sync_aligned()
        primitives.wgmma_wait_group_sync_aligned(0)
        x[0] = 1

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=128)

    x = cute.runtime.make_fake_compact_tensor(Int32, (4,))
    ptx = cute.compile(host, x, options="--target cuda:sm_90a").__ptx__
    for words in ("fence", "commit_group", "wait_group"):
        assert f"wgmma.{words}.sync.aligned" in ptx


def test_attributes_of_the_device():
    from fairlead.compat import _cpu_device

    _cpu_device.install()
    runtime = cutlass.base_dsl.runtime.cuda
    attribute = runtime.cuda.CUdevice_attribute.CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT
    assert runtime.get_device_attribute(attribute) > 0


class SetScales(ScaledWarpGemm):
    """A product of warps whose scale factors are set instruction by instruction."""

    @cute.jit
    def __call__(self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor):  # fmt: skip
        self.atom = cute.make_mma_atom(self.op())
        self.kernel(a, b, sfa, sfb, c).launch(grid=1, block=128)

    @cute.kernel
    def kernel(self, a: cute.Tensor, b: cute.Tensor, sfa: cute.Tensor, sfb: cute.Tensor, c: cute.Tensor):  # fmt: skip
        tid, _, _ = cute.arch.thread_idx()
        permutation = helpers.get_permutation_mnk(SHAPE, self.vector, not self.packed)
        mma = cute.make_tiled_mma(self.atom, (2, 2, 1), permutation_mnk=permutation)
        fa, fb = self.fragments(a, b, mma, tid)
        sfa, sfb = self.scales(sfa, SHAPE[0]), self.scales(sfb, SHAPE[1])
        mine = mma.get_slice(tid)
        fsfa = helpers.partition_fragment_SFA(sfa, mine, tid)
        fsfb = helpers.partition_fragment_SFB(sfb, mine, tid)
        self.load(fsfa, sfa, helpers.get_layoutSFA_TV(mma), mma.permutation_mnk[0], mma, tid)
        self.load(fsfb, sfb, helpers.get_layoutSFB_TV(mma), mma.permutation_mnk[1], mma, tid)
        c = cute.make_tensor(c.iterator, cute.make_layout(SHAPE[:2], stride=(SHAPE[1], 1)))
        target = mine.partition_C(c)
        sums = cute.make_rmem_tensor(target.shape, Float32)
        cute.autovec_copy(target, sums)
        for k in cutlass.range_constexpr(cute.size(fa, mode=[2])):
            for m in cutlass.range_constexpr(cute.size(fa, mode=[1])):
                for n in cutlass.range_constexpr(cute.size(fb, mode=[1])):
                    self.atom.set(warp.mma.Field.SFA, fsfa[None, m, k].iterator)
                    self.atom.set(warp.mma.Field.SFB, fsfb[None, n, k].iterator)
                    sum_mn = sums[None, m, n]
                    cute.gemm(self.atom, sum_mn, fa[None, m, k], fb[None, n, k], sum_mn)
        cute.autovec_copy(sums, target)


@pytest.mark.parametrize("name", ["mxf4nvf4"])
def test_scale_factors_that_are_set(name):
    tensors, arrays, expected = operands(name)
    cute.compile(SetScales(name), *tensors, options="--target cpu")(*tensors)
    np.testing.assert_array_equal(arrays[-1], expected)


def test_scale_factors_that_are_not_set():
    @cute.jit
    def function(x: cute.Tensor):
        atom = cute.make_mma_atom(ScaledWarpGemm("mxf4").op())
        factors = cute.make_rmem_tensor(4, cutlass.Float8E8M0FNU)
        with pytest.raises(TypeError, match=r"Field.SFA or Field.SFB of .*, but got Field.ACC"):
            atom.set(warp.mma.Field.ACCUMULATE, True)
        with pytest.raises(TypeError, match=r"scale factors of 8 bits in registers as Field.SFA"):
            atom.set(warp.mma.Field.SFA, x.iterator)
        atom.set(warp.mma.Field.SFA, factors.iterator)
        with pytest.raises(TypeError, match=r"Field.SFB of .*, set before each product, but got n"):
            cute.gemm(atom, x, x, x, x)

    function(np.zeros(4, np.float32))


def test_barriers_are_initialized_when_they_are_made():
    @cute.kernel
    def kernel(x: cute.Tensor):
        storage = cutlass.utils.SmemAllocator().allocate_array(Int64, 2)
        group = cutlass.pipeline.CooperativeGroup(cutlass.pipeline.Agent.Thread, 32)
        operation = cutlass.pipeline.PipelineOp.AsyncThread
        barriers = cutlass.pipeline.MbarrierArray(storage, num_stages=2, agent=(operation, group))
        cute.arch.sync_threads()
        x[cute.arch.thread_idx()[0]] = 1
        barriers.arrive(1)
        barriers.wait(1, 0)
        if cute.arch.thread_idx()[0] == 0:
            x[0] = cute.arch.mbarrier_test_wait(barriers.get_barrier(0), 0).to(Int32)

    x = np.zeros(32, np.int32)
    run(kernel, x)
    assert x.tolist() == [0] + [1] * 31


def test_launches_are_operations_of_the_block():
    from cutlass._mlir.dialects import cuda

    policies = cuda.CudaClusterSchedulingPolicy

    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = x[0] + 1

    @cute.jit
    def host(x: cute.Tensor):
        block = ir.InsertionPoint.current.block
        kernel(x).launch(grid=1, block=1)
        before = len(block.operations)
        kernel(x).launch(grid=1, block=1)
        (launch,) = list(block.operations)[before:]
        assert launch.operation.name == "cuda.launch_ex"
        with ir.InsertionPoint(launch):
            policy = policies.cudaClusterSchedulingPolicySpread
            cuda.launch_cfg_cluster_scheduling_policy(launch.operands[0], policy)
            with pytest.raises(ValueError, match="a CudaClusterSchedulingPolicy as policy"):
                cuda.launch_cfg_cluster_scheduling_policy(launch.operands[0], "spread")

    x = np.zeros(1, np.int32)
    with cutlass.cutlass_dsl.BaseDSL.enable_pyir():
        host(x)
    assert x[0] == 2
    with pytest.raises(ValueError, match="no current InsertionPoint"):
        _ = ir.InsertionPoint.current


@pytest.mark.parametrize("name", ["4xf32", "8xbf16"])
def test_memory_of_several_devices(name):
    from cutlass.utils import distributed

    @cute.kernel
    def kernel(x: cute.Tensor):
        words = getattr(distributed, f"multimem_ld_reduce_{name}")(x.iterator)
        distributed.multimem_st_4xb32(x.iterator, *words)
        distributed.multimem_red_relaxed_gpu_add1(lock_ptr=x.iterator)
        distributed.multimem_red_add1(x.iterator, order="release", scope="sys", loc=None)
        with pytest.raises(ValueError, match="'gpu' or 'sys' as scope"):
            distributed.multimem_red_add1(x.iterator, order="release", scope="cta")

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=32)

    x = cute.runtime.make_fake_compact_tensor(Int32, (4,))
    compiled = cute.compile(host, x, options="--target cuda:sm_90a")
    assert compiled.__cubin__  # The assembler has taken it.
    for words in ("ld_reduce.relaxed.sys", "st.relaxed.sys", "red.relaxed.gpu", "red.release.sys"):
        assert f"multimem.{words}.global" in compiled.__ptx__


def test_buffers_of_products_in_tensor_memory():
    from cutlass._mlir.dialects import nvvm
    from cutlass.experimental import primitives

    assert nvvm.Tcgen05MMACollectorBBuffer is primitives.Tcgen05MMACollectorBBuffer
    assert [member.name for member in nvvm.Tcgen05MMACollectorOp] == [
        "DISCARD",
        "LASTUSE",
        "FILL",
        "USE",
    ]


def test_columns_of_tensor_memory_have_names():
    arch = cute.arch
    assert (arch.SM100_TMEM_CAPACITY_COLUMNS, arch.SM100_TMEM_MIN_ALLOC_COLUMNS) == (512, 32)
    assert arch.TMEM_MAX_ALLOC_COLUMNS_MAP["sm_100"] == arch.get_max_tmem_alloc_cols("sm_100")
    assert arch.TMEM_MIN_ALLOC_COLUMNS_MAP["sm_103"] == arch.get_min_tmem_alloc_cols("sm_103")
    most = [arch.get_max_tmem_alloc_cols(name) for name in ("sm_107", "sm_110a", "sm_120")]
    assert most == [576, 512, 512]


@pytest.mark.parametrize(
    "path, name",
    [
        ("cutlass.cute.algorithm", "autovec_copy"),
        ("cutlass.cute.arch.elect", "elect_one"),
        ("cutlass.cute.arch.mbar", "mbarrier_init"),
        ("cutlass.cute.arch.numeric_conversion", "cvt_f32_tf32"),
        ("cutlass.cute.arch.tmem", "alloc_tmem"),
        ("cutlass.cute.nvgpu.helpers", "make_tiled_tma_atom_A"),
        ("cutlass.cute.nvgpu.warp.copy", "LdMatrix8x8x16bOp"),
        ("cutlass.cute.nvgpu.warpgroup.helpers", "fence"),
        ("cutlass.cute.nvgpu.warpgroup.mma", "MmaF16BF16Op"),
        ("cutlass.memory.smem", "SmemAllocator"),
        ("cutlass.memory.tmem", "TmemAllocator"),
        ("cutlass.pipeline.sm100", "PipelineTmaUmma"),
        (
            "cutlass.utils.grouped_gemm_persistent_tile_scheduler",
            "StaticPersistentGroupTileScheduler",
        ),
        ("cutlass.utils.tmem_allocator", "TmemAllocator"),
    ],
)
def test_parts_of_modules_are_imported_by_their_paths(path, name):
    assert hasattr(importlib.import_module(path), name)


def test_host_functions_may_return_what_only_the_run_knows():
    """CuTe DSL 4.8.1 accepts that, with a result that nobody can use."""

    @cute.kernel
    def double(x: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        x[i] = x[i] * 2

    @cute.jit
    def solve(x: cute.Tensor, n: Int32):
        double(x).launch(grid=1, block=4)
        return x, n + 1, 7

    values = np.arange(4, dtype=np.int32)
    with pytest.warns(UserWarning, match="`solve` returns Int32, .* callers get None") as warned:
        assert solve(values, 3) == (None, None, 7)
    assert {warning.filename for warning in warned} == {__file__}
    assert values.tolist() == [0, 2, 4, 6]


def test_helpers_are_names_of_their_package_too():
    from cutlass import utils
    from cutlass.utils import blockscaled_layout, hopper_helpers, mixed_input_helpers

    assert utils.TransformMode is mixed_input_helpers.TransformMode
    for name, module in (
        ("make_smem_layout_sfa", blockscaled_layout),
        ("make_smem_layout_a", helpers),
        ("make_trivial_tiled_mma", helpers),
        ("get_divisibility", mixed_input_helpers),
    ):
        # The functions may be wrapped, to take locations.
        assert getattr(utils, name).__qualname__ == getattr(module, name).__qualname__
        assert getattr(utils, name).__doc__ == getattr(module, name).__doc__
    made = utils.sm90_make_smem_layout_a.__doc__
    assert made == hopper_helpers.make_smem_layout_a.__doc__ != utils.make_smem_layout_a.__doc__
    assert not hasattr(utils, "make_smem_layout_z")

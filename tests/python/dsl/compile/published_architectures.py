"""Names and changed values that published libraries of several architectures (quack-kernels 0.6, flash-attn-4) use in
the peer's package."""

import ast
import importlib
import importlib.util
import re

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.base_dsl.ast_preprocessor as ast_preprocessor
import cutlass.cute as cute
import cutlass.cute.tensor as tensors
from cutlass import Boolean, Float32, Int32, Uint32, const_expr
from cutlass._mlir.dialects import arith, llvm
from cutlass._mlir.extras import types as T
from cutlass._mlir_helpers.arith import bitcast
from cutlass.base_dsl.arch import Arch
from cutlass.base_dsl.typing import Vector
from cutlass.cutlass_dsl import BaseDSL, CuTeDSL, JitCompiledFunction, dsl_user_op, target_version
from cutlass.experimental import primitives as prims


def run(kernel, *arrays, threads=32):
    @cute.jit
    def host(*given: cute.Tensor):
        kernel(*given).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    fakes = [
        cute.runtime.make_fake_compact_tensor(
            getattr(cutlass, str(array.dtype).capitalize()), array.shape, assumed_align=16
        )
        for array in arrays
    ]
    compiled = cute.compile(host, *fakes)
    compiled(*arrays)
    return compiled


def test_architectures_have_an_order_and_families():
    assert Arch.sm_80 < Arch.sm_90 < Arch.sm_90a < Arch.sm_100 <= Arch.sm_100f < Arch.sm_120
    assert Arch.from_string("sm_90a") is Arch.sm_90a and str(Arch.sm_90a) == "sm_90a"
    assert (Arch.sm_103a.major, Arch.sm_103a.minor, Arch.sm_103a.suffix) == (10, 3, "a")
    assert Arch.sm_103a.is_family_of(Arch.sm_100f) and not Arch.sm_100f.is_family_of(Arch.sm_103f)
    assert Arch.sm_90a.is_family_of(Arch.sm_90a) and not Arch.sm_90.is_family_of(Arch.sm_90a)
    for text in ("sm_12345", "90"):
        with pytest.raises(ValueError, match="architecture"):
            Arch.from_string(text)


@pytest.mark.parametrize("name", ["sm_80", "sm_90a"])
def test_a_program_asks_what_it_is_compiled_for(name, monkeypatch):
    seen = []

    @cute.jit
    def host(x: Int32):
        seen.append(BaseDSL._get_dsl().get_arch_enum())

    cute.compile[cute.GPUArch(name)](host, Int32(1))
    assert seen == [Arch[name]]
    seen.clear()
    monkeypatch.setenv("FAIRLEAD_TARGET", "cpu")
    monkeypatch.setenv("CUTE_DSL_ARCH", "")
    CuTeDSL._get_dsl().envar.arch = name
    cute.compile(host, Int32(1))
    assert seen == [Arch[name]] == [BaseDSL._get_dsl().get_arch_enum()]
    assert CuTeDSL._get_dsl().envar.arch == name
    monkeypatch.delenv("CUTE_DSL_ARCH")
    assert CuTeDSL._get_dsl().envar.arch == "sm_90a"


def test_classes_of_tensors_take_other_methods():
    original = tensors._Tensor.__getitem__, tensors._Tensor.__setitem__

    @dsl_user_op
    def getitem(self, key, *, loc=None, ip=None):
        key = tuple(None if each == slice(None) else each for each in key)
        return original[0](self, key, loc=loc, ip=ip)

    @dsl_user_op
    def setitem(self, key, value, *, loc=None, ip=None):
        return original[1](self, key, value, loc=loc, ip=ip)

    @cute.kernel
    def kernel(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        column = a[:, t]
        assert column.shape == (4,)
        values = column.load()
        assert values.__getitem__(1, loc=None, ip=None) is not None
        a[0, t] = a[1, t] + 1.0

    a = np.asfortranarray(np.arange(128, dtype=np.float32).reshape(4, 32))
    expected = a.copy()
    expected[0] = a[1] + 1
    tensors._Tensor.__getitem__, tensors._Tensor.__setitem__ = getitem, setitem
    try:
        run(kernel, a)
    finally:
        tensors._Tensor.__getitem__, tensors._Tensor.__setitem__ = original
    np.testing.assert_array_equal(a, expected)
    assert tensors.rank((1, 2)) == 2


@pytest.mark.parametrize("static", [False, True])
def test_a_condition_that_starts_with_what_is_known(static):
    assert issubclass(ast_preprocessor.DSLPreprocessor, ast.NodeTransformer)

    @cute.kernel
    def kernel(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        if const_expr(static) and t < 8:
            a[t] = 1.0
        elif const_expr(not static) or t < 16:
            a[t] = 2.0

    a = np.zeros(32, dtype=np.float32)
    run(kernel, a)
    t = np.arange(32)
    expected = np.select([t < 8, t < 16], [1.0, 2.0]) if static else np.full(32, 2.0)
    np.testing.assert_array_equal(a, expected)


def test_operations_of_numbers_by_their_names():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        a, b = x[t].ir_value(), Float32(1.0).ir_value()
        out[0, t] = Float32(arith.maxnumf(a, b))
        out[1, t] = Float32(arith.minimumf(a, b))
        low = arith.extui(T.i64(), bitcast(a, T.i32()))
        word = arith.ori(low, arith.shli(low, arith.constant(T.i64(), 32)))
        high = arith.trunci(T.i32(), arith.shrui(word, arith.constant(T.i64(), 32)))
        out[2, t] = Float32(bitcast(high, T.f32()))
        pair = Vector.from_elements((x[t], Float32(2.0)), Float32)
        one, two = pair.bitcast(cutlass.Int64).bitcast(Float32).to_elements()
        out[3, t] = one + two
        out[4, t] = Float32(llvm.intr_ctlz(Int32(t), False))
        out[5, t] = Float32(cute.arch.mul_hi(Uint32(t) + Uint32(0xFFFFFF00), Uint32(0xFFFFFFFF)))
        out[6, t] = Float32(cute.arch.mul_hi(Int32(t) - 16, Int32(1 << 30)))
        out[7, t] = prims.mov_b32(prims.mov_b32(x[t], target_type=Uint32), target_type=Float32)
        byte = prims.prmt(Uint32(0x44332211) + Uint32(t), 0x0003, prims.PermuteMode.DEFAULT)
        out[8, t] = Float32(byte & 0xFF)
        out[9, t] = Float32(prims.redux_sync(Int32(t), prims.ReductionKind.ADD))
        out[10, t] = Float32(cutlass.select_(t < 4, Int32(1), Int32(2)))

    x = np.linspace(-3, 3, 32).astype(np.float32)
    x[5] = np.nan
    out = np.zeros((11, 32), dtype=np.float32, order="F")
    run(kernel, x, out)
    t = np.arange(32)
    np.testing.assert_array_equal(out[0], np.fmax(x, 1))
    np.testing.assert_array_equal(out[1], np.minimum(x, np.float32(1)))
    np.testing.assert_array_equal(out[2], x)
    np.testing.assert_array_equal(out[3], x + 2)
    np.testing.assert_array_equal(out[4], [32 - int(each).bit_length() for each in t])
    np.testing.assert_array_equal(out[5], (t + 0xFFFFFF00 - 1).astype(np.float32))
    np.testing.assert_array_equal(out[6], (t - 16) >> 2)
    np.testing.assert_array_equal(out[7], x)
    np.testing.assert_array_equal(out[8], np.full(32, 0x44))
    np.testing.assert_array_equal(out[9], np.full(32, 496))
    np.testing.assert_array_equal(out[10], np.where(t < 4, 1, 2))


def test_values_go_into_registers_of_another_nesting():
    @cute.kernel
    def kernel(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        flat = cute.make_rmem_tensor((4, 8), Float32)
        nested = cute.make_rmem_tensor(((2, 2), (8, 1)), Float32)
        for i in cutlass.range_constexpr(32):
            flat[i] = Float32(i + 100 * t)
        nested.store(flat.load())
        for i in cutlass.range_constexpr(32):
            a[i, t] = nested[i]

    a = np.zeros((32, 32), dtype=np.float32, order="F")
    run(kernel, a)
    i, t = np.indices(a.shape)
    np.testing.assert_array_equal(a, i + 100 * t)

    @cute.kernel
    def wrong(a: cute.Tensor):
        values = cute.make_rmem_tensor((4, 4), Float32)
        values.fill(1.0)
        cute.make_rmem_tensor((4, 8), Float32).store(values.load())

    with pytest.raises(ValueError, match="differ in shape"):
        run(wrong, a)


def test_accesses_outside_of_tensors_behind_conditions():
    @cute.kernel
    def kernel(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        r = cute.make_rmem_tensor((2,), Float32)
        r.fill(3.0)
        for i in cutlass.range_constexpr(4):
            if i + t < 2:
                a[i] = r[i]
            r[i] = Float32(i)
        if t == 2:
            a[t] = r[5] + r[1]

    a = np.zeros(3, dtype=np.float32)
    run(kernel, a)
    np.testing.assert_array_equal(a, [3, 3, 1])


def test_tiles_of_copies_are_layouts_and_fragments_come_from_shapes():
    @cute.jit
    def host(a: cute.Tensor):
        atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32)
        copy = cute.make_tiled_copy_tv(atom, cute.make_layout((8, 4)), cute.make_layout((1, 4)))
        assert [mode.shape for mode in copy.tiler_mn] == [8, 16]
        again = cute.make_tiled_copy(atom, copy.layout_tv_tiled, copy.tiler_mn)
        assert str(again) == str(copy)
        mma = cute.make_tiled_mma(cute.nvgpu.MmaUniversalOp(Float32), cute.make_layout((8, 4, 1)))
        thread = mma.get_slice(0)
        fragment = thread.make_fragment_A(thread.partition_shape_A((16, 2)))
        assert fragment.element_type is Float32 and cute.size(fragment) == 4
        assert cute.size(thread.make_fragment_B(thread.partition_shape_B((16, 2)))) == 8

    cute.compile(host, cute.runtime.make_fake_compact_tensor(Float32, (4,)))


def test_operands_in_shared_memory_are_no_fragments_of_shapes():
    @cute.jit
    def host(x: Int32):
        mma = cutlass.utils.sm90.make_trivial_tiled_mma(
            cutlass.Float16,
            cutlass.Float16,
            cute.nvgpu.warpgroup.OperandMajorMode.K,
            cute.nvgpu.warpgroup.OperandMajorMode.K,
            Float32,
            (1, 1, 1),
            (64, 64),
        )
        mma.get_slice(0).make_fragment_B(((8, 8), 1, 4))

    with pytest.raises(TypeError, match="in shared memory"):
        cute.compile[cute.GPUArch("sm_90a")](host, Int32(1))


def test_names_of_later_gpus_are_there_for_programs_that_do_not_use_them():
    from cutlass.cute.atom import CopyOp, MmaOp
    from cutlass.cute.nvgpu import cpasync, tcgen05, warp
    from cutlass.cute.typing import NumericMeta
    from cutlass.utils import SmemPartition
    from cutlass.utils.layout import LayoutEnum

    assert isinstance(Float32, NumericMeta) and LayoutEnum is cutlass.utils.LayoutEnum
    assert issubclass(cpasync.CopyG2SOp, CopyOp) and issubclass(cute.nvgpu.MmaUniversalOp, MmaOp)
    assert cpasync.ReductionOp.ADD is cute.ReductionOp.ADD
    assert SmemPartition.RESERVED in SmemPartition
    assert not isinstance(1, tcgen05.Ld32x32bOp)
    with pytest.raises(NotImplementedError, match="Blackwell"):
        warp.LdMatrix16x8x8bOp()
    with pytest.raises(AttributeError, match="nothing_such"):
        prims.nothing_such  # noqa: B018
    for name in (
        "utils.gemm.sm100",
        "utils.smem_allocator",
        "base_dsl.compiler",
        "pipeline.helpers",
    ):
        importlib.import_module(f"cutlass.{name}")


def test_the_package_is_found():
    assert importlib.util.find_spec("cutlass") is not None
    assert importlib.util.find_spec("cutlass.utils.nothing_such") is None
    assert str(cute.fast_divmod_create_divisor_v2(7)) == str(cute.FastDivmodDivisorV2(7))


def test_versions():
    assert target_version(min_version="12.9") and not target_version(min_version="99.0")
    assert target_version(max_version="99.0") and not target_version(exact_version="12.0")


def test_objects_are_written_by_either_name_of_their_path(tmp_path):
    @cute.jit
    def host(a: cute.Tensor):
        a[0] = Float32(1)

    fake = cute.runtime.make_fake_compact_tensor(Float32, (4,))
    function = cute.compile(host, fake)
    assert isinstance(function, JitCompiledFunction)
    function.export_to_c(object_file_path=str(tmp_path / "f.o"), function_name="f")
    assert (tmp_path / "f.o").read_bytes()[:4] == b"\x7fELF"
    with pytest.raises(cutlass.cutlass_dsl.DSLRuntimeError, match="object_file_path"):
        function.export_to_c("a.o", object_file_path="b.o")


def test_tiles_are_copied_by_one_call():
    from cutlass.cute.nvgpu import cpasync

    tile = (16, 32)

    @cute.kernel
    def kernel(load, source: cute.Tensor, store, target: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        block = cute.arch.block_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        layout = cute.make_layout(tile, stride=(32, 1))
        s = smem.allocate_tensor(Float32, layout, 128)
        barrier = smem.allocate_array(cutlass.Int64)
        if t == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 16 * 32 * 4)
            part = cute.local_tile(source, tile, (block, 0))
            cutlass.utils.block_copy(load, part, s, tma_bar_ptr=barrier)
        cute.arch.sync_threads()
        cute.arch.mbarrier_wait(barrier, 0)
        for row in cutlass.range_constexpr(16):
            s[row, t] = s[row, t] * 2.0
        cute.arch.fence_view_async_shared()
        cute.arch.sync_threads()
        if t == 0:
            cutlass.utils.block_copy(store, s, cute.local_tile(target, tile, (block, 0)))
            cute.arch.cp_async_bulk_commit_group()
            cute.arch.cp_async_bulk_wait_group(0)

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        layout = cute.make_layout(tile, stride=(32, 1))
        load, source = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), a, layout, tile
        )
        store, target = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileS2GOp(), b, layout, tile
        )
        kernel(load, source, store, target).launch(grid=(4, 1, 1), block=(32, 1, 1))

    fake = [
        cute.runtime.make_fake_compact_tensor(
            Float32, (64, 32), stride_order=(1, 0), assumed_align=16
        )
        for _ in range(2)
    ]
    a = np.random.default_rng(1).standard_normal((64, 32)).astype(np.float32)
    b = np.zeros_like(a)
    cute.compile(host, *fake)(a, b)
    np.testing.assert_array_equal(b, 2 * a)
    cute.compile[cute.GPUArch("sm_90a")](host, *fake)


@pytest.mark.parametrize("of_pairs, tiles", [(True, [0, 1, 0, 1]), (False, [0, 0, 0, 0])])
def test_blocks_of_a_column_share_a_tile(of_pairs, tiles):
    """Each block loads a part. Blocks at the same place of their pairs get a tile together, or all blocks do."""
    rows = 16

    @cute.kernel
    def kernel(load, source: cute.Tensor, b: cute.Tensor):
        rank = cute.arch.block_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(Float32, cute.make_layout((rows, 32), stride=(32, 1)), 128)
        barrier = smem.allocate_array(cutlass.Int64)
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, rows * 32 * 4)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        place = rank % 2 if of_pairs else 0
        cutlass.utils.block_copy(
            load, cute.local_tile(source, (rows, 32), (place, 0)), s, tma_bar_ptr=barrier,
            tma_multicast={"cluster_shape": (4, 1), "multicast_dim": "N", "use_2cta_mma_inst": of_pairs},
        )  # fmt: skip
        cute.arch.mbarrier_wait(barrier, 0)
        for i in range(rows):
            b[rank, i, cute.arch.thread_idx()[0]] = s[i, cute.arch.thread_idx()[0]]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        load, source = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SMulticastOp(), a,
            cute.make_layout((rows, 32), stride=(32, 1)), (rows, 32), num_multicast=2 if of_pairs else 4,
        )  # fmt: skip
        kernel(load, source, b).launch(grid=(4, 1, 1), block=(32, 1, 1), cluster=(4, 1, 1))

    a = np.random.default_rng(2).standard_normal((2 * rows, 32)).astype(np.float32)
    b = np.zeros((4, rows, 32), np.float32)
    cute.compile(host, a, b)(a, b)
    np.testing.assert_array_equal(b, a.reshape(2, rows, 32)[tiles])


def kernel_of_shared_tiles(rows, times=1):
    """A kernel of two blocks of a column, which load the same tile of ``rows`` rows by an atom of whole tiles."""

    @cute.kernel
    def kernel(load, source: cute.Tensor, b: cute.Tensor):
        thread, block = cute.arch.thread_idx()[0], cute.arch.block_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(Float32, cute.make_layout((rows, 32), stride=(32, 1)), 128)
        barrier = smem.allocate_array(cutlass.Int64)
        if thread == 0:
            cute.nvgpu.cpasync.prefetch_descriptor(load)
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, times * rows * 32 * 4)
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        for _ in cutlass.range_constexpr(times):
            cutlass.utils.block_copy(
                load, cute.local_tile(source, (rows, 32), (0, 0)), s, tma_bar_ptr=barrier,
                tma_multicast={"cluster_shape": (2, 1), "multicast_dim": "N"},
            )  # fmt: skip
        cute.arch.mbarrier_wait(barrier, 0)
        for i in range(rows):
            b[block, i, thread] = s[i, thread]

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        load, source = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a,
            cute.make_layout((rows, 32), stride=(32, 1)), (rows, 32),
        )  # fmt: skip
        kernel(load, source, b).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    return host


def ptx_of_shared_tiles(host, rows):
    fakes = [
        cute.runtime.make_fake_compact_tensor(Float32, shape, stride_order=order, assumed_align=16)
        for shape, order in (((rows, 32), (1, 0)), ((2, rows, 32), (2, 1, 0)))
    ]
    options = cute.KeepPTX(True), cute.GPUArch("sm_90a")
    return str(cute.compile[options](host, *fakes).__ptx__)


@pytest.mark.parametrize("rows", [16, 17])  # 17 rows cannot be shared by two blocks
def test_blocks_share_the_tile_of_an_atom_of_whole_tiles(rows):
    a = np.random.default_rng(2).standard_normal((rows, 32)).astype(np.float32)
    b = np.zeros((2, rows, 32), np.float32)
    host = kernel_of_shared_tiles(rows)
    cute.compile(host, a, b)(a, b)
    np.testing.assert_array_equal(b, np.stack([a, a]))
    assert ("multicast::cluster" in ptx_of_shared_tiles(host, rows)) == (rows == 16)


def test_shared_tiles_take_one_tensor_map():
    """Copies of two places share one, and the prefetch of the map of whole tiles is for it."""
    ptx = ptx_of_shared_tiles(kernel_of_shared_tiles(16, times=2), 16)
    assert ptx.count("multicast::cluster") == 2 and "prefetch.tensormap" in ptx
    assert ptx.count(".param .align 64 .b8") == 1


def test_bytes_for_another_block_are_announced_without_a_fence():
    """Release for the cluster would wait for all writes of the thread; CuTe DSL's instruction does not."""

    @cute.kernel
    def kernel(a: cute.Tensor):
        barrier = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64)
        block = cute.arch.block_idx()[0]
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
        cute.arch.cluster_arrive()
        cute.arch.cluster_wait()
        if cute.arch.thread_idx()[0] == 0:
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 8, block ^ 1)
            target = cutlass.utils.SmemAllocator().allocate_array(cutlass.Int64)
            value = cutlass.Int64(block + 7)
            cute.arch.store_async_dsmem(target, value, barrier, block ^ 1)
            cute.arch.mbarrier_wait(barrier, 0)
            a[block] = target[0]

    @cute.jit
    def host(a: cute.Tensor):
        kernel(a).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    a = np.zeros(2, np.int64)
    cute.compile(host, a)(a)
    assert a.tolist() == [8, 7]
    fake = cute.runtime.make_fake_compact_tensor(cutlass.Int64, (2,), stride_order=(0,))
    ptx = str(cute.compile[cute.KeepPTX(True), cute.GPUArch("sm_90a")](host, fake).__ptx__)
    assert "mbarrier.expect_tx" in ptx and "arrive.release.cluster" not in ptx
    assert "expect_tx.release.cluster" not in ptx


def test_a_tensor_map_is_stored_as_a_value():
    """As cudnn-frontend writes maps: the value of the atom's field, cast to a struct of integers."""
    from cutlass._mlir import ir
    from cutlass._mlir.dialects import builtin, cute_nvgpu, llvm
    from cutlass.cute.nvgpu import cpasync

    tile = (16, 32)

    @cute.kernel
    def kernel(load, source: cute.Tensor, maps: cute.Tensor, b: cute.Tensor):
        thread = cute.arch.thread_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(Float32, cute.make_layout(tile, stride=(32, 1)), 128)
        barrier = smem.allocate_array(cutlass.Int64)
        if thread == 0:
            atom = load._trait.value
            kind = re.search(r"non_exec_tiled_(tma_\w+)<", str(atom.type))[1]
            field = ir.Attribute.parse(f"#cute_nvgpu.atom_copy_field_non_exec_{kind}<tma_desc>")
            value = cute_nvgpu.atom_get_value(
                cute_nvgpu.TmaDescriptorTiledType.get(), atom, field, loc=None, ip=None
            )
            struct = ir.Type.parse("!llvm.struct<(array<16 x i64>)>")
            words = builtin.unrealized_conversion_cast([struct], [value], loc=None, ip=None)
            llvm.extractvalue(ir.Type.parse("!llvm.array<16 x i64>"), words, [0])
            llvm.store(words, maps.iterator.llvm_ptr, alignment=128)
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 16 * 32 * 4)
            cutlass.utils.block_copy(
                load, cute.local_tile(source, tile, (1, 0)), s, tma_bar_ptr=barrier,
                tma_desc_ptr=maps.iterator,
            )  # fmt: skip
        cute.arch.sync_threads()
        cute.arch.mbarrier_wait(barrier, 0)
        for i in range(16):
            b[i, thread] = s[i, thread]

    @cute.jit
    def host(a: cute.Tensor, maps: cute.Tensor, b: cute.Tensor):
        load, source = cpasync.make_tiled_tma_atom(
            cpasync.CopyBulkTensorTileG2SOp(), a, cute.make_layout(tile, stride=(32, 1)), tile
        )
        kernel(load, source, maps, b).launch(grid=(1, 1, 1), block=(32, 1, 1))

    a = np.random.default_rng(3).standard_normal((64, 32)).astype(np.float32)
    memory = np.zeros(128 + 16 * 8, np.uint8)
    start = -memory.ctypes.data % 128
    maps = memory[start : start + 128]
    b = np.zeros((16, 32), np.float32)
    aligned = (a, 16), (maps, 128), (b, 16)
    tensors = [cute.runtime.from_dlpack(x, assumed_align=align) for x, align in aligned]
    cute.compile(host, *tensors)(*tensors)
    np.testing.assert_array_equal(b, a[16:32])
    assert maps.any()
    with pytest.raises(NotImplementedError, match=r"expected the field <tma_desc>"):
        cute_nvgpu.atom_get_value(None, None, ir.Attribute.parse("#cute_nvgpu.field<mask>"))


@pytest.mark.parametrize("atom, multicast, message", [
    ("thread", None, "an atom of make_tiled_tma_atom"),
    ("box", {"cluster_shape": (2, 1), "multicast_dim": "K"}, "'M' or 'N' .*, as tma_multicast"),
    (
        "box",
        {"cluster_shape": (3, 1), "multicast_dim": "M", "use_2cta_mma_inst": True},
        "for an even number of rows",
    ),
    ("box", {"multicast_dim": "M"}, "cluster_shape"),
    ("box", (2, 1), r"as tma_multicast, but got \(2, 1\)"),
])  # fmt: skip
def test_mistakes_with_copies_of_tiles(atom, multicast, message):
    tile = (16, 32)

    @cute.kernel
    def kernel(load, source: cute.Tensor, plain: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        s = smem.allocate_tensor(Float32, cute.make_layout(tile, stride=(32, 1)), 128)
        barrier = smem.allocate_array(cutlass.Int64)
        by_threads = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32)
        part = cute.local_tile(source if atom == "box" else plain, tile, (0, 0))
        cutlass.utils.block_copy(
            load if atom == "box" else by_threads, part, s, tma_bar_ptr=barrier, tma_multicast=multicast
        )  # fmt: skip

    @cute.jit
    def host(a: cute.Tensor):
        load, source = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), a, cute.make_layout(tile, stride=(32, 1)), tile
        )  # fmt: skip
        kernel(load, source, a).launch(grid=(1, 1, 1), block=(32, 1, 1), cluster=(1, 1, 1))

    fake = cute.runtime.make_fake_compact_tensor(
        Float32, (64, 32), stride_order=(1, 0), assumed_align=16
    )
    with pytest.raises((TypeError, ValueError), match=message) as caught:
        cute.compile(host, fake)
    assert "published_architectures.py" in str(caught.value)


def test_copies_of_images_are_not_there():
    with pytest.raises(AttributeError, match="im2col copies are not supported"):
        cute.nvgpu.cpasync.CopyBulkTensorIm2ColG2SOp()

    @cute.jit
    def host(a: cute.Tensor):
        cute.nvgpu.cpasync.CopyBulkTensorIm2ColG2SMulticastOp()

    with pytest.raises(AttributeError, match="im2col copies are not supported"):
        cute.compile(host, cute.runtime.make_fake_compact_tensor(Float32, (8,)))


def test_shared_memory_of_a_named_part():
    @cute.kernel
    def kernel(a: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        part = cutlass.utils.SmemPartition.RESERVED
        s = smem.allocate_tensor(Float32, cute.make_layout(32), 16, partition=part)
        flags = smem.allocate_array(Boolean, 32, partition=part)
        s[t] = a[31 - t]
        (flags + t).store(Boolean(t > 3))
        cute.arch.sync_threads()
        a[t] = s[t]
        if not (flags + t).load():
            a[t] = Float32(-1)

    a = np.arange(32, dtype=np.float32)
    run(kernel, a)
    np.testing.assert_array_equal(a, [-1] * 4 + list(range(27, -1, -1)))


def test_operations_of_another_ir_have_names():
    import cutlass._mlir.dialects.cute as operations

    with pytest.raises(NotImplementedError, match="an IR that Fairlead does not have"):
        operations.SomeOp(1)


def test_columns_of_tensor_memory_for_one_block_alone():
    exclusive = cute.arch.is_tmem_allocation_exclusive
    assert [exclusive(columns, cute.arch.Arch.sm_107) for columns in (32, 512, 576)] == [
        False,
        False,
        True,
    ]
    assert not exclusive(576, cute.arch.Arch.sm_100) and not exclusive(576, "sm_120")


def test_fences_of_tensor_memory_by_kind(tmp_path):
    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.fence_view_async_tmem_op("load")
        cute.arch.fence_view_async_tmem_op(kind="store")
        with pytest.raises(ValueError, match="load or store as kind"):
            cute.arch.fence_view_async_tmem_op("copy")
        x[0] = 1

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=32)

    fake = cute.runtime.make_fake_compact_tensor(cute.Int32, (1,))
    text = cute.compile(host, fake, options="--target cuda:sm_100a").ptx
    assert "tcgen05.wait::ld.sync" in text and "tcgen05.wait::st.sync" in text

"""Values that published libraries build from the peer's IR: attributes, memory by address, narrow floats in words,
traits of atoms, schedulers. Each name does its work."""

import argparse
import dataclasses
import importlib

import ml_dtypes
import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Boolean, Float32, Int32, Int64, Uint32
from cutlass._mlir import ir
from cutlass._mlir.dialects import arith, llvm, nvvm
from cutlass.cute.nvgpu import warp
from cutlass.cutlass_dsl import T


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """Files that are kept."""
    monkeypatch.chdir(tmp_path)


def run(kernel, *arrays, threads=32, options=""):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    fakes = [
        cute.runtime.make_fake_compact_tensor(
            getattr(cutlass, str(array.dtype).capitalize()),
            array.shape,
            stride_order=tuple(reversed(range(array.ndim))),
            assumed_align=16,
        )
        for array in arrays
    ]
    compiled = cute.compile(host, *fakes, options=options)
    if not options:
        compiled(*arrays)
    return compiled


_NUMBERS = np.array([0.0, 0.3, 0.5, 0.75, 1.0, 1.3, 2.5, -3.0, 6.0, -0.4, 100.0, 1e-3], np.float32)
_NUMBERS = np.resize(_NUMBERS, (32, 2))

_NARROW = {
    "E4M3x2": ml_dtypes.float8_e4m3fn,
    "E5M2x2": ml_dtypes.float8_e5m2,
    "E2M1x2": ml_dtypes.float4_e2m1fn,
    "E2M3x2": ml_dtypes.float6_e2m3fn,
    "E3M2x2": ml_dtypes.float6_e3m2fn,
}


@pytest.mark.parametrize("kind", _NARROW)
def test_pairs_of_narrow_floats(kind):
    """The second number is in the low bits; the bits above are unchanged; converted back, it is the rounded number."""
    member = getattr(nvvm.CVTPackFloatKind, kind)

    @cute.kernel
    def kernel(x: cute.Tensor, words: cute.Tensor, back: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        low = nvvm.cvt_packfloat_f32(
            x[t, 1].ir_value(), x[t, 0].ir_value(), Int32(0), member,
            rnd=nvvm.FPRoundingMode.RN, sat=nvvm.SaturationModeKind.SATFINITE,
        )  # fmt: skip
        words[t] = nvvm.cvt_packfloat_f32(
            T.i32(), x[t, 1].ir_value(), x[t, 0].ir_value(), low, member, extract_hi=True
        )
        half = nvvm.cvt_packfloat(
            words[t], Int32(0), member, nvvm.CVTPackFloatKind.F16x2, extract_hi=True
        )
        for place in cutlass.range_constexpr(2):
            bits = (half.bitcast(Uint32) >> (16 * place)).to(cutlass.Uint16)
            back[t, place] = bits.bitcast(cutlass.Float16).to(Float32)

    words, back = np.zeros(32, np.int32), np.zeros((32, 2), np.float32)
    run(kernel, _NUMBERS, words, back)
    dtype = _NARROW[kind]
    most = float(ml_dtypes.finfo(dtype).max)
    narrow = np.clip(_NUMBERS, -most, most).astype(dtype)
    np.testing.assert_array_equal(back, narrow.astype(np.float32))
    bits = narrow.view(np.uint8).astype(np.uint32)
    step = 4 if kind == "E2M1x2" else 8
    pairs = bits[:, 0] | (bits[:, 1] << step)
    np.testing.assert_array_equal(words.view(np.uint32), pairs | (pairs << 16))


def test_powers_of_two_round_as_asked():
    values = np.array([1.0, 1.5, 3.0, 2.0**-127, 2.0**127 * 1.5, 0.75], np.float32)
    values = np.resize(values, 32)

    @cute.kernel
    def kernel(x: cute.Tensor, up: cute.Tensor, down: cute.Tensor, back: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        kind = nvvm.CVTPackFloatKind.UE8M0x2
        zero, rp = Float32(0.0), nvvm.FPRoundingMode.RP
        up[t] = nvvm.cvt_packfloat_f32(zero, x[t], Int32(0), kind, rnd=rp)
        down[t] = nvvm.cvt_packfloat_f32(zero, x[t], Int32(0), kind, rnd=nvvm.RoundingModeKind.RZ)
        word = nvvm.cvt_packfloat(down[t], Int32(0), kind, nvvm.CVTPackFloatKind.BF16x2)
        back[t] = (word.bitcast(Uint32) << 16).bitcast(Float32)

    up, down = np.zeros(32, np.int32), np.zeros(32, np.int32)
    back = np.zeros(32, np.float32)
    run(kernel, values, up, down, back)
    exponents = np.floor(np.log2(values.astype(np.float64))).astype(int) + 127
    np.testing.assert_array_equal(down, exponents)
    whole = np.log2(values.astype(np.float64)) % 1 == 0
    np.testing.assert_array_equal(up, np.minimum(exponents + ~whole, 254))
    np.testing.assert_array_equal(back, 2.0 ** (exponents - 127))


def test_rounding_that_there_is_not():
    @cute.kernel
    def kernel(x: cute.Tensor):
        nvvm.cvt_packfloat_f32(
            x[0], x[0], Int32(0), nvvm.CVTPackFloatKind.E4M3x2, rnd=nvvm.FPRoundingMode.RZ
        )

    with pytest.raises(ValueError, match=r"cvt_packfloat_f32.*RN as rnd for Float8E4M3FN.*RZ"):
        run(kernel, np.zeros(1, np.float32))


def test_conversion_by_an_attribute_of_the_type():
    @cute.kernel
    def kernel(x: cute.Tensor, words: cute.Tensor, nibbles: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        of = ir.TypeAttr.get(cutlass.Float8E4M3FN.mlir_type)
        pair = nvvm.convert_f32x2_to_f8x2(
            ir.VectorType.get([2], cutlass.Int8.mlir_type), x[t, 1], x[t, 0], of,
            rnd=nvvm.FPRoundingMode.RN, sat=nvvm.SaturationMode.SATFINITE,
        )  # fmt: skip
        words[t] = llvm.zext(T.i32(), llvm.bitcast(cutlass.Int16.mlir_type, pair))
        short = nvvm.convert_f32x2_to_f8x2(T.i16(), x[t, 1], x[t, 0], of)
        words[t] = words[t] | (Int32(short) << 16)
        four = ir.TypeAttr.get(cutlass.Float4E2M1FN.mlir_type)
        nibbles[t] = Int32(nvvm.convert_f32x2_to_f4x2(x[t, 1], x[t, 0], four)) & 0xFF

    words, nibbles = np.zeros(32, np.int32), np.zeros(32, np.int32)
    run(kernel, _NUMBERS, words, nibbles)
    bits = _NUMBERS.astype(ml_dtypes.float8_e4m3fn).view(np.uint8).astype(np.uint32)
    pairs = bits[:, 0] | (bits[:, 1] << 8)
    np.testing.assert_array_equal(words.view(np.uint32), pairs | (pairs << 16))
    bits = np.clip(_NUMBERS, -6, 6).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    np.testing.assert_array_equal(nibbles, bits[:, 0] | (bits[:, 1].astype(int) << 4))


def test_attributes():
    assert ir.Attribute.parse("unit") == ir.UnitAttr.get()
    assert ir.Attribute.parse("7 : i32") == ir.IntegerAttr.get(T.i32(), 7)
    assert int(ir.IntegerAttr.get(T.i64(), 5)) == 5 and str(ir.UnitAttr.get()) == "unit"
    assert ir.Attribute.parse("f32") == ir.TypeAttr.get(T.f32())
    assert ir.Attribute.parse("#cute_nvgpu.field<tma_desc>").value == "#cute_nvgpu.field<tma_desc>"
    entries = ir.DictAttr.get({"llvm.byval": ir.TypeAttr.get(T.i32()), "a": ir.UnitAttr.get()})
    assert len(entries) == 2 and "a" in entries and entries["llvm.byval"].value is Int32
    with pytest.raises(ValueError, match="no IR type"):
        ir.Attribute.parse("nothing")


def test_attributes_of_parameters():
    from cutlass.base_dsl.dsl import extract_mlir_attributes

    class Own:
        def __extract_mlir_attributes__(self):
            return [ir.DictAttr.get({"llvm.byval": ir.UnitAttr.get()})]

    assert extract_mlir_attributes(Own())[0]["llvm.byval"] == ir.UnitAttr.get()
    found = []

    @cute.kernel
    def kernel(a: cute.Tensor):
        found.extend(extract_mlir_attributes((a, Int32(1))))
        assert ir.InsertionPoint.current is not None and ir.Context.current is not None

    run(kernel, np.zeros(1, np.float32))
    assert found == [ir.DictAttr.get({}), ir.DictAttr.get({})]
    assert ir.Context.current is None
    with pytest.raises(ValueError, match="nothing is traced"):
        _ = ir.InsertionPoint.current


def test_memory_by_address():
    """Elements behind a pointer, of vectors too, at places that the run decides."""

    @cute.kernel
    def kernel(numbers: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        dynamic = cutlass.base_dsl.typing.MLIR_DYNAMIC_INDEX
        base = llvm.inttoptr(llvm.PointerType.get(1), numbers.iterator.toint())
        place = llvm.getelementptr(
            llvm.PointerType.get(1), base, [t.ir_value()], [dynamic], T.i32(), no_wrap_flags="None"
        )
        pair = llvm.load(T.vector(2, T.i32()), llvm.getelementptr(
            llvm.PointerType.get(1), base, [], [2], T.i32()
        ))  # fmt: skip
        one = arith.constant(value=ir.IntegerAttr.get(T.i32(), 1), result=T.i32())
        constant = ir.Operation.create(
            "llvm.mlir.constant", results=[T.i32()],
            attributes={"value": ir.IntegerAttr.get(T.i32(), 10)},
        ).result  # fmt: skip
        chosen = llvm.extractelement(pair, (t & 1).ir_value())
        changed = llvm.insertelement(pair, Int32(7), (t & 1).ir_value())
        target = llvm.getelementptr(
            llvm.PointerType.get(1), out.iterator.to_llvm_ptr(), [t * 2], [dynamic], T.i32()
        )
        llvm.store(llvm.load(T.i32(), place) + one * constant + chosen, target)
        llvm.fence(llvm.AtomicOrdering.release, syncscope="device")
        out[t, 1] = changed[0] + 100 * changed[1]

    numbers, out = np.arange(32, dtype=np.int32), np.zeros((32, 2), np.int32)
    run(kernel, numbers, out)
    t = np.arange(32)
    np.testing.assert_array_equal(out[:, 0], t + 10 + 2 + t % 2)
    np.testing.assert_array_equal(out[:, 1], np.where(t % 2, 2 + 700, 7 + 300))


def test_operations_of_mmas():
    """A product whose operation gives the atom's type by a trait."""
    from cutlass._mlir.dialects import cute_nvgpu
    from cutlass.cute import core
    from cutlass.cute.atom import Trait, make_atom

    @dataclasses.dataclass(frozen=True)
    class Op(warp.WarpMmaOp):
        shape_mnk: tuple

        def _make_trait(self, *, loc=None, ip=None, **kwargs):
            shape = core._pack_shape(self.shape_mnk, loc=loc, ip=ip)
            types = cutlass.TFloat32.mlir_type, cutlass.TFloat32.mlir_type, Float32.mlir_type
            kind = cute_nvgpu.MmaAtomSM80Type.get(shape.type.attribute, *types)
            return Trait(make_atom(kind, loc=loc, ip=ip))

    assert isinstance(warp.MmaTF32Op((16, 8, 8)), warp.WarpMmaOp)
    assert not isinstance(warp.LdMatrix8x8x16bOp(), warp.WarpMmaOp)

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(Op((16, 8, 8)))
        part = mma.get_slice(cute.arch.thread_idx()[0])
        fragments = [
            mma.make_fragment_A(part.partition_A(a)), mma.make_fragment_B(part.partition_B(b))
        ]  # fmt: skip
        for source, fragment in zip(
            (part.partition_A(a), part.partition_B(b)), fragments, strict=True
        ):
            for place in cutlass.range_constexpr(cute.size(fragment)):
                fragment[place] = source[place].to(cutlass.TFloat32)
        sums = mma.make_fragment_C(part.partition_C(c))
        sums.fill(0.0)
        cute.gemm(mma, sums, *fragments, sums)
        cute.autovec_copy(sums, part.partition_C(c))

    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, (rows, 8)).astype(np.float32) for rows in (16, 8))
    c = np.zeros((16, 8), np.float32)
    run(kernel, a, b, c)
    np.testing.assert_array_equal(c, a @ b.T)


def test_copies_of_an_explicit_tile():
    """An atom of TMA by the layout of its tile's coordinates, in the form that libraries write."""
    from cutlass._mlir.dialects import cute_nvgpu
    from cutlass.cute.nvgpu import cpasync

    @cute.kernel
    def kernel(load: cute.CopyAtom, coordinates: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        memory = cutlass.utils.SmemAllocator()
        tile = memory.allocate_tensor(Float32, cute.make_layout((8, 16), stride=(16, 1)), 128)
        barrier = memory.allocate_array(Int64, 1)
        if t == 0:
            cute.arch.mbarrier_init(barrier, 1)
        cute.arch.mbarrier_init_fence()
        cute.arch.sync_threads()
        own = cute.local_tile(coordinates, (8, 16), (1, 1))
        shared, boxes = cpasync.tma_partition(
            load, 0, cute.make_layout(1), cute.group_modes(tile, 0, 2), cute.group_modes(own, 0, 2)
        )
        if t < 32:
            with cute.arch.elect_one():
                cute.arch.mbarrier_arrive_and_expect_tx(barrier, 8 * 16 * 4)
            cute.copy(load, boxes, shared, tma_bar_ptr=barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        for place in range(t, 128, 32):
            out[place // 16, place % 16] = tile[place // 16, place % 16]

    @cute.jit
    def host(source: cute.Tensor, out: cute.Tensor):
        op = cpasync.CopyBulkTensorTileG2SOp()
        tile = cute.composition(cute.make_identity_layout(source.shape), (8, 16))
        shared = cute.make_layout((8, 16), stride=(16, 1))
        atom, coordinates = cute_nvgpu.atom_make_non_exec_tiled_tma_load(
            source.value, shared.value, tile, op._to_ir(), num_multicast=1,
            tma_format=cute_nvgpu.TmaDataFormat(cute_nvgpu.get_default_tma_format(T.f32())),
        )  # fmt: skip
        load = cute.CopyAtom(op, cpasync.CopyBulkTensorTileG2SNonExecTrait(atom))
        assert isinstance(load, cute.CopyAtom) and load._trait.value is load
        kernel(load, coordinates, out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    source = np.arange(16 * 32, dtype=np.float32).reshape(16, 32)
    out = np.zeros((8, 16), np.float32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(Float32, array.shape, stride_order=(1, 0), assumed_align=16)
        for array in (source, out)
    ]  # fmt: skip
    cute.compile(host, *fakes)(source, out)
    np.testing.assert_array_equal(out, source[8:, 16:])


def test_pointer_types():
    """A class of arguments that tells its address's type, as libraries have one."""
    from cutlass._mlir.dialects import cute as cute_dialect

    class Address:
        def __init__(self, array):
            self.array = array
            self.address = importlib.import_module("ctypes").c_void_p(array.ctypes.data)

        def __c_pointers__(self):
            return [importlib.import_module("ctypes").addressof(self.address)]

        def __get_mlir_types__(self):
            return [cute_dialect.PtrType.get(Int32.mlir_type, cute_dialect.AddressSpace.gmem, 16)]

        def __new_from_mlir_values__(self, values):
            return values[0]

    @cute.kernel
    def kernel(pointer: cute.Pointer):
        assert pointer.dtype is Int32 and pointer.alignment == 16
        words = cute_dialect.recast_iter(
            cute_dialect.PtrType.get(Uint32.mlir_type, pointer.memspace, 8), pointer.value
        )
        assert words.dtype is Uint32 and words.alignment == 8
        cute.make_tensor(words, 4)[cute.arch.thread_idx()[0]] = Uint32(9)

    @cute.jit
    def host(pointer):
        kernel(pointer).launch(grid=(1, 1, 1), block=(4, 1, 1))

    array = cute_aligned(np.zeros(4, np.int32))
    host(Address(array))
    np.testing.assert_array_equal(array, [9] * 4)


def cute_aligned(array):
    """A copy of the array at a multiple of 64 bytes."""
    room = np.zeros(array.nbytes + 64, np.uint8)
    start = -room.ctypes.data % 64
    copy = room[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def test_options_of_compile(tmp_path):
    from cutlass.base_dsl.compiler import CompileCallable, DumpDir

    folder = tmp_path / "kept"
    folder.mkdir()

    @cute.jit
    def host(a: cute.Tensor):
        a[0] = 1.0

    fake = cute.runtime.make_fake_compact_tensor(Float32, (1,))
    CompileCallable((cute.KeepIR(True), DumpDir(str(folder))))(host, fake)
    assert {path.suffix for path in folder.iterdir()} == {".mlir", ".ll"}
    assert CompileCallable() is cute.compile
    with pytest.raises(ValueError, match=r"DumpDir.*an existing folder.*nothing"):
        cute.compile[DumpDir(str(tmp_path / "nothing"))](host, fake)


def test_adapters_by_their_registry():
    from cutlass.base_dsl.runtime.jit_arg_adapters import JitArgAdapterRegistry

    class Pair:
        def __init__(self, a, b):
            self.a, self.b = a, b

    @JitArgAdapterRegistry.register_jit_arg_adapter(Pair)
    class Adapter:
        def __init__(self, pair):
            self.numbers = Int32(pair.a), Int32(pair.b)

        def __c_pointers__(self):
            get = cutlass.base_dsl.typing.get_c_pointers
            return [pointer for number in self.numbers for pointer in get(number)]

        def __get_mlir_types__(self):
            return [T.i32(), T.i32()]

        def __new_from_mlir_values__(self, values):
            return tuple(values)

    assert JitArgAdapterRegistry.get_registered_adapter(Pair) is Adapter

    @cute.jit
    def host(pair, out: cute.Tensor):
        out[0] = pair[0] * 10 + pair[1]

    out = np.zeros(1, np.int32)
    host(Pair(4, 2), out)
    assert out[0] == 42


def test_numeric_classes_by_name():
    from cutlass.base_dsl.typing import __STR_TO_DTYPE__, FloatMeta, IntegerMeta

    assert __STR_TO_DTYPE__["Float16"] is cutlass.Float16 and "Numeric" not in __STR_TO_DTYPE__
    assert isinstance(cutlass.Float16, FloatMeta) and not isinstance(Int32, FloatMeta)
    assert isinstance(Int32, IntegerMeta) and not isinstance(Float32(1), FloatMeta)
    assert cutlass.target_version(min_version="12.9") and not cutlass.target_version(
        min_version="99.0"
    )
    arch = cutlass.base_dsl.arch.Arch
    assert arch.sm_107.major == 10 and arch.sm_103 < arch.sm_107 < arch.sm_110


def test_warnings_that_programs_replace(capsys):
    from cutlass.base_dsl.dsl import BaseDSL

    original = BaseDSL.print_warning
    try:
        BaseDSL.print_warning = lambda self, message: original(self, message.upper())
        BaseDSL._get_dsl().print_warning("quiet")
    finally:
        BaseDSL.print_warning = original
    assert capsys.readouterr().err == "warning: QUIET\n"


def test_options_of_initial_tensors():
    from cutlass.cute import testing

    parser = argparse.ArgumentParser()
    testing.add_tensor_init_args(parser, supports_int_dtypes=True)
    args = parser.parse_args(["--init_normal", "--normal_std", "0.5"])
    assert (args.init_normal, args.normal_mean, args.normal_std) == (True, 0.0, 0.5)
    testing.validate_tensor_init_args(args, parser)
    with pytest.raises(ValueError, match="--normal_std: expected a positive number, but got -1"):
        testing.validate_tensor_init_args(argparse.Namespace(normal_std=-1.0))


def test_scheduler_of_tiles_without_an_end():
    from cutlass import utils
    from cutlass.utils import mixed_input_helpers as mixed

    cumsum = np.array([0, 300, 310, 700], np.int32)

    @cute.kernel
    def kernel(bounds: cute.Tensor, out: cute.Tensor, rows: cutlass.Int32):
        params = utils.PersistentTileSchedulerParams((rows, 1, 1), (1, 1, 1))
        x, y, z = cute.arch.block_idx()
        scheduler = utils.StaticPersistentRuntimeTileScheduler.create(
            params, (x, y, z), cute.arch.grid_dim(), inner_mode=0
        )
        work = scheduler.initial_work_tile_info()
        state = mixed.create_initial_contiguous_group_search_state()
        goes_on = Boolean(True)
        while goes_on:
            m, n, _ = work.tile_idx
            state = mixed.contiguous_group_search((128, 128, 64), 3, n, state, bounds, 1)
            goes_on = state.cur_group_idx <= 3
            if goes_on:
                place = out[state.cur_group_idx - 1, state.cur_start // 10, m]
                out[state.cur_group_idx - 1, state.cur_start // 10, m] = place + state.cur_boundary
            scheduler.advance_to_next_work()
            work = scheduler.get_current_work()

    @cute.jit
    def host(bounds: cute.Tensor, out: cute.Tensor, rows: cutlass.Int32):
        kernel(bounds, out, rows).launch(grid=(1, 1, 3), block=(1, 1, 1))

    out = np.zeros((3, 70, 2), np.int32)
    host(cumsum, out, 2)
    expected = np.zeros_like(out)
    for group in range(3):
        for start in range(cumsum[group], cumsum[group + 1], 128):
            expected[group, start // 10] += cumsum[group + 1]
    np.testing.assert_array_equal(out, expected)


def test_helpers_of_mixed_products():
    from cutlass.cute.nvgpu import OperandMajorMode, tcgen05
    from cutlass.utils import mixed_input_helpers as mixed

    assert mixed.get_transform_a_source(OperandMajorMode.K) is tcgen05.OperandSource.TMEM
    assert mixed.get_divisibility(96) == 32 and mixed.get_divisibility(4096) == 128
    assert mixed.is_valid_scale_granularity(0, 0, cutlass.Int8, 512, 64)
    assert mixed.is_valid_scale_granularity(1, 128, cutlass.Int4, 512, 64)
    assert not mixed.is_valid_scale_granularity(1, 96, cutlass.Int4, 512, 64)
    assert mixed.is_valid_mma_tiler_and_cluster_shape((256, 128), (2, 1), True)
    assert not mixed.is_valid_mma_tiler_and_cluster_shape((256, 128), (1, 1), True)
    gmem = mixed.get_gmem_layout_scale((256, 512, 2), 1, 128, OperandMajorMode.MN)
    assert gmem.shape == ((1, 256), (128, 4), 2) and gmem.stride == ((0, 1), (0, 256), 1024)
    tile, one, staged = mixed.get_smem_layout_scale(
        (128, 128, 64), False, 1, 128, OperandMajorMode.MN, cutlass.BFloat16, 3
    )
    assert tile == (128, 64) and one.outer.shape == ((1, 128), (64, 1))
    assert staged.outer.stride == ((0, 1), (0, 128), 128)
    with pytest.raises(ValueError, match="at least 128 bytes"):
        mixed.get_smem_layout_scale(
            (32, 1, 64), False, 1, 64, OperandMajorMode.MN, cutlass.Int16, 1
        )


def test_pipeline_of_two_kinds_of_consumers():
    """PTX of a stage that products and threads empty: both count."""
    from cutlass import pipeline

    @cute.kernel
    def kernel(out: cute.Tensor):
        memory = cutlass.utils.SmemAllocator()
        barriers = memory.allocate_array(Int64, 4)
        stages = pipeline.PipelineTmaMultiConsumersAsync.create(
            num_stages=2,
            producer_group=pipeline.CooperativeGroup(pipeline.Agent.Thread),
            consumer_group_umma=pipeline.CooperativeGroup(pipeline.Agent.Thread, 1),
            consumer_group_async=pipeline.CooperativeGroup(pipeline.Agent.Thread, 32),
            tx_count=1024,
            barrier_storage=barriers,
        )
        state = pipeline.make_pipeline_state(pipeline.PipelineUserType.Consumer, 2)
        warp_idx = cute.arch.make_warp_uniform(cute.arch.warp_idx())
        if warp_idx == 0:
            stages.consumer_release(state, pipeline.PipelineOp.TCGen05Mma)
        else:
            stages.consumer_release(state, pipeline.PipelineOp.AsyncThread)
        out[0] = 1.0

    compiled = run(kernel, np.zeros(1, np.float32), threads=64, options="--target ptx:compute_100a")
    ptx = compiled.__ptx__
    assert "tcgen05.commit" in ptx and "mbarrier.arrive" in ptx
    assert ", 33;" in ptx  # arrivals of an empty stage


def test_modules_under_their_names():
    for name in (
        "cutlass._mlir_helpers.op",
        "cutlass.base_dsl._mlir_helpers.op",
        "cutlass.base_dsl._mlir_helpers.arith",
        "cutlass.jax.types",
        "cutlass.utils.rubin_helpers",
    ):
        importlib.import_module(name)
    from cutlass.base_dsl._mlir_helpers.op import dsl_user_op
    from cutlass.jax.types import TensorSpec
    from cutlass.utils import blackwell_helpers, rubin_helpers

    assert dsl_user_op is cutlass.cutlass_dsl.dsl_user_op
    assert TensorSpec is cutlass.jax.TensorSpec
    assert rubin_helpers.make_smem_layout_a is blackwell_helpers.make_smem_layout_a


def test_bytes_of_no_layout():
    assert cute.size_in_bytes(Float32, None) == 0
    assert cute.size_in_bytes(Float32, cute.make_layout((4, 8))) == 128


def test_tensors_outside_of_a_trace():
    """The result of from_dlpack counts as a tensor, and so do its conversions; numbers do not."""
    array, kinds = np.zeros(4, np.float32), []

    @cute.jit
    def host(tensor: cute.Tensor, number: Float32):
        kinds.append((isinstance(tensor, cute.Tensor), isinstance(number, cute.Tensor)))

    argument = cute.runtime.from_dlpack(array)
    assert isinstance(argument, cute.Tensor) and not isinstance(1.0, cute.Tensor)
    assert not isinstance(array, cute.Tensor)
    cute.compile(host, argument, Float32(1.0))
    assert kinds == [(True, False)]


def test_arguments_keep_owners():
    owner = np.zeros(4, np.float32)
    arguments = cute.testing.JitArguments(owner.ctypes.data)
    arguments.add_to_scope([owner])
    assert any(entry is owner for entry in arguments._kept)


def test_attributes_that_a_region_makes():
    """Each iteration sets the attributes again; after the loop they are gone."""

    class Holder:
        def tile(self, row):
            self.parts = {}
            self.parts["row"] = row + 1
            self.count = 0
            self.count += 1

    holder = Holder()

    @cute.kernel
    def kernel(out: cute.Tensor):
        if cute.arch.thread_idx()[0] == 0:
            row = Int32(0)
            while row < 3:
                holder.tile(row)
                out[row] = holder.parts["row"] + holder.count
                row += 1

    out = np.zeros(4, np.int32)
    run(kernel, out)
    assert out.tolist() == [2, 3, 4, 0]
    assert not hasattr(holder, "parts") and not hasattr(holder, "count")


def test_a_table_in_host_code_that_a_kernel_reads_by_address():
    """As libraries give kernels the addresses of other GPUs: a struct of host code, passed by value."""
    pointer, struct = ir.Type.parse("!llvm.ptr"), ir.Type.parse("!llvm.struct<(array<4 x i64>)>")

    @dataclasses.dataclass(frozen=True)
    class Table:
        address: object

        def __extract_mlir_values__(self):
            return [self.address]

        def __new_from_mlir_values__(self, values):
            return Table(values[0])

    @cute.kernel
    def kernel(table: Table, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        cell = llvm.getelementptr(pointer, table.address, [t % 4], [-(2**31)], T.i64())
        first = llvm.load(T.i64(), llvm.getelementptr(pointer, table.address, [], [0], T.i64()))
        out[t] = Int64(llvm.load(T.i64(), cell)) * 100 + Int64(first)

    @cute.jit
    def host(out: cute.Tensor, seed: Int64):
        one = arith.constant(value=ir.IntegerAttr.get(T.i64(), 1), result=T.i64())
        address = llvm.alloca(res=pointer, elem_type=struct, array_size=one, alignment=64)
        for index in cutlass.range_constexpr(3):
            cell = llvm.getelementptr(pointer, address, [], [index], T.i64(), no_wrap_flags="None")
            llvm.store((seed + index).ir_value(), cell)
        kernel(Table(address), out).launch(grid=(1, 1, 1), block=(8, 1, 1))

    out = np.zeros(8, np.int64)
    host(out, 7)
    np.testing.assert_array_equal(out, np.resize([707, 807, 907, 7], 8))


def test_memory_of_a_thread_with_indices_of_the_run():
    pointer = ir.Type.parse("!llvm.ptr")

    @cute.kernel
    def kernel(numbers: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        one = arith.constant(T.i32(), 1)
        memory = llvm.alloca(pointer, one, ir.Type.parse("!llvm.array<5 x f32>"))
        for i in range(numbers[t]):
            cell = llvm.getelementptr(pointer, memory, [i], [-(2**31)], T.f32())
            llvm.store((Float32(i) + 0.5 * Float32(t)).ir_value(), cell)
        total = Float32(0)
        for i in cutlass.range(5, unroll=1):
            cell = llvm.getelementptr(pointer, memory, [4 - i], [-(2**31)], T.f32())
            total = total * 10 + Float32(llvm.load(T.f32(), cell))
        out[t] = total

    numbers = np.arange(32, dtype=np.int32) % 6
    out = np.zeros(32, np.float32)
    run(kernel, numbers, out)
    for t in range(32):
        digits = [i + 0.5 * t if i < t % 6 else 0.0 for i in range(5)]
        assert out[t] == sum(np.float32(digit * 10**i) for i, digit in enumerate(digits))


def test_memory_of_host_code_says_what_it_cannot_do():
    pointer = ir.Type.parse("!llvm.ptr")

    @cute.jit
    def host(n: Int32, case: cutlass.Constexpr):
        memory = llvm.alloca(
            pointer, n if case == "count" else 1, ir.Type.parse("!llvm.struct<(i32, i64)>")
        )
        if cutlass.const_expr(case == "store"):
            cell = llvm.getelementptr(pointer, memory, [n], [-(2**31)], T.i64())
            llvm.store(Int64(1), cell)
        if cutlass.const_expr(case == "type"):
            llvm.load(T.f32(), llvm.getelementptr(pointer, memory, [], [1], T.i64()))

    with pytest.raises(Exception, match="expected a number known at compile time for `array_size`"):
        host(1, "count")
    with pytest.raises(Exception, match="but got Int64 at a run-time index"):
        host(1, "store")
    with pytest.raises(Exception, match="but got Float32 at byte 8"):
        host(1, "type")


def test_raw_pointers_have_no_swizzle():
    """As flashinfer's split-K GEMM writes rows by raw pointers, and reads them by the number of the address."""
    from cutlass.experimental import primitives

    @cute.kernel
    def kernel(source: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        shared = cutlass.utils.SmemAllocator().allocate_tensor(
            Int32,
            cute.make_layout((32, 32), stride=(32, 1)),
            1024,
            swizzle=cute.make_swizzle(3, 4, 3),
        )
        row = shared.iterator.raw_ptr() + t * 32
        primitives.cp_async_shared_global(row, source.iterator.raw_ptr() + t * 4, 16, "cg")
        cute.arch.sync_threads()
        number = (shared.iterator + t * 32).toint()
        first = cute.make_ptr(Int32, number, cute.AddressSpace.smem, assumed_align=4)
        out[t] = first.load() + 100 * row.load()

    source, out = np.arange(128, dtype=np.int32).reshape(32, 4), np.zeros(32, np.int32)
    run(kernel, source, out)
    np.testing.assert_array_equal(out, 101 * source[:, 0])


def test_multicast_signals_count_the_warps_of_a_group_of_warps():
    """As cudnn-frontend's KDA for Hopper: eight warps are a group of eight, as 256 threads are."""

    def text(agent, size):
        @cute.kernel
        def kernel(out: cute.Tensor):
            barriers = cutlass.utils.SmemAllocator().allocate_array(Int64, 4, 16)
            cutlass.pipeline.PipelineTmaAsync.create(
                barrier_storage=barriers,
                num_stages=2,
                producer_group=cutlass.pipeline.CooperativeGroup(cutlass.pipeline.Agent.Thread),
                consumer_group=cutlass.pipeline.CooperativeGroup(agent, size),
                tx_count=128,
                cta_layout_vmnk=cute.make_layout((1, 1, 1, 1)),
                enable_multicast_signaling=True,
            )
            out[0] = 1

        options = "--gpu-arch sm_90a --keep-ptx"
        return run(kernel, np.zeros(4, np.int32), threads=256, options=options).__ptx__

    agents = cutlass.pipeline.Agent
    assert ", 8;" in text(agents.Warp, 8)
    assert text(agents.Warp, 8) == text(agents.Thread, 256) != text(agents.Warp, 4)

"""Internal names of the peer's package that a published library of kernels (quack-kernels) uses."""

import importlib
import re

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
import cutlass.pipeline
from cutlass import Float32, Int32, Int64
from cutlass._mlir import ir
from cutlass._mlir.dialects import arith, llvm, nvvm, vector
from cutlass._mlir.dialects import math as math_dialect
from cutlass.cutlass_dsl import T, and_, dsl_user_op, or_


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    """PTX that is kept is also written to a file."""
    monkeypatch.chdir(tmp_path)


def run(kernel, *arrays, threads=32):
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
    cute.compile(host, *fakes)(*arrays)


def test_vectors_are_read_as_other_types():
    @cute.kernel
    def kernel(a: cute.Tensor, words: cute.Tensor, back: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        pair = vector.from_elements(T.vector(2, T.f32()), (a[t, 0].ir_value(), a[t, 1].ir_value()))
        long = vector.bitcast(T.vector(1, T.i64()), pair)
        words[t] = Int64(vector.extract(long, dynamic_position=[], static_position=[0]))
        again = vector.bitcast(
            T.vector(2, T.f32()),
            vector.from_elements(T.vector(1, T.i64()), (words[t].ir_value(),)),
        )
        swapped = vector.insertelement(
            vector.extractelement(again, position=arith.constant(T.i32(), 0)),
            llvm.mlir_undef(ir.VectorType.get([2], T.f32())),
            position=arith.constant(T.i32(), 1),
        )
        back[t, 0] = vector.extract(swapped, dynamic_position=[], static_position=[0])
        back[t, 1] = vector.extract(swapped, dynamic_position=[], static_position=[1])

    a = np.random.default_rng(1).standard_normal((32, 2)).astype(np.float32)
    words, back = np.zeros(32, np.int64), np.full((32, 2), 7, np.float32)
    run(kernel, a, words, back)
    np.testing.assert_array_equal(words, a.view(np.int64)[:, 0])
    np.testing.assert_array_equal(back, np.stack([np.zeros(32), a[:, 0]], 1))


def test_vectors_of_registers():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        row = a[t, None].load()
        half = vector.bitcast(T.vector(2, T.i64()), row)
        out[t, 0] = Int64(vector.extract(half, dynamic_position=[], static_position=[1]))
        out[t, 1] = Int64(vector.extractelement(row, position=arith.constant(Int32, 2)))

    a = np.random.default_rng(1).integers(-(2**31), 2**31, (32, 4)).astype(np.int32)
    out = np.zeros((32, 2), np.int64)
    run(kernel, a, out)
    np.testing.assert_array_equal(out, np.stack([a.view(np.int64)[:, 1], a[:, 2]], 1))


def test_vector_types():
    assert ir.Type.parse("vector<4xf32>") == T.vector(4, T.f32()) != T.vector(4, T.i32())
    assert ir.Type.parse("i32") is Int32 and ir.Type.parse("bf16") is cutlass.BFloat16
    assert list(ir.Type.parse("!llvm.struct<(i32, f32)>").leaves()) == [Int32, Float32]
    with pytest.raises(ValueError, match="no IR type of the text 'tensor<4xf32>'"):
        ir.Type.parse("tensor<4xf32>")
    with pytest.raises(ValueError, match="dimensions of known size"):
        T.vector(0, T.f32())


@pytest.mark.parametrize("most", [5, 40, 1000])
def test_atomic_counts_wrap(most):
    @cute.kernel
    def kernel(up: cute.Tensor, down: cute.Tensor, seen: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        seen[t, 0] = nvvm.atomicrmw(
            res=T.i32(),
            op=nvvm.AtomicOpKind.INC,
            ptr=up.iterator.llvm_ptr,
            a=Int32(most).ir_value(),
        )
        seen[t, 1] = nvvm.atomicrmw(
            op=nvvm.AtomicOpKind.DEC, ptr=down.iterator.llvm_ptr, a=Int32(most).ir_value()
        )

    up, down = np.array([3], np.int32), np.array([2], np.int32)
    seen = np.zeros((32, 2), np.int32)
    run(kernel, up, down, seen)
    ups, downs = [3], [2]
    for _ in range(32):
        ups.append(0 if ups[-1] >= most else ups[-1] + 1)
        downs.append(most if downs[-1] == 0 or downs[-1] > most else downs[-1] - 1)
    assert up[0] == ups.pop() and down[0] == downs.pop()
    assert sorted(seen[:, 0]) == sorted(ups) and sorted(seen[:, 1]) == sorted(downs)


def test_other_atomics_and_functions():
    @cute.kernel
    def kernel(cells: cute.Tensor, x: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        kinds = nvvm.AtomicOpKind
        nvvm.atomicrmw(kinds.ADD, (cells.iterator + 5).llvm_ptr, Int32(2).ir_value())
        for place, (op, number) in enumerate(
            [(kinds.ADD, t), (kinds.MAX, -t), (kinds.UMAX, -t), (kinds.UMIN, -t), (kinds.OR, t)]
        ):
            nvvm.atomicrmw(op=op, ptr=(cells.iterator + place).llvm_ptr, a=Int32(number).ir_value())
        out[t, 0] = Float32(nvvm.fmin(T.f32(), x[t].ir_value(), Float32(0.5).ir_value()))
        out[t, 1] = Float32(nvvm.fmax(x[t].ir_value(), Float32(0.5).ir_value()))
        out[t, 2] = math_dialect.exp2(x[t]) + 1.0

    cells, out = np.zeros(6, np.int32), np.zeros((32, 3), np.float32)
    x = np.linspace(-1, 2, 32, dtype=np.float32)
    cells[3] = -1
    run(kernel, cells, x, out)
    # Thread 0 brings 0, the least number without a sign, the others those from 2**32 - 31 on.
    assert list(cells) == [31 * 16, 0, -1, 0, 31, 64]
    np.testing.assert_allclose(
        out, np.stack([np.minimum(x, 0.5), np.maximum(x, 0.5), np.exp2(x) + 1], 1), rtol=1e-6
    )
    with pytest.raises(TypeError, match="an AtomicOpKind for atomicrmw"):
        nvvm.atomicrmw(op="add", ptr=None, a=None)


def test_extremes_of_three_floats():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        numbers = [(x[(t + step) % 32]).ir_value() for step in range(3)]
        out[t, 0] = Float32(nvvm.fmax(*numbers[:2], c=numbers[2]))
        out[t, 1] = Float32(nvvm.fmin(T.f32(), *numbers[:2], c=numbers[2], nan=True))

    x = np.random.default_rng(3).permutation(32).astype(np.float32)
    out = np.zeros((32, 2), np.float32)
    run(kernel, x, out)
    three = np.stack([np.roll(x, -step) for step in range(3)])
    np.testing.assert_array_equal(out, np.stack([three.max(0), three.min(0)], 1))
    with pytest.raises(ValueError, match="fmax: expected no xorsign_abs, but got True"):
        nvvm.fmax(1.0, 2.0, xorsign_abs=True)


def test_nan_in_extremes():
    """As the PTX of the published package: ``max`` and ``min``, with ``nan`` ``max.NaN`` and ``min.NaN``."""

    def kernel_of(which):
        @cute.kernel
        def kernel(x: cute.Tensor, out: cute.Tensor):
            t = cute.arch.thread_idx()[0]
            a, b = x[t].ir_value(), x[(t + 1) % 32].ir_value()
            if cutlass.const_expr(which == "ignore"):
                out[t, 0] = Float32(nvvm.fmax(a, b))
                out[t, 1] = Float32(nvvm.fmin(a, b, ftz=True))
                out[t, 2] = cute.arch.fmax(a, b)
                out[t, 3] = cute.math.min(a, b)
            else:
                out[t, 0] = Float32(nvvm.fmax(a, b, nan=True))
                out[t, 1] = Float32(nvvm.fmin(a, b, nan=True))
                out[t, 2] = cute.arch.fmax(a, b, nan=True)
                out[t, 3] = cute.math.min(a, b, propagate_nan=True)

        return kernel

    x = np.random.default_rng(4).permutation(32).astype(np.float32)
    x[[3, 9, 10, 31]] = np.nan
    following = np.roll(x, -1)
    for which, greatest, least in (
        ("ignore", np.fmax, np.fmin),
        ("propagate", np.maximum, np.minimum),
    ):
        out = np.zeros((32, 4), np.float32)
        run(kernel_of(which), x, out)
        most, fewest = greatest(x, following), least(x, following)
        np.testing.assert_array_equal(out, np.stack([most, fewest, most, fewest], 1))

    @cute.jit
    def launch(x: cute.Tensor, out: cute.Tensor):
        kernel_of("ignore")(x, out).launch(grid=1, block=32)

    fakes = [
        cute.runtime.make_fake_compact_tensor(Float32, shape, stride_order=order)
        for shape, order in (((32,), (0,)), ((32, 4), (1, 0)))
    ]
    options = (cute.TargetOption("cuda:sm_90a"), cute.KeepPTX(True))
    ptx = cute.compile[options](launch, *fakes).__ptx__
    assert "max.f32" in ptx and "min.ftz.f32" in ptx and "max.NaN" not in ptx


def test_order_of_atomics():
    @cute.kernel
    def kernel(cells: cute.Tensor):
        where = {"ptr": cells.iterator.llvm_ptr, "a": Int32(1).ir_value()}
        nvvm.atomicrmw(
            op=nvvm.AtomicOpKind.ADD,
            mem_order=nvvm.MemOrderKind.ACQ_REL,
            syncscope=nvvm.MemScopeKind.SYS,
            **where,
        )
        nvvm.atomicrmw(op=nvvm.AtomicOpKind.INC, mem_order="release", syncscope="gpu", **where)
        nvvm.atomicrmw(op=nvvm.AtomicOpKind.MAX, **where)

    @cute.jit
    def launch(cells: cute.Tensor):
        kernel(cells).launch(grid=1, block=1)

    cells = cute.runtime.make_fake_compact_tensor(cutlass.Int32, (1,), stride_order=(0,))
    options = (cute.TargetOption("cuda:sm_90a"), cute.KeepPTX(True))
    ptx = cute.compile[options](launch, cells).__ptx__
    assert "atom.acq_rel.sys" in ptx and ".release.gpu" in ptx and "atom.global.max" in ptx
    with pytest.raises(ValueError, match="acq_rel as mem_order, but got 'weak'"):
        nvvm.atomicrmw(op=nvvm.AtomicOpKind.ADD, ptr=None, a=None, mem_order="weak")


def test_unknown_keywords_are_errors():
    """A keyword that changes what an instruction does must not be dropped."""
    for function, name in [
        (nvvm.fmax, "third"),
        (nvvm.atomicrmw, "order"),
        (nvvm.redux_sync, "mask"),
        (nvvm.red, "order"),
        (nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp, "multicastMask"),
        (arith.addf, "rounding"),
        (arith.truncf, "roundingmode"),
        (llvm.load, "volatile"),
        (llvm.store, "order"),
        (llvm.bitcast, "fastmath"),
        (llvm.extractelement, "index"),
        (vector.from_elements, "shape"),
        (vector.extract, "position"),
        (vector.broadcast, "dims"),
    ]:
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            function(None, None, **{name: 1})


@pytest.mark.parametrize(
    "option",
    [{"volatile_": True}, {"ordering": llvm.AtomicOrdering.acquire}, {"syncscope": "device"}],
    ids=str,
)
def test_accesses_of_the_ir_are_plain(option):
    """A volatile or an ordered access must not become a plain one."""
    (name,) = option
    for function in (llvm.load, llvm.store):
        with pytest.raises(NotImplementedError, match=f"plain access, but got .*{name}="):
            function(Float32, None, alignment=4, **option)


def test_atomics_of_bits():
    """The operand's type counts, as pointers of the IR have none."""

    @cute.kernel
    def kernel(largest: cute.Tensor, x: cute.Tensor):
        values = cute.make_rmem_tensor((1,), Float32)
        values[0] = x[cute.arch.thread_idx()[0]]
        loaded = values.load()
        sizes = type(loaded)(math_dialect.absf(loaded.ir_value()), loaded.shape, loaded.dtype)
        bits = llvm.bitcast(T.i32(), sizes[0].ir_value())
        nvvm.atomicrmw(op=nvvm.AtomicOpKind.MAX, ptr=largest.iterator.llvm_ptr, a=bits)

    x, largest = np.linspace(-2.5, 2, 32, dtype=np.float32), np.zeros(1, np.float32)
    run(kernel, largest, x)
    assert largest[0] == 2.5


def test_all_and_any_of_truths():
    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t] = Int32(and_(t > 2, t < 9, True)) + 2 * Int32(or_(t == 0, t == 5))

    out = np.zeros(32, np.int32)
    run(kernel, out)
    t = np.arange(32)
    np.testing.assert_array_equal(out, (t > 2) & (t < 9) | 2 * ((t == 0) | (t == 5)))


def test_inline_ptx_gets_the_version_that_it_needs():
    @dsl_user_op
    def store(value, place, barrier, *, loc=None, ip=None):
        llvm.inline_asm(
            None,
            [place.toint().ir_value(), value.ir_value(), barrier.toint().ir_value()],
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.f32 [$0], $1, [$2];",
            "r,f,r",
            has_side_effects=True,
            asm_dialect=llvm.AsmDialect.AD_ATT,
        )

    @cute.kernel
    def kernel(x: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        place, barrier = smem.allocate_array(Float32, 2), smem.allocate_array(Int64, 1)
        store(x[0], place, barrier)

    @cute.kernel
    def plain(x: cute.Tensor):
        x[0] = x[1]

    def ptx(which):
        @cute.jit
        def host(x: cute.Tensor):
            which(x).launch(grid=(1, 1, 1), block=(32, 1, 1))

        fake = cute.runtime.make_fake_compact_tensor(Float32, (32,))
        options = (cute.TargetOption("cuda:sm_90a"), cute.KeepPTX(True))
        return cute.compile[options](host, fake).__ptx__

    assert re.search(r"^\.version 8\.1$", ptx(kernel), re.M)
    assert re.search(r"^\.version 8\.0$", ptx(plain), re.M)


def test_addresses_in_shared_memory_go_through_loops_of_threads_that_wait():
    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        smem = cutlass.utils.SmemAllocator()
        cells = smem.allocate_array(Int32, 64)
        barrier = cutlass.pipeline.NamedBarrier(1, 32)
        place = cells + t
        i = Int32(0)
        while i < t // 32 + 1:
            place.store(Int32(t + i))
            if t < 32:
                barrier.arrive_and_wait(loc=None, ip=None)
            place = place + 32
            i += 1
        cute.arch.sync_threads()
        out[t] = (cells + t).load()

    out = np.zeros(32, np.int32)
    run(kernel, out)
    np.testing.assert_array_equal(out, np.arange(32))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("cutlass.memory", "SmemAllocator"),
        ("cutlass.cute.arch.smem", "map_dsmem_ptr"),
        ("cutlass.cute.nvgpu.common", "MemoryOrder MemoryScope OperandMajorMode"),
        ("cutlass.utils.hardware_info", "HardwareInfo"),
        ("cutlass.utils.static_persistent_tile_scheduler", "StaticPersistentTileScheduler WorkTileInfo"),
    ],
)  # fmt: skip
def test_modules_that_programs_import_names_from(module, names):
    found = importlib.import_module(module)
    assert [name for name in names.split() if not hasattr(found, name)] == []


def test_selected_values():
    """Run-time conditions: numbers, and values of whole tensors as results of operations."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        first, second = a[t, None].load(), a[31 - t, None].load()
        chosen = cutlass.select_(t > 7, first, second)
        b[t, None].store(cute.TensorSSA(chosen, first.shape, Float32))
        b[t, 0] = cutlass.select_(t > 7, b[t, 0], -1.0)

    numbers = np.arange(128, dtype=np.float32).reshape(32, 4)
    results = np.zeros((32, 4), np.float32)
    run(kernel, numbers, results)
    expected = np.where(np.arange(32)[:, None] > 7, numbers, numbers[::-1])
    expected[:8, 0] = -1
    assert np.array_equal(results, expected)


def test_a_vector_taken_from_values_and_given_back():
    """quack's random rounding: the type of loaded values, words in a vector, and its bits as values of a tensor."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        values = a[t, None].load()
        kind = ir.VectorType(values.type)
        assert (list(kind.shape), kind.element_type, str(values.type)) == (
            [4],
            Float32,
            "vector<4xf32>",
        )
        words = llvm.mlir_undef(ir.VectorType.get([2], Int32.mlir_type))
        for pair in range(2):
            low = vector.extract(values, dynamic_position=[], static_position=[2 * pair])
            word = Int32(Int32(Float32(low)) + 256).ir_value()
            words = vector.insert(word, words, dynamic_position=[], static_position=[pair])
        halves = llvm.bitcast(ir.VectorType.get([4], cutlass.Int16.mlir_type), words)
        b[t, None].store(cute.TensorSSA(halves, values.shape, cutlass.Int16))

    numbers = np.arange(128, dtype=np.float32).reshape(32, 4)
    results = np.zeros((32, 4), np.int16)
    run(kernel, numbers, results)
    assert np.array_equal(results, (numbers[:, ::2].astype(np.int32) + 256).view(np.int16))


def test_bits_between_words_and_narrower_numbers():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        word = vector.from_elements(T.vector(1, T.i16()), [a[t].ir_value()])
        nibbles = llvm.bitcast(ir.VectorType.get([4], cutlass.Float4E2M1FN.mlir_type), word)
        halves = llvm.bitcast(T.vector(2, T.i8()), nibbles)
        again = llvm.bitcast(T.vector(1, T.i16()), halves)
        assert again.element_type.width == 16
        split = llvm.bitcast(T.vector(2, T.i8()), cutlass.Int16(again[0]).ir_value())
        b[t] = cutlass.Int16(llvm.bitcast(T.i16(), split))

    numbers = np.random.default_rng(0).integers(-(1 << 15), 1 << 15, 32).astype(np.int16)
    results = np.zeros(32, np.int16)
    run(kernel, numbers, results)
    assert np.array_equal(results, numbers)


def test_scale_factors_are_rounded_up():
    """A power of two that is not below the number, as cvt.rp.ue8m0x2.f32 gives it."""

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        b[t] = a[t].to(cutlass.Float8E8M0FNU).to(Float32)

    numbers = np.float32(2.0) ** np.linspace(-130, 126.5, 32, dtype=np.float32)
    numbers[:2] = 1.0, 0.0
    results, converted = np.zeros(32, np.float32), np.zeros(32, np.uint8)
    run(kernel, numbers, results)
    with np.errstate(divide="ignore"):
        exponents = np.maximum(np.ceil(np.log2(numbers.astype(np.float64))), -127)
    assert np.array_equal(results, (2.0**exponents).astype(np.float32))
    target = cute.runtime.from_dlpack(converted)
    target.element_type = cutlass.Float8E8M0FNU
    cute.testing.convert(cute.runtime.from_dlpack(numbers), target)
    assert np.array_equal(converted, exponents + 127)


def test_helpers_of_math():
    from cutlass._mlir_helpers import math as helpers

    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        b[0, t] = helpers.rcp(a[t])
        b[1, t] = helpers.rcp(a[t], approx=True, ftz=True)
        b[2, t] = cute.math.sqrt(a[t], approx=True)

    numbers = np.linspace(0.1, 100, 32, dtype=np.float32)
    results = np.zeros((3, 32), np.float32)
    run(kernel, numbers, results)
    expected = np.stack([1 / numbers, 1 / numbers, np.sqrt(numbers)])
    np.testing.assert_allclose(results, expected, rtol=1e-6)


def test_signed_quotients_are_rounded_toward_zero():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t] = Int32(arith.divsi(a[t].ir_value(), b[t].ir_value()))

    a = np.array([7, -7, 7, -7, 6, -6, 0, -1], np.int32)
    b = np.array([2, 2, -2, -2, 3, 3, 5, 5], np.int32)
    out = np.zeros(8, np.int32)
    run(kernel, a, b, out, threads=8)
    assert out.tolist() == [3, -3, -3, 3, 2, -2, 0, 0]


def test_greater_and_lesser_integers():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        for row, choose in enumerate((arith.maxsi, arith.minsi, arith.maxui, arith.minui)):
            out[row, t] = Int32(choose(a[t].ir_value(), b[t].ir_value()))

    a, b = np.array([7, -7, 0], np.int32), np.array([2, 3, -1], np.int32)
    out = np.zeros((4, 3), np.int32)
    run(kernel, a, b, out, threads=3)
    assert out.tolist() == [[7, 3, 0], [2, -7, -1], [7, -7, -1], [2, 3, 0]]


def test_subscripts_of_pointers():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        source, target = a.iterator, out.iterator
        t = cute.arch.thread_idx()[0]
        target[t] = source[t + 1]
        if t == 0:
            target[3] = Float32(2.5)
            target[4] = 7
        with pytest.raises(TypeError):
            list(source)

    a, out = np.arange(8, dtype=np.int32), np.zeros(5, np.int32)
    run(kernel, a, out, threads=3)
    assert out.tolist() == [1, 2, 3, 2, 7]


def test_pointers_of_primitives_in_inline_ptx():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        pointer = cutlass.Pointer(a.iterator)
        out[0] = cute.arch.inline_ptx(
            "atom.global.add.s32 {$w0}, [{$r0}], {$r1};",
            write_only_types=[Int32],
            read_only_args=[pointer + 1, Int32(5)],
        )

    a, out = np.array([1, 2], np.int32), np.zeros(1, np.int32)
    run(kernel, a, out, threads=1)
    assert out[0] == 2 and a.tolist() == [1, 7]


def test_fences_by_members_of_enums():
    @cute.kernel
    def kernel(out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        tile = smem.allocate_tensor(Int32, cute.make_layout(32))
        t = cute.arch.thread_idx()[0]
        tile[t] = t
        cute.arch.fence_proxy(
            cute.arch.ProxyKind.async_shared, space=cute.arch.SharedSpace.shared_cta
        )
        cute.arch.fence_proxy(cute.arch.ProxyKind.alias)
        cute.arch.sync_threads()
        out[t] = tile[31 - t]

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    out = np.zeros(32, np.int32)
    cute.compile(host, out)(out)
    assert out.tolist() == list(range(31, -1, -1))
    fake = cute.runtime.make_fake_compact_tensor(Int32, (32,))
    ptx = cute.compile(host, fake, options="--target cuda:sm_90a").ptx
    assert "fence.proxy.async.shared::cta" in ptx and "fence.proxy.alias" in ptx


def test_columns_of_tensor_memory():
    assert cute.arch.get_max_tmem_alloc_cols("sm_100") == 512
    assert cute.arch.get_min_tmem_alloc_cols(cutlass.base_dsl.Arch.sm_103a) == 32
    with pytest.raises(ValueError, match=r"arch: expected .* but got sm_90a"):
        cute.arch.get_max_tmem_alloc_cols("sm_90a")


def test_reductions_of_a_warp_by_members_of_an_enum():
    from cutlass._mlir.dialects import nvvm
    from cutlass._mlir.dialects.nvvm import ReduxKind

    assert nvvm.ReduxKind is ReduxKind

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        thread, _, _ = cute.arch.thread_idx()
        out[thread] = cute.arch.warp_redux_sync(x[thread], kind=ReduxKind.MAX)

    x = np.arange(32, dtype=np.int32) * 7 % 31
    out = np.zeros_like(x)
    run(kernel, x, out)
    assert (out == x.max()).all()


def test_marks_of_events_under_their_shorter_name():
    from cutlass.cute import iket

    assert iket is cute.experimental.iket


def test_casts_of_the_ir_are_names_alone():
    from cutlass._mlir.dialects import builtin

    with pytest.raises(NotImplementedError, match="unrealized_conversion_cast is a cast between"):
        builtin.unrealized_conversion_cast([], [])


def test_barriers_of_some_threads():
    """Two of four warps wait for each other; the others never come."""

    @cute.kernel
    def kernel(seen: cute.Tensor):
        t, _, _ = cute.arch.thread_idx()
        smem = cutlass.utils.SmemAllocator()
        numbers = smem.allocate_tensor(Int32, cute.make_layout(64), 16)
        count = Int32(64).ir_value()
        if t < 64:
            numbers[t] = t
            nvvm.barrier_cta_sync(Int32(3).ir_value(), thread_count=count, aligned=False)
            seen[t] = numbers[63 - t]

    seen = np.zeros(64, np.int32)
    run(kernel, seen, threads=128)
    np.testing.assert_array_equal(seen, np.arange(64)[::-1])

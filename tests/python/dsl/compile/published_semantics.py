"""Semantics that only published programs use: values of other shapes, tensors beyond their member of a struct, operands
in shared memory, special registers of the CPU. Compared with NumPy."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import fairlead.compat  # before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float4E2M1FN, Float16, Float32, Int4, Int32, Uint16, Uint32
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm, nvvm, vector
from cutlass.cute.nvgpu import MmaUniversalOp, warp
from cutlass.cutlass_dsl import T
from support.published_kernels import run


def test_values_of_another_shape_are_stored_in_order():
    @cute.kernel
    def kernel(out: cute.Tensor):
        rows = cute.make_rmem_tensor((2, 3), Float32)
        for i in cutlass.range_constexpr(6):
            rows[i] = Float32(i)
        flat = cute.make_rmem_tensor(6, Float32)
        flat.store(rows.load())
        nested = cute.make_rmem_tensor(((3, 1), 2), Float32)
        nested.store(flat.load() * 2.0)
        for i in cutlass.range_constexpr(6):
            out[i] = nested[i]

    out = np.zeros(6, np.float32)
    run(kernel, out, threads=1)
    assert out.tolist() == [0, 2, 4, 6, 8, 10]


def test_values_of_another_size_are_not():
    @cute.kernel
    def kernel(out: cute.Tensor):
        flat = cute.make_rmem_tensor(6, Float32)
        flat.store(cute.make_rmem_tensor((2, 2), Float32).load())

    with pytest.raises(ValueError, match="differ in shape"):
        run(kernel, np.zeros(6, np.float32))


def test_a_block_with_too_many_threads_is_an_error_of_the_call():
    @cute.kernel
    def kernel(out: cute.Tensor):
        out[0] = Float32(1)

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=(1, 1, 1), block=(4096, 1, 1))

    out = np.zeros(6, np.float32)
    compiled = cute.compile(host, out)
    with pytest.raises(ValueError, match="expected 1 to 1024 threads"):
        compiled(out)


@pytest.mark.parametrize("name", ["basic_copy", "basic_copy_if", "autovec_copy"])
def test_copies_between_types_of_one_width_move_bits(name):
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor):
        source = cute.make_tensor(a.iterator, cute.make_layout(4))
        registers = cute.make_rmem_tensor(4, Int32)
        if cutlass.const_expr(name == "basic_copy_if"):
            flags = cute.make_rmem_tensor(4, cutlass.Boolean)
            flags.fill(True)
            cute.basic_copy_if(flags, source, registers)
        else:
            getattr(cute, name)(source, registers)
        for i in cutlass.range_constexpr(4):
            b[i] = registers[i]

    a = np.array([1.5, -2.0, 3e9, 0.25], np.float32)
    b = np.zeros(4, np.int32)
    run(kernel, a, b, threads=1)
    np.testing.assert_array_equal(b, a.view(np.int32))


def test_elements_that_the_run_chooses():
    """By one index, by coordinates, and a part."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        registers = cute.make_rmem_tensor((4, 2), Float32)
        for i in cutlass.range_constexpr(8):
            registers[i] = Float32(3 * i)
        values = registers.load()
        out[t, 0] = values[t]
        out[t, 1] = values[t % 4, t // 4]
        out[t, 2] = values[None, t % 2].reduce(cute.ReductionOp.ADD, 0.0, 0)
        out[t, 3] = values[3]

    out = np.zeros((8, 4), np.float32)
    run(kernel, out, threads=8)
    numbers = np.arange(8) * 3.0
    sums = [numbers[:4].sum(), numbers[4:].sum()]
    np.testing.assert_array_equal(out[:, 0], numbers)
    np.testing.assert_array_equal(out[:, 1], numbers)
    np.testing.assert_array_equal(out[:, 2], np.resize(sums, 8))
    np.testing.assert_array_equal(out[:, 3], [9.0] * 8)


def test_tensors_beyond_their_member():
    @cute.struct
    class Storage:
        a: cute.struct.MemRange[Float32, 32]
        b: cute.struct.MemRange[Float32, 32]

    assert Storage._offsets == {"a": 0, "b": 128}

    @cute.kernel
    def kernel(out: cute.Tensor):
        storage = cutlass.utils.SmemAllocator().allocate(Storage)
        t = cute.arch.thread_idx()[0]
        whole = storage.a.get_tensor(cute.make_layout(64))
        whole[t] = Float32(t)
        cute.arch.sync_threads()
        out[t] = storage.b[t % 32]

    out = np.zeros(64, np.float32)
    with pytest.warns(UserWarning, match="takes 256 bytes, and reaches beyond the 128 bytes"):
        run(kernel, out, threads=64)
    np.testing.assert_array_equal(out, np.resize(np.arange(32, 64), 64))


def test_products_of_operands_in_shared_memory():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        memory = cutlass.utils.SmemAllocator()
        tiles = [memory.allocate_tensor(Float32, cute.make_layout((8, 4)), 16) for _ in range(2)]
        for i in range(t, 32, 4):
            tiles[0][i % 8, i // 8] = a[i % 8, i // 8]
            tiles[1][i % 8, i // 8] = b[i % 8, i // 8]
        cute.arch.sync_threads()
        mma = cute.make_tiled_mma(MmaUniversalOp(Float32), cute.make_layout((2, 2, 1)))
        part = mma.get_slice(t)
        sums = mma.make_fragment_C(mma.partition_shape_C((8, 8)))
        sums.fill(0.0)
        cute.gemm(mma, sums, part.partition_A(tiles[0]), part.partition_B(tiles[1]), sums)
        result = cute.make_tensor(c.iterator, cute.make_layout((8, 8), stride=(8, 1)))
        target = part.partition_C(result)
        for i in cutlass.range_constexpr(cute.size(sums)):
            target[i] = sums[i]

    a, b = (np.arange(32, dtype=np.float32).reshape(8, 4) + add for add in (0, 1))
    c = np.zeros((8, 8), np.float32)
    run(kernel, a, b, c, threads=4)
    np.testing.assert_array_equal(c, a @ b.T)


@pytest.mark.parametrize("order", [{}, {"sem": "acquire", "scope": "gpu"}])
def test_vectors_at_a_pointer(order):
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        kind = ir.VectorType.get([4], Float32.mlir_type)
        vector = cute.arch.load(a.iterator + 4 * t, kind, **order)
        cute.arch.store(out.iterator + 4 * (3 - t), vector)

    a, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    run(kernel, a, out, threads=4)
    np.testing.assert_array_equal(out.reshape(4, 4), a.reshape(4, 4)[::-1])


def test_matrices_of_tensors_without_an_alignment():
    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        memory = cutlass.utils.SmemAllocator()
        memory.allocate_array(cutlass.Int8, 3)
        tile = memory.allocate_tensor(Float16, cute.make_layout((16, 16), stride=(16, 1)))
        assert tile.iterator.alignment >= 16
        for i in range(t, 256, 32):
            tile[i // 16, i % 16] = a[i // 16, i % 16]
        cute.arch.sync_threads()
        mma = cute.make_tiled_mma(warp.MmaF16BF16Op(Float16, Float32, (16, 8, 16)))
        registers = mma.make_fragment_A(mma.get_slice(t).partition_A(tile))
        atom = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), Float16)
        copy = cute.make_tiled_copy_A(atom, mma)
        part = copy.get_slice(t)
        cute.copy(copy, part.partition_S(tile), part.retile(registers))
        out[t] = registers[0].to(Float32)

    a, out = np.arange(256).reshape(16, 16).astype(np.float16), np.zeros(32, np.float32)
    run(kernel, a, out)
    np.testing.assert_array_equal(out, [a[t // 4, t % 4 * 2] for t in range(32)])


def test_attributes_of_loops_that_there_are_not():
    @cute.kernel
    def kernel(out: cute.Tensor):
        for i in cutlass.range(4, unroll=1, pipelining=3):
            out[i] = Float32(i)

    out = np.zeros(4, np.float32)
    with pytest.warns(UserWarning, match=r"range\(\) has no keyword 'pipelining'"):
        run(kernel, out, threads=1)
    assert out.tolist() == [0, 1, 2, 3]


def test_special_registers_of_the_cpu():
    """One multiprocessor, clocks that stand still, masks of lanes; by PTX and by the names of nvvm."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        names = (
            "smid",
            "nsmid",
            "warpid",
            "lanemask_lt",
            "lanemask_ge",
            "clock",
            "cluster_ctarank",
        )
        for place, name in enumerate(names):
            word = llvm.inline_asm(T.i32(), [], f"mov.u32 $0, %{name};", "=r")
            out[t, place] = Int32(word)
        wide = llvm.inline_asm(T.i64(), [], "mov.u64 $0, %globaltimer;", "=l")
        out[t, 7] = Int32(wide)
        out[t, 8] = nvvm.read_ptx_sreg_nsmid() + nvvm.read_ptx_sreg_smid()

    out = np.full((40, 9), 7, np.int32)
    run(kernel, out, threads=40)
    t = np.arange(40)
    lane = t % 32
    expected = [0, 1, t // 32, (1 << lane) - 1, ~((1 << lane) - 1), 0, 0, 0, 1]
    for place, column in enumerate(expected):
        np.testing.assert_array_equal(out[:, place], np.broadcast_to(column, 40).astype(np.int32))


def test_addresses_of_tensors_outside_of_traces():
    array = np.arange(8, dtype=np.int32)
    tensor = cute.runtime.from_dlpack(array)
    assert tensor.iterator.address == array.ctypes.data and tensor.iterator.dtype is Int32

    @cute.jit
    def host(pointer: cute.Pointer, out: cute.Tensor):
        out[0] = cute.make_tensor(pointer + 3, 1)[0]

    out = np.zeros(1, np.int32)
    host(tensor.iterator, out)
    assert out[0] == 3


def test_packages_that_extend_the_namespace(tmp_path):
    """`cutlass.extra` is a folder that another package adds; a package that is itself called cutlass adds none."""
    folder = tmp_path / "cutlass" / "extra"
    folder.mkdir(parents=True)
    folder.joinpath("__init__.py").write_text("import cutlass.cute as cute\nfrom . import part\n")
    folder.joinpath("part.py").write_text("NUMBER = 5\n")
    other = tmp_path / "other" / "cutlass"
    other.mkdir(parents=True)
    other.joinpath("__init__.py").write_text("")
    other.joinpath("stray.py").write_text("")
    program = f"""
        import sys
        sys.path[:0] = [{str(tmp_path)!r}, {str(other.parent)!r}]
        import fairlead.compat
        import cutlass, cutlass.extra
        assert cutlass.extra.cute is cutlass.cute and cutlass.extra.part.NUMBER == 5
        from cutlass.extra import part
        try:
            import cutlass.stray
        except ModuleNotFoundError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert done.stdout == "No module named 'cutlass.stray'\n", done.stderr


def test_neighbours_of_a_view(monkeypatch):
    """Pointers reach other columns of the rows that a view has a part of, but not what lies behind the last row."""

    def columns(step):
        @cute.kernel
        def kernel(a: cute.Tensor, out: cute.Tensor):
            t = cute.arch.thread_idx()[0]
            neighbours = cute.make_tensor(a.iterator + step, a.layout)
            out[t] = neighbours[t, 0] + neighbours[t, 1]

        return kernel

    whole, out = np.arange(16, dtype=np.float32).reshape(4, 4), np.zeros(4, np.float32)
    run(columns(2), whole[:, :2], out, threads=4)
    np.testing.assert_array_equal(out, whole[:, 2:].sum(1))
    monkeypatch.setenv("FAIRLEAD_CHECK", "guards")  # in place of a warning
    with pytest.raises(fairlead.CheckError, match=r"index 4 of mode 0, .*: tensors0\[4, [01]\]"):
        run(columns(3), whole[:, :2], out, threads=4)


def test_objects_whose_attributes_are_values_of_the_host():
    """A kernel with branches carries only what of `self` its regions use."""

    class Program:
        @cute.jit
        def __call__(self, a: cute.Tensor, n: Int32):
            self.params = n + 1
            self.grid = cute.make_layout((n, 4))
            self.dtype = a.element_type
            self.kernel(a, n).launch(grid=(1, 1, 1), block=(32, 1, 1))

        @cute.kernel
        def kernel(self, a: cute.Tensor, n: Int32):
            t = cute.arch.thread_idx()[0]
            if t < n:
                self.put(a, t)
            for i in range(n):
                if t == i:
                    a[t] = a[t] + 1

        @cute.jit
        def put(self, a: cute.Tensor, t: Int32):
            if t > 1:
                a[t] = self.dtype(5)

    a = np.zeros(32, np.int32)
    Program()(a, 6)
    assert a.tolist() == [1, 1, 6, 6, 6, 6] + [0] * 26


def test_elements_of_vectors_that_the_run_chooses():
    from cutlass._mlir.dialects import vector

    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        numbers = vector.from_elements(T.vector(4, T.i32()), [Int32(10 * i) for i in range(4)])
        changed = vector.insert(
            Int32(7).ir_value(), numbers, dynamic_position=[], static_position=[2]
        )
        changed = vector.insertelement(Int32(9), changed, position=t.ir_value())
        out[t, 0] = vector.extract(changed, dynamic_position=[t.ir_value()], static_position=[-1])
        out[t, 1] = vector.extractelement(changed, position=(t + 1) % 4)
        out[t, 2] = numbers[t]

    out = np.zeros((4, 3), np.int32)
    run(kernel, out, threads=4)
    assert out.tolist() == [[9, 10, 0], [9, 7, 10], [9, 30, 20], [9, 0, 30]]


def test_vectors_of_several_dimensions():
    """Pairs of a row added by operations on whole vectors, parts taken out and put in, repeated numbers, shuffles."""
    from cutlass._mlir.dialects import arith, vector

    def kind(*shape):
        return ir.VectorType.get(list(shape), T.f32())

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        every = cutlass.range_constexpr
        row = cutlass.Vector.from_elements([x[t, i] for i in every(8)], Float32)
        assert ir.VectorType(row.ir_value().type) == kind(8)
        pairs = vector.shape_cast(kind(4, 2), row.ir_value())
        assert str(pairs.type) == "vector<4x2xFloat32>"
        total = vector.extract(pairs, dynamic_position=[], static_position=[0])
        for i in every(1, 4):
            total = arith.addf(total, vector.extract(pairs, static_position=[i]))
        part = vector.extract_strided_slice(
            kind(3), row.ir_value(), offsets=[2], sizes=[3], strides=[1]
        )
        zeros = vector.broadcast(kind(8), Float32(0.0).ir_value())
        moved = vector.insert_strided_slice(part, zeros, offsets=[4], strides=[1])
        columns = vector.extract_strided_slice(
            kind(2, 1), pairs, offsets=[1, 1], sizes=[2, 1], strides=[1, 1]
        )
        threes = vector.broadcast(kind(2), Float32(3.0))
        scaled = arith.mulf(vector.extract(pairs, static_position=[1]), threes)
        changed = vector.shape_cast(kind(8), vector.insert(scaled, pairs, static_position=[1]))
        chosen = arith.select((t % 2 == 0).ir_value(), zeros, changed)
        mixed = vector.shuffle(part, columns, (0, 2, 4, 1))
        place = 0
        for numbers in (total, moved, columns, chosen, mixed):
            flat = cutlass.Vector(numbers, dtype=Float32).reshape(len(numbers))
            for i in every(len(numbers)):
                out[t, place] = flat[i]
                place += 1
        assert place == 24
        with pytest.raises(TypeError, match="a part of vector<4x2xFloat32>"):
            vector.extract(pairs, static_position=[4])
        with pytest.raises(TypeError, match="a shape of 8 numbers"):
            vector.shape_cast(kind(9), pairs)
        with pytest.raises(TypeError, match="places of 5 numbers"):
            vector.shuffle(part, columns, (5,))
        with pytest.raises(TypeError, match="a second operand vector<4x2xFloat32>"):
            arith.addf(pairs, zeros)

    x = np.arange(1, 33, dtype=np.float32).reshape(4, 8)
    out = np.full((4, 24), -1, np.float32)
    run(kernel, x, out, threads=4)
    for t, row in enumerate(x):
        pairs, zeros = row.reshape(4, 2), np.zeros(8, np.float32)
        moved = zeros.copy()
        moved[4:7] = row[2:5]
        scaled = pairs.copy()
        scaled[1] *= 3
        chosen = zeros if t % 2 == 0 else scaled.ravel()
        columns = pairs[1:3, 1]
        mixed = [row[2], row[4], columns[1], row[3]]
        np.testing.assert_array_equal(
            out[t], np.concatenate([pairs.sum(0), moved, columns, chosen, mixed])
        )


def test_functions_of_vectors_of_primitives():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        vector = cutlass.Vector.from_elements([x[i] for i in cutlass.range_constexpr(4)], Float32)
        powers = cute.math.exp2(vector.reshape((2, 2)))
        positive = cute.math.max(vector, cutlass.full(4, 0.5, Float32))
        with pytest.raises(ValueError, match=r"vectors of one shape, but got \(2, 2\) and \(4,\)"):
            cute.math.max(vector, powers)
        for i in cutlass.range_constexpr(4):
            out[0, i], out[1, i] = powers[i // 2, i % 2], positive[i]

    x, out = np.array([-1, 0, 2, 3], np.float32), np.zeros((2, 4), np.float32)
    run(kernel, x, out, threads=1)
    np.testing.assert_array_equal(out, [np.exp2(x), np.maximum(x, 0.5)])


def test_choices_by_an_integer():
    """As operations of the IR: the place of new operations is a block of the switch."""
    from cutlass._mlir.dialects import arith, scf

    @cute.jit
    def choose(out, t, kinds):
        index = arith.IndexCastOp(ir.IndexType.get(), kinds[t].ir_value()).result
        switch = scf.IndexSwitchOp([], index, [4, -2], 2)
        for place in cutlass.range_constexpr(3):
            with ir.InsertionPoint(switch.regions[place].blocks.append()):
                out[t] = out[t] + 10 * place + 1
                scf.YieldOp([])

    @cute.kernel
    def kernel(out: cute.Tensor, kinds: cute.Tensor):
        choose(out, cute.arch.thread_idx()[0], kinds)
        with pytest.raises(TypeError, match=r"with different cases, but got .*\[3, 3\]"):
            scf.IndexSwitchOp([], kinds[0], [3, 3], 2)

    out, kinds = np.zeros(4, np.int32), np.array([-2, 4, 0, 4], np.int32)
    run(kernel, out, kinds, threads=4)
    assert out.tolist() == [21, 11, 1, 11]


def test_steps_of_coordinates():
    """Of numbers of Python, and of the run."""
    steps = {
        ((1, 0), (2, 3)): (0, 1),
        ((1, 2), (2, 3)): (0, 3),
        (3, 4): 4,
        (((1, 1), 0), ((2, 2), 3)): ((0, 0), 1),
    }

    def check():
        assert {pair: cute.increment_coord(*pair) for pair in steps} == steps
        with pytest.raises(TypeError, match="a coordinate nested as"):
            cute.increment_coord((1, 0), ((2, 2), 3))

    @cute.kernel
    def kernel(out: cute.Tensor):
        check()
        t = cute.arch.thread_idx()[0]
        after = cute.increment_coord((t % 2, (t // 2, 7)), (2, (3, 9)))
        out[t, 0], out[t, 1], out[t, 2] = after[0], after[1][0], after[1][1]

    out = np.zeros((6, 3), np.int32)
    run(kernel, out, threads=6)
    after = np.arange(1, 7)
    np.testing.assert_array_equal(out.T, [after % 2, after // 2 % 3, 7 + after // 6])


def test_names_for_bulk_copies_and_ranges_of_integers():
    from cutlass.cute.nvgpu import cpasync

    @cute.kernel
    def kernel(x: cute.Tensor):
        whole = cute.make_tensor(x.iterator, cute.make_layout((8, 4)))
        a, b = cpasync.group_bulk_copy_modes(whole, cute.make_rmem_tensor((4, 2), Float32))
        assert (a.shape, b.shape) == (((8, 4),), ((4, 2),))
        assert whole.layout.get_hier_coord(9, loc=None, ip=None) == (1, 1)

    run(kernel, np.zeros(32, np.float32))
    assert (Int32.max, cutlass.Int8.min, cutlass.Uint16.max) == (2**31 - 1, -128, 65535)
    assert nvvm.ReductionKind.MAX is nvvm.ReduxKind.MAX
    assert [arch.name for arch in warp.MmaMXF8Op.admissible_archs if arch.minor == 0] == [
        "sm_120a",
        "sm_120f",
    ]


def test_atomics_by_other_names():
    @cute.kernel
    def kernel(lock: cute.Tensor, most: cute.Tensor, old: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        cute.arch.atomic_max_float32(ptr=most.iterator.llvm_ptr, value=Float32(t))
        cute.arch.sync_threads()
        if t == 0:
            cas = nvvm.AtomicOpKind.CAS
            old[0] = nvvm.atomicrmw(T.i32(), cas, lock.iterator.llvm_ptr, Int32(8), b=Int32(5))
            old[1] = nvvm.atomicrmw(T.i32(), cas, lock.iterator.llvm_ptr, Int32(9), b=Int32(5))

    lock, most, old = np.full(1, 5, np.int32), np.zeros(1, np.float32), np.zeros(2, np.int32)
    run(kernel, lock, most, old)
    assert (lock[0], most[0], old.tolist()) == (8, 31, [5, 8])


def test_ranges_of_memory_by_pointer():
    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        words = cutlass.utils.SmemAllocator().allocate_array(Int32, 64)
        part = cute.struct._MemRangeData(Int32, 32, words + 32)
        part[t] = t
        cute.arch.sync_threads()
        out[t] = (words + 63 - t).load() + part.get_tensor(cute.make_layout(32))[t]

    assert cutlass.utils.SmemAllocator.capacity_in_bytes("sm_90") == 227 * 1024
    out = np.zeros(32, np.int32)
    run(kernel, out)
    assert out.tolist() == [31] * 32


def test_exported_objects_as_objects(tmp_path):
    from cutlass.base_dsl.export.external_binary_module import ExternalBinaryModule

    @cute.jit
    def add(a: cute.Tensor):
        a[0] = a[0] + 1

    fake = cute.runtime.make_fake_compact_tensor(Int32, (1,))
    path = str(tmp_path / "add.o")
    cute.compile(add, fake, options="--enable-tvm-ffi").export_to_c(path, function_name="add")
    a = np.zeros(1, np.int32)
    ExternalBinaryModule(path).add(a)
    assert a[0] == 1


def test_short_names_of_types():
    from cutlass._mlir.dialects.arith import FastMathFlags
    from cutlass._mlir.extras import types

    assert types.F32Type.get() is Float32 is types.f32()
    assert types.IntegerType.get_signless(16) is cutlass.Int16
    assert FastMathFlags.fast & FastMathFlags.contract and not FastMathFlags.none
    assert cute.arch.Arch.sm_90a is cutlass.base_dsl.arch.Arch.sm_90a


def overlaid(words):
    """A kernel whose threads write ``words`` words from the first of two allocations of 32 words each."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        memory = cutlass.utils.SmemAllocator()
        first, second = (
            memory.allocate_tensor(Float32, cute.make_layout(32), 16) for _ in range(2)
        )
        whole = cute.make_tensor(
            cute.recast_ptr(first.iterator, dtype=Int32), cute.make_layout(words)
        )
        for i in range(t, words, 32):
            whole[i] = i
        cute.arch.sync_threads()
        out[t] = cute.recast_tensor(second, Int32)[t]

    return kernel


def test_tensors_beyond_their_allocation():
    """A warning, and guards let it pass; but not beyond the block's memory."""
    out = np.zeros(32, np.int32)
    with pytest.warns(UserWarning, match="make_tensor: the tensor reaches beyond the 128 bytes"):
        run(overlaid(64), out)
    np.testing.assert_array_equal(out, np.arange(32, 64))
    with (
        pytest.warns(UserWarning, match="reaches beyond the 128 bytes"),
        pytest.raises(fairlead.CheckError, match="the end of the 256 bytes of shared memory"),
    ):
        run(overlaid(65), out)


def test_ignored_values_from_beyond_a_tensor(capfd):
    """As a scheduler reads a bound for the tile after the last one: 0 with a warning, and an error under
    ``--check guards``."""

    @cute.kernel
    def kernel(bounds: cute.Tensor, out: cute.Tensor):
        tile, is_valid = Int32(0), cutlass.Boolean(False)
        while (not is_valid) and tile < bounds.shape[0]:
            tile += 1
            is_valid = bounds[tile] > 100
        out[0] = tile
        out[1] = bounds[tile]

    @cute.jit
    def host(bounds: cute.Tensor, out: cute.Tensor):
        kernel(bounds, out).launch(grid=(1, 1, 1), block=(1, 1, 1))

    bounds, out = np.full(4, 7, np.int32)[:3], np.full(2, -1, np.int32)
    compiled = cute.compile(host, bounds, out, options="--target cpu")
    for _ in range(2):
        compiled(bounds, out)
    assert out.tolist() == [3, 0]
    warned = capfd.readouterr().err.splitlines()
    assert len(warned) == 2  # of two lines, once each
    for line, name in zip(
        sorted(warned), ("is_valid = bounds[tile] > 100", "out[1] = bounds[tile]")
    ):
        assert name in line
        assert "index 3 of mode 0, which has extent 3, of argument `bounds: Int32 (3,)`" in line
        assert "`--check guards`" in line
    for checks in ("guards", "memory", "bounds"):
        with pytest.raises(fairlead.CheckError, match="index 3 of mode 0, which has extent 3"):
            cute.compile(host, bounds, out, options=f"--target cpu --check {checks}")(bounds, out)


def test_addresses_that_no_memory_decides(capfd):
    """Loads of each thread behind a tensor's end give 0; a store there is an error, and before anything runs."""

    @cute.kernel
    def kernel(a: cute.Tensor, out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        out[t] = a[t] + a[t + 30]

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        kernel(a, out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    a, out = np.arange(32, dtype=np.float32) + 1, np.zeros(32, np.float32)
    host(a, out)
    expected = a.copy()
    expected[:2] += a[30:]
    np.testing.assert_array_equal(out, expected)
    assert capfd.readouterr().err.count("which has extent 32, of argument `a: Float32 (32,)`") == 1
    short = np.zeros(31, np.float32)
    with pytest.raises(fairlead.CheckError, match=r"out\[31\]"):
        host(a, short)
    np.testing.assert_array_equal(short, 0)


def test_words_are_numbers_of_four_bits():
    """A vector of words as one of Float4E2M1FN and of Int4, the lowest bits first, and back."""

    def vector_of(count, dtype):
        return ir.VectorType.get([count], dtype.mlir_type)

    def element(vector_value, place):
        return vector.extract(vector_value, dynamic_position=[], static_position=[place])

    @cute.kernel
    def kernel(out: cute.Tensor):
        words = llvm.mlir_undef(vector_of(2, Uint16))
        for place, word in enumerate((0xABCD, 0x1234)):
            words = vector.insert(
                Uint16(word).ir_value(), words, dynamic_position=[], static_position=[place]
            )
        for row, dtype in enumerate((Float4E2M1FN, Int4)):
            numbers = llvm.bitcast(vector_of(8, dtype), words)
            for place in range(8):
                out[row, place] = dtype(element(numbers, place)).to(Float32)
            back = Uint32(element(llvm.bitcast(vector_of(1, Uint32), numbers), 0))
            out[row, 8] = (back == Uint32(0x1234ABCD)).to(Float32)

    out = np.zeros((2, 9), np.float32)
    run(kernel, out)
    np.testing.assert_array_equal(out[0], [-3, -2, -1.5, -1, 2, 1.5, 1, 0.5, 1])
    np.testing.assert_array_equal(out[1], [-3, -4, -5, -6, 4, 3, 2, 1, 1])


def test_registers_of_four_bits_are_packed():
    """Their words are those of their elements, written together, alone, and by a run-time index."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        t = cute.arch.thread_idx()[0]
        numbers = cute.make_rmem_tensor(8, Float4E2M1FN)
        values = cute.make_rmem_tensor(8, Float32)
        values.fill(1.5)
        numbers.store(values.load().to(Float4E2M1FN))
        numbers[7] = Float4E2M1FN(-0.5)
        numbers[t] = Float4E2M1FN(6.0)
        out[t, 0] = cute.recast_tensor(numbers, Int32)[0].bitcast(Uint32)
        out[t, 1] = (numbers[t].to(Float32) + numbers[7].to(Float32)).to(Uint32)

    out = np.zeros((2, 2), np.uint32)
    run(kernel, out, threads=2)
    np.testing.assert_array_equal(out, [[0x93333337, 5], [0x93333373, 5]])


def test_functions_tell_their_defaults():
    @cute.jit
    def function(a, b=2, *, c=3):
        return a

    assert (function.__defaults__, function.__kwdefaults__) == ((2,), {"c": 3})

"""Semantics that only published programs use: values of other shapes, tensors beyond their member of a struct, operands
in shared memory, special registers of the CPU. Compared with NumPy."""

import re
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import fairlead.compat  # before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float4E2M1FN, Float16, Float32, Int4, Int32, Int64, Uint16, Uint32
from cutlass._mlir import ir
from cutlass._mlir.dialects import llvm, nvvm, vector
from cutlass.cute.nvgpu import MmaUniversalOp, warp
from cutlass.cutlass_dsl import T


def run(kernel, *arrays, threads=32):
    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(threads, 1, 1))

    host(*arrays)


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


def test_a_multiply_add_of_float16_rounds_once():
    @cute.kernel
    def kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        mma = cute.make_tiled_mma(MmaUniversalOp(Float16), cute.make_layout((1, 1, 1)))
        parts = [cute.make_rmem_tensor((1, 1, 64), Float16) for _ in range(2)]
        total = cute.make_rmem_tensor((1, 1, 1), Float16)
        total[0] = c[0]
        for k in cutlass.range_constexpr(64):
            parts[0][k], parts[1][k] = a[k], b[k]
        cute.gemm(mma, total, *parts, total)
        c[0] = total[0]

    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 64)).astype(np.float16)
    c = np.zeros(1, np.float16)
    expected, rounded_twice = np.float16(0), np.float16(0)
    for x, y in zip(a, b):
        expected = np.float16(np.float32(x) * np.float32(y) + np.float32(expected))
        rounded_twice = x * y + rounded_twice
    assert expected != rounded_twice
    run(kernel, a, b, c, threads=1)
    assert c[0] == expected


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


def test_tensor_maps_of_tiles_that_are_contiguous_along_another_mode():
    """TMA does not transpose: the copy reads the memory in the order of shared memory, which is a warning."""

    @cute.kernel
    def kernel(load: cute.CopyAtom, source: cute.Tensor, out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        tile = smem.allocate_tensor(Float16, cute.make_layout((64, 8)), 128)
        barrier = smem.allocate_array(cutlass.Int64, 1)
        shared, parts = cute.nvgpu.cpasync.tma_partition(
            load,
            0,
            cute.make_layout(1),
            cute.group_modes(tile, 0, 2),
            cute.group_modes(cute.local_tile(source, (64, 8), (0, 0)), 0, 2),
        )
        t = cute.arch.thread_idx()[0]
        if t == 0:
            cute.arch.mbarrier_init(barrier, 1)
            cute.arch.mbarrier_init_fence()
            cute.arch.mbarrier_arrive_and_expect_tx(barrier, 64 * 8 * 2)
        cute.arch.sync_threads()
        cute.copy(load, parts, shared, tma_bar_ptr=barrier)
        cute.arch.mbarrier_wait(barrier, 0)
        for column in cutlass.range_constexpr(8):
            out[t, column] = tile[t, column].to(Float32)

    @cute.jit
    def host(x: cute.Tensor, out: cute.Tensor):
        load, source = cute.nvgpu.cpasync.make_tiled_tma_atom(
            cute.nvgpu.cpasync.CopyBulkTensorTileG2SOp(), x, cute.make_layout((64, 8)), (64, 8)
        )
        kernel(load, source, out).launch(grid=(1, 1, 1), block=(32, 1, 1))

    x = np.arange(64 * 64, dtype=np.float16).reshape(64, 64)
    out = np.zeros((32, 8), np.float32)
    fakes = [
        cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=(1, 0), assumed_align=16)
        for dtype, shape in ((Float16, (64, 64)), (Float32, (32, 8)))
    ]
    with pytest.warns(UserWarning, match="make_tiled_tma_atom: TMA does not transpose"):
        compiled = cute.compile(host, *fakes)
    compiled(x, out)
    # The stride of one element between columns is less than a unit of 16 bytes, and counts as 0.
    np.testing.assert_array_equal(out, np.repeat(np.arange(32)[:, None], 8, 1))


def test_recast_tensors_of_composed_layouts():
    @cute.kernel
    def kernel(words: cute.Tensor, out: cute.Tensor):
        swizzle = cute.make_swizzle(2, 3, 3)
        layout = cute.make_composed_layout(swizzle, 64, cute.make_layout((8, 32), stride=(32, 1)))
        halves = cute.make_tensor(cute.recast_ptr(words.iterator, dtype=cutlass.Uint16), layout)
        pairs = cute.recast_tensor(halves, Uint32)
        assert str(pairs.layout) == "S<2,2,3> o 32 o (8,16):(16,1)"
        t = cute.arch.thread_idx()[0]
        for row in cutlass.range_constexpr(8):
            out[row, t] = halves[row, t].to(Uint32)
            out[row + 8, t] = pairs[row, t // 2]

    words = np.random.default_rng(0).integers(0, 1 << 32, 160, dtype=np.uint32)
    out = np.zeros((16, 32), np.uint32)
    run(kernel, words, out)
    halves, pairs = out[:8].reshape(8, 16, 2), out[8:].reshape(8, 16, 2)[:, :, 0]
    np.testing.assert_array_equal(pairs, halves[..., 0] | halves[..., 1] << 16)
    assert set(pairs.ravel()) == set(words[32:])


def test_layouts_of_runtime_strides_are_recast():
    """Run-time strides count as whole new elements, and run-time extents are rounded up to them."""

    @cute.kernel
    def kernel(out: cute.Tensor, count: Int32, stride: cutlass.Int64):
        layout = cute.make_layout((4, count), stride=(stride, 1))
        pairs = cute.recast_layout(32, 16, layout)
        assert str(pairs) == "(4,?):(?{i64},1)"
        bytes_ = cute.recast_layout(8, 16, layout)
        out[0], out[1] = pairs.shape[1], pairs.stride[0].to(Int32)
        out[2], out[3] = bytes_.shape[1], bytes_.stride[0].to(Int32)
        tensor = cute.make_tensor(cute.recast_ptr(out.iterator, dtype=cutlass.Uint16), layout)
        out[4] = cute.size(cute.recast_tensor(tensor, Uint32))

    @cute.jit
    def host(out: cute.Tensor, count: Int32, stride: cutlass.Int64):
        kernel(out, count, stride).launch(grid=(1, 1, 1), block=(1, 1, 1))

    out = np.zeros(8, np.int32)
    fake = cute.runtime.make_fake_compact_tensor(Int32, (8,), stride_order=(0,))
    compiled = cute.compile(host, fake, 1, 1)
    compiled(out, 6, 10)
    assert list(out[:5]) == [3, 5, 12, 20, 12]
    compiled(out, 7, 8)
    assert list(out[:5]) == [4, 4, 14, 16, 16]
    with pytest.raises(ValueError, match="recast_layout is not defined"):
        cute.recast_layout(32, 16, cute.make_layout((3, 5), stride=(5, 1)))


def test_recast_tensors_have_no_swizzle():
    """As of the other compiler: a program swizzles the coordinates of bytes itself."""

    @cute.kernel
    def kernel(out: cute.Tensor):
        smem = cutlass.utils.SmemAllocator()
        memory = smem.allocate_array(cutlass.Uint8, 1024)
        swizzled = cute.recast_ptr(memory, cute.make_swizzle(2, 4, 3), dtype=cutlass.Float16)
        numbers = cute.make_tensor(swizzled, cute.make_layout((16, 32), stride=(32, 1)))
        recast = cute.recast_tensor(numbers, cutlass.Uint8)
        plain = cute.make_tensor(memory, cute.make_layout((16, 64), stride=(64, 1)))
        t = cute.arch.thread_idx()[0]
        recast[2, t] = cutlass.Uint8(t)
        cute.arch.sync_threads()
        out[t] = plain[2, t]

    @cute.jit
    def host(out: cute.Tensor):
        kernel(out).launch(grid=1, block=64)

    out = np.zeros(64, np.uint8)
    host(out)
    np.testing.assert_array_equal(out, np.arange(64))


def test_the_remainder_of_run_time_integers_has_the_sign_of_the_dividend():
    """C's rule, as for `%` of GPUs; `//` rounds down, and numbers that are written follow Python."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i] % 8
        out[i, 1] = x[i] % 7
        out[i, 2] = x[i] % x[31 - i]
        out[i, 3] = -7 % x[i]
        out[i, 4] = x[i] // 7
        out[i, 5] = Int32(-7) % 3
        whole = cute.make_rmem_tensor((1,), Int32)
        whole[0] = x[i]
        whole.store(whole.load() % 7)
        out[i, 6] = whole[0]

    x = np.arange(-16, 16, dtype=np.int32)
    out = np.zeros((32, 7), np.int32)
    run(kernel, x, out)
    divisor = np.where(x == 0, 1, x)
    expected = [np.fmod(x, 8), np.fmod(x, 7), np.fmod(x, divisor[::-1]), np.fmod(-7, divisor)]
    expected += [x // 7, np.full(32, 2), np.fmod(x, 7)]
    np.testing.assert_array_equal(out, np.stack(expected, 1))


def test_the_remainder_by_the_least_divisors_is_zero():
    @cute.kernel
    def kernel(x: cute.Tensor, y: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = x[i] % y[i]

    x = np.array([-(2**31), -(2**31), 5, -5], np.int32)
    out = np.ones(4, np.int32)
    run(kernel, x, np.array([-1, 0, 0, -1], np.int32), out, threads=4)
    assert out.tolist() == [0, 0, 0, 0]


def test_remainders_and_quotients_of_floats():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i] % 3.0
        out[i, 1] = x[i] // 0.1

    x = np.linspace(-5, 5, 32, dtype=np.float32)
    out = np.zeros((32, 2), np.float32)
    run(kernel, x, out)
    np.testing.assert_array_equal(out[:, 0], np.fmod(x, np.float32(3)))
    np.testing.assert_array_equal(out[:, 1], np.floor(x / np.float32(0.1)))


def test_conversions_to_tfloat32_move_bits():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = x[i].to(cutlass.TFloat32).to(Float32)

    x = np.random.default_rng(3).standard_normal(32).astype(np.float32)
    out = np.zeros_like(x)
    run(kernel, x, out)
    np.testing.assert_array_equal(out, x)


def test_scale_factors_are_rounded_up():
    """As cvt.rp.ue8m0x2 does: to the next power of two, whatever the sign; NaN above the largest."""

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        wide = cute.make_rmem_tensor((16,), Float32)
        narrow = cute.make_rmem_tensor((16,), cutlass.Float8E8M0FNU)
        for i in cutlass.range_constexpr(16):
            wide[i] = x[i]
        narrow.store(wide.load().to(cutlass.Float8E8M0FNU))
        codes = cute.recast_tensor(narrow, cutlass.Uint8)
        for i in cutlass.range_constexpr(16):
            out[i] = codes[i]

    x = [1.0, 1.1, 1.5, 1.99, 2.0, 0.0, -1.1, np.inf, np.nan, 2.0**127, 2.0**127 * 1.5]
    x += [2.0**-127, 2.0**-127 * 1.2, 2.0**-126, 2.0**-126 * 1.01, 1e-45]
    out = np.zeros(16, np.uint8)
    run(kernel, np.array(x, np.float32), out, threads=1)
    assert out.tolist() == [127, 128, 128, 128, 128, 0, 128, 255, 255, 254, 255, 0, 1, 1, 2, 0]


def test_the_classes_of_all_floats_and_integers_name_element_types():
    @cute.kernel
    def kernel(out: cute.Tensor):
        assert cute.make_rmem_tensor((4,), cutlass.Float).element_type is Float32
        assert cute.make_rmem_tensor((4,), cutlass.Integer).element_type is Int32
        out[0] = 1

    out = np.zeros(1, np.int32)
    run(kernel, out)
    assert out[0] == 1


def test_a_number_in_a_struct_is_its_pointer():
    @cute.struct
    class Storage:
        numbers: Int32
        after: Int32

    @cute.kernel
    def kernel(out: cute.Tensor):
        storage = cutlass.utils.SmemAllocator().allocate(Storage)
        storage.numbers = 5
        (storage.numbers + 1).store(Int32(6))
        whole = cute.make_tensor(storage.numbers, cute.make_layout(2))
        out[0] = whole[0] * 10 + whole[1]
        out[1] = storage.after[0]
        out[2] = cute.arch.atomic_add(storage.after, Int32(1))
        out[3] = storage.after.ptr.load()

    out = np.zeros(4, np.int32)
    run(kernel, out, threads=1)
    assert out.tolist() == [56, 6, 6, 7]


def ptx_of(kernel, tmp_path, monkeypatch, *dtypes):
    """Return the instructions of a kernel of tensors of some types, or of one of Int32, compiled for a GPU."""

    @cute.jit
    def host(*tensors: cute.Tensor):
        kernel(*tensors).launch(grid=(1, 1, 1), block=(32, 1, 1))

    monkeypatch.setenv("CUTE_DSL_KEEP_PTX", "1")
    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    numbers = [
        cute.runtime.make_fake_compact_tensor(dtype, (32,), stride_order=(0,))
        for dtype in dtypes or [Int32]
    ]
    cute.compile(host, *numbers, options="--target cuda:sm_90a")
    return next(tmp_path.glob("*.ptx")).read_text()


@pytest.mark.parametrize(
    ("words", "instruction"),
    [
        ({"cop": "cg"}, "ld.relaxed.gpu"),
        ({"cop": "cv"}, "ld.relaxed.sys"),
        ({"sem": "volatile"}, "ld.relaxed.sys"),
        ({"cop": "cs"}, "ld.global"),
    ],
)
def test_loops_repeat_loads_that_bypass_caches(tmp_path, monkeypatch, words, instruction):
    @cute.kernel
    def kernel(x: cute.Tensor):
        number = cute.arch.load(x.iterator, Int32, **words)
        while number != 1:
            cute.arch.nanosleep(sleep_time=20)
            number = cute.arch.load(x.iterator, Int32, **words)
        x[1] = number

    assert ptx_of(kernel, tmp_path, monkeypatch).count(instruction) >= 2


def test_stores_take_cache_operators(tmp_path, monkeypatch):
    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.store(x.iterator, Int32(1), cop="wt")
        cute.arch.store(x.iterator + 1, Int32(2), cop="cs")

    text = ptx_of(kernel, tmp_path, monkeypatch)
    assert "st.relaxed.sys" in text and "st.global" in text


def test_unknown_cache_operators_are_errors():
    @cute.kernel
    def kernel(x: cute.Tensor):
        x[0] = cute.arch.load(x.iterator, Int32, cop="wt")

    with pytest.raises(ValueError, match="cop.*ca, cg, cs, lu, cv.*wt"):
        run(kernel, np.zeros(1, np.int32))


def test_atomic_operations_have_the_type_of_their_number():
    """As published programs that keep the greatest Float32 by its bits."""

    @cute.kernel
    def kernel(x: cute.Tensor, old: cute.Tensor):
        bits = Float32(2.5).bitcast(Int32)
        before = cute.arch.atomic_max(x.iterator, bits)
        assert before.dtype is Int32
        old[0] = before.bitcast(Float32)
        lesser = Float32(-4.0).bitcast(Uint32)
        cute.arch.atomic_max(x.iterator + 1, val=lesser, sem="relaxed")
        cute.arch.atomic_cas(x.iterator + 2, cmp=Uint32(0x40400000), val=Uint32(0x41000000))
        cute.arch.atomic_add(x.iterator + 3, 0.5)

    x, old = np.array([1.5, -3, 3, 7], np.float32), np.zeros(1, np.float32)
    run(kernel, x, old, threads=1)
    assert old[0] == 1.5 and x.tolist() == [2.5, -4.0, 8.0, 7.5]


def test_stores_by_pointer_write_the_bits_of_their_number():
    @cute.kernel
    def kernel(x: cute.Tensor):
        cute.arch.store(x.iterator, Float32(2.5).bitcast(Int32))
        cute.arch.store(x.iterator + 1, Int32(0x40400000), sem="relaxed")
        cute.arch.store(x.iterator + 2, 7.0)
        (x.iterator + 3).store(Int32(5))

    x = np.zeros(4, np.float32)
    run(kernel, x, threads=1)
    assert x.tolist() == [2.5, 3.0, 7.0, 5.0]


@pytest.mark.parametrize("source", [Float32, Float16, cutlass.BFloat16, cutlass.Float64])
@pytest.mark.parametrize("target", [cutlass.Int8, cutlass.Uint8])
def test_floats_beyond_8_bits_saturate_at_16_and_keep_the_lowest_bits(source, target):
    """As `cvt.rzi.s16` and a store of a byte do."""
    numbers = [1.9, -1.9, 127, 128, 200.5, 255, 256, 300, -128, -129, -200, 1000, 32767]
    numbers += [40000, 70000, -70000]

    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = x[i].to(source).to(target)
        wide = cute.make_rmem_tensor(1, source)
        wide[0] = x[i].to(source)
        narrow = cute.make_rmem_tensor(1, target)
        narrow.store(wide.load().to(target))
        out[i, 1] = narrow[0]

    signed = target is cutlass.Int8
    x, out = np.array(numbers, np.float32), np.zeros((16, 2), np.int8 if signed else np.uint8)
    run(kernel, x, out, threads=16)
    rounded = x
    if source is Float16:
        with np.errstate(over="ignore"):
            rounded = x.astype(np.float16).astype(np.float32)
    elif source is cutlass.BFloat16:
        bits = x.view(np.uint32)
        rounded = (
            ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
        )
    least, most = (-(1 << 15), (1 << 15) - 1) if signed else (0, (1 << 16) - 1)
    expected = np.trunc(np.clip(rounded, least, most)).astype(np.int64).astype(out.dtype)
    np.testing.assert_array_equal(out, np.stack([expected, expected], 1))


@pytest.mark.parametrize(
    "target, word", [(cutlass.Int8, "cvt.rzi.s16.f32"), (cutlass.Uint8, "cvt.rzi.u16.f32")]
)
def test_conversions_to_8_bits_are_not_clamped(tmp_path, monkeypatch, target, word):
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        out[0] = x[0].to(target)

    text = ptx_of(kernel, tmp_path, monkeypatch, Float32, target)
    assert word in text and not re.search(r"(min|max)\.[su]16", text)


def test_matches_of_floats_are_those_of_their_whole_numbers():
    @cute.kernel
    def kernel(x: cute.Tensor, wide: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i, 0] = cute.arch.match_sync(0xFFFFFFFF, x[i], "any")
        out[i, 1] = cute.arch.match_sync(0xFFFFFFFF, x[i].to(Float16), kind="any")
        out[i, 2] = cute.arch.match_sync(0xFFFFFFFF, wide[i], "any")
        out[i, 3] = cute.arch.match_sync(0xFFFFFFFF, x[i] - i, "all")
        out[i, 4] = cute.arch.match_sync(0xFFFFFFFF, x[i], "all")
        out[i, 5] = cute.arch.match_sync(0xFFFFFFFF, x[i] > 3.5, "any")

    numbers = np.arange(32, dtype=np.float32) * 0.25
    wide = (np.arange(32, dtype=np.int64) // 16) << 40
    out = np.zeros((32, 6), np.uint32)

    def lanes_of(values):
        return [sum(1 << j for j in range(32) if values[j] == values[i]) for i in range(32)]

    run(kernel, numbers, wide, out)
    whole = lanes_of(numbers.astype(np.int32))
    less = (numbers - np.arange(32)).astype(np.int32)
    assert len(set(less)) > 1
    expected = [whole, whole, lanes_of(wide), [0] * 32, [0] * 32, lanes_of(numbers > 3.5)]
    np.testing.assert_array_equal(out.T, expected)


def test_all_threads_match():
    @cute.kernel
    def kernel(x: cute.Tensor, out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        out[i] = cute.arch.match_sync(0xFFFFFFFF, x[i], "all")

    out = np.zeros(32, np.uint32)
    run(kernel, np.linspace(3, 3.9, 32, dtype=np.float32), out)
    assert (out == 0xFFFFFFFF).all()


SPACES = ["smem", "rmem", "tmem", "gmem", "generic"]


def address_types(x):
    """Return the types of addresses in each of SPACES, and of one that is computed from them."""
    shared = cutlass.utils.SmemAllocator().allocate_array(Float32, 32)
    pointers = [shared, cute.make_rmem_tensor(4, Float32).iterator]
    pointers.append(cute.make_ptr(Float32, Int32(16), cute.AddressSpace.tmem))
    pointers.append(x.iterator)
    pointers.append(cute.make_ptr(Float32, Int64(16), cute.AddressSpace.generic))
    return [type(pointer.toint()) for pointer in pointers]


@pytest.mark.parametrize("target", ["cuda:sm_100a", "cpu"])
def test_types_of_addresses(target):
    """Int32 of memories whose addresses have 32 bits. On the CPU, shared memory and registers are in its memory."""
    types = []

    @cute.kernel
    def kernel(x: cute.Tensor):
        types.extend(address_types(x))

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=(1, 1, 1), block=(32, 1, 1))

    x = cute.runtime.make_fake_compact_tensor(Float32, (32,), stride_order=(0,))
    cute.compile(host, x, options=f"--target {target}")
    short = Int64 if target == "cpu" else Int32
    assert types == [short, short, Int32, Int64, Int64]


def test_tensors_of_whole_numbers():
    @cute.kernel
    def kernel(out: cute.Tensor):
        i, _, _ = cute.arch.thread_idx()
        known = cute.make_tensor(5, cute.make_layout((4, 2), stride=(2, 1)))
        assert str(known) == "tensor<5 o (4,2):(2,1)>" and known[3, 1] == 12 and known.iterator == 5
        assert str(known[None, 1]) == "tensor<6 o (4):(2)>"
        assert str(cute.make_tensor(0, (4, 2))) == "tensor<0 o (4,2):(1,4)>"
        moving = cute.make_tensor(i, cute.make_layout((4, 2), stride=(2, 1)))
        out[i, 0] = known[i % 4, 1]
        out[i, 1] = moving[i % 4, 1]

    out = np.zeros((8, 2), np.int32)
    run(kernel, out, threads=8)
    lanes = np.arange(8)
    expected = np.stack([6 + 2 * (lanes % 4), lanes + 1 + 2 * (lanes % 4)], 1)
    np.testing.assert_array_equal(out, expected)
    with pytest.raises(TypeError, match="make_tensor takes a pointer"):
        cute.make_tensor(1.5, cute.make_layout(4))


def test_the_place_of_a_block_may_be_a_coordinate():
    from cutlass.cute.nvgpu import cpasync

    parts = []

    @cute.kernel
    def kernel(load: cute.CopyAtom, source: cute.Tensor):
        tile = cutlass.utils.SmemAllocator().allocate_tensor(
            Float16, cute.make_layout((64, 8)), 128
        )
        tiles = cute.group_modes(cute.local_tile(source, (64, 8), (0, 0)), 0, 2)
        for place in (1, (1,), 0):
            shared, boxes = cpasync.tma_partition(
                load, place, cute.make_layout(2), cute.group_modes(tile, 0, 2), tiles
            )
            parts.append((str(shared), str(boxes)))

    @cute.jit
    def host(source: cute.Tensor):
        op = cpasync.CopyBulkTensorTileG2SMulticastOp()
        load, coordinates = cpasync.make_tiled_tma_atom(
            op, source, cute.make_layout((64, 8)), (64, 8), num_multicast=2
        )
        kernel(load, coordinates).launch(grid=(2, 1, 1), block=(32, 1, 1), cluster=(2, 1, 1))

    source = cute.runtime.make_fake_compact_tensor(Float16, (64, 8), stride_order=(0, 1))
    cute.compile(host, source, options="--target cuda:sm_90a")
    assert parts[0] == parts[1] != parts[2]

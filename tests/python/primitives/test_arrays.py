"""Arrays: parameters, indices, slices, memory spaces, masks, against NumPy; and what becomes of them in PTX."""

import numpy as np
import pytest
from support.primitives_support import CPU, device_floats, floats, ptx, run

from fairlead import Boolean, Float16, Float32, Int32, Int64, cute, primitives
from fairlead.primitives import AddressSpace, Array, Pointer, Vector, align


def test_array_parameters_of_host_functions_and_kernels():
    @cute.kernel
    def device(a: Array, b: Array, out: Array):
        i, j, _ = cute.arch.thread_idx()
        if i < out.shape[0] and j < out.shape[1]:
            total = 0.0
            for k in range(a.shape[1]):
                total += a[i, k] * b[k, j]
            out[i, j] = total

    @cute.jit
    def inner(a: Array, b: Array, out: Array):
        assert all(isinstance(each, Array) for each in (a, b, out))
        device(a, b, out).launch(grid=1, block=(8, 8, 1))

    @cute.jit
    def host(a: Array, b: cute.Tensor, out: cute.Tensor):
        assert isinstance(a, Array) and not isinstance(b, Array)
        inner(a, b, out=out)

    a, b, out = floats(5, 3), floats(3, 7), np.zeros((5, 7), np.float32)
    cute.compile(host, a, b, out, options=CPU)(a, b, out)
    np.testing.assert_array_equal(out, a @ b)
    out[:] = 0
    host(a, b, out)
    np.testing.assert_array_equal(out, a @ b)


def test_static_shapes_stay_static():
    @cute.jit
    def host(a: Array, b: Array | None, n: Int32):
        assert a.shape == (4, 8) and a.strides == (8, 1) and b is None
        assert a.dtype is Float32 and a.space is AddressSpace.gmem

    fake = cute.runtime.make_fake_compact_tensor(Float32, (4, 8), stride_order=(1, 0))
    cute.compile(host, fake, None, Int32(1), options=CPU)


def test_pointers_tell_their_type_in_the_ir():
    """The numbers of address spaces are those of LLVM: memory of the host is generic, 0, and shared memory 3."""
    spaces = []

    def kernel(a):
        shared = Array(Float32, 4, space=AddressSpace.smem)
        spaces.extend(Pointer(base).mlir_type.address_space for base in (a, shared))
        a[0] = 0.0

    run(kernel, floats(4))
    assert spaces == [0, 3]


def test_one_index_counts_elements_and_several_follow_the_strides():
    def body(a, out):
        x = Array(a.iterator, (4, 8))
        assert x.shape == (4, 8) and x.strides == (8, 1)
        out[0] = x[1]
        out[1] = x[1, 2]
        out[2] = x.subview((1, 2))[0, 1]
        out[3] = x.subview(1)[3]
        out[4] = x.data_ptr((3, 1))[-1]
        out[5] = x.subview(9)[-1]
        view = x[30:]
        assert view.shape == (2,)
        out[6] = view[1]
        assert x[:4].shape == (4,) and len(x[:4]) == 4
        out[7] = x[:4].load(3)

    a, out = floats(32), np.zeros(8, np.float32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [2, 11, 12, 5, 25, 9, 32, 4])


def test_strided_tensors_keep_their_strides():
    def body(a, out):
        x = primitives.make_array_view(a)
        out[0] = x[1, 2]
        assert x.strides[0] == 1

    a, out = np.asfortranarray(floats(4, 8)), np.zeros(1, np.float32)
    run(body, a, out)
    assert out[0] == a[1, 2]


def test_slices_have_a_count():
    def body(a, out):
        x, y = Array(a), Array(out)
        thread = cute.arch.thread_idx()[0]
        y[thread * 4 : 4] = x[thread * 4 : 4] * 2.0
        if thread == 0:
            y[8:4, align(16)] = (1.0, 2, 3.0, Float32(4))
            matrix = Array(y.data_ptr(12), (2, 4))
            matrix[1, 2:2] = x[0:2]

    a, out = floats(20), np.zeros(20, np.float32)
    run(body, a, out, threads=2)
    expected = np.zeros(20, np.float32)
    expected[:8], expected[8:12], expected[18:20] = 2 * a[:8], [1, 2, 3, 4], a[:2]
    np.testing.assert_array_equal(out, expected)


def test_loads_and_stores_with_their_options():
    def body(a, out):
        x, y = Array(a), Array(out)
        y.store(x.load(0), 0)
        y.store(x.load(1, is_volatile=True), 1, is_volatile=True)
        y.store(x.load(2, is_invariant=True, is_nontemporal=True), 2)
        y.store(x.load(4, vector_size=4, alignment=16), 4, alignment=16)
        y.store(7, 8, vector_size=3)
        y.store(
            x.load(11, ordering=primitives.MemOrdering.ACQUIRE, syncscope="gpu"),
            11,
            ordering=primitives.MemOrdering.RELEASE,
        )
        y.store(x.load(12, 2, is_volatile=True), 12, 2, is_volatile=True)

    a, out = floats(16), np.zeros(16, np.float32)
    run(body, a, out)
    expected = a.copy()
    expected[[3, 14, 15]], expected[8:11] = 0, 7
    np.testing.assert_array_equal(out, expected)


def test_stored_numbers_take_the_type_of_the_elements():
    def body(a, halves, integers):
        Array(halves)[0] = a[0]
        Array(integers)[0] = a[0]
        Array(integers)[1:2] = Array(a)[1:2]

    a = np.array([1.1, -2.7, 3.9], np.float32)
    halves, integers = np.zeros(1, np.float16), np.zeros(3, np.int32)
    run(body, a, halves, integers)
    assert halves[0] == np.float16(1.1) and list(integers) == [1, -2, 3]


@pytest.mark.parametrize("valid", [0, 3, 8])
def test_masks_leave_memory_alone(valid):
    @cute.kernel
    def device(a: Array, out: Array, valid: Int32):
        start = cute.arch.thread_idx()[0] * 4
        mask = Array(Boolean, 4)
        for i in range(4):
            mask[i] = start + i < valid
        values = a.masked_load(start, 4, mask, default=Float32(-5))
        out.masked_store(start, values + 1.0, mask)
        out.store(values, start + 8, 4)

    @cute.jit
    def host(a: Array, out: Array, valid: Int32):
        device(a, out, valid).launch(grid=1, block=2)

    a, out = floats(8), np.full(16, -1, np.float32)
    host(a, out, valid)
    on = np.arange(8) < valid
    np.testing.assert_array_equal(out[:8], np.where(on, a + 1, -1))
    np.testing.assert_array_equal(out[8:], np.where(on, a, -5))


def test_pointers_load_store_and_gather_under_masks():
    def body(a, out):
        source, target = Pointer(a), Pointer(out)
        everywhere = Vector.from_elements((True,) * 4, Boolean)
        some = Vector.from_elements((True, False, True, False), Boolean)
        values = source.masked_load(everywhere, alignment=16)
        target.store(values, alignment=16)
        (target + 4).masked_store(values + Float32(10), some, alignment=16)
        offsets = Vector.from_elements((7, 0, 5, 1), Int32)
        gathered = source.masked_gather(offsets, some, Float32(99))
        (target + 8).store(gathered)

    a, out = floats(8), np.full(12, -5, np.float32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [1, 2, 3, 4, 11, -5, 13, -5, 8, 99, 6, 99])


def test_hints_for_caches():
    def body(a, out):
        values = Pointer(a).nvvm_load_ext(count=4, evict="noallocate")
        (Pointer(out) + 1).nvvm_store_ext(Pointer(a).nvvm_load_ext() + 1.0)
        (Pointer(out) + 4).nvvm_store_ext(values, evict="noallocate")

    a, out = floats(4), np.zeros(8, np.float32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [0, 2, 0, 0, 1, 2, 3, 4])


def test_shared_arrays_are_apart_and_aligned():
    def body(out, addresses):
        thread = cute.arch.thread_idx()[0]
        tile = Array(Float32, (2, 4), space=AddressSpace.smem)
        words = Array(Int64, 3, space="smem")
        wide = Array(Float16, (8,), space=3, alignment=128)
        assert tile.space is AddressSpace.smem and words.align >= 8 and wide.align == 128
        tile[thread // 4, thread % 4] = Float32(thread)
        words[thread % 3] = 5
        wide[thread] = 9.0
        cute.arch.sync_threads()
        out[thread] = tile[7 - thread] + wide[thread].to(Float32)
        if thread == 0:
            for place, memory in enumerate([tile, words, wide]):
                addresses[place] = memory.toint()

    out, addresses = np.zeros(8, np.float32), np.zeros(3, np.int32)
    run(body, out, addresses, threads=8)
    np.testing.assert_array_equal(out, 16 - np.arange(8))
    assert addresses[1] % 8 == 0 and addresses[2] % 128 == 0
    assert addresses[1] >= addresses[0] + 32 and addresses[2] >= addresses[1] + 24


def test_register_arrays_take_run_time_indices():
    def body(out, n):
        memory = Array(Int32, 8)
        for i in range(8):
            memory[i] = i * i
        out[0] = memory[n[0]]

    out = np.zeros(1, np.int32)
    run(body, out, np.array([6], np.int32))
    assert out[0] == 36


def test_an_array_of_another_type_reads_the_same_bytes():
    def body(a, out):
        words = Array(a.iterator, 4, dtype=Int32)
        for i in cute.range_constexpr(4):
            out[i] = words[i]
        out[4] = Pointer(Array(a), dtype=Int32).load()

    a, out = floats(4), np.zeros(5, np.int32)
    run(body, a, out)
    np.testing.assert_array_equal(out, [*a.view(np.int32), a.view(np.int32)[0]])


def test_text():
    def body(a):
        x = Array(a.iterator, (4, 8), dtype=Float32)
        assert (
            repr(x)
            == f"Array(dtype=Float32, address_space=generic, shape=(4, 8), alignment={x.align})"
        )
        assert repr(x.data_ptr()) == "ptr<space=generic, dtype=Float32>"

    run(body, floats(32))


def test_printing(capfd):
    def body(a):
        Array(a.iterator, 3).print_runtime()
        Array(a.iterator, 4).print_runtime(max_elements=2)
        primitives.vector.print_nd_vector(Array(a.iterator, 4).load(0, 4).reshape((2, 2)))

    run(body, floats(4))
    assert capfd.readouterr().out.splitlines() == [
        "[1.000000, 2.000000, 3.000000]",
        "[1.000000, 2.000000, ...]",
        "[[1.000000, 2.000000], [3.000000, 4.000000]]",
    ]


MISTAKES = {
    "an extent of another type": (lambda x: Array(Float32, (4, 2.5)), TypeError, "axis 1"),
    "an extent of 0": (lambda x: Array(x, (0, 4)), TypeError, "extent of axis 0"),
    "no shape": (lambda x: Array(Float32), TypeError, "at least one axis"),
    "too many indices": (lambda x: x[0, 0, 0], ValueError, r"2 for the shape \(4, 8\)"),
    "an index of floats": (lambda x: x[0.5], TypeError, "indexed with integers"),
    "a count of run time": (lambda x: x[0 : Int32(4)], TypeError, "Python int as count"),
    "a stop instead of a count": (lambda x: x[4:-4], ValueError, "not `a\\[start:stop\\]`"),
    "more elements than the count": (
        lambda x: x.__setitem__(slice(0, 3), x[0:4]),
        ValueError,
        "expected 3 elements, but got 4",
    ),
    "a mask of another length": (
        lambda x: x.masked_load(0, 4, Vector.from_elements((True, False), Boolean)),
        ValueError,
        "each of the 4 elements, but got 2",
    ),
    "an alignment of 12": (lambda x: x.load(0, 4, alignment=12), ValueError, "power of two"),
    "an order of others": (lambda x: x.load(0, ordering="fast"), ValueError, "not_atomic"),
    "an order of stores": (lambda x: x.load(0, ordering="release"), ValueError, "acquire"),
    "memory of the device": (
        lambda x: Array(Float32, 4, space=AddressSpace.gmem),
        ValueError,
        "rmem or smem",
    ),
    "a space that there is not": (lambda x: Array(Float32, 4, space="l2"), ValueError, "smem"),
    "a sum": (lambda x: x + 1, TypeError, "subview"),
    "iteration": (lambda x: list(x), TypeError, "range"),
    "a view of an array": (lambda x: primitives.make_array_view(x), TypeError, "cute.Tensor"),
    "a cast between spaces": (
        lambda x: Array(Float32, 4, space="smem").tospace(AddressSpace.gmem),
        ValueError,
        "does not allow casting from non-generic",
    ),
    "an offset of floats": (lambda x: x.data_ptr() + 1.5, TypeError, "an integer"),
    "an iterated pointer": (lambda x: list(x.data_ptr()), TypeError, "range"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    mistake, kind, text = MISTAKES[name]

    def body(a):
        mistake(Array(a.iterator, (4, 8)))

    with pytest.raises(kind, match=text):
        run(body, floats(32))


def test_nested_shapes_are_refused():
    def body(a):
        tensor = cute.make_tensor(a.iterator, cute.make_layout((4, (2, 4))))
        primitives.make_array_view(tensor)

    with pytest.raises(ValueError, match=r"nested extent \(2, 4\) of axis 1"):
        run(body, floats(32))


def test_an_aligned_vector_is_one_access(tmp_path, monkeypatch):
    def body(a, out):
        thread = cute.arch.thread_idx()[0]
        values = Array(a).load(thread * 4, 4, alignment=16)
        Array(out).store(values, thread * 4, 4, alignment=16)

    a = device_floats(128)
    text = ptx(body, a, a, tmp_path=tmp_path, monkeypatch=monkeypatch, threads=32)
    assert text.count("ld.global.v4") + text.count("ld.global.nc.v4") == 1
    assert text.count("st.global.v4") == 1


@pytest.mark.parametrize("is_static", [True, False])
def test_arrays_with_static_indices_are_registers(is_static, tmp_path, monkeypatch):
    def body(a, out):
        memory = Array(Float32, 4)
        first = 0 if is_static else cute.arch.thread_idx()[0]
        for i in cute.range_constexpr(4):
            memory[(first + i) % 4] = Array(a)[i]
        total = memory.load(0, 4).reduce("max")
        Array(out)[0] = total

    a = device_floats(4)
    text = ptx(body, a, a, tmp_path=tmp_path, monkeypatch=monkeypatch, threads=4)
    assert (".local" in text) is not is_static
    assert text.count("max.NaN.f32") == 3


def test_volatile_and_ordered_accesses_say_so(tmp_path, monkeypatch):
    def body(a, out):
        x, y = Array(a), Array(out)
        tile = Array(Float16, 8, space=AddressSpace.smem)
        y.store(x.load(1, is_volatile=True), 1, is_volatile=True)
        tile.store(Float16(1), 0, is_volatile=True)
        y.store(x.load(2, ordering="acquire", syncscope="gpu"), 2, ordering="release")

    a = device_floats(8)
    text = ptx(body, a, a, tmp_path=tmp_path, monkeypatch=monkeypatch)
    for instruction in (
        "ld.volatile.global.b32",
        "st.volatile.global.b32",
        "st.volatile.shared.b16",
        "ld.acquire.gpu.global.b32",
        "st.release.sys.global.b32",
    ):
        assert instruction in text


def test_a_static_array_parameter_is_one_pointer(tmp_path, monkeypatch):
    @cute.kernel
    def device(a: Array):
        a[cute.arch.thread_idx()[0]] = 1.0

    @cute.jit
    def host(a: Array):
        device(a).launch(grid=1, block=32)

    monkeypatch.setenv("CUTE_DSL_DUMP_DIR", str(tmp_path))
    fake = cute.runtime.make_fake_compact_tensor(Float32, (32,))
    cute.compile(host, fake, options="--target cuda:sm_90a --keep-ptx")
    (file,) = tmp_path.glob("*.ptx")
    entry = file.read_text().split(".entry")[1].split(")")[0]
    assert entry.count(".param") == 1 and ".param .u64" in entry


def test_the_rest_of_a_row_is_a_view():
    def body(a: Array, out: Array):
        memory = Array(dtype=Float32, shape=(2, 4))
        for i in cute.range_constexpr(8):
            memory[i] = a[i]
        row, rest = memory[1, :], memory[0, 2:]
        out[0], out[1] = row[3], rest[1]
        rest[0] = 7.0
        out[2] = memory[0, 2]

    a, out = floats(8), np.zeros(3, np.float32)
    run(body, a, out)
    assert out.tolist() == [8, 4, 7]

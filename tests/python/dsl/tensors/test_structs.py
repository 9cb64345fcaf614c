"""Shared memory by structs, unions and static allocation; swizzled and composed layouts in memory."""

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Float16, Float32, Int32, Int64, Uint8, cute
from fairlead.utils import SmemAllocator, get_smem_capacity_in_bytes

THREADS = 64


@cute.struct
class Inner:
    flag: Uint8
    total: Float32


@cute.struct
class Storage:
    barriers: cute.struct.MemRange[Int64, 3]
    first: Uint8
    tile: cute.struct.Align[cute.struct.MemRange[Float16, 40], 128]
    inner: Inner
    last: Int32


@cute.union
class Either:
    small: Uint8
    wide: cute.struct.MemRange[Int32, 5]
    aligned: cute.struct.Align[Int32, 16]


def test_layout_rules_of_c():
    assert Inner.offsets == {"flag": 0, "total": 4}
    assert (Inner.size_in_bytes(), Inner.__alignof__()) == (8, 4)
    assert Storage.offsets == {"barriers": 0, "first": 24, "tile": 128, "inner": 208, "last": 216}
    assert Storage.__sizeof__() == Storage.size_in_bytes() == 256 and Storage.__alignof__() == 128
    assert Either.offsets == {"small": 0, "wide": 0, "aligned": 0} and Either.size_in_bytes() == 32


def compact(array):
    """Return the stand-in for an array."""
    order = tuple(reversed(range(array.ndim)))
    return cute.runtime.make_fake_compact_tensor(
        support.CLASSES[array.dtype], array.shape, stride_order=order
    )


@pytest.fixture
def run_block(device):
    """Return a function that runs a kernel of one block on the device; its output has a visible value before."""

    def run(function, out, *inputs):
        kernel = cute.kernel(function)

        @cute.jit
        def host(out: cute.Tensor, a: cute.Tensor):
            kernel(out, a).launch(grid=1, block=THREADS)

        a = inputs[0] if inputs else np.zeros(1, np.float32)
        compiled = cute.compile(host, compact(out), compact(a), options=f"--target {device.name}")
        device.call(compiled, out, a)
        return out

    return run


def test_structs_in_shared_memory(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        allocator = SmemAllocator()
        allocator.allocate(3)  # the struct is aligned whatever comes before it
        storage = allocator.allocate(Storage)
        if t == 0:
            storage.first = 7
            storage.inner.total = 2.5
            storage.inner.flag = 1
            storage.last = -4
            storage.barriers[2] = Int64(1) << 40
        tile = storage.tile.get_tensor(cute.make_layout((8, 5)))
        if t < 40:
            tile[t] = Float16(t.to(Float32))
        cute.arch.sync_threads()
        out[t, 0] = tile[39 - t % 40].to(Float32)
        out[t, 1] = storage.inner.total.load() + storage.first.ptr.load().to(Float32)
        out[t, 2] = (storage.barriers[2] >> 38).to(Float32) + storage.last.load().to(Float32)
        out[t, 3] = (storage.tile.data_ptr().toint() % 128).to(Float32)

    out = run_block(device, support.poisoned((THREADS, 4), np.float32))
    t = np.arange(THREADS)
    np.testing.assert_array_equal(out[:, 0], 39 - t % 40)
    np.testing.assert_array_equal(out[:, 1:], np.tile([9.5, 0.0, 0.0], (THREADS, 1)))


def test_traced_sizes_and_casts(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        count = out.shape[0]

        @cute.struct
        class Local:
            pad: Uint8
            values: cute.struct.MemRange[Float32, count]

        raw = SmemAllocator().allocate(Local.size_in_bytes(), Local.__alignof__())
        local = Local(raw)
        local.values[t] = t.to(Float32)
        cute.arch.sync_threads()
        out[t] = local.values[count - 1 - t] + len(local.values)

    out = run_block(device, support.poisoned(THREADS, np.float32))
    np.testing.assert_array_equal(out, THREADS - 1 - np.arange(THREADS) + THREADS)


def test_unions_overlap(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        memory = SmemAllocator().allocate(Either)
        if t == 0:
            memory.wide[0] = 0x01020304
        cute.arch.sync_threads()
        out[t] = memory.small.load().to(Int32) * 1000 + (memory.aligned.load() >> 24)

    out = run_block(device, support.poisoned(THREADS, np.int32))
    np.testing.assert_array_equal(out, 4001)


def test_a_struct_is_used_in_branches_and_loops(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        storage = SmemAllocator().allocate(Inner)
        if t == 0:
            storage.total = 0.0
            for i in range(10):
                if i % 2 == 0:
                    storage.total = storage.total.load() + i.to(Float32)
        cute.arch.sync_threads()
        out[t] = storage.total.load()

    out = run_block(device, support.poisoned(THREADS, np.float32))
    np.testing.assert_array_equal(out, 20)


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: cute.struct(type("S", (), {"__annotations__": {"x": "str"}})),
            "members of a struct",
        ),
        (lambda: cute.struct.MemRange[Float32, -1], "compile-time number of elements for MemRange"),
        (lambda: cute.struct.MemRange[Float32], "a type and a number"),
        (lambda: cute.struct.Align[Float32, 3], "power of two|1024"),
        (lambda: Storage(5), "Storage"),
    ],
)
def test_bad_structs(make, message):
    with pytest.raises((TypeError, ValueError), match=message):
        make()


def test_unknown_members(run_block):
    def device(out, a):
        SmemAllocator().allocate(Inner).nothing = 1

    with pytest.raises(AttributeError, match="no member `nothing`; it has flag, total"):
        run_block(device, support.poisoned(THREADS, np.float32))


def test_capacity():
    assert get_smem_capacity_in_bytes("sm_90a") == 227 * 1024
    assert get_smem_capacity_in_bytes("sm_80") == 163 * 1024
    with pytest.raises(ValueError, match="sm_12"):
        get_smem_capacity_in_bytes("sm_12")


SWIZZLES = [(1, 0, 3), (2, 0, 3), (3, 0, 3), (2, 1, 2), (1, 0, -3), (3, 3, 3)]


@pytest.mark.parametrize("numbers", SWIZZLES)
def test_swizzled_tensors_of_elements(numbers, run_block):
    """Written by coordinate, read as memory: every element is where the layout says."""
    swizzle = cute.make_swizzle(*numbers)
    layout = cute.make_composed_layout(swizzle, 0, cute.make_layout((64, 8), stride=(8, 1)))

    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        tensor = cute.make_tensor(out.iterator, layout)
        for j in range(8):
            tensor[t, j] = a[t, j]

    a = np.arange(512, dtype=np.float32).reshape(64, 8)
    out = run_block(device, support.poisoned(512, np.float32), a)
    expected = np.empty(512, np.float32)
    for i in range(64):
        for j in range(8):
            expected[layout((i, j))] = a[i, j]
    np.testing.assert_array_equal(out, expected)


def test_views_of_swizzled_tensors(run_block):
    """Slices, tiles and partitions keep the swizzle and count from where the tensor begins."""
    layout = cute.make_composed_layout(
        cute.make_swizzle(3, 0, 3), 0, cute.make_layout((16, 32), stride=(32, 1))
    )

    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        tensor = cute.make_tensor(a.iterator, layout)
        out[t, 0] = tensor[t % 16, None][3]
        tile = cute.local_tile(tensor, (4, 8), (t % 4, 2))
        out[t, 1] = tile[1, 5]
        out[t, 2] = cute.zipped_divide(tensor, (4, 8))[(3, 7), (t % 4, 1)]
        part = cute.local_partition(tensor, cute.make_layout((8, 8), stride=(8, 1)), t)
        out[t, 3] = part[1, 2]
        row = tensor[0, None]
        for i in range(3):
            row = tensor[i + 1, None] if i < t else row
        out[t, 4] = row[9]
        total = Float32(0.0)
        for i in range(32):
            total += tensor[t % 16, i]
        out[t, 5] = total
        fragment = tile.load()
        out[t, 6] = fragment.reduce(cute.ReductionOp.ADD, 0.0, 0)
        assert repr(tile.layout).startswith("S<3,0,3> o ?")
        assert isinstance(tensor.layout, cute.ComposedLayout) and tensor.layout == layout

    a = np.random.default_rng(3).standard_normal(512).astype(np.float32)
    out = run_block(device, support.poisoned((THREADS, 7), np.float32), a)
    logical = np.array([[a[layout((i, j))] for j in range(32)] for i in range(16)])
    t = np.arange(THREADS)
    np.testing.assert_array_equal(out[:, 0], logical[t % 16, 3])
    np.testing.assert_array_equal(out[:, 1], logical[t % 4 * 4 + 1, 21])
    np.testing.assert_array_equal(out[:, 2], logical[t % 4 * 4 + 3, 15])
    np.testing.assert_array_equal(out[:, 3], logical[8 + t // 8, 16 + t % 8])
    np.testing.assert_array_equal(out[:, 4], logical[np.minimum(t, 3), 9])
    np.testing.assert_allclose(out[:, 5], logical[t % 16].sum(1), rtol=1e-4, atol=1e-4)
    tiles = np.array([logical[i * 4 : i * 4 + 4, 16:24].sum() for i in range(4)])
    np.testing.assert_allclose(out[:, 6], tiles[t % 4], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("numbers", [(3, 4, 3), (2, 4, 3), (1, 4, 3), (3, 3, 3)])
def test_swizzled_shared_memory(numbers, run_block):
    """A swizzle of addresses moves elements within the memory, and a view finds them again."""

    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        allocator = SmemAllocator()
        allocator.allocate(100)
        swizzle = cute.make_swizzle(*numbers)
        layout = cute.make_layout((64, 64), stride=(64, 1))
        tensor = allocator.allocate_tensor(Float16, layout, 16, swizzle=swizzle)
        for j in range(64):
            tensor[t, j] = a[t, j]
        cute.arch.sync_threads()
        # Transposed, through a tile.
        column = cute.local_tile(tensor, (64, 8), (0, t // 8))
        for i in range(64):
            out[0, t, i] = column[i, t % 8]
        plain = cute.make_tensor(
            cute.recast_ptr(tensor.iterator, cute.make_swizzle(0, 0, 0)), layout
        )
        for j in range(64):
            out[1, t, j] = plain[t, j]
        assert f"S<{numbers[0]},{numbers[1]},{numbers[2]}>" in repr(tensor)

    a = np.random.default_rng(5).standard_normal((64, 64)).astype(np.float16)
    out = run_block(device, support.poisoned((2, 64, 64), np.float16), a)
    np.testing.assert_array_equal(out[0], a.T)
    swizzle = cute.make_swizzle(*numbers)
    flat = np.empty(4096, np.float16)
    for place in range(4096):
        flat[swizzle(place * 2) // 2] = a.reshape(-1)[place]
    np.testing.assert_array_equal(out[1].reshape(-1), flat)


def test_composed_layouts_in_shared_memory_and_registers(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        layout = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 8)))
        shared = SmemAllocator().allocate_tensor(Float32, layout)
        shared[t] = a[t]
        cute.arch.sync_threads()
        out[t] = shared[t % 8, t // 8]
        assert cute.size(layout) == 64 and layout.max_alignment == 1 and layout.is_normal

    a = np.arange(64, dtype=np.float32)
    np.testing.assert_array_equal(run_block(device, support.poisoned(64, np.float32), a), a)


def test_layouts_in_layouts(run_block):
    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        inner = cute.make_layout((8, 8), stride=(8, 1))
        tensor = cute.make_tensor(
            a.iterator, cute.make_composed_layout(inner, 0, cute.make_layout((4, 16)))
        )
        out[t] = tensor[t % 4, t // 4]

    a = np.arange(64, dtype=np.float32)
    out = run_block(device, support.poisoned(64, np.float32), a)
    expected = [(i % 8) * 8 + i // 8 for i in range(64)]
    np.testing.assert_array_equal(out, expected)


def test_what_cannot_be_put_on_memory(run_block):
    def gather(out, a):
        cute.make_tensor(
            a.iterator, cute.make_composed_layout(lambda x: x + 1, 0, cute.make_layout(4))
        )

    with pytest.raises(ValueError, match="make_tensor"):
        run_block(gather, support.poisoned(THREADS, np.float32))


def test_pointers_and_tensors_tell_what_they_are(run_block):
    def device(out, a):
        assert a.leading_dim == 1 and a[None, 0].leading_dim is None
        assert a.iterator.memspace == cute.AddressSpace.gmem == a.memspace
        assert a.iterator.align(16).max_alignment == 16
        shared = SmemAllocator().allocate_tensor(Float32, (4, 2), 64)
        assert shared.memspace == cute.AddressSpace.smem and shared.iterator.alignment == 64
        assert shared.leading_dim == 0 and shared.iterator.dtype is Float32
        fragment = cute.make_rmem_tensor(
            cute.make_composed_layout(cute.make_swizzle(1, 0, 1), 0, cute.make_layout((2, 2))),
            Float32,
        )
        for i in fairlead.range_constexpr(4):
            fragment[i] = a[i // 2, i % 2]
        t, _, _ = cute.arch.thread_idx()
        out[t] = fragment[0] + fragment[1] * 10.0 + fragment[2] * 100.0 + fragment[3] * 1000.0

    a = np.array([[1, 2], [3, 4]], np.float32)
    out = run_block(device, support.poisoned(THREADS, np.float32), a)
    np.testing.assert_array_equal(out, 4321)


def test_layouts_travel_to_kernels():
    """Composed layouts, and divisors, as arguments of kernels, with numbers known only at run time."""

    @cute.kernel
    def device(out: cute.Tensor, a: cute.Tensor, layout, divisor):
        t, _, _ = cute.arch.thread_idx()
        tensor = cute.make_tensor(a.iterator, layout)
        quotient, rest = divmod(t, divisor)
        out[t] = tensor[t] + (quotient * 1000 + t // divisor * 100 + rest + t % divisor).to(Float32)

    @cute.jit
    def host(out: cute.Tensor, a: cute.Tensor, n: Int32):
        layout = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), n, cute.make_layout((8, 4)))
        device(out, a, layout, cute.FastDivmodDivisor(n + 3)).launch(grid=1, block=32)

    fakes = [support.vector(Float32, 32), support.vector(Float32, 128)]
    compiled = cute.compile(host, *fakes, Int32(1), options="--target cpu")
    a, out = np.arange(128, dtype=np.float32), support.poisoned(32, np.float32)
    compiled(out, a, 8)
    t, swizzle = np.arange(32), cute.make_swizzle(2, 0, 3)
    expected = [swizzle(8 + i) + i // 11 * 1100 + i % 11 * 2 for i in t.tolist()]
    np.testing.assert_array_equal(out, expected)


@cute.kernel
def divide(x: cute.Tensor, quotients: cute.Tensor, rests: cute.Tensor, divisor):
    thread, _, _ = cute.arch.thread_idx()
    quotients[thread], rests[thread] = divmod(x[thread], divisor)


@cute.jit
def divide_by(x: cute.Tensor, quotients: cute.Tensor, rests: cute.Tensor, number: Int32):
    divisor = cute.FastDivmodDivisor(number)
    assert len(divisor.__extract_mlir_values__()) == 1  # programs count a value for each
    divide(x, quotients, rests, divisor).launch(grid=1, block=x.shape[0])


def test_divisors_known_at_run_time():
    """Kernels multiply by what the host function computes: exact for all numbers that are not negative."""
    numbers = np.random.default_rng(5)
    divisors = [1, 2, 3, 5, 7, 8, 9, 641, 2**16 - 1, 2**30, 2**30 + 1, 2**31 - 2, 2**31 - 1]
    divisors += [int(2**power) for power in numbers.uniform(0, 31, 40)]
    vectors = [support.vector(Int32, 128)] * 3
    compiled = cute.compile(divide_by, *vectors, Int32(1), options="--target cpu")
    quotients, rests = (support.poisoned(128, np.int32) for _ in range(2))
    for divisor in divisors:
        multiples = numbers.integers(0, (2**31 - 1) // divisor + 1, 64) * divisor
        x = np.concatenate([multiples, np.maximum(multiples - 1, 0)]).astype(np.int32)
        x[:3] = 2**31 - 1, 0, 2**31 - 2
        compiled(x, quotients, rests, divisor)
        np.testing.assert_array_equal(quotients, x // divisor)
        np.testing.assert_array_equal(rests, x % divisor)


def test_divisors_of_kernels_need_no_division():
    vectors = [support.vector(Int32, 128)] * 3
    ptx = cute.compile(divide_by, *vectors, Int32(1), options="--target cuda:sm_90a").__ptx__
    assert "clz.b32" in ptx and "div." not in ptx


def test_small_functions_of_layouts(run_block):
    layout = cute.make_layout((4, 2), stride=(2, 1))
    assert cute.make_layout_image_mask(layout, (1, 0), 0) == 0b01010101
    assert cute.make_layout_image_mask(layout, (1, 0), 1) == 0b1100
    composed = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 8)))
    assert repr(cute.zipped_divide(composed, (4, 4))).startswith("S<2,0,3> o 0 o ((4,4),(2,2))")
    assert repr(cute.slice_(composed, (None, 3))) == "S<2,0,3> o 24 o (8):(1)"
    assert cute.crd2idx((1, 1), composed) == composed((1, 1)) == 9 ^ 1
    assert cute.size(composed) == 64 and cute.rank(composed) == 2 and cute.is_static(composed)
    assert repr(cute.select(composed, [1])) == "S<2,0,3> o 0 o (8):(8)"
    assert divmod(17, cute.FastDivmodDivisor(5)) == (3, 2)

    def device(out, a):
        t, _, _ = cute.arch.thread_idx()
        values = a[t % 4, None].load()
        out[t] = cute.where(cute.all_(values > 0), 1, 0) + cute.where(
            cute.any_(a[t % 4, None]), 2, 0
        )

    a = np.array([[1, 2, 3], [0, 1, 1], [0, 0, 0], [-1, 0, 0]], np.float32)
    out = run_block(device, support.poisoned(THREADS, np.int32), a)
    np.testing.assert_array_equal(out, np.tile([3, 2, 0, 2], THREADS // 4))


def test_shared_tensors_of_as_many_elements_as_constants_say():
    @cute.kernel
    def device(out: cute.Tensor):
        count = cute.const_expr(256 // cute.Int32(32))
        shared = SmemAllocator().allocate_tensor(cute.Int32, cute.make_layout((count,)))
        for i in cute.range_constexpr(8):
            shared[i] = i * i
        out[0] = shared[7]

    @cute.jit
    def host(out: cute.Tensor):
        call = device(out)
        call.launch(grid=1, block=1)
        assert call.smem_usage() == 32

    out = np.zeros(1, np.int32)
    host(out)
    assert out[0] == 49

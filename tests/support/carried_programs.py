"""Programs whose run-time regions carry values, for the tests of the CPU and of GPUs.

``PROGRAMS`` are functions of an integer; Python runs them unchanged, for the expected results.
"""

from typing import NamedTuple

import fairlead
from fairlead import Float32, Int32, cute


@cute.kernel
def device_each(function: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    if thread < x.shape[0]:
        out[thread] = function(x[thread])


@cute.jit
def each(function: fairlead.Constexpr, x: cute.Tensor, out: cute.Tensor):
    """``function`` of every element, each by a thread of one block."""
    device_each(function, x, out).launch(grid=1, block=64)


@cute.kernel
def device_tensor_values(a: cute.Tensor, n: Int32, out: cute.Tensor):
    row, _, _ = cute.arch.block_idx()
    part = a[row, None].load()
    total = cute.zeros_like(part)
    for i in range(n):
        total = total + part
        if i % 2 == 1:
            total = total * 2.0
    out[row, None].store(total if n > 1 else part)


@cute.jit
def tensor_values(a: cute.Tensor, n: Int32, out: cute.Tensor):
    """The result of load(), as an accumulator of loops and branches."""
    device_tensor_values(a, n, out).launch(grid=a.shape[0], block=1)


def compile_tensor_values(options=None):
    matrix = cute.runtime.make_fake_compact_tensor(
        Float32, (cute.sym_int(), 4), stride_order=(1, 0)
    )
    return cute.compile(tensor_values, matrix, Int32, matrix, options=options)


def expected_tensor_values(a, n):
    total = a * 0
    for i in range(n):
        total = (total + a) * (2 if i % 2 else 1)
    return total if n > 1 else a


@cute.kernel
def device_pointers(a: cute.Tensor, n: Int32, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    p = a.iterator
    for _ in range(thread):
        p = p + 2
    if thread > n:
        p = p + 1
    q = p if thread > 1 else a.iterator + 5
    out[thread] = cute.make_tensor(q, cute.make_layout(1))[0]


@cute.jit
def pointers(a: cute.Tensor, n: Int32, out: cute.Tensor):
    device_pointers(a, n, out).launch(grid=1, block=32)


def expected_pointers(n):
    """Sum the numbers from 0 on."""
    return [(2 * t + (t > n)) if t > 1 else 5 for t in range(32)]


class Sums:
    def __init__(self, values, pointer):
        self.values, self.pointer = values, pointer

    def add(self, values):
        self.values = self.values + values
        self.pointer = self.pointer + 1


@cute.kernel
def device_held_values(a: cute.Tensor, out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    row = a[thread, None].load()
    sums = Sums(cute.zeros_like(row), a.iterator)
    held = {"values": row, "pointer": a.iterator}
    for i in range(thread):
        sums.add(row)
        held["values"] = held["values"] * 2.0
        if i % 2 == 1:
            held["pointer"] = held["pointer"] + 1
    out[thread, None].store(
        sums.values + held["values"] + held["pointer"].load() + sums.pointer.load() * 100.0
    )


@cute.jit
def held_values(a: cute.Tensor, out: cute.Tensor):
    """Pointers and values of a tensor in objects and in dicts, of eight rows of four."""
    device_held_values(a, out).launch(grid=1, block=8)


def compile_held_values(options=None):
    matrix = cute.runtime.make_fake_compact_tensor(Float32, (8, 4), stride_order=(1, 0))
    return cute.compile(held_values, matrix, matrix, options=options)


def expected_held_values(a):
    """Sum the numbers from 0 on."""
    return [[v * t + v * 2**t + t // 2 + t * 100 for v in row] for t, row in enumerate(a)]


@cute.struct
class Pair:
    first: Int32
    second: cute.struct.MemRange[Int32, 4]


@cute.struct
class Store:
    number: Int32
    pair: Pair
    numbers: cute.struct.MemRange[Int32, 32]


@cute.kernel
def device_structs(out: cute.Tensor):
    thread, _, _ = cute.arch.thread_idx()
    allocator = fairlead.utils.SmemAllocator()
    one, two = allocator.allocate(Store), allocator.allocate(Store)
    one.numbers[thread], two.numbers[thread] = thread, thread + 100
    if thread < 4:
        one.number, two.number = 7, 8
        one.pair.second[thread], two.pair.second[thread] = thread + 1000, thread + 2000
    cute.arch.sync_threads()
    store = two if thread > 3 else one
    numbers, pair, number = one.numbers, store.pair, one.number
    for i in range(thread):
        if i % 2 == 0:
            numbers, number = two.numbers, two.number
        else:
            numbers, number, pair = store.numbers, store.number, store.pair
            store = one if thread < 20 else two
    out[thread] = (
        store.numbers[31 - thread]
        + numbers[thread] * 1000
        + pair.second[1] * 10
        + number.load() * 100000
    )


@cute.jit
def structs(out: cute.Tensor):
    """Structs in shared memory, and members of theirs."""
    device_structs(out).launch(grid=1, block=32)


def expected_structs():
    stores = [(7, 1001, range(32)), (8, 2001, range(100, 132))]
    found = []
    for thread in range(32):
        store = thread > 3
        numbers, pair, number = 0, store, 0
        for i in range(thread):
            if i % 2 == 0:
                numbers = number = 1
            else:
                numbers = number = pair = store
                store = thread >= 20
        found.append(
            stores[store][2][31 - thread]
            + stores[numbers][2][thread] * 1000
            + stores[pair][1] * 10
            + stores[number][0] * 100000
        )
    return found


@cute.jit
def swizzles(x):
    swizzle = cute.make_swizzle(2, 0, 3)
    if x > 5:
        swizzle = cute.make_swizzle(2, 0, 3)
    for _ in range(x):
        swizzle = cute.make_swizzle(2, 0, 3)
    return swizzle(x)


@cute.jit
def composed(x):
    outer = cute.make_layout((8, 8))
    layout = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, outer)
    if x > 5:
        layout = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 0, outer)
    return layout((x % 8, x // 8)) + cute.size(layout)


@cute.jit
def moved_composed(x):
    layout = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), x, cute.make_layout((8, 8)))
    left = x
    while left > 3:
        layout = cute.make_composed_layout(layout.inner, layout.offset + 3, layout.outer)
        left -= 1
    if x % 3 == 1:
        layout = cute.make_composed_layout(layout.inner, layout.offset * 2, layout.outer)
    return layout((1, 2))


@cute.jit
def known_and_unknown(x):
    """Numbers known while tracing, where the region was entered with ones of run time."""
    layout = cute.make_layout((x + 1, 4))
    moved = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), x, layout)
    if x > 5:
        layout = cute.make_layout((6, 4))
        moved = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), 8, layout)
    other = layout if x % 3 == 0 else cute.make_layout((3, 4))
    return layout((0, 2)) * 100 + moved((0, 3)) * 10 + cute.size(other)


@cute.jit
def grown_composed(x):
    """Layouts with run-time strides, inside and outside."""
    inner = cute.make_layout((64, 64), stride=(1, x))
    layout = cute.make_composed_layout(inner, x, cute.make_layout((4, 8), stride=(x, 2)))
    for i in range(3):
        outer = cute.make_layout((4, 8), stride=(layout.outer.stride[0] + i, 2))
        layout = cute.make_composed_layout(
            cute.make_layout((64, 64), stride=(1, layout.inner.stride[1] + x)),
            layout.offset + 1,
            outer,
        )
    return layout((2, 3))


@cute.jit
def moved_coordinates(x):
    coords = cute.make_identity_tensor((64, 64))
    for i in range(x):
        coords = cute.domain_offset((1, i), coords)
    if x > 7:
        coords = cute.domain_offset((x, 0), coords)
    row, column = coords[3, 4]
    return row * 1000 + column


@cute.jit
def coordinates_of_either_tile(x):
    coords = cute.make_identity_tensor((16, 8))
    tile = cute.local_tile(coords, (4, 4), (0, 0))
    if x % 2 == 1:
        tile = cute.local_tile(coords, (4, 4), (x % 4, 1))
    other = tile if x > 9 else cute.local_tile(coords, (4, 4), (x % 3, 0))
    return tile[1, 2][0] * 1000 + other[2, 3][0] * 10 + other[2, 3][1]


@cute.jit
def coordinates_of_a_line(x):
    line = cute.make_identity_tensor(64)
    while x > 11:
        line = cute.domain_offset(5, line)
        x -= 1
    return line[x] + 0


@cute.jit
def strides_along_modes(x):
    layout = cute.make_layout((4, 4), stride=(cute.E(0) * x, cute.E(1)))
    if x > 4:
        layout = cute.make_layout((4, 4), stride=(cute.E(0) * (x + 2), cute.E(1)))
    row, column = layout((2, 3))
    return row * 10 + column


def tiled_copy(bits=32):
    atom = cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32, num_bits_per_copy=bits)
    return cute.make_tiled_copy_tv(
        atom, cute.make_layout((4, 8), stride=(8, 1)), cute.make_layout((2, 2), stride=(2, 1))
    )


def first_place(thread_copy):
    part = thread_copy.partition_S(cute.make_identity_tensor((16, 32)))
    row, column = part[((0, 1), 1, 1)]
    return row * 100 + column


@cute.jit
def tiled_copies(x):
    tiled = tiled_copy()
    if x > 9:
        tiled = tiled_copy()
    for _ in range(x):
        tiled = tiled_copy()
    return first_place(tiled.get_slice(x % 32))


@cute.jit
def slices_of_tiled_copies(x):
    part = tiled_copy().get_slice(x % 32)
    for i in range(x):
        part = tiled_copy().get_slice((part.thr_idx + i) % 32)
    other = part if x % 2 == 0 else tiled_copy().get_slice(5)
    return first_place(part) * 7 + first_place(other) if x > 3 else first_place(other)


class Places(NamedTuple):
    swizzle: cute.Swizzle
    layout: cute.ComposedLayout
    coords: object


@cute.jit
def in_tuples(x):
    places = Places(
        cute.make_swizzle(1, 0, 2),
        cute.make_composed_layout(cute.make_swizzle(2, 0, 3), x, cute.make_layout((8, 8))),
        cute.make_identity_tensor((64, 64)),
    )
    for i in range(x):
        swizzle, layout, coords = places
        places = Places(
            cute.make_swizzle(1, 0, 2),
            cute.make_composed_layout(layout.inner, layout.offset + i, layout.outer),
            cute.domain_offset((1, 2), coords),
        )
    row, column = places.coords[0, 1]
    return places.swizzle(places.layout((1, 1))) * 10000 + row * 100 + column


class Holder:
    def __init__(self, x):
        self.layout = cute.make_layout((4, 4), stride=(x, 1))
        self.composed = cute.make_composed_layout(
            cute.make_swizzle(2, 0, 3), x, cute.make_layout((8, 8))
        )
        self.coords = cute.make_identity_tensor((64, 64))

    @cute.jit
    def advance(self, by):
        self.layout = cute.make_layout((4, 4), stride=(self.layout.stride[0] + by, 1))
        self.composed = cute.make_composed_layout(
            self.composed.inner, self.composed.offset + by, self.composed.outer
        )
        self.coords = cute.domain_offset((by, 1), self.coords)


@cute.jit
def in_objects(x):
    holder = Holder(x)
    for i in range(x):
        holder.advance(i)
    if x % 3 == 0:
        holder.advance(2)
    row, column = holder.coords[1, 1]
    return holder.layout((3, 1)) + holder.composed((1, 1)) * 100 + row * 10 + column


@cute.jit
def in_dicts(x):
    swizzle = cute.make_swizzle(2, 0, 3)
    held = {
        "layout": cute.make_layout((x + 1, 2)),
        "composed": cute.make_composed_layout(swizzle, x, cute.make_layout((8, 8))),
        "swizzle": swizzle,
    }
    for i in range(3):
        held["layout"] = cute.make_layout((x + 1 + i, 2))
        if x % 2 == 1:
            held["composed"] = cute.make_composed_layout(swizzle, x + i, cute.make_layout((8, 8)))
        held["swizzle"] = cute.make_swizzle(2, 0, 3)
    return held["layout"]((0, 1)) * 100 + held["composed"]((1, 1)) + held["swizzle"](x) * 10000


PROGRAMS = [
    swizzles, composed, moved_composed, known_and_unknown, grown_composed, moved_coordinates,
    coordinates_of_either_tile, coordinates_of_a_line, strides_along_modes, tiled_copies,
    slices_of_tiled_copies, in_tuples, in_objects, in_dicts,
]  # fmt: skip


def name_of(program):
    return program.__name__


def expected(program, x):
    """By Python: functions of the language that the program calls run as Python too."""
    original, Holder.advance = Holder.advance, Holder.advance.function
    try:
        return [program.function(value) for value in x]
    finally:
        Holder.advance = original

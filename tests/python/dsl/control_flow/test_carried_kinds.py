"""Values that run-time regions carry besides numbers: lists of constants, pointers, values of a tensor, layouts and
others of them."""

import numpy as np
import pytest
from support import carried_programs as programs
from support import dsl_support as support

import fairlead
from fairlead import Float32, Int32, cute

X = np.arange(-20, 20, dtype=np.int32)


def kinds(items):
    return [type(item).__name__ for item in items]


def sum_of(items):
    return sum(items)


def change(items):
    items[0] = items[0] + 1


def test_constants_in_a_list_stay_constants():
    """A list that a region only reads, or passes on, stays as it was: its numbers are known while tracing."""
    seen = support.Notes()

    @cute.jit
    def function(x):
        shape = [2, 3]
        total = x
        if x > 0:
            total = total + sum_of(shape)
        for _ in range(3):
            for k in fairlead.range_constexpr(shape[0]):
                total = total + shape[k]
        seen.append(kinds(shape))
        for _ in fairlead.range_constexpr(shape[1]):
            total = total + 1
        return total

    expected = [x + (5 if x > 0 else 0) + 3 * 5 + 3 for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)
    assert seen == [["int", "int"]]


def test_constants_beside_values():
    seen = support.Notes()

    @cute.jit
    def function(x):
        parts = [x, 3, (x, 4), "name", None]
        total = x * 0
        for _ in range(2):
            total = total + parts[0] + parts[1] + sum_of(parts[2])
        seen.append((kinds(parts), kinds(parts[2])))
        return total

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), 2 * (2 * X + 7))
    assert seen == [(["Int32", "int", "tuple", "str", "NoneType"], ["Int32", "int"])]


def test_items_that_a_region_assigns_become_numbers_of_the_program():
    @cute.jit
    def function(x):
        sums = [0, 10]
        for i in range(4):
            sums[0] += i
            if x > 0:
                sums[1] = sums[1] + x
        return sums[0] * 1000 + sums[1]

    expected = [6000 + 10 + (4 * x if x > 0 else 0) for x in X.tolist()]
    np.testing.assert_array_equal(support.run_map(function, np.int32, X), expected)


def test_constants_that_a_function_changes_in_a_region():
    """They become numbers of the program, whoever changes them."""

    @cute.jit
    def function(x):
        counts = [0]
        if x > 0:
            change(counts)
        return x + counts[0]

    np.testing.assert_array_equal(support.run_map(function, np.int32, X), X + (X > 0))


def test_pointers():
    @cute.jit
    def function(a: cute.Tensor, n: Int32, out: cute.Tensor):
        p = a.iterator
        for _ in range(n):
            p = p + 2
        if n > 2:
            p = p + 1
        q = p if n > 1 else a.iterator + 5
        while n > 3:
            q = q + 1
            n = n - 1
        out[0] = cute.make_tensor(q, cute.make_layout(1))[0]

    a = np.arange(40, dtype=np.float32)
    compiled = cute.compile(
        function, support.vector(Float32), Int32, support.vector(Float32), options="--target cpu"
    )
    for n in range(7):
        out = np.zeros(1, np.float32)
        compiled(a, n, out)
        p = 2 * n + (1 if n > 2 else 0)
        assert out[0] == (p if n > 1 else 5) + max(0, n - 3)


def test_pointers_keep_their_type():
    @cute.jit
    def function(a: cute.Tensor, n: Int32, out: cute.Tensor):
        p = a.iterator
        if n > 2:
            p = out.iterator
        out[0] = cute.make_tensor(p, cute.make_layout(1))[0].to(Int32)

    with pytest.raises(TypeError, match="`p` cannot change from ptr<f32.* in a run-time `if`"):
        cute.compile(
            function, support.vector(Float32), Int32, support.vector(Int32), options="--target cpu"
        )


def test_pointers_of_threads():
    out = np.zeros(32, np.float32)
    programs.pointers(np.arange(80, dtype=np.float32), 7, out)
    assert out.tolist() == programs.expected_pointers(7)


def test_values_in_objects_and_dicts():
    a = np.arange(32, dtype=np.float32).reshape(8, 4)
    out = np.zeros_like(a)
    programs.compile_held_values("--target cpu")(a, out)
    assert out.tolist() == programs.expected_held_values(a.tolist())


def test_structs_in_memory():
    out = np.zeros(32, np.int32)
    programs.structs(out)
    assert out.tolist() == programs.expected_structs()


@pytest.mark.parametrize(
    ("member", "expected"),
    [
        (None, "<struct Store of .*> to <struct Pair of"),
        ("numbers", r".*MemRange\[Int32, 32\] to"),
    ],
)
def test_structs_in_memory_keep_their_type(member, expected):
    @cute.kernel
    def device(out: cute.Tensor):
        allocator = fairlead.utils.SmemAllocator()
        one, two = allocator.allocate(programs.Store), allocator.allocate(programs.Pair)
        store = one if member is None else one.numbers
        if out[0] > 0:
            store = two if member is None else two.second
        out[0] = store.first if member is None else store[0]

    @cute.jit
    def function(out: cute.Tensor):
        device(out).launch(grid=1, block=1)

    with pytest.raises(TypeError, match=f"`store` cannot change from {expected}"):
        function(np.zeros(1, np.int32))


def test_values_of_a_tensor():
    compiled = programs.compile_tensor_values("--target cpu")
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    for n in range(5):
        out = np.zeros_like(a)
        compiled(a, n, out)
        np.testing.assert_array_equal(out, programs.expected_tensor_values(a, n))


def test_values_of_a_tensor_keep_shape_and_type():
    @cute.kernel
    def device(a: cute.Tensor, n: Int32):
        part = a.load()
        if n > 0:
            part = part.to(Int32)
        a.store(part.to(Float32))

    @cute.jit
    def function(a: cute.Tensor, n: Int32):
        device(a, n).launch(grid=1, block=1)

    with pytest.raises(TypeError, match="`part` must keep .* it was Float32 before and is Int32"):
        cute.compile(function, support.vector(Float32, 4), Int32, options="--target cpu")


def test_layouts():
    @cute.jit
    def function(n: Int32, out: cute.Tensor):
        layout = cute.make_layout((n, (2, n)))
        if n > 3:
            layout = cute.make_layout((n + 1, (2, n)))
        for _ in range(n):
            layout = cute.make_layout(
                (layout.shape[0], (2, layout.shape[1][1] + 1)), stride=layout.stride
            )
        out[0] = cute.size(layout)
        out[1] = layout((1, (1, 1)))

    compiled = cute.compile(function, Int32, support.vector(Int32), options="--target cpu")
    for n in (2, 5):
        out = np.zeros(2, np.int32)
        compiled(n, out)
        rows = n + (n > 3)
        assert out.tolist() == [rows * 2 * 2 * n, 1 + rows + 2 * rows]


def test_layouts_keep_what_is_static():
    @cute.jit
    def function(n: Int32, out: cute.Tensor):
        layout = cute.make_layout((n, 2))
        if n > 3:
            layout = cute.make_layout((n, 3))
        out[0] = cute.size(layout)

    with pytest.raises(
        TypeError,
        match=r"`layout` cannot change from \(\?,2\):\(1,\?\) to \(\?,3\)",
    ):
        cute.compile(function, Int32, support.vector(Int32), options="--target cpu")


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=programs.name_of)
def test_layouts_and_what_is_made_of_them(program):
    x = np.arange(40, dtype=np.int32)
    out = np.full(40, -1, np.int32)
    programs.each(program, x, out)
    assert out.tolist() == programs.expected(program, x.tolist())


def test_what_is_static_stays_known():
    """Equal values, and values that differ only in numbers."""
    seen = support.Notes()

    @cute.jit
    def function(x):
        swizzle, tiled = cute.make_swizzle(2, 0, 3), programs.tiled_copy()
        layout = cute.make_composed_layout(swizzle, x, cute.make_layout((8, 8)))
        if x > 5:
            swizzle, tiled = cute.make_swizzle(2, 0, 3), programs.tiled_copy()
            layout = cute.make_composed_layout(swizzle, x + 1, cute.make_layout((8, 8)))
        seen.append([swizzle, str(layout), cute.size(layout), layout.max_alignment, tiled.size])
        return x

    support.run_map(function, np.int32, X)
    assert seen == [[cute.make_swizzle(2, 0, 3), "S<2,0,3> o ? o (8,8):(1,8)", 64, 1, 32]]


def others():
    swizzle, outer = cute.make_swizzle(2, 0, 3), cute.make_layout((8, 8))
    made = cute.make_composed_layout(swizzle, 0, outer)
    coords, tiled = cute.make_identity_tensor((8, 8)), programs.tiled_copy()
    return {
        "swizzle": (swizzle, cute.make_swizzle(3, 0, 3), "S<2,0,3>", "S<3,0,3>"),
        "offset": (
            made,
            cute.make_composed_layout(swizzle, 4, outer),
            "S<2,0,3> o 0 o (8,8):(1,8)",
            "S<2,0,3> o 4 o (8,8):(1,8)",
        ),
        "inner": (made, cute.make_composed_layout(outer, 0, outer), str(made), "(8,8):(1,8) o 0"),
        "outer": (made, cute.make_composed_layout(swizzle, 0, outer[0]), str(made), "0 o 8:1"),
        "kind": (outer, made, "from (8,8):(1,8) to", str(made)),
        "other kind": (made, outer, str(made), "to (8,8):(1,8)"),
        "no layout": (made, 3, str(made), "to int"),
        "shape": (
            coords,
            cute.make_identity_tensor((8, 4)),
            "tensor<(0,0) o (8,8):(1@0,1@1)>",
            "tensor<(0,0) o (8,4):(1@0,1@1)>",
        ),
        "tiler": (
            tiled,
            cute.make_tiled_copy(tiled, tiled.layout_tv_tiled, (16, 16)),
            "(8, 16))",
            "(16, 16))",
        ),
        "width": (tiled, programs.tiled_copy(64), "Float32, 1)", "Float32, 2)"),
        "slice": (tiled, tiled.get_slice(0), "TiledCopy(", "ThrCopy("),
    }


@pytest.mark.parametrize("name", others())
@pytest.mark.parametrize("construct", ["if", "for", "while"])
def test_static_ones_that_differ(name, construct):
    first, second, before, after = others()[name]

    @cute.jit
    def function(x):
        thing = first
        if fairlead.const_expr(construct == "if"):
            if x > 0:
                thing = second
        elif fairlead.const_expr(construct == "for"):
            for _ in range(x):
                thing = second
        else:
            while x > 0:
                thing = second
                x -= 1
        return x + (thing is None)

    with pytest.raises(TypeError) as caught:
        support.run_map(function, np.int32, X)
    text = str(caught.value)
    assert f" in a run-time `{construct}`: only run-time values" in text
    was, came = text.split(" to ", 1)
    assert before in was + " to" and after in "to " + came


def test_numbers_keep_their_type():
    @cute.jit
    def function(x):
        made = cute.make_composed_layout(cute.make_swizzle(2, 0, 3), x, cute.make_layout(8))
        if x > 0:
            made = cute.make_composed_layout(
                cute.make_swizzle(2, 0, 3), x.to(cute.Int64), cute.make_layout(8)
            )
        return made(1).to(Int32)

    with pytest.raises(TypeError, match="`made` cannot change from "):
        support.run_map(function, np.int32, X)


def test_alignment_of_carried_views():
    """Rows of 12 bytes of a tensor aligned to 16: the first one alone is."""

    @cute.kernel
    def device(a: cute.Tensor, out: cute.Tensor):
        row = a[0, None]
        total = cute.Float32(0.0)
        for i in range(a.shape[0]):
            row = a[i, None] if i > 2 else row
            total += row.load().reduce(cute.ReductionOp.ADD, cute.Float32(0.0), 0)
            row = a[i, None]
        out[0] = total

    @cute.jit
    def host(a: cute.Tensor, out: cute.Tensor):
        device(a, out).launch(grid=(1, 1, 1), block=(1, 1, 1))

    fakes = [
        cute.make_fake_compact_tensor(
            cute.Float32, (cute.sym_int(), 3), stride_order=(1, 0), assumed_align=16
        ),
        cute.make_fake_compact_tensor(cute.Float32, (1,)),
    ]
    ptx = cute.compile(host, *fakes, options="--target cuda:sm_90a").__ptx__
    assert "ld.global.v" not in ptx.replace(".nc", "")
    a, out = np.arange(21, dtype=np.float32).reshape(7, 3), np.zeros(1, np.float32)
    cute.compile(host, *fakes, options="--target cpu")(a, out)
    rows = [0, 0, 1, 3, 4, 5, 6]
    assert out[0] == a[rows].sum()

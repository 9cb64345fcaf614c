"""Numbers with a type that the program makes: entries of layouts that only the run knows."""

import numpy as np
import pytest

import fairlead
from fairlead import Float32, Int32, Int64, cute

make = cute.make_layout


def texts(build, capfd):
    """Return the output of ``build`` while it was traced, and that of its program."""
    function = cute.compile(cute.jit(build), options="--target cpu")
    traced = capfd.readouterr().out.splitlines()
    function()
    return traced, capfd.readouterr().out.splitlines()


def test_they_print_as_numbers_of_the_program(capfd):
    def shown():
        layout = make((Int32(6), 4))
        print(layout, layout.shape, cute.size(layout), Int32(5), Float32(3.14), Int64(2) + 1)
        print(make((6, 4), stride=(Int64(4), 1)), cute.make_identity_tensor((4, 8))[Int32(1), 2])
        print(cute.assume(Int32(64), 16), make((cute.assume(Int32(8), 8), Int32(3) * 2)))
        cute.printf("{} {} {}", layout, layout.shape, cute.size(layout))

    assert texts(shown, capfd) == (
        [
            "(?,4):(1,?) (?, 4) 24 5 <Float32, known at run time: cute.printf shows it> 3",
            "(6,4):(?{i64},1) (?, 2)",
            "64 (?{div=8},?):(1,?{div=8})",
        ],
        ["(6,4):(1,6) (6,4) 24"],
    )


def test_layout_algebra_treats_them_so(capfd):
    """The reference vectors, made of run-time values."""

    def strides():
        layout = make((2, (1, 6)), stride=(1, (Int32(6), 2)))
        print(layout, cute.coalesce(layout))
        outer, inner = make((6, 2), stride=(Int32(8), 2)), make((4, 3), stride=(3, 1))
        print(outer, cute.composition(outer, inner))
        cute.printf("{} {}", layout, cute.composition(outer, inner))

    assert texts(strides, capfd) == (
        ["(2,(1,6)):(1,(?,2)) 12:1", "(6,2):(?,2) ((2,2),3):((?{div=3},2),?)"],
        ["(2,(1,6)):(1,(6,2)) ((2,2),3):((24,2),8)"],
    )

    def all_of_it():
        number = Int32
        outer = make((number(10), number(2)), stride=(number(16), number(4)))
        inner = make((number(5), number(4)), stride=(number(1), number(5)))
        cute.printf("{}", cute.composition(outer, inner))
        by_mode = make(
            (number(12), (number(4), number(8))),
            stride=(number(59), (number(13), number(1))),
        )
        print(by_mode, cute.composition(by_mode, (3, 8)))
        cute.printf("{}", cute.composition(by_mode, (3, 8)))

    assert texts(all_of_it, capfd) == (
        ["(?,(?,?)):(?,(?,?)) (3,(?,?)):(?,(?,?))"],
        ["((5,1),(2,2)):((16,4),(80,4))", "(3,(4,2)):(59,(13,1))"],
    )


def test_what_they_are_is_known_elsewhere():
    """Conditions, counts and indices that must be known while tracing."""
    seen = []

    @cute.jit
    def host(out: cute.Tensor):
        if fairlead.const_expr(Int32(6) > 3):
            seen.append("greater")
        for i in fairlead.range_constexpr(Int32(3)):
            seen.append(i)
        seen.append([10, 20, 30][Int32(1)])
        values = cute.make_rmem_tensor(4, Float32)
        values.fill(0.0)
        values[Int32(2)] = 7.0
        out.store(values.load())

    out = np.full(4, -1, np.float32)
    cute.compile(
        host, cute.runtime.make_fake_compact_tensor(Float32, (4,)), options="--target cpu"
    )(out)
    assert seen == ["greater", 0, 1, 2, 20] and out.tolist() == [0, 0, 7, 0]


def test_elements_lie_where_they_say():
    @cute.kernel
    def device(a: cute.Tensor):
        columns, rows = Int32(4), Int32(3)
        by_columns = cute.make_tensor(a.iterator, make((rows, columns), stride=(1, rows)))
        for i in range(3):
            for j in range(4):
                by_columns[i, j] = 10 * i + j
        part = by_columns[Int32(2), None]
        part[Int32(0)] = 99

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    a = np.zeros(12, np.int32)
    cute.compile(host, cute.runtime.make_fake_compact_tensor(Int32, (12,)), options="--target cpu")(
        a
    )
    expected = np.add.outer(np.arange(4), 10 * np.arange(3))
    expected[0, 2] = 99
    np.testing.assert_array_equal(a.reshape(4, 3), expected)


def test_layouts_of_them_change_in_run_time_regions():
    @cute.jit
    def host(n: Int32, out: cute.Tensor):
        layout = make((Int32(6), 4), stride=(Int32(4), 1))
        if n > 2:
            layout = make((n, 4), stride=(n * 5, 1))
        out[0] = cute.size(layout)
        out[1] = layout((1, 2))

    function = cute.compile(
        host, 1, cute.runtime.make_fake_compact_tensor(Int32, (2,)), options="--target cpu"
    )
    out = np.zeros(2, np.int32)
    results = []
    for n in (1, 10):
        function(n, out)
        results.append(out.tolist())
    assert results == [[24, 6], [40, 52]]


def test_empty_modes_of_them():
    """No division by an extent of 0 happens."""

    @cute.jit
    def host(out: cute.Tensor):
        first, second = cute.idx2crd(Int32(5), (Int32(0), 3))
        out[0], out[1] = first, second

    out = np.full(2, -1, np.int32)
    cute.compile(host, cute.runtime.make_fake_compact_tensor(Int32, (2,)), options="--target cpu")(
        out
    )
    assert out.tolist() == [0, 0]


def test_static_shapes_are_not_made_of_them():
    @cute.jit
    def host():
        cute.make_rmem_tensor((Int32(4), 2), Float32)

    with pytest.raises(ValueError, match=r"register tensor needs a static layout.*\(\?,2\)"):
        cute.compile(host, options="--target cpu")


def test_outside_a_trace_they_are_numbers():
    assert repr(make((Int32(6), 4))) == "(6,4):(1,6)" and repr(Int32(6)) == "6"

"""Layouts, parts of swizzled tensors and whole-tensor values of published programs. The texts are CuTe DSL's."""

import numpy as np
import pytest

import fairlead.compat  # noqa: F401  before the names that it defines

# isort: split
import cutlass
import cutlass.cute as cute
from cutlass import Float16, Float32, Int8, Int32, Uint32


def run(function, *arrays):
    """Trace a function as one of a published program, and call it on the CPU."""

    @cute.jit
    def host(*tensors: cute.Tensor):
        function(*tensors)

    tensors = [cute.runtime.from_dlpack(array) for array in arrays]
    cute.compile(host, *tensors, options="--target cpu")(*tensors)


@pytest.mark.parametrize(
    "expression, text",
    [
        ("make_ordered_layout((6, 4), order=(1, 1))", "(6,4):(1,1)"),
        ("make_ordered_layout((8, (6, 2), 8), order=(3, (2, 3), 2))", "(8,(6,2),8):(48,(1,48),1)"),
        ("group_modes(cute.make_layout((2, 3, 4, 5)), 1, -1)", "(2,(3,4),5):(1,(2,6),24)"),
        ("group_modes(cute.make_layout((2, 3, 4)), 1)", "(2,(3,4)):(1,(2,6))"),
        ("ceil_div(((12, 8, 4), 6), (2, 4))", "(192, 2)"),
        ("ceil_div((8, (6,), (12, 2)), (2, 4))", "(4, 2, (12, 2))"),
        (
            "coalesce(cute.make_layout((8, (1, 2, 4)), stride=(4, (4, 128, 32))), target_profile=(1, None))",
            "(8,(2,4)):(4,(128,32))",
        ),
        ("append_ones(cute.make_layout((3, 4)))", "(3,4,1):(1,3,0)"),
        ("left_inverse(cute.make_layout(3, stride=4))", "(4,3):(0,1)"),
        ("left_inverse(cute.make_layout((16, 4, 4), stride=(32, 8, 2)))", "(2,4,4,16):(0,64,16,1)"),
        (
            "left_inverse(cute.make_layout(((8, 8), (2, 4), 1), stride=((192, 8), (4, 1), 1536)))",
            "(4,2,24,8):(128,64,8,1)",
        ),
    ],
)
def test_layout_functions(expression, text):
    results = []
    run(lambda _: results.append(str(eval(f"cute.{expression}"))), np.zeros(1, np.int32))
    assert results == [text]


def test_coalesced_layouts_keep_modes_of_run_time():
    results = []

    def function(memory):
        m, n = memory.shape

        def tensor(shape, stride=None):
            return cute.make_tensor(memory.iterator, cute.make_layout(shape, stride=stride))

        for x, profile in (
            (cute.make_layout((m, 4)), None),
            (cute.make_layout((4, 8, m), stride=(1, 4, 32)), None),
            (cute.make_layout(((4, 2), (m, n))), (1, 1)),
            (tensor((m, 1, 4)), None),
            (cute.make_identity_tensor((m, n)), None),
        ):
            coalesced = cute.coalesce(x, target_profile=profile)
            results.append((cute.rank(coalesced), str(cute.size(coalesced, mode=[0]))))
        results.append(cute.rank(cute.filter(tensor((m, n, 2), (0, 1, n)))))

    @cute.jit
    def host(memory: cute.Tensor):
        function(memory)

    tensor = cute.runtime.from_dlpack(np.zeros((4, 8), np.int32)).mark_layout_dynamic()
    cute.compile(host, tensor, options="--target cpu")
    assert results == [(2, "?"), (2, "32"), (2, "8"), (2, "?"), (2, "?"), 2]


def test_slices_of_swizzled_layouts_keep_the_swizzled_part_of_the_offset():
    results = []

    def function(_):
        for bits, shape, stride, coordinate in (
            ((3, 4, 3), (16, (64, 2)), (64, (1, 1024)), (None, 1)),
            ((3, 4, 3), (8, 64, 2), (64, 1, 1024), (None, None, 1)),
            ((2, 4, 3), (8, 32), (32, 1), (None, 1)),
            ((3, 2, 3), (64, 8), (1, 64), (None, 5)),
        ):
            outer = cute.make_layout(shape, stride=stride)
            layout = cute.make_composed_layout(cute.make_swizzle(*bits), 0, outer)
            part = cute.slice_(layout, coordinate)
            is_swizzled = isinstance(part, cute.ComposedLayout)
            results.append(str(part) if is_swizzled else [part(i) for i in range(cute.size(part))])

    run(function, np.zeros(1, np.int32))
    assert results == [
        "S<3,4,3> o 0 o (16):(64)",
        "S<3,4,3> o 0 o (8,64):(64,1)",
        [0, 32, 64, 96, 144, 176, 208, 240],  # ((4,2)):((32,144))
        "S<3,2,3> o 64 o (64):(1)",
    ]


def test_address_and_layout_of_parts_of_swizzled_tensors(capfd):
    def function(memory):
        def tensor(bits, shape, stride):
            outer = cute.make_layout(shape, stride=stride)
            layout = cute.make_composed_layout(cute.make_swizzle(*bits), 0, outer)
            return cute.make_tensor(memory.iterator, layout)

        def show(part):
            cute.printf("{} + {}", part.layout, part.iterator.toint() - memory.iterator.toint())

        row = Int32(3) + memory[0]
        show(cute.domain_offset((1, 8), tensor((2, 3, 3), (32, 64), (64, 1))))
        show(tensor((3, 2, 3), (32, 32), (32, 1))[(None, row)])
        show(tensor((0, 4, 3), (8, 64), (64, 1))[(None, 3)])
        parts = tensor((3, 4, 3), (8, 64), (64, 1))
        show(cute.local_partition(parts, cute.make_layout((1, 4)), row))
        show(tensor((3, 4, 3), (16, (64, 2)), (64, (1, 1024)))[(None, 5)])
        layout = cute.make_composed_layout(
            cute.make_swizzle(3, 2, 3), 0, cute.make_layout((64, 8), stride=(1, 64))
        )
        cute.printf("{}", cute.slice_(layout, (None, row)))

    run(function, np.zeros(4096, np.int32))
    assert capfd.readouterr().out.split("\n")[:-1] == [
        "S<2,3,3> o 0 o (32,64):(64,1) + 256",
        "((2,2,2,4)):((36,72,144,256)) + 12",
        "(8):(64) + 12",
        "S<3,4,3> o 0 o (8,16):(64,4) + 12",
        "S<3,4,3> o 0 o (16):(64) + 20",
        "S<3,2,3> o 192 o (64):(1)",
    ]


def test_quotients_of_whole_tensors_of_integers_are_integers():
    types = []

    def function(x, out):
        values = x.load()
        quotients = (values / 2, 7 / values, values / Int8(3), values.to(Uint32) / Int32(3))
        for row, quotient in enumerate(quotients):
            types.append(quotient.dtype)
            out[None, row] = quotient.to(Int32)
        types.append((values[0] / 2).dtype)

    x, out = np.array([-7, 7, 5, -8], np.int32), np.zeros((4, 4), np.int32)
    run(function, x, out)
    assert types == [Int32, Int32, Int32, Uint32, Float32]
    assert out.T.tolist() == [
        [-3, 3, 2, -4],
        [-1, 1, 1, 0],
        [-2, 2, 1, -2],
        [1431655808, 2, 1, 1431655808],  # divided as Float32
    ]


def test_reductions_have_the_type_of_the_elements():
    results = []

    def function(x, out):
        values = x.load()
        for row, start in enumerate((-1.5, Float32(2.5), 4)):
            total = values.reduce(cute.ReductionOp.ADD, start, reduction_profile=0)
            results.append(type(total))
            out[row] = total
        half = values.to(Float16).reduce(cute.ReductionOp.ADD, Float32(0.5), reduction_profile=(1,))
        results.append(type(half))

    out = np.zeros(3, np.int32)
    run(function, np.array([1, 2, 3, 4], np.int32), out)
    assert results == [Int32, Int32, Int32, Float16]
    assert out.tolist() == [9, 12, 14]


def test_reductions_along_parts_of_nested_modes():
    shapes = []

    def function(x, out):
        values = x.load().reshape((2, (2, 2)))
        for row, profile in enumerate(((1, (1, None)), (None, (1, None)), (None, (1, 1)))):
            sums = values.reduce(cute.ReductionOp.ADD, 0, reduction_profile=profile)
            shapes.append(sums.shape)
            for i in cutlass.range_constexpr(cute.size(sums.shape)):
                out[row, i] = sums[i]

    x, out = np.arange(8, dtype=np.int32), np.zeros((3, 4), np.int32)
    run(function, x, out)
    nested = x.reshape(2, 2, 2)  # [last, middle, first], mode 0 fastest
    assert shapes == [(2,), (2, 2), (2,)]
    assert out[0, :2].tolist() == nested.sum((1, 2)).tolist()
    assert out[1].tolist() == nested.sum(1).ravel().tolist()
    assert out[2, :2].tolist() == nested.sum((0, 1)).tolist()


def test_quotients_by_zero_do_not_stop_the_process():
    @cute.kernel
    def kernel(x: cute.Tensor):
        x.store(7 / x.load())

    x = np.array([0, 2, -3, 7], np.int32)
    run(lambda memory: kernel(memory).launch(grid=1, block=1), x)
    assert x[1:].tolist() == [3, -2, 1]


@pytest.mark.parametrize(
    "shape, stride, expected",
    [
        ((4, 2, 3), (1, 0, 0), "(2,3):(4,8)"),
        ((4, 2, 3), (0, 1, 0), "(4,3):(1,8)"),
        ((2, (2, 3)), (0, (1, 0)), "(2,3):(1,4)"),
        ((4, 1), (1, 0), "1:4"),
        ((2, 2), (1, 1), "1:0"),
        (8, 1, "1:0"),
    ],
)
def test_the_indices_that_a_layout_maps_to_zero(shape, stride, expected):
    layout = cute.make_layout(shape, stride=stride)
    null = cute.nullspace(layout)
    assert repr(null) == expected
    assert all(layout(null(index)) == layout(0) for index in range(cute.size(null)))


@pytest.mark.parametrize(
    "coord, expected",
    [
        ((None, (1, 2)), ("(4):(1)", 20)),
        ((2, None), ("((2,3)):((4,8))", 2)),
        ((None, None), ("(4,(2,3)):(1,(4,8))", 0)),
        ((1, (None, 2)), ("(2):(4)", 17)),
    ],
)
def test_the_rest_of_a_layout_and_where_it_begins(coord, expected):
    layout = cute.make_layout((4, (2, 3)), stride=(1, (4, 8)))
    rest, offset = cute.slice_and_offset(coord, layout)
    assert (repr(rest), offset) == expected


def test_parts_of_composed_layouts_and_of_strides():
    plain = cute.make_layout((8, 64), stride=(64, 1))
    composed = cute.make_composed_layout(cute.make_swizzle(2, 4, 3), 0, plain)
    rest, offset = cute.slice_and_offset((None, 3), composed)
    assert repr(rest.outer) == "(8):(64)" and offset == 3
    assert cute.get_nonswizzle_portion(composed) == plain == cute.get_nonswizzle_portion(plain)
    assert cute.get_swizzle_portion(composed) == cute.make_swizzle(2, 4, 3)
    assert cute.get_swizzle_portion(plain) == cute.make_swizzle(0, 4, 3)
    assert cute.basis_get(cute.ScaledBasis(2, [0, 1]), ((10, 20), (30, 40))) == 20
    assert cute.basis_get(5, (1, 2)) == (1, 2)
    assert cute.basis_value(cute.ScaledBasis(5, 0)) == 5 and cute.basis_value(4) == 4
    assert cute.is_int_tuple_type(cute.IntTuple) and not cute.is_int_tuple_type(cute.Int32)


def test_numbers_and_empty_values():
    @cute.kernel
    def kernel(x: cute.Tensor):
        numbers = [cute.as_numeric(number) for number in (5, 2.5, True, x[0])]
        assert [number.dtype for number in numbers] == [
            cute.Int32,
            cute.Float32,
            cute.Boolean,
            x.dtype,
        ]
        registers = cute.make_rmem_tensor((4, 2), Int32)
        value = cute.empty_like(registers)
        assert value.dtype is Int32 and value.shape == (4, 2)
        assert cute.empty_like(registers, Float16).dtype is Float16
        registers.store(value)
        x[0] = registers[3, 1]

    @cute.jit
    def host(x: cute.Tensor):
        kernel(x).launch(grid=1, block=1)

    host(np.zeros(4, np.int32))
    assert cute.as_numeric is cute.typing.as_numeric
    with pytest.raises(ValueError, match="unable to convert 5 in type <class 'str'>"):
        cute.as_numeric("5")

"""Text that the compiled program prints, and what print shows while tracing."""

import re

import numpy as np
import pytest
from support import dsl_support as support

import fairlead
from fairlead import Boolean, Float32, Int32, Int64, Uint8, cute
from fairlead.utils import SmemAllocator

ADDRESS = re.compile(r"0x[0-9a-f]{16}")


def fake(dtype, shape, **options):
    order = tuple(reversed(range(len(shape))))
    return cute.runtime.make_fake_compact_tensor(dtype, shape, stride_order=order, **options)


@pytest.fixture
def printed(device, capfd):
    """Return a function that returns the output of a kernel of one thread on the device, addresses as ADDR."""

    def output(function, array, stand_in=None):
        kernel = cute.kernel(function)

        @cute.jit
        def host(a: cute.Tensor):
            kernel(a).launch(grid=1, block=1)

        described = stand_in or fake(support.CLASSES[array.dtype], array.shape)
        device.call(cute.compile(host, described, options=f"--target {device.name}"), array)
        return ADDRESS.sub("ADDR", capfd.readouterr().out)

    return output


def test_formats(printed):
    def device(a):
        i = Int32(3)
        cute.printf("{} of {}, 100%", i, Int64(1) << 40)
        cute.printf("{}", (i, (1, Float32(0.5)), True))
        cute.printf(a[0])
        cute.printf("{} {} {}", Boolean(True), Uint8(200), "text %d")
        cute.printf("%d and %5.2f", i, a[1])
        cute.printf("no newline", end="")
        cute.printf(";")
        cute.printf("{} {}", cute.make_layout((4, 8)), cute.make_layout((i, 2), stride=(1, i)))
        cute.printf("nothing")
        cute.printf("{{}}")
        cute.printf("{{{}}} {{x}} {y}", i)
        cute.printf("%d {{}} 100%% }}", i, end="}}\n")

    expected = [
        "3 of 1099511627776, 100%",
        "(3,(1,0.500000),1)",
        "1.500000",
        "1 200 text %d",
        "3 and  2.50",
        "no newline;",
        "(4,8):(1,4) (3,2):(1,3)",
        "nothing",
        "{}",
        "{3} {x} {y}",
        "3 {} 100% }}}",
        "",
    ]
    got = printed(device, np.array([1.5, 2.5], np.float32))
    assert got == "\n".join(expected)


def test_values_without_a_text(printed):
    def device(a: cute.Tensor):
        cute.printf(a.shape, a[0])
        cute.printf(a[1], cute.make_layout((2, 3)), (1, a[0]))

    got = printed(device, np.array([1.5, 2.5], np.float32))
    assert got == "(2) 1.500000\n2.500000 (2,3):(1,2) (1,1.500000)\n"


def test_tensors_and_pointers(printed):
    def device(a):
        cute.printf("{}", a)
        cute.printf("{}", a.iterator)
        cute.printf("{}", a[0, None].load())
        cute.printf("{}", cute.make_identity_tensor((2, 2)))

    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    elements = ", ".join(f"{x:f}" for x in (0, 3, 1, 4, 2, 5))
    assert printed(device, a).splitlines() == [
        f"raw_ptr(ADDR: f32, gmem, align<4>) o (2,3):(3,1) = ( {elements} )",
        "raw_ptr(ADDR: f32, gmem, align<4>)",
        "vector<3xf32> o (3) = ( 0.000000, 1.000000, 2.000000 )",
        "(0,0) o (2,2):(1@0,1@1) = ( (0,0), (1,0), (0,1), (1,1) )",
    ]


def test_print_tensor(printed):
    def device(a):
        cute.print_tensor(a)

    a = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    pages = []
    for k in range(2):
        rows = ["[" + "".join(f"{a[i, j, k]: f}, " for j in range(3)) + "]" for i in range(4)]
        pages.append("[" + ",\n         ".join(rows) + "]")
    expected = (
        "tensor(raw_ptr(ADDR: f32, gmem, align<4>) o (4,3,2):(6,2,1), data=\n       ["
        + ",\n\n        ".join(pages)
        + "])\n"
    )
    assert printed(device, a) == expected
    # Run-time loops, whose extents are not known.
    m, n = cute.sym_int(), cute.sym_int()
    dynamic = printed(device, a, stand_in=fake(Float32, (m, n, 2)))
    assert dynamic.splitlines()[1:] == expected.splitlines()[1:]


def test_print_tensor_verbose(printed):
    def device(a):
        cute.print_tensor(a, verbose=True)

    a = np.array([[1, -2], [3, 4]], np.int64)
    expected = [
        "tensor(raw_ptr(ADDR: i64, gmem, align<8>) o (2,2):(2,1), data= (",
        "\t(0,0)= 1",
        "\t(0,1)= -2",
        "\t(1,0)= 3",
        "\t(1,1)= 4",
        ")",
    ]
    assert printed(device, a).splitlines() == expected


def test_print_tensor_of_other_kinds(printed):
    def device(a):
        cute.print_tensor(a[None, 1])
        cute.print_tensor(a.load() + 1)
        cute.print_tensor(cute.make_identity_tensor((2, 2)))
        shared = SmemAllocator().allocate_tensor(cute.Float16, (2, 1))
        shared[0, 0], shared[1, 0] = 0.5, -0.25
        cute.print_tensor(shared)

    a = np.array([[1, 2], [3, 4]], np.uint8)
    got = printed(device, a).splitlines()
    assert got[:3] == [
        "tensor(raw_ptr(ADDR: u8, gmem, align<1>) o (2):(2), data=",
        "       [ 2, ],",
        "       [ 4, ])",
    ]
    assert got[3:6] == [
        "tensor(vector<4xu8> o (2,2), data=",
        "       [[ 2,  3, ],",
        "        [ 4,  5, ]])",
    ]
    assert got[6:9] == [
        "tensor((0,0) o (2,2):(1@0,1@1), data=",
        "       [[(0,0), (0,1), ],",
        "        [(1,0), (1,1), ]])",
    ]
    assert re.match(
        r"tensor\(raw_ptr\(ADDR: f16, smem, align<\d+>\) o \(2,1\):\(1,0\), data=", got[9]
    )
    assert got[10:] == ["       [[ 0.500000, ],", "        [-0.250000, ]])"]


def lines(array):
    """Rows and columns of a matrix as print_tensor shows them: three at each end of more than six."""

    def places(extent):
        return range(extent) if extent <= 6 else [0, 1, 2, None, extent - 3, extent - 2, extent - 1]

    def row(i):
        parts = ("..." if j is None else f"{array[i, j]: d}" for j in places(array.shape[1]))
        return "[" + "".join(f"{part}, " for part in parts) + "]"

    text = ""
    for i in places(array.shape[0]):
        if i is None:
            text += ",\n        ..."
        else:
            text += "\n        " if text.endswith("...") else ",\n        " if text else ""
            text += row(i)
    return f"       [{text}])".splitlines()


@pytest.mark.parametrize("shape", [(6, 6), (7, 2), (2, 7), (8, 8), (40, 33), (1, 300), (300, 1)])
def test_print_tensor_leaves_out_the_middle(shape, printed):
    def device(a):
        cute.print_tensor(a)

    a = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) - 5
    assert printed(device, a).splitlines()[1:] == lines(a)
    dynamic = fake(Int32, (cute.sym_int(), cute.sym_int()))
    assert printed(device, a, stand_in=dynamic).splitlines()[1:] == lines(a)


def test_print_tensor_of_one_mode_is_a_column(printed):
    def device(a):
        cute.print_tensor(a)

    a = np.arange(9, dtype=np.int16) * -1
    expected = ["[ 0, ],", "[-1, ],", "[-2, ],", "...", "[-6, ],", "[-7, ],", "[-8, ])"]
    for described in (fake(fairlead.Int16, (9,)), fake(fairlead.Int16, (cute.sym_int(),))):
        got = printed(device, a, stand_in=described).splitlines()[1:]
        assert [line.strip() for line in got] == expected


def test_print_tensor_on_the_host(capfd):
    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        cute.printf("n = {}", n)
        cute.print_tensor(cute.make_identity_tensor((1, 2)))

    cute.compile(host, fake(Float32, (2,)), Int32(1), options="--target cpu")(
        np.ones(2, np.float32), 7
    )
    assert capfd.readouterr().out.splitlines() == [
        "n = 7",
        "tensor((0,0) o (1,2):(1@0,1@1), data=",
        "       [[(0,0), (0,1), ]])",
    ]


def at_run_time(type_name):
    return f"<{type_name}, known at run time: cute.printf shows it>"


def test_texts_while_tracing(capsys):
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        i = cute.arch.thread_idx()[0]
        print(i, i * 4, cute.assume(i, 4), Int32(3))
        print(a, a[0, None])
        print(b.layout, b.shape, b.stride)
        print(a.iterator, a.load().shape)
        values = a.load()
        print(values, values.to(cute.BFloat16), values > 0.0, values.to(Uint8)[0])
        swizzled = cute.make_composed_layout(
            cute.make_swizzle(2, 0, 3), 0, cute.make_layout((8, 4))
        )
        print(swizzled, cute.make_tensor(a.iterator, swizzled))

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=1)

    n = cute.sym_int(divisibility=4)
    cute.compile(
        host, fake(Float32, (4, 3), assumed_align=16), fake(Float32, (n, n)), options="--target cpu"
    )
    assert capsys.readouterr().out.splitlines() == [
        f"{at_run_time('Int32')} {at_run_time('Int32 {div=4}')} {at_run_time('Int32 {div=4}')} 3",
        "tensor<ptr<f32, gmem, align<16>> o (4,3):(3,1)> tensor<ptr<f32, gmem, align<16>> o (3):(1)>",
        "(?{div=4},?{div=4}):(?{div=4},1) (?{div=4}, ?{div=4}) (?{div=4}, 1)",
        "ptr<f32, gmem, align<16>> (4, 3)",
        f"vector<12xf32> o (4, 3) vector<12xbf16> o (4, 3) vector<12xi1> o (4, 3) {at_run_time('Uint8')}",
        "S<2,0,3> o 0 o (8,4):(1,8) tensor<ptr<f32, gmem, align<16>> o S<2,0,3> o 0 o (8,4):(1,8)>",
    ]


def compiled(function):
    device = cute.kernel(function)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    cute.compile(host, fake(Float32, (2,)), options="--target cpu")


def test_bad_formats():
    def too_few(a):
        cute.printf("{} {}", a[0])

    def kind(a):
        cute.printf("%d", a[0])

    def no_tensor(a):
        cute.print_tensor(a[0])

    with pytest.raises(ValueError, match="2 values"):
        compiled(too_few)
    with pytest.raises(ValueError, match="an integer for %d"):
        compiled(kind)
    with pytest.raises(
        TypeError,
        match=r"`print_tensor` expects argument #0 \(tensor\) to be a tensor, but got Float32",
    ):
        compiled(no_tensor)
    assert fairlead.cute.print_tensor is cute.print_tensor

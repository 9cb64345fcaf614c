"""Single elements of 6 and 4 bits: read anywhere, printed, and written by host functions for the CPU."""

import numpy as np
import pytest
from support import narrow_programs as narrow
from support import packed_elements as packed

import fairlead
from fairlead import Float32, Int4, Int32, Uint8, cute

fake = cute.runtime.make_fake_compact_tensor


def narrow_view(kind, a, shape, stride=None):
    pointer = cute.recast_ptr(a.iterator, dtype=kind)
    return cute.make_tensor(pointer, cute.make_layout(shape, stride=stride))


FLOATS = [fairlead.Float6E3M2FN, fairlead.Float6E2M3FN, fairlead.Float4E2M1FN]
KINDS = pytest.mark.parametrize("kind", [*FLOATS, Int4], ids=lambda kind: kind.__name__)


@KINDS
def test_kernels_read_them(kind):
    packed.check_single(kind)


@pytest.mark.parametrize("kind", FLOATS, ids=lambda kind: kind.__name__)
def test_host_functions_read_and_write_them(kind):
    """The bits next to them stay as they are."""

    @cute.jit
    def host(n: Int32, a: cute.Tensor, b: cute.Tensor):
        source = narrow_view(kind, a, (4, n), (n, 1))
        target = narrow_view(kind, b, (n, 4), (1, n))
        for i in range(n):
            for j in range(4):
                if (i + j) % 2 == 0:
                    target[i, j] = source[j, i].to(Float32) * Float32(0.5)

    function = cute.compile(
        host,
        1,
        fake(Uint8, (cute.sym_int(),)),
        fake(Uint8, (cute.sym_int(),)),
        options="--target cpu",
    )
    bits, n = kind.width, 10
    codes = (5 * np.arange(4 * n) + 3) % (1 << bits)
    before = (11 * np.arange(4 * n) + 1) % (1 << bits)
    b = packed.packed(before, bits)
    function(n, packed.packed(codes, bits), b)
    halves = narrow.encode(kind.__name__, packed.numbers(kind, codes) * np.float32(0.5)).reshape(
        4, n
    )
    expected = before.reshape(4, n).copy()
    changed = np.add.outer(np.arange(4), np.arange(n)) % 2 == 0
    expected[changed] = halves[changed]
    np.testing.assert_array_equal(b, packed.packed(expected.ravel(), bits))


def test_host_functions_write_integers():
    @cute.jit
    def host(a: cute.Tensor):
        target = narrow_view(Int4, a, 7)
        for i in range(7):
            target[i] = i - 3

    a = np.full(4, 0xF0, np.uint8)
    cute.compile(host, fake(Uint8, (4,)), options="--target cpu")(a)
    codes = [*((i - 3) & 15 for i in range(7)), 0xF]
    np.testing.assert_array_equal(a, packed.packed(np.array(codes), 4))


@KINDS
def test_host_functions_write_parts_of_bytes(kind):
    """Whole static tensors, and all elements of a shape that only the run knows."""

    @cute.jit
    def host(n: Int32, a: cute.Tensor, b: cute.Tensor):
        narrow_view(kind, a, 3).store(narrow_view(kind, b, 3).load())
        narrow_view(kind, a, n)[3] = narrow_view(kind, b, n)[2]

    function = cute.compile(host, 1, fake(Uint8, (6,)), fake(Uint8, (6,)), options="--target cpu")
    bits = kind.width
    mine, theirs = (np.arange(8) * 3 + 1) % (1 << bits), (np.arange(8) * 5 + 2) % (1 << bits)
    a, b = (np.resize(packed.packed(codes, bits), 6) for codes in (mine, theirs))
    function(8, a, b)
    mine[:3], mine[3] = theirs[:3], theirs[2]
    whole = 8 * bits // 8
    np.testing.assert_array_equal(a[:whole], packed.packed(mine, bits))


@pytest.mark.parametrize("in_kernel", [False, True], ids=["host", "kernel"])
def test_print_tensor(capfd, in_kernel):
    kind = fairlead.Float4E2M1FN

    def show(a):
        values = narrow_view(kind, a, (2, 3), (3, 1))
        cute.print_tensor(values)
        cute.printf("{}", values[1, 2].to(Float32))

    @cute.kernel
    def device(a: cute.Tensor):
        show(a)

    @cute.jit
    def host(a: cute.Tensor):
        if fairlead.const_expr(in_kernel):
            device(a).launch(grid=1, block=1)
        else:
            show(a)

    codes = np.array([0, 1, 2, 3, 4, 13, 0, 0])
    cute.compile(host, fake(Uint8, (4,)), options="--target cpu")(packed.packed(codes, 4))
    head, *lines = capfd.readouterr().out.splitlines()
    assert "f4E2M1FN" in head and head.endswith("o (2,3):(3,1), data=")
    assert lines == [
        "       [[ 0.000000,  0.500000,  1.000000, ],",
        "        [ 1.500000,  2.000000, -3.000000, ]])",
        "-3.000000",
    ]


def test_threads_do_not_write_them():
    @cute.kernel
    def device(a: cute.Tensor):
        narrow_view(fairlead.Float4E2M1FN, a, 8)[cute.arch.thread_idx()[0]] = 1.0

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=8)

    with pytest.raises(TypeError, match="Float4E2M1FN have 4 bits and are packed.* whole bytes"):
        cute.compile(host, fake(Uint8, (4,)), options="--target cpu")

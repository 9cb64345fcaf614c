"""Whole tensors read by a host function: on the CPU it reads them where it says so, as kernels do."""

import numpy as np
import pytest

from fairlead import Constexpr, Float32, Int32, cute
from fairlead.cute.runtime import from_dlpack


def run(function, *arrays, **options):
    """Calls a host function with arrays whose layouts are static."""
    cute.jit(function)(*(from_dlpack(a) if isinstance(a, np.ndarray) else a for a in arrays))


def floats(*shape):
    return np.arange(np.prod(shape), dtype=np.float32).reshape(shape)


def test_what_was_loaded_stays():
    def host(a: cute.Tensor, b: cute.Tensor):
        before = a.load()
        a[0] = 7.0
        a[1] = a[0] + a[1]
        b.store(before * 2 + a.load())

    a, b = floats(4), np.zeros(4, np.float32)
    run(host, a, b)
    assert a.tolist() == [7, 8, 2, 3]
    assert b.tolist() == [7, 10, 6, 9]


def test_a_sum_does_not_see_later_stores():
    def host(a: cute.Tensor, b: cute.Tensor):
        both = a[:] + b[:]
        b[:] = a[:]
        a[:] = both

    a, b = floats(2, 3), floats(2, 3) * 10
    run(host, a, b)
    assert np.array_equal(a, floats(2, 3) * 11)
    assert np.array_equal(b, floats(2, 3))


def test_elements_and_parts():
    def host(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
        values = a.load()
        b.store(values[None, 1, None])
        c[0] = values[2, 0, 1]
        c[1] = values[10]
        part = values[(None, 1, None)]
        c[2] = part[(1, 2)] + part.reduce(cute.ReductionOp.MAX, -1.0)

    a, b, c = floats(4, 2, 3), np.zeros((4, 3), np.float32), np.zeros(3, np.float32)
    run(host, a, b, c)
    assert np.array_equal(b, a[:, 1, :])
    linear = a.flatten(order="F")  # mode 0 is the fastest
    assert c.tolist() == [a[2, 0, 1], linear[10], a[1, 1, 2] + a[:, 1].max()]


def test_parts_in_a_kernel():
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        values = a.load() * 2
        b.store(values[1, None])

    def host(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=1)

    a, b = floats(2, 5), np.zeros(5, np.float32)
    run(host, a, b)
    assert np.array_equal(b, a[1] * 2)


@pytest.mark.parametrize("place", [(2, None), (None, 3), (0, None, 0), (None, None, None)])
def test_parts_outside(place):
    def host(a: cute.Tensor, where: Constexpr):
        a.load()[where]

    with pytest.raises(IndexError, match=r"shape \(2,3\)"):
        run(host, floats(2, 3), place)


def test_into_a_tensor_of_unknown_shape():
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        b.store(a.load() + 1)

    n = cute.sym_int()
    known = cute.runtime.make_fake_compact_tensor(Float32, (3,))
    unknown = cute.runtime.make_fake_compact_tensor(Float32, (n,))
    compiled = cute.compile(host, known, unknown, options="--target cpu")
    a, b = floats(3), np.zeros(5, np.float32)
    compiled(a, b[:3])
    assert b.tolist() == [1, 2, 3, 0, 0]
    with pytest.raises(ValueError, match="5"):
        compiled(a, b)
    assert b.tolist() == [1, 2, 3, 0, 0]


def test_reduced_and_printed(capfd):
    def host(a: cute.Tensor):
        values = a.load()
        cute.printf("{}", values.reduce(cute.ReductionOp.ADD, Float32(0.5)))
        cute.print_tensor(values + 1)

    run(host, floats(2, 2))
    assert capfd.readouterr().out.splitlines() == [
        "6.500000",
        "tensor(vector<4xf32> o (2,2), data=",
        "       [[ 1.000000,  2.000000, ],",
        "        [ 3.000000,  4.000000, ]])",
    ]


def test_register_tensors(capfd):
    def host(a: cute.Tensor, n: Int32):
        part = a[None, 1]
        copy = cute.make_rmem_tensor(part.layout, part.element_type)
        copy.store(part.load())
        part[0] = -1.0
        for i in range(n):
            copy[i % 3] = copy[i % 3] + i
        row = cute.make_rmem_tensor((1, 3), Float32)
        row.fill(2.0)
        row[0, 1] = 5.0
        a.store((row.load().broadcast_to((3, 3)) * 10).to(Float32))
        cute.print_tensor(copy)

    a = floats(3, 3)
    cute.jit(host)(from_dlpack(a), 4)
    assert a.tolist() == [[20, 50, 20]] * 3
    out = capfd.readouterr().out.splitlines()
    assert ": f32, rmem, align<4>) o (3):(3)" in out[0]
    assert out[1:] == ["       [ 4.000000, ],", "       [ 5.000000, ],", "       [ 9.000000, ])"]


@cute.kernel
def device_fill(a: cute.Tensor):
    a.fill(1.0)


def test_registers_of_a_host_function_stay_there(capfd):
    def vector():
        return cute.runtime.make_fake_compact_tensor(Float32, (2,))

    def compiled(body, *arguments):
        return cute.compile(cute.jit(body), *arguments, options="--target cuda:sm_90a")

    def alone():
        row = cute.make_rmem_tensor((2,), Float32)
        row.fill(2.0)
        cute.printf("{}", (row.load() + row).reduce(cute.ReductionOp.ADD, 0.0))

    def launched():
        device_fill(cute.make_rmem_tensor((2,), Float32)).launch(grid=1, block=1)

    def assigned(a: cute.Tensor):
        cute.make_rmem_tensor((2,), Float32).store(a.load())

    def combined(a: cute.Tensor):
        row = cute.make_rmem_tensor((2,), Float32)
        a.store(a.load() + row.load())

    compiled(alone)()
    assert capfd.readouterr().out == "8.000000\n"
    for body, arguments in ((launched, ()), (assigned, (vector(),))):
        with pytest.raises(TypeError, match="register tensor of the host function"):
            compiled(body, *arguments)
    with pytest.raises(RuntimeError, match="only known inside a kernel"):
        compiled(combined, vector())


def test_for_a_gpu_it_is_evaluated_by_a_kernel():
    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        b.store(a.load() + 1)

    described = cute.runtime.make_fake_compact_tensor(Int32, (4,))
    compiled = cute.compile(host, described, described, options="--target cuda:sm_90a")
    assert ".entry elementwise" in compiled.artifact.ptx

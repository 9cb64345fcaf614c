"""Stores to tensors of another type convert (docs/language-numbers.md, Conversions)."""

import numpy as np
import pytest

from fairlead import CheckError, Float32, Int32, cute

CPU = "--target cpu"


@cute.kernel
def by_elements(a, b):
    for i in range(4):
        b[i] = a[i]


@cute.kernel
def by_store(a, b):
    b.store(a.load())


@cute.kernel
def by_slice(a, b):
    b[None] = a.load()


@cute.kernel
def by_vectors(a, b):
    cute.autovec_copy(a, b)


@cute.kernel
def by_copy(a, b):
    cute.basic_copy(a, b)


@cute.kernel
def by_atom(a, b):
    cute.copy(cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32), a, b)


def compiled(kernel, a, b, options=CPU):
    @cute.jit
    def host(a, b):
        kernel(a, b).launch(grid=1, block=1)

    return cute.compile(host, *(cute.runtime.from_dlpack(each) for each in (a, b)), options=options)


STORES = [by_elements, by_store, by_slice, by_vectors, by_copy]


@pytest.mark.parametrize("kernel", STORES)
def test_stores_round_to_the_type_of_the_tensor(kernel):
    a, b = np.array([1.1, -2.7, 70000, 0], np.float32), np.zeros(4, np.float16)
    compiled(kernel, a, b)(a, b)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(b, a.astype(np.float16))


@pytest.mark.parametrize("kernel", STORES)
def test_floats_are_not_stored_as_integers(kernel):
    with pytest.raises(TypeError, match=r"store Float32 to a tensor of Int16.*\.to\(Int16\)"):
        compiled(kernel, np.zeros(4, np.float32), np.zeros(4, np.int16))


def test_copies_of_bits_do_not():
    with pytest.raises(TypeError, match="elements of as many bits"):
        compiled(by_atom, np.zeros(4, np.float32), np.zeros(4, np.float16))


def test_filling_converts():
    @cute.kernel
    def fill(b, x: Float32):
        b.fill(x)

    @cute.jit
    def host(b, x: Float32):
        fill(b, x).launch(grid=1, block=1)

    b = np.zeros(3, np.float16)
    cute.compile(host, cute.runtime.from_dlpack(b), Float32(0), options=CPU)(b, 1.1)
    np.testing.assert_array_equal(b, np.full(3, 1.1, np.float16))


def test_a_store_that_makes_infinity_is_reported():
    a, b = np.array([1, 2, 1e6, 4], np.float32), np.zeros(4, np.float16)
    with pytest.raises(CheckError, match="gives infinity"):
        compiled(by_elements, a, b, f"{CPU} --check float")(a, b)


def test_a_float_without_a_fraction_fills_integers():
    """Accumulators of any type start with fill(0.0)."""

    @cute.jit
    def run(out: cute.Tensor):
        t = cute.make_rmem_tensor((4,), Int32)
        t.fill(-3.0)
        out.store(t.load())

    out = np.zeros(4, np.int32)
    cute.compile(run, cute.runtime.from_dlpack(out), options="--target cpu")(out)
    assert out.tolist() == [-3] * 4

    @cute.jit
    def wrong(out: cute.Tensor):
        out.fill(0.5)

    with pytest.raises(TypeError, match="cannot store float to a tensor of Int32"):
        cute.compile(wrong, out, options="--target cpu")

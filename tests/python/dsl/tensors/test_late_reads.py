"""`load()` gives the elements of where it stands: with few of them, with many, and with shapes of run time."""

import numpy as np
import pytest

import fairlead
from fairlead import cute

SIZES = [7, 1024, 1025, 5000]


@cute.jit
def keep_old(a: cute.Tensor, b: cute.Tensor):
    v = a.load()
    a.store(v + 1)
    b.store(v)


@cute.jit
def swap(a: cute.Tensor, b: cute.Tensor):
    x = a.load()
    y = b.load()
    a.store(y)
    b.store(x)


@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    b.store(a.load() + 1)


@cute.jit
def store_twice(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    v = a.load()
    b.store(v * 2)
    c.store(v * 3)


def fakes(count, n):
    n = cute.sym_int() if n is None else n
    return [cute.runtime.make_fake_compact_tensor(fairlead.Float32, (n,)) for _ in range(count)]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_the_old_values_or_an_error(n, dynamic):
    a, b = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    options = "--target cpu"
    if not dynamic and n <= 1024:
        cute.compile(keep_old, *fakes(2, n), options=options)(a, b)
        assert np.array_equal(a, np.arange(n) + 1) and np.array_equal(b, np.arange(n))
        cute.compile(swap, *fakes(2, n), options=options)(a, b)
        assert np.array_equal(a, np.arange(n)) and np.array_equal(b, np.arange(n) + 1)
        return
    for function in (keep_old, swap):
        with pytest.raises(RuntimeError, match="after memory may have been written to") as caught:
            cute.compile(function, *fakes(2, None if dynamic else n), options=options)
        assert f"({'?' if dynamic else n})" in str(caught.value)


@pytest.mark.parametrize("n", [None, 5000])
def test_one_expression_is_right(n):
    a, b = np.arange(5000, dtype=np.float32), np.zeros(5000, np.float32)
    function = cute.compile(add_one, *fakes(2, n), options="--target cpu")
    function(a, b)
    assert np.array_equal(b, a + 1)
    function(a, a)  # the same elements
    assert np.array_equal(a, b)


@pytest.mark.parametrize("n", [None, 4000])
@pytest.mark.parametrize("shift", [1, 100, 3999])
def test_overlapping_tensors_are_refused(n, shift):
    memory = np.arange(8000, dtype=np.float32)
    function = cute.compile(add_one, *fakes(2, n), options="--target cpu")
    for a, b in (
        (memory[:4000], memory[shift : shift + 4000]),
        (memory[shift : shift + 4000], memory[:4000]),
    ):
        before = memory.copy()
        with pytest.raises(ValueError, match="overlap in memory"):
            function(a, b)
        assert np.array_equal(memory, before)
    function(memory[:4000], memory[4000:])
    assert np.array_equal(memory[4000:], np.arange(4000) + 1)


def test_other_tensors_may_be_written_in_between():
    function = cute.compile(store_twice, *fakes(3, None), options="--target cpu")
    a, b, c = (np.arange(3000, dtype=np.float32) for _ in range(3))
    function(a, b, c)
    assert np.array_equal(b, a * 2) and np.array_equal(c, a * 3)
    memory = np.arange(6000, dtype=np.float32)
    with pytest.raises(ValueError, match="overlap in memory"):
        function(memory[:3000], memory[1000:4000], c)


def in_kernel(body):
    @cute.kernel
    def device(a: cute.Tensor, b: cute.Tensor):
        body(a, b)

    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=1)

    return run


def test_in_a_kernel():
    run = in_kernel(lambda a, b: b.store(a.load() + 1))
    function = cute.compile(run, *fakes(2, None), options="--target cpu")
    memory = np.arange(100, dtype=np.float32)
    function(memory[:50], memory[50:])
    assert np.array_equal(memory[50:], np.arange(50) + 1)
    with pytest.raises(Exception, match="overlap in memory"):
        function(memory[:50], memory[1:51])

    def twice(a, b):
        v = a.load()
        b.store(v)
        a.store(v)

    with pytest.raises(RuntimeError, match="after memory may have been written to"):
        cute.compile(in_kernel(twice), *fakes(2, None), options="--target cpu")


def test_in_a_loop():
    @cute.jit
    def run(a: cute.Tensor, b: cute.Tensor, n: fairlead.Int32):
        v = a.load()
        for _ in range(n):
            b.store(v)

    with pytest.raises(RuntimeError, match="after memory may have been written to"):
        cute.compile(run, *fakes(2, None), fairlead.Int32(1), options="--target cpu")

    @cute.jit
    def inside(a: cute.Tensor, b: cute.Tensor, n: fairlead.Int32):
        for _ in range(n):
            b.store(b.load() + a.load())

    a, b = np.arange(2000, dtype=np.float32), np.zeros(2000, np.float32)
    cute.compile(inside, *fakes(2, None), fairlead.Int32(1), options="--target cpu")(a, b, 3)
    assert np.array_equal(b, a * 3)


@pytest.mark.parametrize("target", ["cpu", "cuda:sm_90a"])
def test_host_functions_for_gpus_read_late_as_well(target):
    if target == "cpu":
        return
    with pytest.raises(RuntimeError, match="after memory may have been written to"):
        cute.compile(keep_old, *fakes(2, 16), options=f"--target {target}")
    assert (
        "elementwise" in cute.compile(add_one, *fakes(2, 16), options=f"--target {target}").__ptx__
    )

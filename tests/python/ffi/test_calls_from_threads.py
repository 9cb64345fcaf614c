"""Calls from several threads at once."""

import sys
import threading
import time

import numpy as np
import pytest

from fairlead import ffi


def run_all(work, count=8):
    """Run `work(i)` in `count` threads that start together; raise the first error."""
    barrier, errors = threading.Barrier(count), []

    def run(i):
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def test_one_function(kernels):
    def work(i):
        rng = np.random.default_rng(i)
        for _ in range(500):
            a, b = rng.random((2, 17), dtype="float32")
            c = np.full(17, np.nan, "float32")
            kernels.add(a, b, c)
            assert (c == a + b).all()

    run_all(work)


def test_mixed_types_and_errors(kernels):
    def work(i):
        for round in range(500):
            value = (i, float(i), str(i) * 20, (i, i))[(i + round) % 4]
            assert kernels.echo(value) == value
            with pytest.raises(ValueError, match=f"^thread {i}$"):
                kernels["raise"]("ValueError", f"thread {i}")

    run_all(work)


def test_callbacks(kernels):
    def work(i):
        for round in range(300):
            assert kernels.apply(lambda x: x + i, round) == round + i

    run_all(work)


def test_new_types(kernels):
    def work(i):
        for round in range(100):
            made = type(f"Made{i}", (), {"__tvm_ffi_int__": lambda self, round=round: round})
            assert kernels.echo(made()) == round

    run_all(work)


@pytest.mark.parametrize("release", [True, False])
def test_gil(release, kernels):
    """With release_gil another thread runs during a call: here one that the call waits for."""
    if not release and not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("this Python runs without a GIL to hold")
    counter, done = np.zeros(1, np.int64), threading.Event()

    def count():
        while not done.is_set():
            counter[0] += 1
            time.sleep(0)

    waits = kernels.wait_for_change
    waits.release_gil = release
    thread = threading.Thread(target=count)
    thread.start()
    while not counter[0]:
        time.sleep(0.001)
    changed = waits(counter, 10_000 if release else 100)
    done.set()
    thread.join()
    assert changed == release


def test_streams_belong_to_threads():
    def work(i):
        for _ in range(100):
            with ffi.use_raw_stream("cuda:0", 4096 + i):
                time.sleep(0)
                assert ffi.get_raw_stream("cuda:0") == 4096 + i
        assert ffi.get_raw_stream("cuda:0") == 0

    run_all(work)

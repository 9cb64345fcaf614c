"""Eight threads that compile and call different kernels at once."""

import threading

import numpy as np
from support import dsl_support as support

from fairlead import cute

THREADS = 8
ROUNDS = 4


def make(factor):
    @cute.jit
    def function(x):
        y = 0.0
        for i in range(factor):
            if x > 0:
                y += x * factor
            else:
                y -= x + i
        return y

    return function


def expected(factor, x):
    return np.where(x > 0, x * factor * factor, -(x * factor + sum(range(factor))))


def test_threads_compile_and_call():
    failures = []
    barrier = threading.Barrier(THREADS)

    def work(number):
        try:
            barrier.wait()
            for round_ in range(ROUNDS):
                factor = 1 + number + THREADS * round_
                x = np.random.default_rng(factor).standard_normal(100 + factor).astype(np.float32)
                got = support.run_map(make(factor), np.float32, x)
                np.testing.assert_allclose(got, expected(factor, x), rtol=1e-4, atol=1e-4)
        except BaseException as error:
            failures.append((number, error))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_one_function_compiled_by_many_threads():
    function = make(3)
    results = [None] * THREADS
    x = np.arange(-5, 5, dtype=np.float32)

    def work(number):
        results[number] = support.run_map(function, np.float32, x)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_allclose(result, expected(3, x), rtol=1e-6)

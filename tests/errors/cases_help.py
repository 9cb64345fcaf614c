"""A program for each help text that no program of the table of mistakes provokes (cases_mistakes.py)."""

import queue

import kernels
import numpy as np
from error_cases import helped
from kernels import in_kernel

import fairlead
from fairlead import Float32, Int32, cute


@helped("EscapedValue")
def value_in_a_queue():
    def device(a, b):
        kept = queue.SimpleQueue()
        if a[0] > 0:
            kept.put(a[0] * 2.0)
        b[0] = kept.get()

    in_kernel(device)


@helped("DynamicNumber", 2)
def value_in_an_array_of_numpy():
    numbers = np.zeros(4, np.float32)

    def device(a, b):
        numbers[0] = a[0]

    in_kernel(device)


@helped("CarriedType", 0)
def result_of_another_type():
    def device(a, b):
        from fairlead.cute import if_generate

        if_generate(
            a[0] > 0.0, lambda: cute.Float64(1.0), lambda: Float32(2.0), return_types=[Float32]
        )

    in_kernel(device)


@helped("CarriedType", 2)
def number_that_becomes_wider():
    def device(a, b):
        total = Int32(0)
        for i in range(a.shape[0]):
            total = cute.Int64(i)
        b[0] = total

    in_kernel(device)


@helped("CarriedStructure")
def none_in_one_arm():
    def device(a, b):
        value = Float32(1.0)
        if a[0] > 0.0:
            value = None
        b[0] = value

    in_kernel(device)


@helped("OperatorOperand")
def inverted_float():
    def device(a, b):
        b[0] = ~a[0]

    in_kernel(device)


@helped("ContinueInLoop")
def continue_in_a_try():
    def device(a, b):
        for i in range(a.shape[0]):
            try:
                if a[i] > 0:
                    continue
            except LookupError:
                pass
            b[i] = a[i]

    in_kernel(device)


@helped("DTypeName")
def misspelt_type():
    fairlead.dtype("flaot32")


@helped("FakeExtent", 1)
def word_as_an_extent():
    cute.runtime.make_fake_compact_tensor(Float32, ("n",))


@helped("KernelOption", 1)
def no_signature():
    fairlead.kernel("__global__ void f() {}", "f")


@helped("LaunchOption", 1)
def number_of_warps():
    @cute.kernel
    def device(a):
        a[0] = 1.0

    @cute.jit
    def host(a):
        device(a).launch(grid=1, block=1, num_warps=4)

    cute.compile(host, kernels.vector(), options="--target cpu")

"""A program for each help text of the table, whose error has it."""

import queue

import kernels
import numpy as np
from error_cases import helped
from kernels import in_kernel

import fairlead
from fairlead import Float32, Int32, cute
from fairlead.utils import SmemAllocator


@helped("OutsideKernel")
def thread_index_on_the_host():
    def host(a, b):
        cute.arch.thread_idx()

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@helped("EscapedValue")
def value_in_a_queue():
    def device(a, b):
        kept = queue.SimpleQueue()
        if a[0] > 0:
            kept.put(a[0] * 2.0)
        b[0] = kept.get()

    in_kernel(device)


@helped("DynamicNumber", 0)
def index_of_a_list():
    def device(a, b):
        b[0] = [1.0, 2.0][cute.arch.thread_idx()[0]]

    in_kernel(device)


@helped("DynamicNumber", 1)
def length_of_a_tensor():
    def device(a, b):
        b[0] = len(a)

    in_kernel(device)


@helped("DynamicNumber", 2)
def value_in_an_array_of_numpy():
    numbers = np.zeros(4, np.float32)

    def device(a, b):
        numbers[0] = a[0]

    in_kernel(device)


@helped("DynamicNumber", 3)
def key_of_a_dict():
    table = {0: 1.0}

    def device(a, b):
        b[0] = table[cute.arch.thread_idx()[0]]

    in_kernel(device)


@helped("DynamicNumber", 4)
def range_in_a_comprehension():
    def device(a, b):
        b[0] = sum([a[i] for i in range(a.shape[0])])

    in_kernel(device)


@helped("ConstexprDynamic")
def constant_range_of_run_time():
    def device(a, b):
        for i in fairlead.range_constexpr(a.shape[0]):
            b[i] = a[i]

    in_kernel(device)


@helped("SliceBounds")
def slice_with_bounds():
    def device(a, b):
        a[0:4]

    in_kernel(device)


@helped("CoordinateRank")
def thread_index_as_a_coordinate():
    def device(a, b):
        b[cute.arch.thread_idx()] = 1.0

    in_kernel(device)


@helped("IndexType")
def float_as_an_index():
    def device(a, b):
        b[cute.arch.thread_idx()[0] / 2] = 1.0

    in_kernel(device)


@helped("CarriedType", 0)
def result_of_another_type():
    def device(a, b):
        from fairlead.cute import if_generate

        if_generate(
            a[0] > 0.0, lambda: cute.Float64(1.0), lambda: Float32(2.0), return_types=[Float32]
        )

    in_kernel(device)


@helped("CarriedType", 1)
def integer_that_becomes_a_float():
    def device(a, b):
        total = 0
        for i in range(a.shape[0]):
            total = total + a[i]
        b[0] = total

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


@helped("CarriedObject")
def none_before():
    def device(a, b):
        value = None
        for i in range(a.shape[0]):
            value = a[i]
        b[0] = value

    in_kernel(device)


@helped("RegisterTensor")
def registers_of_run_time():
    def device(a, b):
        cute.make_rmem_tensor((a.shape[0],), Float32)

    in_kernel(device)


@helped("SharedNumber")
def shared_memory_of_run_time():
    def device(a, b):
        SmemAllocator().allocate_tensor(Float32, a.shape[0])

    in_kernel(device)


@helped("OperatorOperands")
def bits_of_a_float():
    def device(a, b):
        b[0] = a[0] & 1

    in_kernel(device)


@helped("OperatorOperand")
def inverted_float():
    def device(a, b):
        b[0] = ~a[0]

    in_kernel(device)


def launched(grid):
    @cute.kernel
    def device(a):
        a[0] = 1.0

    @cute.jit
    def host(a):
        device(a).launch(grid=grid(a), block=1)

    cute.compile(host, kernels.vector(), options="--target cpu")


@helped("LaunchExtentType", 0)
def float_as_a_grid():
    launched(lambda a: a.shape[0] / 256)


@helped("LaunchExtentType", 1)
def four_extents():
    launched(lambda a: (1, 1, 1, 1))


@helped("DTypeExpected")
def type_of_numpy():
    def device(a, b):
        cute.make_rmem_tensor((4,), np.float32)

    in_kernel(device)


@helped("ChangedInRegion")
def list_that_grows():
    def device(a, b):
        items = []
        for i in range(a.shape[0]):
            items.append(a[i])

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


@helped("ReturnInRegion", 0)
def results_of_two_types():
    @cute.jit
    def unlike(x):
        if x > 0:
            return x
        return x, x

    def host(a, b):
        b[0] = unlike(a[0])

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@helped("ReturnInRegion", 1)
def result_on_one_way():
    def host(a, b):
        if a.shape[0] > 3:
            return 1.0
        b[0] = a[0]

    kernels.compile_host(host, kernels.vector(), kernels.vector())


@cute.kernel
def kernel_of_a_vector(a):
    a[0] = 1.0


@helped("KernelFromPython")
def kernel_as_a_function():
    kernel_of_a_vector(kernels.zeros())


@helped("CompileCallable")
def compiled_kernel():
    cute.compile(kernel_of_a_vector, kernels.vector())


@helped("UnknownOption")
def option_of_other_compilers():
    cute.compile(kernels.double, kernels.vector(), kernels.vector(), options="-O3")


@helped("DTypeName")
def misspelt_type():
    fairlead.dtype("flaot32")


@helped("FakeExtent", 0)
def type_as_an_extent():
    cute.runtime.make_fake_compact_tensor(Float32, (Float32,))


@helped("FakeExtent", 1)
def word_as_an_extent():
    cute.runtime.make_fake_compact_tensor(Float32, ("n",))


@helped("FakeExtentRange")
def negative_extent():
    cute.runtime.make_fake_compact_tensor(Float32, (-1,))


@helped("KernelOption", 0)
def python_as_a_source():
    fairlead.kernel(type_of_numpy, "f", "f(a: Tensor([n], float32))")


@helped("KernelOption", 1)
def no_signature():
    fairlead.kernel("__global__ void f() {}", "f")


@helped("DecoratorOption")
def option_of_a_decorator():
    cute.jit(target="cpu")


@helped("LaunchOption", 0)
def misspelt_option():
    @cute.kernel
    def device(a):
        a[0] = 1.0

    @cute.jit
    def host(a):
        device(a).launch(grid=1, block=1, threads=4)

    cute.compile(host, kernels.vector(), options="--target cpu")


@helped("LaunchOption", 1)
def number_of_warps():
    @cute.kernel
    def device(a):
        a[0] = 1.0

    @cute.jit
    def host(a):
        device(a).launch(grid=1, block=1, num_warps=4)

    cute.compile(host, kernels.vector(), options="--target cpu")

"""Mistakes of beginners, each a small program, with words that its message must have.

The table is ``MISTAKES``: name -> (title, program, texts that the message contains). mistakes_of_cuda.py has further
rows of it. docs/mistakes.md shows it:
``python tests/errors/mistakes_page.py`` writes the page.
"""

import contextlib
import functools
import math
import subprocess
import sys
import types
from collections.abc import Callable

import numpy as np

import fairlead
from fairlead import Float32, Int32, cute

MISTAKES: dict[str, tuple[str, Callable[[], object], tuple[str, ...]]] = {}
# The first mistake of each section of the page -> its title.
SECTIONS: dict[str, str] = {}
_title: list[str] = []


def section(title: str) -> None:
    """The mistakes from here on are of one kind."""
    _title.append(title)


def mistake(title: str, *texts: str):
    """Registers a program that raises (or warns, or prints) a message with all the texts."""

    def register(program):
        assert program.__name__ not in MISTAKES, program.__name__
        if _title:
            SECTIONS[program.__name__] = _title.pop()
        MISTAKES[program.__name__] = title, program, texts
        return program

    return register


def vector(dtype=Float32, n=None):
    return cute.runtime.make_fake_compact_tensor(dtype, (n or cute.sym_int(),))


def matrix(dtype=Float32, **options):
    return cute.runtime.make_fake_compact_tensor(dtype, (cute.sym_int(), cute.sym_int()), **options)


def in_kernel(title: str, *texts: str):
    """A mistake in a kernel of two vectors."""

    def register(function):
        name = function.__name__

        def program(target="cpu"):
            device = cute.kernel(function)

            @cute.jit
            def launch(a: cute.Tensor, b: cute.Tensor):
                device(a, b).launch(grid=1, block=32)

            cute.compile(launch, vector(), vector(), options=f"--target {target}")

        program.__name__ = name
        program.source = function
        mistake(title, *texts)(program)
        return function

    return register


def on_host(title: str, *texts: str):
    """A mistake in a host function of two vectors."""

    def register(function):
        def program(target="cpu"):
            cute.compile(cute.jit(function), vector(), vector(), options=f"--target {target}")

        program.__name__ = function.__name__
        program.source = function
        mistake(title, *texts)(program)
        return function

    return register


@functools.cache
def doubled():
    """A compiled function of two vectors of one length."""

    @cute.jit
    def double(a: cute.Tensor, b: cute.Tensor):
        b[:] = a[:] * 2.0

    n = cute.sym_int()
    return cute.compile(double, vector(n=n), vector(n=n), options="--target cpu")


section("Names of CUDA C++")


@in_kernel("`threadIdx.x`", "cute.arch.thread_idx()")
def cuda_thread_index(a, b):
    b[threadIdx.x] = a[threadIdx.x]


@in_kernel("`blockIdx.x`", "cute.arch.block_idx()")
def cuda_block_index(a, b):
    b[blockIdx.x] = 1.0


@in_kernel("`blockDim.x`", "cute.arch.block_dim()")
def cuda_block_size(a, b):
    b[0] = a[blockDim.x]


@in_kernel("`__syncthreads()`", "cute.arch.sync_threads()")
def cuda_barrier(a, b):
    __syncthreads()


@in_kernel("`cute.syncthreads()`", "cute.arch.sync_threads")
def barrier_of_the_wrong_module(a, b):
    cute.syncthreads()


@in_kernel("`cute.shared_memory(n)`, for `__shared__`", "SmemAllocator().allocate_tensor")
def shared_memory_by_a_guessed_name(a, b):
    tile = cute.shared_memory(128)
    b[0] = tile[0]


@in_kernel("`cute.unroll(4)`, for `#pragma unroll`", "cute.range_constexpr(n)", "unroll=4")
def unrolled_by_a_guessed_name(a, b):
    for i in cute.unroll(4):
        b[i] = a[i]


@in_kernel("`cute.arch.threadIdx()`", "did you mean `thread_idx`?")
def thread_index_in_camel_case(a, b):
    i, _, _ = cute.arch.threadIdx()
    b[i] = a[i]


@in_kernel("`cute.thread_idx()`", "it is `cute.arch.thread_idx`")
def thread_index_of_the_wrong_module(a, b):
    i, _, _ = cute.thread_idx()
    b[i] = a[i]


@in_kernel("`atomicAdd(&b[0], x)`", "cute.arch.atomic_add(t.iterator + i, value)")
def cuda_atomic(a, b):
    atomicAdd(b, a[0])


@in_kernel("`__shfl_down_sync(mask, x, 16)`", "cute.arch.shuffle_sync_down(value, delta)")
def cuda_shuffle(a, b):
    b[0] = __shfl_down_sync(0xFFFFFFFF, a[0], 16)


@in_kernel("`expf(x)`", "cute.math.exp(x)")
def cuda_math(a, b):
    b[0] = expf(a[0])


@in_kernel("`cute.exp_(x)`", "did you mean `exp`?")
def misspelt_function(a, b):
    b[0] = cute.exp_(a[0])


@in_kernel("`thread_idx().x`", "x, y, z = cute.arch.thread_idx()")
def index_by_attribute(a, b):
    i = cute.arch.thread_idx().x
    b[i] = a[i]


@in_kernel("`a[thread_idx()]`", "i, _, _ = cute.arch.thread_idx()")
def index_is_a_tuple(a, b):
    i = cute.arch.thread_idx()
    b[i] = a[i]


section("NumPy, PyTorch, Numba, Triton")


@in_kernel("`np.exp(x)`", "`np.exp` takes no run-time values", "cute.math.exp(x)")
def numpy_math(a, b):
    b[0] = np.exp(a[0])


@in_kernel("`math.exp(x)`", "`math.exp` takes no run-time values", "cute.math.exp(x)")
def python_math(a, b):
    b[0] = math.exp(a[0])


@in_kernel("`math.sqrt(x)`", "cute.math.sqrt(x)")
def python_root(a, b):
    b[0] = math.sqrt(a[0])


@in_kernel("`np.float32(i)`", "x.to(cute.Float32)")
def numpy_conversion(a, b):
    i, _, _ = cute.arch.thread_idx()
    b[i] = np.float32(i)


@in_kernel("`np.maximum(x, 0)`", "max(a, b)")
def numpy_maximum(a, b):
    b[0] = np.maximum(a[0], 0.0)


@in_kernel("`x.astype(...)`", "x.to(cute.Float32)")
def numpy_cast(a, b):
    i, _, _ = cute.arch.thread_idx()
    b[i] = i.astype(np.float32)


@in_kernel("`a.shpae`", "Tensor has no attribute `shpae`", "did you mean `shape`?")
def misspelt_attribute(a, b):
    b[0] = a.shpae[0]


@in_kernel("`a.T`", "a view with the modes exchanged")
def numpy_transpose(a, b):
    b[0] = a.T[0]


@in_kernel("`a.reshape(...)`", "cute.make_tensor(t.iterator, cute.make_layout(shape))")
def numpy_reshape(a, b):
    b[0] = a.reshape(2, 2)[0]


@in_kernel("`a.sum()`", "t.load().reduce(", "warp_reduction_sum")
def numpy_sum(a, b):
    b[0] = a.sum()


@in_kernel("`len(a)`", "`t.shape[0]`")
def length(a, b):
    for i in range(len(a)):
        b[i] = a[i]


@in_kernel("`a[1:3]`", "cute.local_tile(t, (n,), (i,))")
def slice_with_bounds(a, b):
    b[0] = a[1:3][0]


@in_kernel("`for x in a`", "`for i in range(n)`")
def iteration_over_a_tensor(a, b):
    for x in a:
        b[0] = x


@in_kernel("`a + b` of tensors", "a[i] + b[i]")
def sum_of_tensors(a, b):
    b[0] = (a + b)[0]


@in_kernel("`a @ b`", "cute.gemm")
def product_of_matrices(a, b):
    b[0] = (a @ b)[0]


@in_kernel("`a(i)`", "t[i]")
def tensor_is_called(a, b):
    b[0] = a(0)


@in_kernel("`x.item()`", "in a traced function it is known when the program runs")
def torch_item(a, b):
    b[0] = a[0].item()


@in_kernel("`x.float()`", "x.to(cute.Float32)")
def torch_float(a, b):
    b[0] = a[0].float()


@in_kernel("`tl.load(p)`", "here `tl.load` is `t[i]`")
def triton_load(a, b):
    b[0] = tl.load(a)


@in_kernel("`tl.program_id(0)`", "cute.arch.block_idx()[axis]")
def triton_program(a, b):
    b[tl.program_id(0)] = 1.0


@in_kernel("`cuda.grid(1)`", "cute.arch.block_idx()[0]")
def numba_grid(a, b):
    i = cuda.grid(1)
    b[i] = a[i]


@in_kernel("`cuda.syncthreads()`", "cute.arch.sync_threads()")
def numba_barrier(a, b):
    cuda.syncthreads()


@in_kernel("`cute.zeros(...)`", "cute.make_rmem_tensor(shape, cute.Float32)")
def array_of_zeros(a, b):
    x = cute.zeros((4,))
    b[0] = x[0]


section("Control flow")


@in_kernel(
    "an early `return` out of a `with` in a loop",
    "`return` cannot leave a `with` or a `try` inside a run-time `if`",
)
def return_out_of_a_with(a, b):
    for i in range(a.shape[0]):
        with contextlib.nullcontext():
            if a[i] < 0:
                return
            b[i] = a[i]


@on_host("a value returned on one way alone", "`if x.shape[0] <= 3:` around what follows")
def value_on_one_way(x, y):
    if x.shape[0] > 3:
        return 1.0
    y[0] = x[0]


@on_host("a run-time value returned from a branch", "store the result to a tensor")
def value_of_a_branch(x, y):
    if x.shape[0] > 3:
        return 1.0
    return 2.0


@in_kernel("`break` out of a `try` in a run-time loop", "move it out of the `with` or `try`")
def break_out_of_a_try(a, b):
    for i in range(a.shape[0]):
        try:
            if a[i] < 0:
                break
        finally:
            b[i] = a[i]


@in_kernel("a list and a run-time index", "cute.make_rmem_tensor((n,), cute.Float32)")
def list_by_a_run_time_index(a, b):
    weights = [0.25, 0.5, 0.25]
    i, _, _ = cute.arch.thread_idx()
    b[i] = a[i] * weights[i]


@in_kernel("an integer that becomes a float", "`total = cute.Float32(0)` before the `for`")
def sum_begins_with_an_integer(a, b):
    total = 0
    for i in range(a.shape[0]):
        total += a[i]
    b[0] = total


@in_kernel("a name first bound in a branch", "Bind it before the `if`")
def name_of_a_branch(a, b):
    if a[0] > 0:
        x = a[0]
    b[0] = x


@in_kernel("None that becomes a number", "found = cute.Float32(0)")
def none_becomes_a_number(a, b):
    found = None
    if a[0] > 0:
        found = a[0]
    b[0] = found


@in_kernel("a misspelt name", "name 'totl' is not defined", "did you mean `total`?")
def misspelt_name(a, b):
    total = a[0]
    b[0] = totl


@in_kernel("`assert` of a run-time value", "cute.testing.assert_(condition, message)")
def assertion(a, b):
    assert a[0] > 0
    b[0] = a[0]


@in_kernel("an index made by `/`", "divide integers by `//`")
def index_is_a_float(a, b):
    i, _, _ = cute.arch.thread_idx()
    b[i / 2] = a[i]


@in_kernel("a float stored to integers", ".to(")
def store_of_another_type(a, b):
    t = cute.make_rmem_tensor((4,), Int32)
    t[0] = a[0]


@in_kernel("`global counter`", "`global` is not supported in a traced function")
def global_variable(a, b):
    global counter
    counter = 1


@in_kernel("two indices for one mode", "a coordinate of 2 entries does not fit a tensor of 1 modes")
def too_many_indices(a, b):
    b[0] = a[0, 0]


@on_host("a compiled function that returns a value", "store the result to a tensor")
def returned_value(a, b):
    return a.shape[0]


section("Sizes, types and elements")


@in_kernel("`cute.range_constexpr(n)` of a run-time extent", "`range(n)` is a loop at run time")
def run_time_constexpr_range(a, b):
    for i in cute.range_constexpr(a.shape[0]):
        b[i] = a[i]


@in_kernel("registers of a run-time size", "compile-time constant", "make_rmem_tensor((4,)")
def run_time_registers(a, b):
    cute.make_rmem_tensor((a.shape[0],), Float32)


@in_kernel(
    "shared memory of a run-time size",
    "compile-time constant",
    "allocate_tensor(cute.Float32, 256)",
)
def run_time_shared(a, b):
    cute.SmemAllocator().allocate_tensor(Float32, a.shape[0])


@in_kernel("a dtype of NumPy", "`cute.Float32`, `cute.Int32`")
def dtype_of_numpy(a, b):
    cute.make_rmem_tensor((4,), np.float32)


@in_kernel('`allocate_tensor("float32", 32)`', "`cute.Float32`", "allocate_tensor")
def shared_memory_of_a_named_type(a, b):
    cute.SmemAllocator().allocate_tensor("float32", 32)


@in_kernel("`allocate_tensor(Float32, shape=(32,))`", "the type, then a shape or a layout")
def shared_memory_by_keyword(a, b):
    cute.SmemAllocator().allocate_tensor(Float32, shape=(32,))


@in_kernel("`cute.select(c, x, 0.0)`", "`cute.where(condition, a, b)`")
def selected_value(a, b):
    b[0] = cute.select(a[0] > 0.0, a[0], 0.0)


@in_kernel("`cute.arch.block_reduce(x)`", "`cute.arch.warp_reduction_sum(x)` in each warp")
def sum_of_a_block(a, b):
    b[0] = cute.arch.block_reduce(a[0])


@in_kernel("`np.zeros(32)` in a kernel", "cute.make_rmem_tensor")
def array_in_kernel(a, b):
    np.zeros(32)[cute.arch.thread_idx()[0]] = 1.0


@in_kernel("a NumPy table and a run-time index", "as an argument")
def table_of_numpy(a, b):
    b[0] = np.arange(4)[cute.arch.thread_idx()[0]]


@on_host(
    "a NumPy array as a kernel's argument", "pass it to the `@cute.jit` function as an argument"
)
def array_to_kernel(a, b):
    cute.kernel(_store_first)(np.zeros(3), a).launch(grid=1, block=32)


@in_kernel("`a.load(mask=...)`", "`if i < n: x = t[i]`")
def masked_load(a, b):
    i = cute.arch.thread_idx()[0]
    a.load(mask=i < 5, other=0.0)


@in_kernel("a list filled by a run-time loop", "cute.make_rmem_tensor")
def filled_list(a, b):
    out = []
    for i in range(a.shape[0]):
        out.append(a[i])
    b[0] = out[0]


@in_kernel("a dict and a run-time key", "the key of a dict", "write `if` and `elif`")
def dict_of_numbers(a, b):
    b[0] = {0: 1.0, 1: 2.0}[cute.arch.thread_idx()[0]]


@in_kernel("`sum(a[i] for i in range(n))`", "for i in range(n): total += a[i]")
def sum_of_generator(a, b):
    b[0] = sum(a[i] for i in range(a.shape[0]))


@in_kernel("`x if c else None`", "`cute.Float32(0)` in place of None")
def none_of_an_expression(a, b):
    i = cute.arch.thread_idx()[0]
    b[i] = a[i] if i < 3 else None


@in_kernel("`a.shape[1]` of a vector", "`cute.rank(a)`")
def extent_too_far(a, b):
    b[0] = a.shape[1]


@in_kernel("`a.size()`", "without parentheses")
def called_attribute(a, b):
    b[0] = a.size()


@in_kernel("`a[i][j]`", "`t[i, j]`")
def element_of_an_element(a, b):
    b[0] = a[0][0]


@in_kernel("`block_idx() * block_dim()`", "`i, _, _ = cute.arch.thread_idx()`")
def product_of_tuples(a, b):
    b[cute.arch.block_idx() * cute.arch.block_dim()] = 1.0


@in_kernel("`x & 1` of a float", "x.bitcast(cute.Int32)")
def bits_of_a_float(a, b):
    b[0] = a[0] & 1


@in_kernel("`x.view(np.int32)`", "x.bitcast(cute.Int32)")
def view_of_a_number(a, b):
    b[0] = a[0].view(np.int32)


@in_kernel("`round(x)`", "cute.math.floor(x + 0.5)")
def rounded(a, b):
    b[0] = round(a[0])


@in_kernel("`cute.copy(src, dst)`", "cute.copy(atom, src, dst)")
def copy_without_atom(a, b):
    cute.copy(a, b)


@in_kernel("`cute.make_layout(shape, stride)`", "stride=(1, 4)")
def strides_by_position(a, b):
    cute.make_layout((4, 8), (8, 1))


@in_kernel("the tile before the tensor", "argument #0 (input) to be a tensor, but got tuple")
def tile_before_tensor(a, b):
    cute.local_tile((8,), a, (0,))


@in_kernel("the atom of a copy after its tensors", "(atom) to be a copy atom or a tiled copy")
def atom_after_tensors(a, b):
    cute.copy(a, b, cute.make_copy_atom(cute.nvgpu.CopyUniversalOp(), Float32))


@in_kernel(
    "the type of a register tensor before its shape", "a layout or a shape, but got the class"
)
def type_before_shape(a, b):
    cute.make_rmem_tensor(Float32, 4)


section("Kernels and launches")


@mistake("a kernel without `@cute.kernel`", "decorate the function with `@cute.kernel`")
def kernel_without_decorator():
    def device(a, b):
        i, _, _ = cute.arch.thread_idx()
        b[i] = a[i]

    @cute.jit
    def launch(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=32)

    cute.compile(launch, vector(), vector(), options="--target cpu")


@mistake("likewise, one that uses no thread index", "is decorated with `@cute.kernel`")
def plain_function_launched():
    def device(a, b):
        pass

    @cute.jit
    def launch(a: cute.Tensor, b: cute.Tensor):
        device(a, b).launch(grid=1, block=32)

    cute.compile(launch, vector(), vector(), options="--target cpu")


@cute.kernel
def copies(a: cute.Tensor, b: cute.Tensor):
    i, _, _ = cute.arch.thread_idx()
    b[i] = a[i]


@mistake(
    "a kernel called from Python",
    "kernels are launched by functions decorated with @jit",
    ".launch(grid=",
)
def kernel_from_python():
    copies(np.zeros(32, np.float32), np.zeros(32, np.float32))


@mistake("`kernel[grid, block](a, b)`", "`copies(...).launch(grid=..., block=...)`")
def launch_by_brackets():
    copies[1, 32](np.zeros(32, np.float32), np.zeros(32, np.float32))


@on_host("a kernel that is never launched", "is called but not launched")
def forgotten_launch(a, b):
    copies(a, b)


@on_host("`launch((1,), (32,))`", ".launch(grid=(x, y, z), block=(x, y, z))")
def launch_by_place(a, b):
    copies(a, b).launch((1,), (32,))


@on_host("`launch(grids=1)`", "did you mean `grid`?")
def misspelt_option_of_a_launch(a, b):
    copies(a, b).launch(grids=1, block=32)


@on_host("`launch(threads=32)`", "did you mean `block`?")
def option_of_another_language(a, b):
    copies(a, b).launch(grid=1, threads=32)


@mistake("`@fairlead.kernel` above a Python function", "`@cute.kernel`")
def kernel_of_the_wrong_module():
    @fairlead.kernel
    def device(a, b):
        pass


@mistake("`fairlead.do_bench(call)`", "`cute.testing.benchmark(call)`")
def time_as_in_triton():
    fairlead.do_bench(lambda: None)


@mistake("`@fairlead.jit`", "it is `cute.jit`")
def jit_of_the_wrong_module():
    @fairlead.jit
    def launch(a, b):
        pass


@mistake("more threads than a block has", "expected 1 to 1024 threads")
def too_many_threads():
    @cute.jit
    def launch(a: cute.Tensor, b: cute.Tensor):
        copies(a, b).launch(grid=1, block=2048)

    x = np.zeros(4096, np.float32)
    launch(x, x)


@mistake("a math function outside of a traced function", "needs a program being traced")
def outside_of_a_function():
    cute.arch.thread_idx()


@in_kernel(
    "a third argument of `allocate_tensor` that is no alignment", "power of two", "but got 'x'"
)
def alignment_of_the_wrong_type(a, b):
    cute.SmemAllocator().allocate_tensor(Float32, 32, "x")


def _store_first(a, b):
    a[0] = b[0]


@on_host("`launch(grid=n / 32)`", "`cute.ceil_div(n, 256)`")
def grid_by_division(a, b):
    cute.kernel(_store_first)(b, a).launch(grid=a.shape[0] / 32, block=32)


@on_host("`launch(grid=(1, 1, 1, 1))`", "at most three")
def four_extents(a, b):
    cute.kernel(_store_first)(b, a).launch(grid=(1, 1, 1, 1), block=32)


@mistake("`make_fake_compact_tensor((n,), cute.Float32)`", "the element type comes first")
def swapped_stand_in():
    cute.runtime.make_fake_compact_tensor((4,), Float32)


@mistake("-1 for any extent", "cute.sym_int()")
def minus_one():
    cute.runtime.make_fake_compact_tensor(Float32, (-1,))


@mistake("`cute.compile(f, x, target=...)`", 'options="--target cpu"')
def target_as_keyword():
    cute.compile(cute.jit(_store_first), vector(), vector(), target="cpu")


@mistake("`@cute.jit(target=...)`", 'options="--target cpu"')
def option_of_the_decorator():
    cute.jit(target="cpu")(_store_first)


section("Compiling and calling")


@mistake("`cute.compile(f(x))`", "compile() takes a function decorated with @jit, but got NoneType")
def compiled_result():
    @cute.jit
    def nothing(a: cute.Tensor):
        pass

    cute.compile(nothing(np.zeros(4, np.float32)))


@mistake("`cute.compile(f)` without stand-ins", "missing")
def no_arguments():
    @cute.jit
    def copies(a, b):
        b[:] = a[:]

    cute.compile(copies, options="--target cpu")


@mistake(
    "`cute.compile` of a kernel",
    "takes a function decorated with @jit, but got the kernel `copies`",
    "help: compile the @jit function that launches it",
)
def compiled_kernel():
    cute.compile(copies, vector(), vector(), options="--target cpu")


@cute.jit
def copies_all(a: cute.Tensor, b: cute.Tensor):
    b[:] = a[:]


@mistake("a misspelt option", "--target (the nearest)")
def misspelt_option():
    cute.compile(copies_all, vector(), vector(), options="--targt cpu")


@mistake("`-O3`", "help: `--opt-level 3`")
def option_of_a_c_compiler():
    cute.compile(copies_all, vector(), vector(), options="-O3")


@mistake("`--target gpu`", "expected cpu", "cuda:sm_90a")
def unknown_target():
    cute.compile(copies_all, vector(), vector(), options="--target gpu")


@mistake("an architecture that does not exist", "known are", "sm_90a")
def unknown_architecture():
    cute.compile(copies_all, vector(), vector(), options="--target cuda:sm_95")


@mistake("float64, NumPy's default", "expected float32, but got float64")
def doubles():
    doubled()(np.zeros(8), np.zeros(8))


@mistake("arrays of different lengths", "expected to match a.shape[0] = 8, but got 9")
def two_lengths():
    doubled()(np.zeros(8, np.float32), np.zeros(9, np.float32))


@mistake("a list for a tensor", "Mismatched type on argument #0")
def list_for_a_tensor():
    doubled()([1.0, 2.0], np.zeros(2, np.float32))


@mistake("too few arguments", "`double(")
def too_few_arguments():
    doubled()(np.zeros(8, np.float32))


@mistake(
    "row-major arrays for column-major stand-ins",
    "strides=[1, n0]",
    "compile with stride_order=(1, 0)",
)
def row_major_arrays():
    @cute.jit
    def nothing(a: cute.Tensor):
        pass

    compiled = cute.compile(nothing, matrix(), options="--target cpu")
    compiled(np.zeros((3, 4), np.float32))


@mistake("a slice of every other element", "expected 1, but got 2")
def strided_array():
    doubled()(np.zeros(16, np.float32)[::2], np.zeros(8, np.float32))


@mistake("a misspelt function of a module", "did you mean `make_fake_compact_tensor`?")
def misspelt_stand_in():
    cute.runtime.make_fake_compact_tensr(Float32, (4,))


@mistake("`cute.float32`", "did you mean `Float32`?")
def type_in_lower_case():
    cute.make_rmem_tensor((4,), cute.float32)


@mistake(
    "stand-ins in another order than the parameters", "to be Tensor, but got the class Float32"
)
def stand_ins_swapped():
    @cute.jit
    def scale(x: cute.Tensor, factor: cute.Float32):
        x[0] = factor

    cute.compile(scale, Float32, vector(), options="--target cpu")


@mistake("a misspelt command", "invalid choice: 'insepct'", "did you mean `inspect`?")
def misspelt_command():
    done = subprocess.run(
        [sys.executable, "-m", "fairlead", "insepct", "x.so"], capture_output=True, text=True
    )
    assert done.returncode == 2
    raise SystemError(done.stderr)


@mistake("a misspelt option of a command", "did you mean `--json`?")
def misspelt_option_of_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "fairlead", "doctor", "--jsn"], capture_output=True, text=True
    )
    assert done.returncode == 2
    raise SystemError(done.stderr)


@mistake("a function without source", "its control flow cannot be rewritten")
def typed_into_exec():
    names = types.SimpleNamespace(cute=cute).__dict__
    exec("@cute.jit\ndef f(a, b):\n    b[0] = a[0]\n", names)
    cute.compile(names["f"], vector(), vector(), options="--target cpu")

"""Habits from CUDA C++ and other languages that Python and a compiler would accept: rows of mistakes.MISTAKES.

Each is answered with an error or a warning that names the remedy.
"""

import math
import random
import tempfile
import time
from pathlib import Path

import mistakes
import numpy as np
from mistakes import copies, doubled, in_kernel, mistake, on_host, section, vector

from fairlead import Float16, Float32, Int32, Int64, cute, pipeline

STRIDE = 1_200_000_000
RANDOM = np.random.default_rng(0)


def helper():
    pass


section("Calls without parentheses, statements without an effect")


@in_kernel("`sync_threads` without `()`", "has no effect", "call it: `cute.arch.sync_threads()`")
def uncalled_barrier(a, b):
    cute.arch.sync_threads
    b[0] = a[0]


@in_kernel("a function of the program without `()`", "call it: `helper()`")
def uncalled_helper(a, b):
    helper


@in_kernel("`if cute.arch.elect_one:`", "always holds", "call it: `cute.arch.elect_one()`")
def uncalled_condition(a, b):
    if cute.arch.elect_one:
        b[0] = a[0]


@in_kernel("`a[0] if cute.arch.elect_one else 0.0`", "call it: `cute.arch.elect_one()`")
def uncalled_ternary(a, b):
    b[0] = a[0] if cute.arch.elect_one else 0.0


@in_kernel("`while not cute.arch.elect_one:`", "call it: `cute.arch.elect_one()`")
def uncalled_loop_condition(a, b):
    while not cute.arch.elect_one:
        b[0] = a[0]


@in_kernel("`with cute.arch.elect_one:`", "call the function", "`cute.arch.elect_one()`")
def uncalled_with(a, b):
    with cute.arch.elect_one:
        b[0] = a[0]


@in_kernel("`b[cute.arch.lane_idx]`", "call it: `cute.arch.lane_idx()`")
def uncalled_index(a, b):
    b[cute.arch.lane_idx] = a[0]


@in_kernel("`b[0] = cute.arch.lane_idx`", "call it: `cute.arch.lane_idx()`")
def uncalled_value(a, b):
    b[0] = cute.arch.lane_idx


@in_kernel("`thread_idx[0]`", "call the function: `cute.arch.thread_idx()`")
def uncalled_tuple(a, b):
    b[cute.arch.thread_idx[0]] = a[0]


@on_host("`kernel(a, b).launch`", "has no effect", "call it: `copies(a, b).launch()`")
def uncalled_launch(a, b):
    copies(a, b).launch


@on_host("`kernel.launch(...)`", "`kernel(a, b).launch(grid=..., block=...)`")
def launch_without_arguments(a, b):
    copies.launch(grid=1, block=32)


@in_kernel("`b[0] == a[0]`, for `=`", "has no effect", "`=` stores", "`b[0] = a[0]`")
def comparison_for_assignment(a, b):
    b[0] == a[0]


@in_kernel("`++i`", "Python has no `++`: `i += 1`")
def increment(a, b):
    i = cute.arch.thread_idx()[0]
    ++i
    b[i] = a[i]


@in_kernel("`--i`", "Python has no `--`: `i -= 1`")
def decrement(a, b):
    i = cute.arch.thread_idx()[0]
    --i
    b[i] = a[i]


@in_kernel("`i.to(Float32)` whose result is not kept", "store the new one", "`x = i.to(Float32)`")
def dropped_conversion(a, b):
    i = cute.arch.thread_idx()[0]
    i.to(Float32)
    b[i] = a[i]


@in_kernel("`a[0] + 1.0` whose result is not kept", "has no effect", "store the new one")
def dropped_sum(a, b):
    a[0] + 1.0


section("Text that is printed")


@in_kernel("an f-string in `printf`", "while tracing", "cute.printf(")
def printf_of_f_string(a, b):
    cute.printf(f"x = {a[0]}")


@in_kernel('`printf("{}".format(x))`', "while tracing", "cute.printf(")
def printf_of_format(a, b):
    cute.printf("x = {}".format(a[0]))  # noqa: UP032


@in_kernel('`printf("%f" % x)`', "while tracing", "cute.printf(")
def printf_of_percent(a, b):
    cute.printf("x = %f" % a[0])  # noqa: UP031


@in_kernel('`printf("%f, %f" % (x, y))`', "while tracing", "cute.printf(")
def printf_of_percents(a, b):
    cute.printf("%f, %f" % (a[0], a[1]))  # noqa: UP031


@in_kernel('`printf("x = " + str(x))`', "while tracing", "cute.printf(")
def printf_of_sum(a, b):
    cute.printf("x = " + str(a[0]))


@on_host("a format in an f-string", "`cute.printf(")
def format_of_a_number(a, b):
    print(f"{a.shape[0]:5d}")


@in_kernel("an f-string in `assert_`", "a constant text")
def assertion_of_f_string(a, b):
    cute.testing.assert_(a[0] > 0, f"a[0] is {a[0]}")


@in_kernel("`%d` of a float", "`%f` prints floats")
def printf_of_another_type(a, b):
    cute.printf("%d", a[0])


@in_kernel("a conversion too many", "as many values as conversions")
def printf_of_too_few(a, b):
    cute.printf("%d %d", cute.arch.thread_idx()[0])


section("Barriers")


@in_kernel("a barrier of 50 threads", "a multiple of 32", "`number_of_threads=64`")
def barrier_of_half_a_warp(a, b):
    cute.arch.barrier(barrier_id=1, number_of_threads=50)


@in_kernel("an arrival of 2000 threads", "a multiple of 32", "`number_of_threads=1024`")
def arrival_of_many(a, b):
    cute.arch.barrier_arrive(barrier_id=1, number_of_threads=2000)


@in_kernel("`NamedBarrier` of 50 threads", "multiples of 32")
def named_barrier_of_half_a_warp(a, b):
    pipeline.NamedBarrier(barrier_id=1, num_threads=50).arrive_and_wait()


@in_kernel("`barrier(1, 64)`", "cute.arch.barrier(barrier_id=1, number_of_threads=64)")
def barrier_by_place(a, b):
    cute.arch.barrier(1, 64)


@in_kernel("`sync_threads(64)`", "for some, `cute.arch.barrier(")
def barrier_of_some(a, b):
    cute.arch.sync_threads(64)


@in_kernel("barrier 16", "a number from 0 to 15")
def barrier_out_of_range(a, b):
    cute.arch.barrier(barrier_id=16, number_of_threads=32)


def launches(title: str, *texts: str):
    """A mistake in a kernel that is launched with two warps."""

    def register(function):
        def program(target="cpu"):
            device = cute.kernel(function)

            @cute.jit
            def launch(a: cute.Tensor, b: cute.Tensor):
                device(a, b).launch(grid=1, block=64)

            cute.compile(launch, vector(), vector(), options=f"--target {target}")

        program.__name__ = function.__name__
        program.source = function
        mistake(title, *texts)(program)
        return function

    return register


@launches(
    "a barrier inside `if i < 16`",
    "the thread index x < 16",
    "Move the barrier out of the branch",
    "the barrier is `sync_threads` in line ",
    "inside the `if` of line ",
)
def barrier_in_a_branch(a, b):
    i = cute.arch.thread_idx()[0]
    if i < 16:
        b[i] = a[i]
        cute.arch.sync_threads()
    b[i] = 1.0


@launches("a shuffle inside `if i < 16`", "Move it out of the branch")
def shuffle_in_a_branch(a, b):
    i = cute.arch.thread_idx()[0]
    if i < 16:
        b[i] = cute.arch.shuffle_sync_down(a[i], 1)
    b[i] = 1.0


@launches("a barrier of the warp under `elect_one`", "Move it out of the branch")
def barrier_of_an_elected_lane(a, b):
    with cute.arch.elect_one():
        cute.arch.sync_warp()
    b[0] = a[0]


@in_kernel("an mbarrier of 0 arrivals", "1 to 1048575 as cnt")
def mbarrier_of_none(a, b):
    cute.arch.mbarrier_init(cute.arch.alloc_smem(Int64, 1), 0)


@in_kernel(
    "a tensor as an mbarrier",
    "mbar_ptr takes a pointer, but got Tensor",
    "`t.iterator` is the address",
)
def mbarrier_in_a_tensor(a, b):
    cute.arch.mbarrier_init(cute.SmemAllocator().allocate_tensor(Int64, 1), 1)


@in_kernel("phase 2 of an mbarrier", "0 to 1 as phase")
def mbarrier_phase(a, b):
    barrier = cute.arch.alloc_smem(Int64, 1)
    cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_wait(barrier, 2)


@in_kernel("a negative number of bytes", "0 to 1048575 as bytes")
def mbarrier_bytes(a, b):
    barrier = cute.arch.alloc_smem(Int64, 1)
    cute.arch.mbarrier_init(barrier, 1)
    cute.arch.mbarrier_arrive_and_expect_tx(barrier, -16)


@in_kernel("`setmaxregister_increase(100)`", "a multiple of 8")
def registers_of_a_warpgroup(a, b):
    cute.arch.setmaxregister_increase(100)


@in_kernel("`cp_async_wait_group` of a run-time number", "a compile-time number")
def run_time_groups(a, b):
    cute.arch.cp_async_wait_group(cute.arch.thread_idx()[0])


section("Warps and atomics")


@in_kernel("a shuffle in CUDA's order", "the value comes first, and the mask last")
def shuffle_in_order_of_cuda(a, b):
    b[0] = cute.arch.shuffle_sync_down(0xFFFFFFFF, a[0], 16)


@in_kernel("the same, with half a mask", "the value comes first, and the mask last")
def shuffle_of_a_mask(a, b):
    b[0] = cute.arch.shuffle_sync(0xFFFF, cute.arch.lane_idx(), 0).to(Float32)


@in_kernel("a float as offset of a shuffle", "an integer as offset", "`.to(cute.Int32)`")
def shuffle_by_a_float(a, b):
    b[0] = cute.arch.shuffle_sync_down(a[0], 32 / 2)


@in_kernel("a run-time float as offset", "an integer as offset", "`.to(cute.Int32)`")
def shuffle_by_a_run_time_float(a, b):
    b[0] = cute.arch.shuffle_sync(a[0], a[1])


@in_kernel("`shuffle_sync_down(x, 32)`", "0 to 31", "a warp has 32 threads")
def shuffle_beyond_the_warp(a, b):
    b[0] = cute.arch.shuffle_sync_down(a[0], 32)


@in_kernel("`shuffle_sync_bfly(x, 64)`", "0 to 31", "a warp has 32 threads")
def butterfly_beyond_the_warp(a, b):
    b[0] = cute.arch.shuffle_sync_bfly(a[0], 64)


@in_kernel("`shuffle_sync_up(x, -1)`", "0 to 31")
def shuffle_by_a_negative(a, b):
    b[0] = cute.arch.shuffle_sync_up(a[0], -1)


@in_kernel("a warp reduction of 64 threads", "1, 2, 4, 8, 16 or 32 threads")
def reduction_of_two_warps(a, b):
    b[0] = cute.arch.warp_reduction_sum(a[0], 64)


@in_kernel("a float as mask", "an integer as mask")
def float_mask(a, b):
    cute.arch.sync_warp(1.5)


@in_kernel("`popc` of a float", "an integer as value", "`.bitcast(cute.Int32)`")
def bits_that_a_float_has(a, b):
    b[0] = cute.arch.popc(a[0]).to(Float32)


@in_kernel("`atomic_cas(p, 0.0, 1.0)`", "cmp=expected, val=value")
def exchange_by_place(a, b):
    cute.arch.atomic_cas(b.iterator, 0.0, 1.0)


@in_kernel("`atomic_add(b[0], x)`", "`t.iterator + i` is the address of `t[i]`")
def atomic_of_a_value(a, b):
    cute.arch.atomic_add(b[0], a[0])


@in_kernel("`atomic_and` of floats", "32- and 64-bit integers support all atomic operations")
def atomic_and_of_floats(a, b):
    cute.arch.atomic_and(b.iterator, 1)


section("Memory and indices")


@in_kernel("`i * 1_200_000_000` as an index", "overflows from i = 2 on", "`cute.Int64(i)`")
def index_overflow(a, b):
    i = cute.arch.thread_idx()[0]
    b[i * 1_200_000_000] = a[0]


@in_kernel("the same by a constant of the module", "overflows from i = 2 on", "`cute.Int64(i)`")
def index_overflow_by_name(a, b):
    i = cute.arch.thread_idx()[0]
    b[7 + i * STRIDE] = a[0]


@in_kernel("`i * 1024 * 1024 * 1024`, used later", "overflows from i = 2 on", "`cute.Int64(i)`")
def index_overflow_before(a, b):
    i = cute.arch.thread_idx()[0]
    offset = i * 1024 * 1024 * 1024
    b[offset] = a[0]


@in_kernel("`b.iterator + i * STRIDE`", "overflows from i = 2 on", "`cute.Int64(i)`")
def pointer_overflow(a, b):
    i = cute.arch.thread_idx()[0]
    cute.arch.atomic_add(b.iterator + i * STRIDE, a[0])


@in_kernel("`i << 32`", "32 bits", "`cute.Int64(x) << 32`")
def shift_of_all_bits(a, b):
    i = cute.arch.thread_idx()[0]
    b[0] = (i << 32).to(Float32)


@in_kernel("`i <<= 40`", "32 bits", "`cute.Int64(x) << 40`")
def shift_in_place(a, b):
    i = cute.arch.thread_idx()[0]
    i <<= 40
    b[0] = i.to(Float32)


@in_kernel("`alloc_smem(Float32)`", "`cute.arch.alloc_smem(cute.Float32, 256)`")
def shared_memory_without_a_size(a, b):
    cute.arch.alloc_smem(Float32)


@in_kernel("shared memory that nobody writes", "nothing in it writes", "Store or copy to it before")
def unwritten_shared_memory(a, b):
    tile = cute.SmemAllocator().allocate_tensor(Float32, 32)
    b[0] = tile[0]


@in_kernel("a constant index beyond shared memory", "of extent 8")
def beyond_shared_memory(a, b):
    tile = cute.SmemAllocator().allocate_tensor(Float32, (8, 8))
    tile[9, 0] = a[0]


@in_kernel("a constant index beyond registers", "outside the 4 elements")
def beyond_registers(a, b):
    t = cute.make_rmem_tensor((4,), Float32)
    t[4] = a[0]


@in_kernel("`a[-1]`", "a[a.shape[0] - 1]")
def negative_index(a, b):
    b[0] = a[-1]


@in_kernel("`b[0][1] = x`", "`t[i, j] = x`")
def store_to_an_element(a, b):
    b[0][1] = a[0]


@in_kernel("`a[::2]`", "cute.local_tile", "cute.domain_offset")
def strided_slice(a, b):
    b[0] = a[::2][0]


@in_kernel("`b[0:4] = a[0:4]`", "cute.local_tile")
def bounded_slice(a, b):
    b[0:4] = a[0:4]


@in_kernel("`b[0] = thread_idx()`", "`x, y, z = cute.arch.thread_idx()`")
def store_of_a_tuple(a, b):
    b[0] = cute.arch.thread_idx()


@in_kernel("`len(a)`", "`t.shape[0]` is the extent")
def length_of_a_tensor(a, b):
    for i in range(len(a)):
        b[i] = a[i]


@in_kernel("`range(a)`", "`range(t.shape[0])`")
def range_of_a_tensor(a, b):
    for i in range(a):
        b[i] = 1.0


@in_kernel("`range(a.shape)`", "`range(t.shape[0])`")
def range_of_a_shape(a, b):
    for i in range(a.shape):
        b[i] = 1.0


@in_kernel("a range whose step is 0", "must not be 0")
def range_without_a_step(a, b):
    for i in range(0, 10, 0):
        b[i] = 1.0


section("Numbers")


@in_kernel("`Float16(x) * 70000`", "becomes infinity in Float16", "`x.to(cute.Float32)`")
def overflow_of_a_product(a, b):
    b[0] = (Float16(a[0]) * 70000).to(Float32)


@in_kernel("`Float16(x) + 1e6`", "becomes infinity in Float16", "`x.to(cute.Float32)`")
def overflow_of_a_sum(a, b):
    b[0] = (Float16(a[0]) + 1e6).to(Float32)


@in_kernel("`x *= 70000` of a Float16", "becomes infinity in Float16")
def overflow_in_place(a, b):
    x = Float16(a[0])
    x *= 70000
    b[0] = x.to(Float32)


@in_kernel("`Float16(70000)`", "becomes infinity in Float16")
def overflow_of_a_constant(a, b):
    b[0] = Float16(70000).to(Float32)


@in_kernel("`x * 1e39` of a Float32", "becomes infinity in Float32")
def overflow_of_a_float(a, b):
    b[0] = a[0] * 1e39


@in_kernel("1e-8 beside a Float16", "becomes 0 in Float16", "`x.to(cute.Float32)`")
def small_constant(a, b):
    b[0] = (1.0 / (Float16(a[0]) + 1e-8)).to(Float32)


@in_kernel("`x / 0`", "by the constant 0", "`x / y if y != 0 else other`")
def division_by_0(a, b):
    b[0] = a[0] / 0


@in_kernel("`x / 0.0`", "by the constant 0", '`float("inf")`')
def division_by_a_float(a, b):
    b[0] = a[0] / 0.0


@in_kernel("`x // 0` of a float", "by the constant 0")
def floor_division_by_0(a, b):
    b[0] = a[0] // 0


@in_kernel("`x % 0.0`", "by the constant 0")
def remainder_of_0(a, b):
    b[0] = a[0] % 0.0


@in_kernel("`x /= 0`", "by the constant 0")
def division_in_place(a, b):
    x = a[0]
    x /= 0
    b[0] = x


@in_kernel("`i / 0` of an integer", "by the constant 0")
def true_division_of_an_integer(a, b):
    b[0] = cute.arch.thread_idx()[0] / 0


@in_kernel("`i % 0` of an integer", "divided by 0")
def remainder_of_an_integer(a, b):
    b[cute.arch.thread_idx()[0] % 0] = a[0]


@in_kernel('`x == float("nan")`', "False for every number", "`x != x`")
def equal_to_nan(a, b):
    if a[0] == float("nan"):
        b[0] = 0.0


@in_kernel("`x != math.nan`", "True for every number", "`x != x`")
def unequal_to_nan(a, b):
    if a[0] != math.nan:
        b[0] = 0.0


@in_kernel("`math.isnan(x)`", "`x != x`")
def nan_by_python(a, b):
    if math.isnan(a[0]):
        b[0] = 0.0


@in_kernel("`i is 0`", "compare numbers by `==`: `i == ZERO`")
def identity_with_a_constant(a, b):
    i = cute.arch.thread_idx()[0]
    if i is ZERO:
        b[0] = a[0]


ZERO = 0


@in_kernel("`0 is not i`", "compare numbers by `!=`: `ZERO != i`")
def identity_of_a_constant(a, b):
    i = cute.arch.thread_idx()[0]
    if ZERO is not i:
        b[0] = a[0]


@in_kernel("`1 if c else 0.5`", "write the integer as a float")
def mixed_arms(a, b):
    b[0] = 1 if a[0] > 0 else 0.5


@in_kernel("`x ^ 2`", "integers have bits")
def power_of_c(a, b):
    b[0] = a[0] ^ 2


@in_kernel("`x > 0 & y > 0`", "integers have bits")
def precedence_of_c(a, b):
    if a[0] > 0 & a[1] > 0:
        b[0] = 1.0


@in_kernel('`Float32("1.0")`', "`float(text)`")
def number_of_a_text(a, b):
    b[0] = Float32("1.0")


@in_kernel("`x.to(int)`", "`cute.Int32`")
def type_of_python(a, b):
    b[0] = a[0].to(int)


@in_kernel('`x.to("float32")`', "`cute.Float32`")
def type_by_name(a, b):
    b[0] = a[0].to("float32")


@in_kernel("`x * 1j`", "kernels have no complex numbers")
def complex_number(a, b):
    b[0] = a[0] * 1j


@in_kernel("`math.pow(x, 2)`", "`a ** b`")
def power_of_python(a, b):
    b[0] = math.pow(a[0], 2)


@in_kernel("`math.floor(x)`", "`cute.math.floor(x)`")
def floor_of_python(a, b):
    b[0] = math.floor(a[0])


@in_kernel("`abs(a)` of a tensor", "`abs(a[i])`")
def magnitude_of_a_tensor(a, b):
    b[0] = abs(a)[0]


section("Functions of Python, called while tracing")


@in_kernel("`random.random()`", "runs once, while `random_number` is traced", "in a tensor")
def random_number(a, b):
    b[0] = a[0] * random.random()


@in_kernel("`np.random.rand()`", "runs once", "in a tensor")
def random_number_of_numpy(a, b):
    b[0] = a[0] * np.random.rand()


@in_kernel("a number of a NumPy generator", "runs once", "in a tensor")
def random_number_of_a_generator(a, b):
    b[0] = a[0] * RANDOM.random()


@on_host("`random.randint(0, 9)` in a host function", "runs once", "a seed argument")
def random_number_of_the_host(a, b):
    b[0] = a[0] * random.randint(0, 9)


@in_kernel("`time.time()`", "runs once", "`cute.arch.globaltimer()`")
def clock_of_python(a, b):
    b[0] = a[0] * time.time()


@in_kernel("`time.perf_counter_ns()`", "runs once", "`cute.arch.clock64()`")
def counter_of_python(a, b):
    b[0] = a[0] * time.perf_counter_ns()


@in_kernel("`time.sleep(0)`", "runs once", "`cute.arch.nanosleep(n)`")
def sleep_of_python(a, b):
    time.sleep(0)
    b[0] = a[0]


@in_kernel("`if a:` of a tensor", "`t is not None`")
def truth_of_a_tensor(a, b):
    if a:
        b[0] = 1.0


@in_kernel("`sum(a)`", "`for i in range(n)`")
def sum_of_a_tensor(a, b):
    b[0] = sum(a)


@in_kernel("`for i, x in enumerate(a)`", "`for i in range(n)`")
def enumerated_tensor(a, b):
    for i, x in enumerate(a):
        b[i] = x


@in_kernel("`x in a`", "compare elements in a loop")
def membership(a, b):
    if 1.0 in a:
        b[0] = 1.0


@in_kernel("`raise` in a run-time branch", "cute.testing.assert_ checks when the program runs")
def raise_in_a_branch(a, b):
    if a[0] < 0:
        raise ValueError("negative")


@cute.jit
def factorial(n: Int32):
    if n <= 1:
        return n
    return n * factorial(n - 1)


@in_kernel("recursion", "recursion must end on a compile-time condition")
def recursion(a, b):
    b[0] = factorial(cute.arch.thread_idx()[0]).to(Float32)


@in_kernel("a kernel launched by a kernel", "kernels are launched by functions decorated with @jit")
def nested_launch(a, b):
    copies(a, b).launch(grid=1, block=32)


section("Files and options")


def in_folder(title: str, *texts: str):
    """A mistake in the name of a file, in a folder of its own."""

    def register(function):
        def program():
            with tempfile.TemporaryDirectory() as folder:
                try:
                    function(Path(folder))
                except Exception as error:
                    # The folder has another name each time.
                    raise type(error)(str(error).replace(folder, "build")) from None

        program.__name__ = function.__name__
        return mistake(title, *texts)(program)

    return register


@in_folder("`export_to_c` of a `.so`", "export_library writes a shared library")
def object_as_library(folder):
    doubled().export_to_c(folder / "double.so")


@in_folder("`export_to_c` of a `.a`", "writes an object file (.o)", "double.o`")
def object_as_archive(folder):
    doubled().export_to_c(folder / "double.a")


@in_folder("`export_to_c` of a `.ptx`", "writes an object file (.o)", "double.o`")
def object_as_ptx(folder):
    doubled().export_to_c(folder / "double.ptx")


@in_folder("`export_library` of a `.o`", "export_to_c writes an object file")
def library_as_object(folder):
    doubled().export_library(folder / "double.o")


@in_folder("`export_library` of a `.py`", "writes a shared library (.so)", "double.so`")
def library_as_module(folder):
    doubled().export_library(folder / "double.py")


@in_folder("an ending in `file_name`", "without their endings: `double`")
def file_name_with_an_ending(folder):
    doubled().export_to_c(file_path=folder, file_name="double.h", function_prefix="double")


@mistake("options as a list", "takes a string")
def options_as_a_list():
    cute.compile(mistakes.copies_all, vector(), vector(), options=["--target", "cpu"])


@mistake("`--opt-level 9`", "takes 0, 1, 2 or 3")
def optimisation_level():
    cute.compile(mistakes.copies_all, vector(), vector(), options="--opt-level 9")


@mistake("a read-only array that is written", "pass a copy or make it writeable")
def read_only_array():
    written = np.zeros(8, np.float32)
    written.flags.writeable = False
    doubled()(np.zeros(8, np.float32), written)


@mistake("arrays that overlap", "Store it to a tensor of its own first")
def overlapping_arrays():
    x = np.zeros(8, np.float32)
    doubled()(x[:7], x[1:])

"""Programs that Python and a compiler would accept, and that do not do what was meant: silent mistakes."""

import math
import random
import time
import warnings

import kernels
from error_cases import case, helped
from kernels import in_kernel

import fairlead
from fairlead import Float16, Float32, cute

ZERO = 0


def in_strict_kernel(function):
    """Compile a kernel; its warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", fairlead.errors.DSLUserWarning)
        in_kernel(function)


def uncalled(a, b):
    cute.arch.sync_threads


@case
def UncalledFunction():
    in_kernel(uncalled)


helped("UncalledFunction")(UncalledFunction)


def comparison(a, b):
    b[0] == a[0]


@case
def StatementWithoutEffect():
    in_kernel(comparison)


helped("StatementWithoutEffect", 0)(StatementWithoutEffect)


def increments(a, b):
    i = cute.arch.thread_idx()[0]
    ++i


@helped("StatementWithoutEffect", 1)
def increment():
    in_kernel(increments)


def decrements(a, b):
    i = cute.arch.thread_idx()[0]
    --i


@helped("StatementWithoutEffect", 2)
def decrement():
    in_kernel(decrements)


def drops(a, b):
    a[0].to(Float16)


@helped("StatementWithoutEffect", 3)
def dropped_value():
    in_kernel(drops)


def prints(a, b):
    cute.printf(f"{a[0]}")


@case
def FormattedValue():
    in_kernel(prints)


helped("FormattedValue", 0)(FormattedValue)


def asserts(a, b):
    cute.testing.assert_(a[0] > 0, f"{a[0]}")


@helped("FormattedValue", 1)
def formatted_message():
    in_kernel(asserts)


def draws(a, b):
    b[0] = random.random()


@case
def PythonConstant():
    in_strict_kernel(draws)


helped("PythonConstant", 0)(PythonConstant)


def sleeps(a, b):
    time.sleep(0)


@helped("PythonConstant", 1)
def sleep():
    in_strict_kernel(sleeps)


def measures(a, b):
    b[0] = time.perf_counter()


@helped("PythonConstant", 2)
def clock():
    in_strict_kernel(measures)


def overflows(a, b):
    b[0] = (Float16(a[0]) * 70000).to(Float32)


@case
def ConstantRange():
    in_strict_kernel(overflows)


helped("ConstantRange")(ConstantRange)


def divides(a, b):
    b[0] = a[0] / 0


@case
def FloatDivisionByZero():
    in_kernel(divides)


helped("FloatDivisionByZero")(FloatDivisionByZero)


def strides(a, b):
    b[cute.arch.thread_idx()[0] * 1_200_000_000] = a[0]


@case
def IndexOverflow():
    in_strict_kernel(strides)


helped("IndexOverflow")(IndexOverflow)


def shifts(a, b):
    b[0] = (cute.arch.thread_idx()[0] << 32).to(Float32)


@case
def ShiftRange():
    in_strict_kernel(shifts)


helped("ShiftRange")(ShiftRange)


def identifies(a, b):
    i = cute.arch.thread_idx()[0]
    if i is ZERO:
        b[0] = a[0]


@case
def IdentityComparison():
    in_kernel(identifies)


helped("IdentityComparison")(IdentityComparison)


def compares_nan(a, b):
    if a[0] == math.nan:
        b[0] = 0.0


@case
def NanComparison():
    in_strict_kernel(compares_nan)


helped("NanComparison")(NanComparison)


def waits(a, b):
    cute.arch.barrier(barrier_id=1, number_of_threads=50)


@case
def BarrierThreads():
    in_kernel(waits)


helped("BarrierThreads")(BarrierThreads)


def shuffles_in_order_of_cuda(a, b):
    b[0] = cute.arch.shuffle_sync_down(0xFFFFFFFF, a[0], 16)


@case
def ShuffleArgument():
    in_kernel(shuffles_in_order_of_cuda)


helped("ShuffleArgument", 0)(ShuffleArgument)


def shuffles_by_a_float(a, b):
    b[0] = cute.arch.shuffle_sync_down(a[0], 16.0)


@helped("ShuffleArgument", 1)
def float_offset():
    in_kernel(shuffles_by_a_float)


def shuffles_beyond(a, b):
    b[0] = cute.arch.shuffle_sync_down(a[0], 32)


@helped("ShuffleArgument", 2)
def far_offset():
    in_kernel(shuffles_beyond)


@helped("IndexType", 1)
def index_is_a_function():
    def device(a, b):
        b[cute.arch.lane_idx] = a[0]

    in_kernel(device)


@helped("PrintFormat")
def float_for_an_integer():
    def device(a, b):
        cute.printf("%d", a[0])

    in_kernel(device)


@helped("NumberType")
def number_of_a_text():
    def device(a, b):
        b[0] = Float32("1.0")

    in_kernel(device)


@helped("ScalarExpected", 0)
def range_of_a_shape():
    def device(a, b):
        for i in range(a.shape):
            b[i] = a[i]

    in_kernel(device)


@helped("ScalarExpected", 1)
def stored_tuple():
    def device(a, b):
        b[0] = cute.arch.thread_idx()

    in_kernel(device)


@helped("ScalarExpected", 2)
def stored_function():
    def device(a, b):
        b[0] = cute.arch.lane_idx

    in_kernel(device)


@helped("DTypeExpected", 1)
def type_of_python():
    def device(a, b):
        b[0] = a[0].to(int)

    in_kernel(device)


@helped("DynamicBool")
def truth_of_a_tensor():
    def device(a, b):
        if a:
            b[0] = 1.0

    in_kernel(device)


@helped("PointerExpected")
def atomic_of_a_value():
    def device(a, b):
        cute.arch.atomic_add(b[0], a[0])

    in_kernel(device)


@cute.jit
def frozen(a: cute.Tensor):
    a[0] = 1.0


@case
def CompileFrozen():
    with fairlead.freeze():
        cute.compile(frozen, kernels.vector(), options="--target cpu")


helped("CompileFrozen")(CompileFrozen)

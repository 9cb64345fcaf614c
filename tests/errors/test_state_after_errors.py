"""An error while tracing, compiling or calling leaves no state: the next compile and call work."""

import subprocess
import sys
import textwrap
import threading

import kernels
import numpy as np
import pytest

import fairlead
from fairlead import Int32, _compiler, cute

CPU = "--target cpu"


def works():
    assert not _compiler.tracing()
    a, b = kernels.zeros(), kernels.zeros()
    a[:] = 2
    cute.compile(kernels.double, a, b, options=CPU)(a, b)
    np.testing.assert_array_equal(b, 4)
    b[:] = 0
    kernels.double(a, b)
    np.testing.assert_array_equal(b, 4)


class Unusual(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)
        self.second = second


def raises_in(place):
    """A function that raises the user's own exception at this place of a trace."""

    def fail():
        raise Unusual("first", ["second"])

    @cute.kernel
    def device(a):
        if a[0] > 0.0:
            fail()

    @cute.jit
    def host(a: cute.Tensor, b: cute.Tensor):
        if place == "host":
            fail()
        if place == "kernel":
            device(a).launch(grid=1, block=1)
        if place == "loop":
            for _ in range(a.shape[0]):
                fail()
        if place == "inner compile":
            cute.compile(kernels.double, a, b, options=CPU)

    return host


@pytest.mark.parametrize("place", ["host", "kernel", "loop"])
@pytest.mark.parametrize("direct", [False, True])
def test_an_exception_of_the_user_is_shown_as_it_is(place, direct):
    host = raises_in(place)
    with pytest.raises(Unusual) as caught:
        if direct:
            host(kernels.zeros(), kernels.zeros())
        else:
            cute.compile(host, kernels.vector(), kernels.vector(), options=CPU)
    assert type(caught.value) is Unusual and caught.value.second == ["second"]
    assert caught.value.__cause__ is None
    works()


def test_base_exceptions_leave_the_state_clean():
    @cute.kernel
    def device(a):
        raise SystemExit(3)

    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    with pytest.raises(SystemExit):
        cute.compile(host, kernels.vector(), options=CPU)
    works()


def test_a_compile_inside_a_trace_then_works_outside():
    with pytest.raises(RuntimeError, match=r"compile\(\) is called while `host` is traced"):
        cute.compile(raises_in("inner compile"), kernels.vector(), kernels.vector(), options=CPU)
    works()


@pytest.mark.parametrize("mutual", [False, True])
def test_recursion_is_named_and_placed(mutual):
    @cute.jit
    def second(a: cute.Tensor):
        first(a)

    @cute.jit
    def first(a: cute.Tensor):
        if mutual:
            second(a)
        else:
            first(a)

    with pytest.raises(
        RecursionError, match="while `first` is traced: calls are inlined"
    ) as caught:
        cute.compile(first, kernels.vector(), options=CPU)
    assert f"{__file__}:" in str(caught.value)
    works()


def test_recursion_that_ends_while_tracing():
    @cute.jit
    def power(a: cute.Tensor, out: cute.Tensor, n: fairlead.Constexpr):
        if fairlead.const_expr(n == 0):
            out[0] = 1.0
        else:
            power(a, out, n - 1)
            out[0] = out[0] * a[0]

    out = np.zeros(1, np.float32)
    function = cute.compile(power, kernels.vector(), kernels.vector(), 5, options=CPU)
    function(np.full(1, 2, np.float32), out)
    assert out[0] == 32


def test_a_kernel_that_launches_itself():
    @cute.kernel
    def again(a):
        again(a).launch(grid=1, block=1)

    @cute.jit
    def host(a: cute.Tensor):
        again(a).launch(grid=1, block=1)

    with pytest.raises(RuntimeError, match="kernel `again` is called inside a kernel") as caught:
        cute.compile(host, kernels.vector(), options=CPU)
    assert "again(a)" in str(caught.value) and f"{__file__}:" in str(caught.value)
    works()


@pytest.mark.parametrize("index", ["list", "tuple", "dict"])
def test_a_run_time_index_into_a_container_of_python(index):
    container = {"list": [1.0, 2.0], "tuple": (1.0, 2.0), "dict": {0: 1.0, 1: 2.0}}[index]

    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        a[0] = container[n]

    with pytest.raises((TypeError, KeyError)) as caught:
        cute.compile(host, kernels.vector(), 1, options=CPU)
    if index != "dict":
        assert "container[n]" in str(caught.value) and f"{__file__}:" in str(caught.value)
    works()


# --- The grid.


@cute.kernel
def device(a):
    a[0] = 1.0


GRIDS = {
    "product": (lambda n: n * n, 65537, "4295098369"),
    "sum": (lambda n: n + (2**31 - 8), 16, "2147483656"),
    "ceil_div": (lambda n: cute.ceil_div(n * 1001, 128), 2**30, r"-?\d+"),
    "difference": (lambda n: -n - (2**31 - 1), 5, "-2147483652"),
    "Int64": (lambda n: cute.Int64(n) * n, 65537, "4295098369"),
}


@pytest.mark.parametrize("name", GRIDS)
def test_a_grid_that_does_not_fit_32_bits(name):
    extent, n, value = GRIDS[name]

    @cute.jit
    def host(a: cute.Tensor, n: Int32):
        device(a).launch(grid=(1, extent(n)), block=1)

    function = cute.compile(host, kernels.vector(), 1, options=CPU)
    a = kernels.zeros()
    with pytest.raises(
        ValueError,
        match=rf"Invalid grid\[1\] when launching `device`, expected an integer of 32 bits, but got {value}",
    ):
        function(a, n)
    assert a[0] == 0
    function(a, 1) if name not in ("sum", "difference") else None
    works()


@pytest.mark.parametrize("what", ["grid", "block"])
def test_constants_that_do_not_fit(what):
    @cute.jit
    def host(a: cute.Tensor):
        device(a).launch(**{"grid": 1, "block": 1, what: 2**40})

    with pytest.raises(ValueError, match=rf"Invalid {what}\[0\] .*but got 1099511627776"):
        cute.compile(host, kernels.vector(), options=CPU)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ((-1,), "expected extents of 0 or more"),
        ((2**31 - 1, 2**31 - 1, 2), "expected at most"),
    ],
)
def test_grids_past_the_limits(grid, message):
    @cute.jit
    def host(a: cute.Tensor, x: Int32, y: Int32, z: Int32):
        device(a).launch(grid=(x, y, z), block=1)

    function = cute.compile(host, kernels.vector(), 1, 1, 1, options=CPU)
    with pytest.raises(ValueError, match=f"Invalid grid when launching `device`, {message}"):
        function(kernels.zeros(), *(*grid, 1, 1)[:3])
    works()


# --- Interrupts.


def test_an_interrupt_of_a_long_compile_in_another_process(tmp_path):
    """Ctrl-C while tracing ends the trace; while machine code is made, it is seen when that is done. The process then
    compiles and calls as before."""
    code = """
        import os, signal, sys, threading, time
        import numpy as np
        import fairlead
        from fairlead import Float32, cute

        @cute.jit
        def long(a: cute.Tensor):
            value = a[0]
            for _ in fairlead.range_constexpr(20000):
                value = value * 1.5 + 0.25
            a[0] = value

        @cute.jit
        def short(a: cute.Tensor):
            a[0] = 3.0

        fake = cute.runtime.make_fake_compact_tensor(Float32, (cute.sym_int(),))
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
        timer = threading.Timer(float(sys.argv[1]), os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        try:
            cute.compile(long, fake, options="--target cpu --no-cache")
            time.sleep(5)  # the compile was faster
        except KeyboardInterrupt:
            print("interrupted")
        a = np.zeros(1, np.float32)
        cute.compile(short, fake, options="--target cpu --no-cache")(a)
        print(a[0])
    """
    (tmp_path / "long.py").write_text(textwrap.dedent(code))
    for delay in ("0.1", "0.5"):
        done = subprocess.run(
            [sys.executable, str(tmp_path / "long.py"), delay],
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.stdout == "interrupted\n3.0\n", done.stdout + done.stderr


def test_errors_on_one_thread_do_not_disturb_another():
    failures = []

    def fail_often():
        for _ in range(5):
            try:
                cute.compile(raises_in("kernel"), kernels.vector(), kernels.vector(), options=CPU)
            except Unusual:
                continue
            failures.append("nothing was raised")

    threads = [threading.Thread(target=fail_often) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        works()
    for thread in threads:
        thread.join()
    assert not failures

"""Tracebacks show the user's frames, and errors the user's line, also inside helpers."""

import os
import queue
import re
import runpy
import signal
import subprocess
import sys
import textwrap
import threading
import time
import traceback

import kernels
import numpy as np
import pytest

import fairlead
from fairlead import cute

PACKAGE = os.path.dirname(fairlead.__file__) + os.sep


def frames(error):
    return [entry for entry in traceback.extract_tb(error.__traceback__)]


def helper(value):
    return value.no_such_attribute


@cute.jit
def decorated_helper(value):
    if value > 0:
        helper(value)


def fails(a, b):
    for i in range(a.shape[0]):
        decorated_helper(a[i])


@pytest.mark.parametrize("direct", [False, True])
def test_exceptions_of_the_user_show_the_users_frames(direct):
    function = cute.jit(fails)
    with pytest.raises(AttributeError, match="no_such_attribute") as caught:
        if direct:
            function(kernels.zeros(), kernels.zeros())
        else:
            cute.compile(function, kernels.vector(), kernels.vector(), options="--target cpu")
    shown = frames(caught.value)
    assert not [entry for entry in shown if entry.filename.startswith(PACKAGE)]
    names = [entry.name for entry in shown if entry.filename == __file__][1:]
    assert names[0] == "fails" and names[-1] == "helper" and "decorated_helper" in names
    assert not [name for name in names if name.startswith("_fl")]


def test_errors_of_the_language_point_into_helpers():
    def wrong(value):
        return value & 1.5

    def host(a, b):
        wrong(a[0])

    with pytest.raises(TypeError, match="unsupported operands") as caught:
        kernels.compile_host(host, kernels.vector(), kernels.vector())
    place, line, marker, advice = str(caught.value).split("\n")
    assert place.startswith(f"{__file__}:")
    assert advice.startswith("    help: integers have bits")
    assert line.strip() == "return value & 1.5"
    assert marker.strip() == "^" + "~" * len("alue & 1.5")
    assert not [entry for entry in frames(caught.value) if entry.filename.startswith(PACKAGE)]


def test_debug_shows_everything():
    code = """
        import traceback, fairlead
        from fairlead import cute
        try:
            cute.compile(print, options="--target cpu")
        except TypeError as error:
            print(sum("fairlead" in entry.filename for entry in traceback.extract_tb(error.__traceback__)))
    """
    for value, check in (("", lambda n: n == 0), ("1", lambda n: n > 0)):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)],
            capture_output=True,
            text=True,
            env={**os.environ, "FAIRLEAD_DEBUG": value},
        )
        assert done.returncode == 0, done.stderr
        assert check(int(done.stdout)), done.stdout


def test_after_an_exception_the_next_compile_works():
    test_exceptions_of_the_user_show_the_users_frames(False)
    a, b = kernels.zeros(), kernels.zeros()
    a[:] = 2
    cute.compile(kernels.double, a, b, options="--target cpu")(a, b)
    np.testing.assert_array_equal(b, 4)


def test_an_interrupt_while_tracing():
    # A shell may have had it ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    @cute.jit
    def slow(a: cute.Tensor, b: cute.Tensor):
        for _ in fairlead.range_constexpr(10**9):
            time.sleep(0.001)

    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        cute.compile(slow, kernels.vector(), kernels.vector(), options="--target cpu")
    timer.join()
    signal.signal(signal.SIGINT, before)
    test_after_an_exception_the_next_compile_works()


def test_recursion():
    @cute.jit
    def endless(a: cute.Tensor, b: cute.Tensor):
        endless(a, b)

    with pytest.raises(RecursionError, match="recursion must end on a compile-time condition"):
        cute.compile(endless, kernels.vector(), kernels.vector(), options="--target cpu")
    test_after_an_exception_the_next_compile_works()


@pytest.mark.parametrize("count", [280, 400, 600, 900])
def test_many_elifs_are_no_recursion(count, tmp_path):
    """Control flow that is nested too deep is called that, wherever the stack ends: while it is read, or traced."""
    lines = ["from fairlead import cute", "@cute.jit", "def pick(a: cute.Tensor, b: cute.Tensor):"]
    lines += ["    x = a[0]", "    if x == 0:", "        b[0] = 0.0"]
    for i in range(1, count):
        lines += [f"    elif x == {i}:", f"        b[0] = {i}.0"]
    path = tmp_path / "many.py"
    path.write_text("\n".join(lines) + "\n")
    scope = runpy.run_path(str(path))
    try:
        cute.compile(scope["pick"], kernels.vector(), kernels.vector(), options="--target cpu")
    except NotImplementedError as error:
        assert str(error).startswith(str(path))
        found = re.search(
            r"in `pick` control flow that is nested (\d+) deep \(each `elif` is a level\)",
            str(error),
        )
        assert found and 100 < int(found[1]) <= count
    test_after_an_exception_the_next_compile_works()


def test_a_deep_expression(tmp_path):
    lines = ["from fairlead import cute", "@cute.jit", "def pick(a: cute.Tensor, b: cute.Tensor):"]
    lines.append("    b[0] = a[0]" + " + a[0]" * 900)
    path = tmp_path / "deep.py"
    path.write_text("\n".join(lines) + "\n")
    scope = runpy.run_path(str(path))
    try:
        cute.compile(scope["pick"], kernels.vector(), kernels.vector(), options="--target cpu")
    except NotImplementedError as error:
        assert str(error).startswith(f"{path}:3: in `pick` an expression that is nested 90")
    test_after_an_exception_the_next_compile_works()


def test_a_list_indexed_at_run_time():
    def host(a, b):
        values = [1.0, 2.0]
        b[0] = values[a.shape[0]]

    with pytest.raises(TypeError, match="needs a compile-time number") as caught:
        kernels.compile_host(host, kernels.vector(), kernels.vector())
    assert "values[a.shape[0]]" in str(caught.value)


def test_a_kernel_that_calls_a_kernel():
    @cute.kernel
    def inner(a):
        pass

    def outer(a, b):
        inner(a)

    with pytest.raises(RuntimeError, match="`inner` is called inside a kernel"):
        kernels.in_kernel(outer)


def test_a_compile_time_argument_that_is_missing_or_foreign():
    with pytest.raises(TypeError, match="missing a required argument: 'b'"):
        cute.compile(kernels.double, kernels.vector())
    with pytest.raises(TypeError, match="cannot take str as argument #0"):
        cute.compile(kernels.nothing, "text", kernels.vector(), options="--target cpu")
    with pytest.raises(TypeError, match="cannot take set as argument #0"):
        cute.compile(kernels.nothing, {1, 2}, kernels.vector(), options="--target cpu")


def test_errors_of_a_launch_show_no_native_frames():
    """The stack of a launch goes through generated code, the runtime and the interpreter: nothing of the user's."""

    @cute.kernel
    def device(a):
        pass

    @cute.jit
    def launch(a: cute.Tensor):
        device(a).launch(grid=1, block=a.shape[0] + 4096)

    compiled = cute.compile(launch, kernels.vector(), options="--target cpu")
    with pytest.raises(ValueError, match="1 to 1024 threads") as caught:
        compiled(kernels.zeros())
    assert [entry.filename for entry in frames(caught.value)] == [__file__]


def test_rewritten_functions_have_their_names():
    """Tools that show code by its qualified name, as notebooks do, know nothing of how it was rewritten."""
    names = queue.SimpleQueue()  # a list would be state of the program

    def note():
        code = sys._getframe(1).f_code
        names.put((code.co_name, code.co_qualname))

    def outer(a, b):
        note()
        for i in range(a.shape[0]):
            note()
            b[i] = a[i]

        def inner():
            note()

        inner()

    kernels.compile_host(outer, kernels.vector(), kernels.vector())
    here = f"{test_rewritten_functions_have_their_names.__qualname__}.<locals>.outer"
    found = [names.get() for _ in range(names.qsize())]
    assert found == [("outer", here), ("outer", here), ("inner", f"{here}.<locals>.inner")]

"""Rules that hold for any program: at its end, in threads, after errors, with numbers that do not fit."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

from fairlead import ffi

PRELUDE = """
import os, sys, threading, time
import numpy as np
from fairlead import ffi
kernels = ffi.load_module(sys.argv[1])
class Loud:
    def __call__(self, *args):
        return len(args)
"""

ENDS = {
    "objects": "kept = [ffi.Array([1, 'text' * 9]), ffi.Map({'a': [ffi.Shape((1, 2))]}), ffi.convert(Loud())]",
    "cycle": "cycle = []\ncycle.append(ffi.convert(lambda: cycle))\ncycle.append(cycle[0])",
    "globalCallback": "ffi.register_global_func('test.end', Loud())",
    "globalMethod": "class A:\n    def f(self): return self\nffi.register_global_func('test.end', A().f)",
    "keptTensor": "x = np.zeros(5)\nkernels.swap(x)\ny = ffi.from_dlpack(x)",
    "keptCallback": "kernels.swap(Loud())",
    "keptError": "try:\n    kernels['raise']('ValueError', 'x')\nexcept ValueError as error:\n    kept = error",
    "nativeThread": "kernels.call_forever(Loud())\ntime.sleep(0.05)",
    "failingNativeThread": "kernels.call_forever(ffi.convert(lambda: 1 / 0))\ntime.sleep(0.05)",
    "daemonInCall": "threading.Thread(target=kernels.sleep, args=(10000,), daemon=True).start()\ntime.sleep(0.05)",
    "daemonCalling": (
        "def work():\n    while True: kernels.apply(Loud(), np.zeros(3), 'text' * 9, [1, 2])\n"
        "for _ in range(3): threading.Thread(target=work, daemon=True).start()\ntime.sleep(0.05)"
    ),
    "atexit": "import atexit\natexit.register(lambda: kernels.apply(Loud(), np.zeros(3)))",
    "inCallback": "kernels.apply(lambda: os._exit(0))",
    "exitInCallback": "kernels.apply(lambda: sys.exit(0))",
    "finalizer": "import weakref\nx = Loud()\nweakref.finalize(x, kernels.apply, Loud(), 1)",
    "streams": "ffi.use_raw_stream(ffi.device('cuda:0'), 7).__enter__()",
    "module": "other = ffi.load_module(sys.argv[1], keep_module_alive=False)\nf = other.echo\ndel other",
}


@pytest.mark.parametrize("name", ENDS)
def test_end(kernels_path, name):
    """The process ends with 0, whatever objects and threads are alive."""
    code = PRELUDE + ENDS[name]
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-X", "faulthandler", "-c", code, str(kernels_path)],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr


def caught_signals(code):
    program = (
        "def caught():\n"
        "    lines = open('/proc/self/status').read().splitlines()\n"
        "    return next(line for line in lines if line.startswith('SigCgt'))\n"
        f"before = caught()\n{code}\nprint(before == caught())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_no_signal_handler():
    """No handler is installed by the import, by a call, or by an error with its backtrace."""
    if os.environ.get("FAIRLEAD_FORCE_OWN_FFI") != "1":
        # The library of an installed apache-tvm-ffi has a handler of its own.
        from fairlead.ffi import _library

        if _library.has_other_package():
            pytest.skip("apache-tvm-ffi is installed")
    code = (
        "from fairlead import ffi\n"
        "f = ffi.convert(lambda x: x)\n"
        "assert f(3) == 3\n"
        "try:\n    ffi.get_global_func('ffi.ModuleLoadFromFile')('/none.so')\n"
        "except Exception: pass"
    )
    assert caught_signals(code) == "True"


def together(work, count=8):
    errors = []
    barrier = threading.Barrier(count)

    def run(number):
        barrier.wait()
        try:
            work(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


def test_registering_from_threads():
    """Functions are registered, replaced, looked up, listed and removed by all threads at once."""
    ffi.register_global_func("test.threads.shared", lambda: -1, override=True)

    def work(number):
        for i in range(150):
            name = f"test.threads.{number}.{i}"
            ffi.register_global_func(name, lambda value=(number, i): value[0] * 1000 + value[1])
            assert ffi.get_global_func(name)() == number * 1000 + i
            ffi.register_global_func("test.threads.shared", lambda: number, override=True)
            assert -1 <= ffi.get_global_func("test.threads.shared")() < 8
            if i % 25 == 0:
                assert name in ffi.list_global_func_names()
            ffi.remove_global_func(name)
            assert ffi.get_global_func(name, allow_missing=True) is None

    together(work)
    ffi.remove_global_func("test.threads.shared")


def test_types_from_threads(kernels):
    """Classes and containers are seen for the first time by all threads at once."""

    def work(number):
        for i in range(100):
            own = type(f"Own{number}_{i}", (), {"__tvm_ffi_int__": lambda self, i=i: i})
            assert kernels.echo(own()) == i
            assert list(kernels.echo([i, {"k": number}])[1].values()) == [number]
            with pytest.raises(ValueError, match="Cannot find"):
                from fairlead._core import _type_index

                _type_index(f"test.none.{number}.{i}")

    together(work)


@pytest.fixture(scope="module")
def widths(kernels_path):
    return ffi.load_module(kernels_path.with_name("libfairlead_test_widths.so"))


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
def test_integers_that_do_not_fit(widths, name):
    """The last that fits passes; the next one is an error that names it, at both ends."""
    info = np.iinfo(name)
    echo = widths[name]
    assert echo(int(info.min)) == info.min and echo(int(info.max)) == info.max
    assert echo(True) == 1
    for number in (int(info.min) - 1, int(info.max) + 1, 2**63, -(2**63) - 1, 2**200):
        with pytest.raises(TypeError, match="argument #0|Mismatched type"):
            echo(number)
    with pytest.raises(TypeError, match="float"):
        echo(1.0)


def test_no_error_is_left(kernels):
    """An error that nobody raised belongs to no later call."""
    kernels.leave_error()
    assert kernels.echo(3) == 3
    with pytest.raises(KeyError, match="mine"):
        kernels["raise"]("KeyError", "mine")
    with pytest.raises(RuntimeError, match="gave no error"):
        kernels.fail_silently()


def test_error_of_another_thread(kernels):
    threads = [threading.Thread(target=kernels.leave_error) for _ in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    with pytest.raises(RuntimeError, match="gave no error"):
        kernels.fail_silently()


def test_error_in_a_callback_that_catches(kernels):
    """An exception that a callback caught is over."""

    def catch():
        with pytest.raises(ValueError, match="inner"):
            kernels["raise"]("ValueError", "inner")
        with pytest.raises(TypeError):
            kernels.add(1, 2, 3)
        return 5

    assert kernels.apply(catch) == 5
    with pytest.raises(RuntimeError, match="gave no error"):
        kernels.fail_silently()


@pytest.mark.parametrize(
    "make",
    ["ffi.Array([value])", "ffi.List([value])", "ffi.Map({'k': value})", "ffi.Dict({'k': value})"],
)
def test_deep_containers_are_freed(make):
    """200,000 levels: however deep, freeing takes a bounded stack."""
    code = (
        "from fairlead import ffi\nvalue = 1\n"
        f"for _ in range(200_000): value = {make}\n"
        "del value\nprint('freed')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "freed\n", done.returncode

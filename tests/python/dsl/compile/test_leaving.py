"""Programs that end or are interrupted while something is compiled."""

import os
import signal
import subprocess
import sys
import time

import pytest
from support.thinned import crossed

PROGRAM = """
import os, signal, sys, threading, time
import numpy as np
import fairlead
from fairlead import cute

# A shell that starts the tests in the background leaves interrupts ignored.
signal.signal(signal.SIGINT, signal.default_int_handler)

@cute.kernel
def device_large(a: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.thread_idx()[0]
    x = a[i]
    for j in fairlead.range_constexpr(SIZE):
        x = cute.math.exp(x * (0.001 * j)) + cute.math.sin(x + c)
    a[i] = x

@cute.jit
def large(a: cute.Tensor, c: cute.Constexpr):
    device_large(a, c).launch(grid=1, block=8)

a = np.zeros(8, np.float32)

def compiled(c):
    return cute.compile(large, a, float(c), options="--target cpu --no-cache")
"""


@pytest.fixture
def start(tmp_path):
    """Starts a program in a file, where its source is found. What still runs at the end is killed."""
    processes = []

    def started(text, size=0, first=""):
        path = tmp_path / "program.py"
        path.write_text(first + PROGRAM.replace("SIZE", str(size)) + text)
        process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", path],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        processes.append(process)
        return process

    yield started
    for process in processes:
        process.kill()
        process.communicate()


def finish(process, timeout=120):
    out, err = process.communicate(timeout=timeout)
    return out, err


@pytest.mark.parametrize("delay, size", crossed([0.0, 0.003, 0.02, 0.1, 0.4], [300, 1]))
def test_daemon_threads_compile_when_the_interpreter_ends(start, delay, size):
    process = start(f"""
def work(number):
    while True:
        compiled(number)(a)
        number += 2

compiled(0)
for number in range(2):
    threading.Thread(target=work, args=(number,), daemon=True).start()
time.sleep({delay})
print("leaves", flush=True)
""", size)  # fmt: skip
    out, err = finish(process)
    assert process.returncode == 0 and out == "leaves\n" and err == "", (
        process.returncode,
        out,
        err,
    )


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_daemon_threads_call_when_the_interpreter_ends(start, delay):
    process = start(f"""
def work():
    f = compiled(1)
    ready.set()
    while True:
        large(a, 2.0)
        f(a)

ready = threading.Event()
threading.Thread(target=work, daemon=True).start()
ready.wait()
time.sleep({delay})
print("leaves", flush=True)
""", 1)  # fmt: skip
    out, err = finish(process)
    assert process.returncode == 0 and out == "leaves\n" and err == "", (
        process.returncode,
        out,
        err,
    )


def test_other_callbacks_at_the_end_may_compile(start):
    process = start("""
import atexit
def late():
    f = compiled(1)
    a[:] = 0
    f(a)
    print("late", a[0] != 0, flush=True)
import fairlead._tracing.leaving
atexit.unregister(fairlead._tracing.leaving._leave)
atexit.register(late)
atexit.register(fairlead._tracing.leaving._leave)  # runs first
""", 1)  # fmt: skip
    out, err = finish(process)
    assert (process.returncode, out, err) == (0, "late True\n", "")


def test_an_interrupt_is_answered_at_once(start):
    """The compile takes seconds; its result is dropped, and the next one is right."""
    process = start("""
seconds = time.perf_counter()
compiled(1)
seconds = time.perf_counter() - seconds
late = []
for attempt in range(5):
    def interrupt():
        time.sleep(seconds * (0.35 + 0.1 * attempt))
        late.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    done = False
    try:
        compiled(10 + attempt)
        done = True  # before the interrupt, on a machine whose speed changes
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        late[-1] = -1.0 if done else time.perf_counter() - late[-1]
    interrupting.join()
f = compiled(3)
a[:] = 0
f(a)
assert a[0] != 0
print(seconds, *late, flush=True)
""", 2500)  # fmt: skip
    out, err = finish(process, 300)
    assert process.returncode == 0 and err == "", (process.returncode, out, err)
    seconds, *late = map(float, out.split())
    print(f"a compile of {seconds:.2f} s: interrupts answered after", late)
    assert seconds > 0.8, "the program is too small to tell"
    assert sum(each >= 0 for each in late) >= 3
    # The time of tracing between two bytecodes, a busy machine, and the promised moment. Answers at the end of the
    # compile would come after 0.45 of its time.
    limit = max(0.3, 0.2 * seconds)
    assert sorted(late)[len(late) // 2] <= limit and max(late) <= 2 * limit


def test_an_interrupted_process_ends(start):
    process = start("""
print("starts", flush=True)
while True:
    compiled(time.time())
""", 600)  # fmt: skip
    assert process.stdout.readline() == "starts\n"
    time.sleep(1.0)
    begun = time.perf_counter()
    os.kill(process.pid, signal.SIGINT)
    _, err = finish(process)
    assert time.perf_counter() - begun < 20  # the program never ends by itself
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in err, err


def test_an_interrupted_compile_may_outlive_the_exit(start):
    """It goes on while handlers of the exit run, after those of the compiler's own static objects."""
    process = start("""
seconds = time.perf_counter()
compiled(1)
seconds = time.perf_counter() - seconds
def interrupt():
    time.sleep(0.6 * seconds)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=interrupt, daemon=True).start()
try:
    compiled(2)
    time.sleep(60)
except KeyboardInterrupt:
    pass
""", 1500, first="""
import ctypes
libc = ctypes.CDLL(None)
libc.__cxa_atexit(ctypes.cast(libc.sleep, ctypes.c_void_p), ctypes.c_void_p(1), None)
""")  # fmt: skip
    _, err = finish(process)
    assert process.returncode == 0 and err == "", (process.returncode, err)


def test_handlers_of_other_signals_run_meanwhile(start):
    process = start("""
seen = []
signal.signal(signal.SIGALRM, lambda *_: seen.append(time.perf_counter()))
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
begun = time.perf_counter()
compiled(1)
ended = time.perf_counter()
signal.setitimer(signal.ITIMER_REAL, 0)
seen = [begun, *(each for each in seen if begun < each < ended), ended]
print(len(seen) - 2, max(after - before for before, after in zip(seen, seen[1:])))
""", 3000)  # fmt: skip
    out, err = finish(process)
    assert process.returncode == 0 and err == "", (out, err)
    count, longest = map(float, out.split())
    assert count >= 5 and longest <= 0.3, (count, longest)

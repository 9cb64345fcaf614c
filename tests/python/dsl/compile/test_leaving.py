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
    """The compile goes on in its own thread; its result is dropped, and the next one is right."""
    process = start("""
def works():  # a thread of the compiler; idle ones sleep
    tasks = [task for task in os.listdir("/proc/self/task") if int(task) != os.getpid()]
    states = [open(f"/proc/self/task/{task}/stat").read().rpartition(")")[2].split()[0] for task in tasks]
    return "R" in states

seconds = time.perf_counter()
compiled(1)
seconds = time.perf_counter() - seconds
answers = []
for attempt in range(10):
    answered = threading.Event()
    def interrupt():
        time.sleep(seconds * (0.4 + 0.1 * (attempt % 5)))
        while not answered.is_set():  # again, should a callback of the interpreter have swallowed it
            os.kill(os.getpid(), signal.SIGINT)
            answered.wait(30)
    interrupting = threading.Thread(target=interrupt)
    interrupting.start()
    answer = "traced, or after the compile"
    try:
        compiled(10 + attempt)
        while True:
            time.sleep(1.0)
    except KeyboardInterrupt:
        answered.set()
        interrupting.join()
        if any(works() for _ in range(100)):
            answer = "during the compile"
    answers.append(answer)
    if answers.count("during the compile") == 3:
        break
f = compiled(3)
a[:] = 0
f(a)
assert a[0] != 0
print(answers.count("during the compile"), flush=True)
""", 2500)  # fmt: skip
    out, err = finish(process, 240)
    assert (process.returncode, out, err) == (0, "3\n", "")


def test_an_interrupted_process_ends(start):
    process = start("""
print("starts", flush=True)
while True:
    compiled(time.time())
""", 600)  # fmt: skip
    assert process.stdout.readline() == "starts\n"
    time.sleep(1.0)
    os.kill(process.pid, signal.SIGINT)
    _, err = finish(process)  # the program never ends by itself
    assert process.returncode == -signal.SIGINT and "KeyboardInterrupt" in err, err


@pytest.mark.parametrize("part", [0.3, 0.45, 0.6, 0.75])
def test_an_interrupted_compile_may_outlive_the_exit(start, part, tmp_path, monkeypatch):
    """It goes on while handlers of the exit run, after those of the compiler's own static objects.

    If these were destroyed, about every second compile would crash, and report that or end the process.
    """
    reports = tmp_path / "reports"
    reports.mkdir()
    monkeypatch.setenv("FAIRLEAD_REPORT_DIR", str(reports))
    process = start(f"""
seconds = time.perf_counter()
compiled(1)
seconds = time.perf_counter() - seconds
def interrupt():
    time.sleep({part} * seconds)
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
    assert not list(reports.iterdir())


def test_handlers_of_other_signals_run_meanwhile(start):
    process = start("""
count = 0
def alarm(*_):
    global count
    count += 1
signal.signal(signal.SIGALRM, alarm)
signal.setitimer(signal.ITIMER_REAL, 0.05, 0.05)
compiled(1)
signal.setitimer(signal.ITIMER_REAL, 0)
print(count)
""", 3000)  # fmt: skip
    out, err = finish(process)
    assert process.returncode == 0 and err == "", (out, err)
    assert int(out) >= 5

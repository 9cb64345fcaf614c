"""Dropped code is unloaded: memory and memory maps do not grow with compiles and loads, and code that may still run
stays. FAIRLEAD_UNLOAD_ROUNDS=10000 makes the long run; FAIRLEAD_LIVE_FUNCTIONS=100000 keeps
so many functions at once."""

import gc
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import fairlead
from fairlead import cute

ROUNDS = int(os.environ.get("FAIRLEAD_UNLOAD_ROUNDS", "400"))
LIVE = int(os.environ.get("FAIRLEAD_LIVE_FUNCTIONS", "2000"))
# KiB that an allocator may keep of many rounds; a leak of one round's code is more.
SLACK = 3000

PROGRAM = """
import ctypes, gc, os, sys
import numpy as np
import fairlead
from fairlead import cute

@cute.kernel
def device_add(a: cute.Tensor, c: cute.Constexpr):
    i = cute.arch.thread_idx()[0]
    a[i] = a[i] + c

@cute.jit
def add(a: cute.Tensor, c: cute.Constexpr):
    device_add(a, c).launch(grid=1, block=8)

a = np.zeros(8, np.float32)
trim = ctypes.CDLL(None).malloc_trim

def compiled(c):
    return cute.compile(add, a, float(c), options="--target cpu --no-cache")

def usage():
    gc.collect()
    trim(0)
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    with open("/proc/self/maps") as file:
        return pages * 4, len(file.readlines())

def measured(work, rounds):
    '''Growth in KiB and maps over so many rounds, after as many as make caches full.'''
    for number in range(max(60, rounds // 4)):
        work(number)
    before = usage()
    for number in range(rounds):
        work(number)
    after = usage()
    return after[0] - before[0], after[1] - before[1]
"""


@pytest.fixture
def run(tmp_path):
    """Runs a program in a file; the words that it prints."""

    def ran(text):
        path = tmp_path / "program.py"
        path.write_text(PROGRAM + text)
        done = subprocess.run([sys.executable, path], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.split()

    return ran


def test_compiled_and_dropped(run):
    grown, maps = map(int, run(f"""
def work(number):
    f = compiled(number)
    a[:] = 1
    f(a)
    assert a[0] == 1 + number, a
print(*measured(work, {ROUNDS}))
"""))  # fmt: skip
    print(f"{ROUNDS} compiled and dropped: {grown} KiB, {maps} maps")
    assert maps <= 12 and grown < SLACK + ROUNDS // 2


def test_failing_compiles(run):
    grown, maps = map(int, run(f"""
@cute.jit
def wrong(a: cute.Tensor, c: cute.Constexpr):
    device_add(a, c).launch(grid=1, block=8)
    return a.no_such_name

def work(number):
    try:
        cute.compile(wrong, a, float(number), options="--target cpu --no-cache")
    except Exception as error:
        assert "no_such_name" in str(error)
    else:
        raise AssertionError
print(*measured(work, {ROUNDS}))
"""))  # fmt: skip
    print(f"{ROUNDS} failing: {grown} KiB, {maps} maps")
    assert maps <= 12 and grown < SLACK


@pytest.mark.parametrize("suffix", ["o", "so"])
def test_one_file_loaded_again_and_again(run, suffix, tmp_path):
    rounds = max(1000, ROUNDS)
    path = tmp_path / f"exported.{suffix}"
    export = "export_to_c" if suffix == "o" else "export_library"
    grown, maps = map(int, run(f"""
compiled(3).{export}({str(path)!r}, function_name="add")

def work(number):
    module = cute.runtime.load_module({str(path)!r})
    a[:] = 1
    module.add(a)
    assert a[0] == 4, a
print(*measured(work, {rounds}))
"""))  # fmt: skip
    print(f"{rounds} loads of a .{suffix}: {grown} KiB, {maps} maps")
    assert maps <= 12 and grown < SLACK


def test_many_live_functions(run):
    """All are callable, and take few maps: 100,000 of them below 2,000. Each has its own code, from a pickle."""
    used, maps, left, left_maps = map(int, run(f"""
import pickle
kinds = [pickle.dumps(compiled(number)) for number in range(20)]
before = usage()
functions = [pickle.loads(kinds[number % 20]) for number in range({LIVE})]
after = usage()
for number, f in enumerate(functions):
    a[:] = 1
    f(a)
    assert a[0] == 1 + number % 20, (number, a)
functions.clear()
end = usage()
print(after[0] - before[0], after[1] - before[1], end[0] - before[0], end[1] - before[1])
"""))  # fmt: skip
    print(
        f"{LIVE} live functions: {used / LIVE:.1f} KiB each, {maps} maps; then {left} KiB, {left_maps}"
    )
    assert maps < 40 + LIVE // 60
    # Some of the heap stays between the allocations of others.
    assert left_maps < 20 + LIVE // 1000 and left < SLACK + LIVE


def test_too_many_maps_are_an_error_that_says_so(run):
    """If the system has no map left, compiling fails with that reason, and works again when there are some."""
    with open("/proc/sys/vm/max_map_count") as file:
        if int(file.read()) > 100000:
            pytest.skip("this system allows many maps")
    (said,) = run("""
functions = [compiled(number) for number in range(3)]
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGES = 150000
base = libc.mmap(None, PAGES * 4096, 0, 0x4022, -1, 0)
next_page = 0
while next_page < PAGES and libc.mprotect(base + next_page * 4096, 4096, 1) == 0:
    next_page += 2
errors = []
for number in range(100, 130):
    try:
        functions.append(compiled(number))
    except RuntimeError as error:
        errors.append(str(error))
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.munmap(base, PAGES * 4096)
assert errors, "no compile failed"
for text in errors:
    assert "the system refuses memory for code" in text and "vm.max_map_count" in text, text
f = compiled(7)
a[:] = 1
f(a)
assert a[0] == 8
print("named")
""")
    assert said == "named"


@cute.kernel
def device_slow(a: cute.Tensor, rounds: cute.Int32):
    i = cute.arch.thread_idx()[0]
    x = a[i]
    for _ in range(rounds):
        x = x * 1.0001 + 0.5
    a[i] = x


@cute.jit
def slow(a: cute.Tensor, rounds: cute.Int32):
    device_slow(a, rounds).launch(grid=1, block=1)


def test_dropped_while_other_threads_run_it():
    a = np.zeros(8, np.float32)
    functions = [cute.compile(slow, a, 1, options="--target cpu --no-cache") for _ in range(4)]
    started, failures = threading.Barrier(5), []

    def work(number):
        mine = np.zeros(8, np.float32)
        started.wait()
        try:
            functions[number](mine, 30_000_000)  # the list lets go of it meanwhile
            assert mine[0] != 0
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    time.sleep(0.02)  # all are in the call
    functions.clear()
    for number in range(10):  # takes the memory that they would have left
        cute.compile(slow, a, 1, options="--target cpu --no-cache")(a, number)
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_direct_calls_while_kinds_are_forgotten():
    @cute.jit
    def function(a: cute.Tensor, c: cute.Constexpr):
        device_slow(a, cute.Int32(c)).launch(grid=1, block=1)

    failures, ended = [], threading.Event()

    def call(number):
        mine = np.zeros(8, np.float32)
        try:
            while not ended.is_set():
                mine[:] = 0
                function(mine, number)
                assert (mine[0] != 0) == (number > 0)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=call, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        function.compiled.clear()
        function._forget()
        gc.collect()
    ended.set()
    for thread in threads:
        thread.join()
    assert not failures, failures


def test_what_was_handed_out_keeps_the_code():
    """The function that the ABI knows outlives the one of Python; the address that entry() gives stays for good."""
    a = np.zeros(8, np.float32)
    compiled = cute.compile(slow, a, 1, options="--target cpu --no-cache")
    artifact = compiled.artifact
    fairlead.ffi.register_global_func("test.unloading", compiled, override=True)
    del compiled
    gc.collect()
    for number in range(5):
        cute.compile(slow, a, number, options="--target cpu --no-cache")
    a[:] = 0
    fairlead.ffi.get_global_func("test.unloading")(a, 1)
    assert a[0] == np.float32(0.5)
    fairlead.ffi.remove_global_func("test.unloading")

    address = artifact.entry()
    del artifact
    gc.collect()
    for number in range(5):
        cute.compile(slow, a, number, options="--target cpu --no-cache")
    a[:] = 0
    fairlead.ffi.make_function(address)(fairlead.ffi.from_dlpack(a), 2)
    assert a[0] != 0

"""breakpoint() and print in checked kernels, for the threads that a filter names."""

import os
import pty
import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from support.check_support import checked, cute, zeros

import fairlead
from fairlead import BFloat16, Boolean, Float32, Int32


@dataclass
class Scales:
    factor: Int32
    name: str


@cute.kernel
def sums_kernel(a: cute.Tensor, out: cute.Tensor, scales: Scales):
    t, _, _ = cute.arch.thread_idx()
    x, _, _ = cute.arch.block_idx()
    tile = cute.SmemAllocator().allocate_tensor(Float32, 64)
    own = cute.make_rmem_tensor((2, 2), Float32)
    own.fill(0.5)
    own[1, 0] = a[x, t]
    values = own.load()
    tile[t] = a[x, t]
    cute.arch.sync_threads()
    steps = 3  # noqa: F841
    if t < 4:
        total = Float32(0.0)
        for i in range(8):
            total = total + tile[t + i]
            if i == 2:
                breakpoint()
        out[x, t] = total * scales.factor + values[0]
    print("total of", x, "is", out[x, t])


@cute.jit
def sums(a: cute.Tensor, out: cute.Tensor, scales: Scales):
    sums_kernel(a, out, scales).launch(grid=a.shape[0], block=64)


def run(threads=None, checks="all"):
    a = np.arange(3 * 64, dtype=np.float32).reshape(3, 64)
    with fairlead.checks.on(checks, threads=threads):
        sums(a, zeros(3, 64), Scales(2, "double"))


def places(text):
    """The blocks and threads that stopped."""
    found = re.findall(
        r"^> test_stops\.py\(\d+\)sums_kernel\(\), block (.*), thread (.*)$", text, re.M
    )
    return [(block, thread) for block, thread in found]


@pytest.mark.parametrize("coroutines", ["0", "1"])
@pytest.mark.parametrize("checks", ["bounds", "all"])
def test_the_first_thread_shows_its_variables(capfd, monkeypatch, checks, coroutines):
    monkeypatch.setenv("FAIRLEAD_CPU_COROUTINES", coroutines)
    run(checks=checks)
    text = capfd.readouterr().out
    assert places(text) == [("(0, 0, 0)", "(0, 0, 0)")]
    shown = dict(re.findall(r"^(\w+) = (.*)$", text, re.M))
    assert "-> breakpoint()" in text
    assert shown["a"].startswith("Float32 (3,64):(64,1), global: [[")
    assert shown["tile"].startswith("Float32 64:1, shared: [ 0.  1. ")
    assert shown["own"] == shown["values"] == "Float32 (2,2), registers: [[0.5 0.5] [0.  0.5]]"
    assert (shown["t"], shown["i"], shown["total"]) == ("0", "2", "3.0")
    assert shown["scales"] == "{'factor': 2, 'name': 'double'}"
    assert shown["steps"] == "3"
    assert "block (0, 0, 0), thread (0, 0, 0): total of 0 is 56.500000" in text


@pytest.mark.parametrize(
    ("threads", "expected"),
    [
        ("thread=2", [("(0, 0, 0)", "(2, 0, 0)")]),
        ("block=(2,0,0), thread=1", [("(2, 0, 0)", "(1, 0, 0)")]),
        ("block=all", [(f"({block}, 0, 0)", "(0, 0, 0)") for block in range(3)]),
        ("block=1-2,thread=(3-9)", [(f"({block}, 0, 0)", "(3, 0, 0)") for block in (1, 2)]),
        ("block=7", []),
    ],
)
def test_a_filter_names_who_stops(capfd, threads, expected):
    run(threads)
    text = capfd.readouterr().out
    assert places(text) == expected
    assert text.count("total of") == (14 if "3-9" in threads else len(expected))


def test_all_threads_stop(capfd, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_CHECK_THREADS", "block=all,thread=all")
    arguments = zeros(3, 64), zeros(3, 64), Scales(2, "double")
    cute.compile(sums, *arguments, options="--target cpu --check race")(*arguments)
    assert len(places(capfd.readouterr().out)) == 3 * 4


def test_another_filter_counts_at_the_next_call(capfd):
    for thread in (1, 3):
        run(f"thread={thread}")
        assert places(capfd.readouterr().out) == [("(0, 0, 0)", f"({thread}, 0, 0)")]


@pytest.mark.parametrize(
    "threads", ["3", "thread=x", "block=(1,2,3,4)", "thread=1;block=2", "lane=0"]
)
def test_other_filters_are_refused(threads):
    with pytest.raises(ValueError, match=r"FAIRLEAD_CHECK_THREADS.*takes a filter such as block=0"):
        run(threads)


def test_python_switches_breakpoints_off(capfd, monkeypatch):
    monkeypatch.setenv("PYTHONBREAKPOINT", "0")
    run()
    assert places(capfd.readouterr().out) == []


PROGRAM = """
import sys
sys.path.insert(0, {folder!r})
import test_stops
test_stops.run("block=all")
"""


def test_the_prompt(tmp_path):
    """On a terminal: expressions with the kernel's names, then the next stop, then the end of the launch."""
    commands = [
        "p tile[3] + i",
        "a.shape",
        "nothing",
        "where",
        "list",
        "locals",
        "c",
        "x, total",
        "q",
    ]
    ours, theirs = pty.openpty()
    try:
        os.write(ours, "".join(f"{command}\n" for command in commands).encode())
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(folder=os.path.dirname(__file__))],
            stdin=theirs, capture_output=True, text=True, timeout=120,
        )  # fmt: skip
    finally:
        os.close(ours)
        os.close(theirs)
    answers = done.stdout.split("(fairlead) ")
    assert answers[1:4] == ["5.0\n", "(3, 64)\n", "*** NameError: name 'nothing' is not defined\n"]
    assert (
        answers[4].endswith("-> breakpoint()\n")
        and " ->                 breakpoint()\n" in answers[5]
    )
    assert "own = Float32 (2,2), registers: [[" in answers[6]
    assert "block (1, 0, 0), thread (0, 0, 0)" in answers[7] and answers[8] == "(1, 195.0)\n"
    assert done.stderr.strip().endswith("bdb.BdbQuit") and len(places(done.stdout)) == 2


@cute.kernel
def kinds_kernel(a: cute.Tensor, b: cute.Tensor, flag: Boolean, big: fairlead.Uint64):
    nested = cute.make_tensor(a.iterator, cute.make_layout(((2, 2), 2), stride=((1, 4), 2)))
    swizzled = cute.make_tensor(
        a.iterator, cute.make_composed_layout(cute.make_swizzle(1, 1, 2), 0, cute.make_layout(8))
    )
    coordinates = cute.make_identity_tensor((2, 4))
    half = b.load().to(cute.Float16)
    pointer = a.iterator
    both = (Int32(big), "100%")
    breakpoint()
    b[0] = (a[0] + half[0] + nested[0] + swizzled[0]).to(BFloat16) if flag else b[1]
    a[0] = Float32(both[0]) + coordinates[0][0] + pointer.load()


@cute.jit
def kinds(a: cute.Tensor, b: cute.Tensor, flag: Boolean, big: fairlead.Uint64):
    b = cute.make_tensor(cute.recast_ptr(b.iterator, dtype=BFloat16), cute.make_layout(4))
    kinds_kernel(a, b, flag, big).launch(grid=1, block=1)


def test_kinds_of_variables(capfd):
    a = np.arange(8, dtype=np.float32)
    b = (np.array([1.5, -2.0, 3.0, 0.25], np.float32).view(np.uint32) >> 16).astype(np.uint16)
    checked(kinds, a, b, True, 2**64 - 1, checks="bounds")
    shown = dict(re.findall(r"^(\w+) = (.*)$", capfd.readouterr().out, re.M))
    assert shown["b"] == "BFloat16 4:1, global: [ 1.5  -2.    3.    0.25]"
    assert shown["half"] == "Float16 4, registers: [ 1.5  -2.    3.    0.25]"
    assert shown["nested"].startswith(
        "Float32 ((2,2),2):((1,4),2), global: [[0. 2.] [1. 3.] [4. 6.] [5. 7.]]"
    )
    assert (shown["flag"], shown["big"]) == ("True", str(2**64 - 1))
    assert shown["pointer"] == hex(a.ctypes.data)
    assert shown["both"] == "(-1, '100%')"
    assert "S<1,1,2>" in shown["swizzled"] and "(2,4)" in shown["coordinates"]


def test_print_without_values_of_the_run_is_pythons(capfd):
    @cute.kernel
    def kernel(a):
        print("traced", cute.make_layout((2, 3)))
        print("run:", a[1], end=";\n", sep="=")

    @cute.jit
    def host(a):
        print("host", a.shape[0] + 1)
        kernel(a).launch(grid=1, block=1)

    a = np.array([1, 2], np.float32)
    checked(host, a)
    out = capfd.readouterr().out
    lines = out.splitlines()
    assert lines[0] == "host <Int32, known at run time: cute.printf shows it>"
    assert lines[1:] == ["traced (2,3):(1,2)", "block (0, 0, 0), thread (0, 0, 0): run:=2.000000;"]
    host(a)
    assert "run:=<Float32, known at run time: cute.printf shows it>;" in capfd.readouterr().out


def test_host_functions_stop_while_they_are_traced(monkeypatch):
    stops = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: stops.append(1))

    @cute.jit
    def host(a):
        breakpoint()

    checked(host, zeros(4))
    assert stops == [1]

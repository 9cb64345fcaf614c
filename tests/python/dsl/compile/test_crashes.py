"""Fatal errors of LLVM are exceptions with a report, and leave other threads' compiles alone."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import fairlead
from fairlead import Int32, cute
from fairlead.cute._assembly import inline_asm

# LLVM fails for a 32-bit processor with code of 64 bits.
BAD_HOST = '--host-target "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=i386"'


@cute.kernel
def device_scale(a: cute.Tensor):
    i = cute.arch.thread_idx()[0]
    a[i] = a[i] * 2.0


@cute.jit
def scale(a: cute.Tensor):
    device_scale(a).launch(grid=1, block=16)


def fake():
    return cute.runtime.make_fake_compact_tensor(fairlead.Float32, (16,))


def crash():
    cute.compile(scale, fake(), options=f"--target cpu {BAD_HOST}")


def test_an_exception_with_a_report(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_REPORT_DIR", str(tmp_path))
    with pytest.raises(
        RuntimeError, match="the compiler stopped while it compiled `scale"
    ) as caught:
        crash()
    (report,) = tmp_path.iterdir()
    assert str(report) in str(caught.value)
    text = report.read_text()
    assert "64-bit code requested" in text and "function: scale(" in text and "targets: cpu" in text
    assert "LLVM: " in text and "define" in text and report.stat().st_mode & 0o77 == 0
    a = np.ones(16, np.float32)
    cute.compile(scale, fake(), options="--target cpu")(a)
    assert a.tolist() == [2.0] * 16


def test_a_crash_inside_the_code_generator(tmp_path, monkeypatch):
    """LLVM reads operands that this instruction names and does not have."""

    @cute.kernel
    def device(a: cute.Tensor):
        a[0] = Int32(inline_asm(Int32.mlir_type, [], "mov.u32 $0, $1;", "=r,r,r"))

    @cute.jit
    def broken(a: cute.Tensor):
        device(a).launch(grid=1, block=1)

    monkeypatch.setenv("FAIRLEAD_REPORT_DIR", str(tmp_path))
    fake = cute.runtime.make_fake_compact_tensor(Int32, (16,))
    with pytest.raises(RuntimeError, match=r"`broken\(.* for cuda:sm_90a \(PTX emission\)"):
        cute.compile(broken, fake, options="--target cuda:sm_90a")
    (report,) = tmp_path.iterdir()
    text = report.read_text()
    assert "reason: an illegal access of memory" in text and "mov.u32 $0, $1;" in text


def test_other_threads_go_on(tmp_path, monkeypatch):
    monkeypatch.setenv("FAIRLEAD_REPORT_DIR", str(tmp_path))
    results = []

    def work(bad):
        for _ in range(8):
            if bad:
                with pytest.raises(RuntimeError, match="the compiler stopped"):
                    crash()
                results.append("stopped")
            else:
                a = np.ones(16, np.float32)
                cute.compile(scale, fake(), options="--target cpu")(a)
                results.append(a.tolist() == [2.0] * 16)

    threads = [threading.Thread(target=work, args=(index % 2 == 0,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results.count("stopped") == 16 and results.count(True) == 16
    assert len(list(tmp_path.iterdir())) == 16


def test_signals_outside_of_compiles_end_the_process_as_before():
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_crashes
test_crashes.cute.compile(test_crashes.scale, test_crashes.fake(), options="--target cpu")
os.kill(os.getpid(), signal.SIGSEGV)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == -11, done.stderr


@pytest.mark.parametrize("level", [0, 3])
def test_comparisons_as_bits_of_halves(level):
    """LLVM's selection failed for processors with AVX-512."""

    @cute.jit
    def run(x: cute.Tensor, k: cute.Tensor, o: cute.Tensor):
        for i in range(x.shape[0]):
            o[i] = (x[i] == k[i]).to(fairlead.Uint16).bitcast(fairlead.Float16)

    n = cute.sym_int()
    fakes = [
        cute.runtime.make_fake_compact_tensor(each, (n,))
        for each in (fairlead.Float32, fairlead.Int16, fairlead.Float16)
    ]
    x, k = np.arange(35, dtype=np.float32), np.arange(35, dtype=np.int16) // 2 * 2
    for target in ("cpu", "cpu:x86-64", "cpu:x86-64-v4"):
        o = np.zeros(35, np.float16)
        function = cute.compile(run, *fakes, options=f"--target {target} --opt-level {level}")
        if target == "cpu":
            function(x, k, o)
            assert o.view(np.uint16).tolist() == (x == k).astype(np.uint16).tolist()

"""One artifact for several devices, and code from the disk cache, on GPUs."""

import os
import subprocess
import sys

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from fairlead import Float32, _compiler, cute  # noqa: E402


@cute.kernel
def scale_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Float32):
    i = cute.arch.block_idx()[0] * 64 + cute.arch.thread_idx()[0]
    if i < a.shape[0]:
        b[i] = a[i] * c + 1.0


@cute.jit
def scale(a: cute.Tensor, b: cute.Tensor, c: cute.Float32):
    scale_kernel(a, b, c).launch(grid=((a.shape[0] + 63) // 64, 1, 1), block=(64, 1, 1))


def make(targets, **how):
    n = cute.sym_int()
    fake = cute.runtime.make_fake_compact_tensor
    return cute.compile(
        scale, fake(Float32, (n,)), fake(Float32, (n,)), 1.0, targets=targets, **how
    )


def check(function, device):
    a = torch.arange(1000, dtype=torch.float32, device=device)
    b = torch.full_like(a, float("nan"))
    function(a, b, 3.0)
    assert torch.equal(b, a * 3 + 1)


def here():
    return "cuda:" + _compiler.device_arch(0)


def number():
    major, minor = torch.cuda.get_device_capability(0)
    return major * 10 + minor


@pytest.mark.parametrize(
    "targets",
    [
        lambda: [here(), "cpu"],
        lambda: ["cpu", here()],
        lambda: ["ptx:compute_80", "cpu"],
        lambda: ["cuda:sm_80", here(), "ptx:compute_80", "cpu:any"],
        lambda: ["cuda:sm_80", "ptx:compute_80", "cpu"],
    ],
    ids=["gpu-cpu", "cpu-gpu", "ptx-cpu", "all", "older-and-ptx"],
)
def test_calls_go_where_the_tensors_are(targets, tmp_path):
    function = make(targets())
    function.export_library(tmp_path / "scale.so")
    for f in (function, cute.runtime.load_module(tmp_path / "scale.so").scale):
        check(f, "cuda")
        check(f, "cpu")
        check(f, "cuda")


def test_tensors_on_both():
    function = make([here(), "cpu"])
    with pytest.raises(ValueError, match="argument #1.*which is CUDA here"):
        function(torch.zeros(4, device="cuda"), torch.zeros(4), 1.0)
    with pytest.raises(ValueError, match="argument #1.*which is the CPU here"):
        function(torch.zeros(4), torch.zeros(4, device="cuda"), 1.0)


def test_no_image_fits():
    """The CPU's code runs; the GPU's error lists the existing code."""
    other = "cuda:sm_120" if number() < 120 else "cuda:sm_90"
    function = make([other, "cpu"])
    check(function, "cpu")
    with pytest.raises(RuntimeError) as caught:
        check(function, "cuda")
    message = str(caught.value)
    assert f"sm_{number()}" in message and "artifact holds" in message


HIT = """
import sys
sys.path[:0] = sys.argv[1:]
from test_targets import check, here, make
function = make([here()])
check(function, "cuda")
print(function.cached)
"""


def test_cache_in_new_processes(cache_dir):
    def run():
        done = subprocess.run(
            [sys.executable, "-c", HIT, os.path.dirname(__file__), *sys.path],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert [run(), run()] == ["False\n", "True\n"]


def test_ptxas_assembles_what_runs_here(tmp_path):
    """Not the driver, whose assembler was seen to make wrong code."""
    ptxas = _compiler.ptx_assembler()
    if not ptxas:
        pytest.skip("there is no ptxas")
    log, wrapper = tmp_path / "calls", tmp_path / "ptxas"
    wrapper.write_text(f'#!/bin/sh\necho called >> {log}\nexec {ptxas} "$@"\n')
    wrapper.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-c", HIT, os.path.dirname(__file__), *sys.path],
        env={**os.environ, "FAIRLEAD_PTXAS": str(wrapper), "FAIRLEAD_NO_CACHE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert log.read_text().split() == ["called"]


def test_bundle(tmp_path):
    from fairlead.bundles import bundle

    for name in ("f", "g"):
        make([here(), "cpu"]).export_to_c(tmp_path / f"{name}.o", function_name=name)
    made = bundle([tmp_path], tmp_path / "libboth.so")
    module = cute.runtime.load_module(made.library)
    for device in ("cuda", "cpu"):
        check(module.f, device)
        check(module.g, device)


def test_numpy_beside_torch():
    function = make([here(), "cpu"])
    a = np.arange(10, dtype=np.float32)
    b = np.zeros_like(a)
    function(a, b, 2.0)
    np.testing.assert_array_equal(b, a * 2 + 1)

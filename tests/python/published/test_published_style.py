"""Programs written with published names alone run as they are on the CPU, against float64."""

import subprocess
import sys
from pathlib import Path

import pytest
from support import forked

pytest.importorskip("torch")

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted(path.name for path in HERE.glob("*.py") if not path.name.startswith("test_"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_program(program, tmp_path):
    done = forked.run("-m", "fairlead.compat", "--device", "cpu", HERE / program, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"


@pytest.mark.parametrize(
    "program", ["boxes_of_addresses.py", "hopper_products.py", "hopper_pipelines.py"]
)
def test_program_assembles(program, tmp_path):
    """Machine code for compute capability 9.0."""
    options = ["--device", "cpu", HERE / program, "--assemble", "--all"]
    done = forked.run("-m", "fairlead.compat", *options, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "PASS"


def test_help():
    command = [sys.executable, "-m", "fairlead.compat", "--help"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("usage: python -m fairlead.compat [--device cpu")


def test_options_without_effect(tmp_path):
    """Published names take them; Fairlead's own functions do not have them."""
    program = tmp_path / "program.py"
    program.write_text(
        "import cutlass, numpy\n"
        "from cutlass import cute\n"
        "from cutlass.cute.runtime import from_dlpack\n"
        "@cute.native_struct(zero_init=True, packed=True)\n"
        "class Limits:\n"
        "    low: cutlass.Float32\n"
        "    high: cutlass.Float32\n"
        "@cute.jit\n"
        "def run(a: cute.Tensor):\n"
        "    limits = Limits(high=3.0)\n"
        "    a[0] = cute.math.min(a[0], limits.high, ftz=True)\n"
        "    a[1] = cute.math.max(a[1], limits.low, propagate_nan=False, ftz=True)\n"
        "a = numpy.array([5, numpy.nan], numpy.float32)\n"
        "tensor = from_dlpack(a, enable_tvm_ffi=True)\n"
        "cute.compile(run, tensor, options='--target cpu')(tensor)\n"
        "print(a.tolist())\n"
    )
    command = [sys.executable, "-m", "fairlead.compat", str(program)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "[3.0, 0.0]\n", done.stderr

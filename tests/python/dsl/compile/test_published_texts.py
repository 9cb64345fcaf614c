"""What published programs print while they are traced."""

import subprocess
import sys

PROGRAM = """
import fairlead.compat
import numpy as np
import cutlass
import cutlass.cute as cute

@cute.kernel
def kernel(a: cute.Tensor):
    row = a[0, None]
    print(row.type)
    print(cute.make_rmem_tensor((3, 4), cutlass.Float32).load())
    print(cute.make_identity_tensor((2, 3)).type)

@cute.jit
def program(a: cute.Tensor):
    print(a.type)
    kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1))

a = cute.runtime.make_fake_tensor(cutlass.Float16, (64, 512), (8192, 1), assumed_align=16)
cute.compile(program, a, options="--target cpu")
"""


def test_types_and_values(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        '!cute.memref<f16, gmem, align<16>, "(64,512):(8192,1)">',
        '!cute.memref<f16, gmem, align<16>, "(512):(1)">',
        "tensor_value<vector<12xf32> o (3, 4)>",
        "tensor<(0,0) o (2,3):(1@0,1@1)>",
    ]


NATIVE = """
from fairlead import cute

@cute.jit
def program():
    print(cute.full((3, 4), 1.0, cute.Float32))

cute.compile(program, options="--target cpu")
"""


def test_native_programs_print_their_own(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(NATIVE)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "vector<12xf32> o (3, 4)\n"

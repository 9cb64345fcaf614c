"""Environment variables that change calls; each is read once, so each test is a process."""

import os
import subprocess
import sys

import pytest

PRELUDE = """
import sys
from fairlead import ffi
kernels = ffi.load_module(sys.argv[1])
"""


def run(code, kernels_path, **environment):
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + code, str(kernels_path)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("value, expected", [(None, "True"), ("1", "True"), ("0", "False")])
def test_gil(kernels_path, value, expected):
    code = "print(kernels.echo.release_gil, ffi.convert_func(len).release_gil, kernels.echo(3))"
    environment = {} if value is None else {"TVM_FFI_RELEASE_GIL_BY_DEFAULT": value}
    assert run(code, kernels_path, **environment) == [expected, expected, "3"]


@pytest.mark.parametrize("value, count", [("1", "1"), ("0", "0")])
def test_exchange_api(kernels_path, value, count):
    """Without the C side of DLPack, tensors give a capsule."""
    pytest.importorskip("torch")
    code = """
import torch
asked = 0
class Counted(torch.Tensor):
    def __dlpack__(self, **options):
        global asked
        asked += 1
        return torch.Tensor.__dlpack__(self.as_subclass(torch.Tensor), **options)
x = torch.zeros(3).as_subclass(Counted)
assert hasattr(Counted, "__dlpack_c_exchange_api__")
kernels.describe(x)
print(asked)
"""
    assert run(code, kernels_path, TVM_FFI_SKIP_DLPACK_C_EXCHANGE_API=value) == [count]

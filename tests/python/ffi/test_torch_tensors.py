"""Tensors of torch are read where they lie: the same views, and the same errors, as torch's exchange API gives."""

import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

SCRIPT = r"""
import re, sys, ctypes
import torch
from fairlead import ffi

def number(path, name):
    return ctypes.cast(getattr(ctypes.CDLL(path), "__tvm_ffi_" + name), ctypes.c_void_p).value

describe = ffi.make_function(number(sys.argv[1], "describe"), views=True)

def show(name, x):
    try:
        base = x.data_ptr() - x.storage_offset() * x.element_size()
    except Exception:
        base = 0
    try:
        text = describe(x)
        head, _, address = text.rpartition("]")
        text = f"{head}] + {int(address, 16) - base}"
    except Exception as error:
        text = f"{type(error).__name__} {str(error).splitlines()[0]}"
    print(name, text)

DTYPES = [getattr(torch, name) for name in sorted(dir(torch)) if isinstance(getattr(torch, name), torch.dtype)]
for _ in range(2):
    show("matrix", torch.zeros(4, 6))
    for dtype in DTYPES:
        try:
            x = torch.empty(3, dtype=dtype)
        except Exception:
            continue
        show(dtype, x)
    show("transposed", torch.zeros(2, 3).t())
    show("scalar", torch.zeros(()))
    show("empty", torch.zeros(0, 3))
    show("offset", torch.zeros(5, 6)[2:, ::2])
    show("expanded", torch.zeros(1, 3).expand(4, 3))
    show("rank 9", torch.zeros((1, 2) * 4 + (3,)))
    show("grad", torch.zeros(3, requires_grad=True))
    show("parameter", torch.nn.Parameter(torch.zeros(2, 2)))
    show("conjugate", torch.zeros(2, dtype=torch.complex64).conj())
    show("sparse", torch.zeros(2, 2).to_sparse())
    show("meta", torch.empty(2, device="meta"))
    torch.vmap(lambda x: (show("batched", x), x)[1])(torch.zeros(2, 3))
    class Own(torch.Tensor): pass
    show("subclass", torch.zeros(3).as_subclass(Own))
    resized = torch.zeros(2)
    show("before", resized)
    resized.resize_(3, 4)
    show("after", resized)
"""


def seen(kernels_path, **environment):
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(kernels_path)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_same_as_exchange(kernels_path):
    fast = seen(kernels_path)
    assert len(fast) > 40
    assert fast == seen(kernels_path, FAIRLEAD_TORCH_EXCHANGE_ONLY="1")


def test_reads_the_tensor_itself(describe):
    """The present state of a tensor counts, not the one when its class was first seen."""
    x = torch.zeros(6)
    for _ in range(3):
        (tensor,) = describe(x)
        assert tensor.shape == (6,) and tensor.address == x.data_ptr()
    x.data = torch.ones(2, 3, dtype=torch.float64)
    (tensor,) = describe(x)
    assert tensor.shape == (2, 3) and tensor.dtype == (2, 64, 1)
    assert tensor.address == x.data_ptr()

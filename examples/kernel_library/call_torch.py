"""Calls the kernel library with PyTorch tensors: python call_torch.py scale_cpu.so [cuda]"""

import sys

import torch

from fairlead import ffi

library = ffi.load_module(sys.argv[1])
device = sys.argv[2] if len(sys.argv) > 2 else "cpu"
x = torch.randn(1000, device=device)
y = torch.full_like(x, float("nan"))
bias = torch.ones_like(x)

library.scale(y, x, 2.5)
torch.testing.assert_close(y, x * 2.5)
library.scale_add(y, x, bias, None)  # None: no factor
torch.testing.assert_close(y, x + 1)
library.scale_add(y, x, None, 3.0)
torch.testing.assert_close(y, x * 3)

z = library.scaled(x, 0.5)  # allocated by PyTorch
assert isinstance(z, torch.Tensor) and z.device == x.device
torch.testing.assert_close(z, x * 0.5)

try:
    library.scale(y[::2], x[::2], 1.0)
except ValueError as error:
    print(f"ValueError: {error}")

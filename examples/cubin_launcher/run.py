"""Calls the library: python run.py build/vector.so"""

import sys

import torch

from fairlead import ffi

library = ffi.load_module(sys.argv[1])
x = torch.randn(10_000, device="cuda")
y = torch.empty_like(x)
library.add_one(x, y)
assert torch.equal(y, x + 1)

total = torch.empty(1, device="cuda")
library.sum(x, total)
torch.testing.assert_close(total[0], x.sum(), rtol=1e-4, atol=1e-2)

try:
    library.sum(x.cpu(), total)
except ValueError as error:
    print(f"ValueError: {error}")

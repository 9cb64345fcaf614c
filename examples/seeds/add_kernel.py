"""Seed: a whole-tensor expression in a host function.

The code is as printed, with the missing `import cutlass` and a check of the result; only the device is read from
FAIRLEAD_SEED_DEVICE. Run it with: python -m fairlead.compat examples/seeds/add_kernel.py
"""

import os

DEVICE = os.environ.get("FAIRLEAD_SEED_DEVICE", "cuda")

import cutlass
import torch
import cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

# Define kernel
@cute.jit
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    c[:] = a[:] + b[:]

# Compile with TVM-FFI
a_fake = cute.make_fake_compact_tensor(cutlass.Float32, (cute.sym_int(),))
b_fake = cute.make_fake_compact_tensor(cutlass.Float32, (cute.sym_int(),))
c_fake = cute.make_fake_compact_tensor(cutlass.Float32, (cute.sym_int(),))

compiled_fn = cute.compile(add_kernel, a_fake, b_fake, c_fake,
                          options="--enable-tvm-ffi")

# Use with PyTorch tensors (no wrapping needed!)
a_torch = torch.randn(1024, device=DEVICE)
b_torch = torch.randn(1024, device=DEVICE)
c_torch = torch.zeros(1024, device=DEVICE)

# Direct TVM-FFI call - fast!
compiled_fn(a_torch, b_torch, c_torch)

assert torch.equal(c_torch, a_torch + b_torch)
print("c == a + b")

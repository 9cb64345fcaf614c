"""Seed: add_one compiled with fake tensors and called with torch tensors.

The code is as printed in the documentation of the TVM FFI mode; only the device is read from FAIRLEAD_SEED_DEVICE.
Run it with: python -m fairlead.compat examples/seeds/add_one.py
"""

import os

DEVICE = os.environ.get("FAIRLEAD_SEED_DEVICE", "cuda")

import cutlass.cute as cute
import torch

@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    threads_per_block = 128
    cta_x_, _, _ = cute.arch.block_idx()
    tid_x, _, _ = cute.arch.thread_idx()
    tid = cta_x_ * threads_per_block + tid_x
    if tid < a.shape[0]:
        b[tid] = a[tid] + 1.0

@cute.jit
def add_one(a: cute.Tensor, b: cute.Tensor):
    n = a.shape[0]
    threads_per_block = 128
    blocks = (n + threads_per_block - 1) // threads_per_block
    device_add_one(a, b).launch(
        grid=(blocks, 1, 1),
        block=(threads_per_block, 1, 1),
    )

def example_add_one():
    n = cute.sym_int()
    a_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    b_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    # compile the kernel with "--enable-tvm-ffi" option and example input tensors
    compiled_add_one = cute.compile(add_one, a_cute, b_cute, options="--enable-tvm-ffi")
    # now compiled_add_one is a TVM-FFI function that can be called with torch.Tensor as input
    a_torch = torch.arange(10, dtype=torch.float32, device=DEVICE)
    b_torch = torch.empty(10, dtype=torch.float32, device=DEVICE)
    compiled_add_one(a_torch, b_torch)
    print("result of b_torch after compiled_add_one(a_torch, b_torch)")
    print(b_torch)
    return compiled_add_one, a_torch, b_torch

def example_from_dlpack(compiled_add_one, a_torch, b_torch):
    a_cute = cute.runtime.from_dlpack(a_torch, enable_tvm_ffi=True).mark_layout_dynamic()
    b_cute = cute.runtime.from_dlpack(b_torch, enable_tvm_ffi=True).mark_layout_dynamic()
    compiled_add_one(a_cute, b_cute)

def example_constraint_checks():
    n = cute.sym_int(divisibility=16)
    # assume align to 16 bytes (4 int32), both should share same shape variable n
    a_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,), assumed_align=16)
    b_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,), assumed_align=16)
    compiled_add_one = cute.compile(add_one, a_cute, b_cute, options="--enable-tvm-ffi")
    a = torch.zeros(128, dtype=torch.float32, device=DEVICE)
    b = torch.zeros(128, dtype=torch.float32, device=DEVICE)
    try:
        # raises type mismatch error because we expect a and b to be float32
        compiled_add_one(a, 1)
    except TypeError as e:
        # Mismatched type on argument #1 when calling:
        # `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`,
        # expected Tensor
        print(f"TypeError: {e}")
    try:
        # raises shape mismatch error because we expect both a and b have shap [n]
        compiled_add_one(a, b[:126])
    except ValueError as e:
        # Mismatched b.shape[0] on argument #1 when calling:
        # `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32))`,
        # symbolic constraint violated
        print(f"ValueError: {e}")
    try:
        # triggers divisibility mismatch error because 126 is not divisible by 16
        compiled_add_one(a[:126], b[:126])
    except ValueError as e:
        # Invalid a.shape[0] on argument #0 when calling:
        # `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32)`,
        # expected to be divisible by 16
        print(f"ValueError: {e}")
    try:
        a = torch.zeros(129, dtype=torch.float32, device=DEVICE)
        b = torch.zeros(129, dtype=torch.float32, device=DEVICE)
        # triggers data alignment mismatch error because x and y are not aligned to 16 bytes
        compiled_add_one(a[1:], b[1:])
    except ValueError as e:
        # raises: Misaligned Tensor data on argument #0 when calling:
        # `add_one(a: Tensor([n0], float32), b: Tensor([n0], float32)`,
        # expected data alignment=16 bytes
        print(f"ValueError: {e}")

if __name__ == "__main__":
    compiled_add_one, a_torch, b_torch = example_add_one()
    example_from_dlpack(compiled_add_one, a_torch, b_torch)
    example_constraint_checks()

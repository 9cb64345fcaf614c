"""Seed: tensors of torch as hints for compile, with a dynamic layout, and the mode chosen by the environment.

The calls are as printed in the documentation of the TVM FFI mode and in the notes on its integration; `add` is any
function decorated with `@cute.jit`, and only the device is read from FAIRLEAD_SEED_DEVICE.
Run it with: CUTE_DSL_ENABLE_TVM_FFI=1 python -m fairlead.compat examples/seeds/compile_with_tensors.py
"""

import os

DEVICE = os.environ.get("FAIRLEAD_SEED_DEVICE", "cuda")

import cutlass
import cutlass.cute as cute
import torch
from cutlass.cute.runtime import from_dlpack

@cute.jit
def add(a: cute.Tensor, b: cute.Tensor):
    b[:] = a[:] + b[:]

def example_compile():
    a_torch = torch.randn(10, 20, 30).to(torch.float16).to(DEVICE)
    b_torch = torch.randn(10, 20, 30).to(torch.float16).to(DEVICE)
    a_cute = cute.runtime.from_dlpack(a_torch, enable_tvm_ffi=True).mark_layout_dynamic()
    b_cute = cute.runtime.from_dlpack(b_torch, enable_tvm_ffi=True).mark_layout_dynamic()
    compiled_add = cute.compile(add, a_cute, b_cute, options="--enable-tvm-ffi")
    expected = a_torch + b_torch
    compiled_add(a_torch, b_torch)
    assert torch.equal(b_torch, expected)
    print("compiled for tensors: b == a + b")

def example_environment():
    a_torch = torch.randn(10, device=DEVICE)
    # Automatically uses TVM-FFI due to environment variable
    a_cute = from_dlpack(a_torch)
    compiled_add = cute.compile(add, a_cute, a_cute)
    expected = a_torch + a_torch
    compiled_add(a_cute, a_cute)
    assert torch.equal(a_torch, expected)
    print("by the environment: a == a + a")

def example_dynamic_shapes():
    @cute.jit
    def kernel(a: cute.Tensor):
        a[:] = a[:] * 2.0

    a_fake = cute.runtime.make_fake_compact_tensor(cutlass.Float32,
                                          (cute.sym_int(), 256), stride_order=(1, 0))
    compiled_fn = cute.compile(kernel, a_fake, options="--enable-tvm-ffi")

    # Now call with any batch size
    compiled_fn(torch.randn(128, 256).to(DEVICE))  # batch=128
    compiled_fn(torch.randn(256, 256).to(DEVICE))  # batch=256
    print("any batch size")

if __name__ == "__main__":
    example_compile()
    example_environment()
    example_dynamic_shapes()

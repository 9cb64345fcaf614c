"""Seed: a launch that the driver refuses becomes a Python exception. Needs a GPU.

The code is as printed in the documentation of the TVM FFI mode.
Run it with: python -m fairlead.compat examples/seeds/add_one_invalid_launch.py
"""

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
def add_one_invalid_launch(a: cute.Tensor, b: cute.Tensor):
    # Intentionally exceed the maximum block dimension (1024 threads) so the
    # CUDA runtime reports an invalid configuration error.
    device_add_one(a, b).launch(grid=(1, 1, 1), block=(4096, 1, 1))

def example_error_cuda_error():
    a_torch = torch.zeros((10,), dtype=torch.float32, device="cuda")
    b_torch = torch.zeros((10,), dtype=torch.float32, device="cuda")
    a_cute = cute.runtime.from_dlpack(a_torch, enable_tvm_ffi=True)
    b_cute = cute.runtime.from_dlpack(b_torch, enable_tvm_ffi=True)
    compiled_add_one_invalid_launch = cute.compile(
        add_one_invalid_launch, a_cute, b_cute, options="--enable-tvm-ffi"
    )
    try:
        compiled_add_one_invalid_launch(a_torch, b_torch)
    except RuntimeError as e:
        # raises RuntimeError: CUDA Error: cudaErrorInvalidValue
        print(f"RuntimeError: {e}")

if __name__ == "__main__":
    example_error_cuda_error()

"""Seed: add_one on an explicit stream, and on the environment's. Needs a GPU and the package cuda-python.

The code is as printed in the documentation of the TVM FFI mode.
Run it with: python -m fairlead.compat examples/seeds/add_one_streams.py
"""

import cutlass.cute as cute
import torch
from cuda.bindings.driver import CUstream

@cute.kernel
def device_add_one(a: cute.Tensor, b: cute.Tensor):
    threads_per_block = 128
    cta_x_, _, _ = cute.arch.block_idx()
    tid_x, _, _ = cute.arch.thread_idx()
    tid = cta_x_ * threads_per_block + tid_x
    if tid < a.shape[0]:
        b[tid] = a[tid] + 1.0

@cute.jit
def add_one_with_stream(a: cute.Tensor, b: cute.Tensor, stream: CUstream):
    n = a.shape[0]
    threads_per_block = 128
    blocks = (n + threads_per_block - 1) // threads_per_block
    device_add_one(a, b).launch(
        grid=(blocks, 1, 1),
        block=(threads_per_block, 1, 1),
        stream=stream,
    )

def example_add_one_with_stream():
    n = cute.sym_int()
    a_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    b_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    # Fake stream is a placeholder for stream argument
    stream = cute.runtime.make_fake_stream()
    compiled_add_one = cute.compile(
        add_one_with_stream, a_cute, b_cute, stream, options="--enable-tvm-ffi"
    )
    a_torch = torch.arange(10, dtype=torch.float32, device="cuda")
    b_torch = torch.empty(10, dtype=torch.float32, device="cuda")
    torch_stream = torch.cuda.current_stream()
    compiled_add_one(a_torch, b_torch, torch_stream)
    torch_stream.synchronize()
    print("result of b_torch after compiled_add_one(a_torch, b_torch, torch_stream)")
    print(b_torch)

def example_add_one_with_env_stream():
    n = cute.sym_int()
    a_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    b_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    # Fake stream is a placeholder for stream argument
    # we will use TVM FFI environment stream
    stream = cute.runtime.make_fake_stream(use_tvm_ffi_env_stream=True)
    compiled_add_one = cute.compile(
        add_one_with_stream, a_cute, b_cute, stream, options="--enable-tvm-ffi"
    )
    a_torch = torch.arange(10, dtype=torch.float32, device="cuda")
    b_torch = torch.empty(10, dtype=torch.float32, device="cuda")
    torch_stream = torch.cuda.current_stream()
    with torch.cuda.stream(torch_stream):
        # no need to pass in the stream explicitly, env stream will be synced
        # to torch.cuda.current_stream() before the function call.
        compiled_add_one(a_torch, b_torch)
    torch_stream.synchronize()
    print("result of b_torch after compiled_add_one(a_torch, b_torch)")
    print(b_torch)

if __name__ == "__main__":
    example_add_one_with_stream()
    example_add_one_with_env_stream()

"""Seed: add_one exported, linked by a C compiler, and loaded again.

The code is as printed in the documentation of the TVM FFI mode; only the device is read from FAIRLEAD_SEED_DEVICE. It
writes add_one.o and add_one.so to the working directory.
Run it with: python -m fairlead.compat examples/seeds/add_one_export.py
"""

import os

DEVICE = os.environ.get("FAIRLEAD_SEED_DEVICE", "cuda")

import subprocess
import cutlass.cute as cute

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

def example_add_one_export():
    n = cute.sym_int()
    a_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    b_cute = cute.runtime.make_fake_compact_tensor(cute.Float32, (n,))
    # compile the kernel with "--enable-tvm-ffi" option and example input tensors
    compiled_add_one = cute.compile(add_one, a_cute, b_cute, options="--enable-tvm-ffi")
    # export the compiled module to object file
    compiled_add_one.export_to_c("./add_one.o", function_name="add_one")
    # obtain necessary runtime libs for loading the shared library
    runtime_libs = cute.runtime.find_runtime_libraries(enable_tvm_ffi=True)
    # compile the object file to a shared library
    cmd = ["gcc", "-shared", "-o", "./add_one.so", "./add_one.o", *runtime_libs]
    print(cmd)
    subprocess.run(cmd, check=True)
    print(f"Successfully created shared library: ./add_one.so")

import torch
from cutlass import cute

def example_load_module_add_one():
    mod = cute.runtime.load_module("./add_one.so")
    a_torch = torch.arange(10, dtype=torch.float32, device=DEVICE)
    b_torch = torch.empty(10, dtype=torch.float32, device=DEVICE)
    mod.add_one(a_torch, b_torch)
    print("result of b_torch after mod.add_one(a_torch, b_torch)")
    print(b_torch)

if __name__ == "__main__":
    example_add_one_export()
    example_load_module_add_one()

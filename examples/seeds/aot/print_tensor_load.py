"""Loads what print_tensor_export.py wrote. Run it with ``python -m fairlead.compat``."""

import sys

import cutlass.cute as cute
import cutlass.cute.cuda as cuda
import torch
from cutlass.cute import from_dlpack

# Load module from object file, or from a library made of it
path = sys.argv[1] if len(sys.argv) > 1 else "./artifacts/print_tensor_example.o"
module = cute.runtime.load_module(path)
# Prepare data
a = torch.arange(160, dtype=torch.float32, device="cuda").reshape(16, 10)
a_cute = from_dlpack(a).mark_layout_dynamic()
stream = cuda.CUstream(0)
# Call the function (no JIT compilation needed!)
module.print_tensor(a_cute, stream=stream)
# This will fail because 'non_existing_api' was not exported:
# module.non_existing_api()
if a.is_cuda:
    torch.cuda.synchronize()

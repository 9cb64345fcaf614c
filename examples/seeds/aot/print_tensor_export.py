"""Writes print_tensor_example.h and .o into ./artifacts. Run it with ``python -m fairlead.compat``."""

import cutlass.cute as cute
import cutlass.cute.cuda as cuda


@cute.kernel
def print_tensor_kernel(a: cute.Tensor):
    cute.printf("a: {}", a)


@cute.jit
def print_tensor(a: cute.Tensor, stream: cuda.CUstream):
    print_tensor_kernel(a).launch(grid=(1, 1, 1), block=(1, 1, 1), stream=stream)


compiled_func = cute.compile(print_tensor)
# Export compiled functions to object files and headers
compiled_func.export_to_c(
    file_path="./artifacts", file_name="print_tensor_example", function_prefix="print_tensor"
)

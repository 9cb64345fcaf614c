// An exported function linked into a program: print_tensor_example.o, and
// libcuda_dialect_runtime_static.a or libcuda_dialect_runtime.so.
#include "print_tensor_example.h"
#include <cuda_runtime.h>

void run_print_tensor() {
  // Prepare tensor, the tensor declaration is in the header file
  print_tensor_Tensor_a_t tensor_a;
  tensor_a.data = nullptr; // GPU memory is set to nullptr.
  // Set dynamic shapes and strides
  tensor_a.dynamic_shapes[0] = 32;
  tensor_a.dynamic_shapes[1] = 16;
  tensor_a.dynamic_strides[0] = 16;
  // Create stream
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // Load module before calling the kernel
  print_tensor_Kernel_Module_t module;
  print_tensor_Kernel_Module_Load(&module);
  // Call the kernel; the kernel wrapper function is defined in the header file
  cute_dsl_print_tensor_wrapper(&module, &tensor_a, stream);
  // Cleanup
  print_tensor_Kernel_Module_Unload(&module);
  cudaStreamDestroy(stream);
}

int main() {
  run_print_tensor();
  return 0;
}

// An exported object or library, loaded by its path: libcute_dsl_runtime.so.
#include "CuteDSLRuntime.h"
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

static void check_error(CuteDSLRT_Error_t err) {
  if (err == CuteDSLRT_Error_Success)
    return;
  std::printf("%s: %s\n", CuteDSLRT_Get_Error_Name(err), CuteDSLRT_Get_Last_Error());
  std::exit(1);
}

void run_print_tensor(const char *path) {
  // Load module from shared library or object
  CuteDSLRT_Module_t *module = nullptr;
  CuteDSLRT_Error_t err = CuteDSLRT_Module_Load(&module, path);
  check_error(err);
  // Lookup function
  CuteDSLRT_Function_t *func = nullptr;
  err = CuteDSLRT_Module_Get_Function(&func, module, "print_tensor");
  check_error(err);
  // Prepare arguments, matching the argument type defined in the header file
  typedef struct {
    void *data;
    int32_t dynamic_shapes[2];
    int64_t dynamic_strides[1];
  } print_tensor_Tensor_a_t;
  print_tensor_Tensor_a_t tensor_a;
  tensor_a.data = nullptr;
  tensor_a.dynamic_shapes[0] = 32;
  tensor_a.dynamic_shapes[1] = 16;
  tensor_a.dynamic_strides[0] = 16;
  // Create stream
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  // Call the function; the runtime function accepts packed arguments, refer to the wrapper in the
  // header file
  int ret;
  void *args[] = {&tensor_a, &stream, &ret};
  err = CuteDSLRT_Function_Run(func, args, 3);
  check_error(err);
  cudaStreamSynchronize(stream);
  // Cleanup
  CuteDSLRT_Module_Destroy(module);
  cudaStreamDestroy(stream);
}

int main(int argc, char **argv) {
  run_print_tensor(argc > 1 ? argv[1] : "./artifacts/print_tensor_example.o");
  return 0;
}

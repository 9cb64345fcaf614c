/// Calls a function exported with export_library("libadd_one.so"), from C, by its symbol. The
/// process has no compiler and no Python.
///
///     gcc call_exported.c $(fairlead-config --runtime) -ldl -o call_exported
///     ./call_exported ./libadd_one.so
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <tvm/ffi/c_api.h>

static DLTensor view(float *data, int64_t *extent) {
  DLTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.data = data;
  tensor.device.device_type = kDLCPU;
  tensor.ndim = 1;
  tensor.dtype.code = kDLFloat;
  tensor.dtype.bits = 32;
  tensor.dtype.lanes = 1;
  tensor.shape = extent; /* without strides: row-major */
  return tensor;
}

static TVMFFIAny argument(DLTensor *tensor) {
  TVMFFIAny any;
  memset(&any, 0, sizeof(any));
  any.type_index = kTVMFFIDLTensorPtr;
  any.v_ptr = tensor;
  return any;
}

static int call(TVMFFISafeCallType function, DLTensor *a, DLTensor *b) {
  TVMFFIAny args[2], result;
  TVMFFIObjectHandle error;
  const TVMFFIErrorCell *cell;
  args[0] = argument(a);
  args[1] = argument(b);
  memset(&result, 0, sizeof(result));
  if (function(NULL, args, 2, &result) == 0)
    return 0;
  TVMFFIErrorMoveFromRaised(&error);
  /* Behind the header of every object lies what is particular to its kind. */
  cell = (const TVMFFIErrorCell *)((const char *)error + sizeof(TVMFFIObject));
  printf("%.*s: %.*s\n", (int)cell->kind.size, cell->kind.data, (int)cell->message.size,
         cell->message.data);
  TVMFFIObjectDecRef(error);
  return -1;
}

int main(int argc, char **argv) {
  float x[] = {1, 2, 3}, y[3] = {0, 0, 0};
  int64_t three = 3, two = 2;
  DLTensor a = view(x, &three), b = view(y, &three), c = view(y, &two);
  TVMFFISafeCallType add_one;
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  void *symbol = library ? dlsym(library, "__tvm_ffi_add_one") : NULL;
  if (!symbol) {
    fprintf(stderr, "%s\n", argc == 2 ? dlerror() : "usage: call_exported LIBRARY");
    return 2;
  }
  memcpy(&add_one, &symbol, sizeof(add_one));
  if (call(add_one, &a, &b) == 0)
    printf("%g %g %g\n", y[0], y[1], y[2]);
  return call(add_one, &a, &c) == 0; /* two lengths where one is expected: an error */
}

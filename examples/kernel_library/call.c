/// Calls the kernel library from C, by its symbol: ./call_c
#include <stdio.h>
#include <string.h>
#include <tvm/ffi/c_api.h>

int __tvm_ffi_scale(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

static TVMFFIAny tensorArgument(DLTensor *tensor) {
  TVMFFIAny any;
  memset(&any, 0, sizeof(any));
  any.type_index = kTVMFFIDLTensorPtr;
  any.v_ptr = tensor;
  return any;
}

int main(void) {
  float x[] = {1, 2, 3}, y[3];
  int64_t shape[] = {3};
  DLTensor in, out;
  TVMFFIAny args[3], result;
  TVMFFIObjectHandle error;
  int call;
  memset(&in, 0, sizeof(in));
  in.data = x;
  in.device.device_type = kDLCPU;
  in.ndim = 1;
  in.dtype.code = kDLFloat;
  in.dtype.bits = 32;
  in.dtype.lanes = 1;
  in.shape = shape;
  out = in;
  out.data = y;
  args[0] = tensorArgument(&out);
  args[1] = tensorArgument(&in);
  memset(&args[2], 0, sizeof(args[2]));
  args[2].type_index = kTVMFFIFloat;
  args[2].v_float64 = 2.5;
  for (call = 0; call < 2; ++call) {
    memset(&result, 0, sizeof(result));
    if (__tvm_ffi_scale(NULL, args, 3 - call, &result) == 0) { /* the second lacks an argument */
      printf("%g %g %g\n", y[0], y[1], y[2]);
      continue;
    }
    TVMFFIErrorMoveFromRaised(&error);
    {
      /* Behind the header of every object lies what is particular to its kind. */
      const TVMFFIErrorCell *cell =
          (const TVMFFIErrorCell *)((const char *)error + sizeof(TVMFFIObject));
      printf("%.*s: %.*s\n", (int)cell->kind.size, cell->kind.data, (int)cell->message.size,
             cell->message.data);
    }
    TVMFFIObjectDecRef(error);
  }
  return 0;
}

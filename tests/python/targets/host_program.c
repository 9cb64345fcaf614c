/* Calls scale(a, b, c) of an exported object, with a runtime of a few lines in place of the real
   one: kernels run block by block, errors are printed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fairlead/Runtime.h"
#include "tvm/ffi/c_api.h"

int __tvm_ffi_scale(void *self, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result);

static char raised[500];

void FairleadRaise(FairleadCallContext *context, const FairleadFailure *failure, int64_t expected,
                   int64_t got) {
  (void)expected, (void)got;
  snprintf(raised, sizeof raised, "%s: %s", failure->kind, failure->message);
  if (context)
    context->status = -1;
}

void FairleadCpuLaunch(FairleadCallContext *context, const char *name, FairleadCpuKernel kernel,
                       void *const *params, const FairleadLaunch *launch) {
  (void)context;
  if (strstr(name, "scale_kernel") == NULL || launch->block[0] != 64)
    exit(3);
  for (int z = 0; z < launch->grid[2]; ++z)
    for (int y = 0; y < launch->grid[1]; ++y)
      for (int x = 0; x < launch->grid[0]; ++x)
        kernel(params, launch, x, y, z, NULL);
}

/* What the object refers to and this program never reaches. */
void FairleadCudaLaunch(FairleadCallContext *context, FairleadCudaModule *module, int32_t kernel,
                        void *const *params, const FairleadLaunch *launch) {
  (void)context, (void)module, (void)kernel, (void)params, (void)launch;
  exit(4);
}
int32_t FairleadCudaModuleLoad(FairleadCudaModule *module, int32_t device) {
  (void)module, (void)device;
  exit(5);
}
int TVMFFIStringFromByteArray(const TVMFFIByteArray *input, TVMFFIAny *out) {
  (void)input, (void)out;
  exit(6);
}

static DLTensor tensor(float *data, int64_t *shape) {
  DLTensor made;
  memset(&made, 0, sizeof made);
  made.data = data;
  made.device.device_type = kDLCPU;
  made.ndim = 1;
  made.dtype.code = kDLFloat;
  made.dtype.bits = 32;
  made.dtype.lanes = 1;
  made.shape = shape;
  return made;
}

int main(void) {
  enum { kSize = 1001 };
  static float a[kSize], b[kSize];
  int64_t shape[1] = {kSize};
  for (int i = 0; i < kSize; ++i)
    a[i] = (float)i;
  DLTensor x = tensor(a, shape), y = tensor(b, shape);
  TVMFFIAny args[3], result;
  memset(args, 0, sizeof args);
  memset(&result, 0, sizeof result);
  args[0].type_index = args[1].type_index = kTVMFFIDLTensorPtr;
  args[0].v_ptr = &x;
  args[1].v_ptr = &y;
  args[2].type_index = kTVMFFIFloat;
  args[2].v_float64 = 3.0;
  if (__tvm_ffi_scale(NULL, args, 3, &result) != 0) {
    puts(raised);
    return 1;
  }
  for (int i = 0; i < kSize; ++i)
    if (b[i] != a[i] * 3 + 1)
      return 2;
  printf("%g %g %g %g %g\n", b[0], b[1], b[2], b[3], b[4]);
  if (__tvm_ffi_scale(NULL, args, 2, &result) != -1 || !strstr(raised, "number of arguments"))
    printf("[%s] ", raised);
  puts("argument count");
  y.device.device_type = kDLROCM;
  if (__tvm_ffi_scale(NULL, args, 3, &result) != -1 || !strstr(raised, "Mismatched device"))
    printf("[%s] ", raised);
  puts("device");
  puts("done");
  return 0;
}

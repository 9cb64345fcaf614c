/* Calls an exported function of the plain C ABI with a runtime of a few lines: what is checked is
 * the generated code. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fairlead/PlainC.h"
#include "scale.h"

static char lastText[512];

int32_t FairleadCLoad_1(const FairleadCFunction *function) {
  return function && function->abi == FAIRLEAD_C_ABI ? 0 : 1;
}
void FairleadCUnload_1(const FairleadCFunction *function) { (void)function; }
int32_t FairleadCRun_1(const FairleadCFunction *function, void *const *args, uint64_t num_args) {
  int32_t status;
  if (!function || num_args != function->num_args)
    return 1;
  status = function->run(args, 0) == 0 ? 0 : 1;
  memcpy(args[num_args - 1], &status, sizeof(status));
  return status;
}
const char *FairleadCLastError(void) { return lastText; }
void *FairleadCStream(int32_t device_type, int32_t device_id) {
  (void)device_type, (void)device_id;
  return NULL;
}
int32_t FairleadCpuLevel(void) { return 0; }

void FairleadCpuLaunch(FairleadCallContext *context, const char *kernel_name,
                       FairleadCpuKernel kernel, void *const *params,
                       const FairleadLaunch *launch) {
  int32_t x;
  (void)context, (void)kernel_name;
  for (x = 0; x < launch->grid[0]; ++x)
    kernel(params, launch, x, 0, 0, NULL);
}
void FairleadRaise(FairleadCallContext *context, const FairleadFailure *failure, int64_t expected,
                   int64_t got) {
  (void)expected, (void)got;
  if (context)
    context->status = -1;
  strncpy(lastText, failure->kind, sizeof(lastText) - 1);
}

/* What the object refers to and this program never reaches. */
void FairleadCudaLaunch(FairleadCallContext *context, FairleadCudaModule *module, int32_t kernel,
                        void *const *params, const FairleadLaunch *launch) {
  (void)context, (void)module, (void)kernel, (void)params, (void)launch;
}
int32_t FairleadCudaModuleLoad(FairleadCudaModule *module, int32_t device) {
  (void)module, (void)device;
  return -1;
}

int main(void) {
  float x[5] = {0, 1, 2, 3, 4}, y[5] = {0, 0, 0, 0, 0};
  scale_Tensor_a_t a;
  scale_Tensor_b_t b;
  scale_Kernel_Module_t module;
  int i;
  a.data = x;
  a.dynamic_shapes[0] = 5;
  b.data = y;
  b.dynamic_shapes[0] = 5;
  if (scale_Kernel_Module_Load(&module))
    return 1;
  if (cute_dsl_scale_wrapper(&module, &a, &b, 3.0f))
    return 2;
  for (i = 0; i < 5; ++i)
    printf("%s%g", i ? " " : "", y[i]);
  b.dynamic_shapes[0] = 4;
  printf("\n%d %s\n", cute_dsl_scale_wrapper(&module, &a, &b, 3.0f), FairleadCLastError());
  scale_Kernel_Module_Unload(&module);
  return 0;
}

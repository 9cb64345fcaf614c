/* Calls of every kind, over and over: fails where the process's memory grows. The argument is the
 * number of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tvm/ffi/extra/c_env_api.h"

static int echo(void *self, const TVMFFIAny *args, int32_t numArgs, TVMFFIAny *result) {
  (void)self;
  if (numArgs != 1) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "one argument is expected");
    return -1;
  }
  return TVMFFIAnyViewToOwnedAny(&args[0], result);
}

static long residentPages(void) {
  long total = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &total, &resident) != 2)
    exit(2);
  fclose(file);
  return resident;
}

static void freeTensor(DLManagedTensor *tensor) { free(tensor); }

static int oneRound(TVMFFIObjectHandle function, long i) {
  TVMFFIAny text, result, number;
  TVMFFIObjectHandle handle = NULL;
  TVMFFIByteArray bytes = {"a text that lies on the heap", 28};
  memset(&result, 0, sizeof(result));
  memset(&number, 0, sizeof(number));
  number.type_index = kTVMFFIInt;
  number.v_int64 = i;
  if (TVMFFIFunctionCall(function, &number, 1, &result) != 0 || result.v_int64 != i)
    return 1;
  if (i % 4 == 0) {
    memset(&result, 0, sizeof(result));
    if (TVMFFIStringFromByteArray(&bytes, &text) != 0 ||
        TVMFFIFunctionCall(function, &text, 1, &result) != 0 || result.v_obj != text.v_obj)
      return 2;
    TVMFFIObjectDecRef(result.v_obj);
    TVMFFIObjectDecRef(text.v_obj);
  }
  if (i % 64 == 0) { /* a failure, with its backtrace */
    memset(&result, 0, sizeof(result));
    if (TVMFFIFunctionCall(function, &number, 0, &result) == 0)
      return 3;
    TVMFFIErrorMoveFromRaised(&handle);
    if (!handle)
      return 4;
    TVMFFIObjectDecRef(handle);
  }
  if (i % 16 == 0) {
    static int64_t shape[1] = {4};
    static float data[4];
    DLManagedTensor *managed = calloc(1, sizeof(DLManagedTensor));
    managed->dl_tensor.data = data;
    managed->dl_tensor.device.device_type = kDLCPU;
    managed->dl_tensor.ndim = 1;
    managed->dl_tensor.dtype.code = kDLFloat;
    managed->dl_tensor.dtype.bits = 32;
    managed->dl_tensor.dtype.lanes = 1;
    managed->dl_tensor.shape = shape;
    managed->deleter = freeTensor;
    if (TVMFFITensorFromDLPack(managed, 0, 1, &handle) != 0)
      return 5;
    TVMFFIObjectDecRef(handle);
  }
  return 0;
}

int main(int argc, char **argv) {
  long calls = argc > 1 ? atol(argv[1]) : 200000, before = 0;
  TVMFFIObjectHandle function = NULL;
  if (TVMFFIFunctionCreate(NULL, echo, NULL, &function) != 0)
    return 2;
  for (long i = 0; i < calls; ++i) {
    int failed = oneRound(function, i);
    if (failed) {
      fprintf(stderr, "call %ld failed: %d\n", i, failed);
      return 1;
    }
    if (i == calls / 10) /* caches are warm */
      before = residentPages();
  }
  TVMFFIObjectDecRef(function);
  long grown = (residentPages() - before) * sysconf(_SC_PAGESIZE) / 1024;
  printf("%ld calls, memory grew by %ld KiB\n", calls, grown);
  return grown > 512 ? 1 : 0;
}

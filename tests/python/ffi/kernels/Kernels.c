/* Functions of the ABI for the tests of the call path: C, and nothing but c_api.h. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#define EXPORT TVM_FFI_DLL_EXPORT

static int fail(const char *kind, const char *message) {
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

static const DLTensor *tensorOf(const TVMFFIAny *value) {
  if (value->type_index == kTVMFFIDLTensorPtr)
    return (const DLTensor *)value->v_ptr;
  if (value->type_index == kTVMFFITensor)
    return (const DLTensor *)((const char *)value->v_obj + sizeof(TVMFFIObject));
  return NULL;
}

/* What the callee sees of its arguments, as text: one word each, tensors with all their parts. */
EXPORT int __tvm_ffi_describe(void *handle, const TVMFFIAny *args, int32_t count,
                              TVMFFIAny *result) {
  (void)handle;
  char text[4096];
  size_t size = 0;
  text[0] = 0;
  for (int32_t i = 0; i < count && size < sizeof text - 512; ++i) {
    const DLTensor *tensor = tensorOf(&args[i]);
    size += (size_t)sprintf(text + size, "%s%d", i ? " " : "", args[i].type_index);
    if (!tensor) {
      if (args[i].type_index < kTVMFFIStaticObjectBegin)
        size += (size_t)sprintf(text + size, ":%llx", (unsigned long long)args[i].v_uint64);
      continue;
    }
    size +=
        (size_t)sprintf(text + size, ":%d.%d.%d@%d.%d[", tensor->dtype.code, tensor->dtype.bits,
                        tensor->dtype.lanes, tensor->device.device_type, tensor->device.device_id);
    for (int d = 0; d < tensor->ndim; ++d)
      size += (size_t)sprintf(text + size, "%s%lld", d ? "," : "", (long long)tensor->shape[d]);
    size += (size_t)sprintf(text + size, "][");
    for (int d = 0; d < tensor->ndim; ++d)
      size += (size_t)sprintf(text + size, "%s%lld", d ? "," : "", (long long)tensor->strides[d]);
    size += (size_t)sprintf(text + size, "]%llx",
                            (unsigned long long)(uintptr_t)tensor->data + tensor->byte_offset);
  }
  TVMFFIByteArray bytes = {text, size};
  return TVMFFIStringFromByteArray(&bytes, result);
}

/* The argument itself. */
EXPORT int __tvm_ffi_echo(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle;
  if (count != 1)
    return fail("TypeError", "echo takes 1 argument");
  return TVMFFIAnyViewToOwnedAny(&args[0], result);
}

/* The environment's stream of a device, as a pointer: (type, ordinal). */
EXPORT int __tvm_ffi_stream(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle;
  if (count < 2)
    return fail("TypeError", "stream takes 2 arguments");
  result->type_index = kTVMFFIOpaquePtr;
  result->v_ptr = TVMFFIEnvGetStream((int32_t)args[0].v_int64, (int32_t)args[1].v_int64);
  return 0;
}

/* The environment's tensor allocator, as a pointer. */
EXPORT int __tvm_ffi_allocator(void *handle, const TVMFFIAny *args, int32_t count,
                               TVMFFIAny *result) {
  (void)handle, (void)args, (void)count;
  DLPackManagedTensorAllocator allocator = TVMFFIEnvGetDLPackManagedTensorAllocator();
  result->type_index = kTVMFFIOpaquePtr;
  memcpy(&result->v_ptr, &allocator, sizeof allocator);
  return 0;
}

static size_t textOf(const TVMFFIAny *value, const char **text) {
  if (value->type_index == kTVMFFISmallStr) {
    *text = value->v_bytes;
    return value->small_str_len;
  }
  const TVMFFIByteArray *bytes =
      (const TVMFFIByteArray *)((const char *)value->v_obj + sizeof(TVMFFIObject));
  *text = bytes->data;
  return bytes->size;
}

/* Raises: (kind, message[, backtrace]). */
EXPORT int __tvm_ffi_raise(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle, (void)result;
  TVMFFIByteArray parts[3] = {{"", 0}, {"", 0}, {"", 0}};
  for (int32_t i = 0; i < count && i < 3; ++i)
    parts[i].size = textOf(&args[i], &parts[i].data);
  TVMFFIObjectHandle error;
  if (TVMFFIErrorCreate(&parts[0], &parts[1], &parts[2], &error))
    return -1;
  TVMFFIErrorSetRaised(error);
  TVMFFIObjectDecRef(error);
  return -1;
}

/* Leaves an error behind and succeeds, as careless code does. */
EXPORT int __tvm_ffi_leave_error(void *handle, const TVMFFIAny *args, int32_t count,
                                 TVMFFIAny *result) {
  (void)handle, (void)args, (void)count, (void)result;
  TVMFFIErrorSetRaisedFromCStr("ValueError", "left behind");
  return 0;
}

/* Calls its first argument in a thread of its own, without waiting: again and again, until the
 * process ends. */
static void *callForever(void *function) {
  struct timespec span = {0, 100000};
  for (;;) {
    TVMFFIAny result = {.type_index = kTVMFFINone};
    if (TVMFFIFunctionCall(function, NULL, 0, &result)) {
      TVMFFIObjectHandle error = NULL;
      TVMFFIErrorMoveFromRaised(&error);
      if (error)
        TVMFFIObjectDecRef(error);
    } else if (result.type_index >= kTVMFFIStaticObjectBegin) {
      TVMFFIObjectDecRef(result.v_obj);
    }
    nanosleep(&span, NULL);
  }
  return NULL;
}

EXPORT int __tvm_ffi_call_forever(void *handle, const TVMFFIAny *args, int32_t count,
                                  TVMFFIAny *result) {
  (void)handle, (void)result;
  if (count != 1 || args[0].type_index != kTVMFFIFunction)
    return fail("TypeError", "call_forever takes a function");
  TVMFFIObjectIncRef(args[0].v_obj);
  pthread_t thread;
  if (pthread_create(&thread, NULL, callForever, args[0].v_obj))
    return fail("RuntimeError", "no thread");
  pthread_detach(thread);
  return 0;
}

/* Fails without an error. */
EXPORT int __tvm_ffi_fail_silently(void *handle, const TVMFFIAny *args, int32_t count,
                                   TVMFFIAny *result) {
  (void)handle, (void)args, (void)count, (void)result;
  return -1;
}

/* Calls its first argument with the others. */
EXPORT int __tvm_ffi_apply(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle;
  if (count < 1 || args[0].type_index != kTVMFFIFunction)
    return fail("TypeError", "apply takes a function first");
  return TVMFFIFunctionCall(args[0].v_obj, (TVMFFIAny *)args + 1, count - 1, result);
}

/* Keeps its argument, and gives back what it kept before. */
static TVMFFIAny kept;

EXPORT int __tvm_ffi_swap(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle;
  if (count != 1)
    return fail("TypeError", "swap takes 1 argument");
  *result = kept;
  return TVMFFIAnyViewToOwnedAny(&args[0], &kept);
}

static void *release(void *object) {
  TVMFFIObjectDecRef(object);
  return NULL;
}

/* Drops what `swap` kept in a thread that Python does not know. */
EXPORT int __tvm_ffi_drop_in_thread(void *handle, const TVMFFIAny *args, int32_t count,
                                    TVMFFIAny *result) {
  (void)handle, (void)args, (void)count, (void)result;
  TVMFFIAny dropped = kept;
  kept = (TVMFFIAny){.type_index = kTVMFFINone};
  if (dropped.type_index < kTVMFFIStaticObjectBegin)
    return 0;
  pthread_t thread;
  if (pthread_create(&thread, NULL, release, dropped.v_obj))
    return fail("RuntimeError", "no thread");
  pthread_join(thread, NULL);
  return 0;
}

static void freeManaged(DLManagedTensorVersioned *self) {
  free(self->dl_tensor.data);
  free(self);
}

/* A new tensor of float32 0, 1, 2, ...: (extent). */
EXPORT int __tvm_ffi_arange(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle;
  if (count < 1 || args[0].type_index != kTVMFFIInt)
    return fail("TypeError", "arange takes an int first");
  int64_t extent = args[0].v_int64;
  struct {
    DLManagedTensorVersioned managed;
    int64_t layout[2];
  } *made = calloc(1, sizeof *made);
  float *data = malloc(sizeof(float) * (size_t)(extent ? extent : 1));
  for (int64_t i = 0; i < extent; ++i)
    data[i] = (float)i;
  made->layout[0] = extent;
  made->layout[1] = 1;
  made->managed.version.major = DLPACK_MAJOR_VERSION;
  made->managed.version.minor = DLPACK_MINOR_VERSION;
  made->managed.deleter = freeManaged;
  made->managed.dl_tensor.data = data;
  made->managed.dl_tensor.device.device_type = kDLCPU;
  made->managed.dl_tensor.dtype.code = kDLFloat;
  made->managed.dl_tensor.dtype.bits = 32;
  made->managed.dl_tensor.dtype.lanes = 1;
  made->managed.dl_tensor.ndim = 1;
  made->managed.dl_tensor.shape = made->layout;
  made->managed.dl_tensor.strides = made->layout + 1;
  TVMFFIObjectHandle tensor;
  if (TVMFFITensorFromDLPackVersioned(&made->managed, 0, 0, &tensor))
    return -1;
  result->type_index = kTVMFFITensor;
  result->v_obj = tensor;
  return 0;
}

/* c = a + b over flat float32; the check of a real entry is not wanted here. */
EXPORT int __tvm_ffi_add(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle, (void)result;
  const DLTensor *tensors[3];
  for (int32_t i = 0; i < 3; ++i)
    if (i >= count || !(tensors[i] = tensorOf(&args[i])))
      return fail("TypeError", "expected Tensor");
  const float *a = tensors[0]->data, *b = tensors[1]->data;
  float *c = tensors[2]->data;
  for (int64_t i = 0; i < tensors[2]->shape[0]; ++i)
    c[i] = a[i] + b[i];
  return 0;
}

/* Takes a while: (milliseconds). */
EXPORT int __tvm_ffi_sleep(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle, (void)result;
  if (count != 1)
    return fail("TypeError", "sleep takes 1 argument");
  struct timespec span = {args[0].v_int64 / 1000, args[0].v_int64 % 1000 * 1000000};
  nanosleep(&span, NULL);
  return 0;
}

/* Waits until another thread changes a tensor of one int64, for so many milliseconds at most:
 * (tensor, milliseconds). Returns whether it changed. */
EXPORT int __tvm_ffi_wait_for_change(void *handle, const TVMFFIAny *args, int32_t count,
                                     TVMFFIAny *result) {
  (void)handle;
  const DLTensor *counter = count == 2 ? tensorOf(&args[0]) : NULL;
  if (!counter)
    return fail("TypeError", "wait_for_change takes a tensor and a number of milliseconds");
  const volatile int64_t *value = counter->data;
  const int64_t before = *value;
  const struct timespec millisecond = {0, 1000000};
  for (int64_t waited = 0; *value == before && waited < args[1].v_int64; ++waited)
    nanosleep(&millisecond, NULL);
  result->type_index = kTVMFFIBool;
  result->v_int64 = *value != before;
  return 0;
}

/* Does nothing. */
EXPORT int __tvm_ffi_nop(void *handle, const TVMFFIAny *args, int32_t count, TVMFFIAny *result) {
  (void)handle, (void)args, (void)count, (void)result;
  return 0;
}

/* Metadata of `add`, in the two forms that Module reads. */
EXPORT int __tvm_ffi__metadata_add(void *handle, const TVMFFIAny *args, int32_t count,
                                   TVMFFIAny *result) {
  (void)handle, (void)args, (void)count;
  static const char text[] =
      "{\"fairlead\":{\"arg_names\":[\"a\",\"b\",\"c\"],\"format\":2,\"views\":true,"
      "\"signature\":\"add(a: Tensor([n0], float32), b: Tensor([n0], float32), "
      "c: Tensor([n0], float32))\"}}";
  TVMFFIByteArray bytes = {text, sizeof text - 1};
  return TVMFFIStringFromByteArray(&bytes, result);
}

EXPORT int __tvm_ffi__metadata_describe(void *handle, const TVMFFIAny *args, int32_t count,
                                        TVMFFIAny *result) {
  (void)handle, (void)args, (void)count;
  static const char text[] =
      "{\"type_schema\":\"{\\\"type\\\":\\\"ffi.Function\\\",\\\"named_args\\\":{\\\"return\\\":"
      "[{\\\"type\\\":\\\"ffi.String\\\"}],\\\"params\\\":[{\\\"type\\\":\\\"DLTensor*\\\"}]}}\"}";
  TVMFFIByteArray bytes = {text, sizeof text - 1};
  return TVMFFIStringFromByteArray(&bytes, result);
}

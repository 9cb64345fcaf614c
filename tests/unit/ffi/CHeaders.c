/* The C headers compile as C11 without extensions, and their layouts hold there too. */
#include <assert.h>
#include <stddef.h>

#include "tvm/ffi/c_api.h"
#include "tvm/ffi/extra/c_env_api.h"

static_assert(sizeof(TVMFFIAny) == 16, "TVMFFIAny");
static_assert(sizeof(TVMFFIObject) == 24, "TVMFFIObject");
static_assert(sizeof(TVMFFIErrorCell) == 72, "TVMFFIErrorCell");
static_assert(sizeof(TVMFFIFieldInfo) == 120, "TVMFFIFieldInfo");
static_assert(sizeof(TVMFFITypeMetadata) == 32, "TVMFFITypeMetadata");
static_assert(sizeof(TVMFFITypeInfo) == 72, "TVMFFITypeInfo");
static_assert(offsetof(TVMFFIAny, v_obj) == 8, "TVMFFIAny.v_obj");

/* A function in C, as a code generator would write it. */
int ffiTestAddInC(void *handle, const TVMFFIAny *args, int32_t num_args, TVMFFIAny *result) {
  (void)handle;
  if (num_args != 2 || args[0].type_index != kTVMFFIInt || args[1].type_index != kTVMFFIInt) {
    TVMFFIErrorSetRaisedFromCStr("TypeError", "two integers are expected");
    return -1;
  }
  result->type_index = kTVMFFIInt;
  result->zero_padding = 0;
  result->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

/// One function for each width of integers, which returns its argument.
#include <tvm/ffi/function.h>

#include <cstdint>

#define ECHO(name, type)                                                                           \
  static type name##_(type value) { return value; }                                                \
  TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, name##_)

ECHO(int8, int8_t);
ECHO(int16, int16_t);
ECHO(int32, int32_t);
ECHO(int64, int64_t);
ECHO(uint8, uint8_t);
ECHO(uint16, uint16_t);
ECHO(uint32, uint32_t);

/// What the headers under extra/ share.
#ifndef TVM_FFI_EXTRA_BASE_H_
#define TVM_FFI_EXTRA_BASE_H_
#include <tvm/ffi/base_detail.h>
#endif // TVM_FFI_EXTRA_BASE_H_

/// The name of container_detail.h before 0.1.15.
#ifndef TVM_FFI_CONTAINER_CONTAINER_DETAILS_H_
#define TVM_FFI_CONTAINER_CONTAINER_DETAILS_H_
#include <tvm/ffi/container/container_detail.h>
#endif // TVM_FFI_CONTAINER_CONTAINER_DETAILS_H_

/// StructuralKey: its registration, and its objects as keys.
#include "tvm/ffi/extra/structural_key.h"

#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

static_assert(sizeof(StructuralKeyObj) == 48);

TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<StructuralKeyObj>(init(false))
      .def_ro("key", &StructuralKeyObj::key)
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64);
}

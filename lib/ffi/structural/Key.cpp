/// StructuralKey: its registration, and its objects as keys.
#include "tvm/ffi/extra/structural_key.h"

#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

static_assert(sizeof(StructuralKeyObj) == 48);

namespace {

bool equalKeys(AnyView lhs, AnyView rhs) {
  return lhs.same_as(rhs) || lhs.cast<StructuralKey>() == rhs.cast<StructuralKey>();
}

} // namespace

// Functions, not pointers: kernels before and after 0.1.15 call pointers differently.
TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<StructuralKeyObj>()
      .def_ro("key", &StructuralKeyObj::key)
      .def_ro("hash_i64", &StructuralKeyObj::hash_i64)
      .def(init<Any>(), "Constructor that takes any key and computes its structural hash");
  int32_t type = StructuralKeyObj::RuntimeTypeIndex();
  inner::registerTypeAttr(type, "__any_hash__",
                          Function::FromTyped([](StructuralKey key) { return key->hash_i64; }));
  inner::registerTypeAttr(type, "__any_equal__", Function::FromTyped(equalKeys));
  GlobalDef()
      .def("ffi.StructuralKey", [](Any key) { return StructuralKey(std::move(key)); })
      .def("ffi.StructuralKeyEqual",
           [](Any lhs, Any rhs) { return equalKeys(AnyView(lhs), AnyView(rhs)); });
}

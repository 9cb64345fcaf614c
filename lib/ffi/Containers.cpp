/// The global functions that make and read the containers.
#include "Boundary.h"
#include "TypeTable.h"
#include "tvm/ffi/container/array.h"
#include "tvm/ffi/container/shape.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {
/// An object that stands for something and is told by its address.
class SentinelObj : public Object {};
} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::GlobalDef()
      .def_packed("ffi.Shape",
                  [](PackedArgs args, Any *result) {
                    std::vector<int64_t> extents;
                    for (int32_t i = 0; i < args.size(); ++i) {
                      std::optional<int64_t> extent = args[i].try_cast<int64_t>();
                      if (!extent)
                        TVM_FFI_THROW(ValueError) << "Expect shape to take list of int arguments";
                      extents.push_back(*extent);
                    }
                    *result = Shape(extents);
                  })
      .def_packed("ffi.Array",
                  [](PackedArgs args, Any *result) {
                    *result = Array<Any>(args.data(), args.data() + args.size());
                  })
      .def("ffi.ArrayGetItem", [](const Array<Any> &array, int64_t i) { return array.at(i); })
      .def("ffi.ArraySize",
           [](const Array<Any> &array) { return static_cast<int64_t>(array.size()); })
      .def("ffi.GetRegisteredTypeKeys",
           [] {
             Array<String> keys;
             for (const std::string &key : TypeTable::get().keys())
               keys.push_back(key);
             return keys;
           })
      .def("ffi.GetInvalidObject",
           [] {
             static auto *invalid = new ObjectRef(make_object<SentinelObj>());
             return *invalid;
           })
      .def("ffi.GetKwargsObject", [] {
        static auto *kwargs = new ObjectRef(make_object<SentinelObj>());
        return *kwargs;
      });
}

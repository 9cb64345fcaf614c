/// The registration of access steps and paths, and how they are shown.
#include "tvm/ffi/reflection/access_path.h"

#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

using Show = TypedFunction<String(AnyView)>;

String showStep(const AccessStepObj *step, const Show &show) {
  auto key = [&] { return std::string(show(step->key)); };
  auto text = [&] {
    std::optional<String> name = step->key.as<String>();
    return name ? std::string(*name) : key();
  };
  switch (step->kind) {
  case AccessKind::kAttr:
    return inner::concat(".", text());
  case AccessKind::kArrayItem:
    return inner::concat("[", std::to_string(step->key.cast<int64_t>()), "]");
  case AccessKind::kMapItem:
    return inner::concat("[", key(), "]");
  case AccessKind::kArrayItemMissing:
    return inner::concat("[<missing:", std::to_string(step->key.cast<int64_t>()), ">]");
  case AccessKind::kAttrMissing:
  case AccessKind::kMapItemMissing:
    return inner::concat("[<missing:", key(), ">]");
  }
  TVM_FFI_THROW(ValueError) << "An access step of unknown kind "
                            << static_cast<int32_t>(step->kind);
  TVM_FFI_UNREACHABLE();
}

String showPath(const AccessPathObj *path, const Show &show) {
  std::string result = "<root>";
  for (const AccessStep &step : path->ToSteps())
    result += std::string(show(step));
  return result;
}

} // namespace

TVM_FFI_STATIC_INIT_BLOCK() {
  ObjectDef<AccessStepObj>(init(false))
      .def_ro("kind", &AccessStepObj::kind)
      .def_ro("key", &AccessStepObj::key)
      .def_type_attr("__ffi_repr__", showStep);
  ObjectDef<AccessPathObj>(init(false))
      .def_ro("parent", &AccessPathObj::parent)
      .def_ro("step", &AccessPathObj::step)
      .def_ro("depth", &AccessPathObj::depth)
      .def_type_attr("__ffi_repr__", showPath)
      .def_static("_root", &AccessPath::Root)
      .def("_extend", [](AccessPath path, AccessStep step) { return path->Extend(step); })
      .def("_attr", [](AccessPath path, String name) { return path->Attr(name); })
      .def("_array_item", [](AccessPath path, int64_t index) { return path->ArrayItem(index); })
      .def("_map_item", [](AccessPath path, Any key) { return path->MapItem(key); })
      .def("_attr_missing", [](AccessPath path, String name) { return path->AttrMissing(name); })
      .def("_array_item_missing",
           [](AccessPath path, int64_t index) { return path->ArrayItemMissing(index); })
      .def("_map_item_missing", [](AccessPath path, Any key) { return path->MapItemMissing(key); })
      .def("_is_prefix_of",
           [](AccessPath path, AccessPath other) { return path->IsPrefixOf(other); })
      .def("_to_steps", [](AccessPath path) { return path->ToSteps(); })
      .def("_path_equal", [](AccessPath path, AccessPath other) { return path->PathEqual(other); });
}

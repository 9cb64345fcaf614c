/// The texts of Ptx of Interfaces.td.
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"

#include "ir/Ops.h"

using namespace mlir;

namespace fairlead::ir {
namespace {

/// Return the spelling of an enum attribute, or its number.
template <typename... Attributes> std::string textOf(Attribute attribute, bool asNumber) {
  std::string text;
  auto visit = [&]<typename Enum>() {
    if (auto matched = dyn_cast<Enum>(attribute))
      text = asNumber ? std::to_string(static_cast<int>(matched.getValue()))
                      : stringifyEnum(matched.getValue()).str();
  };
  (visit.template operator()<Attributes>(), ...);
  assert(!text.empty() && "an attribute of the table's enums");
  return text;
}

} // namespace

std::string ptxWithAttributes(Operation *op, StringRef text) {
  std::string ptx;
  while (!text.empty()) {
    auto [plain, rest] = text.split('<');
    ptx += plain;
    auto [name, after] = rest.split('>');
    text = after;
    if (name.empty())
      continue;
    const bool asNumber = name.consume_front("#");
    ptx += textOf<
#define GET_ATTRDEF_LIST
#include "ir/EnumAttributes.cpp.inc"
        >(op->getAttr(name), asNumber);
  }
  return ptx;
}

} // namespace fairlead::ir

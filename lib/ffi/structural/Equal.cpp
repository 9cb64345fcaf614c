/// Equality of values by their structure.
#include "tvm/ffi/extra/structural_equal.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "Region.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;
using namespace tvm::ffi::reflection;

namespace {

class Matcher {
public:
  Matcher(bool mapFreeVars, bool skipTensors, bool tracing)
      : mapFreeVars(mapFreeVars), skipTensors(skipTensors), tracing(tracing) {}

  bool equal(AnyView lhs, AnyView rhs) {
    NestingGuard guard(level, "StructuralEqual");
    TVMFFIAny a = lhs.CopyToTVMFFIAny(), b = rhs.CopyToTVMFFIAny();
    if (isText(a.type_index) || isBytes(a.type_index)) {
      bool alike = isText(a.type_index) ? isText(b.type_index) : isBytes(b.type_index);
      return (alike && contentOf(a) == contentOf(b)) || differs();
    }
    if (a.type_index != b.type_index)
      return differs();
    if (a.type_index < kTVMFFIStaticObjectBegin || a.type_index == kTVMFFIBigInt)
      return AnyEqual()(Any(lhs), Any(rhs)) || differs();
    return equalObjects(lhs, rhs, a.type_index);
  }

  /// Returns the first difference; only for a tracing matcher that found the values unequal.
  AccessPathPair mismatch() const {
    return AccessPathPair(AccessPath::FromSteps(leftFound.begin(), leftFound.end()),
                          AccessPath::FromSteps(rightFound.begin(), rightFound.end()));
  }

private:
  bool differs() {
    if (tracing && !hasMismatch) {
      hasMismatch = true;
      leftFound = left;
      rightFound = right;
    }
    return false;
  }
  bool differsAt(AccessStep a, AccessStep b) {
    if (!tracing)
      return false;
    left.push_back(std::move(a));
    right.push_back(std::move(b));
    differs();
    left.pop_back();
    right.pop_back();
    return false;
  }
  template <typename MakeStep>
  bool equalAt(AnyView lhs, AnyView rhs, MakeStep leftStep, MakeStep rightStep) {
    if (!tracing)
      return equal(lhs, rhs);
    left.push_back(leftStep());
    right.push_back(rightStep());
    bool result = equal(lhs, rhs);
    left.pop_back();
    right.pop_back();
    return result;
  }

  bool equalObjects(AnyView lhs, AnyView rhs, int32_t type) {
    const Object *a = objectOf(lhs), *b = objectOf(rhs);
    if (isSequence(type))
      return equalSequences(SequenceView(a), SequenceView(b));
    if (isMapping(type))
      return equalMaps(*mapOf(a), *mapOf(b));
    if (type == kTVMFFIShape) {
      TVMFFIShapeCell *x = TVMFFIShapeGetCellPtr(const_cast<Object *>(a));
      TVMFFIShapeCell *y = TVMFFIShapeGetCellPtr(const_cast<Object *>(b));
      return std::equal(x->data, x->data + x->size, y->data, y->data + y->size) || differs();
    }
    if (type == kTVMFFITensor)
      return a == b || equalTensors(tensorOf(a), tensorOf(b)) || differs();
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    switch (structuralKindOf(info)) {
    case kTVMFFISEqHashKindUniqueInstance:
      return a == b || differs();
    case kTVMFFISEqHashKindConstTreeNode:
      return a == b || equalContent(lhs, rhs, info);
    case kTVMFFISEqHashKindFreeVar:
      return equalVariables(lhs, rhs, info);
    case kTVMFFISEqHashKindDAGNode:
      if (isMet(a, b))
        return counterpart(a) == b || differs();
      return equalContent(lhs, rhs, info) && pair(a, b);
    default:
      return equalContent(lhs, rhs, info);
    }
  }

  bool equalSequences(SequenceView a, SequenceView b) {
    int64_t common = std::min(a.count, b.count);
    for (int64_t i = 0; i < common; ++i) {
      auto step = [i] { return AccessStep::ArrayItem(i); };
      if (!equalAt(a.first[i], b.first[i], step, step))
        return false;
    }
    if (a.count == b.count)
      return true;
    AccessStep present = AccessStep::ArrayItem(common),
               missing = AccessStep::ArrayItemMissing(common);
    return a.count < b.count ? differsAt(missing, present) : differsAt(present, missing);
  }

  bool equalMaps(const MapBaseObj &a, const MapBaseObj &b) {
    for (const auto &[key, value] : a) {
      Any other = keyFor(key);
      auto it = other == nullptr && key != nullptr ? b.end() : b.find(other);
      if (it == b.end())
        return differsAt(AccessStep::MapItem(key), AccessStep::MapItemMissing(key));
      if (!equalMember(key, value, other, it->second))
        return false;
    }
    if (a.size() == b.size())
      return true;
    // All keys of `a` are in `b`, which has more.
    for (const auto &[key, value] : b) {
      bool expected = std::any_of(a.begin(), a.end(), [&, &key = key](const auto &entry) {
        return AnyEqual()(keyFor(entry.first), key);
      });
      if (!expected)
        return differsAt(AccessStep::MapItemMissing(key), AccessStep::MapItem(key));
    }
    return differs();
  }
  bool equalMember(const Any &key, const Any &value, const Any &otherKey, const Any &otherValue) {
    if (!tracing)
      return equal(value, otherValue);
    left.push_back(AccessStep::MapItem(key));
    right.push_back(AccessStep::MapItem(otherKey));
    bool result = equal(value, otherValue);
    left.pop_back();
    right.pop_back();
    return result;
  }
  /// Returns the counterpart of a key on the right; None if the key is taken by another object.
  Any keyFor(const Any &key) const {
    if (key.type_index() < kTVMFFIStaticObjectBegin)
      return key;
    const Object *object = objectOf(key);
    if (auto it = rightOf.find(object); it != rightOf.end())
      return GetRef<ObjectRef>(it->second);
    return leftOf.count(object) ? Any() : key;
  }

  bool equalTensors(const DLTensor &a, const DLTensor &b) const {
    return a.ndim == b.ndim && std::equal(a.shape, a.shape + a.ndim, b.shape) &&
           a.dtype.code == b.dtype.code && a.dtype.bits == b.dtype.bits &&
           a.dtype.lanes == b.dtype.lanes && (skipTensors || tensorBytes(a) == tensorBytes(b));
  }

  bool isMet(const Object *a, const Object *b) const { return rightOf.count(a) || leftOf.count(b); }
  const Object *counterpart(const Object *a) const {
    auto it = rightOf.find(a);
    return it == rightOf.end() ? nullptr : it->second;
  }
  bool pair(const Object *a, const Object *b) {
    // The comparison of the content may have paired them already.
    if (isMet(a, b))
      return counterpart(a) == b || differs();
    rightOf.emplace(a, b);
    leftOf.emplace(b, a);
    return true;
  }

  bool equalVariables(AnyView lhs, AnyView rhs, const TVMFFITypeInfo *type) {
    const Object *a = objectOf(lhs), *b = objectOf(rhs);
    if (isMet(a, b))
      return counterpart(a) == b || differs();
    if (region == kTVMFFIDefRegionKindNone && !mapFreeVars)
      return a == b || differs();
    {
      Scoped<TVMFFIDefRegionKind> scope(region, insideVariable(region));
      if (!equalContent(lhs, rhs, type))
        return false;
    }
    return pair(a, b);
  }

  bool equalContent(AnyView lhs, AnyView rhs, const TVMFFITypeInfo *type) {
    AnyView hook = findTypeAttr(type_attr::kSEqual, type->type_index);
    if (hook != nullptr)
      return hook.cast<Function>()(lhs, rhs, callback()).cast<bool>() || differs();
    const Object *a = objectOf(lhs), *b = objectOf(rhs);
    return !ForEachFieldInfoWithEarlyStop(type, [&](const TVMFFIFieldInfo *field) {
      if (field->flags & kTVMFFIFieldFlagBitMaskSEqHashIgnore)
        return false;
      Scoped<TVMFFIDefRegionKind> scope(region, enterField(region, field));
      auto step = [field] { return AccessStep::Attr(String(nameOf(field->name))); };
      return !equalAt(readField(a, field), readField(b, field), step, step);
    });
  }

  /// The callback of a class's own equality for inner values. It is valid during that call only.
  Function callback() {
    return Function::FromTyped([this](AnyView lhs, AnyView rhs, int32_t kind, AnyView field) {
      Scoped<TVMFFIDefRegionKind> scope(region, enterRegion(region, kind));
      std::optional<String> name = field.try_cast<String>();
      if (!name)
        return equal(lhs, rhs);
      auto step = [&] { return AccessStep::Attr(*name); };
      return equalAt(lhs, rhs, step, step);
    });
  }

  bool mapFreeVars, skipTensors, tracing;
  TVMFFIDefRegionKind region = kTVMFFIDefRegionKindNone;
  /// Variables and nodes of graphs that stand for each other.
  std::unordered_map<const Object *, const Object *> rightOf, leftOf;
  /// The path to the values being compared, and to the first difference.
  std::vector<AccessStep> left, right, leftFound, rightFound;
  bool hasMismatch = false;
  int level = 0;
};

} // namespace

bool StructuralEqual::Equal(const Any &lhs, const Any &rhs, bool map_free_vars,
                            bool skip_tensor_content) {
  return Matcher(map_free_vars, skip_tensor_content, false).equal(lhs, rhs);
}

Optional<AccessPathPair> StructuralEqual::GetFirstMismatch(const Any &lhs, const Any &rhs,
                                                           bool map_free_vars,
                                                           bool skip_tensor_content) {
  Matcher matcher(map_free_vars, skip_tensor_content, true);
  if (matcher.equal(lhs, rhs))
    return std::nullopt;
  return matcher.mismatch();
}

TVM_FFI_STATIC_INIT_BLOCK() {
  EnsureTypeAttrColumn(type_attr::kSEqual);
  GlobalDef()
      .def("ffi.StructuralEqual",
           [](Any lhs, Any rhs, bool mapFreeVars, bool skipTensors) {
             return StructuralEqual::Equal(lhs, rhs, mapFreeVars, skipTensors);
           })
      .def("ffi.GetFirstStructuralMismatch",
           [](Any lhs, Any rhs, bool mapFreeVars, bool skipTensors) {
             return StructuralEqual::GetFirstMismatch(lhs, rhs, mapFreeVars, skipTensors);
           });
}

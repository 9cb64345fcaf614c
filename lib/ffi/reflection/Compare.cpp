/// Recursive equality and order of values.
#include <cmath>

#include "Walk.h"
#include "tvm/ffi/extra/dataclass.h"
#include "tvm/ffi/reflection/registry.h"

using namespace tvm::ffi;

namespace {

template <typename T> int order(const T &a, const T &b) { return a < b ? -1 : b < a ? 1 : 0; }

bool isInteger(int32_t type) { return type == kTVMFFIInt || type == kTVMFFIBigInt; }

int orderIntegers(const TVMFFIAny &a, const TVMFFIAny &b) {
  TVMFFIByteArray x = TVMFFIBigIntGetContentByteArray(&a), y = TVMFFIBigIntGetContentByteArray(&b);
  auto word = [](const TVMFFIByteArray &bytes, size_t i) {
    uint64_t value;
    std::memcpy(&value, bytes.data + i * sizeof(value), sizeof(value));
    return value;
  };
  size_t xs = x.size / sizeof(uint64_t), ys = y.size / sizeof(uint64_t);
  bool xNegative = static_cast<int64_t>(word(x, xs - 1)) < 0;
  bool yNegative = static_cast<int64_t>(word(y, ys - 1)) < 0;
  if (xNegative != yNegative)
    return xNegative ? -1 : 1;
  // The two numbers have the minimum number of words.
  if (xs != ys)
    return (xs < ys) == xNegative ? 1 : -1;
  for (size_t i = xs; i-- > 0;)
    if (int result = order(word(x, i), word(y, i)))
      return result;
  return 0;
}

/// Compares two values: 0 for equal ones. If only equality is asked, any other result means
/// unequal, and values without an order are no error.
class Comparison {
public:
  explicit Comparison(bool equality) : equality(equality), inOrdering(!equality) {}

  int compare(AnyView lhs, AnyView rhs) {
    NestingGuard guard(level, "RecursiveCompare");
    TVMFFIAny a = lhs.CopyToTVMFFIAny(), b = rhs.CopyToTVMFFIAny();
    if (a.type_index == kTVMFFINone || b.type_index == kTVMFFINone)
      return (b.type_index == kTVMFFINone) - (a.type_index == kTVMFFINone);
    if (isText(a.type_index) && isText(b.type_index))
      return contentOf(a).compare(contentOf(b));
    if (isBytes(a.type_index) && isBytes(b.type_index))
      return contentOf(a).compare(contentOf(b));
    if (isInteger(a.type_index) && isInteger(b.type_index))
      return orderIntegers(a, b);
    if (a.type_index != b.type_index) {
      if (equality)
        return 1;
      TVM_FFI_THROW(TypeError) << "Cannot compare values of different types: " << lhs.GetTypeKey()
                               << " vs " << rhs.GetTypeKey();
    }
    switch (a.type_index) {
    case kTVMFFIFloat:
      return compareFloats(a.v_float64, b.v_float64);
    case kTVMFFIDataType:
      return order(std::tuple(a.v_dtype.code, a.v_dtype.bits, a.v_dtype.lanes),
                   std::tuple(b.v_dtype.code, b.v_dtype.bits, b.v_dtype.lanes));
    case kTVMFFIDevice:
      return order(std::pair(a.v_device.device_type, a.v_device.device_id),
                   std::pair(b.v_device.device_type, b.v_device.device_id));
    default:
      if (a.type_index < kTVMFFIStaticObjectBegin)
        return order(a.v_int64, b.v_int64);
      return a.v_obj == b.v_obj ? 0 : compareObjects(lhs, rhs, a.type_index);
    }
  }

private:
  int compareFloats(double a, double b) const {
    if (!std::isnan(a) && !std::isnan(b))
      return order(a, b);
    if (!equality)
      TVM_FFI_THROW(TypeError) << "Cannot order NaN values";
    return std::isnan(a) && std::isnan(b) ? 0 : 1;
  }

  int compareObjects(AnyView lhs, AnyView rhs, int32_t type) {
    const Object *a = objectOf(lhs), *b = objectOf(rhs);
    Entered<std::pair<const Object *, const Object *>> entered(open, {a, b});
    if (!entered.fresh) {
      // Two that hold themselves are equal unless something else tells them apart.
      if (!inOrdering)
        return 0;
      TVM_FFI_THROW(ValueError) << "RecursiveCompare: cyclic reference detected in ordering";
    }
    if (type == kTVMFFIShape) {
      TVMFFIShapeCell *x = TVMFFIShapeGetCellPtr(const_cast<Object *>(a));
      TVMFFIShapeCell *y = TVMFFIShapeGetCellPtr(const_cast<Object *>(b));
      for (size_t i = 0; i < std::min(x->size, y->size); ++i)
        if (int result = order(x->data[i], y->data[i]))
          return result;
      return order(x->size, y->size);
    }
    if (isSequence(type))
      return compareSequences(SequenceView(a), SequenceView(b));
    if (isMapping(type))
      return compareMaps(*mapOf(a), *mapOf(b));
    if (equality) {
      AnyView hook = findTypeAttr(type_attr::kEq, type);
      if (hook != nullptr)
        return hook.cast<Function>()(lhs, rhs, equalCallback()).cast<bool>() ? 0 : 1;
    }
    AnyView hook = findTypeAttr(type_attr::kCompare, type);
    if (hook != nullptr)
      return hook.cast<Function>()(lhs, rhs, compareCallback()).cast<int32_t>();
    return compareFields(a, b, type);
  }

  int compareSequences(SequenceView a, SequenceView b) {
    if (equality && a.count != b.count)
      return 1;
    for (int64_t i = 0; i < std::min(a.count, b.count); ++i)
      if (int result = compare(a.first[i], b.first[i]))
        return result;
    return order(a.count, b.count);
  }

  int compareMaps(const MapBaseObj &a, const MapBaseObj &b) {
    if (equalMaps(a, b))
      return 0;
    if (!equality)
      TVM_FFI_THROW(TypeError) << "Cannot order Map/Dict values";
    return 1;
  }
  bool equalMaps(const MapBaseObj &a, const MapBaseObj &b) {
    if (a.size() != b.size())
      return false;
    Comparison values(true);
    values.inOrdering = inOrdering;
    Comparison &inside = equality ? *this : values;
    for (const auto &[key, value] : a) {
      auto entry = b.find(key);
      if (entry != b.end()) {
        if (inside.compare(value, entry->second) != 0)
          return false;
      } else if (!hasEqualEntry(inside, b, key, value)) {
        return false;
      }
    }
    return true;
  }
  /// For a key that is another object than its equal in the other map.
  static bool hasEqualEntry(Comparison &inside, const MapBaseObj &map, const Any &key,
                            const Any &value) {
    if (key.type_index() < kTVMFFIStaticObjectBegin)
      return false;
    for (const auto &[otherKey, otherValue] : map)
      if (inside.compare(key, otherKey) == 0)
        return inside.compare(value, otherValue) == 0;
    return false;
  }

  int compareFields(const Object *a, const Object *b, int32_t type) {
    const TVMFFITypeInfo *info = TVMFFIGetTypeInfo(type);
    // All objects are equal if their type has no described fields, such as Function and Tensor.
    int result = 0;
    reflection::ForEachFieldInfoWithEarlyStop(info, [&](const TVMFFIFieldInfo *field) {
      if (!(field->flags & kTVMFFIFieldFlagBitMaskCompareOff))
        result = compare(readField(a, field), readField(b, field));
      return result != 0;
    });
    return result;
  }

  // The callback of a class's own comparison for inner values. It is valid during that call only.
  Function equalCallback() {
    return Function::FromTyped([this](AnyView a, AnyView b) { return compare(a, b) == 0; });
  }
  Function compareCallback() {
    return Function::FromTyped([this](AnyView a, AnyView b) { return compare(a, b); });
  }

  bool equality;
  bool inOrdering; ///< also for equality, if an order depends on it
  std::set<std::pair<const Object *, const Object *>> open;
  int level = 0;
};

int orderOf(const Any &lhs, const Any &rhs) { return Comparison(false).compare(lhs, rhs); }

} // namespace

namespace tvm::ffi {
bool RecursiveEq(const Any &lhs, const Any &rhs) { return Comparison(true).compare(lhs, rhs) == 0; }
bool RecursiveLt(const Any &lhs, const Any &rhs) { return orderOf(lhs, rhs) < 0; }
bool RecursiveLe(const Any &lhs, const Any &rhs) { return orderOf(lhs, rhs) <= 0; }
bool RecursiveGt(const Any &lhs, const Any &rhs) { return orderOf(lhs, rhs) > 0; }
bool RecursiveGe(const Any &lhs, const Any &rhs) { return orderOf(lhs, rhs) >= 0; }
} // namespace tvm::ffi

TVM_FFI_STATIC_INIT_BLOCK() {
  reflection::EnsureTypeAttrColumn(type_attr::kEq);
  reflection::EnsureTypeAttrColumn(type_attr::kCompare);
  reflection::GlobalDef()
      .def("ffi.RecursiveEq", &RecursiveEq)
      .def("ffi.RecursiveLt", &RecursiveLt)
      .def("ffi.RecursiveLe", &RecursiveLe)
      .def("ffi.RecursiveGt", &RecursiveGt)
      .def("ffi.RecursiveGe", &RecursiveGe);
}

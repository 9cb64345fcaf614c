/// ShapeView and Shape: a list of extents, lent or owned.
#ifndef TVM_FFI_CONTAINER_SHAPE_H_
#define TVM_FFI_CONTAINER_SHAPE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

#include <initializer_list>
#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/// The object behind a Shape.
class ShapeObj : public Object, public TVMFFIShapeCell {
public:
  using index_type = int64_t;
  /// The number of elements of such a tensor.
  int64_t Product() const;

  static constexpr int32_t _type_index = kTVMFFIShape;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIShape, ShapeObj, Object)
};
static_assert(sizeof(ShapeObj) == 40, "layout of Shape");

/// Extents that something else holds.
class ShapeView {
public:
  ShapeView() : cell_{nullptr, 0} {}
  ShapeView(const int64_t *data, size_t size) : cell_{data, size} {}
  // Points into the list: for parameters only.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
#endif
  ShapeView(const std::initializer_list<int64_t> &other) // NOLINT(*)
      : cell_{other.begin(), other.size()} {}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
  ShapeView(const std::vector<int64_t> &other) : cell_{other.data(), other.size()} {} // NOLINT(*)

  const int64_t *data() const { return cell_.data; }
  size_t size() const { return cell_.size; }
  bool empty() const { return cell_.size == 0; }
  const int64_t *begin() const { return cell_.data; }
  const int64_t *end() const { return cell_.data + cell_.size; }
  int64_t operator[](size_t i) const { return cell_.data[i]; }
  /// The extent `i`; IndexError past the end.
  int64_t at(size_t i) const {
    if (TVM_FFI_PREDICT_FALSE(i >= cell_.size))
      inner::throwAt("IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     inner::concat("indexing ", std::to_string(i), " on a Shape of size ",
                                   std::to_string(cell_.size)));
    return cell_.data[i];
  }
  int64_t front() const { return at(0); }
  int64_t back() const { return at(cell_.size - 1); }
  /// The number of elements; 1 for no extents. Wraps where it overflows.
  int64_t Product() const {
    uint64_t product = 1;
    for (int64_t extent : *this)
      product *= static_cast<uint64_t>(extent);
    return static_cast<int64_t>(product);
  }

private:
  TVMFFIShapeCell cell_;
};

inline int64_t ShapeObj::Product() const { return ShapeView(data, size).Product(); }

namespace inner {
/// A ShapeObj of `size` extents, not set yet.
inline ObjectPtr<ShapeObj> makeShape(size_t size, int64_t **extents) {
  ObjectPtr<ShapeObj> shape = make_inplace_array_object<ShapeObj, int64_t>(size);
  *extents = reinterpret_cast<int64_t *>(shape.get() + 1);
  shape->data = *extents;
  shape->size = size;
  return shape;
}

/// The strides of a contiguous row-major tensor, in elements.
inline void fillContiguousStrides(const int64_t *shape, size_t ndim, int64_t *strides) {
  uint64_t stride = 1; // unsigned: wraps where extents before an extent of 0 are huge
  for (size_t i = ndim; i-- > 0;) {
    strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape[i]);
  }
}
} // namespace inner

/// Extents that are shared. Never null (but after it was moved from).
class Shape : public ObjectRef {
public:
  using index_type = ShapeObj::index_type;

  TVM_FFI_DEFINE_OBJECT_REF_METHODS_NOTNULLABLE(Shape, ObjectRef, ShapeObj);
  Shape() : Shape(ShapeView()) {}
  Shape(ShapeView view) : Shape(view.begin(), view.end()) {} // NOLINT(*)
  Shape(std::initializer_list<int64_t> list) : Shape(list.begin(), list.end()) {}
  Shape(const std::vector<int64_t> &other) : Shape(other.begin(), other.end()) {} // NOLINT(*)
  Shape(const Array<int64_t> &other) : Shape(other.begin(), other.end()) {}       // NOLINT(*)
  template <typename Iterator> Shape(Iterator begin, Iterator end) : ObjectRef(UnsafeInit{}) {
    int64_t *extents;
    data_ = inner::makeShape(static_cast<size_t>(std::distance(begin, end)), &extents);
    for (; begin != end; ++begin)
      *extents++ = static_cast<int64_t>(*begin);
  }
  /// The strides of a contiguous tensor of that shape.
  static Shape StridesFromShape(ShapeView shape) {
    int64_t *strides;
    ObjectPtr<ShapeObj> object = inner::makeShape(shape.size(), &strides);
    inner::fillContiguousStrides(shape.data(), shape.size(), strides);
    return detail::ObjectUnsafe::ObjectRefFromObjectPtr<Shape>(
        ObjectPtr<Object>(std::move(object)));
  }

  operator ShapeView() const { return view(); } // NOLINT(*)
  const int64_t *data() const { return get()->data; }
  size_t size() const { return get()->size; }
  bool empty() const { return size() == 0; }
  const int64_t *begin() const { return data(); }
  const int64_t *end() const { return data() + size(); }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t at(size_t i) const { return view().at(i); }
  int64_t front() const { return view().front(); }
  int64_t back() const { return view().back(); }
  int64_t Product() const { return view().Product(); }

private:
  ShapeView view() const { return ShapeView(get()->data, get()->size); }
};

inline std::ostream &operator<<(std::ostream &os, const Shape &shape) {
  os << '[';
  for (size_t i = 0; i < shape.size(); ++i)
    os << (i ? ", " : "") << shape[i];
  return os << ']';
}

template <> inline constexpr bool use_default_type_traits_v<Shape> = false;

template <> struct TypeTraits<Shape> : ObjectRefWithFallbackTraitsBase<Shape, Array<int64_t>> {
  static constexpr int32_t field_static_type_index = kTVMFFIShape;
  static Shape ConvertFallbackValue(const Array<int64_t> &extents) { return Shape(extents); }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_SHAPE_H_

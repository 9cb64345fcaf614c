/// Array<T>: an immutable list that is copied when a shared one is written to.
#ifndef TVM_FFI_CONTAINER_ARRAY_H_
#define TVM_FFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/memory.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/// The object behind an Array: owned values, here right after the object.
class ArrayObj : public Object, public TVMFFISeqCell {
public:
  static constexpr int32_t _type_index = kTVMFFIArray;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIArray, ArrayObj, Object)

  ArrayObj() : TVMFFISeqCell{nullptr, 0, 0, nullptr} {}
  ~ArrayObj() {
    for (int64_t i = size_(); i-- > 0;)
      begin()[i].~Any();
    if (data_deleter)
      data_deleter(data);
  }

  size_t size() const { return static_cast<size_t>(TVMFFISeqCell::size); }
  size_t capacity() const { return static_cast<size_t>(TVMFFISeqCell::capacity); }
  Any *begin() const { return static_cast<Any *>(data); }
  Any *end() const { return begin() + TVMFFISeqCell::size; }
  const Any &operator[](int64_t i) const { return begin()[i]; }
  /// The value `i`; IndexError past the end.
  const Any &at(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(i < 0 || i >= size_()))
      TVM_FFI_THROW(IndexError) << "Index " << i << " out of bounds " << size_();
    return begin()[i];
  }

  /// An empty array with room for `capacity` values.
  static ObjectPtr<ArrayObj> Empty(int64_t capacity = 4) {
    auto array = make_inplace_array_object<ArrayObj, Any>(static_cast<size_t>(capacity));
    array->data = array.get() + 1;
    array->TVMFFISeqCell::capacity = capacity;
    return array;
  }
  /// Adds a value; the caller made sure of the room.
  void EmplaceBackAfterCheck(Any value) {
    new (end()) Any(std::move(value));
    ++TVMFFISeqCell::size;
  }

private:
  int64_t size_() const { return TVMFFISeqCell::size; }
  template <typename, typename> friend class Array;
};
static_assert(sizeof(ArrayObj) == 56, "layout of Array");

namespace inner {
/// Reads an ArrayObj's values as T.
template <typename T> class ArrayIterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T *;
  using reference = T;

  explicit ArrayIterator(const Any *at) : at(at) {}
  T operator*() const { return at->cast<T>(); }
  T operator[](difference_type n) const { return at[n].cast<T>(); }
  ArrayIterator &operator++() {
    ++at;
    return *this;
  }
  ArrayIterator &operator--() {
    --at;
    return *this;
  }
  ArrayIterator operator++(int) { return ArrayIterator(at++); }
  ArrayIterator operator--(int) { return ArrayIterator(at--); }
  ArrayIterator &operator+=(difference_type n) {
    at += n;
    return *this;
  }
  ArrayIterator &operator-=(difference_type n) {
    at -= n;
    return *this;
  }
  ArrayIterator operator+(difference_type n) const { return ArrayIterator(at + n); }
  ArrayIterator operator-(difference_type n) const { return ArrayIterator(at - n); }
  difference_type operator-(const ArrayIterator &other) const { return at - other.at; }
  bool operator==(const ArrayIterator &other) const { return at == other.at; }
  bool operator!=(const ArrayIterator &other) const { return at != other.at; }
  bool operator<(const ArrayIterator &other) const { return at < other.at; }

private:
  const Any *at;
};
} // namespace inner

/// A list of T. Never null (but after it was moved from, when it reads as empty).
template <typename T, typename = std::enable_if_t<detail::storage_enabled_v<T>>>
class Array : public ObjectRef {
public:
  using ContainerType = ArrayObj;
  using value_type = T;
  using iterator = inner::ArrayIterator<T>;
  using const_iterator = iterator;
  using reverse_iterator = std::reverse_iterator<iterator>;
  static constexpr bool _type_is_nullable = false;

  Array() : ObjectRef(ObjectPtr<Object>(ArrayObj::Empty())) {}
  explicit Array(UnsafeInit tag) : ObjectRef(tag) {}
  explicit Array(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {
    TVM_FFI_ICHECK_NOTNULL(data_.get());
  }
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Array);
  Array(std::initializer_list<T> list) : Array(list.begin(), list.end()) {}
  Array(const std::vector<T> &list) : Array(list.begin(), list.end()) {} // NOLINT(*)
  Array(size_t count, const T &value) : Array() {
    reserve(static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i)
      push_back(value);
  }
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Array(Iterator begin, Iterator end)
      : ObjectRef(ObjectPtr<Object>(ArrayObj::Empty(std::distance(begin, end)))) {
    for (; begin != end; ++begin)
      obj()->EmplaceBackAfterCheck(Any(T(*begin)));
  }
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  Array(const Array<U> &other) // NOLINT(*)
      : ObjectRef(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}

  size_t size() const { return data_ ? obj()->size() : 0; }
  size_t capacity() const { return data_ ? obj()->capacity() : 0; }
  bool empty() const { return size() == 0; }
  iterator begin() const { return iterator(data_ ? obj()->begin() : nullptr); }
  iterator end() const { return iterator(data_ ? obj()->end() : nullptr); }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }
  const ArrayObj *GetArrayObj() const { return obj(); }
  const ArrayObj *operator->() const { return obj(); }
  const ArrayObj *get() const { return obj(); }

  /// The value `i`; IndexError past the end.
  T operator[](int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(!data_))
      TVM_FFI_THROW(IndexError) << "cannot index a null array";
    return obj()->at(i).template cast<T>();
  }
  T at(int64_t i) const { return (*this)[i]; }
  T front() const {
    if (empty())
      TVM_FFI_THROW(IndexError) << "front() on empty sequence";
    return (*this)[0];
  }
  T back() const {
    if (empty())
      TVM_FFI_THROW(IndexError) << "back() on empty sequence";
    return (*this)[static_cast<int64_t>(size()) - 1];
  }

  void push_back(const T &value) {
    // Made first: `value` may lie in this array.
    Any item(value);
    writable(size() + 1)->EmplaceBackAfterCheck(std::move(item));
  }
  template <typename... Args> void emplace_back(Args &&...args) {
    push_back(T(std::forward<Args>(args)...));
  }
  void pop_back() {
    if (!data_)
      TVM_FFI_THROW(RuntimeError) << "cannot pop_back a null array";
    if (empty())
      TVM_FFI_THROW(IndexError) << "pop_back on empty sequence";
    ArrayObj *array = writable(size());
    array->end()[-1].~Any();
    --array->TVMFFISeqCell::size;
  }
  void Set(int64_t i, T value) {
    if (!data_)
      TVM_FFI_THROW(IndexError) << "cannot index a null array";
    obj()->at(i);
    writable(size())->begin()[i] = Any(std::move(value));
  }
  void reserve(int64_t count) {
    if (count > static_cast<int64_t>(capacity()))
      writable(static_cast<size_t>(count));
  }
  void resize(int64_t count) {
    if (count < 0)
      TVM_FFI_THROW(ValueError) << "cannot resize an Array to negative size";
    while (static_cast<int64_t>(size()) > count)
      pop_back();
    reserve(count);
    while (static_cast<int64_t>(size()) < count)
      writable(size() + 1)->EmplaceBackAfterCheck(Any());
  }
  void clear() { *this = Array(); }
  /// An array of what `f` makes of each value.
  template <typename F> auto Map(F f) const {
    using U = std::decay_t<decltype(f(std::declval<T>()))>;
    Array<U> result;
    result.reserve(static_cast<int64_t>(size()));
    for (T value : *this)
      result.push_back(f(std::move(value)));
    return result;
  }
  /// The object, made this array's own first.
  ArrayObj *CopyOnWrite() { return writable(size()); }

private:
  ArrayObj *obj() const { return static_cast<ArrayObj *>(data_.get()); }

  /// The object with room for `count` values, owned by this array alone.
  ArrayObj *writable(size_t count) {
    if (data_ && data_.unique() && count <= capacity())
      return obj();
    size_t room = count <= capacity() ? capacity() : std::max(count, capacity() * 2);
    ObjectPtr<ArrayObj> fresh = ArrayObj::Empty(static_cast<int64_t>(room));
    bool own = data_ && data_.unique();
    for (size_t i = 0; i < size(); ++i) {
      Any &value = obj()->begin()[i];
      fresh->EmplaceBackAfterCheck(own ? std::move(value) : value);
    }
    data_ = std::move(fresh);
    return obj();
  }
};

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Array<Base>, Array<Derived>> = type_subsumes_v<Base, Derived>;

template <typename T> inline constexpr bool use_default_type_traits_v<Array<T>> = false;

template <typename T> struct TypeTraits<Array<T>> : ObjectRefTypeTraitsBase<Array<T>> {
  static constexpr int32_t field_static_type_index = kTVMFFIArray;
  using Base = ObjectRefTypeTraitsBase<Array<T>>;

  static bool CheckAnyStrict(const TVMFFIAny *src) {
    if (src->type_index != kTVMFFIArray)
      return false;
    if constexpr (!std::is_same_v<T, Any>) {
      for (const Any &value : values(src))
        if (!detail::AnyUnsafe::CheckAnyStrict<T>(value))
          return false;
    }
    return true;
  }
  /// Shares an Array whose values are all T; else converts each, also out of a List.
  static std::optional<Array<T>> TryCastFromAnyView(const TVMFFIAny *src) {
    if (!isSequence(src))
      return std::nullopt;
    if (CheckAnyStrict(src))
      return Base::CopyFromAnyViewAfterCheck(src);
    Array<T> result;
    for (const Any &value : values(src)) {
      std::optional<T> item = value.template try_cast<T>();
      if (!item)
        return std::nullopt;
      result.push_back(*std::move(item));
    }
    return result;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if (!isSequence(src))
      return TypeTraitsBase::GetMismatchTypeInfo(src);
    if constexpr (!std::is_same_v<T, Any>) {
      int64_t index = 0;
      for (const Any &value : values(src)) {
        if (!value.template try_cast<T>())
          return inner::concat(src->type_index == kTVMFFIArray ? "Array" : "List", "[index ",
                               std::to_string(index), ": ",
                               detail::AnyUnsafe::GetMismatchTypeInfo<T>(value), "]");
        ++index;
      }
    }
    return TypeTraitsBase::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return inner::concat("Array<", TypeTraits<T>::TypeStr(), ">"); }
  static std::string TypeSchema() {
    return inner::compositeSchema("ffi.Array", TypeTraits<T>::TypeSchema());
  }

private:
  struct Values {
    const Any *first, *last;
    const Any *begin() const { return first; }
    const Any *end() const { return last; }
  };
  static bool isSequence(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIArray || src->type_index == kTVMFFIList;
  }
  // A List has the same cell in the same place.
  static Values values(const TVMFFIAny *src) {
    auto *cell = reinterpret_cast<const TVMFFISeqCell *>(
        reinterpret_cast<const char *>(src->v_obj) + sizeof(TVMFFIObject));
    auto *first = static_cast<const Any *>(cell->data);
    return Values{first, first + cell->size};
  }
};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_ARRAY_H_

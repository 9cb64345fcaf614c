/// Array<T>: an immutable list that is copied when a shared one is written to.
#ifndef TVM_FFI_CONTAINER_ARRAY_H_
#define TVM_FFI_CONTAINER_ARRAY_H_

#include <tvm/ffi/container/seq_base.h>
#include <tvm/ffi/optional.h>

#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/// The object behind an Array: owned values, here right after the object.
class ArrayObj : public SeqBaseObj {
public:
  static constexpr int32_t _type_index = kTVMFFIArray;
  static constexpr bool _type_final = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIArray, ArrayObj, Object)

  /// An empty array with room for `capacity` values.
  static ObjectPtr<ArrayObj> Empty(int64_t capacity = 4) {
    auto array = make_inplace_array_object<ArrayObj, Any>(static_cast<size_t>(capacity));
    array->data = array.get() + 1;
    array->TVMFFISeqCell::capacity = capacity;
    return array;
  }
  // New objects with room for `capacity` values: with copies of the values of `from`, with its
  // values themselves, or with one value many times.
  static ObjectPtr<ArrayObj> CopyFrom(int64_t capacity, ArrayObj *from) {
    ObjectPtr<ArrayObj> array = Empty(capacity);
    array->CopyValuesAfterCheck(from);
    return array;
  }
  static ObjectPtr<ArrayObj> MoveFrom(int64_t capacity, ArrayObj *from) {
    ObjectPtr<ArrayObj> array = Empty(capacity);
    array->TakeValuesAfterCheck(from);
    return array;
  }
  static ObjectPtr<ArrayObj> CreateRepeated(int64_t count, const Any &value) {
    ObjectPtr<ArrayObj> array = Empty(count);
    for (int64_t i = 0; i < count; ++i)
      array->EmplaceBackAfterCheck(value);
    return array;
  }
};
static_assert(sizeof(ArrayObj) == 56, "layout of Array");

/// A list of T. Never null (but after it was moved from, when it reads as empty).
template <typename T, typename = std::enable_if_t<detail::storage_enabled_v<T>>>
class Array : public inner::SeqRef<ArrayObj, T> {
  using Base = inner::SeqRef<ArrayObj, T>;

public:
  using typename Base::iterator;

  Array() : Base(ObjectPtr<Object>(ArrayObj::Empty())) {}
  explicit Array(UnsafeInit tag) : Base(tag) {}
  explicit Array(ObjectPtr<Object> data) : Base(std::move(data)) { this->requireObject(); }
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(Array);
  Array(std::initializer_list<T> list) : Array(list.begin(), list.end()) {}
  Array(const std::vector<T> &list) : Array(list.begin(), list.end()) {} // NOLINT(*)
  Array(size_t count, const T &value)
      : Base(ObjectPtr<Object>(ArrayObj::CreateRepeated(static_cast<int64_t>(count), Any(value)))) {
  }
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  Array(Iterator begin, Iterator end) : Base(fromRange(begin, end)) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  Array(const Array<U> &other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  Array(Array<U> &&other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(other))) {}

  /// The values of a range, in a new object.
  template <typename Iterator> void Assign(Iterator begin, Iterator end) {
    this->data_ = fromRange(begin, end);
  }
  void push_back(const T &value) {
    Any item(value); // first: it may throw
    writable(this->size() + 1)->EmplaceBackAfterCheck(std::move(item));
  }
  template <typename... Args> void emplace_back(Args &&...args) {
    Any item(T(std::forward<Args>(args)...));
    writable(this->size() + 1)->EmplaceBackAfterCheck(std::move(item));
  }
  void insert(iterator position, const T &value) {
    Any item(value);
    *gap(position, 1) = std::move(item);
  }
  template <typename Iterator> void insert(iterator position, Iterator first, Iterator last) {
    if (first == last)
      return;
    Array values(first, last); // first: reading may throw, and they may lie in this array
    Any *to = gap(position, static_cast<int64_t>(values.size()));
    for (T value : values)
      *to++ = Any(std::move(value));
  }
  void pop_back() {
    this->present("pop_back");
    writable(this->size())->pop_back();
  }
  void erase(iterator position) {
    int64_t at = this->present("erase") ? this->indexOf(position) : 0;
    this->obj()->at(at);
    writable(this->size())->erase(at);
  }
  void erase(iterator first, iterator last) {
    this->present("erase");
    int64_t from = this->indexOf(first), to = this->indexOf(last);
    if (from == to)
      return;
    writable(this->size())->erase(from, to);
  }
  /// Gives place `i` a value; IndexError past the end.
  void Set(int64_t i, T value) {
    this->present("index")->at(i);
    writable(this->size())->SetItemAfterCheck(i, Any(std::move(value)));
  }
  void reserve(int64_t count) {
    if (count > static_cast<int64_t>(this->capacity()))
      writable(static_cast<size_t>(count));
  }
  /// Removes values from the end, or adds default ones.
  void resize(int64_t count) {
    if (count < 0)
      TVM_FFI_THROW(ValueError) << "cannot resize an Array to negative size";
    int64_t old = static_cast<int64_t>(this->size());
    if (count < old) {
      writable(this->size())->erase(count, old);
      return;
    }
    ArrayObj *array = writable(static_cast<size_t>(count));
    for (; old < count; ++old)
      array->EmplaceBackAfterCheck(inner::makeDefault<T>());
  }
  void clear() {
    if (this->data_.unique())
      this->obj()->clear();
    else
      this->data_ = ArrayObj::Empty();
  }

  /// An array of what `f` makes of each value. Where that is each value itself, this array.
  template <typename F> auto Map(F f) const {
    using U = std::decay_t<decltype(f(std::declval<T>()))>;
    if constexpr (type_subsumes_v<U, T>) {
      if (!this->data_)
        return Array<U>();
      const ArrayObj &values = *this->obj();
      for (size_t i = 0; i < values.size(); ++i) {
        Any changed(f(inner::readStored<T>(values.begin()[i])));
        if (changed.same_as(values.begin()[i]))
          continue;
        ObjectPtr<ArrayObj> result = ArrayObj::Empty(static_cast<int64_t>(values.size()));
        for (size_t j = 0; j < i; ++j)
          result->EmplaceBackAfterCheck(values.begin()[j]);
        result->EmplaceBackAfterCheck(std::move(changed));
        for (size_t j = i + 1; j < values.size(); ++j)
          result->EmplaceBackAfterCheck(Any(f(inner::readStored<T>(values.begin()[j]))));
        return Array<U>(ObjectPtr<Object>(std::move(result)));
      }
      return Array<U>(*this);
    } else {
      ObjectPtr<ArrayObj> result = ArrayObj::Empty(static_cast<int64_t>(this->size()));
      for (T value : *this)
        result->EmplaceBackAfterCheck(Any(U(f(std::move(value)))));
      return Array<U>(ObjectPtr<Object>(std::move(result)));
    }
  }
  /// Replaces each value by what `f` makes of it. A value of an array that is not shared is moved
  /// into `f`, which so can be its only owner.
  template <typename F> void MutateByApply(F f) {
    if (!this->data_)
      return;
    if (!this->data_.unique()) {
      Array changed = Map([&f](T value) -> T { return f(std::move(value)); });
      if (!changed.same_as(*this))
        *this = std::move(changed);
      return;
    }
    for (Any &value : *this->obj()) {
      T old = inner::takeStored<T>(&value);
      value = Any(T(f(std::move(old))));
    }
  }
  /// One array of all arguments, each a T or something with values of T.
  template <typename... Args> static Array Agregate(Args... args) {
    Array result;
    (result.append(std::move(args)), ...);
    return result;
  }
  ArrayObj *GetArrayObj() const { return this->obj(); }
  /// The object, made this array's own first.
  ArrayObj *CopyOnWrite() { return writable(this->size()); }

private:
  template <typename Iterator> static ObjectPtr<Object> fromRange(Iterator begin, Iterator end) {
    ObjectPtr<ArrayObj> array = ArrayObj::Empty(static_cast<int64_t>(std::distance(begin, end)));
    for (; begin != end; ++begin)
      array->EmplaceBackAfterCheck(Any(T(*begin)));
    return array;
  }
  template <typename U> void append(const U &values) {
    if constexpr (std::is_convertible_v<U, T>) {
      push_back(values);
    } else {
      for (const auto &value : values)
        push_back(value);
    }
  }
  /// Makes `count` places before `position`, and returns the first.
  Any *gap(iterator position, int64_t count) {
    int64_t at = this->present("insert") ? this->indexOf(position) : 0;
    this->obj()->CheckInsertAt(at);
    ArrayObj *array = writable(this->size() + static_cast<size_t>(count));
    array->OpenGapAfterCheck(at, count);
    return array->begin() + at;
  }

  /// The object with room for `count` values, owned by this array alone.
  TVM_FFI_INLINE ArrayObj *writable(size_t count) {
    if (TVM_FFI_PREDICT_TRUE(this->data_.unique() && count <= this->obj()->capacity()))
      return this->obj();
    return replace(count);
  }
  TVM_FFI_NO_INLINE ArrayObj *replace(size_t count) {
    size_t room = this->capacity();
    if (count > room)
      room = count > 2 * room ? count : 2 * room;
    int64_t capacity = static_cast<int64_t>(room);
    if (this->data_.unique())
      this->data_ = ArrayObj::MoveFrom(capacity, this->obj());
    else if (this->data_)
      this->data_ = ArrayObj::CopyFrom(capacity, this->obj());
    else
      this->data_ = ArrayObj::Empty(capacity);
    return this->obj();
  }
};

/// Whether such iterators give Ts, or what derives from T, that is, without a conversion.
template <typename T, typename Iterator> struct is_valid_iterator {
  using Given = std::decay_t<decltype(*std::declval<Iterator>())>;
  static constexpr bool value = std::is_same_v<T, Given> || std::is_base_of_v<T, Given>;
};
template <typename T, typename Iterator>
struct is_valid_iterator<Optional<T>, Iterator> : is_valid_iterator<T, Iterator> {};
template <typename Iterator> struct is_valid_iterator<Any, Iterator> : std::true_type {};
template <typename T, typename Iterator>
inline constexpr bool is_valid_iterator_v = is_valid_iterator<T, Iterator>::value;

/// The values of both.
template <typename T> inline Array<T> Concat(Array<T> lhs, const Array<T> &rhs) {
  lhs.reserve(static_cast<int64_t>(lhs.size() + rhs.size()));
  for (T value : rhs)
    lhs.push_back(std::move(value));
  return lhs;
}

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<Array<Base>, Array<Derived>> = type_subsumes_v<Base, Derived>;

template <typename T> inline constexpr bool use_default_type_traits_v<Array<T>> = false;

template <typename T> struct TypeTraits<Array<T>> : inner::SeqTraits<Array<T>, T, kTVMFFIArray> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_ARRAY_H_

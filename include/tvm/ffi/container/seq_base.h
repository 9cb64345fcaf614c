/// The objects behind Array and List: a run of values of any type.
#ifndef TVM_FFI_CONTAINER_SEQ_BASE_H_
#define TVM_FFI_CONTAINER_SEQ_BASE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/container/container_detail.h>
#include <tvm/ffi/inner/teardown.h>
#include <tvm/ffi/memory.h>

#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tvm {
namespace ffi {

/// What ArrayObj and ListObj share. Whoever writes makes sure that nobody else reads: Array copies
/// a shared object first. Room for more values is the children's affair.
class SeqBaseObj : public Object, public TVMFFISeqCell {
public:
  SeqBaseObj() : TVMFFISeqCell{nullptr, 0, 0, nullptr} {}
  ~SeqBaseObj() {
    destroy(begin(), end());
    if (data_deleter)
      data_deleter(data);
  }

  size_t size() const { return static_cast<size_t>(TVMFFISeqCell::size); }
  size_t capacity() const { return static_cast<size_t>(TVMFFISeqCell::capacity); }
  bool empty() const { return TVMFFISeqCell::size == 0; }
  Any *begin() const { return static_cast<Any *>(data); }
  Any *end() const { return begin() + TVMFFISeqCell::size; }
  const Any &operator[](int64_t i) const { return begin()[i]; }
  /// The value `i`; IndexError past the end.
  const Any &at(int64_t i) const {
    checkIndex(i);
    return begin()[i];
  }
  const Any &front() const {
    if (TVM_FFI_PREDICT_FALSE(empty()))
      throwEmpty("front()");
    return *begin();
  }
  const Any &back() const {
    if (TVM_FFI_PREDICT_FALSE(empty()))
      throwEmpty("back()");
    return end()[-1];
  }

  void SetItem(int64_t i, Any value) {
    checkIndex(i);
    begin()[i] = std::move(value);
  }
  void SetItemAfterCheck(int64_t i, Any value) { begin()[i] = std::move(value); }
  void pop_back() {
    if (TVM_FFI_PREDICT_FALSE(empty()))
      throwEmpty("pop_back");
    Any gone = std::move(end()[-1]);
    --TVMFFISeqCell::size;
  }
  void erase(int64_t i) {
    checkIndex(i);
    erase(i, i + 1);
  }
  /// Removes the values from `first` up to `last`.
  void erase(int64_t first, int64_t last) {
    if (TVM_FFI_PREDICT_FALSE(first < 0 || first > last || last > TVMFFISeqCell::size))
      inner::throwAt("IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     inner::concat("Erase range [", std::to_string(first), ", ",
                                   std::to_string(last), ") out of bounds ",
                                   std::to_string(TVMFFISeqCell::size)));
    destroy(begin() + first, begin() + last);
    shift(last, first);
  }
  void clear() {
    destroy(begin(), end());
    TVMFFISeqCell::size = 0;
  }
  /// Turns the order of the values round.
  void Reverse() {
    for (Any *a = begin(), *b = end(); a < b;)
      a++->swap(*--b);
  }

  // Values more than there are places for: the caller makes sure of the room.

  /// Inserts before value `at`; IndexError past the end.
  void insert(int64_t at, Any value) {
    CheckInsertAt(at);
    OpenGapAfterCheck(at, 1);
    begin()[at] = std::move(value);
  }
  template <typename Iterator> void insert(int64_t at, Iterator first, Iterator last) {
    CheckInsertAt(at);
    OpenGapAfterCheck(at, static_cast<int64_t>(std::distance(first, last)));
    for (Any *to = begin() + at; first != last; ++first)
      *to++ = Any(*first);
  }
  /// Removes values from the end, or adds None. ValueError for a negative number.
  void resize(int64_t count) {
    if (TVM_FFI_PREDICT_FALSE(count < 0))
      inner::throwAt("ValueError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     "Cannot resize to negative size");
    if (count < TVMFFISeqCell::size)
      return erase(count, TVMFFISeqCell::size);
    OpenGapAfterCheck(TVMFFISeqCell::size, count - TVMFFISeqCell::size);
  }
  /// Makes values of a range from place `at` on, where none were made yet. The object.
  template <typename Iterator> SeqBaseObj *InitRange(int64_t at, Iterator first, Iterator last) {
    for (Any *to = begin() + at; first != last; ++first)
      new (to++) Any(*first);
    return this;
  }
  /// Adds a value.
  void EmplaceBackAfterCheck(Any value) {
    new (end()) Any(std::move(value));
    ++TVMFFISeqCell::size;
  }
  /// Makes a gap of `count` places before value `at`, of values None.
  void OpenGapAfterCheck(int64_t at, int64_t count) {
    shift(at, at + count);
    for (int64_t i = at; i < at + count; ++i)
      new (begin() + i) Any();
  }
  /// IndexError unless `i` is a place where a value can be inserted.
  void CheckInsertAt(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(i < 0 || i > TVMFFISeqCell::size))
      inner::throwAt("IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                     inner::concat("Index ", std::to_string(i), " out of bounds [0, ",
                                   std::to_string(TVMFFISeqCell::size), "]"));
  }
  /// Takes over all values of `other`; this one has none, and room for them.
  void TakeValuesAfterCheck(SeqBaseObj *other) {
    if (!other->empty())
      std::memcpy(data, other->data, other->size() * sizeof(Any));
    TVMFFISeqCell::size = std::exchange(static_cast<TVMFFISeqCell *>(other)->size, 0);
  }
  /// Copies all values of `other`; this one has none, and room for them.
  void CopyValuesAfterCheck(const SeqBaseObj *other) {
    Any *to = begin();
    for (const Any *from = other->begin(), *last = other->end(); from != last; ++from)
      new (to++) Any(*from);
    TVMFFISeqCell::size = static_cast<const TVMFFISeqCell *>(other)->size;
  }

private:
  void checkIndex(int64_t i) const {
    if (TVM_FFI_PREDICT_FALSE(static_cast<uint64_t>(i) >= static_cast<uint64_t>(size())))
      throwBadIndex(i, TVMFFISeqCell::size);
  }
  [[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE static void throwBadIndex(int64_t i,
                                                                             int64_t size) {
    inner::throwAt(
        "IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
        inner::concat("Index ", std::to_string(i), " out of bounds ", std::to_string(size)));
  }
  [[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE static void throwEmpty(const char *what) {
    inner::throwAt("IndexError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG,
                   inner::concat(what, " on empty sequence"));
  }
  static void destroy(Any *first, Any *last) {
    while (last != first) {
      if (TVM_FFI_PREDICT_FALSE(inner::Teardown::MayNest(last[-1])))
        return destroyNested(first, last);
      (--last)->~Any();
    }
  }
  TVM_FFI_NO_INLINE static void destroyNested(Any *first, Any *last) {
    inner::Teardown level;
    while (last != first) {
      level.Take(*--last);
      last->~Any();
    }
  }
  /// Moves the values from `from` on to `to`, and lets the size follow.
  void shift(int64_t from, int64_t to) {
    int64_t rest = TVMFFISeqCell::size - from;
    if (rest > 0)
      std::memmove(static_cast<void *>(begin() + to), static_cast<void *>(begin() + from),
                   static_cast<size_t>(rest) * sizeof(Any));
    TVMFFISeqCell::size += to - from;
  }
};
static_assert(sizeof(SeqBaseObj) == 56, "layout of Array and List");

namespace inner {

/// Reads the values of a sequence as T.
template <typename T> class SeqIterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = const T *;
  using reference = T;

  SeqIterator() = default;
  explicit SeqIterator(const Any *at) : at(at) {}
  T operator*() const { return readStored<T>(*at); }
  T operator[](difference_type n) const { return readStored<T>(at[n]); }
  SeqIterator &operator++() {
    ++at;
    return *this;
  }
  SeqIterator &operator--() {
    --at;
    return *this;
  }
  SeqIterator operator++(int) { return SeqIterator(at++); }
  SeqIterator operator--(int) { return SeqIterator(at--); }
  SeqIterator &operator+=(difference_type n) {
    at += n;
    return *this;
  }
  SeqIterator &operator-=(difference_type n) {
    at -= n;
    return *this;
  }
  SeqIterator operator+(difference_type n) const { return SeqIterator(at + n); }
  SeqIterator operator-(difference_type n) const { return SeqIterator(at - n); }
  friend SeqIterator operator+(difference_type n, SeqIterator it) { return it + n; }
  difference_type operator-(const SeqIterator &other) const { return at - other.at; }
  bool operator==(const SeqIterator &other) const { return at == other.at; }
  bool operator!=(const SeqIterator &other) const { return at != other.at; }
  bool operator<(const SeqIterator &other) const { return at < other.at; }
  bool operator>(const SeqIterator &other) const { return at > other.at; }
  bool operator<=(const SeqIterator &other) const { return at <= other.at; }
  bool operator>=(const SeqIterator &other) const { return at >= other.at; }

  const Any *Address() const { return at; }

private:
  const Any *at = nullptr;
};

/// A reference to a sequence: what does not write. Null, after it was moved from, it reads as
/// empty.
template <typename ObjectType, typename T> class SeqRef : public ObjectRef {
public:
  using ContainerType = ObjectType;
  using value_type = T;
  using iterator = SeqIterator<T>;
  using const_iterator = iterator;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = reverse_iterator;
  static constexpr bool _type_is_nullable = false;
  static constexpr bool _type_container_is_exact = std::is_same_v<T, Any>;

  size_t size() const { return data_ ? obj()->size() : 0; }
  size_t capacity() const { return data_ ? obj()->capacity() : 0; }
  bool empty() const { return size() == 0; }
  iterator begin() const { return iterator(data_ ? obj()->begin() : nullptr); }
  iterator end() const { return iterator(data_ ? obj()->end() : nullptr); }
  reverse_iterator rbegin() const { return reverse_iterator(end()); }
  reverse_iterator rend() const { return reverse_iterator(begin()); }
  /// The value `i`; IndexError past the end.
  T operator[](int64_t i) const { return readStored<T>(present("index")->at(i)); }
  T at(int64_t i) const { return (*this)[i]; }
  T front() const { return readStored<T>(present("index")->front()); }
  T back() const { return readStored<T>(present("index")->back()); }

  const ObjectType *operator->() const { return obj(); }
  const ObjectType *get() const { return obj(); }

protected:
  explicit SeqRef(ObjectPtr<Object> data) : ObjectRef(std::move(data)) {}
  explicit SeqRef(UnsafeInit tag) : ObjectRef(tag) {}

  void requireObject() const { TVM_FFI_ICHECK_NOTNULL(data_.get()); }
  ObjectType *obj() const { return static_cast<ObjectType *>(data_.get()); }
  /// The object; an error where there is none.
  ObjectType *present(const char *verb) const {
    if (TVM_FFI_PREDICT_FALSE(!data_))
      throwNull(verb);
    return obj();
  }
  int64_t indexOf(const iterator &position) const { return position.Address() - obj()->begin(); }

private:
  [[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE static void throwNull(const char *verb) {
    const char *name = ObjectType::_type_index == kTVMFFIArray ? " a null array" : " a null list";
    throwAt(std::string_view(verb) == "index" ? "IndexError" : "RuntimeError", __FILE__, __LINE__,
            TVM_FFI_FUNC_SIG, concat("cannot ", verb, name));
  }
};

/// The traits of Array and List: values of either kind are accepted, and copied unless the object
/// is of the right kind and fits as it is.
template <typename Ref, typename T, int32_t Index> struct SeqTraits : ObjectRefTypeTraitsBase<Ref> {
  static constexpr int32_t field_static_type_index = Index;
  using Base = ObjectRefTypeTraitsBase<Ref>;
  static constexpr const char *kName = Index == kTVMFFIArray ? "Array" : "List";

  static bool CheckAnyStrict(const TVMFFIAny *src) {
    if (src->type_index != Index)
      return false;
    if constexpr (!std::is_same_v<T, Any>) {
      for (const Any &value : *valuesOf(src))
        if (!detail::AnyUnsafe::CheckAnyStrict<T>(value))
          return false;
    }
    return true;
  }
  static std::optional<Ref> TryCastFromAnyView(const TVMFFIAny *src) {
    if (!isSequence(src))
      return std::nullopt;
    if (CheckAnyStrict(src))
      return Base::CopyFromAnyViewAfterCheck(src);
    Ref result;
    const SeqBaseObj *values = valuesOf(src);
    result.reserve(static_cast<int64_t>(values->size()));
    for (const Any &value : *values) {
      std::optional<T> item = value.template try_cast<T>();
      if (!item)
        return std::nullopt;
      result.push_back(*std::move(item));
    }
    return result;
  }
  static std::string GetMismatchTypeInfo(const TVMFFIAny *src) {
    if constexpr (!std::is_same_v<T, Any>) {
      if (isSequence(src)) {
        int64_t index = 0;
        for (const Any &value : *valuesOf(src)) {
          if (!value.template try_cast<T>())
            return concat(kName, "[index ", std::to_string(index), ": ",
                          detail::AnyUnsafe::GetMismatchTypeInfo<T>(value), "]");
          ++index;
        }
      }
    }
    return TypeTraitsBase::GetMismatchTypeInfo(src);
  }
  static std::string TypeStr() { return concat(kName, "<", TypeTraits<T>::TypeStr(), ">"); }
  static std::string TypeSchema() {
    return compositeSchema(Index == kTVMFFIArray ? "ffi.Array" : "ffi.List",
                           TypeTraits<T>::TypeSchema());
  }

private:
  static bool isSequence(const TVMFFIAny *src) {
    return src->type_index == kTVMFFIArray || src->type_index == kTVMFFIList;
  }
  static const SeqBaseObj *valuesOf(const TVMFFIAny *src) {
    return static_cast<const SeqBaseObj *>(reinterpret_cast<const Object *>(src->v_obj));
  }
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_SEQ_BASE_H_

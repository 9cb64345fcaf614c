/// List<T>: a list that all its references share and may write to.
#ifndef TVM_FFI_CONTAINER_LIST_H_
#define TVM_FFI_CONTAINER_LIST_H_

#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/seq_base.h>
#include <tvm/ffi/optional.h>

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <new>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {

/// The object behind a List: owned values in memory of their own.
class ListObj : public SeqBaseObj {
public:
  static constexpr int32_t _type_index = kTVMFFIList;
  static constexpr bool _type_final = true;
  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO_STATIC(StaticTypeKey::kTVMFFIList, ListObj, Object)

  /// An empty list with room for `capacity` values.
  static ObjectPtr<ListObj> Empty(int64_t capacity = 0) {
    ObjectPtr<ListObj> list = make_object<ListObj>();
    list->Reserve(capacity);
    return list;
  }
  /// A list of one value many times.
  static ObjectPtr<ListObj> CreateRepeated(int64_t count, const Any &value) {
    ObjectPtr<ListObj> list = Empty(count);
    for (int64_t i = 0; i < count; ++i)
      list->EmplaceBackAfterCheck(value);
    return list;
  }
  /// Makes room for `count` values in all.
  void Reserve(int64_t count) {
    if (count <= TVMFFISeqCell::capacity)
      return;
    if (count > INT64_MAX / static_cast<int64_t>(sizeof(Any)))
      throw std::bad_alloc();
    void *fresh = ::operator new(static_cast<size_t>(count) * sizeof(Any));
    if (TVMFFISeqCell::size > 0)
      std::memcpy(fresh, data, size() * sizeof(Any));
    if (data_deleter)
      data_deleter(data);
    data = fresh;
    data_deleter = [](void *memory) { ::operator delete(memory); };
    TVMFFISeqCell::capacity = count;
  }
  void Append(Any value) {
    makeRoom(1);
    EmplaceBackAfterCheck(std::move(value));
  }
  /// Inserts a value before value `at`; IndexError past the end.
  void Insert(int64_t at, Any value) { *OpenGap(at, 1) = std::move(value); }
  /// Makes `count` places before value `at`, and returns the first.
  Any *OpenGap(int64_t at, int64_t count) {
    CheckInsertAt(at);
    makeRoom(count);
    OpenGapAfterCheck(at, count);
    return begin() + at;
  }

private:
  void makeRoom(int64_t more) {
    int64_t count = TVMFFISeqCell::size + more, room = TVMFFISeqCell::capacity;
    if (TVM_FFI_PREDICT_TRUE(count <= room))
      return;
    room = room < 2 ? 4 : room * 2;
    Reserve(count > room ? count : room);
  }
};
static_assert(sizeof(ListObj) == 56, "layout of List");

/// A list of T that is shared. Never null (but after it was moved from, when it reads as empty).
/// One thread at a time may write, and nobody else then read.
template <typename T, typename = std::enable_if_t<detail::storage_enabled_v<T>>>
class List : public inner::SeqRef<ListObj, T> {
  using Base = inner::SeqRef<ListObj, T>;

public:
  using typename Base::iterator;

  List() : Base(ObjectPtr<Object>(ListObj::Empty())) {}
  explicit List(UnsafeInit tag) : Base(tag) {}
  explicit List(ObjectPtr<Object> data) : Base(std::move(data)) { this->requireObject(); }
  TVM_FFI_DEFINE_DEFAULT_COPY_MOVE_AND_ASSIGN(List);
  List(std::initializer_list<T> list) : List(list.begin(), list.end()) {}
  List(const std::vector<T> &list) : List(list.begin(), list.end()) {} // NOLINT(*)
  List(size_t count, const T &value)
      : Base(ObjectPtr<Object>(ListObj::CreateRepeated(static_cast<int64_t>(count), Any(value)))) {}
  template <typename Iterator,
            typename = typename std::iterator_traits<Iterator>::iterator_category>
  List(Iterator begin, Iterator end) : Base(fromRange(begin, end)) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  List(const List<U> &other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(other)) {}
  template <typename U, typename = std::enable_if_t<!std::is_same_v<T, U> && type_subsumes_v<T, U>>>
  List(List<U> &&other) // NOLINT(*)
      : Base(detail::ObjectUnsafe::ObjectPtrFromObjectRef<Object>(std::move(other))) {}

  // One that was moved from starts anew when it is appended to.

  /// The values of a range, instead of those that are there.
  template <typename Iterator> void Assign(Iterator begin, Iterator end) {
    List values(begin, end);
    ListObj *list = writable();
    list->clear();
    list->Reserve(static_cast<int64_t>(values.size()));
    list->TakeValuesAfterCheck(values.obj());
  }
  void push_back(const T &value) { writable()->Append(Any(value)); }
  template <typename... Args> void emplace_back(Args &&...args) {
    writable()->Append(Any(T(std::forward<Args>(args)...)));
  }
  void insert(iterator position, const T &value) {
    Any item(value);
    this->present("insert")->Insert(this->indexOf(position), std::move(item));
  }
  template <typename Iterator> void insert(iterator position, Iterator first, Iterator last) {
    ListObj *list = this->present("insert");
    int64_t at = this->indexOf(position);
    List values(first, last); // first: they may lie in this list
    Any *to = list->OpenGap(at, static_cast<int64_t>(values.size()));
    for (T value : values)
      *to++ = Any(std::move(value));
  }
  void pop_back() { this->present("pop_back")->pop_back(); }
  void erase(iterator position) { this->present("erase")->erase(this->indexOf(position)); }
  void erase(iterator first, iterator last) {
    this->present("erase")->erase(this->indexOf(first), this->indexOf(last));
  }
  /// Gives place `i` a value; IndexError past the end.
  void Set(int64_t i, T value) { this->present("index")->SetItem(i, Any(std::move(value))); }
  void reserve(int64_t count) { writable()->Reserve(count); }
  /// Removes values from the end, or adds default ones.
  void resize(int64_t count) {
    if (count < 0)
      TVM_FFI_THROW(ValueError) << "cannot resize a List to negative size";
    ListObj *list = writable();
    int64_t old = static_cast<int64_t>(list->size());
    if (count < old)
      return list->erase(count, old);
    list->Reserve(count);
    for (; old < count; ++old)
      list->EmplaceBackAfterCheck(inner::makeDefault<T>());
  }
  void clear() {
    if (this->data_)
      this->obj()->clear();
  }
  /// A new list of what `f` makes of each value.
  template <typename F> auto Map(F f) const {
    using U = std::decay_t<decltype(f(std::declval<T>()))>;
    List<U> result;
    result.reserve(static_cast<int64_t>(this->size()));
    for (T value : *this)
      result.push_back(f(std::move(value)));
    return result;
  }
  /// Replaces each value by what `f` makes of it.
  template <typename F> void MutateByApply(F f) {
    for (int64_t i = 0; i < static_cast<int64_t>(this->size()); ++i)
      Set(i, f((*this)[i]));
  }
  ListObj *GetListObj() const { return this->obj(); }

private:
  template <typename Iterator> static ObjectPtr<Object> fromRange(Iterator begin, Iterator end) {
    ObjectPtr<ListObj> list = ListObj::Empty(static_cast<int64_t>(std::distance(begin, end)));
    for (; begin != end; ++begin)
      list->EmplaceBackAfterCheck(Any(T(*begin)));
    return list;
  }
  ListObj *writable() {
    if (TVM_FFI_PREDICT_FALSE(!this->data_))
      this->data_ = ListObj::Empty();
    return this->obj();
  }
};

template <typename Base, typename Derived>
inline constexpr bool type_subsumes_v<List<Base>, List<Derived>> = type_subsumes_v<Base, Derived>;

template <typename T> inline constexpr bool use_default_type_traits_v<List<T>> = false;

template <typename T> struct TypeTraits<List<T>> : inner::SeqTraits<List<T>, T, kTVMFFIList> {};

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_LIST_H_

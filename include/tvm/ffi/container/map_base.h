/// The objects behind Map and Dict: entries of any type in the order of insertion. Up to four are
/// an array, more are a hash table.
#ifndef TVM_FFI_CONTAINER_MAP_BASE_H_
#define TVM_FFI_CONTAINER_MAP_BASE_H_

#include <tvm/ffi/any.h>
#include <tvm/ffi/inner/dense_map.h>
#include <tvm/ffi/inner/small_map.h>
#include <tvm/ffi/inner/teardown.h>
#include <tvm/ffi/memory.h>
#include <tvm/ffi/optional.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <utility>

namespace tvm {
namespace ffi {

/// What MapObj and DictObj share.
class MapBaseObj : public Object {
public:
  using key_type = Any;
  using mapped_type = Any;
  using KVType = inner::MapEntry;

  class iterator;

  size_t size() const { return static_cast<size_t>(cells_.size); }
  bool empty() const { return cells_.size == 0; }
  iterator begin() const;
  iterator end() const;
  /// The entry of a key, end() where it has none.
  iterator find(const Any &key) const;
  size_t count(const Any &key) const { return findIndex(key) != inner::kNoMapEntry; }
  /// The value of a key; KeyError where it has none.
  const Any &at(const Any &key) const {
    uint64_t index = findIndex(key);
    if (TVM_FFI_PREDICT_FALSE(index == inner::kNoMapEntry))
      throwNoKey();
    return entry(index).second;
  }
  Any &at(const Any &key) {
    return const_cast<Any &>(static_cast<const MapBaseObj *>(this)->at(key));
  }

  // Whoever writes makes sure that nobody else reads: Map copies a shared object first.

  /// Gives a key its value. In a table, one that is there moves to the end of the order; setting
  /// any key of a full array makes it a table.
  void Set(Any key, Any value) {
    KVType kv(std::move(key), std::move(value));
    if (!inner::isSmallMap(cells_))
      return inner::DenseMap(cells_).insert(std::move(kv));
    if (cells_.size >= inner::kMaxSmallMapSlots)
      return toDense(std::move(kv));
    inner::SmallMap small(cells_);
    uint64_t index = small.find(inner::rawOf(kv.first));
    if (index != inner::kNoMapEntry) {
      small.entries()[index].second = std::move(kv.second);
      return;
    }
    if (small.full())
      growSmall();
    small.append(std::move(kv));
  }
  void erase(const iterator &position);
  /// Removes a key, where it is there.
  void erase(const Any &key) {
    uint64_t index = findIndex(key);
    if (index != inner::kNoMapEntry)
      eraseAt(index);
  }
  void clear() {
    if (inner::isSmallMap(cells_))
      inner::SmallMap(cells_).clear();
    else
      inner::DenseMap(cells_).clear();
  }

  // Steps over entries by index: places of the array or of the table; kNoMapEntry is past the end.

  uint64_t firstIndex() const {
    if (!inner::isSmallMap(cells_))
      return dense().first();
    return cells_.size == 0 ? inner::kNoMapEntry : 0;
  }
  uint64_t nextIndex(uint64_t index) const {
    if (!inner::isSmallMap(cells_))
      return dense().next(index);
    return index + 1 < cells_.size ? index + 1 : inner::kNoMapEntry;
  }
  uint64_t prevIndex(uint64_t index) const {
    if (!inner::isSmallMap(cells_))
      return index == inner::kNoMapEntry ? dense().last() : dense().prev(index);
    return index == inner::kNoMapEntry ? cells_.size - 1 : index - 1;
  }
  KVType &entry(uint64_t index) const {
    return inner::isSmallMap(cells_) ? static_cast<KVType *>(cells_.data)[index]
                                     : dense().entry(index);
  }
  uint64_t findIndex(const Any &key) const { return findIndex(inner::rawOf(key)); }
  uint64_t findIndex(const TVMFFIAny &key) const {
    return inner::isSmallMap(cells_) ? inner::SmallMap(cells()).find(key) : dense().find(key);
  }

protected:
  MapBaseObj() : cells_{} {}
  ~MapBaseObj() {
    inner::Teardown level;
    if (level.IsDeep())
      for (uint64_t i = firstIndex(); i != inner::kNoMapEntry; i = nextIndex(i)) {
        level.Take(entry(i).first);
        level.Take(entry(i).second);
      }
    if (inner::isSmallMap(cells_))
      inner::SmallMap(cells_).clear();
    else
      inner::DenseMap(cells_).destroyEntries();
    if (cells_.data_deleter && cells_.data)
      cells_.data_deleter(cells_.data);
  }

  /// An empty object with room for `count` entries.
  template <typename ObjectType> static ObjectPtr<ObjectType> Create(uint64_t count) {
    bool small = count < inner::kMaxSmallMapSlots;
    uint64_t slots = count < inner::kMinSmallMapSlots ? inner::kMinSmallMapSlots : count;
    // Two entries are larger than what a dense map has besides its table, so that every object can
    // become one.
    static_assert(inner::kMinSmallMapSlots * sizeof(KVType) >=
                      sizeof(inner::DenseCells) - sizeof(inner::MapCells),
                  "room for the cells of a dense map");
    auto object = make_inplace_array_object<ObjectType, KVType>(
        static_cast<size_t>(small ? slots : inner::kMinSmallMapSlots));
    inner::MapCells &cells = static_cast<MapBaseObj *>(object.get())->cells_;
    inner::SmallMap::init(cells, object.get() + 1, slots, nullptr);
    if (!small)
      inner::DenseMap::init(static_cast<inner::DenseCells &>(cells),
                            inner::DenseMap::slotsFor(count));
    return object;
  }
  template <typename ObjectType> static ObjectPtr<ObjectType> CopyOf(const MapBaseObj &other) {
    ObjectPtr<ObjectType> copy = Create<ObjectType>(other.size());
    for (uint64_t i = other.firstIndex(); i != inner::kNoMapEntry; i = other.nextIndex(i))
      copy->Set(other.entry(i).first, other.entry(i).second);
    return copy;
  }

private:
  inner::MapCells &cells() const { return const_cast<inner::MapCells &>(cells_); }
  inner::DenseMap dense() const { return inner::DenseMap(cells()); }
  [[noreturn]] TVM_FFI_NO_INLINE TVM_FFI_COLD_CODE static void throwNoKey() {
    inner::throwAt("KeyError", __FILE__, __LINE__, TVM_FFI_FUNC_SIG, "key is not in Map");
  }

  void eraseAt(uint64_t index) {
    if (inner::isSmallMap(cells_))
      inner::SmallMap(cells_).erase(index);
    else
      inner::DenseMap(cells_).erase(index);
  }
  /// Gives a small map all the places that one can have.
  TVM_FFI_NO_INLINE void growSmall() {
    void *storage = std::malloc(inner::kMaxSmallMapSlots * sizeof(KVType));
    if (!storage)
      throw std::bad_alloc();
    inner::MapCells old = cells_;
    inner::SmallMap::init(cells_, storage, inner::kMaxSmallMapSlots,
                          [](void *data) { std::free(data); });
    cells_.size = old.size;
    std::memcpy(storage, old.data, old.size * sizeof(KVType));
    if (old.data_deleter)
      old.data_deleter(old.data);
  }
  /// Makes a full small map a dense one, with another entry.
  TVM_FFI_NO_INLINE void toDense(KVType &&kv) {
    inner::DenseCells fresh;
    inner::DenseMap::init(fresh, inner::DenseMap::slotsFor(cells_.size));
    inner::DenseMap table(fresh);
    inner::SmallMap small(cells_);
    try {
      for (uint64_t i = 0; i < cells_.size; ++i)
        table.insert(KVType(small.entries()[i]));
      table.insert(std::move(kv));
    } catch (...) { // from a hook
      table.destroyEntries();
      std::free(fresh.data);
      throw;
    }
    small.clear();
    if (cells_.data_deleter)
      cells_.data_deleter(cells_.data);
    static_cast<inner::DenseCells &>(cells_) = fresh;
  }

  inner::MapCells cells_;
};
static_assert(sizeof(MapBaseObj) == 56, "layout of maps");

/// Steps over the entries of a map object.
class MapBaseObj::iterator {
public:
  using iterator_category = std::bidirectional_iterator_tag;
  using difference_type = std::ptrdiff_t;
  using value_type = KVType;
  using pointer = KVType *;
  using reference = KVType &;

  iterator() = default;
  iterator(uint64_t index, const MapBaseObj *self) : index_(index), self_(self) {}

  bool operator==(const iterator &other) const { return index_ == other.index_; }
  bool operator!=(const iterator &other) const { return index_ != other.index_; }
  reference operator*() const { return self_->entry(index_); }
  pointer operator->() const { return &self_->entry(index_); }
  iterator &operator++() {
    index_ = self_->nextIndex(index_);
    return *this;
  }
  iterator &operator--() {
    index_ = self_->prevIndex(index_);
    return *this;
  }
  iterator operator++(int) {
    iterator old = *this;
    ++*this;
    return old;
  }
  iterator operator--(int) {
    iterator old = *this;
    --*this;
    return old;
  }

private:
  uint64_t index_ = inner::kNoMapEntry;
  const MapBaseObj *self_ = nullptr;

  friend class MapBaseObj;
};

inline MapBaseObj::iterator MapBaseObj::begin() const { return iterator(firstIndex(), this); }
inline MapBaseObj::iterator MapBaseObj::end() const { return iterator(inner::kNoMapEntry, this); }
inline MapBaseObj::iterator MapBaseObj::find(const Any &key) const {
  return iterator(findIndex(key), this);
}
inline void MapBaseObj::erase(const iterator &position) {
  if (position.index_ != inner::kNoMapEntry)
    eraseAt(position.index_);
}

} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_CONTAINER_MAP_BASE_H_

/// The process's types: their indices, ancestors, fields, methods, metadata and attributes.
///
/// Writers hold the table's lock. Readers of a type's entry or of an attribute's column take none:
/// entries never move, and an array that grows is replaced, not freed.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tvm/ffi/any.h"
#include "tvm/ffi/c_api.h"

namespace tvm::ffi {

/// An array that is read without a lock while it grows. Old copies stay for their readers. Sizes
/// double, so all old copies together take no more memory than the last one.
template <typename T> class StableArray {
public:
  /// Makes room for `size` elements and returns them; new ones are copies of `blank`.
  T *resize(size_t size, const T &blank) {
    if (copies.empty() || size > copies.back()->capacity()) {
      auto fresh = std::make_unique<std::vector<T>>();
      fresh->reserve(std::max<size_t>(size, copies.empty() ? 8 : 2 * copies.back()->capacity()));
      if (!copies.empty())
        *fresh = *copies.back(); // assigning keeps the larger capacity
      copies.push_back(std::move(fresh));
    }
    copies.back()->resize(size, blank);
    return copies.back()->data();
  }
  size_t size() const { return copies.empty() ? 0 : copies.back()->size(); }

private:
  std::vector<std::unique_ptr<std::vector<T>>> copies;
};

class TypeTable {
public:
  /// The table; never freed.
  static TypeTable &get();

  /// TVMFFITypeGetOrAllocIndex.
  int32_t getOrAllocIndex(std::string_view key, int32_t staticIndex, int32_t depth,
                          int32_t childSlots, bool childSlotsCanOverflow, int32_t parentIndex);
  /// A type's entry, null for an unknown index. Takes no lock.
  const TVMFFITypeInfo *find(int32_t index) const;
  /// Returns the index of a key, or -2 if it is unknown.
  int32_t findIndex(std::string_view key) const;
  std::vector<std::string> keys() const;

  void registerField(int32_t index, const TVMFFIFieldInfo &info);
  void registerMethod(int32_t index, const TVMFFIMethodInfo &info);
  void registerMetadata(int32_t index, const TVMFFITypeMetadata &metadata);
  void registerAttr(int32_t index, std::string_view name, const TVMFFIAny &value);
  /// Returns an attribute's column, or null.
  const TVMFFITypeAttrColumn *findColumn(std::string_view name) const;

private:
  struct Entry : TVMFFITypeInfo {
    std::vector<const TVMFFITypeInfo *> ancestors;
    int32_t numSlots = 1;  ///< reserved indices, the type's own included
    int32_t usedSlots = 1; ///< of these, given out
    bool canOverflow = true;
    StableArray<TVMFFIFieldInfo> fieldArray;
    StableArray<TVMFFIMethodInfo> methodArray;
    TVMFFITypeMetadata metadataStorage{};
  };
  struct Column : TVMFFITypeAttrColumn {
    StableArray<TVMFFIAny> cells;
  };

  TypeTable();

  Entry *create(std::string_view key, int32_t index, int32_t childSlots, bool canOverflow,
                Entry *parent);
  int32_t allocateIndex(std::string_view key, int32_t childSlots, Entry &parent);
  Entry *entry(int32_t index) const;
  Entry &requireEntry(int32_t index) const;
  Column &column(std::string_view name);
  TVMFFIByteArray intern(std::string_view text);
  TVMFFIAny retain(const TVMFFIAny &value);

  static constexpr int32_t kChunkSize = 512;
  static constexpr int32_t kNumChunks = 4096;
  using Chunk = std::array<std::atomic<Entry *>, kChunkSize>;

  mutable std::shared_mutex mutex;
  std::array<std::atomic<Chunk *>, kNumChunks> chunks{};
  int32_t nextDynamicIndex = kTVMFFIDynObjectBegin;
  std::unordered_map<std::string_view, Entry *> byKey;
  std::unordered_map<std::string_view, Column *> columns;
  std::deque<std::string> strings; ///< all texts that entries point to
  std::deque<Any> values;          ///< all objects that entries point to
};

} // namespace tvm::ffi

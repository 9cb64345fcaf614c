/// A table whose chunks take memory once they are touched: shadow memory of tensors that span much
/// more memory than they use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace fairlead::check {

/// Chunks of bytes by their numbers, of zeros at first.
class SparseChunks {
public:
  SparseChunks();
  ~SparseChunks();
  SparseChunks(SparseChunks &&) noexcept;
  SparseChunks &operator=(SparseChunks &&) noexcept;

  bool empty() const { return chunks.empty(); }

protected:
  /// Returns a chunk, and makes it if there is none.
  std::byte *chunkOf(size_t number, size_t bytes) {
    if (recent.empty())
      return find(number, bytes);
    const Recent &last = recent[number % kRecent];
    return last.chunk && last.number == number ? last.chunk : find(number, bytes);
  }

  std::unordered_map<size_t, std::unique_ptr<std::byte[]>> chunks;

private:
  struct Recent {
    size_t number = 0;
    std::byte *chunk = nullptr;
  };
  std::byte *find(size_t number, size_t bytes);

  static constexpr size_t kRecent = 4096;
  std::vector<Recent> recent; ///< so many once a chunk is touched
};

template <typename Entry> class SparseTable : public SparseChunks {
public:
  static_assert(std::is_trivially_copyable_v<Entry>, "chunks begin as zeros");

  /// Visits entries [from, to) and their numbers until `visit` returns false; true if none did.
  template <typename Visit> bool each(size_t from, size_t to, const Visit &visit) {
    while (from < to) {
      auto *chunk = reinterpret_cast<Entry *>(chunkOf(from / kChunk, kChunk * sizeof(Entry)));
      const size_t end = std::min(to, (from / kChunk + 1) * kChunk);
      for (; from < end; ++from)
        if (!visit(chunk[from % kChunk], from))
          return false;
    }
    return true;
  }
  /// Visits the entries of all touched chunks, and their numbers.
  template <typename Visit> void eachTouched(const Visit &visit) const {
    for (const auto &[number, chunk] : chunks)
      for (size_t i = 0; i < kChunk; ++i)
        visit(reinterpret_cast<const Entry *>(chunk.get())[i], number * kChunk + i);
  }

private:
  static constexpr size_t kChunk = 512;
};

} // namespace fairlead::check

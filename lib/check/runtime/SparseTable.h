/// A table whose chunks take memory once they are touched: shadow memory of tensors that span much
/// more memory than they use.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <memory>
#include <unordered_map>

namespace fairlead::check {

template <typename Entry> class SparseTable {
public:
  bool empty() const { return chunks.empty(); }
  /// Visits entries [from, to) and their numbers until `visit` returns false; true if none did.
  template <typename Visit> bool each(size_t from, size_t to, const Visit &visit) {
    while (from < to) {
      Entry *chunk = chunkOf(from / kChunk);
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
        visit(chunk[i], number * kChunk + i);
  }

private:
  static constexpr size_t kChunk = 512;

  Entry *chunkOf(size_t number) {
    Recent &last = recent[number % std::size(recent)];
    if (last.chunk && last.number == number)
      return last.chunk;
    std::unique_ptr<Entry[]> &chunk = chunks[number];
    if (!chunk)
      chunk = std::make_unique<Entry[]>(kChunk);
    last = {number, chunk.get()};
    return last.chunk;
  }

  std::unordered_map<size_t, std::unique_ptr<Entry[]>> chunks;
  struct Recent {
    size_t number = 0;
    Entry *chunk = nullptr;
  };
  Recent recent[64];
};

} // namespace fairlead::check

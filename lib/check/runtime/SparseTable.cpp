#include "check/runtime/SparseTable.h"

namespace fairlead::check {

SparseChunks::SparseChunks() = default;
SparseChunks::~SparseChunks() = default;
SparseChunks::SparseChunks(SparseChunks &&) noexcept = default;
SparseChunks &SparseChunks::operator=(SparseChunks &&) noexcept = default;

std::byte *SparseChunks::find(size_t number, size_t bytes) {
  std::unique_ptr<std::byte[]> &chunk = chunks[number];
  if (!chunk)
    chunk = std::make_unique<std::byte[]>(bytes);
  recent.resize(kRecent);
  recent[number % kRecent] = {number, chunk.get()};
  return chunk.get();
}

} // namespace fairlead::check

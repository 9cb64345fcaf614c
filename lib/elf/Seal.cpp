#include "elf/Seal.h"

#include <cstring>

#include "base/Sha256.h"

namespace fairlead::elf {
namespace {

constexpr std::string_view kMark = "\nFLSEAL1";
constexpr size_t kSealBytes = kMark.size() + sizeof(Sha256::Digest);

} // namespace

std::string sealOf(std::string_view content) {
  const Sha256::Digest digest = sha256(content);
  return std::string(kMark).append(reinterpret_cast<const char *>(digest.data()), digest.size());
}

std::string_view withoutSeal(std::string_view file) {
  if (file.size() < kSealBytes || file.substr(file.size() - kSealBytes, kMark.size()) != kMark)
    return file;
  return file.substr(0, file.size() - kSealBytes);
}

Seal readSeal(const ByteSource &source) {
  char seal[kSealBytes];
  if (source.size() < sizeof seal || !source.read(source.size() - sizeof seal, seal, sizeof seal) ||
      std::string_view(seal, kMark.size()) != kMark)
    return Seal::None;
  constexpr uint64_t kPiece = 64 << 10;
  Sha256 hash;
  std::string buffer;
  const uint64_t end = source.size() - sizeof seal;
  for (uint64_t at = 0; at < end; at += kPiece) {
    auto piece = source.view(at, std::min(kPiece, end - at), buffer);
    if (!piece)
      return Seal::Wrong;
    hash.add(*piece);
  }
  const Sha256::Digest digest = hash.finish();
  return std::memcmp(digest.data(), seal + kMark.size(), digest.size()) == 0 ? Seal::Right
                                                                             : Seal::Wrong;
}

Problem checkSeal(const ByteSource &source) {
  if (readSeal(source) != Seal::Wrong)
    return {};
  return {Problem::Kind::Damaged, "the content that it was exported with (by its checksum)",
          "another", ""};
}

} // namespace fairlead::elf

#include "elf/Seal.h"

#include <cstdlib>
#include <cstring>

#include "trust/KeyFile.h"

namespace fairlead::elf {
namespace {

constexpr std::string_view kMark = "\nFLSEAL1", kSignedMark = "\nFLSIGN1";
constexpr size_t kSealBytes = kMark.size() + sizeof(Sha256::Digest);
constexpr size_t kSignedBytes = kSignedMark.size() + sizeof(Seal::Signed);
static_assert(sizeof(Seal::Signed) == sizeof(ed25519::PublicKey) + sizeof(ed25519::Signature));

/// The signed message. It says that it is an exported file, so signatures of other data do not fit.
std::string messageOf(const Sha256::Digest &content) {
  return std::string("Fairlead exported file\n")
      .append(reinterpret_cast<const char *>(content.data()), content.size());
}

/// The bytes of a signature's block, if they are one.
std::optional<Seal::Signed> signedBy(std::string_view block) {
  if (block.size() != kSignedBytes || block.substr(0, kSignedMark.size()) != kSignedMark)
    return std::nullopt;
  Seal::Signed by;
  std::memcpy(&by, block.data() + kSignedMark.size(), sizeof by);
  return by;
}

/// The path of the list of keys; null if none is set.
const char *trustedKeys() {
  const char *list = std::getenv("FAIRLEAD_TRUSTED_KEYS");
  return list && *list ? list : nullptr;
}

/// Adds the bytes of [begin, end) to the hash; false if they cannot be read.
bool addBytes(Sha256 &hash, const ByteSource &source, uint64_t begin, uint64_t end) {
  constexpr uint64_t kPiece = 64 << 10;
  std::string buffer;
  for (uint64_t at = begin; at < end; at += kPiece) {
    auto piece = source.view(at, std::min(kPiece, end - at), buffer);
    if (!piece)
      return false;
    hash.add(*piece);
  }
  return true;
}

/// True if a file without a seal at its end was sealed. Then a seal with more bytes behind it
/// follows the ELF file, or so few bytes that they are a seal that was cut off or changed.
bool endsInRemains(const ByteSource &source) {
  constexpr uint64_t kMost = 2 * (kSignedBytes + kSealBytes);
  Reader file(source);
  if (!file.readHeader() || !file.readSegments() || !file.readSectionHeaders())
    return false;
  const uint64_t end = file.extent();
  if (end >= source.size())
    return false;
  char mark[kMark.size()];
  static_assert(sizeof mark == kSignedMark.size());
  const std::string_view found(mark, sizeof mark);
  return source.size() - end <= kMost ||
         (source.read(end, mark, sizeof mark) && (found == kMark || found == kSignedMark));
}

Problem untrusted(std::string expected, std::string got) {
  return {Problem::Kind::Untrusted, std::move(expected), std::move(got)};
}

Checked checkSigner(const Seal &seal, const std::string &list) {
  const auto keys = readPublicKeys(list);
  if (!keys)
    return untrusted("FAIRLEAD_TRUSTED_KEYS=" + list + " to be a list of public keys",
                     "a file that cannot be used: " + keys.reason());
  const std::string expected = "a file signed by a key of FAIRLEAD_TRUSTED_KEYS=" + list;
  if (!seal.by)
    return untrusted(expected, "one that is not signed");
  if (std::find(keys->begin(), keys->end(), seal.by->key) == keys->end())
    return untrusted(expected, "one signed by another key, " + toHex(seal.by->key));
  return checkSeal(seal);
}

} // namespace

std::string sealOf(std::string_view content, const ed25519::Seed *signer) {
  Sha256 hash;
  hash.add(content);
  std::string block;
  if (signer) {
    Seal::Signed by;
    ed25519::makePublicKey(*signer, by.key);
    ed25519::sign(messageOf(Sha256(hash).finish()), *signer, by.signature);
    block = kSignedMark;
    block.append(reinterpret_cast<const char *>(&by), sizeof by);
    hash.add(block);
  }
  const Sha256::Digest digest = hash.finish();
  return block.append(kMark).append(reinterpret_cast<const char *>(digest.data()), digest.size());
}

std::string_view withoutSeal(std::string_view file) {
  if (file.size() < kSealBytes || file.substr(file.size() - kSealBytes, kMark.size()) != kMark)
    return file;
  file.remove_suffix(kSealBytes);
  if (file.size() >= kSignedBytes && signedBy(file.substr(file.size() - kSignedBytes)))
    file.remove_suffix(kSignedBytes);
  return file;
}

bool Seal::isSignatureRight() const {
  return by && ed25519::verify(messageOf(content), by->signature, by->key);
}

Seal readSeal(const ByteSource &source) {
  Seal result;
  char seal[kSealBytes], block[kSignedBytes];
  if (source.size() < sizeof seal || !source.read(source.size() - sizeof seal, seal, sizeof seal) ||
      std::string_view(seal, kMark.size()) != kMark) {
    if (endsInRemains(source))
      result.kind = Seal::Wrong;
    return result;
  }
  result.kind = Seal::Wrong;
  uint64_t end = source.size() - sizeof seal;
  if (end >= sizeof block && source.read(end - sizeof block, block, sizeof block))
    result.by = signedBy({block, sizeof block});
  if (result.by)
    end -= sizeof block;
  Sha256 hash;
  if (!addBytes(hash, source, 0, end))
    return result;
  result.content = Sha256(hash).finish();
  if (result.by)
    hash.add({block, sizeof block});
  const Sha256::Digest digest = hash.finish();
  if (std::memcmp(digest.data(), seal + kMark.size(), digest.size()) == 0)
    result.kind = Seal::Right;
  return result;
}

Checked checkSeal(const Seal &seal) {
  if (seal.kind == Seal::Wrong)
    return Problem{Problem::Kind::Damaged,
                   "the content that it was exported with (by its checksum)", "another"};
  if (seal.by && !seal.isSignatureRight())
    return untrusted("the content that the key " + toHex(seal.by->key) + " has signed",
                     "another: the signature does not fit");
  return {};
}

Checked checkSealAndSigner(const ByteSource &source) {
  const Seal seal = readSeal(source);
  if (seal.kind == Seal::Wrong)
    return checkSeal(seal);
  const char *list = trustedKeys();
  return list ? checkSigner(seal, list) : Checked();
}

bool isSignerAsked() { return trustedKeys() != nullptr; }

} // namespace fairlead::elf

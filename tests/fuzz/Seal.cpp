/// The seal of exported files. Any bytes as a file: a checksum and a signature are read the same
/// from memory and piece by piece. Any bytes as content: sealed, with a key too, they are right,
/// and never once one bit has another value.
#include <optional>
#include <string>

#include "FuzzInput.h"
#include "elf/Seal.h"

using namespace fairlead;
using namespace fairlead::elf;

namespace {

/// Reads as from a file: views are copies.
class Pieces : public ByteSource {
public:
  explicit Pieces(const MemorySource &memory) : memory(memory) {}
  uint64_t size() const override { return memory.size(); }
  bool read(uint64_t offset, void *out, size_t count) const override {
    return memory.read(offset, out, count);
  }

private:
  const MemorySource &memory;
};

Seal sealIn(std::string_view file) {
  const MemorySource memory(file);
  Seal seal = readSeal(memory);
  const Seal again = readSeal(Pieces(memory));
  require(seal.kind == again.kind && seal.content == again.content &&
              seal.by.has_value() == again.by.has_value(),
          "a seal is the same from memory and from pieces");
  require(file.substr(0, withoutSeal(file).size()) == withoutSeal(file),
          "content lies before its seal");
  require(seal.kind == Seal::None ? withoutSeal(file) == file : withoutSeal(file) != file,
          "what is cut off is a seal");
  (void)checkSeal(seal);
  return seal;
}

void sealAndDamage(std::string_view content, const ed25519::Seed *signer, uint64_t bit) {
  std::string file = std::string(content) + sealOf(content, signer);
  const Seal seal = sealIn(file);
  require(seal.kind == Seal::Right && checkSeal(seal), "a sealed file is right");
  // Bytes that end like a signature's block count as one unless another block follows.
  require(!signer || seal.isSignatureRight(), "a signed file has its signature");
  if (signer)
    require(withoutSeal(file) == content, "without its seal a file is its content");

  bit %= file.size() * 8;
  file[bit / 8] = static_cast<char>(file[bit / 8] ^ 1 << bit % 8);
  require(sealIn(file).kind != Seal::Right, "a bit of another value is seen");

  // Somebody who can compute a checksum cannot sign.
  if (signer && bit / 8 < file.size() - sealOf("").size()) {
    file.resize(file.size() - sealOf("").size());
    file += sealOf(file);
    const Seal forged = sealIn(file);
    require(forged.kind == Seal::Right && !forged.isSignatureRight(),
            "a signature fits its content alone");
  }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  sealIn({reinterpret_cast<const char *>(data), size});

  FuzzInput input(data, size);
  const bool isSigned = input.take<uint8_t>() & 1;
  const auto bit = input.take<uint32_t>();
  const auto seed = input.take<ed25519::Seed>();
  const size_t taken = std::min(size, size_t{1 + 4} + seed.size());
  const std::string_view content(reinterpret_cast<const char *>(data) + taken, size - taken);
  const std::string_view mark = "\nFLSIGN1";
  if (content.find(mark) == content.npos)
    sealAndDamage(content, isSigned ? &seed : nullptr, bit);
  return 0;
}

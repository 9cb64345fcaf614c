/// Any bytes as a file of keys, of public ones and of the one that signs: keys, which read back as
/// they were, or a problem.
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include "FuzzInput.h"
#include "trust/KeyFile.h"

using namespace fairlead;

namespace {

/// A file that no folder has.
class MemoryFile {
public:
  explicit MemoryFile(std::string_view bytes) : file(memfd_create("keys", MFD_CLOEXEC)) {
    require(file >= 0 && ::write(file, bytes.data(), bytes.size()) == ssize_t(bytes.size()),
            "a file in memory");
  }
  ~MemoryFile() { ::close(file); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }

private:
  int file;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char *>(data), size);
  const MemoryFile file(bytes);

  const auto keys = readPublicKeys(file.path());
  require(keys || !keys.reason().empty(), "keys, or why there are none");
  if (keys) {
    std::string text;
    for (const ed25519::PublicKey &key : *keys)
      text += keyText(key) + "\n";
    const auto again = readPublicKeys(MemoryFile(text).path());
    require(again && *again == *keys, "keys read back the same");
  }

  const auto seed = readSigningKey(file.path());
  require(seed || !seed.reason().empty(), "a signing key, or why there is none");
  require(!seed || !keys, "a file of a secret is no list of public keys");
  if (seed) {
    const auto again = readSigningKey(MemoryFile(signingKeyText(*seed)).path());
    require(again && *again == *seed, "a signing key reads back the same");
  }
  return 0;
}

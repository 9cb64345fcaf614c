#include "fairlead/Keys.h"

#include <cstdlib>

#include <sys/random.h>

#include "base/Sha256.h"
#include "fairlead/Diagnostics.h"
#include "trust/KeyFile.h"

namespace fairlead {

KeyPair newKeyPair() {
  ed25519::Seed seed;
  ed25519::PublicKey key;
  // No more than 256 bytes come whole, and there is no signal that interrupts them.
  if (::getrandom(seed.data(), seed.size(), 0) != static_cast<ssize_t>(seed.size()))
    std::abort();
  ed25519::makePublicKey(seed, key);
  return {keyText(key), signingKeyText(seed)};
}

std::vector<std::string> listedKeys(const std::string &path) {
  const auto keys = readPublicKeys(path);
  if (!keys)
    throw makeError(Diagnostic::KeyList, {{"path", path}, {"reason", keys.reason()}});
  std::vector<std::string> texts;
  for (const ed25519::PublicKey &key : *keys)
    texts.push_back(toHex(key));
  return texts;
}

} // namespace fairlead
